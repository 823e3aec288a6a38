"""Generalization hierarchies, as given or made from dates, numbers, ages, ZIP codes, places and other codes.

If the last level has one label for every value, the field is suppressed, and a missing value gets that label too.
"""

from __future__ import annotations

import calendar
import dataclasses
import datetime as dt
import functools
import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from policy_sim.files.area_tables import AreaTable
from policy_sim.people.names import county_code, states_with
from policy_sim.records.covered_values import AGES, OLDEST, age_bounds
from policy_sim.records.dates import ISO, read_dates, read_years
from policy_sim.records.vocabularies import MARKS
from policy_sim.words.arrays import FloatArray
from policy_sim.words.errors import InputError

GONE = "*"
AREAS = "areas"  # the level of a ZIP code's or county's area
NO_AREA = "no area"
_T = TypeVar("_T")


@dataclasses.dataclass(frozen=True, eq=False)
class Hierarchy:
    """The ladder of one field: its values, the label of each at each level, and the levels' names, such as ``month``.

    The ``labels`` have shape (levels, values); level 0 is the finest, and no level splits a class of the one below it.
    The ``values``, each once, are those of the file, or of a wider domain. ``order`` is the place of each value among
    the others where they have an order, as ages and dates have, and -1 for a value that has none, such as ``unknown``.
    """

    field: str
    values: tuple[str, ...] = dataclasses.field(repr=False)
    labels: tuple[tuple[str, ...], ...] = dataclasses.field(repr=False)
    names: tuple[str, ...] = ()
    order: tuple[float, ...] = dataclasses.field(default=(), repr=False)

    def __post_init__(self) -> None:
        if len(self.names) != len(self.labels) or any(len(level) != len(self.values) for level in self.labels):
            raise InputError(f"the hierarchy of {self.field} does not have one label per value and level.")
        for level in range(self.height):
            pairs = len(set(zip(self.labels[level], self.labels[level + 1], strict=True)))
            if pairs != len(set(self.labels[level])):
                raise InputError(
                    f"the hierarchy of {self.field} is not nested: level {level + 1} ({self.names[level + 1]}) splits "
                    f"a class of level {level} ({self.names[level]}). Each level must merge whole classes."
                )

    @property
    def height(self) -> int:
        """The coarsest level."""
        return len(self.labels) - 1

    @property
    def ordered(self) -> bool:
        """Whether the values have an order."""
        return bool(self.order)

    def units(self, level: int) -> tuple[NDArray[np.int64], tuple[str, ...]]:
        """Return the place of a missing value and of each value among the level's classes in order, and their labels.

        A class without a place, and a missing value, are at -1. No label is returned where classes overlap, so that
        no interval can be made of them.
        """
        texts, ends = self.labels[level], dict[str, tuple[float, float]]()
        for text, place in zip(texts, self.order, strict=True):
            low, high = ends.get(text, (place, place))
            ends[text] = min(low, place), max(high, place)
        ranked = sorted((text for text, (low, _) in ends.items() if low >= 0), key=ends.__getitem__)
        if any(ends[a][1] > ends[b][0] for a, b in itertools.pairwise(ranked)):
            return np.full(len(texts) + 1, -1, dtype=np.int64), ()
        place_of = {text: at for at, text in enumerate(ranked)}
        return np.array([-1, *(place_of.get(text, -1) for text in texts)], dtype=np.int64), tuple(ranked)

    def is_gone(self, level: int) -> bool:
        """Return whether a level suppresses the field: all values have the one label :data:`GONE`."""
        return set(self.labels[level]) <= {GONE}

    def texts(self, level: int) -> tuple[str, ...]:
        """Return the labels of a level: first of a missing value, then of each value."""
        return (GONE if self.is_gone(level) else "", *self.labels[level])

    def groups(self, level: int) -> tuple[NDArray[np.int64], int]:
        """Return the class of a missing value and of each value at a level, and the number of classes.

        Classes are numbered from 0 in the order in which they first occur; the first is that of a missing value.
        """
        return self._every_group[level]

    @functools.cached_property
    def _every_group(self) -> list[tuple[NDArray[np.int64], int]]:
        every = []
        for level in range(self.height + 1):
            place: dict[str, int] = {}
            numbers = [place.setdefault(text, len(place)) for text in self.texts(level)]
            every.append((np.array(numbers, dtype=np.int64), len(place)))
        return every

    def losses(self, level: int) -> FloatArray:
        """Return the loss of each value, ``(m - 1) / (D - 1)``: the share of the ladder's values that it may stand for.

        ``m`` values have the released label, and the ladder has ``D`` values. A missing value loses nothing until the
        field is suppressed, where it has the same label as the others. Shape (1 + values,), each 0 to 1.
        """
        texts = self.labels[level]
        number: dict[str, int] = {}
        for text in texts:
            number[text] = number.get(text, 0) + 1
        domain = max(len(self.values) - 1, 1)
        losses = [(number[text] - 1) / domain for text in texts]
        return np.array([losses[0] if losses and self.is_gone(level) else 0.0, *losses])

    def over(self, values: Sequence[str]) -> NDArray[np.int64]:
        """Return the position in the ladder of a missing value, which is 0, and of each of a column's values."""
        place = {value: code for code, value in enumerate(self.values, 1)}
        absent = sum(value not in place for value in values)
        if absent:
            raise InputError(
                f"{absent:,} of the {len(values):,} values of {self.field} are not in its hierarchy: add them, or "
                f"declare the codes for a missing value."
            )
        return np.array([0, *(place[value] for value in values)], dtype=np.int64)


def given_hierarchy(name: str, rows: Sequence[Sequence[str]], order: Sequence[float] = ()) -> Hierarchy:
    """Return the ladder of a table as ARX stores it: one row per value, first the value, then its label at each level.

    Levels are called by their numbers. Numbers are in order; other values may be given an ``order``.
    """
    if not rows or len({len(row) for row in rows}) != 1 or not rows[0]:
        raise InputError(f"the hierarchy of {name} needs rows of one length: a value, then one label per level.")
    columns = tuple(tuple(column) for column in zip(*rows, strict=True))
    if len(set(columns[0])) != len(columns[0]):
        raise InputError(f"the hierarchy of {name} names a value twice; give each value once.")
    numbers = [_WHOLE.fullmatch(value) for value in columns[0]]
    if all(numbers):
        order = [float(match[1]) for match in numbers if match]
        shift = min(order)
        order = [number - shift for number in order]
    return Hierarchy(name, columns[0], columns, tuple(map(str, range(len(columns)))), tuple(order))


_WHOLE = re.compile(r"\s*(-?\d{1,15})(?:[.]0+)?\s*")
_OPEN = re.compile(r"\s*(\d{1,15})\s*(?:[+]|plus|(?:and|or)\s+(?:over|older|above|more))\s*", re.IGNORECASE)
_OLDEST_SHOWN = 89
# The first age of each stage of life: adolescence ends at 19 (World Health Organization), and an older person is one
# of 60 and over (United Nations).
_STAGES = (0, 20, 60)
_ZIP = re.compile(r"\s*(\d{4,5})(?:-?\d{4})?(?:[.]0+)?\s*")
_ZIP3 = re.compile(r"\s*(\d{1,3})(?:[.]0+)?\s*")
_SMALL_ZIP = "000"


def flat_ladder(field: str, values: Sequence[str]) -> Hierarchy:
    """Return the ladder of a field that is either released or suppressed."""
    return _ladder(field, values, {"value": list(values)})


_FINER = ("day", "week", "month", "quarter")  # than a year


def date_ladder(
    field: str,
    values: Sequence[str],
    form: str = ISO,
    *,
    oldest_year: int | None = None,
    yearly: bool = False,
) -> Hierarchy:
    """Return the ladder day, week, month, quarter, year, five years, ten years, nothing.

    Weeks begin on the 1st, 8th, 15th and 22nd, so that each lies in one month; the last one has seven to ten days.
    Dates in the ``oldest_year`` and before are one class at every level, such as births of people of 90 and over. A
    ``yearly`` ladder begins with the year, which months, weeks and dates of uncertain order tell too. A date of which
    only the year is known has it at every finer level.
    """
    years = read_years(values, form)
    of_years: list[dt.date | None] = [None if year is None else dt.date(year, 7, 1) for year in years]
    dates = of_years if yearly else read_dates(field, values, form)[0]
    in_year = [date is None for date in dates]  # nothing finer than the year is known
    dates = [in_years if date is None else date for date, in_years in zip(dates, of_years, strict=True)]
    days = _read(field, values, dates, "dates")
    texts: dict[str, Callable[[dt.date], str]] = {
        "day": lambda day: day.isoformat(),
        "week": _week,
        "month": lambda day: f"{day.year:04d}-{day.month:02d}",
        "quarter": lambda day: f"{day.year:04d} quarter {(day.month + 2) // 3}",
        "year": lambda day: f"{day.year:04d}",
        "five years": lambda day: _interval(day.year, 5),
        "ten years": lambda day: _interval(day.year, 10),
    }
    levels = {
        name: [
            texts["year"](day) if alone and name in _FINER else text(day)
            for day, alone in zip(days, in_year, strict=True)
        ]
        for name, text in texts.items()
        if not (yearly and name in _FINER)
    }
    if oldest_year is not None:
        old = f"{oldest_year} or before"
        levels = {
            name: [old if day.year <= oldest_year else text for day, text in zip(days, level, strict=True)]
            for name, level in levels.items()
        }
        # a class of years that includes the cut has the same name, but only its later years
    return _ladder(field, values, levels, [day.toordinal() for day in days])


def _week(day: dt.date) -> str:
    """Return the week of a day within its month."""
    start = min((day.day - 1) // 7, 3) * 7 + 1
    last = start + 6 if start < 22 else calendar.monthrange(day.year, day.month)[1]
    return f"{day.replace(day=start).isoformat()} to {last:02d}"


def number_ladder(
    field: str,
    values: Sequence[str],
    widths: Sequence[int] = (5, 10, 20),
    *,
    top: int | None = None,
    bottom: int | None = None,
) -> Hierarchy:
    """Return the ladder of whole numbers, intervals of each width, nothing.

    A value may be an open class such as ``90+`` if ``top`` is at most its number.
    """
    steps = [1, *widths]
    if any(wide <= narrow or wide % narrow for narrow, wide in itertools.pairwise(steps)):
        raise InputError(f"widths = {list(widths)} of {field}: each must be a larger multiple of the one before.")
    opened = [_OPEN.fullmatch(value) for value in values]
    from_on = [int(match[1]) if match else None for match in opened]
    too_low = sum(number is not None and (top is None or number < top) for number in from_on)
    _refuse_open(field, too_low, "the number from which everything is one class")
    matches = zip(map(_WHOLE.fullmatch, values), from_on, strict=True)
    numbers = _read(field, values, [int(match[1]) if match else number for match, number in matches], "whole numbers")

    def label(number: int, width: int) -> str:
        if top is not None and number >= top:
            return f"{top}+"
        if bottom is not None and number <= bottom:
            return f"{bottom} or less"
        return str(number) if width == 1 else _interval(number, width)

    levels = {"value" if width == 1 else f"{width} wide": [label(n, width) for n in numbers] for width in steps}
    return _ladder(field, values, levels, numbers)


def age_ladder(
    field: str, values: Sequence[str], widths: Sequence[int] = (5, 10, 20), *, top: int | None = None, unit: str = "age"
) -> Hierarchy:
    """Return the ladder of years of age, intervals of each width, stages of life, nothing.

    Ages are whole years, such as ``34 years``, or classes such as ``90+`` and ``20-24``; a class stays one, and joins a
    wider interval that holds it. The ``unit`` is ``age``, ``age_months`` or ``age_days``.
    """
    if unit == "age":
        bounds = [age_bounds(value) for value in values]
    else:
        whole = [_WHOLE.fullmatch(value) for value in values]
        years = [int(int(match[1]) / AGES[unit]) if match else -1 for match in whole]
        bounds = [(age, age) if 0 <= age <= OLDEST else None for age in years]
    ages = _read(field, values, bounds, "ages")
    too_low = sum(low < (OLDEST if top is None else top) <= high for low, high in ages)
    _refuse_open(field, too_low, "the age from which everyone is in one class")

    def label(low: int, high: int, width: int) -> str:
        if top is not None and high >= top:
            return f"{top}+"
        if low // width == high // width:
            return str(low) if width == 1 else _interval(low, width)
        return f"{low}-{high}"

    levels = {"value" if w == 1 else f"{w} wide": [label(low, high, w) for low, high in ages] for w in (1, *widths)}
    if widths and _STAGES[1] % widths[-1] == 0:
        levels["life stages"] = [_stage(low, high, top) for low, high in ages]
    return _ladder(field, values, levels, [low + high / 1000 for low, high in ages])


def _stage(low: int, high: int, top: int | None) -> str:
    """Return the stage of life: up to 19, to 59, and from 60; a class of ages in two stages stays one."""
    if top is not None and high >= top and top <= _STAGES[-1]:
        return f"{top}+"
    stage = sum(low >= start for start in _STAGES)
    if stage != sum(high >= start for start in _STAGES) and high < _STAGES[-1]:
        return f"{low}-{high}"
    if stage == len(_STAGES):
        return f"{_STAGES[-1]}+"
    if high >= _STAGES[stage]:
        return f"{low}-{high}" if top is None or high < top else f"{top}+"
    last = _STAGES[stage] - 1
    return f"{_STAGES[stage - 1]}-{last if top is None else min(last, top - 1)}"


def open_class(text: str) -> int | None:
    """Return the first age of a class that holds ages over 89, such as ``90+``; None for any other text."""
    bounds = age_bounds(text)
    return bounds[0] if bounds and bounds[0] < bounds[1] and bounds[1] > _OLDEST_SHOWN else None


def zip_ladder(field: str, values: Sequence[str], small: frozenset[str] = frozenset(), digits: int = 5) -> Hierarchy:
    """Return the ladder five digits, three digits, nothing; prefixes in ``small`` become 000.

    The function restores lost leading zeros and cuts ZIP+4, with a hyphen or without, to five digits. Of a column with
    three ``digits`` only there is no level of five.
    """
    pattern, what = (_ZIP, "ZIP codes") if digits == 5 else (_ZIP3, "three digits of a ZIP code")
    codes = [match[1].zfill(digits) for match in _read(field, values, map(pattern.fullmatch, values), what)]
    prefixes = [_SMALL_ZIP if code[:3] in small else code[:3] for code in codes]
    return _ladder(field, values, ({"five digits": codes} if digits == 5 else {}) | {"three digits": prefixes})


def codes_with_area(values: Sequence[str], areas: AreaTable, kind: str) -> list[tuple[str, str | None]]:
    """Return the ZIP code of each value, or the FIPS code of its county, and the area that it is in; None for none.

    ``kind``: ``zip``, or ``county`` for codes, or names of which one state has most.
    """
    if kind == "county":
        states = states_with(values)
        codes = [value.strip().split(".")[0] for value in values]
        counties = [
            code.zfill(5) if code.isdecimal() else county_code(states[0], value) or "" if len(states) == 1 else ""
            for code, value in zip(codes, values, strict=True)
        ]
        return [(code, areas.of_county.get(code)) for code in counties]
    matches = [_ZIP.fullmatch(value) for value in values]
    codes = [match[1].zfill(5) if match else "" for match in matches]
    return [(code, areas.of_zip.get(code)) for code in codes]


def area_ladder(field: str, values: Sequence[str], areas: AreaTable, kind: str) -> Hierarchy:
    """Return the ladder ZIP code (or county), area, nothing; ``kind`` as in :func:`codes_with_area`."""
    pairs = codes_with_area(values, areas, kind)
    _read(field, values, [code or None for code, _ in pairs], "ZIP codes" if kind == "zip" else "counties")
    finest = "five digits" if kind == "zip" else "value"
    named = [area if area is not None else NO_AREA for _, area in pairs]
    return _ladder(field, values, {finest: [code for code, _ in pairs], AREAS: named})


def code_ladder(field: str, values: Sequence[str], lengths: Sequence[int], *, digits: int | None = None) -> Hierarchy:
    """Return the ladder of codes, their first letters at each length, nothing.

    Codes of fewer than ``digits`` get leading zeros; 5 for a FIPS code of a county, whose first two are its state.
    """
    if any(length < 1 for length in lengths) or any(later >= earlier for earlier, later in itertools.pairwise(lengths)):
        raise InputError(f"lengths = {list(lengths)} of {field}: each must be 1 or more, and fewer than that before.")
    codes = [value.strip().zfill(digits) if digits and value.strip().isdecimal() else value for value in values]
    sign = "digit" if all(code.isdecimal() for code in codes) else "letter"
    levels = {"value": codes}
    for length in lengths:
        name = f"{length} {sign}{'s' * (length > 1)}"
        levels["state" if (digits, length) == (5, 2) else name] = [code[:length] for code in codes]
    return _ladder(field, values, levels)


def _ladder(field: str, values: Sequence[str], levels: dict[str, list[str]], order: Sequence[float] = ()) -> Hierarchy:
    labels = (*(tuple(level) for level in levels.values()), (GONE,) * len(values))
    least = min(order, default=0)
    return Hierarchy(field, tuple(values), labels, (*levels, "nothing"), tuple(place - least for place in order))


_BETWEEN = re.compile(r"(-?\d+)(-| to )(-?\d+)|(-?[\d.]+)( to )(under -?[\d.]+)")
_WEEK = re.compile(r"(\d{4}-\d\d-)(\d\d) to (\d\d)")
_LOWEST = re.compile(r"under (-?[\d.]+)|(-?[\d.]+) or (?:less|before)")
_HIGHEST = re.compile(r"(-?[\d.]+)([+]| or more)")


def interval_text(first: str, last: str) -> str:
    """Return the label of the classes of a ladder from the first to the last, open where one of them is.

    >>> interval_text("23", "31"), interval_text("20-24", "30-34"), interval_text("85-89", "90+")
    ('23-31', '20-34', '85+')
    >>> interval_text("under 5", "5 to 9"), interval_text("0.5 to under 1.5", "1.5 to under 2")
    ('9 or less', '0.5 to under 2')
    >>> interval_text("-3.8 to under -3.5", "-1 to under 0"), interval_text("under -3", "-3 to under -2.5")
    ('-3.8 to under 0', 'under -2.5')
    >>> interval_text("2020-02-01 to 07", "2020-02-22 to 29"), interval_text("9th", "12th")
    ('2020-02-01 to 2020-02-29', '9th to 12th')
    """
    if first == last:
        return first
    low, low_joint = _end(first, last=False)
    high, joint = _end(last, last=True)
    if _LOWEST.fullmatch(first):
        before = first.endswith("before")
        return high if high.startswith("under ") else f"{high} or {'before' if before else 'less'}"
    if match := _HIGHEST.fullmatch(last):
        return f"{low}{match[2]}"
    plain = all(part.lstrip("-").isdigit() for part in (low, high))
    hyphen = plain and "-" not in (low[:1], high[:1]) and " to " not in (low_joint, joint)
    return f"{low}-{high}" if hyphen else f"{low} to {high}"


def _end(label: str, *, last: bool) -> tuple[str, str]:
    """Return the first or the last end of a label, and what stands between its ends."""
    if week := _WEEK.fullmatch(label):
        return week[1] + week[3 if last else 2], " to "
    match = _BETWEEN.fullmatch(label)
    if match is None or (match[2] == "-" and int(match[1]) >= int(match[3])):
        return label, ""
    low, joint, high = (part for part in match.groups() if part is not None)
    return (high if last else low), joint


def _interval(number: int, width: int) -> str:
    lower = number // width * width
    return f"{lower}-{lower + width - 1}" if lower >= 0 else f"{lower} to {lower + width - 1}"


_ONE = {
    "dates": "a date",
    "ages": "an age",
    "whole numbers": "a whole number",
    "ZIP codes": "a ZIP code",
    "three digits of a ZIP code": "three digits of a ZIP code",
}


def _refuse_open(field: str, number: int, top: str) -> None:
    """Raise an error for open classes that no oldest class holds."""
    if number:
        raise InputError(
            f"{field}: {number:,} distinct value{'s are open classes' if number > 1 else ' is an open class'} such as "
            f"90+. Give the column a top that is no higher: {top}."
        )


def _read(field: str, values: Sequence[str], read: Iterable[_T | None], what: str) -> list[_T]:
    """Return what was read, or raise an error for values that are not; it shows only marks of a missing value."""
    every = list(read)
    unread = [value for value, of_value in zip(values, every, strict=True) if of_value is None]
    if not unread:
        return [of_value for of_value in every if of_value is not None]
    marks = sorted({value.strip() for value in unread} & set(MARKS))
    others = sum(value.strip() not in MARKS for value in unread)
    if marks:
        way = f"If {' and '.join(map(repr, marks))} means a missing value, add it to missing in the table file."
        way += " Correct the others in the file, or leave the column out: role direct." if others else ""
    elif what == "dates":
        way = (
            'Give their form to the column, such as format = "%m/%d/%y" where the year has two digits, correct them in '
            "the file, or add codes for a missing value to missing in the table file."
        )
    else:
        way = (
            "Correct them in the file, add codes for a missing value to missing in the table file, or leave the column "
            "out: role direct."
        )
    number = len(unread)
    values_are = f"{number:,} distinct values are not {what}" if number > 1 else f"1 distinct value is not {_ONE[what]}"
    raise InputError(f"{field}: {values_are}. {way}")
