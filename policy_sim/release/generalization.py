"""Rows at their levels or suppressed, and the analysis before and after."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from policy_sim.records.classes import occurring
from policy_sim.records.formats import CodedColumn, CodedTable
from policy_sim.records.profile import Threshold
from policy_sim.release.cells import KeyCells, Node
from policy_sim.release.class_labels import Labels, sizes_by_text
from policy_sim.release.ladders import Hierarchy
from policy_sim.release.targets import RiskTarget, counted_by_text
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray

SUPPRESSED = -1


@dataclass(frozen=True, eq=False)
class ClassLabels:
    """Labels of single classes that are closer than the levels of their nodes: intervals, or sets of values.

    ``label`` has for each class and field the level at which it is shown, the height of the ladder + 1 + the place of
    one of the field's ``labels``, or -1 for the level of the row's node; ``group`` is the class of each row.
    """

    labels: tuple[Labels, ...] = field(repr=False)
    label: IntArray = field(repr=False)
    group: IntArray = field(repr=False)


INTERVAL, SET = "interval", "set of values"


@dataclass(frozen=True, eq=False)
class Generalization:
    """The levels at which each row is released.

    Of one level per field, ``nodes`` are first that of the lattice, then those of rows with single suppressed cells. If
    the recoding is ``local``, they are those of the rows, of least loss first. ``row_node`` is the index of each row's
    node, or :data:`SUPPRESSED`; ``closer`` are labels of single classes. Where a local recoding
    counts people of a population, ``of_cells`` recodes each cell of the key in the same way, in the file or not.
    """

    ladders: tuple[Hierarchy, ...]
    nodes: tuple[Node, ...]
    row_node: IntArray = field(repr=False)
    is_local: bool = False
    closer: ClassLabels | None = field(default=None, repr=False)
    of_cells: Generalization | None = field(default=None, repr=False)

    @property
    def released(self) -> BoolArray:
        """Which rows are released."""
        return np.asarray(self.row_node != SUPPRESSED, dtype=np.bool_)

    @property
    def rows_with_blanks(self) -> int:
        """How many rows are released without some of their cells, which others show."""
        return int(np.any([self._is_blank(at) for at in range(len(self.ladders))], axis=0).sum())

    @property
    def at_several_levels(self) -> tuple[str, ...]:
        """The fields whose rows are not all at one level, apart from suppressed cells."""
        return tuple(ladder.field for at, ladder in enumerate(self.ladders) if len(self._levels_shown(at)) > 1)

    @cached_property
    def _labels(self) -> IntArray:
        """The level of each field and released row; above the ladder's height, one of its class."""
        levels = np.array(self.nodes, dtype=np.int64)[self.row_node[self.released]].T
        if self.closer is None:
            return levels
        own = self.closer.label[self.closer.group[self.released]].T
        return np.where(own >= 0, own, levels)

    def _levels_shown(self, at: int) -> list[int]:
        """Return the levels of a field's rows, without that at which nothing is shown if there is another."""
        if not self.is_local:
            return [self.nodes[0][at]]
        levels = [int(level) for level in occurring(self._labels[at])]
        return [level for level in levels if not self._is_gone(at, level)] or levels

    def _is_gone(self, at: int, level: int) -> bool:
        return level <= self.ladders[at].height and self.ladders[at].is_gone(level)

    def levels(self) -> Mapping[str, str]:
        """Return the name of each field's level, for rows without suppressed cells; several are joined by ``or``."""
        return {ladder.field: " or ".join(self.rows_by_level(at)) for at, ladder in enumerate(self.ladders)}

    def rows_by_level(self, at: int) -> dict[str, int]:
        """Return how many rows are released at each level of a field, finest first, and then in an interval or a set.

        It is one level where the recoding is not local.
        """
        if not self.is_local:
            return {self.ladders[at].names[self.nodes[0][at]]: int(self.released.sum())}
        names = (*self.ladders[at].names, INTERVAL if self.ladders[at].ordered else SET)
        level = np.minimum(self._labels[at], len(names) - 1)
        return {names[place]: int(rows) for place, rows in zip(*np.unique(level, return_counts=True), strict=True)}

    def labels(self, name: str) -> Mapping[str, str]:
        """Return the label of each value of a field at its level; none if rows are at several."""
        at = [ladder.field for ladder in self.ladders].index(name)
        shown_levels = self._levels_shown(at)
        if len(shown_levels) > 1 or shown_levels[0] > self.ladders[at].height:
            return {}
        return dict(zip(self.ladders[at].values, self.ladders[at].labels[shown_levels[0]], strict=True))

    def apply(self, table: CodedTable) -> CodedTable:
        """Return the released rows with generalized key fields; other columns stay the same."""
        released = table.take(self.released)
        return released.with_columns(
            {ladder.field: self._column(at, released[ladder.field]) for at, ladder in enumerate(self.ladders)}
        )

    def without_blanks(self, released: CodedTable) -> CodedTable:
        """Return a released table in which single suppressed cells are missing values."""
        changed = {}
        for at, ladder in enumerate(self.ladders):
            changed[ladder.field] = released[ladder.field].blanked(self._is_blank(at))
        return released.with_columns(changed)

    def _is_blank(self, at: int) -> BoolArray:
        """Return of which released rows the cell of a field is suppressed, where other rows show the field."""
        labels, shown_levels = self._labels[at], self._levels_shown(at)
        if not self.is_local:
            return np.asarray(labels != shown_levels[0], dtype=np.bool_)
        blank_levels = [
            level for level in occurring(labels).tolist() if level not in shown_levels and self._is_gone(at, level)
        ]
        return np.isin(labels, blank_levels)

    def _texts_of_rows(self, at: int, column: CodedColumn) -> tuple[IntArray, list[Labels]]:
        """Return the label of each of the released rows, by its number among those of all parts, and the parts.

        A part has the labels of one level that occurs, or those of single classes.
        """
        ladder, label = self.ladders[at], self._labels[at]
        place = ladder.over(column.values)[column.codes]
        number, parts, first = np.zeros(len(label), dtype=np.int64), list[Labels](), 0
        for level in occurring(np.minimum(label, ladder.height + 1)).tolist():
            is_closer = level > ladder.height
            rows = np.flatnonzero(label > ladder.height if is_closer else label == level)
            if is_closer:
                assert self.closer is not None, "only labels of classes are above the height"
                used, own = np.unique(label[rows], return_inverse=True)
                parts.append(self.closer.labels[at].only(used - ladder.height - 1))
            else:
                parts.append(Labels.of_level(ladder, level))
                own = ladder.groups(level)[0][place[rows]]
            number[rows] = first + own
            first += len(parts[-1].texts)
        return number, parts

    def _column(self, at: int, column: CodedColumn) -> CodedColumn:
        number, parts = self._texts_of_rows(at, column)
        texts = [text for part in parts for text in part.texts]
        used = np.flatnonzero(np.bincount(number, minlength=len(texts)))
        values = sorted({texts[place] for place in used.tolist()} - {""})
        rank = {text: code for code, text in enumerate(["", *values])}
        code = np.zeros(len(texts), dtype=np.int32)
        code[used] = [rank[texts[place]] for place in used.tolist()]
        return CodedColumn(code[number], tuple(values))

    def loss(self, table: CodedTable) -> float:
        """Return the loss of the released rows: the mean over records and key fields of ``(m - 1) / (D - 1)``.

        ``m`` values have the released label, and the field's ladder has ``D``; a suppressed cell or record loses 1.
        """
        return math.fsum(self.losses(table).tolist()) / len(self.ladders)

    def losses(self, table: CodedTable, records: IntArray | None = None) -> FloatArray:
        """Return the mean loss of each field; a row counts for so many ``records``, by default for one."""
        lost = np.ones((table.rows, len(self.ladders)))
        if not table.rows:
            return np.ones(len(self.ladders))
        released = np.flatnonzero(self.released)
        for at, ladder in enumerate(self.ladders if len(released) else ()):
            number, parts = self._texts_of_rows(at, table[ladder.field].take(self.released))
            cost = np.maximum(sizes_by_text(parts) - 1, 0) / max(len(ladder.values) - 1, 1)
            lost[released, at] = cost[number]
        weighted = lost if records is None else lost * records[:, None]
        total = table.rows if records is None else int(records.sum())
        # exact sums: the order of the rows does not matter
        return np.array([math.fsum(column.tolist()) for column in weighted.T]) / total

    def brought_to_one_level(self, table: CodedTable) -> tuple[dict[str, str], float]:
        """Return the finest level of each field to which every row shown can be brought, and the loss after that.

        A row that is suppressed, or lacks the cell, still loses 1.
        """
        lost, names = np.ones((table.rows, len(self.ladders))), {}
        for at, ladder in enumerate(self.ladders):
            level = self._covering_level(at)
            names[ladder.field] = ladder.names[level]
            visible = np.flatnonzero(self.released)[~self._is_blank(at)]
            place = ladder.over(table[ladder.field].values)[table[ladder.field].codes[visible]]
            lost[visible, at] = ladder.losses(level)[place]
        return names, math.fsum(lost.ravel().tolist()) / max(lost.size, 1)

    def at_one_level(self) -> Generalization:
        """Return the same rows at the finest level of each field to which every row shown can be brought."""
        node = tuple(self._covering_level(at) for at in range(len(self.ladders)))
        return Generalization(self.ladders, (node,), np.where(self.released, 0, SUPPRESSED))

    def _covering_level(self, at: int) -> int:
        """Return the finest level of a field whose classes each hold whole labels of the rows shown."""
        ladder, shown = self.ladders[at], np.array(self._levels_shown(at), dtype=np.int64)
        parts = [Labels.of_level(ladder, label) for label in shown[shown <= ladder.height].tolist()]
        if self.closer is not None:
            parts.append(self.closer.labels[at].only(shown[shown > ladder.height] - ladder.height - 1))
        for level in range(ladder.height):
            group = ladder.groups(level)[0]
            if all(part.within(group).all() for part in parts):
                return level
        return ladder.height

    def sets(self) -> dict[str, dict[str, tuple[str, ...]]]:
        """Return of each field the texts of sets, with the values that each names."""
        if self.closer is None:
            return {}
        fields = zip(self.ladders, self.closer.labels, strict=True)
        return {
            ladder.field: dict(zip(labels.texts, labels.named, strict=True))
            for ladder, labels in fields
            if labels.named
        }

    def people_by_text(self, cells: KeyCells) -> dict[tuple[str, ...], int] | None:
        """Return how many people of the population are released with each combination of texts, were they in the file.

        None where the rows are recoded by what the file holds, so that nobody knows. Where a field is shown that the
        population does not have, nobody is known to fit. A row without some of its cells has no people either: that it
        lacks them tells that its whole class is small.
        """
        if self.is_local and self.of_cells is None:
            return None
        nodes, everyone = self.nodes[:1], np.zeros(len(cells.records), dtype=np.int64)
        of_cells = self.of_cells or Generalization(self.ladders, nodes, everyone)
        people = cells.people[of_cells.released]
        if any(not self._is_gone(at, node[at]) for node in of_cells.nodes for at in cells.uncounted):
            people = np.zeros_like(people)
        return counted_by_text(of_cells.apply(cells.as_table()), [ladder.field for ladder in self.ladders], people)


def generalized(cells: KeyCells, node: Node, target: RiskTarget | None) -> Generalization:
    """Return the rows at a node, without those that do not meet the target; no target suppresses nothing."""
    row_node = np.zeros(len(cells.row_cell), dtype=np.int64)
    if target is not None:
        row_node[cells.suppressed_rows(node, target)] = SUPPRESSED
    return Generalization(cells.ladders, (node,), row_node)


def alone_enough(target: RiskTarget) -> RiskTarget:
    """Return the target that a class meets by itself, so that any file of such classes meets the one given."""
    mean = math.ceil(1 / target.threshold.risk - 1e-9) if target.measure != "maximum" else 1
    threshold = Threshold.parse(f"k={max(target.least, mean)}")
    return replace(target, measure="maximum", threshold=threshold, cutoff=None)
