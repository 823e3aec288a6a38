"""Coarser versions of a table of counts, as ways out: weeks merged into longer spans, counties summed into regions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from policy_sim.tables.files import CountFile, Layout, read_columns
from policy_sim.tables.link import read_week
from policy_sim.tables.table import PRIMARY
from policy_sim.words.arguments import whole_number
from policy_sim.words.asking import ask
from policy_sim.words.errors import InputError

_YEAR = 2000  # of weeks that are numbered without one; only their order counts
_Columns = dict[str, list[str]]


def with_merged_weeks(path: Path, file: CountFile, weeks: int) -> CountFile:
    """Return the table with each ``weeks`` consecutive weeks as one; the last span may be shorter.

    Weeks are columns of counts or the labels of one column. Running totals are those of the last week of a span.
    """
    whole_number("merge_weeks", weeks, 2, 53)
    _check_counts(path, file)
    wide = [name for name in file.counts if _week(name, file.layout) is not None]
    if len(wide) > 1:
        return _columns_merged(path, file, wide, weeks)
    for name in file.label_columns:
        labels = list(dict.fromkeys(text for text in file.columns[name] if not file.layout.is_total(text)))
        if len(labels) > 1 and all(_week(f"week {text}" if text.isdigit() else text, file.layout) for text in labels):
            spans = dict[str, str]()
            for group in _groups(labels, weeks):
                spans |= dict.fromkeys(group, _span(group))
            keys = [
                [spans.get(text, text) if own == name else text for text in file.columns[own]] for own in _keys(file)
            ]
            return _summed(path, file, _keys(file), keys, f"Merged: {len(labels)} weeks of {name}, {weeks} at a time.")
    raise InputError(f"{path}: no weeks were found to merge: neither columns of counts nor labels such as week 10.")


def by_column(path: Path, file: CountFile, name: str) -> CountFile:
    """Return the table by a column in place of those that lie within it, such as by region in place of county."""
    _check_counts(path, file)
    alike = [own for own in _keys(file) if own.casefold() == name.casefold()]
    at = file.keys.index(alike[0]) if alike else -1
    inside = [file.keys[own] for own, ups in file.parents.items() if at in ups and file.keys[own] in file.columns]
    if not inside:
        outer = sorted({file.keys[up] for ups in file.parents.values() for up in ups})
        where = f"columns with others within them: {', '.join(outer)}" if outer else "no column lies within another"
        raise InputError(f"{path}: no column of labels lies within {name!r} ({where}). Add a column that says where.")
    remaining = [own for own in _keys(file) if own not in inside]
    rows = [
        row
        for row in range(len(file.columns[remaining[0]]))
        if not any(file.layout.is_total(file.columns[own][row]) for own in inside)
        or file.layout.is_total(file.columns[alike[0]][row])
    ]
    keys = [[file.columns[own][row] for row in rows] for own in remaining]
    return _summed(path, file, remaining, keys, f"Summed: {', '.join(inside)} into {alike[0]}.", rows)


def merged(path: Path, file: CountFile, weeks: int = 0, by: str = "") -> CountFile:
    """Return the table as it is asked for: weeks merged, counties summed, or as it is."""
    file = with_merged_weeks(path, file, weeks) if weeks else file
    return by_column(path, file, by) if by else file


def _keys(file: CountFile) -> list[str]:
    return [name for name in file.keys if name in file.columns]


def _check_counts(path: Path, file: CountFile) -> None:
    hidden = next((key for key, cell in file.cells.items() if cell.status == PRIMARY), None)
    if hidden is not None:
        raise InputError(f"{path}: {', '.join(hidden)} has no count, so it cannot be summed. Give the counts.")


def _week(text: str, layout: Layout) -> int | None:
    return None if layout.is_running(text) or layout.is_total(text) else read_week(text, _YEAR)


def _groups(labels: Sequence[str], weeks: int) -> list[list[str]]:
    return [list(labels[at : at + weeks]) for at in range(0, len(labels), weeks)]


def _span(group: Sequence[str]) -> str:
    return group[0] if len(group) == 1 else f"{group[0]} to {group[-1]}"


def _columns_merged(path: Path, file: CountFile, wide: list[str], weeks: int) -> CountFile:
    groups = {group[0]: group for group in _groups(wide, weeks)}
    columns = _Columns()
    for name, texts in file.columns.items():
        if name in groups:
            values = zip(*(_numbers(file.columns[own]) for own in groups[name]), strict=True)
            columns[_span(groups[name])] = [str(sum(row)) for row in values]
        elif name not in wide:
            columns[name] = list(texts)
    counts = [name for name in columns if name in file.counts or name in map(_span, groups.values())]
    note = f"Merged: {len(wide)} columns of weeks, {weeks} at a time."
    return read_columns(path, columns, _keys(file), counts, file.layout, [note])


def _summed(
    path: Path,
    file: CountFile,
    names: Sequence[str],
    keys: Sequence[Sequence[str]],
    note: str,
    rows: Sequence[int] | None = None,
) -> CountFile:
    """Sum the rows that have the same labels; of running totals and populations the last row of a span."""
    at = range(len(keys[0])) if rows is None else rows
    numbers = [name for name in file.columns if name in file.counts or name == file.layout.population]
    sums: dict[tuple[str, ...], dict[str, int]] = {}
    last = {name for name in numbers if rows is None and (file.layout.is_running(name) or name not in file.counts)}
    values: Mapping[str, list[int]] = {name: _numbers(file.columns[name]) for name in numbers}
    for row, labels in zip(at, zip(*keys, strict=True), strict=True):
        of = sums.setdefault(labels, dict.fromkeys(numbers, 0))
        for name in numbers:
            of[name] = values[name][row] if name in last else of[name] + values[name][row]
    columns: _Columns = {name: [labels[own] for labels in sums] for own, name in enumerate(names)}
    columns |= {name: [str(of[name]) for of in sums.values()] for name in numbers}
    return read_columns(path, columns, list(names), list(file.counts), file.layout, [note])


def _numbers(texts: Sequence[str]) -> list[int]:
    digits = ["".join(sign for sign in text.partition(".")[0] if sign.isdigit()) for text in texts]
    return [int(text or 0) for text in digits]


def how_to(file: CountFile) -> list[tuple[str, int, str]]:
    """Return the coarser versions that a table has: what to ask for, with the weeks and the column that it means."""
    weeks = [name for name in file.counts if _week(name, file.layout) is not None]
    long = any(
        all(_week(f"week {text}" if text.isdigit() else text, file.layout) or file.layout.is_total(text) for text in of)
        for of in (file.columns[name] for name in _keys(file))
    )
    ways = [(ask("merge_weeks", "4"), 4, "")] if len(weeks) > 1 or long else []
    ups = dict.fromkeys(up for own in file.parents.values() for up in own)
    return ways + [(ask("by", file.keys[up]), 0, file.keys[up]) for up in ups if file.keys[up] in file.columns]
