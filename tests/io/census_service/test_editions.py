from __future__ import annotations

import pytest

from policy_sim.errors import InputError, UnknownNameError
from policy_sim.io.census_service.editions import EDITIONS, GEOGRAPHIES, LETTERS, find_edition, find_geography
from policy_sim.population.census_tables import AGE_CLASSES, SINGLE_YEARS


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
