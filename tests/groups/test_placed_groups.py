"""Groups placed by chance, by hand: two places, and every way that people can be in them."""

from __future__ import annotations

import numpy as np
import pytest

from policy_sim.errors import InputError
from policy_sim.groups import CountyPartGroups, PlacedGroups, claims, g_distinct, total_risk


def _two_people():
    """Two people of one county with one value, in two places of a half each."""
    return CountyPartGroups(
        people=np.array([[2.0]]),
        bins=np.array([1.0]),
        unit=np.array([0]),
        county=np.array([0, 0]),
        place=np.array([0, 1]),
        share=np.array([0.5, 0.5]),
        residents=np.full(1, np.inf),
        units=1,
    )


def test_two_people_in_two_halves():
    """Apart with chance 1/2: two groups and two people alone; together otherwise: one group and nobody alone."""
    groups = _two_people()
    np.testing.assert_allclose(total_risk(groups), [1.5])
    np.testing.assert_allclose(g_distinct(groups, [1, 2]), [[1.0, 2.0]])
    np.testing.assert_allclose(claims(groups), [1.0])


def _two_counties():
    """One person of each of two counties, in a shared place with chances 1/2 and 1/4; the second unit is empty."""
    return PlacedGroups(
        people=np.array([[1.0], [1.0]]),
        bins=np.array([1.0]),
        unit=np.array([0, 0]),
        county=np.array([0, 0, 1, 1]),
        place=np.array([7, 3, 7, 5]),
        share=np.array([0.5, 0.5, 0.25, 0.75]),
        residents=np.full(2, np.inf),
        units=2,
    )


def test_pieces_of_two_counties_meet_in_one_place():
    """Apart but with chance 1/8: the sum of both over places 3, 5 and 7."""
    groups = _two_counties()
    np.testing.assert_allclose(total_risk(groups), [2 - 0.125, 0])
    np.testing.assert_allclose(g_distinct(groups, [2, 1]), [[2.0, 2 - 2 * 0.125], [0, 0]])


def test_a_list_of_half_the_people():
    """One who is alone is claimed if listed, with chance 1/2; two together, with chance 1/8, both if just one is."""
    groups = _two_counties()
    np.testing.assert_allclose(total_risk(groups, 0.5), [1 - 0.125 * 0.25, 0])
    np.testing.assert_allclose(claims(groups, [0.5, 1.0]), [0.875 * 1 + 0.125 * 2 * 0.5, 0])


def test_units_that_share_the_name_of_a_place_do_not_meet():
    """The same two counties in two states: nobody meets anybody, and each is alone with the list of its state."""
    apart = PlacedGroups(
        people=np.array([[1.0], [1.0]]),
        bins=np.array([1.0]),
        unit=np.array([1, 0]),
        county=np.array([0, 1]),
        place=np.array([7, 7]),
        share=np.ones(2),
        residents=np.full(2, np.inf),
        units=2,
    )
    np.testing.assert_allclose(total_risk(apart, [0.25, 0.5]), [0.25, 0.5])


@pytest.mark.parametrize("kind", [CountyPartGroups, PlacedGroups])
def test_cells_that_hide_other_numbers_of_bins_are_added_up(kind):
    """Two people with one value and two with two values, in one place: 1 and 1.5 occupied bins."""
    groups = kind(
        people=np.array([[2.0, 0.0, 2.0]]),
        bins=np.array([1.0, 7.0, 2.0]),
        unit=np.array([0]),
        county=np.array([0]),
        place=np.array([0]),
        share=np.ones(1),
        residents=np.full(1, np.inf),
        units=1,
    )
    np.testing.assert_allclose(total_risk(groups), [2.5])
    np.testing.assert_allclose(g_distinct(groups, [1, 2]), [[1.0, 4.0]])


def test_coverage_of_another_number_of_units_is_refused():
    with pytest.raises(InputError, match="give one value, or one"):
        _two_people().total_risk([0.5, 0.5])
