"""The strongest promise that holds cell by cell: the criterion where it can be kept, two values elsewhere.

Where totals give a cell away whatever else is hidden, the totals of its lines may be hidden too.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection
from dataclasses import replace

import numpy as np

from policy_sim.tables.moves import OutOfTimeError
from policy_sim.tables.pattern import Search
from policy_sim.tables.protect import INFEASIBLE, MANY, OPTIMAL, Protection, answer, check_counts, searched
from policy_sim.tables.table import PRIMARY, PUBLISHED, Key, Table, named
from policy_sim.tables.terms import TWO, Terms

_SHARE = 0.2  # of the time, to find out what each cell can keep
_GRACE = 0.3
_SWEEPS = 40


def strongest(table: Table, terms: Terms, seconds: float = 60) -> Protection:
    """Return the cheapest safe pattern found in ``seconds`` under the strongest promise that each cell can keep.

    ``terms.promises`` of the answer has the cells that cannot keep what the criterion asks. Where a cell keeps not
    even two values, the answer is infeasible and names it.
    """
    check_counts(table)
    if not table.relations and (alone := _alone(table, terms)):
        return alone
    end = time.monotonic() + seconds
    search, first, least, unsettled = Search(table, replace(terms, criterion="E"), end), None, 0.0, set[Key]()
    try:
        large = len(search.needs) > MANY and terms.criterion in ("T", "R")
        search, unsafe = _keeping_two(search, terms, only_lines=large)
        if large and not unsafe:
            search.bounded()
            search.end = end + _GRACE * seconds  # a first safe pattern may take longer
            search.take(search.greedy(np.random.default_rng(1), end - 0.4 * seconds))
            search.end = end
            if search.best is None:
                search, unsafe = _keeping_two(search, terms)
        if unsafe:
            return Protection(INFEASIBLE, terms, table, None, 0, tuple(unsafe))
        first, least, search.best = search.best, search.bound, None
        search.partial = first
        while True:
            unsettled = _lower(search, terms, time.monotonic() + _SHARE * seconds)
            result = searched(search, end - time.monotonic())
            if result.status != INFEASIBLE or not (more := _totals_near(search, result.unsafe)):
                break  # else the time was too short to find that further totals have to be hidden
            search = Search(table, replace(search.terms, totals=search.terms.totals | more), end, search.moves)
            search.partial = first
    except OutOfTimeError:
        if search.terms.criterion != terms.criterion:  # the search for two values of each cell
            first, least, search.best = search.best, search.bound, None
        result = answer(search)
    if result.cost is None and first is not None:
        unsettled = {cell.key for cell in table.cells if cell.status == PRIMARY} - terms.promises.keys()
        promises = dict.fromkeys(unsettled, TWO) | dict(terms.promises)
        search.ask(replace(terms, totals=search.terms.totals, promises=promises))
        search.best, search.bound = first if search.partial is None else search.partial | first, least
        result = answer(search)
    return _raised(result, unsettled, terms)


def _alone(table: Table, terms: Terms) -> Protection | None:
    """Return that nothing more is hidden where nothing adds up; None where a cell has no room by itself."""
    counts = np.array([cell.value or 0 for cell in table.cells], dtype=np.int64)
    moves = np.zeros((2, len(counts)), dtype=np.int64)
    for at, cell in enumerate(table.cells):
        if cell.status == PRIMARY:
            low, high = terms.reader.get(cell.key, (0, None))
            for need in terms.needs(at, cell.key, cell.value or 0, counts[at] - low):
                sign = need.signs[0]
                moves[int(sign < 0), at] = sign * max(need.by, abs(moves[int(sign < 0), at]))
            if counts[at] + moves[1, at] < low or (high is not None and counts[at] + moves[0, at] > high):
                return None
    return Protection(OPTIMAL, terms, table, 0, 0, moves=tuple(moves))


def _keeping_two(search: Search, terms: Terms, only_lines: bool = False) -> tuple[Search, list[Key]]:
    """Return a search in which every cell can keep two values, as far as hidden totals allow; and the other cells.

    ``only_lines``: look at each relation alone.
    """
    end, quick = time.monotonic() + _SHARE * (search.end - time.monotonic()), True
    while True:
        search.ask(replace(search.terms, criterion="E", promises=terms.promises))
        failed = search.impossible().tolist() if quick else _failing(search, end)[0]
        unsafe = list(dict.fromkeys(search.table.cells[search.needs[at].cell].key for at in failed))
        more = _totals_near(search, unsafe)
        if more:
            totals = search.terms.totals | more
            search = Search(search.table, replace(search.terms, totals=totals), search.end, search.moves)
        elif quick and not only_lines:
            quick = False
        else:
            return search, unsafe


def _totals_near(search: Search, unsafe: Collection[Key]) -> set[Key]:
    """Return totals that share a relation with an unsafe cell, or with a total that may be hidden, and may not yet."""
    table, near = search.table, set(unsafe) | search.terms.totals
    if not unsafe or search.terms.hide_margins:
        return set()
    return {
        key
        for relation in table.relations
        if not near.isdisjoint((relation.total, *relation.parts))
        for key in (relation.total, *relation.parts)
        if table[key].margin and table[key].status == PUBLISHED
        if key not in search.terms.totals and key not in search.terms.fixed
    }


def _failing(search: Search, end: float) -> tuple[list[int], set[int]]:
    """Return the needs that fail even if all is hidden that may be, and those that are not settled by ``end``."""
    rng, impossible = np.random.default_rng(1), search.impossible()
    left = np.setdiff1d(search.left(search.may), impossible)
    for _ in range(_SWEEPS):
        before = len(left)
        left = search.sweeps(left, search.may, rng)
        if len(left) > 0.97 * before or time.monotonic() > end:
            break
    failed = impossible.tolist()
    for at in left.tolist():
        if time.monotonic() > end:
            return failed, {int(own) for own in search.left(search.may, left) if own >= at}
        if len(search.left(search.may, np.array([at]))) and search.attack(search.needs[at], search.may):
            failed.append(at)
    return failed, set()


def _lower(search: Search, terms: Terms, end: float) -> set[Key]:
    """Lower the promise of the cells that cannot keep the criterion; return those of which that is not settled."""
    full = replace(terms, totals=search.terms.totals)
    search.ask(full)
    if terms.criterion not in ("T", "R"):
        return set()
    failed, unsettled = (
        {search.table.cells[search.needs[at].cell].key for at in places} for places in _failing(search, end)
    )
    search.ask(replace(full, promises=dict(terms.promises) | dict.fromkeys(failed | unsettled, TWO)))
    return unsettled - failed


def _raised(result: Protection, unsettled: set[Key], terms: Terms) -> Protection:
    """Return the answer with the full promise for those cells of which the moves happen to prove it."""
    promises = dict(result.terms.promises)
    if result.cost is not None and result.moves:
        moves, index = np.array(result.moves), result.table.index
        most, least = moves.max(axis=0), moves.min(axis=0)
        for key in unsettled & promises.keys():
            at = index[key]
            needs = replace(terms, promises={}).needs(at, key, result.table.cells[at].value or 0, 1)
            if all((1 in of.signs and most[at] >= of.by) or (-1 in of.signs and -least[at] >= of.by) for of in needs):
                del promises[key]
    lowered = tuple(key for key in promises if key not in terms.promises)
    return replace(result, terms=replace(result.terms, promises=promises), lowered=lowered)


def promise_words(result: Protection, primary: Collection[Key]) -> str:
    """Say how many of the cells that the rule hides keep what the criterion asks, and which keep less."""
    totals = [key for key in result.complementary if key in result.terms.totals]
    lower = [key for key in result.lowered if key in primary]
    words = ""
    if lower:
        full = f"{len(primary) - len(lower):,} of {len(primary):,} keep criterion {result.terms.criterion}"
        words = f" {full}; the most that was proved for the rest is two possible values (E): {_some(lower)}."
    if totals:
        words += f" Hidden totals: {_some(totals)}; nothing else protects a count of their lines."
    return words


def _some(keys: list[Key]) -> str:
    """Write which cells, or how many and where most of them are."""
    if len(keys) <= 3:
        return "; ".join(map(named, keys))
    first = Counter(key[0] for key in keys).most_common(3)
    rest = ", ..." * (sum(n for _, n in first) < len(keys))
    return f"{len(keys):,} ({', '.join(f'{n:,} of {label}' for label, n in first)}{rest})"
