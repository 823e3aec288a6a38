"""Rows at their levels or suppressed, what classes tell of sensitive values, and the analysis before and after."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from policy_sim.records.classes import number_groups
from policy_sim.records.formats import CodedColumn, CodedTable
from policy_sim.records.profile import Threshold
from policy_sim.release.ladders import Hierarchy
from policy_sim.release.search import KeyCells, Node, search_lattice
from policy_sim.release.targets import RiskTarget
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray
from policy_sim.words.errors import InputError, NotEstimableError, UnknownNameError

SUPPRESSED = -1


@dataclass(frozen=True, eq=False)
class Generalization:
    """The levels at which each row is released.

    Of one level per field, ``nodes`` are first that of the lattice, then those of rows with single suppressed cells. If
    the recoding is ``local``, they are those of the rows, of least loss first. ``row_node`` is the index of each row's
    node, or :data:`SUPPRESSED`.
    """

    ladders: tuple[Hierarchy, ...]
    nodes: tuple[Node, ...]
    row_node: IntArray = field(repr=False)
    is_local: bool = False

    @property
    def released(self) -> BoolArray:
        """Which rows are released."""
        return np.asarray(self.row_node != SUPPRESSED, dtype=np.bool_)

    @property
    def rows_with_blanks(self) -> int:
        """How many rows are released without some of their cells, which others show."""
        blank = np.any([self._blank_at_nodes(at) for at in range(len(self.ladders))], axis=0)
        return int(blank[self.row_node[self.released]].sum())

    @property
    def at_several_levels(self) -> tuple[str, ...]:
        """The fields whose rows are not all at one level, apart from suppressed cells."""
        return tuple(ladder.field for at, ladder in enumerate(self.ladders) if len(self._levels_shown(at)) > 1)

    def _levels_shown(self, at: int) -> list[int]:
        """Return the levels of a field's rows, without that at which nothing is shown if there is another."""
        levels = list(self.rows_by_level(at))
        return [level for level in levels if not self.ladders[at].is_gone(level)] or levels

    def levels(self) -> Mapping[str, str]:
        """Return the name of each field's level, for rows without suppressed cells; several are joined by ``or``."""
        return {
            ladder.field: " or ".join(ladder.names[level] for level in self.rows_by_level(at))
            for at, ladder in enumerate(self.ladders)
        }

    def rows_by_level(self, at: int) -> dict[int, int]:
        """Return how many rows are released at each level of a field, finest first; one level where it is not local."""
        if not self.is_local:
            return {self.nodes[0][at]: int(self.released.sum())}
        level = np.array([node[at] for node in self.nodes], dtype=np.int64)[self.row_node[self.released]]
        return {int(place): int(rows) for place, rows in zip(*np.unique(level, return_counts=True), strict=True)}

    def labels(self, name: str) -> Mapping[str, str]:
        """Return the label of each value of a field at its level; none if rows are at several."""
        at = [ladder.field for ladder in self.ladders].index(name)
        if name in self.at_several_levels:
            return {}
        (level,) = self._levels_shown(at)
        return dict(zip(self.ladders[at].values, self.ladders[at].labels[level], strict=True))

    def apply(self, table: CodedTable) -> CodedTable:
        """Return the released rows with generalized key fields; other columns stay the same."""
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
            changed[ladder.field] = released[ladder.field].blanked(self._blank_at_nodes(at)[row_node])
        return released.with_columns(changed)

    def _blank_at_nodes(self, at: int) -> BoolArray:
        """Return at which nodes the cell of a field is suppressed, where other rows show the field."""
        if not self.is_local:
            return np.array([node[at] != self.nodes[0][at] for node in self.nodes])
        levels = self._levels_shown(at)
        return np.array([node[at] not in levels and self.ladders[at].is_gone(node[at]) for node in self.nodes])

    def _column(self, at: int, column: CodedColumn, row_node: IntArray) -> CodedColumn:
        ladder, place = self.ladders[at], self.ladders[at].over(column.values)
        levels, row_level = np.unique([node[at] for node in self.nodes], return_inverse=True)
        texts = np.array([ladder.texts(level) for level in levels], dtype=object)[:, place]
        values = sorted(set(texts.ravel()) - {""})
        number = {"": 0, **{text: code for code, text in enumerate(values, 1)}}
        codes = np.array([[number[text] for text in level] for level in texts], dtype=np.int32)
        return CodedColumn(codes[row_level[row_node], column.codes], tuple(values))

    def loss(self, table: CodedTable) -> float:
        """Return the loss of the released rows: the mean over records and key fields of ``(m - 1) / (D - 1)``.

        ``m`` values have the released label, and the field's ladder has ``D``; a suppressed cell or record loses 1.
        """
        lost = np.ones((table.rows, len(self.ladders)))
        node = self.row_node[self.released]
        for at, ladder in enumerate(self.ladders):
            place = ladder.over(table[ladder.field].values)[table[ladder.field].codes[self.released]]
            levels, row_level = np.unique([levels[at] for levels in self.nodes], return_inverse=True)
            lost[self.released, at] = _losses_by_text(ladder, levels.tolist())[row_level[node], place]
        return float(lost.mean())

    def people_by_text(self, cells: KeyCells) -> dict[tuple[str, ...], int]:
        """Return the number of people in the population who fit each released combination of texts.

        Where rows miss some cells and a combination comes from several nodes, it gets the smallest of their numbers.
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


def _losses_by_text(ladder: Hierarchy, levels: list[int]) -> FloatArray:
    """Return the loss of each value at each level, where a label stands for every value that has it at any of them."""
    own: dict[str, set[int]] = {}
    for level in levels:
        for value, text in enumerate(ladder.labels[level]):
            own.setdefault(text, set()).add(value)
    domain = max(len(ladder.values) - 1, 1)
    losses = [[(len(own[text]) - 1) / domain for text in ladder.labels[level]] for level in levels]
    missing = [ladder.losses(level)[0] for level in levels]
    return np.array([[first, *rest] for first, rest in zip(missing, losses, strict=True)])


_MOST_ROUNDS = 64
_ALMOST_ALL = 1 - 1e-9


def generalized(cells: KeyCells, node: Node, target: RiskTarget | None, row_cell: IntArray) -> Generalization:
    """Return the rows at a node, without those that do not meet the target; no target suppresses nothing."""
    row_node = np.zeros(len(row_cell), dtype=np.int64)
    if target is not None:
        row_node[cells.suppressed_rows(node, target, row_cell)] = SUPPRESSED
    return Generalization(cells.ladders, (node,), row_node)


def alone_enough(target: RiskTarget) -> RiskTarget:
    """Return the target that a class meets by itself, so that any file of such classes meets the one given."""
    mean = math.ceil(1 / target.threshold.risk - 1e-9) if target.measure != "maximum" else 1
    return RiskTarget("maximum", Threshold.parse(f"k={max(target.least, mean)}"), sizes=target.sizes)


def with_cells_suppressed(
    cells: KeyCells,
    generalization: Generalization,
    target: RiskTarget,
    row_cell: IntArray,
    weights: Sequence[float] = (),
) -> Generalization:
    """Release the suppressed rows without some of their cells, as many rows and as few cells as the search finds.

    The suppressed rows are searched again with two levels per field: the node's level, or nothing. Those in large
    enough classes are released in that form, the others searched again. Each of these classes has enough records by
    itself, so the whole file still meets the target.
    """
    single = alone_enough(target)
    node, row_node, nodes = generalization.nodes[0], generalization.row_node.copy(), list(generalization.nodes)
    levels = [sorted({level, ladder.height}) for level, ladder in zip(node, cells.ladders, strict=True)]
    for _ in range(_MOST_ROUNDS):
        left = row_node == SUPPRESSED
        if not left.any():
            break
        records = np.bincount(row_cell[left], minlength=len(cells.records)).astype(np.int64)
        people = records if target.sizes == "file" else cells.people
        rest = KeyCells(cells.ladders, cells.codes, records, people)
        try:
            best = search_lattice(rest, single, _ALMOST_ALL, "arithmetic", levels, weights=weights)
        except NotEstimableError:
            break
        suppressed = rest.suppressed_rows(best.node, single, row_cell)
        row_node[left & ~suppressed] = len(nodes)
        nodes.append(best.node)
    return Generalization(generalization.ladders, tuple(nodes), row_node)


@dataclass(frozen=True)
class SensitiveRisk:
    """How much the classes of a file reveal about one sensitive column, even without a match of a record.

    Parameters
    ----------
    distinct : Fewest different values in a class (distinct l-diversity).
    entropy : Smallest effective number of values in a class: the exponential of its entropy.
    closeness : Largest distance of a class's distribution from that of all released records, 0 to 1 (t-closeness).
    disclosed_records : Records in classes with only one value: whoever identifies the class knows the value.
    """

    field: str
    distinct: int
    entropy: float
    closeness: float
    disclosed_records: int
    records: int


def sensitive_risk(field: str, column: CodedColumn, group: IntArray, *, ordered: bool = False) -> SensitiveRisk | None:
    """Measure one sensitive column; None where there is no record.

    ``ordered``: whether values are numbers, with distances along their order. Otherwise all values are equally far
    apart.

    References
    ----------
    Machanavajjhala et al. (2007), ACM TKDD 1:3; Li, Li and Venkatasubramanian (2007), ICDE, for the earth mover's
    distance with equal and with ordered distances.
    """
    records = len(group)
    if not records:
        return None
    codes = _in_order(column) if ordered else column.codes.astype(np.int64)
    values = int(codes.max()) + 1
    pairs, counts = np.unique(group * values + codes, return_counts=True)
    of_pair = pairs // values
    sizes = np.bincount(group)
    shares = counts / sizes[of_pair]
    distinct = np.bincount(of_pair, minlength=len(sizes))
    entropy = np.bincount(of_pair, weights=-shares * np.log(shares), minlength=len(sizes))
    nonempty: BoolArray = sizes > 0
    return SensitiveRisk(
        field,
        int(distinct[nonempty].min()),
        float(np.exp(entropy[nonempty].min())),
        _closeness(of_pair, pairs % values, shares, np.bincount(codes, minlength=values) / records, ordered=ordered),
        int(sizes[nonempty & (distinct == 1)].sum()),
        records,
    )


def _in_order(column: CodedColumn) -> IntArray:
    """Rank the values by size; texts that are not numbers, and missing values, come first."""

    def number(text: str) -> float:
        try:
            return float(text)
        except ValueError:
            return -np.inf

    order = np.argsort([number(text) for text in column.values], kind="stable")
    rank = np.zeros(len(column.values) + 1, dtype=np.int64)
    rank[order + 1] = np.arange(1, len(order) + 1)
    return rank[column.codes]


def _closeness(of_pair: IntArray, code: IntArray, shares: FloatArray, overall: FloatArray, *, ordered: bool) -> float:
    """Return the largest distance of a class from the whole file."""
    if not ordered:  # half the absolute differences; a value that the class lacks differs by its overall share
        excess = np.maximum(shares - overall[code], 0)
        return float(np.bincount(of_pair, weights=excess).max())
    used = np.flatnonzero(overall)
    steps = max(len(used) - 1, 1)
    cumulative = np.cumsum(overall[used])
    place = np.searchsorted(used, code)
    farthest = 0.0
    starts = np.flatnonzero(np.r_[True, of_pair[1:] != of_pair[:-1]])
    for start, end in zip(starts, [*starts[1:], len(of_pair)], strict=True):
        mine = np.zeros(len(used))
        mine[place[start:end]] = shares[start:end]
        farthest = max(farthest, float(np.abs(np.cumsum(mine) - cumulative)[:-1].sum()) / steps)
    return farthest


STATISTICS = {
    "count": "records",
    "mean": "mean of a column of numbers",
    "median": "median of a column of numbers",
    "share": "share of the records with one value in a column",
}


@dataclass(frozen=True)
class AnalysisRow:
    """One group: its texts, and the statistic before and after; None if the group has no value."""

    group: tuple[str, ...]
    before: float | None
    after: float | None


@dataclass(frozen=True)
class UserAnalysis:
    """One of :data:`STATISTICS` of a column by groups, before and after: what the data are released for.

    A count has no column ``of``, and only a share has a ``value``; no columns in ``by`` are the whole file.

    Examples
    --------
    >>> from policy_sim.records.formats import CodedColumn
    >>> table = CodedTable({"sex": CodedColumn.of(list("FFM")), "days": CodedColumn.of(["1", "3", "5"])})
    >>> UserAnalysis("stay", "mean", "days", ("sex",)).rows(table, table, {})
    [AnalysisRow(group=('F',), before=2.0, after=2.0), AnalysisRow(group=('M',), before=5.0, after=5.0)]
    """

    name: str
    statistic: str
    of: str = ""
    by: tuple[str, ...] = ()
    value: str = ""

    def __post_init__(self) -> None:
        if self.statistic not in STATISTICS:
            raise UnknownNameError("statistic", self.statistic, STATISTICS)
        if self.statistic != "count" and not self.of:
            raise InputError(f"analysis {self.name}: name the column for the {self.statistic}.")
        if self.statistic == "share" and not self.value:
            raise InputError(f"analysis {self.name}: give the value for the share.")

    def rows(self, before: CodedTable, after: CodedTable, labels: Mapping[str, Mapping[str, str]]) -> list[AnalysisRow]:
        """Return the statistic of each group before and after."""
        lost_columns = [name for name in (*self.by, *([self.of] if self.of else [])) if name not in after.names]
        for name in lost_columns:
            before[name]  # a column that is not in the file has its own message
            raise InputError(f"analysis {self.name}: column {name} is not released. Choose another one.")
        renamed = {
            name: before[name].relabeled(["", *(labels[name].get(text, text) for text in before[name].values)])
            for name in self.by
            if name in labels
        }
        ours, theirs = self._groups(before.with_columns(renamed)), self._groups(after)
        return [AnalysisRow(key, ours.get(key), theirs.get(key)) for key in sorted({*ours, *theirs})]

    def _groups(self, table: CodedTable) -> dict[tuple[str, ...], float | None]:
        columns = [table[name] for name in self.by]
        number, groups = number_groups(
            [column.codes.astype(np.int64) for column in columns],
            [len(column.values) for column in columns],
            table.rows,
        )
        order = np.argsort(number, kind="stable")
        parts = np.split(order, np.cumsum(np.bincount(number, minlength=groups))[:-1]) if table.rows else []
        texts = [column.texts() for column in columns]
        values = self._values(table)
        numbers = [values[part][~np.isnan(values[part])] for part in parts]
        figures = [_FIGURES[self.statistic](group) if len(group) else None for group in numbers]
        keys = (tuple(text[part[0]] for text in texts) for part in parts)
        return dict(zip(keys, figures, strict=True))

    def _values(self, table: CodedTable) -> FloatArray:
        """Return the number of each row; NaN if there is none."""
        if self.statistic == "count":
            return np.ones(table.rows)
        column = table[self.of]
        read = (lambda text: float(text == self.value)) if self.statistic == "share" else _number
        return np.array([np.nan, *map(read, column.values)])[column.codes]


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        return float("nan")
    return number if np.isfinite(number) else float("nan")


_FIGURES: Mapping[str, Callable[[FloatArray], float]] = {
    "count": lambda values: float(len(values)),
    "mean": lambda values: float(values.mean()),
    "median": lambda values: float(np.median(values)),
    "share": lambda values: float(values.mean()),
}
