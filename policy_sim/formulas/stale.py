"""Stale records among the entries of a bin: people who left are on the list, and nobody who is released is theirs.

``n`` people fall into a bin of the list with the chance ``x`` each. Their group also has ``n y`` stale records a bin,
in the mean: a Poisson variable, so that a bin has no entry with the chance ``P = (1 - x)^n exp(-n y)``. An attacker
links a record to one of the entries of its bin. The expected correct links of a bin are

    ``n x`` times the integral over ``u`` from 0 to 1 of ``(1 - x u)^(n-1) exp(-n y u)``.

With ``f(u) = (1 - x u)^n exp(-n y u)`` the integrand is ``-f' x / (s - x y u)``, ``s = x + y``. By parts, with
``r = x y / s``, the links are

    ``(x/s) (1 - P + r J - P r/(1 - r))``,   ``J`` the integral of ``f / (1 - r u)^2``.

``f`` is ``exp(-n m t)`` with ``m = y - log(1 - x)`` and ``t(u) = log f(u) / log f(1)``, in which ``n`` does not
occur. So ``J`` is the integral over ``t`` of ``exp(-n m t) K(t)`` with a function ``K`` that no ``n`` occurs in either.
A cubic takes its place that has its two ends, its slope at 0 and its integral. Every term is then a power of ``1/n``
times ``P`` or 1, and the links of many cells in many places are products of matrices, as where no record is stale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import pdtr

from policy_sim.formulas.bins import one_place
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray

THIN = 0.003  # below this x, K is taken as its mean, right to 2e-7 of the links; digits of a cubic would cancel
_DENSE = 0.5  # up to this x, the cubic is right to 3e-6 of the links, for as many stale records as listed people
_NODES, _WEIGHTS = (part / 2 for part in np.polynomial.legendre.leggauss(24))
_NODES = _NODES + 0.5
_FAR = 40.0  # exp(-40) of the integral lies beyond the point up to which it is taken
_DEGREE = 3
POWERS = _DEGREE + 1  # largest power of 1/n that links need
_AT_ONCE = 2_000  # places whose sizes fit into the cache
_MOST_TRIALS = 2.0**40  # of a binomial that is nearly a Poisson variable


@dataclass(frozen=True, eq=False)
class Links:
    """What turns the filled bins of some places into correct links: the module explains the letters.

    Attributes
    ----------
    linked : Share ``x / s`` of the entries who are listed people; 0 where there is no entry.
    ratio : ``r``, at most the lesser of ``x`` and ``y``.
    missed : ``m`` > 0; any number where there is no entry.
    terms : Coefficients of the cubic, lowest power first.
    dense : Where ``x`` is so large that the integral is taken itself (:func:`correct_links`).
    """

    linked: FloatArray
    ratio: FloatArray
    missed: FloatArray
    terms: tuple[FloatArray, ...]
    dense: BoolArray

    @classmethod
    def of(cls, chance: FloatArray, stale: FloatArray) -> Links:
        """Return the same for chances ``x`` (0..1) and stale records per person and bin ``y`` >= 0, aligned."""
        dense: BoolArray = chance > _DENSE
        x = np.where(dense, 0.0, chance)
        entries = x + stale
        held = entries > 0
        s = np.where(held, entries, 1.0)
        linked, r, missed = x / s, x * stale / s, np.where(held, stale - np.log1p(-x), 1.0)
        mean = 1 / (1 - r)
        thin = x < THIN
        if thin.all():
            return cls(linked, r, missed, (mean,), dense)
        first, last = missed / s, mean**2 * missed / np.where(held, x / (1 - x) + stale, 1.0)
        slope = (missed / s) ** 2 * (2 * r - x**2 / s)
        ends, inside = last - first - slope, mean - first - slope / 2
        square = 12 * inside - 3 * ends
        cubic = (first, slope, square, ends - square)
        terms = (np.where(thin, mean, cubic[0]), *(np.where(thin, 0.0, term) for term in cubic[1:]))
        return cls(linked, r, missed, terms, dense)

    @property
    def powers(self) -> int:
        """Largest power of ``1/n`` that the links need."""
        return len(self.terms)

    def added(self, filled: Sequence[FloatArray], whole: Sequence[FloatArray | float]) -> FloatArray:
        """Return the correct links, added up over cells as ``filled`` is.

        ``filled``: the sums of ``(1 - P) n^-j`` for ``j`` from 0 to ``powers``; ``whole``: those of ``n^-j``. Dense
        places get nothing.
        """
        empty = [every - occupied for every, occupied in zip(whole, filled, strict=True)]
        total = filled[0] - empty[0] * self.ratio / (1 - self.ratio)
        for degree, term in enumerate(self.terms):
            # the integral of t^k exp(-n m t) is (k times that of t^(k-1) less P) / (n m)
            integral = filled[degree + 1] / self.missed
            for power in range(1, degree + 1):
                integral = (power * integral - empty[degree + 1 - power]) / self.missed
            total = total + self.ratio * term * integral
        links: FloatArray = np.where(self.dense, 0.0, self.linked * total)
        return links


def correct_links(people: FloatArray, chance: FloatArray, stale: FloatArray) -> FloatArray:
    """Return the expected correct links in a bin, for ``n`` people with ``x`` and ``y``; arrays of one shape.

    By the cubic, or where ``x`` is large by Gauss-Legendre; right to 3e-6 of itself, and exact without stale records
    but for the last digits. ``people`` need not be whole; whoever is not there has no links.

    Examples
    --------
    One listed person, and one stale record with the same values in the mean: right with the chance ``1 - 1/e``.

    >>> correct_links(np.ones(1), np.ones(1), np.ones(1)).round(6).tolist()
    [0.632121]
    """
    links = Links.of(chance, stale)
    n = np.where(people > 0, people, 1.0)
    filled = -one_place(n, -links.missed, np.expm1)
    inverse = powers_of(1 / n, links.powers + 1)
    total = links.added([*(filled * inverse)], [*inverse])
    at = np.nonzero(links.dense)
    n, x, y = people[at], chance[at], stale[at]
    rate = (n - 1) * x + n * y
    end = np.minimum(1.0, _FAR / np.maximum(rate, _FAR))
    reach, others, records, integral = x * end, n - 1, n * y * end, np.zeros(len(n))
    for node, weight in zip(_NODES.tolist(), _WEIGHTS.tolist(), strict=True):
        missed = np.log1p(reach * -node)
        missed *= others
        missed -= records * node
        integral += weight * np.exp(missed, out=missed)
    integral *= end
    total[at] = n * x * integral
    held: FloatArray = np.where((people > 0) & (chance > 0), total, 0.0)
    return held


def links_of_sums(log_empty: FloatArray, mean: FloatArray, squares: FloatArray, stale: FloatArray) -> FloatArray:
    """Return the expected correct links in a bin into which several kinds of people fall, each with its chance.

    The people count as the binomial of the same mean and variance, but for the chance of no entry, which is given.

    Parameters
    ----------
    log_empty : Logarithm of the chance ``P`` that a bin has no entry; as is the rest, of any shape.
    mean, squares : Sums of ``n x`` and ``n x^2`` over the kinds.
    stale : Mean stale records in a bin.
    """
    held = mean > 0
    entries = np.where(held, mean + stale, 1.0)
    chance = np.divide(squares, mean, out=np.zeros_like(mean), where=held)
    is_thin, filled = chance < THIN, -np.expm1(log_empty)
    if is_thin.all():
        return _links_of_thin(log_empty, filled, chance, mean, stale, entries)
    thick = ~is_thin
    links = np.empty_like(mean)
    links[is_thin] = _links_of_thin(*(of[is_thin] for of in (log_empty, filled, chance, mean, stale, entries)))
    chance, mean, stale, filled = np.minimum(chance[thick], 1.0), mean[thick], stale[thick], filled[thick]
    people = mean / chance
    with np.errstate(divide="ignore"):  # log 0: a bin that is never empty
        alike_filled = -np.expm1(people * np.log1p(-chance) - stale)
    changed = mean / entries[thick] * (filled - alike_filled)
    links[thick] = np.maximum(correct_links(people, chance, stale / people) + changed, 0.0)
    return links


def _links_of_thin(
    log_empty: FloatArray,
    filled: FloatArray,
    chance: FloatArray,
    mean: FloatArray,
    stale: FloatArray,
    entries: FloatArray,
) -> FloatArray:
    """Return the same where the cubic is a constant, so that the binomial drops out."""
    ratio = chance * stale / entries
    inside = (filled / np.where(log_empty < 0, -log_empty, 1.0) - 1 + filled) * ratio / (1 - ratio)
    links: FloatArray = np.where(mean > 0, mean / entries * (filled + inside), 0.0)
    return links


def spread_over_sizes(table: FloatArray, odds: FloatArray, stale: FloatArray) -> FloatArray:
    """Return what people in bins with 0, 1, ... other entries count, stale records among the entries.

    ``(1 + o z)^(n-1) exp(n y z)`` is ``exp(y z) (1 + W)^(n-1)`` with ``W = (1 + o z) exp(y z) - 1``, a power series
    without negative coefficients. So the chance of ``j`` others is a sum over ``i`` of the ways to choose ``i`` of the
    ``n - 1`` and the coefficient of ``z^j`` in ``exp(y z) W^i``: a factor of the cell and a factor of the place.

    Parameters
    ----------
    table : Sums over cells of the ways to choose 0, 1, ... others, times ``(1 - x)^(n-1) exp(-(n-1) y)``; shape
        (sizes, places).
    odds, stale : ``o = x / (1 - x)`` and ``y``; shape (places,).

    Returns
    -------
    Shape (sizes, places).
    """
    spread = table * powers_of(odds, len(table))
    some = np.flatnonzero(stale)
    for at in (some[low : low + _AT_ONCE] for low in range(0, len(some), _AT_ONCE)):
        spread[:, at] = _spread_with_stale(table[:, at], odds[at], stale[at])
    return spread


def powers_of(values: FloatArray, many: int) -> FloatArray:
    """Return the powers 0 to ``many`` - 1 of values, each by one product; shape (many, *values)."""
    powers = np.ones((many, *values.shape))
    for power in range(1, many):
        np.multiply(powers[power - 1], values, out=powers[power])
    return powers


def _spread_with_stale(table: FloatArray, odds: FloatArray, stale: FloatArray) -> FloatArray:
    """Do it where there are stale records, for places whose arrays fit into the cache."""
    most = len(table)
    series = np.ones((most + 1, len(odds)))  # y^j / j!
    for size in range(1, most + 1):
        series[size] = series[size - 1] * stale / size
    further = series.copy()
    further[1:] += odds * series[:-1]
    power = series[:most] * np.exp(-stale)
    spread: FloatArray = table[0] * power
    for chosen in range(1, most):
        raised = np.zeros_like(power)
        for step in range(1, most - chosen + 1):
            raised[chosen + step - 1 :] += further[step] * power[chosen - 1 : most - step]
        power = raised
        spread += table[chosen] * power
    return spread


def sizes_with_stale(distinct: FloatArray, stale: FloatArray) -> FloatArray:
    """Return people in bins of 1, 2, ... or fewer entries from those by listed people; shape (sizes, pairs) each.

    ``stale``: mean stale records in a bin of each pair, Poisson and independent of who lives there.
    """
    chance, with_stale = np.exp(-stale), np.zeros_like(distinct)
    for records in range(len(distinct)):
        with_stale[records:] += chance * distinct[: len(distinct) - records]
        chance = chance * stale / (records + 1)
    return with_stale


def certain_with_stale(people: FloatArray, sizes: IntArray, stale: FloatArray) -> FloatArray:
    """Return the people of each cell who are in the one bin for certain, with ``g`` entries or fewer.

    ``stale``: mean stale records in that bin; shape (sizes, cells).
    """
    few = np.zeros((len(sizes), len(people)))
    small = np.flatnonzero(people <= sizes.max())
    room = sizes[:, None] - people[small]
    few[:, small] = np.where(room >= 0, people[small] * pdtr(np.maximum(room, 0.0), stale[small]), 0.0)
    return few


def matched_entries(others: FloatArray, chance: FloatArray, stale: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the whole trials, and the chance of each, of the binomial that is most like people and stale records.

    It has the mean of ``others`` trials with ``chance`` and of a Poisson variable with the mean ``stale`` together, and
    their variance but for what rounding up the trials takes away.
    """
    mean, lost = others * chance + stale, others * chance**2
    trials = np.divide(mean**2, lost, out=np.full_like(mean, _MOST_TRIALS), where=lost > 0)
    trials = np.clip(np.ceil(trials - 1e-6), 1.0, _MOST_TRIALS)
    return trials, np.minimum(mean / trials, 1.0)
