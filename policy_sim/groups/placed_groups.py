"""Groups of people who live in a place by chance: a ZIP code area takes a share of each of its counties.

The census counts age, sex and race together by county; of a ZIP code area it gives the people only. A
group of such a place holds, of each county's cell, a share of its people, each with the same chance. What is
expected of it is the mean over every way the county's people could be spread over its areas
(:mod:`policy_sim.binning.parts`). Both classes here answer what :class:`~policy_sim.groups.groups.Groups` answers
through :mod:`policy_sim.groups.measures`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from policy_sim.arrays import FloatArray, IntArray
from policy_sim.binning import claimed_records, people_g_distinct
from policy_sim.binning.inputs import checked_coverage
from policy_sim.binning.parts import claimed_in_places, distinct_in_part, g_distinct_in_places, occupied_in_places
from policy_sim.errors import InputError

__all__ = ["CountyPartGroups", "PlacedGroups", "expanded"]

_AT_ONCE = 32_768  # pieces: what a formula needs of them fits into a processor's cache
_SMALL_G = 64  # up to here the chances are built up one by one, which is faster


class _Figures(Protocol):
    """From people, bins, shares and coverage of pieces to figures; shape (figures, pieces)."""

    def __call__(self, n: FloatArray, b: FloatArray, p: FloatArray, c: FloatArray, /) -> FloatArray: ...


@dataclass(frozen=True, eq=False)
class CountyPartGroups:
    """Groups that lie in one county each, such as its part in one ZIP code area.

    Each row stands for ``times`` cells of a county that have the same people and bins; each of them is one group
    in every part of the county.

    Attributes
    ----------
    people, bins : Persons of the county's cell, N, and the equally likely values hidden inside it.
    times : How many cells of the county are alike.
    county : The county of each row.
    unit : Which result each row adds to.
    first : Where the parts of each county begin in ``share``; one more number than counties.
    share : Chance that a person of the county lives in the part.
    units : Number of results.
    """

    people: FloatArray
    bins: FloatArray
    times: FloatArray
    county: IntArray
    unit: IntArray
    first: IntArray
    share: FloatArray
    units: int

    def total_risk(self, coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the expected number of correct re-identifications of each unit; shape (units,)."""
        return self._added(1, coverage, lambda n, b, p, c: _occupied(n, b, p * c)[None])[:, 0]

    def g_distinct(self, g: Sequence[int], coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the expected number of people in bins of ``g`` or fewer; shape (units, len(g))."""
        sizes = np.asarray(g, dtype=np.int64)
        if sizes.max() > _SMALL_G:
            return self._added(len(sizes), coverage, lambda n, b, p, c: people_g_distinct(n, b, sizes[:, None], p * c))
        return self._added(len(sizes), coverage, lambda n, b, p, c: distinct_in_part(n, b, p * c, sizes))

    def claims(self, coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the expected number of records that an attacker claims to have named; shape (units,)."""
        return self._added(1, coverage, lambda n, b, p, c: claimed_records(n, b, c, p)[None])[:, 0]

    def _added(self, many: int, coverage: ArrayLike, figures: _Figures) -> FloatArray:
        listed = _by_unit(coverage, self.units)
        total = np.zeros((self.units, many))
        for rows in self._batches():
            row, piece = expanded(self.county[rows], self.first)
            row += rows.start
            values = figures(self.people[row], self.bins[row], self.share[piece], listed[self.unit[row]])
            values = values * self.times[row]
            for column, figure in enumerate(values):
                total[:, column] += np.bincount(self.unit[row], weights=figure, minlength=self.units)
        return total

    def _batches(self) -> Iterator[slice]:
        """Rows in order, so many at a time that their pieces are about :data:`_AT_ONCE`."""
        ends = np.cumsum((self.first[1:] - self.first[:-1])[self.county])
        low = 0
        while low < len(ends):
            done = ends[low - 1] if low else 0
            high = max(int(np.searchsorted(ends, done + _AT_ONCE)), low + 1)
            yield slice(low, high)
            low = high


@dataclass(frozen=True, eq=False)
class PlacedGroups:
    """Groups put together of pieces: one county's cell in one place is one piece.

    Attributes
    ----------
    group : The group that each piece belongs to, 0 to ``len(unit) - 1``.
    people : Persons of the county's cell, N.
    bins : Equally likely values hidden inside the group, the same for all its pieces.
    share : Chance that a person of the cell lives in the place, 0 to 1.
    unit : Which result each group adds to.
    units : Number of results.
    """

    group: IntArray
    people: FloatArray
    bins: FloatArray
    share: FloatArray
    unit: IntArray
    units: int

    def total_risk(self, coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the expected number of correct re-identifications of each unit; shape (units,)."""
        return self._added(occupied_in_places(*self._pieces, self._listed(coverage)))

    def g_distinct(self, g: Sequence[int], coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the expected number of people in bins of ``g`` or fewer; shape (units, len(g))."""
        by_size = np.cumsum(g_distinct_in_places(*self._pieces, max(g), self._listed(coverage)), axis=1)
        return np.column_stack([self._added(by_size[:, size - 1]) for size in g])

    def claims(self, coverage: ArrayLike = 1.0) -> FloatArray:
        """Return the expected number of records that an attacker claims to have named; shape (units,)."""
        return self._added(claimed_in_places(*self._pieces, self._listed(coverage)))

    @property
    def _pieces(self) -> tuple[IntArray, FloatArray, FloatArray, FloatArray, int]:
        return self.group, self.people, self.bins, self.share, len(self.unit)

    def _listed(self, coverage: ArrayLike) -> FloatArray:
        return _by_unit(coverage, self.units)[self.unit[self.group]]

    def _added(self, values: FloatArray) -> FloatArray:
        summed: FloatArray = np.bincount(self.unit, weights=values, minlength=self.units).astype(np.float64)
        return summed


def expanded(county: IntArray, first: IntArray) -> tuple[IntArray, IntArray]:
    """Return one pair (row, piece) for each row of a county and each of the county's pieces.

    >>> row, piece = expanded(np.array([1, 0]), np.array([0, 1, 3]))
    >>> row.tolist(), piece.tolist()
    ([0, 0, 1], [1, 2, 0])
    """
    many = (first[1:] - first[:-1])[county]
    row = np.repeat(np.arange(len(county)), many)
    within = np.arange(len(row)) - np.repeat(np.cumsum(many) - many, many)
    return row, first[:-1][county][row] + within


def _occupied(people: FloatArray, bins: FloatArray, listed: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):  # a certain hit fills its bin
        occupied: FloatArray = -bins * np.expm1(people * np.log1p(-np.minimum(listed / bins, 1.0)))
    return occupied


def _by_unit(coverage: ArrayLike, units: int) -> FloatArray:
    share = checked_coverage(coverage)
    if share.shape not in ((), (units,)):
        raise InputError(f"coverage has shape {share.shape}: give one value, or one per unit, {units} in all.")
    return np.broadcast_to(share, units)
