"""Records counted by key: a million rows become as many cells as there are different keys.

Classes of a coarse node are sums of those of a finer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from policy_sim.records.classes import number_groups
from policy_sim.records.formats import CodedColumn, CodedTable
from policy_sim.release.conditions import ClassValues, SensitiveColumn
from policy_sim.release.ladders import Hierarchy
from policy_sim.release.targets import RiskTarget
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray

Node = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class NodeClasses:
    """The classes at one node: one cell of each, which shows its values, its records, its people, its sensitive values.

    A class of which only other people of the population have the values has 0 records.
    """

    node: Node
    cell: IntArray = field(repr=False)
    records: IntArray = field(repr=False)
    people: IntArray = field(repr=False)
    held: Mapping[str, ClassValues] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, eq=False)
class Suppression:
    """The records to suppress at a node, or the people if all rows of a person go together, in order to meet a target.

    ``cell`` lists the cells that lose ``rows``; one may represent its whole class, which has the same loss at the node.
    """

    units: int
    cell: IntArray = field(repr=False)
    rows: IntArray = field(repr=False)


@dataclass(frozen=True, eq=False)
class KeyCells:
    """Distinct combinations of key values, with their records, and their people of the population if there is one.

    ``codes`` are the position of each cell's value in each ladder, 0 for missing; shape (cells, fields). ``sensitive``
    has the columns, and ``row_cell`` the cell of each of their rows, that the conditions of a target look at.
    ``uncounted`` are the fields that the population does not have. Losses are shares of the ladder's values, or of the
    bits of the field where they are ``by_entropy``. Of each field ``levels`` are those that are allowed, by default
    all, and ``weights`` how many times its loss counts. No label lists values of the ``unlisted`` fields.
    """

    by_person: ClassVar[bool] = False  # whether classes count people, who may have rows in several
    ladders: tuple[Hierarchy, ...]
    codes: NDArray[np.int32] = field(repr=False)
    records: IntArray = field(repr=False)
    people: IntArray = field(repr=False)
    row_cell: IntArray = field(repr=False, default_factory=lambda: np.zeros(0, dtype=np.int64))
    sensitive: Mapping[str, SensitiveColumn] = field(default_factory=dict, repr=False)
    uncounted: tuple[int, ...] = ()
    by_entropy: bool = False
    levels: tuple[tuple[int, ...], ...] = ()
    weights: tuple[float, ...] = ()
    unlisted: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not self.levels:
            every = tuple(tuple(range(ladder.height + 1)) for ladder in self.ladders)
            object.__setattr__(self, "levels", every)
        if not self.weights:
            object.__setattr__(self, "weights", (1.0,) * len(self.ladders))

    @classmethod
    def of_table(cls, table: CodedTable, ladders: Sequence[Hierarchy]) -> KeyCells:
        """Count a table's records by their key."""
        columns = [ladder.over(table[ladder.field].values)[table[ladder.field].codes] for ladder in ladders]
        group, number = number_groups(columns, [len(ladder.values) for ladder in ladders], table.rows)
        first = np.zeros(number, dtype=np.int64)
        first[group[::-1]] = np.arange(table.rows)[::-1]
        codes = np.stack([column[first] for column in columns], axis=1).astype(np.int32)
        records = np.bincount(group, minlength=number).astype(np.int64)
        return cls(tuple(ladders), codes, records, records, group)

    @property
    def units(self) -> int:
        """Number of records in the file, or of people if all rows of a person are treated alike."""
        return self.total

    @cached_property
    def total(self) -> int:
        """Number of rows in all cells."""
        return int(self.rows_of_cells.sum())

    @cached_property
    def rows_of_cells(self) -> IntArray:
        """Number of rows of each cell, the weights of its losses."""
        return self.records

    def with_population(self, codes: NDArray[np.int32], people: IntArray) -> KeyCells:
        """Return the same records with a population: its combinations of key values, and the people of each."""
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
        return replace(
            self,
            codes=np.concatenate([self.codes, codes[first[extra]]]),
            records=np.concatenate([self.records, none]),
            people=np.concatenate([counted[mine], counted[extra]]),
        )

    @cached_property
    def held(self) -> Mapping[str, ClassValues]:
        """The sensitive values of each cell."""
        return {name: column.by_class(self.row_cell, len(self.records)) for name, column in self.sensitive.items()}

    def counted_in(
        self, cells: IntArray, group: IntArray, classes: int, _stays: BoolArray
    ) -> tuple[IntArray, Mapping[str, ClassValues]]:
        """Return the records and the sensitive values of classes of some cells: ``group`` is the class of each.

        Where all rows of a person stay or go together, only those that stay count.
        """
        held = {}
        for name, values in self.held.items():
            of_cell = np.full(len(self.records), -1, dtype=np.int64)
            of_cell[cells] = group
            held[name] = values.merged(of_cell, classes)
        return np.bincount(group, weights=self.records[cells], minlength=classes).astype(np.int64), held

    def as_table(self) -> CodedTable:
        """Return one row per cell, with the values of its key."""
        fields = zip(self.ladders, self.codes.T, strict=True)
        return CodedTable({ladder.field: CodedColumn(codes, ladder.values) for ladder, codes in fields})

    @cached_property
    def _groups(self) -> list[list[tuple[IntArray, int]]]:
        return [[ladder.groups(level) for level in range(ladder.height + 1)] for ladder in self.ladders]

    @cached_property
    def _losses(self) -> list[list[FloatArray]]:
        own = self._bits_lost if self.by_entropy else lambda at, level: self.ladders[at].losses(level)
        return [[own(at, level) for level in range(ladder.height + 1)] for at, ladder in enumerate(self.ladders)]

    @cached_property
    def with_bits(self) -> KeyCells:
        """The same cells, whose losses are in bits."""
        return replace(self, by_entropy=True)

    def classes(self, node: Node, finer: NodeClasses | None = None) -> NodeClasses:
        """Return the classes at a node, summed from those of a finer node if one is given."""
        if finer is None:
            finer = NodeClasses(node, np.arange(len(self.records)), self.records, self.people, self.held)
        group, number = self.grouped(node, finer.cell)
        cell = np.full(number, -1, dtype=np.int64)
        cell[group[::-1]] = finer.cell[::-1]  # the first cell of each class represents it
        records = np.bincount(group, weights=finer.records, minlength=number).astype(np.int64)
        same = finer.people is finer.records
        people = records if same else np.bincount(group, weights=finer.people, minlength=number).astype(np.int64)
        held = {name: values.merged(group, number) for name, values in finer.held.items()}
        return NodeClasses(node, cell, records, people, held)

    def people_known(self, classes: NodeClasses) -> IntArray:
        """Return the people of each class; its records where a field is shown that the population does not have."""
        shows_uncounted = any(not self.ladders[at].is_gone(classes.node[at]) for at in self.uncounted)
        return classes.records if shows_uncounted else classes.people

    def class_of_cells(self, node: Node) -> IntArray:
        """Return the index of each cell's class at a node in the :meth:`classes` of all cells."""
        return self.grouped(node, np.arange(len(self.records)))[0]

    @cached_property
    def _records_of_values(self) -> list[FloatArray]:
        fields = zip(self.codes.T, self.ladders, strict=True)
        counts = (np.bincount(codes, self.rows_of_cells, len(ladder.values) + 1) for codes, ladder in fields)
        return [records.astype(np.float64) for records in counts]

    @cached_property
    def bits_of_a_field(self) -> float:
        """The mean entropy of a field; 1 where each has one value."""
        logs = sum(float(np.log2(np.maximum(records, 1)) @ records) for records in self._records_of_values)
        return np.log2(max(self.total, 1)) - logs / max(self.total, 1) / max(len(self.ladders), 1) or 1.0

    def _bits(self, size: FloatArray | IntArray) -> FloatArray:
        """Return the bits that say which of so many records, as a share of the mean bits of a field."""
        return np.asarray(np.log2(np.maximum(size, 1)) / self.bits_of_a_field, dtype=np.float64)

    def _bits_lost(self, field_: int, level: int) -> FloatArray:
        records, (group, number) = self._records_of_values[field_], self._groups[field_][level]
        label = np.bincount(group, records, number)[group]
        return self._bits(label) - self._bits(records)

    def weight_of_values(self, field_: int) -> FloatArray:
        """Return how much a missing value and each value adds to the size of a label, by the measure."""
        return self._records_of_values[field_] if self.by_entropy else np.ones(len(self.ladders[field_].values) + 1)

    def cost_of_size(self, field_: int) -> Callable[[IntArray], FloatArray]:
        """Return the loss of a record in a field by the size of its label; in bits, with those of the value itself."""
        if self.by_entropy:
            return self._bits
        domain = max(len(self.ladders[field_].values) - 1, 1)
        return lambda size: np.asarray((size - 1) / domain, dtype=np.float64)

    def label_costs(self, field_: int, level: int) -> FloatArray:
        """Return the loss of a record with a missing value and with each value at a level, as :meth:`cost_of_size`."""
        own = self._bits(self._records_of_values[field_]) if self.by_entropy else 0.0
        return np.asarray(self._losses[field_][level] + own, dtype=np.float64)

    def cost_of_suppression(self, field_: int, level: int, cells: IntArray) -> FloatArray:
        """Return how much more the records of some cells lose in one field where they are suppressed at a level."""
        codes, lost = self.codes[cells, field_], np.ones(1)
        if self.by_entropy:
            lost = self._bits(np.array([self.total])) - self._bits(self._records_of_values[field_])[codes]
        return np.asarray(lost - self._losses[field_][level][codes], dtype=np.float64)

    def mean_loss(self, field_: int, level: int) -> float:
        """Return the mean loss of all records in one field at a level, 0 to 1, without suppression."""
        every = self._losses[field_][level][self.codes[:, field_]]
        return float((every * self.rows_of_cells).sum() / max(self.total, 1))

    def suppression(self, classes: NodeClasses, target: RiskTarget) -> Suppression:
        """Return the records to suppress at a node in order to meet a target."""
        suppressed = target.suppressed(classes.records, self.people_known(classes), classes.held)
        records = classes.records[suppressed]
        return Suppression(int(records.sum()), classes.cell[suppressed], records)

    def suppressed_rows(self, node: Node, target: RiskTarget) -> BoolArray:
        """Return for each row of the file whether it must be suppressed at a node in order to meet a target."""
        classes = self.classes(node)
        suppressed = target.suppressed(classes.records, self.people_known(classes), classes.held)
        return suppressed[self.class_of_cells(node)][self.row_cell]

    def grouped(self, node: Node, cells: IntArray) -> tuple[IntArray, int]:
        """Number the classes at a node of some cells alone, and return how many there are."""
        columns, numbers = [], []
        for at, level in enumerate(node):
            groups, number = self._groups[at][level]
            if number > 1:
                columns.append(groups[self.codes[cells, at]])
                numbers.append(number - 1)
        if not columns:
            return np.zeros(len(cells), dtype=np.int64), min(len(cells), 1)
        return number_groups(columns, numbers, len(cells))
