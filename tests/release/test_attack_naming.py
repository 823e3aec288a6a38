"""What names, words and whole numbers may be, at the limits of each form, number and share."""

from __future__ import annotations

import pytest
from written_columns import column

from policy_sim.release.attack import naming, numbers
from policy_sim.release.attack.columns import doubts_of
from policy_sim.release.attack.report import AttackReport, Claim, Finding, Verdict, Word


def words_of(values):
    """What words may be: what it is called, and whether it is found."""
    return {hit.called: is_found for hit, is_found in naming.within(column("x", values))}


def numbers_of(values):
    return {
        hit.called: is_found for hit, is_found in numbers.odd_numbers(column("x", [str(value) for value in values]))
    }


# Places and people in words.


@pytest.mark.parametrize(
    ("text", "is_place"),
    [
        ("seen in Erie", False),  # four letters are too few within other words
        ("Erie", True),
        ("erie", False),
        ("seen in Akron", True),
        ("seen in akron", False),
        ("Seen in Akron", True),
        ("Ann Arbor", True),
        ("Grand Rapids", True),
        ("Green Bay", False),  # both words are ordinary
        ("Unknown County", False),
        ("Lives in mahoning County", True),
        ("at 0500000US39099", True),
        ("at 0500000US39999", False),
        ("from OH 44503", True),
        ("from QQ 44503", False),
        ("Ohio", False),
    ],
)
def test_places(text, is_place):
    assert naming._names_place(text) is is_place


@pytest.mark.parametrize(
    ("text", "is_person"),
    [
        ("seen with Okafor", True),
        ("seen with okafor", False),  # a last name needs its capital
        ("seen with maria", True),
        ("seen in Alameda", False),  # a town, too
        ("Okafor", False),  # a word alone is for another detector
        ("seen in Ramirez County", False),
    ],
)
def test_people(text, is_person):
    assert naming._names_people(text) is is_person


@pytest.mark.parametrize(
    ("values", "is_found"),
    [
        (["Youngstown", "Mahoning County", *["Akron", "Dayton"] * 3], True),  # two of four are in two rows at most
        (["Youngstown", *["Akron", "Dayton"] * 3], False),
        ([*["Youngstown", "Akron"] * 2], True),
    ],
)
def test_half_of_the_places_are_rare(values, is_found):
    assert words_of(values)[naming.PLACES_WITHIN] is is_found


@pytest.mark.parametrize(
    ("values", "are_codes"),
    [
        (["39001", "39003", "39005", "39007"], True),
        (["39001", "39003", "39005"], False),
        (["39001", "39003", "39005", "39007", "a"], False),
        ([*[f"390{at:02}" for at in range(1, 19, 2)], "a"], True),  # nine of ten
    ],
)
def test_codes_of_counties(values, are_codes):
    assert (naming.COUNTIES in words_of(values)) is are_codes


@pytest.mark.parametrize(
    ("values", "are_initials"),
    [
        (["J.D.", "A. B. C.", "a", "b"], False),
        (["J.D.", "A. B. C.", "E.F.", "a", "b", "c"], True),
        (["J.D.", "A. B. C.", "E.F.", "a", "b", "c", "d"], False),
    ],
)
def test_initials(values, are_initials):
    assert (naming.INITIALS in words_of(values)) is are_initials


# Numbers in words.

CODED = [f"A{1234567 + 7 * at}" for at in range(12)]


@pytest.mark.parametrize(
    ("values", "called", "is_found"),
    [
        ([*CODED[:6] * 2, *["ok"] * 20], naming.NUMBERS_WITHIN, True),  # each in two rows
        ([*CODED[:4] * 3, *["ok"] * 20], naming.NUMBERS_WITHIN, False),
        ([*CODED[:3], *["ok"] * 20], naming.NUMBERS_WITHIN, True),
        ([*CODED[:2], *["ok"] * 20], naming.NUMBERS_WITHIN, False),
        ([*CODED[:11], "see A1234599"], naming.NUMBERS_WITHIN, True),
        ([*CODED[:9], "ok"], numbers.ALL_DIFFERENT, False),  # nine of ten texts and rows are such numbers
        (CODED, numbers.ALL_DIFFERENT, False),
    ],
)
def test_numbers_among_words(values, called, is_found):
    assert words_of(values) == {called: is_found}


@pytest.mark.parametrize(
    ("text", "has_one"),
    [("2024-2025", False), ("330-5550", True), ("no", False), ("#10234", True), ("1000/234", True), ("1000/23", False)],
)
def test_numbers_in_two_parts(text, has_one):
    assert naming._has_number(text, in_words=False) is has_one


@pytest.mark.parametrize(
    ("texts", "are_measures"),
    [
        (["5 mg", "10 mg", "20 mg", "40 mg", "80 mg"], True),
        (["5 mg", "10 mg", "20 mg", "40 mg"], False),
        (["A5", "A10", "A20", "A40", "A80"], False),
        (["5", "10", "20", "40", "80"], False),
    ],
)
def test_amounts_with_units(texts, are_measures):
    assert naming._are_measures(texts) is are_measures


def test_twenty_different_texts_are_doubted():
    texts = ["ab" + chr(97 + at) + "z" for at in range(20)]
    assert words_of(texts) == {numbers.ALL_DIFFERENT: False}
    assert words_of(texts[1:]) == {}
    assert words_of([*texts, *texts[:1] * 3]) == {}
    assert words_of([*texts[:18], "same", "same"]) == {numbers.ALL_DIFFERENT: False}  # nine of ten
    assert words_of([*texts[:17], "same", "same", "same"]) == {}


# Whole numbers.

SEVEN = ["1234567", "1234568", "1234569"]


@pytest.mark.parametrize(
    ("values", "odd"),
    [
        ([*SEVEN, "12", "345", "6", "7"], True),
        ([*SEVEN, "12", "345", "6", "234567"], False),  # a result over many powers of ten
        ([*SEVEN, "12.123456", "13.123457", "14.123458"], False),  # no short values
        ([*SEVEN, "12.123456", "13.123457", "declined", "inpatient"], True),  # half are words
        ([*SEVEN, "1", "2", "3", *["4"] * 3], True),
        ([*[str(1234567 + at) for at in range(9)], "x"], False),  # nine of ten
    ],
)
def test_long_numbers_among_short_ones(values, odd):
    assert (numbers.LONG_AMONG_SHORT in numbers_of(values)) is odd


def test_dates_as_digits_in_ten_values():
    months = [f"2025{at:02}" for at in range(1, 11)]
    assert numbers.DATES_AS_DIGITS in numbers_of(months)
    assert numbers.DATES_AS_DIGITS not in numbers_of(months[1:])
    assert numbers.DATES_AS_DIGITS in numbers_of([f"{month}.0" for month in months])
    assert numbers.DATES_AS_DIGITS in numbers_of([*months, *[f"2024{at:02}" for at in range(1, 10)], "999999"])
    assert numbers.DATES_AS_DIGITS not in numbers_of([*months, "999999"])


@pytest.mark.parametrize(
    ("degrees", "are_degrees"),
    [
        ((30, 35, 40, 45, 60), True),
        ((30, 35, 40, 45, 60.0001), False),
        ((18, 20, 21, 22, 24), True),
        ((17.9999, 20, 21, 22, 24), False),
        ((80, 85, 90, 92, 95), False),
        ((-120, -119, -118, -117, -116), True),
        ((30, 35, 40, 45), False),
        ((-10, -5, 2, 8, 10), False),
    ],
)
def test_degrees_in_the_united_states(degrees, are_degrees):
    found = numbers_of([f"{number:.4f}" for number in degrees])
    assert (numbers.COORDINATES in found) is are_degrees


DAYS = [30_011, 31_007, 32_003]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([*DAYS, 1, 2, 2_000], True),  # a tenth of the least day
        ([*DAYS, 1, 2, 2_001], None),
        ([*DAYS[:2], 1, 2], None),
        ([*DAYS * 2, 1, 2], None),  # in two rows each
        (range(20_000, 60_001, 2_857), False),  # few rows; they may repeat by chance
        (range(20_000, 60_001, 2_000), None),  # round
        ([30_011, 30_123, 30_234, 30_345, 30_456, 31_000, 32_000, 33_000, 34_000, 35_000], None),  # half are round
        ([30_011, 30_123, 30_234, 30_345, 30_456, 30_567, 32_000, 33_000, 34_000, 35_000], False),
        ([*DAYS, 33_001, 34_002, *range(8_000, 9_500, 100)], None),
        ([*range(10_000, 10_018), 9_001, 9_002], False),  # days since 1970, nine of ten
        ([*range(9_999, 10_017), 9_001, 9_002], None),
        ([*range(10_000, 10_017), 25_000, 9_001, 9_002], False),
        ([*range(10_000, 10_017), 25_001, 9_001, 9_002], None),
        ([*range(10_000, 10_018), "a.5", "b.5"], False),  # nine of ten are whole numbers
        ([*range(-1_003, -999), *range(100, 106), *[f"{at}.5" for at in range(10)]], None),
        ([*range(-1_003, -999), *range(100, 116)], False),  # births before 1970, one in five or more
        ([*range(-1_002, -999), *range(100, 117)], None),
        ([*range(-1_002, -998), *range(100, 116)], None),
    ],
)
def test_days_as_computers_count_them(values, expected):
    assert numbers_of(values).get(numbers.DAY_NUMBERS) is expected


def test_long_numbers_that_hardly_come_again():
    long = [1_000_234 + 77 * at for at in range(9)]
    assert numbers.ALL_DIFFERENT in numbers_of(long[:5])
    assert numbers.ALL_DIFFERENT not in numbers_of(long[:4])
    assert numbers.ALL_DIFFERENT in numbers_of([*long, "x"])  # nine of ten
    assert numbers.ALL_DIFFERENT not in numbers_of([*long[:8], "x"])


# Doubts and the verdict.


def test_doubts_are_of_what_no_list_explains_and_somebody_released():
    taxpayers = column("x", [str(123_456_000 + 17 * at) for at in range(60)])
    called = "Social Security or taxpayer numbers"
    claim = Claim("safe-harbor", words={"x": Word("A. Officer", (called,))})
    assert doubts_of(taxpayers, "", claim) == f"{called} (60 records)"
    assert called not in doubts_of(taxpayers, "", Claim("safe-harbor", words={"x": Word("A. Officer")}))
    assert doubts_of(taxpayers, "LOINC", claim) == ""
    assert doubts_of(taxpayers, "", Claim("safe-harbor")) == ""


def test_a_file_that_was_not_attacked_is_not_tested():
    assert (Verdict(AttackReport()).exit_status, Verdict(AttackReport(broken="no file")).exit_status) == (3, 3)
    assert Verdict(AttackReport(("a",), tried=("values",))).exit_status == 0


def test_a_verdict_names_three_findings_and_counts_the_others():
    findings = tuple(Finding((name,), "is odd", "Leave it out") for name in "abcde")
    assert str(Verdict(AttackReport(tuple("abcde"), findings=findings))).endswith("Leave it out; and 2 more")
    assert "more" not in str(Verdict(AttackReport(tuple("abc"), findings=findings[:3])))
