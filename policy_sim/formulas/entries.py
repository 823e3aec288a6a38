"""The entries of a bin of a list: listed people, binomial, and stale records, Poisson.

Of one listed person: the mean share of a guess among the entries of the bin, and the chance that these are few.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache, cached_property

import numpy as np

from policy_sim.formulas.bins import one_place
from policy_sim.words.arrays import FloatArray, IntArray

_AT_ONCE = 8192  # groups whose figures are computed together: they fit into the cache
ALMOST_SURE = 1 - 1e-13  # a chance of 1 counts as this, so that its odds are a number
MANY_BINS = 100  # from here on the shortcut of the mean share is off by less than 0.001%
_LEAST_CHANCE = 1e-12  # of a trial: so that it can be divided by
_FEW_STALE = 0.5  # stale records per listed person, up to which the mean share follows by recursion
_STEPS = 16  # of it: right to 1e-7 of itself
_NODES, _WEIGHTS = (part / 2 for part in np.polynomial.legendre.leggauss(48))
_NODES = _NODES + 0.5  # on 0 to 1
_FAR = 45.0  # exp(-45) of an integral lies beyond the point up to which it is taken
_NEVER = 1e-18  # a smaller share of a group's people cannot matter


@dataclass(frozen=True, eq=False)
class Trials:
    """The binomial and the Poisson entries of a bin of each group.

    Attributes
    ----------
    count, chance : Trials and the chance ``x`` of each that somebody is listed and in a given bin.
    stale : Mean ``mu/b`` of the stale records of a bin.
    hit : Expected people who are listed, in the file and released.
    people, bins : Persons of the group, and the values hidden inside.
    """

    count: FloatArray
    chance: FloatArray
    stale: FloatArray
    hit: FloatArray
    people: FloatArray
    bins: FloatArray

    @cached_property
    def others(self) -> FloatArray:
        """Trials besides a listed person."""
        others: FloatArray = self.count - 1
        return others

    @property
    def mean(self) -> FloatArray:
        """Mean number of other entries in a listed person's bin."""
        entries: FloatArray = self.others * self.chance + self.stale
        return entries

    @cached_property
    def log_miss(self) -> FloatArray:
        """The logarithm of the chance that a trial is not an entry of a given bin."""
        missed: FloatArray = np.log1p(-self.chance)
        return missed

    def links(self) -> FloatArray:
        """Return the right links of each group."""
        right: FloatArray = self.hit * np.concatenate([_mean_share(part) for part in self.parts()])
        return right

    def at(self, rows: IntArray | slice) -> Trials:
        """Return some of the groups."""
        return Trials(*(getattr(self, field.name)[rows] for field in fields(self)))

    def parts(self) -> Iterator[Trials]:
        """Yield a few groups at a time, and no group at all once if there is none."""
        for low in range(0, max(len(self.count), 1), _AT_ONCE):
            yield self.at(slice(low, low + _AT_ONCE))


def _mean_share(trials: Trials) -> FloatArray:
    """Return the mean of ``1/(1 + K)`` over the other entries ``K`` of a listed person's bin.

    Without stale records ``(1 - (1 - x)^n)/(n x)``; with many bins nearly that of a binomial number with the same mean
    and variance as ``K``. Else the integral.
    """
    others, stale = trials.others * trials.chance, trials.stale
    mean = others + stale
    x = np.divide(others * trials.chance, mean, out=trials.chance.copy(), where=stale > 0)
    np.maximum(x, _LEAST_CHANCE, out=x)
    share: FloatArray = -one_place(mean / x + 1, np.log1p(-x), np.expm1) / (mean + x)
    few = np.flatnonzero((stale > 0) & (trials.bins < MANY_BINS))
    if len(few):
        a = stale[few] / np.maximum(trials.chance[few], 1e-300)
        near = a <= _FEW_STALE * trials.count[few]
        by_recursion, by_integral = few[near], few[~near]
        share[by_recursion] = _by_recursion(trials.at(by_recursion), a[near])
        share[by_integral] = _by_integral(trials.at(by_integral))
    return share


def _by_recursion(trials: Trials, a: FloatArray) -> FloatArray:
    """Return ``int_0^1 (1 - x u)^(n-1) exp(-a x u) du``, of two complete integrals.

    With ``y = 1 - x u`` it is the integral from ``1 - x`` to 1, and ``F(n, a) = int_0^1 y^(n-1) exp(-a (1-y)) dy``
    follows by parts from that of ``n + 1``: ``n F(n) = 1 - a F(n+1)``. An error shrinks by ``a/n`` with each step.
    """
    below = one_place(trials.count, trials.log_miss - a * trials.chance / trials.count)
    whole = _complete(trials.count, a) - below * _complete(trials.count, a * (1 - trials.chance))
    share: FloatArray = whole / trials.chance
    return share


def _complete(count: FloatArray, a: FloatArray) -> FloatArray:
    complete = 1 / (count + _STEPS + a)
    for step in range(_STEPS - 1, -1, -1):
        complete = (1 - a * complete) / (count + step)
    return complete


def _by_integral(trials: Trials) -> FloatArray:
    """Return the same integral by Gauss-Legendre, up to where the rest is negligible."""
    end = np.minimum(1.0, _FAR / np.maximum(trials.others * trials.chance + trials.stale, _FAR))
    total = np.zeros_like(end)
    for node, weight in zip(_NODES, _WEIGHTS, strict=True):
        u = end * node
        total += weight * one_place(trials.others, np.log1p(-trials.chance * u)) * np.exp(-trials.stale * u)
    whole: FloatArray = total * end
    return whole


def chances_upto(trials: Trials, g: Sequence[int]) -> FloatArray:
    """Return, for each ``g``, the chance that a listed person's bin has ``g`` entries or fewer, itself among them.

    Shape (len(g), groups).
    """
    odds = trials.chance / (1 - trials.chance)
    # stale records: the chance of as many or fewer
    term = np.exp(-trials.stale)
    upto_stale = [term]
    for size in range(1, max(g)):
        term = term * trials.stale / size
        upto_stale.append(upto_stale[-1] + term)
    # of many who are entries almost surely, none has a chance that is too small to be a number
    sure = trials.chance >= ALMOST_SURE
    free, certain = np.where(sure, 0.0, trials.others), np.where(sure, trials.others, 0.0).astype(np.int64)
    people = one_place(free, trials.log_miss)
    sums = np.zeros((len(g), len(people)))
    for size in range(max(g)):
        for row, most_entries in zip(sums, g, strict=True):
            if most_entries > size:
                row += people * upto_stale[most_entries - 1 - size]
        people = people * np.maximum(free - size, 0.0) / (size + 1) * odds
    np.minimum(sums, 1.0, out=sums)
    at = np.flatnonzero(sure)
    for row, most_entries in zip(sums, g, strict=True):
        left = most_entries - 1 - certain[at]
        row[at] = np.where(left >= 0, np.array(upto_stale)[np.maximum(left, 0), at], 0.0)
    for row, most_entries in zip(sums, g, strict=True):  # a group of g or fewer people: the sum is 1 but for rounding
        row[(trials.people <= most_entries) & (trials.stale == 0)] = 1.0
    return sums


@cache
def poisson_mean(g: int) -> float:
    """Return a mean at which a Poisson number is below ``g`` with a chance under :data:`_NEVER`.

    A sum of binomials and a Poisson number is small less often than that (Hoeffding 1956).

    >>> round(poisson_mean(1), 2)
    41.45
    """
    mean = -math.log(_NEVER)
    while True:
        below = sum(math.exp(size * math.log(mean) - mean - math.lgamma(size + 1)) for size in range(g))
        if below <= _NEVER * (1 + 1e-9):
            return mean
        mean *= 1.02
