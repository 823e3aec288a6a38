"""How many classes the population has, from the class sizes of a sample (Haas and Stokes 1998).

Every function takes the sample and the population size, which must exceed the sample, and returns an unclipped number
of classes. :func:`number_of_classes` clips it to the possible range: at least the classes in the sample, at most the
people.

P. Haas and L. Stokes (1998), Estimating the number of classes in a finite population, JASA
93:1475-1487.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

import numpy as np
from scipy import optimize, special

from policy_sim.estimators.base import Answer, SizeEstimator
from policy_sim.formulas.histogram import SizeHistogram
from policy_sim.words.errors import NotEstimableError, UnknownNameError

# The paper's recommendations: the hybrid's thresholds for the squared coefficient of variation, and the
# class size above which the stabilized jackknife sets classes aside.
_EVEN_BELOW, _SKEWED_FROM, _LARGE_ABOVE = 0.9, 30.0, 50


def uj1(sample: SizeHistogram, people: float) -> float:
    """Return the first-order unsmoothed jackknife."""
    q = sample.records / people
    return sample.number / (1 - (1 - q) * sample.uniques / sample.records)


def squared_variation(classes: float, sample: SizeHistogram, people: float) -> float:
    """Return the squared coefficient of variation of class sizes for this number of classes."""
    size = sample.size.astype(np.float64)
    pairs = float(np.sum(size * (size - 1) * sample.classes))
    return max(0.0, classes / sample.records**2 * pairs + classes / people - 1)


def uj2(sample: SizeHistogram, people: float) -> float:
    """Return the second-order unsmoothed jackknife."""
    q = sample.records / people
    variation = squared_variation(uj1(sample, people), sample, people)
    bias = sample.uniques * (1 - q) * np.log1p(-q) * variation / q
    return float((sample.number - bias) / (1 - (1 - q) * sample.uniques / sample.records))


def uj2a(sample: SizeHistogram, people: float) -> float:
    """Return the second-order jackknife of the classes of at most 50 records, plus the number of larger classes."""
    small = sample.size <= _LARGE_ABOVE
    if small.all():
        return uj2(sample, people)
    rest = SizeHistogram(sample.size[small], sample.classes[small])
    if rest.records == 0:
        return float(sample.number)
    # the population shrinks in proportion, so the sampling fraction of the rest stays the same
    rest_people = people * rest.records / sample.records
    return uj2(rest, rest_people) + sample.number - rest.number


def _shlosser_ratio(sample: SizeHistogram, q: float) -> float:
    size = sample.size.astype(np.float64)
    unseen = np.exp(size * np.log1p(-q))
    once = np.exp(np.log(size) + np.log(q) + (size - 1) * np.log1p(-q))
    return float((unseen @ sample.classes) / (once @ sample.classes))


def shlosser(sample: SizeHistogram, people: float) -> float:
    """Return Shlosser's estimator."""
    if sample.uniques == 0:
        return float(sample.number)
    return sample.number + sample.uniques * _shlosser_ratio(sample, sample.records / people)


def sh2(sample: SizeHistogram, people: float) -> float:
    """Return the second modification of Shlosser's estimator."""
    if sample.uniques == 0:
        return float(sample.number)
    q = sample.records / people
    mean_size = people / uj1(sample, people)
    # q (1+q)^(M-1) / ((1+q)^M - 1), written so that a large M does not overflow
    weight = q / (1 + q) / -np.expm1(-mean_size * np.log1p(q))
    return float(sample.number + sample.uniques * weight * _shlosser_ratio(sample, q))


def sh3(sample: SizeHistogram, people: float) -> float:
    """Return the third modification of Shlosser's estimator."""
    if sample.uniques == 0:
        return float(sample.number)
    q = sample.records / people
    size = sample.size.astype(np.float64)
    # log(1 - q^2) and (1-q)^k ((1+q)^k - 1) = (1-q^2)^k - (1-q)^k, free of overflow in k
    log_both, log_one = np.log1p(-q * q), np.log1p(-q)
    top = np.exp(np.log(size) + 2 * np.log(q) + (size - 1) * log_both) @ sample.classes
    below = (-np.exp(size * log_both) * np.expm1(size * (log_one - log_both))) @ sample.classes
    return float(sample.number + sample.uniques * top / below * _shlosser_ratio(sample, q) ** 2)


def class_count_choice(sample: SizeHistogram, people: float) -> str:
    """Return the estimator that the hybrid uses for these data."""
    variation = squared_variation(uj2(sample, people), sample, people)
    if variation < _EVEN_BELOW:
        return "uj2"
    return "uj2a" if variation < _SKEWED_FROM else "sh3"


def hybrid(sample: SizeHistogram, people: float) -> float:
    """Return the estimator that suits the spread of the class sizes."""
    return CLASS_COUNTS[class_count_choice(sample, people)](sample, people)


CLASS_COUNTS: MappingProxyType[str, Callable[[SizeHistogram, float], float]] = MappingProxyType(
    {method.__name__: method for method in (sh3, sh2, shlosser, uj1, uj2, uj2a, hybrid)}
)


def check_class_count(method: str) -> None:
    """Refuse a name that is not in :data:`CLASS_COUNTS`."""
    if method not in CLASS_COUNTS:
        raise UnknownNameError("estimator of the number of classes", str(method), CLASS_COUNTS)


def number_of_classes(sample: SizeHistogram, people: float, method: str = "sh3") -> float:
    """Return the number of classes in the population by a method of :data:`CLASS_COUNTS`, from a sample of it.

    It is at least that of the sample, at most ``people``. A formula may have no value (``NotEstimableError``), such as
    the jackknife of a tiny sample of uniques.
    """
    check_class_count(method)
    if sample.records == people:
        return float(sample.number)
    value = CLASS_COUNTS[method](sample, people)
    if not np.isfinite(value):
        raise NotEstimableError(f"the number of classes in the population has no estimate by {method}")
    return float(np.clip(value, sample.number, people))


@dataclass(frozen=True)
class ClassCountEstimator(SizeEstimator):
    """An estimator that begins with the number of classes in the population, by a method of :data:`CLASS_COUNTS`."""

    classes: str = "sh3"

    def __post_init__(self) -> None:
        check_class_count(self.classes)


# Pitman's formula with negative alpha: a fixed number of classes whose rates follow one distribution.
#
# With ``m`` possible classes and ``alpha = -kappa``, ``theta = m kappa`` the formula is the symmetric Dirichlet
# multinomial distribution: the rates of the m classes are independent gamma variables of shape kappa, scaled to add up
# to 1. It suits a file with few key fields in which nearly all classes occur.
#
# J. Pitman (1995), Probability Theory and Related Fields 102:145-158; A. Takemura (1999), Some superpopulation
# models for estimating the number of population uniques.


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
