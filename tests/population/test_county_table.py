"""People by county and kind, beside the cells merged by the same key."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from policy_sim.errors import InputError
from policy_sim.granularity import Granularities
from policy_sim.population.cells import check_cells
from policy_sim.population.county_table import CountyTable
from policy_sim.population.merge import merge
from policy_sim.population.population import Population, Provenance

PEOPLE = Population(
    check_cells(
        pd.DataFrame(
            [
                ("OH", "39001", "M", 30, 1, "white", 400),
                ("OH", "39001", "F", 34, 1, "white", 600),
                ("OH", "39003", "F", 31, 1, "asian", 1),
                ("OH", "39003", "F", 100, 5, "asian", 2),
                ("WV", "54001", "F", 31, 1, "black", 7),
            ],
            columns=["state", "county", "sex", "age", "age_width", "race", "people"],
        ),
        "made",
    ),
    Provenance("made", "made for a test", "nobody", "2010-04-01", "by hand", 1.0, 0.0, 0.0),
)
KEYS = [
    {"gender": "value", "race": "value", "birth": "date"},
    {"gender": "value", "race": "broad", "birth": "five_years"},
    {"birth": "year"},
    {"race": "value"},
    {},
]


@pytest.mark.parametrize("key", KEYS)
def test_the_cells_of_a_county_are_those_that_merging_gives(key):
    found, bins = CountyTable(PEOPLE).seen(Granularities(**key), np.arange(3))
    groups = merge(PEOPLE, Granularities(**key, geography="county"))
    ours = sorted((n, b) for row in found for n, b in zip(row, bins, strict=True) if n)
    assert ours == sorted(zip(groups.people.tolist(), groups.bins.tolist(), strict=True))
    assert found.sum(axis=1).tolist() == [1000, 3, 7]


def test_some_counties_alone_and_their_states():
    table = CountyTable(PEOPLE)
    assert table.units(["WV"]).tolist() == [-1, -1, 0]
    assert table.units(["WV", "OH"]).tolist() == [1, 1, 0]
    assert table.seen(Granularities(), np.array([2]))[0].tolist() == [[7]]


def test_a_population_without_race_says_so():
    bare = Population(PEOPLE.cells.drop(columns="race").iloc[:3], PEOPLE.provenance)
    with pytest.raises(InputError, match="has no race, which the linkage key"):
        CountyTable(bare).seen(Granularities(race="value"), np.arange(3))
