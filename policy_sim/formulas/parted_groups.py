"""Groups of people placed in ZIP codes by chance, with every figure parted among the people by who they are.

Groups stay whole: of what the people of a county's cell bear together, each person bears as much as any other, and
the parts of a state's people add up to its figure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from policy_sim.formulas.binomial import by_unit
from policy_sim.formulas.bins import people_g_distinct
from policy_sim.formulas.county_parts import CountyParts
from policy_sim.formulas.groups import AnyGroups, Matches
from policy_sim.formulas.listed_groups import alike_records
from policy_sim.formulas.parts import PlacedCells, occupied_in_places
from policy_sim.formulas.placed import distinct_by_county, occupied_by_county
from policy_sim.formulas.placed_groups import CountyGroups, PlacedGroups
from policy_sim.formulas.stale import sizes_with_stale
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.errors import InputError


@dataclass(frozen=True, eq=False)
class PartedGroups(AnyGroups):
    """Groups by ZIP code, and the part that each of their people belongs to.

    Attributes
    ----------
    groups : The groups, whole.
    people : Persons of each kind in each county; shape (counties, kinds).
    cell : The cell of ``groups`` that each kind is in; shape (kinds,).
    part : The part of each kind in each county, 0 to ``parts - 1``; shape (counties, kinds), or what broadcasts to it.
    parts : How many parts have figures. Whoever is in a part beyond these is among the people of the groups, and is not
        released.
    listed : Chance that a person of each kind is listed, shape (counties, kinds), where the groups have theirs.
    """

    groups: CountyGroups
    people: FloatArray
    cell: IntArray
    part: IntArray
    parts: int
    listed: FloatArray | None = None

    @property
    def units(self) -> int:  # type: ignore[override]
        """Number of results: the parts of each unit of the groups, one unit after the other."""
        return self.groups.units * self.parts

    def without_stale(self) -> PartedGroups:
        """Return the same people on a list without stale records."""
        return replace(self, groups=self.groups.without_stale())

    def _total_risk(self, coverage: FloatArray) -> FloatArray:
        share = self._by_state(coverage)
        if self._only_part is not None:
            return self._all_of(self.groups.total_risk(share))
        borne = self.groups.borne.get(share.tobytes())
        if borne is None:
            borne = self.groups.borne[share.tobytes()] = self._borne(share, _occupied_by_cell, occupied_by_county)
        return self._parted(borne, self.groups.total_risk(share))

    def _g_distinct(self, sizes: IntArray, coverage: FloatArray) -> FloatArray:
        share = self._by_state(coverage)
        whole = self.groups.g_distinct(sizes.tolist(), share)
        if self._only_part is not None:
            return np.column_stack([self._all_of(total) for total in whole.T])
        borne = self._distinct_borne(sizes, share)
        return np.column_stack([self._parted(by_part, total) for by_part, total in zip(borne, whole.T, strict=True)])

    def _distinct_borne(self, sizes: IntArray, coverage: FloatArray) -> FloatArray:
        return self._borne(
            coverage,
            lambda county: _distinct_by_cell(county, sizes),
            lambda cells: distinct_by_county(cells, sizes.tolist()),
            len(sizes),
        )

    def _claims(self, coverage: FloatArray) -> FloatArray:
        """Return correct and wrong claims; the wrong ones are of unlisted people with exactly one entry in their bin.

        They are ``(1 - c)/c`` times the listed people in bins of two, each of a county and cell with its ``c``.
        """
        if self._only_part is not None:
            return self._all_of(self.groups.claims(self._by_state(coverage)))
        if self.listed is not None:
            return self._claimed_by_cell(self._by_state(coverage))
        alone, pairs = self._g_distinct(np.array([1, 2]), coverage).T
        odds = np.divide(1 - coverage, coverage, out=np.zeros_like(coverage), where=coverage > 0)
        claimed: FloatArray = alone + odds * (pairs - alone)
        return claimed

    def _claimed_by_cell(self, held: FloatArray) -> FloatArray:
        """Return the claims where each cell has its chances: wrong ones parted among those who are not listed."""
        assert self.groups.listed is not None
        assert self.listed is not None
        alone, pairs = self._distinct_borne(np.array([1, 2]), held)
        c = self.groups.listed
        wrong = np.maximum(pairs - alone, 0.0) * np.divide(1 - c, c, out=np.zeros_like(c), where=c > 0)
        right = self._parted(alone, self.groups.g_distinct([1], held)[:, 0])
        whole = self.groups.claims(held) - self.groups.g_distinct([1], held)[:, 0]
        return right + self._parted(wrong, whole, 1 - c, 1 - self.listed)

    def _sweep(self, g_max: int, coverage: FloatArray) -> FloatArray:  # noqa: ARG002
        raise InputError("curves are not parted among the people: ask for single values of g.")

    def matches(self, coverage: ArrayLike = 1.0, in_file: ArrayLike = 1.0) -> Matches:
        """Return the part of kinds of people, their records and correct matches, by chance.

        The listed people of a cell in a place have one chance, whatever part they belong to. Of the people of one cell
        and part, some of whom are listed more surely than others, each counts as listed with their mean chance.
        """
        listed = self._by_state(by_unit("coverage", coverage, self.units))
        held = self._by_state(by_unit("in_file", in_file, self.units))
        kinds = [
            alike_records(np.full(people.size, unit * self.parts + part), people.ravel() * held[unit], right.ravel())
            for unit, part, people, right in self._linked_by_part(listed)
        ]
        if not kinds:
            return np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0)
        parts, records, correct = (np.concatenate(column) for column in zip(*kinds, strict=True))
        return alike_records(parts, records, correct)

    def _linked_by_part(self, listed: FloatArray) -> Iterator[tuple[int, int, FloatArray, FloatArray]]:
        """Yield the unit and the part of people, and of each place and cell the people and their correct matches."""
        groups = self.groups
        if isinstance(groups, PlacedGroups):
            for unit, cell, placed in groups.units_by_bins:
                county = np.flatnonzero(groups.unit == unit)
                on_list = placed.people * np.broadcast_to(placed.coverage, len(county))[:, None]
                chance = _over(occupied_in_places(placed.held(listed[unit])), placed.share @ on_list)
                for part in self._parts_with_people:
                    people, bearing = (of_cell[:, cell] for of_cell in self._people_of(part, county))
                    yield unit, part, placed.share @ people, placed.share @ bearing * chance
            return
        first = np.searchsorted(groups.county, np.arange(len(groups.people) + 1))
        for number, ends in enumerate(pairwise(first.tolist())):
            share, unit, county = groups.share[slice(*ends)], int(groups.unit[number]), np.array([number])
            by_part = [(part, *self._people_of(part, county)) for part in self._parts_with_people]
            for bins, cell, (sure, stale) in groups.alike(county, np.flatnonzero(groups.people[number] > 0)):
                persons = groups.people[number, cell]
                of_cells = persons, np.ones(len(persons)), np.array([0, len(persons)])
                chances = listed[[unit]] * sure, stale if stale.any() else None
                of_county = CountyParts(bins, *of_cells, share, np.array([0, len(share)]), *chances)
                right = next(of_county.occupied_by_part())
                chance = _over(right, np.outer(persons * sure, share))
                for part, people, bearing in by_part:
                    some = people[0, cell] > 0
                    of_part = np.outer(people[0, cell[some]], share)
                    yield unit, part, of_part, np.outer(bearing[0, cell[some]], share) * chance[some]

    @cached_property
    def _held_parts(self) -> IntArray:
        """The parts that any of the people belong to."""
        held: IntArray = np.unique(np.broadcast_to(self.part, self.people.shape)[self.people > 0])
        return held

    @property
    def _parts_with_people(self) -> list[int]:
        """Those of them that have figures."""
        return [part for part in self._held_parts.tolist() if part < self.parts]

    @property
    def _only_part(self) -> int | None:
        """The part that all people belong to, as those of a class of one race do; None: there are several."""
        return self._parts_with_people[0] if len(self._held_parts) == len(self._parts_with_people) == 1 else None

    def _all_of(self, whole: FloatArray) -> FloatArray:
        """Return the figures of the units as those of the one part."""
        of_parts = np.zeros((len(whole), self.parts))
        of_parts[:, self._only_part] = whole
        return of_parts.ravel()

    def _people_of(self, part: int, county: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the people of one part, and those of them who are listed; each of shape (counties, cells)."""
        cells, in_part = self.groups.people.shape[1], np.broadcast_to(self.part, self.people.shape)[county] == part
        people = np.where(in_part, self.people[county], 0.0)
        listed = people if self.listed is None else people * self.listed[county]
        sums = np.array([[np.bincount(self.cell, row, cells) for row in of_all] for of_all in (people, listed)], float)
        return sums[0].reshape(-1, cells), sums[1].reshape(-1, cells)

    def _by_state(self, coverage: FloatArray) -> FloatArray:
        """Return the coverage of each unit of the groups, which all its parts share."""
        return coverage.reshape(-1, self.parts)[:, 0]

    def _borne(
        self,
        listed: FloatArray,
        by_cell: Callable[[CountyParts], FloatArray],
        by_county: Callable[[PlacedCells], FloatArray],
        many: int = 0,
    ) -> FloatArray:
        """Return what the people of each cell of each county bear; shape (counties, cells), after ``many`` if given."""
        groups = self.groups
        borne = np.zeros((max(many, 1), *groups.people.shape))
        if isinstance(groups, PlacedGroups):
            for unit, cell, placed in groups.units_by_bins:
                county = np.flatnonzero(groups.unit == unit)
                figures = by_county(placed.held(listed[unit]))
                borne[np.ix_(np.arange(len(borne)), county, cell)] = figures.reshape(len(borne), len(county), -1)
            return borne if many else borne[0]
        first = np.searchsorted(groups.county, np.arange(len(groups.people) + 1))
        for number, ends in enumerate(pairwise(first.tolist())):
            share = groups.share[slice(*ends)]
            held = np.flatnonzero(groups.people[number] > 0)
            for bins, cell, (chance, stale) in groups.alike(np.array([number]), held):
                persons, alike = np.unique(groups.people[number, cell], return_inverse=True)
                of_cells = persons, np.ones(len(persons)), np.array([0, len(persons)])
                of_parts = share, np.array([0, len(share)])
                chances = listed[groups.unit[[number]]] * chance, stale if stale.any() else None
                figures = by_cell(CountyParts(bins, *of_cells, *of_parts, *chances)).reshape(len(borne), -1)
                borne[:, number, cell] = figures[:, alike.reshape(-1)]
        return borne if many else borne[0]

    def _parted(
        self,
        borne: FloatArray,
        whole: FloatArray,
        of_cell: FloatArray | None = None,
        of_kind: FloatArray | None = None,
    ) -> FloatArray:
        """Part what cells bear among the people of each, so that a unit's parts add up to its figure.

        ``of_cell``, ``of_kind``: the share of the people of each cell, and of each kind, who bear it; None: those who
        are listed.
        """
        if of_cell is None or of_kind is None:
            of_cell, of_kind = self.groups.listed, self.listed
        people = self.groups.people if of_cell is None else self.groups.people * of_cell
        bearing = self.people if of_kind is None else self.people * of_kind
        per_person = np.divide(borne, people, out=np.zeros_like(borne), where=people > 0)[:, self.cell] * bearing
        many = max(self.parts, int(self.part.max(initial=0)) + 1)
        place = np.broadcast_to(self.groups.unit[:, None] * many + self.part, per_person.shape)
        sums = np.bincount(place.ravel(), weights=per_person.ravel(), minlength=self.groups.units * many)
        parted = sums.reshape(-1, many)
        total = parted.sum(axis=1)
        scale = np.divide(whole, total, out=np.zeros_like(whole), where=total > 0)
        scaled: FloatArray = (parted * scale[:, None])[:, : self.parts].ravel()
        return scaled


def _over(matches: FloatArray, people: FloatArray) -> FloatArray:
    """Return matches over people, 0 where there is nobody."""
    return np.divide(matches, people, out=np.zeros_like(matches), where=people > 0)


def _occupied_by_cell(county: CountyParts) -> FloatArray:
    """Return the expected correct links of each cell of one county; shape (cells,)."""
    links: FloatArray = next(county.occupied_by_part()).sum(axis=1)
    return links


def _distinct_by_cell(county: CountyParts, sizes: IntArray) -> FloatArray:
    """Return the expected listed people of each cell of one county in bins of each size or fewer: (sizes, cells)."""
    if county.stale is None:
        return next(county.distinct_by_cell(sizes))
    every, coverage = np.arange(1, int(sizes.max()) + 1), county.listed.item()
    people, share = (array.ravel() for array in np.broadcast_arrays(county.people[:, None], county.share))
    distinct = people_g_distinct(people, county.bins, every[:, None], share * coverage)
    with_stale = sizes_with_stale(distinct, people * share * county.stale.item() / county.bins)[sizes - 1]
    by_cell: FloatArray = with_stale.reshape(len(sizes), len(county.people), -1).sum(axis=2)
    return by_cell
