from __future__ import annotations

import numpy as np

from policy_sim.analyses.lattice_search.axes import Partition, axis_of, first_numbered

VIEWS = {
    "finest": [0, 1, 2, 3, 4],
    "pairs": [7, 7, 3, 3, 9],
    "same pairs": [0, 0, 1, 1, 2],
    "crossed": [0, 1, 0, 1, 0],
    "all": [5, 5, 5, 5, 5],
}
AXIS = axis_of((name, np.array(codes)) for name, codes in VIEWS.items())


def test_classes_are_numbered_by_their_first_value():
    assert first_numbered(np.array([7, 7, 3, 9, 3])).tolist() == [0, 0, 1, 2, 1]


def test_views_with_one_partition_share_it_and_the_finest_comes_first():
    assert AXIS.views == (("finest",), ("pairs", "same pairs"), ("crossed",), ("all",))
    assert [partition.size for partition in AXIS.partitions] == [5, 3, 2, 1]


def test_the_finest_values_are_there_where_no_view_shows_them():
    axis = axis_of([("all", np.zeros(3, dtype=np.int64))])
    assert axis.views == ((), ("all",))
    assert axis.partitions[0].codes.tolist() == [0, 1, 2]


def test_a_step_that_would_split_a_class_does_not_exist():
    pairs, crossed = AXIS.partitions[1], AXIS.partitions[2]
    assert pairs.step_to(crossed) is None
    assert [i for i, _ in AXIS.steps[2]] == [0]
    assert [i for i, _ in AXIS.steps[3]] == [0, 1, 2]


def test_every_step_adds_up_what_the_codes_put_together():
    table = np.random.default_rng(0).integers(0, 9, (4, 5))
    for j, coarse in enumerate(AXIS.partitions):
        for i, step in AXIS.steps[j]:
            given, expected = (by_hand(table, partition) for partition in (AXIS.partitions[i], coarse))
            np.testing.assert_array_equal(step.merge(given, 1), expected)


def by_hand(table: np.ndarray, partition: Partition) -> np.ndarray:
    return np.stack([table[:, partition.codes == code].sum(axis=1) for code in range(partition.size)], axis=1)
