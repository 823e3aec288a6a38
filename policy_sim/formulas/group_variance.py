"""How much chance changes the figures of many groups: counted, on a list, placed by chance, or overlapping."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from policy_sim.formulas.binomial import by_unit
from policy_sim.formulas.groups import AnyGroups, ComparedGroups, Groups
from policy_sim.formulas.listed_groups import (
    ALMOST_SURE,
    MANY_BINS,
    ListedGroups,
    Trials,
    chances_upto,
    poisson_mean,
)
from policy_sim.formulas.placed_groups import CountyGroups, PlacedGroups
from policy_sim.words.arrays import FloatArray

_NODES, _WEIGHTS = (part / 2 for part in np.polynomial.legendre.leggauss(16))
_NODES = _NODES + 0.5  # on 0 to 1
_FAR = 25.0  # exp(-25) of an integral lies beyond the point up to which it is taken
_TOLD_APART = 10  # people in a bin, up to whom each size is told apart


def variances(groups: AnyGroups, g: Sequence[int], coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the variance of total risk and of g-distinct for each g.

    Both are over how people fall into the bins that the census does not show, total risk also over which of
    the equals the attacker picks for each record; the cells, the key and the list are taken as they are.
    Groups of between one and two bins, of which two at a time have no meaning, are taken with two. Of people placed
    in ZIP codes by chance the variances are upper bounds, and so are those of groups that overlap.

    ``g``: group sizes, each >= 1. Returns people squared, shape (units, 1 + len(g)).
    """
    if isinstance(groups, ComparedGroups):
        # however two classes depend on each other, a sum scatters by no more than all of them together
        deviations = [np.sqrt(variances(of_class, g, coverage)) for of_class in groups.by_class]
        added: FloatArray = np.sum(deviations, axis=0) ** 2
        return added
    if not isinstance(groups, Groups | ListedGroups):
        assert isinstance(groups, CountyGroups)  # variances are of whole units
        return variance_bounds(groups, g, coverage)
    if bool(((groups.bins > 1) & (groups.bins < 2)).any()):
        groups = replace(groups, bins=np.where(groups.bins > 1, np.maximum(groups.bins, 2.0), groups.bins))
    columns = [groups.total_risk_variance(coverage), *(groups.g_distinct_variance(size, coverage) for size in g)]
    return np.column_stack(columns)


# On a list, with records of people who left among the entries.
#
# ``n`` people are listed and in a given bin with the chance ``x`` each, ``c = x b``; a bin has a Poisson number of
# stale records, ``s`` in the mean. A count of people adds up indicators that are alike, so that its variance is ``n m
# (1 - m) + n (n-1) C`` with ``m`` the chance of one and ``C`` the covariance of two: both in one bin, or in two.
#
# *Right links.* Given its other entries ``K``, a listed person is named with the chance ``1/(1 + K)``, so ``m = c A``
# with ``A`` the mean of that, an integral of ``h(u) = (1 - x u)^(n-1) exp(-s u)`` over ``u`` from 0 to 1. Two people in
# one bin are both named with the chance ``1/(2 + K)^2``, whose mean is the integral of ``-w log(w) h(1 - w)`` with ``n
# - 1`` in the place of ``n``. Of two people in two bins the chances move together by the integral over ``u`` and ``v``
# of ``h(u) h(v) (r - 1)`` with ``r = (1 - x u - x v)^(n-2) / ((1 - x u)(1 - x v))^(n-1)``. With ``T`` that integral and
# ``G`` the mean square, ``C = c^2 ((G - A^2)/b + (1 - 1/b) T)``: no two large numbers are subtracted.
#
# *People in bins of few.* A bin of ``k`` people and at most ``g - k`` stale records leaves ``n - k`` people to the
# other bins, as in :func:`~policy_sim.formulas.variance.variance_of_people_g_distinct`.


def links_variance(groups: ListedGroups, in_file: FloatArray) -> FloatArray:
    """Return the variance of the right links of each unit, of which total risk is the expectation; shape (units,).

    Examples
    --------
    One person on the list for certain, and a stale record with the same values in the mean: named with the chance
    ``1 - 1/e``.

    >>> one = np.ones(1)
    >>> links_variance(ListedGroups(np.zeros(1, int), one, one, one, one, one, one, one, 1), one).round(6).tolist()
    [0.232544]
    """

    def moments(trials: Trials) -> tuple[FloatArray, FloatArray]:
        n, c = trials.count, trials.chance * trials.bins
        mean, covariance = _guess(trials)
        single = n * c * mean * (1 - c * mean)
        return n * c * mean, single + n * (n - 1) * c**2 * covariance

    return _added(groups, in_file, moments)


def few_variance(groups: ListedGroups, g: int, in_file: FloatArray) -> FloatArray:
    """Return the variance of the listed people in bins of ``g`` entries or fewer of each unit; shape (units,)."""

    def moments(trials: Trials) -> tuple[FloatArray, FloatArray]:
        possible = np.flatnonzero(trials.mean <= float(poisson_mean(g)))
        mean, variance = np.zeros((2, len(trials.count)))
        mean[possible], variance[possible] = _few(trials.at(possible), g)
        return mean, variance

    return _added(groups, in_file, moments)


def _added(
    groups: ListedGroups, in_file: FloatArray, moments: Callable[[Trials], tuple[FloatArray, FloatArray]]
) -> FloatArray:
    """Add up the variances of a count among the released of each group, given mean and variance among all its trials.

    With ``w`` the released part and ``S = n m (1 - m)`` it is ``w S + w (w n - 1) n C``, as for plain groups.
    """
    values = []
    trials, times = groups.trials(in_file), groups.times
    several = np.maximum(trials.count - 1, 1e-300)
    start = 0
    for part in trials.parts():
        mean, variance = moments(part)
        n, rows = part.count, slice(start, start + len(part.count))
        start += len(n)
        listed = n * part.chance * part.bins * times[rows]
        w = np.divide(part.hit, listed, out=np.zeros_like(n), where=listed > 0)
        single = mean * (1 - mean / n)
        together = np.where(n > 1, (variance - single) / several[rows], 0.0)
        values.append(times[rows] * np.maximum(w * single + w * (w * n - 1) * together, 0.0))
    return np.bincount(groups.unit, weights=np.concatenate(values), minlength=groups.units).astype(np.float64)


def _guess(trials: Trials) -> tuple[FloatArray, FloatArray]:
    """Return ``A`` and ``C/c^2`` of each group; the module explains the letters."""
    x, b, others = trials.chance, trials.bins, trials.others
    end = np.minimum(1.0, _FAR / np.maximum(others * x + trials.stale, _FAR))
    at = [end * node for node in _NODES]
    missed = [np.log1p(-x * u) for u in at]
    values = [
        weight * end * np.exp(others * miss - trials.stale * u)
        for weight, miss, u in zip(_WEIGHTS, missed, at, strict=True)
    ]
    mean = np.sum(values, axis=0)
    # where w = z^2, the logarithm has no sharp end at 0
    start, rest = np.sqrt(1 - end), np.maximum(trials.count - 2, 0.0)
    square = np.zeros_like(x)
    for node, weight in zip(_NODES, _WEIGHTS, strict=True):
        z = start + (1 - start) * node
        u = 1 - z**2
        square -= weight * (1 - start) * 4 * z**3 * np.log(z) * np.exp(rest * np.log1p(-x * u) - trials.stale * u)
    together = np.zeros_like(x)
    many = b >= MANY_BINS
    if many.any():
        first, second = (
            np.sum([u**power * value for u, value in zip(at, values, strict=True)], axis=0) for power in (1, 2)
        )
        together = _two_of_many_bins(trials, mean, first, second)
    few = np.flatnonzero(~many & (b > 1))
    together[few] = _two_bins(
        trials.at(few), [(u[few], m[few], v[few]) for u, m, v in zip(at, missed, values, strict=True)]
    )
    return mean, (square - mean**2) / b + (1 - 1 / b) * together


def _two_of_many_bins(trials: Trials, mean: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
    """Return ``T`` of each group where ``x`` is small, by the moments of ``h``: ``r - 1`` up to the square of ``x``."""
    x, n = trials.chance, trials.count
    linear = 2 * x * mean * first - (n - 2) * (x * first) ** 2
    square = x**2 * (2 * mean * second + first**2) - 4 * n * x**3 * first * second + (n * x**2 * second) ** 2 / 2
    together: FloatArray = linear + square
    return together


def _two_bins(trials: Trials, nodes: list[tuple[FloatArray, FloatArray, FloatArray]]) -> FloatArray:
    """Return ``T`` of each group of two bins and more: the integral over both bins' ``u``."""
    together = np.zeros_like(trials.chance)
    rest = np.maximum(trials.count - 2, 0.0)
    for row, (u, missed, value) in enumerate(nodes):
        for v, missed_too, value_too in nodes[: row + 1]:
            ratio = rest * np.log1p(-trials.chance * (u + v)) - trials.others * (missed + missed_too)
            together += (1 if v is u else 2) * value * value_too * np.expm1(ratio)
    return together


def _few(trials: Trials, g: int) -> tuple[FloatArray, FloatArray]:
    """Return mean and variance of the listed people of each group in bins of ``g`` entries or fewer."""
    n, x, b = trials.count, trials.chance, trials.bins
    (upto,) = chances_upto(trials, [g])
    mean = n * x * b * upto
    sure = x >= ALMOST_SURE
    one_bin = b <= 1
    odds = np.where(sure, 0.0, x / np.where(sure, 1.0, 1 - x))
    elsewhere = np.where(one_bin, 0.0, np.minimum(odds, ALMOST_SURE))
    stale = [np.exp(-trials.stale)]
    for size in range(1, g):
        stale.append(stale[-1] * trials.stale / size)
    upto_stale = np.cumsum(stale, axis=0)
    people = np.exp(trials.others * np.where(sure, 0.0, trials.log_miss))
    variance = np.zeros_like(x)
    for k in range(1, g + 1):
        held = np.where(sure, np.abs(n - k) < 0.5, people)  # k people: all of those who are there for certain
        left = np.maximum(n - k, 0.0)
        others = replace(trials, count=np.maximum(left, 1.0), chance=elsewhere)
        (few,) = chances_upto(others, [g])
        variance += n * x * b * held * upto_stale[g - k] * (k + left * elsewhere * (b - 1) * few - mean)
        people = people * np.maximum(trials.others - (k - 1), 0.0) / k * odds
    return mean, np.maximum(variance, 0.0)


# Upper bounds, of people whom chance places in the ZIP codes of a county.


def variance_bounds(groups: CountyGroups, g: Sequence[int], coverage: ArrayLike = 1.0) -> FloatArray:
    """Return upper bounds of the variances of total risk and of g-distinct; shape (units, 1 + len(g)).

    That each person is in one bin only makes the numbers in two bins move against each other, so that the variance of a
    sum over bins of what grows with the number in each is at most that of independent bins. Of occupied bins it is
    ``sum q (1 - q)``; where everyone is listed they are also everyone less ``i - 1`` in each bin of ``i``, and
    the lesser of both bounds holds. A bin of ``i`` people adds ``1 - 1/i`` for the guess. People in bins of ``g`` or
    fewer scatter as those in larger ones, where everyone is listed: of each bin at most the mean square, ``i^2``, of
    either.

    Of a class of which a part is released, right links scatter as guesses, by at most one per expected link, and with
    how the released people fall into bins, of which each adds its share of the bin's people, by as much again. People
    in bins of ``g`` or fewer scatter by at most the size of their bin each.
    """
    sizes = np.arange(1, max(_TOLD_APART if groups.released is None else 1, *g, 1) + 1)
    risk, people = groups.total_risk(coverage), groups.g_distinct(sizes.tolist(), coverage)
    of_size = np.diff(people, axis=1, prepend=0.0)
    if groups.released is not None:
        squares = np.cumsum(np.maximum(of_size, 0.0) * sizes, axis=1)
        return np.column_stack([2 * risk, *(squares[:, int(size) - 1] for size in g)])
    squares, bins = np.cumsum(of_size * sizes, axis=1), of_size / sizes
    occupied = independent_occupied_variance(groups, coverage)
    # a list by county and age is not of everyone, whatever share of its people is in the file
    holds_everyone = np.asarray(coverage, dtype=np.float64) == 1 if groups.listed is None else False
    everyone = np.broadcast_to(holds_everyone, groups.units)
    whole, listed = squared_bin_sizes(groups, coverage), np.zeros(groups.units)
    np.add.at(listed, groups.unit, groups.people.sum(axis=1))
    crowded = np.maximum(whole - 2 * listed + risk, 0.0)
    filled = np.where(everyone, np.minimum(occupied, crowded), occupied)
    # of the bins beyond those told apart, each guess adds at most 1
    guess = bins @ (1 - 1 / sizes) + np.maximum(risk - bins.sum(axis=1), 0.0)
    large = np.where(everyone[:, None], np.maximum(whole[:, None] - squares, 0.0), np.inf)
    distinct = np.minimum(squares, large)
    return np.column_stack([filled + guess, *(distinct[:, int(size) - 1] for size in g)])


def squared_bin_sizes(groups: CountyGroups, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the expected sum, over all bins, of the square of the listed people in each; shape (units,).

    Each person falls by itself: a bin has the mean ``sum n x`` and the variance ``sum n x (1 - x)`` over counties.
    Stale records do not count.

    Examples
    --------
    Two people in two halves: in half of the cases one each, 1 + 1, else both in one, 4.

    >>> half, one = np.array([0.5, 0.5]), np.zeros(1, dtype=np.int64)
    >>> where = np.zeros(2, dtype=np.int64), np.arange(2)
    >>> from policy_sim.formulas.placed_groups import CountyPartGroups
    >>> people = CountyPartGroups(np.array([[2.0]]), np.ones(1), one, *where, half, 1)
    >>> squared_bin_sizes(people).tolist()
    [3.0]
    """
    listed, squares = by_unit("coverage", coverage, groups.units), np.zeros(groups.units)
    if isinstance(groups, PlacedGroups):
        for unit, _, placed in groups.units_by_bins:
            x = placed.share.copy()
            x.data *= placed.of_piece(listed[unit] * placed.coverage / placed.bins)
            mean, own = x @ placed.people, x.power(2) @ placed.people
            squares[unit] += placed.bins * float((mean**2 + mean - own).sum())
        return squares
    c = listed[groups.unit]
    together = np.bincount(groups.county, weights=groups.share**2, minlength=len(groups.people)) * c**2
    both = 1.0 if groups.listed is None else groups.listed**2
    pairs = (groups.people * (groups.people - 1) / groups.bins * both).sum(axis=1) * together
    np.add.at(squares, groups.unit, pairs + groups.listed_people.sum(axis=1) * c)
    return squares


def independent_occupied_variance(groups: CountyGroups, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the variance of the occupied bins, were bins filled independently of each other; shape (units,).

    A bin is empty with the chance ``q``: ``sum q - q^2``, and ``q^2`` is what ``q`` is with twice as many people. With
    stale records it is an upper bound of the variance of the expected correct matches of each bin, a share.
    """
    if groups.stale is not None:
        spread = np.zeros(groups.units)
        for unit, _, correct, bins in groups.links(coverage):
            spread[unit] += float((correct * (1 - correct / bins)).sum())
        return np.maximum(spread, 0.0)
    twice = replace(groups, people=2 * groups.people)
    variance: FloatArray = np.maximum(twice.total_risk(coverage) - groups.total_risk(coverage), 0.0)
    return variance
