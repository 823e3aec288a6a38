"""What would lose less, or make a safe table possible: weaker promises, hidden zeros and totals, coarser tables."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from policy_sim.tables.files import CountFile
from policy_sim.tables.merge import how_to, merged
from policy_sim.tables.promise import strongest
from policy_sim.tables.protect import GAP, INFEASIBLE, OPTIMAL, Protection, protect
from policy_sim.tables.table import HIDDEN, Key, Table, named
from policy_sim.tables.terms import Terms
from policy_sim.words.asking import ask
from policy_sim.words.errors import InputError

ZEROS_TOO, TOTALS_TOO = "hide zeros too", "hide totals too"
QUICK = 5.0  # seconds for each way out that is tried
Judge = Callable[[CountFile], tuple[Table, dict[Key, str], Terms]]


def weaker(terms: Terms) -> dict[str, Terms]:
    """Return terms that ask for less, by what they say."""
    plain = {key: (0, high) for key, (_, high) in terms.reader.items()}
    return {
        "a weaker promise, two possible values (criterion E)": replace(terms, criterion="E"),
        ZEROS_TOO: replace(terms, reader=plain, hide_zeros=True),
        TOTALS_TOO: replace(terms, hide_margins=True),
        "suppose that readers do not use the zeros": replace(terms, reader=plain),
    }


def ways_out(table: Table, result: Protection, end: float) -> Iterator[str]:
    """Name what would make a safe pattern possible; hiding zeros or totals is tried in the time left."""
    for words, other in weaker(result.terms).items():
        if other != result.terms:
            answer = protect(table, other, min(QUICK, (end - time.monotonic()) / 2))
            further = len(answer.complementary)
            ends = {OPTIMAL: f"works with {further:,} further cells", INFEASIBLE: "is not enough"}
            ends[GAP] = f"works with {further:,} further cells or fewer"
            yield f"Way out: {words}: {ends.get(answer.status, 'not settled in the time left')}."
    for key in result.unsafe[:3]:
        lines = [
            relation.why or f"total {named(relation.total)}"
            for relation in table.relations
            if key in (relation.total, *relation.parts)
        ]
        yield f"Way out: merge the class of {named(key)} with another, in {' or '.join(lines) or 'its line'}."
    near = (of.why for of in table.relations if not {of.total, *of.parts}.isdisjoint(result.unsafe[:3]))
    if equation := next((why for why in near if " = " in why), ""):
        aside = ask("coincidences", equation, option="--coincidence")
        yield f"Way out: if an equation is true by chance alone, say so: {aside}."


class WayOut(NamedTuple):
    """What a table loses in one way: as asked for, or coarser, or with hidden zeros.

    ``words``: what to ask for. ``hidden`` of ``cells`` are hidden, None where there is no safe pattern or no answer in
    time (``status``). ``lowered``: how many hidden cells keep two possible values alone.
    """

    words: str
    status: str
    hidden: int | None
    cells: int
    lowered: int
    merge_weeks: int = 0
    by: str = ""
    hide_zeros: bool = False

    def __str__(self) -> str:
        if self.hidden is None:
            return f"{self.words}: {'no answer' if self.status != INFEASIBLE else 'not possible'}"
        low = f", {self.lowered:,} under E" if self.lowered else ""
        return f"{self.words}: {self.hidden:,} of {self.cells:,} cells hidden{low}"


def side_by_side(
    path: Path, file: CountFile, table: Table, result: Protection, judge: Judge, end: float
) -> list[WayOut]:
    """Return what each way out that is an option hides, next to the table as asked for; in the time that is left."""
    ways: list[tuple[WayOut, Callable[[], Protection]]] = [(_way("as asked for"), lambda: result)]
    for words, weeks, by in how_to(file):
        ways.append((_way(words, merge_weeks=weeks, by=by), partial(_coarser, path, file, weeks, by, judge)))
    zeros = weaker(result.terms)[ZEROS_TOO]
    if not result.terms.hide_zeros and any(cell.value == 0 for cell in table.cells):
        ways.append((_way(ask("hide_zeros"), hide_zeros=True), partial(strongest, table, zeros, QUICK)))
    tried = list[WayOut]()
    for way, answer in ways:
        if tried and end - time.monotonic() < QUICK:
            break
        with contextlib.suppress(InputError):  # a coarser table that cannot be read
            tried.append(_lost(way, answer()))
    return tried if len(tried) > 1 else []


def _way(words: str, **options: Any) -> WayOut:
    return WayOut(words, "", None, 0, 0, **options)


def _coarser(path: Path, file: CountFile, weeks: int, by: str, judge: Judge) -> Protection:
    table, _, terms = judge(merged(path, file, weeks, by))
    return strongest(table, terms, QUICK)


def _lost(way: WayOut, result: Protection) -> WayOut:
    """Return the way with how many of the cells are hidden, and how many keep less than the criterion asks."""
    hidden = None if result.cost is None else sum(cell.status in HIDDEN for cell in result.table.cells)
    return way._replace(status=result.status, hidden=hidden, cells=len(result.table.cells), lowered=len(result.lowered))
