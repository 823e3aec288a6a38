"""Records counted by key, and the node of the lattice that meets a target with the least loss.

A million rows become as many cells as there are different keys; classes of a coarse node are sums of those of a finer.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from policy_sim.records.classes import number_groups
from policy_sim.records.formats import CodedTable
from policy_sim.release.conditions import ClassValues, SensitiveColumn
from policy_sim.release.ladders import Hierarchy
from policy_sim.release.targets import RiskTarget
from policy_sim.release.verdict_text import share
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray
from policy_sim.words.errors import InputError, NotEstimableError, UnknownNameError

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
    ``uncounted`` are the fields that the population does not have.
    """

    ladders: tuple[Hierarchy, ...]
    codes: NDArray[np.int32] = field(repr=False)
    records: IntArray = field(repr=False)
    people: IntArray = field(repr=False)
    row_cell: IntArray = field(repr=False, default_factory=lambda: np.zeros(0, dtype=np.int64))
    sensitive: Mapping[str, SensitiveColumn] = field(default_factory=dict, repr=False)
    uncounted: tuple[int, ...] = ()

    @classmethod
    def of_table(cls, table: CodedTable, ladders: Sequence[Hierarchy]) -> tuple[KeyCells, IntArray]:
        """Count a table's records by their key; also return the cell of each row."""
        columns = [ladder.over(table[ladder.field].values)[table[ladder.field].codes] for ladder in ladders]
        group, number = number_groups(columns, [len(ladder.values) for ladder in ladders], table.rows)
        first = np.zeros(number, dtype=np.int64)
        first[group[::-1]] = np.arange(table.rows)[::-1]
        codes = np.stack([column[first] for column in columns], axis=1).astype(np.int32)
        records = np.bincount(group, minlength=number).astype(np.int64)
        return cls(tuple(ladders), codes, records, records, group), group

    @property
    def by_person(self) -> bool:
        """Whether classes count people, who may have rows in several."""
        return False

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

    def held_by(self, items: IntArray, group: IntArray, classes: int) -> Mapping[str, ClassValues]:
        """Return the sensitive values of classes of some cells: ``group`` is the class of each of these ``items``.

        Closeness compares them with all records of the file.
        """
        of_cell = np.full(len(self.records), -1, dtype=np.int64)
        of_cell[items] = group
        return {
            name: replace(values.merged(of_cell, classes), overall=values.totals())
            for name, values in self.held.items()
        }

    @cached_property
    def _groups(self) -> list[list[tuple[IntArray, int]]]:
        return [[ladder.groups(level) for level in range(ladder.height + 1)] for ladder in self.ladders]

    @cached_property
    def _losses(self) -> list[list[FloatArray]]:
        return [[ladder.losses(level) for level in range(ladder.height + 1)] for ladder in self.ladders]

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

    def weight_of_values(self, field_: int) -> FloatArray:
        """Return how much a missing value and each value adds to the size of a label, by the measure."""
        return np.ones(len(self.ladders[field_].values) + 1)

    def cost_of_size(self, field_: int) -> Callable[[IntArray], FloatArray]:
        """Return the loss of a record in a field by the size of its label."""
        domain = max(len(self.ladders[field_].values) - 1, 1)
        return lambda size: np.asarray((size - 1) / domain, dtype=np.float64)

    def label_costs(self, field_: int, level: int) -> FloatArray:
        """Return the loss of a record with a missing value and with each value in a field at a level."""
        return self._losses[field_][level]

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
        suppressed = target.suppressed(classes.records, self.people_known(classes), classes.held)
        records = classes.records[suppressed]
        return Suppression(int(records.sum()), classes.cell[suppressed], records)

    def suppressed_rows(self, node: Node, target: RiskTarget, row_cell: IntArray) -> BoolArray:
        """Return for each row of the file whether it must be suppressed at a node in order to meet a target."""
        classes = self.classes(node)
        suppressed = target.suppressed(classes.records, self.people_known(classes), classes.held)
        return suppressed[self.class_of_cells(node)][row_cell]

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


# A node's loss without suppression is a lower bound of its loss, because a suppressed record loses everything. The
# search tries nodes in the order of that bound until the bound reaches the best loss, which is then the optimum of the
# whole lattice. A node that would suppress too many records rules out every finer node: classes only grow at coarser
# levels, so records that can be released at a node can be released at every coarser node. That holds for the part of a
# target that stays met in a growing class; another part rules out finer nodes only where nothing may be suppressed,
# because classes that all meet entropy, recursive diversity, closeness or presence meet it together. Where a person may
# have rows in both, even that is not so.


MOST_NODES = 100_000
LOSSES = {
    "geometric": "the geometric mean of 1 + each field's loss, less 1, as ARX does",
    "arithmetic": "the mean of the fields' losses",
}
RECODINGS = {
    "one-level": "every row of a field at one level",
    "local": "each row at the finest levels that its own class allows, so a column shows several levels",
}
KEPT = 10  # how many times the search counts the loss of a field that is to be kept
_HELD = 48  # class tables of nodes in memory, from which coarser ones are summed
_TIE = 1e-12


@dataclass(frozen=True)
class SearchResult:
    """The node that a search found: the level of each field.

    ``loss`` is what the search minimized, from 0 (nothing lost) to 1, and ``records`` how many records, or people, are
    suppressed. Of the lattice's ``nodes`` it counted the classes of those ``measured``; it is ``optimal`` if no node
    loses less, which the heuristic cannot tell.
    """

    node: Node
    loss: float
    records: int
    nodes: int
    measured: int
    optimal: bool


def search_lattice(
    cells: KeyCells,
    target: RiskTarget,
    limit: float = 0.05,
    loss: str = "geometric",
    levels: Sequence[Sequence[int]] = (),
    *,
    weights: Sequence[float] = (),
    most_nodes: int = MOST_NODES,
    progress: Callable[[str], object] = lambda _: None,
) -> SearchResult:
    """Return the node that meets a target with the least loss, where at most a share of the records is suppressed.

    Above ``most_nodes`` the search is a heuristic: it starts at the nodes of one upward path that meet the target, and
    moves to the best node within three single steps until none is better.

    Parameters
    ----------
    limit : Largest share of records to suppress, at least 0 and below 1.
    levels : Allowed levels of each field; by default all.
    weights : How many times the loss of each field counts, above 0; by default once. At an optimum, a field that counts
        more often loses no more than where it counts once, because the node of least loss has the smallest sum.

    References
    ----------
    Samarati (2001), IEEE TKDE 13:1010, for the lattice; El Emam et al. (2009), JAMIA 16:670, for pruning by the share
    suppressed; the loss per field is that of ARX, ``(m - 1) / (D - 1)``.
    """
    if not 0 <= limit < 1:
        raise InputError(f"limit = {limit}: give the share of records that may be suppressed, from 0 to below 1.")
    every = tuple(weights) or (1,) * len(cells.ladders)
    if len(every) != len(cells.ladders) or min(every, default=1) <= 0:
        raise InputError("weights: give for each field how many times its loss counts, above 0.")
    search = _Search(cells, target, limit, loss, _allowed(cells, levels), every, progress)
    exact = search.nodes <= most_nodes
    search.all_nodes() if exact else search.some_nodes()
    if search.best is None:
        raise NotEstimableError(
            f"no generalization meets the target ({target.describe()}) with at most {share(limit)} of the "
            f"{cells.units:,} records suppressed. Allow more suppression or coarser levels, or leave a field out."
        )
    node = search.best
    suppression = cells.suppression(search.classes(node), target)
    return SearchResult(
        search.levels_of(node), search.best_loss, suppression.units, search.nodes, len(search.seen), exact
    )


def _allowed(cells: KeyCells, levels: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    every = tuple(tuple(range(ladder.height + 1)) for ladder in cells.ladders)
    if not levels:
        return every
    allowed = tuple(tuple(sorted(set(field_levels))) for field_levels in levels)
    if len(allowed) != len(every) or any(
        not mine or not set(mine) <= set(all_) for mine, all_ in zip(allowed, every, strict=True)
    ):
        raise InputError("levels: give for each field at least one level that its hierarchy has.")
    return allowed


class _Search:
    """The state of a search: measured nodes, excluded nodes and the best node. Nodes are indices in ``allowed``."""

    def __init__(
        self,
        cells: KeyCells,
        target: RiskTarget,
        limit: float,
        loss: str,
        allowed: tuple[tuple[int, ...], ...],
        weights: Sequence[float],
        progress: Callable[[str], object],
    ) -> None:
        if loss not in LOSSES:
            raise UnknownNameError("loss", loss, LOSSES)
        self.cells, self.target, self.allowed, self.progress = cells, target, allowed, progress
        self.most = math.floor(limit * cells.units + _TIE)
        self.combine = partial(_COMBINED[loss], weights=weights)
        self.shape = tuple(len(field_levels) for field_levels in allowed)
        self.nodes = math.prod(self.shape)
        self.field_losses = [
            np.array([cells.mean_loss(at, level) for level in field_levels]) for at, field_levels in enumerate(allowed)
        ]
        self.seen: dict[Node, float] = {}  # loss, infinite if the node suppresses too many records
        self.rules_out: set[Node] = set()  # failed nodes whose finer nodes all fail
        self.best: Node | None = None
        self.best_loss = math.inf
        self._held: dict[Node, NodeClasses] = {}

    def levels_of(self, node: Node) -> Node:
        """Return the levels of a node."""
        return tuple(field_levels[place] for field_levels, place in zip(self.allowed, node, strict=True))

    def bound(self, node: Node) -> float:
        """Return the loss of a node without suppression."""
        return float(self.combine([losses[place] for losses, place in zip(self.field_losses, node, strict=True)]))

    def classes(self, node: Node) -> NodeClasses:
        """Return the classes at a node, from the smallest finer table in memory."""
        if node in self._held:
            return self._held[node]
        finer = [held for other, held in self._held.items() if all(a <= b for a, b in zip(other, node, strict=True))]
        least = min(finer, key=lambda held: len(held.cell), default=None)
        classes = self.cells.classes(self.levels_of(node), least)
        self._held[node] = classes
        if len(self._held) > _HELD:  # all others can be summed from the first, finest table
            self._held.pop(next(itertools.islice(self._held, 1, None)))
        return classes

    def measure(self, node: Node) -> float:
        """Return the loss of a node; infinite if it does not meet the target within the limit."""
        if node not in self.seen:
            self.seen[node] = self._loss(node)
            if self.seen[node] < self.best_loss - _TIE:
                self.best, self.best_loss = node, self.seen[node]
            self.progress(f"searching the lattice: {len(self.seen):,} of {self.nodes:,} nodes measured")
        return self.seen[node]

    def _loss(self, node: Node) -> float:
        suppression = self.cells.suppression(self.classes(node), self.target)
        if self._too_many(suppression):
            if self._fails_below(node):
                self.rules_out.add(node)
            return math.inf
        rows, losses = int(suppression.rows.sum()), []
        for at, place in enumerate(node):
            lost = self.cells.loss_of_cells(at, self.allowed[at][place], suppression.cell)
            spared = float((lost * suppression.rows).sum())
            losses.append(self.field_losses[at][place] + (rows - spared) / self.cells.total)
        return float(self.combine(losses))

    def _fails_below(self, node: Node) -> bool:
        """Return whether every finer node fails because this one does."""
        growing = self.target.growing
        if growing is self.target or not (self.most or self.cells.by_person):
            return True
        return self._too_many(self.cells.suppression(self.classes(node), growing))

    def _too_many(self, suppression: Suppression) -> bool:
        return suppression.units > self.most or suppression.units == self.cells.units

    def all_nodes(self) -> None:
        """Find the optimum."""
        bounds = np.asarray(self.combine(np.meshgrid(*self.field_losses, indexing="ij")), dtype=np.float64)
        ruled_out = np.zeros(self.shape, dtype=bool)
        bottom = (0,) * len(self.shape)
        self.classes(bottom)
        for flat in np.argsort(bounds, axis=None, kind="stable"):
            node = tuple(int(place) for place in np.unravel_index(flat, self.shape))
            if bounds[node] >= self.best_loss - _TIE:
                break
            if ruled_out[node] or node in self.seen:
                continue
            for failed in self._failures_above(node):
                ruled_out[tuple(slice(0, place + 1) for place in failed)] = True

    def _failures_above(self, node: Node) -> Iterable[Node]:
        """Measure a node; if that rules out finer ones, find by bisection the last node on its path up that does."""
        self.measure(node)
        if node not in self.rules_out:
            return
        path = self.path_up(node)
        low, high = 0, len(path)  # path[low] rules out; path[high] is assumed not to
        while high - low > 1:
            middle = (low + high) // 2
            self.measure(path[middle])
            if path[middle] in self.rules_out:
                low = middle
            else:
                high = middle
        yield path[low]

    def path_up(self, node: Node) -> list[Node]:
        """Return the nodes from here to the coarsest; each step raises the field with the least loss."""
        path = [node]
        while steps := self.neighbors(path[-1], 1):
            path.append(min(steps, key=self.bound))
        return path

    def neighbors(self, node: Node, step: int) -> list[Node]:
        """Return the nodes that are one level up (1) or down (-1) in one field."""
        return [
            (*node[:at], place + step, *node[at + 1 :])
            for at, place in enumerate(node)
            if 0 <= place + step < self.shape[at]
        ]

    def some_nodes(self) -> None:
        """Start on a path that meets the target; search within three steps of the best node until none is better."""
        bottom = (0,) * len(self.shape)
        self.classes(bottom)
        list(self._failures_above(bottom))
        self.measure(tuple(size - 1 for size in self.shape))
        if self.best is None:
            return
        center = None
        while center != self.best:
            center = self.best
            for node in self.around(center):
                if self.bound(node) < self.best_loss - _TIE and not self.is_ruled_out(node):
                    self.measure(node)

    def is_ruled_out(self, node: Node) -> bool:
        """Return whether a coarser node failed for a reason that every finer one has."""
        return any(all(a <= b for a, b in zip(node, other, strict=True)) for other in self.rules_out)

    def around(self, center: Node) -> dict[Node, None]:
        """Return the nodes at most three single steps away, at least one of them down; nearest first."""
        reached = dict.fromkeys([*self.neighbors(center, -1), *self.neighbors(center, 1)])
        for _ in range(2):
            reached |= dict.fromkeys(
                further for near in list(reached) for step in (-1, 1) for further in self.neighbors(near, step)
            )
        reached.pop(center, None)
        return reached


def _geometric(losses: Sequence[FloatArray] | Sequence[float], weights: Sequence[float]) -> FloatArray | float:
    product: FloatArray | float = 1.0
    for at, weight in enumerate(weights):
        factor: FloatArray | float = (1 + losses[at]) ** weight
        product = product * factor
    mean: FloatArray | float = product ** (1 / sum(weights))
    return mean - 1


def _arithmetic(losses: Sequence[FloatArray] | Sequence[float], weights: Sequence[float]) -> FloatArray | float:
    total: FloatArray | float = 0.0
    for at, weight in enumerate(weights):
        total = total + losses[at] * weight
    return total / sum(weights)


_COMBINED = {"geometric": _geometric, "arithmetic": _arithmetic}


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
            people = records if classes.people is classes.records else self.people_known(classes)
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
