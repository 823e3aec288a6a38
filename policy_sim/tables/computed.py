"""Columns of whole numbers that a spreadsheet computes from counts: averages over time, gaps, roots, growth.

A feature is what is computed of one or several columns in each row. A column is computed if a constant times one
feature, or a straight line through it, gives nearly all of its numbers as they are rounded, and neither a count that
varies like a Poisson count nor a number drawn from the same column would fit by chance.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from policy_sim.words.arrays import BoolArray, FloatArray, IntArray

ROUNDED = (0.5, 0.5), (0.0, 1.0), (1.0, 0.0)  # units below and above a number: to the nearest, down, up
_CHANCE = 0.01  # columns of independent counts in a table that may be taken for computed
_FAMILIES = 5  # of features, which share the chance
_EDGE, _EXACT, _RISES, _HALF = 1e-9, 1e-6, 1.05, 0.5
_MOST_ROWS = 400  # that are looked at
_MOST_CUT = 4_000  # numbers of a table whose rows are cut into lines of time
_MOST_NUMBERS = 400_000  # of the averages along one cut of the rows
_ROWS_PER_OUTLIER = 6
_FEW = 4  # rows of a sample that is looked at first
_FEWEST = 4  # different values of a feature; one more for a line
_MOST_PAIRED, _MOST_RUN = 40, 60  # columns, up to which two are compared, and neighbors are averaged
_WINDOWS = range(2, 29)
_PAIR = 2
_LAGS = 1, 7, 12, 52
_WITH_PEOPLE = 2, 3, 4, 7, 14  # rows of which the sum is divided by another column
_ONE: dict[str, Callable[[FloatArray], FloatArray]] = {
    "the square root of {}": np.sqrt,
    "the logarithm of {}": np.log,
    "the logarithm of {} plus 1": np.log1p,
    "1 divided by {}": np.reciprocal,
    "1 divided by the square root of {}": lambda values: 1 / np.sqrt(values),
    "the square of {}": np.square,
}


class _Kind(NamedTuple):
    """Features of one kind: in words, the columns that each is computed of, and its numbers by row.

    ``line``: a straight line through the feature is looked for, else a multiple. ``usual``: the constants that make a
    sum an average, which no row needs to show; of such sums a multiple of 1 is a count, and so no feature.
    """

    words: Sequence[str]
    uses: Sequence[tuple[int, ...]]
    values: FloatArray
    line: bool = False
    usual: Sequence[float] = ()
    same: bool = False  # the feature is the column: a multiple of it is none


class Computed:
    """What may be computed of columns of counts (``numbers``: NaN where one is hidden), by rows in order.

    ``groups``: ways to cut the rows into lines of time, each as one number per row.
    """

    def __init__(self, numbers: Mapping[str, FloatArray], groups: Sequence[IntArray]) -> None:
        self.names = list(numbers)
        self.values = np.array([own[:_MOST_ROWS] for own in numbers.values()])
        most = len(groups) if self.values.size <= _MOST_CUT else 1
        self.groups = [own[:_MOST_ROWS] for own in groups[:most]]

    @cached_property
    def families(self) -> list[list[_Kind]]:
        """All features: of one column, of two, of neighbors, along the rows, and averages along them."""
        with np.errstate(divide="ignore", invalid="ignore"):
            kinds = self._of_one(), self._of_two(), self._runs(), self._along(), self._averages()
            return [[kind for kind in own if len(kind.words)] for own in kinds]

    def origin(self, name: str, made: Collection[str], columns: int) -> str:
        """Say what a column is computed from, other than columns that are ``made``; empty for a count.

        ``columns``: how many are looked at.
        """
        at = self.names.index(name)
        whole = self.values[at]
        rests = [own for own, values in enumerate(self.values) if _constant(values + whole)]
        gone = {at, *rests, *(self.names.index(own) for own in made)}
        others = [own for own in range(len(self.names)) if own not in gone]
        rows = np.flatnonzero(np.isfinite(whole))
        if len(np.unique(whole[rows])) < _FEWEST or not others:
            return ""
        target, found = _Target(whole[rows], self.values[others][:, rows]), list[tuple[float, str]]()
        for kinds in self.families:
            used = [
                [own for own, of in enumerate(kind.uses) if gone.isdisjoint(of) and _after(at, of)] for kind in kinds
            ]
            need = math.log10(2 * len(ROUNDED) * columns * max(sum(map(len, used)), 1) * _FAMILIES / _CHANCE)
            for kind, own in zip(kinds, used, strict=True) if target.most >= need else ():
                found += [item for item in target.fits(kind, own, rows) if item[0] >= need]
        return max(found)[1] if found else target.of_all(columns)

    def _of_one(self) -> Iterator[_Kind]:
        names = [repr(name) for name in self.names]
        uses = [(at,) for at in range(len(names))]
        yield _Kind(names, uses, self.values, line=True, same=True)
        for words, function in _ONE.items():
            texts, values = [words.format(name) for name in names], function(self.values)
            yield _Kind(texts, uses, values)
            yield _Kind(texts, uses, values, line=True)
        gaps = np.array(
            [np.abs(own - own[np.isfinite(own)].mean()) if _varied([own])[0] else own * np.nan for own in self.values]
        )
        yield _Kind([f"how far {name} is from its mean" for name in names], uses, gaps)
        for sign in (1, -1):
            ranks = np.array([_ranks(sign * own) for own in self.values])
            yield _Kind([f"the rank of {name}" for name in names], uses, ranks)

    def _of_two(self) -> Iterator[_Kind]:
        pairs = list(itertools.permutations(range(len(self.names)), 2)) if len(self.names) <= _MOST_PAIRED else []
        sides = [[own[at] for own in pairs] for at in (0, 1)]
        names = [[repr(self.names[at]) for at in side] for side in sides]
        yield from _compared(names, pairs, *(self.values[side] for side in sides))

    def _runs(self) -> Iterator[_Kind]:
        """Yield averages and ranges of neighbors, and averages of two that are none."""
        many = len(self.names) if len(self.names) <= _MOST_RUN else 0
        runs = [tuple(range(start, end)) for start in range(many) for end in range(start + 2, many + 1)]
        pairs = [own for own in itertools.combinations(range(many), 2) if own not in runs and many <= _FEW * 3]
        chosen = [*pairs, *runs]
        sums = np.array([self.values[list(own)].sum(axis=0) for own in chosen]).reshape(
            len(chosen), self.values.shape[1]
        )
        texts = [f"the average of {self._listed(own)}" for own in chosen]
        yield _Kind(texts, chosen, sums, usual=[1 / len(own) for own in chosen])
        long = [own for own in runs if len(own) > _PAIR and many <= _FEW * 3 and _moves(self.values[list(own)])]
        ranges = [np.ptp(self.values[list(own)], axis=0) for own in long]
        texts = [f"the largest less the smallest of {self._listed(own)}" for own in long]
        yield _Kind(texts, long, np.array(ranges).reshape(len(long), self.values.shape[1]))

    def _listed(self, of: Sequence[int]) -> str:
        names = [repr(self.names[at]) for at in of]
        return " and ".join(names) if len(names) < _FEW else f"{names[0]} to {names[-1]}"

    def _along(self) -> Iterator[_Kind]:
        """Yield growth along the rows, and running totals."""
        for group, lag in itertools.product(self.groups, _LAGS):
            if lag < len(group) // 2:
                before = np.full_like(self.values, np.nan)
                same = group[lag:] == group[:-lag]
                before[:, lag:] = np.where(same, self.values[:, :-lag], np.nan)
                earlier = "before" if lag == 1 else f"{lag} rows before"
                names = [repr(name) for name in self.names], [f"{name!r} {earlier}" for name in self.names]
                for first, second in ((0, 1), (1, 0)):
                    sides = self.values, before
                    uses = [(at,) for at in range(len(self.names))]
                    yield from _compared([names[first], names[second]], uses, sides[first], sides[second])
        for group, window in itertools.product(self.groups, _WITH_PEOPLE if len(self.names) <= _FEW * 3 else ()):
            sums, counts = _moving(self.values, group, window, 0)
            sums = np.where(counts == window, sums, np.nan)
            pairs = list(itertools.permutations(range(len(self.names)), 2))
            part, whole = ([own[at] for own in pairs] for at in (0, 1))
            texts = [f"{window} rows of {self.names[a]!r} divided by {self.names[b]!r}" for a, b in pairs]
            yield _Kind(texts, pairs, (sums[part] / self.values[whole]).reshape(len(pairs), self.values.shape[1]))
        for group, way in itertools.product(self.groups, (1, -1)):
            running = np.array([_running(own[::way], group[::way])[::way] for own in self.values])
            uses = [(at,) for at in range(len(self.names))]
            texts = [f"the running total of {name!r}" for name in self.names]
            yield _Kind(texts, uses, np.where(_varied(self.values)[:, None], running, np.nan), usual=[0] * len(uses))

    def _averages(self) -> Iterator[_Kind]:
        """Yield sums of windows along the rows that end, begin or are centered there, whole ones and cut ones too."""
        windows = [own for own in _WINDOWS if 3 * own <= 2 * self.values.shape[1]]
        if self.values.size * len(windows) * 6 > _MOST_NUMBERS:
            windows = [own for own in windows if own in (3, 5, 7, 12, 14)]
        uses = [(at,) for at in range(len(self.names))]
        for group in self.groups if windows else ():
            texts, usual, values = list[str](), list[float](), list[FloatArray]()
            for window, (place, after) in itertools.product(windows, _PLACES.items()):
                if window % 2 and place.endswith(")"):
                    continue  # an odd window has one middle
                sums, counts = _moving(self.values, group, window, after(window))
                values += [np.where(counts == window, sums, np.nan), sums / counts * window]
                texts += [f"the {place} average of {window} rows of {name!r}" for name in self.names] * 2
                usual += [1 / window] * (2 * len(uses))
            yield _Kind(texts, uses * (len(usual) // len(uses)), np.concatenate(values), usual=usual)


_PLACES: dict[str, Callable[[int], int]] = {  # rows of a window that come after its row
    "trailing": lambda _: 0,
    "centered": lambda window: window // 2,
    "centered (the later half)": lambda window: (window - 1) // 2,
    "leading": lambda window: window - 1,
}


def _constant(values: FloatArray) -> bool:
    return len(np.unique(values[np.isfinite(values)])) == 1


def _after(at: int, of: Sequence[int]) -> bool:
    """Whether a column may be made of others by its place: of two after both. A count may lie between its limits."""
    return len(of) != _PAIR or at > max(of)


def _moves(values: FloatArray) -> bool:
    """Whether the largest and the smallest of some columns are not the same two in nearly all rows."""
    known = values[:, np.isfinite(values).all(axis=0)]
    ends = (known.max(axis=0), known.min(axis=0)) if known.shape[1] else ()
    most = (1 - 1 / _ROWS_PER_OUTLIER) * known.shape[1]
    return any(np.all((known == end).sum(axis=1) < most) for end in ends)


def _compared(
    names: Sequence[Sequence[str]], uses: Sequence[tuple[int, ...]], first: FloatArray, second: FloatArray
) -> Iterator[_Kind]:
    """Yield what is computed of two numbers: their ratio, and differences without a sign where the sign varies."""
    gap = first - second
    few = np.isfinite(gap).sum(axis=1) / _ROWS_PER_OUTLIER
    both = np.flatnonzero(((gap > 0).sum(axis=1) > few) & ((gap < 0).sum(axis=1) > few))
    varied = np.flatnonzero(_varied(second))
    kinds: list[tuple[str, IntArray, FloatArray, bool]] = [
        ("{0} divided by {1}", varied, first / second, True),
        ("the share of {0} in {0} and {1}", varied, first / (first + second), True),
        ("the difference without a sign of {0} and {1}", both, np.abs(gap), False),
        ("the difference without a sign of {0} and {1} as a share of {1}", both, np.abs(gap) / second, False),
        (
            "the difference without a sign of {0} and {1} as a share of both",
            both,
            np.abs(gap) / (first + second),
            False,
        ),
    ]
    for words, rows, values, line in kinds:
        texts = [words.format(names[0][at], names[1][at]) for at in rows]
        yield _Kind(texts, [uses[at] for at in rows], values[rows], line)


def _varied(values: FloatArray | Sequence[FloatArray]) -> BoolArray:
    """Return which columns have more than a few different numbers."""
    return np.array([len(np.unique(own[np.isfinite(own)])) >= _FEWEST for own in values], dtype=bool)


def _ranks(values: FloatArray) -> FloatArray:
    """Return 1 for the smallest, and for others one more than how many are smaller; NaN for NaN."""
    known = np.sort(values[np.isfinite(values)])
    return np.where(np.isfinite(values), np.searchsorted(known, values) + 1.0, np.nan)


def _running(values: FloatArray, group: IntArray) -> FloatArray:
    sums = np.empty_like(values)
    for own in np.unique(group):
        sums[group == own] = np.cumsum(values[group == own])
    return sums


def _moving(values: FloatArray, group: IntArray, window: int, after: int) -> tuple[FloatArray, FloatArray]:
    """Return sums of windows of rows within their group, and of how many rows each is."""
    sums, counts = np.zeros_like(values), np.zeros(values.shape[1])
    rows = np.arange(values.shape[1])
    for shift in range(after - window + 1, after + 1):
        there = rows + shift
        inside = (there >= 0) & (there < len(rows))
        inside[inside] = group[there[inside]] == group[inside]
        sums[:, inside] += values[:, there[inside]]
        counts += inside
    return sums, counts


class _Target:
    """A column that may be computed: by which chance each of its numbers fits, next to the ``others``."""

    def __init__(self, whole: FloatArray, others: FloatArray) -> None:
        self.whole, self.others = whole, others
        self.unit = float(np.gcd.reduce(whole.astype(np.int64)))
        seen, times = np.unique(whole, return_counts=True)
        as_often = (times[np.searchsorted(seen, whole)] - 1) / max(len(whole) - 1, 1)
        within = self.unit / (np.ptp(whole) + self.unit)
        moved = max(float(np.median(np.abs(np.diff(whole)))), _EDGE)
        own = np.minimum(np.maximum(whole, self.unit), moved if len(whole) > _FEWEST else np.inf)
        near = (
            max((float(np.mean(np.abs(whole - own) <= self.unit)) for own in others), default=0.0)
            - 1 / _ROWS_PER_OUTLIER
        )
        poisson = self.unit / np.sqrt(2 * np.pi * own) / min(1.0, _spread(whole, others))
        self.digits = -np.log10(np.minimum(1, np.maximum(np.maximum(poisson, as_often), max(within, near))))
        self.most = float(self.digits.sum())
        order = np.unique(whole, return_index=True)[1][::-1]
        parts = np.array_split(np.arange(len(whole)), 1 + (len(whole) >= 2 * _FEW) + (len(whole) >= 3 * _FEW))
        parts = [np.arange(len(whole))[at :: len(parts)] for at in range(len(parts))] if len(parts) < 3 else parts
        few = min(max(len(whole) // 6, _FEW), 2 * _FEW)
        self.samples = [order[np.isin(order, part)][:few] for part in parts]

    def fits(self, kind: _Kind, used: Sequence[int], rows: IntArray) -> Iterator[tuple[float, str]]:
        """Yield the digits of evidence of each feature that fits, and its words."""
        features = kind.values[used][:, rows] if len(used) else np.zeros((0, len(rows)))
        for at in np.flatnonzero(self._may_fit(features, kind.line)).tolist():
            usual = kind.usual[used[at]] if kind.usual else math.nan
            fit = self._line(features[at], kind.same) if kind.line else self._multiple(features[at], usual)
            digits, way = fit
            yield digits, way + kind.words[used[at]]

    def of_all(self, columns: int) -> str:
        """Say whether the column is a weighted sum of all others; empty where it is not, or is a plain sum.

        An exact sum is one where weights are 1 or more and some are larger: a total has weights of 1.
        """
        known = np.isfinite(self.others).all(axis=0)
        sides = np.vstack([self.others[:, known], np.ones(int(known.sum()))]).T
        if not 1 < len(self.others) <= _FEW * 2 or len(sides) < sides.shape[1] + 2:
            return ""
        weights, _, rank, _ = np.linalg.lstsq(sides, self.whole[known], rcond=None)
        fitted = sides @ weights
        rest = np.abs(self.whole[known] - fitted)
        used = np.abs(weights[:-1][np.abs(weights[:-1]) > _EXACT])
        is_total = not used.size or used.min() < 1 - _EXACT or used.max() < 1 + _HALF
        is_exact, few = rest.max() < _EXACT * self.unit, len(sides) <= 2 * sides.shape[1]
        if rest.max() > self.unit or (is_total if is_exact else few):
            return ""
        chance = 10.0 ** -self.digits[known] * 2  # within a unit on both sides
        digits = np.sort(-np.log10(np.minimum(1, chance)))[: len(fitted) - int(rank)].sum()
        need = math.log10(columns / _CHANCE)
        return "a weighted sum of the other columns" if digits >= need else ""

    def _may_fit(self, features: FloatArray, line: bool) -> BoolArray:
        """Return which features fit in a few rows with large numbers."""
        may = np.zeros(len(features), dtype=bool)
        with np.errstate(divide="ignore", invalid="ignore"):
            for at in (own for own in self.samples if len(own) >= 2 + line):
                some, whole = features[:, at], self.whole[at]
                known = np.isfinite(some)
                enough = known.sum(axis=1) >= 2 + line
                pairs = list(itertools.combinations(range(len(at)), 2)) if line else [(own,) for own in range(len(at))]
                left, right = ([own[side] for own in pairs] for side in (0, -1))
                step = some[:, right] - some[:, left] if line else some
                move = whole[right] - whole[left] if line else whole
                ends = (move - (1 + line) * self.unit) / step, (move + (1 + line) * self.unit) / step
                low, high = np.minimum(*ends), np.maximum(*ends)
                skip = ~(known[:, left] & known[:, right]) | (step == 0)
                low, high = np.where(skip, -np.inf, low).max(axis=1), np.where(skip, np.inf, high).min(axis=1)
                fits = np.flatnonzero(enough & ~may & (low <= high + _EDGE * np.abs(high)))
                may[fits] = self._nearly(features[fits], (low[fits] + high[fits]) / 2, (high - low)[fits] / 2, line)
        return may

    def _nearly(self, features: FloatArray, constants: FloatArray, around: FloatArray, line: bool) -> BoolArray:
        """Return which features are near most numbers, with the constants that a few rows show."""
        rest = self.whole - constants[:, None] * features
        known: BoolArray = np.asarray(np.isfinite(rest), dtype=bool)
        if line and len(rest):
            rest = rest - np.nanmedian(np.where(known.any(axis=1, keepdims=True), rest, 0), axis=1)[:, None]
        near = np.abs(rest) <= 2 * self.unit + around[:, None] * np.abs(features)
        enough: BoolArray = (near & known).sum(axis=1) * _ROWS_PER_OUTLIER >= known.sum(axis=1) * (
            _ROWS_PER_OUTLIER - 1
        )
        return enough

    def _multiple(self, feature: FloatArray, usual: float) -> tuple[float, str]:
        """Return the digits for a multiple of a feature; 0 where too many rows do not fit, or it is a count."""
        known = np.isfinite(feature)
        whole, share, best = self.whole[known], feature[known], (0.0, "")
        positive = share > 0
        if positive.sum() < _FEWEST:
            return best
        for below, above in ROUNDED:
            low, high = whole - below * self.unit, whole + above * self.unit
            ends = (low[positive] / share[positive]) * (1 - _EDGE), (high[positive] / share[positive]) * (1 + _EDGE)
            starts, stops = np.sort(ends[0]), np.sort(ends[1])
            depth = np.searchsorted(starts, starts, "right") - np.searchsorted(stops, starts, "left")
            constant = float(starts[int(depth.argmax())])
            average = usual > 0 and np.sum((ends[0] <= usual) & (usual <= ends[1])) >= depth.max()
            constant = usual if average else constant
            fits = (low - _EDGE <= constant * share) & (constant * share <= high + _EDGE)
            least, greatest = (float(end[fits[positive]].max(initial=-np.inf)) for end in (ends[0], -ends[1]))
            ratios = whole[fits & positive] / share[fits & positive]
            exact = constant < 1 and bool(len(ratios)) and float(np.ptp(ratios)) <= _EXACT * constant
            if constant <= 0 or (usual == usual and (exact or least <= 1 <= -greatest)):
                continue  # a total, which is the average of parts that are there twice
            digits = self._digits(known, fits, share, 0 if average else 1)
            best = max(best, (digits, "" if average else "a multiple of "))
        return best

    def _line(self, feature: FloatArray, same: bool) -> tuple[float, str]:
        """Return the digits for a straight line through a feature; 0 where too many rows are not on one.

        ``same``: the line through a column itself is no multiple of it, rises, and gives the larger of the two.
        """
        known = np.isfinite(feature)
        whole, share = self.whole[known], feature[known]
        near = np.ones(len(whole), dtype=bool)
        slope = _middle_slope(whole, share)
        for _ in range(3):  # rows that are off the line are taken out
            gaps = whole - slope * share
            near = np.abs(gaps - np.median(gaps)) <= 1.5 * self.unit
            if near.sum() <= _FEWEST or np.ptp(share[near]) == 0:
                return 0.0, ""
            slope = float(np.polyfit(share[near], whole[near], 1)[0])
        low, high = _slopes(whole[near], share[near], self.unit)
        slope = min(max(slope, low), high)
        gaps = whole - slope * share
        middle = (gaps[near].max() + gaps[near].min()) / 2
        fits = np.abs(gaps - middle) <= self.unit / 2 + _EDGE * np.maximum(1, np.abs(whole))
        exact = np.ptp(gaps[fits]) < _EXACT * self.unit if fits.any() else False
        if low > high or (same and (slope <= 0 or (exact and slope < 1 - _EXACT) or (slope < _RISES and middle <= 0))):
            return 0.0, ""
        if same and _between(
            *((whole[fits] + end) / np.maximum(share[fits], _EDGE) for end in (-self.unit, self.unit))
        ):
            return 0.0, ""
        return self._digits(known, fits, share, 2), "a constant and a multiple of "

    def _digits(self, known: BoolArray, fits: BoolArray, share: FloatArray, free: int) -> float:
        """Return the digits of the rows that fit, each pair of numbers once, without those that show the constants."""
        outliers = int(len(fits) - fits.sum())
        if outliers * _ROWS_PER_OUTLIER > len(fits) or len(np.unique(share[fits])) < _FEWEST + (free > 1):
            return 0.0
        pairs, own = np.column_stack([self.whole[known], share])[fits], self.digits[known][fits]
        own = np.sort(own[np.unique(pairs, axis=0, return_index=True)[1]])
        return float(own[: len(own) - free].sum()) - math.log10(math.comb(len(fits), outliers))


def _middle_slope(whole: FloatArray, share: FloatArray) -> float:
    """Return the median slope between points that are half of all apart in their order; 0 for none."""
    order = np.argsort(share)
    half = len(order) // 2
    step, move = (
        share[order[half:]] - share[order[: len(order) - half]],
        whole[order[half:]] - whole[order[: len(order) - half]],
    )
    return float(np.median(move[step > 0] / step[step > 0])) if np.any(step > 0) else 0.0


def _between(low: FloatArray, high: FloatArray) -> bool:
    """Whether one number is between all ends."""
    return bool(low.max() <= high.min())


def _slopes(whole: FloatArray, share: FloatArray, unit: float) -> tuple[float, float]:
    """Return the ends of the slopes of lines that pass within half a unit of each point."""
    left, right = np.triu_indices(len(whole), 1)
    step, move = share[right] - share[left], whole[right] - whole[left]
    apart = step != 0
    if np.any(np.abs(move[~apart]) > unit):
        return 1.0, 0.0
    ends = (move[apart] - unit) / step[apart], (move[apart] + unit) / step[apart]
    return float(np.minimum(*ends).max()), float(np.maximum(*ends).min())


def _spread(whole: FloatArray, others: FloatArray) -> float:
    """Return how far a column is from the nearest multiple of another, where a Poisson count is 1 from its mean."""
    spreads = [1.0]
    for own in others:
        known = np.isfinite(own)
        if own[known].sum() > 0:
            near = whole[known].sum() / own[known].sum() * own[known]
            spreads.append(float(np.sqrt(np.mean((whole[known] - near) ** 2 / np.maximum(whole[known], 1)))))
    return max(min(spreads), _EDGE)
