"""Find kept numbers that give back a hidden date, year, age, place or number more finely than a release shows it.

The original file has the truth. It is predicted from one number by the rows next in its order, also within the labels
of another column; from the sum, difference, quotient or product of two in the same way; and from two or more by a
regression on other rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product

import numpy as np

from policy_sim.records.covered_values import AGES
from policy_sim.records.formats import CodedColumn, CodedTable
from policy_sim.release.attack.closed_lists import event_of
from policy_sim.release.attack.numbers import written_numbers
from policy_sim.release.attack.report import Claim
from policy_sim.release.computed import PAIRS, PLACES, Computed, Recovered, as_read
from policy_sim.release.deidentified import Treatment
from policy_sim.release.shifts import days_of
from policy_sim.release.treatments import AGE_KINDS, DATE_KINDS, Variable
from policy_sim.words.arrays import AnyIntArray, BoolArray, FloatArray, IntArray

TRIED = (
    "dates, years, ages, ZIP codes and numbers that were left out or changed, predicted from each kept number, "
    "also within the labels of another column, each two of 20, and several together"
)
NOT_TRIED = (
    "other ways in which what was left out or changed follows from kept columns",
    "predictions of what was left out or changed that are right for fewer than 80% of the rows, or in classes that few "
    "rows share, from texts, from a place's two numbers, or from three or more that are not only added were not judged",
)
RIGHT, OF_CHANCE, BY_CHANCE = 0.8, 0.25, 1e-6
"""Share of hidden values that is predicted at least, and misses at most, of those of the best guess without the number.
A binomial draw by that guess does as well with a chance of at most the third."""
_LOOKED_AT, _SCREENED = 2_000, 300  # rows, drawn
_EXACT = 1e-9
_DEVIATION = 1.4826  # times the median size, of a normal distribution
_FEWEST, _FEWEST_HIDDEN = 50, 10  # rows with a number, and those of them in which a value is hidden
_BEFORE = 10  # years below the oldest class, from which ages are predicted once more
_PARTS = {"age": 10, "day": 20, "number": 20}  # of the width of a released class: nearer than one is right
_LEAST = {"age": 1.0, "day": 1.0}  # years, days: nearer is always right
_NEXT = np.array([-2, -1, 1, 2, 3])  # places in the order of a number
_AT_ONCE = 20  # columns of numbers of which each two are tried
_HALF, _QUARTER = 0.5, 0.25  # of what the middle value misses, an order and a regression may miss in a first look
_GROUPS, _CUTS = 2, 6  # columns such as sex in a regression, and in whose labels numbers are put in order
_FEW_LABELS, _OF_A_FEW = 3, 100  # of a column in a regression at most, and rows of each at least
_LABELS, _OF_A_LABEL = 8, 20  # the same of a column in whose labels numbers are put in order
_FEW_KNOTS, _KNOTS, _ROWS_OF_A_KNOT = 8, 20, 15  # bends of a regression, in a first look and at most; rows of each
_FOLDS = 5  # parts of the rows, each predicted from the others
_ROUNDS, _TRIMMED = 3, 3.0  # times a regression is fitted, without rows that are so many deviations off
_FILLED_TEXTS = 0.5  # of the texts of a column are numbers
_FILLED = 0.9  # of the rows, for a column in a regression on many
_NO_DIGIT, _MOST_DIGITS = re.compile(r"\D", re.ASCII), 15
_IN_TIME = (*AGE_KINDS, *DATE_KINDS, "year")


@dataclass(frozen=True, eq=False)
class _Truth:
    """A hidden column: the value, the released class and the ends of it of each row, and where it has several values.

    A prediction is right if it is ``within`` so much. ``only``: the rows of the file in which a rule hides a value; the
    others show whether the numbers tell it.
    """

    variable: Variable
    unit: str
    values: FloatArray
    classes: IntArray
    only: BoolArray | None = None

    def taken(self, at: IntArray) -> _Truth:
        return _Truth(self.variable, self.unit, self.values[at], self.classes[at], self.only)

    def from_age(self, least: int) -> _Truth:
        """Return it for the rows of old people alone: a number may tell the ages of those, as the months since 65."""
        return _Truth(
            self.variable, self.unit, np.where(self.values >= least, self.values, np.nan), self.classes, self.only
        )

    @cached_property
    def ends(self) -> tuple[FloatArray, FloatArray]:
        """The least and the greatest value in the class of each row."""
        low, high = np.full(len(self.values), np.nan), np.full(len(self.values), np.nan)
        for one in np.unique(self.classes):
            rows = (self.classes == one) & np.isfinite(self.values)
            if rows.any():
                low[rows], high[rows] = self.values[rows].min(), self.values[rows].max()
        return low, high

    @property
    def hidden(self) -> BoolArray:
        """The rows whose class has several values."""
        return np.asarray(self.ends[1] > self.ends[0])

    @cached_property
    def within(self) -> FloatArray:
        """How near a prediction of each row must be."""
        low, high = self.ends
        least = _LEAST.get(self.unit, 0.0)
        if self.unit not in _PARTS or self.only is not None:
            return np.full(len(low), least)
        return np.asarray(np.maximum((high - low) / _PARTS[self.unit], least))

    def missed(self, predicted: FloatArray) -> tuple[int, int, float]:
        """Return the hidden rows with a prediction, how many it misses, and the share that the best guess misses."""
        low, high = self.ends
        rows = np.isfinite(predicted) & self.hidden
        return self._missed(np.clip(predicted, low, high), rows, self.classes, self.within)

    def missed_everywhere(self, predicted: FloatArray) -> tuple[int, int, float]:
        """Return the same for all rows with a prediction, as if nothing were released of them."""
        within = np.full(len(predicted), np.median(self.within[self.hidden]) if self.hidden.any() else 0.0)
        rows = np.isfinite(predicted) & np.isfinite(self.values)
        return self._missed(predicted, rows, np.zeros_like(self.classes), within)

    def _missed(
        self, predicted: FloatArray, rows: BoolArray, classes: IntArray, within: FloatArray
    ) -> tuple[int, int, float]:
        off = np.abs(predicted - self.values)[rows] > within[rows] + _EXACT
        guessed = 0
        for one in np.unique(classes[rows]):
            of_class = rows & (classes == one)
            values, width = np.sort(self.values[of_class]), 2 * float(within[of_class][0]) + _EXACT
            guessed += int((np.searchsorted(values, values + width, "right") - np.arange(len(values))).max())
        number = int(rows.sum())
        return number, int(off.sum()), 1 - guessed / max(number, 1)


def recovered(
    original: CodedTable,
    written: CodedTable,
    treatment: Treatment,
    claim: Claim,
    read_as: Mapping[str, tuple[str, str]],
    people: IntArray,
    found: Sequence[Computed] = (),
) -> list[Computed]:
    """Return the kept columns that give back what a release hides, after those that were ``found`` in another way.

    Of each of the ``people`` of the rows one row counts, with a hidden value if there is one. ``read_as`` has the kind
    and the form of dates of columns that nobody decided on. Both tables have the same rows.
    """
    hidden = [_truth(v, treatment.variables, original, written, claim, read_as) for v in treatment.variables]
    truths = [truth for truth in hidden if truth is not None]
    truths += [truth.from_age(claim.oldest - _BEFORE) for truth in truths if truth.only is not None and claim.oldest]
    variables = {variable.name: variable for variable in treatment.variables}
    aside = {name for one in found for name in one.names}
    kept = [n for n in written.names if n in variables and variables[n].treatment == "keep" and n not in aside]
    if not truths or not kept:
        return [*found]
    hides = np.any([truth.hidden if truth.only is None else truth.only for truth in truths], axis=0)
    order = np.lexsort([np.arange(len(people)), ~hides, people])
    at = np.sort(order[np.unique(people[order], return_index=True)[1]]).astype(np.int64)
    rng = np.random.default_rng(0)
    if len(at) > _LOOKED_AT:
        at = np.sort(rng.choice(at, _LOOKED_AT, replace=False))
    shown = [name for name in written.names if name in variables and variables[name].kind in AGE_KINDS]
    ages = {n: of for n in shown if n not in kept and claim.rule and (of := numbers_of(written[n])) is not None}
    numbers = {name: of for name in kept if (of := numbers_of(written[name])) is not None}
    groups = [codes for n in written.names if (codes := _few_labels(written[n].codes[at])) is not None][:_CUTS]
    more: list[Computed] = []
    for truth in truths:
        already = {name for one in more for name in one.names}
        columns = {name: of[at] for name, of in numbers.items() if name not in already and _tells(truth, of)}
        partners = {n: of[at] for n, of in ages.items() if n != truth.variable.name and _tells(truth, of)}
        more += _Attack(truth.taken(at), columns, partners, groups, rng).found()
    return [*found, *more]


def _tells(truth: _Truth, numbers: FloatArray) -> bool:
    """Tell whether a column has a number in a row in which a rule hides a value; true for what is hidden in all."""
    return truth.only is None or bool((np.isfinite(numbers) & truth.only).any())


def _truth(
    variable: Variable,
    variables: Sequence[Variable],
    original: CodedTable,
    written: CodedTable,
    claim: Claim,
    read_as: Mapping[str, tuple[str, str]],
) -> _Truth | None:
    """Return a hidden column; None where nothing of it is, or its values have no order."""
    name = variable.name
    if name not in original.names or variable.treatment in ("keep", "pseudonym", "shift"):
        return None
    kind, form = as_read(variable, read_as)
    column, unit, only = original[name], "", None
    shows = [name] if variable.is_searched else []
    shows += _of_the_same(variable, kind, written, variables)
    classes = _classes([written[one].codes for one in shows if one in written.names], original.rows)
    values: FloatArray | None = None
    if kind in DATE_KINDS and not (claim.rule and claim.dates == "day"):
        values, unit = days_of(column, form), "day"
        if values is not None and claim.rule and claim.dates in ("year", "month"):
            day = (np.where(np.isfinite(values), values, 1).astype(np.int64) - 719_163).astype("datetime64[D]")
            part = day.astype("datetime64[Y]" if claim.dates == "year" else "datetime64[M]").astype(np.int64)
            classes = _classes([classes, part], original.rows)
    elif kind in AGE_KINDS:
        values, unit = numbers_of(column, few=True), "age"
        values = None if values is None else values / AGES[kind]
        if values is not None and claim.rule:
            if claim.oldest is None:
                return None
            only = values >= claim.oldest
            if variable.is_searched and name in written.names:
                only |= np.isfinite(values) & (written[name].codes == 0)
            classes = np.zeros(original.rows, dtype=np.int64)
    elif kind in PLACES and not (claim.rule and {"zip5", "county"} & set(claim.places or ())):
        values = np.where(column.codes > 0, column.codes, np.nan).astype(np.float64)
        if claim.rule and kind == "zip":
            three = np.array([0, *np.unique([text[:3] for text in column.values], return_inverse=True)[1] + 1])
            classes = three[column.codes].astype(np.int64)
    elif not claim.rule and (kind == "year" or (kind == "number" and variable.is_searched)):
        values, unit = numbers_of(column, few=True), "" if kind == "year" else kind
    if values is None or (only is not None and not only.any()):
        return None
    return _Truth(variable, unit, values, classes, only)


def _of_the_same(variable: Variable, kind: str, written: CodedTable, variables: Sequence[Variable]) -> list[str]:
    """Return the other columns that a release shows of the same: ages beside births, years beside dates."""
    of_birth = kind in AGE_KINDS or kind == "birth_date" or event_of(variable.name) == "birth"
    same = []
    for other in variables:
        is_birth = other.kind == "birth_date" or event_of(other.name) == "birth"
        if other.name == variable.name or other.name not in written.names or not other.is_searched:
            continue
        if kind in _IN_TIME and other.kind in _IN_TIME and of_birth == (other.kind in AGE_KINDS or is_birth):
            same.append(other.name)
    return same


def _classes(columns: Sequence[AnyIntArray], rows: int) -> IntArray:
    """Return a number for what columns say together, of each row."""
    if not columns:
        return np.zeros(rows, dtype=np.int64)
    together = np.stack([column.astype(np.int64) for column in columns])
    return np.unique(together, axis=1, return_inverse=True)[1].reshape(-1).astype(np.int64)


@dataclass(frozen=True, eq=False)
class _Attack:
    """Attempts to predict a hidden column from the numbers of kept ``columns``, also beside a released age."""

    truth: _Truth
    columns: Mapping[str, FloatArray]
    partners: Mapping[str, FloatArray]
    groups: Sequence[IntArray]
    rng: np.random.Generator

    def found(self) -> Iterator[Computed]:
        """Yield the columns that give the hidden one back, each in one finding."""
        named: set[str] = set()
        for name, values in self.columns.items():
            if says := self._by_one(values):
                named.add(name)
                yield Recovered((name,), self.truth.variable.name, f"shows {says}")
        if self.truth.variable.kind in PLACES:
            return
        free = {name: values for name, values in self.columns.items() if name not in named}
        for names, word, says in self._by_two([*free.items()][:_AT_ONCE]):
            yield Recovered(names, self.truth.variable.name, f"{word} shows {says}")
            named |= set(names)
        free = {name: values for name, values in free.items() if name not in named} | dict(self.partners)
        if says_many := self._by_many(free):
            names, says = says_many
            *first, last = names
            word = f"a regression on {', '.join(first)} and {last}"
            yield Recovered(names, self.truth.variable.name, f"{word} shows {says}")

    def _by_one(self, values: FloatArray) -> str:
        """Say what one number shows, in its order in all rows, in those of each released class, or of each label."""
        truth = self.truth
        if says := self._in_order(values):
            return says
        if len(np.unique(truth.classes)) > 1:
            predicted = np.full(len(values), np.nan)
            for one in np.unique(truth.classes):
                rows = truth.classes == one
                predicted[rows] = _by_order(values[rows], truth.values[rows], self.rng)
            if says := self._says(predicted):
                return says
        some, known = self._drawn, values[np.isfinite(values)]
        spread = np.ptp(known) if known.size else 0.0
        for groups in self.groups if spread > 0 else ():  # such as the hours of each of several pumps
            apart = 2.0 * groups + (values - known.min()) / spread  # one label after the other
            is_near = _is_near(_by_order(apart[some], truth.values[some], self.rng), truth.values[some])
            if is_near and (says := self._in_order(apart)):
                return says
        return ""

    def _in_order(self, values: FloatArray) -> str:
        """Say what the rows next in the order of a number show: their middle value, or a line between two."""
        target = self.truth.values
        return self._says(_by_order(values, target, self.rng)) or self._says(_between(values, target))

    def _by_two(self, columns: Sequence[tuple[str, FloatArray]]) -> Iterator[tuple[tuple[str, ...], str, str]]:
        """Yield two columns that show something together, how, and what; each column once, but a released age."""
        named: set[str] = set()
        alone = {n: self.truth.missed(_by_order(v, self.truth.values, self.rng)) for n, v in self.partners.items()}
        beside = [(one, other) for one in self.partners.items() for other in columns]
        for (one, x), (other, y) in [*combinations(columns, 2), *beside]:
            if named & {one, other}:
                continue
            most = alone[one][1] / max(alone[one][0], 1) if one in alone else 1.0
            for word, predicted in self._ways(one, x, other, y):
                if says := self._says(predicted, most):
                    named |= {one, other} - set(alone)
                    yield (one, other), word, says
                    break

    def _ways(self, one: str, x: FloatArray, other: str, y: FloatArray) -> Iterator[tuple[str, FloatArray]]:
        """Yield the predictions from two numbers that a first look does not rule out."""
        target = self.truth.values
        both = np.flatnonzero(np.isfinite(x) & np.isfinite(y) & np.isfinite(target))
        if len(both) < _FEWEST or not np.ptp(target[both]):
            return
        first = both[np.linspace(0, len(both) - 1, min(_SCREENED, len(both))).astype(np.int64)]
        for word, way in PAIRS.items():
            with np.errstate(divide="ignore", invalid="ignore"):
                values = way(x, y)
            if _is_near(_by_order(values[first], target[first], self.rng), target[first]):
                yield f"{one} {word} {other}", _by_order(values, target, self.rng)
        for log, scaled in enumerate(self._bases):
            if one not in scaled or other not in scaled:
                continue
            numbers = [_logarithm(x), _logarithm(y)] if log else [x, y]
            for group, power in product((None, *self._few_groups), (False, True)[: 1 + log]):
                aim = _logarithm(target) if power else target
                if self._is_close(scaled[one], scaled[other], group, aim[self._drawn]):
                    predicted = _held_out(numbers, aim, group, _KNOTS)
                    word = f"a regression on {one} and {other}{'' if group is None else ' by groups'}"
                    yield word, np.exp(predicted) if power else predicted

    @cached_property
    def _few_groups(self) -> list[IntArray]:
        """The columns of two or three labels, for a regression in each."""
        rows = [np.bincount(groups)[1:] for groups in self.groups]
        often = [len(of[of > 0]) <= _FEW_LABELS and of[of > 0].min() >= _OF_A_FEW for of in rows]
        return [groups for groups, is_often in zip(self.groups, often, strict=True) if is_often][:_GROUPS]

    @cached_property
    def _drawn(self) -> IntArray:
        """Some rows with a value, for a first look."""
        known = np.flatnonzero(np.isfinite(self.truth.values))
        return known[np.linspace(0, len(known) - 1, min(2 * _SCREENED, len(known))).astype(np.int64)]

    @cached_property
    def _bases(self) -> tuple[dict[str, FloatArray], dict[str, FloatArray]]:
        """Each number of the drawn rows as parts between bends, and its logarithm where most have one."""
        plain, logs = dict[str, FloatArray](), dict[str, FloatArray]()
        for name, of in (dict(self.columns) | dict(self.partners)).items():
            values, log = of[self._drawn], _logarithm(of[self._drawn])
            for scaled, held in ((values, plain), (log, logs)):
                known = np.isfinite(scaled)
                if known.sum() >= max(_FEWEST, RIGHT * np.isfinite(values).sum()):
                    held[name] = _parts(scaled, known, _FEW_KNOTS)
        return plain, logs

    def _is_close(self, one: FloatArray, other: FloatArray, group: IntArray | None, target: FloatArray) -> bool:
        """Tell whether a regression misses a quarter of what the middle value does, or less, in its own rows."""
        parts = np.concatenate([np.ones((len(one), 1)), one, other], axis=1)
        known = np.isfinite(parts).all(axis=1) & np.isfinite(target)
        labels = np.ones(len(one), dtype=np.int64) if group is None else group[self._drawn]
        if known.sum() < _FEWEST:
            return False
        off = np.full(len(one), np.nan)
        for label in np.unique(labels[labels > 0]):
            rows = known & (labels == label)
            if rows.sum() >= _FEWEST // 2:
                off[rows] = np.abs(target[rows] - parts[rows] @ _weights(parts[rows], target[rows]))
        known &= np.isfinite(off)
        by_none = np.abs(target[known] - np.median(target[known]))
        return bool(known.sum() >= _FEWEST and np.median(off[known]) <= _QUARTER * np.median(by_none))

    def _by_many(self, columns: Mapping[str, FloatArray]) -> tuple[tuple[str, ...], str] | None:
        """Return three or more columns that show something in a linear regression, as few as do; and what."""
        for log, power in ((False, False), (True, False), (True, True)):
            used = {}
            for name, of in columns.items():
                scaled = _logarithm(of) if log else of
                if np.isfinite(scaled).mean() >= _FILLED:
                    used[name] = scaled
            names = [*used][: 2 * _AT_ONCE]
            if len(names) < 3 or not (says := self._linear([used[name] for name in names], power=power)):
                continue
            for name in list(names):
                rest = [other for other in names if other != name]
                if rest and (less := self._linear([used[other] for other in rest], power=power)):
                    names, says = rest, less
            if set(names) - set(self.partners):
                return tuple(names), says
        return None

    def _linear(self, numbers: Sequence[FloatArray], *, power: bool = False) -> str:
        target = _logarithm(self.truth.values) if power else self.truth.values
        if np.isfinite(np.stack([*numbers, target])).all(axis=0).sum() < _FEWEST + 4 * len(numbers):
            return ""
        predicted = _held_out(numbers, target, None, 0)
        return self._says(np.exp(predicted) if power else predicted)

    def _says(self, predicted: FloatArray, most: float = 1.0) -> str:
        """Say of how many hidden values a prediction is right; empty where chance may be, or it misses too many."""
        from scipy.special import bdtr

        truth = self.truth
        if np.isfinite(predicted).sum() < _FEWEST:
            return ""
        number, missed, guessed = truth.missed(predicted)
        if number < _FEWEST_HIDDEN or missed > min(1 - RIGHT, OF_CHANCE * min(guessed, most)) * number:
            return ""
        if bdtr(missed, number, guessed) > BY_CHANCE:  # where few are hidden, the others show whether it tells
            everywhere, of_all, chance = truth.missed_everywhere(predicted)
            if of_all > min(1 - RIGHT, OF_CHANCE * chance) * everywhere:
                return ""
            if bdtr(of_all, everywhere, chance) > BY_CHANCE:
                return ""
        near = {"age": " within a year or a tenth of its class", "": ""}.get(truth.unit, " within a part of its class")
        if truth.only is not None:
            near = " within a year"
        return f"{truth.variable.name}{near} in {number - missed:,} of {number:,} rows looked at"


def _by_order(values: FloatArray, target: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return the middle value of the five rows next to each in the order of a number; NaN without one."""
    predicted = np.full(len(values), np.nan)
    rows = np.flatnonzero(np.isfinite(values) & np.isfinite(target))
    number, width = len(rows), len(_NEXT) + 1
    if number <= width or np.ptp(values[rows]) == 0:
        return predicted
    order = rows[np.lexsort([rng.random(number), values[rows]])]
    places = np.arange(number)[:, None] + _NEXT
    places = np.where(places < 0, places + width, np.where(places >= number, places - width, places))
    predicted[order] = np.median(target[order][places], axis=1)
    return predicted


def _between(values: FloatArray, target: FloatArray) -> FloatArray:
    """Return the value on the line between the rows before and after each in the order of a number; NaN at the ends."""
    predicted = np.full(len(values), np.nan)
    rows = np.flatnonzero(np.isfinite(values) & np.isfinite(target))
    order = rows[np.argsort(values[rows], kind="stable")]
    number, aim = values[order], target[order]
    if len(order) > 2:
        gap, step = number[2:] - number[:-2], number[1:-1] - number[:-2]
        part = np.divide(step, gap, out=np.full(len(gap), _HALF), where=gap > 0)
        line = aim[:-2] + part * (aim[2:] - aim[:-2])
        predicted[order[1:-1]] = np.rint(line) if np.array_equal(aim, np.rint(aim)) else line
    return predicted


def _is_near(predicted: FloatArray, target: FloatArray) -> bool:
    """Tell whether predictions miss half of what the middle value does, or less."""
    known = np.isfinite(predicted) & np.isfinite(target)
    if known.sum() < _FEWEST:
        return False
    by_none = float(np.abs(target[known] - np.median(target[known])).mean())
    return float(np.abs(predicted[known] - target[known]).mean()) <= _HALF * by_none


def _logarithm(numbers: FloatArray) -> FloatArray:
    return np.log(numbers, out=np.full(len(numbers), np.nan), where=np.isfinite(numbers) & (numbers > 0))


def _held_out(numbers: Sequence[FloatArray], target: FloatArray, group: AnyIntArray | None, knots: int) -> FloatArray:
    """Return the prediction of each row by a regression on other rows."""
    predicted, fold = np.full(len(target), np.nan), np.arange(len(target)) % _FOLDS
    for one in range(_FOLDS):
        predicted[fold == one] = _regressed(numbers, target, group, knots, fold != one)[fold == one]
    return predicted


def _regressed(
    numbers: Sequence[FloatArray],
    target: FloatArray,
    group: AnyIntArray | None,
    knots: int,
    train: BoolArray | None = None,
) -> FloatArray:
    """Return a regression's prediction of each row, fitted to the rows to ``train`` on, in each group by itself.

    It is a sum of a function of each number, straight between ``knots``. Rows that are far off are left out.
    """
    predicted = np.full(len(target), np.nan)
    known = np.isfinite(np.stack(numbers)).all(axis=0)
    fits = known & np.isfinite(target) & (True if train is None else train)
    for label in [None] if group is None else [one for one in np.unique(group) if one]:
        of_label = known if label is None else known & (group == label)
        rows = fits & of_label
        bends = min(knots, int(rows.sum()) // _ROWS_OF_A_KNOT)
        if rows.sum() < _FEWEST // 2:
            continue
        design = np.concatenate([np.ones((len(target), 1)), *(_parts(of, rows, bends) for of in numbers)], axis=1)
        used = np.flatnonzero(rows)
        for _ in range(_ROUNDS):
            weights = _weights(design[used], target[used])
            off = np.abs(target[rows] - design[rows] @ weights)
            used = np.flatnonzero(rows)[off <= _TRIMMED * _DEVIATION * np.median(off) + _EXACT]
        predicted[of_label] = design[of_label] @ weights
    return predicted


def _parts(numbers: FloatArray, rows: BoolArray, bends: int) -> FloatArray:
    """Return numbers from 0 to 1, and how far each is above each bend; the ``rows`` are cut in parts about equal."""
    low, high = numbers[rows].min(), numbers[rows].max()
    z = (numbers - low) / (high - low or 1.0)
    at = np.unique(np.quantile(z[rows], np.arange(1, bends + 1) / (bends + 1))) if bends else np.zeros(0)
    return np.concatenate([z[:, None], np.maximum(z[:, None] - at, 0)], axis=1)


def _weights(design: FloatArray, target: FloatArray) -> FloatArray:
    """Return the weights of a regression; parts that say the same share theirs."""
    size = design.shape[1]
    return np.asarray(np.linalg.solve(design.T @ design + _EXACT * len(design) * np.eye(size), design.T @ target))


def _few_labels(codes: AnyIntArray) -> IntArray | None:
    """Return the codes of a column of few labels, 0 for those of few rows; None for another column."""
    rows = np.bincount(codes)
    often = np.flatnonzero(rows[1:] >= _OF_A_LABEL) + 1
    if not 2 <= len(often) <= _LABELS or rows[1:].astype(bool).sum() > _LABELS:
        return None
    return np.where(np.isin(codes, often), codes, 0).astype(np.int64)


def numbers_of(column: CodedColumn, *, few: bool = False) -> FloatArray | None:
    """Return the number of each row, NaN without one; None where fewer than half of the texts have one, or all alike.

    Where most are codes with digits, such as ``CT-2024-00017``, their digits are the number. ``few``: also where the
    texts are mostly something else.
    """
    numbers = written_numbers(column.values)
    if not few and np.isfinite(numbers).sum() < _FILLED_TEXTS * len(numbers):
        digits = [_NO_DIGIT.sub("", text) for text in column.values]
        numbers = np.array([float(text) if 0 < len(text) <= _MOST_DIGITS else np.nan for text in digits])
    number = np.isfinite(numbers).sum()
    if number < 2 or (not few and number < _FILLED_TEXTS * len(numbers)):
        return None
    return np.concatenate([[np.nan], numbers])[column.codes]
