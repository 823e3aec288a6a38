from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from policy_sim.people.census.tables import AGE_CLASSES, SINGLE_YEARS, SexByAge, Shape, to_cells
from policy_sim.people.population import RACES, check_cells
from policy_sim.words.errors import InputError


def _tables(counts, shape, places=None):
    places = places if places is not None else pd.DataFrame({"state": ["DE"], "county": ["10001"]})
    return SexByAge(shape, places, counts)


def test_columns_of_the_official_tables():
    # Summary File 1: PCT12 has 209 columns, males 3 to 105, females 107 to 209, counted from 1;
    # P12 has 49, males 3 to 25, females 27 to 49.
    assert SINGLE_YEARS.columns == 209
    assert SINGLE_YEARS.ages_of(0) == slice(2, 105)
    assert SINGLE_YEARS.ages_of(1) == slice(106, 209)
    assert SINGLE_YEARS.ages[99:] == ((99, 1), (100, 5), (105, 5), (110, 1))
    assert AGE_CLASSES.columns == 49
    assert AGE_CLASSES.ages_of(1) == slice(26, 49)
    assert AGE_CLASSES.ages[:4] == ((0, 5), (5, 5), (10, 5), (15, 3))
    assert AGE_CLASSES.ages[-1] == (85, 15)


def test_classes_reach_a_hundred_and_single_years_eleven_years_more():
    # few people are older than 99: the open class is taken to end there (docs/populations.md)
    assert sum(width for _, width in AGE_CLASSES.ages) == 100
    assert sum(width for _, width in SINGLE_YEARS.ages) == 100 + 5 + 5 + 1


def test_cells_by_hand():
    shape = Shape("PCT12", ((0, 1), (1, 5)))  # total, males, m0, m1, females, f0, f1
    empty = np.zeros((1, 7), dtype=np.int64)
    counts = dict.fromkeys("ABCDEFG", empty)
    counts["B"] = np.array([[6, 1, 0, 1, 5, 2, 3]])
    cells = to_cells(_tables(counts, shape))
    assert cells[["sex", "age", "age_width", "race", "people"]].to_numpy().tolist() == [
        ["M", 1, 5, "black", 1],
        ["F", 0, 1, "black", 2],
        ["F", 1, 5, "black", 3],
    ]
    pd.testing.assert_frame_equal(check_cells(cells, "test"), cells, check_like=True, check_categorical=False)


@pytest.mark.parametrize("shape", [SINGLE_YEARS, AGE_CLASSES])
def test_nobody_is_lost(shape):
    rng = np.random.default_rng(7)
    places = pd.DataFrame({"state": ["DE", "DE", "OH"], "county": ["10001", "10003", "39001"]})
    counts = {letter: rng.poisson(1.0, (3, shape.columns)) for letter in "ABCDEFG"}
    cells = to_cells(_tables(counts, shape, places))
    for letter, race in zip("ABCDEFG", RACES, strict=True):
        for sex, label in enumerate("MF"):
            there = cells[(cells["race"] == race) & (cells["sex"] == label)]
            assert there["people"].sum() == counts[letter][:, shape.ages_of(sex)].sum()
    assert (cells["people"] > 0).all()


def test_origin_tables_are_a_partition_of_their_own():
    counts = {letter: np.ones((1, AGE_CLASSES.columns), dtype=np.int64) for letter in "HIJKLMNO"}
    races = set(to_cells(_tables(counts, AGE_CLASSES))["race"].unique())
    assert races == {"hispanic", *(f"{race}_not_hispanic" for race in RACES)}


def test_half_a_partition_is_refused():
    counts = {letter: np.ones((1, 49), dtype=np.int64) for letter in "ABC"}
    with pytest.raises(InputError, match="P12A, P12B, P12C do not make up a population"):
        to_cells(_tables(counts, AGE_CLASSES))


def test_a_table_of_another_shape_is_refused():
    with pytest.raises(InputError, match="PCT12A has 1 places and 49 columns; 1 and 209"):
        _tables({"A": np.ones((1, 49), dtype=np.int64)}, SINGLE_YEARS)
