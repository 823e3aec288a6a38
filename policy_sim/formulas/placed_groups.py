"""Groups of people who live in a place by chance: a ZIP code area takes a share of each of its counties.

Where only the people of a ZIP code area are known, and age, sex and race together by county, a
group of such a place holds, of each county's cell, a share of its people, each with the same chance. What is
expected of it is the mean over every way the county's people could be spread over its areas
(:mod:`policy_sim.formulas.county_parts`, :mod:`policy_sim.formulas.parts`).

Only some people may be released (:class:`~.added_groups.AddedGroups`). The people of one cell of a county are alike, so
that the released get a share of each figure: their share of the cell's listed people, or for wrong claims of its
unlisted people. In a place of several counties each county's people have figures of their own.

Curves: up to :data:`~.bins.SMALL_G` people per bin, the figures are those of single values of g. What is in
larger bins is spread over their sizes by one transform for each place and cell (:func:`~.placed.sizes_of_crowded`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from policy_sim.formulas.binomial import by_unit
from policy_sim.formulas.bins import SMALL_G
from policy_sim.formulas.classed_people import ClassedPeople, Figures, Pieces
from policy_sim.formulas.groups import AnyGroups, Matches
from policy_sim.formulas.parts import (
    PlacedCells,
    claimed_wrongly_in_places,
    occupied_in_places,
)
from policy_sim.formulas.placed import crowded_mean, distinct_of_tracked, occupied_by_tracked, sizes_in_places
from policy_sim.formulas.several_classes import Block, blocks_of, figures_of_sums
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray

# Chance that a person of each county is listed, and stale records per person; for cells that are alike.
ListedAndStale: TypeAlias = tuple[FloatArray, FloatArray]
# The unit, and of some of its groups the people, their correct matches and the bins.
Linked: TypeAlias = tuple[int, FloatArray, FloatArray, FloatArray]


class _CellsOfUnit(NamedTuple):
    """Cells of a unit with the same number of bins whose people are listed alike."""

    unit: int
    cells: IntArray
    placed: PlacedCells


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
    stale : Stale records per listed resident of each county, >= 0; nobody's in the release. They live in the places
        with the county's shares, however many people are in the file. None: there are none.
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

    def _claims(self, coverage: FloatArray) -> FloatArray:
        return self._g_distinct(np.ones(1, dtype=np.int64), coverage)[:, 0] + self._claimed_wrongly(coverage)

    def _sweep(self, g_max: int, coverage: FloatArray) -> FloatArray:
        few = self._g_distinct(np.arange(1, min(g_max, SMALL_G) + 1), coverage)
        return curve_of(few, g_max, [self], coverage)

    def everyone(self, coverage: FloatArray) -> FloatArray:
        """Return the listed people of each unit who have figures."""
        listed = np.bincount(self.unit, self.on_list.sum(axis=1) * coverage[self.unit], self.units)
        return listed.astype(np.float64, copy=False)

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
        return None if self.released is None else share_of(self.on_list, self.listed_people)

    @cached_property
    def missing(self) -> FloatArray | None:
        """The part of each cell's people who are not listed that the released are; None: all of them."""
        if self.released is None or self.listed is None:
            return None if self.released is None else share_of(self.released, self.people)
        held = self.held[:, None]
        return share_of(self.released * held - self.on_list, self.people * (held - self.listed))

    @property
    def by_class(self) -> tuple[Self, ...]:
        """The same by class of the release; themselves where everyone is released."""
        if self.kind is None:
            return (self,)
        return tuple(self._of_cells(self.kind == kind) for kind in np.unique(self.kind).tolist())

    def _of_cells(self, held: BoolArray) -> Self:
        by_cell = ("people", "bins", "listed", "released", "released_listed", "kind")
        values = ((name, getattr(self, name)) for name in by_cell)
        of_cells: dict[str, Any] = {name: None if value is None else value[..., held] for name, value in values}
        return replace(self, **of_cells)

    def alike(self, counties: IntArray | slice, cells: IntArray) -> Iterator[tuple[float, IntArray, ListedAndStale]]:
        """Yield cells with the same number of bins whose people are listed alike, with the chances of the counties."""
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
            per_person = nothing[1] if self.stale is None else self.stale[counties] * listed
            yield float(self.bins[cell]), cells[kind == kind[first]], (listed, per_person)

    @cached_property
    def _kind_of_cell(self) -> IntArray:
        """A number for each cell: the same where bins are as many and people are listed alike everywhere.

        Cells are compared by a random 64-bit hash of their chances.
        """
        assert self.listed is not None
        code = self.bins.astype(np.float64).view(np.int64) * _random_odd(1)
        code += np.ascontiguousarray(self.listed.T).view(np.int64) @ _random_odd(len(self.listed), 1)
        kind: IntArray = np.unique(code, return_inverse=True)[1]
        return kind

    def _figures(self, coverage: FloatArray, most: int) -> Figures:
        """Return the figures of the groups with bins of at least ``most`` entries; cached by coverage."""
        key = coverage.tobytes()
        if key not in self._known or len(self._known[key].by_size) < most:
            self._known[key] = self._measured(coverage, most)
        return self._known[key]

    @cached_property
    def _known(self) -> dict[bytes, Figures]:
        """The figures that were computed, by the coverage of the units."""
        return {}

    @abstractmethod
    def _measured(self, coverage: FloatArray, most: int) -> Figures: ...

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
    def _claimed_wrongly(self, coverage: FloatArray) -> FloatArray: ...

    @abstractmethod
    def crowds(self, g_max: int, coverage: FloatArray) -> FloatArray:
        """Return the people of crowded cells in bins of each size, and of more; shape (units, g_max + 2)."""


def curve_of(few: FloatArray, g_max: int, classes: Sequence[CountyGroups], coverage: FloatArray) -> FloatArray:
    """Return g-distinct for every g up to ``g_max``; if that is everybody or more, the last is all listed people.

    ``few``: that for each g up to :data:`~.bins.SMALL_G`, or ``g_max``; ``classes``: groups of different people.
    """
    everyone, small = np.sum([groups.everyone(coverage) for groups in classes], axis=0)[:, None], few.shape[1]
    if g_max == small:
        least: FloatArray = np.minimum(few, everyone)
        return least
    many = np.sum([groups.crowds(g_max, coverage) for groups in classes], axis=0)[:, small + 1 :]
    whole = many.sum(axis=1, keepdims=True)
    # what is not in small bins is in large ones, to the last digit
    upto = np.divide(np.cumsum(many, axis=1), whole, out=np.zeros_like(many), where=whole > 0)[:, :-1]
    rest = np.maximum(everyone - few[:, -1:], 0.0)
    curve: FloatArray = np.minimum(np.hstack([few, few[:, -1:] + rest * upto]), everyone)
    return curve


def _random_odd(many: int, seed: int = 0) -> IntArray:
    return np.random.default_rng(seed).integers(1, 2**62, many, dtype=np.int64) | 1


def share_of(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Return part over whole, 0 to 1; 0 of nothing."""
    return np.clip(np.divide(part, whole, out=np.zeros_like(part), where=whole > 0), 0.0, 1.0)


class PlacedGroups(CountyGroups):
    """Groups put together of parts of several counties: each cell of a place is a group."""

    def _total_risk(self, coverage: FloatArray) -> FloatArray:
        total = self._figures(coverage, 0).total
        return self._of_released(total, coverage, lambda cells, both: occupied_by_tracked(cells, both).sum((1, 2)))

    def _g_distinct(self, sizes: IntArray, coverage: FloatArray) -> FloatArray:
        distinct = np.cumsum(self._figures(coverage, int(sizes.max())).by_size, axis=0)[sizes - 1].T
        return self._of_released(distinct, coverage, lambda cells, both: distinct_of_tracked(cells, both, sizes))

    def _of_released(self, figures: FloatArray, coverage: FloatArray, tracked: Callable[..., FloatArray]) -> FloatArray:
        """Return the released people's part of the figures of each unit, as those of ``tracked`` are to each other."""
        if self.released is None:
            return figures
        both_figures = np.zeros((2, *figures.shape))
        for unit, _, placed, both in self._tracked_by_unit:
            both_figures[:, unit] += tracked(placed.held(coverage[unit]), both)
        of_released: FloatArray = figures * share_of(*both_figures)
        return of_released

    def _claimed_wrongly(self, coverage: FloatArray) -> FloatArray:
        if self.missing is None:
            return self._figures(coverage, 1).wrong
        total = np.zeros(self.units)
        for unit, cells, placed in self.units_by_bins:
            held, of_unit = coverage[unit], self.unit == unit
            # without chances of their own, people are missed whom the list has by its coverage
            missed = 1 - held if self.listed is None else held * (self.held[of_unit] - placed.coverage)
            if not np.any(missed):
                continue
            of_released = np.reshape(missed, (-1, 1)) * self.missing[np.ix_(of_unit, cells)]
            total[unit] += claimed_wrongly_in_places(placed.held(held), of_released).sum()
        return total

    def _measured(self, coverage: FloatArray, most: int) -> Figures:
        people, pieces = self._of_one_class
        return figures_of_sums([people], self._blocks, pieces, [coverage], most)[0]

    @cached_property
    def _of_one_class(self) -> tuple[ClassedPeople, Pieces]:
        """The cells of people by county, and the pieces of the counties, as people of one class."""
        cells = np.arange(len(self.bins))
        listed = None if self.listed is None else np.ascontiguousarray(self.listed.T)
        stale = None if self.stale is None or not self.stale.any() else self.stale
        chances = listed, stale, self.in_file
        people = ClassedPeople(np.ascontiguousarray(self.people.T), self.bins, cells, np.zeros_like(cells), *chances)
        return people, Pieces(self.county, self.place, self.share[:, None], False, self.unit, self.units)

    @cached_property
    def _blocks(self) -> list[Block]:
        """The cells, in blocks of cells alike."""
        return blocks_of([self._of_one_class[0]])

    def links(self, coverage: ArrayLike = 1.0) -> Iterator[Linked]:
        """Yield the unit, and of groups the released people, their correct matches and the bins; all expected."""
        held = by_unit("coverage", coverage, self.units)
        borne: dict[tuple[int, int], FloatArray] = {}  # by the released of each unit and cell
        for unit, cells, placed, both in self._tracked_by_unit:
            share = share_of(*occupied_by_tracked(placed.held(held[unit]), both))
            borne.update(((unit, cell), of_cell) for cell, of_cell in zip(cells.tolist(), share.T, strict=True))
        for unit, cells, placed in self.units_by_bins:
            correct, people = occupied_in_places(placed.held(held[unit])), placed.people
            of_unit = self.unit == unit
            if self.released is not None:
                correct *= np.stack([borne[unit, cell] for cell in cells.tolist()], axis=1)
                people = self.released[np.ix_(of_unit, cells)]
            persons = placed.share @ (people * self.held[of_unit, None])
            yield unit, persons.ravel(), correct.ravel(), np.full(correct.size, placed.bins)

    def crowds(self, g_max: int, coverage: FloatArray) -> FloatArray:
        """Return the people of crowded cells in bins of each size, and of more; shape (units, g_max + 2)."""
        persons, least = np.zeros((self.units, g_max + 2)), crowded_mean(SMALL_G)
        for unit, cells, placed in self.units_by_bins:
            ours = None if self.counting is None else self.counting[np.ix_(self.unit == unit, cells)] * placed.people
            persons[unit] += sizes_in_places(placed.held(coverage[unit]), g_max, least, ours)
        return persons

    def _arranged_without_stale(self) -> dict[str, Any]:
        if "_blocks" not in self.__dict__:
            return {}
        people, pieces = self._of_one_class
        return {"_blocks": self._blocks, "_of_one_class": (people.without_stale(), pieces)}

    @cached_property
    def _tracked_by_unit(self) -> list[tuple[int, IntArray, PlacedCells, FloatArray]]:
        """Each unit with its cells of one number of bins, however they are listed, and the released of them and all.

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
                stale = np.zeros(1) if self.stale is None else self.stale[counties, None] * listed
                both = np.stack([self.counting[at] * people, people])
                of_unit.append((unit, cells, PlacedCells(share, people, bins, listed, stale), both))
        return of_unit

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
            for bins, alike, chances in self.alike(counties, np.flatnonzero(people.any(axis=0))):
                placed = PlacedCells(share, np.ascontiguousarray(people[:, alike]), bins, *chances)
                cells_by_unit.append(_CellsOfUnit(unit, alike, placed))
        return cells_by_unit


def ends_of(many: IntArray) -> IntArray:
    """Return where each of several runs begins, and at last where the last one ends."""
    return np.concatenate([[0], np.cumsum(many)])
