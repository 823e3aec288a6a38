"""How single values are read, and what a file shows of each field."""

from __future__ import annotations

import datetime as dt

import pytest
from said import numbers

from policy_sim.records.census_values import ColumnMapping, FieldColumn, file_granularities, read_ages
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Granularities

CENSUS_DAY = dt.date(2020, 4, 1)


def _read(name, text, date=CENSUS_DAY, **column):
    return read_ages(name, FieldColumn("column", **column), [text], date).meanings[0]


# By field: texts, and what each means on the day of the census; None is not understood.
MEANINGS = {
    "sex": {"Male": "M", "1": None},
    "gender": {"f": "F"},
    "race": {"White": "white", "Black or African American": "black", "aian": "aian", "klingon": None},
    "state": {"ohio": "OH", "39": "OH", "Atlantis": None, "9": "CT", "39.0": "OH"},
    # a spreadsheet takes a code for a number; with two digits less it is no county
    "county": {"39049": "39049", "9001": "09001", "9003.0": "09003", "9003,0": "09003", "903": None, "109003": None},
    "tract": {"9003400100": "09003400100", "39049000110": "39049000110"},
    "zip3": {"60": "060", "430": "430"},
    "zip5": {"6010": "06010", "06010-1234": "06010", "6010-1234": "06010"},
    "age": {"42": 42, "42.0": 42, "42,0": 42, "42,5": None, "130": None, "forty": None, "20-24": None},
    "birth_year": {"1980": 39, "1980.0": 39, "80": None},  # most of those born in 1980 are 39 on April 1, 2020
    "birth_date": {"2020-04-02": None, "2000-02-30": None, "1950-01-01T00:00:00": 70},  # the first is not born yet
}


@pytest.mark.parametrize(
    ("name", "text", "meaning"),
    [(name, *one) for name, texts in MEANINGS.items() for one in texts.items()] + [("county", "39049-1234", None)],
)
def test_values_in_the_words_of_the_census(name, text, meaning):
    assert _read(name, text) == meaning


def test_the_files_own_codes_go_first():
    assert _read("sex", "2", codes={"2": "F"}) == "F"
    assert _read("race", "5", codes={"5": "multiple"}) == "multiple"


@pytest.mark.parametrize(
    ("born", "day", "age"),
    [("2000-04-01", "2020-04-01", 20), ("2000-04-02", "2020-04-01", 19), ("2000-02-29", "2021-02-28", 20)],
)
def test_age_on_a_day(born, day, age):
    assert _read("birth_date", born, dt.date.fromisoformat(day)) == age


def test_dates_in_the_files_own_form_and_a_year_after_its_middle():
    assert _read("birth_year", "1980", dt.date(2020, 7, 1)) == 40
    assert _read("birth_date", "31/12/1999", format="%d/%m/%Y") == 20
    assert _read("birth_month", "1999-12") == 20


def test_age_classes_and_a_top_class():
    assert _read("age", "20-24", width=5) == 20
    assert _read("age", "22-26", width=5) is None
    assert _read("age", "90+", top=90) == 90


def _shows(fields, has_state=True, **columns):
    return file_granularities(fields, {name: FieldColumn(name, width=w) for name, w in columns.items()}, has_state)


def test_what_a_file_shows():
    assert _shows(["age", "sex", "race", "county"]) == Granularities.parse("gender+race+birth=year+geography=county")
    assert _shows(["birth_date", "gender"]) == Granularities.parse("gender+birth=date+geography=state")
    assert _shows(["age", "state"], age=5) == Granularities.parse("birth=five_years+geography=state")
    assert _shows(["zip3", "state"], has_state=False) == Granularities.parse("geography=zip3")


@pytest.mark.parametrize(
    ("fields", "has_state", "message"),
    [
        (["age", "color"], True, "'color' is not in any census"),
        (["age", "birth_date"], True, "birth twice"),
        (["county", "zip5"], True, "geography twice"),
        (["age"], False, "no field shows the state"),
    ],
)
def test_fields_that_cannot_be_scored(fields, has_state, message):
    with pytest.raises(InputError, match=message):
        _shows(fields, has_state)


def test_what_was_mended_is_said_without_a_value():
    reading = read_ages(
        "zip5", FieldColumn("zip"), ["6010", "06011-1234", "060121234", "06012", "x", "0601212"], CENSUS_DAY
    )
    assert reading.meanings == ["06010", "06011", "06012", "06012", None, None]
    zeros, cut = reading.notes
    assert (numbers(zeros), numbers(cut)) == (["1"], ["4", "2"])  # ZIP+4
    assert "leading zeros" in zeros
    assert not any(text in zeros + cut for text in ("6010", "06011"))
    assert (reading.reasons, reading.unread) == (["", "", "", "", *["zip5 is not understood"] * 2], 2)


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("birth_date", "2020-04-02", "birth_date is after 2020-04-01"),
        ("birth_month", "2021-01", "birth_month is after 2020-04-01"),
        ("birth_year", "2021", "birth_year is after 2020-04-01"),
        ("birth_date", "1820-04-02", "birth_date gives an age above 125"),
        ("birth_date", "soon", "birth_date is not understood"),
    ],
)
def test_why_a_birth_gives_no_age(name, text, reason):
    (found,) = read_ages(name, FieldColumn(name), [text], CENSUS_DAY).reasons
    assert found.startswith(reason)


def test_names_of_fields_are_known_without_regard_to_case():
    assert _shows(["Age", "SEX", "County"]) == _shows(["age", "sex", "county"])
    with pytest.raises(InputError, match="Did you mean 'county'"):
        _shows(["age", "Countie"])


LOWER, OTHER = FieldColumn("SEX", {"1": "M"}), FieldColumn("Sex of person")


def test_a_field_without_an_entry_is_in_the_column_of_its_own_name():
    assert ColumnMapping().entry("age") is None
    assert ColumnMapping().column("age") == FieldColumn("age")


def test_case_does_not_matter_unless_the_very_name_is_there():
    mapping = ColumnMapping({"sex": LOWER})
    assert mapping.column("SEX") is LOWER
    both = ColumnMapping({"sex": LOWER, "SEX": OTHER})
    assert both.column("SEX") is OTHER
    assert both.column("sex") is LOWER
