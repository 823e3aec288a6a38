"""Cells whose people are of one class, in the parts of their county: most by sums of powers, without the parts.

A person of a cell of ``n`` people has others in its bin by a binomial of ``n - 1`` trials with the chance ``c q / b``
in a part, and Poisson many stale records with the mean ``n s q / b``. The ``i``-th factorial moment of both over ``i!``
is ``a_i (q/b)^i``, where ``a_i`` are the coefficients of ``(1 + c z)^(n-1) exp(n s z)``, in which no part occurs. All
figures are linear in these moments: with ``V_i``, the sum over cells of ``n c a_i b^-i`` times the sum of ``q^(i+1)``
over the parts of the county,

    correct links  ``sum_i (-1)^i V_i / (i + 1)``,
    listed people with ``m`` other entries  ``sum_i (-1)^(i-m) C(i, m) V_i``.

A dozen terms are enough where a bin of the largest part has few entries in the mean; the other cells are computed part
by part. Where everyone of a unit is listed alike and no record is stale, ``V_i`` is ``c^(i+1)`` times that of a list of
everyone, which is summed once for all coverages.

References: docs/architecture.md, "Where a figure is computed".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from policy_sim.formulas.bins import few_entries, one_place
from policy_sim.formulas.classed_people import ClassedPeople, Figures, Pieces
from policy_sim.formulas.county_parts import inverse_powers, ways
from policy_sim.formulas.stale import POWERS, Links, correct_links, powers_of, spread_over_sizes
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray

_FEW = 1.0  # entries of a bin of the largest part up to which sums of powers are used
_TERMS = 18  # 1 / 18! is below 1e-15
# With fewer entries, as many terms are enough: the next is below 1e-12. Half of the cells have nobody.
_SMALLER = {0: 0.0, 4: 0.002, 6: 0.02, 8: 0.06, 12: 0.3}
_TWO = 2  # people in a bin where the one who is missed is taken for the one on the list
_CELLS_AT_ONCE = 100_000
_PAIRS_AT_ONCE = 60_000  # of a cell and a part: they fit into the cache
_SURE = 1 - 1e-13  # a chance of 1 is taken for this: nothing is divided by 0


@dataclass(frozen=True, eq=False)
class _Cells:
    """Cells that somebody of whom may be listed: of each the people, the bins, and who of them is on the list.

    ``place``: class and county of each, as one number. ``listed``: the chance ``c``; ``stale``: records per person;
    ``missed``: the chance that a person is not listed and yet may be claimed. ``times``: how often the cell occurs.
    ``group``: the same where place, bins and list are; the cells of a group follow each other.
    """

    people: FloatArray
    bins: FloatArray
    place: IntArray
    listed: FloatArray
    stale: FloatArray
    missed: FloatArray
    times: FloatArray
    group: IntArray

    def at(self, some: IntArray | BoolArray) -> _Cells:
        return _Cells(*(value[some] for value in self.__dict__.values()))

    @classmethod
    def together(cls, parts: Sequence[_Cells]) -> _Cells:
        """Return the cells of all parts."""
        if not parts:
            nothing, nowhere = np.zeros(0), np.zeros(0, dtype=np.int64)
            return cls(nothing, nothing, nowhere, nothing, nothing, nothing, nothing, nowhere)
        return cls(*(np.concatenate(of) for of in zip(*(part.__dict__.values() for part in parts), strict=True)))


@dataclass(frozen=True, eq=False)
class _Sums:
    """What the figures are made of: ``V_i`` with ``c`` and with the chance to be missed, and the crowded cells.

    ``listed``, ``missed``: shape (terms, counties). ``crowded``: cells that are computed part by part.
    """

    listed: FloatArray
    missed: FloatArray
    crowded: _Cells

    def held(self, coverage: FloatArray) -> _Sums:
        """Return the sums of a list of everyone for one with a ``coverage`` of each county."""
        powers = coverage ** np.arange(_TERMS)[:, None]
        counties = len(coverage)
        chance = coverage[self.crowded.place % counties]
        crowded = replace(self.crowded, listed=chance, missed=1 - chance)
        some = crowded if chance.all() else crowded.at(chance > 0)
        return _Sums(self.listed * powers * coverage, self.listed * powers * (1 - coverage), some)


def figures_of_parts(people: ClassedPeople, pieces: Pieces, coverage: FloatArray, most: int) -> Figures:
    """Return the figures of cells of one row each, each piece of a county a place of its own.

    ``coverage``: of each unit; ``most``: the largest number of entries of a bin that is asked for.
    """
    if people.listed is not None:
        sums = _sums_of(people, pieces, coverage)
    else:
        known = people.__dict__.get("_of_everyone")
        if known is None or known[0] is not pieces:
            known = pieces, _sums_of(people, pieces, np.ones(pieces.units))
            people.__dict__["_of_everyone"] = known
        sums = known[1].held(coverage[pieces.unit])
    figures = _of_sums(sums, pieces, most)
    if len(sums.crowded.people):
        _add_crowded(figures, sums.crowded, pieces, most, people.stale is not None)
    return figures


def _sums_of(people: ClassedPeople, pieces: Pieces, coverage: FloatArray) -> _Sums:
    """Return the sums over the cells of each county; ``coverage``: of each unit."""
    _, of_bins = np.unique(people.bins, return_inverse=True)
    kind = people.rate * (int(of_bins.max(initial=0)) + 1) + of_bins.reshape(-1)
    kinds = int(kind.max(initial=0)) + 1
    counties = len(pieces.unit)
    held, in_file = coverage[pieces.unit], 1.0 if people.in_file is None else people.in_file
    sums, crowded = np.zeros((2, _TERMS, counties)), []
    for rows in _rows_of_a_class(people.of_class, max(_CELLS_AT_ONCE // max(counties, 1), 1)):
        n, of_class = people.people[rows], int(people.of_class[rows[0]])
        chance = 1.0 if people.listed is None else people.listed[rows]
        listed, missed = np.broadcast_to(held * chance, n.shape), held * (in_file - chance)
        stale = None if people.stale is None else people.stale * chance
        bins = people.bins[rows, None]
        entries = n * (listed if stale is None else listed + stale) / bins * pieces.largest[:, of_class]
        value = n * listed
        if (is_crowded := (entries > _FEW) & (listed > 0)).any():
            row, county = np.nonzero(is_crowded)
            of_stale = np.zeros(len(row)) if stale is None else stale[row, county]
            of_missed = np.broadcast_to(missed, n.shape)[row, county]
            place = of_class * counties + county
            values = n[row, county], people.bins[rows[row]], place, listed[row, county], of_stale, of_missed
            crowded.append(_different(*values, place * kinds + kind[rows[row]]))
            value[is_crowded] = entries[is_crowded] = 0.0
        ratio = np.divide(missed, listed, out=np.zeros(n.shape), where=listed > 0) if missed.any() else None
        records = None if stale is None else n * stale / bins
        moments = _moments(value, n - 1, listed / bins, ratio, records, entries)
        terms = moments.shape[1]
        sums[:, :terms] += moments * pieces.power_sums(of_class, terms)
    return _Sums(sums[0], sums[1], _Cells.together(crowded))


def _rows_of_a_class(of_class: IntArray, most: int) -> Iterator[IntArray]:
    """Yield the rows of each class, at ``most`` as many.

    >>> [rows.tolist() for rows in _rows_of_a_class(np.array([4, 2, 4, 4]), 2)]
    [[1], [0, 2], [3]]
    """
    order = np.argsort(of_class, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(of_class[order])) + 1):
        yield from (rows[low : low + most] for low in range(0, len(rows), most))


def _different(
    people: FloatArray,
    bins: FloatArray,
    place: IntArray,
    listed: FloatArray,
    stale: FloatArray,
    missed: FloatArray,
    group: IntArray,
) -> _Cells:
    """Return the cells that differ by people and group, and how often each occurs."""
    code = group * (int(people.max(initial=0)) + 1) + people.astype(np.int64)
    _, first, times = np.unique(code, return_index=True, return_counts=True)
    cells = _Cells(people, bins, place, listed, stale, missed, np.ones(len(people)), group).at(first)
    return replace(cells, times=times.astype(np.float64))


def _runs(many: IntArray, most: int) -> Iterator[tuple[int, int]]:
    """Yield the first and the last but one of runs of neighbors that have at most ``most`` together, or are one.

    >>> list(_runs(np.array([2, 2, 9, 1]), 4))
    [(0, 2), (2, 3), (3, 4)]
    """
    low, held = 0, 0
    for place, count in enumerate(many.tolist()):
        if place > low and held + count > most:
            yield low, place
            low, held = place, 0
        held += count
    if low < len(many):
        yield low, len(many)


def _moments(
    value: FloatArray,
    others: FloatArray,
    step: FloatArray,
    ratio: FloatArray | None,
    records: FloatArray | None,
    entries: FloatArray,
) -> FloatArray:
    """Return ``n c a_i b^-i`` of the cells of a class, and with the chance to be missed in the place of ``c``.

    Each term follows from the one before; without stale records, it is that times ``(n - i) c/b / i``. Cells leave
    with the terms that they need.

    Parameters
    ----------
    value, others, step : ``n c``, ``n - 1`` and ``c/b`` of each cell; shape (rows, counties), as is the rest.
    ratio : The chance to be missed over ``c``; None: nobody can be missed.
    records : Stale records of a bin if a part were the whole county; None: there are none.
    entries : Of a bin of the largest part, in the mean.

    Returns
    -------
    Sums by county, shape (2, terms, counties): as many terms as any cell needs.
    """
    counties = value.shape[1]
    moments = np.zeros((2, _TERMS, counties))
    before, county = np.zeros_like(value), np.broadcast_to(np.arange(counties), value.shape)
    for term in range(_TERMS):
        if term in _SMALLER:
            left = np.flatnonzero(entries > _SMALLER[term])
            if not len(left):
                return moments[:, :term]
            value, others, step, entries = (of.ravel()[left] for of in (value, others, step, entries))
            county = county.ravel()[left]
            ratio = None if ratio is None else ratio.ravel()[left]
            if records is not None:
                records, before = records.ravel()[left], before.ravel()[left]
        moments[0, term] = np.bincount(county, value, counties)
        if ratio is not None:
            moments[1, term] = np.bincount(county, value * ratio, counties)
        if records is None:
            value *= step * others  # 0 once nobody is left to choose, and from there on
        else:
            value, before = value * (step * others + records) + records * step * before, value
        others -= 1
        value /= term + 1
    return moments


def _of_sums(sums: _Sums, pieces: Pieces, most: int) -> Figures:
    """Return the figures that the sums of powers add up to."""
    of_listed, of_missed = (
        np.stack([np.bincount(pieces.unit, of_term, pieces.units) for of_term in of], dtype=np.float64)
        for of in (sums.listed, sums.missed)
    )
    return Figures(*few_entries(of_listed, most), few_entries(of_missed, _TWO)[1][-1])


def _add_crowded(figures: Figures, cells: _Cells, pieces: Pieces, most: int, has_stale: bool) -> None:
    """Add the figures of cells part by part: those of a group have the same chances, and are summed in each part."""
    begin = np.flatnonzero(np.diff(cells.group, prepend=-1))
    held = np.diff(begin, append=len(cells.group))
    of_class, county = np.divmod(cells.place[begin], len(pieces.unit))
    parts, classes = np.diff(pieces.ends)[county], pieces.chance.shape[1]
    chosen = ways(cells.times * cells.people, cells.people - 1, max(most, _TWO) - 1)
    filled = inverse_powers(cells.people, cells.times, POWERS if has_stale else 0)
    for low, high in _runs(parts * held, _PAIRS_AT_ONCE):
        many = parts[low:high]
        group = np.repeat(np.arange(low, high), many)
        turn = np.arange(len(group)) - np.repeat(np.cumsum(many) - many, many)
        chance = pieces.chance.ravel()[(pieces.ends[county[group]] + turn) * classes + of_class[group]]
        values = _of_crowd(cells, begin[group], held[group], chance, chosen, filled, has_stale)[: 2 + most]
        units = pieces.unit[county[group]]
        for row, of_part in zip((figures.total, figures.wrong, *figures.by_size), values, strict=False):
            row += np.bincount(units, of_part, len(row))


def _of_crowd(
    cells: _Cells,
    first: IntArray,
    many: IntArray,
    chance: FloatArray,
    chosen: FloatArray,
    filled: FloatArray,
    has_stale: bool,
) -> FloatArray:
    """Return correct links, wrong claims and people by size of each part and group; shape (2 + sizes, parts).

    ``first``, ``many``: the cells of the group; ``chance``: to live in the part; ``chosen``, ``filled``: of each cell
    the people times the ways to choose 0, 1, ... others, and powers of ``1/n``, both times how often it occurs.
    """
    b, c = cells.bins[first], cells.listed[first]
    x = np.minimum(chance * c / b, _SURE)
    y = chance * cells.stale[first] / b
    begin = np.cumsum(many) - many
    part = np.repeat(np.arange(len(first)), many)
    cell = np.repeat(first - begin, many) + np.arange(len(part))
    empty = one_place(cells.people[cell] - 1, (np.log1p(-x) - y)[part])
    alone, nobody = (np.add.reduceat(of_cell[:, cell] * empty, begin, axis=1) for of_cell in (chosen, filled))
    whole, none = np.add.reduceat(filled[:, cell], begin, axis=1), (1 - x) * np.exp(-y)
    values, odds = np.empty((2 + len(chosen), len(first))), x / (1 - x)
    if has_stale:
        links = Links.of(x, y)
        values[0] = b * links.added(list(whole - none * nobody), list(whole))
        if links.dense.any():
            at = np.flatnonzero(links.dense[part])
            of_pair = cells.times[cell[at]] * correct_links(cells.people[cell[at]], x[part[at]], y[part[at]])
            values[0] += b * np.bincount(part[at], of_pair, len(first))
        values[2:] = c * chance * spread_over_sizes(alone, odds, y)
    else:
        values[0] = b * (whole[0] - none * nobody[0])
        values[2:] = c * chance * alone * powers_of(odds, len(chosen))
    # somebody who is missed, in a bin with one entry: another person of the cell, or a stale record
    values[1] = cells.missed[first] * chance * np.exp(-y) * (alone[1] * odds + (alone[1] + alone[0]) * y)
    return values
