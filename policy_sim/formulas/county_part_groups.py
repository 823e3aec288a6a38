"""Groups that lie in one county each: those of one cell in one part of the county.

The different cells of a county, and how often each occurs, give sums over all its parts
(:mod:`policy_sim.formulas.single_class`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from policy_sim.formulas.binomial import by_unit
from policy_sim.formulas.bins import SMALL_G
from policy_sim.formulas.classed_people import Figures, Pieces
from policy_sim.formulas.county_parts import CountyParts
from policy_sim.formulas.parts import PlacedCells
from policy_sim.formulas.placed import crowded_mean, sizes_in_places
from policy_sim.formulas.placed_groups import CountyGroups, Linked, ListedAndStale, ends_of, share_of
from policy_sim.formulas.single_class import Cells, Sums
from policy_sim.words.arrays import FloatArray, IntArray

_NUMBERS_AT_ONCE = 200_000  # of people that are sorted: they fit into the cache
_PARTS_AT_ONCE = 500_000  # of counties side by side: bounds the memory


class _Tally(NamedTuple):
    """Different cells with the same number of bins: their people, how often each occurs, and the run that each is in.

    A run is a county and cells of it that are listed alike, with the chance of its people to be ``listed`` and the
    ``stale`` records per person.
    """

    bins: float
    people: FloatArray
    times: FloatArray
    run: IntArray
    listed: FloatArray
    stale: FloatArray


class CountyPartGroups(CountyGroups):
    """Groups that lie in one county each, such as its part in one ZIP code area: each piece is a place.

    If only some people are released, a cell is weighted by the released share of its listed people.
    """

    def _total_risk(self, coverage: FloatArray) -> FloatArray:
        return self._figures(coverage, 0).total

    def _g_distinct(self, sizes: IntArray, coverage: FloatArray) -> FloatArray:
        small = sizes <= SMALL_G
        by_size = self._figures(coverage, int(sizes[small].max(initial=0))).by_size
        distinct = np.zeros((self.units, len(sizes)))
        distinct[:, small] = np.cumsum(by_size, axis=0)[sizes[small] - 1].T
        if not small.all():
            for parts, unit in self._parts_on_list(coverage):
                np.add.at(distinct, (unit[:, None], ~small), parts.distinct(sizes[~small]))
        return distinct

    def _claimed_wrongly(self, coverage: FloatArray) -> FloatArray:
        if self.missing is None:
            return self._figures(coverage, 0).wrong
        return Sums.of(self._cells(self._weighed(self.missing), coverage), self._pieces).figures(self._pieces, 0).wrong

    def _measured(self, coverage: FloatArray, most: int) -> Figures:
        if self.listed is None:
            return self._of_everyone.held(coverage).figures(self._pieces, most)
        return Sums.of(self._cells(self._counted, coverage), self._pieces).figures(self._pieces, most)

    @cached_property
    def _of_everyone(self) -> Sums:
        """The sums of a list of everyone."""
        return Sums.of(self._cells(self._counted, np.ones(self.units)), self._pieces)

    @cached_property
    def _pieces(self) -> Pieces:
        """The pieces of the counties, those with the same parts once."""
        if self.parts_of is None:
            return Pieces(self.county, self.place, self.share[:, None], True, self.unit, self.units)
        first = self.county <= self.parts_of.max(initial=-1)
        of_first = self.county[first], self.place[first], self.share[first, None]
        return Pieces(*of_first, True, self.unit[: int(self.parts_of.max(initial=-1)) + 1], self.units)

    def _cells(self, tallied: Iterable[_Tally], coverage: FloatArray) -> Iterator[Cells]:
        """Yield the different cells on the list, of those whom it may contain with a ``coverage`` of each unit."""
        county = np.arange(len(self.unit)) if self.parts_of is None else self.parts_of
        for tally in tallied:
            many = len(tally.listed) // len(self.unit)
            unit = np.tile(self.unit, many)
            held, in_file = coverage[unit], np.tile(self.held, many)
            listed = held * tally.listed
            missed = 1 - held if self.listed is None else held * (in_file - tally.listed)
            stale = tally.stale[tally.run] if tally.stale.any() else None
            on_list = listed[tally.run], missed[tally.run], stale
            yield Cells(tally.people, tally.times, tally.bins, tally.run, 0, *on_list, 0, np.tile(county, many), unit)

    def links(self, coverage: ArrayLike = 1.0) -> Iterator[Linked]:
        """Yield the unit, and of kinds of groups the people, their correct matches and the bins; all expected."""
        held = by_unit("coverage", coverage, self.units)
        records_by_bins = (
            self._counted if self.released is None else self._weighed(share_of(self.released, self.people))
        )
        for (parts, unit), records in zip(self._parts_on_list(held), records_by_bins, strict=True):
            for county, correct in enumerate(parts.occupied_by_part()):
                cells = slice(parts.cells[county], parts.cells[county + 1])
                share = parts.share[parts.parts[county] : parts.parts[county + 1]]
                in_file = self.held[county % len(self.held)]
                people = np.outer(parts.people[cells] * records.times[cells] * in_file, share)
                bins = np.repeat(parts.times[cells] * parts.bins, len(share))
                yield int(unit[county]), people.ravel(), correct.ravel(), bins

    def crowds(self, g_max: int, coverage: FloatArray) -> FloatArray:
        """Return the people of crowded cells in bins of each size, and of more; shape (units, g_max + 2)."""
        persons, least = np.zeros((self.units, g_max + 2)), crowded_mean(SMALL_G)
        for parts, unit in self._parts_on_list(coverage):
            for county in range(len(parts.cells) - 1):
                cells = slice(parts.cells[county], parts.cells[county + 1])
                people, times = parts.people[cells], parts.times[cells]
                c, stale = float(parts.listed[county]), 0.0 if parts.stale is None else float(parts.stale[county])
                shares = parts.share[parts.parts[county] : parts.parts[county + 1]]
                # most parts have no crowd: their largest cell says so, with room for rounding
                most = people.max(initial=0.0) * (c + stale) / parts.bins * (1 + 1e-9)
                crowded = shares[shares * most >= least]
                if c and len(crowded):
                    placed = PlacedCells(sparse.csr_array(crowded[:, None]), people[None], parts.bins, c, stale)
                    persons[unit[county]] += sizes_in_places(placed, g_max, least, times=times)
        return persons

    def _arranged_without_stale(self) -> dict[str, Any]:
        if "_counted" not in self.__dict__:
            return {}
        without = [tally._replace(stale=np.zeros_like(tally.stale)) for tally in self._counted]
        return {"_counted": without, "_pieces": self._pieces}

    def _parts_on_list(self, coverage: FloatArray) -> Iterator[tuple[CountyParts, IntArray]]:
        """Yield the different cells with the parts of their counties, and the unit of each county."""
        for tally in self._counted:
            many = len(tally.listed) // len(self.unit)
            unit, pieces = np.tile(self.unit, many), np.bincount(self.county, minlength=len(self.unit))
            of_cells = tally.people, tally.times, np.searchsorted(tally.run, np.arange(len(unit) + 1))
            of_parts = np.tile(self.share, many), ends_of(np.tile(pieces, many))
            stale = tally.stale if tally.stale.any() else None
            yield CountyParts(tally.bins, *of_cells, *of_parts, coverage[unit] * tally.listed, stale), unit

    @cached_property
    def _counted(self) -> list[_Tally]:
        """The different people of the cells of each county and how often each occurs, among the released."""
        return self._weighed(self.counting)

    def _weighed(self, weight: FloatArray | None) -> list[_Tally]:
        """Return the different people of cells that occur ``weight`` times, shape (counties, cells); None: once.

        A county is there once for each kind of cells that are listed alike.
        """
        kinds: dict[float, list[tuple[IntArray, ListedAndStale]]] = {}
        for bins, cells, chances in self.alike(slice(None), np.arange(len(self.bins))):
            kinds.setdefault(bins, []).append((cells, chances))
        step = max(_PARTS_AT_ONCE // max(len(self.share), 1), 1)
        return [
            self._tally(bins, alike[low : low + step], weight)
            for bins, alike in kinds.items()
            for low in range(0, len(alike), step)
        ]

    def _tally(
        self, bins: float, kinds: Sequence[tuple[IntArray, ListedAndStale]], weight: FloatArray | None
    ) -> _Tally:
        """Return kinds of cells with the same number of bins, the counties of each kind one after the other."""
        tallies = [_tallied(self.people[:, cells], None if weight is None else weight[:, cells]) for cells, _ in kinds]
        people, times, many = (np.concatenate(values) for values in zip(*tallies, strict=True))
        listed, stale = (np.concatenate(values) for values in zip(*(chances for _, chances in kinds), strict=True))
        return _Tally(bins, people, times, np.repeat(np.arange(len(many)), many), listed, stale)


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
