"""Two models with negative binomial class sizes: the slide negative binomial and the negative binomial."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import optimize

from policy_sim.estimators.base import Answer, gamma_rate_inverse
from policy_sim.estimators.number_of_classes import ClassCountEstimator, number_of_classes
from policy_sim.formulas.histogram import SizeHistogram
from policy_sim.words.arrays import FloatArray
from policy_sim.words.errors import NotEstimableError

# The slide negative binomial model: class sizes minus one follow a negative binomial distribution.
#
# G. Chen and S. Keller-McNulty (1998), Journal of Official Statistics 14:79-95. Under sampling with
# fraction ``p``, with ``d = (1-p)(1-beta)`` and ``r = 1 - d``, the expected numbers of classes of one
# and two records in the sample are::
#
#     s1 = K p (beta/r)**alpha (1 + alpha d / r)
#     s2 = K alpha beta**alpha p**2 (1-beta) (2 - (1-alpha) d) / (2 r**(alpha+2))
#
# Their ratio is free of K and, for a given beta, quadratic in alpha with one positive root. That leaves one equation
# in one unknown, and the code finds every root from the changes of sign.


# logit(beta) for beta from 1e-13 to 1 - 1e-9; beyond that the model is at its boundary
_LOGIT_BETA = np.linspace(-30.0, 20.0, 301)


def _alpha_given_beta(beta: FloatArray, missing: FloatArray, fraction: float, ratio: float) -> FloatArray:
    """Solve the ratio s2/s1 for alpha; ``missing`` is 1 - beta."""
    d = (1 - fraction) * missing
    r = fraction + (1 - fraction) * beta
    c = fraction * missing
    a, b, e = c * d, c * (2 - d) - 2 * ratio * r * d, 2 * ratio * r**2
    # a x^2 + b x - e = 0 with a, e >= 0: the positive root, without cancellation for either sign of b
    root = np.sqrt(b * b + 4 * a * e)
    with np.errstate(divide="ignore", invalid="ignore"):  # one of the two forms divides by zero
        return np.where(b > 0, 2 * e / (b + root), (root - b) / (2 * a))


def _log_misfit(logit: FloatArray, classes: float, fraction: float, ones: int, twos: int) -> FloatArray:
    """Return the log of expected over observed classes of one record, along the curve that fits s2/s1."""
    beta, missing = 1 / (1 + np.exp(-logit)), 1 / (1 + np.exp(logit))
    alpha = _alpha_given_beta(beta, missing, fraction, twos / ones)
    d = (1 - fraction) * missing
    r = fraction + (1 - fraction) * beta
    log_s1: FloatArray = math.log(classes * fraction) + alpha * np.log(beta / r) + np.log1p(alpha * d / r)
    return log_s1 - math.log(ones)


def slide_negative_binomial(sample: SizeHistogram, people: int, classes: float) -> list[tuple[float, float, float]]:
    """Return every solution (alpha, beta, population uniques) for a given number of classes."""
    ones, twos, fraction = sample.uniques, sample.of_size(2), sample.records / people
    args = (classes, fraction, ones, twos)
    misfit = _log_misfit(_LOGIT_BETA, *args)
    below = np.signbit(misfit)
    solutions = []
    for i in np.flatnonzero((below[1:] != below[:-1]) & np.isfinite(misfit[1:]) & np.isfinite(misfit[:-1])):
        logit = optimize.brentq(
            lambda x: float(_log_misfit(np.array(x), *args)),
            _LOGIT_BETA[i],
            _LOGIT_BETA[i + 1],
            xtol=1e-13,
            rtol=1e-14,
        )
        beta, missing = 1 / (1 + math.exp(-logit)), 1 / (1 + math.exp(logit))
        alpha = float(_alpha_given_beta(np.array(beta), np.array(missing), fraction, twos / ones))
        solutions.append((alpha, beta, classes * math.exp(alpha * math.log(beta))))
    return solutions


@dataclass(frozen=True)
class SlideNegativeBinomial(ClassCountEstimator):
    """Population uniques by the slide negative binomial model.

    Marketer risk is the estimated number of classes divided by the people: the expected marketer risk of a simple
    random sample.
    """

    name: ClassVar[str] = "slide_negative_binomial"

    def _solve(self, sample: SizeHistogram, people: int) -> Answer:
        for size in (1, 2):
            if sample.of_size(size) == 0:
                raise NotEstimableError(f"no class of the sample has {size} record{'s' * (size > 1)}")
        classes = number_of_classes(sample, people, self.classes)
        solutions = slide_negative_binomial(sample, people, classes)
        if not solutions:
            raise NotEstimableError(f"no solution with {classes:,.0f} classes in the population")
        # of several solutions, the one whose classes add up to the population
        alpha, beta, uniques = min(
            solutions, key=lambda s: abs(math.log(classes * (1 + s[0] * (1 - s[1]) / s[1]) / people))
        )
        return Answer(
            uniques=uniques,
            marketer_risk=classes / people,
            parameters={"alpha": alpha, "beta": beta, "classes": classes, "solutions": len(solutions)},
        )


# The Poisson-gamma model: class rates follow one gamma distribution over all classes of the population.
#
# J. Bethlehem, W. Keller and J. Pannekoek (1990), JASA 85:38-45; Y. Rinott (2003), ECE/Eurostat;
# Dankar and El Emam (2010), section 2.4.3.


def gamma_moments(sample: SizeHistogram, number_of_cells: float) -> tuple[float, float]:
    """Return shape and scale of the gamma distribution with the sample's mean and variance over all cells."""
    mean = sample.records / number_of_cells
    size = sample.size.astype(float)
    variance = float(size**2 @ sample.classes) / number_of_cells - mean**2
    if variance <= mean:
        raise NotEstimableError(
            f"class sizes over {number_of_cells:,.0f} classes vary no more than chance (variance "
            f"{variance:.4g}, mean {mean:.4g}): no gamma law fits"
        )
    shape = mean**2 / (variance - mean)
    return shape, 1 / (shape * number_of_cells)


@dataclass(frozen=True)
class NegativeBinomial(ClassCountEstimator):
    """Marketer risk and uniques by the Poisson-gamma model."""

    name: ClassVar[str] = "negative_binomial"

    def _solve(self, sample: SizeHistogram, people: int) -> Answer:
        return negative_binomial(sample, people, number_of_classes(sample, people, self.classes))


def negative_binomial(sample: SizeHistogram, people: int, cells: float) -> Answer:
    """Estimate with a given number of classes in the population.

    F - f given f is negative binomial with ``p = (n + 1/scale) / (N + 1/scale)``; population uniques
    are ``N (1 + N scale)**-(1 + shape)``.
    """
    shape, scale = gamma_moments(sample, cells)
    probability = (sample.records + 1 / scale) / (people + 1 / scale)
    inverse = gamma_rate_inverse(sample.size, probability, shape)
    return Answer(
        uniques=people * (1 + people * scale) ** -(1 + shape),
        marketer_risk=float((sample.size * sample.classes) @ inverse) / sample.records,
        parameters={"cells": cells, "shape": shape, "scale": scale, "probability": probability},
    )
