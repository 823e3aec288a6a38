"""Pitman's model of a population's classes: uniques by maximum likelihood.

N. Hoshino (2001), Applying Pitman's sampling formula to microdata disclosure risk assessment, Journal
of Official Statistics 17:499-520; J. Pitman (1996), Advances in Applied Probability 28:525-539.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

from scipy import special

from policy_sim.errors import NotEstimableError, UnknownNameError
from policy_sim.estimators.base import Answer, SizeEstimator
from policy_sim.estimators.finite_classes import FiniteClasses
from policy_sim.estimators.pitman_likelihood import greatest_likelihood
from policy_sim.groups.size_histogram import SizeHistogram

__all__ = ["FORMS", "Pitman", "expected_classes", "expected_uniques", "expected_uniques_large"]

FORMS = ("exact", "large_n")
_SMALL_ALPHA = 0.01
_AT_BOUNDARY = "the likelihood is greatest at the boundary alpha = 0 (Ewens's model)"
_TOO_HIGH = ": likely too high"
# The score, in standard deviations, below which the data show a negative alpha: 5% one-sided.
_FAR_BELOW = -1.645


def expected_uniques(theta: float, alpha: float, people: int) -> float:
    """Return the expected uniques of a population of this size.

    ``N Gamma(theta+1)/Gamma(theta+alpha) Gamma(theta+alpha+N-1)/Gamma(theta+N)``; with alpha = 0 it
    is Ewens's ``N theta / (theta + N - 1)``.
    """
    return float(people * special.poch(theta + alpha, 1 - alpha) * special.poch(theta + people, alpha - 1))


def expected_uniques_large(theta: float, alpha: float, people: int) -> float:
    """Return the limit for large N, ``Gamma(theta+1)/Gamma(theta+alpha) N**alpha``, as papers print it.

    It exceeds the exact form by a factor of about ``(1 + theta/N)**(1-alpha)`` and has no bound at N.
    """
    return float(special.poch(theta + alpha, 1 - alpha) * people**alpha)


def expected_classes(theta: float, alpha: float, sample: SizeHistogram, people: int) -> float:
    """Return the expected number of classes of the population, given the sample.

    S. Favaro, A. Lijoi, R. Mena and I. Pruenster (2009), JRSS B 71:993-1008, proposition 1.
    """
    n, u = sample.records, sample.number
    if alpha == 0:
        return u + theta * float(special.psi(theta + people) - special.psi(theta + n))
    if alpha < _SMALL_ALPHA:  # the rising factorials are then close to 1; use the middle slope instead
        log_growth = alpha * float(special.psi(theta + people + alpha / 2) - special.psi(theta + n + alpha / 2))
    else:
        log_growth = math.log(special.poch(theta + people, alpha) / special.poch(theta + n, alpha))
    return u * math.exp(log_growth) + theta * math.expm1(log_growth) / alpha


@dataclass(frozen=True)
class Pitman(SizeEstimator):
    """Population uniques by Pitman's model.

    Parameters
    ----------
    form : ``"exact"`` for the expected uniques of exactly N people, ``"large_n"`` for the limit form
        that the literature prints.

    Raises
    ------
    UnknownNameError : no such form.

    Notes
    -----
    Marketer risk is the expected number of classes, given the sample, divided by the people: the expected marketer
    risk of a simple random sample.

    At the boundary alpha = 0 a note says so, and says "likely too high" if the likelihood falls significantly. The
    note also gives the uniques of :class:`FiniteClasses`, the model with negative alpha.
    """

    name: ClassVar[str] = "pitman"

    form: str = "exact"

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise UnknownNameError("form of Pitman's estimator", str(self.form), FORMS)

    def explained(self, answer: Answer, sample: SizeHistogram, people: int) -> Answer:
        """Add the uniques of a fixed number of classes to an answer that is likely too high."""
        if not any(note.endswith(_TOO_HIGH) for note in answer.notes):
            return answer
        beside = FiniteClasses().answer(sample, people).uniques
        more = "" if beside is None else f"; with a fixed number of classes (alpha < 0) {beside:,.0f} uniques"
        return replace(answer, notes=tuple(note + more for note in answer.notes))

    def _solve(self, sample: SizeHistogram, people: int) -> Answer:
        if sample.uniques == 0:
            return Answer(uniques=0.0, notes=("the sample has no unique record",))
        if sample.number == sample.records:
            raise NotEstimableError("every record of the sample is unique: the likelihood has no maximum")
        best = greatest_likelihood(sample)
        form = expected_uniques if self.form == "exact" else expected_uniques_large
        uniques = form(best.theta, best.alpha, people)
        if not uniques <= people:
            raise NotEstimableError(
                f"the large-N form gives {uniques:,.0f} uniques among {people:,} people; use the exact form"
            )
        return Answer(
            uniques=uniques,
            marketer_risk=expected_classes(best.theta, best.alpha, sample, people) / people,
            parameters={"theta": best.theta, "alpha": best.alpha},
            notes=() if best.alpha > 0 else (_AT_BOUNDARY + (_TOO_HIGH if best.score < _FAR_BELOW else ""),),
        )
