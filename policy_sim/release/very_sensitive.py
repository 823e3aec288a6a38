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
from policy_sim.records.dates import read_dates
from policy_sim.records.formats import CodedColumn, CodedTable, column_values
from policy_sim.release.treatments import Variable
from policy_sim.words.arrays import BoolArray
from policy_sim.words.errors import InputError

_BETWEEN = re.compile(r"[\s;,|]+")
_CODE = re.compile(r"[A-Z]\d[0-9A-Z]{1,5}")
_MAY_BE_CODES = ("clinical", "category", "code", "table")
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
    date on which ages are computed; without one a date of birth tells no age.
    """
    found: dict[str, tuple[list[str], BoolArray]] = {}
    for variable in variables:
        if variable.treatment == "drop" or not _shows(written, variable.name):
            continue
        for kind, has in _in_column(variable, table[variable.name], day).items():
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


def _in_column(variable: Variable, column: CodedColumn, day: dt.date | None) -> dict[str, BoolArray]:
    """Return which rows have each kind in one column."""
    if variable.kind in AGES or variable.kind == "birth_date":
        minors = _minors(variable, column.values, day)
        of_value = {"minors": minors} if any(minors) else {}
    elif variable.kind in _MAY_BE_CODES and _has_diagnoses(variable.name, column):
        kinds = [kinds_of_code(text) for text in column.values]
        of_value = {kind: [kind in own for own in kinds] for kind in dict.fromkeys(k for own in kinds for k in own)}
    else:
        of_value = {}
    rows = {kind: np.array([False, *has])[column.codes] for kind, has in of_value.items()}
    return {kind: has for kind, has in rows.items() if has.any()}


def _has_diagnoses(name: str, column: CodedColumn) -> bool:
    return column_kind(column_values(name, column)).field == "ICD-10-CM"


def _minors(variable: Variable, values: Sequence[str], day: dt.date | None) -> list[bool]:
    """Tell which values are ages or dates of birth of people who are not adults, for sure."""
    adult = _table()["adult"]
    if variable.kind == "age":
        bounds = [age_bounds(text) for text in values]
        return [own is not None and own[1] < adult for own in bounds]
    if variable.kind in AGES:
        ages = [as_number(text) for text in values]
        return [own is not None and 0 <= own < adult * AGES[variable.kind] for own in ages]
    if day is None:
        return [False] * len(values)
    try:
        born, _ = read_dates(variable.name, values, variable.format)
    except InputError:  # which of day and month is first is not certain
        return [False] * len(values)
    return [date is not None and _age(date, day) < adult for date in born]


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
        f"very sensitive records: {', '.join(parts)}. Whoever is identified in them may be stigmatized or harmed, and "
        "many federal and state laws protect them more than other health data. For the question 'invasion' they "
        f"suggest high, the lowest threshold, unless the people agreed to this release{answered}"
    )


def _table() -> dict[str, Any]:
    return shipped_table("vocabularies/sensitive_kinds.toml")
