"""Groups of people placed in ZIP codes by chance, of which a part is released (:mod:`.compared_groups`).

The people of one cell of a county are alike, so that the released have their share of every figure. In a place of
several counties each county's people bear their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.special import pdtri

from policy_sim.formulas.binomial import by_unit
from policy_sim.formulas.county_parts import SMALL_G, CountyParts
from policy_sim.formulas.parts import Places, occupied_in_places
from policy_sim.formulas.placed import crowded_mean, pieces_of_places, product, sizes_of_released, tracked_trials
from policy_sim.formulas.placed_groups import (
    CountyPartGroups,
    PartedGroups,
    PlacedGroups,
    persons_of_crowds,
    swept_up_to,
)
from policy_sim.words.arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class ReleasedInParts(CountyPartGroups):
    """Groups in one county each (:class:`~.placed_groups.CountyPartGroups`), of which a part is released.

    People of one cell of a county are alike: the ``j`` released of its ``n`` have ``j/n`` of every figure.

    Attributes
    ----------
    released : People of each cell of each county who are released, at most ``people``; shape (counties, cells).
    kind : The class that each cell belongs to; shape (cells,).
    """

    released: FloatArray
    kind: IntArray

    @property
    def by_class(self) -> tuple[ReleasedInParts, ...]:
        """The same by class."""
        return tuple(ReleasedInParts(**_of_kind(self, kind)) for kind in np.unique(self.kind).tolist())

    def g_distinct_sweep(self, g_max: int, coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the expected released people in bins of ``g`` or fewer, for every g up to ``g_max``."""
        listed = by_unit("coverage", coverage, self.units)
        few, everyone = self.g_distinct(range(1, min(g_max, SMALL_G) + 1), listed), _listed(self, listed)
        return swept_up_to(g_max, few, everyone, lambda: persons_of_crowds(self, g_max, listed))

    @cached_property
    def parts_by_bins(self) -> list[CountyParts]:
        """The same as of whole groups, with the released share of each cell in the place of its number."""
        first = np.searchsorted(self.county, np.arange(len(self.people) + 1))
        parts = []
        for bins in np.unique(self.bins).tolist():
            alike = np.flatnonzero(self.bins == bins)
            county, cell = np.nonzero(self.released[:, alike])
            persons = self.people[county, alike[cell]]
            shares = self.released[county, alike[cell]] / persons
            shape = (len(self.people), int(persons.max(initial=0)) + 1)
            # the conversion adds up what shares a place, and leaves columns in order
            table = sparse.coo_array((shares, (county, persons.astype(np.int64))), shape=shape).tocsr()
            cells = (table.indices.astype(np.float64), table.data, table.indptr.astype(np.int64))
            parts.append(CountyParts(bins, *cells, self.share, first, self.residents))
        return parts


@dataclass(frozen=True, eq=False)
class ReleasedInPlaces(PlacedGroups):
    """Groups of parts of several counties (:class:`~.placed_groups.PlacedGroups`), of which a part is released.

    Attributes
    ----------
    released, kind : As in :class:`ReleasedInParts`.
    """

    released: FloatArray
    kind: IntArray

    @property
    def by_class(self) -> tuple[ReleasedInPlaces, ...]:
        """The same by class."""
        return tuple(ReleasedInPlaces(**_of_kind(self, kind)) for kind in np.unique(self.kind).tolist())

    def total_risk(self, coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the expected correct re-identifications of released people in each unit; shape (units,)."""
        unit, _, correct = self.matches(coverage)
        total: FloatArray = np.bincount(unit, weights=correct, minlength=self.units).astype(np.float64)
        return total

    def matches(self, coverage: ArrayLike = 1.0) -> tuple[IntArray, FloatArray, FloatArray]:
        """Return the unit, the expected released people and their expected correct matches of each group."""
        key = np.asarray(coverage, dtype=np.float64).tobytes()
        if key not in self._matches:
            self._matches[key] = self._matched(by_unit("coverage", coverage, self.units))
        return self._matches[key]

    def g_distinct_sweep(self, g_max: int, coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the expected released people in bins of ``g`` or fewer, for every g up to ``g_max``."""
        listed = by_unit("coverage", coverage, self.units)
        few, everyone = self.g_distinct(range(1, min(g_max, SMALL_G) + 1), listed), _listed(self, listed)

        def persons() -> FloatArray:
            table = np.zeros((self.units, g_max + 2))
            for unit, places, people, bins, released in self._units_with_released():
                x = (places, people, released, bins, float(listed[unit]))
                table[unit] += sizes_of_released(*x, g_max, crowded_mean(SMALL_G))
            return table

        return swept_up_to(g_max, few, everyone, persons)

    @cached_property
    def _matches(self) -> dict[bytes, tuple[IntArray, FloatArray, FloatArray]]:
        return {}

    def _matched(self, listed: FloatArray) -> tuple[IntArray, FloatArray, FloatArray]:
        units, persons, matches = [np.zeros(0, dtype=np.int64)], [np.zeros(0)], [np.zeros(0)]
        for unit, places, people, bins, released in self._units_with_released():
            c = float(listed[unit])
            ours, all_of_them = occupied_by_tracked(places, people, np.stack([released, people]), bins, c)
            share = np.divide(ours, all_of_them, out=np.zeros_like(ours), where=all_of_them > 0)
            correct = occupied_in_places(places, people, bins, c) * np.clip(share, 0.0, 1.0)
            units.append(np.full(correct.size, unit))
            persons.append((places.share @ released).ravel())
            matches.append(correct.ravel())
        return np.concatenate(units), np.concatenate(persons), np.concatenate(matches)

    def _distinct(self, sizes: IntArray, coverage: FloatArray) -> FloatArray:
        tracked = np.zeros((2, self.units, len(sizes)))
        for unit, places, people, bins, released in self._units_with_released():
            both = np.stack([released, people])
            tracked[:, unit] += distinct_of_tracked(places, people, both, bins, sizes, float(coverage[unit]))
        ours, all_of_them = tracked
        share = np.divide(ours, all_of_them, out=np.zeros_like(ours), where=all_of_them > 0)
        distinct: FloatArray = super()._distinct(sizes, coverage) * np.clip(share, 0.0, 1.0)
        return distinct

    def _claimed_wrongly(self, coverage: FloatArray) -> FloatArray:
        """Of those who are not listed, the ones who share a bin with one listed person: ``(1 - c)/c`` times pairs."""
        alone, pairs = self.g_distinct([1, 2], coverage).T
        odds = np.divide(1 - coverage, coverage, out=np.zeros_like(coverage), where=coverage > 0)
        wrong: FloatArray = odds * np.maximum(pairs - alone, 0.0)
        return wrong

    def _units_with_released(self) -> Iterator[tuple[int, Places, FloatArray, float, FloatArray]]:
        """Yield each unit and number of bins as ``units_by_bins``, and the released people of the same cells."""
        for unit, places, people, bins in self.units_by_bins:
            counties = np.flatnonzero(self.unit == unit)
            cells = np.flatnonzero(self.people[counties].any(axis=0) & (self.bins == bins))
            yield unit, places, people, bins, self.released[np.ix_(counties, cells)]


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


def _of_kind(groups: ReleasedInParts | ReleasedInPlaces, kind: int) -> dict[str, Any]:
    """Return the fields of the groups of one class."""
    held = groups.kind == kind
    by_cell = {"people": groups.people[:, held], "released": groups.released[:, held]}
    by_cell |= {"bins": groups.bins[held], "kind": groups.kind[held]}
    return {field.name: by_cell.get(field.name, getattr(groups, field.name)) for field in fields(groups)}


def _listed(groups: ReleasedInParts | ReleasedInPlaces, listed: FloatArray) -> FloatArray:
    """Return the released people of each unit who are listed."""
    people = groups.released.sum(axis=1) * listed[groups.unit]
    summed: FloatArray = np.bincount(groups.unit, weights=people, minlength=groups.units).astype(np.float64)
    return summed


# Figures of some of the people of places made of several counties (:mod:`policy_sim.formulas.placed`). ``tracked``:
# some of the people of each cell of the counties, several choices of them; shape (choices, counties, cells).


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)
_NOTHING = 25.0  # exp(-25) of a share does not matter
_OUT_OF_THE_QUESTION = 1e-18


def occupied_by_tracked(
    places: Places, people: FloatArray, tracked: FloatArray, bins: float, coverage: float = 1.0
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
    for place, county, alike, x, count, rarer in pieces_of_places(places, people, bins, coverage):
        own = tracked_trials(tracked, people, county, alike, count)
        level = np.log2(np.maximum(x @ count, _NOTHING) / _NOTHING) // 1
        for least in np.unique(level).tolist():
            # a crowded bin's generating function falls fast from z = 1: integrate only where something is left of it
            cells, high = np.flatnonzero(level == least), min(1.0, 2.0**-least)
            node, weight = (_NODES + 1) / 2 * high, _WEIGHTS / 2 * high
            miss = 1 - np.outer(node, x)
            held = np.exp(product(np.log(miss), count[:, cells]))
            met = weight[:, None] * x / miss
            figures = [(product(met, chosen[:, cells]) * held).sum(axis=0) for chosen in own]
            borne[:, place, alike[cells]] += bins * np.array(figures)
        empty = np.exp(product(np.log(np.where(x < 1, 1 - x, 1e-300))[None], count))[0]
        lost = (rarer / np.where(x < 1, 1 - x, 1.0) ** 2) @ (own * np.maximum(count - 1, 0.0))
        borne[:, place, alike] += bins * lost * empty
    return borne


def distinct_of_tracked(
    places: Places, people: FloatArray, tracked: FloatArray, bins: float, sizes: IntArray, coverage: float = 1.0
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
    for _, county, alike, x, count, rarer in pieces_of_places(places, people, bins, coverage):
        own = tracked_trials(tracked, people, county, alike, count)
        cells = np.flatnonzero((x @ count <= most) & own.any(axis=(0, 1)))
        if not len(cells):
            continue
        miss, count, own = 1 - np.outer(1 - z, x), count[:, cells], own[:, :, cells]
        held = np.exp(product(np.log(miss), count))
        for choice, chosen in enumerate(own):
            single = (product(x / miss, chosen) * held).sum(axis=1)
            pair = (product(rarer / miss**2, chosen * np.maximum(count - 1, 0.0)) * held).sum(axis=1)
            total[choice] += bins * (single @ upto + pair @ moved).real
    return np.maximum(total, 0.0)
