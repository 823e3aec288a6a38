from __future__ import annotations

import numpy as np
import pytest

from policy_sim.analyses.lattice_search.axes import axis_of
from policy_sim.analyses.lattice_search.cube import merge_down

FIRST = axis_of((str(codes), np.array(codes)) for codes in ([0, 1, 2], [0, 1, 0], [0, 0, 0]))
SECOND = axis_of((str(codes), np.array(codes)) for codes in ([0, 1, 2, 3], [0, 0, 1, 1], [0, 1, 1, 0], [0, 0, 0, 0]))
PEOPLE = np.random.default_rng(3).integers(0, 9, (3, 4, 5))


def test_every_combination_once_and_each_as_from_the_finest_table():
    found = dict(merge_down(PEOPLE, (FIRST, SECOND)))
    assert len(found) == len(FIRST) * len(SECOND) == 12
    for (i, j), table in found.items():
        expected = np.zeros((FIRST.partitions[i].size, SECOND.partitions[j].size, 5), dtype=np.int64)
        for (a, b, c), people in np.ndenumerate(PEOPLE):
            expected[FIRST.partitions[i].codes[a], SECOND.partitions[j].codes[b], c] += people
        np.testing.assert_array_equal(table, expected)


def test_nobody_is_lost_on_the_way_down():
    assert {int(table.sum()) for _, table in merge_down(PEOPLE, (FIRST, SECOND))} == {int(PEOPLE.sum())}


def test_finer_tables_come_before_coarser_ones():
    nodes = [node for node, _ in merge_down(PEOPLE, (FIRST, SECOND))]
    for i, j in nodes:
        for finer in [(a, j) for a, _ in FIRST.steps[i]] + [(i, b) for b, _ in SECOND.steps[j]]:
            assert nodes.index(finer) < nodes.index((i, j))


def test_an_axis_whose_first_partition_is_not_finest_is_refused():
    from policy_sim.analyses.lattice_search.axes import Axis

    wrong = Axis(SECOND.partitions[1:3], SECOND.views[1:3], ((), ()))
    with pytest.raises(ValueError, match="finer than every other"):
        list(merge_down(PEOPLE, (FIRST, wrong)))
