"""Local recoding: every row at the finest levels that its own class allows, so one column shows several levels.

One pass over the lattice, from the node that loses least: at each, the rows that are left and stand in a class that
meets the target by itself are released. Classes of different nodes whose written labels agree only grow by that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pandas as pd

from policy_sim.release.generalization import SUPPRESSED, Generalization, alone_enough
from policy_sim.release.search import KeyCells, Node, PersonCells
from policy_sim.release.targets import RiskTarget
from policy_sim.words.arrays import BoolArray, IntArray
from policy_sim.words.errors import InputError

MOST_LOCAL_NODES = 10_000


def refuse_other_than_local(target: RiskTarget | None) -> None:
    """Refuse a target that a pass over the rows cannot enforce.

    Among the people of a population, a label at a coarse level tells that the row is none of those who were released at
    a finer one. Fewer people fit it than its values say, so its class is not counted.
    """
    if target is None:
        raise InputError(
            'recoding = "local" needs a target of risk, and this release has none: the policy or the variables set '
            'the levels. Set recoding = "one-level".'
        )
    if target.sizes == "population":
        raise InputError(
            'recoding = "local" needs a target that counts records of the file, and this one counts people of the '
            'population: set recoding = "one-level", or let the attacker know who is in the file (sizes = "file", '
            "attacker-knows = yes)."
        )


def local_recoding(
    cells: KeyCells,
    target: RiskTarget,
    levels: Sequence[tuple[int, ...]],
    row_cell: IntArray,
    progress: Callable[[str], object] = lambda _: None,
) -> Generalization:
    """Return each row at the first node, from the least loss up, at which its class meets the target in the file.

    With several rows per person, whoever has a row that no node releases leaves with all rows, and the pass starts
    again without them, until nobody has to leave.
    """
    refuse_other_than_local(target)
    stays = np.ones(len(row_cell), dtype=np.bool_)
    while True:
        row_node, nodes = _one_pass(cells, alone_enough(target), levels, row_cell, stays, progress)
        lost = stays & (row_node == SUPPRESSED)
        if not isinstance(cells, PersonCells) or not lost.any():
            return Generalization(cells.ladders, nodes, row_node, is_local=True)
        leaves = np.zeros(int(cells.person.max()) + 1, dtype=np.bool_)
        leaves[cells.person[lost]] = True
        stays &= ~leaves[cells.person]


def nodes_by_loss(cells: KeyCells, levels: Sequence[tuple[int, ...]], most: int = MOST_LOCAL_NODES) -> Iterator[Node]:
    """Yield the nodes of the allowed levels, of least mean loss first.

    Above ``most`` nodes the field with the most levels loses one in the middle, until there are few enough.
    """
    fewer = [list(choices) for choices in levels]
    while math.prod(map(len, fewer)) > most and max(map(len, fewer)) > 2:
        longest = max(fewer, key=len)
        del longest[len(longest) // 2]
    losses = [np.array([cells.mean_loss(at, level) for level in choices]) for at, choices in enumerate(fewer)]
    total = sum(np.meshgrid(*losses, indexing="ij"), start=np.zeros(()))
    shape = tuple(map(len, fewer))
    for flat in np.argsort(total, axis=None, kind="stable"):
        yield tuple(choices[place] for choices, place in zip(fewer, np.unravel_index(flat, shape), strict=True))


def _one_pass(
    cells: KeyCells,
    single: RiskTarget,
    levels: Sequence[tuple[int, ...]],
    row_cell: IntArray,
    stays: BoolArray,
    progress: Callable[[str], object],
) -> tuple[IntArray, tuple[Node, ...]]:
    """Return the index of the node of each row, and those nodes at which a row is released."""
    by_person = isinstance(cells, PersonCells)
    # rows of one cell go together, unless their people differ
    left = np.flatnonzero(stays) if by_person else np.flatnonzero(cells.records > 0)
    item_node = np.full(len(row_cell) if by_person else len(cells.records), SUPPRESSED, dtype=np.int64)
    nodes: list[Node] = []
    for tried, node in enumerate(nodes_by_loss(cells, levels), 1):
        progress(f"recoding locally: {tried:,} nodes tried")
        released = _released(cells, single, node, row_cell[left] if by_person else left, left)
        if released.any():
            item_node[left[released]] = len(nodes)
            nodes.append(node)
            left = left[~released]
        if not len(left):
            break
    if not nodes:
        nodes.append(tuple(choices[-1] for choices in levels))
    return (item_node if by_person else item_node[row_cell]), tuple(nodes)


def _released(cells: KeyCells, single: RiskTarget, node: Node, of_item: IntArray, items: IntArray) -> BoolArray:
    """Return which items, of these cells, stand in a class that meets the target among them."""
    group, number = cells.grouped(node, of_item)
    if isinstance(cells, PersonCells):
        pairs = pd.unique(group * (int(cells.person.max(initial=0)) + 1) + cells.person[items])
        records = np.bincount(pairs // (int(cells.person.max(initial=0)) + 1), minlength=number).astype(np.int64)
    else:
        records = np.bincount(group, weights=cells.records[items], minlength=number).astype(np.int64)
    return ~single.suppressed(records, records)[group]
