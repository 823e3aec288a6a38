"""The estimate to read first, in one sentence and its reason."""

from __future__ import annotations

from typing import Protocol

from policy_sim.render.numbers import people, percent

__all__ = ["verdict_text"]


class _Estimate(Protocol):
    @property
    def model(self) -> str: ...
    @property
    def uniques(self) -> float | None: ...
    @property
    def uniqueness(self) -> float | None: ...
    @property
    def marketer_risk(self) -> float | None: ...


def verdict_text(estimate: _Estimate | None, reason: str, population_size: int) -> str:
    """Write the estimate to read first and why; or that there is none.

    Parameters
    ----------
    estimate : One with ``model``, ``uniques``, ``uniqueness`` and ``marketer_risk``; None where none has an answer.
    reason : Why this one.
    population_size : Number of people in the population that the records come from.
    """
    if estimate is None or estimate.uniques is None or estimate.uniqueness is None:
        return f"No estimate: {reason}."
    share = percent(estimate.uniqueness)
    lines = [
        f"Estimate: {people(estimate.uniques)} of {population_size:,} people ({share}) have values that nobody else "
        f"has."
    ]
    if estimate.marketer_risk is not None:
        lines.append(
            f"An attacker who matches every record at random within equal groups is right for "
            f"{percent(estimate.marketer_risk)} of them."
        )
    return "\n".join([*lines, f"Reason for this model ({estimate.model.replace('_', ' ')}): {reason}."])
