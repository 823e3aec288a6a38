"""Classes against counting by hand, with pandas, and with combinations too many for one whole number."""

from collections import Counter

import numpy as np
import pytest

from policy_sim.errors import IncompatibleError, InputError
from policy_sim.records.classes import Classes, number_groups

ROWS = [("F", 30), ("F", 30), ("M", 30), ("M", None), ("M", None), (None, 41)]


def test_records_that_agree_in_every_field_are_one_class():
    classes = Classes.of_rows(ROWS, ("sex", "age"))
    assert sorted(classes.sizes.tolist()) == sorted(Counter(ROWS).values())
    assert classes.records == len(ROWS)
    assert classes.values == (2, 2)
    assert classes.missing == (1, 2)
    assert classes.histogram.to_dict() == {1: 2, 2: 2}


def test_complete_leaves_out_what_misses_a_field():
    kept = Classes.of_rows(ROWS, ("sex", "age")).complete()
    assert sorted(kept.sizes.tolist()) == [1, 2]


@pytest.mark.parametrize("rows", [[], [("x",)], [("x",)] * 5, [(i,) for i in range(7)]])
def test_no_record_one_record_all_equal_all_different(rows):
    classes = Classes.of_rows(rows, ("a",))
    assert classes.number == len(set(rows))
    assert classes.records == len(rows)


def test_some_fields_merge_the_classes_and_keep_every_record():
    rng = np.random.default_rng(1)
    rows = [tuple(row) for row in rng.integers(0, 4, (300, 3)).tolist()]
    classes = Classes.of_rows(rows, ("a", "b", "c"))
    for fields, places in ((("a",), (0,)), (("c", "a"), (2, 0)), (("a", "b", "c"), (0, 1, 2))):
        merged = classes.only(fields)
        assert sorted(merged.sizes) == sorted(Counter(tuple(row[i] for i in places) for row in rows).values())
        assert merged.records == 300


def test_groups_are_numbered_without_gaps_even_where_their_codes_overflow():
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 2_000_000_000, (500, 4)).astype(np.int32)
    codes = codes[rng.integers(0, 500, 800)]
    group, number = number_groups(list(codes.T), [2_000_000_000] * 4, len(codes))
    assert number == len(np.unique(codes, axis=0)) == group.max() + 1
    same = (codes[:, None] == codes[None]).all(axis=2)
    assert np.array_equal(same, group[:, None] == group[None])


def test_no_columns_are_one_group():
    group, number = number_groups([], [], 3)
    assert (group.tolist(), number) == ([0, 0, 0], 1)


def test_shapes_and_fields_must_fit():
    with pytest.raises(InputError, match="do not fit"):
        Classes(("a",), np.zeros((2, 2), dtype=np.int32), np.ones(2, dtype=np.int64), (1,))
    one, other = (Classes.of_rows([(1, 2)], fields) for fields in (("a", "b"), ("b", "a")))
    with pytest.raises(IncompatibleError, match="do not share their codes"):
        one.check_same_fields(other)
