"""Rows counted by key where a person has several: classes count the people who have what an attacker knows of one.

All rows of a person stay or go together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
import pandas as pd

from policy_sim.formulas.known_rows import KnownRows, known_rows
from policy_sim.records.classes import occurring
from policy_sim.records.formats import CodedTable
from policy_sim.release.cells import KeyCells, Node, NodeClasses, Suppression
from policy_sim.release.conditions import ClassValues
from policy_sim.release.ladders import Hierarchy
from policy_sim.release.targets import ReleaseRisk, RiskTarget
from policy_sim.words.arrays import BoolArray, IntArray


@dataclass(frozen=True, eq=False)
class PersonCells(KeyCells):
    """Key cells with the cell and the person of every row, for an attacker who knows any one row of its target.

    A class has the people with a row in it. A person with a row in a class that is too small leaves every class.
    Classes then shrink, until nobody has to leave. Persons are numbered from 0 without gaps.
    """

    by_person: ClassVar[bool] = True
    known: ClassVar[str] = "1"
    person: IntArray = field(repr=False, default_factory=lambda: np.zeros(0, dtype=np.int64))

    @classmethod
    def of_people(cls, table: CodedTable, ladders: Sequence[Hierarchy], person: IntArray) -> Self:
        """Count the people in a table, by any number of each, by the keys of their rows."""
        cells = KeyCells.of_table(table, ladders)
        whose = np.unique(person, return_inverse=True)[1].astype(np.int64)
        people = known_rows(cells.row_cell, whose, "1").sizes
        return cls(cells.ladders, cells.codes, people, people, cells.row_cell, person=whose)

    def risk(self) -> ReleaseRisk:
        """Return the risk of the file as it is."""
        known = known_rows(self.row_cell, self.person, self.known)
        people = known.sizes
        if self.known == "1" and self.people is not self.records:
            people = self.people[occurring(self.row_cell)]
        return ReleaseRisk(self.units, len(self.person), known.sizes, people, known=known)

    @property
    def units(self) -> int:
        """Number of people in the file."""
        return int(self.person.max(initial=-1)) + 1

    @cached_property
    def rows_of_cells(self) -> IntArray:
        """Number of rows of each cell."""
        return np.bincount(self.row_cell, minlength=len(self.records)).astype(np.int64)

    def classes(self, node: Node, finer: NodeClasses | None = None) -> NodeClasses:
        """Return the classes at a node; their records are the people with a row in them."""
        every = super().classes(node, finer)
        records, held = self._counted_at(node, len(every.cell), np.ones(len(self.person), dtype=np.bool_))
        people = records if self.people is self.records else every.people
        return NodeClasses(node, every.cell, records, people, held)

    @cached_property
    def _rows_by_cell(self) -> tuple[IntArray, IntArray]:
        """The rows in the order of their cells, and the place of each cell's first."""
        return np.argsort(self.row_cell, kind="stable"), np.cumsum(self.rows_of_cells) - self.rows_of_cells

    def counted_in(
        self, cells: IntArray, group: IntArray, classes: int, stays: BoolArray
    ) -> tuple[IntArray, Mapping[str, ClassValues]]:
        """Return the people and the sensitive values of classes of some cells, those of each person once."""
        (order, first), many = self._rows_by_cell, self.rows_of_cells[cells]
        rows = order[places(first[cells], many)]
        of_row, rows = np.repeat(group, many)[stays[rows]], rows[stays[rows]]
        most = int(self.person.max(initial=0)) + 1
        pairs = pd.unique(of_row * most + self.person[rows])
        held = {
            name: column.take(rows).by_class(of_row, classes, self.person[rows])
            for name, column in self.sensitive.items()
        }
        return np.bincount(pairs // most, minlength=classes).astype(np.int64), held

    def _counted_at(self, node: Node, classes: int, stays: BoolArray) -> tuple[IntArray, Mapping[str, ClassValues]]:
        return self.counted_in(np.arange(len(self.records)), self.class_of_cells(node), classes, stays)

    def _leaving(self, classes: NodeClasses, target: RiskTarget) -> BoolArray:
        """Return for each person whether they have to leave the file."""
        of_row = self.class_of_cells(classes.node)[self.row_cell]
        leaves = np.zeros(self.units, dtype=np.bool_)
        while True:
            stays = ~leaves[self.person]
            records, held = self._counted_at(classes.node, len(classes.cell), stays)
            people = records if classes.people is classes.records else self.people_known(classes)
            remaining = KnownRows(of_row[stays], self.person[stays], len(records), self.units)
            members = _members(remaining, target.size_of(records, people), target)
            suppressed = target.suppressed(records, people, held, members)
            if not suppressed.any():
                return leaves
            leaves[self.person[stays & suppressed[of_row]]] = True

    def suppression(self, classes: NodeClasses, target: RiskTarget) -> Suppression:
        """Return the people who have to leave, and their rows."""
        return self._suppression(self._leaving(classes, target))

    def _suppression(self, leaves: BoolArray) -> Suppression:
        rows = np.bincount(self.row_cell[leaves[self.person]], minlength=len(self.records)).astype(np.int64)
        lost = np.flatnonzero(rows)
        return Suppression(int(leaves.sum()), lost, rows[lost])

    def suppressed_rows(self, node: Node, target: RiskTarget) -> BoolArray:
        """Return for each row whether its person has to leave."""
        return self._leaving(self.classes(node), target)[self.person]


def places(first: IntArray, many: IntArray) -> IntArray:
    """Return the places from each first one on, so many of each, one after the other.

    >>> places(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    within: IntArray = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)
    return within + np.repeat(first, many)


def _members(known: KnownRows, size: IntArray, target: RiskTarget) -> IntArray | None:
    """Return of how many people each class is a smallest one, where a mean over people counts."""
    return None if target.measure == "maximum" else known.members(size)


@dataclass(frozen=True, eq=False)
class PairCells(PersonCells):
    """Key cells of people, for an attacker who knows any two rows of its target: classes are of pairs of rows."""

    known: ClassVar[str] = "2"

    def classes(self, node: Node, finer: NodeClasses | None = None) -> NodeClasses:
        """Return the classes of single rows at a node, of which pairs are made only where they are counted."""
        return KeyCells.classes(self, node, finer)

    def staying(self, node: Node, target: RiskTarget, among: BoolArray) -> BoolArray:
        """Return for each person, of some of them, whether they meet a target at a node without the others."""
        rows = among[self.person]
        of_some = np.cumsum(among) - 1
        known = self._known(node, rows, of_some[self.person[rows]])
        leaves = np.zeros(known.people, dtype=np.bool_)
        while True:
            left = ~leaves[known.person]
            records = np.bincount(known.group[left], minlength=known.number).astype(np.int64)
            remaining = KnownRows(known.group[left], known.person[left], known.number, known.people)
            members = _members(remaining, records, target)
            suppressed = target.suppressed(records, records, members=members)
            if not suppressed.any():
                break
            leaves[known.person[left & suppressed[known.group]]] = True
        stays = np.zeros_like(among)
        stays[np.flatnonzero(among)[~leaves]] = True
        return stays

    def _known(self, node: Node, rows: BoolArray, person: IntArray) -> KnownRows:
        return known_rows(self.class_of_cells(node)[self.row_cell[rows]], person, self.known)

    def _leaving(self, classes: NodeClasses, target: RiskTarget) -> BoolArray:
        return ~self.staying(classes.node, target, np.ones(self.units, dtype=np.bool_))


@dataclass(frozen=True, eq=False)
class HistoryCells(PairCells):
    """Key cells of people, for an attacker who knows all rows of its target: a class is of people with equal rows.

    Its cell is the number of one of these people, and its records the people. Nobody is in two classes, so that those
    who leave make no other class smaller, and classes of a coarser node are sums of those of a finer.
    """

    known: ClassVar[str] = "all"

    @cached_property
    def _rows_by_person(self) -> tuple[IntArray, IntArray, IntArray]:
        """The rows in the order of their persons, the place of each person's first, and how many each has."""
        many = np.bincount(self.person, minlength=self.units)
        return np.argsort(self.person, kind="stable"), np.cumsum(many) - many, many

    def _cells_of(self, people: IntArray) -> tuple[IntArray, IntArray]:
        """Return the cells of all rows of some people, one person after the other, and how many each has."""
        order, first, many = self._rows_by_person
        return self.row_cell[order[places(first[people], many[people])]], many[people]

    @cached_property
    def _values(self) -> Mapping[str, ClassValues]:
        """The sensitive values of each person."""
        return {name: column.by_class(self.person, self.units, self.person) for name, column in self.sensitive.items()}

    def classes(self, node: Node, finer: NodeClasses | None = None) -> NodeClasses:
        """Return the classes of people at a node, summed from those of a finer node if one is given."""
        everyone = np.arange(self.units)
        cell, records, held = (everyone, np.ones_like(everyone), self._values)
        if finer is not None:
            cell, records, held = finer.cell, finer.records, finer.held
        cells, many = self._cells_of(cell)
        own = np.repeat(np.arange(len(cell)), many)
        known = known_rows(self.class_of_cells(node)[cells], own, self.known)
        one_of_each = np.zeros(known.number, dtype=np.int64)
        one_of_each[known.group[::-1]] = cell[::-1]
        people = np.bincount(known.group, weights=records, minlength=known.number).astype(np.int64)
        of_classes = {name: _merged(values, known.group, known.number) for name, values in held.items()}
        return NodeClasses(node, one_of_each, people, people, of_classes)

    def staying(self, node: Node, target: RiskTarget, among: BoolArray) -> BoolArray:
        """Return for each person, of some of them, whether they meet a target at a node without the others."""
        rows, people = among[self.person], np.flatnonzero(among)
        known = self._known(node, rows, (np.cumsum(among) - 1)[self.person[rows]])
        of_person = np.full(self.units, -1, dtype=np.int64)
        of_person[people] = known.group
        held = {  # closeness compares a class with all people of the file
            name: replace(_merged(values, of_person, known.number), overall=values.totals())
            for name, values in self._values.items()
        }
        stays = np.zeros_like(among)
        stays[people] = ~target.suppressed(known.sizes, known.sizes, held)[known.group]
        return stays

    def suppression(self, classes: NodeClasses, target: RiskTarget) -> Suppression:
        """Return the people who have to leave, and their rows; those of one person stand for a class."""
        suppressed = target.suppressed(classes.records, classes.records, classes.held)
        cells, many = self._cells_of(classes.cell[suppressed])
        people = classes.records[suppressed]
        return Suppression(int(people.sum()), cells, np.repeat(people, many))

    def suppressed_rows(self, node: Node, target: RiskTarget) -> BoolArray:
        """Return for each row whether its person has to leave."""
        everyone = np.ones(len(self.person), dtype=np.bool_)
        known = self._known(node, everyone, self.person)
        held = {name: _merged(values, known.group, known.number) for name, values in self._values.items()}
        suppressed = target.suppressed(known.sizes, known.sizes, held)
        return np.asarray(suppressed[known.group][self.person], dtype=np.bool_)


def _merged(values: ClassValues, group: IntArray, classes: int) -> ClassValues:
    """Return the values of classes of people, each of whom may have several: ``group`` is that of each, or -1."""
    counted = group >= 0
    bearers = np.bincount(group[counted], weights=values.bearers[counted], minlength=classes).astype(np.int64)
    return replace(values.merged(group, classes), bearers=bearers)


CELLS_OF: Mapping[str, type[PersonCells]] = {cells.known: cells for cells in (PersonCells, PairCells, HistoryCells)}
