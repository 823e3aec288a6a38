"""One group of people in equally likely bins: who is alone, who is found, who is claimed.

Every figure of the program ends in one of two functions: :func:`one_place` where the people of a group share one chance
to be in a bin, :func:`several_places` where a place takes parts of several counties. Where bins have few entries and
people live in the parts of a county by class, :func:`few_entries` is the series of the first, added up over the parts.

In every function:

people : Persons in the group, whole, >= 0.
bins : Equally likely values that the key distinguishes inside the group, >= 1; may be fractional.
coverage : Share of the people that the resource lists, at random, 0 to 1. Only listed people count, and only they
    share a bin.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import comb

from policy_sim.formulas.binomial import (
    NEGLIGIBLE,
    TINY,
    UNDERFLOW,
    Trials,
    checked_bins,
    checked_coverage,
    checked_numbers,
    checked_whole,
    log_miss,
    mass,
    mode,
    tail,
    together,
    walk,
)
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.errors import InputError

if TYPE_CHECKING:
    from scipy import sparse

# The chance that a bin has no entry: all else is that chance times powers of people and odds.


def one_place(people: FloatArray, missed: FloatArray, power: np.ufunc = np.exp) -> FloatArray:
    """Return the chance that none of a group is an entry of a given bin, ``(1 - x)^n``.

    Parameters
    ----------
    people : Persons ``n`` >= 0, or the others besides one of them. Need not be whole.
    missed : ``log(1 - x)`` <= 0 with ``x`` the chance that a person is listed and in the bin; less the stale records
        per person, where there are any, which makes it ``(1 - x)^n exp(-n y)``. Broadcast with ``people``.
    power : ``np.expm1`` for the chance less 1, which keeps the digits of a bin that is nearly surely empty.

    Returns
    -------
    Chance, 0 to 1. Nobody misses a bin for certain, even one that everybody is in.

    Examples
    --------
    Each of three people is in one of two bins.

    >>> one_place(np.array([0.0, 1.0, 3.0]), np.log1p(-0.5)).round(12).tolist()
    [1.0, 0.5, 0.125]

    References
    ----------
    Golle (2006), Benitez and Malin (2010), equation 4; docs/model.md, "Formulas".
    """
    if np.isneginf(missed).any():  # nobody times a certain hit is 0 * -inf
        missed = np.where(np.isneginf(missed) & (people == 0), 0.0, missed)
    exponent: FloatArray = np.multiply(people, missed)
    empty: FloatArray = power(exponent, out=exponent) if exponent.ndim else power(exponent)
    return empty


def several_places(share: sparse.csr_array, missed: FloatArray, people: FloatArray) -> FloatArray:
    """Return the logarithm of the chance that a bin of a place has no entry from any county, ``prod (1 - x)^N``.

    Parameters
    ----------
    share : Which counties each place takes a part of, sparse; shape (places, counties). Its numbers do not matter.
    missed : ``log(1 - x)`` of each piece, in the order of ``share.data``.
    people : Persons ``N`` of each cell of the counties; shape (counties, cells).

    Returns
    -------
    Logarithm of a chance, <= 0; shape (places, cells).

    References
    ----------
    docs/model-places-and-races.md, "Places below the county".
    """
    empty: FloatArray = with_data(share, missed) @ people
    return empty


def with_data(matrix: sparse.csr_array, data: FloatArray) -> sparse.csr_array:
    """Return a copy of a sparse matrix with other values."""
    changed = copy(matrix)  # a new matrix would check the places again
    changed.data = data
    return changed


def few_entries(moments: FloatArray, most: int) -> tuple[FloatArray, FloatArray]:
    """Return the filled bins, and the people in bins of 1, 2, ... entries, from the moments of the other entries.

    Both are :func:`one_place` and its terms, written as powers of ``x``: with ``V_i = sum n x C(n-1, i) x^i b``, the
    filled bins ``b (1 - (1-x)^n)`` are ``sum_i (-1)^i V_i / (i+1)``.

    Parameters
    ----------
    moments : ``V_i`` from ``i = 0`` on, added up over groups; shape (terms, units).
    most : Largest number of entries asked for.

    Returns
    -------
    Shapes (units,) and (most, units).

    Examples
    --------
    Three people in one of two bins each: 1.75 bins are filled, and 3/4 of a person is alone.

    >>> filled, by_size = few_entries(np.array([[3.0], [3.0], [0.75]]), 2)
    >>> filled.tolist(), by_size.ravel().tolist()
    ([1.75], [0.75, 1.5])
    """
    term = np.arange(len(moments))
    sign = (-1.0) ** term
    others = np.arange(most)[:, None]
    filled: FloatArray = sign / (term + 1) @ moments
    by_size: FloatArray = comb(term, others) * sign * (-1.0) ** others @ moments
    return filled, by_size


# Expected numbers of bins and of people in bins: f, h and r in Golle and in Benitez and Malin.

SMALL_G = 32  # up to this g, n^g / g! is far below the largest float, and every size is added up from the empty bin


def bins_of_size(people: ArrayLike, bins: ArrayLike, size: ArrayLike) -> FloatArray:
    """Return the expected number of bins that hold exactly ``size`` people.

    Parameters
    ----------
    size : People in the bin, whole, >= 0; 0 counts empty bins.

    Returns
    -------
    Bins. Over all sizes they add up to ``bins``, and weighted by size to ``people``.

    Examples
    --------
    3 people fall into 2 bins in 8 equally likely ways: 2 put all three together, and 6 split them 2 + 1.

    >>> bins_of_size(3, 2, [1, 2, 3]).round(12).tolist()
    [0.75, 0.75, 0.25]

    References
    ----------
    Golle (2006); Benitez and Malin (2010), equation 1.
    """
    n, b, i = checked_whole("people", people, 0), checked_bins(bins), checked_whole("size", size, 0)
    shape, (n, b, i) = together(n, b, i)
    return mass(Trials(n, b, np.ones_like(b)), i, b).reshape(shape)


def people_g_distinct(people: ArrayLike, bins: ArrayLike, g: ArrayLike, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the expected number of people who share their bin with fewer than ``g`` others.

    Parameters
    ----------
    g : Largest bin that counts, whole, >= 1; 1 counts unique people.

    Returns
    -------
    People, ``n c BinomCDF(g - 1; n - 1, c/b)``; from 0 to ``people * coverage``, growing with ``g``.

    Examples
    --------
    >>> people_g_distinct(200, 365, [1, 5]).round(2).tolist()
    [115.86, 199.95]

    References
    ----------
    Benitez and Malin (2010), equations 2 and 3, as their worked example applies them. Equation 2 is printed without the
    weight ``i`` (see :func:`bins_up_to`).
    """
    n, b, k = checked_whole("people", people, 0), checked_bins(bins), checked_whole("g", g, 1)
    shape, (n, b, k, c) = together(n, b, k, checked_coverage(coverage))
    # each of the n people meets the n - 1 others: a bin of g holds g - 1 of them
    others, missed = np.maximum(n - 1, 0), log_miss(b, c)
    few = (k <= SMALL_G) & ((others * np.maximum(missed, UNDERFLOW) > UNDERFLOW) | (n <= k))
    distinct, listed = np.zeros_like(b), n * c
    distinct[few] = listed[few] * _few_others(others[few], missed[few], (c / (b - c + (b == c)))[few], k[few])
    many = np.flatnonzero(~few)
    below, part = tail(Trials(others[many], b[many], c[many]), k[many] - 1, listed[many])
    distinct[many] = np.where(below, part, listed[many] - part)
    return distinct.reshape(shape)


def _few_others(others: FloatArray, missed: FloatArray, odds: FloatArray, g: FloatArray) -> FloatArray:
    """Return the chance that fewer than ``g`` of the others are in a person's bin, one size after the other."""
    term = one_place(others, missed)
    chance = term.copy()
    for size in range(1, int(g.max(initial=1))):
        term *= np.maximum(others - (size - 1), 0) / size * odds
        chance += np.where(size < g, term, 0.0)
    return np.where(others < g, 1.0, np.minimum(chance, 1.0))


def bins_up_to(people: ArrayLike, bins: ArrayLike, g: ArrayLike) -> FloatArray:
    """Return the expected number of bins that hold 1 to ``g`` people.

    Benitez and Malin (2010) print this sum as g-distinct (equation 2). It counts bins, but their worked example and
    results count people: use :func:`people_g_distinct`. This function computes equation 2 as printed.

    Examples
    --------
    >>> bins_up_to(200, 365, 5).round(2).item()
    154.13
    """
    n, b, k = checked_whole("people", people, 0), checked_bins(bins), checked_whole("g", g, 1)
    shape, (n, b, k) = together(n, b, k)
    trials = Trials(n, b, np.ones_like(b))
    below, part = tail(trials, k, b)
    empty = mass(trials, np.zeros_like(n), b)
    return np.where(below, part - empty, _occupied(n, b, trials.coverage) - part).reshape(shape)


def occupied_bins(people: ArrayLike, bins: ArrayLike, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the expected number of bins that hold a listed person: the total risk of the group.

    The attacker matches one person of each occupied bin correctly, on average, whatever the size of the bin.

    Returns
    -------
    Bins, ``b (1 - (1 - c/b)**n)``; at most ``bins`` and at most ``people * coverage``.

    Examples
    --------
    Three people fall into 2 bins in 8 ways: 2 fill one bin, and 6 fill both.

    >>> occupied_bins(3, 2).item()
    1.75

    References
    ----------
    Benitez and Malin (2010), equation 4, which overflows as printed.
    """
    n, b = checked_whole("people", people, 0), checked_bins(bins)
    shape, (n, b, c) = together(n, b, checked_coverage(coverage))
    return _occupied(n, b, c).reshape(shape)


def _occupied(people: FloatArray, bins: FloatArray, coverage: FloatArray) -> FloatArray:
    return np.minimum(-bins * one_place(people, log_miss(bins, coverage), np.expm1), people * coverage)


# Claims: the matches of an attacker that links only records with exactly one candidate. Some are wrong.
#
# An attacker *claims* a released record if exactly one listed person has its values. If the list misses people, that
# person may be somebody else.


def claimed_records(people: ArrayLike, bins: ArrayLike, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the expected number of records that an attacker claims if everyone is released.

    Returns
    -------
    Records, ``n [c (1 - c/b)^(n-1) + (1 - c)(n - 1)(c/b)(1 - c/b)^(n-2)]``, from 0 to ``people``. The first term counts
    the correct claims: the listed people who are unique on the list (``people_g_distinct`` with g = 1). The second
    counts the wrong claims. If everyone is listed, no claim is wrong.

    Examples
    --------
    Two people have the same values, and each is listed with chance 1/2. With chance 1/2 exactly one is listed, and the
    attacker claims both records for that person. So there is one claim on average, and half of the claims are right.

    >>> claimed_records(2, 1, 0.5).item()
    1.0

    References
    ----------
    Golle (2006) and Benitez and Malin (2010) for the bins; counting the listed people in a bin gives the claims
    (docs/model.md).
    """
    n, b = checked_whole("people", people, 0), checked_bins(bins)
    shape, (n, b, c) = together(n, b, checked_coverage(coverage))
    missed = log_miss(b, c)
    correct = n * c * one_place(np.maximum(n - 1, 0), missed)
    wrong = n * (1 - c) * np.maximum(n - 1, 0) * (c / b) * one_place(np.maximum(n - 2, 0), missed)
    return (correct + wrong).reshape(shape)


# Every g at once: the people in bins of each size, for many groups in one pass.


def people_by_bin_size(people: ArrayLike, bins: ArrayLike, g_max: int, coverage: ArrayLike = 1.0) -> sparse.csr_array:
    """Return the expected number of people in bins of exactly 1, 2, ..., ``g_max``.

    The code walks each distribution outward from its most likely size by the ratio of neighbors: down to the smallest
    normal number, so that small g keep their digits, and up until the terms no longer matter.

    Parameters
    ----------
    people, bins, coverage : One value per group.
    g_max : Largest bin to return, >= 1.

    Returns
    -------
    Sparse, shape (groups, g_max); column ``i - 1`` is ``i f_n(i)``. The running sum along a row is
    g-distinct for g = 1, 2, ..., ``g_max``.
    """
    n, b = checked_whole("people", people, 0), checked_bins(bins)
    top = int(checked_whole("g_max", g_max, 1))
    _, (n, b, c) = together(n, b, checked_coverage(coverage))
    others = Trials(np.maximum(n - 1, 0), b, c)  # the people one person can meet; a bin of i has i - 1 of them
    start = np.minimum(mode(others), top - 1)
    first = mass(others, start, n * c)
    rows: list[IntArray] = [np.arange(n.size)]
    columns, values = [start], [first]
    walkable = np.where(b != c, first, 0.0)
    for step, stop in ((-1, np.full_like(first, TINY)), (1, np.maximum(first * NEGLIGIBLE, TINY))):
        begin = walkable if step < 0 else np.where(start < top - 1, walkable, 0.0)
        for row, sizes, part in walk(others, start, begin, step, stop):
            in_range = (part > 0) & (sizes < top)
            rows.append(np.broadcast_to(row[:, None], sizes.shape)[in_range])
            columns.append(sizes[in_range])
            values.append(part[in_range])
    return _matrix(rows, columns, values, (n.size, top))


def _matrix(
    rows: list[IntArray], columns: list[FloatArray], values: list[FloatArray], shape: tuple[int, int]
) -> sparse.csr_array:
    from scipy import sparse

    place = (np.concatenate(rows).astype(np.int32), np.concatenate(columns).astype(np.int32))
    return sparse.coo_array((np.concatenate(values), place), shape=shape).tocsr()


# One group whose bins are not equally likely: real birthdays, with February 29.
#
# Each bin ``d`` has a probability ``p_d``. Expectations add up, so the sum over single bins is exact for any
# probabilities.


def checked_shares(shares: ArrayLike) -> FloatArray:
    """Return probabilities of bins, each above 0, adding up to 1; or raise InputError."""
    numbers = checked_numbers("shares", shares)
    if numbers.ndim != 1 or not numbers.size or not bool((numbers > 0).all()):
        raise InputError("shares of bins must be a list of numbers above 0; leave out bins that nobody can be in.")
    if abs(float(numbers.sum()) - 1) > 1e-9:
        raise InputError(f"shares of bins add up to {numbers.sum():.12g}; they must add up to 1.")
    scaled: FloatArray = numbers / numbers.sum()
    return scaled


def occupied_uneven_bins(people: ArrayLike, shares: ArrayLike) -> FloatArray:
    """Return the expected number of bins that hold anyone: the total risk of the group.

    Parameters
    ----------
    shares : Probability of each bin, above 0, adding up to 1; shape (bins,).

    Returns
    -------
    Bins, ``sum over d of 1 - (1 - p_d)**n``; the shape of ``people``. Largest where the shares are equal.

    Examples
    --------
    Bins have chances 3/4 and 1/4. Two people fill one bin with chance 9/16 + 1/16, and otherwise two.

    >>> occupied_uneven_bins(2, [0.75, 0.25]).item()
    1.375
    """
    n, p = checked_whole("people", people, 0), checked_shares(shares)
    with np.errstate(divide="ignore"):  # a bin with probability 1: log 0 = -inf
        miss = np.log1p(-p)
    occupied: FloatArray = -one_place(n[..., None], miss, np.expm1).sum(axis=-1)
    return occupied


def people_g_distinct_uneven(people: ArrayLike, shares: ArrayLike, g: int) -> FloatArray:
    """Return the expected number of people who share their bin with fewer than ``g`` others.

    Parameters
    ----------
    shares : As in :func:`occupied_uneven_bins`.
    g : Largest bin that counts, >= 1.

    Returns
    -------
    People, ``n * sum over d of p_d BinomCDF(g - 1; n - 1, p_d)``; the shape of ``people``.

    Examples
    --------
    >>> people_g_distinct_uneven(2, [0.75, 0.25], 1).round(12).item()
    0.75
    """
    n, p = checked_whole("people", people, 0), checked_shares(shares)
    kinds, number = np.unique(p, return_counts=True)
    by_kind = people_g_distinct(n[..., None], 1 / kinds, g)  # n BinomCDF(g - 1; n - 1, p)
    return np.asarray(by_kind @ (kinds * number))
