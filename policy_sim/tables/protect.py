"""Which further cells must be hidden, at least cost, so that no primary cell follows.

M. Fischetti and J. J. Salazar-Gonzalez (2001), Solving the cell suppression problem on tabular data with linear
constraints, Management Science 47(7). Every requirement of a primary cell is an attacker problem; one that fails
gives a cut of a small integer program, which is solved again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, OptimizeResult, linprog, milp
from scipy.sparse import csr_array, hstack

from policy_sim.tables.table import (
    COMPLEMENTARY,
    HIDDEN,
    MISSING,
    PRIMARY,
    PUBLISHED,
    ZERO,
    Key,
    Reader,
    Table,
    bounds_of,
    matrix_of,
)
from policy_sim.words.arguments import choice
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray
from policy_sim.words.errors import InputError

CRITERIA = ("E", "T", "R", "D")
COSTS = ("people", "cells")
OPTIMAL, GAP, INFEASIBLE, UNKNOWN = "optimal", "gap", "infeasible", "unknown"
RANGE, TWO, NEITHER = "the whole range", "two values", "nothing"  # what a hidden cell keeps
_EDGE = 1e-6
_LIMIT = 1  # SciPy's status of a search that a limit ended
_NONE = 2  # SciPy's status of a program that nothing fulfills
_FEW = 20  # needs, below which each is looked at alone
_MANY = 200  # needs, from which a safe pattern comes before the search for the best
_CUTS = 40  # of a large table, before its small program is solved again
_DDG_SUM, _DDG_SMALL = 11, 3  # CalHHS DDG 2.0: a line hides 11 people or more, not all cells at most 3


class _OutOfTimeError(Exception):
    """The time ended inside a search: what is not proved by then is not claimed."""


class Need(NamedTuple):
    """A cell must be able to move by ``by`` in one of the directions ``signs``."""

    cell: int
    signs: tuple[int, ...]
    by: int


@dataclass(frozen=True)
class Terms:
    """What protection means: the criterion, the largest count that the rule hides, the cost, and who reads."""

    criterion: str = "R"
    largest: int = 10
    cost: str = "people"
    reader: Reader = field(default_factory=dict)
    hide_margins: bool = False
    hide_zeros: bool = False  # a hidden cell may then be 0, and readers know that
    fixed: frozenset[Key] = frozenset()  # published before: nobody can hide them again
    promises: Mapping[Key, str] = field(default_factory=dict)  # of cells of which a table that was out tells more

    def __post_init__(self) -> None:
        choice("criterion", self.criterion, CRITERIA)
        choice("cost", self.cost, COSTS)
        if self.largest < 1:
            raise InputError(f"largest = {self.largest!r}: the largest hidden count is 1 or more.")


@dataclass(frozen=True)
class Protection:
    """The cells to hide beside the primary ones; ``bound`` is a cost below which no pattern is safe."""

    status: str
    terms: Terms
    table: Table  # with the complementary cells, where there is a safe pattern
    cost: int | None
    bound: int
    unsafe: tuple[Key, ...] = ()  # primary cells that follow even if everything is hidden that may be
    moves: tuple[IntArray, ...] = ()  # from the counts to other tables that fit what is published: the proof

    @property
    def complementary(self) -> tuple[Key, ...]:
        """The cells that are hidden so that no primary cell follows."""
        return tuple(cell.key for cell in self.table.cells if cell.status == COMPLEMENTARY)


@dataclass
class _Search:
    """The attacker problems of one table, with the moves that were seen: each proves what it fulfills."""

    table: Table
    terms: Terms
    end: float
    moves: list[IntArray] = field(default_factory=list)
    rows: list[FloatArray] = field(default_factory=list)  # cuts: row @ hidden >= 1
    best: BoolArray | None = None
    bound: float = 0.0

    def __post_init__(self) -> None:
        cells = self.table.cells
        self.values = np.array([cell.value or 0 for cell in cells], dtype=np.int64)
        self.forced = self.table.hidden
        terms = self.terms
        free = [
            cell.status in ((PUBLISHED, ZERO) if terms.hide_zeros else (PUBLISHED,))
            and (terms.hide_margins or not cell.margin)
            and cell.key not in terms.fixed
            for cell in cells
        ]
        self.may = self.forced | np.array(free, dtype=np.bool_)
        movable = csr_array(matrix_of(self.table) * self.may)  # what must stay as published does not move
        movable.eliminate_zeros()
        self.matrix = csr_array(movable[np.diff(movable.indptr) > 0])
        least, greatest = bounds_of(self.table, terms.reader)
        self.down, self.up = self.values - least, greatest - self.values
        self.down[self.down < 0] = 0  # a count below the reader's bound: the reader is wrong about it
        people = terms.cost == "people"
        self.cost = np.where(self.forced, 0, np.maximum(self.values, 1) if people else 1).astype(np.float64)
        self.ask(terms)

    def ask(self, terms: Terms) -> None:
        """Take the needs of these terms."""
        self.terms, cells = terms, self.table.cells
        self.needs = [need for at, cell in enumerate(cells) if cell.status == PRIMARY for need in self._needs(at)]

    def seconds_left(self) -> float:
        """Return the time that is left; where none is, the search ends."""
        left = self.end - time.monotonic()
        if left <= 0:
            raise _OutOfTimeError
        return left

    def _real(self, cost: FloatArray, matrix: csr_array, bounds: FloatArray) -> OptimizeResult:
        """Solve ``matrix @ x = 0`` in real numbers at least cost."""
        answer = linprog(
            cost,
            A_eq=matrix,
            b_eq=np.zeros(matrix.shape[0]),
            bounds=bounds,
            method="highs-ds",
            options={"time_limit": self.seconds_left()},
        )
        if answer.x is None and answer.status == _LIMIT:
            raise _OutOfTimeError
        return answer

    def _integer(self, cost: FloatArray, rules: object, bounds: Bounds, integrality: int = 1) -> OptimizeResult:
        """Solve a program in whole numbers at least cost."""
        limit = {"time_limit": self.seconds_left()}
        answer = milp(cost, constraints=rules, bounds=bounds, integrality=integrality, options=limit)
        if answer.x is None and answer.status == _LIMIT:
            raise _OutOfTimeError
        return answer

    def _needs(self, at: int) -> list[Need]:
        value, terms = int(self.values[at]), self.terms
        promise = terms.promises.get(self.table.cells[at].key)
        if promise is not None:
            return [Need(at, (1, -1), 1)] if promise == TWO else []
        if terms.criterion == "T":
            below = [Need(at, (-1,), 1)] if self.down[at] else []  # a count of 1, where nobody takes it for 0
            return [Need(at, (1,), 1), *below]
        if terms.criterion != "R" or value > terms.largest:  # a larger count is hidden for its difference or population
            return [Need(at, (1, -1), 1)]
        needs = [Need(at, (1,), terms.largest - value), Need(at, (-1,), value - 1), Need(at, (1, -1), 1)]
        return [need for need in needs if need.by > 0]

    def fails(self, hidden: BoolArray, most: int | None = None) -> list[Need]:
        """Return the needs that the hidden cells do not fulfill, ``most`` or all; each gets a cut."""
        left = self._sweeps(self._left(hidden), hidden, np.random.default_rng(len(self.rows)))
        seen = len(self.moves)
        failed = (need for need in left if self._left(hidden, [need], seen) and not self._attack(need, hidden))
        return list(islice(failed, most))

    def _left(self, hidden: BoolArray, needs: list[Need] | None = None, since: int = 0) -> list[Need]:
        """Return the needs, all by default, that none of the moves fulfills within the hidden cells."""
        needs = self.needs if needs is None else needs
        inside = [move for move in self.moves[since:] if not np.any(move[~hidden])]
        if not inside:
            return needs
        most, least = np.max(inside, axis=0).tolist(), np.min(inside, axis=0).tolist()
        return [
            need
            for need in needs
            if not (1 in need.signs and most[need.cell] >= need.by)
            and not (-1 in need.signs and -least[need.cell] >= need.by)
        ]

    def _sweeps(self, left: list[Need], hidden: BoolArray, rng: np.random.Generator, few: int = _FEW) -> list[Need]:
        """Look for moves that fulfill many needs at once; return the needs that are left."""
        while len(left) > few:
            seen = len(self.moves)
            self._sweep(left, hidden, rng, np.zeros(len(hidden)))
            rest = self._left(hidden, left, seen)
            if len(rest) > 0.9 * len(left):
                return rest
            left = rest
        return left

    def _sweep(self, needs: list[Need], within: BoolArray, rng: np.random.Generator, price: FloatArray) -> BoolArray:
        """Look for one move that fulfills many needs at once and changes little that has a price; return its cells."""
        at = np.flatnonzero(within & (self.matrix_columns > 0))
        size, place = len(at), {int(cell): own for own, cell in enumerate(at)}
        most = float(self.values.sum() + self.terms.largest)
        high = np.minimum(np.concatenate([self.up[at], self.down[at]]), most)
        cost = np.concatenate([price[at], price[at]])
        for need in needs:
            if need.cell in place:
                own, sign = place[need.cell], need.signs[int(rng.integers(len(need.signs)))]
                way, back = (own, own + size) if sign > 0 else (own + size, own)
                if high[way] and not cost[way] < 0:  # a cell has one direction in a move
                    high[way], high[back] = min(high[way], need.by), 0
                    cost[way] = -rng.uniform(0.5, 1.5) * (1 + 20 * float(price.max()))
        part = self.matrix[:, at]
        answer = self._real(cost, csr_array(hstack([part, -part])), np.column_stack([np.zeros(2 * size), high]))
        move = np.zeros(len(within))
        if answer.x is not None:
            move[at] = answer.x[:size] - answer.x[size:]
            self._keep(move, needs[0], 0)
        moved: BoolArray = np.abs(move) > _EDGE
        return moved

    def greedy(self, rng: np.random.Generator) -> BoolArray | None:
        """Return a safe pattern of a large table: a few moves of many needs at a low price, then the needs left."""
        hidden = self.forced.copy()
        left = self._sweeps(self._left(hidden), hidden, rng)
        for _ in range(12):
            if len(left) <= _FEW:
                break
            price = np.where(hidden, 0.001, self.cost / np.clip(self.values, 1, self.terms.largest) + 0.01)
            hidden |= self._sweep(left, self.may, rng, price)
            left = self._sweeps(self._left(hidden), hidden, rng)
        return self.completed(hidden)

    def leaner(self, hidden: BoolArray, safe: Callable[[BoolArray], bool], most: int, end: float) -> BoolArray:
        """Publish again up to ``most`` complementary cells at a time, the dear ones first, where the rest is safe."""
        extra = np.flatnonzero(hidden & ~self.forced)
        extra = extra[np.argsort(-self.cost[extra], kind="stable")]
        size = min(most, max(len(extra) // 8, 1))
        while size:
            for start in range(0, len(extra), size):
                fewer = hidden.copy()
                fewer[extra[start : start + size]] = False
                if time.monotonic() > end:
                    return hidden
                if fewer.sum() < hidden.sum() and safe(fewer):
                    hidden = fewer
            extra = extra[hidden[extra]]
            size //= 2
        return hidden

    def safe(self, hidden: BoolArray) -> bool:
        """Whether moves that prove a pattern safe were found without much search."""
        left = self._sweeps(self._left(hidden), hidden, np.random.default_rng(1), few=3)
        seen = len(self.moves)
        return len(left) <= 2 * _FEW and all(
            any(
                -value >= need.by - _EDGE and self._keep(move, need, sign)
                for sign in need.signs
                for value, move, _ in [self._farthest(need, sign, hidden)]
            )
            for need in left
            if self._left(hidden, [need], seen)
        )

    def cut_by_line(self) -> None:
        """Cut what one relation alone forbids: where a cell moves, the other cells of each of its relations make up."""
        lines = self.matrix.tocsr()
        of_cell, rows = self.matrix.tocsc(), dict[bytes, FloatArray]()
        for need in self.needs:
            for line in of_cell.indices[of_cell.indptr[need.cell] : of_cell.indptr[need.cell + 1]]:
                span = slice(lines.indptr[line], lines.indptr[line + 1])
                at, turn = lines.indices[span], lines.data[span]
                way = -turn * turn[at == need.cell]  # an up of the cell is a move of this sign of the others
                most = [np.where(way * sign > 0, self.up[at], self.down[at]) for sign in need.signs]
                weights = np.where(at == need.cell, 0, np.minimum(np.max(most, axis=0), need.by))
                rest = need.by - weights[self.forced[at]].sum()
                if rest > _EDGE:
                    row = np.zeros(len(self.may))
                    row[at] = np.where(self.forced[at], 0, np.minimum(weights, rest) / rest)
                    rows[row.tobytes()] = row
        self.rows += rows.values()

    def _attack(self, need: Need, hidden: BoolArray) -> bool:
        coefficients, fractional = np.zeros(len(hidden)), False
        for sign in need.signs:
            value, move, slope = self._farthest(need, sign, hidden)
            if -value >= need.by - _EDGE:
                if self._keep(move, need, sign) or self._whole(need, sign, hidden):
                    return True
                fractional = True
                if self.terms.criterion == "T":
                    continue
            slope = np.where(np.abs(slope) > _EDGE, slope, 0)
            with np.errstate(invalid="ignore"):
                coefficients += np.nan_to_num(np.maximum(-slope * self.up, slope * self.down), posinf=1e12)
        self._cut(coefficients, need, hidden, fractional)
        return False

    def _farthest(self, need: Need, sign: int, hidden: BoolArray) -> tuple[float, FloatArray, FloatArray]:
        """Move the cell as far as the need asks, in real numbers: minus the distance, the move, what each cell adds."""
        at = np.flatnonzero(hidden & (self.matrix_columns > 0) | (np.arange(len(hidden)) == need.cell))
        cost = np.zeros(len(hidden))
        cost[need.cell] = -sign
        low, high = -self.down.copy(), self.up.copy()
        if sign > 0:
            high[need.cell] = min(high[need.cell], need.by)
        else:
            low[need.cell] = max(low[need.cell], -need.by)
        part = self.matrix[:, at]
        answer = self._real(cost[at], part, np.column_stack([low[at], high[at]]))
        if answer.x is None:
            raise InputError("the counts are too large to protect exactly. Split the table.")
        move = np.zeros(len(hidden))
        move[at] = answer.x
        return float(answer.fun), move, cost - self.matrix.T @ answer.eqlin.marginals

    @cached_property
    def matrix_columns(self) -> IntArray:
        """How many relations each cell is in."""
        counts: IntArray = np.diff(self.matrix.tocsc().indptr)
        return counts

    def _keep(self, move: FloatArray, need: Need, sign: int) -> bool:
        whole = np.rint(move).astype(np.int64)
        fits = not np.any(self.matrix @ whole) and np.all(whole >= -self.down) and np.all(whole <= self.up)
        if fits and (not sign or sign * whole[need.cell] >= need.by):
            self.moves.append(whole)
            return True
        return False

    def _whole(self, need: Need, sign: int, hidden: BoolArray) -> bool:
        """Whether whole numbers move the cell so far."""
        low, high = np.where(hidden, -self.down, 0), np.where(hidden, self.up, 0)
        if sign > 0:
            low[need.cell] = need.by
        else:
            high[need.cell] = -need.by
        if low[need.cell] > high[need.cell]:
            return False
        answer = self._integer(np.zeros(len(hidden)), LinearConstraint(self.matrix, 0, 0), Bounds(low, high))
        return answer.x is not None and self._keep(answer.x, need, sign)

    def _cut(self, coefficients: FloatArray, need: Need, hidden: BoolArray, fractional: bool) -> None:
        rest = need.by - coefficients[self.forced].sum()
        if fractional or rest <= _EDGE:  # whole numbers fail where real ones do not: some further cell must be hidden
            wide = hidden.copy()
            for at in np.flatnonzero(self.may & ~hidden):
                wide[at] = True
                if any(self._whole(need, sign, wide) for sign in need.signs):
                    wide[at] = False
            coefficients, rest = (~wide).astype(np.float64), 1.0
        row = np.minimum(np.round(coefficients, 7), rest) / rest
        row[self.forced | ~self.may] = 0
        self.rows.append(row)

    def take(self, hidden: BoolArray | None) -> None:
        """Take a pattern as the best so far if moves prove each need of it and it costs less."""
        if hidden is None or self._left(hidden):
            return
        if self.best is None or self.cost @ hidden < self.cost @ self.best:
            self.best = hidden

    def closed(self) -> bool:
        """Whether nothing can cost less than the best pattern."""
        return self.best is not None and float(self.cost @ self.best) <= np.ceil(self.bound - 1e-4)

    @cached_property
    def lines(self) -> list[FloatArray]:
        """The rows of criterion D: what each line must hide if it hides a cell (``row @ hidden >= 0``)."""
        rows = []
        for relation in self.table.relations if self.terms.criterion == "D" else ():
            keys = [key for key in (relation.total, *relation.parts) if self.table[key].status != MISSING]
            at = np.array([self.table.index[key] for key in keys], dtype=np.int64)
            out_before = self.terms.promises and not np.any(self.may[at] & ~self.forced[at])
            if out_before or not self.forced[at].any():  # only a line with a primary cell has to keep it in company
                continue
            values = self.values[at]
            for own in at[self.may[at]]:
                for weights, limit in ((values >= 0, 2), (values, _DDG_SUM), (values > _DDG_SMALL, 1)):
                    row = np.zeros(len(self.may))
                    row[at] = np.minimum(weights, limit)
                    row[own] -= limit
                    rows.append(row)
        return rows

    def cheapest(self, also: BoolArray | None = None, integrality: int = 1) -> tuple[BoolArray, float] | None:
        """Return the cheapest pattern that fulfills all cuts, and a bound on its cost; None where there is none.

        ``integrality`` 0: in real numbers, for the bound alone.
        """
        low = (self.forced | also if also is not None else self.forced).astype(np.float64)
        rows, limits = [*self.lines, *self.rows], [0.0] * len(self.lines) + [1 - _EDGE] * len(self.rows)
        rules = LinearConstraint(csr_array(np.array(rows)), limits, np.inf) if rows else ()
        answer = self._integer(self.cost, rules, Bounds(low, np.maximum(self.may, low)), integrality)
        if answer.status == _NONE:
            return None
        if answer.x is None:
            raise InputError("the counts are too large to protect exactly. Split the table.")
        least = answer.mip_dual_bound if integrality else answer.fun
        return answer.x > 0.5, float(least if least is not None else 0)

    def completed(self, hidden: BoolArray) -> BoolArray | None:
        """Return a safe pattern that contains the hidden cells: each need moves the cells that cost least to hide."""
        hidden = hidden.copy()
        for need in self._left(hidden):
            if self._left(hidden, [need]):
                move = min((self._short(need, sign, hidden) for sign in need.signs), key=lambda pair: pair[0])[1]
                if move is None:
                    return None
                hidden |= move != 0
        if self.terms.criterion == "D":
            whole = self.cheapest(also=hidden)
            return None if whole is None else whole[0]
        self.take(hidden)  # what is safe is kept, also if the time ends while cells are published again
        return self.leaner(hidden, lambda fewer: not self._left(fewer), 1, self.end)

    def _short(self, need: Need, sign: int, hidden: BoolArray) -> tuple[float, IntArray | None]:
        """Return a move that fulfills the need and changes little that is published, with its price."""
        size, ups = len(self.may), np.where(np.tile(self.may, 2), np.concatenate([self.up, self.down]), 0)
        price = np.where(hidden, 0.001, self.cost / np.maximum(np.minimum(self.values, need.by), 1) + 0.01)
        own, back = (need.cell, need.cell + size) if sign > 0 else (need.cell + size, need.cell)
        if ups[own] < need.by:
            return np.inf, None
        least = np.where(np.arange(2 * size) == own, need.by, 0)
        ups[back] = 0
        sums = LinearConstraint(hstack([self.matrix, -self.matrix]), 0, 0)
        for integrality in (0, 1):
            answer = self._integer(np.tile(price, 2), sums, Bounds(least, ups), integrality)
            if answer.x is None:
                return np.inf, None
            if self._keep(answer.x[:size] - answer.x[size:], need, sign):
                return float(self.cost[(self.moves[-1] != 0) & ~hidden].sum()), self.moves[-1]
        return np.inf, None


def protect(table: Table, terms: Terms = Terms(), seconds: float = 60) -> Protection:
    """Return the cheapest safe pattern that ``seconds`` suffice for, with the bound that says how good it is."""
    if any(cell.status in HIDDEN and cell.value is None for cell in table.cells):
        raise InputError("a hidden cell has no count. Protect the table that has all counts.")
    search = _Search(table, terms, time.monotonic() + seconds)
    try:
        return _protected(search, seconds)
    except _OutOfTimeError:
        return _answer(search)


def kept(table: Table, terms: Terms, seconds: float = 60) -> Protection:
    """Return what a table that is out keeps: a promise that does not hold is lowered to two values, then to nothing.

    ``unsafe``: the cells that keep nothing.
    """
    search, promises = _Search(table, terms, time.monotonic() + seconds), dict(terms.promises)
    try:
        for lower in (TWO, NEITHER) if terms.criterion in ("T", "R") else (NEITHER,):
            failed = [table.cells[need.cell].key for need in search.fails(search.forced)]
            promises |= dict.fromkeys(failed, lower)
            search.ask(replace(terms, promises=dict(promises)))
    except _OutOfTimeError:
        return Protection(UNKNOWN, terms, table, None, 0)
    unsafe = tuple(key for key, promise in promises.items() if promise == NEITHER)
    return Protection(OPTIMAL, search.terms, table, 0, 0, unsafe, tuple(search.moves))


def _protected(search: _Search, seconds: float) -> Protection:
    rng, many = np.random.default_rng(1), len(search.needs) > _MANY
    most = _CUTS if many else None
    search.cut_by_line()
    first = search.cheapest(integrality=0)
    search.bound = first[1] if first else 0.0
    if many and first:
        pattern = search.greedy(rng)
        search.take(pattern)
        if pattern is not None and search.terms.criterion != "D" and not search.closed():
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
    return _answer(search)


def _answer(search: _Search) -> Protection:
    bound, best = int(np.ceil(search.bound - 1e-4)), search.best
    if best is None:
        return Protection(UNKNOWN, search.terms, search.table, None, bound)
    keys = [search.table.cells[at].key for at in np.flatnonzero(best & ~search.forced)]
    cost = int(search.cost @ best)
    hidden = search.table.with_statuses(dict.fromkeys(keys, COMPLEMENTARY))
    inside = tuple(move for move in search.moves if not np.any(move[~best]))
    return Protection(OPTIMAL if cost <= bound else GAP, search.terms, hidden, cost, min(bound, cost), (), inside)
