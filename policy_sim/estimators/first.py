"""The estimate to read first: one figure and a range around it, with what the range promises.

Where simulated populations had samples like this one (:mod:`policy_sim.estimators.calibration`), it is a range that was
tested on public files, and the figure is the log-linear model's, or the middle of the range where that model lies
outside. Elsewhere the range is that of the models, and it promises nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from policy_sim.estimators.base import Estimate, Interval, Sample, histogram_of
from policy_sim.estimators.calibration import (
    CALIBRATIONS,
    FEWEST_RECORDS,
    LEAST_FRACTION,
    MOST_FRACTION,
    Calibration,
    Features,
    features_of,
)
from policy_sim.estimators.registry import ESTIMATORS, model_spread
from policy_sim.formulas.histogram import SizeHistogram

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
    if _all_alone(every):
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


def _all_alone(by_model: Mapping[str, Estimate]) -> bool:
    """Return whether all records are alone: then Zayatz's model calls everybody unique, and Pitman's has no maximum.

    The log-linear model still has an answer, but it knows no value that is not in the file.
    """
    zayatz, pitman = by_model.get("zayatz"), by_model.get("pitman")
    return zayatz is not None and zayatz.uniqueness == 1 and pitman is not None and pitman.status != "ok"


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
    promise = "on 400 samples of known populations it held the unique people, and the marketer risk, in 99%"
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
