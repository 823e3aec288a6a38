"""Disclosure rules as text: all side by side, one with every fact, several compared; a table or rates judged by one."""

from __future__ import annotations

import textwrap
from collections.abc import Hashable, Iterator
from typing import Any

import pandas as pd

from policy_sim.show.numbers import people, plain, ratio
from policy_sim.show.text_table import Column, column, cut, layout, table_width, wrapped

_ITEM = 22  # letters of the widest item
_LONGEST = 52  # of what a rule hides, in the list
_LONGEST_GROUP = 30  # letters of a group's name
_MOST_REASONS = 10  # below a table
_ONE_DECIMAL = 10  # rates from here on have one decimal, smaller ones three digits


def rule_list_text(frame: pd.DataFrame) -> str:
    """Write one line per rule: the largest hidden count, zeros, what it hides and how sure that is."""
    columns = [
        column(frame, "largest", ("largest", "hidden"), str, none="-"),
        column(frame, "zeros", ("", "zeros")),
        column(frame, "hides", ("", "what it hides"), lambda text: cut(plain(text), _LONGEST), right=False),
        column(frame, "confidence", ("", "sure")),
    ]
    return layout([column(frame, "rule", ("", "rule"))], columns)


def rule_facts_text(frame: pd.DataFrame) -> str:
    """Write the facts of each rule below its id."""
    parts = []
    for name, facts in frame.groupby("rule", sort=False):
        lines = [str(name)]
        for item, value in zip(facts["item"], facts["value"], strict=True):
            first, rest = f"  {item:<{_ITEM}}", " " * (_ITEM + 2)
            lines += textwrap.wrap(plain(str(value)), table_width(), initial_indent=first, subsequent_indent=rest)
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def compared_rules_text(frame: pd.DataFrame) -> str:
    """Write one block per item with a line for each rule: the words are too long for columns."""
    parts = []
    for row in frame.to_dict("records"):
        rules = {str(name): str(value) for name, value in row.items() if name != "item"}
        cells = Column(("",), tuple(rules), right=False)
        words = Column((str(row["item"]),), tuple(cut(plain(text), 90) for text in rules.values()), right=False)
        parts.append(layout([cells], [words], max(table_width(), 120)))
    return "\n\n".join(parts)


def rates_text(frame: pd.DataFrame, by: tuple[str, ...]) -> str:
    """Write one line per group: count, people, both rates with intervals, the mark; then why there is none."""
    word = [
        str(mark or (status if status != "ok" else ""))
        for mark, status in zip(frame["mark"], frame["status"], strict=True)
    ]
    columns = [
        column(frame, "count", ("", "count"), people, none="-"),
        column(frame, "people", ("", "people"), people, none="-"),
        Column(("crude", "rate (interval)"), tuple(_rate(row, "crude") for row in frame.to_dict("records"))),
        Column(("age-adjusted", "rate (interval)"), tuple(_rate(row, "adjusted") for row in frame.to_dict("records"))),
        Column(("", "mark"), tuple(word), right=False),
    ]
    keys = [column(frame, name, ("", name), lambda text: cut(plain(text), _LONGEST_GROUP), right=False) for name in by]
    names = frame[list(by)].agg(", ".join, axis=1) if by else ["the file"] * len(frame)
    reasons = [f"{plain(name)}: {reason}" for name, reason in zip(names, frame["reason"], strict=True) if reason]
    more = [f"... and {len(reasons) - _MOST_REASONS:,} more"] * (len(reasons) > _MOST_REASONS)
    return "\n".join([layout(keys, columns), *wrapped([*reasons[:_MOST_REASONS], *more])])


def _rate(row: dict[Hashable, Any], kind: str) -> str:
    values = [row[f"{kind}{end}"] for end in ("", "_lower", "_upper")]
    if pd.isna(values[0]):
        return "-"
    rate, lower, upper = (f"{value:,.1f}" if value >= _ONE_DECIMAL else ratio(value) for value in values)
    return f"{rate} ({lower} to {upper})"


def table_check_text(frame: pd.DataFrame) -> str:
    """Write what a reader derives of each hidden cell, without its label and with it."""
    if frame.empty:
        return ""
    order = frame["result"].map({"follows": 0, "narrower": 1, "open": 2})
    frame = frame.iloc[order.argsort(kind="stable")]
    columns = [
        Column(("a reader derives", "without label"), tuple(_ends(frame, ""))),
        Column(("a reader derives", "with label"), tuple(_ends(frame, "_labeled"))),
        column(frame, "result", ("", "result"), right=False),
        column(frame, "hidden_by", ("", "hidden by"), right=False),
        column(frame, "why", ("", "why"), lambda text: cut(plain(text), _LONGEST), right=False),
    ]
    return layout([column(frame, "cell", ("", "cell"), lambda text: cut(plain(text), 40))], columns)


def protected_text(frame: pd.DataFrame) -> str:
    """Write each hidden cell with why; the further cells first."""
    if frame.empty:
        return ""
    frame = frame.sort_values("hidden_as", kind="stable")
    columns = [
        column(frame, "hidden_as", ("", "hidden as"), right=False),
        column(frame, "why", ("", "why"), lambda text: cut(plain(text), _LONGEST), right=False),
    ]
    columns += [column(frame, name, ("", name), right=False) for name in ("keeps",) if name in frame]
    return layout([column(frame, "cell", ("", "cell"), lambda text: cut(plain(text), 40))], columns)


def case_check_text(frame: pd.DataFrame) -> str:
    """Write one line per rule and reading, then what each asks that does not hold, where, and what to do."""
    columns = [
        column(frame, "reading", ("", "reading"), right=False),
        column(frame, "status", ("", "result"), right=False),
        column(frame, "records", ("", "records"), people),
        column(frame, "combinations", ("", "combinations"), people),
    ]
    lines = [layout([column(frame, "rule", ("", "rule"))], columns), ""]
    for row in frame[frame["status"] != "holds"].to_dict("records"):
        words = [f"{row['rule']} ({row['reading']}) asks: {row['asks']}."]
        words += [f"Where: {row['places']}."] * bool(row["places"]) + [f"Not tested: {row['reason']}."] * bool(
            row["reason"]
        )
        words += [f"To do: {row['remedy']}."] * bool(row["remedy"])
        lines.append(textwrap.fill(" ".join(words), table_width(), subsequent_indent="  "))
    return "\n".join(lines)


def _ends(frame: pd.DataFrame, kind: str) -> Iterator[str]:
    for low, high in zip(frame[f"least{kind}"], frame[f"greatest{kind}"], strict=True):
        yield f"{low:,} or more" if pd.isna(high) else f"{low:,}" if low == high else f"{low:,} to {high:,}"
