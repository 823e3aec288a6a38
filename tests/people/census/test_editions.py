from __future__ import annotations

import pytest

from policy_sim.people.census.editions import (
    EDITIONS,
    GEOGRAPHIES,
    LETTERS,
    MOST_PEOPLE,
    find_edition,
    find_geography,
    wrong_with,
)
from policy_sim.people.census.tables import AGE_CLASSES, SINGLE_YEARS
from policy_sim.words.errors import InputError, UnknownNameError


@pytest.mark.parametrize(
    ("edition", "shape", "letter", "column", "name"),
    [
        ("sf1-2010", SINGLE_YEARS, "A", 3, "PCT012A003"),
        ("sf1-2000", AGE_CLASSES, "", 49, "P012049"),
        ("dhc-2020", SINGLE_YEARS, "A", 3, "PCT12A_003N"),
        ("dhc-2020", AGE_CLASSES, "", 1, "P12_001N"),
    ],
)
def test_variables_have_the_names_of_the_service(edition, shape, letter, column, name):
    assert find_edition(edition).variable(shape, letter, column) == name


def test_no_two_columns_of_an_edition_share_a_name():
    for edition in EDITIONS.values():
        names = [
            edition.variable(shape, letter, column)
            for shape in (SINGLE_YEARS, AGE_CLASSES)
            for letter in LETTERS
            for column in range(1, shape.columns + 1)
        ]
        assert len(set(names)) == len(names) == len(LETTERS) * (209 + 49)


def test_single_years_where_the_file_has_them():
    assert find_edition("dhc-2020").shape("zcta") is AGE_CLASSES
    assert all(find_edition("sf1-2010").shape(name) is SINGLE_YEARS for name in GEOGRAPHIES)


def test_a_year_with_noise_says_so_and_others_do_not():
    noisy = {name for name, edition in EDITIONS.items() if any("noise" in note for note in edition.notes)}
    assert noisy == {"dhc-2020"}


def test_other_names_are_refused():
    with pytest.raises(UnknownNameError, match="dhc-2020"):
        find_edition("sf1-1990")
    with pytest.raises(InputError, match="county, tract, zcta"):
        find_geography("block")


GEOGRAPHY = {"for": "tract:*", "in": "state:10 county:*"}
ROW = {"P1": 5, "state": "10", "county": "001", "tract": "040100"}


def wrong(**changes):
    return wrong_with([ROW, {**ROW, **changes}], ["P1"], GEOGRAPHY)


def test_whole_rows_have_nothing_wrong():
    assert wrong() == ""
    assert wrong(P1=0) == wrong(P1=MOST_PEOPLE) == ""


@pytest.mark.parametrize("count", [-1, MOST_PEOPLE + 1, 1.0, "5", None, True])
def test_a_count_is_a_whole_number_of_people(count):
    assert wrong(P1=count) == "row 2 has no count for P1"


@pytest.mark.parametrize("code", ["", "1a", "²", " 01", "1" * 12, 10, None])
@pytest.mark.parametrize("place", ["state", "county", "tract"])
def test_every_place_has_a_code_in_digits(place, code):
    assert wrong(**{place: code}) == f"row 2 has no code for {place}"


@pytest.mark.parametrize("rows", [None, [], {}, "rows"])
def test_no_rows_are_an_answer_to_nothing(rows):
    assert wrong_with(rows, ["P1"], GEOGRAPHY) == "no rows"
    assert wrong_with([ROW, 7], ["P1"], GEOGRAPHY) == "row 2 is not a row"
