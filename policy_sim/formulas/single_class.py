"""Cells whose people are of one class, in the parts of their county: most by sums of powers, without the parts.

A person of a cell of ``n`` people has others in its bin by a binomial of ``n - 1`` trials with the chance ``c q / b``
in a part, and Poisson many stale records with the mean ``n s q / b``. The ``i``-th factorial moment of both over ``i!``
is ``a_i (q/b)^i``, where ``a_i`` are the coefficients of ``(1 + c z)^(n-1) exp(n s z)``, in which no part occurs. All
figures are linear in these moments: with ``V_i``, the sum over cells of ``n c a_i b^-i`` times the sum of ``q^(i+1)``
over the parts of the county,

    correct links  ``sum_i (-1)^i V_i / (i + 1)``,
    listed people with ``m`` other entries  ``sum_i (-1)^(i-m) C(i, m) V_i``.

A dozen terms are enough where a bin of the largest part has few entries in the mean; the other cells are computed part
by part.

References: docs/architecture.md, "Where a figure is computed".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import comb

from policy_sim.formulas.classed_people import ClassedPeople, Figures, Pieces
from policy_sim.formulas.stale import correct_links, sizes_with_stale
from policy_sim.words.arrays import FloatArray, IntArray

_FEW = 1.0  # entries of a bin of the largest part up to which sums of powers are used
_TERMS = 18  # 1 / 18! is below 1e-15
_SMALLER = {4: 0.002, 8: 0.06}  # with fewer entries, as many terms are enough: the next is below 1e-12
_CELLS_AT_ONCE = 100_000
_PAIRS_AT_ONCE = 30_000  # of a cell and a part: they fit into the cache
_SURE = 1 - 1e-13  # a chance of 1 is taken for this: nothing is divided by 0


@dataclass(frozen=True, eq=False)
class _Cells:
    """Cells that somebody of whom may be listed: of each the people, the bins, and who of them is on the list.

    ``place``: county and class of each, as one number. ``listed``: the chance ``c``; ``stale``: records per person;
    ``missed``: the chance that a person is not listed and yet may be claimed. ``times``: how often the cell occurs.
    """

    people: FloatArray
    bins: FloatArray
    place: IntArray
    listed: FloatArray
    stale: FloatArray
    missed: FloatArray
    times: FloatArray

    def at(self, some: IntArray | slice) -> _Cells:
        return _Cells(*(value[some] for value in self.__dict__.values()))


def figures_of_parts(people: ClassedPeople, pieces: Pieces, coverage: FloatArray, most: int) -> Figures:
    """Return the figures of cells of one row each, each piece of a county a place of its own.

    ``coverage``: of each unit; ``most``: the largest number of entries of a bin that is asked for.
    """
    figures, largest = Figures.none(pieces.units, most), pieces.largest.ravel()
    moments = np.zeros((2, _TERMS, pieces.largest.size))
    for cells, code in _cells(people, pieces, coverage):
        entries = cells.people * (cells.listed + cells.stale) / cells.bins * largest[cells.place]
        few = entries <= _FEW
        at = np.flatnonzero(few)
        _add_moments(moments, cells.at(at), entries[at], people.stale is not None)
        _, first, times = np.unique(code[~few], return_index=True, return_counts=True)
        many = cells.at(np.flatnonzero(~few)[first])
        _add_pairs(figures, many, times.astype(np.float64), pieces, most, people.stale is not None)
    figures.add(_of_moments(moments, pieces, most))
    return figures


def _cells(people: ClassedPeople, pieces: Pieces, coverage: FloatArray) -> Iterator[tuple[_Cells, IntArray]]:
    """Yield the cells with people, class after class, and a number that those alike have in common."""
    _, of_bins = np.unique(people.bins, return_inverse=True)
    kind = people.rate * (int(of_bins.max(initial=0)) + 1) + of_bins.reshape(-1)
    kinds, classes = int(kind.max(initial=0)) + 1, pieces.chance.shape[1]
    held, order = coverage[pieces.unit], np.argsort(people.of_class, kind="stable")
    for low, high in _runs(np.count_nonzero(people.people, axis=1)[order], _CELLS_AT_ONCE):
        persons = people.people[order[low:high]]
        row, county = np.nonzero(persons)
        n, row = persons[row, county], order[low:high][row]
        if people.listed is None:
            listed, missed, stale = held[county], 1 - held[county], np.zeros(len(n))
        else:
            chance = people.listed[row, county]
            in_file = 1.0 if people.in_file is None else people.in_file[county]
            listed, missed = held[county] * chance, held[county] * (in_file - chance)
            stale = np.zeros(len(n)) if people.stale is None else people.stale[county] * chance
        place = county * classes + people.of_class[row]
        code = (place * kinds + kind[row]) * (int(n.max(initial=0)) + 1) + n.astype(np.int64)
        cells = _Cells(n, people.bins[row], place, listed, stale, missed, np.ones(len(n)))
        on_list = np.flatnonzero(listed > 0)
        yield (cells, code) if len(on_list) == len(n) else (cells.at(on_list), code[on_list])


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


def _add_moments(moments: FloatArray, cells: _Cells, entries: FloatArray, has_stale: bool) -> None:
    """Add ``n c a_i b^-i`` of the cells by county and class, and with the chance to be missed in the place of ``c``.

    ``entries``: of a bin of the largest part, in the mean.
    """
    n, c, inverse, place = cells.people, cells.listed, 1 / cells.bins, cells.place
    records = n * cells.stale
    ways, before = np.ones(len(n)), np.zeros(len(n))
    scaled, missed = n * c, n * cells.missed
    is_missed = bool(missed.any())
    for term in range(_TERMS):
        if term in _SMALLER:
            left = np.flatnonzero(entries > _SMALLER[term])
            place = place[left]
            n, c, inverse, records, ways = (of[left] for of in (n, c, inverse, records, ways))
            before, scaled, missed, entries = (of[left] for of in (before, scaled, missed, entries))
        moments[0, term] += np.bincount(place, scaled * ways, moments.shape[2])
        if is_missed:
            moments[1, term] += np.bincount(place, missed * ways, moments.shape[2])
        following = (np.maximum(n - 1 - term, 0) if not has_stale else n - 1 - term) * c * ways
        if has_stale:
            following += records * (ways + c * before)
            before = ways
        ways = following / (term + 1)
        scaled *= inverse
        missed *= inverse


def _of_moments(moments: FloatArray, pieces: Pieces, most: int) -> Figures:
    """Return the figures that the moments add up to."""
    powers = pieces.power_sums(_TERMS).reshape(_TERMS, -1)
    by_county = (moments * powers).reshape(2, _TERMS, *pieces.largest.shape).sum(axis=3)
    of_listed, of_missed = (
        np.stack([np.bincount(pieces.unit, of_term, pieces.units) for of_term in of]) for of in by_county
    )
    term = np.arange(_TERMS)
    sign = (-1.0) ** term
    size = np.arange(most)[:, None]
    ways = comb(term, size) * sign * (-1.0) ** size
    return Figures(sign / (term + 1) @ of_listed, ways @ of_listed, -(term * sign) @ of_missed)


def _add_pairs(figures: Figures, cells: _Cells, times: FloatArray, pieces: Pieces, most: int, has_stale: bool) -> None:
    """Add the figures of cells part by part; ``times``: how often each cell occurs."""
    classes = pieces.chance.shape[1]
    county, of_class = np.divmod(cells.place, classes)
    first, parts = pieces.ends[county], np.diff(pieces.ends)[county]
    for low, high in _runs(parts, _PAIRS_AT_ONCE):
        many = parts[low:high]
        cell = np.repeat(np.arange(low, high), many)
        turn = np.arange(len(cell)) - np.repeat(np.cumsum(many) - many, many)
        chance = pieces.chance.ravel()[(first[cell] + turn) * classes + of_class[cell]]
        values = _of_pairs(cells.at(cell), chance, most, has_stale) * times[cell]
        unit = pieces.unit[county[cell]]
        begin = np.flatnonzero(np.diff(unit, prepend=-1))
        sums = np.add.reduceat(values, begin, axis=1) if len(begin) else np.zeros((most + 2, 0))
        for place, of in zip(unit[begin].tolist(), sums.T, strict=True):
            figures.total[place] += of[0]
            figures.wrong[place] += of[1]
            figures.by_size[:, place] += of[2:]


def _of_pairs(cells: _Cells, chance: FloatArray, most: int, has_stale: bool) -> FloatArray:
    """Return correct links, wrong claims and people by size of each pair; shape (2 + most, pairs)."""
    n, b, c = cells.people, cells.bins, cells.listed
    x = np.minimum(chance * c / b, _SURE)
    values = np.zeros((2 + max(most, 1), len(n)))
    by_size, odds = values[2:], x / (1 - x)
    log_missed = np.log1p(-x)
    empty = np.exp((n - 1) * log_missed)
    np.multiply(n * c * chance, empty, out=by_size[0])
    for others in range(1, most):
        np.multiply(by_size[others - 1], np.maximum(n - others, 0) / others * odds, out=by_size[others])
    if has_stale:
        y = chance * cells.stale / b
        values[0] = b * correct_links(n, x, y)
        alone, one = by_size[0], by_size[1] if most > 1 else by_size[0] * (n - 1) * odds
        values[1] = cells.missed / c * np.exp(-n * y) * (one + alone * n * y)
        upto = sizes_with_stale(np.cumsum(by_size, axis=0), n * y)
        values[2:] = np.diff(upto, axis=0, prepend=0.0)
    else:
        values[0] = b * (1 - (1 - x) * empty)
        one = by_size[1] if most > 1 else by_size[0] * (n - 1) * odds
        values[1] = cells.missed / c * one
    return values[: 2 + most]
