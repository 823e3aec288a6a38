"""How much chance changes the figures of groups on a list, with records of people who left among the entries.

``n`` people are listed and in a given bin with the chance ``x`` each, ``c = x b``; a bin has a Poisson number of
stale records, ``s`` in the mean. A count of people adds up indicators that are alike, so that its variance is ``n m
(1 - m) + n (n-1) C`` with ``m`` the chance of one and ``C`` the covariance of two: both in one bin, or in two.

*Right links.* Given its other entries ``K``, a listed person is named with the chance ``1/(1 + K)``, so ``m = c A``
with ``A`` the mean of that, an integral of ``h(u) = (1 - x u)^(n-1) exp(-s u)`` over ``u`` from 0 to 1. Two people in
one bin are both named with the chance ``1/(2 + K)^2``, whose mean is the integral of ``-w log(w) h(1 - w)`` with ``n
- 1`` in the place of ``n``. Of two people in two bins the chances move together by the integral over ``u`` and ``v``
of ``h(u) h(v) (r - 1)`` with ``r = (1 - x u - x v)^(n-2) / ((1 - x u)(1 - x v))^(n-1)``. With ``T`` that integral and
``G`` the mean square, ``C = c^2 ((G - A^2)/b + (1 - 1/b) T)``: no two large numbers are subtracted.

*People in bins of few.* A bin of ``k`` people and at most ``g - k`` stale records leaves ``n - k`` people to the
other bins, as in :func:`~policy_sim.formulas.variance.variance_of_people_g_distinct`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from policy_sim.formulas.entries import ALMOST_SURE, MANY_BINS, Trials, chances_upto, poisson_mean
from policy_sim.words.arrays import FloatArray

_NODES, _WEIGHTS = (part / 2 for part in np.polynomial.legendre.leggauss(16))
_NODES = _NODES + 0.5  # on 0 to 1
_FAR = 25.0  # exp(-25) of an integral lies beyond the point up to which it is taken


def links_variance(trials: Trials, times: FloatArray) -> FloatArray:
    """Return the variance of the right links of each group, of which total risk is the expectation; shape (groups,).

    ``times``: how many groups each element stands for.

    Examples
    --------
    One person on the list for certain, and a stale record with the same values in the mean: named with the chance
    ``1 - 1/e``.

    >>> one = np.ones(1)
    >>> links_variance(Trials(one, one * ALMOST_SURE, one, one, one, one), one).round(6).tolist()
    [0.232544]
    """

    def moments(part: Trials) -> tuple[FloatArray, FloatArray]:
        n, c = part.count, part.chance * part.bins
        mean, covariance = _guess(part)
        single = n * c * mean * (1 - c * mean)
        return n * c * mean, single + n * (n - 1) * c**2 * covariance

    return _among_released(trials, times, moments)


def few_variance(trials: Trials, times: FloatArray, g: int) -> FloatArray:
    """Return the variance of the listed people in bins of ``g`` entries or fewer of each group; shape (groups,)."""

    def moments(part: Trials) -> tuple[FloatArray, FloatArray]:
        possible = np.flatnonzero(part.mean <= float(poisson_mean(g)))
        mean, variance = np.zeros((2, len(part.count)))
        mean[possible], variance[possible] = _few(part.at(possible), g)
        return mean, variance

    return _among_released(trials, times, moments)


def _among_released(
    trials: Trials, times: FloatArray, moments: Callable[[Trials], tuple[FloatArray, FloatArray]]
) -> FloatArray:
    """Return the variance of a count among the released of each group, given mean and variance among all its trials.

    With ``w`` the released part and ``S = n m (1 - m)`` it is ``w S + w (w n - 1) n C``, as for plain groups.
    """
    values = []
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
    return np.concatenate(values)


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
