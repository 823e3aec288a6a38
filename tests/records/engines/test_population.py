"""Merging inside the engine gives what merging in memory gives, group by group."""

import gc
import itertools
from functools import partial

import numpy as np
import pandas as pd
import pytest
from pinned import pinned
from small_people import cells, population_of, small

from policy_sim.formulas.group_variance import variances
from policy_sim.formulas.groups import Chances, g_distinct, g_distinct_sweep, total_risk
from policy_sim.model.profile import Cost
from policy_sim.people.by_name import load_population, read_own_population
from policy_sim.people.county_tables import YEARS_OF_AGE, Listing
from policy_sim.people.merging import merge
from policy_sim.policies.policy import Conditions, SmallPlaces
from policy_sim.records.engines.population import (
    open_engine_population,
    population_of_engine,
)
from policy_sim.study.study import Study
from policy_sim.words.errors import InputError, SchemaError, SourceError, UnknownNameError
from policy_sim.words.fields import Granularities

PLAIN = [
    f"{shown}{birth}geography={place}"
    for shown, birth, place in itertools.product(
        ("gender+race+", "race=broad+", ""),
        (*(f"birth={seen}+" for seen in ("date", "quarter", "month", "two_years", "year", "five_years", "decade")), ""),
        ("county", "state", "nation"),
    )
]
SHOWN = ("ethnicity", "race_ethnicity", "race=broad_race_ethnicity", "race+ethnicity", "race=broad+ethnicity")
MORE = [f"sex+{shown}+birth=year+geography=county" for shown in (*SHOWN, "hcup", "race=five_races")]
MORE += ["birth=year+geography=zip5", "geography=county_zip5"]
RACE, ORIGIN = (Granularities.parse(f"sex+{shown}+birth=year+geography=county") for shown in ("race", "race_ethnicity"))
KEYS = [Granularities.parse(key) for key in (*PLAIN, *MORE)]
KEYS += [RACE.compared(ORIGIN), ORIGIN.compared(RACE.replace(geography="nation"))]


@pytest.fixture(scope="module")
def population():
    rng = np.random.default_rng(5)
    places = (("OH", "39001"), ("OH", "39003"), ("KY", "21001"), ("AL", "01001"))
    ages = ((0, 1), (1, 1), (20, 1), (24, 1), (100, 5), (105, 5), (110, 1))
    rows = [
        (*place, place[1], sex, *age, race, ethnicity, int(rng.integers(0, 9)))
        for place, age, sex, race in itertools.product(places, ages, "MF", ("white", "asian"))
        for ethnicity in ("hispanic", "not_hispanic")
    ]
    names = ["state", "county", "zip5", "sex", "age", "age_width", "race", "ethnicity", "people"]
    return population_of(rows, names, date="2020-04-01")


@pytest.fixture(scope="module")
def stored(population, tmp_path_factory):
    path = tmp_path_factory.mktemp("population") / "cells.parquet"
    population.cells.astype(dict.fromkeys(("state", "county", "zip5", "sex", "race", "ethnicity"), str)).to_parquet(
        path
    )
    return str(path)


@pytest.fixture(params=[10**9, 0], ids=["few cells", "many cells"])
def _few_or_many(request, monkeypatch):
    """The cells as they are, and added up by county first, as those of a nation of blocks are."""
    monkeypatch.setattr("policy_sim.records.engines.population._MANY_CELLS", request.param)


WAYS = [*itertools.product((10**9, 0), (None, ("OH", "AL")))]
EACH_ONCE = [(key, *WAYS[at % len(WAYS)]) for at, key in enumerate(KEYS)]  # every key, in one of the four ways by turns
ALL = [(key, *way) for key in KEYS for way in WAYS]
A_FIFTH = EACH_ONCE[: len(PLAIN) : 5] + EACH_ONCE[len(PLAIN) :]  # every granularity, and the four ways by turns


@pytest.mark.slow
@pytest.mark.usefixtures("_few_or_many")
@pytest.mark.parametrize(("key", "_few_or_many", "states"), pinned(EACH_ONCE, ALL), indirect=["_few_or_many"])
def test_the_same_groups_as_in_memory(engine, population, stored, key, states):
    ours = merge(open_engine_population(engine, stored), key, states)
    theirs = merge(population, key, states)
    assert ours.units == theirs.units
    np.testing.assert_allclose(total_risk(ours), total_risk(theirs), rtol=1e-13)
    np.testing.assert_allclose(g_distinct(ours, [1, 5, 40]), g_distinct(theirs, [1, 5, 40]), rtol=1e-12)
    np.testing.assert_allclose(g_distinct_sweep(ours, 60), g_distinct_sweep(theirs, 60), rtol=1e-12)
    # a difference of large terms: 1e-9 of the people
    np.testing.assert_allclose(variances(ours, [1]), variances(theirs, [1]), rtol=1e-9, atol=1e-9)


@pytest.fixture(scope="module")
def listing():
    """Chances that differ by county and year of age, also within a class of five years, and stale records."""
    rng = np.random.default_rng(6)
    chance = np.where(np.arange(YEARS_OF_AGE) < 18, 0.0, rng.uniform(0.2, 1.0, (5, YEARS_OF_AGE)))
    counties = ("01001", "21001", "39001", "39003", "56001")
    return Listing(counties, chance, np.array([0.3, 0.0, 0.1, 0.2, 0.0]))


@pytest.mark.usefixtures("_few_or_many")
@pytest.mark.parametrize(("key", "_few_or_many", "states"), pinned(A_FIFTH, ALL), indirect=["_few_or_many"])
def test_the_same_groups_on_a_list_as_in_memory(engine, population, stored, listing, key, states):
    ours = merge(open_engine_population(engine, stored).of_age(18), key, states, listing=listing)
    theirs = merge(population.of_age(18), key, states, listing=listing)
    for in_file in (None, np.full(ours.units, 0.1)):
        chances = Chances(np.ones(ours.units), in_file)
        for figures in (chances.total_risk, chances.claims, partial(chances.g_distinct, g=[1, 5])):
            np.testing.assert_allclose(figures(ours), figures(theirs), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(variances(ours, [1, 5]), variances(theirs, [1, 5]), rtol=1e-9, atol=1e-9)


@pytest.mark.usefixtures("_few_or_many")
def test_only_counts_leave_the_engine_and_nobody_is_lost(engine, population, stored):
    groups = merge(open_engine_population(engine, stored), Granularities.parse("birth=date+geography=county"))
    released = np.bincount(groups.unit, groups.released * groups.number)
    assert dict(zip(population.states, released, strict=True)) == population.people_by_state()
    assert len(groups.people) <= len(groups)
    assert all(array.dtype == np.int64 for array in (groups.people, groups.released, groups.number))


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
    ours = merge(open_engine_population(engine, stored), key, conditions=conditions)
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
    assert stays.of_age(20).people_by_state() == population.of_age(20).people_by_state()
    assert "duckdb" in stays.provenance.describe()
    assert len(stays.provenance.sha256) == 64


@pytest.mark.slow
@pytest.mark.usefixtures("_few_or_many")
@pytest.mark.parametrize("options", [{}, {"coverage": "registered", "spread": True}, {"days_per_year": 365.25}])
def test_a_study_gives_the_same_figures(stored, options):
    inside, outside = Study(stored, "2026", **options), Study(stored, "2026", engine="duckdb", **options)
    policies = ("safe-harbor", "limited-dataset")
    pd.testing.assert_frame_equal(outside.compare(policies).to_frame(), inside.compare(policies).to_frame(), rtol=1e-12)
    pd.testing.assert_frame_equal(Cost.table(outside.cost(policies)), Cost.table(inside.cost(policies)), rtol=1e-12)
    for ours, theirs in zip(outside.curves("OH", g_max=50), inside.curves("OH", g_max=50), strict=True):
        assert ours.status == theirs.status
        if theirs.low is not None:
            np.testing.assert_allclose([ours.low, ours.high], [theirs.low, theirs.high], rtol=1e-12)


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
    with pytest.raises(UnknownNameError, match="'TX'"):
        merge(open_engine_population(engine, stored), Granularities.parse("geography=state"), ["TX"])
    with pytest.raises(SourceError, match="no such file"):
        open_engine_population(engine, str(tmp_path / "none.parquet"))


# A population in Parquet, checked inside the engine and left there.


def put(folder, frame, name="cells.parquet"):
    frame.to_parquet(folder / name)
    return str(folder / name)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda frame: frame.drop(columns="age"), "age are missing"),
        (lambda frame: frame.assign(people=-1), "48 cells are wrong"),
        (lambda frame: frame.assign(people=0), "0"),
        (lambda frame: frame.assign(age_width=0), "cells are wrong"),
        (lambda frame: frame.assign(age=[[30]] * len(frame)), "age does not contain numbers"),
        (lambda frame: frame.assign(county=frame["county"].astype(int)), "county is not text"),
        (lambda frame: frame.assign(sex=None), "sex"),
        (lambda frame: frame.assign(ethnicity="latino"), "ethnicity hispanic or not_hispanic"),
    ],
)
def test_cells_that_cannot_be_are_refused(engine, tmp_path, change, expected):
    with pytest.raises(SchemaError, match=expected):
        open_engine_population(engine, put(tmp_path, change(cells())))


def test_a_damaged_file_is_one_line(engine, tmp_path):
    (tmp_path / "cells.parquet").write_bytes(b"PAR1 no such thing")
    with pytest.raises(SourceError) as caught:
        open_engine_population(engine, str(tmp_path / "cells.parquet"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("source", [None, small(), "us-2020", "cells.csv"])
def test_what_is_no_parquet_is_refused(source):
    with pytest.raises(InputError, match=r"\.parquet"):
        population_of_engine(source, "duckdb")


_ODD = {
    "a list": [[1], [2]],
    "a table": [{"a": 1}, {"a": 2}],
    "text": ["1", "2"],
    "text of no number": ["x", "y"],
    "a half": [1.5, 2.0],
    "below 0": [-1, 2],
    "too large": [10**12, 1],
    "true": [True, False],
    "nothing": [None, None],
    "not a number": [float("nan"), 1.0],
    "infinite": [float("inf"), 1.0],
    "blanks": ["5.0", " 7"],
}


@pytest.mark.slow
@pytest.mark.parametrize("odd", _ODD)
def test_what_is_read_into_memory_is_read_by_the_engine_and_what_is_refused_is_refused(engine, tmp_path, odd):
    two = {"state": ["DE", "DE"], "county": ["10001", "10001"], "sex": ["M", "F"], "age": [30, 31], "age_width": [1, 1]}
    two |= {"race": ["white", "black"], "people": [5, 2]}
    for column in two:
        path = tmp_path / f"{column}.parquet"
        pd.DataFrame(two | {column: _ODD[odd]}).to_parquet(path)
        answers = []
        for read, place in ((read_own_population, path), (partial(open_engine_population, engine), str(path))):
            try:
                answers.append(sum(read(place).people_by_state().values()))
            except SchemaError as error:
                answers.append("refused" if len(str(error).splitlines()) <= 4 else str(error))
        assert answers[0] == answers[1], (column, answers)


# Cells merged inside an engine, beside adding them up in Python.


@pytest.mark.parametrize("view", ["gender", "race", "ethnicity", "geography=tract"])
def test_a_column_that_is_not_there_is_refused(engine, tmp_path, view):
    stored = put(tmp_path, cells()[["state", "age", "age_width", "people"]])
    with pytest.raises(InputError, match=view.replace("gender", "sex").removeprefix("geography=")):
        merge(open_engine_population(engine, stored), Granularities.parse(view))
