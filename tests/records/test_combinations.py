"""Every combination against grouping the records by it."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from policy_sim.errors import NotEstimableError
from policy_sim.records import combinations as module
from policy_sim.records.classes import Classes
from policy_sim.records.combinations import walk_combinations


def _rows(seed, n=150):
    rng = np.random.default_rng(seed)
    return [tuple(row) for row in np.stack([rng.integers(0, k, n) for k in (2, 4, 7, 12)], axis=1).tolist()]


def _unique_on(rows, places):
    counts = Counter(tuple(row[i] for i in places) for row in rows)
    return {row for row in rows if counts[tuple(row[i] for i in places)] == 1}


@pytest.mark.parametrize("seed", range(3))
def test_classes_uniques_and_minimal_uniques_of_every_combination(seed):
    rows = _rows(seed)
    names = tuple("abcd")
    found = {combination.fields: combination for combination, *_ in walk_combinations(Classes.of_rows(rows, names))}
    assert len(found) == 2**4 - 1
    for width in range(1, 5):
        for places in combinations(range(4), width):
            one = found[tuple(names[i] for i in places)]
            counts = Counter(tuple(row[i] for i in places) for row in rows)
            unique = _unique_on(rows, places)
            by_parts = set().union(*(_unique_on(rows, part) for part in combinations(places, width - 1) if part))
            assert one.classes == len(counts)
            assert one.uniques == len(unique)
            assert one.average == len(counts) / len(rows)
            assert one.minimal == len(unique - by_parts)


def test_no_records_and_no_uniques():
    assert [one.average for one, *_ in walk_combinations(Classes.of_rows([], ("a", "b")))] == [None] * 3
    assert {one.minimal for one, *_ in walk_combinations(Classes.of_rows([(1, 1)] * 3, ("a", "b")))} == {0}


def test_too_many_combinations_are_refused_before_they_fill_the_memory(monkeypatch):
    monkeypatch.setattr(module, "_MOST_FLAGS", 10)
    with pytest.raises(NotEstimableError, match="too many: choose fewer"):
        list(walk_combinations(Classes.of_rows(_rows(0), tuple("abcd"))))


def test_more_combinations_than_asked_for_are_refused():
    classes = Classes.of_rows(_rows(0), tuple("abcd"))
    with pytest.raises(NotEstimableError, match="15 combinations of 4 fields are more than 14: choose fewer"):
        list(walk_combinations(classes, most=14))
    wide = Classes.of_rows([tuple(range(13))], tuple("abcdefghijklm"))
    with pytest.raises(NotEstimableError, match="8,191 combinations of 13 fields are more than 4,095"):
        list(walk_combinations(wide))
    assert len(list(walk_combinations(wide, most=8191))) == 8191


@pytest.mark.parametrize("rule", ["own", "wildcard"])
def test_more_classes_than_can_be_walked_are_refused(monkeypatch, rule):
    monkeypatch.setattr(module, "_MOST_WORK", 10)
    monkeypatch.setattr(module, "_MOST_WILD_WORK", 10)
    with pytest.raises(NotEstimableError, match="15 combinations over"):
        list(walk_combinations(Classes.of_rows([*_rows(0), (None,) * 4], tuple("abcd")), rule))
