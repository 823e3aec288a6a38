"""Merging inside the engine gives what merging in memory gives, group by group."""

import itertools

import numpy as np
import pandas as pd
import pytest

from policy_sim.errors import SchemaError, SourceError, UnknownNameError
from policy_sim.fields import Granularities
from policy_sim.groups import g_distinct, g_distinct_sweep, total_risk, total_risk_variance, unique_people_variance
from policy_sim.population.cells import Population, Provenance, check_cells
from policy_sim.population.merge import merge
from policy_sim.sources.engines import open_engine
from policy_sim.sources.engine_population import groups_from_engine, merge_in_engine

KEYS = [
    f"{shown}{birth}geography={place}"
    for shown, birth, place in itertools.product(
        ("gender+race+", ""),
        ("birth=date+", "birth=month+", "birth=year+", "birth=five_years+", "birth=decade+", ""),
        ("county", "state", "nation"),
    )
]


@pytest.fixture(scope="module")
def population():
    rng = np.random.default_rng(5)
    places = (("OH", "39001"), ("OH", "39003"), ("KY", "21001"), ("AL", "01001"))
    ages = ((0, 1), (1, 1), (20, 1), (24, 1), (100, 5), (105, 5), (110, 1))
    rows = [
        (*place, *age, sex, race, int(rng.integers(0, 9)))
        for place, age, sex, race in itertools.product(places, ages, "MF", ("white", "asian"))
    ]
    names = ["state", "county", "age", "age_width", "sex", "race", "people"]
    cells = check_cells(pd.DataFrame(rows, columns=names), "drawn")
    return Population(cells, Provenance("drawn", "", "", "2020-04-01", "", 1.0, 0.0, 0.0))


@pytest.fixture(scope="module")
def stored(population, tmp_path_factory):
    path = tmp_path_factory.mktemp("population") / "cells.parquet"
    population.cells.astype(dict.fromkeys(("state", "county", "sex", "race"), str)).to_parquet(path)
    return str(path)


@pytest.fixture(scope="module")
def engine():
    with open_engine(threads=2) as opened:
        yield opened


@pytest.mark.parametrize("states", [None, ("OH", "AL")])
@pytest.mark.parametrize("key", KEYS)
def test_the_same_groups_as_in_memory(engine, population, stored, key, states):
    key = Granularities.parse(key)
    ours = groups_from_engine(engine, stored, key, states)
    theirs = merge(population, key, states)
    assert (len(ours), ours.units) == (len(theirs), theirs.units)
    np.testing.assert_allclose(total_risk(ours), total_risk(theirs), rtol=1e-13)
    np.testing.assert_allclose(g_distinct(ours, [1, 5, 40]), g_distinct(theirs, [1, 5, 40]), rtol=1e-12)
    np.testing.assert_allclose(g_distinct_sweep(ours, 60), g_distinct_sweep(theirs, 60), rtol=1e-12)
    # a difference of large terms: 1e-9 of the people
    np.testing.assert_allclose(total_risk_variance(ours), total_risk_variance(theirs), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(unique_people_variance(ours), unique_people_variance(theirs), rtol=1e-9, atol=1e-9)


def test_only_counts_leave_the_engine_and_nobody_is_lost(engine, population, stored):
    counts = merge_in_engine(engine, stored, Granularities.parse("birth=date+geography=county"))
    assert counts.people_by_state == population.people_by_state()
    kinds = set(zip(counts.unit, counts.hidden, counts.people, counts.own, strict=True))
    assert len(kinds) == len(counts.number)
    assert all(array.dtype == np.int64 for array in (counts.hidden, counts.people, counts.own, counts.number))


def test_what_cannot_be_merged(engine, stored, tmp_path):
    with pytest.raises(SchemaError, match="columns zip3 are missing"):
        merge_in_engine(engine, stored, Granularities.parse("geography=zip3"))
    with pytest.raises(UnknownNameError, match="'TX'"):
        merge_in_engine(engine, stored, Granularities.parse("geography=state"), ["TX"])
    with pytest.raises(SourceError, match="cannot be read"):
        merge_in_engine(engine, str(tmp_path / "none.parquet"), Granularities())
    wrong = pd.DataFrame({"state": ["OH", None], "age": [1, 2], "age_width": [1, 1], "people": [-1, 3]})
    wrong.to_parquet(tmp_path / "wrong.parquet")
    with pytest.raises(SchemaError, match="2 cells lack a value"):
        merge_in_engine(engine, str(tmp_path / "wrong.parquet"), Granularities())
