"""People by ZIP code whose race a release and a list ask in two ways: for each class of the release, its candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from policy_sim.formulas.added_groups import AddedGroups
from policy_sim.people.county_tables import added_up
from policy_sim.people.listed_cells import mean_by_cell
from policy_sim.people.merge import MergeKey, people_seen
from policy_sim.people.places import Split, compared_classes
from policy_sim.people.zips import PeopleByZip, groups_by_zip, parts_of_kinds
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from policy_sim.formulas.parted_groups import PartedGroups


def compared_by_zip(people: PeopleByZip, merged_by: MergeKey) -> AddedGroups:
    """Return the groups of a linkage key by ZIP code that compares race record by record."""
    beside = _Beside(people, merged_by)
    released, on_list = beside.released[beside.held].T, beside.released_listed
    groups = type(beside.places)(*beside.cells, released=released, released_listed=on_list, kind=beside.kind)
    return AddedGroups((groups,), overlap=True)


def parted_by_zip(people: PeopleByZip, merged_by: MergeKey, split: Split) -> PartedGroups:
    """Return the same groups with every figure parted among the released people."""
    from policy_sim.formulas.parted_groups import PartedGroups

    beside = _Beside(people, merged_by)
    many, held, part = beside.many, beside.held, parts_of_kinds(split, people.table.kinds, beside.counties)
    number = np.cumsum(held) - 1  # of the cells that are left
    at: list[IntArray] = [
        np.flatnonzero(of.candidates & held[place * many + beside.cell]) for place, of in enumerate(beside.classes)
    ]
    others = len(split.names)  # the part of those who are not released
    parts = [np.where(of.released, part, others)[:, rows] for of, rows in zip(beside.classes, at, strict=True)]
    return PartedGroups(
        type(beside.places)(*beside.cells),
        np.vstack([beside.persons[rows] for rows in at]).T,
        np.concatenate([number[place * many + beside.cell[rows]] for place, rows in enumerate(at)]),
        np.hstack(parts),
        others,
        None if beside.chances is None else np.hstack([beside.of_kinds(rows) for rows in at]),
    )


class _Beside:
    """The candidates of each class of a release, side by side: each class has the cells of the key without race.

    ``places`` are the groups of the key without race. ``persons``: people of each kind in each of the ``counties``,
    shape (kinds, counties); ``cell`` is that of each kind. ``candidates``, ``released``: people of each cell of each
    class, ``many`` a class, shape (classes * many, counties). ``held``: of these cells, those of which anybody is
    released; ``cells`` and ``kind`` are theirs. ``chances``, on a list by county and age: the chances by age and
    county, and the age of each kind. ``released_listed``: how many of the released people of the ``held`` cells are on
    it, shape (counties, cells).
    """

    def __init__(self, people: PeopleByZip, merged_by: MergeKey) -> None:
        table, listing = people.table, merged_by.listing
        without_race = MergeKey(merged_by.key.replace(race="none"), *merged_by[1:4])
        self.counties = np.flatnonzero(table.units(merged_by.states) >= 0)
        self.places = groups_by_zip(people, without_race)
        _, bins, self.cell = people_seen(table, without_race, self.counties)
        self.many, self.persons = len(bins), table.in_counties(self.counties)
        self.classes = compared_classes(table.kinds, merged_by.key)
        self.candidates, self.released = (
            np.vstack([added_up(self.persons[rows], self.cell[rows], self.many) for rows in of_class])
            for of_class in zip(*((of.candidates, of.released) for of in self.classes), strict=True)
        )
        # cells of which nobody in the state is released have no figures, whatever other states have
        for unit in range(self.places.units):
            of_unit = self.places.unit == unit
            self.candidates[:, of_unit] *= np.any(self.released[:, of_unit], axis=1, keepdims=True)
        self.held: BoolArray = np.asarray(self.released.any(axis=1))
        self.kind = np.repeat(np.arange(len(self.classes)), self.many)[self.held]
        where = (self.places.unit, self.places.county, self.places.place, self.places.share)
        bins_held = np.tile(bins, len(self.classes))[self.held]
        self.cells: tuple[Any, ...] = (self.candidates[self.held].T, bins_held, *where, self.places.units)
        self.chances: tuple[FloatArray, IntArray] | None = None
        self.released_listed: FloatArray | None = None
        if listing is not None:
            names = table.names(self.counties)
            chance, age, stale = listing.of_kinds(table.kinds.cells, names)
            self.chances = chance, age
            listed, self.released_listed = (self._mean(side) for side in ("candidates", "released"))
            self.released_listed *= self.released[self.held].T
            if listing.in_file is not None:
                in_file = listing.file_of(names)
                self.released_listed *= in_file[:, None]
                self.cells += (listed * in_file[:, None], None, in_file)
            else:
                self.cells += (listed, stale)

    def of_kinds(self, rows: IntArray) -> FloatArray:
        """Return the chances of some kinds to be listed; shape (counties, kinds)."""
        assert self.chances is not None  # on a list by county and age
        chance, age = self.chances
        return chance[age[rows]].T

    def _mean(self, side: str) -> FloatArray:
        """Return the mean chance of the candidates, or the released, of the held cells; shape (counties, cells)."""
        assert self.chances is not None  # on a list by county and age
        chance, age = self.chances
        sums = self.candidates if side == "candidates" else self.released
        rows = [np.flatnonzero(getattr(of, side)) for of in self.classes]
        cell = np.concatenate([self.cell[at] + place * self.many for place, at in enumerate(rows)])
        every = np.concatenate(rows)
        mean = mean_by_cell(self.persons[every], chance, age[every], cell, sums)
        return mean[self.held].T
