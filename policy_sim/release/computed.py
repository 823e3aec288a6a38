"""Find columns that leave as they are and were computed from a place, date, age, sex or race that a release hides.

Such a column is no copy: a flag of each county, the half of the month, hours since a day, an age at diagnosis beside
the years since. Only the original file shows what it was computed from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from policy_sim.records.census_values import RACE_FIELDS
from policy_sim.records.covered_values import AGES
from policy_sim.records.formats import CodedColumn, CodedTable
from policy_sim.release.attack.report import AttackReport, Claim, Finding
from policy_sim.release.attack.together import classes_with, determines
from policy_sim.release.attack.written import WrittenColumn, WrittenFile
from policy_sim.release.copies import decimal_of
from policy_sim.release.deidentified import Treatment
from policy_sim.release.shifts import days_of
from policy_sim.release.spans import spans
from policy_sim.release.treatments import AGE_KINDS, DATE_KINDS, Variable
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray

PLACES = ("zip", "zip3", "place", "town", "county")
_OF_PEOPLE = ("sex", *RACE_FIELDS)
_LOOKED_AT = 2_000  # rows, drawn
_FEWEST = 50  # rows with numbers, before their order means anything
_NUMBERS = 20  # different numbers of a column whose order is compared
_MOSTLY = 0.5  # of its different texts are numbers, with words such as 90+ among them
_IN_ORDER = 0.995  # rank correlation: of height and age of children it is lower
_NEARER = 0.5  # of what an age beside another number lacks in rank correlation, the two together may lack
_AGES_OF_A_YEAR = 2  # somebody born in a year has one of two ages on a day
_MONTH_AND_YEAR, _TIME, _DATE = "month and year", "time", "date"
_MAY_BE_AGES = (_MONTH_AND_YEAR, _TIME, _DATE)  # an age follows from a date, and shows no more than the year of birth
_ORDERED = ("day of the year", "day of the month")  # parts of dates in whose order numbers may be
_AT_ONCE = 40  # columns of numbers, or of two values, whose pairs are looked at
_WRONG, _OF_CHANCE = 0.05, 0.2  # rows that may contradict a function: of all, and of those that chance contradicts
_FLAG = 2 + 1  # values of yes and no, and none
_OTHERS = 2  # hidden columns that a date determines, where it stands for a person of several rows
_WINDOWS = 50  # parts of the rows in the order of a date or an age, about equal
PAIRS: Mapping[str, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "minus": np.subtract,
    "plus": np.add,
    "over": np.divide,
    "times": np.multiply,
}


class Computed(NamedTuple):
    """Columns that leave as they are, and what of a hidden column they show."""

    names: tuple[str, ...]
    hidden: str
    what: str


class Recovered(Computed):
    """Columns from which a hidden value follows, not only a part of it."""


class _Hidden(NamedTuple):
    """A column that a release hides: what a flag can be computed from, and its order as numbers; none without one.

    ``order``: by what it is the order of. ``allowed``: what a rule lets show, such as a year; None: nothing.
    ``rows``: those of the whole file in which it is hidden; None: all.
    """

    variable: Variable
    aspects: Mapping[str, IntArray]
    order: Mapping[str, FloatArray]
    allowed: IntArray | None = None
    rows: BoolArray | None = None


def computed(
    original: CodedTable,
    written: CodedTable,
    treatment: Treatment,
    claim: Claim,
    read_as: Mapping[str, tuple[str, str]],
    people: IntArray | None = None,
) -> list[Computed]:
    """Return the columns that were computed from hidden ones, and show more of them than what is released.

    Under a rule only what it does not let show counts: places, dates finer than the year, ages of the oldest class. A
    column that one released column determines shows no more than that one. Both tables have the same rows; ``read_as``
    has the kind and the form of dates of columns by what they look like, for those that are left out. Of each of the
    ``people`` of the rows, by default one a row, one row counts: theirs agree in much, and nothing was computed.
    """
    of_days = [
        Computed((name,), hides, says) for name, hides, says in spans(original, written, treatment, claim, read_as)
    ]
    at = np.arange(original.rows) if people is None else np.sort(np.unique(people, return_index=True)[1])
    if len(at) > _LOOKED_AT:
        at = np.sort(np.random.default_rng(0).choice(at, _LOOKED_AT, replace=False))
    kinds = {v.name: as_read(v, read_as)[0] for v in treatment.variables}
    hiding = {v.name: _old_or_blank(v, kinds[v.name], original, written, claim) for v in treatment.variables}
    whole = written
    original, written = original.take(at), written.take(at)
    variables = {variable.name: variable for variable in treatment.variables}
    kept = [name for name in written.names if name in variables and variables[name].treatment == "keep"]
    kept = [name for name in kept if len(np.unique(written[name].codes)) > 1]
    shown = [_codes(written[name]) for name in written.names if name in variables and variables[name].is_searched]
    hidden = [
        _hidden(variable, *as_read(variable, read_as), original[variable.name], claim, hiding[variable.name])
        for variable in treatment.variables
        if variable.treatment not in ("keep", "pseudonym") and variable.name in original.names
    ]
    others = {of.variable.name: _codes(original[of.variable.name]) for of in hidden}
    hidden = [_without_names(of, others) for of in hidden]
    kept = [name for name in kept if not any(name in one.names for one in of_days)]
    found = [*of_days, *_functions(written, kept, hidden, shown)]
    already = {name for one in found for name in one.names}
    years = [of.allowed for of in hidden if of.order and of.allowed is not None]
    rest = {name: _codes(written[name]) for name in kept if name not in already}
    rest = {name: codes for name, codes in rest.items() if not _is_shown(codes, shown)}
    finer = [name for name, codes in rest.items() if not _is_an_age(codes, [*shown, *years])]
    return [*found, *_in_order(written, finer, [of for of in hidden if of.order], treatment, whole)]


def with_computed(
    report: AttackReport,
    found: Sequence[Computed],
    written: CodedTable,
    claim: Claim,
    people: IntArray | None = None,
) -> AttackReport:
    """Return the report with what was computed from hidden columns.

    A column of a target that a person released counts as a key field from then on, against that person's word. Anything
    else was found. ``people`` has the person of each row, where no column of the written file does.
    """
    already = {name for finding in report.findings for name in finding.columns}
    findings, against = [*report.findings], dict(report.against)
    for one in found:
        names, hidden, what = one
        if already & set(names):
            continue
        (*others, name) = names
        undone = isinstance(one, Recovered) and hidden in claim.keys  # the classes are smaller than is claimed
        if claim.rule or others or undone or name not in claim.words:
            said = what if others else f"{name} {what}"
            do = f"Leave {name} out (role direct), or make it coarser"
            findings.append(Finding(names, f"{said}, as the original file has it, which the release hides", do))
        elif name not in against:
            against[name] = f"key: {what}"
    if len(against) == len(report.against):
        return replace(report, findings=tuple(findings))
    words = dict(report.words) | {name: claim.words[name].by for name in against}
    columns = tuple(WrittenColumn(n, written[n].values, written[n].codes) for n in written.names)
    file = WrittenFile(columns, people=people)
    as_keys = classes_with(file, list(against), claim)
    return replace(report, findings=tuple(findings), against=against, words=words, as_keys=as_keys)


def _functions(
    written: CodedTable, kept: Sequence[str], hidden: Sequence[_Hidden], shown: Sequence[IntArray]
) -> Iterator[Computed]:
    """Find columns with one value for each value of something hidden, in nearly all rows and far beyond chance.

    Two columns of two values each count as one, too: whether they agree.
    """
    found: set[str] = set()
    codes = {name: _codes(written[name]) for name in kept}
    for name in kept:
        if says := _function_of(codes[name], hidden, shown, _WRONG, _OF_CHANCE):
            found.add(name)
            yield Computed((name,), says[0], f"follows from {says[1]}")
    twofold = [name for name in kept if name not in found and len(np.unique(codes[name][codes[name] > 0])) == 2]
    for one, other in combinations(twofold[:_AT_ONCE], 2):
        x, y = codes[one], codes[other]
        agree = np.where((x > 0) & (y > 0), 1 + ((x == x.max()) == (y == y.max())), 0)
        if not found & {one, other} and (says := _function_of(agree, hidden, shown)):
            found |= {one, other}
            yield Computed((one, other), says[0], f"whether {one} and {other} agree follows from {says[1]}")


def _function_of(
    codes: IntArray, hidden: Sequence[_Hidden], shown: Sequence[IntArray], *limits: float
) -> tuple[str, str] | None:
    """Return the hidden column that determines a column, and what of it; None where what is released does, or none."""
    for of in hidden:
        released = shown if of.allowed is None else [*shown, of.allowed]
        for aspect, values in of.aspects.items():
            both = (values > 0) & (codes > 0)
            if not both.any() or not determines(values[both], codes[both], *limits):
                continue
            may_be_age = aspect in _MAY_BE_AGES and (of.variable.kind == "birth_date" or len(np.unique(codes)) > _FLAG)
            if _is_shown(codes, released, *limits) or (may_be_age and _is_an_age(codes, released)):
                continue
            return of.variable.name, f"the {aspect} of {of.variable.name}" if aspect else of.variable.name
    return None


def _in_order(
    written: CodedTable, names: Sequence[str], hidden: Sequence[_Hidden], treatment: Treatment, whole: CodedTable
) -> Iterator[Computed]:
    """Find numbers, and sums and differences of two, that are in the order of a hidden date, age or number.

    ``written`` has the rows that are looked at, ``whole`` all rows. Where only some ages are hidden, a number counts
    that shows one of them, also beside an age that a rule lets show.
    """
    numbers = {name: values for name in names if (values := _numbers(written[name])) is not None}
    found: set[str] = set()
    orders = [(of, aspect, order) for of in hidden for aspect, order in of.order.items()]
    for (name, values), (of, aspect, order) in ((pair, one) for pair in numbers.items() for one in orders):
        if name not in found and _follows(values, order) and _shows_hidden(whole, (name,), of):
            found.add(name)
            what = f"the {aspect} of {of.variable.name}" if aspect else of.variable.name
            whole_value = Computed if aspect else Recovered
            yield whole_value((name,), of.variable.name, f"is in the order of {what}")
    single = {name: values for name, values in numbers.items() if name not in found}
    moved = {v.name: written[v.name] for v in treatment.variables if v.treatment == "shift" and v.name in written.names}
    days = {name: of_day for name, column in moved.items() if (of_day := days_of(column)) is not None}
    shown = {v.name: written[v.name] for v in treatment.variables if v.kind in AGE_KINDS and v.name in written.names}
    ages = {name: values for name, column in shown.items() if (values := _numbers(column)) is not None}
    ages = {name: values for name, values in ages.items() if name not in numbers and name not in moved}
    first = [*single.items()][:_AT_ONCE]
    pairs = [*combinations(first, 2), *product(ages.items(), first), *combinations(days.items(), 2)]
    for ((one, x), (other, y)), of in ((pair, of) for pair in pairs for of in hidden):
        is_age = of.variable.kind in AGE_KINDS and of.variable.is_searched
        if "" not in of.order or (one in days and not is_age) or found & {one, other}:
            continue
        if one in ages and (of.rows is None or one == of.variable.name):
            continue
        least = max(_IN_ORDER, 1 - _NEARER * (1 - _correlation(x, of.order[""]))) if one in ages else _IN_ORDER
        for word, way in PAIRS.items():
            with np.errstate(divide="ignore", invalid="ignore"):
                values = way(x, y)
            if _correlation(values, of.order[""]) >= least and _shows_hidden(whole, (one, other), of):
                found |= {other} if one in ages else {one, other}
                what = of.variable.name if of.rows is None else f"hidden values of {of.variable.name}"
                yield Computed((one, other), of.variable.name, f"{one} {word} {other} shows {what}")
                break


def _shows_hidden(whole: CodedTable, names: Sequence[str], of: _Hidden) -> bool:
    """Tell whether one or two columns have a number in a row in which a column is hidden."""
    if of.rows is None:
        return True
    numbers = [_numbers(whole[name]) for name in names]
    if any(values is None for values in numbers):
        return False
    known = np.all([np.isfinite(values) for values in numbers if values is not None], axis=0)
    return bool((known & of.rows).any())


def _old_or_blank(
    variable: Variable, kind: str, original: CodedTable, written: CodedTable, claim: Claim
) -> BoolArray | None:
    """Return the rows in which a rule hides an age: one of the oldest, or one left blank; None where it hides none."""
    name = variable.name
    if not claim.rule or claim.oldest is None or kind not in AGE_KINDS or name not in original.names:
        return None
    ages = _numbers(original[name])
    if ages is None:
        return None
    rows = ages >= claim.oldest * AGES[kind]
    if name in written.names and variable.is_searched:
        rows |= np.isfinite(ages) & (written[name].codes == 0)
    return rows if rows.any() else None


def _hidden(
    variable: Variable, kind: str, form: str, column: CodedColumn, claim: Claim, rows: BoolArray | None
) -> _Hidden:
    """Return what of a hidden column must not show; nothing where a rule lets all of it show."""
    codes = _codes(column)
    if kind in DATE_KINDS:
        days = days_of(column, form)
        if days is None or (claim.rule and claim.dates == "day") or variable.treatment == "shift":
            return _Hidden(variable, {}, {})
        parts = _parts_of_dates(days)
        year = parts.pop("year") if claim.rule else None
        orders = {name: np.where(parts[name] > 0, parts[name], np.nan) for name in _ORDERED}
        parts |= {_TIME: _windows(days), _DATE: np.where(np.isfinite(days), days, 0).astype(np.int64)}
        return _Hidden(variable, parts, {"": days} | orders, year)
    if kind in AGE_KINDS or kind == "number":
        numbers = _numbers(column)
        if not claim.rule:
            order = {} if numbers is None else {"": numbers}
            hides = kind in AGE_KINDS or variable.role == "key"
            return _Hidden(variable, {"": codes} if hides else {}, order)
        if numbers is None or claim.oldest is None or kind not in AGES:
            order = {"": numbers} if numbers is not None and variable.role == "direct" and kind == "number" else {}
            return _Hidden(variable, {}, order)
        oldest = {"oldest ages": np.where(numbers >= claim.oldest, codes, 0)} if kind == "age" else {}
        return _Hidden(variable, oldest, {} if rows is None else {"": numbers}, None, rows)
    if kind in PLACES:
        allowed = claim.rule and {"zip5", "county"} & set(claim.places or ())
        three = [text[:3] for text in column.values]
        number = 1 + np.unique(three, return_inverse=True)[1] if three else np.zeros(0, dtype=np.int64)
        zip3 = np.concatenate([[0], number])[codes].astype(np.int64) if kind == "zip" else None
        return _Hidden(variable, {} if allowed else {"": codes}, {}, zip3 if claim.rule else None)
    if kind in _OF_PEOPLE or variable.role == "key":
        return _Hidden(variable, {} if claim.rule else {"": codes}, {})
    numbers = _numbers(column) if variable.role == "direct" else None
    return _Hidden(variable, {}, {} if numbers is None else {"": numbers})


def _without_names(of: _Hidden, hidden: Mapping[str, IntArray]) -> _Hidden:
    """Return a hidden date without its fine parts, if it determines an identifier or other hidden columns.

    People then have several rows, and whatever a person has in each of them follows from the date of birth.
    """
    days = of.aspects.get(_DATE)
    if days is None:
        return of
    follow, many = 0, len(np.unique(days)) // 2
    for codes in (codes for name, codes in hidden.items() if name != of.variable.name):
        both = (days > 0) & (codes > 0)
        if both.any() and determines(days[both], codes[both]):
            follow += _OTHERS if len(np.unique(codes)) > many else 1
    if follow < _OTHERS:
        return of
    return of._replace(aspects={name: part for name, part in of.aspects.items() if name not in _MAY_BE_AGES})


def as_read(variable: Variable, read_as: Mapping[str, tuple[str, str]]) -> tuple[str, str]:
    """Return the kind and the form of dates of a column: where nobody said what it is, by what it looks like."""
    own = (variable.kind, variable.format)
    return own if variable.kind != "category" else read_as.get(variable.name, own)


def _parts_of_dates(days: FloatArray) -> dict[str, IntArray]:
    """Return parts of the date of each row, from 1; 0 without a date."""
    known = np.isfinite(days)
    date = (np.where(known, days, 1).astype(np.int64) - 719_163).astype("datetime64[D]")  # 1970-01-01 is day 719,163
    month = date.astype("datetime64[M]").astype(np.int64) % 12 + 1
    day = (date - date.astype("datetime64[M]")).astype(np.int64) + 1
    parts = {
        "month": month,
        "day of the month": day,
        "day of the week": (date.astype(np.int64) + 3) % 7 + 1,
        "day of the year": month * 31 + day,
        _MONTH_AND_YEAR: date.astype("datetime64[M]").astype(np.int64) + 12 * 1970 + 1,
        "year": date.astype("datetime64[Y]").astype(np.int64) + 1970,
    }
    return {name: np.where(known, part, 0) for name, part in parts.items()}


def _codes(column: CodedColumn) -> IntArray:
    return column.codes.astype(np.int64)


def _windows(days: FloatArray) -> IntArray:
    """Return the part of the rows, in the order of their dates, in which each row is, from 1; 0 without a date.

    A column that changes on a day or two has one value in nearly all parts, though every row has another date.
    """
    known = np.isfinite(days)
    of_day, rows = np.unique(days[known], return_inverse=True, return_counts=True)[1:]
    before = np.concatenate([[0], np.cumsum(rows)[:-1]])
    windows = np.zeros(len(days), dtype=np.int64)
    windows[known] = 1 + (before * _WINDOWS // max(int(known.sum()), 1))[of_day]
    return windows


def _is_shown(codes: IntArray, shown: Sequence[IntArray], *limits: float) -> bool:
    """Tell whether one of the released columns determines a column."""
    held: list[BoolArray] = [(codes > 0) & (other > 0) for other in shown]
    return any(
        bool(both.any()) and determines(o[both], codes[both], *limits) for o, both in zip(shown, held, strict=True)
    )


def _is_an_age(codes: IntArray, shown: Sequence[IntArray]) -> bool:
    """Tell whether a column is to a released one as ages are to years of birth: two for each, and one more in all."""
    width, values = int(codes.max(initial=0)) + 1, len(np.unique(codes))
    for other in shown:
        labels = len(np.unique(other))
        if values <= labels + 1 and len(np.unique(other * width + codes)) <= _AGES_OF_A_YEAR * labels:
            return True
    return False


def _numbers(column: CodedColumn) -> FloatArray | None:
    """Return the number of each row, NaN without one; None where a column has few different ones, or more texts."""
    numbers = [decimal_of(text.strip()) for text in column.values]
    if np.isfinite(numbers).sum() < max(_NUMBERS, _MOSTLY * len(numbers)):
        return None
    return np.array([np.nan, *numbers])[column.codes]


def _follows(values: FloatArray, order: FloatArray) -> bool:
    """Tell whether numbers are in the order of others, upward or downward."""
    return _correlation(values, order) >= _IN_ORDER


def _correlation(values: FloatArray, order: FloatArray) -> float:
    """Return the size of the rank correlation of numbers; 0 where there are too few."""
    from scipy.stats import rankdata

    both = np.isfinite(values) & np.isfinite(order)
    if both.sum() < _FEWEST:
        return 0.0
    one, other = (rankdata(of[both]) for of in (values, order))
    if one.std() == 0 or other.std() == 0:
        return 0.0
    return abs(float(np.corrcoef(one, other)[0, 1]))
