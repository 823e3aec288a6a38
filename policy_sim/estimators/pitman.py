"""Pitman's model of a population's classes: uniques by maximum likelihood.

N. Hoshino (2001), Applying Pitman's sampling formula to microdata disclosure risk assessment, Journal
of Official Statistics 17:499-520; J. Pitman (1996), Advances in Applied Probability 28:525-539.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy import optimize, special

from policy_sim.estimators.base import Answer, SizeEstimator
from policy_sim.estimators.number_of_classes import FiniteClasses
from policy_sim.formulas.histogram import SizeHistogram
from policy_sim.words.errors import NotEstimableError, UnknownNameError

# The likelihood of Pitman's sampling formula and its maximum.
#
# With n records in u classes, s_k of them of size k, up to constants::
#
#     L = sum_{0<i<u} ln(theta + i alpha) - sum_{0<i<n} ln(theta + i) + sum_k s_k sum_{0<i<k} ln(i - alpha)
#
# for 0 <= alpha < 1 and theta > -alpha. N. Hoshino (2001), Journal of Official Statistics 17:499-520.
# The maximum may be at alpha = 0, which is Ewens's model.


# Below this the closed forms of the sums over classes and of rising factorials lose digits.
_SMALL_ALPHA = 0.01
_LOOK = (0.2, 0.4, 0.6, 0.8)


@dataclass(frozen=True)
class Maximum:
    """Where the likelihood is greatest.

    ``score`` is its slope in alpha, in standard deviations, where alpha is 0 (0 inside the region). A score far below 0
    shows that the data need a negative alpha, which the model does not have.
    """

    theta: float
    alpha: float
    score: float = 0.0


def log_likelihood(sample: SizeHistogram, theta: float, alpha: float) -> float:
    """Return L as above."""
    n, u = sample.records, sample.number
    if alpha > 0:
        z = theta / alpha
        classes = (u - 1) * math.log(alpha) + special.gammaln(z + u) - special.gammaln(z + 1)
    else:
        classes = (u - 1) * math.log(theta)
    within = special.gammaln(sample.size - alpha) - special.gammaln(1 - alpha)
    records = special.gammaln(theta + n) - special.gammaln(theta + 1)
    return float(classes - records + sample.classes @ within)


def _sums_over_classes(u: int, theta: float, alpha: float) -> tuple[float, float, float, float, float]:
    """Sums over 0 < i < u of 1/t, i/t, 1/t^2, i/t^2, i^2/t^2 with t = theta + i alpha."""
    if alpha < _SMALL_ALPHA:  # add up the terms
        i = np.arange(1, u, dtype=np.float64)
        t = 1 / (theta + i * alpha)
        weighted = i * t
        return float(t.sum()), float(weighted.sum()), float(t @ t), float(weighted @ t), float(weighted @ weighted)
    z = theta / alpha
    digamma_sum = float(special.psi(z + u) - special.psi(z + 1)) / alpha
    square = float(special.zeta(2, z + 1) - special.zeta(2, z + u)) / alpha**2
    first = ((u - 1) - theta * digamma_sum) / alpha
    mixed = (digamma_sum - theta * square) / alpha
    return digamma_sum, first, square, mixed, (first - theta * mixed) / alpha


def score_and_curvature(
    sample: SizeHistogram, theta: float, alpha: float
) -> tuple[tuple[float, float], tuple[float, float, float]]:
    """Return the first derivatives of L in (theta, alpha), and the second derivatives (tt, ta, aa)."""
    n, u = sample.records, sample.number
    expected_records, first, square, mixed, second = _sums_over_classes(u, theta, alpha)
    size = sample.size - alpha
    within = float(sample.classes @ (special.psi(size) - special.psi(1 - alpha)))
    curve_within = float(sample.classes @ (special.zeta(2, size) - special.zeta(2, 1 - alpha)))
    records = float(special.psi(theta + n) - special.psi(theta + 1))
    curve_records = float(special.zeta(2, theta + 1) - special.zeta(2, theta + n))
    return (expected_records - records, first - within), (-square + curve_records, -mixed, -second + curve_within)


def _theta_slope(sample: SizeHistogram, theta: float, alpha: float) -> float:
    u = sample.number
    class_sum = _sums_over_classes(u, theta, alpha)[0] if alpha > 0 else (u - 1) / theta
    return class_sum - float(special.psi(theta + sample.records) - special.psi(theta + 1))


def best_theta(sample: SizeHistogram, alpha: float) -> float:
    """Return the theta of greatest likelihood for this alpha; needs 1 < u < n."""

    def slope(x: float) -> float:
        return math.exp(x) * _theta_slope(sample, math.exp(x) - alpha, alpha)

    low, high = -2.0, math.log(sample.records)
    while slope(low) < 0:
        low -= 5
    while slope(high) > 0:
        high += 5
    return math.exp(optimize.brentq(slope, low, high, xtol=1e-13)) - alpha


def _hoshino_start(sample: SizeHistogram) -> tuple[float, float]:
    n, u, s1 = sample.records, sample.number, sample.uniques
    c = s1 * (s1 - 1) / max(sample.of_size(2), 1)
    below = 2 * s1 * u + s1 * c - n * c
    if below == 0:
        return math.nan, math.nan
    theta = (n * u * c - s1 * (n - 1) * (2 * u + c)) / below
    return theta, (theta * (s1 - n) + (n - 1) * s1) / (n * u)


def _newton(sample: SizeHistogram, theta: float, alpha: float) -> tuple[float, float] | None:
    """Climb from a starting point in x = ln(theta + alpha) and alpha; None if no maximum is reached."""
    if not (0 < alpha < 1 and theta > -alpha):
        return None
    for _ in range(60):
        (g_t, g_a), (h_tt, h_ta, h_aa) = score_and_curvature(sample, theta, alpha)
        e = theta + alpha
        gx, ga = e * g_t, g_a - g_t
        xx, xa, aa = e * e * h_tt + gx, e * (h_ta - h_tt), h_aa - 2 * h_ta + h_tt
        determinant = xx * aa - xa * xa
        if not (xx < 0 and determinant > 0):
            return None
        dx = float(np.clip(-(aa * gx - xa * ga) / determinant, -2, 2))
        da = -(xx * ga - xa * gx) / determinant
        step = min(1.0, 0.8 * alpha / -da if da < 0 else 0.8 * (1 - alpha) / da if da > 0 else 1.0)
        alpha, x = alpha + step * da, math.log(e) + step * dx
        theta = math.exp(x) - alpha
        if abs(dx) < 1e-11 and abs(da) < 1e-12:
            return theta, alpha
    return None


def _by_profile(sample: SizeHistogram, low: float) -> tuple[float, float]:
    """Maximize over alpha above ``low``, with the best theta for each."""

    def slope(alpha: float) -> float:
        return score_and_curvature(sample, best_theta(sample, alpha), alpha)[0][1]

    high = 1 - 1e-9
    alpha = optimize.brentq(slope, low, high, xtol=1e-13) if slope(high) < 0 else high
    return best_theta(sample, alpha), alpha


def _score_at_zero(sample: SizeHistogram, theta: float, slope: float) -> float:
    """Return the slope in alpha over its standard deviation, with theta fitted (Rao's score test)."""
    _, (tt, ta, aa) = score_and_curvature(sample, theta, 0.0)
    information = ta * ta / tt - aa if tt < 0 else 0.0
    return slope / math.sqrt(information) if information > 0 else 0.0


def greatest_likelihood(sample: SizeHistogram) -> Maximum:
    """Return where the likelihood is greatest; needs 1 < u < n."""
    ewens = best_theta(sample, 0.0)
    u = sample.number
    within = float(sample.classes @ (special.psi(sample.size) - special.psi(1)))
    slope = u * (u - 1) / (2 * ewens) - within
    low = 0.0
    if slope <= 0:
        # almost always the maximum; check whether the likelihood rises again farther inside
        level = log_likelihood(sample, ewens, 0.0)
        better = [a for a in _LOOK if log_likelihood(sample, best_theta(sample, a), a) > level]
        if not better:
            return Maximum(ewens, 0.0, _score_at_zero(sample, ewens, slope))
        low = better[0]
    solution = _newton(sample, *_hoshino_start(sample)) or _newton(sample, ewens, 0.05)
    theta, alpha = solution if solution and solution[1] > low else _by_profile(sample, low)
    return Maximum(theta, alpha)


FORMS = ("exact", "large_n")
_AT_BOUNDARY = "the likelihood is greatest at the boundary alpha = 0 (Ewens's model)"
_TOO_HIGH = ": likely too high"
# The score, in standard deviations, below which the data show a negative alpha: 5% one-sided.
_FAR_BELOW = -1.645


def expected_uniques(theta: float, alpha: float, people: int) -> float:
    """Return the expected uniques of a population of this size.

    ``N Gamma(theta+1)/Gamma(theta+alpha) Gamma(theta+alpha+N-1)/Gamma(theta+N)``; with alpha = 0 it
    is Ewens's ``N theta / (theta + N - 1)``.
    """
    return float(people * special.poch(theta + alpha, 1 - alpha) * special.poch(theta + people, alpha - 1))


def expected_uniques_large(theta: float, alpha: float, people: int) -> float:
    """Return the limit for large N, ``Gamma(theta+1)/Gamma(theta+alpha) N**alpha``, as papers print it.

    It exceeds the exact form by a factor of about ``(1 + theta/N)**(1-alpha)`` and has no bound at N.
    """
    return float(special.poch(theta + alpha, 1 - alpha) * people**alpha)


def expected_classes(theta: float, alpha: float, sample: SizeHistogram, people: int) -> float:
    """Return the expected number of classes of the population, given the sample.

    S. Favaro, A. Lijoi, R. Mena and I. Pruenster (2009), JRSS B 71:993-1008, proposition 1.
    """
    n, u = sample.records, sample.number
    if alpha == 0:
        return u + theta * float(special.psi(theta + people) - special.psi(theta + n))
    if alpha < _SMALL_ALPHA:  # the rising factorials are then close to 1; use the middle slope instead
        log_growth = alpha * float(special.psi(theta + people + alpha / 2) - special.psi(theta + n + alpha / 2))
    else:
        log_growth = math.log(special.poch(theta + people, alpha) / special.poch(theta + n, alpha))
    return u * math.exp(log_growth) + theta * math.expm1(log_growth) / alpha


@dataclass(frozen=True)
class Pitman(SizeEstimator):
    """Population uniques by Pitman's model.

    Parameters
    ----------
    form : ``"exact"`` for the expected uniques of exactly N people, ``"large_n"`` for the limit form
        that the literature prints.

    Notes
    -----
    Marketer risk is the expected number of classes, given the sample, divided by the people: the expected marketer
    risk of a simple random sample.

    At the boundary alpha = 0 a note says so, and says "likely too high" if the likelihood falls significantly. The
    note also gives the uniques of :class:`FiniteClasses`, the model with negative alpha.
    """

    name: ClassVar[str] = "pitman"

    form: str = "exact"

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise UnknownNameError("form of Pitman's estimator", str(self.form), FORMS)

    def explained(self, answer: Answer, sample: SizeHistogram, people: int) -> Answer:
        """Add the uniques of a fixed number of classes to an answer that is likely too high."""
        if not any(note.endswith(_TOO_HIGH) for note in answer.notes):
            return answer
        beside = FiniteClasses().answer(sample, people).uniques
        more = "" if beside is None else f"; with a fixed number of classes (alpha < 0) {beside:,.0f} uniques"
        return replace(answer, notes=tuple(note + more for note in answer.notes))

    def _solve(self, sample: SizeHistogram, people: int) -> Answer:
        if sample.uniques == 0:
            return Answer(uniques=0.0, notes=("the sample has no unique record",))
        if sample.number == sample.records:
            raise NotEstimableError("every record of the sample is unique: the likelihood has no maximum")
        best = greatest_likelihood(sample)
        form = expected_uniques if self.form == "exact" else expected_uniques_large
        uniques = form(best.theta, best.alpha, people)
        if not uniques <= people:
            raise NotEstimableError(
                f"the large-N form gives {uniques:,.0f} uniques among {people:,} people; use the exact form"
            )
        return Answer(
            uniques=uniques,
            marketer_risk=expected_classes(best.theta, best.alpha, sample, people) / people,
            parameters={"theta": best.theta, "alpha": best.alpha},
            notes=() if best.alpha > 0 else (_AT_BOUNDARY + (_TOO_HIGH if best.score < _FAR_BELOW else ""),),
        )
