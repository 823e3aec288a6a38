"""Second moments of how many people share a bin, where people are placed in ZIP codes by chance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from policy_sim.arrays import FloatArray
from policy_sim.binning.inputs import checked_coverage
from policy_sim.groups.placed_groups import CountyPartGroups, PlacedGroups

__all__ = ["independent_occupied_variance", "squared_bin_sizes"]


def squared_bin_sizes(groups: CountyPartGroups | PlacedGroups, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the expected sum, over all bins, of the square of the listed people in each; shape (units,).

    Each person falls by itself: a bin has the mean ``sum n x`` and the variance ``sum n x (1 - x)`` over counties.

    Examples
    --------
    Two people in two halves: in half of the cases one each, 1 + 1, else both in one, 4.

    >>> half, one = np.array([0.5, 0.5]), np.zeros(1, dtype=np.int64)
    >>> where = np.zeros(2, dtype=np.int64), np.arange(2)
    >>> people = CountyPartGroups(np.array([[2.0]]), np.ones(1), one, *where, half, np.array([np.inf]), 1)
    >>> squared_bin_sizes(people).tolist()
    [3.0]
    """
    listed, squares = np.broadcast_to(checked_coverage(coverage), groups.units), np.zeros(groups.units)
    if isinstance(groups, PlacedGroups):
        for unit, places, people, bins in groups.units_by_bins():
            x = places.share * (float(listed[unit]) / bins)
            mean, own = x @ people, x.power(2) @ people
            squares[unit] += bins * float((mean**2 + mean - own).sum())
        return squares
    c = listed[groups.unit]
    together = np.bincount(groups.county, weights=groups.share**2, minlength=len(groups.people)) * c**2
    pairs = (groups.people * (groups.people - 1) / groups.bins).sum(axis=1) * together
    np.add.at(squares, groups.unit, pairs + groups.people.sum(axis=1) * c)
    return squares


def independent_occupied_variance(groups: CountyPartGroups | PlacedGroups, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the variance of the occupied bins, were bins filled independently of each other; shape (units,).

    A bin is empty with the chance ``q``: ``sum q - q^2``, and ``q^2`` is what ``q`` is with twice as many people.
    """
    alone = replace(groups, residents=np.full_like(groups.residents, np.inf))
    twice = replace(alone, people=2 * alone.people)
    variance: FloatArray = np.maximum(twice.total_risk(coverage) - alone.total_risk(coverage), 0.0)
    return variance
