"""The search for the cheapest cells to hide: cuts of a small integer program, and safe patterns found on the way."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from policy_sim.tables.moves import BLOCKS, EDGE, FEW, LARGE, TOO_LARGE, Moves
from policy_sim.tables.table import MISSING
from policy_sim.tables.terms import Need
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray
from policy_sim.words.errors import InputError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_NONE = 2  # SciPy's status of a program that nothing fulfills
_SWEEPS = 30  # of a large table, before the needs that are left are looked at one by one
_DDG_SUM, _DDG_SMALL = 11, 3  # CalHHS DDG 2.0: a line hides 11 people or more, not all cells at most 3
_Row = tuple[IntArray, FloatArray]  # the cells of a cut and their weights


@dataclass
class Search(Moves):
    """The attacker problems of one table with the cuts that failed ones gave, and the best pattern so far."""

    rows: list[_Row] = field(default_factory=list)  # cuts: weights @ hidden >= 1
    best: BoolArray | None = None
    partial: BoolArray | None = None  # a pattern that may not meet every need
    bound: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        people = self.terms.cost == "people"
        self.cost = np.where(self.forced, 0, np.maximum(self.values, 1) if people else 1).astype(np.float64)

    def fails(self, hidden: BoolArray, most: int | None = None) -> list[Need]:
        """Return the needs that the hidden cells do not meet, ``most`` or all; each gets a cut."""
        left = self.sweeps(self.left(hidden), hidden, np.random.default_rng(len(self.rows)))
        failed = (self.needs[at] for at in left if len(self.left(hidden, left[left == at])) and self._fails(at, hidden))
        return list(islice(failed, most))

    def _fails(self, at: int, hidden: BoolArray) -> bool:
        failed = self.attack(self.needs[at], hidden)
        if failed is not None:
            self._cut(*failed, self.needs[at], hidden)
        return failed is not None

    def greedy(self, rng: np.random.Generator, end: float, start: BoolArray | None = None) -> BoolArray | None:
        """Return a safe pattern of a large table: moves of many needs at a low price, then the needs left."""
        hidden = self.forced.copy() if start is None else start.copy()
        left = self.sweeps(self.left(hidden), hidden, rng)
        for _ in range(_SWEEPS):
            if len(left) <= FEW or time.monotonic() > end:
                break
            price = np.where(hidden, 0.001, self.cost / np.clip(self.values, 1, self.terms.largest) + 0.01)
            hidden |= self.sweep(left, self.may, rng, price) & self.may
            self.partial = hidden
            left = self.sweeps(self.left(hidden), hidden, rng)
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
        left = self.sweeps(self.left(hidden), hidden, np.random.default_rng(1), few=3)
        return len(left) <= 2 * FEW and all(
            any(
                -value >= need.by - EDGE and self.keep(move, need, sign)
                for sign in need.signs
                for value, move, _ in [self.farthest(need, sign, hidden)]
            )
            for at in left
            if len(self.left(hidden, left[left == at]))
            for need in [self.needs[at]]
        )

    def cut_by_line(self) -> None:
        """Cut what one relation alone forbids: where a cell moves, the other cells of each of its relations make up."""
        lines = self.matrix.tocsr()
        of_cell, rows = self.matrix.tocsc(), dict[bytes, _Row]()
        for need in self.needs:
            for line in of_cell.indices[of_cell.indptr[need.cell] : of_cell.indptr[need.cell + 1]]:
                span = slice(lines.indptr[line], lines.indptr[line + 1])
                at = lines.indices[span]
                weights = self.others(need, at, lines.data[span])
                rest = need.by - weights[self.forced[at]].sum()
                if rest > EDGE:
                    row = np.where(self.forced[at], 0, np.minimum(weights, rest) / rest)
                    rows[at.tobytes() + row.tobytes()] = (at[row > 0], row[row > 0])
        self.rows += rows.values()

    def bounded(self) -> bool:
        """Bound the cost by what single relations forbid; whether any pattern fulfills that."""
        self.cut_by_line()
        first = self.cheapest(integrality=0)
        self.bound = max(self.bound, first[1]) if first else self.bound
        return first is not None

    def _cut(self, coefficients: FloatArray, fractional: bool, need: Need, hidden: BoolArray) -> None:
        rest = need.by - coefficients[self.forced].sum()
        if fractional or rest <= EDGE:  # whole numbers fail where real ones do not: some further cell must be hidden
            wide = hidden.copy()
            for cell in np.flatnonzero(self.may & ~hidden):
                wide[cell] = True
                if any(self.whole(need, sign, wide) for sign in need.signs):
                    wide[cell] = False
            coefficients, rest = (~wide).astype(np.float64), 1.0
        row = np.minimum(np.round(coefficients, 7), rest) / rest
        row[self.forced | ~self.may] = 0
        at = np.flatnonzero(row)
        self.rows.append((at, row[at]))

    def take(self, hidden: BoolArray | None) -> None:
        """Take a pattern as the best so far if moves prove each need of it and it costs less."""
        if hidden is None or len(self.left(hidden)):
            return
        if self.best is None or self.cost @ hidden < self.cost @ self.best:
            self.best = hidden

    def closed(self) -> bool:
        """Whether nothing can cost less than the best pattern."""
        return self.best is not None and float(self.cost @ self.best) <= np.ceil(self.bound - 1e-4)

    @cached_property
    def lines(self) -> list[_Row]:
        """The rows of criterion D: what each line must hide if it hides a cell (``weights @ hidden >= 0``)."""
        rows = []
        for relation in self.table.relations if self.terms.criterion == "D" else ():
            keys = [key for key in (relation.total, *relation.parts) if self.table[key].status != MISSING]
            at = np.array([self.table.index[key] for key in keys], dtype=np.int64)
            out_before = self.terms.promises and not np.any(self.may[at] & ~self.forced[at])
            if out_before or not self.forced[at].any():  # only a line with a primary cell has to keep it in company
                continue
            values = self.values[at]
            for own in np.flatnonzero(self.may[at]):
                for weights, limit in ((values >= 0, 2), (values, _DDG_SUM), (values > _DDG_SMALL, 1)):
                    row = np.minimum(weights, limit).astype(np.float64)
                    row[own] -= limit
                    rows.append((at, row))
        return rows

    def cheapest(self, also: BoolArray | None = None, integrality: int = 1) -> tuple[BoolArray, float] | None:
        """Return the cheapest pattern that fulfills all cuts, and a bound on its cost; None where there is none.

        ``integrality`` 0: in real numbers, for the bound alone.
        """
        low = (self.forced | also if also is not None else self.forced).astype(np.float64)
        rows, limits = [*self.lines, *self.rows], [0.0] * len(self.lines) + [1 - EDGE] * len(self.rows)
        rules = (self._matrix(rows), limits, np.inf) if rows else ()
        answer = self.integer(self.cost, rules, (low, np.maximum(self.may, low)), integrality)
        if answer.status == _NONE:
            return None
        if answer.x is None:
            raise InputError(TOO_LARGE)
        least = answer.mip_dual_bound if integrality else answer.fun
        return answer.x > 0.5, float(least if least is not None else 0)

    def _matrix(self, rows: list[_Row]) -> csr_array:
        from scipy.sparse import coo_array, csr_array

        sizes = [len(at) for at, _ in rows]
        columns, weights = (np.concatenate(parts) for parts in zip(*rows, strict=True))
        shape = (len(rows), len(self.may))
        return csr_array(coo_array((weights, (np.repeat(np.arange(len(rows)), sizes), columns)), shape=shape))

    def completed(self, hidden: BoolArray) -> BoolArray | None:
        """Return a safe pattern that contains the hidden cells: each need moves the cells that cost least to hide."""
        hidden = hidden.copy()
        left = self.left(hidden)
        for at in left:
            if len(self.left(hidden, left[left == at])):
                need = self.needs[at]
                move = min((self._short(need, sign, hidden) for sign in need.signs), key=lambda pair: pair[0])[1]
                if move is None:
                    return None
                hidden |= move != 0
                self.partial = hidden
        if self.terms.criterion == "D":
            whole = self.cheapest(also=hidden)
            return None if whole is None else whole[0]
        self.take(hidden)  # what is safe is kept, also if the time ends while cells are published again
        return self.leaner(hidden, lambda fewer: not len(self.left(fewer)), 1, self.end)

    def _short(self, need: Need, sign: int, hidden: BoolArray) -> tuple[float, IntArray | None]:
        """Return a move that meets the need and changes little that is published, with its price."""
        if (self.up if sign > 0 else self.down)[need.cell] < need.by:
            return np.inf, None
        large = self.ways > 2 and len(hidden) > LARGE
        for within in (*(self.near(need.cell, self.may, width) for width in BLOCKS if large), self.may):
            for integrality in (0, 1):
                move = self._shortest(need, sign, hidden, within, integrality)
                if move is None:
                    break
                if self.keep(move, need, sign):
                    return float(self.cost[(self.moves[-1] != 0) & ~hidden].sum()), self.moves[-1]
        return np.inf, None

    def _shortest(
        self, need: Need, sign: int, hidden: BoolArray, within: BoolArray, integrality: int
    ) -> FloatArray | None:
        """Return the move of least price within some cells, in whole or real numbers; None where there is none."""
        from scipy.sparse import csr_array, hstack

        at = np.flatnonzero(within & (self.columns > 0) | (np.arange(len(hidden)) == need.cell))
        own, size, matrix = int(np.flatnonzero(at == need.cell)[0]), len(at), self.matrix[:, at]
        price = np.where(hidden, 0.001, self.cost / np.maximum(np.minimum(self.values, need.by), 1) + 0.01)[at]
        ups, least = np.concatenate([self.up[at], self.down[at]]), np.zeros(2 * size)
        way, back = (own, own + size) if sign > 0 else (own + size, own)
        least[way], ups[back] = need.by, 0
        sums = self.sums(csr_array(hstack([matrix, -matrix])))
        answer = self.integer(np.tile(price, 2), sums, (least, ups), integrality)
        if answer.x is None:
            return None
        move = np.zeros(len(hidden))
        move[at] = answer.x[:size] - answer.x[size:]
        return move
