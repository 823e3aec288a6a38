"""What an outsider computes from columns to join the rows of a person: differences, quotients, stems and chains."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations, product
from operator import itemgetter

import numpy as np

from policy_sim.records.dates import read_dates
from policy_sim.release.attack.chains import chains
from policy_sim.release.attack.joined import Joined, joined_by
from policy_sim.release.attack.written import WrittenColumn
from policy_sim.words.arrays import AnyIntArray, BoolArray, FloatArray, IntArray

_FEWEST, _COLUMNS = 20, 20  # different values of a column that is tried, and columns of which each two are
_LOOKED_AT = 1_000  # people of several rows, drawn, of whom two rows are compared first
_SAME, _MORE = 0.8, 0.1  # of them have one value, and of them do although their rows differ in the columns
_IN_BLOCKS, _FEWEST_IN_BLOCKS = 0.5, 10  # of the people of several rows; a drawn order has hardly any such people
_EXACT = 1e-7  # numbers that differ by no more are the same
_STRANGERS, _DRAWS = 0.2, 3  # of pairs of strangers may be as near as the rows of most people; drawings of such pairs
_BINS = 3.0  # times this width, numbers count as one
_POWERS = (1.0, 2.0, 0.5)  # of one number in a quotient, as the square of a height in a body mass index
_IN_DAYS = (1 / 86_400, 1 / 1_440, 1 / 24, 1.0, 7.0, 30.4375, 365.25)  # units of time
_CLOCKS = tuple(sorted({one / other for one, other in product(_IN_DAYS, _IN_DAYS)}))
_CLOCK = 0.05  # of a ratio of units: a slope that differs by no more is it
_HALF = 0.5  # of the texts of a column are numbers or dates
_NEARLY = 0.8  # of the texts of a column are different, or are texts of another one too
_NUMBER = re.compile(r"-?\$?(\d{1,15}|\d{1,3}(,\d{3}){1,4}|(?=\.\d))(\.\d*)?%?", re.ASCII)
_SIGNS = str.maketrans("", "", "$,%")
_CUTS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("beginning", partial(re.compile(r"[\W_]+[^\W_]+$").sub, "")),
    ("end", partial(re.compile(r"^[^\W_]+[\W_]+").sub, "")),
    *(("beginning", itemgetter(slice(-signs))) for signs in (1, 2, 3)),
)


def joined_of(columns: Sequence[WrittenColumn], people: IntArray, *, in_order: bool) -> Joined:
    """Return the columns that join the rows of the most people, with what an outsider computes from them.

    ``people`` has a number for the person of each row; shape (rows,). Where the rows are ``in_order``, their order may
    join them: it does if those of most people are next to one another.
    """
    codes = {column.name: column.codes for column in columns}
    best = joined_by(codes | derived(columns, people), people)
    blocks = _blocks(people) if in_order else Joined()
    return blocks if blocks.people > max(best.people, _IN_BLOCKS * blocks.several) else best


def _blocks(people: IntArray) -> Joined:
    """Return for how many people of several rows these are next to one another; nobody where few have several.

    >>> _blocks(np.repeat(np.arange(12), 2))
    Joined(columns=('the order of the rows',), people=12, several=12)
    """
    whose = np.unique(people, return_inverse=True)[1].reshape(-1)
    rows = np.bincount(whose)
    begins = np.bincount(whose[np.r_[True, np.diff(whose) != 0]], minlength=len(rows))
    several = rows > 1
    if several.sum() < _FEWEST_IN_BLOCKS:
        return Joined()
    return Joined(("the order of the rows",), int((several & (begins == 1)).sum()), int(several.sum()))


def derived(columns: Sequence[WrittenColumn], people: IntArray) -> dict[str, AnyIntArray]:
    """Return by name a code of each row, from 0 on, for what is the same in the rows of most people of several rows.

    Tried are the difference, sum, quotient and product of two columns of numbers or dates, of one times a number or to
    a power too, exact or rounded; what a number has in front of its last part or its last one to three signs, or after
    its first part; and the chain of the rows in which a text of one column is the only one of another.
    """
    pairs = _Pairs.of(people)
    if not len(pairs.first):
        return {}
    tried = sorted((c for c in columns if len(c.texts) >= _FEWEST), key=lambda column: -len(column.texts))
    tried = [column for column in tried if (~pairs.alike(column.codes)).mean() > _MORE][:_COLUMNS]
    chained = _chained(tried, people, pairs)
    return dict([*_together(tried, pairs), *_stems(tried, pairs), *_chains(tried, pairs), *chained])


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Two rows of each of some people: the first and the last."""

    first: IntArray
    last: IntArray

    @classmethod
    def of(cls, people: IntArray) -> _Pairs:
        order = np.argsort(people, kind="stable")
        begins = np.flatnonzero(np.r_[True, np.diff(people[order]) != 0])
        ends = np.r_[begins[1:], len(order)] - 1
        several = np.flatnonzero(ends > begins)
        if len(several) > _LOOKED_AT:
            several = np.random.default_rng(0).choice(several, _LOOKED_AT, replace=False)
        return cls(order[begins[several]].astype(np.int64), order[ends[several]].astype(np.int64))

    @property
    def rows(self) -> IntArray:
        """Both rows of each."""
        return np.concatenate([self.first, self.last])

    def alike(self, codes: AnyIntArray) -> BoolArray:
        """Tell for whom both rows have one code."""
        return np.asarray(codes[self.first] == codes[self.last], dtype=np.bool_)

    def joins(self, same: BoolArray, columns: Sequence[WrittenColumn]) -> bool:
        """Tell whether what is computed is the same for most people without a blank, although the columns differ."""
        filled = np.all([(column.codes[self.first] > 0) & (column.codes[self.last] > 0) for column in columns], axis=0)
        return self.joins_some(same, columns) and int(same.sum()) >= _SAME * int(filled.sum())

    def joins_some(self, same: BoolArray, columns: Sequence[WrittenColumn]) -> bool:
        """Tell whether what is computed is the same for enough people, although the columns differ."""
        of_columns = np.all([self.alike(column.codes) for column in columns], axis=0)
        return float((same & ~of_columns).mean()) > _MORE

    def moved(self, values: FloatArray) -> FloatArray:
        """Return how far a number of both rows (:attr:`rows`) moved from the first to the last; NaN without one."""
        return values[len(self.first) :] - values[: len(self.first)]

    def filled(self, values: FloatArray) -> int:
        """Return how many people have a number in both rows."""
        return int(np.isfinite(self.moved(values)).sum())

    def near(self, values: FloatArray) -> tuple[float, float]:
        """Return within which width the numbers of eight in ten people are, and the share of strangers within it."""
        moved = np.abs(self.moved(values))
        moved = moved[moved < np.inf]  # without NaN
        if not len(moved):
            return np.inf, 1.0
        at = math.ceil(_SAME * (len(moved) - 1))
        width = float(np.partition(moved, at)[at])
        apart = np.abs(values[: len(self.first)] - values[len(self.first) :][self._strangers])
        return width, float((apart <= max(width, _EXACT)).sum() / max(1, (apart < np.inf).sum()))

    @cached_property
    def _strangers(self) -> IntArray:
        """For each person the place of somebody drawn, several times; shape (drawings, people)."""
        rng = np.random.default_rng(0)
        return np.array([rng.permutation(len(self.first)) for _ in range(_DRAWS)], dtype=np.int64)


def _together(columns: Sequence[WrittenColumn], pairs: _Pairs) -> Iterator[tuple[str, AnyIntArray]]:
    """Yield what two columns of numbers or dates say together, at most 20: those that tell the most people apart."""
    looked = {column.name: numbers for column in columns if (numbers := _numbers(column, pairs.rows)) is not None}
    numeric = [column for column in columns if column.name in looked]
    alone = {name: pairs.near(numbers) for name, numbers in looked.items()}
    found: list[tuple[float, _Both]] = []
    for both in combinations(numeric, 2):
        one, other = sorted(both, key=lambda column: -alone[column.name][0])  # the one that moves more comes first
        x, y = looked[one.name], looked[other.name]
        tried: list[tuple[float, _Both]] = []
        for way in _ways(x, y, pairs):
            values = way(x, y)
            width, strangers = pairs.near(values)
            exact = width <= _EXACT and pairs.joins(np.abs(pairs.moved(values)) <= _EXACT, (one, other))
            near = strangers <= min(_STRANGERS, alone[one.name][1] / 2, alone[other.name][1] / 2)
            if (exact and strangers < 1) or (near and pairs.filled(values) >= _FEWEST):
                tried.append((strangers, _Both(one, other, way, 0.0 if width <= _EXACT else _BINS * width)))
        found += [min(tried, key=itemgetter(0))] if tried else []
    for _, best in sorted(found, key=itemgetter(0))[:_COLUMNS]:
        yield str(best), best.codes()


@dataclass(frozen=True)
class _Way:
    """How one number is made of two: ``x - times * y``, or ``x / y ** power``."""

    times: float = 0.0
    power: float = 0.0

    def __call__(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Return the number, or its logarithm; NaN where there is none."""
        if not self.power:
            return x - self.times * y
        with np.errstate(divide="ignore", invalid="ignore"):
            values = np.log(x) - self.power * np.log(y)
        return np.where(np.isfinite(values), values, np.nan)

    def named(self, x: str, y: str) -> str:
        """Name it.

        >>> _Way(times=1).named("day", "since"), _Way(times=-7).named("day", "week"), _Way(power=2).named("kg", "m")
        ('day minus since', 'day plus 7 times week', 'kg divided by m to the power 2')
        """
        number, word = (self.power, "divided by") if self.power else (self.times, "minus")
        if number < 0:
            word = "times" if self.power else "plus"
        size, short = abs(number), round(float(abs(number)), 2)
        text = str(int(short) if short.is_integer() else short)
        if self.power:
            return f"{x} {word} {y}" + ("" if size == 1 else f" to the power {text}")
        return f"{x} {word} " + (y if size == 1 else f"{text} times {y}")


@dataclass(frozen=True, eq=False)
class _Both:
    """Two columns and what they say together; numbers within a ``width`` count as one, where they are rounded."""

    one: WrittenColumn
    other: WrittenColumn
    way: _Way
    width: float

    def __str__(self) -> str:
        """Name it."""
        return self.way.named(self.one.name, self.other.name) + (" (rounded)" if self.width else "")

    def codes(self) -> AnyIntArray:
        """Return a code of each row, from 0 on; that of an unknown number is the last."""
        numbers = [_numbers(column, np.arange(len(column.codes))) for column in (self.one, self.other)]
        x, y = (np.full(len(self.one.codes), np.nan) if number is None else number for number in numbers)
        values = self.way(x, y)
        whole = np.floor(values / self.width) if self.width else np.round(values / _EXACT / 10)
        numbered: IntArray = np.unique(whole, return_inverse=True)[1].reshape(-1).astype(np.int64)
        return numbered


def _ways(x: FloatArray, y: FloatArray, pairs: _Pairs) -> Iterator[_Way]:
    """Yield the ways to make one number of two that are tried: sums, what one moves with the other, and quotients."""
    times = _times(x, y, pairs)
    yield from map(_Way, dict.fromkeys((1.0, -1.0, *times)))
    both = np.isfinite(x) & np.isfinite(y) & (x != 0) & (y != 0)
    moved = pairs.moved(np.where(both, 1.0, np.nan))
    positive = (x > 0) & (y > 0)
    if np.isfinite(moved).sum() >= _FEWEST and positive.sum() >= _NEARLY * both.sum():
        yield from (_Way(power=sign * power) for power in _POWERS for sign in (1, -1))


def _times(x: FloatArray, y: FloatArray, pairs: _Pairs) -> tuple[float, ...]:
    """Return how many times as far one number moves as the other between two rows of a person; none where it does not.

    It is the slope of the least absolute deviations through 0. One near the ratio of two units of time is that ratio.
    """
    dx, dy = pairs.moved(x), pairs.moved(y)
    moves = np.isfinite(dx) & np.isfinite(dy) & (dy != 0)
    if moves.sum() < max(_FEWEST, len(dx) / 2):
        return ()
    slopes, weights = dx[moves] / dy[moves], np.abs(dy[moves])
    order = np.argsort(slopes)
    middle = int(np.searchsorted(np.cumsum(weights[order]), weights.sum() / 2))
    slope = float(slopes[order][min(middle, len(order) - 1)])
    clocks = [ratio for ratio in _CLOCKS if abs(abs(slope) - ratio) <= _CLOCK * ratio]
    if clocks:
        nearest = min(clocks, key=lambda ratio: abs(abs(slope) - ratio))
        return (float(np.copysign(nearest, slope)),)
    return (slope,) if slope else ()


def _chained(columns: Sequence[WrittenColumn], people: IntArray, pairs: _Pairs) -> Iterator[tuple[str, AnyIntArray]]:
    """Yield the rows that follow from one another by several columns, or by a sum or difference of two."""
    rows, named = np.flatnonzero(np.isin(people, people[pairs.first])), {column.name: column for column in columns}
    numbers = {name: of for name, column in named.items() if (of := _numbers(column, rows)) is not None}

    def whole(name: str) -> FloatArray:
        of = _numbers(named[name], np.arange(len(people)))
        return np.full(len(people), np.nan) if of is None else of

    for chain in chains(numbers, people[rows], whole):
        if pairs.joins_some(pairs.alike(chain.codes), [named[name] for name in chain.columns]):
            yield str(chain), chain.codes


def _numbers(column: WrittenColumn, rows: IntArray) -> FloatArray | None:
    """Return the number of some rows, or the days of their dates, NaN without one; None where most have neither."""
    used, place = np.unique(column.codes[rows], return_inverse=True)
    texts = [column.texts[at - 1].strip() if at else "" for at in used.tolist()]
    numbers = np.array([_number(text) for text in texts], dtype=np.float64)
    if np.isfinite(numbers).sum() < max(_FEWEST, _HALF * len(numbers)):
        dates = read_dates(column.name, texts)[0]
        numbers = np.array([np.nan if date is None else date.toordinal() for date in dates], dtype=np.float64)
    return numbers[place.reshape(-1)] if np.isfinite(numbers).sum() >= max(_FEWEST, _HALF * len(numbers)) else None


def _number(text: str) -> float:
    """Return the number that a text is; NaN where it is none.

    >>> [_number(text) for text in ("6,747.39", "$1,200", "-.5", "12%", "1,2", "E11")]
    [6747.39, 1200.0, -0.5, 12.0, nan, nan]
    """
    return float(text.translate(_SIGNS)) if _NUMBER.fullmatch(text) else np.nan


def _stems(columns: Sequence[WrittenColumn], pairs: _Pairs) -> Iterator[tuple[str, AnyIntArray]]:
    """Yield what the numbers or codes of rows have in front of their last part or signs, or after their first part."""
    for column in columns:
        if len(column.texts) < _NEARLY * len(column.codes):
            continue
        looked = np.unique(column.codes[pairs.rows])
        for part, cut in _CUTS:
            few = _coded(column, looked[looked > 0], cut)
            if int(few.max()) > 1 and pairs.joins(pairs.alike(few[column.codes]), (column,)):
                yield (
                    f"the {part} of {column.name}",
                    _coded(column, np.arange(1, len(column.texts) + 1), cut)[column.codes],
                )
                break


def _coded(column: WrittenColumn, codes: AnyIntArray, cut: Callable[[str], str]) -> IntArray:
    """Return a number from 1 for the part of each of some texts, and 0 for the others and for none."""
    place: dict[str, int] = {}
    of_texts = np.zeros(len(column.texts) + 1, dtype=np.int64)
    of_texts[codes] = [place.setdefault(cut(column.texts[at - 1].strip()), len(place) + 1) for at in codes.tolist()]
    return of_texts


def _chains(columns: Sequence[WrittenColumn], pairs: _Pairs) -> Iterator[tuple[str, AnyIntArray]]:
    """Yield the rows that follow from one another, as where each has the time of the one before."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    by_text = {
        one.name: {text: at for at, text in enumerate(one.texts, 1) if one.records[at - 1] == 1}
        for one in columns
        if len(one.texts) >= _NEARLY * len(one.codes)
    }
    for one, other in product(columns, columns):
        only = by_text.get(one.name, {})
        if one is other or np.mean([text in only for text in other.texts[:_LOOKED_AT]]) < _NEARLY / 4:  # to be quick
            continue
        there = np.array([0, *(only.get(text, 0) for text in other.texts)], dtype=np.int64)
        if (there[1:] > 0).mean() < _NEARLY / 2:
            continue
        row_of = np.full(len(one.texts) + 1, -1, dtype=np.int64)
        row_of[one.codes] = np.arange(len(one.codes))
        leads = there[other.codes]
        at = np.flatnonzero(leads > 0)
        links = (np.ones(len(at), dtype=np.int8), (at, row_of[leads[at]]))
        codes = connected_components(coo_array(links, shape=(len(one.codes),) * 2), directed=False)[1]
        is_one = int(np.bincount(codes).max()) > _MORE * len(codes)  # numbers that meet by chance
        if not is_one and pairs.joins(pairs.alike(codes), (one, other)):
            yield f"the chain of {other.name} and {one.name}", codes.astype(np.int64)
