"""Columns that are no counts, by their names and numbers: rates, changes, denominators and numbers of lines."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from policy_sim.records.plain_copies import is_index
from policy_sim.records.published import names_key, names_rate, says_change, says_strongly
from policy_sim.tables.derived import MOST_COLUMNS, derived_columns
from policy_sim.tables.marks import NUMBER, Reading, read_mark
from policy_sim.tables.table import Key
from policy_sim.words.arrays import IntArray
from policy_sim.words.asking import ask

if TYPE_CHECKING:
    from policy_sim.tables.files import Layout

CORNER = "row"  # the name of a first column without one
COUNT_NAMES = {"count", "counts", "n", "number", "cases", "deaths", "births", "events", "people", "persons", "freq"}
COUNT_NAMES |= {"frequency", "numerator", "obs_value", "value", "patients", "records", "discharges", "visits"}
_POPULATION = re.compile(r"\b(population|denominator|pop)\b", re.I)
_INTERVAL = re.compile(r"\b(ci|confidence|interval|lower|upper)\b", re.I)
_WHOLES = 1, 100, 1_000, 10_000, 100_000
_FEWEST_ROWS, _MOST_CUTS = 3, 4  # of a line of time; of ways to cut rows into such lines
_DIGITS = 4  # of the totals of rows, for numbers that add up by no chance
_CHANGE = re.compile(r"\b(change|difference|diff|net|increase|decrease)\b|[Δ±]|\+/-", re.I)


class LeftOut(NamedTuple):
    """The columns that remain, and the whole numbers of those that their names alone make something else.

    ``derived``: columns that others make, by their numbers; ``by_chance``: words on those that somebody keeps.
    """

    columns: dict[str, list[str]]
    unread: dict[str, tuple[int, ...]]
    rates: list[str]
    derived: frozenset[str]
    by_chance: tuple[str, ...]


def left_out(columns: dict[str, list[str]], layout: Layout, notes: list[str]) -> LeftOut:
    """Take out the columns that are no counts; each is named in ``notes``.

    A name may mislead: what adds up to a total is a count, and so is a coverage or an index beside no other count.
    """
    free = [name for name in columns if name not in {layout.count, layout.population, *layout.keys, *layout.adding}]
    rates = [name for name in free if _is_rate(name, columns[name], layout) or (name == "MA" and not _states(columns))]
    changes = [name for name in free if name not in rates and _is_change(name, columns[name])]
    numbers = {name: whole for name in columns if (whole := _whole(columns[name])) and name not in layout.keys}
    doubtful = {name: numbers[name] for name in (*rates, *changes) if name in numbers and not says_strongly(name)}
    counts = _adding(columns, doubtful, numbers, layout) | _adding_where_shown(columns, [*rates, *changes], layout)
    if not (numbers.keys() - {*rates, *changes, layout.population}) and not counts:
        counts |= doubtful.keys()
    rates, changes = ([name for name in of if name not in counts] for of in (rates, changes))
    known = {*rates, *changes, *counts, *filter(layout.is_total, free)}
    remaining = {name: texts for name, texts in columns.items() if name not in {*rates, *changes}}
    found = _derived(remaining, {name for name in free if name not in known}, layout)
    made, by_chance = without_chance(found, layout)
    others = [name for name in free if name not in {*rates, *changes} and _POPULATION.search(name)]
    lines = [name for name in free if name == CORNER and is_index(columns[name])]
    if rates:
        gone = f"Left out, not audited: {', '.join(rates)}. A rate, an average or a rank can give a hidden count away."
        notes.append(gone)
    if changes:
        notes.append(f"Left out, not audited: {', '.join(changes)}. A change is no count, and gives hidden ones away.")
    if others:
        notes.append(f"Left out: {', '.join(others)}. If it is the denominator, declare it as the population column.")
    for name, words in made.items():
        chance = ask("coincidences", name, option="--coincidence")
        gives = f"{name}, which is {words}, and gives hidden counts away"
        notes.append(f"Left out, not audited: {gives}. If that is by chance alone, add {chance}.")
    if lines:
        notes.append("Left out: the first column has no name and numbers the lines.")
    unread = {name: numbers[name] for name in (*rates, *changes, *others) if name in numbers and not _sure(name, rates)}
    remaining = {
        name: texts for name, texts in columns.items() if name not in {*rates, *changes, *others, *lines, *made}
    }
    return LeftOut(remaining, unread, rates, frozenset(made), by_chance)


def without_chance(found: Mapping[str, str], layout: Layout) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return what others make without what a person calls a coincidence, and words on the latter."""
    aside = {words.casefold() for words in layout.coincidences}
    made = {name: words for name, words in found.items() if name.casefold() not in aside}
    kept = {name: words for name, words in found.items() if name not in made}
    return made, tuple(f"that {name!r} is {words}, which a person called a coincidence" for name, words in kept.items())


def _states(columns: Collection[str]) -> bool:
    """Whether columns may be called by states: MA is one next to NH, and a moving average elsewhere."""
    return sum(bool(re.fullmatch("[A-Z]{2}", name)) for name in columns) > 1


def _sure(name: str, rates: Sequence[str]) -> bool:
    return name in rates and says_strongly(name)


def _whole(texts: Sequence[str]) -> tuple[int, ...]:
    """Return the numbers of a column that has whole ones alone; empty for another."""
    if not all(NUMBER.fullmatch(text) for text in texts):
        return ()
    return tuple(int(re.sub(r"\D", "", text)) for text in texts)


def _derived(columns: Mapping[str, Sequence[str]], among: Collection[str], layout: Layout) -> dict[str, str]:
    """Return which columns of numbers are derived from others, by their numbers alone, and how."""
    shown = {name: known for name, texts in columns.items() if (known := _shown(texts, layout))}
    labels = [texts for name, texts in columns.items() if name not in shown]
    totals = np.zeros(len(next(iter(columns.values()), [])), dtype=bool)
    for texts in labels:
        totals |= [layout.is_total(text) for text in texts]
    numbers = {
        name: np.array([np.nan if own is None else own for own in known], dtype=np.float64)
        for name, known in shown.items()
        if name not in layout.keys and not names_key(name)
    }
    return derived_columns(numbers, {name for name in among if name in numbers}, totals, lines_of_time(labels))


def derived_labels(cells: Mapping[Key, Reading], names: Sequence[str], layout: Layout) -> dict[str, str]:
    """Return which labels, such as a row or a measure in long form, have numbers that others make, and how.

    Labels that somebody calls a coincidence are among them.
    """
    found = dict[str, str]()
    for at in (own for own, name in enumerate(names) if name != "column" and len(names) > 1):
        labels, places = (
            dict.fromkeys(own) for own in zip(*((key[at], _without(key, at)) for key in cells), strict=True)
        )
        if len(labels) > MOST_COLUMNS:
            continue
        numbers = {label: np.full(len(places), np.nan) for label in labels}
        index = {place: own for own, place in enumerate(places)}
        for key, cell in cells.items():
            numbers[key[at]][index[_without(key, at)]] = np.nan if cell.value is None else cell.value
        among = {label for label in labels if not layout.is_total(label) and not layout.is_running(label)}
        totals = np.array([any(map(layout.is_total, place)) for place in places])
        found |= derived_columns(numbers, among, totals, lines_of_time(list(zip(*places, strict=True))))
    return found


def lines_of_time(labels: Sequence[Sequence[str]]) -> list[IntArray]:
    """Return how rows may be cut into lines of time: not at all, and by each column of labels that are there again.

    >>> [own.tolist() for own in lines_of_time([["A", "A", "A", "B", "B", "B"], ["1", "2", "3", "1", "2", "3"]])]
    [[0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 1, 1]]
    """
    lines = [np.zeros(len(labels[0]) if labels else 0, dtype=np.int64)]
    for texts in labels:
        own = np.unique(np.array(texts, dtype=object).astype(str), return_inverse=True)[1].astype(np.int64)
        if 1 < own.max(initial=0) + 1 <= len(own) / _FEWEST_ROWS and not any(np.array_equal(own, of) for of in lines):
            lines.append(own)
    return lines[:_MOST_CUTS]


def _without(key: Key, at: int) -> Key:
    return key[:at] + key[at + 1 :]


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
            rest, last = [number for at, number in enumerate(own) if at != rows[0]], own[rows[0]]
            if sum(rest) == last > max(rest, default=0) and not is_whole(last) and not says_change(name):
                counts.add(name)
    totals = [name for name in numbers if layout.is_total(name) and not all(map(is_whole, numbers[name]))]
    others = {*doubtful, *totals, layout.population}
    sure = [
        own for name, own in numbers.items() if name not in others and not says_strongly(name) and not names_key(name)
    ]
    for total in totals if len(totals) == 1 else ():
        for some in ([], *([name] for name in doubtful), list(doubtful)):
            parts = [*sure, *(doubtful[name] for name in some)]
            if len(parts) > 1 and tuple(map(sum, zip(*parts, strict=True))) == numbers[total]:
                return counts | set(some)
    return counts


def is_whole(number: int) -> bool:
    """Whether a number may be the whole that shares add up to, such as 100."""
    return number in _WHOLES


def _adding_where_shown(columns: Mapping[str, Sequence[str]], names: Sequence[str], layout: Layout) -> set[str]:
    """Return the columns of a table with marks that add up, with all others, to its total in each row shown whole.

    Where no column is called a total, one of them may be it.
    """
    marked = {
        name: known
        for name, texts in columns.items()
        if name not in layout.keys and not names_key(name) and (known := _shown(texts, layout))
    }
    totals = [name for name in marked if layout.is_total(name)]
    doubtful = {name for name in names if name in marked and not says_strongly(name)}
    parts = [own for name, own in marked.items() if name != layout.population and not says_strongly(name)]
    for name in (totals or sorted(doubtful)) if len(totals) < 2 and doubtful and len(parts) > 2 else ():
        whole = [
            (total, 2 * total == sum(filter(None, row)))
            for total, *row in zip(marked[name], *parts, strict=True)
            if total is not None and None not in row
        ]
        digits = sum(math.log10(1 + total) for total in {total for total, _ in whole})
        if len(whole) > 1 and digits >= _DIGITS and all(adds for _, adds in whole):
            return doubtful
    return set()


def _shown(texts: Sequence[str], layout: Layout) -> list[int | None]:
    """Return the whole numbers of a column of numbers and marks, None for a mark; empty for another column."""
    if not any(NUMBER.fullmatch(text) for text in texts):
        return []
    if not all(NUMBER.fullmatch(text) or read_mark(text, layout.marks) for text in texts):
        return []
    return [int(re.sub(r"\D", "", text)) if NUMBER.fullmatch(text) else None for text in texts]


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
