"""A large cell of a county in a part of which the people are counted: the hypergeometric distribution.

The census counts the ``R`` people of each part of a county of ``M`` people. Which ``R`` they are is chance, so of the
``n`` people of a cell the part holds ``m`` with the chance

    ``C(n, m) C(M - n, R - m) / C(M, R)``.

A cell that is everyone has exactly ``R`` people there. The figure of the part is the mean, over ``m``, of the figure of
a group of ``m`` people. For cells of up to a tenth of the county one term of this is enough
(:mod:`policy_sim.formulas.county_parts`); for larger cells every ``m`` is added up.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from scipy.special import pdtri

from policy_sim.formulas.binomial import log_miss
from policy_sim.formulas.bins import occupied_bins, people_g_distinct
from policy_sim.formulas.stale import (
    correct_links,
)
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray

# The people of each cell, those of its county, and the share of these in the part; aligned.
Pairs: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]

SMALL_CELL = 0.1  # share of the county up to which one term of the hypergeometric distribution is enough
_EXPONENT = 46.0  # exp(-46) = 1e-20 of the chances of m may be left out (Bernstein's inequality)
_OUT_OF_THE_QUESTION = 1e-20  # a bin that holds this few so rarely is as if it never did
_WHOLE = 1e-6  # a share is a quotient of whole numbers: its last digits make no fraction of a person
_AT_ONCE = 1_000_000  # chances computed at once


def is_large(people: FloatArray, residents: FloatArray | float) -> BoolArray:
    """Return which cells are more than a tenth of their county; none where people are placed independently."""
    large: BoolArray = people > SMALL_CELL * np.asarray(residents)
    return large


def occupied_counted(
    people: FloatArray, residents: FloatArray, share: FloatArray, bins: float, coverage: float = 1.0
) -> FloatArray:
    """Return the expected bins that hold a listed person of the cell, for pairs of a cell and a part; shape (1, pairs).

    Parameters
    ----------
    people, residents, share : As in :func:`mean_over_counts`.
    bins, coverage : Values that the key distinguishes inside a part, and the chance that a person is listed.

    Examples
    --------
    Two of a county of four, in a part that holds two of the four: in five of six cases one of them lives there.

    >>> occupied_counted(np.array([2.0]), np.array([4.0]), np.array([0.5]), 1.0).round(12).tolist()
    [[0.833333333333]]
    """

    def figures(m: FloatArray) -> FloatArray:
        return occupied_bins(m, bins, coverage)[None]

    return mean_over_counts(people, residents, share, figures, hit=coverage / bins, most=0, crowded=bins)


def distinct_counted(
    people: FloatArray, residents: FloatArray, share: FloatArray, bins: float, sizes: IntArray, coverage: float = 1.0
) -> FloatArray:
    """Return the expected listed people of the cell in bins of each of ``sizes`` or fewer; shape (sizes, pairs)."""

    def figures(m: FloatArray) -> FloatArray:
        return people_g_distinct(m, bins, sizes[:, None], coverage)

    most = int(sizes.max())
    return mean_over_counts(people, residents, share, figures, hit=coverage / bins, most=most, crowded=0.0)


def claimed_wrongly_counted(
    people: FloatArray, residents: FloatArray, share: FloatArray, bins: float, coverage: float = 1.0
) -> FloatArray:
    """Return the expected records of the cell claimed for somebody else; shape (1, pairs)."""

    def figures(m: FloatArray) -> FloatArray:
        nobody_else = np.where(m > 2, np.exp((m - 2) * log_miss(np.full_like(m, bins), np.full_like(m, coverage))), 1.0)
        wrong: FloatArray = m * np.maximum(m - 1, 0) * (1 - coverage) * (coverage / bins) * nobody_else
        return wrong[None]

    return mean_over_counts(people, residents, share, figures, hit=coverage / bins, most=2, crowded=0.0)


def others_counted(
    people: FloatArray, residents: FloatArray, share: FloatArray, bins: float, coverage: float = 1.0
) -> FloatArray:
    """Return the expected people of the cell in a part with no other listed person in their bin, and with one.

    Shape (2, pairs). Whether they are listed themselves does not matter: a share of them is.
    """
    hit = coverage / bins

    def figures(m: FloatArray) -> FloatArray:
        none, single = (np.maximum(m - 1, 0), np.maximum(m - 2, 0))
        return np.array([m * (1 - hit) ** none, m * (m - 1) * hit * (1 - hit) ** single])

    return mean_over_counts(people, residents, share, figures, hit=hit, most=2, crowded=0.0)


def by_coverage(figures: Callable[..., FloatArray], pairs: Pairs, bins: float, coverage: FloatArray) -> FloatArray:
    """Return counted figures of pairs of a cell and a part whose people are listed with several chances.

    ``figures``: one of the above; ``pairs``: its people, residents and share. Shape (figures, pairs).
    """
    if not len(coverage):
        return figures(*pairs, bins=bins, coverage=1.0)
    order = np.argsort(coverage, kind="stable")
    ends = np.flatnonzero(np.diff(coverage[order], append=np.inf)) + 1
    pieces = []
    for low, high in pairwise([0, *ends.tolist()]):
        alike = order[low:high]
        pieces.append(figures(*(values[alike] for values in pairs), bins=bins, coverage=float(coverage[alike[0]])))
    values = np.concatenate(pieces, axis=1)
    values[:, order] = values.copy()
    return values


def occupied_with_stale(values: FloatArray, pairs: Pairs, hit: FloatArray, stale: FloatArray) -> FloatArray:
    """Return the correct links of large cells from their occupied bins; ``stale``: records per bin of each pair.

    What stale records take is what they take from the binomial that is most like the people.
    """
    chance, trials = matched_trials(*pairs, hit)
    with np.errstate(divide="ignore"):  # log 0: a bin that is never empty
        filled = -np.expm1(trials * np.log1p(-np.minimum(chance, 1.0)))
    left = np.divide(correct_links(trials, chance, stale / trials), filled, out=np.ones_like(filled), where=filled > 0)
    return values * left


def derivatives_counted(
    people: FloatArray, residents: FloatArray, share: FloatArray, bins: float, coverage: float = 1.0
) -> FloatArray:
    """Return the mean of ``s^m`` with ``s = 1 - c/b``, and its first and second derivatives in ``s``; (3, pairs)."""
    hit = coverage / bins

    def figures(m: FloatArray) -> FloatArray:
        return np.array([factor * (1 - hit) ** np.maximum(m - k, 0) for k, factor in enumerate((m**0, m, m * (m - 1)))])

    return mean_over_counts(people, residents, share, figures, hit=hit, most=2, crowded=0.0)


def matched_trials(
    people: FloatArray, residents: FloatArray, share: FloatArray, hit: FloatArray | float
) -> tuple[FloatArray, FloatArray]:
    """Return the chance and the whole number of trials of the binomial that is most like the listed people of a bin.

    It has their mean, and their variance but for what rounding up the trials takes away. A cell that is everyone has
    just this binomial: ``R`` trials, each with the chance ``hit``. It stands in where generating functions at many
    points are needed: for the sizes of crowded bins, and to divide what a place bears among its counties.
    """
    spread = (1 - share) * (residents - people) / np.maximum(residents - 1, 1.0)  # variance of m over its mean
    trials = np.maximum(np.ceil(people * share / np.maximum(1 - spread, share) - _WHOLE), 1.0)
    return people * share * hit / trials, trials


def mean_over_counts(
    people: FloatArray,
    residents: FloatArray,
    share: FloatArray,
    figures: Callable[[FloatArray], FloatArray],
    *,
    hit: FloatArray | float,
    most: int,
    crowded: FloatArray | float,
) -> FloatArray:
    """Return the mean of figures of ``m`` people, over the ``m`` people of a cell who live in a part.

    Parameters
    ----------
    people, residents, share : ``n`` of the cell, ``M`` of its county and the part's share of ``M``; shape (pairs,). A
        part of ``R`` people, not whole, holds the whole number below or above, with the chances that keep the mean.
    figures : Figures of groups of each of several ``m``, shape (figures, len(m)).
    hit : Chance that one of the ``m`` is listed and in a given bin; shape (pairs,) or one number.
    most : Largest number of people in a bin that matters to the figures.
    crowded : The figures where a bin practically always holds more; shape (figures,) or one number.

    Returns
    -------
    Shape (figures, pairs).

    Examples
    --------
    Two of four people are of the cell and the part holds two of the four: nobody of the cell in one of six cases, one
    in four and both in one. The mean of ``m^2`` is (4 + 4) / 6. Of a cell that is everyone, two live in the part.

    >>> pair = np.array([2.0]), np.array([4.0]), np.array([0.5])
    >>> mean_over_counts(*pair, lambda m: m[None] ** 2, hit=1.0, most=2, crowded=0.0).round(12).tolist()
    [[1.333333333333]]
    >>> everyone = np.array([4.0]), np.array([4.0]), np.array([0.5])
    >>> mean_over_counts(*everyone, lambda m: m[None] ** 2, hit=1.0, most=2, crowded=0.0).tolist()
    [[4.0]]
    """
    counted = residents * share
    lower = np.floor(counted + _WHOLE)
    higher = np.where(counted - lower > _WHOLE, counted - lower, 0.0)
    many = np.asarray(figures(np.zeros(1))).shape[0]
    mean = np.empty((many, len(people)))
    mean[:] = np.reshape(np.broadcast_to(crowded, many), (many, 1))
    # the number in a bin is a sum of independent trials: small less often than a Poisson variable (Hoeffding 1956)
    near = np.flatnonzero(people * share * hit <= float(pdtri(most, _OUT_OF_THE_QUESTION)))
    if not len(near):
        return mean
    mean[:, near] = (1 - higher[near]) * _means(people[near], residents[near], lower[near], figures, many)
    between = near[higher[near] > 0]
    if len(between):
        more = _means(people[between], residents[between], lower[between] + 1, figures, many)
        mean[:, between] += higher[between] * more
    return mean


def _means(
    people: FloatArray,
    residents: FloatArray,
    counted: FloatArray,
    figures: Callable[[FloatArray], FloatArray],
    many: int,
) -> FloatArray:
    """Return the mean figures, where each part holds a whole number of people."""
    least, most = np.maximum(people + counted - residents, 0.0), np.minimum(people, counted)
    middle = people * counted / residents
    spread = middle * (1 - counted / residents) * (residents - people) / np.maximum(residents - 1, 1.0)
    # Bernstein: all m farther than this from the middle, on either side, have a chance below exp(-46)
    half = _EXPONENT / 3 + np.sqrt((_EXPONENT / 3) ** 2 + 2 * _EXPONENT * np.maximum(spread, 0.0))
    low, high = np.maximum(np.floor(middle - half), least), np.minimum(np.ceil(middle + half), most)
    lowest = int(low.min())
    table = figures(np.arange(float(lowest), high.max() + 1))
    length = (high - low).astype(np.int64) + 1
    mean, order, start = np.empty((many, len(people))), np.argsort(length, kind="stable"), 0
    while start < len(order):
        end = _end_of_block(length[order], start)
        block = order[start:end]
        chance = _chances(people[block], residents[block], counted[block], low[block], high[block])
        size = (low[block] - lowest).astype(np.int64) + np.arange(len(chance))[:, None]
        size = np.minimum(size, table.shape[1] - 1)  # beyond it the chance is 0
        for figure, values in enumerate(table):
            mean[figure, block] = (chance * values[size]).sum(axis=0)
        start = end
    return mean


def _end_of_block(length: IntArray, start: int) -> int:
    """Return where a block of pairs ends whose chances are computed at once; lengths are sorted."""
    end = start + max(_AT_ONCE // int(length[start]), 1)
    while end - start > 1 and int(length[min(end, len(length)) - 1]) * (end - start) > 2 * _AT_ONCE:
        end = start + (end - start) // 2
    return min(end, len(length))


def _chances(
    people: FloatArray, residents: FloatArray, counted: FloatArray, low: FloatArray, high: FloatArray
) -> FloatArray:
    """Return the chances of ``low``, ``low + 1``, ... up to the largest ``high``; shape (sizes, pairs).

    By the ratio of neighbors, whose logarithms add up: factorials of a county would leave eight digits.
    """
    m = low + np.arange(int((high - low).max()))[:, None]
    inside = m < high
    up = np.where(inside, (people - m) * (counted - m), 1.0)
    down = np.where(inside, (m + 1) * (residents - people - counted + m + 1), 1.0)
    log = np.vstack([np.zeros(len(low)), np.cumsum(np.log(up / down), axis=0)])
    log[1:][~inside] = -np.inf
    log -= log.max(axis=0)  # the largest becomes 1: nothing overflows, and the sum below sets the scale
    chance = np.exp(log)
    chances: FloatArray = chance / chance.sum(axis=0)
    return chances
