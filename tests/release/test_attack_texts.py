"""Names of columns, free words and whole numbers in a column that a person released: found, or in the verdict."""

from __future__ import annotations

import csv
import datetime as dt
import random
import re

import pytest

from policy_sim.release.attack.report import Claim, Verdict, Word
from policy_sim.release.attack.run import attack

SAFE_HARBOR = Claim("safe-harbor", "year", ("state", "zip3"), oldest=90, day=dt.date(2026, 6, 30), small=("036", "059"))
LIMITED = Claim("limited-dataset", places=("state", "zip3", "zip5", "county", "town"), letters="ADEFGHIJKLMNOPQ")
ROWS = 60
FIRST = ("Maria", "James", "Rosa", "Caleb", "Ines", "Delphine")
LAST = ("Okafor", "Ramirez", "Lindqvist", "Nakamura", "Brzezinski", "Haddad")
ORDINARY = ("ok", "no answer", "left msg", "improving")


@pytest.fixture
def verdict(tmp_path):
    """Write one column that an officer released beside sex, attack the file, and return the verdict's line."""

    def said(values: list[str], name: str = "remarks", claim: Claim = SAFE_HARBOR, is_not: tuple[str, ...] = ()) -> str:
        rng = random.Random(7)
        rows = [[rng.choice("FM"), rng.choice(("34", "51", "60")), value] for value in values]
        with (tmp_path / "release.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([["sex", "age", name], *rows])
        words = {name: Word("A. Officer", is_not)}
        return str(Verdict(attack(tmp_path / "release.csv", claim.but(words=words))))

    return said


def fifth(*values: str) -> list[str]:
    """Remarks of which every fifth is one of the values in turn."""
    return [values[at // 5 % len(values)] if at % 5 == 2 else ORDINARY[at % len(ORDINARY)] for at in range(ROWS)]


def tenth(*values: str) -> list[str]:
    """Results of which every tenth is one of the values in turn."""
    return [values[at // 10 % len(values)] if at % 10 == 3 else f"{4 + at % 37 / 5:.1f}" for at in range(ROWS)]


GRADES = [str(at % 3) for at in range(ROWS)]
MET = "MET for 2; 1 on A. Officer's word"


# Names of columns.


@pytest.mark.parametrize(
    ("name", "values", "what"),
    [
        ("Okafor", GRADES, "its name is a name of people"),
        ("Smith", GRADES, "its name is a name of people"),
        ("John Smith bmi", GRADES, "its name is a name of people"),
        ("F", [*"FM"] * 30, "its name is one of its values"),
        ("E11.9", ["E11.9", "I10"] * 30, "its name is one of its values"),
        ("S-B1234 flag", GRADES, "its name may contain a number of a person"),
        ("dx_GHF 1234", ["I10", "E11.9"] * 30, "its name may contain a number of a person"),
    ],
)
def test_a_person_or_a_first_row_in_a_name_is_found(verdict, name, values, what):
    assert f"{name}: {what}" in verdict(values, name)


@pytest.mark.parametrize("name", ["Smith_bmi", "bmi Okafor", "RamirezFlag"])
def test_a_name_of_a_person_among_other_words_is_in_the_verdict(verdict, name):
    assert verdict(GRADES, name).startswith(f"{MET}; {name} may contain a name of a person")
    assert verdict(GRADES, name, is_not=("a name of a person",)) == MET


def test_a_name_among_other_words_is_found_where_only_a_guess_released_the_column(tmp_path):
    (tmp_path / "release.csv").write_text("sex,Okafor_dx\n" + "F,I10\nM,E11.9\n" * 20)
    line = str(Verdict(attack(tmp_path / "release.csv", SAFE_HARBOR)))
    assert line.startswith("NOT MET: Okafor_dx: its name is a name")


@pytest.mark.parametrize(
    "name",
    [
        *("charlson_index", "gleason", "Glasgow Coma", "Max Dose", "grade", "stage", "price", "ward", "hcpcs_G0101"),
        *("FY2024 visits", "Parkinson", "temp", "hall_walk_m", "Art Line", "young_onset", "spanish", "medicare_paid"),
    ],
)
def test_words_that_are_names_too_are_no_names_of_columns(verdict, name):
    assert verdict(GRADES, name) == MET


# Words within texts.


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ([f"{first} called" for first in FIRST], "names of people"),
        ([f"seen with {last}" for last in LAST], "names of people"),
        (
            [f"lives in {town}" for town in ("Youngstown", "Lima", "Dayton", "Toledo", "Akron", "Xenia")],
            "places in texts",
        ),
        ([f"{county} County" for county in ("Mahoning", "Allen", "Washtenaw", "Fayette")], "places in texts"),
        ([f"A{1234567 + 7 * at}" for at in range(12)], "identifying numbers in texts"),
        ([f"S-B{1234 + 7 * at}" for at in range(12)], "identifying numbers in texts"),
        ([f"see chart {10234 + 7 * at}" for at in range(12)], "identifying numbers in texts"),
    ],
)
def test_what_is_rare_within_texts_is_found_until_somebody_says_what_it_is(verdict, values, what):
    values = [
        f"{value}{mark}" for value, mark in zip(values * 2, [""] * len(values) + ["."] * len(values), strict=True)
    ]
    line = verdict(fifth(*values[:12]))
    assert line.startswith("NOT MET: remarks: may contain ")
    assert what in line
    assert not any(value in line for value in values)


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ("Maria called", "names of people in texts"),
        ("maria called", "names of people in texts"),
        ("Maria", "first names among other texts"),
        ("Youngstown", "places in texts"),
        ("Mahoning County", "places in texts"),
        ("from Youngstown, moved", "places in texts"),
        ("A1234567", "identifying numbers in texts"),
        ("S-B1234", "identifying numbers in texts"),
    ],
)
def test_what_comes_again_within_texts_is_in_the_verdict(verdict, value, what):
    assert verdict(fifth(value)) == f"{MET}; remarks may contain {what} (12 records)"
    places = "places" in what
    assert verdict(fifth(value), claim=LIMITED) == (
        MET if places else f"{MET}; remarks may contain {what} (12 records)"
    )  # the limited data set may show towns


@pytest.mark.parametrize(
    "value", ["seen 03/14/2025 ok", "call on March 14, 2025", "came 2025-03-14", "ill since March", "on 14 Mar 25"]
)
def test_a_date_within_a_text_is_found(verdict, value):
    assert "NOT MET: remarks: contains dates" in verdict(fifth(value))
    assert verdict(fifth(value), claim=LIMITED) == MET


@pytest.mark.parametrize(
    "values",
    [
        ("Aetna", "Humana", "Blue Cross Blue Shield", "Kaiser Permanente"),
        ("Crohn disease", "Parkinson disease", "Bell palsy", "Hodgkin lymphoma"),
        ("High school", "Some college", "Graduate degree"),
        ("Pfizer", "Moderna", "Janssen"),
        ("metformin 500 mg", "lisinopril 10 mg", "warfarin 5 mg"),
        ("in person", "phone", "video"),
        ("Strongly agree", "Neither agree nor disagree", "Disagree"),
        ("BRCA1", "10^9/L", "mg/dL"),
    ],
)
def test_classes_and_answers_name_nobody(verdict, values):
    assert verdict([values[at % len(values)] for at in range(ROWS)], "x") == MET


# Whole numbers.

DAYS = [str(day) for day in range(25013, 45000, 333)][:ROWS]
TIMES = [str(1_589_366_400 + 86399 * at) for at in range(ROWS)]


@pytest.mark.parametrize(
    ("values", "what"),
    [
        (DAYS, "dates as numbers of days"),
        ([f"{day}.0" for day in DAYS], "dates as numbers of days"),
        (tenth(*DAYS), "dates as numbers of days"),
        (fifth(*DAYS), "dates as numbers of days"),
        (TIMES, "seconds since 1970"),
        (tenth(*TIMES), "long numbers among short values"),
        (fifth(*TIMES), "long numbers among short values"),
    ],
)
def test_dates_as_computers_count_them_are_found(verdict, values, what):
    line = verdict(values, "val")
    assert f"NOT MET: val: may contain {what}" in line
    assert f'say what it is with is_not="val={what}"' in line
    assert verdict(values, "val", is_not=(what,)).startswith("MET for 2")
    assert verdict(values, "val", claim=LIMITED).startswith("MET for 2")


@pytest.mark.parametrize(
    "values", [[str(day) for day in range(17003, 20500, 58)], [str(day) for day in range(-12000, 13000, 417)]]
)
def test_days_since_1970_may_be_a_result_and_are_in_the_verdict(verdict, values):
    said = verdict(values[:ROWS], "val")
    assert said.startswith(f"{MET}; val may contain dates ")
    assert said.endswith(f" ({len(values[:ROWS])} records)")


@pytest.mark.parametrize(
    "values",
    [
        [str(1000 * at) for at in range(20, 60)],  # dollars
        [str(int(10 ** (1 + at % 30 / 10))) for at in range(ROWS)],  # a result over several powers of ten
        [str(3900 + 131 * at) for at in range(ROWS)],  # white cells
        [str(2000 + 217 * at % 13000) for at in range(ROWS)],  # steps a day
    ],
)
def test_results_and_amounts_are_no_dates(verdict, values):
    assert verdict(values, "val") == MET


def test_long_numbers_that_hardly_come_again_are_in_the_verdict(verdict):
    line = f"{MET}; x may contain identifying numbers: nearly all are different (60 records)"
    assert verdict([str(1000234 + 77 * at) for at in range(ROWS)], "x") == line
    assert verdict([f"S-B{1234 + at}" for at in range(ROWS)], "x") == line


def test_nine_digits_need_an_answer_of_their_own(verdict):
    numbers = [str(123_456_000 + 17 * at) for at in range(ROWS)]
    assert re.search(r"NOT MET: x: .* Social Security .*\(60 records\)", verdict(numbers, "x"))
    said = verdict(numbers, "x", is_not=("Social Security or taxpayer numbers",))
    assert said == f"{MET}; x may contain Social Security or taxpayer numbers (60 records)"
