"""How what the models say of a sample turns into a range, with the errors of simulated populations.

The models disagree, and each errs in its own direction. On simulated populations, whose truth is known, the error of
the log-linear model depends on what the others say, on the sampling fraction, and on how many classes of one and of
two records there are. :class:`Calibration` holds that dependence: a center and a spread, both linear in the features
of a sample, and how many spreads from the center the truth lies. ``python -m benchmarks.calibrate_estimates`` makes the
constants in :mod:`policy_sim.estimators.calibration_constants`; docs/estimators.md says what the ranges hold on files
that it never saw.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from policy_sim.estimators.base import Estimate
from policy_sim.estimators.number_of_classes import FiniteClasses, number_of_classes
from policy_sim.formulas.histogram import SizeHistogram
from policy_sim.words.arrays import FloatArray
from policy_sim.words.errors import NotEstimableError

# What the simulations cover: outside, no range was tested.
LEAST_FRACTION, MOST_FRACTION, FEWEST_RECORDS = 0.01, 0.7, 100
_CLASSES_BY = ("uj2a", "sh3")
# Above this fraction the spread grows with a power of it: as far as the range may go before its ends are three times
# apart. An earlier range without it held 88% of the samples of docs/estimators.md at a fraction of 40%.
_SMALL_SAMPLE, _WIDER = 0.1, 0.5
_SHARED = 4  # of the models that come first, every two are compared


@dataclass(frozen=True, eq=False)
class Features:
    """What a calibration reads of a sample, and the scale of its answer.

    ``values`` are logarithms: what each model says over ``scale``; the sample's own shares; the classes that the
    log-linear model expects, over those there are; what it says without and with all interactions; the fraction last.
    ``exp(0)`` stands for ``scale``, the figure before any model is asked; ``offset`` is added to a figure before its
    logarithm is taken, so that 0 has one.
    """

    values: FloatArray
    scale: float
    offset: float

    def log_of(self, figure: float) -> float:
        """Return a figure on the scale of the features."""
        return math.log((figure + self.offset) / self.scale)

    def figure_of(self, log: float) -> float:
        """Return the figure, >= 0, of a place on the scale of the features."""
        return max(math.exp(log) * self.scale - self.offset, 0.0)


def features_of(sample: SizeHistogram, people: int, estimates: Mapping[str, Estimate]) -> dict[str, Features] | None:
    """Return the features for uniques (in people) and for marketer risk, or None if a model has no answer.

    ``estimates``, by name, are those of the log-linear model, Pitman, Zayatz and the slide negative binomial.
    """
    log_linear, pitman, slide, zayatz = (
        estimates.get(name) for name in ("poisson_log_linear", "pitman", "slide_negative_binomial", "zayatz")
    )
    if log_linear is None or pitman is None or slide is None or zayatz is None or log_linear.status != "ok":
        return None
    finite = FiniteClasses().estimate(sample, people)
    counts = {int(k): int(c) for k, c in zip(sample.size[:3], sample.classes[:3], strict=True)}
    once, twice = counts.get(1, 0), counts.get(2, 0)
    fraction = sample.records / people
    uniques = [model.uniques for model in (log_linear, pitman, finite, slide, zayatz)]
    uniques[3] = uniques[4] if uniques[3] is None else uniques[3]  # its equations need not have a root
    try:
        classes = [number_of_classes(sample, people, method) / people for method in _CLASSES_BY]
    except NotEstimableError:
        return None
    risks = [log_linear.marketer_risk, pitman.marketer_risk, finite.marketer_risk, *classes]
    own = [
        math.log((twice + 0.5) / (once + 0.5)),
        math.log((once + 0.5) / sample.records),
        math.log(sample.number / sample.records),
        math.log(once + 1),
    ]
    beside = log_linear.parameters
    missed = [
        math.log((expected + 0.5) / (counts.get(size, 0) + 0.5))
        for size, expected in beside["expected_classes"].items()
    ]
    by_measure = {}
    for at, (measure, figures, scale, offset) in enumerate(
        (
            ("uniqueness", uniques, once / fraction + 0.5, 0.5),
            ("marketer_risk", risks, sample.number / sample.records, 0.0),
        )
    ):
        numbers = [value for value in figures if value is not None]
        if len(numbers) < len(figures):
            return None
        ends = [beside[name][at] for name in ("no_interactions", "all_interactions")]
        logs, outer = ([math.log((value + offset) / scale) for value in part] for part in (numbers, ends))
        values = np.array([*logs, *own, *missed, *outer, math.log(fraction)])
        by_measure[measure] = Features(values, scale, offset)
    return by_measure


def center_terms(values: FloatArray) -> FloatArray:
    """Return a one, the features, and the features times the last of them, the logarithm of the fraction."""
    return np.concatenate([[1.0], values, values * values[-1]])


def spread_terms(values: FloatArray) -> FloatArray:
    """Return the terms of the center, and how far every two of the first models lie apart."""
    models = values[:_SHARED]
    apart = [abs(models[i] - models[j]) for i in range(len(models)) for j in range(i + 1, len(models))]
    return np.concatenate([center_terms(values), apart])


@dataclass(frozen=True)
class Calibration:
    """Center and spread of the truth, as simulated populations show them.

    ``center`` are weights of :func:`center_terms`, whose sum is the logarithm of the truth over the scale of the
    features; ``spread`` those of :func:`spread_terms`, whose sum is the logarithm of the usual error of the center. The
    truth lies between ``low`` and ``high`` spreads from the center; simulations had features of ``least`` to ``most``.
    """

    center: tuple[float, ...]
    spread: tuple[float, ...]
    low: float
    high: float
    least: tuple[float, ...]
    most: tuple[float, ...]

    def covers(self, features: Features) -> bool:
        """Return whether the simulations had samples like this one."""
        return bool(np.all(features.values >= self.least) and np.all(features.values <= self.most))

    def range_of(self, features: Features) -> tuple[float, float, float]:
        """Return the low end, the center and the high end, in the unit of the features' figure.

        Above a tenth of the population, the range is wider than the simulations ask: files of real people err more.
        """
        center = float(center_terms(features.values) @ np.array(self.center))
        spread = math.exp(float(spread_terms(features.values) @ np.array(self.spread)))
        spread *= max(1.0, math.exp(features.values[-1]) / _SMALL_SAMPLE) ** _WIDER
        low, middle, high = (features.figure_of(center + at * spread) for at in (self.low, 0.0, self.high))
        return low, middle, high
