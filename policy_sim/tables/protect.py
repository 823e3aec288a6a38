"""Which further cells must be hidden, at least cost, so that no primary cell follows.

M. Fischetti and J. J. Salazar-Gonzalez (2001), Solving the cell suppression problem on tabular data with linear
constraints, Management Science 47(7). Every requirement of a primary cell is an attacker problem; one that fails
gives a cut of a small integer program, which is solved again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import csr_array, hstack, vstack

from policy_sim.tables.audit import PLAIN, Reader, matrix_of
from policy_sim.tables.table import COMPLEMENTARY, HIDDEN, MISSING, PRIMARY, PUBLISHED, Key, Table
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray
from policy_sim.words.errors import InputError

CRITERIA = ("E", "T", "R", "D")
COSTS = ("people", "cells")
OPTIMAL, GAP, INFEASIBLE, UNKNOWN = "optimal", "gap", "infeasible", "unknown"
_EDGE = 1e-6
_FEW = 20  # needs, below which each is looked at alone
_DDG_SUM, _DDG_SMALL = 11, 3  # CalHHS DDG 2.0: a line hides 11 people or more, not all cells at most 3

Progress = Callable[[str, int, int], None]


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
    reader: Reader = PLAIN
    hide_margins: bool = False
    fixed: frozenset[Key] = frozenset()  # published before: nobody can hide them again

    def __post_init__(self) -> None:
        for name, value, allowed in (("criterion", self.criterion, CRITERIA), ("cost", self.cost, COSTS)):
            if value not in allowed:
                raise InputError(f"{name} = {value!r} is not one of {', '.join(allowed)}.")
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

    def __post_init__(self) -> None:
        cells = self.table.cells
        self.matrix = matrix_of(self.table)
        self.values = np.array([cell.value or 0 for cell in cells], dtype=np.int64)
        self.forced = self.table.hidden
        terms = self.terms
        self.may = self.forced | np.array(
            [
                cell.status == PUBLISHED and (terms.hide_margins or not cell.margin) and cell.key not in terms.fixed
                for cell in cells
            ],
            dtype=np.bool_,
        )
        least, greatest = terms.reader.bounds(self.table)
        self.down, self.up = self.values - least, greatest - self.values
        self.down[self.down < 0] = 0  # a count below the reader's bound: the reader is wrong about it
        people = terms.cost == "people"
        self.cost = np.where(self.forced, 0, self.values if people else 1).astype(np.float64)
        self.needs = [need for at, cell in enumerate(cells) if cell.status == PRIMARY for need in self._needs(at)]

    def _needs(self, at: int) -> list[Need]:
        value, terms = int(self.values[at]), self.terms
        if terms.criterion == "T":
            return [Need(at, (1,), 1), Need(at, (-1,), 1)]
        if terms.criterion != "R":
            return [Need(at, (1, -1), 1)]
        needs = [Need(at, (1,), terms.largest - value), Need(at, (-1,), value - 1), Need(at, (1, -1), 1)]
        return [need for need in needs if need.by > 0]

    def proved(self, need: Need, hidden: BoolArray) -> bool:
        """Whether a move that was seen fulfills the need within the hidden cells."""
        return any(
            any(sign * move[need.cell] >= need.by for sign in need.signs) and not np.any(move[~hidden])
            for move in reversed(self.moves)
        )

    def fails(self, hidden: BoolArray) -> list[Need]:
        """Return the needs that the hidden cells do not fulfill; each gets a cut."""
        left = self._left(hidden, self.needs, self.moves)
        rng = np.random.default_rng(len(self.rows))
        while len(left) > _FEW and time.monotonic() < self.end:
            seen = len(self.moves)
            self._sweep(left, hidden, rng)
            rest = self._left(hidden, left, self.moves[seen:])
            if len(rest) > 0.9 * len(left):
                break
            left = rest
        return [need for need in left if not self.proved(need, hidden) and not self._attack(need, hidden)]

    def _left(self, hidden: BoolArray, needs: list[Need], moves: list[IntArray]) -> list[Need]:
        """Return the needs that none of the moves fulfills within the hidden cells."""
        inside = [move for move in moves if not np.any(move[~hidden])]
        if not inside:
            return needs
        most, least = np.max(inside, axis=0), np.min(inside, axis=0)
        return [n for n in needs if not any((most if s > 0 else -least)[n.cell] >= n.by for s in n.signs)]

    def _sweep(self, needs: list[Need], hidden: BoolArray, rng: np.random.Generator) -> None:
        """Look for one move that fulfills many needs at once."""
        cost = np.zeros(len(hidden))
        low, high = np.where(hidden, -self.down, 0), np.where(hidden, self.up, 0)
        for need in needs:
            sign = need.signs[int(rng.integers(len(need.signs)))]
            cost[need.cell] = -sign * rng.uniform(0.5, 1.5)
            low[need.cell] = max(low[need.cell], -need.by) if sign < 0 else low[need.cell]
            high[need.cell] = min(high[need.cell], need.by) if sign > 0 else high[need.cell]
        high = np.minimum(high, self.values.sum() + self.terms.largest)
        bounds = np.column_stack([low, high])
        answer = linprog(cost, A_eq=self.matrix, b_eq=np.zeros(self.matrix.shape[0]), bounds=bounds, method="highs-ds")
        if answer.x is not None:
            self._keep(answer.x, needs[0], 0)

    def _attack(self, need: Need, hidden: BoolArray) -> bool:
        coefficients, fractional = np.zeros(len(hidden)), False
        for sign in need.signs:
            answer = self._farthest(need, sign, hidden)
            if -answer.fun >= need.by - _EDGE:
                if self._keep(answer.x, need, sign) or self._whole(need, sign, hidden):
                    return True
                fractional = True
                if self.terms.criterion == "T":
                    continue
            reduced = answer.slope
            with np.errstate(invalid="ignore"):
                falls = np.where(reduced < -_EDGE, -reduced * self.up, 0) + np.where(
                    reduced > _EDGE, reduced * self.down, 0
                )
            coefficients += np.nan_to_num(falls, posinf=1e12)
        self._cut(coefficients, need, hidden, fractional)
        return False

    def _farthest(self, need: Need, sign: int, hidden: BoolArray) -> _Farthest:
        """Move the cell as far as the need asks, in real numbers."""
        at = np.flatnonzero(hidden & (self.matrix_columns > 0) | (np.arange(len(hidden)) == need.cell))
        cost = np.zeros(len(hidden))
        cost[need.cell] = -sign
        low, high = -self.down.copy(), self.up.copy()
        if sign > 0:
            high[need.cell] = min(high[need.cell], need.by)
        else:
            low[need.cell] = max(low[need.cell], -need.by)
        part = self.matrix[:, at]
        answer = linprog(
            cost[at],
            A_eq=part,
            b_eq=np.zeros(part.shape[0]),
            bounds=np.column_stack([low[at], high[at]]),
            method="highs-ds",
        )
        move = np.zeros(len(hidden))
        move[at] = answer.x
        return _Farthest(float(answer.fun), move, cost - self.matrix.T @ answer.eqlin.marginals)

    @cached_property
    def matrix_columns(self) -> IntArray:
        """How many relations each cell is in."""
        return np.diff(self.matrix.tocsc().indptr)

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
        answer = milp(
            np.zeros(len(hidden)),
            constraints=LinearConstraint(self.matrix, 0, 0),
            bounds=Bounds(low, high),
            integrality=1,
        )
        return answer.x is not None and self._keep(answer.x, need, sign)

    def _cut(self, coefficients: FloatArray, need: Need, hidden: BoolArray, fractional: bool) -> None:
        rest = need.by - coefficients[self.forced].sum()
        if fractional or rest <= _EDGE:  # whole numbers fail where real ones do not: some further cell must be hidden
            wide = hidden.copy()
            for at in np.flatnonzero(self.may & ~hidden):
                wide[at] = True
                if any(self._whole(need, sign, wide) for sign in need.signs):
                    wide[at] = False
                if time.monotonic() > self.end:
                    break
            coefficients, rest = (~wide).astype(np.float64), 1.0
        row = np.minimum(np.round(coefficients, 7), rest) / rest
        row[self.forced | ~self.may] = 0
        self.rows.append(row)

    def lines(self) -> tuple[csr_array, FloatArray]:
        """The rows of criterion D: what each line must hide if it hides a cell (``row @ hidden >= 0``)."""
        rows = []
        for relation in self.table.relations if self.terms.criterion == "D" else ():
            keys = [key for key in (relation.total, *relation.parts) if self.table[key].status != MISSING]
            at = np.array([self.table.index[key] for key in keys], dtype=np.int64)
            if not self.forced[at].any():  # only a line with a primary cell has to keep it in company
                continue
            for own in at[self.may[at]]:
                for weights, limit in (
                    (np.ones(len(at)), 2.0),
                    (self.values[at].astype(np.float64), float(_DDG_SUM)),
                    ((self.values[at] > _DDG_SMALL).astype(np.float64), 1.0),
                ):
                    row = np.zeros(len(self.may))
                    row[at] = np.minimum(weights, limit)
                    row[own] -= limit
                    rows.append(row)
        return csr_array(np.array(rows).reshape(len(rows), len(self.may))), np.zeros(len(rows))

    def cheapest(self, also: BoolArray | None = None) -> tuple[BoolArray, float] | None:
        """Return the cheapest pattern that fulfills all cuts, and a bound on its cost; None where there is none."""
        low = (self.forced | also if also is not None else self.forced).astype(np.float64)
        parts, right = self.lines()
        cuts = csr_array(np.array(self.rows).reshape(len(self.rows), len(low)))
        whole = csr_array(vstack([parts, cuts])) if parts.shape[0] + cuts.shape[0] else None
        limit = np.concatenate([right, np.ones(cuts.shape[0]) - _EDGE])
        rules = LinearConstraint(whole, limit, np.inf) if whole is not None else ()
        seconds = max(self.end - time.monotonic(), 0.5)
        answer = milp(
            self.cost,
            constraints=rules,
            bounds=Bounds(low, np.maximum(self.may, low)),
            integrality=1,
            options={"time_limit": seconds},
        )
        if answer.status == 2:
            return None
        bound = float(answer.mip_dual_bound if answer.mip_dual_bound is not None else 0)
        return (answer.x > 0.5 if answer.x is not None else low > 0.5), bound

    def completed(self, hidden: BoolArray) -> BoolArray | None:
        """Return a safe pattern that contains the hidden cells: each need moves the cells that cost least to hide."""
        hidden = hidden.copy()
        for need in self._left(hidden, self.needs, self.moves):
            if time.monotonic() > self.end:
                return None
            if not self.proved(need, hidden):
                move = min((self._short(need, sign, hidden) for sign in need.signs), key=lambda pair: pair[0])[1]
                if move is None:
                    return None
                hidden |= move != 0
        if self.terms.criterion == "D":
            whole = self.cheapest(also=hidden)
            if whole is None:
                return None
            hidden = whole[0]
        return self._pruned(hidden) if self.terms.criterion != "D" else hidden

    def _short(self, need: Need, sign: int, hidden: BoolArray) -> tuple[float, IntArray | None]:
        """Return a move that fulfills the need and changes little that is published, with its price."""
        low, high = np.where(self.may, self.down, 0), np.where(self.may, self.up, 0)
        price = np.where(hidden, 0.001, self.cost / np.maximum(np.minimum(self.values, need.by), 1) + 0.01)
        upper = np.concatenate([high, low])
        lower = np.zeros(len(upper))
        own = need.cell + (0 if sign > 0 else len(high))
        if upper[own] < need.by:
            return np.inf, None
        lower[own] = need.by
        upper[need.cell + (len(high) if sign > 0 else 0)] = 0
        wide = hstack([self.matrix, -self.matrix])
        for integrality in (0, 1):
            answer = milp(
                np.concatenate([price, price]),
                constraints=LinearConstraint(wide, 0, 0),
                bounds=Bounds(lower, upper),
                integrality=integrality,
            )
            if answer.x is None:
                return np.inf, None
            move = answer.x[: len(high)] - answer.x[len(high) :]
            if self._keep(move, need, sign):
                return float(self.cost[(self.moves[-1] != 0) & ~hidden].sum()), self.moves[-1]
        return np.inf, None

    def _pruned(self, hidden: BoolArray) -> BoolArray:
        """Publish again what need not be hidden, dearest first."""
        extra = np.flatnonzero(hidden & ~self.forced)
        for at in extra[np.argsort(-self.cost[extra], kind="stable")]:
            fewer = hidden.copy()
            fewer[at] = False
            if not self._left(fewer, self.needs, self.moves):
                hidden = fewer
        return hidden


class _Farthest(NamedTuple):
    """The end of an attacker problem: minus the distance, the move, and what each cell adds per unit."""

    fun: float
    x: FloatArray
    slope: FloatArray


def protect(table: Table, terms: Terms = Terms(), seconds: float = 60, progress: Progress | None = None) -> Protection:
    """Return the cheapest safe pattern that ``seconds`` suffice for, with the bound that says how good it is.

    Raises
    ------
    InputError : a cell that must be protected has no count.
    """
    if any(cell.status in HIDDEN and cell.value is None for cell in table.cells):
        raise InputError("a hidden cell has no count. Protect the table that has all counts.")
    search = _Search(table, terms, time.monotonic() + seconds)
    bad = search.fails(search.may)
    if bad:
        search.rows.clear()
        unsafe = tuple(dict.fromkeys(table.cells[need.cell].key for need in bad))
        return Protection(INFEASIBLE, terms, table, None, 0, unsafe)
    search.fails(search.forced)  # its moves and cuts start the search
    best, bound = search.completed(search.forced), 0.0
    while time.monotonic() < search.end:
        step = search.cheapest()
        if step is None:
            return Protection(INFEASIBLE, terms, table, None, 0)
        hidden, lower = step
        bound = max(bound, lower)
        if progress is not None:
            progress("hiding further cells", len(search.rows), len(search.rows) + 1)
        if _closed(search, best, bound):
            break
        if not search.fails(hidden):
            best = hidden
            if _closed(search, best, bound):
                break
            continue
        better = search.completed(hidden)
        if better is not None and (best is None or search.cost @ better < search.cost @ best):
            best = better
    return _answer(search, best, bound)


def _closed(search: _Search, best: BoolArray | None, bound: float) -> bool:
    return best is not None and search.cost @ best <= np.ceil(bound - 1e-4)


def _answer(search: _Search, best: BoolArray | None, bound: float) -> Protection:
    whole = int(np.ceil(bound - 1e-4))
    if best is None:
        return Protection(UNKNOWN, search.terms, search.table, None, whole)
    keys = [search.table.cells[at].key for at in np.flatnonzero(best & ~search.forced)]
    cost = int(search.cost @ best)
    hidden = search.table.with_statuses(dict.fromkeys(keys, COMPLEMENTARY))
    return Protection(OPTIMAL if cost <= whole else GAP, search.terms, hidden, cost, min(whole, cost))
