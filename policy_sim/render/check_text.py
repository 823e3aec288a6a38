"""What a check of a file prints: its columns, and what to look at first."""

from __future__ import annotations

from typing import Any

import pandas as pd

from policy_sim.render.text_table import Column, layout

__all__ = ["check_text"]


def check_text(columns: pd.DataFrame, findings: pd.DataFrame) -> str:
    """Write one row per column, then one line per thing to look at with what to do."""
    rows = layout(
        [Column(("column",), _texts(columns["column"]), right=False)],
        [
            Column(("kind",), _texts(columns["kind"]), right=False),
            Column(("census", "field"), _texts(columns["field"]), right=False),
            Column(("records",), _numbers(columns["records"])),
            Column(("missing",), _numbers(columns["missing"])),
            Column(("values",), _numbers(columns["values"])),
            Column(("because",), _texts(columns["reason"]), right=False),
        ],
    )
    if findings.empty:
        return f"{rows}\n\nNo problems found."
    lines = [_line(row) for row in findings.itertuples()]
    return "\n".join([rows, "", "Look at these first:", *lines])


def _line(row: Any) -> str:
    remedy = f"{row.remedy[0].upper()}{row.remedy[1:]}."
    where = f"{_counted(row.records, 'record')} ({_counted(row.values, 'value')})"
    return f"{row.column}: {where}: {row.problem}.\n    {remedy}"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' if number != 1 else ''}"


def _texts(values: pd.Series) -> tuple[str, ...]:
    return tuple("" if pd.isna(value) else str(value) for value in values)


def _numbers(values: pd.Series) -> tuple[str, ...]:
    return tuple(f"{value:,}" for value in values)
