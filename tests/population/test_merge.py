"""Cells merged by a linkage key, by hand and by conservation."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policy_sim.errors import InputError
from policy_sim.fields import GRANULARITIES, Field, Granularities
from policy_sim.population.cells import RACES, Population, Provenance, check_cells
from policy_sim.population.merge import age_classes, merge

PROVENANCE = Provenance("made", "made for a test", "nobody", "2000-04-01", "by hand", 1.0, 0.0, 0.0)


def people(*rows: tuple) -> Population:
    columns = ["state", "county", "sex", "age", "age_width", "race", "people"]
    return Population(check_cells(pd.DataFrame(rows, columns=columns), "made"), PROVENANCE)


TOWN = people(
    ("OH", "39001", "M", 30, 1, "white", 4),
    ("OH", "39001", "F", 30, 1, "white", 6),
    ("OH", "39001", "F", 30, 1, "black", 1),
    ("OH", "39003", "F", 31, 1, "white", 2),
    ("OH", "39003", "F", 100, 5, "white", 3),
    ("TX", "48001", "F", 30, 1, "white", 9),
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
    assert rows(groups) == [(0, 9, 365, 9), (1, 2, 365, 2), (1, 3, 1825, 3), (1, 4, 365, 4), (1, 7, 365, 7)]


def test_no_field_but_the_state_makes_one_group():
    assert rows(merge(TOWN, Granularities(geography="state"), ["OH"])) == [(0, 16, 1, 16)]


def test_a_key_without_the_state_hides_people_among_the_nation():
    groups = merge(TOWN, Granularities(gender="value", birth="year"), ["TX"])
    assert rows(groups) == [(0, 16, 1, 9)]


def test_a_population_without_the_field_says_so():
    with pytest.raises(InputError, match="has no zip3"):
        merge(TOWN, Granularities(geography="zip3"))


def test_ages_as_benitez_and_malin_count_them():
    """2 sexes x (100 single years + 5 + 5 + 1) = 222 bins: the Safe Harbor total of New York, Table 2."""
    age = np.array([*range(100), 100, 105, 110])
    width = np.array([*[1] * 100, 5, 5, 1])
    _, bins = age_classes(age, width, "year")
    assert 2 * bins.sum() == 222


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


CELLS = st.lists(
    st.tuples(
        st.sampled_from(["OH", "TX"]),
        st.sampled_from(["1", "2"]),
        st.sampled_from(["M", "F"]),
        st.integers(0, 12),
        st.just(1),
        st.sampled_from(RACES[:3]),
        st.integers(1, 50),
    ),
    min_size=1,
    max_size=40,
    unique_by=lambda row: row[:6],
)
KEYS = st.fixed_dictionaries(
    {f.value: st.sampled_from([g for g in GRANULARITIES[f] if g not in ("tract", "zip3", "zip5")]) for f in Field}
)


@settings(deadline=None)
@given(CELLS, KEYS)
def test_nobody_is_lost_and_groups_are_what_pandas_groups(cells, key):
    population, view = people(*cells), Granularities(key)
    groups = merge(population, view)
    frame = pd.DataFrame(cells, columns=["state", "county", "sex", "age", "age_width", "race", "people"])
    assert groups.released.sum() == frame["people"].sum()
    span = {"none": 99, "decade": 10, "five_years": 5}.get(view[Field.BIRTH], 1)
    frame["class"] = frame["age"] // span
    by = ["class"]
    by += ["state"] if view[Field.GEOGRAPHY] != "nation" else []
    by += ["county"] if view[Field.GEOGRAPHY] == "county" else []
    by += ["sex"] if view[Field.GENDER] == "value" else []
    by += ["race"] if view[Field.RACE] == "value" else []
    frame["n"] = frame.groupby(by)["people"].transform("sum")
    by_state = [*by, "state"] if "state" not in by else by
    expected = frame.groupby(by_state).agg(n=("n", "first"), j=("people", "sum"))
    assert sorted(zip(groups.people, groups.released, strict=True)) == sorted(
        zip(expected["n"], expected["j"], strict=True)
    )
