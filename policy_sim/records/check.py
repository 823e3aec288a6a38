"""What Safe Harbor requires of a column, judged by its name and its values.

45 CFR 164.514(b)(2)(i) names eighteen kinds of identifiers. The answer depends on what the column seems to be, so it
is a first guess. A column that is not recognized gets no clean verdict: somebody has to look at it. And (b)(2)(ii) also
requires that whoever releases the file does not know that the rest of it identifies a person.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

import pandas as pd

from policy_sim.records.census_values import KNOWN_FIELDS
from policy_sim.records.column_findings import missing_marks
from policy_sim.records.column_kinds import ColumnKind, ColumnValues

if TYPE_CHECKING:
    from policy_sim.records.column_findings import Finding
    from policy_sim.records.column_kinds import ColumnKind, ColumnValues

__all__ = ["LOOK", "NOT_UNDERSTOOD", "column_frame", "finding_frame", "mapping_text", "safe_harbor_ask"]


_IDENTIFIER = "remove"
_SMALL_PLACE = "remove: a place smaller than the state"
_TEXT = "remove, or read every text: it may hold names, dates or places"
_DATE = "show the year only"
_PART_OF_DATE = "remove: a part of a date that is not the year"
_BIRTH = "show the year only, and births of people over 89 as one class"
_BIRTH_YEAR = "show births of people over 89 as one class"
_AGE = "show all ages over 89 as 90 or older"
_ZIP = "show three digits, and 000 where 20,000 people or fewer share them"
_ZIP3 = "write 000 where 20,000 people or fewer share the three digits"

LOOK = "not recognized: look at its values and decide"
NOT_UNDERSTOOD = "look at its values: not all are understood"
_OF_FIELDS = {
    "age_months": "show whole years, and all ages over 89 as 90 or older",
    "age_days": "show whole years, and all ages over 89 as 90 or older",
    "birth_year": _BIRTH_YEAR,
    "birth_month": _IDENTIFIER,
    "birth_date": _BIRTH,
    "age": _AGE,
    "county": _SMALL_PLACE,
    "tract": _SMALL_PLACE,
    "zip5": _ZIP,
    "zip3": _ZIP3,
}
_OF_KINDS = {"direct identifier": _IDENTIFIER, "free text": _TEXT, "place": _SMALL_PLACE, "date": _DATE}
_OF_KINDS |= dict.fromkeys(("number", "code", "constant"), LOOK)
_YEAR, _THREE_DIGITS = re.compile(r"\s*\d{4}(?:[.]0+)?\s*"), re.compile(r"\s*\d{3}\s*")
_AGE_TEXT = re.compile(r"\s*(\d{1,3})(?:[.,]0+)?\s*(?:(?:-|–|to)\s*(\d{1,3})\s*)?(\+|plus|(?:and|or)\b.*)?\s*")
_OLDEST = 89


def safe_harbor_ask(values: ColumnValues, kind: ColumnKind) -> str:
    """Return what Safe Harbor requires of a column: a few words, or empty if it requires nothing.

    ``values``: the values of the column. A column with years, three digits or no age over 89 needs less.

    References
    ----------
    45 CFR 164.514(b)(2)(i): (A) names, (B) places, (C) dates and ages, (D) to (R) numbers, pictures and other codes.
    """
    ask = _OF_FIELDS.get(kind.field, "") if kind.kind == "key field" else _OF_KINDS.get(kind.kind, "")
    if kind.kind == "key field" and not kind.accepted and kind.field != "birth_month":
        return f"{ask}; {NOT_UNDERSTOOD}" if ask else NOT_UNDERSTOOD
    if kind.kind == "date" and not kind.accepted:
        return f"{_PART_OF_DATE}, or {_DATE} where the year is known"
    texts = values.looked_at
    if not texts:
        return ask
    if ask in (_DATE, _BIRTH) and all(map(_YEAR.fullmatch, texts)):
        return _BIRTH_YEAR if ask == _BIRTH else ""
    if ask == _ZIP and all(map(_THREE_DIGITS.fullmatch, texts)):
        return _ZIP3
    if ask == _AGE and all(map(_shows_no_old_age, texts)):
        return ""
    return ask


def _shows_no_old_age(text: str) -> bool:
    """Return whether a text is an age of at most 89, or an open class from 90 or less."""
    match = _AGE_TEXT.fullmatch(text)
    if match is None:
        return not any(character.isdigit() for character in text)  # a word for a missing age
    if match[3]:
        return int(match[1]) <= _OLDEST + 1
    return int(match[2] or match[1]) <= _OLDEST


# The tables of a check of a file: one row per column, and one row per finding.


class _Checked(Protocol):
    @property
    def held(self) -> ColumnValues: ...
    @property
    def kind(self) -> ColumnKind: ...
    @property
    def findings(self) -> tuple[Finding, ...]: ...


def column_frame(columns: Iterable[_Checked]) -> pd.DataFrame:
    """Return one row per column: its kind and the reason, its field, counts, and what Safe Harbor requires of it."""
    rows = [
        {
            "column": column.held.name,
            "kind": column.kind.kind,
            "field": column.kind.field or None,
            "records": column.held.filled,
            "missing": column.held.missing,
            "values": column.held.distinct,
            "reason": column.kind.reason,
            "looks_like": ", ".join(column.held.shapes) or None,
            "safe_harbor": safe_harbor_ask(column.held, column.kind) or None,
        }
        for column in columns
    ]
    names = ["column", "kind", "field", "records", "missing", "values", "reason", "looks_like", "safe_harbor"]
    table = pd.DataFrame(rows, columns=names)
    texts = dict.fromkeys(("column", "kind", "field", "reason", "looks_like", "safe_harbor"), "string")
    return table.astype(texts | dict.fromkeys(("records", "missing", "values"), "int64"))


def finding_frame(columns: Iterable[_Checked]) -> pd.DataFrame:
    """Return one row per finding: the column, the problem, its values and records, and the remedy."""
    rows = [vars(finding) for column in columns for finding in column.findings]
    table = pd.DataFrame(rows, columns=["column", "problem", "values", "records", "remedy"])
    return table.astype(
        {"column": "string", "problem": "string", "values": "int64", "records": "int64", "remedy": "string"}
    )


def mapping_text(columns: Iterable[_Checked]) -> str:
    """Write a column mapping to edit, as TOML: the key fields and what their columns need.

    Comments list what someone who knows the file must decide.
    """
    columns = tuple(columns)
    lines = [
        "# Which column is which field, and what its codes mean. Edit it, then give it to every command on this file.",
        'missing = [""]  # codes for a missing value, such as "NA" or "-9"',
    ]
    marks = sorted({mark for column in columns for mark in missing_marks(column.held)})
    if marks:
        texts = ", ".join(map(_quoted, ["", *marks]))
        lines.append(f"# The file has texts that often mean a missing value. If these do: missing = [{texts}]")
    seen: set[str] = set()
    for column in columns:
        field = column.kind.field
        if field not in KNOWN_FIELDS:
            continue
        again = field in seen
        seen.add(field)
        head = [f"[fields.{field}]", f"column = {_quoted(column.held.name)}"]
        if again:
            head = ["# A second column of this field; keep one of them.", *(f"# {line}" for line in head)]
        lines += ["", *head]
        lines += [
            f"# In {finding.records:,} of the records: {finding.problem}: {finding.remedy}."
            for finding in column.findings
        ]
        lines += [f"# {line}" for line in _HINTS.get(field, ())]
    others = [
        f"#   {column.held.name.encode('unicode_escape').decode()}: {column.kind.kind} ({column.kind.reason})"
        for column in columns
        if column.kind.field not in KNOWN_FIELDS
    ]
    if others:
        lines += ["", "# Columns that are no key field:", *others]
    return "\n".join(lines) + "\n"


_HINTS = {
    "sex": ('codes = { "1" = "M", "2" = "F" }',),
    "race": (
        "The right side is one of the seven races of the census; several codes may mean one.",
        'codes = { "W" = "white", "B" = "black", "I" = "aian", "A" = "asian", "P" = "nhpi", "O" = "other", '
        '"M" = "multiple" }',
    ),
    "age": ("width = 5  # years in an age class", "top = 90  # this age and over are one class"),
    "birth_date": ('format = "%m/%d/%Y"',),
}


def _quoted(text: str) -> str:
    import json

    return json.dumps(text, ensure_ascii=False)
