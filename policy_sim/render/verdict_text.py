"""What to read first of a file's figures, in two sentences: of an estimate, and of a profile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from policy_sim.render.numbers import people, percent

__all__ = ["profile_verdict", "verdict_text"]


class _Estimate(Protocol):
    @property
    def model(self) -> str: ...
    @property
    def uniques(self) -> float | None: ...
    @property
    def uniqueness(self) -> float | None: ...
    @property
    def marketer_risk(self) -> float | None: ...


class _Risk(Protocol):
    @property
    def records(self) -> int: ...
    @property
    def uniques(self) -> int: ...
    @property
    def unique_share(self) -> float | None: ...
    @property
    def average(self) -> float | None: ...


def profile_verdict(risk: _Risk, without: Sequence[tuple[str, float | None]]) -> str:
    """Write how many records are alone, how many matches are right on average, and which field to change first.

    Parameters
    ----------
    risk : One with ``records``, ``uniques``, ``unique_share`` and ``average``.
    without : Each field, and the average risk if it is left out; None where there is no other field.
    """
    if risk.unique_share is None or risk.average is None:
        return "No verdict: there are no records to judge."
    alone = f"{risk.uniques:,} of {risk.records:,} records ({percent(risk.unique_share)})"
    lines = [
        f"{alone} are alone with these values: someone who knows them and who is in the file is certain of a match."
        if risk.uniques
        else f"No record of {risk.records:,} is alone with these values: no match is certain.",
        f"Guessing among records with equal values, it is right for {percent(risk.average)} of all records.",
    ]
    left = [(average, name) for name, average in without if average is not None]
    if left:
        average, name = min(left)
        lines[1] += f" Without {name}, it would be {percent(average)}."
    return "\n".join(lines)


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
