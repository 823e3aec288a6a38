"""How much of what a person is a release tells: its entropy, also where people are placed by chance."""

from __future__ import annotations

import numpy as np

from policy_sim.arrays import FloatArray, IntArray
from policy_sim.groups import AnyGroups, CountyPartGroups, Groups, PlacedGroups

__all__ = ["entropy_bits"]


def entropy_bits(groups: AnyGroups) -> FloatArray:
    """Return the entropy of what a release shows of a person drawn from each unit, in bits; shape (units,).

    ``log2 N - sum n log2(n / b) / N`` over the groups of n people: which group, and which of its ``b`` equally likely
    hidden values; 0 where everyone looks alike. For people placed by chance ``n`` are the people of each cell who are
    expected in each place.

    Examples
    --------
    >>> entropy_bits(Groups.of([1, 1, 2])).tolist()
    [1.5]
    """
    if isinstance(groups, Groups):
        return _of_groups(groups)
    bits = np.zeros(groups.units)
    for unit in np.unique(groups.unit).tolist():
        counties = np.flatnonzero(groups.unit == unit)
        expected = (_by_place if isinstance(groups, PlacedGroups) else _by_part)(groups, counties)
        whole = float(groups.people[counties].sum())
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(expected > 0, expected * (np.log2(groups.bins) - np.log2(expected)), 0.0)
        bits[unit] = max(np.log2(whole) + terms.sum() / whole, 0.0) if whole else 0.0
    return bits


def _of_groups(groups: Groups) -> FloatArray:
    n = groups.people.astype(np.float64)
    whole = np.bincount(groups.unit, weights=n, minlength=groups.units)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(n > 0, n * (np.log2(groups.bins) - np.log2(n)), 0.0)
    bits = np.log2(whole) + np.bincount(groups.unit, weights=terms, minlength=groups.units) / whole
    return np.maximum(bits, 0.0)


def _by_part(groups: CountyPartGroups | PlacedGroups, counties: IntArray) -> FloatArray:
    """Expected people of each cell in each part of the counties; shape (parts, cells)."""
    in_state = np.isin(groups.county, counties)
    expected: FloatArray = groups.share[in_state, None] * groups.people[groups.county[in_state]]
    return expected


def _by_place(groups: CountyPartGroups | PlacedGroups, counties: IntArray) -> FloatArray:
    """Expected people of each cell in each place, parts of several counties together; shape (places, cells)."""
    in_state = np.isin(groups.county, counties)
    _, place = np.unique(groups.place[in_state], return_inverse=True)
    expected = np.zeros((int(place.max(initial=-1)) + 1, groups.people.shape[1]))
    np.add.at(expected, place, _by_part(groups, counties))
    return expected
