"""Groups of people who live in a place by chance: a ZIP code area takes a share of each of its counties.

The census counts age, sex and race together by county; of a ZIP code area it gives the people only. A
group of such a place holds, of each county's cell, a share of its people, each with the same chance. What is
expected of it is the mean over every way the county's people could be spread over its areas
(:mod:`policy_sim.formulas.county_parts`, :mod:`policy_sim.formulas.parts`). Both classes here answer what
:class:`~policy_sim.formulas.groups.Groups` answers through :mod:`policy_sim.formulas.groups`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from policy_sim.formulas.binomial import by_unit, checked_coverage
from policy_sim.formulas.county_parts import SMALL_G, CountyParts
from policy_sim.formulas.parts import Places, claimed_wrongly_in_places, distinct_in_places, occupied_in_places
from policy_sim.formulas.placed import (
    distinct_by_county,
    distinct_in_parts,
    occupied_by_county,
    occupied_in_parts,
)
from policy_sim.words.arrays import FloatArray, IntArray

# Chance that a person of each county is listed, and stale records per person; for cells that are alike.
_Chances: TypeAlias = tuple[FloatArray, FloatArray]
# The unit, and of some of its groups the people, their correct matches and the bins.
Linked: TypeAlias = tuple[int, FloatArray, FloatArray, FloatArray]

_SUMS_AT_ONCE = 20_000  # of a place and a cell of several units: they fit into the cache
_NEARLY = 0.8  # units with at least this share of the cells of the largest one are put side by side
_PARTS_AT_ONCE = 50_000  # of counties side by side: bounds the memory


class _CellsOfUnit(NamedTuple):
    """Cells of a unit that hide as many bins and whose people are listed alike; arrays by county of the unit."""

    unit: int
    cells: IntArray
    facts: tuple[Places, FloatArray, float]  # the places, the people of the cells, the bins
    listed: FloatArray
    stale: FloatArray


class _SideBySide(NamedTuple):
    """Such cells of several units, with places and counties of their own for each; arrays by county."""

    unit_of_place: IntArray
    unit: IntArray
    facts: tuple[Places, FloatArray, float]
    listed: FloatArray
    stale: FloatArray
    kinds: Sequence[_CellsOfUnit]

    @classmethod
    def of(cls, kinds: Sequence[_CellsOfUnit]) -> _SideBySide:
        """Return the cells of kinds that hide as many bins; where one has fewer cells, nobody is in the rest."""
        shares = [kind.facts[0].share for kind in kinds]
        places, counties = (np.array([share.shape[axis] for share in shares]) for axis in (0, 1))
        people = np.zeros((int(counties.sum()), max(len(kind.cells) for kind in kinds)))
        first = _ends(counties)
        for low, kind in zip(first.tolist(), kinds, strict=False):
            people[low : low + len(kind.facts[1]), : len(kind.cells)] = kind.facts[1]
        column = np.concatenate([share.indices + low for share, low in zip(shares, first.tolist(), strict=False)])
        row = _ends(np.concatenate([np.diff(share.indptr) for share in shares]))
        data = np.concatenate([share.data for share in shares])
        share = sparse.csr_array((data, column, row), shape=(int(places.sum()), len(people)))
        residents, listed, stale = (
            np.concatenate(values)
            for values in zip(*((kind.facts[0].residents, kind.listed, kind.stale) for kind in kinds), strict=True)
        )
        unit = np.array([kind.unit for kind in kinds])
        facts = Places(share, residents), people, kinds[0].facts[2]
        return cls(np.repeat(unit, places), np.repeat(unit, counties), facts, listed, stale, kinds)

    def laid(self, values: FloatArray, unit: IntArray) -> FloatArray:
        """Return the values that groups have by county and cell where the people of these stand; 0 beside them.

        ``unit``: the unit of each county of the groups.
        """
        laid, low = np.zeros_like(self.facts[1]), 0
        for kind in self.kinds:
            counties = np.flatnonzero(unit == kind.unit)
            laid[low : low + len(counties), : len(kind.cells)] = values[np.ix_(counties, kind.cells)]
            low += len(counties)
        return laid


@dataclass(frozen=True, eq=False)
class CountyGroups:
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
    listed : Mean chance that a person of each cell is listed, 0 to 1, shape (counties, cells); None: the same for
        everyone. Where it is there, the ``coverage`` of the measures is a further share of the people, who are in the
        file, by which each chance is multiplied. A record that is claimed wrongly is then one of the file, whose person
        is not listed.
    stale : Stale records per listed resident of each cell, >= 0, shape (counties, cells): nobody's in the release. They
        live in the places with the county's shares, however many people are in the file. None: there are none.
    in_file : Chance ``h`` that a person of each county is in the file, where it differs by county; shape (counties,).
        ``listed`` is then the chance to be listed and in the file, and there are no stale records. None: ``coverage``
        says it.
    """

    people: FloatArray
    bins: FloatArray
    unit: IntArray
    county: IntArray
    place: IntArray
    share: FloatArray
    residents: FloatArray
    units: int
    listed: FloatArray | None = None
    stale: FloatArray | None = None
    in_file: FloatArray | None = None

    _MOST_AT_ONCE: ClassVar[float] = np.inf  # largest g up to which every g-distinct is computed together

    def g_distinct(self, g: Sequence[int], coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the expected number of people in bins of ``g`` or fewer; shape (units, len(g))."""
        sizes, listed = np.asarray(g, dtype=np.int64), by_unit("coverage", coverage, self.units)
        if sizes.max() > self._MOST_AT_ONCE:
            return self._distinct(sizes, listed)
        # every size up to the largest costs little more, and claims ask for those alone
        key = listed.tobytes()
        if key not in self._distinct_up_to or self._distinct_up_to[key].shape[1] < sizes.max():
            self._distinct_up_to[key] = self._distinct(np.arange(1, sizes.max() + 1), listed)
        return self._distinct_up_to[key][:, sizes - 1]

    def claims(self, coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the expected number of records that an attacker claims to have named; shape (units,)."""
        return self.g_distinct([1], coverage)[:, 0] + self._claimed_wrongly(by_unit("coverage", coverage, self.units))

    def without_stale(self) -> Self:
        """Return the same people on a list without stale records, such as a file that is known person by person."""
        return self if self.stale is None else replace(self, stale=None)

    @property
    def held(self) -> FloatArray:
        """The chance that a person of each county is in the file, as far as the groups say it; shape (counties,)."""
        return np.ones(len(self.people)) if self.in_file is None else self.in_file

    @property
    def on_list(self) -> FloatArray:
        """People of each cell whom the list is expected to hold, where it is not of all alike; (counties, cells)."""
        return self.people if self.listed is None else self.people * self.listed

    def alike(self, counties: IntArray | slice, cells: IntArray) -> Iterator[tuple[float, IntArray, _Chances]]:
        """Yield cells that hide as many bins and whose people are listed alike, with the chances of the counties."""
        nothing = np.ones(len(self.people[counties])), np.zeros(len(self.people[counties]))
        if self.listed is None:
            for bins in np.unique(self.bins[cells]).tolist():
                yield bins, cells[self.bins[cells] == bins], nothing
            return
        listed = np.ascontiguousarray(self.listed[counties].T)
        stale = None if self.stale is None else np.ascontiguousarray(self.stale[counties].T)
        kinds: dict[tuple[float, bytes, bytes], list[int]] = {}
        for cell in cells.tolist():
            records = b"" if stale is None else stale[cell].tobytes()
            kinds.setdefault((float(self.bins[cell]), listed[cell].tobytes(), records), []).append(cell)
        for (bins, _, _), alike in kinds.items():
            first = alike[0]
            per_person = nothing[1] if stale is None else stale[first] * listed[first]
            yield bins, np.array(alike), (listed[first], per_person)

    @cached_property
    def _distinct_up_to(self) -> dict[bytes, FloatArray]:
        """g-distinct for every g from 1 on, by the coverage of the units."""
        return {}

    @cached_property
    def borne(self) -> dict[bytes, FloatArray]:
        """Correct matches that the people of each cell of each county bear, by the coverage of the units.

        They are the same however the people are parted; shape (counties, cells).
        """
        return {}

    def _distinct(self, sizes: IntArray, coverage: FloatArray) -> FloatArray:
        raise NotImplementedError

    def _claimed_wrongly(self, coverage: FloatArray) -> FloatArray:
        raise NotImplementedError


class CountyPartGroups(CountyGroups):
    """Groups that lie in one county each, such as its part in one ZIP code area: each piece is a place."""

    _MOST_AT_ONCE = SMALL_G

    def total_risk(self, coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the expected number of correct re-identifications of each unit; shape (units,)."""
        share, total = by_unit("coverage", coverage, self.units), np.zeros(self.units)
        for parts, unit in self.parts_by_bins:
            np.add.at(total, unit, parts.occupied(share[unit]))
        return total

    def _distinct(self, sizes: IntArray, coverage: FloatArray) -> FloatArray:
        total = np.zeros((self.units, len(sizes)))
        for parts, unit in self.parts_by_bins:
            np.add.at(total, unit, parts.distinct(sizes, coverage[unit]))
        return total

    def _claimed_wrongly(self, coverage: FloatArray) -> FloatArray:
        total = np.zeros(self.units)
        for parts, unit in self.parts_by_bins:
            np.add.at(total, unit, self.of_file(parts) * parts.claimed_wrongly(coverage[unit]))
        return total

    def of_file(self, parts: CountyParts) -> FloatArray:
        """Return, of the people who are not listed in the file, the part that is in it; shape (counties of parts,)."""
        if self.in_file is None or parts.listed is None:
            return np.ones(len(parts.residents))
        in_file, other = np.resize(self.in_file, len(parts.residents)), 1 - parts.listed
        return np.divide(in_file - parts.listed, other, out=np.zeros_like(other), where=other > 0)

    def matches(self, coverage: ArrayLike = 1.0) -> tuple[IntArray, FloatArray, FloatArray]:
        """Return the unit, the expected people and their expected correct matches of each kind of group."""
        return _put_together([kind[:3] for kind in self.links(coverage)])

    def links(self, coverage: ArrayLike = 1.0) -> Iterator[Linked]:
        """Yield the unit, and of kinds of groups the people, their correct matches and the bins; all expected."""
        held = by_unit("coverage", coverage, self.units)
        for (parts, unit), (records, _) in zip(self.parts_by_bins, self.records_by_bins, strict=True):
            for county, correct in enumerate(parts.occupied_by_part(held[unit])):
                cells = slice(parts.cells[county], parts.cells[county + 1])
                share = parts.share[parts.parts[county] : parts.parts[county + 1]]
                in_file = self.held[county % len(self.held)]
                people = np.outer(parts.people[cells] * records.times[cells] * in_file, share)
                bins = np.repeat(parts.times[cells] * parts.bins, len(share))
                yield int(unit[county]), people.ravel(), correct.ravel(), bins

    @cached_property
    def parts_by_bins(self) -> list[tuple[CountyParts, IntArray]]:
        """The different people of the cells of each county and how often each occurs, and the unit of each county.

        A county stands there once for the cells of each kind that are alike.
        """
        return self._weighed(None)

    @property
    def records_by_bins(self) -> list[tuple[CountyParts, IntArray]]:
        """The same by the records of each cell: everybody has one."""
        return self.parts_by_bins

    def _weighed(self, weight: FloatArray | None) -> list[tuple[CountyParts, IntArray]]:
        """Do it with cells that occur as often as ``weight`` says, shape (counties, cells); None: once each."""
        kinds: dict[float, list[tuple[IntArray, _Chances]]] = {}
        for bins, cells, chances in self.alike(slice(None), np.arange(len(self.bins))):
            kinds.setdefault(bins, []).append((cells, chances))
        step = max(_PARTS_AT_ONCE // max(len(self.share), 1), 1)
        return [
            (self._side_by_side(bins, batch, weight), np.tile(self.unit, len(batch)))
            for bins, alike in kinds.items()
            for batch in (alike[low : low + step] for low in range(0, len(alike), step))
        ]

    def _side_by_side(
        self, bins: float, kinds: Sequence[tuple[IntArray, _Chances]], weight: FloatArray | None
    ) -> CountyParts:
        """Return kinds of cells with as many bins as counties of their own."""
        tallies = [_tallied(self.people[:, cells], None if weight is None else weight[:, cells]) for cells, _ in kinds]
        people, times, held = zip(*tallies, strict=True)
        of_cells = np.concatenate(people), np.concatenate(times), _ends(np.concatenate(held))
        listed, stale = (np.concatenate(values) for values in zip(*(chances for _, chances in kinds), strict=True))
        chances = (None if self.listed is None else listed, None if not stale.any() else stale)
        many, pieces = len(kinds), np.bincount(self.county, minlength=len(self.people))
        of_parts = np.tile(self.share, many), _ends(np.tile(pieces, many))
        return CountyParts(bins, *of_cells, *of_parts, np.tile(self.residents, many), *chances)


class PlacedGroups(CountyGroups):
    """Groups put together of parts of several counties: each cell of a place is a group."""

    def total_risk(self, coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the expected number of correct re-identifications of each unit; shape (units,)."""
        held, total = by_unit("coverage", coverage, self.units), np.zeros(self.units)
        for unit_of_place, unit, facts, listed, stale, _ in self.side_by_side:
            correct = occupied_in_places(*facts, held[unit] * listed, stale)
            np.add.at(total, unit_of_place, correct.sum(axis=1))
        return total

    def _distinct(self, sizes: IntArray, coverage: FloatArray) -> FloatArray:
        most, total = int(sizes.max()), np.zeros((self.units, int(sizes.max())))
        for unit_of_place, unit, facts, listed, stale, _ in self.side_by_side:
            np.add.at(total, unit_of_place, distinct_in_places(*facts, most, coverage[unit] * listed, stale).T)
        return total[:, sizes - 1]

    def _claimed_wrongly(self, coverage: FloatArray) -> FloatArray:
        total = np.zeros(self.units)
        if self.listed is None and not (coverage < 1).any():
            return total
        for unit_of_place, unit, facts, listed, stale, _ in self.side_by_side:
            held = coverage[unit]
            unlisted = 1 - held * listed if self.listed is None else held * (self.held_by(unit) - listed)
            np.add.at(total, unit_of_place, claimed_wrongly_in_places(*facts, held * listed, stale, unlisted))
        return total

    def held_by(self, unit: IntArray) -> FloatArray:
        """Return the chance to be in the file of counties that stand side by side, of one unit where it differs."""
        return np.ones(len(unit)) if self.in_file is None else np.resize(self.in_file, len(unit))

    def matches(self, coverage: ArrayLike = 1.0) -> tuple[IntArray, FloatArray, FloatArray]:
        """Return the unit, the expected people and their expected correct matches of each group."""
        return _put_together([kind[:3] for kind in self.links(coverage)])

    def links(self, coverage: ArrayLike = 1.0) -> Iterator[Linked]:
        """Yield the unit, and of groups the people, their correct matches and the bins; all expected."""
        held = by_unit("coverage", coverage, self.units)
        for unit, _, facts, listed, stale in self.units_by_bins:
            correct = occupied_in_places(*facts, held[unit] * listed, stale)
            places, people, bins = facts
            people = people * self.held[self.unit == unit, None]
            yield unit, (places.share @ people).ravel(), correct.ravel(), np.full(correct.size, bins)

    @cached_property
    def units_by_bins(self) -> list[_CellsOfUnit]:
        """Each unit with the shares of its places, and those of its cells that are alike."""
        cells_by_unit = []
        for unit in np.unique(self.unit).tolist():
            counties = np.flatnonzero(self.unit == unit)
            number = np.full(len(self.unit), -1)
            number[counties] = np.arange(len(counties))
            in_unit = number[self.county] >= 0
            places, place = np.unique(self.place[in_unit], return_inverse=True)
            shape = (len(places), len(counties))
            share = sparse.coo_array((self.share[in_unit], (place, number[self.county[in_unit]])), shape=shape).tocsr()
            people = self.people[counties]
            areas = Places(share, self.residents[counties])
            for bins, alike, chances in self.alike(counties, np.flatnonzero(people.any(axis=0))):
                facts = areas, np.ascontiguousarray(people[:, alike]), bins
                cells_by_unit.append(_CellsOfUnit(unit, alike, facts, *chances))
        return cells_by_unit

    @cached_property
    def side_by_side(self) -> list[_SideBySide]:
        """The cells of all units, as many at once as fit into the cache."""

        def like(kind: _CellsOfUnit) -> tuple[float, bool, int]:
            return kind.facts[2], bool(kind.stale.any()), len(kind.cells)

        together: list[list[_CellsOfUnit]] = []
        kinds: list[_CellsOfUnit] = []
        held = 0
        for kind in sorted(self.units_by_bins, key=like):
            bins, has_stale, cells = like(kind)
            many = kind.facts[0].share.shape[0] * cells
            near = kinds and like(kinds[0])[:2] == (bins, has_stale) and len(kinds[0].cells) >= _NEARLY * cells
            if not near or held + many > _SUMS_AT_ONCE:
                together.append(kinds := [])
                held = 0
            kinds.append(kind)
            held += many
        return [_SideBySide.of(kinds) for kinds in together]


def _tallied(people: FloatArray, weight: FloatArray | None) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return the different numbers in each row but 0, how often each occurs, and how many each row has.

    ``weight``: how often each of the people occurs; None: once.
    """
    order = None if weight is None else np.argsort(people, axis=1, kind="stable")
    ordered = np.sort(people, axis=1) if order is None else np.take_along_axis(people, order, axis=1)
    first = np.ones(ordered.shape, dtype=np.bool_)
    first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    start = np.flatnonzero(first)
    numbers = ordered.ravel()[start]
    if weight is None or order is None:
        times = np.diff(start, append=ordered.size).astype(np.float64)
    else:
        times = np.add.reduceat(np.take_along_axis(weight, order, axis=1).ravel(), start)
    is_held = numbers > 0
    return numbers[is_held], times[is_held], np.bincount(start[is_held] // people.shape[1], minlength=len(people))


def _ends(many: IntArray) -> IntArray:
    """Return where each of several runs begins, and at last where the last one ends."""
    return np.concatenate([[0], np.cumsum(many)])


def _put_together(parts: Sequence[tuple[int, FloatArray, FloatArray]]) -> tuple[IntArray, FloatArray, FloatArray]:
    if not parts:
        return np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0)
    units, people, correct = zip(*parts, strict=True)
    unit = np.repeat(np.array(units, dtype=np.int64), [len(unit_people) for unit_people in people])
    return unit, np.concatenate(people), np.concatenate(correct)


# Groups of people placed in ZIP codes by chance, with every figure parted among the people by who they are.
#
# Groups stay whole: of what the people of a county's cell bear together, each person bears as much as any other, and
# the parts of a state's people add up to its figure.


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
    listed : Chance that a person of each kind is listed, shape (counties, kinds), where the groups have theirs.
    """

    groups: CountyPartGroups | PlacedGroups
    people: FloatArray
    cell: IntArray
    part: IntArray
    parts: int
    listed: FloatArray | None = None

    @property
    def units(self) -> int:
        """Number of results: the parts of each unit of the groups, one unit after the other."""
        return self.groups.units * self.parts

    def without_stale(self) -> PartedGroups:
        """Return the same people on a list without stale records."""
        return replace(self, groups=self.groups.without_stale())

    def total_risk(self, coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the expected correct re-identifications of each part; shape (units,)."""
        listed = self._by_state(coverage)
        borne = self.groups.borne.get(listed.tobytes())
        if borne is None:
            borne = self.groups.borne[listed.tobytes()] = self._borne(listed, occupied_in_parts, occupied_by_county)
        return self._parted(borne, self.groups.total_risk(listed))

    def g_distinct(self, g: Sequence[int], coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the expected people of each part in bins of ``g`` or fewer; shape (units, len(g))."""
        listed = self._by_state(coverage)
        borne, whole = self._distinct_borne(g, listed), self.groups.g_distinct(g, listed)
        return np.column_stack([self._parted(by_part, total) for by_part, total in zip(borne, whole.T, strict=True)])

    def _distinct_borne(self, g: Sequence[int], listed: FloatArray) -> FloatArray:
        return self._borne(
            listed,
            lambda people, share, bins, *more: distinct_in_parts(people, share, bins, g, *more),
            lambda places, people, bins, *more: distinct_by_county(places, people, bins, g, *more),
            len(g),
        )

    def claims(self, coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the records of each part that an attacker claims to have named; shape (units,).

        Rightly those alone in their bin; wrongly, of those who are not listed, the ones who share it with one entry:
        ``(1 - c)/c`` times the listed people in bins of two, each of a county and cell with its ``c``.
        """
        if self.listed is not None:
            return self._claimed_by_cell(self._by_state(coverage))
        listed = checked_coverage(coverage)
        alone, pairs = self.g_distinct([1, 2], listed).T
        odds = np.divide(1 - listed, listed, out=np.zeros_like(listed), where=listed > 0)
        claimed: FloatArray = alone + odds * (pairs - alone)
        return claimed

    def _claimed_by_cell(self, held: FloatArray) -> FloatArray:
        """Return the claims where each cell has its chances: wrong ones parted among those who are not listed."""
        assert self.groups.listed is not None
        assert self.listed is not None
        alone, pairs = self._distinct_borne([1, 2], held)
        c = self.groups.listed
        wrong = np.maximum(pairs - alone, 0.0) * np.divide(1 - c, c, out=np.zeros_like(c), where=c > 0)
        right = self._parted(alone, self.groups.g_distinct([1], held)[:, 0])
        whole = self.groups.claims(held) - self.groups.g_distinct([1], held)[:, 0]
        return right + self._parted(wrong, whole, 1 - c, 1 - self.listed)

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
            for unit, cell, facts, chance, stale in groups.units_by_bins:
                county = np.flatnonzero(groups.unit == unit)
                figures = by_county(*facts, listed[unit] * chance, stale)
                borne[np.ix_(np.arange(len(borne)), county, cell)] = figures.reshape(len(borne), len(county), -1)
            return borne if many else borne[0]
        for number, share in self._shares():
            held = np.flatnonzero(groups.people[number] > 0)
            for bins, cell, (chance, stale) in groups.alike(np.array([number]), held):
                persons, alike = np.unique(groups.people[number, cell], return_inverse=True)
                c, residents = float(listed[groups.unit[number]] * chance[0]), float(groups.residents[number])
                figures = in_parts(persons, share, bins, c, residents, float(stale[0]))
                borne[:, number, cell] = figures.reshape(len(borne), -1)[:, alike.reshape(-1)]
        return borne if many else borne[0]

    def _shares(self) -> Iterator[tuple[int, FloatArray]]:
        """Yield each county with the shares of its parts."""
        first = np.searchsorted(self.groups.county, np.arange(len(self.groups.people) + 1)).tolist()
        for county in range(len(self.groups.people)):
            yield county, self.groups.share[first[county] : first[county + 1]]

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
        place = self.groups.unit[:, None] * self.parts + self.part
        place = np.broadcast_to(place, per_person.shape)
        parted = np.bincount(place.ravel(), weights=per_person.ravel(), minlength=self.units).reshape(-1, self.parts)
        total = parted.sum(axis=1)
        scale = np.divide(whole, total, out=np.zeros_like(whole), where=total > 0)
        scaled: FloatArray = (parted * scale[:, None]).ravel()
        return scaled


# Second moments of how many people share a bin, where people are placed in ZIP codes by chance.


def squared_bin_sizes(groups: CountyPartGroups | PlacedGroups, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the expected sum, over all bins, of the square of the listed people in each; shape (units,).

    Each person falls by itself: a bin has the mean ``sum n x`` and the variance ``sum n x (1 - x)`` over counties.
    Stale records do not count.

    Examples
    --------
    Two people in two halves: in half of the cases one each, 1 + 1, else both in one, 4.

    >>> half, one = np.array([0.5, 0.5]), np.zeros(1, dtype=np.int64)
    >>> where = np.zeros(2, dtype=np.int64), np.arange(2)
    >>> people = CountyPartGroups(np.array([[2.0]]), np.ones(1), one, *where, half, np.array([np.inf]), 1)
    >>> squared_bin_sizes(people).tolist()
    [3.0]
    """
    listed, squares = np.broadcast_to(checked_coverage(coverage), groups.units), np.zeros(groups.units)
    if isinstance(groups, PlacedGroups):
        for unit, _, (places, people, bins), chance, _ in groups.units_by_bins:
            x = places.share.copy()
            x.data *= places.of_piece(listed[unit] * chance / bins)
            mean, own = x @ people, x.power(2) @ people
            squares[unit] += bins * float((mean**2 + mean - own).sum())
        return squares
    c = listed[groups.unit]
    together = np.bincount(groups.county, weights=groups.share**2, minlength=len(groups.people)) * c**2
    both = 1.0 if groups.listed is None else groups.listed**2
    pairs = (groups.people * (groups.people - 1) / groups.bins * both).sum(axis=1) * together
    np.add.at(squares, groups.unit, pairs + groups.on_list.sum(axis=1) * c)
    return squares


def independent_occupied_variance(groups: CountyPartGroups | PlacedGroups, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the variance of the occupied bins, were bins filled independently of each other; shape (units,).

    A bin is empty with the chance ``q``: ``sum q - q^2``, and ``q^2`` is what ``q`` is with twice as many people. With
    stale records it is an upper bound of the variance of the expected correct matches of each bin, a share.
    """
    alone = replace(groups, residents=np.full_like(groups.residents, np.inf))
    if groups.stale is not None:
        spread = np.zeros(groups.units)
        for unit, _, correct, bins in alone.links(coverage):
            spread[unit] += float((correct * (1 - correct / bins)).sum())
        return np.maximum(spread, 0.0)
    twice = replace(alone, people=2 * alone.people)
    variance: FloatArray = np.maximum(twice.total_risk(coverage) - alone.total_risk(coverage), 0.0)
    return variance
