"""What a release of groups reveals, in people, summed by unit (a state, a county).

The formulas are those of :mod:`policy_sim.binning`, each applied once to each different
(people, bins, coverage) and weighted by how often it occurs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from policy_sim.arrays import FloatArray, IntArray
from policy_sim.binning import (
    claimed_records,
    occupied_bins,
    people_by_bin_size,
    people_g_distinct,
    variance_of_correct_links,
    variance_of_people_g_distinct,
    variance_of_unique_people,
)
from policy_sim.binning.inputs import checked_coverage, checked_whole
from policy_sim.errors import InputError
from policy_sim.groups.groups import Groups, codes
from policy_sim.groups.parted_groups import PartedGroups
from policy_sim.groups.placed_groups import CountyPartGroups, PlacedGroups
from policy_sim.groups.placed_sweeps import sweep_placed

__all__ = [
    "AnyGroups",
    "MeasuredGroups",
    "claims",
    "g_distinct",
    "g_distinct_sweep",
    "g_distinct_variance",
    "total_risk",
    "total_risk_variance",
    "unique_people_variance",
]

# Groups of people who are counted together, or placed by chance: measures in people answer for either.
AnyGroups: TypeAlias = Groups | CountyPartGroups | PlacedGroups
# The same, also with every figure parted among the people.
MeasuredGroups: TypeAlias = AnyGroups | PartedGroups

_PAIRS_AT_ONCE = 8192  # bounds the memory of a sweep


def total_risk(groups: MeasuredGroups, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the expected number of correct re-identifications in each unit.

    Parameters
    ----------
    groups : Who can be distinguished, and how.
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
    if not isinstance(groups, Groups):
        return groups.total_risk(coverage)
    pairs = _pairs(groups, coverage)
    return _product(pairs.weight, occupied_bins(pairs.people, pairs.bins, pairs.coverage))


def g_distinct(groups: MeasuredGroups, g: Sequence[int], coverage: ArrayLike = 1.0) -> FloatArray:
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
    if not isinstance(groups, Groups):
        return groups.g_distinct(tuple(int(size) for size in checked_whole("g", g, 1)), coverage)
    pairs = _pairs(groups, coverage)
    n, b, c = (array[:, None] for array in (pairs.people, pairs.bins, pairs.coverage))
    people = people_g_distinct(n, b, np.asarray(g)[None, :], c)
    return _product(pairs.weight, people)


def claims(groups: MeasuredGroups, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the expected number of records in each unit that an attacker claims to have named.

    It claims a record where exactly one listed person has its values. Of the claims,
    ``g_distinct(groups, [1], coverage)`` are correct: the share of correct claims is the precision.
    Parameters and errors as in :func:`total_risk`; shape (units,).
    """
    if not isinstance(groups, Groups):
        return groups.claims(coverage)
    pairs = _pairs(groups, coverage)
    return _product(pairs.weight, claimed_records(pairs.people, pairs.bins, pairs.coverage))


def g_distinct_sweep(groups: MeasuredGroups, g_max: int, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return :func:`g_distinct` for every g = 1, 2, ..., ``g_max``, shape (units, g_max), in one pass."""
    if isinstance(groups, PartedGroups):
        raise InputError("curves are not parted among the people: ask for single values of g.")
    if not isinstance(groups, Groups):
        return sweep_placed(groups, int(checked_whole("g_max", g_max, 1)), coverage)
    pairs = _pairs(groups, coverage)
    people = np.zeros((groups.units, int(checked_whole("g_max", g_max, 1))))
    for low in range(0, len(pairs.people), _PAIRS_AT_ONCE):
        part = slice(low, low + _PAIRS_AT_ONCE)
        by_size = people_by_bin_size(pairs.people[part], pairs.bins[part], g_max, pairs.coverage[part])
        people += (pairs.weight[:, part] @ by_size).toarray()
    np.cumsum(people, axis=1, out=people)
    # the last digit of the running sum must not make more people than there are
    return np.minimum(people, _product(pairs.weight, pairs.people * pairs.coverage)[:, None], out=people)


def total_risk_variance(groups: AnyGroups, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the variance of the number of correct links of each unit, of which total risk is the expectation.

    Over how people fall into bins and over which of the equals the attacker picks, record by record
    (:func:`~policy_sim.binning.variance_of_correct_links`); where ``j`` of a group's ``n`` are released, over
    which of them these are, too. Groups are independent, so their variances add up.

    Parameters
    ----------
    groups, coverage : As in :func:`total_risk`.

    Returns
    -------
    People squared, shape (units,).

    Raises
    ------
    InputError : as :func:`total_risk`, and bins between 1 and 2.
    """
    pairs, squared = _pairs(groups, coverage), _pairs(groups, coverage, squared=True)
    keys = (pairs.people, pairs.bins, pairs.coverage)
    return _of_part(pairs, squared, occupied_bins(*keys), variance_of_correct_links(*keys))


def unique_people_variance(groups: AnyGroups, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the variance of the unique people (1-distinct) of each unit, as :func:`g_distinct_variance`."""
    return g_distinct_variance(groups, 1, coverage)


def g_distinct_variance(groups: AnyGroups, g: int, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the variance of the people in bins of ``g`` or fewer of each unit, over how people fall into bins.

    Parameters, result and errors as in :func:`total_risk_variance`; no guess enters here.
    """
    pairs, squared = _pairs(groups, coverage), _pairs(groups, coverage, squared=True)
    keys = (pairs.people, pairs.bins)
    if g == 1:
        variance = variance_of_unique_people(*keys, pairs.coverage)
    else:
        variance = variance_of_people_g_distinct(*keys, g, pairs.coverage)
    return _of_part(pairs, squared, people_g_distinct(*keys, g, pairs.coverage), variance)


def _of_part(pairs: _Pairs, squared: _Pairs, mean: FloatArray, variance: FloatArray) -> FloatArray:
    """Return the variance of what is counted among the released, by unit, given that of all ``n`` of each group.

    Each person counts or does not (a right link, alone in a bin), and no person is likelier to than another.
    So the count among ``j`` of them has the variance ``j m (1-m) + j (j-1) C`` with ``m`` the mean per person
    and ``C`` the covariance of two, which the variance of all ``n`` tells. With ``j = n`` that is itself.
    """
    n = np.maximum(pairs.people, 1)
    single = mean * (1 - mean / n)
    partly = np.where(n > 1, (n * single - variance) / np.maximum(n - 1, 1), single)
    return np.maximum(_product(squared.weight, variance) + _product(pairs.weight - squared.weight, partly), 0.0)


class _Pairs(NamedTuple):
    """The different (people, bins, coverage) of all units, and their weight in each unit."""

    people: FloatArray
    bins: FloatArray
    coverage: FloatArray
    weight: sparse.csr_array  # units × pairs


def _pairs(groups: AnyGroups, coverage: ArrayLike, *, squared: bool = False) -> _Pairs:
    if not isinstance(groups, Groups):
        raise InputError(
            "variances are not computed for ZIP codes placed by the make-up of the county: take a population by ZIP "
            "code such as us-2010-zip."
        )
    triples = groups.distinct()
    share = checked_coverage(coverage)
    if share.shape not in ((), (groups.units,)):
        raise InputError(f"coverage has shape {share.shape}: give one value, or one for each of {groups.units} units.")
    listed = np.broadcast_to(share, groups.units)[triples.unit]
    _, share_code = codes(listed)
    kinds, code = codes(triples.bins)
    first, pair = _alike(share_code * len(kinds) + code, triples.people)
    weight = triples.weight_squared if squared else triples.weight
    matrix = sparse.coo_array((weight, (triples.unit, pair)), shape=(groups.units, len(first))).tocsr()
    return _Pairs(triples.people[first].astype(np.float64), triples.bins[first], listed[first], matrix)


def _alike(kind: IntArray, people: IntArray) -> tuple[IntArray, IntArray]:
    """Return one place that has each different (kind, people), and which of them each place has."""
    span = int(people.max(initial=0)) + 1
    if (int(kind.max(initial=0)) + 1) * span <= np.iinfo(np.int64).max:
        _, first, pair = np.unique(kind * span + people, return_index=True, return_inverse=True)
    else:  # both do not fit into one integer
        rows = np.column_stack([kind, people])
        _, first, pair = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return first, pair.reshape(-1)


def _product(weight: sparse.csr_array, values: FloatArray) -> FloatArray:
    product: FloatArray = np.asarray(weight @ values)
    return product
