"""Columns that are no counts, by their names and numbers: rates, changes, denominators and numbers of lines."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from policy_sim.records.plain_copies import is_index
from policy_sim.records.published import names_rate, says_change, says_strongly
from policy_sim.tables.marks import NUMBER, read_mark

if TYPE_CHECKING:
    from policy_sim.tables.files import Layout

CORNER = "row"  # the name of a first column without one
COUNT_NAMES = {"count", "counts", "n", "number", "cases", "deaths", "births", "events", "people", "persons", "freq"}
COUNT_NAMES |= {"frequency", "numerator", "obs_value", "value", "patients", "records", "discharges", "visits"}
_POPULATION = re.compile(r"\b(population|denominator|pop)\b", re.I)
_INTERVAL = re.compile(r"\b(ci|confidence|interval|lower|upper)\b", re.I)
_CHANGE = re.compile(r"\b(change|difference|diff|net|increase|decrease)\b|[Δ±]|\+/-", re.I)


class LeftOut(NamedTuple):
    """The columns that remain, and the whole numbers of those that their names alone make something else."""

    columns: dict[str, list[str]]
    unread: dict[str, tuple[int, ...]]
    rates: list[str]


def left_out(columns: dict[str, list[str]], layout: Layout, notes: list[str]) -> LeftOut:
    """Take out the columns that are no counts; each is named in ``notes``.

    A name may mislead: what adds up to a total is a count, and so is a coverage or an index beside no other count.
    """
    free = [name for name in columns if name not in {layout.count, layout.population, *layout.keys, *layout.adding}]
    rates = [name for name in free if _is_rate(name, columns[name], layout)]
    changes = [name for name in free if name not in rates and _is_change(name, columns[name])]
    numbers = {name: whole for name in columns if (whole := _whole(columns[name])) and name not in layout.keys}
    doubtful = {name: numbers[name] for name in (*rates, *changes) if name in numbers}
    counts = _adding(columns, doubtful, numbers, layout)
    if not (numbers.keys() - doubtful.keys() - {layout.population}) and not counts:
        counts |= {name for name in doubtful if not says_strongly(name)}
    rates, changes = ([name for name in of if name not in counts] for of in (rates, changes))
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
    unread = {name: numbers[name] for name in (*rates, *changes, *others) if name in numbers and not _sure(name, rates)}
    remaining = {name: texts for name, texts in columns.items() if name not in {*rates, *changes, *others, *lines}}
    return LeftOut(remaining, unread, rates)


def _sure(name: str, rates: Sequence[str]) -> bool:
    return name in rates and says_strongly(name)


def _whole(texts: Sequence[str]) -> tuple[int, ...]:
    """Return the numbers of a column that has whole ones alone; empty for another."""
    if not all(NUMBER.fullmatch(text) for text in texts):
        return ()
    return tuple(int(re.sub(r"\D", "", text)) for text in texts)


def _adding(
    columns: Mapping[str, Sequence[str]],
    doubtful: Mapping[str, tuple[int, ...]],
    numbers: Mapping[str, tuple[int, ...]],
    layout: Layout,
) -> set[str]:
    """Return the doubtful columns that add up: down to a row of totals, or with the other columns to one of totals."""
    labels = [texts for name, texts in columns.items() if name not in numbers]
    rows = [at for at, row in enumerate(zip(*labels, strict=True)) if any(map(layout.is_total, row))]
    counts = set[str]()
    if len(rows) == 1:
        for name, own in doubtful.items():
            rest = [number for at, number in enumerate(own) if at != rows[0]]
            if sum(rest) == own[rows[0]] > max(rest, default=0) and not says_change(name):
                counts.add(name)
    totals = [name for name in numbers if layout.is_total(name) and name not in doubtful]
    sure = [own for name, own in numbers.items() if name not in {*doubtful, *totals, layout.population}]
    for total in totals if len(totals) == 1 else ():
        for some in ([], *([name] for name in doubtful), list(doubtful)):
            parts = [*sure, *(doubtful[name] for name in some)]
            if len(parts) > 1 and tuple(map(sum, zip(*parts, strict=True))) == numbers[total]:
                return counts | set(some)
    return counts


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
