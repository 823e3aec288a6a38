"""People of counties by class, whose chances to live in a place depend on their class.

A *row* is the people of one class in one cell of a linkage key. A cell of one row is a binomial in each part of a
county (:mod:`policy_sim.formulas.single_class`); a cell of several rows, or in a place of several counties, is a sum of
binomials (:mod:`policy_sim.formulas.several_classes`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from policy_sim.words.arrays import FloatArray, IntArray


class Figures(NamedTuple):
    """What is measured of each unit; all expected.

    Attributes
    ----------
    total : Correct links; shape (units,).
    by_size : Listed people in bins of exactly 1, 2, ... entries; shape (sizes, units).
    wrong : Records claimed for somebody else; shape (units,).
    """

    total: FloatArray
    by_size: FloatArray
    wrong: FloatArray

    @classmethod
    def none(cls, units: int, most: int) -> Figures:
        """Return the figures of nobody."""
        return cls(np.zeros(units), np.zeros((most, units)), np.zeros(units))

    def add(self, other: Figures) -> None:
        """Add those of other people in place."""
        for ours, theirs in zip(self, other, strict=True):
            ours += theirs


@dataclass(frozen=True, eq=False)
class Pieces:
    """The pieces of counties that places are made of, sorted by county.

    Attributes
    ----------
    county, place : The county and the place of each piece. Places are distinguished inside a unit.
    chance : Chance that a person of the county and of each class lives in the piece; shape (pieces, classes).
    apart : Whether each piece is a place.
    unit : Which result each county adds to.
    units : Number of results.
    """

    county: IntArray
    place: IntArray
    chance: FloatArray
    apart: bool
    unit: IntArray
    units: int

    @cached_property
    def ends(self) -> IntArray:
        """Where the pieces of each county begin; one more number than counties."""
        ends: IntArray = np.searchsorted(self.county, np.arange(len(self.unit) + 1))
        return ends

    @cached_property
    def largest(self) -> FloatArray:
        """The largest chance of each county and class; shape (counties, classes)."""
        largest = np.zeros((len(self.unit), self.chance.shape[1]))
        held = np.flatnonzero(np.diff(self.ends))
        largest[held] = np.maximum.reduceat(self.chance, self.ends[held], axis=0)
        return largest

    def power_sums(self, of_class: int, most: int) -> FloatArray:
        """Return the sums of the powers 1 to ``most`` of the chances of a class; shape (most, counties)."""
        known = self._power_sums.get(of_class)
        if known is None or len(known) < most:
            known, held = np.zeros((most, len(self.unit))), np.flatnonzero(np.diff(self.ends))
            chance = np.ascontiguousarray(self.chance[:, of_class])
            power = np.ones_like(chance)
            for of_power in known:
                power *= chance
                of_power[held] = np.add.reduceat(power, self.ends[held])
            self._power_sums[of_class] = known
        return known[:most]

    @cached_property
    def _power_sums(self) -> dict[int, FloatArray]:
        """Those of the classes that were asked for."""
        return {}


@dataclass(frozen=True, eq=False)
class ClassedPeople:
    """Rows of people in each county, and who of them is on a list.

    Attributes
    ----------
    people : Persons of each row in each county, whole; shape (rows, counties).
    bins : Equally likely values inside the row's cell, >= 1; shape (rows,).
    cell, of_class : The cell and the class of each row. No two rows have the same of both.
    listed : Mean chance that a person of each row is listed; shape (rows, counties). None: everyone alike, by the
        coverage of a unit.
    stale : Stale records per listed resident of each county; None: there are none.
    in_file : Chance that a person of each county is in the file, where ``listed`` is that to be listed and in it.
    """

    people: FloatArray
    bins: FloatArray
    cell: IntArray
    of_class: IntArray
    listed: FloatArray | None = None
    stale: FloatArray | None = None
    in_file: FloatArray | None = None

    def without_stale(self) -> ClassedPeople:
        """Return the same people on a list without stale records."""
        same = replace(self, stale=None)
        same.__dict__["rate"] = self.rate
        return same

    def of_rows(self, rows: IntArray, like: ClassedPeople | None = None) -> ClassedPeople:
        """Return some rows; ``like``: the same rows on another list, whose arrays of people are taken."""
        by_row = like or ClassedPeople(self.people[rows], self.bins[rows], self.cell[rows], self.of_class[rows])
        listed = None if self.listed is None else self.listed[rows]
        part = replace(by_row, listed=listed, stale=self.stale, in_file=self.in_file)
        part.__dict__["rate"] = self.rate[rows]
        return part

    @cached_property
    def rate(self) -> IntArray:
        """Number of the chances to be listed of each row: rows with the same number are listed alike everywhere."""
        if self.listed is None:
            return np.zeros(len(self.bins), dtype=np.int64)
        number: dict[bytes, int] = {}
        return np.array([number.setdefault(row.tobytes(), len(number)) for row in self.listed], dtype=np.int64)
