"""The least and greatest whole number that each unknown of a system of linear rules can be.

Bounds are first narrowed by each rule alone, in exact whole numbers. What is left falls into parts that share no
unknown. In each part solutions are collected (those that the caller gives, and those of programs with random prices);
an unknown that differs between two solutions does not follow. What they leave open is settled by two programs in whole
numbers per unknown. Every solution is checked exactly.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from policy_sim.words.arrays import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csc_array, csr_array

_FAR = 4_000_000_000_000_000  # no count comes near: an unknown that may be so large has no limit
_PASSES = 60
_SWEEPS = 12
_TIME_OUT = 1  # SciPy's status of a search that a limit ended


class Rule(NamedTuple):
    """``low <= sum of coefficient * unknown <= high``; a limit of None does not bind."""

    coefficients: Mapping[int, int]
    low: int | None
    high: int | None


class ContradictionError(Exception):
    """No whole numbers fulfill the rules; ``rule`` is one that cannot be met, where one alone shows it."""

    def __init__(self, rule: int | None = None) -> None:
        super().__init__("no whole numbers fulfill the rules")
        self.rule = rule


@dataclass
class Ranges:
    """Bounds of unknowns under rules. ``least`` and ``greatest`` of each (-1: no limit) and what solutions reached.

    After :meth:`settle`, an end is exact where ``seen_low`` equals ``least`` (``seen_high`` equals ``greatest``).
    ``cause``: the rule that narrowed an unknown to one value, -1 where none alone did.
    """

    rules: Sequence[Rule]
    least: IntArray
    greatest: IntArray  # _FAR where nothing limits it
    seen_low: IntArray = field(init=False)
    seen_high: IntArray = field(init=False)
    cause: IntArray = field(init=False)

    def __post_init__(self) -> None:
        self.least, self.greatest = self.least.copy(), np.minimum(self.greatest, _FAR)
        self.cause = np.full(len(self.least), -1, dtype=np.int64)
        self.seen_low = np.full(len(self.least), _FAR, dtype=np.int64)
        self.seen_high = np.full(len(self.least), -1, dtype=np.int64)
        self.low, self.high = self._limits()
        self._narrow()

    @staticmethod
    def unlimited() -> int:
        """Return the number that stands for no limit."""
        return _FAR

    def _narrow(self) -> None:
        touched: set[int] | None = None
        users: dict[int, list[int]] = {}
        for number, rule in enumerate(self.rules):
            for at in rule.coefficients:
                users.setdefault(at, []).append(number)
        for _ in range(_PASSES):
            waiting = range(len(self.rules)) if touched is None else sorted(touched)
            moved = [at for number in waiting for at in self._narrow_by(number)]
            if not moved:
                return
            touched = {number for at in moved for number in users[at]}

    def _narrow_by(self, number: int) -> list[int]:
        """Narrow the unknowns of one rule by the bounds of the others; return those that moved."""
        rule, moved = self.rules[number], list[int]()
        ends = {at: self._ends(at, c) for at, c in rule.coefficients.items()}
        lows, highs = [low for low, _ in ends.values()], [high for _, high in ends.values()]
        open_lows, open_highs = lows.count(None), highs.count(None)
        low_sum, high_sum = sum(low or 0 for low in lows), sum(high or 0 for high in highs)
        if (rule.high is not None and not open_lows and low_sum > rule.high) or (
            rule.low is not None and not open_highs and high_sum < rule.low
        ):
            raise ContradictionError(number)
        for at, c in rule.coefficients.items():
            own_low, own_high = ends[at]
            most = least = None
            if rule.high is not None and open_lows == (own_low is None):
                most = rule.high - (low_sum - (own_low or 0))
            if rule.low is not None and open_highs == (own_high is None):
                least = rule.low - (high_sum - (own_high or 0))
            if self._cut(at, c, least, most, number):
                moved.append(at)
        return moved

    def _ends(self, at: int, c: int) -> tuple[int | None, int | None]:
        low, high = int(self.least[at]), int(self.greatest[at])
        upper = None if high >= _FAR else c * high
        return (c * low, upper) if c > 0 else (upper, c * low)

    def _cut(self, at: int, c: int, least: int | None, most: int | None, number: int) -> bool:
        """Take ``least <= c * unknown <= most`` into its bounds."""
        if c < 0:
            c, least, most = -c, None if most is None else -most, None if least is None else -least
        low = int(self.least[at]) if least is None else max(int(self.least[at]), -(-least // c))
        high = int(self.greatest[at]) if most is None else min(int(self.greatest[at]), most // c)
        if low > high:
            raise ContradictionError(number)
        moved = (low, high) != (int(self.least[at]), int(self.greatest[at]))
        if moved and low == high:
            self.cause[at] = number
        self.least[at], self.greatest[at] = low, high
        return moved

    @cached_property
    def matrix(self) -> csr_array:
        """The coefficients, one row per rule."""
        from scipy.sparse import coo_array, csr_array

        entries = [(row, at, c) for row, rule in enumerate(self.rules) for at, c in rule.coefficients.items()]
        rows, columns, values = zip(*entries, strict=True) if entries else ((), (), ())
        matrix = coo_array(
            (np.array(values, dtype=np.int64), (rows, columns)), shape=(len(self.rules), len(self.least))
        )
        return csr_array(matrix)

    @cached_property
    def by_unknown(self) -> csc_array:
        """The coefficients, by unknown."""
        return self.matrix.tocsc()

    def _limits(self) -> tuple[FloatArray, FloatArray]:
        low = [-np.inf if rule.low is None else rule.low for rule in self.rules]
        high = [np.inf if rule.high is None else rule.high for rule in self.rules]
        return np.array(low, dtype=np.float64), np.array(high, dtype=np.float64)

    def settle(
        self,
        of: Sequence[int],
        enough: Mapping[int, tuple[int, int] | None] | None = None,
        hints: Iterable[IntArray] = (),
        seconds: float = 60.0,
    ) -> list[int]:
        """Find the ends of some unknowns; return those for which the time did not suffice.

        ``enough``: the ends that need not be passed, by unknown: the search for one stops where solutions reach both,
        or, where there are None, as soon as two solutions differ.
        ``hints``: solutions, perhaps; each is checked.
        """
        end, late = time.monotonic() + seconds, list[int]()
        for hint in hints:
            self.keep(np.asarray(hint, dtype=np.int64), np.ones(len(self.least), dtype=np.bool_))
        alone = np.ones(len(self.least), dtype=np.bool_)  # no rule ties it to anything
        alone[[at for rule in self.rules for at in rule.coefficients]] = False
        settled = (self.least == self.greatest) | alone
        self.seen_low[settled], self.seen_high[settled] = self.least[settled], self.greatest[settled]
        unsettled = np.asarray(of, dtype=np.int64)[~settled[list(of)]].tolist()
        parts = self._parts() if unsettled else alone
        targets: dict[int, list[int]] = {}
        for at in unsettled:
            targets.setdefault(int(parts[at]), []).append(at)
        for part, unknowns in targets.items():
            late += self._settle_part(np.flatnonzero(parts == part), unknowns, enough or {}, end)
        return late

    def _parts(self) -> IntArray:
        """Return which part each unknown belongs to; one that is known links nothing."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        open_ends = self.least < self.greatest
        entries = self.matrix.tocoo()
        remaining = open_ends[entries.col]
        rows, columns, size = (
            entries.row[remaining],
            entries.col[remaining] + len(self.rules),
            len(self.rules) + len(self.least),
        )
        graph = coo_array((np.ones(len(rows)), (rows, columns)), shape=(size, size))
        parts: IntArray = connected_components(graph, directed=False)[1][len(self.rules) :]
        return parts

    def _settle_part(
        self, at: IntArray, unknowns: list[int], enough: Mapping[int, tuple[int, int] | None], end: float
    ) -> list[int]:
        if all(self._done(own, enough) and self.seen_low[own] <= self.seen_high[own] for own in unknowns):
            return []
        from scipy.sparse import csr_array

        used = self._rows_of(at)
        inside = np.zeros(len(self.least), dtype=np.bool_)
        inside[at] = True
        fixed = self.least * (self.least == self.greatest) * ~inside
        shift = self.matrix[used] @ fixed
        program = _Part(csr_array(self.matrix[used][:, at]), self.low[used] - shift, self.high[used] - shift, self, at)
        if program.solved(np.zeros(len(at)), 1, end) is None:
            return unknowns  # no time, or an answer that is no solution: neither says that there is none
        rng, before = np.random.default_rng(1), -1
        for _ in range(_SWEEPS):
            left = [own for own in unknowns if not self._done(own, enough)]
            if len(left) < 4 or len(left) == before:
                break
            before = len(left)
            price = np.zeros(len(self.least))
            price[left] = rng.uniform(0.5, 1.5, len(left)) * rng.choice([-1, 1], len(left))
            for sign in (1, -1):
                program.solved(sign * price[at], 0, end)
        late = []
        for own in unknowns:
            for sign in (1, -1):
                if not self._done(own, enough) and not program.end_of(int(np.searchsorted(at, own)), sign, end):
                    late.append(own)
                    break
        return late

    def _done(self, own: int, enough: Mapping[int, tuple[int, int] | None]) -> bool:
        ends = enough.get(own, (int(self.least[own]), int(self.greatest[own])))
        if ends is None and self.seen_low[own] < self.seen_high[own]:
            return True
        low, high = ends or (int(self.least[own]), int(self.greatest[own]))
        reached = int(self.seen_low[own]), int(self.seen_high[own])
        return reached[0] <= max(low, int(self.least[own])) and reached[1] >= min(high, int(self.greatest[own]))

    def keep(self, numbers: IntArray, inside: BoolArray) -> bool:
        """Take numbers as a solution of the part ``inside`` if they are one."""
        if len(numbers) != len(self.least) or np.any((numbers < self.least) | (numbers > self.greatest), where=inside):
            return False
        if self.rules:
            rows = self._rows_of(np.flatnonzero(inside))
            sums = self.matrix[rows] @ np.where(inside, numbers, self.least)
            if np.any((sums < self.low[rows]) | (sums > self.high[rows])):
                return False
        self.seen_low = np.where(inside, np.minimum(self.seen_low, numbers), self.seen_low)
        self.seen_high = np.where(inside, np.maximum(self.seen_high, numbers), self.seen_high)
        return True

    def _rows_of(self, at: IntArray) -> IntArray:
        """Return the rules of some unknowns."""
        starts = self.by_unknown.indptr
        rows = [self.by_unknown.indices[starts[own] : starts[own + 1]] for own in at.tolist()]
        return np.unique(np.concatenate(rows)) if rows else np.zeros(0, dtype=np.int64)

    def sure(self, at: int) -> tuple[bool, bool]:
        """Return whether the least and the greatest value of an unknown are those of solutions."""
        return bool(self.seen_low[at] <= self.least[at]), bool(self.seen_high[at] >= self.greatest[at])


@dataclass
class _Part:
    """The program of unknowns that rules tie together; the others are known."""

    matrix: csr_array
    low: FloatArray
    high: FloatArray
    whole: Ranges
    at: IntArray

    def __post_init__(self) -> None:
        limits = np.concatenate([np.abs(side[np.isfinite(side)]) for side in (self.low, self.high)])
        sizes = np.where(self.whole.greatest[self.at] < _FAR, self.whole.greatest[self.at], self.whole.least[self.at])
        sums = abs(self.matrix) @ sizes.astype(np.float64)
        far = 4 * float(max(limits.max(initial=0), sums.max(initial=0))) + 10_000
        self.top = np.maximum(far, 2.0 * self.whole.least[self.at])  # a first cap where nothing limits an unknown
        self.inside = np.zeros(len(self.whole.least), dtype=np.bool_)
        self.inside[self.at] = True

    def solved(self, price: FloatArray, integrality: int, end: float) -> float | None:
        """Solve at least price; keep the solution if it is whole. Return the bound on the price, None without one."""
        left = end - time.monotonic()
        if left <= 0:
            return None
        from scipy.optimize import milp

        sums = (self.matrix.astype(np.float64), self.low, self.high) if self.matrix.shape[0] else ()
        answer = milp(
            price, constraints=sums, bounds=self._bounds(), integrality=integrality, options={"time_limit": left}
        )
        if answer.x is None:
            if answer.status != _TIME_OUT and integrality:
                raise ContradictionError
            return None
        numbers = self.whole.least.copy()
        numbers[self.at] = np.rint(answer.x).astype(np.int64)
        remaining = self.whole.keep(numbers, self.inside)
        if integrality and answer.status == 0 and not remaining:
            return None
        return float(answer.fun) if answer.status == 0 else None

    def _bounds(self) -> tuple[FloatArray, FloatArray]:
        low, high = (side[self.at].astype(np.float64) for side in (self.whole.least, self.whole.greatest))
        return low, np.where(high < _FAR, high, self.top)

    def end_of(self, own: int, sign: int, end: float) -> bool:
        """Find the least (1) or greatest (-1) value of an unknown; False where the time did not suffice."""
        place = int(self.at[own])
        if sign < 0 and self.whole.greatest[place] >= _FAR and self._grows(own, end):
            self.whole.greatest[place] = self.whole.seen_high[place] = _FAR
            return True
        price = np.zeros(len(self.at))
        price[own] = sign
        value = self.solved(price, 1, end)
        while sign < 0 and value is not None and self.top[own] <= -value < self.whole.greatest[place]:
            self.top[own] *= 1000  # an end at the cap is none
            value = self.solved(price, 1, end)
        if value is None:
            return False
        if sign > 0:
            self.whole.least[place] = round(value)
        else:
            self.whole.greatest[place] = round(-value)
        return True

    def _grows(self, own: int, end: float) -> bool:
        """Whether no rule limits an unknown: it may grow for ever, together with others that nothing limits.

        Then the rules have a ray: a change by which every limited sum stays or moves away from its limit.
        """
        from scipy.optimize import milp

        low, high = (np.where(np.isfinite(side), 0.0, side) for side in (self.low, self.high))
        most = np.where(self.whole.greatest[self.at] >= _FAR, np.inf, 0.0)
        least = np.where(np.arange(len(most)) == own, 1.0, 0.0)
        most[own] = 1.0
        sums = (self.matrix.astype(np.float64), low, high) if self.matrix.shape[0] else ()
        left = max(end - time.monotonic(), 0.0)
        ray = milp(np.zeros(len(most)), constraints=sums, bounds=(least, most), options={"time_limit": left})
        return ray.x is not None
