"""Groups of people placed in ZIP codes by chance, of which a part is released (:mod:`.compared_groups`).

The people of one cell of a county are alike, so that the released have their share of every figure: of what counts
listed people, as they are of the cell's listed people, and of wrong claims, as they are of those who are not listed. In
a place of several counties each county's people bear their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import pdtri

from policy_sim.formulas.binomial import by_unit
from policy_sim.formulas.county_parts import SMALL_G, CountyParts
from policy_sim.formulas.parts import Places, claimed_wrongly_in_places, occupied_in_places
from policy_sim.formulas.placed import crowded_mean, pieces_of_places, product, sizes_of_released, tracked_trials
from policy_sim.formulas.placed_groups import (
    CountyGroups,
    CountyPartGroups,
    Linked,
    PartedGroups,
    PlacedGroups,
    persons_of_crowds,
    swept_up_to,
)
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False, kw_only=True)
class _Released(CountyGroups):
    """Groups of which a part is released.

    Attributes
    ----------
    released : People of each cell of each county who are released, at most ``people``; shape (counties, cells).
    released_listed : How many of them are expected on the list, where each cell has its chance; else None. Cells of
        several years of age may be listed with another chance than their released people.
    kind : The class that each cell belongs to; shape (cells,).
    """

    released: FloatArray
    released_listed: FloatArray | None = None
    kind: IntArray

    @property
    def by_class(self) -> tuple[Self, ...]:
        """The same by class."""
        return tuple(self._of_cells(self.kind == kind) for kind in np.unique(self.kind).tolist())

    @property
    def on_list(self) -> FloatArray:
        """Released people of each cell whom the list is expected to hold, where it is not of all alike."""
        return self.released if self.released_listed is None else self.released_listed

    @cached_property
    def counting(self) -> FloatArray:
        """The part of each cell's listed people who are released, and have their figures; shape (counties, cells)."""
        return _share(self.on_list, super().on_list)

    @cached_property
    def missing(self) -> FloatArray:
        """The part of each cell's people who are not listed that the released are; shape (counties, cells)."""
        if self.listed is None:
            return _share(self.released, self.people)
        return _share(self.released - self.on_list, self.people * (1 - self.listed))

    def g_distinct_sweep(self, g_max: int, coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the expected released people in bins of ``g`` or fewer, for every g up to ``g_max``."""
        held = by_unit("coverage", coverage, self.units)
        weights = self.on_list.sum(axis=1) * held[self.unit]
        everyone = np.bincount(self.unit, weights=weights, minlength=self.units).astype(np.float64)
        few = self.g_distinct(range(1, min(g_max, SMALL_G) + 1), held)
        return swept_up_to(g_max, few, everyone, lambda: self._persons(g_max, held))

    def _persons(self, g_max: int, held: FloatArray) -> FloatArray:
        """Return the released people of crowded cells in bins of each size; shape (units, g_max + 2)."""
        raise NotImplementedError

    def _of_cells(self, held: BoolArray) -> Self:
        by_cell = ("people", "bins", "listed", "stale", "released", "released_listed", "kind")
        values = ((name, getattr(self, name)) for name in by_cell)
        of_cells: dict[str, Any] = {name: None if value is None else value[..., held] for name, value in values}
        return replace(self, **of_cells)


def _share(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Return part over whole, 0 to 1; 0 of nothing."""
    return np.clip(np.divide(part, whole, out=np.zeros_like(part), where=whole > 0), 0.0, 1.0)


class ReleasedInParts(_Released, CountyPartGroups):
    """Groups in one county each (:class:`~.placed_groups.CountyPartGroups`), of which a part is released.

    Cells occur as often as they have released people in their listed people, instead of once.
    """

    @cached_property
    def parts_by_bins(self) -> list[CountyParts]:
        """The same as of whole groups, with the released share of each cell in the place of its number."""
        return self._weighed(self.counting)

    @cached_property
    def records_by_bins(self) -> list[CountyParts]:
        """The same by the share of each cell's people who are released, and so have a record."""
        return self._weighed(_share(self.released, self.people))

    def _claimed_wrongly(self, coverage: FloatArray) -> FloatArray:
        parts_by_bins = self._weighed(self.missing)
        return self._added(sum(parts.claimed_wrongly(coverage[self.unit]) for parts in parts_by_bins))

    def _persons(self, g_max: int, held: FloatArray) -> FloatArray:
        return persons_of_crowds(self, g_max, held)


class ReleasedInPlaces(_Released, PlacedGroups):
    """Groups of parts of several counties (:class:`~.placed_groups.PlacedGroups`), of which a part is released."""

    def total_risk(self, coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the expected correct re-identifications of released people in each unit; shape (units,)."""
        total = np.zeros(self.units)
        for unit, _, correct, _ in self.links(coverage):
            total[unit] += correct.sum()
        return total

    def links(self, coverage: ArrayLike = 1.0) -> Iterator[Linked]:
        """Yield the unit, and of groups the released people, their correct matches and the bins; all expected."""
        held = by_unit("coverage", coverage, self.units)
        key = held.tobytes()
        if key not in self._links:
            self._links[key] = list(self._linked(held))
        yield from self._links[key]

    @cached_property
    def _links(self) -> dict[bytes, list[Linked]]:
        return {}

    def _linked(self, held: FloatArray) -> Iterator[Linked]:
        for unit, cells, (places, people, bins), listed, stale in self.units_by_bins:
            at = np.ix_(np.flatnonzero(self.unit == unit), cells)
            tracked, c = np.stack([self.counting[at] * people, people]), held[unit] * listed
            share = _share(*occupied_by_tracked(places, people, tracked, bins, c, stale))
            correct = occupied_in_places(places, people, bins, c, stale) * share
            persons = (places.share @ self.released[at]).ravel()
            yield unit, persons, correct.ravel(), np.full(correct.size, bins)

    def _distinct(self, sizes: IntArray, coverage: FloatArray) -> FloatArray:
        tracked = np.zeros((2, self.units, len(sizes)))
        for unit, cells, (places, people, bins), listed, stale in self.units_by_bins:
            counted = self.counting[np.ix_(np.flatnonzero(self.unit == unit), cells)]
            both, c = np.stack([counted * people, people]), coverage[unit] * listed
            tracked[:, unit] += distinct_of_tracked(places, people, both, bins, sizes, c, stale)
        distinct: FloatArray = super()._distinct(sizes, coverage) * _share(*tracked)
        return distinct

    def _claimed_wrongly(self, coverage: FloatArray) -> FloatArray:
        total = np.zeros(self.units)
        for unit, cells, facts, listed, stale in self.units_by_bins:
            held, at = coverage[unit], np.ix_(np.flatnonzero(self.unit == unit), cells)
            unlisted = 1 - held * listed if self.listed is None else held * (1 - listed)
            c = held * listed
            total[unit] += claimed_wrongly_in_places(*facts, c, stale, unlisted[:, None] * self.missing[at])
        return total

    def _persons(self, g_max: int, held: FloatArray) -> FloatArray:
        persons, least = np.zeros((self.units, g_max + 2)), crowded_mean(SMALL_G)
        for unit, cells, (places, people, bins), listed, stale in self.units_by_bins:
            ours = self.counting[np.ix_(np.flatnonzero(self.unit == unit), cells)] * people
            c = held[unit] * listed
            persons[unit] += sizes_of_released(places, people, ours, bins, c, stale, g_max, least)
        return persons


@dataclass(frozen=True, eq=False)
class ReleasedByPart:
    """Groups by ZIP code with figures parted among the people, without those who are not released.

    Attributes
    ----------
    parted : The groups, with who is not released as the last part of each unit.
    """

    parted: PartedGroups

    @property
    def units(self) -> int:
        """Number of results: the parts of each unit of the groups, but the last."""
        return self.parted.groups.units * (self.parted.parts - 1)

    @property
    def listed(self) -> FloatArray | None:
        """Chance that a person of each kind is listed, where the groups have theirs."""
        return self.parted.listed

    def without_stale(self) -> ReleasedByPart:
        """Return the same people on a list without stale records."""
        return ReleasedByPart(self.parted.without_stale())

    def total_risk(self, coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the expected correct re-identifications of each part; shape (units,)."""
        return self._released(self.parted.total_risk(self._repeated(coverage)))

    def g_distinct(self, g: Sequence[int], coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the expected people of each part in bins of ``g`` or fewer; shape (units, len(g))."""
        return self._released(self.parted.g_distinct(g, self._repeated(coverage)))

    def claims(self, coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the records of each part that an attacker claims to have named; shape (units,)."""
        return self._released(self.parted.claims(self._repeated(coverage)))

    def _repeated(self, coverage: ArrayLike) -> FloatArray:
        by_state = by_unit("coverage", coverage, self.units).reshape(-1, self.parted.parts - 1)[:, 0]
        return np.repeat(by_state, self.parted.parts)

    def _released(self, figures: FloatArray) -> FloatArray:
        by_state = figures.reshape(-1, self.parted.parts, *figures.shape[1:])[:, :-1]
        return by_state.reshape(self.units, *figures.shape[1:])


def bounds_of_released(
    groups: ReleasedInParts | ReleasedInPlaces, g: Sequence[int], coverage: ArrayLike = 1.0
) -> FloatArray:
    """Return upper bounds of the variances of total risk and of g-distinct of one class; shape (units, 1 + len(g)).

    Right links scatter as guesses, by at most one per expected link, and with how the released people fall into bins,
    of which each adds its share of the bin's people, by as much again. People in bins of ``g`` or fewer scatter by at
    most the size of their bin each.
    """
    sizes = np.arange(1, max(g, default=1) + 1)
    people = groups.g_distinct(sizes.tolist(), coverage)
    squares = np.cumsum(np.maximum(np.diff(people, axis=1, prepend=0.0), 0.0) * sizes, axis=1)
    return np.column_stack([2 * groups.total_risk(coverage), *(squares[:, int(size) - 1] for size in g)])


# Figures of some of the people of places made of several counties (:mod:`policy_sim.formulas.placed`). ``tracked``:
# some of the people of each cell of the counties, several choices of them; shape (choices, counties, cells).


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)
_NOTHING = 25.0  # exp(-25) of a share does not matter
_OUT_OF_THE_QUESTION = 1e-18


def occupied_by_tracked(
    places: Places,
    people: FloatArray,
    tracked: FloatArray,
    bins: float,
    coverage: FloatArray | float = 1.0,
    stale: FloatArray | float = 0.0,
) -> FloatArray:
    """Return the expected correct matches of tracked people by place and cell; shape (choices, places, cells).

    Examples
    --------
    One person lives in the place for certain, the other with chance 1/2: they share the bin in half of the cases.

    >>> from scipy import sparse
    >>> here, two = Places.by_themselves(sparse.csr_array([[1.0, 0.5]])), np.ones((2, 1))
    >>> occupied_by_tracked(here, two, np.stack([two, [[1.0], [0.0]]]), 1.0).round(9).ravel().tolist()
    [1.0, 0.75]
    """
    borne = np.zeros((len(tracked), places.share.shape[0], people.shape[1]))
    for place, county, alike, x, count, rarer, records in pieces_of_places(places, people, bins, coverage, stale):
        own = tracked_trials(tracked, people, county, alike, count)
        level = np.log2(np.maximum(x @ count + records, _NOTHING) / _NOTHING) // 1
        for least in np.unique(level).tolist():
            # a crowded bin's generating function falls fast from z = 1: integrate only where something is left of it
            cells, high = np.flatnonzero(level == least), min(1.0, 2.0**-least)
            node, weight = (_NODES + 1) / 2 * high, _WEIGHTS / 2 * high
            miss = 1 - np.outer(node, x)
            held = np.exp(product(np.log(miss), count[:, cells]) - np.outer(node, records[cells]))
            met = weight[:, None] * x / miss
            figures = [(product(met, chosen[:, cells]) * held).sum(axis=0) for chosen in own]
            borne[:, place, alike[cells]] += bins * np.array(figures)
        empty = np.exp(product(np.log(np.where(x < 1, 1 - x, 1e-300))[None], count)[0] - records)
        lost = (rarer / np.where(x < 1, 1 - x, 1.0) ** 2) @ (own * np.maximum(count - 1, 0.0))
        borne[:, place, alike] += bins * lost * empty
    return borne


def distinct_of_tracked(
    places: Places,
    people: FloatArray,
    tracked: FloatArray,
    bins: float,
    sizes: IntArray,
    coverage: FloatArray | float = 1.0,
    stale: FloatArray | float = 0.0,
) -> FloatArray:
    """Return the tracked listed people in bins of each of ``sizes`` or fewer; shape (choices, len(sizes)).

    Examples
    --------
    >>> from scipy import sparse
    >>> here, two = Places.by_themselves(sparse.csr_array([[1.0, 0.5]])), np.ones((2, 1))
    >>> tracked = np.stack([two, [[1.0], [0.0]]])
    >>> distinct_of_tracked(here, two, tracked, 1.0, np.array([1, 2])).round(9).tolist()
    [[0.5, 1.5], [0.5, 1.0]]
    """
    g, total = int(sizes.max()), np.zeros((len(tracked), len(sizes)))
    most = float(pdtri(g, _OUT_OF_THE_QUESTION))
    # on a circle inside the unit circle, larger sizes fade; half of it is enough, the other has the conjugate values
    radius, length = 10.0 ** (-3 / g), 4 * g + 8
    z = radius * np.exp(2j * np.pi * (np.arange(length // 2) + 0.5) / length)
    back = z[:, None] ** -np.arange(0.0, g + 1) * (2 / length)
    upto = np.cumsum(back, axis=1)[:, sizes - 1]
    moved = (sizes + 1) * back[:, sizes - 1] - sizes * back[:, sizes]
    for _, county, alike, x, count, rarer, records in pieces_of_places(places, people, bins, coverage, stale):
        own = tracked_trials(tracked, people, county, alike, count)
        cells = np.flatnonzero((x @ count <= most) & own.any(axis=(0, 1)))
        if not len(cells):
            continue
        miss, count, own = 1 - np.outer(1 - z, x), count[:, cells], own[:, :, cells]
        held = np.exp(product(np.log(miss), count) - np.outer(1 - z, records[cells]))
        for choice, chosen in enumerate(own):
            single = (product(x / miss, chosen) * held).sum(axis=1)
            pair = (product(rarer / miss**2, chosen * np.maximum(count - 1, 0.0)) * held).sum(axis=1)
            total[choice] += bins * (single @ upto + pair @ moved).real
    return np.maximum(total, 0.0)
