"""How many reported cases fall into small groups: the mean, and the chance that few enough do.

A place of N people reports n cases, any of its people alike. Of F people who share the released values, X are cases:
all X together are multivariate hypergeometric. A case is exposed where its group has fewer than k cases.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import gammaln
from scipy.stats import binom, norm

from policy_sim.words.arrays import BoolArray, FloatArray, IntArray

QUANTILE = 0.975
_NEGLIGIBLE = 1e-13  # chance that a group counted as large is not
_NEAR = 1e-6  # a mean so near a bound decides nothing
_LEAST_FOR_VERDICT, _SURELY_NOT, _SURELY = 20, 0.9, 0.999  # of a normal limit that need not be exact
_STEP = 1.05
LEAST_FOR_LIMIT = 100  # exposed cases from which on a normal limit may stand for a long computation
_WORK = 2e6


def expected_small_share(people: IntArray, cases: int | IntArray, k: int = 11) -> FloatArray:
    """Expected share of the cases that fall into groups of fewer than ``k`` cases.

    Parameters
    ----------
    people : People of each group, >= 0; shape (groups,) or (groups, places).
    cases : Cases of each place, from 1 to its people; one number or shape (places,).
    k : Smallest group of cases that exposes nobody, 1 to 200: above, a first term that underflows would hide the rest.

    Returns
    -------
    Shares (0..1); shape () or (places,). They never rise with the number of cases.

    Examples
    --------
    Of two people in groups of their own, both are reported: each is alone.

    >>> float(expected_small_share(np.array([1, 1]), 2, k=2))
    1.0
    >>> round(float(expected_small_share(np.array([5923, 6085, 6314, 6122]), 43)), 6)
    0.370963

    References
    ----------
    J. T. Brown et al. (2022), JAMIA, ocac011: PK, which they draw; here the sum over the groups of
    F/N times the hypergeometric chance of at most k - 2 others.
    """
    f = np.asarray(people, dtype=np.float64)
    total = f.sum(axis=0)
    n = np.broadcast_to(np.asarray(cases, dtype=np.float64), f.shape)
    big = np.broadcast_to(total, f.shape)
    held = f >= k  # in a smaller group everyone is exposed
    chance = np.ones(f.shape)
    chance[held] = _at_most(k - 2, big[held] - 1, f[held] - 1, n[held] - 1)
    return np.asarray((f * chance).sum(axis=0) / total)


def _at_most(most: int, total: FloatArray, marked: FloatArray, drawn: FloatArray) -> FloatArray:
    """Return the hypergeometric chance of at most ``most`` marked ones among those drawn."""
    least = np.maximum(0.0, drawn - (total - marked))
    log_pmf = _log_ways(marked, least) + _log_ways(total - marked, drawn - least) - _log_ways(total, drawn)
    pmf = np.exp(log_pmf)
    summed, x = np.zeros_like(pmf), least.copy()
    for _ in range(most + 1):
        summed += np.where(x <= most, pmf, 0.0)
        pmf = pmf * (np.maximum(marked - x, 0) * np.maximum(drawn - x, 0))
        pmf /= (x + 1) * np.maximum(total - marked - drawn + x + 1, 1)
        x += 1
    return np.clip(summed, 0.0, 1.0)


def _log_ways(n: FloatArray, chosen: FloatArray) -> FloatArray:
    return np.asarray(gammaln(n + 1) - gammaln(chosen + 1) - gammaln(n - chosen + 1))


def chance_of_few(people: IntArray, cases: int, most: int, k: int = 11, enough: float | None = None) -> float:
    """Return the chance that at most ``most`` of the cases fall into groups of fewer than ``k`` cases.

    Parameters
    ----------
    people : People of each group, >= 0; shape (groups,).
    cases : Cases, from 1 to the people.
    most : Exposed cases that are allowed, >= 0.
    k : Smallest group of cases that exposes nobody, >= 1.
    enough : Where only the side of this chance matters: the result may then be a bound on the same side.

    Returns
    -------
    The chance (0..1), without drawing: groups are independent binomials, given the sum of their cases. Exact, but where
    100 or more exposed cases are allowed and the groups are many: there a normal limit with skewness.

    Examples
    --------
    Two of four people, in groups of two: one draw in three takes both of a group, else both are alone.

    >>> round(chance_of_few(np.array([2, 2]), 2, 0, k=2), 6)
    0.333333
    """
    f = np.sort(np.asarray(people, dtype=np.int64))
    f = f[f > 0]
    total = int(f.sum())
    if most >= cases:
        return 1.0
    if cases >= total:
        return float(f[f < k].sum() <= most)
    p = cases / total
    small = binom.pmf(np.arange(k)[None, :], f[:, None], p)
    of_sum = float(binom.pmf(cases, total, p))
    if enough is not None:
        few = _few_if_independent(small, most)
        if few < enough * of_sum:  # P(A given B) <= P(A) / P(B)
            return few / of_sum
        if 1 - few <= (1 - enough) * of_sum:
            return 1 - (1 - few) / of_sum
    certain = small.sum(axis=1) < _NEGLIGIBLE
    if most >= LEAST_FOR_LIMIT and (~certain).sum() * k * most * math.sqrt(cases * (1 - p)) > _WORK:
        return _normal_limit(f, small, cases, most, cases * float(expected_small_share(f, cases, k)))
    few = _few_and_cases(f[~certain], small[~certain], int(f[certain].sum()), cases, most)
    return float(np.clip(few / of_sum, 0, 1))


def _normal_limit(f: IntArray, small: FloatArray, cases: int, most: int, mean: float) -> float:
    """Return the chance from the exact mean, and from the variance and skewness of a normal limit (Edgeworth)."""
    x = np.arange(small.shape[1])
    first, second, third = (small @ x**power for power in (1, 2, 3))
    p = cases / float(f.sum())
    with_cases = float((second - first * f * p).sum())  # covariance of exposed cases and cases
    variance = float((second - first**2).sum()) - with_cases**2 / (cases * (1 - p))
    if variance <= 0:
        return float(mean <= most)
    skewness = float((third - 3 * first * second + 2 * first**3).sum()) / variance**1.5
    at = (most + 0.5 - mean) / math.sqrt(variance)
    return float(np.clip(norm.cdf(at) - norm.pdf(at) * skewness * (at**2 - 1) / 6, 0, 1))


def _few_if_independent(small: FloatArray, most: int) -> float:
    """Return the chance of at most ``most`` exposed cases if the cases of the groups were independent."""
    unexposed = 1 - small[:, 1:].sum(axis=1)
    chance = np.zeros(most + 1)
    chance[0] = 1.0
    order = np.argsort(unexposed)
    for row in order[unexposed[order] < 1]:
        after = chance * unexposed[row]
        for x in range(1, min(small.shape[1] - 1, most) + 1):
            after[x:] += chance[:-x] * small[row, x]
        chance = after
    return float(chance.sum())


def _few_and_cases(f: IntArray, small: FloatArray, rest: int, cases: int, most: int) -> float:
    """Return the chance that independent groups have ``cases`` cases, at most ``most`` of them exposed.

    The sum of all cases is found at the points of a discrete Fourier transform; sums that differ by a multiple of the
    number of points fall together, so there are more points than 12 standard deviations and 60 (a chance under 1e-30).
    """
    people = int(f.sum()) + rest
    p = cases / people
    points = 2 * math.ceil(6 * math.sqrt(cases * (1 - p)) + 30) + 1
    z = np.exp(2j * np.pi * np.arange(points // 2 + 1) / points)  # the other half is conjugate
    per_person = 1 - p + p * z
    powers = z ** np.arange(small.shape[1])[:, None]
    held = np.zeros((most + 1, len(z)), dtype=np.complex128)  # by exposed cases
    held[0] = per_person**rest * z**-cases
    reached = 0
    for number, chances in zip(f.tolist(), small, strict=True):
        exposed = chances[1:, None] * powers[1:]
        after = held * (per_person**number - exposed.sum(axis=0))
        top = min(len(exposed), number, most)
        for x, weight in enumerate(exposed[:top], 1):
            after[x : reached + x + 1] += held[: min(reached, most - x) + 1] * weight
        held, reached = after, min(reached + top, most)
    by_point = held.sum(axis=0).real
    return float(2 * by_point.sum() - by_point[0]) / points


def allowed_exposed(cases: int, at_most: float) -> int:
    """Return how many of the cases a share allows; a whole number that floats miss by a hair counts as reached.

    >>> allowed_exposed(700, 0.01), allowed_exposed(99, 0.01)
    (7, 0)
    """
    return math.floor(cases * at_most + 1e-9)


def percentile_holds(people: IntArray, cases: int, k: int = 11, at_most: float = 0.01) -> bool:
    """Tell whether the 97.5th percentile of the share of exposed cases is at most ``at_most``.

    The percentile is the smallest share that at least 97.5% of all draws of cases reach or stay under.

    >>> [percentile_holds(np.array([2, 2]), 2, k=2, at_most=share) for share in (0.5, 1.0)]
    [False, True]
    """
    few = allowed_exposed(cases, at_most)
    return chance_of_few(people, cases, few, k, QUANTILE) >= QUANTILE


def percentile_verdicts(
    people: IntArray, cases: IntArray, mean: FloatArray, k: int = 11, at_most: float = 0.01, of: BoolArray | None = None
) -> BoolArray:
    """Tell of many places at once what :func:`percentile_holds` tells of one; False where ``of`` is False.

    ``people``: shape (groups, places); ``mean``: the expected share of exposed cases of each place. Where it is far
    from ``at_most`` it decides alone. Of n cases x are allowed to be exposed, m are expected: by Markov's inequality
    more than x are with a chance of at most m / (x + 1), and, as never more than n are, of at least (m - x) / (n - x).
    Of the rest a normal limit decides where x is 20 or more and the limit is below 0.9 or above 0.999, and the exact
    chance where neither does.
    """
    few = np.floor(cases * at_most + 1e-9)
    expected, rest = mean * cases, 1 - QUANTILE
    holds: BoolArray = (few >= cases) | (expected < (few + 1) * rest * (1 - _NEAR))
    unsure = ~holds & (expected - few < (cases - few) * rest * (1 + _NEAR))
    if of is not None:
        holds, unsure = holds & of, unsure & of
    for at in np.flatnonzero(unsure):
        f, n, chance = people[people[:, at] > 0, at], int(cases[at]), QUANTILE
        if few[at] >= _LEAST_FOR_VERDICT and n < (total := int(f.sum())):
            small = binom.pmf(np.arange(k)[None, :], f[:, None], n / total)
            chance = _normal_limit(f, small, n, int(few[at]), expected[at])
        near = _SURELY_NOT <= chance <= _SURELY
        holds[at] = percentile_holds(f, n, k, at_most) if near else chance > _SURELY
    return holds


def _first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """Return the first number after ``low`` from which something holds that holds at ``high``, by halving."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def cases_needed(people: IntArray, k: int = 11, at_most: float = 0.01) -> tuple[int | None, int | None]:
    """Return from how many cases on the mean, and the percentile, of exposed cases is at most ``at_most``; or None.

    The mean never rises with the cases. The percentile may: the count is the one from which it holds at every larger
    count of a grid whose steps are 5%. Where the mean is at most a fortieth of ``at_most`` it holds by Markov's
    inequality: at most 2.5% of the draws have 40 times the mean or more.
    """
    total = int(np.sum(people))
    high = _mean_from(people, total, k, (1 - QUANTILE) * at_most)
    if high is None and percentile_holds(people, total, k, at_most):
        high = total
    by_percentile = None if high is None else _percentile_from(people, high, k, at_most)
    return _mean_from(people, total, k, at_most), by_percentile


def _mean_from(people: IntArray, total: int, k: int, at_most: float) -> int | None:
    if float(expected_small_share(people, total, k)) > at_most:
        return None
    return _first(0, total, lambda cases: float(expected_small_share(people, cases, k)) <= at_most)


def _percentile_from(people: IntArray, high: int, k: int, at_most: float) -> int:
    """Search down from a count where the percentile holds."""
    while high > 1:
        low = min(high - 1, int(high / _STEP))
        if not percentile_holds(people, low, k, at_most):
            break
        high = low
    else:
        return 1
    return _first(low, high, lambda cases: percentile_holds(people, cases, k, at_most))
