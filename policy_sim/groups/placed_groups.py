"""Groups of people who live in a place by chance: a ZIP code area takes a share of each of its counties.

The census counts age, sex and race together by county; of a ZIP code area it gives the people only. A
group of such a place holds, of each county's cell, a share of its people, each with the same chance. What is
expected of it is the mean over every way the county's people could be spread over its areas
(:mod:`policy_sim.binning.county_parts`, :mod:`policy_sim.binning.parts`). Both classes here answer what
:class:`~policy_sim.groups.groups.Groups` answers through :mod:`policy_sim.groups.measures`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from policy_sim.arrays import FloatArray, IntArray
from policy_sim.binning.county_parts import SMALL_G, CountyParts
from policy_sim.binning.inputs import checked_coverage
from policy_sim.binning.parts import Places, claimed_wrongly_in_places, distinct_in_places, occupied_in_places
from policy_sim.errors import InputError

__all__ = ["CountyPartGroups", "PlacedGroups"]


@dataclass(frozen=True, eq=False)
class _CountyGroups:
    """The people of counties by what the key shows of them, and the places that the counties reach into.

    Attributes
    ----------
    people : Persons of each cell of each county, whole; shape (counties, cells).
    bins : Equally likely values hidden inside each cell, >= 1; shape (cells,).
    unit : Which result each county adds to.
    county, place : The county and the place of each piece, sorted by county. Places are distinguished inside a unit.
    share : Chance that a person of the county lives in the place; adds up to 1 in a county.
    residents : Everyone who lives in each county, of whom each place holds as many as were counted; infinite where
        each person falls by itself. Shape (counties,).
    units : Number of results.
    """

    people: FloatArray
    bins: FloatArray
    unit: IntArray
    county: IntArray
    place: IntArray
    share: FloatArray
    residents: FloatArray
    units: int

    _MOST_AT_ONCE: ClassVar[float] = np.inf  # largest g up to which every g-distinct is computed together

    def g_distinct(self, g: Sequence[int], coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the expected number of people in bins of ``g`` or fewer; shape (units, len(g))."""
        sizes, listed = np.asarray(g, dtype=np.int64), _by_unit(coverage, self.units)
        if sizes.max() > self._MOST_AT_ONCE:
            return self._distinct(sizes, listed)
        # every size up to the largest costs little more, and claims ask for those alone
        key = listed.tobytes()
        if key not in self._distinct_up_to or self._distinct_up_to[key].shape[1] < sizes.max():
            self._distinct_up_to[key] = self._distinct(np.arange(1, sizes.max() + 1), listed)
        return self._distinct_up_to[key][:, sizes - 1]

    def claims(self, coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the expected number of records that an attacker claims to have named; shape (units,)."""
        return self.g_distinct([1], coverage)[:, 0] + self._claimed_wrongly(_by_unit(coverage, self.units))

    @cached_property
    def _distinct_up_to(self) -> dict[bytes, FloatArray]:
        """g-distinct for every g from 1 on, by the coverage of the units."""
        return {}

    def _distinct(self, sizes: IntArray, coverage: FloatArray) -> FloatArray:
        raise NotImplementedError

    def _claimed_wrongly(self, coverage: FloatArray) -> FloatArray:
        raise NotImplementedError


class CountyPartGroups(_CountyGroups):
    """Groups that lie in one county each, such as its part in one ZIP code area: each piece is a place."""

    _MOST_AT_ONCE = SMALL_G

    def total_risk(self, coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the expected number of correct re-identifications of each unit; shape (units,)."""
        listed = _by_unit(coverage, self.units)[self.unit]
        return self._added(sum(parts.occupied(listed) for parts in self.parts_by_bins))

    def _distinct(self, sizes: IntArray, coverage: FloatArray) -> FloatArray:
        listed = coverage[self.unit]
        table = sum(parts.distinct(sizes, listed) for parts in self.parts_by_bins)
        return np.column_stack([self._added(column) for column in np.asarray(table).T])

    def _claimed_wrongly(self, coverage: FloatArray) -> FloatArray:
        return self._added(sum(parts.claimed_wrongly(coverage[self.unit]) for parts in self.parts_by_bins))

    def matches(self, coverage: ArrayLike = 1.0) -> tuple[IntArray, FloatArray, FloatArray]:
        """Return the unit, the expected people and their expected correct matches of each kind of group."""
        listed, kinds = _by_unit(coverage, self.units)[self.unit], []
        for parts in self.parts_by_bins:
            for county, correct in enumerate(parts.occupied_by_part(listed)):
                cells = slice(parts.cells[county], parts.cells[county + 1])
                share = parts.share[parts.parts[county] : parts.parts[county + 1]]
                people = np.outer(parts.people[cells] * parts.times[cells], share)
                kinds.append((int(self.unit[county]), people.ravel(), correct.ravel()))
        return _put_together(kinds)

    def _added(self, by_county: FloatArray | int) -> FloatArray:
        values = np.broadcast_to(np.asarray(by_county, dtype=np.float64), self.unit.shape)
        summed: FloatArray = np.bincount(self.unit, weights=values, minlength=self.units).astype(np.float64)
        return summed

    @cached_property
    def parts_by_bins(self) -> list[CountyParts]:
        """The different people of the cells of each county and how often each occurs, by the bins that they hide."""
        first = np.searchsorted(self.county, np.arange(len(self.people) + 1))
        by_cell = np.ascontiguousarray(self.people.T)
        parts = []
        for bins in np.unique(self.bins).tolist():
            alike = by_cell if (self.bins == bins).all() else by_cell[self.bins == bins]
            cell, county = np.nonzero(alike)
            persons = alike[cell, county].astype(np.int64)
            shape = (len(self.people), int(persons.max(initial=0)) + 1)
            # the conversion adds up what shares a place, and leaves columns in order
            table = sparse.coo_array((np.ones(len(persons)), (county, persons)), shape=shape).tocsr()
            cells = (table.indices.astype(np.float64), table.data, table.indptr.astype(np.int64))
            parts.append(CountyParts(bins, *cells, self.share, first, self.residents))
        return parts


class PlacedGroups(_CountyGroups):
    """Groups put together of parts of several counties: each cell of a place is a group."""

    def total_risk(self, coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the expected number of correct re-identifications of each unit; shape (units,)."""
        listed, total = _by_unit(coverage, self.units), np.zeros(self.units)
        for unit, places, people, bins in self.units_by_bins():
            total[unit] += occupied_in_places(places, people, bins, float(listed[unit])).sum()
        return total

    def _distinct(self, sizes: IntArray, coverage: FloatArray) -> FloatArray:
        most, total = int(sizes.max()), np.zeros((self.units, int(sizes.max())))
        for unit, places, people, bins in self.units_by_bins():
            total[unit] += distinct_in_places(places, people, bins, most, float(coverage[unit]))
        return total[:, sizes - 1]

    def _claimed_wrongly(self, coverage: FloatArray) -> FloatArray:
        total = np.zeros(self.units)
        if (coverage < 1).any():
            for unit, places, people, bins in self.units_by_bins():
                total[unit] += claimed_wrongly_in_places(places, people, bins, float(coverage[unit]))
        return total

    def matches(self, coverage: ArrayLike = 1.0) -> tuple[IntArray, FloatArray, FloatArray]:
        """Return the unit, the expected people and their expected correct matches of each group."""
        listed, groups = _by_unit(coverage, self.units), []
        for unit, places, people, bins in self.units_by_bins():
            correct = occupied_in_places(places, people, bins, float(listed[unit]))
            groups.append((unit, (places.share @ people).ravel(), correct.ravel()))
        return _put_together(groups)

    def units_by_bins(self) -> Iterator[tuple[int, Places, FloatArray, float]]:
        """Each unit with the shares of its places, and those of its cells that hide as many bins."""
        for unit in np.unique(self.unit).tolist():
            counties = np.flatnonzero(self.unit == unit)
            number = np.full(len(self.unit), -1)
            number[counties] = np.arange(len(counties))
            in_unit = number[self.county] >= 0
            places, place = np.unique(self.place[in_unit], return_inverse=True)
            shape = (len(places), len(counties))
            share = sparse.coo_array((self.share[in_unit], (place, number[self.county[in_unit]])), shape=shape).tocsr()
            people = self.people[counties]
            held = people.any(axis=0)
            for bins in np.unique(self.bins[held]).tolist():
                yield (
                    unit,
                    Places(share, self.residents[counties]),
                    np.ascontiguousarray(people[:, held & (self.bins == bins)]),
                    bins,
                )


def _put_together(parts: Sequence[tuple[int, FloatArray, FloatArray]]) -> tuple[IntArray, FloatArray, FloatArray]:
    if not parts:
        return np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0)
    units, people, correct = zip(*parts, strict=True)
    unit = np.repeat(np.array(units, dtype=np.int64), [len(unit_people) for unit_people in people])
    return unit, np.concatenate(people), np.concatenate(correct)


def _by_unit(coverage: ArrayLike, units: int) -> FloatArray:
    share = checked_coverage(coverage)
    if share.shape not in ((), (units,)):
        raise InputError(f"coverage has shape {share.shape}: give one value, or one per unit, {units} in all.")
    return np.broadcast_to(share, units)
