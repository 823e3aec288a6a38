"""The classes of a file: records that agree in every key field, as whole numbers only.

A class has one code per field and no values. The code is the position of the value among the field's sorted values,
and 0 stands for a missing value. Nothing in this package can print a record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from policy_sim.arrays import IntArray
from policy_sim.errors import IncompatibleError, InputError
from policy_sim.groups.size_histogram import SizeHistogram

__all__ = ["Classes", "number_groups"]


# Up to this many possible combinations, one counter per combination is faster than a sort of those that occur.
_DENSE = 4_000_000
_LARGEST = 2**62


@dataclass(frozen=True, eq=False)
class Classes:
    """Every class of a file, with its size.

    Parameters
    ----------
    fields : Names of the key fields.
    codes : Code of each class in each field: 0 for missing, otherwise 1 to the number of the field's values; shape
        (classes, fields).
    sizes : Records of each class, >= 1; shape (classes,).
    values : Number of values of each field in the file, without the missing one.
    """

    fields: tuple[str, ...]
    codes: NDArray[np.int32] = field(repr=False)
    sizes: IntArray = field(repr=False)
    values: tuple[int, ...]

    def __post_init__(self) -> None:
        if self.codes.shape != (len(self.sizes), len(self.fields)) or len(self.values) != len(self.fields):
            raise InputError(
                f"codes of shape {self.codes.shape} do not fit {len(self.sizes)} classes of {len(self.fields)} fields."
            )

    @classmethod
    def of_rows(cls, rows: Sequence[Sequence[object]], fields: Sequence[str]) -> Classes:
        """Return the classes of records given as rows; ``None`` is a missing value.

        Examples
        --------
        >>> Classes.of_rows([("F", 30), ("F", 30), ("M", None)], ("sex", "age")).sizes.tolist()
        [2, 1]
        """
        columns = list(zip(*rows, strict=True)) if rows else [()] * len(fields)
        value_lists = [sorted({str(v) for v in column if v is not None}) for column in columns]
        place = [{value: code for code, value in enumerate(names, 1)} for names in value_lists]
        codes = np.array(
            [[0 if v is None else place[i][str(v)] for i, v in enumerate(row)] for row in rows], dtype=np.int32
        ).reshape(len(rows), len(fields))
        distinct, sizes = np.unique(codes, axis=0, return_counts=True)
        return cls(tuple(fields), distinct, sizes.astype(np.int64), tuple(len(names) for names in value_lists))

    @cached_property
    def records(self) -> int:
        """Number of records in all classes."""
        return int(self.sizes.sum())

    @property
    def number(self) -> int:
        """Number of classes."""
        return len(self.sizes)

    @cached_property
    def histogram(self) -> SizeHistogram:
        """Number of classes of each size."""
        return SizeHistogram.from_classes(self.sizes)

    @cached_property
    def missing(self) -> tuple[int, ...]:
        """Number of records that miss each field."""
        return tuple(int(self.sizes[self.codes[:, i] == 0].sum()) for i in range(len(self.fields)))

    def complete(self) -> Classes:
        """Return the classes with no missing field."""
        full = (self.codes > 0).all(axis=1)
        return self if full.all() else Classes(self.fields, self.codes[full], self.sizes[full], self.values)

    def only(self, fields: Sequence[str]) -> Classes:
        """Return the classes of the same records on some of the fields."""
        at = [self.fields.index(name) for name in fields]
        group, number = number_groups([self.codes[:, i] for i in at], [self.values[i] for i in at], self.number)
        sizes = np.bincount(group, weights=self.sizes, minlength=number).astype(np.int64)
        row = np.zeros(number, dtype=np.int64)
        row[group] = np.arange(self.number)
        return Classes(tuple(fields), self.codes[row][:, at], sizes, tuple(self.values[i] for i in at))

    def check_same_fields(self, other: Classes) -> None:
        """Raise an error if the classes are on other fields.

        Raises
        ------
        IncompatibleError : the fields or the number of their values differ.
        """
        if (self.fields, self.values) != (other.fields, other.values):
            raise IncompatibleError(
                f"classes on {', '.join(self.fields)} and on {', '.join(other.fields)} do not share their codes."
            )


def number_groups(columns: Sequence[NDArray[Any]], values: Sequence[int], rows: int) -> tuple[IntArray, int]:
    """Number the distinct combinations of codes 0, 1, ... without gaps.

    Parameters
    ----------
    columns : Codes of each field, 0 to the field's number of values; shape (rows,) each.
    values : Number of values of each field.
    rows : Length of the columns; needed if there are no columns.

    Returns
    -------
    The number of each row, and how many different numbers there are.
    """
    group, size = np.zeros(rows, dtype=np.int64), 1
    for column, number in zip(columns, values, strict=True):
        if size * (number + 1) >= _LARGEST:
            group, size = _without_gaps(group, size)
        group = group * (number + 1) + column
        size *= number + 1
    return _without_gaps(group, size)


def _without_gaps(group: IntArray, size: int) -> tuple[IntArray, int]:
    if size > max(_DENSE, len(group)):
        distinct, again = np.unique(group, return_inverse=True)
        return again.astype(np.int64), len(distinct)
    seen = np.zeros(size, dtype=bool)
    seen[group] = True
    return (np.cumsum(seen) - 1)[group], int(seen.sum())
