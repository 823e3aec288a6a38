"""Which of several estimates to read first, and the reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from policy_sim.estimators.base import Estimate

__all__ = ["Verdict", "verdict"]

# In this order, the first that has an answer: measured on public files (benchmarks/verdict.py).
_ORDER = ("poisson_log_linear", "pitman", "decision_rule", "slide_negative_binomial", "zayatz")
_ALL_ALONE = "no two records agree, so the file does not show how often people share values; use coarser fields"


@dataclass(frozen=True)
class Verdict:
    """The estimate to read first.

    Parameters
    ----------
    estimate : The estimate; None where no model has an answer.
    reason : Why to read this one.
    """

    estimate: Estimate | None
    reason: str


def verdict(estimates: Sequence[Estimate]) -> Verdict:
    """Return the estimate to read first: the log-linear model where it fits, else Pitman's.

    Parameters
    ----------
    estimates : One per model, as :func:`~policy_sim.estimators.estimate_all` returns them.

    Examples
    --------
    >>> rows = [Estimate("pitman", "ok", uniqueness=0.1), Estimate("zayatz", "ok", uniqueness=0.3)]
    >>> verdict(rows).estimate.model
    'pitman'
    """
    by_model = {estimate.model: estimate for estimate in estimates}
    if _all_alone(by_model):
        return Verdict(None, _ALL_ALONE)
    for place, name in enumerate(_ORDER):
        estimate = by_model.get(name)
        if estimate is not None and estimate.status == "ok" and estimate.uniqueness is not None:
            return Verdict(estimate, _reason(place, by_model))
    return Verdict(None, "no model that estimates uniques has an answer")


def _all_alone(by_model: dict[str, Estimate]) -> bool:
    """Return whether all records are alone: then Zayatz's model calls everybody unique, and Pitman's has no maximum.

    The log-linear model still has an answer, but it knows no value that is not in the file.
    """
    zayatz, pitman = by_model.get("zayatz"), by_model.get("pitman")
    return zayatz is not None and zayatz.uniqueness == 1 and pitman is not None and pitman.status != "ok"


def _reason(place: int, by_model: dict[str, Estimate]) -> str:
    if place == 0:
        return "it reads what the classes hold, not only their sizes, and it fits"
    first = by_model.get(_ORDER[0])
    why = "the log-linear model did not run" if first is None else "the log-linear model has no fit of its own"
    if place == 1:
        return f"{why}, and Pitman's is the closest of the others"
    return f"{why}, and Pitman's model has no answer"
