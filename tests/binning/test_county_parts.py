"""All parts of a county at once, against each cell in each part by itself."""

from __future__ import annotations

import numpy as np
import pytest

from policy_sim.binning import claimed_records, occupied_bins, people_g_distinct
from policy_sim.binning.county_parts import claimed_in_parts, distinct_in_parts, occupied_in_parts

PEOPLE, TIMES = np.array([1.0, 2, 7, 150, 4000]), np.array([5.0, 1, 2, 3, 1])
SHARES = np.array([0.5, 0.25, 0.2499, 0.0001])


def _each(formula, *more):
    """A formula of one cell in one part, added up over cells and parts."""
    return (np.asarray(formula(PEOPLE[:, None], *more)) * TIMES[:, None]).sum()


@pytest.mark.parametrize("coverage", [1.0, 0.65, 0.01])
@pytest.mark.parametrize("bins", [1, 12, 365])
def test_each_cell_in_each_part_by_itself(bins, coverage):
    listed = SHARES * coverage
    ours = occupied_in_parts(PEOPLE, TIMES, bins, listed)
    assert ours == pytest.approx(_each(occupied_bins, bins, listed), rel=1e-12)
    sizes = np.array([1, 3, 10, 40])  # 40 goes another way
    for some in (sizes[:3], sizes):
        expected = [_each(people_g_distinct, bins, size, listed) for size in some]
        np.testing.assert_allclose(distinct_in_parts(PEOPLE, TIMES, bins, listed, some), expected, rtol=1e-11)
    ours = claimed_in_parts(PEOPLE, TIMES, bins, SHARES, coverage)
    assert ours == pytest.approx(_each(claimed_records, bins, coverage, SHARES), rel=1e-12)


def test_a_county_of_one_part_with_one_value():
    """Everyone is in the one bin: cells of 1 and 2 people are whole, those of 7 and more are not."""
    whole = np.ones(1)
    assert occupied_in_parts(PEOPLE, TIMES, 1.0, whole) == TIMES.sum()
    assert distinct_in_parts(PEOPLE, TIMES, 1.0, whole, np.array([1, 2, 7])).tolist() == [5, 7, 21]
    assert claimed_in_parts(PEOPLE, TIMES, 1.0, whole) == 5


def test_nobody_is_lost():
    for bins in (1.0, 365.0):
        found = distinct_in_parts(np.array([9.0]), np.ones(1), bins, SHARES, np.array([9]))
        assert found.item() == pytest.approx(9)


def test_a_crowd_underflows_to_nobody_alone():
    found = distinct_in_parts(np.array([1e6]), np.ones(1), 1.0, np.array([0.5]), np.array([1, 20]))
    assert found.tolist() == [0, 0]
