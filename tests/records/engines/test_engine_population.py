"""Merging inside the engine gives what merging in memory gives, group by group."""

import gc
import itertools

import numpy as np
import pandas as pd
import pytest

from policy_sim.formulas.groups import (
    g_distinct,
    g_distinct_sweep,
    total_risk,
    total_risk_variance,
    unique_people_variance,
)
from policy_sim.model.tables import cost_frame
from policy_sim.people.by_name import load_population
from policy_sim.people.merge import merge, people_of_age
from policy_sim.people.population import Population, Provenance, check_cells
from policy_sim.policies.policy import Conditions, SmallPlaces
from policy_sim.records.engines.population import groups_from_engine, open_engine_population
from policy_sim.records.engines.readable_file import open_engine
from policy_sim.study.study import Study
from policy_sim.words.errors import InputError, SchemaError, SourceError, UnknownNameError
from policy_sim.words.fields import Granularities

KEYS = [
    f"{shown}{birth}geography={place}"
    for shown, birth, place in itertools.product(
        ("gender+race+", "race=broad+", ""),
        (
            "birth=date+",
            "birth=quarter+",
            "birth=month+",
            "birth=two_years+",
            "birth=year+",
            "birth=five_years+",
            "birth=decade+",
            "",
        ),
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


@pytest.fixture(params=[10**9, 0], ids=["few cells", "many cells"])
def _few_or_many(request, monkeypatch):
    """The cells as they are, and added up by county first, as those of a nation of blocks are."""
    monkeypatch.setattr("policy_sim.records.engines.population._MANY_CELLS", request.param)


@pytest.mark.slow
@pytest.mark.usefixtures("_few_or_many")
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


@pytest.mark.usefixtures("_few_or_many")
def test_only_counts_leave_the_engine_and_nobody_is_lost(engine, population, stored):
    counts = open_engine_population(engine, stored).counts(Granularities.parse("birth=date+geography=county"))
    assert counts.people_by_state == population.people_by_state()
    kinds = set(zip(counts.unit, counts.age_class, counts.people, counts.own, strict=True))
    assert len(kinds) == len(counts.number)
    assert all(array.dtype == np.int64 for array in (counts.age_class, counts.people, counts.own, counts.number))


CONDITIONS = [
    Conditions(top_age=22),
    Conditions(top_age=103),
    Conditions(small_places=SmallPlaces("county", 120)),
    Conditions(20, SmallPlaces("county", 0, frozenset({"39001", "21001"}))),
]


@pytest.mark.usefixtures("_few_or_many")
@pytest.mark.parametrize("conditions", CONDITIONS, ids=str)
@pytest.mark.parametrize("key", ["gender+birth=date+geography=county", "birth=decade+geography=nation"])
def test_what_a_policy_hides_is_hidden_in_the_engine_too(engine, population, stored, key, conditions):
    key = Granularities.parse(key)
    conditions = conditions.on(key)
    ours = open_engine_population(engine, stored).merge(key, conditions=conditions)
    theirs = merge(population, key, conditions=conditions)
    assert len(ours) == len(theirs)
    np.testing.assert_allclose(g_distinct_sweep(ours, 60), g_distinct_sweep(theirs, 60), rtol=1e-12)


@pytest.mark.usefixtures("_few_or_many")
def test_a_population_says_of_itself_what_one_in_memory_says(engine, population, stored):
    stays = open_engine_population(engine, stored)
    assert stays.name == "cells"
    assert stays.states == population.states
    assert stays.people_by_state() == population.people_by_state()
    assert stays.counties_by_state() == population.counties_by_state() == {"AL": 1, "KY": 1, "OH": 2}
    assert stays.of_age(20).people_by_state() == people_of_age(population, 20).people_by_state()
    assert "duckdb" in stays.provenance.describe()


@pytest.mark.slow
@pytest.mark.usefixtures("_few_or_many")
@pytest.mark.parametrize("options", [{}, {"coverage": "registered", "spread": True}, {"days_per_year": 365.25}])
def test_a_study_gives_the_same_figures(stored, options):
    inside, outside = Study(stored, "2026", **options), Study(stored, "2026", engine="duckdb", **options)
    policies = ("safe-harbor", "limited-dataset")
    pd.testing.assert_frame_equal(outside.compare(policies).to_frame(), inside.compare(policies).to_frame(), rtol=1e-12)
    pd.testing.assert_frame_equal(cost_frame(outside.cost(policies)), cost_frame(inside.cost(policies)), rtol=1e-12)
    for ours, theirs in zip(outside.curves("OH", g_max=50), inside.curves("OH", g_max=50), strict=True):
        assert ours.status == theirs.status
        if theirs.low is not None:
            np.testing.assert_allclose([ours.low, ours.high], [theirs.low, theirs.high], rtol=1e-12)


@pytest.mark.slow
def test_a_shipped_population_gives_the_same_figures(engine, tmp_path):
    texts = dict.fromkeys(("state", "county", "sex", "race"), str)
    few = ("DE", "RI", "WY")
    part = load_population("us-2020").in_states(few)
    part.cells.astype(texts).to_parquet(tmp_path / "three.parquet")
    path = str(tmp_path / "three.parquet")
    outside = Study(path, "2026", engine=engine).compare().to_frame()
    pd.testing.assert_frame_equal(outside, Study(path, "2026").compare().to_frame(), rtol=1e-12)
    assert (outside["people"] > 0).any()


def test_what_needs_the_cells_says_so(engine, stored):
    study = Study(stored, "2026", engine=engine)
    with pytest.raises(InputError, match="use no engine"):
        study.break_down("race")
    for population in (None, "us-2020", load_population("us-2020").in_states(["WY"])):
        with pytest.raises(InputError, match=r"Name a file FILE.parquet"):
            Study(population, "2026", engine=engine).compare()


@pytest.mark.slow
def test_an_engine_of_a_study_leaves_nothing_behind(stored, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    study = Study(stored, "2026", engine="duckdb")
    study.compare(["safe-harbor"])
    assert list(tmp_path.iterdir())
    del study
    gc.collect()
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_merged(engine, stored, tmp_path):
    with pytest.raises(InputError, match="population cells has no zip3"):
        groups_from_engine(engine, stored, Granularities.parse("geography=zip3"))
    with pytest.raises(UnknownNameError, match="'TX'"):
        groups_from_engine(engine, stored, Granularities.parse("geography=state"), ["TX"])
    with pytest.raises(SourceError, match="no such file"):
        open_engine_population(engine, str(tmp_path / "none.parquet"))
    wrong = pd.DataFrame({"state": ["OH", None], "age": [1, 2], "age_width": [1, 1], "people": [-1, 3]})
    wrong.to_parquet(tmp_path / "wrong.parquet")
    with pytest.raises(SchemaError, match="2 cells are wrong"):
        open_engine_population(engine, str(tmp_path / "wrong.parquet"))
