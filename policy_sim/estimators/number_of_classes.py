"""How many classes the population has, from the class sizes of a sample (Haas and Stokes 1998).

Every function takes the sample and the population size, which must exceed the sample, and returns an unclipped number
of classes. :func:`number_of_classes` clips it to the possible range: at least the classes in the sample, at most the
people.

P. Haas and L. Stokes (1998), Estimating the number of classes in a finite population, JASA
93:1475-1487.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from policy_sim.errors import NotEstimableError, UnknownNameError
from policy_sim.estimators.base import SizeEstimator
from policy_sim.groups.size_histogram import SizeHistogram

__all__ = ["CLASS_COUNTS", "ClassCountEstimator", "check_class_count", "class_count_choice", "number_of_classes"]

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
    {
        "sh3": sh3,
        "sh2": sh2,
        "shlosser": shlosser,
        "uj1": uj1,
        "uj2": uj2,
        "uj2a": uj2a,
        "hybrid": hybrid,
    }
)


def check_class_count(method: str) -> None:
    """Raise an error for a name that is not in :data:`CLASS_COUNTS`.

    Raises
    ------
    UnknownNameError : there is no such estimator of the number of classes.
    """
    if method not in CLASS_COUNTS:
        raise UnknownNameError("estimator of the number of classes", str(method), CLASS_COUNTS)


def number_of_classes(sample: SizeHistogram, people: float, method: str = "sh3") -> float:
    """Return the estimated number of classes in the population.

    Parameters
    ----------
    sample : Class sizes of the sample, at least one record.
    people : Size of the population, N >= n.
    method : A name in :data:`CLASS_COUNTS`.

    Returns
    -------
    At least the classes in the sample, at most ``people``.

    Raises
    ------
    NotEstimableError : the formula has no value, such as the jackknife of a tiny sample of uniques.
    UnknownNameError : there is no such method.
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
    """An estimator that begins with the number of classes in the population.

    Parameters
    ----------
    classes : How that number is estimated, a name in :data:`CLASS_COUNTS`.

    Raises
    ------
    UnknownNameError : there is no such estimate of the number of classes.
    """

    classes: str = "sh3"

    def __post_init__(self) -> None:
        check_class_count(self.classes)
