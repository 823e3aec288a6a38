"""Every estimator by name, in the order in which tables list them.

To add one: write its module, import its class here, and put it into the list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar

from policy_sim.estimators.base import (
    Answer,
    Bootstrap,
    Estimate,
    Estimator,
    Interval,
    Sample,
    SizeEstimator,
    Tell,
    quiet,
)
from policy_sim.estimators.log_linear import PoissonLogLinear
from policy_sim.estimators.negative_binomial import NegativeBinomial, SlideNegativeBinomial
from policy_sim.estimators.number_of_classes import check_class_count
from policy_sim.estimators.pitman import Pitman
from policy_sim.estimators.zayatz import Argus, Zayatz
from policy_sim.formulas.histogram import SizeHistogram
from policy_sim.words.errors import InputError, UnknownNameError

# Decision rule E1: which estimator to use at which sampling fraction.
#
# F. Dankar, K. El Emam, A. Neisa and T. Roffey (2012), Estimating the re-identification risk of clinical
# data sets, BMC Medical Informatics and Decision Making 12:66.


PITMAN_UP_TO = 0.1  # largest sampling fraction for Pitman


@dataclass(frozen=True)
class DecisionRule(SizeEstimator):
    """Pitman where n/N <= 0.1; else the smaller of slide negative binomial and Zayatz.

    Where the slide negative binomial has no solution, the rule uses Zayatz. The fraction is computed from the actual
    counts, not from a rounded nominal value. The rule is for uniqueness and gives no marketer risk.

    Parameters
    ----------
    form : Form of Pitman's estimator, ``"exact"`` or ``"large_n"``.
    classes : Number of classes for the slide negative binomial, a name in ``CLASS_COUNTS``.
    fallback : What to do when Pitman fails at n/N <= 0.1, a case that the paper does not cover: None gives
        no answer, ``"zayatz"`` uses Zayatz and says so in ``notes``.
    """

    name: ClassVar[str] = "decision_rule"
    measures: ClassVar[tuple[str, ...]] = ("uniqueness",)

    form: str = "exact"
    classes: str = "sh3"
    fallback: str | None = None

    def __post_init__(self) -> None:
        Pitman(self.form)
        check_class_count(self.classes)
        if self.fallback not in (None, "zayatz"):
            raise InputError(f"fallback {self.fallback!r} is not one of None, 'zayatz'.")

    def _solve(self, sample: SizeHistogram, people: int) -> Answer:
        chosen, answer = self._choose(sample, people)
        # the rule is for uniqueness and does not say which estimator is best at marketer risk
        return replace(answer, marketer_risk=None, parameters={**answer.parameters, "chosen": chosen})

    def _choose(self, sample: SizeHistogram, people: int) -> tuple[str, Answer]:
        if sample.records / people <= PITMAN_UP_TO:
            return self._choose_small(sample, people)
        zayatz = Zayatz().answer(sample, people)
        slide = SlideNegativeBinomial(self.classes).answer(sample, people)
        if slide.uniques is None or zayatz.uniques is None or slide.uniques > zayatz.uniques:
            return Zayatz.name, zayatz
        return SlideNegativeBinomial.name, slide

    def _choose_small(self, sample: SizeHistogram, people: int) -> tuple[str, Answer]:
        pitman = Pitman(self.form).answer(sample, people)
        if pitman.uniques is not None or self.fallback is None:
            return Pitman.name, pitman
        note = f"Pitman's model has no answer ({pitman.status}); Zayatz's model replaces it, outside the paper's rule"
        return Zayatz.name, replace(Zayatz().answer(sample, people), notes=(note,))


_LISTED: tuple[type[Estimator], ...] = (
    DecisionRule,
    Pitman,
    SlideNegativeBinomial,
    Zayatz,
    NegativeBinomial,
    Argus,
    PoissonLogLinear,
)

ESTIMATORS: Mapping[str, type[Estimator]] = MappingProxyType({model.name: model for model in _LISTED})


def estimator_names(*, classes: bool = True) -> tuple[str, ...]:
    """Return the names of all estimators; without ``classes`` only of those that need no values of classes.

    >>> set(estimator_names()) - set(estimator_names(classes=False))
    {'poisson_log_linear'}
    """
    return tuple(name for name, model in ESTIMATORS.items() if classes or not model.needs_classes)


def known_estimators(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names without repeats; refuse those that no estimator has."""
    if isinstance(names, str | Mapping) or not isinstance(names, Iterable):
        raise InputError("models must be a list of names, such as ['zayatz'].")
    requested = list(names)
    if not requested:
        raise InputError("models must name at least one estimator.")
    for name in requested:
        if not isinstance(name, str) or name not in ESTIMATORS:
            raise UnknownNameError("estimator", str(name), ESTIMATORS)
    return tuple(dict.fromkeys(requested))


# Every estimator on the same sample, side by side.


def estimate_all(
    sizes: Sample | Mapping[int, int],
    population_size: int,
    *,
    models: Iterable[str] | None = None,
    bootstrap: Bootstrap | None = None,
    tell: Tell = quiet,
) -> list[Estimate]:
    """Estimate by every model, by default all, in the order of ``models``; one that cannot answer says why in its row.

    The other arguments and errors are those of :meth:`~policy_sim.estimators.Estimator.estimate`. Intervals take
    ``bootstrap.replicates`` times as long.

    >>> rows = estimate_all({1: 60, 2: 20, 3: 9}, 900, models=["zayatz", "argus"])
    >>> [(row.model, row.status) for row in rows]
    [('zayatz', 'ok'), ('argus', 'ok')]
    """
    estimates = []
    for name in known_estimators(tuple(ESTIMATORS) if models is None else models):
        tell(f"fitting {name}")
        estimates.append(ESTIMATORS[name]().estimate(sizes, population_size, bootstrap=bootstrap, tell=tell))
    return estimates


def model_spread(estimates: Iterable[Estimate], measure: str) -> Interval | None:
    """Return the smallest and the largest ``uniqueness`` or ``marketer_risk`` of the models; None if none has one.

    >>> model_spread([Estimate("a", "ok", uniqueness=0.2), Estimate("b", "ok", uniqueness=0.1)], "uniqueness")
    (0.1, 0.2)
    """
    numbers = [value for estimate in estimates if (value := getattr(estimate, measure)) is not None]
    return (min(numbers), max(numbers)) if numbers else None
