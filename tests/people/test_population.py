"""A population adds up its cells by state, county and age."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from small_people import people_of

from policy_sim.people.county_tables import PeopleTable
from policy_sim.people.population import Provenance, check_cells
from policy_sim.study.study import Study
from policy_sim.words.errors import InputError, SchemaError, UnknownNameError

GOOD = pd.DataFrame(
    {
        "state": ["OH", "OH", "TX"],
        "county": ["39001", "39003", "48001"],
        "age": [30, 31, 30],
        "age_width": [1, 1, 1],
        "people": [4, 0, 2],
    }
)


def test_people_counties_and_states():
    population = people_of(GOOD)
    assert population.people == 6
    assert population.people_by_state() == {"OH": 4, "TX": 2}
    assert population.counties_by_state() == {"OH": 1, "TX": 1}
    assert population.in_states(["TX"]).people == 2
    with pytest.raises(UnknownNameError, match="'ZZ'"):
        population.in_states(["ZZ"])


def test_the_people_of_some_ages_are_made_once():
    cells = GOOD.assign(people=[4, 1, 2], age=[17, 30, 31])
    population = people_of(cells)
    assert population.of_age(18).people_by_state() == {"OH": 1, "TX": 2}
    assert population.of_age(18, 30).people == 1
    assert population.of_age(18) is population.of_age(18)


# Ethnicity is read where asked, and adds up to the cells.


def test_hispanics_divide_the_cells_of_every_part():
    cells = check_cells(GOOD.assign(people=[4, 1, 2], age=[17, 30, 31]), "made")
    hispanic = np.array([3, 0, 2])
    population = people_of(cells, hispanic=lambda: hispanic)
    assert population.columns == (*cells.columns, "ethnicity")
    divided = population.with_ethnicity.cells
    assert divided["ethnicity"].tolist() == ["hispanic", "not_hispanic", "not_hispanic", "hispanic"]
    assert divided["people"].tolist() == [3, 1, 1, 2]
    assert divided["county"].tolist() == ["39001", "39001", "39003", "48001"]
    for part in (population.of_age(18), population.in_states(["TX", "OH"]).of_age(18)):
        assert part.with_ethnicity.cells["ethnicity"].tolist() == ["not_hispanic", "hispanic"]
    assert population.in_states(["TX"]).with_ethnicity.cells["people"].tolist() == [2]
    assert population.with_ethnicity is population.with_ethnicity


def test_a_population_that_has_ethnicity_or_does_not_know_it_is_itself():
    for cells in (GOOD, GOOD.assign(ethnicity="hispanic")):
        population = people_of(cells)
        assert population.with_ethnicity is population
        assert ("ethnicity" in population.columns) == ("ethnicity" in cells)


# A table of cells is checked once and tells everything that is wrong.


def test_empty_cells_are_dropped_and_text_is_categorical():
    cells = check_cells(GOOD, "made")
    assert len(cells) == 2
    assert cells["state"].dtype == "category"


def test_missing_columns_are_named():
    with pytest.raises(SchemaError, match="columns age_width, people are missing"):
        check_cells(GOOD.drop(columns=["people", "age_width"]), "people.csv")


def test_a_table_of_zeros_is_not_a_population():
    with pytest.raises(SchemaError, match="the population is empty"):
        check_cells(GOOD.assign(people=0), "zeros")


def _cells(**more):
    base = {
        "state": ["OH", "DE", "DE"],
        "county": ["39001", "10003", "10001"],
        "sex": ["M", "F", "F"],
        "race": ["multiple", "white", "white"],
        "age": [100, 0, 0],
        "age_width": [5, 1, 1],
        "people": [3, 4, 5],
    }
    return people_of(pd.DataFrame(base | more))


def test_every_cell_stands_at_its_place():
    table = PeopleTable.of(_cells())
    assert table.counties == ("10001", "10003", "39001")
    assert table.states == ("DE", "DE", "OH")
    assert table.ages == ((0, 1), (100, 5))
    assert table.people.shape == (3, 2, 7, 2)
    assert table.people[0, 1, 0, 0] == 5
    assert table.people[1, 1, 0, 0] == 4
    assert table.people[2, 0, 6, 1] == 3
    assert table.people.sum() == 12


def test_nobody_of_a_shipped_state_is_lost():
    people = Study("us-2020").people.in_states(["WY", "HI"])
    table = PeopleTable.of(people)
    assert table.people.sum() == people.people
    assert set(table.states) == {"WY", "HI"}
    by_sex = people.cells.groupby("sex", observed=True)["people"].sum()
    assert table.people.sum(axis=(0, 2, 3)).tolist() == [by_sex["M"], by_sex["F"]]


@pytest.mark.parametrize("column", ["county", "sex", "race"])
def test_a_population_without_a_column_is_refused(column):
    people = _cells()
    with pytest.raises(InputError, match=f"has no {column}"):
        PeopleTable.of(replace(people, cells=people.cells.drop(columns=column)))


def test_a_population_by_zip_code_is_refused():
    with pytest.raises(InputError, match="is by zip5"):
        PeopleTable.of(_cells(zip5=["43001", "19701", "19901"]))


@pytest.mark.parametrize(("counted", "words"), [(0.00003, "0.003% counted, 99.997% modeled"), (1, "100.0% counted")])
def test_no_share_is_rounded_to_none_or_all(counted, words):
    facts = Provenance("one", "One", "us", "2020", "by hand", counted, 0, 1 - counted, counted_by_state=(("DE", 3e-5),))
    assert facts.describe(["DE"]) == f"one: One; {words} (0.003% in DE counted)"
