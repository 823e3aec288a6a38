"""Groups of people placed in ZIP codes by chance, of which a part is released (:mod:`.compared_groups`).

The people of one cell of a county are alike, so that the released have their share of every figure: of what counts
listed people, as they are of the cell's listed people, and of wrong claims, as they are of those who are not listed. In
a place of several counties each county's people bear their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import pdtri

from policy_sim.formulas.binomial import by_unit
from policy_sim.formulas.counted_parts import matched_trials
from policy_sim.formulas.county_parts import SMALL_G, CountyParts
from policy_sim.formulas.parts import Places, claimed_wrongly_in_places, occupied_in_places
from policy_sim.formulas.placed import crowded_mean, sizes_of_released
from policy_sim.formulas.placed_groups import (
    CountyGroups,
    CountyPartGroups,
    Linked,
    PartedGroups,
    PlacedGroups,
)
from policy_sim.formulas.placed_sweep import persons_of_crowds, swept_up_to
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray

_Facts: TypeAlias = tuple[Places, FloatArray, float]  # the places, the people of some cells, the bins


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
        held = self.held[:, None]
        return _share(self.released * held - self.on_list, self.people * (held - self.listed))

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
    def parts_by_bins(self) -> list[tuple[CountyParts, IntArray]]:
        """The same as of whole groups, with the released share of each cell in the place of its number."""
        return self._weighed(self.counting)

    @cached_property
    def records_by_bins(self) -> list[tuple[CountyParts, IntArray]]:
        """The same by the share of each cell's people who are released, and so have a record."""
        return self._weighed(_share(self.released, self.people))

    def _claimed_wrongly(self, coverage: FloatArray) -> FloatArray:
        total = np.zeros(self.units)
        for parts, unit in self._weighed(self.missing):
            np.add.at(total, unit, self.of_file(parts) * parts.claimed_wrongly(coverage[unit]))
        return total

    def _persons(self, g_max: int, held: FloatArray) -> FloatArray:
        return persons_of_crowds(self, g_max, held)


class ReleasedInPlaces(_Released, PlacedGroups):
    """Groups of parts of several counties (:class:`~.placed_groups.PlacedGroups`), of which a part is released."""

    def total_risk(self, coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the expected correct re-identifications of released people in each unit; shape (units,)."""
        held, tracked = by_unit("coverage", coverage, self.units), np.zeros((2, self.units))
        for unit, _, both, (places, people, bins), listed, stale in self._by_unit:
            tracked[:, unit] += occupied_by_tracked(places, people, both, bins, held[unit] * listed, stale).sum((1, 2))
        total: FloatArray = super().total_risk(coverage) * _share(*tracked)
        return total

    def links(self, coverage: ArrayLike = 1.0) -> Iterator[Linked]:
        """Yield the unit, and of groups the released people, their correct matches and the bins; all expected."""
        held = by_unit("coverage", coverage, self.units)
        borne: dict[tuple[int, int], FloatArray] = {}
        for unit, cells, both, (places, people, bins), listed, stale in self._by_unit:
            share = _share(*occupied_by_tracked(places, people, both, bins, held[unit] * listed, stale))
            borne.update(((unit, cell), of_cell) for cell, of_cell in zip(cells.tolist(), share.T, strict=True))
        for unit, cells, (places, people, bins), listed, stale in self.units_by_bins:
            share = np.stack([borne[unit, cell] for cell in cells.tolist()], axis=1)
            correct = occupied_in_places(places, people, bins, held[unit] * listed, stale) * share
            of_unit = self.unit == unit
            persons = places.share @ (self.released[np.ix_(of_unit, cells)] * self.held[of_unit, None])
            yield unit, persons.ravel(), correct.ravel(), np.full(correct.size, bins)

    def _distinct(self, sizes: IntArray, coverage: FloatArray) -> FloatArray:
        tracked = np.zeros((2, self.units, len(sizes)))
        for unit, _, both, (places, people, bins), listed, stale in self._by_unit:
            c = coverage[unit] * listed
            tracked[:, unit] += distinct_of_tracked(places, people, both, bins, sizes, c, stale)
        distinct: FloatArray = super()._distinct(sizes, coverage) * _share(*tracked)
        return distinct

    def _claimed_wrongly(self, coverage: FloatArray) -> FloatArray:
        total = np.zeros(self.units)
        for beside in self.side_by_side:
            held = coverage[beside.unit]
            unlisted = (
                1 - held * beside.listed if self.listed is None else held * (self.held_by(beside.unit) - beside.listed)
            )
            of_cells = unlisted[:, None] * beside.laid(self.missing, self.unit)
            wrong = claimed_wrongly_in_places(*beside.facts, held * beside.listed, beside.stale, of_cells)
            np.add.at(total, beside.unit_of_place, wrong)
        return total

    def _persons(self, g_max: int, held: FloatArray) -> FloatArray:
        persons, least = np.zeros((self.units, g_max + 2)), crowded_mean(SMALL_G)
        for unit, cells, (places, people, bins), listed, stale in self.units_by_bins:
            ours = self.counting[np.ix_(self.unit == unit, cells)] * people
            c = held[unit] * listed
            persons[unit] += sizes_of_released(places, people, ours, bins, c, stale, g_max, least)
        return persons

    @cached_property
    def _by_unit(self) -> list[tuple[int, IntArray, FloatArray, _Facts, FloatArray, FloatArray]]:
        """Each unit with its cells that hide as many bins, however they are listed: released people and all of them.

        Then the places, the people and the bins, and by county and cell the chance to be listed and the stale records
        per person.
        """
        of_unit = []
        for unit, places in {kind.unit: kind.facts[0] for kind in self.units_by_bins}.items():
            counties = np.flatnonzero(self.unit == unit)
            held = np.flatnonzero(self.people[counties].any(axis=0))
            for bins in np.unique(self.bins[held]).tolist():
                cells = held[self.bins[held] == bins]
                at = np.ix_(counties, cells)
                people, listed = self.people[at], np.ones(1) if self.listed is None else self.listed[at]
                stale = np.zeros(1) if self.stale is None else self.stale[at] * listed
                both = np.stack([self.counting[at] * people, people])
                of_unit.append((unit, cells, both, (places, people, bins), listed, stale))
        return of_unit


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
# ``coverage``, ``stale``: one number, or one by county and cell.


_NODES = {many: np.polynomial.legendre.leggauss(many) for many in (8, 20)}
_SMOOTH = 3.0, 0.5  # up to this mean and chance of a trial eight nodes are right to 1e-12
_NOTHING = 25.0  # exp(-25) of a share does not matter
_OUT_OF_THE_QUESTION = 1e-18
_PAIRS_AT_ONCE = 4_000  # of a place's county and a cell: with some twenty points each they fit into the cache


class _Tracked(NamedTuple):
    """Cells of places that take parts of as many counties: everyone, of whom some are tracked, and the chance of a bin.

    A pair is a cell in a place. Its counties are those of its place, one after the other.

    Attributes
    ----------
    place, cells : Which place and cell each pair is.
    chance, rarer : Chance ``x`` of each trial and ``k`` of each county, by kind of pair; shape (counties, kinds).
    kind : Kind of each pair.
    trials, tracked : All trials, shape (counties, pairs), and those of tracked people for each choice.
    stale : Mean stale records in a bin of each pair.
    """

    place: IntArray
    cells: IntArray
    chance: FloatArray
    rarer: FloatArray
    kind: IntArray
    trials: FloatArray
    tracked: FloatArray
    stale: FloatArray

    @property
    def mean(self) -> FloatArray:
        """Mean entries of a bin of each cell."""
        mean: FloatArray = (self.chance[:, self.kind] * self.trials).sum(axis=0) + self.stale
        return mean

    def at(self, pairs: IntArray) -> _Tracked:
        """Return some of the pairs, with their kinds alone."""
        present = np.zeros(self.chance.shape[1], dtype=np.bool_)
        present[self.kind[pairs]] = True
        by_pair = {name: getattr(self, name)[..., pairs] for name in ("place", "cells", "trials", "tracked", "stale")}
        kind = (np.cumsum(present) - 1)[self.kind[pairs]]
        return self._replace(kind=kind, chance=self.chance[:, present], rarer=self.rarer[:, present], **by_pair)

    def missed(self, away: NDArray[Any]) -> NDArray[Any]:
        """Return the generating function of one trial at ``1 - away``; shape (points, counties, kinds)."""
        missed: NDArray[Any] = 1 - np.multiply.outer(away, self.chance)
        return missed

    def generated(self, away: NDArray[Any]) -> NDArray[Any]:
        """Return that of all entries of a bin, stale records among them; shape (points, cells)."""
        missed = self.missed(away)
        log = np.log(np.where(missed == 0, 1e-300, missed))
        added = np.multiply.outer(-away, self.stale)
        for of_county, trials in zip(log.transpose(1, 0, 2), self.trials, strict=True):
            added += of_county[:, self.kind] * trials
        generated: NDArray[Any] = np.exp(added, out=added)
        return generated


def _by_place(
    places: Places,
    people: FloatArray,
    tracked: FloatArray,
    bins: float,
    coverage: FloatArray | float,
    stale: FloatArray | float,
) -> Iterator[_Tracked]:
    """Yield the cells of places of as many counties together; those that are a large part of a county by themselves."""
    listed = np.broadcast_to(np.asarray(coverage, dtype=np.float64), people.shape)
    number: dict[bytes, int] = {}  # of each kind of cell, by the chances of its counties
    kind = np.array([number.setdefault(cell.tobytes(), len(number)) for cell in np.ascontiguousarray(listed.T)])
    kinds = np.array([np.frombuffer(chances) for chances in number]).T
    left, large, many = people * stale / bins, places.large(people), np.diff(places.share.indptr)
    fixed = places.fixed
    for counties in np.unique(many[many > 0]).tolist():
        alike = np.flatnonzero(many == counties)
        step = max(_PAIRS_AT_ONCE // (counties * people.shape[1]), 1)
        for at in (alike[low : low + step] for low in range(0, len(alike), step)):
            piece = places.share.indptr[at] + np.arange(counties)[:, None]  # by county of a place, and place
            county, chance = places.share.indices[piece], places.share.data[piece][..., None]
            held = np.nonzero(people[county].any(axis=0))
            place, cell = held
            in_bin, own = kinds[county] / bins, (county[:, place], cell)
            every = _Tracked(
                at[place],
                cell,
                np.minimum(chance * in_bin, 1.0).reshape(counties, -1),
                (in_bin**2 / 2 * fixed[piece][..., None]).reshape(counties, -1),
                place * kinds.shape[1] + kind[cell],
                people[own],
                tracked[(slice(None), *own)],
                (chance * left[county]).sum(axis=0)[held],
            )
            is_large = large[own]
            single = is_large.any(axis=0)
            if not single.all():
                yield every.at(np.flatnonzero(~single))
            if single.any():
                few, is_large = every.at(np.flatnonzero(single)), is_large[:, single]
                facts = places.residents[own[0][:, single]], chance[:, place[single], 0]
                yield _with_large(few, is_large, *facts, listed[own][:, single] / bins)


def _with_large(
    every: _Tracked, is_large: BoolArray, residents: FloatArray, share: FloatArray, hit: FloatArray
) -> _Tracked:
    """Return pairs whose large cells count by the binomial most like each (:mod:`.placed`); each is a kind of its own.

    ``residents``, ``share``, ``hit``: of each county of each pair, the people, the share that live in the place, and
    the chance that one of these is listed and in a given bin.
    """
    alike, trials = matched_trials(every.trials, residents, share, hit)
    trials = np.where(is_large, trials, every.trials)
    whole = np.divide(trials, every.trials, out=np.ones_like(trials), where=every.trials > 0)
    return every._replace(
        chance=np.where(is_large, alike, every.chance[:, every.kind]),
        rarer=np.where(is_large, 0.0, every.rarer[:, every.kind]),
        kind=np.arange(len(every.kind)),
        trials=trials,
        tracked=every.tracked * whole,
    )


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
    for every in _by_place(places, people, tracked, bins, coverage, stale):
        mean = every.mean
        level = np.log2(np.maximum(mean, _NOTHING) / _NOTHING) // 1
        smooth = (mean <= _SMOOTH[0]) & (every.chance.max(axis=0) <= _SMOOTH[1])[every.kind]
        level[smooth] = -1
        for least in np.unique(level).tolist():
            # a crowded bin's generating function falls fast from z = 1: integrate only where something is left of it
            crowd, high = every.at(np.flatnonzero(level == least)), min(1.0, 2.0**-least)
            nodes, weights = _NODES[8 if least < 0 else 20]
            node, weight = (nodes + 1) / 2 * high, weights / 2 * high
            met = weight[:, None, None] * crowd.chance / crowd.missed(node)
            held = crowd.generated(node)
            links = np.stack([(of_county[:, crowd.kind] * held).sum(axis=0) for of_county in met.transpose(1, 0, 2)])
            borne[:, crowd.place, crowd.cells] += bins * (links * crowd.tracked).sum(axis=1)
        k = every.rarer / np.where(every.chance < 1, 1 - every.chance, 1.0) ** 2
        lost = (k[:, every.kind] * every.tracked * np.maximum(every.trials - 1, 0.0)).sum(axis=1)
        borne[:, every.place, every.cells] += bins * lost * every.generated(np.ones(1))[0]
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
    for every in _by_place(places, people, tracked, bins, coverage, stale):
        cells = np.flatnonzero((every.mean <= most) & every.tracked.any(axis=(0, 1)))
        if not len(cells):
            continue
        few = every.at(cells)
        missed, held = few.missed(1 - z), few.generated(1 - z)
        pairs = few.tracked * np.maximum(few.trials - 1, 0.0)
        for county, (met, less) in enumerate(
            zip((few.chance / missed).transpose(1, 0, 2), (few.rarer / missed**2).transpose(1, 0, 2), strict=True)
        ):
            single = few.tracked[:, county] @ (met[:, few.kind] * held).T
            pair = pairs[:, county] @ (less[:, few.kind] * held).T
            total += bins * (single @ upto + pair @ moved).real
    return np.maximum(total, 0.0)
