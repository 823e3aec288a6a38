"""Figures printed in a paper, ours next to them, and what comes of the two.

A verdict needs no eye: the printed digits say how exact the paper is, a named tolerance how exact the
modeled population is, and an erratum where the paper does not agree with itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

__all__ = [
    "Answer",
    "Ask",
    "Basis",
    "Paper",
    "PrintedFigure",
    "Row",
    "Tolerance",
    "Verdict",
    "judged",
    "reproduce",
]

Ask = Mapping[str, Any]
# How many of a unit make 1.
UNITS: Mapping[str, float] = {
    "percent": 0.01,
    "share": 1.0,
    "people": 1.0,
    "millions": 1e6,
    "ratio": 1.0,
    "usd": 1.0,
    "rank": 1.0,
    "count": 1.0,
    "statement": 1.0,
}
STATEMENT = "statement"  # words, not a number: 1 where they hold, 0 where they do not

CUT_OFF = ("people", "millions")  # Benitez & Malin print 221 for 222.0 people, and 3.1 million for 3,159,764


class Verdict(StrEnum):
    """What comes of a printed figure and ours."""

    AGREES = "agrees"
    WITHIN = "within tolerance"
    DIFFERS = "differs"
    CONTRADICTS = "the paper contradicts itself"
    MISSING = "not computed"


class Basis(StrEnum):
    """What an agreement with a printed figure is worth.

    An independent figure comes from data and facts that are not in the paper. One of the same figure rests on
    a list or a price that was read off this figure, or off another of the paper. Arithmetic repeats a calculation
    from numbers that the paper gives.
    """

    INDEPENDENT = "independent"
    SAME_FIGURE = "same figure"
    ARITHMETIC = "arithmetic"


@dataclass(frozen=True)
class Tolerance:
    """How far ours may be from a printed figure, as a share of it, and why."""

    name: str
    share: float
    why: str


@dataclass(frozen=True)
class PrintedFigure:
    """One figure as a paper prints it, and the question whose answer is ours.

    Parameters
    ----------
    id, where, what : Its name here, its place in the paper, and what it is.
    printed : As the paper writes it.
    value : The same as a number in its ``unit``, 1 for a statement; ``relation`` (``=``, ``<``, ``>``, ``≈``) is how
        it is meant.
    step : One unit of the last printed digit.
    tolerance : Name of the tolerance that applies.
    ask : The question; ``read_as`` changes it where the paper's label is wrong.
    basis : What an agreement is worth.
    erratum : Why the paper contradicts itself here; empty where it does not.
    note : What explains a difference.
    secondary : Whether the figure is known from other works only.
    assumed : What ours takes for granted, written down before it is computed; empty where nothing is.
    cut_off : Whether its digits are cut off and not rounded, as those of people always may be.
    """

    id: str
    where: str
    what: str
    printed: str
    unit: str
    value: float
    relation: str
    step: float
    tolerance: str
    ask: Ask
    basis: Basis = Basis.INDEPENDENT
    read_as: Ask = field(default_factory=dict)
    erratum: str = ""
    note: str = ""
    secondary: bool = False
    cut_off: bool = False
    assumed: str = ""


@dataclass(frozen=True)
class Paper:
    """A paper's figures, and the tolerances stated for them."""

    name: str
    title: str
    figures: tuple[PrintedFigure, ...]
    tolerances: Mapping[str, Tolerance]
    population: str = ""
    lists: str = ""


@dataclass(frozen=True)
class Answer:
    """Ours, in natural units (a share is 0 to 1); ``value`` is None where it cannot be computed, and why."""

    value: float | None
    reason: str = ""


@dataclass(frozen=True)
class Row:
    """A printed figure next to ours. ``ours`` is in the figure's unit, ``deviation`` relative to the printed."""

    figure: PrintedFigure
    ours: float | None
    deviation: float | None
    verdict: Verdict
    reason: str

    @property
    def basis(self) -> Basis | None:
        """What the agreement is worth; None where there is none."""
        return self.figure.basis if self.verdict in (Verdict.AGREES, Verdict.WITHIN) else None


def reproduce(paper: Paper, answer: Callable[[Ask], Answer]) -> tuple[Row, ...]:
    """Ask every question of a paper and judge each answer, in the paper's order."""
    return tuple(
        judged(figure, answer({**figure.ask, **figure.read_as}), paper.tolerances[figure.tolerance])
        for figure in paper.figures
    )


def judged(figure: PrintedFigure, answer: Answer, tolerance: Tolerance) -> Row:
    """Return the row of a figure and its answer."""
    if answer.value is None:
        if figure.erratum:
            return Row(figure, None, None, Verdict.CONTRADICTS, _joined(figure.erratum, answer.reason))
        return Row(figure, None, None, Verdict.MISSING, _joined(answer.reason, figure.note))
    ours = answer.value / UNITS[figure.unit]
    deviation = (ours - figure.value) / figure.value if figure.value and figure.unit != STATEMENT else None
    verdict = _verdict(figure, ours, tolerance.share)
    if figure.erratum:
        read = f"Read as {_reading(figure.read_as)}, ours {_outcome(verdict)}." if figure.read_as else ""
        return Row(figure, ours, deviation, Verdict.CONTRADICTS, _joined(figure.erratum, read, answer.reason))
    if answer.reason and (verdict is not Verdict.AGREES or figure.unit == STATEMENT):
        return Row(figure, ours, deviation, verdict, _joined(answer.reason, figure.note))
    reasons = {
        Verdict.AGREES: ("the bound holds" if figure.relation in "<>" else "to the printed digits")
        + (f": {figure.note}" if figure.cut_off else ""),
        Verdict.WITHIN: f"within {tolerance.share:.1%} of the figure ({tolerance.name})",
        Verdict.DIFFERS: figure.note or f"differs by more than {tolerance.share:.1%} ({tolerance.name})",
    }
    return Row(figure, ours, deviation, verdict, reasons[verdict])


def _verdict(figure: PrintedFigure, ours: float, share: float) -> Verdict:
    """Agrees: rounds to the printed digits; people may also be cut off to them. Bounds must hold."""
    printed, slack = figure.value, 1e-9 * max(abs(figure.value), 1e-300)
    room = share * abs(printed)
    if figure.relation == ">":
        return Verdict.AGREES if ours > printed else _near(printed - ours, room)
    if figure.relation == "<":
        return Verdict.AGREES if ours < printed else _near(ours - printed, room)
    rounds = abs(ours - printed) <= figure.step / 2 + slack
    cut_off = -slack <= ours - printed < figure.step
    counted = (figure.cut_off or figure.unit in CUT_OFF) and figure.relation == "="
    return Verdict.AGREES if rounds or (counted and cut_off) else _near(abs(ours - printed), room)


def _near(miss: float, room: float) -> Verdict:
    return Verdict.WITHIN if miss <= room else Verdict.DIFFERS


def _outcome(verdict: Verdict) -> str:
    return {Verdict.AGREES: "agrees", Verdict.WITHIN: "is within tolerance"}.get(verdict, "differs too")


def _reading(read_as: Ask) -> str:
    return ", ".join(str(value) for value in read_as.values())


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)
