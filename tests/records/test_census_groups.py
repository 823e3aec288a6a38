"""A file of everybody has the census's own total risk; a record's chance is that of counting every throw."""

import datetime as dt
import itertools
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from policy_sim.errors import InputError
from policy_sim.granularity import Granularities
from policy_sim.groups import total_risk
from policy_sim.population.merge import merge
from policy_sim.population.population import Population
from policy_sim.records.census_groups import FileCells, people_of_groups
from policy_sim.records.column_mapping import ColumnMapping
from policy_sim.records.file_cells import file_cells

FIELDS = ("age", "sex", "race", "county")
KEYS = [
    "gender+race+birth=date+geography=county",
    "gender+race+birth=month+geography=county",
    "gender+race+birth=year+geography=county",
    "birth=year+geography=county",
    "gender+birth=five_years+geography=state",
    "race+birth=decade+geography=state",
    "geography=county",
]


@pytest.fixture
def everyone(small_population, everyone_as_a_file):
    population = small_population()
    classes, values = everyone_as_a_file(population, FIELDS)
    return population, file_cells(classes, values, ColumnMapping(), (), dt.date(2020, 4, 1))


@pytest.mark.parametrize("key", KEYS)
def test_a_file_of_everybody_has_the_total_risk_of_the_census(key, everyone):
    population, cells = everyone
    key = Granularities.parse(key)
    groups = people_of_groups(cells, population, key)
    records = cells.rows["records"].to_numpy()
    assert (cells.outside == "").all()
    for place, state in enumerate(population.states):
        here = (cells.rows["state"] == state).to_numpy()
        expected = total_risk(merge(population, key))[place]
        assert float(records[here] @ groups.chance[here]) == pytest.approx(expected, rel=1e-12)


def test_the_chance_of_a_record_is_that_of_counting_every_throw(small_population):
    """3 people, 4 months: the mean of 1/(people in one's month) over all 64 throws."""
    cells = pd.DataFrame({"state": ["OH"], "age": [30], "age_width": [1], "people": [3]}).astype({"state": "category"})
    population = Population(cells, small_population().provenance)
    rows = pd.DataFrame({"state": ["OH"], "age": [30], "records": [1]})
    file = FileCells(rows.astype({"age": object}), np.array([""], dtype=object))
    found = people_of_groups(file, population, Granularities.parse("birth=date+geography=state"), days_per_year=4)
    throws = [Counter(throw)[throw[0]] for throw in itertools.product(range(4), repeat=3)]
    assert found.chance[0] == pytest.approx(np.mean([1 / size for size in throws]), rel=1e-14)
    assert (found.people[0], found.bins[0]) == (3, 4)


def test_the_top_class_holds_everybody_above_it(everyone):
    population, cells = everyone
    topped = FileCells(cells.rows.assign(age=[min(age, 90) for age in cells.rows["age"]]), cells.outside, 90)
    groups = people_of_groups(topped, population, Granularities.parse("birth=year+geography=state"))
    old = (topped.rows["age"] >= 90).to_numpy() & (topped.rows["state"] == "OH").to_numpy()
    ohio = population.in_states(["OH"]).cells
    assert set(groups.people[old]) == {int(ohio.loc[ohio["age"] >= 90, "people"].sum())}
    assert set(groups.bins[old]) == {1.0}
    with pytest.raises(InputError, match="begins at 102"):
        people_of_groups(FileCells(topped.rows, topped.outside, 102), population, Granularities(birth="year"))
    # nobody is 85 here, but no class of the population reaches over that age
    people_of_groups(FileCells(topped.rows, topped.outside, 85), population, Granularities(birth="year"))


def test_a_population_without_the_column_is_refused(everyone):
    population, cells = everyone
    with pytest.raises(InputError, match="has no zip3"):
        people_of_groups(cells, population, Granularities.parse("birth=year+geography=zip3"))


def test_a_place_is_cut_from_a_finer_one(everyone):
    population, cells = everyone
    tracts = population.cells.assign(tract=population.cells["county"].astype(str) + "000100").drop(columns="county")
    finer = Population(tracts.astype({"tract": "category"}), population.provenance)
    key = Granularities.parse("gender+race+birth=year+geography=county")
    one, other = (people_of_groups(cells, whole, key) for whole in (population, finer))
    assert np.array_equal(one.people, other.people)
