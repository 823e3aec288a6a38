"""Disclosure rules as text: all side by side, one with every fact, several compared."""

from __future__ import annotations

import textwrap

import pandas as pd

from policy_sim.show.numbers import plain
from policy_sim.show.text_table import Column, column, cut, layout, table_width

_ITEM = 22  # letters of the widest item
_LONGEST = 52  # of what a rule hides, in the list


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
            lines += _item(str(item), str(value))
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


def _item(item: str, value: str) -> list[str]:
    first, rest = f"  {item:<{_ITEM}}", " " * (_ITEM + 2)
    return textwrap.wrap(plain(value), table_width(), initial_indent=first, subsequent_indent=rest)
