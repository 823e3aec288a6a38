"""The classes of a sample and their values: what a log-linear model reads."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
import numpy.typing as npt

from policy_sim.arrays import IntArray
from policy_sim.errors import InputError
from policy_sim.groups.size_histogram import SizeHistogram

__all__ = ["ClassTable"]


@dataclass(frozen=True, eq=False)
class ClassTable:
    """One row per class: the code of its value in each key field, and its size.

    Parameters
    ----------
    codes : Shape (classes, fields), >= 0; a code is a value's place in its field's list of values.
    size : Records in each class, >= 0; shape (classes,). A class of the population that the sample missed is empty.
    fields : Names of the fields, for messages and results.

    Raises
    ------
    InputError : shapes that do not fit, or negative codes or sizes.
    """

    codes: IntArray
    size: IntArray
    fields: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.codes.ndim != 2 or self.codes.shape != (self.size.size, len(self.fields)):
            raise InputError(
                f"codes have shape {self.codes.shape}; {self.size.size} classes of {len(self.fields)} fields "
                f"need {(self.size.size, len(self.fields))}."
            )
        if not self.fields:
            raise InputError("a class table needs at least one field.")
        if self.size.size and (self.codes.min() < 0 or self.size.min() < 0):
            raise InputError("codes and class sizes must not be negative.")

    @classmethod
    def from_records(cls, codes: npt.ArrayLike, fields: tuple[str, ...] | None = None) -> ClassTable:
        """Gather records (rows of codes, one column per field) into classes.

        Examples
        --------
        >>> table = ClassTable.from_records([[0, 1], [0, 1], [1, 0]], ("sex", "race"))
        >>> table.size.tolist(), table.sizes.to_dict()
        ([2, 1], {1: 1, 2: 1})
        """
        records = np.asarray(codes)
        if records.ndim != 2 or records.shape[1] == 0 or records.dtype.kind not in "iu":
            raise InputError("codes must be whole numbers, one row per record and one column per field.")
        names = fields or tuple(f"field {i + 1}" for i in range(records.shape[1]))
        rows, size = np.unique(records.astype(np.int64), axis=0, return_counts=True)
        return cls(rows, size.astype(np.int64), names)

    @cached_property
    def sizes(self) -> SizeHistogram:
        """The class sizes alone, without empty classes."""
        return SizeHistogram.from_classes(self.size)

    def with_sizes(self, size: IntArray) -> ClassTable:
        """Return the same classes with other sizes."""
        return ClassTable(self.codes, size, self.fields)

    @cached_property
    def _compact(self) -> tuple[tuple[int, ...], tuple[IntArray, ...], IntArray]:
        """The values that occur in each field, and the classes' codes among them, without empty classes."""
        seen = self.size > 0
        columns, levels = [], []
        for column in self.codes[seen].T:
            values, place = np.unique(column, return_inverse=True)
            levels.append(int(values.size))
            columns.append(place.astype(np.int64))
        return tuple(levels), tuple(columns), self.size[seen]

    @property
    def cells(self) -> int:
        """Number of cells in the cross product of the values that occur in each field, occupied or not."""
        return prod(self._compact[0])

    def dense(self) -> npt.NDArray[np.float64]:
        """Return the counts of every cell of the cross product; one axis per field."""
        levels, columns, size = self._compact
        counts = np.zeros(levels)
        np.add.at(counts, columns, size)
        return counts
