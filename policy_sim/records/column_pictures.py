"""How the values of a column lie, drawn without any of them; and the values themselves, for who asks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from policy_sim.records.covered_values import as_number
from policy_sim.records.formats import CodedColumn, CodedTable
from policy_sim.words.telling import each

BARS = 12
_NEARLY_ALL = 0.95


@dataclass(frozen=True)
class ColumnPicture:
    """A column in a few numbers: rows with a value and without, different values, and ``bars`` of rows.

    Where ``in_order``, the bars are of numbers, from the smallest to the largest in classes of one width; otherwise of
    the most frequent values, from the first on.
    """

    filled: int
    missing: int
    distinct: int
    bars: tuple[int, ...]
    in_order: bool


def column_pictures(table: CodedTable) -> dict[str, ColumnPicture]:
    """Return the picture of each column."""
    return {name: _picture(column) for name, column in each(table.columns.items(), "looking at values")}


def _picture(column: CodedColumn) -> ColumnPicture:
    rows = np.bincount(column.codes, minlength=len(column.values) + 1)
    missing, rows = int(rows[0]), rows[1:]
    filled, distinct = int(rows.sum()), int((rows > 0).sum())
    read = [as_number(text) for text in column.values]
    is_number = np.array([number is not None and np.isfinite(number) for number in read], dtype=np.bool_)
    if distinct > BARS and rows[is_number].sum() >= _NEARLY_ALL * filled:
        numbers = np.array(read, dtype=np.float64)[is_number]
        counts = np.histogram(numbers, BARS, weights=rows[is_number])[0]
        return ColumnPicture(filled, missing, distinct, tuple(map(int, counts)), in_order=True)
    bars = np.sort(rows[rows > 0])[::-1][:BARS]
    return ColumnPicture(filled, missing, distinct, tuple(map(int, bars)), in_order=False)


def frequent_values(column: CodedColumn, most: int = 30) -> list[tuple[str, int]]:
    """Return the most frequent values of a column, with the rows of each."""
    rows = column.rows_of_values()
    return sorted(((text, number) for text, number in rows.items() if number), key=lambda pair: (-pair[1], pair[0]))[
        :most
    ]
