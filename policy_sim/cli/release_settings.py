"""What ``release step`` writes into a project file that no question asks: keys of its tables, and meanings of codes."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from typing import Any

import policy_sim
from policy_sim.words.errors import InputError


def write_settings(opened: policy_sim.Release, texts: Sequence[str]) -> None:
    """Write keys that options give, each as TABLE.KEY=VALUE; keys of one table are written and checked together."""
    tables: dict[str, dict[str, Any]] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        table, dot, key = name.strip().partition(".")
        if not sign or not dot or not key:
            raise InputError(f"--set {text!r}: write it as TABLE.KEY=VALUE, such as target.threshold=k=11.")
        tables.setdefault(table, {})[key] = toml_or_text(value)
    for table, values in tables.items():
        opened.set(table, **values)


def toml_or_text(value: str) -> Any:
    """Return a value as TOML reads it, or else as text.

    >>> toml_or_text("0.05"), toml_or_text("k=11"), toml_or_text('"2024"'), toml_or_text("")
    (0.05, 'k=11', '2024', '')
    """
    try:
        table = tomllib.loads(f"x = {value}")
    except tomllib.TOMLDecodeError:
        return value
    return table["x"] if list(table) == ["x"] else value


def map_codes(opened: policy_sim.Release, codes: Sequence[tuple[str, str, str]]) -> None:
    """Write meanings of codes, given as column, value and meaning; those of one column are checked together."""
    columns: dict[str, dict[str, str]] = {}
    for column, value, meaning in codes:
        columns.setdefault(column, {})[value] = meaning
    for column, meanings in columns.items():
        opened.map_codes(column, meanings)
