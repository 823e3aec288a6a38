"""Cells merged inside an engine, beside adding them up in Python."""

import numpy as np
import pytest
from small_people import cells

from policy_sim.policies.policy import NO_CONDITIONS, Conditions, SmallPlaces
from policy_sim.records.engines.backend import quietly
from policy_sim.records.engines.population import MergedCounts, age_classes_of, counted_groups, visible
from policy_sim.records.engines.readable_file import open_engine
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Granularities


@pytest.fixture
def engine():
    with open_engine(memory="200MB", threads=1) as opened, quietly():
        yield opened


@pytest.fixture
def table(engine, tmp_path):
    frame = cells().assign(zip5=cells()["county"])
    frame.to_parquet(tmp_path / "cells.parquet")
    return engine.parquet(str(tmp_path / "cells.parquet"))


def groups(engine, table, key, conditions=NO_CONDITIONS, states=("OH", "WY")):
    ages, bins = age_classes_of(engine, table, key, 365, conditions)
    shown = visible(engine, table, "made", key, conditions)
    found = engine.fetch(counted_groups(shown, ages, key, states)).to_pandas()
    return found.assign(bins=bins[found["age_class"]])


@pytest.mark.parametrize(
    ("view", "columns"),
    [
        ("geography=state", ["state"]),
        ("gender+geography=state", ["state", "sex"]),
        ("gender+race+birth=year+geography=county", ["county", "sex", "race", "age"]),
        ("race=broad+geography=county", ["county", "race"]),
        ("birth=year+geography=zip5", ["zip5", "age"]),
        ("geography=county_zip5", ["county"]),
    ],
)
def test_groups_are_those_of_a_sum_in_memory(engine, table, view, columns):
    found = groups(engine, table, Granularities.parse(view))
    frame = cells().assign(zip5=cells()["county"])
    expected = frame.groupby(["state", *[name for name in columns if name != "state"]])["people"].sum()
    counted = found.loc[found.index.repeat(found["number"]), ["state", "people"]]
    assert sorted(map(tuple, counted.to_numpy().tolist())) == sorted(
        (key[0] if isinstance(key, tuple) else key, people) for key, people in expected.items()
    )
    assert (found["own"] == found["people"]).all()


def test_without_the_state_everyone_of_the_nation_is_in_the_group(engine, table):
    found = groups(engine, table, Granularities(birth="year"), states=("WY",))
    assert set(found["state"]) == {"WY"}
    assert (found["people"] == 3 * found["own"]).all()


def test_bins_are_the_days_of_a_year(engine, table):
    assert set(groups(engine, table, Granularities(birth="date", geography="state"))["bins"]) == {365}
    assert set(groups(engine, table, Granularities(birth="year", geography="state"))["bins"]) == {1}


def test_the_oldest_and_small_places_are_one(engine, table):
    key = Granularities(birth="year", geography="county")
    old = groups(engine, table, key, Conditions(top_age=30))
    assert old["number"].sum() == 3 * 2
    small = Conditions(top_age=1, small_places=SmallPlaces("county", 48))
    assert groups(engine, table, key, small)["number"].sum() == 2  # each state's counties together


def test_a_column_that_is_not_there_is_refused(engine, table):
    bare = table.select("state", "age", "age_width", "people")
    for view, missing in (("gender", "sex"), ("race", "race"), ("geography=tract", "tract")):
        key = Granularities.parse(view)
        with pytest.raises(InputError, match=missing):
            visible(engine, bare, "made", key, NO_CONDITIONS)


def test_inhabitants_are_counted_from_the_groups():
    """Two groups of 3 of Ohio, one of 4, and five of 2 of Wyoming."""
    unit, own, number = np.array([0, 0, 1]), np.array([3, 4, 2]), np.array([2, 1, 5])
    merged = MergedCounts(("OH", "WY"), unit, np.zeros(3, int), own + 6, own, number, np.ones(1))
    assert merged.people_by_state == {"OH": 10, "WY": 10}
