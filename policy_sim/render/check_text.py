"""What a check of a file prints: its columns, and what to look at first."""

from __future__ import annotations

import textwrap
from typing import Any

import pandas as pd

from policy_sim.render.text_table import Column, layout, table_width

__all__ = ["check_text"]


def check_text(columns: pd.DataFrame, findings: pd.DataFrame) -> str:
    """Write what Safe Harbor asks of the file, one row per column, and what to correct first."""
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
    verdict = _safe_harbor(columns)
    if findings.empty:
        return "\n".join([*verdict, "", rows, "", "No values to correct before you measure the risk."])
    lines = [_line(row) for row in findings.itertuples()]
    return "\n".join([*verdict, "", rows, "", "Correct these before you measure the risk:", *lines])


def _safe_harbor(columns: pd.DataFrame) -> list[str]:
    """Say whether the file can be Safe Harbor as it is, and group its columns by what to do."""
    flagged = columns.dropna(subset=["safe_harbor"])
    if flagged.empty:
        return [
            "Safe Harbor (45 CFR 164.514(b)(2)): no column looks like one that it removes or changes.",
            "  This is a guess from names and values. Look at every column yourself before you release the file.",
        ]
    lines = [
        f"This file is not Safe Harbor as it is (45 CFR 164.514(b)(2)): {len(flagged):,} of {len(columns):,} columns "
        f"show{'s' if len(flagged) == 1 else ''} too much."
    ]
    for ask in dict.fromkeys(flagged["safe_harbor"]):
        names = ", ".join(flagged.loc[flagged["safe_harbor"] == ask, "column"].astype(str))
        lines += _indented(f"{names}: {ask}.", "  ", "    ")
    return [*lines, "  These are guesses from names and values. Look at the other columns yourself."]


def _line(row: Any) -> str:
    remedy = f"{row.remedy[0].upper()}{row.remedy[1:]}."
    where = f"{_counted(row.records, 'record')} ({_counted(row.values, 'value')})"
    return "\n".join([f"{row.column}: {where}: {row.problem}.", *_indented(remedy, "    ", "    ")])


def _indented(text: str, first: str, following: str) -> list[str]:
    """Break a text at the width of a table, with what stands before its first line and before the others."""
    return textwrap.wrap(text, table_width(), initial_indent=first, subsequent_indent=following)


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' if number != 1 else ''}"


def _texts(values: pd.Series) -> tuple[str, ...]:
    return tuple("" if pd.isna(value) else str(value) for value in values)


def _numbers(values: pd.Series) -> tuple[str, ...]:
    return tuple(f"{value:,}" for value in values)
