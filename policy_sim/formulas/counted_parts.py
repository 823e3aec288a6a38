"""A large cell of a county in a part of which the people are counted: the hypergeometric distribution.

The census counts the ``R`` people of each part of a county of ``M`` people. Which ``R`` they are is chance, so of the
``n`` people of a cell the part holds ``m`` with the chance

    ``C(n, m) C(M - n, R - m) / C(M, R)``.

A cell that is everyone has exactly ``R`` people there. The figure of the part is the mean, over ``m``, of the figure of
a group of ``m`` people. For cells of up to a tenth of the county one term of this is enough
(:mod:`policy_sim.formulas.county_parts`); for larger cells every ``m`` is added up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import pdtri

from policy_sim.formulas.binomial import SMALL_SIZE, binomial_chances
from policy_sim.formulas.bins import people_g_distinct
from policy_sim.formulas.stale import correct_links, sizes_with_stale
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray

# From numbers of people in a part and the chance that each is listed and in a given bin, figures of such groups.
Figures: TypeAlias = Callable[[FloatArray, FloatArray], Iterator[FloatArray]]

SMALL_CELL = 0.1  # share of the county up to which one term of the hypergeometric distribution is enough
_EXPONENT = 46.0  # exp(-46) = 1e-20 of the chances of m may be left out (Bernstein's inequality)
_OUT_OF_THE_QUESTION = 1e-20  # a bin that holds this few so rarely is as if it never did
_WHOLE = 1e-6  # a share is a quotient of whole numbers: its last digits make no fraction of a person
_NEARLY_ONE = float(np.nextafter(1.0, 0.0))  # in place of 1, where the logarithm of 0 would be taken
_AT_ONCE = 20_000  # chances computed at once: they fit into the cache


class Pairs(NamedTuple):
    """Pairs of a cell and a part; shape (pairs,), or one number for all pairs.

    Attributes
    ----------
    people, residents, share : ``n`` of the cell, ``M`` of its county, and the part's share of that.
    bins : Values ``b`` >= 1 that the key distinguishes inside a part.
    coverage : Chance ``c`` that a person of the cell is listed.
    stale : Mean stale records in a bin.
    """

    people: FloatArray
    residents: FloatArray
    share: FloatArray
    bins: float = 1.0
    coverage: FloatArray | float = 1.0
    stale: FloatArray | float = 0.0

    @property
    def hit(self) -> FloatArray:
        """Chance that a person of the part is listed and in a given bin."""
        return np.broadcast_to(np.asarray(self.coverage / self.bins, dtype=np.float64), self.people.shape)


def is_large(people: FloatArray, residents: FloatArray | float) -> BoolArray:
    """Return which cells are more than a tenth of their county; none where people are placed independently."""
    large: BoolArray = people > SMALL_CELL * np.asarray(residents)
    return large


def occupied_counted(pairs: Pairs) -> FloatArray:
    """Return the expected correct links to the people of the cell, for pairs of a cell and a part; shape (1, pairs).

    Without stale records they are the bins that hold a listed person of the cell. What stale records take is what they
    take from the binomial that is most like the people.

    Examples
    --------
    Two of a county of four, in a part that holds two of the four: in five of six cases one of them lives there.

    >>> occupied_counted(Pairs(np.array([2.0]), np.array([4.0]), np.array([0.5]))).round(12).tolist()
    [[0.833333333333]]
    """

    def figures(m: FloatArray, hit: FloatArray) -> Iterator[FloatArray]:
        yield -np.expm1(m * np.log1p(-np.minimum(hit, _NEARLY_ONE)))

    occupied: FloatArray = pairs.bins * mean_over_counts(pairs, figures, most=0, crowded=np.ones(1))
    if not np.any(pairs.stale):
        return occupied
    chance, trials = matched_trials(pairs)
    with np.errstate(divide="ignore"):  # log 0: a bin that is never empty
        filled = -np.expm1(trials * np.log1p(-np.minimum(chance, 1.0)))
    links = correct_links(trials, chance, pairs.stale / trials)
    return occupied * np.divide(links, filled, out=np.ones_like(filled), where=filled > 0)


def distinct_counted(pairs: Pairs, sizes: IntArray) -> FloatArray:
    """Return the expected listed people of the cell in bins of each of ``sizes`` or fewer; shape (sizes, pairs)."""
    most = int(sizes.max())
    if np.any(pairs.stale):  # stale records move people to any larger size
        alone = distinct_counted(pairs._replace(stale=0.0), np.arange(1, most + 1))
        return sizes_with_stale(alone, np.asarray(pairs.stale))[sizes - 1]

    def figures(m: FloatArray, hit: FloatArray) -> Iterator[FloatArray]:
        if most > SMALL_SIZE:
            yield from (people_g_distinct(m, 1.0, size, hit) for size in sizes.tolist())
            return
        others = binomial_chances((m - 1).ravel(), np.broadcast_to(hit, m.shape).ravel(), most - 1)
        upto = np.cumsum(others, axis=0).reshape(most, *m.shape)
        yield from (m * hit * upto[size - 1] for size in sizes.tolist())

    return pairs.bins * mean_over_counts(pairs, figures, most=most, crowded=np.zeros(len(sizes)))


def others_counted(pairs: Pairs) -> FloatArray:
    """Return the expected people of the cell in a part with no other entry in their bin, and with one.

    Shape (2, pairs). Whether they are listed themselves does not matter: a share of them is.
    """

    def figures(m: FloatArray, hit: FloatArray) -> Iterator[FloatArray]:
        yield m * (1 - hit) ** np.maximum(m - 1, 0)
        yield m * (m - 1) * hit * (1 - hit) ** np.maximum(m - 2, 0)

    alone, in_pairs = mean_over_counts(pairs, figures, most=2, crowded=np.zeros(2))
    no_record = np.exp(-np.asarray(pairs.stale))
    return np.stack([no_record * alone, no_record * (in_pairs + pairs.stale * alone)])


def derivatives_counted(pairs: Pairs) -> FloatArray:
    """Return the mean of ``s^m`` with ``s = 1 - c/b``, and its first and second derivatives in ``s``; (3, pairs)."""

    def figures(m: FloatArray, hit: FloatArray) -> Iterator[FloatArray]:
        yield (1 - hit) ** m
        yield m * (1 - hit) ** np.maximum(m - 1, 0)
        yield m * (m - 1) * (1 - hit) ** np.maximum(m - 2, 0)

    return mean_over_counts(pairs, figures, most=2, crowded=np.zeros(3))


def matched_trials(pairs: Pairs) -> tuple[FloatArray, FloatArray]:
    """Return the chance and the whole number of trials of the binomial that is most like the listed people of a bin.

    It has their mean, and their variance but for what rounding up the trials takes away. A cell that is everyone has
    just this binomial: ``R`` trials, each with the chance ``c/b``. It stands in where generating functions at many
    points are needed: for the sizes of crowded bins, and to divide what a place bears among its counties.
    """
    people, residents, share = pairs[:3]
    spread = (1 - share) * (residents - people) / np.maximum(residents - 1, 1.0)  # variance of m over its mean
    trials = np.maximum(np.ceil(people * share / np.maximum(1 - spread, share) - _WHOLE), 1.0)
    return people * share * pairs.hit / trials, trials


def mean_over_counts(pairs: Pairs, figures: Figures, *, most: int, crowded: ArrayLike) -> FloatArray:
    """Return the mean of figures of ``m`` people, over the ``m`` people of a cell who live in a part.

    Parameters
    ----------
    pairs : A part of ``R`` people, not whole, holds the whole number below or above, with the chances that keep the
        mean.
    figures : From ``m``, shape (sizes, pairs), and the chance of the same pairs that one of the ``m`` is listed and in
        a given bin, each figure in the shape of ``m``.
    most : Largest number of people in a bin that matters to the figures.
    crowded : The figures where a bin practically always holds more; shape (figures,).

    Returns
    -------
    Shape (figures, pairs).

    Examples
    --------
    Two of four people are of the cell and the part holds two of the four: nobody of the cell in one of six cases, one
    in four and both in one. The mean of ``m^2`` is (4 + 4) / 6. Of a cell that is everyone, two live in the part.

    >>> def squares(m, hit):
    ...     yield m**2
    >>> pair = Pairs(np.array([2.0]), np.array([4.0]), np.array([0.5]))
    >>> mean_over_counts(pair, squares, most=2, crowded=[0.0]).round(12).tolist()
    [[1.333333333333]]
    >>> everyone = Pairs(np.array([4.0]), np.array([4.0]), np.array([0.5]))
    >>> mean_over_counts(everyone, squares, most=2, crowded=[0.0]).tolist()
    [[4.0]]
    """
    people, residents, share = pairs[:3]
    hit = pairs.hit
    counted = residents * share
    lower = np.floor(counted + _WHOLE)
    higher = np.where(counted - lower > _WHOLE, counted - lower, 0.0)
    mean = np.repeat(np.array(crowded, dtype=np.float64)[:, None], len(people), axis=1)
    # the number in a bin is a sum of independent trials: small less often than a Poisson variable (Hoeffding 1956)
    near = np.flatnonzero(people * share * hit <= float(pdtri(most, _OUT_OF_THE_QUESTION)))
    between = near[higher[near] > 0]
    pair, whole = np.concatenate([near, between]), np.concatenate([lower[near], lower[between] + 1])
    weight = np.concatenate([1 - higher[near], higher[between]])
    means = weight * _means(people[pair], residents[pair], whole, hit[pair], figures, len(mean))
    mean[:, near] = means[:, : len(near)]
    mean[:, between] += means[:, len(near) :]
    return mean


def _means(
    people: FloatArray, residents: FloatArray, counted: FloatArray, hit: FloatArray, figures: Figures, many: int
) -> FloatArray:
    """Return the mean figures, where each part holds a whole number of people."""
    least, most = np.maximum(people + counted - residents, 0.0), np.minimum(people, counted)
    middle = people * counted / residents
    spread = middle * (1 - counted / residents) * (residents - people) / np.maximum(residents - 1, 1.0)
    # Bernstein: all m farther than this from the middle, on either side, have a chance below exp(-46)
    half = _EXPONENT / 3 + np.sqrt((_EXPONENT / 3) ** 2 + 2 * _EXPONENT * np.maximum(spread, 0.0))
    low, high = np.maximum(np.floor(middle - half), least), np.minimum(np.ceil(middle + half), most)
    length = (high - low).astype(np.int64) + 1
    mean, order, start = np.empty((many, len(people))), np.argsort(length, kind="stable"), 0
    while start < len(order):
        end = _end_of_block(length[order], start)
        block = order[start:end]
        chance = _chances(people[block], residents[block], counted[block], low[block], high[block])
        m = np.minimum(low[block] + np.arange(float(len(chance)))[:, None], high[block])  # beyond it the chance is 0
        for figure, values in enumerate(figures(m, hit[block])):
            mean[figure, block] = np.einsum("ij,ij->j", chance, values)
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
