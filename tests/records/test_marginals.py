"""Merging along fields against counting records, for classes in rows and for a counter each."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from policy_sim.records import marginals
from policy_sim.records.classes import Classes
from policy_sim.records.marginals import Counted, Listed, marginal

FIELDS = ("a", "b", "c", "d")


def _rows(seed, n=400, lose=()):
    rng = np.random.default_rng(seed)
    rows = np.stack([rng.integers(0, k, n) for k in (2, 3, 5, 9)], axis=1).tolist()
    return [tuple(None if (i in lose and v == 0) else v for i, v in enumerate(row)) for row in rows]


@pytest.mark.parametrize("lose", [(), (0,), (1, 3), (0, 1, 2, 3)])
@pytest.mark.parametrize("a_class", [0, 4], ids=["rows", "counters"])
def test_every_way_down_gives_the_classes_counted_from_the_records(monkeypatch, lose, a_class):
    monkeypatch.setattr(marginals, "_COUNTERS_A_CLASS", a_class)
    rows = _rows(1, lose=lose)
    classes = Classes.of_rows(rows, FIELDS)
    followed = np.arange(0, classes.number, 3)
    whole = marginal(classes, followed)
    assert isinstance(whole, Counted if a_class else Listed)
    for first in combinations(range(4), 3):
        for second in combinations(first, 2):
            merged = whole.on(first).on(second)
            counts = Counter(tuple(row[i] for i in second) for row in rows)
            assert merged.number == len(counts)
            assert sorted(merged.sizes[merged.sizes > 0].tolist()) == sorted(counts.values())
            # a followed class lies in the merged class of the records that agree with it
            names = [sorted({str(row[i]) for row in rows if row[i] is not None}) for i in range(4)]
            by_text = Counter(tuple(str(row[i]) for i in second) for row in rows)
            for place, codes in zip(merged.place.tolist(), classes.codes[followed].tolist(), strict=True):
                values = tuple(names[i][codes[i] - 1] if codes[i] else "None" for i in second)
                assert merged.sizes[place] == by_text[values]


def test_counters_are_used_only_where_they_are_few():
    few = Classes.of_rows([(v % 3, v % 2) for v in range(6)], ("a", "b"))
    sparse = Classes.of_rows([(v, v) for v in range(50)], ("a", "b"))
    assert isinstance(marginal(few, np.arange(few.number)), Counted)
    whole = marginal(sparse, np.arange(50))
    assert isinstance(whole, Listed)
    assert isinstance(whole.on((0,)), Counted)


def test_more_records_than_half_a_width_holds():
    classes = Classes(("a", "b"), np.array([[1, 1], [1, 2], [2, 1]], dtype=np.int32), np.array([2**31, 5, 7]), (2, 2))
    merged = marginal(classes, np.arange(3)).on((0,))
    assert merged.sizes.tolist() == [2**31 + 5, 7]
