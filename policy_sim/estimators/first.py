"""The estimate to read first: one figure and a range around it, with what the range promises.

Where simulated populations had samples like this one, it is a range that was tested on public files, and the figure is
the log-linear model's, or the middle of the range where that model lies outside. Elsewhere the range is that of the
models, and it promises nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from policy_sim.estimators.base import Estimate, Interval, Sample, histogram_of
from policy_sim.estimators.number_of_classes import FiniteClasses, number_of_classes
from policy_sim.estimators.registry import ESTIMATORS, model_spread
from policy_sim.formulas.histogram import SizeHistogram
from policy_sim.words.arrays import FloatArray
from policy_sim.words.errors import NotEstimableError

FIRST = "first"
COUNTED, TESTED, OF_THE_MODELS, CANNOT_TELL = "counted", "tested range", "range of the models", "cannot tell"

# In this order, the first that has an answer: measured on public files (docs/estimators.md).
_ORDER = ("poisson_log_linear", "pitman", "decision_rule", "slide_negative_binomial", "zayatz")
_NEEDED = ("poisson_log_linear", "pitman", "slide_negative_binomial", "zayatz")
_ALL_ALONE = "no two records agree, so the file does not show how often people share values; use coarser fields"
# Ends that are further apart than this tell nothing.
_FAR_APART = 10.0
_MISSED = 0.05  # chance that a sample holds none of the unique people
_PERSON = 0.5  # fewer people than this are nobody


def first_estimate(sample: Sample | Mapping[int, int], population_size: int, estimates: Sequence[Estimate]) -> Estimate:
    """Return the estimate to read first.

    Parameters
    ----------
    sample, population_size : As for :func:`~policy_sim.estimators.estimate_all`.
    estimates : What that function returned for them, one per model. Models of class sizes that are missing are fitted.

    Returns
    -------
    An :class:`Estimate` named ``first``. ``uniqueness`` lies in ``interval`` and ``marketer_risk`` in
    ``marketer_interval``; ``range_of`` says what the two are: ``"tested range"``; ``"range of the models"``;
    ``"cannot tell"``, where the ends for uniqueness are more than tenfold apart; or ``"counted"``.

    Examples
    --------
    >>> from policy_sim.estimators import estimate_all
    >>> sizes = {1: 60, 2: 20, 3: 9}
    >>> first = first_estimate(sizes, 900, estimate_all(sizes, 900))
    >>> first.range_of, first.interval[0] <= first.uniqueness <= first.interval[1]
    ('range of the models', True)
    """
    sizes = histogram_of(sample)
    estimate_of = {estimate.model: estimate for estimate in estimates}
    cheap = (name for name in _NEEDED if name not in estimate_of and not ESTIMATORS[name].needs_classes)
    every = estimate_of | {name: ESTIMATORS[name]().estimate(sizes, population_size) for name in cheap}
    # All records are alone: Zayatz's model calls everybody unique, and Pitman's has no maximum. The log-linear model
    # still has an answer, but it knows no value that is not in the file.
    if every["zayatz"].uniqueness == 1 and every["pitman"].status != "ok":
        return Estimate(FIRST, _ALL_ALONE)
    best = _best(every)
    if best is None:
        return Estimate(FIRST, "no model that estimates uniques has an answer")
    if sizes.records == population_size:
        return _row(best, COUNTED, "everybody is in the sample, so this is counted", {}, population_size)
    ends, why = _calibrated(sizes, population_size, every)
    kind = TESTED if ends else OF_THE_MODELS
    return _row(best, kind, why, ends or _of_models(sizes, population_size, every, best), population_size)


# The low end, the middle and the high end of uniqueness and of marketer risk.
_Ends: TypeAlias = Mapping[str, tuple[float, float, float]]


def _best(by_model: Mapping[str, Estimate]) -> Estimate | None:
    """Return the first in the order that has an answer of its own."""
    named = (by_model.get(name) for name in _ORDER)
    return next((e for e in named if e is not None and e.status == "ok" and e.uniqueness is not None), None)


def _calibrated(sizes: SizeHistogram, people: int, by_model: Mapping[str, Estimate]) -> tuple[_Ends, str]:
    """Return the tested range and what it promises, or none and why."""
    fraction = sizes.records / people
    if not LEAST_FRACTION <= fraction <= MOST_FRACTION or sizes.records < FEWEST_RECORDS:
        limits = f"{LEAST_FRACTION:.0%} to {MOST_FRACTION:.0%} of a population and {FEWEST_RECORDS} records or more"
        return {}, f"only the range of the models, because the tested range is made for samples of {limits}"
    features = features_of(sizes, people, by_model)
    if features is None:
        return {}, "only the range of the models, because a model that the tested range needs has no answer"
    if not all(CALIBRATIONS[measure].covers(features[measure]) for measure in CALIBRATIONS):
        return {}, "only the range of the models, because no simulated population gave a sample like this one"
    uniques = _ends(CALIBRATIONS["uniqueness"], features["uniqueness"], people)
    low, middle, high = (min(end / people, 1.0) for end in uniques)
    risk = CALIBRATIONS["marketer_risk"].range_of(features["marketer_risk"])
    low_risk, middle_risk, high_risk = (min(end, sizes.number / sizes.records) for end in risk)
    promise = "on 400 samples of known populations it contained the unique people, and the marketer risk, in 99%"
    tested = {"uniqueness": (low, middle, high), "marketer_risk": (low_risk, middle_risk, high_risk)}
    return tested, f"tested range: {promise}"


def _ends(calibration: Calibration, features: Features, people: int) -> tuple[float, float, float]:
    low, middle, high = calibration.range_of(features)
    return (low if low >= _PERSON else 0.0), min(middle, people), min(max(high, 1.0), people)


def _of_models(sizes: SizeHistogram, people: int, by_model: Mapping[str, Estimate], best: Estimate) -> _Ends:
    """Return the smallest and the largest figure of the models.

    Where no record is alone all models may say 0, but a few unique people may have been missed: of the largest number
    here, a sample would hold none in one case of twenty.
    """
    ends = {}
    for measure in ("uniqueness", "marketer_risk"):
        spread, middle = model_spread(by_model.values(), measure), getattr(best, measure)
        if spread is not None and middle is not None:
            ends[measure] = (spread[0], middle, spread[1])
    if sizes.uniques == 0 and "uniqueness" in ends:
        low, middle, high = ends["uniqueness"]
        missed = min(math.log(_MISSED) / math.log1p(-sizes.records / people) / people, 1.0)
        ends["uniqueness"] = (low, middle, max(high, missed))
    return ends


def _row(best: Estimate, kind: str, why: str, ends: _Ends, people: int) -> Estimate:
    uniqueness, interval, uniqueness_by = _in_range(best.uniqueness, ends.get("uniqueness"), best.model)
    risk, risk_interval, risk_by = _in_range(best.marketer_risk, ends.get("marketer_risk"), best.model)
    notes = [why]
    if interval is not None and max(interval[1] * people, 1.0) > _FAR_APART * max(interval[0] * people, _PERSON):
        kind = CANNOT_TELL
        notes.insert(0, "the ends are more than tenfold apart")
    by = {uniqueness_by, risk_by} if risk is not None else {uniqueness_by}
    notes.append(f"the single figures are {' and '.join(sorted(by))}")
    if kind == OF_THE_MODELS and (side := _at_end(uniqueness, interval)):
        beyond = "below" if side == "low end" else "above"
        notes.append(f"the figure for uniqueness is the {side} of its range, and the truth may well lie {beyond} it")
    return Estimate(
        FIRST,
        "ok",
        uniques=None if uniqueness is None else uniqueness * people,
        uniqueness=uniqueness,
        lambda2=uniqueness,
        marketer_risk=risk,
        interval=interval,
        marketer_interval=risk_interval,
        range_of=kind,
        notes=tuple(notes),
    )


def _at_end(figure: float | None, ends: Interval | None) -> str:
    """Return at which end of its range a figure is, in words; empty where it is inside, or the ends are one."""
    if figure is None or ends is None or ends[0] == ends[1]:
        return ""
    return "low end" if figure == ends[0] else "high end" if figure == ends[1] else ""


def _in_range(
    figure: float | None, ends: tuple[float, float, float] | None, model: str
) -> tuple[float | None, Interval | None, str]:
    """Return the figure and its range; the middle replaces a figure that lies outside."""
    name = f"those of the model {model.replace('_', ' ')}"
    if figure is None or ends is None:
        return figure, None if figure is None else (figure, figure), name
    low, middle, high = ends
    if low <= figure <= high:
        return figure, (low, high), name
    return min(max(middle, low), high), (low, high), "the middle of the range"


# How what the models say of a sample turns into a range, with the errors of simulated populations.
#
# The models disagree, and each errs in its own direction. On simulated populations, whose truth is known, the error of
# the log-linear model depends on what the others say, on the sampling fraction, and on how many classes of one and of
# two records there are. :class:`Calibration` holds that dependence: a center and a spread, both linear in the features
# of a sample, and how many spreads from the center the truth lies. ``python -m benchmarks.calibrate_estimates`` makes
# :data:`CALIBRATIONS`; docs/estimator-ranges.md says what the ranges hold on files that it never saw.


# What the simulations cover: outside, no range was tested.
LEAST_FRACTION, MOST_FRACTION, FEWEST_RECORDS = 0.01, 0.7, 100
_CLASSES_BY = ("uj2a", "sh3")
# Above this fraction the spread grows with a power of it: as far as the range may go before its ends are three times
# apart. An earlier range without it held 88% of the samples of docs/estimator-ranges.md at a fraction of 40%.
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
    log_linear, pitman, slide, zayatz = (estimates.get(name) for name in _NEEDED)
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
