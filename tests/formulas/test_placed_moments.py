"""Squares of how many share a bin, beside every way to throw a few people, and beside draws."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from policy_sim.formulas.groups import total_risk
from policy_sim.formulas.placed_groups import (
    CountyPartGroups,
    PlacedGroups,
    independent_occupied_variance,
    squared_bin_sizes,
)


def _groups(kind, people, bins=2.0):
    return kind(
        people=np.array([[float(people)]]),
        bins=np.array([bins]),
        unit=np.array([0]),
        county=np.array([0, 0]),
        place=np.array([0, 1]),
        share=np.array([0.25, 0.75]),
        residents=np.array([np.inf]),
        units=1,
    )


def _counted(people, coverage):
    """The chance of every way that people fall into two parts of two bins or are not listed, and who is in each bin."""
    chance = np.array([0.125, 0.125, 0.375, 0.375, 0.0]) * coverage + np.array([0, 0, 0, 0, 1 - coverage])
    for where in product(range(5), repeat=people):
        yield float(np.prod(chance[list(where)])), np.bincount(where, minlength=5)[:4]


@pytest.mark.parametrize("coverage", [1.0, 0.3])
@pytest.mark.parametrize("people", [1, 2, 4])
@pytest.mark.parametrize("kind", [CountyPartGroups, PlacedGroups])
def test_every_way_counted(kind, people, coverage):
    groups = _groups(kind, people)
    expected = sum(chance * (size**2).sum() for chance, size in _counted(people, coverage))
    np.testing.assert_allclose(squared_bin_sizes(groups, coverage), [expected])
    filled = np.array([sum(chance * (size > 0) for chance, size in _counted(people, coverage))])
    np.testing.assert_allclose(independent_occupied_variance(groups, coverage), [(filled * (1 - filled)).sum()])


def test_counties_that_meet_in_a_place():
    """Mean 1.5 + 0.5 people in one bin, and a variance of 3/4 + 1/4: a mean square of 4 + 1."""
    groups = PlacedGroups(
        people=np.array([[3.0], [1.0]]),
        bins=np.ones(1),
        unit=np.zeros(2, dtype=np.int64),
        county=np.array([0, 1]),
        place=np.zeros(2, dtype=np.int64),
        share=np.array([0.5, 0.5]),
        residents=np.full(2, np.inf),
        units=1,
    )
    np.testing.assert_allclose(squared_bin_sizes(groups), [5.0])
    assert total_risk(groups)[0] == pytest.approx(1 - 0.5**4)
