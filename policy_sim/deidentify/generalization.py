"""The result of a search for every row: its level in each field, or its suppression."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from policy_sim.arrays import BoolArray, IntArray
from policy_sim.deidentify.coded_columns import CodedColumn, CodedTable
from policy_sim.deidentify.hierarchies import Hierarchy
from policy_sim.deidentify.key_cells import KeyCells, Node

__all__ = ["SUPPRESSED", "Generalization"]

SUPPRESSED = -1


@dataclass(frozen=True, eq=False)
class Generalization:
    """The levels at which each row is released.

    Parameters
    ----------
    ladders : The hierarchy of each key field.
    nodes : First the node of the lattice, then the nodes of rows with single suppressed cells.
    row_node : Index of each row's node in ``nodes``, or :data:`SUPPRESSED`.
    """

    ladders: tuple[Hierarchy, ...]
    nodes: tuple[Node, ...]
    row_node: IntArray = field(repr=False)

    @property
    def released(self) -> BoolArray:
        """Which rows are released."""
        return np.asarray(self.row_node != SUPPRESSED, dtype=np.bool_)

    @property
    def rows_with_blanks(self) -> int:
        """Which rows are released without some of their cells."""
        return int((self.row_node > 0).sum())

    def levels(self) -> Mapping[str, str]:
        """Return the name of each field's level, for rows without suppressed cells."""
        return {ladder.field: ladder.names[level] for ladder, level in zip(self.ladders, self.nodes[0], strict=True)}

    def labels(self, name: str) -> Mapping[str, str]:
        """Return the label of each value of a field at its level."""
        at = [ladder.field for ladder in self.ladders].index(name)
        return dict(zip(self.ladders[at].values, self.ladders[at].labels[self.nodes[0][at]], strict=True))

    def apply(self, table: CodedTable) -> CodedTable:
        """Return the released rows with generalized key fields; other columns stay the same.

        Parameters
        ----------
        table : The table of the search, with the same rows.
        """
        released = table.take(self.released)
        node = self.row_node[self.released]
        return released.with_columns(
            {ladder.field: self._column(at, released[ladder.field], node) for at, ladder in enumerate(self.ladders)}
        )

    def without_blanks(self, released: CodedTable) -> CodedTable:
        """Return a released table in which single suppressed cells are missing values."""
        row_node = self.row_node[self.released]
        changed = {}
        for at, ladder in enumerate(self.ladders):
            blank = np.array([node[at] != self.nodes[0][at] for node in self.nodes])[row_node]
            changed[ladder.field] = released[ladder.field].blanked(blank)
        return released.with_columns(changed)

    def _column(self, at: int, column: CodedColumn, row_node: IntArray) -> CodedColumn:
        ladder, place = self.ladders[at], self.ladders[at].over(column.values)
        texts = np.array([ladder.texts(node[at]) for node in self.nodes], dtype=object)[:, place]
        values = sorted(set(texts.ravel()) - {""})
        number = {"": 0, **{text: code for code, text in enumerate(values, 1)}}
        codes = np.array([[number[text] for text in level] for level in texts], dtype=np.int32)
        return CodedColumn(codes[row_node, column.codes], tuple(values))

    def loss(self, table: CodedTable) -> float:
        """Return the loss of the released rows: the mean over records and key fields of ``(m - 1) / (D - 1)``.

        ``m`` values have the released label, and the field's ladder has ``D``; a suppressed cell or record loses 1.

        Parameters
        ----------
        table : The table of the search, with the same rows.
        """
        lost = np.ones((table.rows, len(self.ladders)))
        node = self.row_node[self.released]
        for at, ladder in enumerate(self.ladders):
            place = ladder.over(table[ladder.field].values)[table[ladder.field].codes[self.released]]
            lost[self.released, at] = np.array([ladder.losses(levels[at]) for levels in self.nodes])[node, place]
        return float(lost.mean())

    def people_by_text(self, cells: KeyCells) -> dict[tuple[str, ...], int]:
        """Return the number of people in the population who fit each released combination of texts.

        If rows miss some cells, one combination may come from several nodes. It then gets the smallest of their
        numbers.
        """
        people: dict[tuple[str, ...], int] = {}
        for node in self.nodes:
            classes = cells.classes(node)
            columns = [
                np.array(ladder.texts(level), dtype=object)[cells.codes[classes.cell, at]]
                for at, (ladder, level) in enumerate(zip(self.ladders, node, strict=True))
            ]
            for key, number in zip(zip(*columns, strict=True), classes.people.tolist(), strict=True):
                people[key] = min(people.get(key, number), number)
        return people
