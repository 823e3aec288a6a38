"""Moves from a table to others that fit what is published: each proves what some hidden cells keep.

An attacker problem asks how far one hidden cell can move. A sweep asks it of many cells at once. Two-way tables have
whole moves; in tables of more ways the sweep pairs labels, so that what one slice gains its partner loses.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from policy_sim.tables.table import PRIMARY, PUBLISHED, ZERO, Table, bounds_of, matrix_of
from policy_sim.tables.terms import Need, Terms
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray
from policy_sim.words.errors import InputError

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult
    from scipy.sparse import csr_array

EDGE = 1e-6
LIMIT = 1  # SciPy's status of a search that a limit ended
BLOCKS = (5, 10)  # labels of each column, where a move of a large table is first looked for
LARGE = 1000  # cells
FEW = 20  # needs, below which each is looked at alone
_STEPS = 4  # sweeps of paired slices that one move is made of
_COMBINATIONS = 3e6
_STALE = 3  # sweeps in a row that bring little, before the rest is looked at alone
TOO_LARGE = "the counts are too large to protect exactly. Split the table."


class OutOfTimeError(Exception):
    """The time ended inside a search: what is not proved by then is not claimed."""


@dataclass
class Moves:
    """The attacker problems of one table, with the moves that were seen."""

    table: Table
    terms: Terms
    end: float
    moves: list[IntArray] = field(default_factory=list)

    def __post_init__(self) -> None:
        from scipy.sparse import csr_array

        cells, terms = self.table.cells, self.terms
        self.values = np.array([cell.value or 0 for cell in cells], dtype=np.int64)
        self.forced = self.table.hidden
        free = [
            cell.status in ((PUBLISHED, ZERO) if terms.hide_zeros else (PUBLISHED,))
            and (terms.hide_margins or not cell.margin or cell.key in terms.totals)
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
        self.columns = np.diff(self.matrix.tocsc().indptr)  # how many relations each cell is in
        self.ask(terms)

    def ask(self, terms: Terms) -> None:
        """Take the needs of these terms."""
        self.terms, cells = terms, self.table.cells
        primary = [at for at, cell in enumerate(cells) if cell.status == PRIMARY]
        every = (terms.needs(at, cells[at].key, int(self.values[at]), float(self.down[at])) for at in primary)
        self.needs = [need for needs in every for need in needs]
        self.cell_of = np.array([need.cell for need in self.needs], dtype=np.int64)
        self.by = np.array([need.by for need in self.needs], dtype=np.int64)
        self.above = np.array([1 in need.signs for need in self.needs], dtype=np.bool_)
        self.below = np.array([-1 in need.signs for need in self.needs], dtype=np.bool_)
        self._move_alone()
        self._touched = np.zeros((0, len(cells)), dtype=np.bool_)
        self._met = np.zeros((0, len(self.needs)), dtype=np.bool_)

    def _move_alone(self) -> None:
        """Move the cells that add up to nothing, all at once: up, and down."""
        for sign, room in ((1, self.up), (-1, self.down)):
            move = np.zeros(len(room), dtype=np.int64)
            np.maximum.at(move, self.cell_of, self.by)
            move = np.where(self.columns > 0, 0, np.minimum(move, room)).astype(np.int64)
            if move.any():
                self.moves.append(sign * move)

    def seconds_left(self) -> float:
        """Return the time that is left; where none is, the search ends."""
        left = self.end - time.monotonic()
        if left <= 0:
            raise OutOfTimeError
        return left

    def _seen(self) -> tuple[BoolArray, BoolArray]:
        """Return which cells each move changes and which needs it meets."""
        new = self.moves[len(self._touched) :]
        if new:
            moves = np.array(new)
            at = moves[:, self.cell_of]
            met = (self.above & (at >= self.by)) | (self.below & (-at >= self.by))
            self._touched = np.concatenate([self._touched, moves != 0])
            self._met = np.concatenate([self._met, met])
        return self._touched, self._met

    def left(self, hidden: BoolArray, needs: IntArray | None = None) -> IntArray:
        """Return the places of the needs, of all by default, that no move within the hidden cells meets."""
        touched, met = self._seen()
        inside = ~touched[:, ~hidden].any(axis=1)
        missing: IntArray = np.flatnonzero(~met[inside].any(axis=0))
        return missing if needs is None else needs[np.isin(needs, missing)]

    def impossible(self) -> IntArray:
        """Return the places of the needs that one relation alone forbids, whatever is hidden."""
        lines, of_cell, places = self.matrix.tocsr(), self.matrix.tocsc(), list[int]()
        for place, need in enumerate(self.needs):
            for line in of_cell.indices[of_cell.indptr[need.cell] : of_cell.indptr[need.cell + 1]]:
                span = slice(lines.indptr[line], lines.indptr[line + 1])
                if self.others(need, lines.indices[span], lines.data[span]).sum() < need.by:
                    places.append(place)
                    break
        return np.array(places, dtype=np.int64)

    def others(self, need: Need, at: IntArray, turn: FloatArray) -> FloatArray:
        """Return how far each other cell of a relation can make up for the need of one of them."""
        way = -turn * turn[at == need.cell]  # an up of the cell is a move of this sign of the others
        most = [np.where(way * sign > 0, self.up[at], self.down[at]) for sign in need.signs]
        weights: FloatArray = np.where(at == need.cell, 0, np.minimum(np.max(most, axis=0), need.by))
        return weights

    # Sweeps: one linear program for many needs.

    def sweeps(self, left: IntArray, hidden: BoolArray, rng: np.random.Generator, few: int = FEW) -> IntArray:
        """Look for moves that meet many needs at once; return the needs that are left."""
        stale = 0
        while len(left) > few and stale < (_STALE if self.ways > 2 else 1):
            self.sweep(left, hidden, rng, np.zeros(len(hidden)))
            rest = self.left(hidden, left)
            stale = stale + 1 if len(rest) > 0.9 * len(left) else 0
            left = rest
        return left

    def sweep(self, needs: IntArray, within: BoolArray, rng: np.random.Generator, price: FloatArray) -> BoolArray:
        """Look for one move that meets many needs and changes little that has a price; return its cells."""
        move, needs = np.zeros(len(within)), rng.permutation(needs)
        signs = np.where(self.above & (~self.below | (rng.random(len(self.by)) < 0.5)), 1, -1)[needs]
        for _ in range(_STEPS if self.ways > 2 else 1):
            step = self._step(needs, signs, within, rng, np.where(move == 0, price, 0), move)
            if step is None:
                break
            move += step
        if np.any(move):
            self.keep(move)
        moved: BoolArray = np.abs(move) > EDGE
        return moved

    def _step(
        self,
        needs: IntArray,
        signs: IntArray,
        within: BoolArray,
        rng: np.random.Generator,
        price: FloatArray,
        move: FloatArray,
    ) -> FloatArray | None:
        """Go on from a move toward the needs; None where nothing more is reached."""
        from scipy.sparse import csr_array, hstack

        basis = self._basis(within, rng)
        limit = float(self.values.sum() + self.terms.largest)
        high, low = np.minimum(self.up - move, limit), np.minimum(self.down + move, limit)
        gain_up, gain_down = np.zeros((2, len(within)))
        rest = self.by[needs] - signs * move[self.cell_of[needs]]
        weight = rng.uniform(0.5, 1.5, len(needs)) * (1 + 20 * float(price.max()))
        for need, sign, by, gain in zip(
            needs[rest > 0], signs[rest > 0], rest[rest > 0], weight[rest > 0], strict=True
        ):
            cell = self.cell_of[need]
            side, gains = (high, gain_up) if sign > 0 else (low, gain_down)
            if side[cell] and not gain_up[cell] + gain_down[cell]:  # a cell has one direction in a move
                side[cell], gains[cell] = min(side[cell], by), gain
                (low if sign > 0 else high)[cell] = 0
        ups, downs, cost = self._columns(basis, high, low, price, gain_up, gain_down)
        part = csr_array(self.matrix @ basis)
        part = csr_array(part[np.diff(part.indptr) > 0])
        size = basis.shape[1]
        if not size or not (cost < 0).any():
            return None
        bounds = np.column_stack([np.zeros(2 * size), np.concatenate([ups, downs])])
        answer = self.real(cost, csr_array(hstack([part, -part])), bounds)
        if answer.x is None or answer.fun > -EDGE:
            return None
        step: FloatArray = basis @ (answer.x[:size] - answer.x[size:])
        return step

    def _columns(
        self, basis: csr_array, high: FloatArray, low: FloatArray, price: FloatArray, up: FloatArray, down: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return how far each column of the basis can go up and down, and the cost of both."""
        entries = basis.tocoo()
        cells, columns, plus = entries.row, entries.col, entries.data > 0
        ups, downs = np.full((2, basis.shape[1]), np.inf)
        np.minimum.at(ups, columns, np.where(plus, high[cells], low[cells]))
        np.minimum.at(downs, columns, np.where(plus, low[cells], high[cells]))
        rise, fall = np.zeros((2, basis.shape[1]))
        np.add.at(rise, columns, price[cells] - np.where(plus, up[cells], down[cells]))
        np.add.at(fall, columns, price[cells] - np.where(plus, down[cells], up[cells]))
        return ups, downs, np.concatenate([rise, fall])

    @cached_property
    def _labels(self) -> IntArray | None:
        """The number of each label of each cell by column of labels; None where the keys have no common columns."""
        keys = [cell.key for cell in self.table.cells]
        if len({len(key) for key in keys}) != 1:
            return None
        return np.array([np.unique(column, return_inverse=True)[1] for column in zip(*keys, strict=True)]).T

    @cached_property
    def _axes(self) -> list[IntArray]:
        """For each column of labels that adds up, its labels that are parts."""
        labels, parts = self._labels, list[set[int]]()
        if labels is None:
            return []
        parts = [set() for _ in range(labels.shape[1])]
        for relation in self.table.relations:
            of = labels[[self.table.index[key] for key in relation.parts]]
            differ = np.flatnonzero((of != of[0]).any(axis=0))
            if len(differ) == 1:
                parts[differ[0]] |= set(of[:, differ[0]].tolist())
        return [np.array(sorted(own), dtype=np.int64) for own in parts]

    @cached_property
    def ways(self) -> int:
        """How many columns of labels add up, each alone; 0 where the labels have too many combinations to look up."""
        labels = self._labels
        if labels is None or np.prod(labels.max(axis=0) + 1.0) > _COMBINATIONS:
            return 0
        return sum(len(own) > 1 for own in self._axes)

    @cached_property
    def _places(self) -> IntArray:
        """The cell of each combination of labels, by their numbers; -1 where there is none."""
        assert self._labels is not None
        places = np.full(self._labels.max(axis=0) + 1, -1)
        places[tuple(self._labels.T)] = np.arange(len(self._labels))
        return places

    def _basis(self, within: BoolArray, rng: np.random.Generator) -> csr_array:
        """Return what moves are made of, a column each: a cell, or in three ways or more cells of paired slices."""
        from scipy.sparse import coo_array, csr_array

        inside = within & (self.columns > 0)
        groups, signs, labels = np.flatnonzero(inside)[:, None], np.ones(1), self._labels
        if self.ways > 2 and labels is not None:
            several = [axis for axis, own in enumerate(self._axes) if len(own) > 1]
            for axis in rng.permutation(several)[: self.ways - 2]:
                partner = self._partners(int(axis), int(labels[:, axis].max()) + 1, rng)
                groups = groups[partner[labels[groups[:, 0], axis]] > labels[groups[:, 0], axis]]
                keys = labels[groups]
                keys[..., axis] = partner[keys[..., axis]]
                other = self._places[tuple(np.moveaxis(keys, -1, 0))]
                groups = np.concatenate([groups, other], axis=1)[((other >= 0) & inside[other]).all(axis=1)]
                signs = np.concatenate([signs, -signs])
        size = len(groups)
        columns = np.repeat(np.arange(size), groups.shape[1])
        return csr_array(coo_array((np.tile(signs, size), (groups.ravel(), columns)), shape=(len(within), size)))

    def _partners(self, axis: int, size: int, rng: np.random.Generator) -> IntArray:
        """Pair the labels of a column at random; a label without a partner is its own."""
        partner = np.arange(size)
        mixed = rng.permutation(self._axes[axis])
        pairs = mixed[: len(mixed) // 2 * 2].reshape(-1, 2)
        partner[pairs[:, 0]], partner[pairs[:, 1]] = pairs[:, 1], pairs[:, 0]
        return partner

    # One need alone.

    def attack(self, need: Need, hidden: BoolArray) -> tuple[FloatArray, bool] | None:
        """Return None where a move meets the need; else what each cell would add, and whether real numbers meet it."""
        coefficients, fractional = np.zeros(len(hidden)), False
        for width in BLOCKS if self.ways > 2 and len(hidden) > LARGE else ():
            block = self.near(need.cell, hidden, width)
            if any(self.whole(need, sign, block) for sign in need.signs):
                return None
        for sign in need.signs:
            value, move, slope = self.farthest(need, sign, hidden)
            if -value >= need.by - EDGE:
                if self.keep(move, need, sign) or self.whole(need, sign, hidden):
                    return None
                fractional = True
                if self.terms.criterion == "T":
                    continue
            slope = np.where(np.abs(slope) > EDGE, slope, 0)
            with np.errstate(invalid="ignore"):
                coefficients += np.nan_to_num(np.maximum(-slope * self.up, slope * self.down), posinf=1e12)
        return coefficients, fractional

    def farthest(self, need: Need, sign: int, hidden: BoolArray) -> tuple[float, FloatArray, FloatArray]:
        """Move the cell as far as the need asks, in real numbers: minus the distance, the move, what each cell adds."""
        at = np.flatnonzero(hidden & (self.columns > 0) | (np.arange(len(hidden)) == need.cell))
        cost = np.zeros(len(hidden))
        cost[need.cell] = -sign
        low, high = -self.down.copy(), self.up.copy()
        if sign > 0:
            high[need.cell] = min(high[need.cell], need.by)
        else:
            low[need.cell] = max(low[need.cell], -need.by)
        answer = self.real(cost[at], self.matrix[:, at], np.column_stack([low[at], high[at]]))
        if answer.status == LIMIT:
            raise OutOfTimeError  # a move, but perhaps not the farthest
        if answer.x is None:
            raise InputError(TOO_LARGE)
        move = np.zeros(len(hidden))
        move[at] = answer.x
        return float(answer.fun), move, cost - self.matrix.T @ answer.eqlin.marginals

    def keep(self, move: FloatArray, need: Need | None = None, sign: int = 0) -> bool:
        """Keep a move if it is one in whole numbers, and if it meets the need, where one is named."""
        whole = np.rint(move).astype(np.int64)
        fits = not np.any(self.matrix @ whole) and np.all(whole >= -self.down) and np.all(whole <= self.up)
        if fits and (need is None or sign * whole[need.cell] >= need.by):
            self.moves.append(whole)
            return True
        return False

    def whole(self, need: Need, sign: int, hidden: BoolArray) -> bool:
        """Whether whole numbers move the cell so far."""
        at = np.flatnonzero(hidden & (self.columns > 0) | (np.arange(len(hidden)) == need.cell))
        own = at == need.cell
        low, high = np.where(hidden[at], -self.down[at], 0), np.where(hidden[at], self.up[at], 0)
        if sign > 0:
            low[own] = need.by
        else:
            high[own] = -need.by
        if np.any(low > high):
            return False
        answer = self.integer(np.zeros(len(at)), self.sums(self.matrix[:, at]), (low, high))
        if answer.x is None:
            return False
        move = np.zeros(len(hidden))
        move[at] = answer.x
        return self.keep(move, need, sign)

    @staticmethod
    def sums(matrix: csr_array) -> object:
        """Return the constraint that every relation of a part of the cells still adds up."""
        from scipy.sparse import csr_array

        rows = csr_array(matrix[np.diff(matrix.indptr) > 0])
        return (rows, 0, 0) if rows.shape[0] else ()

    def near(self, cell: int, hidden: BoolArray, width: int) -> BoolArray:
        """Return the hidden cells of a block around a cell: its labels and ``width`` others of each column."""
        labels, rng, block = self._labels, np.random.default_rng(cell), hidden.copy()
        assert labels is not None
        for axis, parts in enumerate(self._axes):
            own = labels[cell, axis]
            line = np.flatnonzero(hidden & (np.delete(labels == labels[cell], axis, axis=1).all(axis=1)))
            first = rng.permutation(labels[line, axis])[: width // 2]
            others = rng.permutation(parts)[: width - len(first)]
            block &= np.isin(labels[:, axis], [own, *first, *others]) | ~np.isin(labels[:, axis], [own, *parts])
        return block

    def real(self, cost: FloatArray, matrix: csr_array, bounds: FloatArray) -> OptimizeResult:
        """Solve ``matrix @ x = 0`` in real numbers at least cost."""
        from scipy.optimize import linprog

        answer = linprog(
            cost,
            A_eq=matrix,
            b_eq=np.zeros(matrix.shape[0]),
            bounds=bounds,
            method="highs-ds",
            options={"time_limit": self.seconds_left()},
        )
        if answer.x is None and answer.status == LIMIT:
            raise OutOfTimeError
        return answer

    def integer(
        self, cost: FloatArray, rules: object, bounds: tuple[FloatArray, FloatArray], integrality: int = 1
    ) -> OptimizeResult:
        """Solve a program in whole numbers at least cost."""
        from scipy.optimize import milp

        limit = {"time_limit": self.seconds_left()}
        answer = milp(cost, constraints=rules, bounds=bounds, integrality=integrality, options=limit)
        if answer.x is None and answer.status == LIMIT:
            raise OutOfTimeError
        return answer
