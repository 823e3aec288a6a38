"""Groups placed by chance, by hand: two places, and every way that people can be in them."""

from __future__ import annotations

import numpy as np
import pytest

from policy_sim.errors import InputError
from policy_sim.groups import CountyPartGroups, PlacedGroups, g_distinct, total_risk


def _two_people():
    """Two people of one county with one value, in two places of a half each."""
    one = np.array([1.0])
    return CountyPartGroups(
        people=np.array([2.0]),
        bins=one,
        times=one,
        county=np.array([0]),
        unit=np.array([0]),
        first=np.array([0, 2]),
        share=np.array([0.5, 0.5]),
        units=1,
    )


def test_two_people_in_two_halves():
    """Apart with chance 1/2: two groups and two people alone; together otherwise: one group and nobody alone."""
    groups = _two_people()
    np.testing.assert_allclose(total_risk(groups), [1.5])
    np.testing.assert_allclose(g_distinct(groups, [1, 2]), [[1.0, 2.0]])


def test_pieces_of_two_counties_meet_in_one_place():
    """One person of each of two counties, in the shared place with chances 1/2 and 1/4."""
    groups = PlacedGroups(
        group=np.array([0, 0]),
        people=np.array([1.0, 1.0]),
        bins=np.array([1.0, 1.0]),
        share=np.array([0.5, 0.25]),
        unit=np.array([0]),
        units=1,
    )
    np.testing.assert_allclose(total_risk(groups), [1 - 0.5 * 0.75])
    np.testing.assert_allclose(g_distinct(groups, [1, 2]), [[0.5 * 0.75 + 0.25 * 0.5, 0.75]])


def test_coverage_of_another_number_of_units_is_refused():
    with pytest.raises(InputError, match="give one value, or one"):
        _two_people().total_risk([0.5, 0.5])
