"""A table of counts: its cells, and which of them add up to which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from policy_sim.words.arrays import BoolArray
from policy_sim.words.errors import InputError

Key = tuple[str, ...]

PUBLISHED = "published"
PRIMARY = "primary"  # a rule hides it
COMPLEMENTARY = "complementary"  # hidden so that no primary cell follows
ZERO = "zero"  # published, and 0
MISSING = "missing"  # nobody reported it: it counts nothing in a total
STATUSES = (PUBLISHED, PRIMARY, COMPLEMENTARY, ZERO, MISSING)
HIDDEN = frozenset({PRIMARY, COMPLEMENTARY})


class Cell(NamedTuple):
    """One count; ``value`` is None where it is missing, or hidden from whoever asks."""

    key: Key
    value: int | None
    status: str = PUBLISHED
    margin: bool = False  # a total of the layout; a total of weeks so far is none


class Relation(NamedTuple):
    """``total`` is the sum of ``parts``; ``why`` says which sum it is, such as "row Allen"."""

    total: Key
    parts: tuple[Key, ...]
    why: str = ""


@dataclass(frozen=True)
class Table:
    """Cells and the relations between them; several linked tables or weeks are one table of more cells.

    A key that is twice or not there, a value that does not fit its status and a wrong total are an InputError.

    >>> cells = (Cell(("T",), 12), Cell(("a",), 1, PRIMARY), Cell(("b",), 11))
    >>> row = Table(cells, (Relation(("T",), (("a",), ("b",))),))
    >>> row[("a",)].value, row.hidden.tolist()
    (1, [False, True, False])
    """

    cells: tuple[Cell, ...]
    relations: tuple[Relation, ...] = ()

    def __post_init__(self) -> None:
        if len(self.index) != len(self.cells):
            twice = next(cell.key for at, cell in enumerate(self.cells) if self.index[cell.key] != at)
            raise InputError(f"cell {named(twice)} is in the table twice. Give each combination of labels once.")
        for cell in self.cells:
            if cell.status not in STATUSES:
                raise InputError(f"cell {named(cell.key)}: status {cell.status!r} is not one of {', '.join(STATUSES)}.")
            fits = cell.value is None or (cell.value >= 0 and cell.status != MISSING)
            if cell.status in (PUBLISHED, ZERO):
                fits = fits and cell.value is not None and (cell.status == ZERO) == (cell.value == 0)
            if not fits:
                raise InputError(f"cell {named(cell.key)}: {cell.value} does not fit the status {cell.status!r}.")
        for relation in self.relations:
            self._check_relation(relation)

    @cached_property
    def index(self) -> dict[Key, int]:
        """The place of each key among the cells."""
        return {cell.key: at for at, cell in enumerate(self.cells)}

    @cached_property
    def hidden(self) -> BoolArray:
        """Which cells a reader does not see, though there is a count."""
        return np.array([cell.status in HIDDEN for cell in self.cells], dtype=np.bool_)

    def __getitem__(self, key: Key) -> Cell:
        """Return the cell of a key."""
        return self.cells[self.index[key]]

    def with_statuses(self, statuses: Mapping[Key, str]) -> Table:
        """Return the table with other statuses for some of its cells."""
        cells = (cell._replace(status=statuses.get(cell.key, cell.status)) for cell in self.cells)
        return Table(tuple(cells), self.relations)

    def _check_relation(self, relation: Relation) -> None:
        keys = (relation.total, *relation.parts)
        unknown = [key for key in keys if key not in self.index]
        if unknown or not relation.parts or len(set(keys)) != len(keys):
            wrong = f"cell {named(unknown[0])} is not in the table" if unknown else "a total needs parts, each once"
            raise InputError(f"{_sum_named(relation)}: {wrong}.")
        total = self[relation.total]
        if total.status == MISSING or any(self[key].status in HIDDEN and self[key].value is None for key in keys):
            return
        parts = sum(self[key].value or 0 for key in relation.parts)  # a missing cell counts nothing
        if parts != total.value:
            raise InputError(
                f"{_sum_named(relation)} is {total.value:,}, but its {len(relation.parts)} parts add up to {parts:,}. "
                "Correct the counts, or leave this total out. Labels that are totals of others go in their own column."
            )


def named(key: Key) -> str:
    """Write a key as a reader would: its labels, with a comma between."""
    return ", ".join(key) or "(no label)"


def _sum_named(relation: Relation) -> str:
    return f"total {named(relation.total)}" + (f" ({relation.why})" if relation.why else "")
