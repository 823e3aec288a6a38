from __future__ import annotations

import pandas as pd
import pytest

from policy_sim.errors import InputError
from policy_sim.population.cells import check_cells
from policy_sim.population.people_table import PeopleTable
from policy_sim.population.population import Population, Provenance
from policy_sim.study import Study

FACTS = Provenance("small", "A small population", "us", "2020", "by hand", 1, 0, 0)


def _population(**columns):
    return Population(check_cells(pd.DataFrame(columns), "here"), FACTS)


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
    return _population(**(base | more))


def test_every_cell_stands_at_its_place():
    table = _table = PeopleTable.of(_cells())
    assert _table.counties == ("10001", "10003", "39001")
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
    without = Population(people.cells.drop(columns=column), FACTS)
    with pytest.raises(InputError, match=f"has no {column}"):
        PeopleTable.of(without)


def test_a_population_by_zip_code_is_refused():
    with pytest.raises(InputError, match="is by zip5"):
        PeopleTable.of(_cells(zip5=["43001", "19701", "19901"]))
