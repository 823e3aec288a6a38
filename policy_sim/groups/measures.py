"""What a release of groups reveals, in people, summed by unit (a state, a county).

The formulas are those of :mod:`policy_sim.binning`, each applied once to each different
(people, bins, coverage) and weighted by how often it occurs.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from policy_sim.binning import (
    occupied_bins,
    people_by_bin_size,
    people_g_distinct,
    variance_of_occupied_bins,
    variance_of_people_g_distinct,
    variance_of_unique_people,
)
from policy_sim.binning.inputs import FloatArray, checked_coverage, checked_whole
from policy_sim.errors import InputError
from policy_sim.groups.groups import Groups, codes

__all__ = [
    "Interval",
    "g_distinct",
    "g_distinct_sweep",
    "g_distinct_variance",
    "interval",
    "total_risk",
    "total_risk_variance",
    "unique_people_variance",
]

_PAIRS_AT_ONCE = 8192  # bounds the memory of a sweep


def total_risk(groups: Groups, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the expected number of correct re-identifications in each unit.

    Parameters
    ----------
    groups : Who can be told apart how.
    coverage : Share of the people whom the resource lists, 0 to 1; one value, or one a unit.

    Returns
    -------
    People, shape (units,): the sum of ``(j/n) b (1 - (1 - c/b)**n)``. With ``bins`` 1 the sum of f/F,
    records times marketer risk.

    Raises
    ------
    InputError : coverage outside its range or of another length than the units.

    References
    ----------
    Benitez and Malin (2010), equation 4.
    """
    pairs = _pairs(groups, coverage)
    return _product(pairs.weight, occupied_bins(pairs.people, pairs.bins, pairs.coverage))


def g_distinct(groups: Groups, g: Sequence[int], coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the expected number of people in bins of ``g`` or fewer, in each unit.

    Parameters
    ----------
    groups, coverage : As in :func:`total_risk`.
    g : Sizes, each >= 1, in any order.

    Returns
    -------
    People, shape (units, len(g)).

    Raises
    ------
    InputError : an argument outside its range.

    References
    ----------
    Benitez and Malin (2010), equations 2 and 3; see :func:`policy_sim.binning.people_g_distinct`.
    """
    pairs = _pairs(groups, coverage)
    n, b, c = (array[:, None] for array in (pairs.people, pairs.bins, pairs.coverage))
    people = people_g_distinct(n, b, np.asarray(g)[None, :], c)
    return _product(pairs.weight, people)


def g_distinct_sweep(groups: Groups, g_max: int, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return :func:`g_distinct` for every g = 1, 2, ..., ``g_max``, shape (units, g_max), in one pass."""
    pairs = _pairs(groups, coverage)
    people = np.zeros((groups.units, int(checked_whole("g_max", g_max, 1))))
    for low in range(0, len(pairs.people), _PAIRS_AT_ONCE):
        part = slice(low, low + _PAIRS_AT_ONCE)
        by_size = people_by_bin_size(pairs.people[part], pairs.bins[part], g_max, pairs.coverage[part])
        people += (pairs.weight[:, part] @ by_size).toarray()
    np.cumsum(people, axis=1, out=people)
    # the last digit of the running sum must not make more people than there are
    return np.minimum(people, _product(pairs.weight, pairs.people * pairs.coverage)[:, None], out=people)


def total_risk_variance(groups: Groups, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the variance of the total risk of each unit, over how people fall into bins.

    Groups are independent, so their variances add up; which j of the n are released is averaged over.
    Shape (units,), people squared. Errors as :func:`total_risk`, and bins between 1 and 2.
    """
    pairs = _pairs(groups, coverage, squared=True)
    return _product(pairs.weight, variance_of_occupied_bins(pairs.people, pairs.bins, pairs.coverage))


def unique_people_variance(groups: Groups, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the variance of the unique people (1-distinct) of each unit, as :func:`total_risk_variance`."""
    pairs = _pairs(groups, coverage, squared=True)
    return _product(pairs.weight, variance_of_unique_people(pairs.people, pairs.bins, pairs.coverage))


def g_distinct_variance(groups: Groups, g: int, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the variance of the people in bins of ``g`` or fewer of each unit, as :func:`total_risk_variance`."""
    if g == 1:
        return unique_people_variance(groups, coverage)
    pairs = _pairs(groups, coverage, squared=True)
    return _product(pairs.weight, variance_of_people_g_distinct(pairs.people, pairs.bins, g, pairs.coverage))


class Interval(NamedTuple):
    """Both ends of an interval, arrays of one shape."""

    low: FloatArray
    high: FloatArray


def interval(expected: FloatArray, variance: FloatArray, level: float = 0.95) -> Interval:
    """Return the interval that holds a sum over many independent groups with chance ``level``.

    The normal approximation: a unit adds up thousands of groups. Never below 0.

    Raises
    ------
    InputError : level not between 0 and 1.
    """
    if not 0 < level < 1:
        raise InputError(f"level = {level:g} must be more than 0 and less than 1, such as 0.95.")
    reach = NormalDist().inv_cdf((1 + level) / 2) * np.sqrt(variance)
    return Interval(np.maximum(expected - reach, 0.0), expected + reach)


class _Pairs(NamedTuple):
    """The different (people, bins, coverage) of all units, and their weight in each unit."""

    people: FloatArray
    bins: FloatArray
    coverage: FloatArray
    weight: sparse.csr_array  # units × pairs


def _pairs(groups: Groups, coverage: ArrayLike, *, squared: bool = False) -> _Pairs:
    triples = groups.distinct()
    share = checked_coverage(coverage)
    if share.shape not in ((), (groups.units,)):
        raise InputError(f"coverage has shape {share.shape}: give one value, or one for each of {groups.units} units.")
    listed = np.broadcast_to(share, groups.units)[triples.unit]
    _, share_code = codes(listed)
    kinds, code = codes(triples.bins)
    span = int(triples.people.max(initial=0)) + 1
    _, first, pair = np.unique(
        (share_code * len(kinds) + code) * span + triples.people, return_index=True, return_inverse=True
    )
    weight = triples.weight_squared if squared else triples.weight
    matrix = sparse.coo_array((weight, (triples.unit, pair)), shape=(groups.units, len(first))).tocsr()
    return _Pairs(triples.people[first].astype(np.float64), triples.bins[first], listed[first], matrix)


def _product(weight: sparse.csr_array, values: FloatArray) -> FloatArray:
    product: FloatArray = np.asarray(weight @ values)
    return product
