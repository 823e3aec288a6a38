"""Who is listed, by county and age: nobody is lost when cells are merged, whatever the key."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from exact_lists import MixedGroups
from small_people import people_of

from policy_sim.formulas.listed_groups import ListedGroups
from policy_sim.people.county_tables import YEARS_OF_AGE, Listing
from policy_sim.people.merge import MergeKey, cell_groups, merge
from policy_sim.people.places import split_people
from policy_sim.words.fields import Granularities

COUNTIES = ("39001", "39003", "48001")
SUMS = ("listed", "squared", "stale")
KEYS = [
    {"gender": "value", "race": "value", "birth": "date", "geography": "county"},
    {"gender": "value", "birth": "five_years", "geography": "county"},
    {"race": "broad", "birth": "year", "geography": "state"},
    {"gender": "value", "birth": "decade", "geography": "nation"},
    {"geography": "state"},
]


def listing(seed=3):
    rng = np.random.default_rng(seed)
    return Listing(COUNTIES, rng.uniform(0, 1, (3, YEARS_OF_AGE)), np.array([0.3, 0.0, 0.1]))


def people(columns=()):
    rng = np.random.default_rng(4)
    rows = [
        ("OH" if county < "40" else "TX", county, sex, age, width, race, int(rng.integers(1, 30)), f"{county}-x")
        for county in COUNTIES
        for sex in "MF"
        for age, width in ((18, 2), (20, 1), (21, 4), (60, 5), (100, 5), (110, 1))
        for race in ("white", "asian")
    ]
    cells = pd.DataFrame(rows, columns=["state", "county", "sex", "age", "age_width", "race", "people", "zip5"])
    cells["zip5"] = np.where(cells["race"] == "white", "43001", "43002")
    cells = cells if "zip5" in columns else cells.drop(columns="zip5")
    return people_of(cells, "2020-04-01")


def expected(population):
    """People, listed people, squares and stale records of each state, cell by cell."""
    held, sums = listing(), {}
    for row in population.cells.itertuples():
        county = COUNTIES.index(row.county)
        chance = held.chance[county, row.age : row.age + row.age_width].mean()
        n = row.people
        own = np.array([n, n * chance, n * chance**2, n * chance * held.stale[county]])
        sums[row.state] = sums.get(row.state, np.zeros(4)) + own
    return np.array([sums["OH"], sums["TX"]])


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("columns", [(), ("zip5",)])
def test_merging_keeps_every_listed_resident_and_every_record(key, columns):
    population = people(columns)
    groups = merge(population, Granularities(key), ["OH", "TX"], listing=listing())
    assert isinstance(groups, ListedGroups)
    whole = expected(population)
    released = [np.bincount(groups.unit, getattr(groups, name)) for name in ("released", "released_listed")]
    np.testing.assert_allclose(np.array(released).T, whole[:, :2], rtol=1e-12)
    if key["geography"] != "nation":
        for place, name in enumerate(SUMS, 1):
            np.testing.assert_allclose(np.bincount(groups.unit, getattr(groups, name)), whole[:, place], rtol=1e-12)
    assert (groups.listed <= groups.people * (1 + 1e-12)).all()
    assert (groups.listed**2 <= groups.people * groups.squared * (1 + 1e-9)).all()


@pytest.mark.parametrize("by", ["county", "sex", "race"])
@pytest.mark.parametrize("key", KEYS)
def test_the_parts_of_the_people_add_up(key, by):
    population = people()
    split, whole = split_people(population, by), merge(population, Granularities(key), ["OH", "TX"], listing=listing())
    parts = merge(population, Granularities(key), ["OH", "TX"], by=split, listing=listing())
    for measure in (ListedGroups.total_risk, ListedGroups.claims, lambda groups: groups.g_distinct([2])[:, 0]):
        added = measure(parts).reshape(2, -1).sum(axis=1)
        np.testing.assert_allclose(added, measure(whole), rtol=1e-10)


@pytest.mark.parametrize("key", [key for key in KEYS if key["geography"] != "nation"])
def test_groups_are_nearly_the_exact_sums_over_their_cells(key):
    """Chances from 0 to 1, far more uneven than those of counties and ages."""
    population, held = people(), listing()
    groups = merge(population, Granularities(key), ["OH"], listing=held)
    of_state = population.in_states(["OH"])
    group, bins, count = cell_groups(of_state, MergeKey(Granularities(key), ("OH",)))
    chance, stale = held.of_cells(of_state.cells)
    n, c = np.zeros((group.max() + 1, len(group))), np.zeros((group.max() + 1, len(group)))
    n[group, np.arange(len(group))], c[group, np.arange(len(group))] = count, chance
    b = np.ones(len(n))
    b[group] = bins
    exact = MixedGroups.of(n, c, b, expected_stale=np.bincount(group, count * chance * stale))
    assert groups.total_risk().item() == pytest.approx(exact.total_risk().sum(), rel=2e-3)
    assert groups.people.sum() == count.sum()


def test_nobody_is_listed_where_nobody_counted():
    chance, _, stale = listing().of_kinds(pd.DataFrame({"age": [20], "age_width": [1]}), ["39005"])
    assert (chance.tolist(), stale.tolist()) == ([[0.0]], [0.0])


def test_a_cell_of_several_years_has_their_mean_and_the_open_class_ends_at_119():
    held = listing()
    kinds = pd.DataFrame({"age": [20, 118, 125], "age_width": [4, 10, 1]})
    chance, age, stale = held.of_kinds(kinds, ["48001", "39001"])
    assert chance[age[0]].tolist() == pytest.approx(held.chance[[2, 0], 20:24].mean(axis=1))
    assert chance[age[1]].tolist() == pytest.approx(held.chance[[2, 0], 118:].mean(axis=1))
    assert chance[age[2]].tolist() == held.chance[[2, 0], 119].tolist()
    assert stale.tolist() == [0.1, 0.3]
