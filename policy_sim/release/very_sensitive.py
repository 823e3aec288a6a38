"""Kinds of records whose disclosure harms most, found by diagnosis codes and ages, and what they mean for a release."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from policy_sim.files.toml import shipped_table
from policy_sim.records.column_kinds import column_kind
from policy_sim.records.covered_values import AGES, age_bounds, as_number
from policy_sim.records.dates import read_dates, read_years
from policy_sim.records.formats import CodedColumn, CodedTable, column_values
from policy_sim.release.attack.closed_lists import event_of, tokens_of
from policy_sim.release.treatments import Variable
from policy_sim.words.arrays import BoolArray, IntArray
from policy_sim.words.errors import InputError

_BETWEEN = re.compile(r"[\s;,|]+")
_CODE = re.compile(r"[A-Z]\d[0-9A-Z]{1,5}")
_MAY_BE_CODES = ("clinical", "category", "code", "table")
_DATED = ("date", "year")
_FORMS = {"month", "quarter", "week", "iso"}  # words of a name that say how a date is written
FEWEST = 11  # rows of a kind whose number is written


def kinds_of_code(code: str) -> tuple[str, ...]:
    """Return the very sensitive kinds that a code of ICD-10-CM, or one of several, belongs to.

    >>> kinds_of_code("B20"), kinds_of_code("f10.20"), kinds_of_code("F32.A"), kinds_of_code("E11.9")
    (('hiv',), ('substance-use',), ('mental-health',), ())
    """
    codes = [part for part in _BETWEEN.split(code.upper().replace(".", "")) if _CODE.fullmatch(part)]
    kinds: Mapping[str, Any] = _table()["kinds"]
    return tuple(
        name for name, kind in kinds.items() if any(_is_in(own, entry) for own in codes for entry in kind["codes"])
    )


def _is_in(code: str, entry: str) -> bool:
    """Tell whether a code is in a range of categories, or begins with another."""
    first, dash, last = entry.replace(".", "").partition("-")
    return first <= code[:3] <= last if dash else code.startswith(first)


def very_sensitive(
    table: CodedTable, written: CodedTable, variables: Sequence[Variable], day: dt.date | None
) -> list[dict[str, Any]]:
    """Return the very sensitive kinds that the released rows have: their columns, and the rows where 11 or more.

    ``table``: the original values of the rows of ``written``. A column that shows nothing does not count. ``day``: the
    date on which ages are computed; without one, births are compared with the year of the row's last other date.
    """
    found: dict[str, tuple[list[str], BoolArray]] = {}
    in_year = _last_years(table, variables) if day is None else np.full(table.rows, day.year)
    for variable in variables:
        if variable.treatment == "drop" or not _shows(written, variable.name):
            continue
        for kind, has in _in_column(variable, table[variable.name], day, in_year).items():
            names, rows = found.get(kind, ([], np.zeros(table.rows, dtype=np.bool_)))
            found[kind] = ([*names, variable.name], rows | has)
    return [
        {
            "kind": kind,
            "called": entry["called"],
            "columns": found[kind][0],
            "rows": number if (number := int(found[kind][1].sum())) >= FEWEST else None,
        }
        for kind, entry in _table()["kinds"].items()
        if kind in found
    ]


def _shows(written: CodedTable, name: str) -> bool:
    """Tell whether a released column has a value other than a hidden one."""
    return name in written.names and bool(set(written[name].values) - {"*"})


def _in_column(variable: Variable, column: CodedColumn, day: dt.date | None, in_year: IntArray) -> dict[str, BoolArray]:
    """Return which rows have each kind in one column."""
    if _is_birth(variable):
        rows = {"minors": _born_lately(variable, column, day, in_year)}
    elif variable.kind in AGES:
        rows = {"minors": np.array([False, *_minors(variable, column.values)])[column.codes]}
    elif variable.kind in _MAY_BE_CODES and _has_diagnoses(variable.name, column):
        kinds = [kinds_of_code(text) for text in column.values]
        each = dict.fromkeys(kind for own in kinds for kind in own)
        rows = {kind: np.array([False, *(kind in own for own in kinds)])[column.codes] for kind in each}
    else:
        rows = {}
    return {kind: has for kind, has in rows.items() if has.any()}


def _is_birth(variable: Variable) -> bool:
    """Tell whether a column has dates or years of birth."""
    name = " ".join(tokens_of(variable.name) - _FORMS)
    return variable.kind == "birth_date" or (variable.kind in _DATED and event_of(name) == "birth")


def _last_years(table: CodedTable, variables: Sequence[Variable]) -> IntArray:
    """Return the year of the last date of each row that is no birth; 0 where there is none."""
    last = np.zeros(table.rows, dtype=np.int64)
    for variable in variables:
        if variable.kind in _DATED and not _is_birth(variable) and variable.name in table.names:
            column = table[variable.name]
            years = np.array([0, *_years(variable, column.values)])
            last = np.maximum(last, years[column.codes])
    return last


def _years(variable: Variable, values: Sequence[str]) -> list[int]:
    """Return the year of each date, or each year; 0 where the text has none."""
    form = "%Y" if variable.kind == "year" else variable.format
    return [year or 0 for year in read_years(values, form)]


def _born_lately(variable: Variable, column: CodedColumn, day: dt.date | None, in_year: IntArray) -> BoolArray:
    """Tell which rows are of people who are not adults for sure, by their birth.

    By whole dates on a ``day``; otherwise by years, where nobody of the year of birth may be an adult.
    """
    adult = _table()["adult"]
    born = np.array([0, *_years(variable, column.values)])[column.codes]
    minors: BoolArray = (born > 0) & (born <= in_year) & (in_year - born < adult)
    if day is None or variable.kind == "year":
        return minors
    try:
        dates, _ = read_dates(variable.name, column.values, variable.format)
    except InputError:  # which of day and month is first is not certain
        return minors
    exact = np.array([False, *(date is not None and 0 <= _age(date, day) < adult for date in dates)])
    has_day = np.array([False, *(date is not None for date in dates)])
    by_day: BoolArray = np.where(has_day[column.codes], exact[column.codes], minors)
    return by_day


def _has_diagnoses(name: str, column: CodedColumn) -> bool:
    return column_kind(column_values(name, column)).field == "ICD-10-CM"


def _minors(variable: Variable, values: Sequence[str]) -> list[bool]:
    """Tell which values are ages of people who are not adults, for sure."""
    adult = _table()["adult"]
    if variable.kind == "age":
        bounds = [age_bounds(text) for text in values]
        return [own is not None and own[1] < adult for own in bounds]
    ages = [as_number(text) for text in values]
    return [own is not None and 0 <= own < adult * AGES[variable.kind] for own in ages]


def _age(born: dt.date, day: dt.date) -> int:
    return day.year - born.year - ((day.month, day.day) < (born.month, born.day))


def sensitive_text(kinds: Iterable[Mapping[str, Any]], answer: str) -> str:
    """Say which very sensitive kinds a release has, and what they suggest for the question on the invasion of privacy.

    ``answer``: what was answered to it, or nothing. Empty where there is no such kind.

    >>> sensitive_text([], "low")
    ''
    >>> text = sensitive_text([{"called": "HIV", "columns": ["dx"], "rows": None}], "low")
    >>> text.partition(". ")[0]
    'very sensitive records: HIV (dx, fewer than 11 rows)'
    """
    parts = [
        f"{kind['called']} ({', '.join(kind['columns'])}, "
        f"{f'fewer than {FEWEST}' if kind['rows'] is None else format(kind['rows'], ',')} rows)"
        for kind in kinds
    ]
    if not parts:
        return ""
    answered = {"": "", "high": "; that is the answer given"}.get(answer, f"; the answer given is {answer}")
    return (
        f"very sensitive records: {', '.join(parts)}. People who are identified in them may be stigmatized or harmed, "
        "and many federal and state laws protect them more than other health data. For the question 'invasion' they "
        f"suggest high, the lowest threshold, unless the people agreed to this release{answered}"
    )


def _table() -> dict[str, Any]:
    return shipped_table("vocabularies/sensitive_kinds.toml")
