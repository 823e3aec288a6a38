"""Who of the cells of counties is on a list: the mean chance of each cell, and groups on several lists at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from policy_sim.words.arrays import Counts, FloatArray, IntArray

if TYPE_CHECKING:
    from policy_sim.formulas.county_part_groups import CountyPartGroups
    from policy_sim.formulas.placed_groups import PlacedGroups


def mean_by_cell(persons: Counts, chance: FloatArray, age: IntArray, cell: IntArray, people: FloatArray) -> FloatArray:
    """Return the mean chance of the people of each cell; shape (cells, counties), as ``people`` has it.

    ``persons``: by kind and county; ``chance``: by age and county; ``age``, ``cell``: those of each kind. Where all
    kinds of a cell are listed alike, the mean is their chance to the last digit, so that cells with the same chances
    everywhere are known by them.
    """
    number: dict[bytes, int] = {}
    column = np.array([number.setdefault(row.tobytes(), len(number)) for row in np.ascontiguousarray(chance)])[age]
    kind, lowest, highest = (np.full(len(people), value) for value in (0, len(number), -1))
    kind[cell] = np.arange(len(cell))
    np.minimum.at(lowest, cell, column)
    np.maximum.at(highest, cell, column)
    mean: FloatArray = chance[age[kind]]
    for mixed in np.flatnonzero(lowest < highest).tolist():
        kinds, whole = np.flatnonzero(cell == mixed), people[mixed]
        listed = (persons[kinds] * chance[age[kinds]]).sum(axis=0)
        np.divide(listed, whole, out=mean[mixed], where=whole > 0)
    return np.minimum(mean, 1.0)


def on_several_lists(
    groups: CountyPartGroups | PlacedGroups,
    lists: Sequence[tuple[IntArray, IntArray, FloatArray, FloatArray]],
    units: int,
) -> CountyPartGroups | PlacedGroups:
    """Return groups on several lists: the counties of each one after the other, with separate units.

    ``lists``: of each the rows of its counties, the unit of each, the chances of the cells to be listed, shape
    (counties, cells), and stale records per listed resident, shape (counties,).
    """
    begins = np.searchsorted(groups.county, np.arange(len(groups.people) + 1))
    every, unit, listed, stale = (np.concatenate(values) for values in zip(*lists, strict=True))
    many = np.diff(begins)[every]
    piece = np.repeat(begins[every] - (np.cumsum(many) - many), many) + np.arange(many.sum())
    return replace(
        groups,
        people=groups.people[every],
        unit=unit,
        county=np.repeat(np.arange(len(every)), many),
        place=groups.place[piece],
        share=groups.share[piece],
        units=units,
        listed=listed,
        stale=stale,
        parts_of=every,
    )
