"""Local recoding: every row at the finest levels that its own class allows, so one column shows several levels.

One pass over the lattice, from the node that loses least: at each, the rows that are left and stand in a class that
meets the target by itself are released. Classes of different nodes whose written labels agree only grow by that. Then
classes are cut (:mod:`policy_sim.release.cuts`), so that their labels are closer than any level.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from policy_sim.release.cells import KeyCells, Node
from policy_sim.release.cuts import Meets, is_cut, with_cuts
from policy_sim.release.generalization import SUPPRESSED, Generalization, alone_enough
from policy_sim.release.person_cells import PairCells, PersonCells
from policy_sim.release.targets import RiskTarget
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray

MOST_LOCAL_NODES = 10_000
_MOST_ROWS_READ, _FEWEST_NODES = 50_000_000, 200  # of people with several rows, whose rows are read at each node
_MANY_CELLS = 200_000  # above, one order of the nodes is tried
_LEFT = 0.15  # of the loss of an ordered field after cuts

# Someone who knows how rows are recoded knows that a coarse label is of nobody whose own values are released at a finer
# node. So a class among a population counts the people whose values get its labels, not all who fit them. For that the
# pass goes over everyone, whether in the file or not, and their losses and not those of the file give the order of
# nodes and cuts: the same label is everyone's of a class, whoever of them is in the file. Of people whose value in a
# field nobody counted the label is not known; then classes count the records of the file, which are no more.


def local_recoding(
    cells: KeyCells, target: RiskTarget, progress: Callable[[str], object] = lambda _: None
) -> Generalization:
    """Return each row at the first node, from the least loss up, at which its class meets the target by itself.

    Then the classes are cut. That is done in up to three orders of the nodes, by guesses of what cuts leave of a loss,
    and the recoding that loses least is taken.

    Where an attacker knows several rows of a person, all of them are at one node, and nothing is cut: rows at
    different nodes would tell people apart.
    """
    single = alone_enough(target)
    if isinstance(cells, PairCells):
        return _recoded_by_person(cells, single, progress)
    if cells.uncounted:
        single = replace(single, sizes="file")
    among_people = single.sizes == "population"
    everyone = KeyCells(
        *(cells.ladders, cells.codes, cells.people, cells.people),
        by_entropy=cells.by_entropy,
        levels=cells.levels,
        weights=cells.weights,
        unlisted=cells.unlisted,
    )
    counted = everyone if among_people else cells
    tried = []
    for size, sets in _ways(cells, single):
        nodes = list(nodes_by_loss(counted, size, sets=sets))
        of_cells, stays = _recoded(cells, counted, single, nodes, progress)
        losses = of_cells.losses(cells.as_table(), counted.rows_of_cells)
        tried.append((float(np.average(losses, weights=cells.weights)), of_cells, stays))
    _, of_cells, stays = min(tried, key=lambda way: way[0])
    closer, row_cell = of_cells.closer, cells.row_cell
    return replace(
        of_cells,
        row_node=np.where(stays, of_cells.row_node[row_cell], SUPPRESSED),
        closer=closer and replace(closer, group=closer.group[row_cell]),
        of_cells=of_cells if among_people else None,
    )


def _ways(cells: KeyCells, single: RiskTarget) -> list[tuple[int, bool]]:
    """Return the orders of nodes to try: the size of classes, and whether fields without an order are cut too.

    Of many cells only the last, which has the fewest nodes.
    """
    ways = [(0, False), (single.least, False)] if any(is_cut(cells)) else [(0, False)]
    ways += [(0, True)] * (is_cut(cells, sets=True) != is_cut(cells))
    return ways if len(cells.records) <= _MANY_CELLS else ways[-1:]


def _recoded(
    cells: KeyCells,
    counted: KeyCells,
    single: RiskTarget,
    nodes: Sequence[Node],
    progress: Callable[[str], object],
) -> tuple[Generalization, BoolArray]:
    """Return every cell at one of the nodes, cut, and the rows that stay; ``counted`` has who counts.

    With several rows per person, whoever has a row that no node releases leaves with all rows, and the pass starts
    again without them, until nobody has to leave.
    """
    stays = np.ones(len(cells.row_cell), dtype=np.bool_)

    meets = _meets(cells, counted, single, stays)
    while True:
        rows = np.bincount(cells.row_cell[stays], minlength=len(cells.records)).astype(np.int64)
        records = rows if counted is cells else cells.people
        node, used = _one_pass(cells, np.flatnonzero(np.maximum(rows, records)), meets, nodes, progress)
        lost = stays & (node[cells.row_cell] == SUPPRESSED)
        if not isinstance(cells, PersonCells) or not lost.any():
            break
        stays &= ~np.isin(cells.person, cells.person[lost])  # in place: the target counts who stays
    progress("cutting the classes")
    used = used or (tuple(choices[-1] for choices in cells.levels),)
    of_cells = Generalization(cells.ladders, used, node, is_local=True)
    least = max(single.least, 1)
    return with_cuts(counted, of_cells, records, meets, least, of_file=counted is cells), stays


def _recoded_by_person(cells: PairCells, single: RiskTarget, progress: Callable[[str], object]) -> Generalization:
    """Return all rows of each person at the first node at which, of the people left, those who stay meet the target."""
    node_of, used = np.full(cells.units, SUPPRESSED, dtype=np.int64), list[Node]()
    most = min(max(_MOST_ROWS_READ // max(len(cells.person), 1), _FEWEST_NODES), MOST_LOCAL_NODES)
    for tried, node in enumerate(nodes_by_loss(cells, most=most, cuts=False), 1):
        progress(f"recoding locally: {tried:,} nodes tried")
        left = node_of == SUPPRESSED
        if not left.any():
            break
        released = cells.staying(node, single, left)
        if released.any():
            node_of[released] = len(used)
            used.append(node)
    used = used or [tuple(choices[-1] for choices in cells.levels)]
    return Generalization(cells.ladders, tuple(used), node_of[cells.person], is_local=True)


def _meets(cells: KeyCells, counted: KeyCells, single: RiskTarget, stays: BoolArray) -> Meets:
    """Return what tells which groups of cells meet a target by themselves, with the rows that stay.

    Closeness compares them with all records of the file.
    """
    overall = {name: values.totals() for name, values in cells.held.items()}

    def meets(group: IntArray, number: int, members: IntArray) -> BoolArray:
        records, held = cells.counted_in(members, group, number, stays)
        held = {name: replace(values, overall=overall[name]) for name, values in held.items()}
        people = records if counted is cells else counted.counted_in(members, group, number, stays)[0]
        return ~single.suppressed(records, people, held) & (single.size_of(records, people) >= single.least)

    return meets


def with_cells_suppressed(cells: KeyCells, one_level: Generalization, target: RiskTarget) -> Generalization:
    """Release the suppressed rows of one level per field without some of their cells: a pass over level or nothing.

    Each of the classes has enough records of the file by itself, so the whole file still meets the target, among the
    people of a population too: a missing cell tells that the row's class is small, so people who fit the other cells do
    not count.
    """
    single = replace(alone_enough(target), sizes="file")
    left = ~one_level.released
    row_cell, sensitive = cells.row_cell[left], {name: column.take(left) for name, column in cells.sensitive.items()}
    records = np.bincount(row_cell, minlength=len(cells.records)).astype(np.int64)
    rest = replace(cells, records=records, people=records, row_cell=row_cell, sensitive=sensitive)
    lost = [
        {level: weight * rest.mean_loss(at, level) for level in (one_level.nodes[0][at], ladder.height)}
        for at, (ladder, weight) in enumerate(zip(cells.ladders, cells.weights, strict=True))
    ]
    nodes = sorted(
        itertools.product(*lost), key=lambda node: sum(of[level] for of, level in zip(lost, node, strict=True))
    )
    meets = _meets(rest, rest, single, np.ones(len(row_cell), dtype=np.bool_))
    node, used = _one_pass(rest, np.flatnonzero(records), meets, nodes, lambda _: None)
    row_node = one_level.row_node.copy()
    row_node[left] = np.where(node[row_cell] == SUPPRESSED, SUPPRESSED, node[row_cell] + 1)
    return replace(one_level, nodes=(*one_level.nodes, *used), row_node=row_node)


def nodes_by_loss(
    cells: KeyCells, least: int = 0, most: int = MOST_LOCAL_NODES, *, cuts: bool = True, sets: bool = False
) -> Iterator[Node]:
    """Yield nodes of the allowed levels, of least loss after cuts first; a field's loss counts as often as its weight.

    Of a field that is cut only the two coarsest levels are tried, the last for what has no place in the order; with
    ``sets``, of one without an order too. Cuts down to a ``least`` size leave ``(least / size) ** (1 / fields)`` of the
    loss of each field that is cut, where the size of the classes of a node is that of independent fields; 15% if no
    size is given. Above ``most`` nodes the field with the most levels loses one in the middle, until there are few
    enough.
    """
    are_cut = is_cut(cells, sets) if cuts else [False] * len(cells.levels)
    fewer = [list(choices[-2:] if cut else choices) for choices, cut in zip(cells.levels, are_cut, strict=True)]
    while math.prod(map(len, fewer)) > most and max(map(len, fewer)) > 2:
        longest = max(fewer, key=len)
        del longest[len(longest) // 2]

    def of_nodes(figure: Callable[[int, int], float]) -> list[FloatArray]:
        figures = [[figure(at, level) for level in choices] for at, choices in enumerate(fewer)]
        return [np.asarray(grid) for grid in np.meshgrid(*figures, indexing="ij")]

    bits_lost = np.sum(of_nodes(cells.with_bits.mean_loss), axis=0)
    size = cells.total / 2 ** (cells.bits_of_a_field * (len(fewer) - bits_lost))
    left = (least / np.maximum(size, least)) ** (1 / max(sum(are_cut), 1)) if least else np.full(size.shape, _LEFT)
    is_spared = of_nodes(lambda at, level: are_cut[at] and not (least and cells.ladders[at].is_gone(level)))
    every = zip(cells.weights, of_nodes(cells.mean_loss), is_spared, strict=True)
    total = np.sum([weight * lost * np.where(cut, left, 1) for weight, lost, cut in every], axis=0)
    for flat in np.argsort(total, axis=None, kind="stable"):
        yield tuple(choices[at] for choices, at in zip(fewer, np.unravel_index(flat, size.shape), strict=True))


def _one_pass(
    cells: KeyCells, left: IntArray, meets: Meets, nodes: Iterable[Node], progress: Callable[[str], object]
) -> tuple[IntArray, tuple[Node, ...]]:
    """Return the index of each cell's node, and those nodes at which one is released."""
    node_of, used = np.full(len(cells.records), SUPPRESSED, dtype=np.int64), list[Node]()
    for tried, node in enumerate(nodes, 1):
        progress(f"recoding locally: {tried:,} nodes tried")
        group, number = cells.grouped(node, left)
        released = meets(group, number, left)[group]
        if released.any():
            node_of[left[released]] = len(used)
            used.append(node)
            left = left[~released]
        if not len(left):
            break
    return node_of, tuple(used)
