"""Unique people by sex, place and birth, on people counted by hand."""

import pandas as pd
import pytest

from policy_sim.analyses.reproduction.golle import Golle
from policy_sim.population.cells import check_cells
from policy_sim.population.population import Population, Provenance


def population(name="made", **columns):
    rows = [("OH", "39001", "M", 30, 1, 1), ("OH", "39001", "F", 30, 1, 2), ("OH", "39003", "M", 30, 1, 1)]
    cells = pd.DataFrame(rows, columns=["state", "county", "sex", "age", "age_width", "people"]).assign(**columns)
    return Population(check_cells(cells, "made"), Provenance(name, name, "", "2000-04-01", "", 1, 0, 0))


def test_by_county_and_year_two_of_four_are_alone():
    assert Golle(population()).answer({"birth": "year", "place": "county"}).value == pytest.approx(2 / 4)


def test_by_state_and_year_nobody_is_alone():
    assert Golle(population()).answer({"birth": "year", "place": "state"}).value == 0


def test_what_the_census_lacks_is_told_of_another_but_not_judged():
    other = population("other", zip5="43001")
    answer = Golle(population(), [population("neither"), other]).answer({"birth": "year", "place": "zip5"})
    assert answer.value is None
    assert "other gives 0.00%" in answer.reason
    assert "neither" not in answer.reason
