"""The attack at its limits: for each closed list, detector and share, what lies on either side of it."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest
from written_columns import column

from policy_sim.formulas.known_rows import known_rows
from policy_sim.release.attack import closed_lists as lists
from policy_sim.release.attack import columns as cols
from policy_sim.release.attack import numbers
from policy_sim.release.attack.report import Claim, Word
from policy_sim.release.attack.written import _column

RULE = Claim(rule="safe-harbor", dates="year", places=("state", "zip3"), oldest=90, day=dt.date(2020, 7, 1))
SEEN = RULE.but(words={"x": Word("A. Officer")})


def twice(values):
    return [str(value) for value in values] * 2


def kind(name, values, claim=RULE):
    return lists.recognized(column(name, values), claim)


def found(name, values, claim=None):
    claim = claim or RULE.but(words={name: Word("A. Officer")})
    return "; ".join(finding.what for finding in cols.attack_column(column(name, values), claim)[1])


# Closed lists.


def test_spans_of_years_and_ages():
    assert lists.year_span("1999") == (1999, 1999, False)
    assert lists.year_span("1990-1999") == (1990, 1999, False)
    assert lists.year_span("1935 or before") == (1935, 1935, True)
    assert [lists.year_span(text) for text in ("1849", "2101", "12")] == [None] * 3
    ages = {"0": (0, False), "34": (34, False), "20-24": (24, False), "90+": (90, True), "7 days": (0, False)}
    assert {text: lists.age_span(text) for text in ages} == ages
    assert (lists.age_span("old"), lists.whole("12.0"), lists.whole("12.5")) == (None, 12, None)


def test_words_of_names_keep_the_numbers_that_mean_something():
    assert lists.tokens_of("icd 10 code 7") == {"icd", "10", "code"}


@pytest.mark.parametrize(
    ("values", "repeats", "all_repeat"),
    [
        (list("abcdefghijklmnopqrs"), True, True),  # 19 rows may all differ
        (list("abcdefghijklmnopqrst"), False, False),
        (list("abcdefghij") * 2, True, True),  # each twice: half as many values as rows
        ([*"abcdefghij", *"abcdefghi", "k"], False, False),
        ([*"abc" * 6, "x", "y"], True, False),  # 18 of 20 rows have a value that comes again
        ([*"abc" * 5, *"vwxyz"], False, False),
        ([*"abcd" * 9, *"wxyz"], True, False),
    ],
)
def test_values_that_repeat(values, repeats, all_repeat):
    assert (lists.repeats(column("x", values)), lists.repeat_all(column("x", values))) == (repeats, all_repeat)


@pytest.mark.parametrize(
    ("numbers", "run"),
    [
        (range(100, 120), True),
        (range(100, 119), False),  # below 20 rows
        (range(0, 60, 3), False),  # 57 is more than half as much again as 20
        (range(0, 40, 2), False),
        ([*range(100, 118), 100, 101], True),  # 18 values of 20 rows
        ([*range(100, 110)] * 4, False),
        ([*range(100, 119), "x"], False),
    ],
)
def test_numbers_that_run(numbers, run):
    assert lists.is_run(column("x", [str(number) for number in numbers])) == run


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("ms_drg", twice(range(1, 9)), "MS-DRG"),
        ("x", twice(range(1, 9)), ""),
        ("code", twice(range(1, 9)), ""),
        ("ms_drg", twice([1, 2, 9999]), ""),
        ("loinc", twice(["718-7", "2345-7"]), "LOINC"),
        ("x", twice(["718-7", "2345-7"]), ""),
        ("loinc", twice(["718-7", "2345-8"]), ""),
        ("cpt", twice(["99213", "99214"]), "CPT or HCPCS"),
        ("cpt", twice(["99213", "x12"]), ""),
        ("zip3", ["441", "442"], "zip3"),
        ("zip3", ["441", "x"], ""),
        ("x", ["Ohio", "Kentucky"], "state"),
        ("x", ["Ohio", "Nowhere"], ""),
        ("state", ["39", "1"], "state"),
        ("state", ["39", "99"], ""),
        ("race", ["White", "Black"], "race or ethnicity"),
        ("race", ["White", "White Asian"], "race or ethnicity"),
        ("race", ["White", "Plumber"], ""),
        ("x", ["White", "Asn"], "race or ethnicity"),
        ("x", ["White", "AI"], ""),
        ("x", ["Asn", "Blk"], ""),
        ("q", twice(["Male", "Female"]), "sex"),
        ("x", twice(["Male", "Plumber"]), ""),
    ],
)
def test_what_a_column_is(name, values, expected):
    assert kind(name, values) == expected


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("county", ["39001", "01003", "6037"], "county"),
        ("county", ["39001", "39001", "x"], ""),
        ("county", ["39001", "99001"], ""),
        ("x", ["39001", "01003"], ""),
        (
            "zip5",
            ["43215"] * 3 + ["44106", "44107", "44108", "44109", "43201", "43202", "43203", "43204", "00001"],
            "zip5",
        ),
        ("zip5", ["43215", "44106", "00001"], ""),
    ],
)
def test_places_where_the_claim_lets_them_show(name, values, expected):
    assert kind(name, values, Claim(rule="x", places=("county", "zip5"))) == expected


def test_all_towns_are_places_and_some_are_none():
    claim = Claim(rule="x", places=("county",))
    assert kind("x", ["Cleveland", "Columbus"], claim) in ("county", "")
    assert kind("x", ["Cleveland", "Plumber"], claim) == ""


@pytest.mark.parametrize(
    ("name", "codes", "expected"),
    [
        ("x", ["R10", "R19", "R25", "R64", "E11.9"] * 5, True),
        ("x", ["R10", "R19", "R25", "E11..9"] * 5, False),
        ("x", ["R10", "R19", "R25", "E1.19"] * 5, False),
        ("x", ["R10"] * 9 + ["R40"] * 9 + ["E11.9"] * 2, True),  # one in ten has more than three characters
        ("x", ["R10"] * 9 + ["R40"] * 10 + ["E11.9"], False),
        ("x", ["R10", "R11", "R15", "R18"] * 5, False),
        ("x", ["R10", "R40", "R64", "R94"] * 5, False),
        ("dx", ["R10", "R40", "R64", "R94"] * 5, True),
        ("dx", [f"R{at}" for at in range(40, 60)], False),  # numbered, one per record
        (
            "dx",
            [f"R{at}" for at in (10, 12, 14, 16, 18, 20, 22, 26, 30, 32, 34, 36, 40, 42, 44, 46, 48, 50, 52, 54)],
            True,
        ),
        ("dx", ["R10", "R99x"] * 10, False),
    ],
)
def test_clinical_codes(name, codes, expected):
    assert (kind(name, codes) == "ICD-10-CM") == expected


# One column.


def test_names_of_columns_that_are_dates():
    named = {
        "2025-03-04 dx": True,
        "dx_2025_03_04": True,
        "dx 2025-03-04": True,
        "dx 7MAR2025": True,
        "plan 2024": False,
    }
    assert {name: cols.dates_in_name(name) for name in named} == named


@pytest.mark.parametrize(("name", "says"), [("Ann", ""), ("Anna", "name of people"), ("Grace Hopper", "")])
def test_first_names_of_four_letters_are_no_names_of_columns(name, says):
    assert says in found(name, ["yes", "no"])
    assert ("its name" in found(name, ["yes", "no"])) == bool(says)


@pytest.mark.parametrize("character", ["\u200b", "\x07", "\ue000"])
def test_characters_that_nobody_sees(character):
    assert "characters that nobody sees" in found("x", ["plain", f"od{character}d"])
    assert "nobody sees" not in found("x", ["plain", "façade"])


@pytest.mark.parametrize(
    ("ends", "times"),
    [
        ((350_000_000, 2_199_999_999), True),
        ((350_000_000, 2_200_000_000), False),
        ((299_999_999, 2_199_999_999), False),
        ((300_000_000_000, 2_199_999_999_999), True),
        ((300_000_000_000, 2_200_000_000_000), False),
        ((3_000_000_000, 2_199_999_999), False),
    ],
)
def test_seconds_since_1970(ends, times):
    """Nine of ten must lie between 1979 and 2039; here one in five does not, or all do."""
    first, last = ends
    values = [str(first), *[str((first + min(last, 2_199_999_999)) // 2 + at) for at in range(3)], str(last)]
    if first > 10**11:
        values[1:4] = [str(10**12 + at) for at in range(3)]
    hits = [hit.called for hit, _ in numbers.odd_numbers(column("x", values))]
    assert (numbers.UNIX_TIMES in hits) == times
    assert numbers.UNIX_TIMES not in [hit.called for hit, _ in numbers.odd_numbers(column("x", values[:4]))]


@pytest.mark.parametrize(
    ("values", "odd"),
    [
        (["a", "b", "c", "d", "1234567", "1234568", "1234569"], True),
        (["a", "b", "c", "d", "1234567", "1234568"], False),
        (["a", "b", "c", "d", *["1234567", "1234568", "1234569"] * 2], False),
        (["a", "b", "c", "d", *["1234567", "1234568"] * 2, "1234569", "1234570"], True),  # half of them once
        (["a", *[str(1234567 + at) for at in range(9)]], False),
    ],
)
def test_long_numbers_among_short_values(values, odd):
    assert (numbers.LONG_AMONG_SHORT in [hit.called for hit, _ in numbers.odd_numbers(column("x", values))]) == odd


@pytest.mark.parametrize(
    ("values", "parts"),
    [
        (["3/4/25"] * 5 + ["a", "b", "c", "d", "e"], False),  # one value of six
        (["3/4/25", "4/4/25", "a", "b"], True),
        (["3/4/25", "a", "b"], False),
        (["Monday", "Tuesday", "a", "b"], True),
        (["Monday", "a", "b"], False),
        (["a", "03/14", "b", "c", "d"], True),
        (["a", "Mar 5", "b", "c", "d"], True),  # a day without its year is one wherever it is
    ],
)
def test_parts_of_dates(values, parts):
    assert ("parts of dates" in found("x", values)) == parts


@pytest.mark.parametrize(
    ("values", "dates"),
    [
        (["2025-03-04", "a", "b", "c"], True),
        (["5/2025", "a", "b", "c"], True),
        ([f"202503{at:02}" for at in range(1, 29)], True),
        ([f"202503{at:02}.0" for at in range(1, 29)], True),  # as programs write them in a column with gaps
        (["20250304", "12", "13", "14"], False),
        (["20250304.0", "12.0", "13.0", "14.0"], False),
        (["1.25", "2.5"], False),
    ],
)
def test_dates(values, dates):
    assert ("contains dates (" in found("x", values)) == dates


@pytest.mark.parametrize(
    ("name", "values", "parts"),
    [
        ("month", [*map(str, range(1, 13))], True),
        ("month", [*map(str, range(2, 14))], False),
        ("month", ["a", "b"], False),
        ("mon", ["1", "13"], False),
        ("month_weekday", ["1", "7"], True),
        ("month_weekday", ["1", "8"], False),  # the smaller of the two decides
        ("quarter", ["1", "4"], True),
        ("quarter", ["1", "5"], False),
        ("x", ["0", "0"], False),
    ],
)
def test_numbers_of_months_and_days(name, values, parts):
    assert ("parts of dates" in found(name, values)) == parts


@pytest.mark.parametrize(
    ("name", "values", "says"),
    [
        ("age", ["32850", "400"], "in months or days"),  # 90 years of 365 days
        ("age", ["32849", "400"], ""),
        ("age", ["1080", "1000"], "in months or days"),
        ("age", ["1440", "1000"], "in months or days"),
        ("age", ["1079", "1441"], ""),
    ],
)
def test_ages_in_months_or_days(name, values, says):
    assert ("in months or days" in found(name, values)) == bool(says)


@pytest.mark.parametrize(
    ("heads", "lone"),
    [
        (["K81", "F48", "N48"], 3),
        (["K81", "F48"], 0),
        (["K81", "F48", "N48", "J16", "F10", "F10"], 5),  # four of five in one record
        (["K81", "F48", "N48", "F10", "F10"], 0),
        (["i10", "K81.0", "F48", "N48"], 0),
        (["k81 ", "F48", "N48"], 3),
    ],
)
def test_categories_that_stand_in_one_record(heads, lone):
    codes = ["E11.9", "M54.50"] * 3
    assert lists.lone_categories(column("dx", [*codes, *heads])) == lone
    assert lists.lone_categories(column("dx", [*codes[: len(heads)], *heads])) == lone  # half of the records
    assert lists.lone_categories(column("dx", [*codes[: len(heads) - 1], *heads])) == (
        lone if lone not in (3, 5) else 0
    )


@pytest.mark.parametrize(
    ("name", "values", "says"),
    [
        ("age_group", list("12345678"), "classes of ages"),
        ("age_group", ["1", "2", "80"], ""),
        ("age", ["1", "2", "3"], ""),
        ("age", ["89", "34"], ""),
        ("age", ["90", "34"], "1 value of 90 years of age and over"),
        ("age", ["90+", "34"], ""),
        ("age", ["95+", "34"], "1 value of 90 years of age and over"),
        ("age", ["92", "95+", "34"], "2 values of 90 years of age and over"),
        ("x", ["aged 95", "aged 34"], "ages of 90 and over"),
        ("x", ["95 yo", "34 yo"], "ages of 90 and over"),
        ("x", ["aged 89", "34 yo"], ""),
        ("x", ["b. 1930", "b. 1990"], "ages of 90 and over"),
        ("x", ["b. 1931", "b. 1990"], ""),
        ("x", ["Dr. Smith said so", "no"], "names of people, by their titles"),
        ("x", ["1M8GDM9AXKP042788", "no"], "vehicle numbers"),
        ("year_of_birth", ["1930", "1990"], "1 value of the year 1930 or before"),
        ("year_of_birth", ["1931", "1990"], ""),
        ("admit_year", [*map(str, range(1981, 2002))], "10 values of the year 1990 or before"),
        ("admit_year", [*map(str, range(1991, 2019))], ""),
        ("x", [*map(str, range(1981, 2002))], ""),
        ("admit_year", [*map(str, range(1981, 2002)), "a"], ""),
    ],
)
def test_ages_and_years(name, values, says):
    claim = RULE if name.startswith("age") else None  # nobody has said anything about ages
    assert says in found(name, values, claim)
    for word in ("years of age", "ages of", "of the year", "vehicle", "titles"):
        assert (word in found(name, values, claim)) == (word in says)


@pytest.mark.parametrize(
    ("text", "is_date"),
    [
        ("1990-1999", False),
        ("2024.5", False),
        ("3.2024", False),
        ("2024.05", False),
        ("27611-3", False),
        ("2024-05", True),
    ],
)
def test_what_is_a_date(text, is_date):
    assert cols._is_date(text) is is_date


@pytest.mark.parametrize("name", ["zip", "zip3"])
def test_five_digits_where_the_name_says_a_zip_code(name):
    assert "2 values of five digits" in found(name, ["43215", "44106", "a"])


def test_a_pseudonym_is_a_hash_and_nothing_else():
    hashes = [f"{at:032x}" for at in range(2**127, 2**127 + 30)]
    claim = RULE.but(pseudonyms=("x",))
    assert "hash" in found("x", hashes)
    assert found("x", hashes, claim) == ""
    assert "1 value that are not keyed" in found("x", [*hashes, "PAT-33159"], claim)
    assert "holds" in found("x", ["a.roe@example.org", "b.roe@example.org"], claim)


def test_a_vehicle_number_with_a_wrong_check_digit_is_none():
    assert "vehicle" not in found("x", ["1M8GDM9A1KP042788", "no"])


@pytest.mark.parametrize(
    ("values", "county"), [(["39001", "39003", "a", "b"], True), (["39001", "a", "b"], False), (["a", "b"], False)]
)
def test_county_codes_in_half_of_the_values(values, county):
    assert ("may be county codes" in found("county", values)) == county


# What is known of a person's rows, the report, and columns without some texts.


@pytest.mark.parametrize(("known", "number"), [("1", 2), ("2", 4), ("all", 3)])
def test_groups_are_numbered_without_gaps(known, number):
    """Rows 3 and 5, 3 twice, and 5 alone: two rows, the pairs 3 and 5 and 3 and 3, and three people."""
    rows, person = np.array([3, 5, 3, 3, 5]), np.array([0, 0, 1, 1, 2])
    groups = known_rows(rows, person, known)
    assert (groups.number, len(groups.sizes)) == (number, number)
    assert groups.sizes.min() > 0
    empty = known_rows(rows[:0], person[:0], known)
    assert (empty.number, empty.people, len(empty.least())) == (0, 0, 0)


def test_a_column_without_some_texts():
    without = column("x", ["a", "b", "", "c", "b"]).without(frozenset({"b"}))
    assert (without.texts, without.codes.tolist()) == (("a", "c"), [1, 0, 0, 2, 0])
    assert (without.records.tolist(), without.filled) == ([1, 1], 2)


def test_blank_texts_are_no_texts():
    found = _column("x", ["a", " ", "b"], np.array([0, 1, 2, 0]))
    assert (found.texts, found.codes.tolist()) == (("a", "b"), [1, 0, 2, 1])


def test_street_addresses_are_barred_with_any_letter_and_others_by_their_own():
    claim = Claim(rule="x", letters="A", words={"x": Word("A")})
    assert "street addresses" in found("x", ["12 Main Street", "340 Oak Avenue", "9 Elm Road"], claim)
    cards = ["219-09-9999", "457-55-5462", "078-05-1120"]
    assert "holds" not in found("x", cards, claim)
    assert "holds" in found("x", cards)


def test_a_claim_without_a_day_comes_back_from_a_file():
    claim = Claim(rule="x", words={"x": Word("A", ("dates",), 20)})
    assert claim.as_json()["day"] is None
    assert Claim.of_json(claim.as_json()) == claim
