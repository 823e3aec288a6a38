"""Local recoding: every row at the finest levels that its own class allows, so one column shows several levels.

One pass over the lattice, from the node that loses least: at each, the rows that are left and stand in a class that
meets the target by itself are released. Classes of different nodes whose written labels agree only grow by that. Then
classes are cut along ordered fields: intervals between the limits of the finest level, closer than any level.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from policy_sim.release.cells import KeyCells, Node
from policy_sim.release.generalization import SUPPRESSED, Generalization, Intervals, alone_enough
from policy_sim.release.person_cells import PairCells, PersonCells
from policy_sim.release.targets import RiskTarget
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray

MOST_LOCAL_NODES = 10_000
_MOST_ROWS_READ, _FEWEST_NODES = 50_000_000, 200  # of people with several rows, whose rows are read at each node
_LEFT = 0.15  # of the loss of an ordered field after cuts

# Which of so many groups of cells meet the target: the group of each of the cells, their number, the cells.
Meets = Callable[[IntArray, int, IntArray], BoolArray]

# Someone who knows how rows are recoded knows that a coarse label is of nobody whose own values are released at a finer
# node. So a class among a population counts the people whose values get its labels, not all who fit them. For that the
# pass goes over everyone, whether in the file or not, and their losses and not those of the file give the order of
# nodes and cuts: the same label is everyone's of a class, whoever of them is in the file. Of people whose value in a
# field nobody counted the label is not known; then classes count the records of the file, which are no more.


def local_recoding(
    cells: KeyCells, target: RiskTarget, progress: Callable[[str], object] = lambda _: None
) -> Generalization:
    """Return each row at the first node, from the least loss up, at which its class meets the target by itself.

    Then the classes are cut along ordered fields. That is done in two orders of the nodes, by two guesses of what cuts
    leave of a loss, and the recoding that loses less is taken.

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
    )
    counted = everyone if among_people else cells
    tried = []
    for size in (0, single.least) if any(_is_cut(cells)) else (0,):
        of_cells, stays = _recoded(cells, counted, single, list(nodes_by_loss(counted, size)), progress)
        losses = of_cells.losses(cells.as_table(), counted.rows_of_cells)
        tried.append((float(np.average(losses, weights=cells.weights)), of_cells, stays))
    _, of_cells, stays = min(tried, key=lambda way: way[0])
    intervals, row_cell = of_cells.intervals, cells.row_cell
    return replace(
        of_cells,
        row_node=np.where(stays, of_cells.row_node[row_cell], SUPPRESSED),
        intervals=intervals and replace(intervals, group=intervals.group[row_cell]),
        of_cells=of_cells if among_people else None,
    )


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
    progress("cutting the classes along ordered fields")
    used = used or (tuple(choices[-1] for choices in cells.levels),)
    of_cells = Generalization(cells.ladders, used, node, is_local=True)
    return with_cuts(counted, of_cells, records, meets, max(single.least, 1)), stays


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
    cells: KeyCells, least: int = 0, most: int = MOST_LOCAL_NODES, *, cuts: bool = True
) -> Iterator[Node]:
    """Yield nodes of the allowed levels, of least loss after cuts first; a field's loss counts as often as its weight.

    Of a field that is cut only the two coarsest levels are tried, the last for what has no place in the order. Cuts
    down to a ``least`` size leave ``(least / size) ** (1 / fields)`` of the loss of each ordered field, where the size
    of the classes of a node is that of independent fields; 15% if no size is given. Above ``most`` nodes the field with
    the most levels loses one in the middle, until there are few enough.
    """
    is_cut = _is_cut(cells) if cuts else [False] * len(cells.levels)
    fewer = [list(choices[-2:] if cut else choices) for choices, cut in zip(cells.levels, is_cut, strict=True)]
    while math.prod(map(len, fewer)) > most and max(map(len, fewer)) > 2:
        longest = max(fewer, key=len)
        del longest[len(longest) // 2]

    def of_nodes(figure: Callable[[int, int], float]) -> list[FloatArray]:
        figures = [[figure(at, level) for level in choices] for at, choices in enumerate(fewer)]
        return [np.asarray(grid) for grid in np.meshgrid(*figures, indexing="ij")]

    bits_lost = np.sum(of_nodes(cells.with_bits.mean_loss), axis=0)
    size = cells.total / 2 ** (cells.bits_of_a_field * (len(fewer) - bits_lost))
    left = (least / np.maximum(size, least)) ** (1 / max(sum(is_cut), 1)) if least else np.full(size.shape, _LEFT)
    is_spared = of_nodes(lambda at, level: is_cut[at] and not (least and cells.ladders[at].is_gone(level)))
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


# Cuts along ordered fields.


_LEAST_GAIN = 1e-9


@dataclass(frozen=True, eq=False)
class _Field:
    """An ordered field of the cells: the unit of each, and how much a label costs that covers all units up to one."""

    at: int
    unit: IntArray = field(repr=False)
    covered: IntArray = field(repr=False)
    weight: float
    cost_of: Callable[[IntArray], FloatArray] = field(repr=False)

    def cost(self, low: IntArray, high: IntArray) -> FloatArray:
        """Return the loss of a record whose label covers the units from ``low`` to ``high``."""
        return self.weight * self.cost_of(self.covered[high + 1] - self.covered[low])


@dataclass(eq=False)
class _Classes:
    """The class of each cell, and of each class and ordered field the loss per record and the interval, -1 for none."""

    group: IntArray
    cost: FloatArray
    low: IntArray
    high: IntArray
    can: BoolArray

    def number(self) -> int:
        return len(self.cost)

    def copied(self, classes: IntArray) -> IntArray:
        """Append a copy of some classes; return their numbers."""
        first = len(self.cost)
        for name in ("cost", "low", "high", "can"):
            held = getattr(self, name)
            setattr(self, name, np.concatenate([held, held[classes]]))
        return first + np.arange(len(classes))


def with_cuts(cells: KeyCells, recoded: Generalization, records: IntArray, meets: Meets, least: int) -> Generalization:
    """Return a local recoding of cells whose classes are cut along ordered fields as long as that loses less.

    Each class has the interval of the units that its records have; units are the classes of the finest level that is
    allowed. It is cut in two at the limit, of all fields, that spares the most loss, where both parts meet the target.
    Each cell has so many ``records`` that lose by its labels; parts of fewer than ``least`` are not tried.
    """
    fields = _ordered_fields(cells)
    held = np.flatnonzero(recoded.released)
    if not fields or not len(held):
        return recoded
    classes = _started(cells, recoded, fields, held)
    active = np.ones(classes.number(), dtype=np.bool_)
    while active.any():
        items = held[active[classes.group[held]]]
        gain, which, last = _best_cuts(classes, fields, items, records, least)
        items = items[gain[classes.group[items]] > _LEAST_GAIN]
        if not len(items):
            break
        of_class = classes.group[items]
        units = np.stack([of_field.unit[items] for of_field in fields])
        is_upper = units[which[of_class], np.arange(len(items))] > last[of_class]
        parts, group = np.unique(2 * of_class + is_upper, return_inverse=True)
        stays = ~np.isin(of_class, parts[~meets(group, len(parts), items)] // 2)  # cut where both parts meet the target
        cut = _cut(classes, fields, items[stays], is_upper[stays], which)
        active = np.zeros(classes.number(), dtype=np.bool_)
        active[cut] = True
    return _generalization(cells, recoded, fields, classes)


def _is_cut(cells: KeyCells) -> list[bool]:
    """Return of each field whether classes are cut along it: its finest have an order, and coarser ones are allowed."""
    fields = zip(cells.ladders, cells.levels, strict=True)
    return [ladder.ordered and len(allowed) > 1 and len(ladder.units(allowed[0])[1]) > 1 for ladder, allowed in fields]


def _ordered_fields(cells: KeyCells) -> list[_Field]:
    fields = []
    for at in np.flatnonzero(_is_cut(cells)).tolist():
        unit, _ = cells.ladders[at].units(cells.levels[at][0])
        sizes = np.bincount(unit[1:][unit[1:] >= 0], weights=cells.weight_of_values(at)[1:][unit[1:] >= 0])
        covered = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        fields.append(_Field(at, unit[cells.codes[:, at]], covered, cells.weights[at], cells.cost_of_size(at)))
    return fields


def _started(cells: KeyCells, recoded: Generalization, fields: Sequence[_Field], held: IntArray) -> _Classes:
    """Return the classes of the nodes; a field is cut where every record of a class has a place in the order."""
    node = recoded.row_node
    group, number = np.full(len(node), -1, dtype=np.int64), 0
    order = held[np.argsort(node[held], kind="stable")]
    for part in np.split(order, np.flatnonzero(np.diff(node[order])) + 1):
        of_part, count = cells.grouped(recoded.nodes[node[part[0]]], part)
        group[part] = np.unique(of_part, return_inverse=True)[1] + number
        number += len(np.unique(of_part)) if count else 0
    shape = (number, len(fields))
    cost, can = np.zeros(shape), np.ones(shape, dtype=np.bool_)
    first = np.zeros(number, dtype=np.int64)
    first[group[held]] = held
    for at, of_field in enumerate(fields):
        level = np.array([of_node[of_field.at] for of_node in recoded.nodes])[node[first]]
        for height in np.unique(level):
            label_cost = cells.label_costs(of_field.at, int(height))[cells.codes[first, of_field.at]]
            cost[level == height, at] = of_field.weight * label_cost[level == height]
        can[group[held[of_field.unit[held] < 0]], at] = False
    nothing = np.full(shape, -1, dtype=np.int64)
    return _Classes(group, cost, nothing, nothing.copy(), can)


def _best_cuts(
    classes: _Classes, fields: Sequence[_Field], items: IntArray, records: IntArray, least: int
) -> tuple[FloatArray, IntArray, IntArray]:
    """Return for each class the most loss that a cut spares, in which field, and the last unit of its lower part."""
    number = classes.number()
    gain, which, last = np.zeros(number), np.zeros(number, dtype=np.int64), np.zeros(number, dtype=np.int64)
    for at, of_field in enumerate(fields):
        able = items[classes.can[classes.group[items], at]]
        if not len(able):
            continue
        width = len(of_field.covered)
        keys, inverse = np.unique(classes.group[able] * width + of_field.unit[able], return_inverse=True)
        counted = np.bincount(inverse, weights=records[able])
        of_class, unit = keys // width, keys % width
        starts = np.flatnonzero(np.r_[True, of_class[1:] != of_class[:-1]])
        ends = np.r_[starts[1:], len(keys)] - 1
        run = np.repeat(np.arange(len(starts)), ends - starts + 1)
        total = np.cumsum(counted)
        lower = total - (total[starts] - counted[starts])[run]
        whole = lower[ends][run]
        is_end = np.arange(len(keys)) == ends[run]
        upper_from = np.where(is_end, unit, np.r_[unit[1:], 0])
        upper = np.where(is_end, 0, of_field.cost(upper_from, unit[ends][run]))
        spared = (
            whole * classes.cost[of_class, at]
            - lower * of_field.cost(unit[starts][run], unit)
            - (whole - lower) * upper
        )
        spared[~((lower >= least) & (is_end | (whole - lower >= least)))] = 0
        best = np.maximum.reduceat(spared, starts)
        place = np.minimum.reduceat(np.where(spared == best[run], np.arange(len(keys)), len(keys)), starts)
        better = best > gain[of_class[starts]] + _LEAST_GAIN
        changed = of_class[starts][better]
        gain[changed], which[changed], last[changed] = best[better], at, unit[place[better]]
    return gain, which, last


def _cut(
    classes: _Classes, fields: Sequence[_Field], items: IntArray, is_upper: BoolArray, which: IntArray
) -> IntArray:
    """Cut classes in two, or bring their interval closer where they have no upper part; return all of them."""
    of_field, above = which[classes.group[items]], items[is_upper]
    parted, part = np.unique(classes.group[above], return_inverse=True)
    classes.group[above] = classes.copied(parted)[part]
    for at, cut_field in enumerate(fields):
        mine = items[of_field == at]
        touched, group = np.unique(classes.group[mine], return_inverse=True)
        low = np.full(len(touched), len(cut_field.covered), dtype=np.int64)
        high = np.full(len(touched), -1, dtype=np.int64)
        np.minimum.at(low, group, cut_field.unit[mine])
        np.maximum.at(high, group, cut_field.unit[mine])
        classes.low[touched, at], classes.high[touched, at] = low, high
        classes.cost[touched, at] = cut_field.cost(low, high)
    return np.unique(classes.group[items])


def _generalization(
    cells: KeyCells, recoded: Generalization, fields: Sequence[_Field], classes: _Classes
) -> Generalization:
    """Return the rows with the intervals of their classes; an interval of one unit is a label of the finest level."""
    spans: list[tuple[tuple[int, int], ...]] = [() for _ in cells.ladders]
    label = np.full((classes.number(), len(cells.ladders)), -1, dtype=np.int64)
    for at, of_field in enumerate(fields):
        low, high = classes.low[:, at], classes.high[:, at]
        label[(low >= 0) & (low == high), of_field.at] = cells.levels[of_field.at][0]
        wide = low < high
        pairs, number = np.unique(np.stack([low[wide], high[wide]], axis=1), axis=0, return_inverse=True)
        label[wide, of_field.at] = cells.ladders[of_field.at].height + 1 + number.ravel()
        spans[of_field.at] = tuple((int(a), int(b)) for a, b in pairs)
    finest = tuple(allowed[0] for allowed in cells.levels)
    return replace(recoded, intervals=Intervals(finest, tuple(spans), label, classes.group))
