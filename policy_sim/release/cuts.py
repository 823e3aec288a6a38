"""Cuts of a local recoding: classes in two, along an ordered field into intervals, along any other into sets of values.

A class is cut where that spares most of the loss and both parts meet the target, until no cut is left. The lower part
of a set has the values with the most records: of all sets of so many values, that part spares the most.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from policy_sim.release.cells import KeyCells
from policy_sim.release.class_labels import ANOTHER, Ends, Labels, can_be_listed, interval_labels, set_labels
from policy_sim.release.generalization import ClassLabels, Generalization
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray

# Which of so many groups of cells meet the target: the group of each of the cells, their number, the cells.
Meets = Callable[[IntArray, int, IntArray], BoolArray]
_LEAST_GAIN = 1e-9
_NUMBER = re.compile(r"\d")
_BY_SHARE = "values of "  # levels that merge rare values, and say nothing else of them
_ODD = ("week", "quarter")  # levels of dates at which no interval begins or ends: they are read as dates by few


@dataclass(frozen=True, eq=False)
class _Field:
    """A field that is cut: the unit of each cell, and what labels cost.

    A unit is a class of the finest level that is allowed, or -1 for none; ``of_values`` has that of a missing value and
    of each value, ``unit`` that of each cell. ``covered`` is how much all units up to one add to the size of a label.
    """

    at: int
    ordered: bool
    of_values: IntArray = field(repr=False)
    names: tuple[str, ...] = field(repr=False)
    unit: IntArray = field(repr=False)
    covered: IntArray = field(repr=False)
    weight: float
    cost_of: Callable[[IntArray], FloatArray] = field(repr=False)

    @property
    def units(self) -> int:
        """Number of units."""
        return len(self.covered) - 1

    def cost(self, runs: _Runs, first: IntArray, last: IntArray, whole: FloatArray) -> FloatArray:
        """Return the loss of a record whose label has the units of a run's keys from ``first`` to ``last``.

        A set that no label can name costs as much as the label of the ``whole`` class.
        """
        if self.ordered:
            size = self.covered[runs.unit[last] + 1] - self.covered[runs.unit[first]]
            return self.weight * self.cost_of(size)
        own = np.r_[0, np.cumsum(np.diff(self.covered)[runs.unit])]
        cost = self.weight * self.cost_of(own[last + 1] - own[first])
        return np.where(can_be_listed(last + 1 - first, self.units), cost, np.maximum(whole, cost))


@dataclass(frozen=True, eq=False)
class _Runs:
    """The units that occur in each of some classes, in the order in which a field is cut, and their records.

    ``start`` and ``end`` are the first and the last key of a class, ``run`` is the class of a key among them, and
    ``key`` the key of each item.
    """

    of_class: IntArray
    unit: IntArray
    records: FloatArray
    key: IntArray
    start: IntArray
    end: IntArray
    run: IntArray

    @classmethod
    def of_items(cls, of_class: IntArray, unit: IntArray, records: IntArray, cut: _Field) -> _Runs:
        """Count the records of each unit of each class."""
        keys, key = np.unique(of_class * cut.units + unit, return_inverse=True)
        counted: FloatArray = np.bincount(key, weights=records).astype(np.float64)
        owner, units = keys // cut.units, keys % cut.units
        if not cut.ordered:
            order = np.lexsort((units, -counted, owner))
            place = np.empty_like(order)
            place[order] = np.arange(len(order))
            owner, units, counted, key = owner[order], units[order], counted[order], place[key]
        start = np.flatnonzero(np.r_[True, owner[1:] != owner[:-1]])
        end = np.r_[start[1:], len(keys)] - 1
        return cls(owner, units, counted, key, start, end, np.repeat(np.arange(len(start)), end - start + 1))


@dataclass(eq=False)
class _Classes:
    """The class of each cell; of each class and field the loss per record, and whether it has a closer label.

    ``level`` is the loss at the level of the class's node, and ``can`` says whether the field is cut there.
    """

    group: IntArray
    cost: FloatArray
    level: FloatArray
    closer: BoolArray
    can: BoolArray

    def number(self) -> int:
        return len(self.cost)

    def copied(self, classes: IntArray) -> IntArray:
        """Append a copy of some classes; return their numbers."""
        first = len(self.cost)
        for name in ("cost", "level", "closer", "can"):
            known = getattr(self, name)
            setattr(self, name, np.concatenate([known, known[classes]]))
        return first + np.arange(len(classes))


def with_cuts(
    cells: KeyCells,
    recoded: Generalization,
    records: IntArray,
    meets: Meets,
    least: int,
    *,
    of_file: bool = False,
) -> Generalization:
    """Return a local recoding of cells whose classes are cut as long as that loses less.

    Each class has a label of the units that its records have; units are the classes of the finest level allowed. It is
    cut in two where, of all fields, that spares the most loss, and both parts meet the target. Each cell has so
    many ``records`` that lose by its labels; parts of fewer than ``least`` are not tried. Where the records are
    those ``of_file``, the ends of an interval are values that enough of them have (:func:`_shared_ends`).
    """
    fields = _cut_fields(cells)
    cut_cells = np.flatnonzero(recoded.released)
    if not fields or not len(cut_cells):
        return recoded
    if of_file:
        fields = [_with_rare_as_one(cut, cells, cut_cells, meets) for cut in fields]
    classes = _started(cells, recoded, fields, cut_cells)
    active = np.ones(classes.number(), dtype=np.bool_)
    while active.any():
        items = cut_cells[active[classes.group[cut_cells]]]
        gain, which, is_upper = _best_cuts(classes, fields, items, records, least)
        is_worth = gain[classes.group[items]] > _LEAST_GAIN
        items, is_upper = items[is_worth], is_upper[is_worth]
        if not len(items):
            break
        of_class = classes.group[items]
        parts, group = np.unique(2 * of_class + is_upper, return_inverse=True)
        stays = ~np.isin(of_class, parts[~meets(group, len(parts), items)] // 2)  # cut where both parts meet the target
        cut = _cut(classes, fields, items[stays], is_upper[stays], which)
        active = np.zeros(classes.number(), dtype=np.bool_)
        active[cut] = True
    return _generalization(cells, recoded, fields, classes, cut_cells, meets if of_file else None)


def is_cut(cells: KeyCells, sets: bool = False) -> list[bool]:
    """Return of each field whether classes are cut along it: into intervals, or into sets too."""
    fields = [_units(cells, at) for at in range(len(cells.ladders))]
    return [len(names) > 1 and (ordered or sets) for _, names, ordered in fields]


def _units(cells: KeyCells, at: int) -> tuple[IntArray, tuple[str, ...], bool]:
    """Return the unit of a missing value and of each value of a field, the labels, and whether units have an order.

    There are none where the field is not cut. A set of units is only for a field that may be suppressed.
    """
    ladder, allowed = cells.ladders[at], cells.levels[at]
    nothing = np.zeros(0, dtype=np.int64), (), False
    if len(allowed) < 2:
        return nothing
    if ladder.ordered:
        unit, names = ladder.units(allowed[0])
        return (unit, names, True) if len(names) > 1 else nothing
    if at in cells.unlisted:
        return nothing
    group, number = ladder.groups(allowed[0])
    names = tuple(dict.fromkeys(ladder.texts(allowed[0])))[1:]
    return (group - 1, names, False) if number > 3 and not ladder.is_gone(allowed[0]) else nothing


def _cut_fields(cells: KeyCells) -> list[_Field]:
    fields = []
    for at in range(len(cells.ladders)):
        unit, names, ordered = _units(cells, at)
        if names:
            fields.append(_field_of(cells, at, unit, names, ordered=ordered))
    return fields


def _field_of(cells: KeyCells, at: int, unit: IntArray, names: tuple[str, ...], *, ordered: bool) -> _Field:
    """Return a field with its units, of a missing value and of each value."""
    values = unit[1:]
    weights = cells.weight_of_values(at)[1:][values >= 0]
    sizes = np.bincount(values[values >= 0], weights=weights, minlength=len(names))
    covered = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    of_cells = unit[cells.codes[:, at]]
    return _Field(at, ordered, unit, names, of_cells, covered, cells.weights[at], cells.cost_of_size(at))


def _with_rare_as_one(cut: _Field, cells: KeyCells, items: IntArray, meets: Meets) -> _Field:
    """Return a field whose sets name no value that does not meet the target alone: all of these are one unit.

    The name of a job that one person has would show to anyone who knows that person that they are in the file. Where a
    level between tells more than that it is another one, as the first digits of a ZIP code do, such a value has no
    unit.
    """
    of_items = cut.unit[items]
    placed = of_items >= 0
    is_rare = ~meets(of_items[placed], cut.units, items[placed])
    if cut.ordered or not is_rare.any():
        return cut
    ladder = cells.ladders[cut.at]
    between = [ladder.names[level] for level in cells.levels[cut.at][1:] if not ladder.is_gone(level)]
    if any(not name.startswith(_BY_SHARE) for name in between):
        unit = np.where(np.r_[False, is_rare][cut.of_values + 1], -1, cut.of_values)
        return _field_of(cells, cut.at, unit, cut.names, ordered=False)
    names = (*(name for name, rare in zip(cut.names, is_rare, strict=True) if not rare), ANOTHER)
    place = np.where(is_rare, len(names) - 1, np.cumsum(~is_rare) - 1)
    unit = np.where(cut.of_values >= 0, place[cut.of_values], -1)
    return _field_of(cells, cut.at, unit, names, ordered=False)


def _started(cells: KeyCells, recoded: Generalization, fields: Sequence[_Field], cut_cells: IntArray) -> _Classes:
    """Return the classes of the nodes; a field is cut where every record of a class has a unit."""
    node = recoded.row_node
    group, number = np.full(len(node), -1, dtype=np.int64), 0
    order = cut_cells[np.argsort(node[cut_cells], kind="stable")]
    for part in np.split(order, np.flatnonzero(np.diff(node[order])) + 1):
        of_part, count = cells.grouped(recoded.nodes[node[part[0]]], part)
        group[part] = np.unique(of_part, return_inverse=True)[1] + number
        number += len(np.unique(of_part)) if count else 0
    shape = (number, len(fields))
    cost, can = np.zeros(shape), np.ones(shape, dtype=np.bool_)
    first = np.zeros(number, dtype=np.int64)
    first[group[cut_cells]] = cut_cells
    for at, cut in enumerate(fields):
        level = np.array([of_node[cut.at] for of_node in recoded.nodes])[node[first]]
        for height in np.unique(level):
            label_cost = cells.label_costs(cut.at, int(height))[cells.codes[first, cut.at]]
            cost[level == height, at] = cut.weight * label_cost[level == height]
        can[group[cut_cells[cut.unit[cut_cells] < 0]], at] = False
    return _Classes(group, cost, cost.copy(), np.zeros(shape, dtype=np.bool_), can)


def _best_cuts(
    classes: _Classes, fields: Sequence[_Field], items: IntArray, records: IntArray, least: int
) -> tuple[FloatArray, IntArray, BoolArray]:
    """Return for each class the most loss that a cut spares, and in which field; for each item whether it is above."""
    number, of_class = classes.number(), classes.group[items]
    gain, which = np.zeros(number), np.zeros(number, dtype=np.int64)
    is_upper = np.zeros(len(items), dtype=np.bool_)
    for at, cut in enumerate(fields):
        able = np.flatnonzero(classes.can[of_class, at] & (classes.cost[of_class, at] > _LEAST_GAIN))
        if not len(able):
            continue
        runs = _Runs.of_items(of_class[able], cut.unit[items[able]], records[items[able]], cut)
        best, place = _best_of_runs(runs, cut, classes.cost[:, at], classes.level[:, at], least)
        owner = runs.of_class[runs.start]
        better = best > gain[owner] + _LEAST_GAIN
        gain[owner[better]], which[owner[better]] = best[better], at
        mine = better[runs.run[runs.key]]
        is_upper[able[mine]] = (runs.key > place[runs.run[runs.key]])[mine]
    return gain, which, is_upper


def _best_of_runs(
    runs: _Runs, cut: _Field, cost: FloatArray, level: FloatArray, least: int
) -> tuple[FloatArray, IntArray]:
    """Return for each class the most loss that a cut of a field spares, and the last key of its lower part."""
    total = np.cumsum(runs.records)
    lower = total - (total[runs.start] - runs.records[runs.start])[runs.run]
    whole, keys = lower[runs.end][runs.run], np.arange(len(runs.unit))
    first, last, at_node = runs.start[runs.run], runs.end[runs.run], level[runs.of_class]
    is_end = keys == last
    above = np.where(is_end, 0, cut.cost(runs, np.minimum(keys + 1, last), last, at_node))
    below = cut.cost(runs, first, keys, at_node)
    spared = whole * cost[runs.of_class] - lower * below - (whole - lower) * above
    spared[~((lower >= least) & (is_end | (whole - lower >= least)))] = 0
    best = np.maximum.reduceat(spared, runs.start)
    place = np.minimum.reduceat(np.where(spared == best[runs.run], keys, len(keys)), runs.start)
    return best, place


def _cut(
    classes: _Classes, fields: Sequence[_Field], items: IntArray, is_upper: BoolArray, which: IntArray
) -> IntArray:
    """Cut classes in two, or bring their label closer where they have no upper part; return all of them."""
    of_field, above = which[classes.group[items]], items[is_upper]
    parted, part = np.unique(classes.group[above], return_inverse=True)
    classes.group[above] = classes.copied(parted)[part]
    for at, cut in enumerate(fields):
        mine = items[of_field == at]
        if not len(mine):
            continue
        none = np.zeros(len(mine), dtype=np.int64)
        runs = _Runs.of_items(classes.group[mine], cut.unit[mine], none, cut)
        touched = runs.of_class[runs.start]
        classes.closer[touched, at] = True
        classes.cost[touched, at] = cut.cost(runs, runs.start, runs.end, classes.level[touched, at])
    return np.unique(classes.group[items])


def _shared_ends(cells: KeyCells, at: int, items: IntArray, meets: Meets) -> Ends:
    """Return the ends that stand for the units of a field: those of the finest classes that meet the target alone.

    The day on which one person of a class was born would tell the day to anyone who knows the year, and that this
    person is in the file to anyone who knows the day.
    """
    ladder, (unit, names, _) = cells.ladders[at], _units(cells, at)
    value = np.zeros(len(names), dtype=np.int64)
    value[unit[unit >= 0]] = np.flatnonzero(unit >= 0)
    ends, is_open = Ends.none(len(names)), np.ones(len(names), dtype=np.bool_)
    for level in range(cells.levels[at][0], ladder.height + 1):
        place, texts = ladder.units(level)
        of_units = place[value]
        is_read = level == cells.levels[at][0] or all(map(_NUMBER.search, texts))  # no interval begins with `north`
        if ladder.names[level] in _ODD or ladder.is_gone(level) or not is_read or not texts or (of_units < 0).any():
            continue
        if not is_open.any():
            break
        of_items = place[cells.codes[items, at]]
        placed = of_items >= 0
        ends.add(of_units, texts, is_open)
        is_open &= ~meets(of_items[placed], len(texts), items[placed])[of_units]
    return ends


def _generalization(
    cells: KeyCells,
    recoded: Generalization,
    fields: Sequence[_Field],
    classes: _Classes,
    cut_cells: IntArray,
    meets: Meets | None,
) -> Generalization:
    """Return the rows with the labels of their classes; a label of one unit is that of the finest level."""
    labels = [Labels.none() for _ in cells.ladders]
    label = np.full((classes.number(), len(cells.ladders)), -1, dtype=np.int64)
    for at, cut in enumerate(fields):
        items = cut_cells[classes.closer[classes.group[cut_cells], at]]
        if not len(items):
            continue
        unit, names = cut.of_values, cut.names
        runs = _Runs.of_items(classes.group[items], cut.unit[items], np.zeros(len(items), dtype=np.int64), cut)
        touched, size = runs.of_class[runs.start], runs.end - runs.start + 1
        is_one = (size == 1) & np.array([name != ANOTHER for name in names])[runs.unit[runs.start]]
        label[touched[is_one], cut.at] = cells.levels[cut.at][0]
        height = cells.ladders[cut.at].height
        if cut.ordered:
            wide = size > 1
            ends = np.stack([runs.unit[runs.start[wide]], runs.unit[runs.end[wide]]], axis=1)
            pairs, number = np.unique(ends, axis=0, return_inverse=True)
            shared = None if meets is None else _shared_ends(cells, cut.at, cut_cells, meets)
            labels[cut.at] = interval_labels(unit, names, pairs[:, 0], pairs[:, 1], shared)
        else:
            wide = ~is_one & can_be_listed(size, cut.units)
            sets: dict[bytes, int] = {}
            pairs_of = zip(runs.start[wide].tolist(), runs.end[wide].tolist(), strict=True)
            keys = [runs.unit[a : b + 1].tobytes() for a, b in pairs_of]
            number = np.array([sets.setdefault(key, len(sets)) for key in keys], dtype=np.int64)
            labels[cut.at] = set_labels(unit, names, [np.frombuffer(key, dtype=np.int64) for key in sets])
        label[touched[wide], cut.at] = height + 1 + number.ravel()
    return replace(recoded, closer=ClassLabels(tuple(labels), label, classes.group))
