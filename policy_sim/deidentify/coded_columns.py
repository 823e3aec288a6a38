"""A table of records as codes: each value once, as text, and one whole number per row and column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from policy_sim.errors import InputError, UnknownNameError
from policy_sim.records.column_kinds import ColumnValues

__all__ = ["CodedColumn", "CodedTable", "column_values"]


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """One column of a table.

    Parameters
    ----------
    codes : 0 for each row without a value, otherwise the position of its value, from 1; shape (rows,).
    values : The distinct values as text, without an empty one.

    Examples
    --------
    >>> column = CodedColumn.of(["F", "M", "", "F"])
    >>> column.values, column.codes.tolist()
    (('F', 'M'), [1, 2, 0, 1])
    """

    codes: NDArray[np.int32] = field(repr=False)
    values: tuple[str, ...]

    @classmethod
    def of(cls, texts: Iterable[str | None], missing: Sequence[str] = ("",)) -> CodedColumn:
        """Return the column of these texts; ``missing`` lists the codes for a missing value."""
        rows = [None if text is None or text in missing else text for text in texts]
        values = sorted({text for text in rows if text is not None})
        place = {text: code for code, text in enumerate(values, 1)}
        codes = np.array([0 if text is None else place[text] for text in rows], dtype=np.int32)
        return cls(codes, tuple(values))

    def texts(self) -> NDArray[np.object_]:
        """Return the text of each row; empty where the value is missing."""
        return np.array(["", *self.values], dtype=object)[self.codes]

    def take(self, rows: NDArray[np.integer] | NDArray[np.bool_]) -> CodedColumn:
        """Return the column of some rows, with the same codes."""
        return CodedColumn(self.codes[rows], self.values)

    def relabeled(self, labels: Sequence[str]) -> CodedColumn:
        """Return the column with a new text for each value; values with the same new text become one value.

        Parameters
        ----------
        labels : The new text of a missing value, then of each value in the order of the codes. An empty text is a
            missing value.

        Examples
        --------
        >>> CodedColumn.of(["12", "17", ""]).relabeled(["", "10-19", "10-19"]).values
        ('10-19',)
        """
        values = sorted(set(labels) - {""})
        place = {"": 0, **{text: code for code, text in enumerate(values, 1)}}
        return CodedColumn(np.array([place[text] for text in labels], dtype=np.int32)[self.codes], tuple(values))

    def blanked(self, rows: NDArray[np.bool_]) -> CodedColumn:
        """Return the column without the values of some rows."""
        return CodedColumn(np.where(rows, 0, self.codes).astype(np.int32), self.values)

    @property
    def missing(self) -> int:
        """Which rows have no value."""
        return int((self.codes == 0).sum())


@dataclass(frozen=True, eq=False)
class CodedTable:
    """A table of records: named columns of one length.

    Raises
    ------
    InputError : there are no columns, or the columns differ in length.

    Examples
    --------
    >>> table = CodedTable({"sex": CodedColumn.of(["F", "M"]), "age": CodedColumn.of(["30", "41"])})
    >>> table.rows, table.names
    (2, ('sex', 'age'))
    """

    columns: Mapping[str, CodedColumn] = field(repr=False)

    def __post_init__(self) -> None:
        if len({len(column.codes) for column in self.columns.values()}) != 1:
            raise InputError("a table needs at least one column, and all columns of one length.")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(self.columns)

    @property
    def rows(self) -> int:
        """Number of records."""
        return len(next(iter(self.columns.values())).codes)

    def __getitem__(self, name: str) -> CodedColumn:
        """Return a column.

        Raises
        ------
        UnknownNameError : the table has no such column.
        """
        if name not in self.columns:
            raise UnknownNameError("column", name, self.columns)
        return self.columns[name]

    def take(self, rows: NDArray[np.integer] | NDArray[np.bool_]) -> CodedTable:
        """Return the table of some rows."""
        return CodedTable({name: column.take(rows) for name, column in self.columns.items()})

    def with_columns(self, changed: Mapping[str, CodedColumn]) -> CodedTable:
        """Return the table with these columns in place of those of the same name."""
        return CodedTable({name: changed.get(name, column) for name, column in self.columns.items()})

    def without(self, names: Sequence[str]) -> CodedTable:
        """Return the table without some columns."""
        return CodedTable({name: column for name, column in self.columns.items() if name not in names})


def column_values(name: str, column: CodedColumn) -> ColumnValues:
    """Return a column's distinct values with their records."""
    counts = np.bincount(column.codes, minlength=len(column.values) + 1)
    return ColumnValues(name, column.values, counts[1:].astype(np.int64), int(counts[0]))
