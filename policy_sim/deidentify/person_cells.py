"""Files with several records per person: sizes count people, and all rows of a person are suppressed together.

The attacker knows the key values of one row of its target. A class contains the people with a row in it. A person
with a row in a class that is too small leaves every class. Classes then shrink, so the code repeats this until nobody
has to leave.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from policy_sim.arrays import BoolArray, IntArray
from policy_sim.deidentify.coded_columns import CodedTable
from policy_sim.deidentify.hierarchies import Hierarchy
from policy_sim.deidentify.key_cells import KeyCells, Node, NodeClasses, Suppression
from policy_sim.deidentify.risk_targets import RiskTarget

__all__ = ["PersonCells"]


@dataclass(frozen=True, eq=False)
class PersonCells(KeyCells):
    """Key cells with the person of every row.

    Parameters
    ----------
    row_cell : The cell of each row of the file.
    person : A number for the person of each row, from 0.

    Examples
    --------
    Two people have a row at age 30, and one of them also has a row at 31. If classes need two people, both rows of
    that person are suppressed.

    >>> from policy_sim.deidentify.coded_columns import CodedColumn
    >>> from policy_sim.deidentify.ladders import flat_ladder
    >>> table = CodedTable({"age": CodedColumn.of(["30", "30", "30", "31"])})
    >>> person = np.array([0, 1, 2, 2])
    >>> cells = PersonCells.of_people(table, [flat_ladder("age", ["30", "31"])], person)
    >>> cells.suppressed_rows((0,), RiskTarget.parse("maximum", "k=2"), cells.row_cell).tolist()
    [False, False, True, True]
    """

    row_cell: IntArray = field(repr=False, default_factory=lambda: np.zeros(0, dtype=np.int64))
    person: IntArray = field(repr=False, default_factory=lambda: np.zeros(0, dtype=np.int64))

    @classmethod
    def of_people(cls, table: CodedTable, ladders: Sequence[Hierarchy], person: IntArray) -> PersonCells:
        """Count the people in a table by the keys of their rows.

        Raises
        ------
        InputError : a value that is not in its field's ladder.
        """
        cells, row_cell = KeyCells.of_table(table, ladders)
        pairs = np.unique(np.stack([row_cell, person]), axis=1)
        people = np.bincount(pairs[0], minlength=len(cells.records)).astype(np.int64)
        return cls(cells.ladders, cells.codes, people, people, row_cell, person)

    @property
    def units(self) -> int:
        """Number of people in the file."""
        return len(np.unique(self.person))

    @cached_property
    def _rows(self) -> IntArray:
        return np.bincount(self.row_cell, minlength=len(self.records)).astype(np.int64)

    @property
    def rows_of_cells(self) -> IntArray:
        """Number of rows of each cell."""
        return self._rows

    def _extended(self, codes: NDArray[np.int32], records: IntArray, people: IntArray) -> KeyCells:
        return PersonCells(self.ladders, codes, records, people, self.row_cell, self.person)

    def classes(self, node: Node, finer: NodeClasses | None = None) -> NodeClasses:
        """Return the classes at a node; their records are the people with a row in them."""
        every = super().classes(node, finer)
        records = _counted(self._memberships(node)[0], len(every.cell))
        people = records if self.people is self.records else every.people
        return NodeClasses(node, every.cell, records, people)

    def _memberships(self, node: Node) -> tuple[IntArray, IntArray]:
        """Return each distinct pair of a class and a person with a row in it."""
        number = self.class_of_cells(node)[self.row_cell]
        most = int(self.person.max(initial=0)) + 1
        pairs = np.unique(number * most + self.person)
        return pairs // most, pairs % most

    def _leaving(self, classes: NodeClasses, target: RiskTarget) -> BoolArray:
        """Return for each person whether they have to leave the file."""
        number, person = self._memberships(classes.node)
        leaves = np.zeros(int(self.person.max(initial=0)) + 1, dtype=np.bool_)
        while True:
            stays = ~leaves[person]
            records = _counted(number[stays], len(classes.cell))
            people = records if classes.people is classes.records else classes.people
            suppressed = target.suppressed(records, people)
            if not suppressed.any():
                return leaves
            leaves[person[stays & suppressed[number]]] = True

    def suppression(self, classes: NodeClasses, target: RiskTarget) -> Suppression:
        """Return the people who have to leave, and their rows."""
        leaves = self._leaving(classes, target)
        rows = np.bincount(self.row_cell[leaves[self.person]], minlength=len(self.records)).astype(np.int64)
        lost = np.flatnonzero(rows)
        return Suppression(int(leaves.sum()), lost, rows[lost])

    def suppressed_rows(self, node: Node, target: RiskTarget, row_cell: IntArray) -> BoolArray:  # noqa: ARG002
        """Return for each row whether its person has to leave."""
        return self._leaving(self.classes(node), target)[self.person]


def _counted(number: IntArray, classes: int) -> IntArray:
    """Return how often each class occurs among distinct pairs of a class and a person."""
    return np.bincount(number, minlength=classes).astype(np.int64)
