"""What a check of a file prints: its columns, and what to look at first."""

from __future__ import annotations

import textwrap
from typing import Any

import pandas as pd

from policy_sim.records.safe_harbor_asks import LOOK
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
    unknown = flagged["safe_harbor"] == LOOK
    shows, looks = int((~unknown).sum()), int(unknown.sum())
    rule = "Safe Harbor (45 CFR 164.514(b)(2))"
    of = f"of {len(columns):,} columns"
    if flagged.empty:
        return [
            f"{rule}: every column is of a kind that the rule lets stand as it is here.",
            "  Release it only if you do not know that somebody could be identified by the rest.",
        ]
    not_known = f"{looks:,} {of} {'is' if looks == 1 else 'are'} not recognized, so that nothing is known of them"
    if not shows:
        lines = [f"{rule}: there is no verdict yet. {not_known}."]
    else:
        lines = [
            f"This file is not Safe Harbor as it is (45 CFR 164.514(b)(2)): {shows:,} {of} "
            f"show{'s' if shows == 1 else ''} too much" + (f"; {not_known}." if looks else ".")
        ]
    for ask in sorted(dict.fromkeys(flagged["safe_harbor"]), key=lambda text: text == LOOK):
        names = ", ".join(flagged.loc[flagged["safe_harbor"] == ask, "column"].astype(str))
        lines += _indented(f"{names}: {ask}.", "  ", "    ")
    return [*lines, "  A release leaves out every column that nobody has decided on."]


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
