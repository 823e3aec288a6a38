"""What a reader derives who has nothing but the published files.

This module reads the files itself and imports no other module of its room. Numbers that hold together in all that is
shown are a relation, whatever their labels say. Every verdict on a table is built from the :class:`Report`.
"""

from __future__ import annotations

import itertools
import math
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from policy_sim.formulas.equations import Equation, Equations, Lag, lags
from policy_sim.formulas.shown_ratios import CHANGE, OF_BOTH, OF_PLACE, UNKNOWN, Rates, Ratio
from policy_sim.formulas.stocks import stocks
from policy_sim.formulas.whole_ranges import ContradictionError, Ranges, Rule
from policy_sim.records.published import (
    IN_LABEL,
    Knowledge,
    Place,
    PublishedNumbers,
    PublishedTable,
    equation_words,
    label_numbers,
    note_counts,
    says_change,
    says_rate,
    stated_counts,
    states_rate,
    words_of,
)
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.errors import InputError

_MOST_SPACES, _MOST_RATES = 60, 40
_FILLED = 12  # terms, up to which the numbers of an equation are written
_NOTHING = Knowledge()
_Labels = tuple[str, ...]


@dataclass(frozen=True)
class Found:
    """An equation that holds in all the numbers shown.

    ``confirmed``: places that show all of its numbers; ``relations``: places that have a hidden one.
    """

    words: str
    confirmed: int
    coincidence: bool = False
    relations: int = 0


@dataclass(frozen=True)
class Derived:
    """A hidden count, and which values fit all that is published; ``greatest`` is None where nothing limits it.

    ``exact``: both ends are those of tables that fit, not of those seen in time. ``stated``: a text says the count.
    """

    place: Place
    name: tuple[str, ...]
    least: int
    greatest: int | None
    exact: bool
    because: str = ""
    stated: bool = False

    @property
    def follows(self) -> bool:
        """Whether one value alone fits, or a text says it."""
        return self.stated or (self.exact and self.least == self.greatest)


@dataclass(frozen=True)
class Report:
    """What an attacker tried on published files, what it found, and what it could not try.

    ``open``: what may give a count away and was not resolved. ``relations``: how many equations have a hidden count.
    """

    visible: int
    tried: tuple[str, ...]
    findings: tuple[Found, ...]
    not_tried: tuple[str, ...]
    derived: tuple[Derived, ...]
    open: tuple[str, ...] = ()
    relations: int = 0
    hidden: int = 0
    equations: tuple[tuple[tuple[tuple[int, Place], ...], str], ...] = ()  # sums of coefficient times number that are 0
    stating: tuple[str, ...] = ()  # labels whose numbers are counts


def attack(
    published: Mapping[str, bytes],
    knowledge: Knowledge = _NOTHING,
    targets: Mapping[Place, tuple[int, int] | None] | None = None,
    hints: Sequence[Mapping[Place, int]] = (),
    seconds: float = 60.0,
) -> Report:
    """Derive every hidden count of published files (name -> content), from these files alone.

    ``targets``: the counts to derive, all by default, with the ends that a promise needs: the search for a count stops
    where tables that fit reach both (None: where two differ). ``hints``: such tables, perhaps; each is checked.
    """
    reading = PublishedNumbers(published, knowledge)
    finder = _Finder(reading)
    finder.find()
    return _Solver(reading, finder, knowledge).report(targets, hints, seconds)


class _Space(NamedTuple):
    """Numbers by vectors and places: a way to look at one table, or at several that share labels."""

    vectors: list[tuple[str, ...]]
    places: list[tuple[str, ...]]
    ids: IntArray  # -1 where there is no number


def _space(cells: Mapping[tuple[str, ...], int], at: Sequence[int]) -> _Space:
    """Arrange cells with the labels of some dimensions as places, and those of the others as vectors."""
    size = len(next(iter(cells)))
    rest = [own for own in range(size) if own not in at]
    sides = [_parts_of(cells, rest), _parts_of(cells, at)]
    vectors, places = (list(dict.fromkeys(own)) for own in sides)
    ids = np.full((len(vectors), len(places)), -1, dtype=np.int64)
    rows, columns = (dict(zip(names, range(len(names)), strict=True)) for names in (vectors, places))
    ids[[rows[own] for own in sides[0]], [columns[own] for own in sides[1]]] = list(cells.values())
    return _Space(vectors, places, ids)


def _parts_of(keys: Iterable[_Labels], at: Sequence[int]) -> list[_Labels]:
    """Return some labels of each key."""
    return [(key[at[0]],) for key in keys] if len(at) == 1 else [tuple([key[own] for own in at]) for key in keys]


class _Finder:
    """The relations of the files: sums as coefficients of numbers, and rates as limits on sums."""

    def __init__(self, reading: PublishedNumbers) -> None:
        self.reading = reading
        self.values = np.array([item.value for item in reading.numbers], dtype=np.float64)
        self.step = np.array([item.step for item in reading.numbers], dtype=np.float64)
        self.findings: dict[str, tuple[int, float]] = {}  # equation -> places that confirm it, and the chance
        self.sums: dict[tuple[tuple[int, int], ...], str] = {}
        self.limits: list[tuple[dict[int, Fraction], Fraction | None, Fraction | None, str]] = []
        self.explained: set[int] = set()  # numbers that are rates of known counts
        self.tried: dict[str, None] = {}
        self.skipped: dict[str, None] = {}

    def find(self) -> None:
        """Look at each table, at tables of one kind as one, and at each two that share labels."""
        sheets = self.reading.sheets
        for sheet in sheets:
            self._sheet(sheet.cells, 0, sheet.name)
        alike = defaultdict[tuple[str, ...], list[PublishedTable]](list)
        for sheet in sheets:
            alike[sheet.dims].append(sheet)
        for own in alike.values():
            if len(own) > 1:
                cells = {(item.name, *key): at for item in own for key, at in item.cells.items()}
                self._sheet(cells, 1, "tables of one layout")
        for item, other in itertools.combinations(sheets, 2):
            if item.dims != other.dims and item.name != other.name:
                self._linked(item, other)

    def _sheet(self, cells: dict[tuple[str, ...], int], first: int, name: str) -> None:
        """Look at a table with every choice of its dimensions, from the ``first`` on, as places."""
        if not cells:
            return
        self.tried[f"{name}: sums, differences and rates between its {len(cells):,} numbers"] = None
        size = len(next(iter(cells)))
        varied = [at for at in range(size) if at < first or len({key[at] for key in cells}) > 1]
        cells = {tuple(key[at] for at in varied): number for key, number in cells.items()}
        dims = range(first, len(varied))
        if len(varied) < 2:
            self._look(_Space(list(cells), [()], np.array([list(cells.values())], dtype=np.int64).T))
            return
        chosen = [at for many in range(len(dims), 0, -1) for at in itertools.combinations(dims, many)]
        for at in chosen[:_MOST_SPACES]:
            if len(at) < len(varied):
                self._look(_space(cells, at))
        self._lags(cells)

    def _linked(self, item: PublishedTable, other: PublishedTable) -> None:
        """Look at two tables together, by the dimensions whose labels they share."""
        pairs = [
            (a, b)
            for a, b in itertools.product(range(len(item.dims)), range(len(other.dims)))
            if self._same(item, a, other, b)
        ]
        mine, theirs = dict[int, int](), set[int]()
        for a, b in pairs:
            if a not in mine and b not in theirs:
                mine[a] = b
                theirs.add(b)
        for many in range(1, len(mine) + 1):
            for at in itertools.combinations(mine, many):
                self._look(self._joined(item, at, other, [mine[own] for own in at]))
        if mine:
            self.tried[f"{item.name} with {other.name}"] = None

    def _same(self, item: PublishedTable, a: int, other: PublishedTable, b: int) -> bool:
        left, right = ({key[at].casefold() for key in of.cells} for of, at in ((item, a), (other, b)))
        return len(left & right) > 1 and len(left & right) * 2 >= min(len(left), len(right))

    def _joined(self, item: PublishedTable, at: Sequence[int], other: PublishedTable, also: Sequence[int]) -> _Space:
        first = _space({(*(label.casefold() for label in key),): n for key, n in item.cells.items()}, at)
        second = _space({(*(label.casefold() for label in key),): n for key, n in other.cells.items()}, also)
        shared = [own for own in first.places if own in set(second.places)]
        ids = [part.ids[:, [part.places.index(own) for own in shared]] for part in (first, second)]
        names = [(item.name, *own) for own in first.vectors] + [(other.name, *own) for own in second.vectors]
        return _Space(names, shared, np.concatenate(ids) if shared else np.zeros((0, 0), dtype=np.int64))

    def _matrix(self, ids: IntArray, of: FloatArray) -> FloatArray:
        matrix: FloatArray = np.where(ids >= 0, of[ids] if len(of) else np.nan, np.nan)
        return matrix

    def _look(self, space: _Space) -> None:
        if len(space.vectors) < 2 or not len(space.places):
            return
        present = space.ids >= 0
        rate = present & (self._matrix(space.ids, self.step) > 0)
        whole = present & ~rate
        remaining = np.flatnonzero(whole.any(axis=1))
        values = self._matrix(space.ids, self.values)
        totals = [
            own
            for own, at in enumerate(remaining)
            if len(space.vectors[at]) == 1 and self.reading.is_total(space.vectors[at][0])
        ]
        equations = Equations(np.where(whole, values, np.nan)[remaining], whole[remaining], totals)
        for item in equations.all():
            self._instances(space, remaining, item)
        self.skipped |= dict.fromkeys(equations.skipped)
        if rate.any() and len(space.vectors) <= _MOST_RATES:
            self._rates(space, values, rate)

    def _instances(self, space: _Space, remaining: IntArray, item: Equation) -> None:
        words = equation_words([(sign, words_of(space.vectors[remaining[at]])) for at, sign in item.coefficients])
        new = False
        for place in range(len(space.places)):
            terms = [(int(space.ids[remaining[at], place]), sign) for at, sign in item.coefficients]
            in_place = [(number, sign) for number, sign in terms if number >= 0 and not self.step[number]]
            signs = {sign > 0 for _, sign in in_place}
            if len(in_place) == len(terms) or (item.partial and len(signs) == 2 and len(in_place) > 1):
                new = self._add(in_place, words) or new
        if new:
            self._note(words, item.confirmed, item.chance)

    def _note(self, words: str, confirmed: int, chance: float) -> None:
        before = self.findings.get(words, (0, 1.0))
        self.findings[words] = max(before[0], confirmed), min(before[1], chance)

    def _add(self, terms: Collection[tuple[int, int]], words: str) -> bool:
        """Add an equation of numbers; return whether it is new."""
        key = tuple(sorted(terms))
        new = bool(key) and key not in self.sums and len({number for number, _ in key}) == len(key)
        if new:
            self.sums[key] = words
        return new

    def _lags(self, cells: dict[tuple[str, ...], int]) -> None:
        """Look for running totals, changes and moving sums along each dimension, between the labels of another."""
        size = len(next(iter(cells)))
        names = [list(dict.fromkeys(key[at] for key in cells)) for at in range(size)]
        for time_at, of in itertools.permutations(range(size), 2):
            if len(names[time_at]) < 3 or not 1 < len(names[of]) <= _MOST_RATES:
                continue
            keys, free = self._along(cells, time_at, of)
            keys = [key for key in keys if not self.step[cells[key]]]
            apart = _parts_of(keys, free)
            rest = {label: own for own, label in enumerate(dict.fromkeys(apart))}
            ids = np.full((len(names[of]), len(names[time_at]), len(rest)), -1, dtype=np.int64)
            places = [{label: own for own, label in enumerate(labels)} for labels in names]
            at = [places[of][key[of]] for key in keys], [places[time_at][key[time_at]] for key in keys]
            ids[*at, [rest[label] for label in apart]] = [cells[key] for key in keys]
            for way, order in (("", ids), (" from the last on", ids[:, ::-1])):
                for lag in lags(self._matrix(order, self.values)):
                    self._lagged(lag, order, names[of], way)
            for stock in stocks(self._matrix(ids, self.values)):
                words = stock.words(names[of])
                self._note(words, stock.confirmed, stock.chance)
                for terms in stock.equations(ids):
                    self._add(terms, words)

    def _along(self, cells: Mapping[_Labels, int], time_at: int, of: int) -> tuple[list[_Labels], list[int]]:
        """Return the cells along a dimension, and what else tells lines apart: no date of a week, nor its month."""
        free = [at for at in range(len(next(iter(cells)))) if at not in (time_at, of)]
        labels = {label for label in {key[time_at] for key in cells} if not self.reading.is_total(label)}
        inner = [key for key in cells if key[time_at] in labels]
        apart = [at for at in free if len({(key[time_at], key[at]) for key in inner}) > len(labels)]
        return (list(cells), free) if apart == free else (inner, apart)

    def _lagged(self, lag: Lag, ids: IntArray, names: list[str], way: str) -> None:
        total, part, window = lag.total, lag.part, lag.window
        kind = f"the sum of the last {window} of" if window else "running total of"
        words = f"{names[total]} = {kind} {names[part]}{way}"
        self._note(words, lag.confirmed, lag.chance)
        for at, other in itertools.product(range(max(window, 2) - 1, ids.shape[1]), range(ids.shape[2])):
            if window:
                terms = [(int(ids[total, at, other]), 1)]
                terms += [(int(ids[part, at - back, other]), -1) for back in range(window)]
            else:
                terms = [(int(ids[total, at, other]), 1), (int(ids[total, at - 1, other]), -1)]
                terms += [(int(ids[part, at, other]), -1)]
            if all(number >= 0 for number, _ in terms):
                self._add(terms, words)
        if not window:
            self._begun(ids[total], ids[part], words)

    def _begun(self, totals: IntArray, parts: IntArray, words: str) -> None:
        """Take a running total to begin in the first place, unless a line that is shown so far says otherwise."""
        gaps = self._matrix(totals, self.values) - np.cumsum(self._matrix(parts, self.values), axis=0)
        if not np.any(~np.isnan(gaps) & (gaps != 0)):
            for a, b in zip(totals[0].tolist(), parts[0].tolist(), strict=True):
                self._add([(a, 1), (b, -1)] if min(a, b) >= 0 else [], words)

    def _rates(self, space: _Space, values: FloatArray, rate: np.ndarray) -> None:
        """Find what the rates are made of, and take them as limits on the counts."""
        vectors = np.flatnonzero(rate.any(axis=1))
        counts = np.flatnonzero((~rate & (space.ids >= 0)).any(axis=1) & ~rate.any(axis=1))
        named = [int(at) for at in vectors if any(map(says_rate, space.vectors[at]))]
        last = len(space.places) - 1
        bases = {0, last} | {at for at, own in enumerate(space.places) if any(map(self.reading.is_total, own))}
        step = np.nan_to_num(self._matrix(space.ids, self.step), nan=1.0)
        rates = Rates(values, np.where(step > 0, step, 1.0), vectors.tolist(), counts.tolist(), named, sorted(bases))
        for ratio in rates.all():
            part = words_of(space.vectors[ratio.part])
            whole = {OF_PLACE: "its total", UNKNOWN: "one number that is not shown"}.get(ratio.kind)
            whole = whole or words_of(space.vectors[ratio.whole])
            whole = {OF_BOTH: f"{part} and {whole}", CHANGE: f"the change from {whole}"}.get(ratio.kind, whole)
            words = f"{words_of(space.vectors[ratio.rate])} = {part} of {whole}"
            self._note(words, ratio.confirmed, ratio.chance)
            for place in range(len(space.places)):
                self._limit(space, values, step, ratio, place, words)

    def _limit(self, space: _Space, values: FloatArray, step: FloatArray, ratio: Ratio, place: int, words: str) -> None:
        ids, rate = space.ids, values[ratio.rate, place]
        part = int(ids[ratio.part, place])
        if np.isnan(rate) or part < 0:
            return
        self.explained.add(int(ids[ratio.rate, place]))
        visible, unit = Fraction(repr(float(rate))), Fraction(repr(float(step[ratio.rate, place])))
        low, high = (visible, visible + unit) if ratio.cut else (visible - unit / 2, visible + unit / 2)
        scale = Fraction(int(ratio.scale))
        if ratio.kind == UNKNOWN:
            between = [Fraction(repr(end)) for end in ratio.between]
            self.limits.append(({part: Fraction(1)}, low * between[0], high * between[1], words))
            return
        whole = int(ids[ratio.part, ratio.whole] if ratio.kind == OF_PLACE else ids[ratio.whole, place])
        if whole < 0:
            return
        for end, low_side in ((low, True), (high, False)):
            terms = defaultdict[int, Fraction](Fraction)
            terms[part] += scale
            terms[whole] -= end + (scale if ratio.kind == CHANGE else 0)
            if ratio.kind == OF_BOTH:
                terms[part] -= end
            limit = (Fraction(0), None) if low_side else (None, Fraction(0))
            self.limits.append((dict(terms), *limit, words))


class _Solver:
    """The hidden counts as unknowns, under everything that was found."""

    def __init__(self, reading: PublishedNumbers, finder: _Finder, knowledge: Knowledge) -> None:
        self.reading, self.finder, self.knowledge = reading, finder, knowledge
        numbers = reading.numbers
        self.unknown = [at for at, item in enumerate(numbers) if item.value != item.value and not item.step]
        self.index = {at: own for own, at in enumerate(self.unknown)}
        self.sheet_of = {at: sheet for sheet in reading.sheets for at in sheet.cells.values()}
        self.aside = {word.casefold() for word in knowledge.coincidences}
        self.stating = {label.casefold() for label in knowledge.stating}
        self.lines = dict[int, defaultdict[str, list[int]]]()
        self.says = dict[tuple[int, int, bool], tuple[int, int]]()
        self.rules: list[Rule] = []
        self.words: list[str] = []
        self.groups: list[str] = []  # the equation of each rule
        self.dropped: set[str] = set()

    def report(
        self,
        targets: Mapping[Place, tuple[int, int] | None] | None,
        hints: Sequence[Mapping[Place, int]],
        seconds: float,
    ) -> Report:
        """Derive the unknowns."""
        end = time.monotonic() + seconds
        for terms, words in self.finder.sums.items():
            if words.casefold() not in self.aside:
                self._rule({at: Fraction(sign) for at, sign in terms}, Fraction(0), Fraction(0), words)
        for limits, low, high, words in self.finder.limits:
            if words.casefold() not in self.aside:
                self._rule(limits, low, high, words)
        derived = self._derived(targets, hints, end)
        with_hidden = Counter(self.groups)
        findings = tuple(
            Found(words, n, words.casefold() in self.aside, with_hidden[words])
            for words, (n, _) in self.finder.findings.items()
            if words not in self.dropped
        )
        numbers = self.reading.numbers
        used = {item.words for item in findings if not item.coincidence}
        sums = tuple(
            (tuple((sign, numbers[at].place) for at, sign in terms), words)
            for terms, words in self.finder.sums.items()
            if words in used
        )
        return Report(
            len(numbers) - len(self.unknown),
            tuple(self.finder.tried),
            findings,
            tuple(self.finder.skipped),
            derived,
            (*dict.fromkeys(self.reading.not_tried), *self._open_rates()),
            len(self.rules),
            len(self.unknown),
            sums,
            tuple(label for sheet in self.reading.sheets for label in sheet.labels if self._label_counts(sheet, label)),
        )

    def _rule(self, terms: Mapping[int, Fraction], low: Fraction | None, high: Fraction | None, words: str) -> None:
        numbers = self.reading.numbers
        open_terms = {self.index[at]: c for at, c in terms.items() if at in self.index and c}
        if not open_terms:
            return
        settled = sum((c * int(numbers[at].value) for at, c in terms.items() if at not in self.index), Fraction(0))
        ends = [None if side is None else side - settled for side in (low, high)]
        scale = math.lcm(*(c.denominator for c in open_terms.values()))
        whole = {at: int(c * scale) for at, c in open_terms.items()}
        least, most = (None if side is None else side * scale for side in ends)
        self.rules.append(Rule(whole, None if least is None else -(-least // 1), None if most is None else most // 1))
        self.words.append(self._filled(terms, words))
        self.groups.append(words)

    def _filled(self, terms: Mapping[int, Fraction], words: str) -> str:
        """Write an equation with its shown numbers, where they are few."""
        numbers = self.reading.numbers
        visible = [(c, numbers[at].value) for at, c in terms.items() if at not in self.index]
        if len(terms) > _FILLED or len(visible) != len(terms) - 1 or any(abs(c) != 1 for c in terms.values()):
            return words
        own = next(c for at, c in terms.items() if at in self.index)
        parts = sorted((-c / own, value) for c, value in visible)[::-1]
        text = "".join(f" {'-' if sign < 0 else '+'} {round(value):,}" for sign, value in parts)
        return f"{text.removeprefix(' + ')} ({words})"

    def _bounds(self) -> tuple[IntArray, IntArray]:
        least, greatest = [], []
        zeros = {id(sheet) for sheet in self.reading.sheets if self._shows_zero(sheet)}
        for at in self.unknown:
            item = self.reading.numbers[at]
            floor = 0 if item.place.file in self.knowledge.zeros_too else self.knowledge.least
            floor = (1 if id(self.sheet_of[at]) in zeros else 0) if floor is None else floor
            low = max(item.least, floor)
            least.append(low)
            greatest.append(Ranges.unlimited() if item.greatest is None else max(item.greatest, low))
        return np.array(least, dtype=np.int64), np.array(greatest, dtype=np.int64)

    def _shows_zero(self, sheet: PublishedTable) -> bool:
        return any(
            self.reading.numbers[at].value == 0 and not self.reading.numbers[at].step for at in sheet.cells.values()
        )

    def _derived(
        self, targets: Mapping[Place, tuple[int, int] | None] | None, hints: Sequence[Mapping[Place, int]], end: float
    ) -> tuple[Derived, ...]:
        numbers = self.reading.numbers
        of = [own for own, at in enumerate(self.unknown) if targets is None or numbers[at].place in targets]
        enough = {own: targets[numbers[self.unknown[own]].place] for own in of} if targets is not None else {}
        tables = [np.array([hint.get(numbers[at].place, -1) for at in self.unknown]) for hint in hints]
        while True:
            try:
                ranges = Ranges(self.rules, *self._bounds())
                late = set(ranges.settle(of, enough, tables, max(end - time.monotonic(), 0.1)))
                break
            except ContradictionError as error:
                self._drop(error.rule)
        if not of:
            return ()
        stated = self._stated()
        return tuple(self._answer(own, ranges, own in late, own in enough, stated) for own in of)

    def _drop(self, rule: int | None) -> None:
        """Drop the weakest equation among those that meet in a contradiction: all cannot hold."""
        if not self.rules:
            raise InputError("the marks of the hidden counts contradict each other.")
        own = set() if rule is None else set(self.rules[rule].coefficients)
        near = [at for at, other in enumerate(self.rules) if rule is None or own & other.coefficients.keys()]
        weakest = max((self.groups[at] for at in near), key=lambda words: self.finder.findings[words][1])
        self.dropped.add(weakest)
        self.finder.skipped[f"{weakest}: it holds in what is shown, but contradicts stronger equations"] = None
        remaining = [at for at, words in enumerate(self.groups) if words != weakest]
        self.rules = [self.rules[at] for at in remaining]
        self.words, self.groups = ([of[at] for at in remaining] for of in (self.words, self.groups))

    def _answer(self, own: int, ranges: Ranges, late: bool, stops: bool, stated: Mapping[int, str]) -> Derived:
        item = self.reading.numbers[self.unknown[own]]
        low, high, far = int(ranges.least[own]), int(ranges.greatest[own]), Ranges.unlimited()
        sure = ranges.sure(own)
        if late or (stops and not all(sure)):
            low = low if sure[0] else min(int(ranges.seen_low[own]), int(ranges.seen_high[own]))
            high = high if sure[1] else int(ranges.seen_high[own])
        because = self.words[ranges.cause[own]] if ranges.cause[own] >= 0 else ""
        because = stated.get(own) or because or ("several equations together" if low == high else "")
        return Derived(item.place, item.name, low, None if high >= far else high, not late, because, own in stated)

    def _open_rates(self) -> Iterator[str]:
        """Name the rates that no counts explain, in a table with hidden counts."""
        for sheet in self.reading.sheets:
            hidden = any(at in self.index for at in sheet.cells.values())
            rates = {self.reading.rated(key): at for key, at in sheet.cells.items() if self.finder.step[at] and key[-1]}
            names = {self.reading.rated(key) for key, at in sheet.cells.items() if at in self.finder.explained}
            for name in rates if hidden else ():
                if name not in names:
                    yield f"{sheet.name}: {name!r} is a rate of counts that were not found"
            yield from self._open_changes(sheet) if hidden else ()
            for label in sorted(filter(states_rate, sheet.labels)):
                line = self._line(sheet, label)
                if any(at in self.index for at in line) and label.casefold() not in self.aside:
                    yield f"{sheet.name}: the label {label!r} states a rate, which may give a count away"

    def _open_changes(self, sheet: PublishedTable) -> Iterator[str]:
        """Name the differences that no counts explain, and numbers of people above several columns."""
        sums, columns = [{at for at, _ in terms} for terms in self.finder.sums], defaultdict[str, list[int]](list)
        for key, at in sheet.cells.items():
            columns[key[-1]].append(at)
        for name, numbers in columns.items():
            own = set(numbers)  # that they add up down the column says nothing of what they are made of
            if says_change(name) and not any(own & terms and terms - own for terms in sums):
                yield f"{sheet.name}: {name!r} is a difference of counts that were not found"
        for words, many in Counter(name.rpartition(", ")[0] for name in columns).items():
            if many > 1 and stated_counts(words):
                yield f"{sheet.name}: {words!r} stands above {many} columns and states a number, which may be their sum"

    def _stated(self) -> dict[int, str]:
        """Return the unknowns that a label or a note seems to state, with the text."""
        stated = dict[int, str]()
        for sheet in self.reading.sheets:
            for label in sorted(sheet.labels):
                if label.casefold() not in self.aside and (counts := self._label_counts(sheet, label)):
                    stated |= self._said(sheet, label, counts, f"the label {label!r}")
            for note in sheet.notes:
                counts = note_counts(note)
                near = [label for label in sheet.labels if len(label) > 2 and label.casefold() in note.casefold()]
                if note.casefold() in self.aside or not counts:
                    continue
                for label in near:
                    stated |= self._said(sheet, label, counts, f"the note {note[:60]!r}")
                self.reading.not_tried.append(f"{sheet.name}: what the numbers of the note {note[:60]!r} mean")
        return stated

    def _line(self, sheet: PublishedTable, label: str) -> list[int]:
        if id(sheet) not in self.lines:
            lines = self.lines[id(sheet)] = defaultdict[str, list[int]](list)
            for key, at in sheet.cells.items():
                for own in set(key) if IN_LABEL not in key and not self.finder.step[at] else ():
                    lines[own].append(at)
        return self.lines[id(sheet)][label]

    def _said(self, sheet: PublishedTable, label: str, counts: Sequence[int], text: str) -> dict[int, str]:
        line = self._line(sheet, label)
        visible = {int(self.reading.numbers[at].value) for at in line if at not in self.index}
        hidden = [self.index[at] for at in line if at in self.index]
        new = [count for count in counts if count not in visible]  # the total of the line says which count it is
        return dict.fromkeys(hidden, f"{text} states {new[0]:,}") if new else {}

    def _label_counts(self, sheet: PublishedTable, label: str) -> list[int]:
        """Return the numbers of a label that seem to be counts, by their signs or by what lines that are shown say."""
        signed, known = stated_counts(label), label.casefold() in self.stating
        if not (counts := signed or label_numbers(label)):
            return []
        agree, against = self._says(sheet, label, bool(signed))
        return counts if known or (against <= agree if signed else agree > 0 == against) else []

    def _says(self, sheet: PublishedTable, label: str, signed: bool) -> tuple[int, int]:
        """Return in how many lines of the labels like this one a number is a count or the sum, and in how many not.

        Lines with a hidden count say nothing against it; for numbers with a sign of a count they say nothing at all.
        """
        at = next((own for own in range(len(sheet.dims)) if any(key[own] == label for key in sheet.cells)), 0)
        place = id(sheet), at, signed
        if place not in self.says:
            agree = against = 0
            for other in {key[at]: None for key in sheet.cells}:
                numbers, line = set(stated_counts(other) if signed else label_numbers(other)), self._line(sheet, other)
                visible = {int(self.reading.numbers[own].value) for own in line if own not in self.index}
                whole = all(own not in self.index for own in line)
                visible |= {sum(int(self.reading.numbers[own].value) for own in line)} if whole else set()
                if numbers and line and (whole or not signed):
                    agree, against = agree + bool(numbers & visible), against + (whole and not numbers & visible)
            self.says[place] = agree, against
        return self.says[place]
