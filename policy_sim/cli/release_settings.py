"""What ``release step`` writes into a project file that no question asks: keys of its tables, and meanings of codes."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from typing import Any

import policy_sim
from policy_sim.words.errors import InputError, UnknownNameError


def write_settings(opened: policy_sim.Release, texts: Sequence[str]) -> None:
    """Write keys that options give, each as TABLE.KEY=VALUE; keys of one table are written and checked together."""
    tables: dict[str, dict[str, Any]] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        table, dot, key = name.strip().partition(".")
        if not sign or not dot or not key:
            raise InputError(f"--set {text!r}: write it as TABLE.KEY=VALUE, such as target.threshold=k=11.")
        is_text = value and (table, key) == ("target", "threshold")  # a risk such as 0.2 is written as k=11 is
        tables.setdefault(table, {})[key] = value.strip("\"' ") if is_text else toml_or_text(value)
        if value:
            _check(opened, text, (table, key), value)
    for table, values in tables.items():
        opened.set(table, **values)


def _check(opened: policy_sim.Release, text: str, key: tuple[str, str], value: str) -> None:
    """Refuse what a run would refuse later, before anything is written."""
    from policy_sim.policies.files import load_policy
    from policy_sim.records.census_values import alike_name
    from policy_sim.records.profile import Threshold

    if key == ("file", "person") and not alike_name(value, opened.columns):
        raise UnknownNameError("column of the project", value, opened.columns)
    if key == ("target", "policy"):
        load_policy(value)
    if key == ("target", "threshold"):
        Threshold.parse(value.strip("\"' "))
    if key == ("settings", "limit") and not (isinstance(toml_or_text(value), int | float) and 0 <= float(value) <= 1):
        raise InputError(
            f"--set {text!r}: give the share of records that may be suppressed, from 0 to 1, such as 0.05."
        )


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
