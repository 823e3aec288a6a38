"""Find the node of the lattice that meets a target with the least loss, with suppression up to a limit.

A node's loss without suppression is a lower bound of its loss, because a suppressed record loses everything. The
search tries nodes in the order of that bound until the bound reaches the best loss. The result is then the optimum of
the whole lattice. A node that would suppress too many records rules out every finer node: classes only grow at
coarser levels, so records that can be released at a node can be released at every coarser node.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from policy_sim.arrays import FloatArray
from policy_sim.deidentify.key_cells import KeyCells, Node, NodeClasses
from policy_sim.deidentify.risk_targets import RiskTarget
from policy_sim.errors import InputError, NotEstimableError, UnknownNameError

__all__ = ["LOSSES", "MOST_NODES", "SearchResult", "search_lattice"]

MOST_NODES = 100_000
LOSSES = {
    "geometric": "the geometric mean of 1 + each field's loss, less 1, as ARX does",
    "arithmetic": "the mean of the fields' losses",
}
_HELD = 48  # class tables of nodes in memory, from which coarser ones are summed
_TIE = 1e-12


@dataclass(frozen=True)
class SearchResult:
    """The result of a search.

    Parameters
    ----------
    node : The level of each field.
    loss : What the search minimized, 0 (nothing lost) to 1: the losses of the fields at the node, combined.
    records : Number of suppressed records, or of people if all rows of a person are treated alike.
    nodes : Number of nodes in the lattice.
    measured : Number of nodes whose classes the search counted.
    optimal : Whether no node of the lattice has less loss; False for the heuristic.
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
    most_nodes: int = MOST_NODES,
    progress: Callable[[str], object] = lambda _: None,
) -> SearchResult:
    """Return the node that meets a target with the least loss.

    Parameters
    ----------
    cells : The records by key.
    target : The target of the released records.
    limit : Largest share of records to suppress, at least 0 and below 1.
    loss : One of :data:`LOSSES`, over the fields; a suppressed record loses 1 in each.
    levels : Allowed levels of each field, ascending; by default all.
    most_nodes : Above this many nodes the search is a heuristic: it starts at the nodes of one upward path that meet
        the target, and moves to the best node within three single steps until none is better.
    progress : Called from time to time with the state of the search.

    Raises
    ------
    NotEstimableError : no node meets the target within the limit.
    InputError : a limit out of range, or a level that a ladder does not have.

    References
    ----------
    Samarati (2001), IEEE TKDE 13:1010, for the lattice; El Emam et al. (2009), JAMIA 16:670, for pruning by the share
    suppressed; the loss per field is that of ARX, ``(m - 1) / (D - 1)``.
    """
    if not 0 <= limit < 1:
        raise InputError(f"limit = {limit}: give the share of records that may be suppressed, from 0 to below 1.")
    search = _Search(cells, target, limit, loss, _allowed(cells, levels), progress)
    exact = search.nodes <= most_nodes
    search.all_nodes() if exact else search.some_nodes()
    if search.best is None:
        raise NotEstimableError(
            f"no generalization meets the target ({target.describe()}) with at most {limit:.1%} of the "
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
        progress: Callable[[str], object],
    ) -> None:
        if loss not in LOSSES:
            raise UnknownNameError("loss", loss, LOSSES)
        self.cells, self.target, self.allowed, self.progress = cells, target, allowed, progress
        self.most = math.floor(limit * cells.units + _TIE)
        self.combine = _geometric if loss == "geometric" else _arithmetic
        self.shape = tuple(len(field_levels) for field_levels in allowed)
        self.nodes = math.prod(self.shape)
        self.field_losses = [
            np.array([cells.mean_loss(at, level) for level in field_levels]) for at, field_levels in enumerate(allowed)
        ]
        self.seen: dict[Node, float] = {}  # loss, infinite if the node suppresses too many records
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
        if suppression.units > self.most or suppression.units == self.cells.units:
            return math.inf
        rows, losses = int(suppression.rows.sum()), []
        for at, place in enumerate(node):
            spared = float(
                (self.cells.loss_of_cells(at, self.allowed[at][place], suppression.cell) * suppression.rows).sum()
            )
            losses.append(self.field_losses[at][place] + (rows - spared) / self.cells.total)
        return float(self.combine(losses))

    def all_nodes(self) -> None:
        """Find the optimum."""
        bounds = self._bounds()
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

    def _bounds(self) -> FloatArray:
        grids = np.meshgrid(*self.field_losses, indexing="ij")
        return np.asarray(self.combine(grids), dtype=np.float64)

    def _failures_above(self, node: Node) -> Iterable[Node]:
        """Measure a node; if it fails, find by bisection the last node on its upward path that fails."""
        if self.measure(node) < math.inf:
            return
        path = self.path_up(node)
        low, high = 0, len(path)  # path[low] fails; path[high] is assumed to meet the target
        while high - low > 1:
            middle = (low + high) // 2
            if self.measure(path[middle]) == math.inf:
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
        """Return whether a coarser node failed."""
        failed = (other for other, loss in self.seen.items() if loss == math.inf)
        return any(all(a <= b for a, b in zip(node, other, strict=True)) for other in failed)

    def around(self, center: Node) -> dict[Node, None]:
        """Return the nodes at most three single steps away, at least one of them down; nearest first."""
        reached = dict.fromkeys([*self.neighbors(center, -1), *self.neighbors(center, 1)])
        for _ in range(2):
            reached |= dict.fromkeys(
                further for near in list(reached) for step in (-1, 1) for further in self.neighbors(near, step)
            )
        reached.pop(center, None)
        return reached


def _geometric(losses: Sequence[FloatArray] | Sequence[float]) -> FloatArray | float:
    product: FloatArray | float = 1.0
    for loss in losses:
        product = product * (1 + loss)
    return product ** (1 / len(losses)) - 1


def _arithmetic(losses: Sequence[FloatArray] | Sequence[float]) -> FloatArray | float:
    total: FloatArray | float = 0.0
    for loss in losses:
        total = total + loss
    return total / len(losses)
