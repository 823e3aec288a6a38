"""Groups of people who live in a place by chance: a ZIP code area takes a share of each of its counties.

The census counts age, sex and race together by county; of a ZIP code area it gives the people only. A
group of such a place holds, of each county's cell, a share of its people, each with the same chance. What is
expected of it is the mean over every way the county's people could be spread over its areas
(:mod:`policy_sim.formulas.county_parts`, :mod:`policy_sim.formulas.parts`).

Of such groups a part may be released (:class:`~.added_groups.AddedGroups`). The people of one cell of a county are
alike, so that the released have their share of every figure: of what counts listed people, as they are of the cell's
listed people, and of wrong claims, as they are of those who are not listed. In a place of several counties each
county's people bear their own.

Curves: up to :data:`~.bins.SMALL_G` people per bin, the figures are those of single values of g. What is in
larger bins is spread over their sizes by one transform for each place and cell (:func:`~.placed.sizes_of_crowded`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from policy_sim.formulas.binomial import by_unit
from policy_sim.formulas.bins import SMALL_G
from policy_sim.formulas.county_parts import CountyParts
from policy_sim.formulas.groups import AnyGroups, Matches
from policy_sim.formulas.parts import (
    PlacedCells,
    claimed_wrongly_in_places,
    distinct_in_places,
    occupied_in_places,
)
from policy_sim.formulas.placed import crowded_mean, distinct_of_tracked, occupied_by_tracked, sizes_in_places
from policy_sim.formulas.quadrature import FewParts, few_parts
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray

# Chance that a person of each county is listed, and stale records per person; for cells that are alike.
_Chances: TypeAlias = tuple[FloatArray, FloatArray]
# The unit, and of some of its groups the people, their correct matches and the bins.
Linked: TypeAlias = tuple[int, FloatArray, FloatArray, FloatArray]

_SUMS_AT_ONCE = 20_000  # of a place and a cell of several units: they fit into the cache
_NEARLY = 0.8  # units with at least this share of the cells of the largest one are put side by side
_NUMBERS_AT_ONCE = 200_000  # of people that are sorted: they fit into the cache
_PARTS_AT_ONCE = 500_000  # of counties side by side: bounds the memory


class _CellsOfUnit(NamedTuple):
    """Cells of a unit that hide as many bins and whose people are listed alike."""

    unit: int
    cells: IntArray
    placed: PlacedCells


class _SideBySide(NamedTuple):
    """Such cells of several units, with places and counties of their own for each."""

    unit_of_place: IntArray
    unit: IntArray
    placed: PlacedCells
    kinds: Sequence[tuple[int, IntArray]]  # the unit and the cells of each

    @classmethod
    def of(cls, kinds: Sequence[_CellsOfUnit]) -> _SideBySide:
        """Return the cells of kinds that hide as many bins; where one has fewer cells, nobody is in the rest."""
        every = [kind.placed for kind in kinds]
        shares = [placed.share for placed in every]
        places, counties = (np.array([share.shape[axis] for share in shares]) for axis in (0, 1))
        people = np.zeros((int(counties.sum()), max(len(kind.cells) for kind in kinds)))
        first = _ends(counties)
        for low, placed in zip(first.tolist(), every, strict=False):
            people[low : low + len(placed.people), : placed.people.shape[1]] = placed.people
        column = np.concatenate([share.indices + low for share, low in zip(shares, first.tolist(), strict=False)])
        row = _ends(np.concatenate([np.diff(share.indptr) for share in shares]))
        data = np.concatenate([share.data for share in shares])
        share = sparse.csr_array((data, column, row), shape=(int(places.sum()), len(people)))
        listed, stale = (np.concatenate(values) for values in zip(*((p.coverage, p.stale) for p in every), strict=True))
        unit = np.array([kind.unit for kind in kinds])
        together = PlacedCells(share, people, every[0].bins, listed, stale)
        cells = [(kind.unit, kind.cells) for kind in kinds]
        return cls(np.repeat(unit, places), np.repeat(unit, counties), together, cells)

    def laid(self, values: FloatArray, unit: IntArray) -> FloatArray:
        """Return the values that groups have by county and cell where the people of these stand; 0 beside them.

        ``unit``: the unit of each county of the groups.
        """
        laid, low = np.zeros_like(self.placed.people), 0
        for of_kind, cells in self.kinds:
            counties = np.flatnonzero(unit == of_kind)
            laid[low : low + len(counties), : len(cells)] = values[np.ix_(counties, cells)]
            low += len(counties)
        return laid


@dataclass(frozen=True, eq=False)
class CountyGroups(AnyGroups):
    """The people of counties by what the key shows of them, and the places that the counties reach into.

    Attributes
    ----------
    people : Persons of each cell of each county, whole; shape (counties, cells).
    bins : Equally likely values hidden inside each cell, >= 1; shape (cells,).
    unit : Which result each county adds to.
    county, place : The county and the place of each piece, sorted by county. Places are distinguished inside a unit.
    share : Chance that a person of the county lives in the place; adds up to 1 in a county.
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
    released : People of each cell of each county who are released, at most ``people``; shape (counties, cells). None:
        everyone.
    released_listed : How many of them are expected on the list, where each cell has its chance; else None. Cells of
        several years of age may be listed with another chance than their released people.
    kind : Where a part is released, the class of the release that each cell belongs to; shape (cells,).
    parts_of : The county, one of the first, with the same parts as each county; shape (counties,). None: each has its
        own.
    """

    people: FloatArray
    bins: FloatArray
    unit: IntArray
    county: IntArray
    place: IntArray
    share: FloatArray
    units: int
    listed: FloatArray | None = None
    stale: FloatArray | None = None
    in_file: FloatArray | None = None
    _: KW_ONLY
    released: FloatArray | None = None
    released_listed: FloatArray | None = None
    kind: IntArray | None = None
    parts_of: IntArray | None = None

    _MOST_AT_ONCE: ClassVar[float] = np.inf  # largest g up to which every g-distinct is computed together

    def _g_distinct(self, sizes: IntArray, coverage: FloatArray) -> FloatArray:
        if sizes.max() > self._MOST_AT_ONCE:
            return self._distinct(sizes, coverage)
        # every size up to the largest costs little more, and claims ask for those alone
        key = coverage.tobytes()
        if key not in self._distinct_up_to or self._distinct_up_to[key].shape[1] < sizes.max():
            self._distinct_up_to[key] = self._distinct(np.arange(1, sizes.max() + 1), coverage)
        return self._distinct_up_to[key][:, sizes - 1]

    def _claims(self, coverage: FloatArray) -> FloatArray:
        return self._g_distinct(np.ones(1, dtype=np.int64), coverage)[:, 0] + self._claimed_wrongly(coverage)

    def _sweep(self, g_max: int, coverage: FloatArray) -> FloatArray:
        """Return the same; with ``g_max`` above everybody the last column is all listed people."""
        everyone = np.zeros(self.units)
        np.add.at(everyone, self.unit, self.on_list.sum(axis=1) * coverage[self.unit])
        few = self._g_distinct(np.arange(1, min(g_max, SMALL_G) + 1), coverage)
        small = few.shape[1]
        if g_max == small:
            least: FloatArray = np.minimum(few, everyone[:, None])
            return least
        many = self._crowds(g_max, coverage)[:, small + 1 :]
        whole = many.sum(axis=1, keepdims=True)
        # what is not in small bins is in large ones, to the last digit
        upto = np.divide(np.cumsum(many, axis=1), whole, out=np.zeros_like(many), where=whole > 0)[:, :-1]
        rest = np.maximum(everyone[:, None] - few[:, -1:], 0.0)
        swept: FloatArray = np.minimum(np.hstack([few, few[:, -1:] + rest * upto]), everyone[:, None])
        return swept

    def matches(self, coverage: ArrayLike = 1.0, in_file: ArrayLike = 1.0) -> Matches:
        """Return the unit of each kind of group, its records and its correct matches; all expected."""
        held, parts = by_unit("in_file", in_file, self.units), list(self.links(coverage))
        if not parts:
            return np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0)
        units, people, correct, _ = zip(*parts, strict=True)
        unit = np.repeat(np.array(units, dtype=np.int64), [len(of_unit) for of_unit in people])
        return unit, np.concatenate(people) * held[unit], np.concatenate(correct)

    def without_stale(self) -> Self:
        """Return the same people on a list without stale records, such as a file that is known person by person."""
        if self.stale is None:
            return self
        groups = replace(self, stale=None)
        groups.__dict__.update(self._arranged_without_stale())  # what was arranged of these people is not made again
        return groups

    def _arranged_without_stale(self) -> dict[str, Any]:
        """Return the cached properties that were computed, as those of the same people without stale records."""
        return {}

    @property
    def held(self) -> FloatArray:
        """The chance that a person of each county is in the file, as far as the groups say it; shape (counties,)."""
        return np.ones(len(self.people)) if self.in_file is None else self.in_file

    @property
    def listed_people(self) -> FloatArray:
        """People of each cell whom the list is expected to hold, where it is not of all alike; (counties, cells)."""
        return self.people if self.listed is None else self.people * self.listed

    @property
    def on_list(self) -> FloatArray:
        """The released of them."""
        if self.released is None:
            return self.listed_people
        return self.released if self.released_listed is None else self.released_listed

    @cached_property
    def counting(self) -> FloatArray | None:
        """The part of each cell's listed people who are released, and have their figures; None: all of them."""
        return None if self.released is None else _share(self.on_list, self.listed_people)

    @cached_property
    def missing(self) -> FloatArray | None:
        """The part of each cell's people who are not listed that the released are; None: all of them."""
        if self.released is None or self.listed is None:
            return None if self.released is None else _share(self.released, self.people)
        held = self.held[:, None]
        return _share(self.released * held - self.on_list, self.people * (held - self.listed))

    @property
    def by_class(self) -> tuple[Self, ...]:
        """The same by class of the release; themselves where everyone is released."""
        if self.kind is None:
            return (self,)
        return tuple(self._of_cells(self.kind == kind) for kind in np.unique(self.kind).tolist())

    def _of_cells(self, held: BoolArray) -> Self:
        by_cell = ("people", "bins", "listed", "stale", "released", "released_listed", "kind")
        values = ((name, getattr(self, name)) for name in by_cell)
        of_cells: dict[str, Any] = {name: None if value is None else value[..., held] for name, value in values}
        return replace(self, **of_cells)

    def alike(self, counties: IntArray | slice, cells: IntArray) -> Iterator[tuple[float, IntArray, _Chances]]:
        """Yield cells that hide as many bins and whose people are listed alike, with the chances of the counties."""
        nothing = np.ones(len(self.people[counties])), np.zeros(len(self.people[counties]))
        if self.listed is None:
            for bins in np.unique(self.bins[cells]).tolist():
                yield bins, cells[self.bins[cells] == bins], nothing
            return
        kind = self._kind_of_cell[cells]
        _, begin = np.unique(kind, return_index=True)
        for first in np.sort(begin).tolist():
            cell = cells[first]
            listed = np.ascontiguousarray(self.listed[counties, cell])
            per_person = nothing[1] if self.stale is None else self.stale[counties, cell] * listed
            yield float(self.bins[cell]), cells[kind == kind[first]], (listed, per_person)

    @cached_property
    def _kind_of_cell(self) -> IntArray:
        """A number for each cell: the same for cells with as many bins whose people are listed alike everywhere.

        Cells are compared by a random 64-bit hash of their chances.
        """
        tables = [self.listed] if self.stale is None or not self.stale.strides[1] else [self.listed, self.stale]
        code = self.bins.astype(np.float64).view(np.int64) * _random_odd(1)
        for turn, table in enumerate(tables):
            assert table is not None
            code += np.ascontiguousarray(table.T).view(np.int64) @ _random_odd(len(table), turn + 1)
        kind: IntArray = np.unique(code, return_inverse=True)[1]
        return kind

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

    @abstractmethod
    def links(self, coverage: ArrayLike = 1.0) -> Iterator[Linked]:
        """Yield the unit, and of groups the released people, their correct matches and the bins; all expected."""

    @abstractmethod
    def _distinct(self, sizes: IntArray, coverage: FloatArray) -> FloatArray: ...

    @abstractmethod
    def _claimed_wrongly(self, coverage: FloatArray) -> FloatArray: ...

    @abstractmethod
    def _crowds(self, g_max: int, coverage: FloatArray) -> FloatArray:
        """Return the people of crowded cells in bins of each size, and of more; shape (units, g_max + 2)."""


def _random_odd(many: int, seed: int = 0) -> IntArray:
    return np.random.default_rng(seed).integers(1, 2**62, many, dtype=np.int64) | 1


def _share(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Return part over whole, 0 to 1; 0 of nothing."""
    return np.clip(np.divide(part, whole, out=np.zeros_like(part), where=whole > 0), 0.0, 1.0)


class CountyPartGroups(CountyGroups):
    """Groups that lie in one county each, such as its part in one ZIP code area: each piece is a place.

    Where a part is released, cells occur as often as they have released people in their listed people, instead of once.
    """

    _MOST_AT_ONCE = SMALL_G

    def _total_risk(self, coverage: FloatArray) -> FloatArray:
        return self._added(self.parts_by_bins, lambda parts, unit: parts.occupied(coverage[unit]))

    def _distinct(self, sizes: IntArray, coverage: FloatArray) -> FloatArray:
        return self._added(self.parts_by_bins, lambda parts, unit: parts.distinct(sizes, coverage[unit]), len(sizes))

    def _claimed_wrongly(self, coverage: FloatArray) -> FloatArray:
        by_bins = self.parts_by_bins if self.missing is None else self._weighed(self.missing)
        return self._added(by_bins, lambda parts, unit: self._of_file(parts) * parts.claimed_wrongly(coverage[unit]))

    def _added(
        self,
        by_bins: Sequence[tuple[CountyParts, IntArray]],
        figures: Callable[[CountyParts, IntArray], FloatArray],
        *shape: int,
    ) -> FloatArray:
        total = np.zeros((self.units, *shape))
        for parts, unit in by_bins:
            np.add.at(total, unit, figures(parts, unit))
        return total

    def _of_file(self, parts: CountyParts) -> FloatArray:
        """Return, of the people who are not listed in the file, the part that is in it; shape (counties of parts,)."""
        if self.in_file is None or parts.listed is None:
            return np.ones(len(parts.cells) - 1)
        in_file, other = np.resize(self.in_file, len(parts.listed)), 1 - parts.listed
        return np.divide(in_file - parts.listed, other, out=np.zeros_like(other), where=other > 0)

    def links(self, coverage: ArrayLike = 1.0) -> Iterator[Linked]:
        """Yield the unit, and of kinds of groups the people, their correct matches and the bins; all expected."""
        held, by_bins = by_unit("coverage", coverage, self.units), self.parts_by_bins
        records_by_bins = by_bins if self.released is None else self._weighed(_share(self.released, self.people))
        for (parts, unit), (records, _) in zip(by_bins, records_by_bins, strict=True):
            for county, correct in enumerate(parts.occupied_by_part(held[unit])):
                cells = slice(parts.cells[county], parts.cells[county + 1])
                share = parts.share[parts.parts[county] : parts.parts[county + 1]]
                in_file = self.held[county % len(self.held)]
                people = np.outer(parts.people[cells] * records.times[cells] * in_file, share)
                bins = np.repeat(parts.times[cells] * parts.bins, len(share))
                yield int(unit[county]), people.ravel(), correct.ravel(), bins

    def _crowds(self, g_max: int, coverage: FloatArray) -> FloatArray:
        persons, least = np.zeros((self.units, g_max + 2)), crowded_mean(SMALL_G)
        for parts, unit in self.parts_by_bins:
            for county in range(len(parts.cells) - 1):
                cells = slice(parts.cells[county], parts.cells[county + 1])
                people, times = parts.people[cells], parts.times[cells]
                c = float(coverage[unit[county]]) * (1.0 if parts.listed is None else float(parts.listed[county]))
                stale = 0.0 if parts.stale is None else float(parts.stale[county])
                shares = parts.share[parts.parts[county] : parts.parts[county + 1]]
                # most parts have no crowd: their largest cell says so, with room for rounding
                most = people.max(initial=0.0) * (c + stale) / parts.bins * (1 + 1e-9)
                crowded = shares[shares * most >= least]
                if c and len(crowded):
                    placed = PlacedCells(sparse.csr_array(crowded[:, None]), people[None], parts.bins, c, stale)
                    persons[unit[county]] += sizes_in_places(placed, g_max, least, times=times)
        return persons

    def _arranged_without_stale(self) -> dict[str, Any]:
        if "parts_by_bins" not in self.__dict__:
            return {}
        return {"parts_by_bins": [(replace(parts, stale=None), unit) for parts, unit in self.parts_by_bins]}

    @cached_property
    def parts_by_bins(self) -> list[tuple[CountyParts, IntArray]]:
        """The different people of the cells of each county and how often each occurs, and the unit of each county.

        A county stands there once for the cells of each kind that are alike.
        """
        return self._weighed(self.counting)

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
        parts_of = np.arange(len(pieces)) if self.parts_of is None else self.parts_of
        of_parts = np.tile(self.share, many), _ends(np.tile(pieces, many))
        if self.parts_of is None:
            of_first, ends = self.share, _ends(pieces)
        else:  # other counties have the parts of these
            first = int(parts_of.max(initial=-1)) + 1
            of_first, ends = self.share[self.county < first], _ends(pieces[:first])
        few = partial(_few_parts_of, of_first, ends, np.tile(parts_of, many))
        return CountyParts(bins, *of_cells, *of_parts, *chances, few=few)


def _few_parts_of(share: FloatArray, ends: IntArray, counties: IntArray, nodes: int) -> FewParts:
    """Return few parts of some counties, which have the parts of one of the first each."""
    return few_parts(share, ends, nodes).of(counties)


class PlacedGroups(CountyGroups):
    """Groups put together of parts of several counties: each cell of a place is a group."""

    def _total_risk(self, coverage: FloatArray) -> FloatArray:
        total = np.zeros(self.units)
        for beside in self.side_by_side:
            correct = occupied_in_places(beside.placed.held(coverage[beside.unit]))
            np.add.at(total, beside.unit_of_place, correct.sum(axis=1))
        return self._of_released(total, coverage, lambda cells, both: occupied_by_tracked(cells, both).sum((1, 2)))

    def _distinct(self, sizes: IntArray, coverage: FloatArray) -> FloatArray:
        most, total = int(sizes.max()), np.zeros((self.units, int(sizes.max())))
        for beside in self.side_by_side:
            upto = distinct_in_places(beside.placed.held(coverage[beside.unit]), most)
            np.add.at(total, beside.unit_of_place, upto.T)
        return self._of_released(
            total[:, sizes - 1], coverage, lambda cells, both: distinct_of_tracked(cells, both, sizes)
        )

    def _of_released(self, figures: FloatArray, coverage: FloatArray, tracked: Callable[..., FloatArray]) -> FloatArray:
        """Return the released people's part of the figures of each unit, as those of ``tracked`` are to each other."""
        if self.released is None:
            return figures
        both_figures = np.zeros((2, *figures.shape))
        for unit, _, placed, both in self._tracked_by_unit:
            both_figures[:, unit] += tracked(placed.held(coverage[unit]), both)
        of_released: FloatArray = figures * _share(*both_figures)
        return of_released

    def _claimed_wrongly(self, coverage: FloatArray) -> FloatArray:
        total = np.zeros(self.units)
        if self.listed is None and not (coverage < 1).any():
            return total
        for beside in self.side_by_side:
            held, listed = coverage[beside.unit], beside.placed.coverage
            if self.listed is None:
                unlisted = 1 - held * listed
            else:  # of counties side by side, those of one unit where the chance to be in the file differs
                in_file = np.ones(len(held)) if self.in_file is None else np.resize(self.in_file, len(held))
                unlisted = held * (in_file - listed)
            if self.missing is not None:
                unlisted = unlisted[:, None] * beside.laid(self.missing, self.unit)
            wrong = claimed_wrongly_in_places(beside.placed.held(held), unlisted)
            np.add.at(total, beside.unit_of_place, wrong)
        return total

    def links(self, coverage: ArrayLike = 1.0) -> Iterator[Linked]:
        """Yield the unit, and of groups the released people, their correct matches and the bins; all expected."""
        held = by_unit("coverage", coverage, self.units)
        borne: dict[tuple[int, int], FloatArray] = {}  # by the released of each unit and cell
        for unit, cells, placed, both in self._tracked_by_unit:
            share = _share(*occupied_by_tracked(placed.held(held[unit]), both))
            borne.update(((unit, cell), of_cell) for cell, of_cell in zip(cells.tolist(), share.T, strict=True))
        for unit, cells, placed in self.units_by_bins:
            correct, people = occupied_in_places(placed.held(held[unit])), placed.people
            of_unit = self.unit == unit
            if self.released is not None:
                correct *= np.stack([borne[unit, cell] for cell in cells.tolist()], axis=1)
                people = self.released[np.ix_(of_unit, cells)]
            persons = placed.share @ (people * self.held[of_unit, None])
            yield unit, persons.ravel(), correct.ravel(), np.full(correct.size, placed.bins)

    def _crowds(self, g_max: int, coverage: FloatArray) -> FloatArray:
        persons, least = np.zeros((self.units, g_max + 2)), crowded_mean(SMALL_G)
        for unit, cells, placed in self.units_by_bins:
            ours = None if self.counting is None else self.counting[np.ix_(self.unit == unit, cells)] * placed.people
            persons[unit] += sizes_in_places(placed.held(coverage[unit]), g_max, least, ours)
        return persons

    def _arranged_without_stale(self) -> dict[str, Any]:
        if "side_by_side" not in self.__dict__:
            return {}
        return {"side_by_side": [of._replace(placed=replace(of.placed, stale=0.0)) for of in self.side_by_side]}

    @cached_property
    def _tracked_by_unit(self) -> list[tuple[int, IntArray, PlacedCells, FloatArray]]:
        """Each unit with its cells that hide as many bins, however they are listed, and the released of them and all.

        Coverage and stale records are by county and cell. Empty where everyone is released.
        """
        of_unit: list[tuple[int, IntArray, PlacedCells, FloatArray]] = []
        if self.counting is None:
            return of_unit
        for unit, share in {kind.unit: kind.placed.share for kind in self.units_by_bins}.items():
            counties = np.flatnonzero(self.unit == unit)
            held = np.flatnonzero(self.people[counties].any(axis=0))
            for bins in np.unique(self.bins[held]).tolist():
                cells = held[self.bins[held] == bins]
                at = np.ix_(counties, cells)
                people, listed = self.people[at], np.ones(1) if self.listed is None else self.listed[at]
                stale = np.zeros(1) if self.stale is None else self.stale[at] * listed
                both = np.stack([self.counting[at] * people, people])
                of_unit.append((unit, cells, PlacedCells(share, people, bins, listed, stale), both))
        return of_unit

    @cached_property
    def units_by_bins(self) -> list[_CellsOfUnit]:
        """Each unit with the shares of its places, and those of its cells that are alike."""
        return self._units_by_bins()

    def _units_by_bins(self) -> list[_CellsOfUnit]:
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
            for bins, alike, chances in self.alike(counties, np.flatnonzero(people.any(axis=0))):
                placed = PlacedCells(share, np.ascontiguousarray(people[:, alike]), bins, *chances)
                cells_by_unit.append(_CellsOfUnit(unit, alike, placed))
        return cells_by_unit

    @cached_property
    def side_by_side(self) -> list[_SideBySide]:
        """The cells of all units, as many at once as fit into the cache."""

        def like(kind: _CellsOfUnit) -> tuple[float, bool, int]:
            return kind.placed.bins, bool(np.any(kind.placed.stale)), len(kind.cells)

        together: list[list[_CellsOfUnit]] = []
        kinds: list[_CellsOfUnit] = []
        held = 0
        for kind in sorted(self._units_by_bins(), key=like):  # which are laid out anew, and need not be there twice
            bins, has_stale, cells = like(kind)
            many = kind.placed.share.shape[0] * cells
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
    step = max(_NUMBERS_AT_ONCE // max(people.shape[1], 1), 1)
    if len(people) > step:
        rows = [slice(low, low + step) for low in range(0, len(people), step)]
        every = [_tallied(people[some], None if weight is None else weight[some]) for some in rows]
        numbers, times, many = (np.concatenate(values) for values in zip(*every, strict=True))
        return numbers, times, many
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
