"""Pitman's formula with negative alpha: a fixed number of classes whose rates follow one distribution.

With ``m`` possible classes and ``alpha = -kappa``, ``theta = m kappa`` the formula is the symmetric Dirichlet
multinomial distribution: the rates of the m classes are independent gamma variables of shape kappa, scaled to add up
to 1. It suits a file with few key fields in which nearly all classes occur.

J. Pitman (1995), Probability Theory and Related Fields 102:145-158; A. Takemura (1999), Some superpopulation
models for estimating the number of population uniques.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import optimize, special

from policy_sim.errors import NotEstimableError
from policy_sim.estimators.base import Answer, SizeEstimator
from policy_sim.groups.size_histogram import SizeHistogram

__all__ = ["FiniteClasses", "FiniteFit", "fit_finite_classes"]

# Beyond these the likelihood is flat: ln(kappa) above 6 is a Poisson law for every class, and with a million
# times as many classes as the sample has, the model is Ewens's.
_LOG_KAPPA = (-14.0, 6.0)
_LOG_UNSEEN = (-10.0, 14.0)
_STARTS = (-4.0, -1.0, 2.0, 6.0)


@dataclass(frozen=True)
class FiniteFit:
    """The number of possible classes, the shape of their rates, and the log-likelihood up to a constant."""

    classes: float
    kappa: float
    log_likelihood: float


def _log_likelihood(sample: SizeHistogram, classes: float, kappa: float) -> float:
    u, n = sample.number, sample.records
    ways = special.gammaln(classes + 1) - special.gammaln(classes - u + 1)
    within = special.gammaln(sample.size + kappa) - special.gammaln(kappa)
    total = special.gammaln(classes * kappa) - special.gammaln(classes * kappa + n)
    return float(ways + sample.classes @ within + total)


def fit_finite_classes(sample: SizeHistogram) -> FiniteFit:
    """Return the likeliest number of classes (real, >= those seen) and shape; needs 1 < u < n."""
    u = sample.number

    def loss(at: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
        return -_log_likelihood(sample, u * (1 + math.exp(at[0])), math.exp(at[1]))

    fits = [
        optimize.minimize(loss, (start, 0.0), method="L-BFGS-B", bounds=(_LOG_UNSEEN, _LOG_KAPPA)) for start in _STARTS
    ]
    best = min(fits, key=lambda fit: float(fit.fun))
    return FiniteFit(u * (1 + math.exp(best.x[0])), math.exp(best.x[1]), -float(best.fun))


@dataclass(frozen=True)
class FiniteClasses(SizeEstimator):
    """Population uniques and marketer risk with a fixed number of equally distributed classes.

    Compare it with :class:`Pitman` if that model is at its boundary, alpha = 0. docs/estimators.md gives the errors
    of both.

    Examples
    --------
    >>> FiniteClasses().estimate({1: 5, 2: 8, 3: 9, 4: 8, 5: 7}, 1000).status
    'ok'
    """

    name: ClassVar[str] = "finite_classes"

    def _solve(self, sample: SizeHistogram, people: int) -> Answer:
        if not 1 < sample.number < sample.records:
            raise NotEstimableError("needs more than one class, and a class of two records or more")
        fit = fit_finite_classes(sample)
        m, kappa, n = fit.classes, fit.kappa, sample.records
        theta, others = m * kappa, (m - 1) * kappa
        # the chance that none of the other (people - 1) people joins the class of one person
        log_alone = _log_rising(others, people - 1) - _log_rising(theta + 1, people - 1)
        log_unseen = _log_rising(others + n, people - n) - _log_rising(theta + n, people - n)
        classes = sample.number + (m - sample.number) * -math.expm1(log_unseen)
        return Answer(
            uniques=people * math.exp(min(log_alone, 0.0)),
            marketer_risk=min(classes / people, 1.0),
            parameters={"classes": m, "kappa": kappa},
        )


def _log_rising(start: float, steps: int) -> float:
    return float(special.gammaln(start + steps) - special.gammaln(start))
