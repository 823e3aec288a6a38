"""What to check in a column before relying on any figure: counts and remedies, never a value."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from policy_sim.records.census_values import BIRTH_FIELDS, KNOWN_FIELDS, FieldColumn, read_field
from policy_sim.records.column_kinds import ColumnKind, ColumnValues, name_words
from policy_sim.records.dates import read_dates, read_years
from policy_sim.words.errors import InputError

__all__ = ["Finding", "column_findings", "missing_marks", "names_person", "sounds_like_person"]


_OLDEST = 125
_SENTINELS = {-1, -7, -8, -9, -99, -999, 888, 999, 9999}
_FEW_AT_99 = 5  # from this many records of age 99, it may be a code
_PERSON = re.compile(r"patient|person|subject|member|client|resident|mrn|medical record|ssn")
_DIGITS = {"county": 5, "tract": 11, "zip5": 5, "zip3": 3}
_FEW_IMPOSSIBLE = 10
_MOST_SPELLINGS = 20_000


@dataclass(frozen=True)
class Finding:
    """Something to check in one column.

    Parameters
    ----------
    column : The column.
    problem : What is wrong.
    values, records : Number of values with the problem, and of their records.
    remedy : What to do.
    """

    column: str
    problem: str
    values: int
    records: int
    remedy: str


def column_findings(values: ColumnValues, kind: ColumnKind) -> tuple[Finding, ...]:
    """Return what to check in a column, in the order in which to correct it."""
    looks: tuple[Callable[[ColumnValues, ColumnKind], Iterator[Finding]], ...] = (
        _missing_marks,
        _alike,
        _lost_zeros,
        _unread,
        _rows_per_person,
    )
    return tuple(finding for look in looks for finding in look(values, kind))


def _counted(values: ColumnValues, shows: list[bool], problem: str, remedy: str) -> Iterator[Finding]:
    chosen = np.flatnonzero(shows)
    if len(chosen):
        yield Finding(values.name, problem, len(chosen), int(values.records[chosen].sum()), remedy)


def _missing_marks(values: ColumnValues, kind: ColumnKind) -> Iterator[Finding]:
    remedy = "if they mean a missing value, add them to missing in the mapping"
    yield from _counted(values, _marks(values), "texts that look like a missing value", remedy)
    numbers = "numbers such as -9 or 999 that often mean a missing value"
    yield from _counted(values, _sentinels(values, kind), numbers, remedy)


def _marks(values: ColumnValues) -> list[bool]:
    return [not is_filled for is_filled in values.is_filled.tolist()]


def missing_marks(values: ColumnValues) -> tuple[str, ...]:
    """Return the texts of a column that programs and people write for a missing value, as the column writes them.

    These words are fixed, so they reveal nothing about a record.
    """
    return tuple(text for text, mark in zip(values.looked_at, _marks(values), strict=True) if mark)


def _sentinels(values: ColumnValues, kind: ColumnKind) -> list[bool]:
    """Return which numbers cannot be an age, or are ones that programs write for a missing value."""
    if kind.field != "age" and kind.kind != "number":
        return [False] * len(values.looked_at)
    numbers = [_number(text) for text in values.looked_at]
    impossible = sum(number is not None and not 0 <= number <= _OLDEST for number in numbers)
    if kind.field == "age" and impossible > _FEW_IMPOSSIBLE:  # ages in months or days, or no ages
        return [False] * len(numbers)
    codes = {*_SENTINELS, *(_too_many_at_99(numbers, values.records) if kind.field == "age" else ())}
    return [
        number is not None and (number in codes or (kind.field == "age" and not 0 <= number <= _OLDEST))
        for number in numbers
    ]


def _too_many_at_99(ages: Sequence[float | None], records: NDArray[np.int64]) -> set[int]:
    """Return 99 if it stands for a missing age: it has more than three times the records of any age from 90 to 98."""
    of_age = {age: int(number) for age, number in zip(ages, records.tolist(), strict=False) if age is not None}
    most = max((of_age.get(age, 0) for age in range(90, 99)), default=0)
    return {99} if of_age.get(99, 0) >= max(_FEW_AT_99, 3 * most + 1) else set()


def _alike(values: ColumnValues, kind: ColumnKind) -> Iterator[Finding]:
    """Find values that a person would read as the same."""
    if kind.kind not in ("key field", "code", "place") or values.distinct > _MOST_SPELLINGS:
        return
    groups: dict[str, list[int]] = defaultdict(list)
    for at, text in enumerate(values.looked_at):
        groups[_plain(text)].append(at)
    twins = {at for group in groups.values() if len(group) > 1 for at in group}
    yield from _counted(
        values,
        [at in twins for at in range(len(values.looked_at))],
        "spellings that differ only in case, blanks, accents or punctuation",
        "name the column in a mapping, which reads the spellings it knows as one value; give the others a code"
        if kind.kind == "key field"
        else "give them the same code in codes of the mapping",
    )


def _lost_zeros(values: ColumnValues, kind: ColumnKind) -> Iterator[Finding]:
    digits = _DIGITS.get(kind.field)
    if digits is not None:
        short = [
            bool(re.fullmatch(r"\d+(\.0+)?", text.strip())) and len(text.strip().split(".")[0]) < digits
            for text in values.looked_at
        ]
        yield from _counted(
            values,
            short,
            f"codes with fewer than {digits} digits: leading zeros are lost",
            "nothing to do: they are put back when the column is read as this field",
        )


def _unread(values: ColumnValues, kind: ColumnKind) -> Iterator[Finding]:
    """Find values of a key field or a date column that the program does not understand."""
    marks = [mark or odd for mark, odd in zip(_marks(values), _sentinels(values, kind), strict=True)]
    column = FieldColumn(values.name)
    try:
        if kind.kind == "key field" and kind.field in KNOWN_FIELDS:
            meanings: list[object] = list(read_field(kind.field, column, values.looked_at).meanings)
        elif kind.kind == "date":
            dates, years = read_dates(values.name, values.looked_at)[0], read_years(values.looked_at)
            whole = [re.match(r"\s*(\d{4}\D\d{1,2}\D\d|\d{1,2}\D\d{1,2}\D\d{4})", text) for text in values.looked_at]
            meanings = [
                date or (year if not is_whole else None)
                for date, year, is_whole in zip(dates, years, whole, strict=True)
            ]
        else:
            return
    except InputError:
        every = [bool(re.match(r"\s*\d{1,2}([-/.])\d{1,2}\1\d{4}", text)) for text in values.looked_at]
        yield from _counted(
            values,
            every,
            "dates in which the day and the month are ambiguous",
            'give their form, such as format = "%m/%d/%Y"',
        )
        return
    unread = [meaning is None and not mark for meaning, mark in zip(meanings, marks, strict=True)]
    if kind.field == "age":
        classes = [
            lost and bool(re.match(r"\s*\d+\s*(-|–|to|\+|and|or)", text))
            for lost, text in zip(unread, values.looked_at, strict=True)
        ]
        yield from _counted(
            values,
            classes,
            "age classes such as 20-24 or 90+",
            "give their width, and the age from which everyone is in one class (top)",
        )
        unread = [lost and not read for lost, read in zip(unread, classes, strict=True)]
    called = (
        "dates"
        if kind.kind == "date" or (kind.field in BIRTH_FIELDS and kind.field != "age")
        else f"values of {kind.field}"
    )
    remedy = (
        "give the form of the dates in format" if called == "dates" else "give each its meaning in codes of the mapping"
    )
    yield from _counted(values, unread, f"{called} that are not understood", remedy)


def names_person(name: str, kind: ColumnKind) -> bool:
    """Return whether a column seems to contain the number or the name of a person."""
    return kind.kind == "direct identifier" and sounds_like_person(name)


def sounds_like_person(name: str) -> bool:
    """Return whether the name of a column speaks of a person."""
    return _PERSON.search(name_words(name)) is not None


def _rows_per_person(values: ColumnValues, kind: ColumnKind) -> Iterator[Finding]:
    """Find several records of one person: figures then count visits, not people."""
    if names_person(values.name, kind) and values.distinct < values.filled:
        several = (values.records > 1).tolist()
        most = int(values.records.max())
        yield from _counted(
            values,
            several,
            f"several records of one person, at most {most:,}",
            "a profile counts records, so records of one person hide each other and its risks are too low: measure a "
            "copy with one record per person, or a release project, which counts people",
        )


def _plain(text: str) -> str:
    """Return a text without case, accents, punctuation and repeated blanks."""
    folded = unicodedata.normalize("NFKD", text).casefold()
    words = " ".join(re.sub(r"[\s.,;:'\"_/()\[\]-]+|[\u0300-\u036f]", _gap, folded).split())
    return words or text.strip()


def _gap(match: re.Match[str]) -> str:
    return "" if "\u0300" <= match[0] <= "\u036f" else " "  # an accent leaves no gap


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
