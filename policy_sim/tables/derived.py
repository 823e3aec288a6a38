"""Columns of whole numbers that are a constant times one count divided by another, whatever the constant and rounding.

Each row says between which ends the constant lies, given how its number was rounded. That one constant fits nearly all
rows is the evidence. A row counts for the digits that say that it fits by no chance: neither as a count that varies
like a Poisson count around what is expected, nor as a number drawn from its own column.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from policy_sim.show.numbers import people
from policy_sim.tables.computed import Computed
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray

_CHANCE = 0.1  # columns of independent counts in a table that may be taken for derived
_EDGE, _PART = 1e-9, 0.5  # of a comparison; a count that may be a part of another is this share of it or more
MOST_COLUMNS = 100  # beyond which nothing is tried
_FEW = 4  # rows of each of two samples that are looked at first
_FEWEST = 4  # different counts, of each of which a column is the same multiple
_MOST_SUMS = 12  # columns, up to which sums of two columns and of neighbors are tried as parts and wholes
_MOST_PAIRED = 40  # columns, up to which products of two are tried
_ROWS_PER_OUTLIER = 6
_ROUNDED = (0.5, 0.5), (0.0, 1.0), (1.0, 0.0)  # units below and above a number: to the nearest, down, up
_USUAL = 100, 1_000, 10_000, 100_000, 1_000_000  # constants of percentages and rates
_NICE = 3 / math.log(10)  # round constants, 1, 2 and 5 times a power of ten, per factor of e
_RANGE = 10 * math.log(10)  # of constants that a column may have, as factors of e
_Formula = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]
_PAIRS: dict[str, _Formula] = {
    "the share of {0} in {1}": lambda part, whole, _: part / whole,
    "the share of {0} in {0} and {1}": lambda part, whole, _: part / (part + whole),
    "the share of {1} without {0} in {1}": lambda part, whole, _: (whole - part) / whole,
    "the change from {0} to {1} as a share of {0}": lambda part, whole, _: (whole - part) / part,
}
_SAME, _REST = "{0}", "the share of all but {0} in its total"
_ALONE: dict[str, _Formula] = {
    "the share of {0} in its total": lambda part, _, total: part / total,
    _REST: lambda part, _, total: 1 - part / total,
    _SAME: lambda part, *_: part,
}
_WAYS = 2 * len(_ROUNDED) * (len(_PAIRS) + len(_ALONE))


class _Fit(NamedTuple):
    """The digits of evidence, the rows that do not fit, and the ends of the constant that fits the others."""

    digits: float
    outliers: int
    least: float
    greatest: float


class _Side(NamedTuple):
    """A column of counts, or a sum of ``many``, in the rows that are looked at; ``total``: the sum of all its rows."""

    name: str
    values: FloatArray
    total: float
    many: int


def derived_columns(
    numbers: Mapping[str, FloatArray], among: Collection[str], totals: BoolArray, groups: Sequence[IntArray] = ()
) -> dict[str, str]:
    """Return which columns ``among`` all are derived from others, and how.

    ``numbers``: NaN where a number is hidden or missing; ``totals``: rows of totals. ``groups``: ways to cut the rows
    into lines of time, one by default. The last columns are looked at first, and what is derived is no part of another.
    """
    made = dict[str, str]()
    if not 2 <= len(numbers) <= MOST_COLUMNS:
        return made
    for name in [own for own in numbers if own in among]:
        if words := _multiple(numbers[name], {other: values for other, values in numbers.items() if other != name}):
            made[name] = words
    uncut = np.zeros(len(totals), dtype=np.int64)
    lines = [own[~totals] for own in groups if len(own) == len(totals)] or [uncut[~totals]]  # no labels, no groups
    computed = Computed({name: values[~totals] for name, values in numbers.items()}, lines)
    for name in [own for own in reversed(list(numbers)) if own in among and own not in made]:
        others = {other: values for other, values in numbers.items() if other != name and other not in made}
        words = _origin(numbers[name], others, len(among), totals) or computed.origin(name, made, len(among))
        if words:
            made[name] = words
    return {name: made[name] for name in numbers if name in made}


def _multiple(numbers: FloatArray, others: Mapping[str, FloatArray]) -> str:
    """Say of which column one is a whole multiple in every row, such as a cost of so much each; empty for none.

    >>> _multiple(np.array([500.0, 750, 1000, 250, 1500]), {"cases": np.array([2.0, 3, 4, 1, 6])})
    "250 times 'cases'"
    """
    for name, values in others.items():
        rows = np.flatnonzero(np.isfinite(numbers) & np.isfinite(values))
        if len(np.unique(values[rows][values[rows] > 0])) < _FEWEST:
            continue
        times = numbers[rows].max() / values[rows].max()
        if times >= 2 and times == np.rint(times) and np.array_equal(numbers[rows], times * values[rows]):
            return f"{int(times):,} times {name!r}"
    return _product(numbers, others)


def _product(numbers: FloatArray, others: Mapping[str, FloatArray]) -> str:
    """Say of which two columns one is the product in every row, such as a price times a count; empty for none.

    >>> price, sold = np.array([12.0, 15, 9, 11, 14]), np.array([20.0, 3, 41, 15, 8])
    >>> _product(price * sold, {"price": price, "sold": sold})
    "'price' times 'sold'"
    """
    names, values = list(others), np.array(list(others.values()))
    varied = [at for at, own in enumerate(values) if len(np.unique(own[np.isfinite(own)])) >= _FEWEST]
    if len(np.unique(numbers[numbers > 0])) < _FEWEST or len(varied) > _MOST_PAIRED:
        return ""
    for first, second in itertools.combinations(varied, 2):
        known = np.isfinite(numbers + values[first] + values[second])
        if known.sum() >= _FEWEST and np.array_equal((values[first] * values[second])[known], numbers[known]):
            return f"{names[first]!r} times {names[second]!r}"
    return ""


def _origin(numbers: FloatArray, others: Mapping[str, FloatArray], columns: int, totals: BoolArray) -> str:
    """Say what a column is derived from; empty for a column of counts."""
    rows = np.flatnonzero(~np.isnan(numbers) & ~totals)
    whole = numbers[rows]
    if len(np.unique(whole)) < 3 or not others:
        return ""
    with np.errstate(divide="ignore", invalid="ignore"):
        for sides in _sides(others, rows):
            if sides[-1].many > 1 and any(_near(whole, side.values) for side in sides):
                break  # of columns that are nearly the same many sums fit one another
            need = math.log10(_WAYS * columns * float(len(sides)) ** 2 / _CHANCE)
            found = [
                (fit.digits, words)
                for units in _units(whole)
                for kind, part, of in _candidates(whole, units, sides)
                if (fit := _fit(whole, units, kind, sides[part], sides[of])) and fit.digits >= need
                for words in [_words(kind, sides[part], sides[of], fit, len(rows))]
            ]
            if found:
                return max(found)[1]
    return ""


def _sides(columns: Mapping[str, FloatArray], rows: IntArray) -> Iterator[list[_Side]]:
    """Yield what may be divided by what: the columns, then their sums too, where they are few."""
    names, values, many = list(columns), np.array(list(columns.values())), range(len(columns))
    yield [_side([name], own, rows) for name, own in columns.items()]
    if not 2 < len(names) <= _MOST_SUMS:
        return
    neighbors = [tuple(range(start, end)) for start in many for end in range(start + 3, len(names) + 1)]
    chosen = [*((at,) for at in many), *itertools.combinations(many, 2), *neighbors]
    yield [_side([names[at] for at in of], values[list(of)].sum(axis=0), rows) for of in chosen]


def _side(names: list[str], values: FloatArray, rows: IntArray) -> _Side:
    total, largest = np.nansum(values), np.nanmax(values, initial=0)
    total = largest if 2 * largest == total else total
    return _Side(" and ".join(map(repr, names)), values[rows], float(total), len(names))


def _units(whole: FloatArray) -> list[FloatArray]:
    """Return the units in which numbers may be written: their common divisor, or their last significant digits."""
    common = np.full(len(whole), float(np.gcd.reduce(whole[whole > 0].astype(np.int64))))
    texts = [str(int(number)) for number in whole]
    most = max(len(text.rstrip("0")) for text in texts)
    last = np.maximum(common, [10.0 ** max(len(text) - most, 0) for text in texts])
    return [common] if np.all(last == common) else [common, last]


def _candidates(whole: FloatArray, units: FloatArray, sides: list[_Side]) -> Iterator[tuple[str, int, int]]:
    """Yield what fits one constant in a few rows with large numbers."""
    _, first = np.unique(whole, return_index=True)
    order = first[::-1][: 2 * _FEW]
    samples = [order[::2], order[1::2]] if len(order) == 2 * _FEW else [order]
    values, total = np.array([side.values for side in sides]), np.array([side.total for side in sides])[:, None, None]
    for kinds, end in ((_PAIRS, len(sides)), (_ALONE, 1)):
        for kind, formula in kinds.items():
            fits = np.zeros((len(sides), end), dtype=bool)
            for at in samples:
                share = formula(values[:, None, at], values[None, :end, at], total)
                low, high = (whole[at] - units[at]) / share, (whole[at] + units[at]) / share
                known = share == share
                ends = np.where(known, low, -np.inf).max(axis=2), np.where(known, high, np.inf).min(axis=2)
                fits |= (
                    (known.sum(axis=2) > 1) & np.all(~known | (share > 0), axis=2) & (ends[0] <= ends[1] * (1 + _EDGE))
                )
            for part, of in np.argwhere(fits).tolist():
                if part != of and np.ptp(sides[of].values) != 0 if kinds is _PAIRS else sides[part].many == 1:
                    yield kind, part, of


def _fit(whole: FloatArray, units: FloatArray, kind: str, part: _Side, of: _Side) -> _Fit | None:
    """Return the best fit of one constant to all rows; None where too many do not fit, or it means nothing."""
    formula = (_PAIRS | _ALONE)[kind]
    share = formula(part.values, of.values, np.array(part.total))
    known = np.isfinite(share)
    whole, units, share = whole[known], units[known], share[known]
    positive, best, wholes = share > 0, None, of.values[known]
    if not positive.any():
        return None
    varied = kind in _PAIRS and bool(wholes.max() >= wholes.min() / _PART)
    for below, above in _ROUNDED:
        low, high = whole - below * units, whole + above * units
        fits_zero = (share == 0) & (low <= 0) & (high >= 0)
        ends = np.maximum(low[positive], 0) / share[positive], high[positive] / share[positive]
        ends = ends[0] * (1 - _EDGE), ends[1] * (1 + _EDGE)
        starts, stops = np.sort(ends[0]), np.sort(ends[1])
        depth = np.searchsorted(starts, starts, "right") - np.searchsorted(stops, starts, "left")
        constant = starts[int(depth.argmax())]
        fits = (ends[0] <= constant) & (constant <= ends[1])
        outliers = len(whole) - int(fits.sum()) - int(fits_zero.sum())
        if outliers * _ROWS_PER_OUTLIER > len(whole) or fits.sum() < 3:
            continue
        least, greatest = float(ends[0][fits].max()), float(ends[1][fits].min())
        digits = _digits(whole[positive][fits], units[positive][fits], share[positive][fits], whole, varied)
        digits -= math.log10(math.comb(len(whole), outliers))
        fit = _Fit(digits + _niceness(least, greatest, whole / units), outliers, least, greatest)
        best = fit if best is None or fit.digits > best.digits else best
    return (
        best
        if best and not _is_part(kind, whole, best, part.total, *(side.values[known] for side in (part, of)))
        else None
    )


def _digits(whole: FloatArray, units: FloatArray, share: FloatArray, column: FloatArray, varied: bool) -> float:
    """Return the digits of evidence of the rows that fit, each pair of a number and a share once, without the largest.

    The largest number is left out: the constant is what fits it. Counts in steps vary as those behind them, unless they
    are divided by numbers that ``varied``, which no count follows.
    """
    _, once = np.unique(np.column_stack([whole, share]), axis=0, return_index=True)
    own, unit = whole[once], units[once]
    seen, times = np.unique(column, return_counts=True)
    as_often = (times[np.searchsorted(seen, own)] - 1) / max(len(column) - 1, 1)
    within = unit / (column.max() - column.min() + unit)
    poisson = np.sqrt((unit if varied else unit**2) / (2 * np.pi * np.maximum(own, _EDGE)))
    chance = np.minimum(1, np.maximum(poisson, np.maximum(as_often, within)))
    return float(-np.log10(np.delete(chance, int(own.argmax()))).sum())


def _niceness(least: float, greatest: float, units: FloatArray) -> float:
    """Return the digits that a round constant adds; 0 without one."""
    if not (nice := _nice(least, greatest)):
        return 0.0
    many = (len(_USUAL) / _RANGE if nice in _USUAL else _NICE) * math.log(greatest / least)
    return min(-math.log10(min(1.0, many)), math.log10(1 + units.max()))


def _nice(least: float, greatest: float) -> float:
    """Return the round number between two ends, 1, 2 or 5 times a power of ten; 0 for none."""
    if not 0 < least <= greatest < math.inf:
        return 0.0
    power = 10.0 ** math.floor(math.log10(greatest))
    round_numbers = (*_USUAL, *(times * power for times in (5, 2, 1)))
    return next((float(number) for number in round_numbers if least <= number <= greatest), 0.0)


def _is_part(kind: str, whole: FloatArray, fit: _Fit, total: float, *sides: FloatArray) -> bool:
    """Whether a column may be a part of another, nearly all or twice of it, and no round constant speaks against it."""
    nice = _nice(fit.least, fit.greatest)
    if kind in _ALONE:
        ends = (fit.least, fit.greatest) if kind == _SAME else (fit.least / total, fit.greatest / total)
        equal = kind != _REST and ends[0] <= 1 <= ends[1]
        return equal or (ends[1] >= _PART and ends[0] <= 1 / _PART and not (nice and kind != _SAME))
    return not nice and any(_near(whole, side) for side in sides)


def _near(whole: FloatArray, side: FloatArray) -> bool:
    """Whether each number is between half and twice of another."""
    return bool(np.all((whole >= _PART * side) & (whole <= side / _PART)))


def _words(kind: str, part: _Side, of: _Side, fit: _Fit, rows: int) -> str:
    constant = _nice(fit.least, fit.greatest)
    times = people(constant) if constant else f"about {people((fit.least + fit.greatest) / 2)}"
    where = f"{rows - fit.outliers:,} of {rows:,} rows" if fit.outliers else "each row"
    return f"{times} times {kind.format(part.name, of.name)} in {where}"
