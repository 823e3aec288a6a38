"""Cells whose people are of one class, in the parts of their county: by sums of powers where bins have few entries.

A person of a cell of ``n`` people has others in its bin by a binomial of ``n - 1`` trials with the chance ``c p / b``
in a part, and Poisson many stale records with the mean ``n s p / b``. The ``i``-th factorial moment of both over ``i!``
is ``a_i (p/b)^i``, where ``a_i`` are the coefficients of ``(1 + c z)^(n-1) exp(n s z)``, in which no part occurs. All
figures are linear in these moments: with ``V_i``, the sum over cells of ``n c a_i b^-i`` times the sum of ``p^(i+1)``
over the parts of the county,

    correct links  ``sum_i (-1)^i V_i / (i + 1)``,
    listed people with ``m`` other entries  ``sum_i (-1)^(i-m) C(i, m) V_i``.

So where a bin of the largest part has few entries in the mean and no chance is above one half, each part is read once,
for its powers; the other cells are computed part by part (:class:`~.county_parts.CountyParts`). Where everyone of a
unit is listed alike and no record is stale, ``V_i`` is ``c^(i+1)`` times that of a list of everyone, which is summed
once for all coverages.

References: docs/architecture.md, "Where a figure is computed".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from policy_sim.formulas.bins import few_entries
from policy_sim.formulas.classed_people import Figures, Pieces
from policy_sim.formulas.county_parts import CountyParts
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray

_FEW = 4.0  # entries of a bin of the largest part up to which sums of powers are used
_SURE = 0.5  # a larger chance of a bin gives sums that cancel each other
# Terms after which cells with at most so many entries are left: what follows is below 1e-11 of their people, for bins
# of any size up to SMALL_G. Half of the cells have nobody.
_LEFT = {0: 0.0, 4: 0.002, 6: 0.02, 8: 0.06, 12: 0.3, 18: 1.0, 26: 2.0, 34: 3.0}
_TERMS = 40
_TWO = 2  # people in a bin where the one who is missed is taken for the one on the list


class Cells(NamedTuple):
    """Cells of one class, and who of them is on a list; arrays that broadcast to one shape, but for the last three.

    Attributes
    ----------
    people : Persons ``n`` of each cell, whole.
    times : How often the cell occurs; None: once.
    bins : Equally likely values inside the cell, >= 1.
    run : A county on a list, numbered from 0.
    alike : The same number where cells of a run have the same number of bins and are listed alike.
    listed : Chance ``c`` that a person is on the list and in the file.
    missed : Chance that a person is in the file and not on the list.
    stale : Stale records per person; None: there are none.
    of_class : The class of all cells.
    county, unit : The county of each run, and which result it adds to.
    """

    people: FloatArray
    times: FloatArray | None
    bins: FloatArray | float
    run: IntArray
    alike: IntArray | int
    listed: FloatArray
    missed: FloatArray
    stale: FloatArray | None
    of_class: int
    county: IntArray
    unit: IntArray


@dataclass(frozen=True, eq=False)
class _Crowd:
    """Cells with many entries a bin, each array one value a cell; those with the same ``group`` differ by people only.

    ``people``, ``times``, ``bins``, ``listed``, ``missed``, ``stale``: as of :class:`Cells`. ``of_class``, ``county``
    and ``unit`` are those of each cell.
    """

    people: FloatArray
    times: FloatArray
    bins: FloatArray
    listed: FloatArray
    missed: FloatArray
    stale: FloatArray
    of_class: IntArray
    county: IntArray
    unit: IntArray
    group: IntArray

    def at(self, some: IntArray | BoolArray) -> _Crowd:
        return _Crowd(*(value[some] for value in self.__dict__.values()))

    @classmethod
    def of(cls, cells: Cells, some: BoolArray) -> _Crowd:
        """Return some cells of one class, those of a group that are alike once."""
        at, shape = np.nonzero(some), some.shape
        n, run = np.broadcast_to(cells.people, shape)[at], np.broadcast_to(cells.run, shape)[at]
        crowd = cls(
            n,
            np.ones(len(n)) if cells.times is None else cells.times[at],
            np.broadcast_to(cells.bins, shape)[at],
            np.broadcast_to(cells.listed, shape)[at],
            np.broadcast_to(cells.missed, shape)[at],
            np.zeros(len(n)) if cells.stale is None else np.broadcast_to(cells.stale, shape)[at],
            np.full(len(n), cells.of_class),
            cells.county[run],
            cells.unit[run],
            run * (int(np.max(cells.alike, initial=0)) + 1) + np.broadcast_to(cells.alike, shape)[at],
        )
        if cells.times is not None:
            return crowd
        code = crowd.group * (int(n.max(initial=0)) + 1) + n.astype(np.int64)
        _, first, many = np.unique(code, return_index=True, return_counts=True)
        return replace(crowd.at(first), times=many.astype(np.float64))

    @classmethod
    def together(cls, parts: Sequence[_Crowd]) -> _Crowd:
        """Return the cells of all parts, whose groups are different."""
        first, apart = 0, []
        for part in parts:
            apart.append(replace(part, group=part.group + first))
            first += int(part.group.max(initial=-1)) + 1
        return cls(*(np.concatenate(of) for of in zip(*(part.__dict__.values() for part in apart), strict=True)))


@dataclass(frozen=True, eq=False)
class Sums:
    """What the figures are made of: ``V_i`` with ``c`` and with the chance to be missed, and the crowded cells.

    ``listed``, ``missed``: shape (terms, units). ``crowd``: cells that are computed part by part; None: there are none.
    """

    listed: FloatArray
    missed: FloatArray
    crowd: _Crowd | None

    @classmethod
    def of(cls, every: Iterable[Cells], pieces: Pieces) -> Sums:
        """Return the sums over cells."""
        sums, crowds = np.zeros((2, _TERMS, pieces.units)), []
        for cells in every:
            n, listed, stale = cells.people, cells.listed, cells.stale
            largest = pieces.largest[cells.county, cells.of_class]
            largest_chance = listed / cells.bins * largest[cells.run]
            entries = n * (largest_chance if stale is None else (listed + stale) / cells.bins * largest[cells.run])
            value = n * listed if cells.times is None else cells.times * n * listed
            if (is_crowded := ((entries > _FEW) | (largest_chance > _SURE)) & (value > 0)).any():
                crowds.append(_Crowd.of(cells, is_crowded))
                value[is_crowded] = entries[is_crowded] = 0.0
            ratio = None
            if np.any(cells.missed):
                ratio = np.divide(cells.missed, listed, out=np.zeros(n.shape), where=listed > 0)
            records = None if stale is None else n * stale / cells.bins
            step = np.broadcast_to(listed / cells.bins, n.shape)
            run = np.broadcast_to(cells.run, n.shape)
            moments = _moments(value, n - 1, step, ratio, records, entries, run, len(cells.county))
            terms = moments.shape[1]
            moments *= pieces.power_sums(cells.of_class, terms)[:, cells.county]
            for of_side, by_run in zip(sums, moments, strict=True):
                for term, of_term in enumerate(by_run):
                    of_side[term] += np.bincount(cells.unit, of_term, pieces.units)
        return cls(sums[0], sums[1], _Crowd.together(crowds) if crowds else None)

    def held(self, coverage: FloatArray) -> Sums:
        """Return the sums of a list of everyone for one with a ``coverage`` of each unit."""
        listed = self.listed * coverage ** np.arange(_TERMS)[:, None]
        crowd = self.crowd
        if crowd is not None:
            chance = coverage[crowd.unit]
            crowd = replace(crowd, listed=chance, missed=1 - chance)
            crowd = crowd if chance.all() else crowd.at(chance > 0)
        return Sums(listed * coverage, listed * (1 - coverage), crowd)

    def figures(self, pieces: Pieces, most: int) -> Figures:
        """Return the figures that the sums add up to; ``most``: the largest bin that is asked for."""
        figures = Figures(*few_entries(self.listed, most), few_entries(self.missed, _TWO)[1][-1])
        if self.crowd is not None and len(self.crowd.people):
            _add_crowd(figures, self.crowd, pieces, most)
        return figures


def _moments(
    value: FloatArray,
    others: FloatArray,
    step: FloatArray,
    ratio: FloatArray | None,
    records: FloatArray | None,
    entries: FloatArray,
    run: IntArray,
    runs: int,
) -> FloatArray:
    """Return ``n c a_i b^-i`` of the cells of a class, and with the chance to be missed in the place of ``c``.

    Each term follows from the one before; without stale records, it is that times ``(n - i) c/b / i``. A cell is left
    out after the terms that it needs.

    Parameters
    ----------
    value, others, step : ``n c``, ``n - 1`` and ``c/b`` of each cell; of one shape, as is the rest.
    ratio : The chance to be missed over ``c``; None: nobody can be missed.
    records : Stale records of a bin if a part were the whole county; None: there are none.
    entries : Of a bin of the largest part, in the mean.
    run : Of each cell, 0 to ``runs - 1``.

    Returns
    -------
    Sums by run, shape (2, terms, runs): as many terms as any cell needs.
    """
    moments, before = np.zeros((2, _TERMS, runs)), np.zeros_like(value)
    for term in range(_TERMS):
        if term in _LEFT:
            left = np.flatnonzero(entries > _LEFT[term])
            if not len(left):
                return moments[:, :term]
            value, others, step, entries = (of.ravel()[left] for of in (value, others, step, entries))
            run = run.ravel()[left]
            ratio = None if ratio is None else ratio.ravel()[left]
            if records is not None:
                records, before = records.ravel()[left], before.ravel()[left]
        moments[0, term] = np.bincount(run, value, runs)
        if ratio is not None:
            moments[1, term] = np.bincount(run, value * ratio, runs)
        if records is None:
            value *= step * others  # 0 once nobody is left to choose, and from there on
        else:
            value, before = value * (step * others + records) + records * step * before, value
        others -= 1
        value /= term + 1
    return moments


def _add_crowd(figures: Figures, crowd: _Crowd, pieces: Pieces, most: int) -> None:
    """Add the figures of crowded cells: each group is a county of :class:`CountyParts`."""
    for bins in np.unique(crowd.bins).tolist():
        cells = crowd.at(crowd.bins == bins)
        begin = np.flatnonzero(np.diff(cells.group, prepend=-1))
        county, of_class = cells.county[begin], cells.of_class[begin]
        many = np.diff(pieces.ends)[county]
        ends = np.concatenate([[0], np.cumsum(many)])
        piece = np.arange(ends[-1]) + np.repeat(pieces.ends[county] - ends[:-1], many)
        share = pieces.chance[piece, np.repeat(of_class, many)]
        stale = cells.stale[begin] if cells.stale.any() else None
        of_cells = cells.people, cells.times, np.append(begin, len(cells.group))
        parts = CountyParts(bins, *of_cells, share, ends, cells.listed[begin], stale).figures(most)
        wrong, unit = cells.missed[begin] * parts.beside_one, cells.unit[begin]
        for row, of_county in zip(
            (figures.total, figures.wrong, *figures.by_size), (parts.total, wrong, *parts.by_size), strict=True
        ):
            row += np.bincount(unit, of_county, len(row))
