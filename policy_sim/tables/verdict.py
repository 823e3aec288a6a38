"""What may be said of published tables, from the report of the attack alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from policy_sim.records.published import Place
from policy_sim.tables.attack import Derived, Report
from policy_sim.words.asking import ask

READY, NOT_READY, LEAKS, NOT_TESTED = "READY", "NOT READY", "LEAKS", "NOT TESTED"
STATUSES = {READY: 0, NOT_READY: 1, LEAKS: 1, NOT_TESTED: 3}
_CALL_COUNTS = "Call a column of counts by what it counts, such as cases"
# What no attack on a table with hidden counts tries.
OTHERS = (
    "totals published elsewhere, and numbers computed from counts in other ways than sums, differences, rates, "
    "averages, roots, squares, logarithms and straight lines through them"
)
_MOST = 3  # cells, equations or gaps that a verdict names


class Promise(NamedTuple):
    """What a hidden count must keep: ``apart``, the width of its range at least, and values that it must reach.

    ``least`` and ``greatest`` are such values; a width of 0 promises nothing.
    """

    apart: int = 1
    least: int | None = None
    greatest: int | None = None


@dataclass(frozen=True)
class Verdict:
    """The word, the sentence after it, and what it rests on."""

    word: str
    words: str
    tried: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    not_tried: tuple[str, ...] = ()

    @property
    def exit_status(self) -> int:
        """The exit status of a command that ends with this verdict."""
        return STATUSES[self.word]

    def __str__(self) -> str:
        return f"{self.word}: {self.words}"

    def and_not_tried(self, lines: Sequence[str]) -> Verdict:
        """Return the verdict with more that was not tried; where it is READY, its sentence says so too."""
        more = f" Not tried: {'; '.join(lines)}." if lines and self.word == READY else ""
        return replace(self, words=self.words + more, not_tried=(*self.not_tried, *lines))

    @property
    def notes(self) -> tuple[str, ...]:
        """What was tried, found and not tried, as lines."""
        heads = (("Tried", self.tried), ("Found", self.findings), ("Not tried", self.not_tried))
        return tuple(f"{head}: {_listed(lines, 8)}." for head, lines in heads if lines)


def judged(
    report: Report,
    promises: Mapping[Place, Promise] | None = None,
    *,
    safe: str = "no hidden count follows from what is shown",
    known_places: frozenset[Place] = frozenset(),
    whole: bool = False,
) -> Verdict:
    """Return the verdict on hidden counts.

    ``promises``: what the count in a place must keep; two values where none is named, and nothing is asked of others
    if promises are given. ``known_places``: places of counts that were given away before. ``whole``: the full table was
    looked at too, so that where nothing adds up nothing can follow.
    """
    cells = [
        item
        for item in report.derived
        if item.place not in known_places and (promises is None or item.place in promises)
    ]
    targets = {item.place: promises[item.place] if promises else Promise() for item in cells}
    leaks = [item for item in cells if _broken(item, targets[item.place])]
    seen = {item.place for item in report.derived}
    unseen = [place for place, promise in (promises or {}).items() if promise.apart > 0 and place not in seen]
    late = [item for item in cells if not item.exact and not _kept(item, targets[item.place]) and item not in leaks]
    basis = (report.tried, _found(report), (*report.open, *report.not_tried))
    if leaks:
        return Verdict(LEAKS, _leak_words(leaks) + _chance_words(leaks, report), *basis)
    if cells and report.open:
        advice = f"Leave rates and differences out of the file. {_CALL_COUNTS}"
        return Verdict(NOT_TESTED, f"{_listed(report.open)}. {advice}.", *basis)
    if unseen:
        words = f"the attacker takes {len(unseen):,} of the hidden counts for labels or rates, as in column"
        advice = f"{_CALL_COUNTS}, and give one table per file, with one row of names"
        return Verdict(NOT_TESTED, f"{words} {unseen[0].column!r}. {advice}.", *basis)
    if late:
        return Verdict(NOT_TESTED, f"the time was not enough for {_names(late)}. Give more (time).", *basis)
    if cells and not report.relations and not whole:
        words = "nothing adds up in what is shown, so no hidden count could be derived. Totals published elsewhere"
        return Verdict(NOT_TESTED, f"{words} are not known here.", *basis)
    called = [item.words for item in report.findings if item.coincidence]
    more = f" A person called a coincidence: {_listed(called)}." if called else ""
    alone = "Nothing was found to add up in what is shown, and totals published elsewhere are not known here"
    none = f" {alone}." if cells and not report.relations else ""
    tried, found, open_ones = basis
    others = (OTHERS,) if cells else ()
    return Verdict(READY, f"{safe}.{none}{more}", tried, found, (*open_ones, *others))


def _found(report: Report) -> tuple[str, ...]:
    return tuple(
        f"{item.words} (called a coincidence)" if item.coincidence else f"{item.words} ({_confirmed(item.confirmed)})"
        for item in report.findings
    )


def _confirmed(places: int) -> str:
    return "by its name" if not places else "shown once" if places == 1 else f"shown {places:,} times"


def _broken(item: Derived, promise: Promise) -> bool:
    """Whether a reader learns more than the promise allows."""
    if not promise.apart:
        return False
    if item.follows:
        return True
    return item.exact and not _kept(item, promise)


def _kept(item: Derived, promise: Promise) -> bool:
    high = item.greatest
    apart = high is None or high - item.least >= promise.apart
    low_kept = promise.least is None or item.least <= promise.least
    high_kept = promise.greatest is None or high is None or high >= promise.greatest
    return not promise.apart or (apart and low_kept and high_kept and not item.stated)


def _leak_words(leaks: Sequence[Derived]) -> str:
    follows = [item for item in leaks if item.follows]
    first = (follows or list(leaks))[0]
    name = ", ".join(first.name)
    if not follows:
        most = "no limit" if first.greatest is None else f"{first.greatest:,}"
        text = f"{name} can be narrowed to {first.least:,} to {most}, less than was promised"
    else:
        text = f"{name} follows from {first.because or 'several equations together'}"
    return text + (f". So do {len(leaks) - 1:,} more: {_names(leaks[1:])}." if len(leaks) > 1 else ".")


def _chance_words(leaks: Sequence[Derived], report: Report) -> str:
    """Say how to declare that the equation of the first leak is chance, where the numbers alone say it."""
    first = next((item for item in leaks if item.follows), leaks[0])
    equations = [item for item in report.findings if item.confirmed and item.relations and not item.coincidence]
    named = [item for item in equations if item.words in first.because]
    weak = [] if first.because else sorted(equations, key=lambda item: item.confirmed)
    words = next((item.words for item in named or weak), "")
    aside = ask("coincidences", words, option="--coincidence")
    return f" If {words!r} is true by chance alone, add {aside}." if words else ""


def _names(of: Sequence[Derived]) -> str:
    return "; ".join(", ".join(item.name) for item in of[:_MOST]) + (" and others" if len(of) > _MOST else "")


def _listed(lines: Sequence[str], most: int = _MOST) -> str:
    more = f" and {len(lines) - most:,} more" if len(lines) > most else ""
    return "; ".join(lines[:most]) + more
