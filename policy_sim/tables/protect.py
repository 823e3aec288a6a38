"""Which further cells must be hidden, at least cost, so that no primary cell follows.

M. Fischetti and J. J. Salazar-Gonzalez (2001), Solving the cell suppression problem on tabular data with linear
constraints, Management Science 47(7). Every requirement of a primary cell is an attacker problem; one that fails
gives a cut of a small integer program, which is solved again.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from policy_sim.tables.moves import OutOfTimeError
from policy_sim.tables.pattern import Search
from policy_sim.tables.table import COMPLEMENTARY, HIDDEN, Key, Table
from policy_sim.tables.terms import COSTS, CRITERIA, NEITHER, RANGE, TWO, Terms
from policy_sim.words.arrays import BoolArray, IntArray
from policy_sim.words.errors import InputError

__all__ = ["COSTS", "CRITERIA", "NEITHER", "RANGE", "TWO", "Protection", "Terms", "kept", "protect"]
OPTIMAL, GAP, INFEASIBLE, UNKNOWN = "optimal", "gap", "infeasible", "unknown"
MANY = 200  # needs, from which a safe pattern comes before the search for the best
_CUTS = 40  # of a large table, before its small program is solved again


@dataclass(frozen=True)
class Protection:
    """The cells to hide beside the primary ones; ``bound`` is a cost below which no pattern is safe."""

    status: str
    terms: Terms
    table: Table  # with the complementary cells, where there is a safe pattern
    cost: int | None
    bound: int
    unsafe: tuple[Key, ...] = ()  # primary cells that follow even if everything is hidden that may be
    lowered: tuple[Key, ...] = ()  # primary cells that keep two values, though the criterion asks for more
    moves: tuple[IntArray, ...] = ()  # from the counts to other tables that fit what is published: the proof

    @property
    def complementary(self) -> tuple[Key, ...]:
        """The cells that are hidden so that no primary cell follows."""
        return tuple(cell.key for cell in self.table.cells if cell.status == COMPLEMENTARY)


def protect(table: Table, terms: Terms = Terms(), seconds: float = 60) -> Protection:  # noqa: B008
    """Return the cheapest safe pattern that ``seconds`` suffice for, with the bound that says how good it is."""
    check_counts(table)
    search = Search(table, terms, time.monotonic() + seconds)
    try:
        return searched(search, seconds)
    except OutOfTimeError:
        return answer(search)


def check_counts(table: Table) -> None:
    """Refuse a table with a hidden cell that has no count."""
    if any(cell.status in HIDDEN and cell.value is None for cell in table.cells):
        raise InputError("a hidden cell has no count. Protect the table that has all counts.")


def kept(table: Table, terms: Terms, seconds: float = 60) -> Protection:
    """Return what a table that is out keeps: a promise that does not hold is lowered to two values, then to nothing.

    ``unsafe``: the cells that keep nothing.
    """
    search, promises = Search(table, terms, time.monotonic() + seconds), dict(terms.promises)
    try:
        for lower in (TWO, NEITHER) if terms.criterion in ("T", "R") else (NEITHER,):
            failed = [table.cells[need.cell].key for need in search.fails(search.forced)]
            promises |= dict.fromkeys(failed, lower)
            search.ask(replace(terms, promises=dict(promises)))
    except OutOfTimeError:
        return Protection(UNKNOWN, terms, table, None, 0)
    unsafe = tuple(key for key, promise in promises.items() if promise == NEITHER)
    return Protection(OPTIMAL, search.terms, table, 0, 0, unsafe, moves=tuple(search.moves))


def searched(search: Search, seconds: float) -> Protection:
    """Search for the best pattern; a large table gets a safe one first."""
    rng, many = np.random.default_rng(1), len(search.needs) > MANY
    most = _CUTS if many else None
    first = search.bounded()
    if many and first:
        search.take(search.greedy(rng, search.end - 0.5 * seconds, search.partial))
    if many and search.best is not None and search.terms.criterion != "D" and not search.closed():
        pattern = search.best
        search.take(search.leaner(pattern, search.safe, len(pattern), search.end - 0.5 * seconds))
    if search.best is None:
        unsafe = tuple(dict.fromkeys(search.table.cells[need.cell].key for need in search.fails(search.may)))
        if unsafe:
            return Protection(INFEASIBLE, search.terms, search.table, None, 0, unsafe)
    search.fails(search.forced, most)  # its moves and cuts start the search
    if search.best is None:
        search.take(search.completed(search.forced))
    while not search.closed():
        step = search.cheapest()
        if step is None:
            return Protection(INFEASIBLE, search.terms, search.table, None, 0)
        hidden, lower = step
        search.bound = max(search.bound, lower)
        if search.closed():
            break
        if not search.fails(hidden, most):
            search.take(hidden)
        elif not many:
            search.take(search.completed(hidden))
    return answer(search)


def answer(search: Search) -> Protection:
    """Return the best pattern so far with its bound."""
    bound, best = int(np.ceil(search.bound - 1e-4)), search.best
    if best is None:
        return Protection(UNKNOWN, search.terms, search.table, None, bound)
    keys = [search.table.cells[at].key for at in np.flatnonzero(best & ~search.forced)]
    cost = int(search.cost @ best)
    hidden = search.table.with_statuses(dict.fromkeys(keys, COMPLEMENTARY))
    status = OPTIMAL if cost <= bound else GAP
    return Protection(status, search.terms, hidden, cost, min(bound, cost), moves=_inside(search, best))


def _inside(search: Search, best: BoolArray) -> tuple[IntArray, ...]:
    return tuple(move for move in search.moves if not np.any(move[~best]))
