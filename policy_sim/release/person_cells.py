"""Key cells of a file in which a person may have several rows: classes count people, whose rows stay or go together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from policy_sim.records.formats import CodedTable
from policy_sim.release.conditions import ClassValues
from policy_sim.release.ladders import Hierarchy
from policy_sim.release.search import KeyCells, Node, NodeClasses, Suppression
from policy_sim.release.targets import RiskTarget
from policy_sim.words.arrays import BoolArray, IntArray


@dataclass(frozen=True, eq=False)
class PersonCells(KeyCells):
    """Key cells with the cell and the person of every row: sizes count people, whose rows stay or go together.

    The attacker knows the key values of one row of its target, so a class has the people with a row in it. A person
    with a row in a class that is too small leaves every class. Classes then shrink, until nobody has to leave.

    Examples
    --------
    Two people have a row at age 30, and one of them also has a row at 31. If classes need two people, both rows of
    that person are suppressed.

    >>> from policy_sim.records.formats import CodedColumn
    >>> from policy_sim.release.ladders import flat_ladder
    >>> from policy_sim.release.targets import RiskTarget
    >>> table = CodedTable({"age": CodedColumn.of(["30", "30", "30", "31"])})
    >>> person = np.array([0, 1, 2, 2])
    >>> cells = PersonCells.of_people(table, [flat_ladder("age", ["30", "31"])], person)
    >>> cells.suppressed_rows((0,), RiskTarget.parse("maximum", "k=2"), cells.row_cell).tolist()
    [False, False, True, True]
    """

    person: IntArray = field(repr=False, default_factory=lambda: np.zeros(0, dtype=np.int64))

    @classmethod
    def of_people(cls, table: CodedTable, ladders: Sequence[Hierarchy], person: IntArray) -> PersonCells:
        """Count the people in a table, numbered from 0, by the keys of their rows."""
        cells, row_cell = KeyCells.of_table(table, ladders)
        pairs = np.unique(np.stack([row_cell, person]), axis=1)
        people = np.bincount(pairs[0], minlength=len(cells.records)).astype(np.int64)
        return cls(cells.ladders, cells.codes, people, people, row_cell, person=person)

    @property
    def by_person(self) -> bool:
        """Whether classes count people, who may have rows in several."""
        return True

    @property
    def units(self) -> int:
        """Number of people in the file."""
        return len(np.unique(self.person))

    @cached_property
    def rows_of_cells(self) -> IntArray:
        """Number of rows of each cell."""
        return np.bincount(self.row_cell, minlength=len(self.records)).astype(np.int64)

    def classes(self, node: Node, finer: NodeClasses | None = None) -> NodeClasses:
        """Return the classes at a node; their records are the people with a row in them."""
        every = super().classes(node, finer)
        records = _counted(self._memberships(node)[0], len(every.cell))
        people = records if self.people is self.records else every.people
        number = self.class_of_cells(node)[self.row_cell]
        held = {name: column.by_class(number, len(records), self.person) for name, column in self.sensitive.items()}
        return NodeClasses(node, every.cell, records, people, held)

    def held_by(self, items: IntArray, group: IntArray, classes: int) -> Mapping[str, ClassValues]:
        """Return the sensitive values of classes of some rows, those of each person once."""
        return {
            name: replace(
                column.take(items).by_class(group, classes, self.person[items]), overall=self.held[name].totals()
            )
            for name, column in self.sensitive.items()
        }

    def _memberships(self, node: Node) -> tuple[IntArray, IntArray]:
        """Return each distinct pair of a class and a person with a row in it."""
        number = self.class_of_cells(node)[self.row_cell]
        most = int(self.person.max(initial=0)) + 1
        pairs = np.unique(number * most + self.person)
        return pairs // most, pairs % most

    def _leaving(self, classes: NodeClasses, target: RiskTarget) -> BoolArray:
        """Return for each person whether they have to leave the file."""
        number, person = self._memberships(classes.node)
        of_row = self.class_of_cells(classes.node)[self.row_cell] if self.sensitive else self.row_cell
        leaves = np.zeros(int(self.person.max(initial=0)) + 1, dtype=np.bool_)
        while True:
            stays = ~leaves[person]
            records = _counted(number[stays], len(classes.cell))
            people = records if classes.people is classes.records else classes.people
            rows = ~leaves[self.person] if self.sensitive else np.zeros(0, dtype=np.bool_)
            held = {
                name: column.take(rows).by_class(of_row[rows], len(records), self.person[rows])
                for name, column in self.sensitive.items()
            }
            suppressed = target.suppressed(records, people, held)
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
