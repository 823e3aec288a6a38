"""Equations that hold in every shown number of a table with holes: sums, differences, running totals and rates.

A table is a matrix of ``vectors`` by ``places`` (columns by rows, weeks by counties): NaN where a number is hidden. An
equation between vectors is evidence where it holds in every place that shows all its numbers, and where so many digits
agree that chance does not explain it. The digits of a place are the logarithm of its largest term. Alike places count
once, and the largest place, which may be the sum of the others, is left out where there is another. ``chance`` is the
number of equations of the same family that random digits would fulfill: ways to choose them, times ten to the minus
digits.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from policy_sim.words.arrays import BoolArray, FloatArray, IntArray

NATURAL, RARE = 0.5, 0.1  # chance equations that are allowed: where the layout suggests one, and elsewhere
ONE_PLACE = 0.005  # the same where one place alone shows all the numbers
MOST_TRIPLES, MOST_FOURS, MOST_RUNS, MOST_STRIDES = 160, 48, 64, 6
MOST_PLAIN = 1500  # labels, beyond which sums of runs are not looked for
_BLOCK = 32  # vectors or places that are looked at first
_PRIME = 2_147_483_629
_FEW_VECTORS = 24  # among which a plain sum is looked for, though no place is left that could confirm another
_LARGEST_COEFFICIENT = 12  # of an equation that nothing but elimination finds


class Equation(NamedTuple):
    """``coefficients`` of vectors, which add up to 0 in every place; ``confirmed``: places that show all its numbers.

    ``partial``: a vector that has no number in a place adds nothing there.
    """

    coefficients: tuple[tuple[int, int], ...]
    family: str
    confirmed: int
    chance: float
    partial: bool = False


@dataclass
class Equations:
    """The equations of a matrix. ``totals``: vectors whose name says that they are the sum of the others."""

    values: FloatArray
    present: BoolArray
    totals: Sequence[int] = ()
    findings: list[Equation] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    _echelon: dict[int, IntArray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.count = len(self.values)
        self.visible = self.present & ~np.isnan(self.values)
        self.filled = np.where(self.visible, self.values, 0.0)
        self.digits = np.log10(1 + np.abs(self.filled))
        self.mixing = np.random.default_rng(3).uniform(1, 2, self.count)  # tells places that differ apart
        self.some = (self.filled != 0).any(axis=1)  # of others a term could be left out
        self.negative = bool((self.filled < 0).any())
        self.whole = ~self.present.all(axis=0) | np.isnan(self.values).any(axis=0)  # places that are not complete

    def all(self) -> list[Equation]:
        """Return the equations of every family, the suggested ones first; what follows from others is left out."""
        size, order = self.count, list(range(self.count))
        for at in self.totals:
            self._sum(at, [own for own in order if own not in self.totals], "total", 1e-9)
        self._sums_of_others(order)
        self._adjacent()
        if size <= MOST_PLAIN:
            self._runs(order, near=True)
        for at in np.flatnonzero(self._fits(np.arange(size - 1), np.arange(1, size))).tolist():
            self._take({at: 1, at + 1: -1}, "equal", size, NATURAL)
        if size <= MOST_TRIPLES:
            self._equal_and_triples()
        else:
            self.skipped.append(f"sums of two among {size:,} labels that are not next to each other")
        self._runs_elsewhere(order)
        if size <= MOST_FOURS:
            self._fours()
        self._eliminate()
        return self.findings

    def _sum(self, total: int, parts: Sequence[int], family: str, ways: float) -> None:
        if len(parts) > 1 and (self.visible[total].any() or ways < 1):
            self._take({total: 1} | dict.fromkeys(parts, -1), family, ways, NATURAL, partial=True)

    def _sums_of_others(self, among: Sequence[int]) -> None:
        """Take each vector that is the sum of all of ``among`` but itself."""
        inside = np.isin(np.arange(self.count), among)
        hidden = self.present & ~self.visible
        rest, holes, filled = (
            of[inside].sum(axis=0) - of * inside[:, None] for of in (self.filled, hidden * 1, self.present * 1)
        )
        gap, used = self.filled - rest, self.present & (filled > 0)
        against = used & (((gap > 0) & (holes == 0)) | ((gap < 0) & ~hidden))
        for total in np.flatnonzero(~against.any(axis=1)).tolist():
            self._sum(total, [at for at in among if at != total], "sum of the others", self.count)

    def _fits(self, totals: IntArray, *parts: IntArray) -> BoolArray:
        """Return of which totals no number denies that they are the sum of their parts."""
        hidden = self.present & ~self.visible
        gap = self.filled[totals] - sum(self.filled[part] for part in parts)
        used = np.logical_and.reduce([self.present[own] for own in (totals, *parts)])
        holes = np.logical_or.reduce([hidden[part] for part in parts])
        against = used & (((gap > 0) & ~holes) | ((gap < 0) & ~hidden[totals]))
        some = np.logical_and.reduce([self.some[own] for own in (totals, *parts)])
        fits: BoolArray = some & ~against.any(axis=1)
        return fits

    def _adjacent(self) -> None:
        """Take each vector that is the sum of two others, where the three lie next to each other."""
        first = np.arange(max(self.count - 2, 0))
        fits = [self._fits(first + at, *(first + own for own in range(3) if own != at)) for at in range(3)]
        for start, at in np.argwhere(np.column_stack(fits)).tolist():
            parts = [start + own for own in range(3) if own != at]
            self._take({start + at: 1} | dict.fromkeys(parts, -1), "sum of neighbors", 3 * self.count, NATURAL)

    def _runs(self, order: Sequence[int], near: bool) -> None:
        """Take each vector that is the sum of a run of others: of those next to it, or anywhere."""
        at = np.array(order, dtype=np.int64)
        inner = np.where(self.present[at], self.values[at], 0.0)
        before, after = self._above_two(inner, at), self._above_two(inner[::-1], at[::-1])[::-1]
        top = np.where(self.visible, self.values, -1.0).max(axis=0, initial=-1.0)
        for start in range(len(at) - 1):
            ends = np.flatnonzero(after[start + 2 :])
            begins = bool(start and before[start - 1])
            totals = [] if near else self._perhaps(inner[start:])
            if not (begins or len(ends) if near else totals):
                continue
            sums = self._run_sums(inner[start:], top)
            every = np.arange(len(sums))
            for total in totals:
                self._run_hits(at, start, sums, every, np.full(len(sums), total), RARE)
            if near and begins:
                self._run_hits(at, start, sums, every, np.full(len(sums), at[start - 1]), NATURAL)
            if near:
                ends = ends[ends < len(sums)]
                self._run_hits(at, start, sums, ends, at[start + 2 + ends], NATURAL)

    def _above_two(self, inner: FloatArray, at: IntArray) -> BoolArray:
        """Return the vectors that no place shows to be less than the sum of the two after them."""
        perhaps = np.ones(len(at), dtype=np.bool_)
        if not self.negative and len(at) > 2:
            own = np.where(self.present[at], self.values[at], np.nan)
            visible = np.nan_to_num(inner)
            perhaps[:-2] = ~(visible[1:-1] + visible[2:] > own[:-2]).any(axis=1)
        return perhaps

    def _run_sums(self, inner: FloatArray, top: FloatArray) -> FloatArray:
        """Return the sums of two vectors, three ... ; none is left out that may equal a number (at most ``top``)."""
        size = _BLOCK
        while True:
            sums: FloatArray = np.cumsum(inner[:size], axis=0)[1:]
            if size >= len(inner) or not (self.negative or (sums[-1] <= top).any()):
                return sums
            size *= 4

    def _perhaps(self, inner: FloatArray) -> list[int]:
        """Return the vectors that the first places leave as the sum of the first two vectors, three ..."""
        gap = (
            np.cumsum(inner[:, :_BLOCK], axis=0)[1:, None]
            - np.where(self.present, self.values, np.nan)[None, :, :_BLOCK]
        )
        against = (~np.isnan(gap) & (gap != 0)).any(axis=2)
        return np.flatnonzero(~against.all(axis=0)).tolist()

    def _run_hits(
        self, order: IntArray, start: int, sums: FloatArray, rows: IntArray, totals: IntArray, limit: float
    ) -> None:
        """Take some of the sums of the runs from ``start`` on that equal their total wherever both are shown."""
        gap = sums[rows] - self.values[totals]
        settled = ~np.isnan(gap) & self.present[totals]
        ways = float(self.count) ** (2 if limit == NATURAL else 3)
        digits = np.where(settled, self.digits[totals], 0).sum(axis=1)  # at most: alike places count once
        fits = ~np.any(settled & (gap != 0), axis=1) & (digits > math.log10(ways / limit))
        for hit in np.flatnonzero(fits).tolist():
            total, parts = int(totals[hit]), order[start : start + int(rows[hit]) + 2].tolist()
            if total not in parts:
                self._take({total: 1} | dict.fromkeys(parts, -1), "sum of a run", ways, limit, partial=True)

    def _runs_elsewhere(self, order: list[int]) -> None:
        """Take sums of runs that are not next to their total: all, without the totals found, of every second ..."""
        sums = {
            next(at for at, sign in item.coefficients if sign > 0)
            for item in self.findings
            if len(item.coefficients) > 2
        }
        lists = [[at for at in order if at not in sums], sorted(sums)]
        if self.count <= MOST_RUNS:
            lists = [order, *lists]
            steps = range(2, min(MOST_STRIDES, self.count // 2) + 1)
            lists += [order[first::step] for step in steps for first in range(step)]
        for part in lists:
            if 1 < len(part) <= MOST_RUNS:
                self._runs(part, near=False)
            elif len(part) > 1 and self.count <= MOST_PLAIN:
                self._sums_of_others(part)

    def _equal_and_triples(self) -> None:
        signs, some = np.where(self.present, self.values, np.nan), np.flatnonzero(self.some).tolist()
        for at, item in enumerate(some):
            for other in self._hits(signs[item], some[at + 1 :]):
                self._take({item: 1, other: -1}, "equal", self.count**2 / 2, RARE)
        for item, other in itertools.combinations(some, 2):
            for total in self._hits(signs[item] + signs[other], some):
                if total not in (item, other):
                    self._take({total: 1, item: -1, other: -1}, "sum of two", self.count**3 / 2, RARE)

    def _hits(self, sums: FloatArray, among: Iterable[int]) -> IntArray:
        """Return the vectors that equal a sum wherever both are shown."""
        at = np.array(list(among), dtype=np.int64)
        gap = np.where(self.present[at], self.values[at], np.nan) - sums
        settled = ~np.isnan(gap)
        hits: IntArray = at[settled.any(axis=1) & ~np.any(settled & (gap != 0), axis=1)]
        return hits

    def _fours(self) -> None:
        """Take a + b = c + d and a = b + c + d, by sums of two that agree in all complete places."""
        complete = self.values[:, ~self.whole]
        if complete.shape[1] < 2:
            return
        keys = np.random.default_rng(7).integers(1, 2**62, complete.shape[1], dtype=np.uint64)
        codes = (complete.astype(np.int64).astype(np.uint64) * keys).sum(axis=1, dtype=np.uint64)
        pairs: dict[int, list[tuple[int, int]]] = {}
        some = np.flatnonzero(self.some)
        item, other = (some[at] for at in np.triu_indices(len(some), 1))
        for a, b, code in zip(item.tolist(), other.tolist(), (codes[item] + codes[other]).tolist(), strict=True):
            for c, d in pairs.get(code, [])[:4]:
                if len({a, b, c, d}) == 4:
                    self._take({a: 1, b: 1, c: -1, d: -1}, "two sums of two", self.count**4 / 8, RARE)
            pairs.setdefault(code, []).append((a, b))
        gaps = codes[:, None] - codes[None, :]  # modulo 2**64, as the sums
        for a, b in itertools.permutations(some.tolist(), 2):
            for c, d in pairs.get(int(gaps[a, b]), [])[:4]:
                if len({a, b, c, d}) == 4:
                    self._take({a: 1, b: -1, c: -1, d: -1}, "sum of three", self.count**4 / 6, RARE)

    def _eliminate(self) -> None:
        """Take what elimination finds where more places are complete than vectors take part."""
        holes = (np.isnan(self.values) | ~self.present).sum(axis=1)
        order = np.argsort(holes, kind="stable")
        sizes = [
            size
            for size in range(3, len(order) + 1)
            if size == len(order) or holes[order[size]] > holes[order[size - 1]]
        ]
        for size in sizes[-20:]:
            at = np.sort(order[:size])
            places = self.visible[at].all(axis=0)
            block = self.values[at][:, places]
            if block.shape[1] < 3 or np.any(block != np.rint(block)):
                continue
            for terms in _null_vectors(block, unconfirmed=size <= _FEW_VECTORS):
                coefficients = {int(at[own]): own_sign for own, own_sign in terms.items()}
                many = len(coefficients)
                plain = set(map(abs, coefficients.values())) == {1}  # a sum or difference of counts, each once
                ways = self._choices(many) if plain else float(self.count * 4) ** many
                if many > 1 and (plain or block.shape[1] >= many):
                    self._take(coefficients, "equation", ways, RARE)

    def _choices(self, many: int) -> float:
        """Return how many sums or differences of so many vectors there are."""
        digits = sum(math.log10((self.count - at) / (at + 1)) for at in range(many)) + (many - 1) * math.log10(2)
        return float(10.0 ** min(digits, 300))

    def _take(
        self, coefficients: dict[int, int], family: str, ways: float, limit: float, partial: bool = False
    ) -> None:
        tested = self._tested(coefficients, partial)
        if tested is None:
            return
        digits, confirmed = tested
        chance = min(ways, 1e300) * 10.0 ** -min(digits, 300)
        limit = min(limit, ONE_PLACE) if confirmed < 2 and ways >= 1 else limit
        if chance < limit and self._is_new(coefficients, partial):
            self.findings.append(Equation(tuple(sorted(coefficients.items())), family, confirmed, chance, partial))

    def _tested(self, coefficients: dict[int, int], partial: bool) -> tuple[float, int] | None:
        """Return the digits that speak for an equation, and in how many places; None where a number speaks against."""
        at, signs = list(coefficients), np.array(list(coefficients.values()), dtype=np.float64)[:, None]
        positive = signs > 0
        in_place = self.present[at]
        whole, any_part = in_place[positive[:, 0]].all(axis=0), in_place[~positive[:, 0]].any(axis=0)
        used = whole & any_part if partial else in_place.all(axis=0)
        hidden = in_place & ~self.visible[at]
        terms = signs * self.filled[at]
        sums, up, down = terms.sum(axis=0), (hidden & positive).any(axis=0), (hidden & ~positive).any(axis=0)
        if np.any(used & (((sums > 0) & ~down) | ((sums < 0) & ~up))):
            return None
        complete = used & ~hidden.any(axis=0)
        seen = terms[:, complete]
        if not partial and not (seen != 0).any(axis=1).all():
            return None  # a term that is 0 wherever one can see it may be left out
        _, first = np.unique(self.mixing[at] @ seen, return_index=True)  # alike places count once
        size = np.sort(np.abs(seen[:, first]).max(axis=0, initial=0))
        size = size[size > 0]
        return float(np.log10(1 + (size[:-1] if len(size) > 1 else size)).sum()), int(complete.sum())

    def _is_new(self, coefficients: dict[int, int], partial: bool) -> bool:
        """Whether an equation does not follow from those found; it is then added to what others are compared with."""
        if partial and not self.present[list(coefficients)].all():
            return all(item.coefficients != tuple(sorted(coefficients.items())) for item in self.findings)
        row = np.zeros(self.count, dtype=np.int64)
        row[list(coefficients)] = np.array(list(coefficients.values())) % _PRIME
        for pivot, settled in self._echelon.items():
            row = (row - row[pivot] * settled) % _PRIME
        if not row.any():
            return False
        pivot = int(np.flatnonzero(row)[0])
        self._echelon[pivot] = row * pow(int(row[pivot]), -1, _PRIME) % _PRIME
        return True


def _null_vectors(block: FloatArray, unconfirmed: bool = False) -> Iterator[dict[int, int]]:
    """Yield equations in small whole numbers between the rows of a block that hold in every column of it.

    By elimination modulo a prime; the caller tests each against the numbers. ``unconfirmed``: those too that so few
    places always allow, of which a plain sum may still be evidence.
    """
    rows, pivots = (block.T.astype(np.int64) % _PRIME), list[int]()
    size = rows.shape[1]
    for own in range(size):
        rank = len(pivots)
        nonzero = np.flatnonzero(rows[rank:, own])
        if not len(nonzero):
            continue
        rows[[rank, rank + nonzero[0]]] = rows[[rank + nonzero[0], rank]]
        rows[rank] = rows[rank] * pow(int(rows[rank, own]), -1, _PRIME) % _PRIME
        others = np.flatnonzero(rows[:, own])
        others = others[others != rank]
        rows[others] = (rows[others] - rows[others, own][:, None] * rows[rank]) % _PRIME
        pivots.append(own)
        if len(pivots) == rows.shape[0]:
            if not unconfirmed:
                return  # no place is left that could confirm anything
            break
    for own in (at for at in range(size) if at not in pivots):
        fractions = {pivot: _fraction(int(rows[rank, own])) for rank, pivot in enumerate(pivots) if rows[rank, own]}
        if all(part is not None for part in fractions.values()):
            settled = {pivot: part for pivot, part in fractions.items() if part is not None}
            scale = math.lcm(*(part.denominator for part in settled.values()))
            terms = {own: scale} | {pivot: int(-part * scale) for pivot, part in settled.items()}
            if max(map(abs, terms.values())) <= _LARGEST_COEFFICIENT:
                yield terms


def _fraction(residue: int) -> Fraction | None:
    """Return the fraction of small numbers that a number modulo the prime stands for."""
    for below in range(1, _LARGEST_COEFFICIENT + 1):
        above = residue * below % _PRIME
        above = above - _PRIME if above > _PRIME // 2 else above
        if abs(above) <= _LARGEST_COEFFICIENT:
            return Fraction(above, below)
    return None


class Lag(NamedTuple):
    """Along the places in order: ``parts`` of the last ``window`` places add up to ``total``, or what it grows by."""

    total: int
    part: int
    window: int  # 0: the total grows by the part from place to place
    confirmed: int
    chance: float


def lags(values: FloatArray, windows: Sequence[int] = (2, 3, 4, 7, 14)) -> list[Lag]:
    """Return the running totals, changes and moving sums between vectors, along an order of places.

    ``values``: vectors x places in order x other labels; NaN where hidden or absent.
    """
    size, length, findings = values.shape[0], values.shape[1], list[Lag]()
    if length < 2:
        return []
    summed = {of: _moving(values, of) for of in windows if length > of}
    ways = size**2 * (1 + len(summed))
    sides = {0: (np.diff(values, axis=1), values[:, 1:])}
    sides |= {of: (values[:, of - 1 :], sums) for of, sums in summed.items()}
    for window, (totals, parts) in sides.items():
        first = [side[:, :_BLOCK].reshape(size, -1)[:, :_BLOCK] for side in (totals, parts)]
        against = np.abs(first[0][:, None] - first[1][None]) > 0
        perhaps = ~against.any(axis=2) & ~np.eye(size, dtype=np.bool_)
        for total, part in np.argwhere(perhaps).tolist():
            if seen := _agreed(totals[total], parts[part], ways):
                findings.append(Lag(total, part, window, *seen))
    return sorted(findings)


def _moving(values: FloatArray, window: int) -> FloatArray:
    length = values.shape[1] - window + 1
    sums: FloatArray = np.sum([values[:, start : start + length] for start in range(window)], axis=0)
    return sums


def _agreed(item: FloatArray, other: FloatArray, ways: float) -> tuple[int, float] | None:
    """Return in how many places two matrices agree where both are known, and the chance; None where they do not."""
    settled = ~np.isnan(item) & ~np.isnan(other)
    left, right = item[settled], other[settled]
    if np.any(left != right):
        return None
    size = np.unique(np.abs(right[right != 0]))
    chance = ways * 10.0 ** -float(np.log10(1 + size).sum())
    return (int(settled.sum()), chance) if len(size) > 1 and chance < RARE else None
