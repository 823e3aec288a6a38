"""The records of a file counted by key, and their classes at a node of the lattice.

A search needs only the distinct combinations of key values and their counts. A million rows become as many cells as
there are different keys, and the classes of a coarse node are sums of those of a finer node.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from policy_sim.arrays import BoolArray, FloatArray, IntArray
from policy_sim.deidentify.coded_columns import CodedTable
from policy_sim.deidentify.hierarchies import Hierarchy
from policy_sim.deidentify.risk_targets import RiskTarget
from policy_sim.records.classes import number_groups

__all__ = ["KeyCells", "Node", "NodeClasses", "Suppression"]

Node = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class NodeClasses:
    """The classes of the records at one node.

    Parameters
    ----------
    node : The level of each field.
    cell : One cell of each class, which shows its values; shape (classes,).
    records : Records of each class; 0 where only other people have these values.
    people : People of the population with these values, at least as many as records.
    """

    node: Node
    cell: IntArray = field(repr=False)
    records: IntArray = field(repr=False)
    people: IntArray = field(repr=False)


@dataclass(frozen=True, eq=False)
class Suppression:
    """The records to suppress at a node in order to meet a target.

    Parameters
    ----------
    units : Number of suppressed records, or of people if all rows of a person are treated alike.
    cell : Cells that lose rows. A cell may represent its whole class, which has the same loss at the node.
    rows : Number of rows that each of these cells loses.
    """

    units: int
    cell: IntArray = field(repr=False)
    rows: IntArray = field(repr=False)


@dataclass(frozen=True, eq=False)
class KeyCells:
    """Distinct combinations of key values, with their records and people.

    Parameters
    ----------
    ladders : The hierarchy of each key field.
    codes : Position of each cell's value in each ladder, 0 for missing; shape (cells, fields).
    records : Records of each cell, >= 0.
    people : People of the population in each cell; the records themselves without a population.
    """

    ladders: tuple[Hierarchy, ...]
    codes: NDArray[np.int32] = field(repr=False)
    records: IntArray = field(repr=False)
    people: IntArray = field(repr=False)

    @classmethod
    def of_table(cls, table: CodedTable, ladders: Sequence[Hierarchy]) -> tuple[KeyCells, IntArray]:
        """Count a table's records by their key; also return the cell of each row.

        Raises
        ------
        InputError : a value that is not in its field's ladder.
        UnknownNameError : a field that is not a column.

        Examples
        --------
        >>> from policy_sim.deidentify.coded_columns import CodedColumn
        >>> from policy_sim.deidentify.ladders import flat_ladder
        >>> table = CodedTable({"sex": CodedColumn.of(["F", "M", "F"])})
        >>> cells, row_cell = KeyCells.of_table(table, [flat_ladder("sex", ["F", "M"])])
        >>> cells.records.tolist(), row_cell.tolist()
        ([2, 1], [0, 1, 0])
        """
        columns = [ladder.over(table[ladder.field].values)[table[ladder.field].codes] for ladder in ladders]
        group, number = number_groups(columns, [len(ladder.values) for ladder in ladders], table.rows)
        first = np.zeros(number, dtype=np.int64)
        first[group[::-1]] = np.arange(table.rows)[::-1]
        codes = np.stack([column[first] for column in columns], axis=1).astype(np.int32)
        records = np.bincount(group, minlength=number).astype(np.int64)
        return cls(tuple(ladders), codes, records, records), group

    @property
    def units(self) -> int:
        """Number of records in the file, or of people if all rows of a person are treated alike."""
        return self.total

    @cached_property
    def total(self) -> int:
        """Number of rows in all cells."""
        return int(self.rows_of_cells.sum())

    @property
    def rows_of_cells(self) -> IntArray:
        """Number of rows of each cell, the weights of its losses."""
        return self.records

    def with_population(self, codes: NDArray[np.int32], people: IntArray) -> KeyCells:
        """Return the same records with a population.

        Parameters
        ----------
        codes : Combinations of key values in the population, as positions in the ladders; shape (combinations, fields).
        people : Number of people with each combination.
        """
        every = np.concatenate([self.codes, codes])
        group, number = number_groups(
            [every[:, at].astype(np.int64) for at in range(len(self.ladders))],
            [len(ladder.values) for ladder in self.ladders],
            len(every),
        )
        mine, theirs = group[: len(self.codes)], group[len(self.codes) :]
        counted = np.bincount(theirs, weights=people, minlength=number).astype(np.int64)
        extra = np.setdiff1d(theirs, mine)
        first = np.zeros(number, dtype=np.int64)
        first[theirs] = np.arange(len(theirs))
        none = np.zeros(len(extra), dtype=np.int64)
        return self._extended(
            np.concatenate([self.codes, codes[first[extra]]]),
            np.concatenate([self.records, none]),
            np.concatenate([counted[mine], counted[extra]]),
        )

    def _extended(self, codes: NDArray[np.int32], records: IntArray, people: IntArray) -> KeyCells:
        return KeyCells(self.ladders, codes, records, people)

    @property
    def fields(self) -> tuple[str, ...]:
        """The key fields."""
        return tuple(ladder.field for ladder in self.ladders)

    @cached_property
    def _groups(self) -> list[list[tuple[IntArray, int]]]:
        return [[ladder.groups(level) for level in range(ladder.height + 1)] for ladder in self.ladders]

    @cached_property
    def _losses(self) -> list[list[FloatArray]]:
        return [[ladder.losses(level) for level in range(ladder.height + 1)] for ladder in self.ladders]

    def classes(self, node: Node, finer: NodeClasses | None = None) -> NodeClasses:
        """Return the classes at a node, summed from those of a finer node if one is given."""
        if finer is None:
            finer = NodeClasses(node, np.arange(len(self.records)), self.records, self.people)
        group, number = self._numbered(node, finer.cell)
        cell = np.full(number, -1, dtype=np.int64)
        cell[group[::-1]] = finer.cell[::-1]  # the first cell of each class represents it
        records = np.bincount(group, weights=finer.records, minlength=number).astype(np.int64)
        same = finer.people is finer.records
        people = records if same else np.bincount(group, weights=finer.people, minlength=number).astype(np.int64)
        return NodeClasses(node, cell, records, people)

    def class_of_cells(self, node: Node) -> IntArray:
        """Return the index of each cell's class at a node in the :meth:`classes` of all cells."""
        return self._numbered(node, np.arange(len(self.records)))[0]

    def loss_of_cells(self, field_: int, level: int, cells: IntArray) -> FloatArray:
        """Return the loss of the records of some cells in one field at a level, each 0 to 1."""
        losses: FloatArray = self._losses[field_][level][self.codes[cells, field_]]
        return losses

    def mean_loss(self, field_: int, level: int) -> float:
        """Return the mean loss of all records in one field at a level, 0 to 1, without suppression."""
        every = self._losses[field_][level][self.codes[:, field_]]
        return float((every * self.rows_of_cells).sum() / max(self.total, 1))

    def suppression(self, classes: NodeClasses, target: RiskTarget) -> Suppression:
        """Return the records to suppress at a node in order to meet a target."""
        suppressed = target.suppressed(classes.records, classes.people)
        records = classes.records[suppressed]
        return Suppression(int(records.sum()), classes.cell[suppressed], records)

    def suppressed_rows(self, node: Node, target: RiskTarget, row_cell: IntArray) -> BoolArray:
        """Return for each row of the file whether it must be suppressed at a node in order to meet a target."""
        classes = self.classes(node)
        return target.suppressed(classes.records, classes.people)[self.class_of_cells(node)][row_cell]

    def _numbered(self, node: Node, cells: IntArray) -> tuple[IntArray, int]:
        columns, numbers = [], []
        for at, level in enumerate(node):
            groups, number = self._groups[at][level]
            if number > 1:
                columns.append(groups[self.codes[cells, at]])
                numbers.append(number - 1)
        if not columns:
            return np.zeros(len(cells), dtype=np.int64), min(len(cells), 1)
        return number_groups(columns, numbers, len(cells))
