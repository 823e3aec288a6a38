"""The tables of a check of a file: one row per column, and one row per finding."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

import pandas as pd

from policy_sim.records.census_values import KNOWN_FIELDS
from policy_sim.records.column_findings import missing_marks
from policy_sim.records.safe_harbor_asks import safe_harbor_ask

if TYPE_CHECKING:
    from policy_sim.records.column_findings import Finding
    from policy_sim.records.column_kinds import ColumnKind, ColumnValues

__all__ = ["column_frame", "finding_frame", "mapping_text"]


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
