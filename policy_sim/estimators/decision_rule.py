"""Decision rule E1: which estimator to use at which sampling fraction.

F. Dankar, K. El Emam, A. Neisa and T. Roffey (2012), Estimating the re-identification risk of clinical
data sets, BMC Medical Informatics and Decision Making 12:66.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from policy_sim.errors import InputError
from policy_sim.estimators.base import Answer, SizeEstimator
from policy_sim.estimators.number_of_classes import check_class_count
from policy_sim.estimators.pitman import Pitman
from policy_sim.estimators.slide_negative_binomial import SlideNegativeBinomial
from policy_sim.estimators.zayatz import Zayatz
from policy_sim.groups.size_histogram import SizeHistogram

__all__ = ["PITMAN_UP_TO", "DecisionRule"]

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

    Raises
    ------
    InputError : an option that does not exist.
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
