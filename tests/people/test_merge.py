"""Cells merged by a linkage key, by hand and by conservation, and who of them is listed: nobody is lost."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from exact_lists import MixedGroups
from hypothesis import given, settings
from hypothesis import strategies as st
from pinned import pinned
from small_people import people_of, population_of

from policy_sim.formulas.listed_groups import ListedGroups
from policy_sim.people.county_tables import YEARS_OF_AGE, Listing, county_table
from policy_sim.people.merge import (
    AGE_WIDTHS,
    AGES,
    CLASS_AGES,
    CLASS_STARTS,
    DAYS_PER_YEAR,
    MergeKey,
    age_classes,
    cell_groups,
    class_of_age,
    people_seen,
    values_in_a_year,
)
from policy_sim.people.merging import merge
from policy_sim.people.places import split_people
from policy_sim.people.population import ETHNICITIES, RACES
from policy_sim.policies.policy import NO_CONDITIONS, Conditions, SmallPlaces
from policy_sim.words.errors import InputError
from policy_sim.words.fields import GRANULARITIES, YEARS_IN_A_CLASS, Field, Granularities
from policy_sim.words.states import STATES

TOWN = population_of(
    [
        ("OH", "39001", "M", 30, 1, "white", 4),
        ("OH", "39001", "F", 30, 1, "white", 6),
        ("OH", "39001", "F", 30, 1, "black", 1),
        ("OH", "39003", "F", 31, 1, "white", 2),
        ("OH", "39003", "F", 100, 5, "white", 3),
        ("TX", "48001", "F", 30, 1, "white", 9),
        ("TX", "48001", "F", 17, 1, "asian", 5),
    ]
)


def rows(groups):
    order = np.lexsort((groups.bins, groups.people, groups.unit))
    return [
        (int(groups.unit[i]), int(groups.people[i]), float(groups.bins[i]), float(groups.released[i])) for i in order
    ]


def test_what_the_key_lacks_is_added_up_first():
    groups = merge(TOWN, Granularities(birth="year", geography="county"), ["OH"])
    assert rows(groups) == [(0, 2, 1, 2), (0, 3, 5, 3), (0, 11, 1, 11)]


def test_a_date_hides_365_bins_in_a_year_and_1825_in_five():
    groups = merge(TOWN, Granularities(gender="value", birth="date", geography="state"), ["TX", "OH"])
    assert rows(groups) == [
        *((0, people, 365, people) for people in (5, 9)),
        *((1, people, bins, people) for people, bins in ((2, 365), (3, 1825), (4, 365), (7, 365))),
    ]


def test_a_key_without_the_state_hides_people_among_the_nation():
    groups = merge(TOWN, Granularities(gender="value", birth="year"), ["TX"])
    assert rows(groups) == [(0, 5, 1, 5), (0, 16, 1, 9)]


CELLS = st.lists(
    st.tuples(
        st.sampled_from(["OH", "TX"]),
        st.sampled_from(["1", "2"]),
        st.sampled_from(["M", "F"]),
        st.integers(0, 12),
        st.just(1),
        st.sampled_from(RACES),
        st.sampled_from(ETHNICITIES),
        st.integers(1, 50),
    ),
    min_size=1,
    max_size=40,
    unique_by=lambda row: row[:7],
)
KEYS = st.fixed_dictionaries(
    {f.value: st.sampled_from([g for g in GRANULARITIES[f] if g != "tract" and "zip" not in g]) for f in Field}
)


# HCUP tells Asian and Pacific Islander as one, and has no class for several races.
FIVE_OF_SEVEN = {"nhpi": "asian", "multiple": "other"}


@pytest.mark.slow
@settings(max_examples=pinned(30, 100), derandomize=True)
@given(CELLS, KEYS)
def test_nobody_is_lost_and_groups_are_what_pandas_groups(cells, key):
    frame = pd.DataFrame(cells, columns=["state", "county", "sex", "age", "age_width", "race", "ethnicity", "people"])
    population, view = people_of(frame), Granularities(key)
    groups = merge(population, view)
    assert groups.released.sum() == frame["people"].sum()
    span = 99 if view[Field.BIRTH] == "none" else YEARS_IN_A_CLASS.get(view[Field.BIRTH], 1)
    frame["class"] = frame["age"] // span
    by = ["class"]
    by += ["state"] if view[Field.GEOGRAPHY] != "nation" else []
    by += ["county"] if view[Field.GEOGRAPHY] == "county" else []
    by += ["sex"] if view[Field.GENDER] == "value" else []
    frame["broad"] = frame["race"].where(frame["race"].isin(["white", "black"]), "all other")
    hispanic = frame["ethnicity"] == "hispanic"
    frame["race_ethnicity"] = frame["race"].mask(hispanic, "hispanic")
    frame["broad_race_ethnicity"] = frame["broad"].mask(hispanic, "hispanic")
    frame["five_races"] = frame["race"].replace(FIVE_OF_SEVEN)
    frame["hcup"] = frame["five_races"].mask(hispanic, "hispanic")
    by += {"none": [], "value": ["race"]}.get(view[Field.RACE], [view[Field.RACE]])
    by += ["ethnicity"] if view[Field.ETHNICITY] == "value" else []
    frame["n"] = frame.groupby(by)["people"].transform("sum")
    by_state = [*by, "state"] if "state" not in by else by
    expected = frame.groupby(by_state).agg(n=("n", "first"), j=("people", "sum"))
    assert sorted(zip(groups.people, groups.released, strict=True)) == sorted(
        zip(expected["n"], expected["j"], strict=True)
    )


ZIPPED = population_of(
    [
        ("OH", "39001", "44101", 88, 1, "white", 3),
        ("OH", "39003", "44101", 89, 1, "asian", 4),
        ("OH", "39003", "44102", 90, 1, "black", 5),
        ("OH", "39003", "45999", 95, 1, "black", 2),
        ("WV", "54001", "45998", 100, 5, "other", 1),
        ("WV", "54001", "25001", 91, 1, "other", 6),
    ],
    ["state", "county", "zip5", "age", "age_width", "race", "people"],
)


def test_ages_over_89_are_one_class_also_through_the_year_and_the_date_of_birth():
    for birth, bins in (("year", 1.0), ("date", 365.0)):
        key = Granularities(birth=birth, geography="state")
        groups = merge(ZIPPED, key, ["OH", "WV"], conditions=Conditions(top_age=90))
        assert sorted(rows(groups)) == sorted([(0, 3, bins, 3), (0, 4, bins, 4), (0, 7, 1, 7), (1, 7, 1, 7)])


def test_small_places_share_one_value_inside_their_state():
    key = Granularities(geography="zip3")
    counted = Conditions(small_places=SmallPlaces("zip3", most=3))
    # 441 has 12 people, 459 has 2 in Ohio and 1 in West Virginia together, 250 has 6.
    assert rows(merge(ZIPPED, key, ["OH", "WV"], conditions=counted)) == [
        (0, 2, 1, 2),
        (0, 12, 1, 12),
        (1, 1, 1, 1),
        (1, 6, 1, 6),
    ]
    two = Conditions(small_places=SmallPlaces("zip3", 3, frozenset({"459", "441"})))
    assert rows(merge(ZIPPED, key, ["OH"], conditions=two)) == [(0, 14, 1, 14)]


def test_exactly_the_limit_is_small_and_one_more_is_not():
    key = Granularities(geography="zip3")
    sizes = [
        sorted(merge(ZIPPED, key, ["WV"], conditions=Conditions(small_places=SmallPlaces("zip3", most))).people)
        for most in (5, 6)
    ]
    assert sizes == [[1, 6], [7]]


def test_county_and_zip_together_tell_apart_the_parts_they_share():
    def people(place):
        return sorted(merge(ZIPPED, Granularities(geography=place), ["OH"]).people.tolist())

    assert people("county") == [3, 11]
    assert people("zip5") == [2, 5, 7]
    assert people("county_zip5") == [2, 3, 4, 5]


def test_a_key_without_the_field_does_not_feel_the_condition():
    conditions = Conditions(90, SmallPlaces("zip3", 20_000))
    assert conditions.on(Granularities(gender="value", geography="state")) == NO_CONDITIONS
    assert conditions.on(Granularities(birth="year", geography="zip5")) == conditions


def test_one_state_of_many_is_merged_alone_and_its_small_places_are_judged_by_all_states():
    """A ZIP code of 3 people here and 30 across the state line is not small; 40 elsewhere make no difference."""
    names = ["AL", "AK", "AZ", "AR", "CA", "CO", "CT", "DE"]
    rows = [(state, f"{place}01", age, 1, 1) for place, state in enumerate(names, 100) for age in (30, 31, 32)]
    rows += [("AK", "10001", 30, 1, 30), ("AL", "10101", 30, 1, 2), ("AL", "10201", 31, 1, 40)]
    nation = population_of(rows, ["state", "zip5", "age", "age_width", "people"])
    key = Granularities(birth="date", geography="zip3")
    for conditions in (Conditions(), Conditions(small_places=SmallPlaces("zip3", 10)), Conditions(top_age=31)):
        together = merge(nation, key, names, conditions=conditions)
        for unit, state in enumerate(names):
            alone = merge(nation, key, [state], conditions=conditions)
            here = together.unit == unit
            np.testing.assert_array_equal(alone.people, together.people[here])
            np.testing.assert_array_equal(alone.bins, together.bins[here])
    shown = merge(nation, key, ["AL"], conditions=Conditions(small_places=SmallPlaces("zip3", 10)))
    assert shown.people.tolist() == [1, 1, 1, 40, 2], "100 is shown, since 30 more live in it; 101 is not"


# What is seen of an age: classes and hidden bins, by hand.


@pytest.mark.parametrize(("top_age", "classes"), [(None, 222), (90, 182)])
def test_classes_of_sex_and_age_in_the_form_of_the_paper_and_of_the_regulation(top_age, classes):
    """2 sexes x (100 single years + 5 + 5 + 1), as Benitez and Malin count them; or of 0 to 89 and one above them."""
    lower, bins = age_classes(AGES, AGE_WIDTHS, "year", top_age=top_age)
    seen = set(zip(lower.tolist(), bins.tolist(), strict=True))
    assert 2 * sum(hidden for _, hidden in seen) == classes
    assert len(seen) == (103 if top_age is None else 91)


@pytest.mark.parametrize(
    ("granularity", "classes", "bins"),
    [
        ("none", [0, 0, 0, 0], [1, 1, 1, 1]),
        ("decade", [30, 30, 100, 0], [1, 1, 1, 2]),
        ("five_years", [30, 35, 100, 0], [1, 1, 1, 4]),
        ("year", [31, 39, 100, 0], [1, 1, 5, 20]),
        ("month", [31, 39, 100, 0], [12, 12, 60, 240]),
        ("date", [31, 39, 100, 0], [365, 365, 1825, 7300]),
    ],
)
def test_age_classes(granularity, classes, bins):
    lower, hidden = age_classes(np.array([31, 39, 100, 0]), np.array([1, 1, 5, 20]), granularity)
    assert lower.tolist() == classes
    assert hidden.tolist() == bins


def test_finer_than_a_year():
    assert [values_in_a_year(name) for name in ("quarter", "month", "date")] == [4, 12, DAYS_PER_YEAR]
    assert values_in_a_year("date", 365.25) == 365.25
    assert sorted(YEARS_IN_A_CLASS.values(), reverse=True) == list(YEARS_IN_A_CLASS.values())


@pytest.mark.parametrize(
    ("granularity", "classes", "bins"),
    [("none", 0, 1), ("decade", 85, 2), ("year", 85, 6), ("month", 85, 61), ("date", 85, 1826)],
)
def test_an_open_class_that_reaches_over_the_top_keeps_its_years_below_and_one_bin_above(granularity, classes, bins):
    lower, hidden = age_classes(np.array([85]), np.array([26]), granularity, top_age=90)
    assert (lower.tolist(), hidden.tolist()) == ([classes], [bins])


# People laid out by county and kind, beside the cells themselves: finer places keep a population from being laid out.


SEEN = [
    {"gender": "value", "race": "value", "birth": "date"},
    {"gender": "value", "race": "broad", "birth": "five_years"},
    {"birth": "year"},
    {"race": "value"},
    {},
]


@pytest.mark.parametrize("place", ["state", "county"])
@pytest.mark.parametrize("states", [["OH", "TX"], ["TX", "OH"], ["TX"]])
@pytest.mark.parametrize("key", SEEN)
def test_people_laid_out_by_county_give_the_groups_of_their_cells(key, states, place):
    by_tract = people_of(TOWN.cells.assign(tract=TOWN.cells["county"]))
    assert county_table(TOWN) is not None
    assert county_table(by_tract) is None
    view, top = Granularities(**key, geography=place), Conditions(top_age=90)
    for ages in ((0, None), (18, None), (18, 33)):
        for conditions in (NO_CONDITIONS, top):
            laid_out, cells = (
                rows(merge(each.of_age(*ages), view, states=states, conditions=conditions)) for each in (TOWN, by_tract)
            )
            assert laid_out == cells
    assert TOWN.of_age(18).people_by_state() == {"OH": 16, "TX": 9}


def test_some_counties_alone_and_their_states():
    table = county_table(TOWN)
    assert table.units(["TX"]).tolist() == [-1, -1, 0]
    assert table.units(["TX", "OH"]).tolist() == [1, 1, 0]
    assert people_seen(table, MergeKey(Granularities(), ()), np.array([2]))[0].tolist() == [[14]]


def test_a_population_without_the_field_says_so():
    with pytest.raises(InputError, match="has no zip3"):
        merge(TOWN, Granularities(geography="zip3"))
    bare = people_of(TOWN.cells.drop(columns="race").drop_duplicates(["county", "sex", "age"]))
    with pytest.raises(InputError, match="has no race, which the linkage key"):
        merge(bare, Granularities(race="value", geography="county"))


def test_people_of_few_of_many_kinds_are_not_laid_out_nor_counties_of_two_states_with_one_name(monkeypatch):
    monkeypatch.setattr("policy_sim.people.county_tables._SMALL_TABLE", 0)
    rows = [("OH", f"39{number:03}", "M", number, 1, "white", 1) for number in range(9)]
    assert county_table(population_of(rows[:4])) is not None
    assert county_table(population_of(rows)) is None
    twice = [(state, "1", "M", 30, 1, "white", 4) for state in ("OH", "TX")]
    assert county_table(population_of(twice)) is None


# Ages and classes of the census tables: every age is in exactly one class.


def test_every_age_is_in_one_class_and_ages_follow_each_other():
    ends = [*(CLASS_STARTS[1:] - 1), 110]
    assert class_of_age(CLASS_STARTS).tolist() == class_of_age(np.array(ends)).tolist() == list(range(23))
    assert (AGES[1:] == AGES[:-1] + AGE_WIDTHS[:-1]).all()
    assert np.concatenate(CLASS_AGES).tolist() == list(range(len(AGES)))
    assert AGES[CLASS_AGES[4]].tolist() == [18, 19]
    assert len(AGES) == 103
    assert AGES[CLASS_AGES[-1]].tolist() == [*range(85, 101), 105, 110]


# Who is listed, by county and age: nobody is lost when cells are merged, whatever the key.


COUNTIES = ("39001", "39003", "48001")
SUMS = ("listed", "squared", "stale")
LISTED_KEYS = [
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
        ("OH" if county < "40" else "TX", county, sex, age, width, race, int(rng.integers(1, 30)))
        for county in COUNTIES
        for sex in "MF"
        for age, width in ((18, 2), (20, 1), (21, 4), (60, 5), (100, 5), (110, 1))
        for race in ("white", "asian")
    ]
    made = population_of(rows, date="2020-04-01")
    zip5 = np.where(made.cells["race"] == "white", "43001", "43002")
    return people_of(made.cells.assign(zip5=zip5), "2020-04-01") if "zip5" in columns else made


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


@pytest.mark.parametrize("key", LISTED_KEYS)
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
@pytest.mark.parametrize("key", LISTED_KEYS)
def test_the_parts_of_the_people_add_up(key, by):
    population = people()
    split, whole = split_people(population, by), merge(population, Granularities(key), ["OH", "TX"], listing=listing())
    parts = merge(population, Granularities(key), ["OH", "TX"], by=split, listing=listing())
    for measure in (ListedGroups.total_risk, ListedGroups.claims, lambda groups: groups.g_distinct([2])[:, 0]):
        added = measure(parts).reshape(2, -1).sum(axis=1)
        np.testing.assert_allclose(added, measure(whole), rtol=1e-10)


@pytest.mark.parametrize("key", [key for key in LISTED_KEYS if key["geography"] != "nation"])
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


@pytest.mark.parametrize("place", ["nation", "state"])
def test_a_state_alone_is_compared_with_the_same_people_as_among_all(place):
    """A list without places has the candidates of the whole nation, however few states are asked about."""
    rng = np.random.default_rng(1)
    states = list(STATES)[:16]
    rows = [
        (state, f"{at:05d}", sex, age, 1, race, int(rng.integers(1, 4)))
        for at, state in enumerate(states)
        for sex in "MF"
        for age in (30, 31)
        for race in ("white", "black")
    ]
    cells = population_of(rows).cells
    people = people_of(cells, hispanic=lambda: cells["people"].to_numpy() // 2)
    compared = Granularities(race="value").compared(Granularities(race="race_ethnicity"))
    key = compared.replace(geography=place, birth="year")
    alone, among_all = merge(people, key, states[:1]).total_risk(), merge(people, key, states).total_risk()
    assert alone[0] == pytest.approx(among_all[0])
    assert (alone[0] < 1) == (place == "nation")
