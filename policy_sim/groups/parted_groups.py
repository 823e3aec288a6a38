"""Groups of people placed in ZIP codes by chance, with every figure parted among the people by who they are.

Groups stay whole: of what the people of a county's cell bear together, each person bears as much as any other, and the
parts of a state's people add up to its figure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from policy_sim.arrays import FloatArray, IntArray
from policy_sim.binning.inputs import checked_coverage
from policy_sim.binning.placed_cells import (
    distinct_by_county,
    distinct_in_parts,
    occupied_by_county,
    occupied_in_parts,
)
from policy_sim.groups.placed_groups import CountyPartGroups, PlacedGroups

__all__ = ["PartedGroups"]


@dataclass(frozen=True, eq=False)
class PartedGroups:
    """Groups by ZIP code, and the part that each of their people belongs to.

    Attributes
    ----------
    groups : The groups, whole.
    people : Persons of each kind in each county, whole; shape (counties, kinds).
    cell : The cell of ``groups`` that each kind is in; shape (kinds,).
    part : The part of each kind in each county, 0 to ``parts - 1``; shape (counties, kinds), or what broadcasts to it.
    parts : How many parts there are.
    """

    groups: CountyPartGroups | PlacedGroups
    people: FloatArray
    cell: IntArray
    part: IntArray
    parts: int

    @property
    def units(self) -> int:
        """Number of results: the parts of each unit of the groups, one unit after the other."""
        return self.groups.units * self.parts

    def total_risk(self, coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the expected correct re-identifications of each part; shape (units,)."""
        listed = self._by_state(coverage)
        return self._parted(self._borne(listed, occupied_in_parts, occupied_by_county), self.groups.total_risk(listed))

    def g_distinct(self, g: Sequence[int], coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the expected people of each part in bins of ``g`` or fewer; shape (units, len(g))."""
        listed = self._by_state(coverage)
        borne = self._borne(
            listed,
            lambda people, share, bins, c, residents: distinct_in_parts(people, share, bins, g, c, residents),
            lambda places, people, bins, c: distinct_by_county(places, people, bins, g, c),
            len(g),
        )
        whole = self.groups.g_distinct(g, listed)
        return np.column_stack([self._parted(by_part, total) for by_part, total in zip(borne, whole.T, strict=True)])

    def claims(self, coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the records of each part that an attacker claims to have named; shape (units,).

        Rightly those alone in their bin; wrongly, of those who are not listed, the ones who share it with one person:
        ``(1 - c)/c`` times the listed people in bins of two.
        """
        listed = checked_coverage(coverage)
        alone, pairs = self.g_distinct([1, 2], listed).T
        odds = np.divide(1 - listed, listed, out=np.zeros_like(listed), where=listed > 0)
        claimed: FloatArray = alone + odds * (pairs - alone)
        return claimed

    def _by_state(self, coverage: ArrayLike) -> FloatArray:
        """Return the coverage of each unit of the groups, which all its parts share."""
        coverages: FloatArray = np.broadcast_to(checked_coverage(coverage), self.units).reshape(-1, self.parts)[:, 0]
        return coverages

    def _borne(
        self,
        listed: FloatArray,
        in_parts: Callable[..., FloatArray],
        by_county: Callable[..., FloatArray],
        many: int = 0,
    ) -> FloatArray:
        """Return what the people of each cell of each county bear; shape (counties, cells), with ``many`` before."""
        groups = self.groups
        borne = np.zeros((max(many, 1), *groups.people.shape))
        if isinstance(groups, PlacedGroups):
            for unit, places, people, bins in groups.units_by_bins():
                county = np.flatnonzero(groups.unit == unit)
                cell = np.flatnonzero(groups.people[county].any(axis=0) & (groups.bins == bins))
                figures = by_county(places, people, bins, float(listed[unit]))
                borne[np.ix_(np.arange(len(borne)), county, cell)] = figures.reshape(len(borne), len(county), -1)
            return borne if many else borne[0]
        for number, share in self._shares():
            for bins in np.unique(groups.bins).tolist():
                cell = np.flatnonzero((groups.bins == bins) & (groups.people[number] > 0))
                persons, alike = np.unique(groups.people[number, cell], return_inverse=True)
                c, residents = float(listed[groups.unit[number]]), float(groups.residents[number])
                figures = in_parts(persons, share, bins, c, residents)
                borne[:, number, cell] = figures.reshape(len(borne), -1)[:, alike.reshape(-1)]
        return borne if many else borne[0]

    def _shares(self) -> Iterator[tuple[int, FloatArray]]:
        """Yield each county with the shares of its parts."""
        first = np.searchsorted(self.groups.county, np.arange(len(self.groups.people) + 1)).tolist()
        for county in range(len(self.groups.people)):
            yield county, self.groups.share[first[county] : first[county + 1]]

    def _parted(self, borne: FloatArray, whole: FloatArray) -> FloatArray:
        """Part what cells bear among the people of each, so that a unit's parts add up to its figure."""
        people = self.groups.people
        per_person = np.divide(borne, people, out=np.zeros_like(borne), where=people > 0)[:, self.cell] * self.people
        place = self.groups.unit[:, None] * self.parts + self.part
        place = np.broadcast_to(place, per_person.shape)
        parted = np.bincount(place.ravel(), weights=per_person.ravel(), minlength=self.units).reshape(-1, self.parts)
        total = parted.sum(axis=1)
        scale = np.divide(whole, total, out=np.zeros_like(whole), where=total > 0)
        scaled: FloatArray = (parted * scale[:, None]).ravel()
        return scaled
