"""The node of the lattice that meets a target with the least loss: one level per field."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from policy_sim.release.cells import KeyCells, Node, NodeClasses, Suppression
from policy_sim.release.targets import RiskTarget
from policy_sim.show.numbers import bare, share
from policy_sim.words.errors import InputError, NotEstimableError, UnknownNameError

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
    "entropy": "the mean of the shares of their bits that the fields lose",
    "discernibility": "the mean share of the file in a record's class, of the nodes with the least geometric loss",
}
CANDIDATES = 50  # nodes of the least loss from which a measure that is no sum over fields takes the best
RECODINGS = ("one-level", "local")
KEPT = 10  # how many times the search counts the loss of a field that is to be kept
_HELD = 48  # class tables of nodes in memory, from which coarser ones are summed
_TIE = 1e-12


def is_weight(value: object) -> bool:
    """Tell whether a value says how many times the loss of a field counts: a number above 0, and finite."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf


def weights_text(weights: Mapping[str, float]) -> str:
    """Say how many times the loss of each field counts.

    >>> weights_text({"age": 3.0, "sex": 0.5})
    'the loss of age 3 times, sex 0.5 times'
    """
    return f"the loss of {', '.join(f'{name} {bare(times)} times' for name, times in weights.items())}"


@dataclass(frozen=True)
class SearchResult:
    """The node that a search found: the level of each field.

    ``loss`` is what the search minimized, from 0 (nothing lost) to 1, and ``records`` how many records, or people, are
    suppressed. Of the lattice's ``nodes`` it counted the classes of those ``measured``; it is ``optimal`` if no node
    loses less, which the heuristic cannot tell. ``candidates`` are the nodes of the least loss, if more were wanted.
    """

    node: Node
    loss: float
    records: int
    nodes: int
    measured: int
    optimal: bool
    candidates: tuple[Node, ...] = ()


def search_lattice(
    cells: KeyCells,
    target: RiskTarget,
    limit: float = 0.05,
    loss: str = "geometric",
    *,
    most_nodes: int = MOST_NODES,
    candidates: int = 1,
    progress: Callable[[str], object] = lambda _: None,
) -> SearchResult:
    """Return the node that meets a target with the least loss, where at most a share of the records is suppressed.

    Among equal losses it is the node that keeps more bits. A field that counts more often loses no more than where it
    counts once, because the node of least loss has the smallest sum.

    Above ``most_nodes`` the search is a heuristic: it starts at the nodes of one upward path that meet the target, and
    moves to the best node within three single steps until none is better.

    References
    ----------
    Samarati (2001), IEEE TKDE 13:1010, for the lattice; El Emam et al. (2009), JAMIA 16:670, for pruning by the share
    suppressed; the loss per field is that of ARX, ``(m - 1) / (D - 1)``.
    """
    if not 0 <= limit < 1:
        raise InputError(f"limit = {limit}: give the share of records that may be suppressed, from 0 to below 1.")
    search = _Search(cells, target, limit, loss, progress)
    search.is_exact, search.candidates = search.nodes <= most_nodes, candidates
    search.all_nodes() if search.is_exact else search.some_nodes()
    if search.best is None:
        raise NoNodeError(target, limit, cells, search)
    node = search.best
    suppression = cells.suppression(search.classes(node), target)
    best = sorted((loss, place) for place, loss in search.seen.items() if loss < math.inf)[:candidates]
    return SearchResult(
        search.levels_of(node),
        search.best_loss,
        suppression.units,
        search.nodes,
        len(search.seen),
        search.is_exact,
        tuple(search.levels_of(place) for _, place in best),
    )


class NoNodeError(NotEstimableError):
    """No node meets the target within the limit; says the least limit with which one of those measured does."""

    def __init__(self, target: RiskTarget, limit: float, cells: KeyCells, search: _Search) -> None:
        least = search.fewest / max(cells.units, 1)
        units = "people" if cells.by_person else "records"
        limit_of = math.ceil(1000 * least) / 1000
        works = f"up to {share(limit_of)} would do (limit = {bare(limit_of)})" if least < 0.999 else "no limit would do"
        super().__init__(
            f"no generalization meets the target ({target.describe()}) with at most {share(limit)} of the "
            f"{cells.units:,} {units} suppressed. With one level per field, {works}; or allow "
            "coarser levels, aim at a weaker target, or leave a field out."
        )
        coarsest = search.levels_of(tuple(size - 1 for size in search.shape))
        self.nothing = SearchResult(coarsest, 1.0, cells.units, search.nodes, len(search.seen), search.is_exact)


class _Search:
    """The state of a search: measured nodes, excluded nodes and the best node. Nodes are indices in ``allowed``."""

    def __init__(
        self,
        cells: KeyCells,
        target: RiskTarget,
        limit: float,
        loss: str,
        progress: Callable[[str], object] = lambda _: None,
    ) -> None:
        if loss not in _COMBINED:
            raise UnknownNameError("loss", loss, _COMBINED)
        self.cells, self.target, self.allowed, self.progress = cells, target, cells.levels, progress
        self.most = math.floor(limit * cells.units + _TIE)
        self.combine = partial(_COMBINED[loss], weights=cells.weights)
        self.shape = tuple(map(len, self.allowed))
        self.nodes = math.prod(self.shape)
        self.field_losses = [
            np.array([cells.mean_loss(at, level) for level in levels]) for at, levels in enumerate(self.allowed)
        ]
        self.seen: dict[Node, float] = {}  # loss, infinite if the node suppresses too many records
        self.rules_out: set[Node] = set()  # failed nodes whose finer nodes all fail
        self.best: Node | None = None
        self.best_loss = math.inf
        self.fewest = cells.units  # suppressed at a node measured
        self.is_exact, self.candidates = True, 1
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
            least = self.seen[node]
            if least < self.best_loss - _TIE or (
                self.best is not None and least <= self.best_loss + _TIE and self._bits(node) < self._bits(self.best)
            ):
                self.best, self.best_loss = node, min(least, self.best_loss)
            self.progress(f"searching the lattice: {len(self.seen):,} of {self.nodes:,} nodes measured")
        return self.seen[node]

    def _bits(self, node: Node) -> float:
        """Return the share of bits that a node loses without suppression."""
        cells = self.cells.with_bits
        return sum(cells.mean_loss(at, level) for at, level in enumerate(self.levels_of(node)))

    def _loss(self, node: Node) -> float:
        suppression = self.cells.suppression(self.classes(node), self.target)
        self.fewest = min(self.fewest, suppression.units)
        if self._too_many(suppression):
            if self._fails_below(node):
                self.rules_out.add(node)
            return math.inf
        losses = []
        for at, place in enumerate(node):
            more = self.cells.cost_of_suppression(at, self.allowed[at][place], suppression.cell)
            losses.append(self.field_losses[at][place] + float((more * suppression.rows).sum()) / self.cells.total)
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
            if bounds[node] > self.best_loss + _TIE and (
                self.candidates == 1 or sum(loss < math.inf for loss in self.seen.values()) >= self.candidates
            ):
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
        path = [node]  # each step raises the field with the least loss
        while steps := self.neighbors(path[-1], 1):
            path.append(min(steps, key=self.bound))
        low, high = 0, len(path)  # path[low] rules out; path[high] is assumed not to
        while high - low > 1:
            middle = (low + high) // 2
            self.measure(path[middle])
            if path[middle] in self.rules_out:
                low = middle
            else:
                high = middle
        yield path[low]

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
                if self.bound(node) >= self.best_loss - _TIE:
                    continue
                # not where a coarser node failed for a reason that every finer one has
                if not any(all(a <= b for a, b in zip(node, other, strict=True)) for other in self.rules_out):
                    self.measure(node)

    def around(self, center: Node) -> dict[Node, None]:
        """Return the nodes at most three single steps away, at least one of them down; nearest first."""
        reached = dict.fromkeys([*self.neighbors(center, -1), *self.neighbors(center, 1)])
        for _ in range(2):
            reached |= dict.fromkeys(
                further for near in list(reached) for step in (-1, 1) for further in self.neighbors(near, step)
            )
        reached.pop(center, None)
        return reached


def _geometric(losses: Sequence[Any], weights: Sequence[float]) -> Any:
    factors = [(1 + loss) ** weight for loss, weight in zip(losses, weights, strict=True)]
    return math.prod(factors) ** (1 / sum(weights)) - 1


def _arithmetic(losses: Sequence[Any], weights: Sequence[float]) -> Any:
    return sum(loss * weight for loss, weight in zip(losses, weights, strict=True)) / sum(weights)


_COMBINED = {"geometric": _geometric, "arithmetic": _arithmetic, "entropy": _arithmetic}
