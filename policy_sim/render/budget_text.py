"""A purchase of lists as text."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from policy_sim.render.numbers import Formatter, dollars, people, percent
from policy_sim.render.price_sources import source_columns, source_lines
from policy_sim.render.text_table import Column, layout, wrapped
from policy_sim.results.measure import FEW_CLAIMS

__all__ = ["budget_table"]

_FEW = "few claims"
_COLUMNS: tuple[tuple[str, str, Formatter], ...] = (
    ("price_usd", "price", dollars),
    ("correct_claims", "right claims", people),
    ("precision", "right, of claims", percent),
    ("usd_per_correct_claim", "$ per right claim", dollars),
)


def budget_table(rows: pd.DataFrame, width: int | None = None) -> str:
    """Write the lists that are bought, their sums, and those left out with the reason."""
    bought = rows[rows["bought"].astype(bool)]
    columns = [
        Column((head,), tuple(_FEW if pd.isna(value) else write(float(value)) for value in bought[name]))
        for name, head, write in _COLUMNS
    ]
    columns = [replace(column, head=("", *column.head)) for column in columns] + source_columns(bought)
    names = Column(("", "list"), tuple(str(name) for name in bought["list"]), right=False)
    table = layout([names], columns, width) if len(bought) else "(no list is bought)"
    return "\n".join(
        [table, *wrapped([_sum(bought), *source_lines(bought), *_not_bought(rows), *_left_out(rows)], width)]
    )


def _sum(bought: pd.DataFrame) -> str:
    claims, correct = float(bought["claims"].sum()), float(bought["correct_claims"].sum())
    right = f", {percent(correct / claims)} of all claims" if claims >= FEW_CLAIMS else ""
    many = f"{len(bought)} list{'' if len(bought) == 1 else 's'}"
    return f"together: {many} for {dollars(float(bought['price_usd'].sum()))}, {people(correct)} right claims{right}"


def _not_bought(rows: pd.DataFrame) -> list[str]:
    """Name the offers that stay where they are: too dear for the money, not needed, or with nobody to claim."""
    offered = rows[~rows["bought"].astype(bool) & rows["reason"].isna()]
    empty = offered["correct_claims"] == 0
    lines = [("available, not bought", offered[~empty]), ("available, but no claim would be correct", offered[empty])]
    return [f"{head}: {', '.join(offers['list'])}" for head, offers in lines if len(offers)]


def _left_out(rows: pd.DataFrame) -> list[str]:
    left = rows[rows["reason"].notna()]
    lines = [f"{name}: {reason}" for name, reason in zip(left["list"], left["reason"], strict=True)]
    return [f"left out: {len(lines)}", *(f"  {line}" for line in lines)] if lines else []
