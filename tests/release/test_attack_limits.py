"""The attack at its limits: for each closed list, detector and share, what lies on either side of it."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pytest

from policy_sim.formulas.known_rows import known_rows
from policy_sim.release.attack import closed_lists as lists
from policy_sim.release.attack import columns as cols
from policy_sim.release.attack import numbers, together
from policy_sim.release.attack.report import Claim, Word
from policy_sim.release.attack.written import WrittenColumn, WrittenFile, _column

RULE = Claim(rule="safe-harbor", dates="year", places=("state", "zip3"), oldest=90, day=dt.date(2020, 7, 1))
SEEN = RULE.but(words={"x": Word("A. Officer")})


def column(name, values):
    texts = [*dict.fromkeys(value for value in values if value)]
    place = {"": 0} | {text: at for at, text in enumerate(texts, 1)}
    return WrittenColumn(name, tuple(texts), np.array([place[value] for value in values], dtype=np.int64))


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
        ("zip3", ["441", "442"], "zip3"),
        ("zip3", ["441", "x"], ""),
        ("x", ["Ohio", "Kentucky"], "state"),
        ("x", ["Ohio", "Nowhere"], ""),
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
        (["20250304", "12", "13", "14"], False),
        (["1.25", "2.5"], False),
    ],
)
def test_dates(values, dates):
    assert ("holds dates (" in found("x", values)) == dates


@pytest.mark.parametrize(
    ("name", "values", "parts"),
    [
        ("month", [*map(str, range(1, 13))], True),
        ("month", [*map(str, range(2, 14))], False),
        ("month", ["a", "b"], False),
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


def test_a_vehicle_number_with_a_wrong_check_digit_is_none():
    assert "vehicle" not in found("x", ["1M8GDM9A1KP042788", "no"])


@pytest.mark.parametrize(
    ("values", "county"), [(["39001", "39003", "a", "b"], True), (["39001", "a", "b"], False), (["a", "b"], False)]
)
def test_county_codes_in_half_of_the_values(values, county):
    assert ("may be county codes" in found("county", values)) == county


# Columns together.


def pairs(fine, coarse, as_many=False):
    return together.undoes(column("fine", fine), column("coarse", coarse), as_many=as_many)


def test_a_value_that_contains_another():
    assert "contains" in pairs(["44101", "44102", "45201"], ["441", "441", "452"])
    assert "contains" not in pairs(["44101", "44102", "45201"], ["441", "441", "999"])
    fine, coarse = ["44101", "44102", "45201", "45202"] * 10, ["441", "441", "452", "452"] * 10
    assert "contains" in pairs(fine, [*coarse[:30], *[""] * 10])  # what is blank contradicts nothing
    assert pairs(fine, ["441"] * 40) == ""
    assert "contains" not in pairs(
        ["44101", *["45201", "x", "y", "z"] * 20], ["441", *["452", "999", "452", "999"] * 20]
    )


def test_as_many_values_count_where_they_may_be_places():
    fine, coarse = ["a", "b"] * 30, ["10", "20"] * 30
    assert pairs(fine, coarse) == ""
    assert pairs(fine, coarse, as_many=True) == "fine determines coarse"
    assert pairs(["a", "b", "c", "b"] * 15, ["10", "20"] * 30) == "fine determines coarse"


def test_the_first_value_counts_too():
    assert pairs(["a"] * 20 + ["b", "c"] * 20, ["10", "20"] * 10 + ["30", "40"] * 20) == ""


def determined(rows, wrong):
    fine, coarse = np.arange(rows) % 4 + 1, np.arange(rows) % 4 // 2 + 1
    coarse = np.where(np.arange(rows) < wrong, 3 - coarse, coarse)
    return fine, coarse


def test_what_chance_would_contradict_as_often_is_not_determined():
    """By the definition: at most 2% of the rows, at most a tenth of what chance contradicts, and that at least 10."""
    tried = set()
    for rows in range(16, 112, 2):
        for wrong in (0, 1, 2):
            fine, coarse = determined(rows, wrong)
            chance = together._exceptions(fine, np.random.default_rng(0).permutation(coarse))
            contradicted = together._exceptions(fine, coarse)
            expected = contradicted <= 0.02 * rows and chance >= 10 and contradicted <= 0.1 * chance
            assert together._determines(fine, coarse) == expected
            tried.add((chance == 10, contradicted > 0 and 10 * contradicted == chance, expected))
    assert any(ten and expected for ten, _, expected in tried)


def test_a_tenth_of_what_chance_contradicts_is_few():
    fine, coarse = np.array([1] * 91 + [2] * 9), np.array([2] + [1] * 90 + [2] * 9)
    assert together._determines(fine, coarse)  # one row of the ten that chance contradicts


def test_exceptions_are_the_rows_without_the_commonest_value():
    assert together._exceptions(np.array([1, 1, 1, 2, 2]), np.array([1, 1, 2, 1, 2])) == 2


def test_years_and_ages_that_add_up_are_births():
    ages = np.array([30, 40, 50, 0, 70, 31, 41, 51, 61, 71])
    years = 2020 - ages
    assert together._is_birth(ages, years)
    assert not together._is_birth(ages, np.where(np.arange(10) < 3, 1990 + ages, years))
    two_off = years + np.where(np.arange(10) < 2, 5, 0)
    assert together._is_birth(ages, two_off)  # eight of ten
    assert not together._is_birth(ages, years + np.where(np.arange(10) < 3, 2, 0))
    assert together._is_birth(ages, years + np.where(np.arange(10) < 3, 1, 0))  # born after their birthday
    assert not together._is_birth(np.array([30, 40, 50] * 3), np.array([1990, 1980, 1970] * 3))
    assert not together._is_birth(ages, np.array([2001, 2002, 2003, 2004, 2005, 2006, 2007, 2008, 2009, 2010]))
    assert not together._is_birth(
        np.array([0, 0, 0, 30, 40, 50, 60]), np.array([1900, 1901, 1902, 1990, 1980, 1970, 1960])
    )


@pytest.mark.parametrize(
    ("age", "year", "tells"),
    [("73", "2003", True), ("73", "2004", False), ("0", "1930", False), ("1", "1931", True), ("90+", "2010", False)],
)
def test_an_age_in_a_year_tells_a_birth(age, year, tells):
    """At 73 in 2003 somebody was born in 1929 or 1930, the last year that must not show."""
    file = WrittenFile((column("age", [age, "30", "31", "33"]), column("visit_year", [year, "2019", "2018", "2018"])))
    seen = together._ages_beside_years(file, {"age": "age", "visit_year": "year"}, RULE)
    assert bool(list(seen)) == tells


@pytest.mark.parametrize("blank", ["", "unknown"])
def test_blank_years_do_not_hide_that_years_are_births(blank):
    ages = [str(age) for age in range(20, 90)]
    years = [str(2020 - int(age)) for age in ages]
    file = WrittenFile((column("age", [*ages, *ages[:30]]), column("visit_year", [*years, *[blank] * 30])))
    assert not list(together._ages_beside_years(file, {"age": "age", "visit_year": "year"}, RULE))


def numbers_of_people(file, kinds):
    return [finding.columns for finding in together._numbers_of_people(file, kinds)]


def test_codes_that_go_with_two_of_three_fields_are_numbers_of_people():
    rng = np.random.default_rng(1)
    codes = np.repeat(np.arange(100, 140), 5)
    sex, age = (rng.integers(0, 9, 40)[codes - 100] for _ in range(2))
    free = rng.integers(0, 9, 200)

    def file(*fields):
        return WrittenFile(
            tuple(column(name, [str(v) for v in values]) for name, values in (("loinc", codes), *fields))
        )

    kinds = {"loinc": "LOINC", "sex": "sex", "age": "age", "year": "year", "x": ""}
    assert numbers_of_people(file(("sex", sex), ("age", age), ("year", free)), kinds) == [("loinc",)]
    assert numbers_of_people(file(("sex", sex), ("age", free), ("year", free)), kinds) == []
    assert numbers_of_people(file(("sex", sex)), kinds) == [("loinc",)]
    assert numbers_of_people(file(("sex", sex), ("age", np.zeros(200, dtype=int))), kinds) == [("loinc",)]
    assert numbers_of_people(file(("sex", sex), ("x", age)), {**kinds, "loinc": ""}) == []
    assert numbers_of_people(file(), kinds) == []


def header(*named):
    found = together.attack_header(WrittenFile(tuple(column(name, values) for name, values in named)))
    return "; ".join(finding.what for finding in found)


def test_names_of_columns_that_are_values():
    plain = [("sex", ["M", "F"]), ("stay", ["a", "b"]), ("unit", ["c", "d"]), ("dx1", ["e", "f"])]
    assert header(*plain) == ""
    assert header(("12", ["12", "13"]), *plain) == ""
    assert "2 of 4" in header(("12", ["12", "13"]), ("M", ["M", "F"]), *plain[1:3])
    assert "1 of 1" in header(("E11.9", ["x", "y"]))
    assert header(("dx1", ["x", "y"]), ("dx2", ["x", "y"])) == ""


def test_names_of_columns_that_are_people():
    people = ["James Smith", "Mary Johnson", "Robert Williams"]
    other = [(f"field {at} of the form", ["a", "b"]) for at in range(7)]
    assert "names of people" in header(*[(name, ["a", "b"]) for name in people])
    assert "names of people" not in header(*[(name, ["a", "b"]) for name in people], *other)
    assert "names of people" not in header(*[(name, ["a", "b"]) for name in people[:2]])


def test_fields_that_run_down_a_file():
    assert "3 of 6" in header(("x", ["sex", "age", "date of birth", "u", "v", "w"]))
    assert header(("x", ["sex", "age", "u", "v"])) == ""
    assert header(("x", ["sex", "age", "date of birth", "u", "v", "w", "z"])) == ""


@pytest.mark.parametrize(("known", "least"), [("1", 2), ("2", 1), ("all", 1)])
def test_people_by_what_is_known_of_their_rows(known, least):
    """Rows 0 and 1 of a, 0 and 1 of b, 0 twice of c, 1 of d and e."""
    number, whose = np.array([0, 1, 1, 0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 2, 2, 3, 4])
    people = together._people_by_rows(number, whose, known)
    assert people.min() == {"1": 3, "2": 1, "all": 1}[known] or people.min() == least
    assert sorted(together._people_by_rows(number, whose, "1").tolist()) == [3, 4]
    assert sorted(together._people_by_rows(number, whose, "all").tolist()) == [1, 2, 2, 3, 4]


@pytest.mark.parametrize(
    ("persons", "sexes", "least"),
    [
        (["p1", "p2", ""], "FFF", 3),  # a row without a person is a person of its own
        (["", "", ""], "FFF", 3),
        (["p1", "p1", "p2"], "FFF", 2),
        (["p1", "p2", "p3", "p4"], "FFFM", 1),
    ],
)
def test_people_of_each_class(persons, sexes, least):
    file = WrittenFile((column("id", persons), column("sex", list(sexes))))
    for k in (least, least + 1):
        claim = Claim(k=k, keys=("sex",), person="id")
        found = together.attack_classes(file, claim)
        assert [finding.what for finding in found] == [
            f"the smallest class has {least} of at least {k}, by one row of a person"
        ] * (k > least)


# Ages that hardly any two people share.


@pytest.mark.parametrize(
    ("people", "numbers", "hardly"),
    [
        ([1] * 20, [18, 40], True),  # 190 pairs over 23 ages: 8.3 alike by chance
        ([1] * 20, [18, 41], False),  # 7.9
        ([1] * 69 + [2] * 3, [18, 89], True),
        ([1] * 36 + [2] * 36, [18, 89], True),
        ([1] * 35 + [2] * 37, [18, 89], False),  # most have two people
        ([1] * 30 + [2] * 5, [18, 47], True),  # 5 pairs where chance makes 26
        ([1] * 30 + [2] * 6, [18, 71], False),  # 6 where it makes 15.9
        ([1] * 30 + [9], [18, 89], False),  # more than by chance
    ],
)
def test_people_who_hardly_share_a_number(people, numbers, hardly):
    assert together._is_hardly_shared(np.array(people), numbers) is hardly


def test_people_of_a_value_are_of_linked_rows_of_rows_alike_or_of_all():
    rows, rng = np.repeat(np.arange(30), 3), np.random.default_rng(2)
    ages = column("age", [str(20 + at // 2) for at in rows])
    own = column("age", [str(20 + at) for at in rows])
    sex = column("sex", ["FM"[at] for at in rng.integers(0, 2, 30)[rows]])
    whose = column("id", [f"p{at}" for at in rows])
    assert together._people_of(ages, whose, []).tolist() == [2] * 15
    assert together._people_of(own, None, [sex]).tolist() == [1] * 30
    assert together._people_of(own, None, []).tolist() == [3] * 30
    some = column("age", [str(20 + at) if at else "" for at in rows])
    assert together._people_of(some, whose, []).tolist() == [1] * 29


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
