"""Columns that are no counts, by their names and numbers: rates, changes, denominators and numbers of lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from policy_sim.records.plain_copies import is_index
from policy_sim.records.published import names_rate, says_change
from policy_sim.tables.marks import NUMBER, read_mark

if TYPE_CHECKING:
    from policy_sim.tables.files import Layout

CORNER = "row"  # the name of a first column without one
COUNT_NAMES = {"count", "counts", "n", "number", "cases", "deaths", "births", "events", "people", "persons", "freq"}
COUNT_NAMES |= {"frequency", "numerator", "obs_value", "value", "patients", "records", "discharges", "visits"}
_POPULATION = re.compile(r"\b(population|denominator|pop)\b", re.I)
_INTERVAL = re.compile(r"\b(ci|confidence|interval|lower|upper)\b", re.I)
_CHANGE = re.compile(r"\b(change|difference|diff|net|increase|decrease)\b|[Δ±]|\+/-", re.I)


def left_out(columns: dict[str, list[str]], layout: Layout, notes: list[str]) -> dict[str, list[str]]:
    """Return the columns without those that are no counts; each is named in ``notes``."""
    free = [name for name in columns if name not in {layout.count, layout.population, *layout.keys}]
    rates = [name for name in free if _is_rate(name, columns[name], layout)]
    changes = [name for name in free if name not in rates and _is_change(name, columns[name])]
    others = [name for name in free if name not in {*rates, *changes} and _POPULATION.search(name)]
    lines = [name for name in free if name == CORNER and is_index(columns[name])]
    if rates:
        notes.append(f"Left out, not audited: {', '.join(rates)}. A rate or a percentage can give a hidden count away.")
    if changes:
        notes.append(f"Left out, not audited: {', '.join(changes)}. A change is no count, and gives hidden ones away.")
    if others:
        notes.append(f"Left out: {', '.join(others)}. If it is the denominator, declare it as the population column.")
    if lines:
        notes.append("Left out: the first column has no name and numbers the lines.")
    return {name: texts for name, texts in columns.items() if name not in {*rates, *changes, *others, *lines}}


def _is_change(name: str, texts: Sequence[str]) -> bool:
    """Whether a column has differences of counts: by its name, or by a word of it where numbers are below 0."""
    if not all(read_mark(text.lstrip("-−–+ "), {}) for text in texts):
        return False
    below = any(re.match(r"[-−–]\s*\d", text) for text in texts)
    return says_change(name) or (below and bool(_CHANGE.search(name)))


def _is_rate(name: str, texts: Sequence[str], layout: Layout) -> bool:
    """Whether a column holds rates: by its name, or decimals alone where no name says that they are counts."""
    numbers = [text for text in dict.fromkeys(texts) if re.fullmatch(r"[\d.,]+\s*%?", text)]
    called = layout.is_total(name) or name.casefold() in COUNT_NAMES
    if numbers and all(NUMBER.fullmatch(text) for text in numbers) and re.search(r"\(%\)|\(percent\)", name, re.I):
        return False  # "N (%)": the percentages stood in brackets
    written = all(re.search(r"%|\.\d", text) for text in numbers) and not called
    decimals = written and any(re.search(r"%|\.(?!0+$)\d", text) for text in numbers)  # some counts are 5.0 in a file
    if _INTERVAL.search(name.replace("_", " ")) and not numbers:  # "(200.2-312.9)"
        return any(re.search(r"\d\.\d", text) for text in texts)
    return bool(numbers) and (decimals or names_rate(name))
