"""A generalization hierarchy: for each value of a field, the label that replaces it at each level.

A level is one step of the ladder for all rows of a field. The classes of a level do not overlap, and a coarser level
never splits a class of a finer one. If the last level has one label for every value, the field is suppressed, and a
missing value gets that label too.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from policy_sim.arrays import FloatArray
from policy_sim.errors import InputError

__all__ = ["GONE", "Hierarchy", "given_hierarchy"]

GONE = "*"


@dataclasses.dataclass(frozen=True, eq=False)
class Hierarchy:
    """The ladder of one field.

    Parameters
    ----------
    field : The field.
    values : The values at the bottom of the ladder, each once: those of the file, or of a wider domain.
    labels : Label of each value at each level; shape (levels, values). Level 0 is the finest.
    names : Name of each level, such as ``month``.

    Raises
    ------
    InputError : a level that splits a class of the level below it.

    Examples
    --------
    >>> ladder = Hierarchy("age", ("31", "34", "42"), (("31", "34", "42"), ("30-39", "30-39", "40-49")), ("1", "10"))
    >>> ladder.height, ladder.losses(1).tolist()
    (1, [0.0, 0.5, 0.5, 0.0])
    """

    field: str
    values: tuple[str, ...] = dataclasses.field(repr=False)
    labels: tuple[tuple[str, ...], ...] = dataclasses.field(repr=False)
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.names) != len(self.labels) or any(len(level) != len(self.values) for level in self.labels):
            raise InputError(f"the hierarchy of {self.field} does not have one label per value and level.")
        for level in range(self.height):
            pairs = len(set(zip(self.labels[level], self.labels[level + 1], strict=True)))
            if pairs != len(set(self.labels[level])):
                raise InputError(
                    f"the hierarchy of {self.field} is not nested: level {level + 1} ({self.names[level + 1]}) splits "
                    f"a class of level {level} ({self.names[level]}). Each level must merge whole classes."
                )

    @property
    def height(self) -> int:
        """The coarsest level."""
        return len(self.labels) - 1

    def is_gone(self, level: int) -> bool:
        """Return whether a level suppresses the field: all values have the one label :data:`GONE`."""
        return set(self.labels[level]) <= {GONE}

    def texts(self, level: int) -> tuple[str, ...]:
        """Return the labels of a level: first of a missing value, then of each value."""
        return (GONE if self.is_gone(level) else "", *self.labels[level])

    def groups(self, level: int) -> tuple[NDArray[np.int64], int]:
        """Return the class of a missing value and of each value at a level, and the number of classes.

        Classes are numbered from 0 in the order in which they first occur; the first is that of a missing value.
        """
        place: dict[str, int] = {}
        numbers = [place.setdefault(text, len(place)) for text in self.texts(level)]
        return np.array(numbers, dtype=np.int64), len(place)

    def losses(self, level: int) -> FloatArray:
        """Return the loss of each value, ``(m - 1) / (D - 1)``: the share of the ladder's values that it may stand for.

        ``m`` values have the released label, and the ladder has ``D`` values. A missing value loses nothing until the
        field is suppressed, where it has the same label as the others. Shape (1 + values,), each 0 to 1.
        """
        texts = self.labels[level]
        number: dict[str, int] = {}
        for text in texts:
            number[text] = number.get(text, 0) + 1
        domain = max(len(self.values) - 1, 1)
        losses = [(number[text] - 1) / domain for text in texts]
        return np.array([losses[0] if losses and self.is_gone(level) else 0.0, *losses])

    def over(self, values: Sequence[str]) -> NDArray[np.int64]:
        """Return the position in the ladder of a missing value, which is 0, and of each of a column's values.

        Raises
        ------
        InputError : values that are not in the ladder; the message has their number, never a value.
        """
        place = {value: code for code, value in enumerate(self.values, 1)}
        absent = sum(value not in place for value in values)
        if absent:
            raise InputError(
                f"{absent:,} of the {len(values):,} values of {self.field} are not in its hierarchy: add them, or "
                f"declare the codes for a missing value."
            )
        return np.array([0, *(place[value] for value in values)], dtype=np.int64)


def given_hierarchy(name: str, rows: Sequence[Sequence[str]], names: Sequence[str] = ()) -> Hierarchy:
    """Return the ladder of a table: one row per value, first the value, then its label at each level.

    ARX stores hierarchies in this form.

    Parameters
    ----------
    name : The field.
    rows : Value and labels; all rows of one length.
    names : Names of the levels, first that of the values themselves; by default their numbers.

    Raises
    ------
    InputError : no row, rows of unequal length, a value that appears twice, or levels that are not nested.

    Examples
    --------
    >>> given_hierarchy("sex", [("Male", "*"), ("Female", "*")]).height
    1
    """
    if not rows or len({len(row) for row in rows}) != 1 or not rows[0]:
        raise InputError(f"the hierarchy of {name} needs rows of one length: a value, then one label per level.")
    columns = tuple(tuple(column) for column in zip(*rows, strict=True))
    if len(set(columns[0])) != len(columns[0]):
        raise InputError(f"the hierarchy of {name} names a value twice; give each value once.")
    return Hierarchy(name, columns[0], columns, tuple(names) or tuple(str(level) for level in range(len(columns))))
