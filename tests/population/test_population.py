"""A population adds up its cells by state, county and age."""

from __future__ import annotations

import pandas as pd
import pytest

from policy_sim.errors import UnknownNameError
from policy_sim.population.cells import check_cells
from policy_sim.population.population import Population, Provenance

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
    population = Population(check_cells(GOOD, "made"), Provenance("p", "t", "", "", "", 1, 0, 0))
    assert population.people == 6
    assert population.people_by_state() == {"OH": 4, "TX": 2}
    assert population.counties_by_state() == {"OH": 1, "TX": 1}
    assert population.in_states(["TX"]).people == 2
    with pytest.raises(UnknownNameError, match="'ZZ'"):
        population.in_states(["ZZ"])


def test_the_people_of_some_ages_are_made_once():
    cells = GOOD.assign(people=[4, 1, 2], age=[17, 30, 31])
    population = Population(check_cells(cells, "made"), Provenance("p", "t", "", "", "", 1, 0, 0))
    assert population.of_age(18).people_by_state() == {"OH": 1, "TX": 2}
    assert population.of_age(18, 30).people == 1
    assert population.of_age(18) is population.of_age(18)
