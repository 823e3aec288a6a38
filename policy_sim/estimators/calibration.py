"""How what the models say of a sample turns into a range, with the errors of simulated populations.

The models disagree, and each errs in its own direction. On simulated populations, whose truth is known, the error of
the log-linear model depends on what the others say, on the sampling fraction, and on how many classes of one and of
two records there are. :class:`Calibration` holds that dependence: a center and a spread, both linear in the features
of a sample, and how many spreads from the center the truth lies. ``python -m benchmarks.calibrate_estimates`` makes
:data:`CALIBRATIONS`; docs/estimators.md says what the ranges hold on files that it never saw.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

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


# The constants, written from here on by ``python -m benchmarks.calibrate_estimates`` from 2,255 simulated samples; do
# not edit them by hand.
# fmt: off
CALIBRATIONS: Mapping[str, Calibration] = MappingProxyType(
    {
        "uniqueness": Calibration(
            center=(
                -0.228988, 0.795445, 0.0532042, 0.0237948, 0.0701063, -0.0073306, -0.0635088, -0.00440368, -0.00472554,
                0.0344581, -0.429612, 0.204105, 0.152855, 0.0517193, 0.0157996, 0.0391348, 0.0343897, -0.00391531,
                -0.000914786, 0.0086595, 0.00387264, -0.0125894, -0.00219882, -0.0061678, 0.0115835, 0.0347106,
                0.0104504, 0.0167583, -0.00698993, 0.00145962, -0.00663747,
            ),
            spread=(
                -1.60487, -0.315993, -0.322618, -0.109119, -0.144974, -0.267934, 0.264396, 0.104616, -0.133935,
                -0.26303, 0.878433, -0.28331, -0.428242, 0.285205, 0.00754322, -0.325667, -0.0156518, -0.00971486,
                -0.0217616, -0.0229195, -0.125965, 0.105674, -0.0450282, 0.0571315, -0.0101998, 0.152585, -0.0262746,
                -0.106062, 0.0112696, 0.00540399, -0.0447857, 0.242133, 0.057796, -0.0166891, -0.0104856, -0.138303,
                -0.0506366,
            ),
            low=-3.0077,
            high=3.4897,
            least=(
                -7.24174, -3.98279, -10.3283, -6.20671, -2.80613, -3.94293, -6.13349, -4.58893, 1.83091, -0.536611,
                -0.548777, -1.00877, -6.05168, -10.3799, -4.59706,
            ),
            most=(
                -0.222045, 0.596576, -0.281975, -0.0394565, -0.035111, 0.147482, -0.0315931, -0.0180919, 7.86398,
                0.85567, 1.17779, 1.8564, -0.176442, -0.28175, -0.36467,
            ),
        ),
        "marketer_risk": Calibration(
            center=(
                -0.0585467, 0.884199, 0.037295, 0.0250659, 0.0202493, 0.0147594, -0.00802147, -0.00727257, 0.00297952,
                0.00738122, -0.0713751, 0.0322301, 0.0271942, -0.00979685, 0.00218721, 0.0134627, 0.0132131,
                -0.00215829, 0.000233172, -0.00110001, 0.00329224, 0.000358226, -0.00328236, -0.00277123, 0.00295971,
                0.0824574, 0.00722753, 0.00299611, -0.00346745, 0.000965109, -0.000671232,
            ),
            spread=(
                -2.67469, -0.182353, -0.118473, -0.0520615, -0.361821, -0.0336773, -0.143405, 0.189997, -0.194303,
                -0.204936, 0.673093, -0.00279392, -0.0410433, 0.880963, -0.172087, -0.414139, 0.0794899, -0.0405876,
                -0.0525183, -0.0161366, -0.0330377, -0.0597856, 0.00390774, 0.0230346, -0.00317981, 0.153827, 0.0656924,
                -0.018365, 0.018674, -0.0323167, -0.00390082, 0.534793, 0.357676, 0.00358501, -0.138668, -0.223168,
                0.0934175,
            ),
            low=-2.3849,
            high=3.8311,
            least=(
                -3.41666, -3.0709, -3.72331, -3.84341, -3.50791, -3.94293, -6.13349, -4.58893, 1.83091, -0.536611,
                -0.548777, -1.00877, -3.17432, -4.46957, -4.59706,
            ),
            most=(
                -0.187692, -0.182301, -0.219554, 0.269205, -0.0438942, 0.147482, -0.0315931, -0.0180919, 7.86398,
                0.85567, 1.17779, 1.8564, -0.146509, -0.212362, -0.36467,
            ),
        ),
    }
)
