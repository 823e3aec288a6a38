"""Cells whose people are of several classes, or live in places of several counties: sums of binomials.

They are the cells of :mod:`policy_sim.formulas.parts`, whose counties are here those of a class: the people of one
county and one class. Cells alike are laid side by side, and as many places are computed at once as fit into the cache.

Where a bin is a small share of a part (dates of birth), powers of the chances ``x`` of a bin take the place of those of
the odds: with ``S_m``, the sum of ``n x^m`` over the counties of a class,

    ``log P_0 = -sum_m S_m / m``  and  ``T_j = sum_m C(m-1, j-1) S_m``,

where ``T_j`` is the sum of ``n o^j``, of which :mod:`policy_sim.formulas.parts` says what follows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np
from scipy import sparse
from scipy.special import comb

from policy_sim.formulas.classed_people import ClassedPeople, Figures, Pieces
from policy_sim.formulas.parts import (
    PlacedCells,
    claimed_wrongly_in_places,
    distinct_in_places,
    occupied_in_places,
)
from policy_sim.formulas.single_class import _runs
from policy_sim.formulas.stale import links_of_sums
from policy_sim.words.arrays import FloatArray, IntArray

_THIN = 0.003  # the largest chance of a bin for which a few powers are enough: the next is below 1e-12
_POWERS = 4
_SUMS_AT_ONCE = 60_000  # of a place and a cell
_NEARLY = 0.8  # sets of classes with at least this share of the cells of the largest are laid side by side


@dataclass(frozen=True, eq=False)
class _Block:
    """Cells that hide as many bins and whose people are listed alike, of sets of classes laid side by side.

    ``rows``: the row of each cell and class of each set, -1 where there is none; shape (sets, classes, cells).
    ``classes``: shape (sets, classes). ``like``: a row of each set and class.
    """

    bins: float
    rows: IntArray
    classes: IntArray
    like: IntArray


def figures_of_sums(people: ClassedPeople, pieces: Pieces, coverage: FloatArray, most: int) -> Figures:
    """Return the figures of cells that are sums; ``coverage``: of each unit, ``most``: the largest bin asked for."""
    figures = Figures.none(pieces.units, most)
    extended = np.concatenate([people.people, np.zeros((1, people.people.shape[1]))])  # row -1 has nobody
    layouts: dict[tuple[int, int, int, int], _Layout] = {}
    for block in _blocks(people):
        for low, high in _county_runs(pieces, block):
            shape = (*block.classes.shape, low, high)
            if shape not in layouts:
                layouts[shape] = _Layout.of(pieces, low, high, *block.classes.shape)
            layout = layouts[shape]
            counted = extended[:, low:high][block.rows]  # (sets, classes, cells, counties)
            persons = counted.transpose(0, 3, 1, 2).reshape(-1, block.rows.shape[2])
            if persons.any():
                _add(figures, _Listed.of(people, pieces, block, coverage, layout), persons, layout, most)
    return figures


def _blocks(people: ClassedPeople) -> Iterator[_Block]:
    """Yield all cells, in blocks of cells alike."""
    order = np.lexsort([people.of_class, people.cell])
    begin = np.flatnonzero(np.diff(people.cell[order], prepend=-1))
    sets = connected_classes(people.of_class, people.cell, int(people.of_class.max(initial=0)) + 1)
    set_of_class = {each: number for number, classes in enumerate(sets) for each in classes.tolist()}
    kinds: dict[tuple[float, int, tuple[int, ...]], dict[int, list[IntArray]]] = {}
    rate, bins = people.rate, people.bins
    for rows in np.split(order, begin[1:]) if len(order) else []:
        number = set_of_class[int(people.of_class[rows[0]])]
        laid = np.full(len(sets[number]), -1)
        laid[np.searchsorted(sets[number], people.of_class[rows])] = rows
        rates = np.unique(rate[rows]).tolist()
        # rows listed alike are so whichever classes are there; others are alike class by class
        alike = tuple(rates) if len(rates) == 1 else tuple(rate[laid].tolist())
        kind = (float(bins[rows[0]]), len(laid), alike)
        kinds.setdefault(kind, {}).setdefault(number, []).append(laid)
    for kind, of_sets in kinds.items():
        for beside in _beside(list(of_sets.items())):
            laid = np.full((len(beside), kind[1], max(len(cells) for _, cells in beside)), -1)
            for place, (_, cells) in enumerate(beside):
                laid[place, :, : len(cells)] = np.stack(cells, axis=1)
            classes = np.stack([sets[number] for number, _ in beside])
            there = laid.max(axis=2)
            like = np.where(there >= 0, there, there.max(axis=1, keepdims=True))
            yield _Block(kind[0], laid, classes, like)


def _beside(sets: list[tuple[int, list[IntArray]]]) -> Iterator[list[tuple[int, list[IntArray]]]]:
    """Yield sets with nearly as many cells together."""
    together: list[tuple[int, list[IntArray]]] = []
    for each in sorted(sets, key=lambda one: -len(one[1])):
        if together and len(each[1]) < _NEARLY * len(together[0][1]):
            yield together
            together = []
        together.append(each)
    if together:
        yield together


def connected_classes(of_row: IntArray, cell: IntArray, classes: int) -> list[IntArray]:
    """Return the classes in sets: two are in one where a cell holds people of both, or others between put them there.

    >>> [sets.tolist() for sets in connected_classes(np.array([0, 1, 3, 4, 3]), np.array([0, 0, 1, 2, 2]), 5)]
    [[0, 1], [3, 4]]
    """
    shape = classes, int(cell.max(initial=-1)) + 1
    held = sparse.csr_array((np.ones(len(cell)), (of_row, cell)), shape=shape)
    _, number = sparse.csgraph.connected_components(held @ held.T, directed=False)
    present = np.unique(of_row)
    return [present[number[present] == each] for each in np.unique(number[present]).tolist()]


def _county_runs(pieces: Pieces, block: _Block) -> Iterator[tuple[int, int]]:
    """Yield runs of counties whose pieces, times sets and cells, fit into the cache; of whole units, if not apart."""
    many = np.diff(pieces.ends)
    most = max(_SUMS_AT_ONCE // (block.rows.shape[0] * block.rows.shape[2]), 1)
    if pieces.apart:
        yield from _runs(many, most)
        return
    units = [len(list(counties)) for _, counties in groupby(pieces.unit.tolist())]
    begin = np.concatenate([[0], np.cumsum(units)])
    if len(set(pieces.unit[begin[:-1]].tolist())) < len(units):  # counties of a unit do not follow each other
        yield 0, len(many)
        return
    for low, high in _runs(np.add.reduceat(many, begin[:-1]), most):
        yield int(begin[low]), int(begin[high])


@dataclass(frozen=True, eq=False)
class _Layout:
    """Where the pieces of a run of counties are in a matrix of places by counties of a class, of several sets.

    ``piece``: of each number of the matrix; ``turn``: which class of the set it is of, ``set_of``: which set.
    ``unit_of_place``, ``county``: the unit of each row, and the county of each column.
    """

    indices: IntArray
    indptr: IntArray
    piece: IntArray
    turn: IntArray
    set_of: IntArray
    unit_of_place: IntArray
    county: IntArray
    known: dict[bytes, sparse.csr_array] = field(default_factory=dict)

    @classmethod
    def of(cls, pieces: Pieces, low: int, high: int, sets: int, classes: int) -> _Layout:
        """Lay out the counties from ``low`` to ``high - 1``."""
        first, last = int(pieces.ends[low]), int(pieces.ends[high])
        county, unit = pieces.county[first:last], pieces.unit[pieces.county[first:last]]
        if pieces.apart:
            place, order = np.arange(last - first), np.arange(last - first)
        else:
            number = unit * (int(pieces.place[first:last].max(initial=0)) + 1) + pieces.place[first:last]
            place = np.unique(number, return_inverse=True)[1].reshape(-1)
            order = np.argsort(place, kind="stable")
        many = np.bincount(place) if len(place) else np.zeros(0, dtype=np.int64)
        turn = np.arange(classes)
        column = ((county[order] - low)[:, None] * classes + turn).ravel()
        every = np.arange(sets)[:, None]
        unit_of = np.zeros(len(many), dtype=np.int64)
        unit_of[place] = unit
        return cls(
            (every * ((high - low) * classes) + column).ravel(),
            np.concatenate([[0], np.cumsum(np.tile(many * classes, sets))]),
            np.tile(np.repeat(order + first, classes), sets),
            np.tile(np.tile(turn, len(order)), sets),
            np.repeat(every.ravel(), len(column)),
            np.tile(unit_of, sets),
            np.tile(np.repeat(np.arange(low, high), classes), sets),
        )

    def shares(self, pieces: Pieces, classes: IntArray) -> sparse.csr_array:
        """Return the chances of some sets of classes; kept, since cells listed otherwise have them too."""
        key = classes.tobytes()
        if key not in self.known:
            self.known.clear()
            data = pieces.chance[self.piece, classes[self.set_of, self.turn]]
            shape = (len(self.indptr) - 1, len(self.county))
            self.known[key] = sparse.csr_array((data, self.indices, self.indptr), shape=shape)
        return self.known[key]


@dataclass(frozen=True, eq=False)
class _Listed:
    """The shares of the places of a block, and who of each county of a class is on the list; shape (columns,) each."""

    share: sparse.csr_array
    bins: float
    listed: FloatArray
    stale: FloatArray | None
    missed: FloatArray

    @classmethod
    def of(cls, people: ClassedPeople, pieces: Pieces, block: _Block, coverage: FloatArray, layout: _Layout) -> _Listed:
        """Take the chances of the rows that stand for the others."""
        share, county = layout.shares(pieces, block.classes), layout.county
        held = coverage[pieces.unit[county]]
        if people.listed is None:
            return cls(share, block.bins, held, None, 1 - held)
        sets, classes = block.classes.shape
        row = np.broadcast_to(block.like[:, None], (sets, len(county) // (sets * classes), classes)).ravel()
        chance = people.listed[row, county]
        in_file = 1.0 if people.in_file is None else people.in_file[county]
        stale = None if people.stale is None else people.stale[county] * chance
        if stale is not None and not stale.any():
            stale = None
        return cls(share, block.bins, held * chance, stale, held * (in_file - chance))


def _add(figures: Figures, listed: _Listed, persons: FloatArray, layout: _Layout, most: int) -> None:
    """Add the figures of a block in some counties."""
    if listed.share.data.max(initial=0.0) * listed.listed.max(initial=0.0) / listed.bins <= _THIN:
        total, by_size, wrong = _thin(listed, persons, most)
    else:
        total, by_size, wrong = _thick(listed, persons, most)
    for ours, of_place in zip(figures, (total, by_size, wrong), strict=True):
        for row, values in zip(np.atleast_2d(ours), np.atleast_2d(of_place), strict=True):
            row += np.bincount(layout.unit_of_place, values, len(row))


def _thick(listed: _Listed, persons: FloatArray, most: int) -> Sequence[FloatArray]:
    """Return the figures of each place by the formulas of all places of several counties."""
    stale = 0.0 if listed.stale is None else listed.stale
    cells = PlacedCells(listed.share, persons, listed.bins, listed.listed, stale)
    total = occupied_in_places(cells).sum(axis=1)
    if not most:
        return total, np.zeros((0, len(total))), np.zeros(len(total))
    by_size = np.diff(distinct_in_places(cells, most), axis=0, prepend=0.0)
    return total, by_size, claimed_wrongly_in_places(cells, listed.missed)


def _thin(listed: _Listed, persons: FloatArray, most: int) -> Sequence[FloatArray]:
    """Return the figures of each place by powers of the chances of a bin."""
    b, chance, share = listed.bins, listed.listed[:, None] / listed.bins, listed.share
    sums, power, weighed = [], share.data, persons
    with_data = sparse.csr_array((power, share.indices, share.indptr), shape=share.shape)
    powers = []
    for _ in range(_POWERS):
        weighed = weighed * chance
        with_data.data = power
        powers.append(power)
        sums.append(with_data @ weighed)
        power = power * share.data
    log_empty = -sum(of / m for m, of in enumerate(sums, 1))
    records = None
    if listed.stale is not None:
        with_data.data = share.data
        records = with_data @ (persons * (listed.stale[:, None] / b))
        log_empty -= records
        links = b * links_of_sums(log_empty, sums[0], sums[1], records)
    else:
        links = -b * np.expm1(log_empty)
    total = links.sum(axis=1)
    if not most:
        return total, np.zeros((0, len(total))), np.zeros(len(total))
    empty = np.exp(log_empty)
    odds = [sum(float(comb(m - 1, j - 1)) * sums[m - 1] for m in range(j, _POWERS + 1)) for j in range(1, _POWERS + 1)]
    wrong = np.zeros(len(total))
    if listed.missed.any():
        entries = odds[0] if records is None else odds[0] + records
        # of those who are missed: n u (q/b) x^(m-1), of all and of two in a bin
        weighed, slope, bend = persons * (listed.missed[:, None] / b), 0.0, 0.0
        for m in range(_POWERS):
            with_data.data = powers[m]
            of_missed = with_data @ weighed
            slope, bend = slope + of_missed, bend + m * of_missed
            weighed = weighed * chance
        wrong = b * (empty * np.maximum(slope * entries - bend, 0.0)).sum(axis=1)
    return total, _sizes(empty, odds, records, b, most), wrong


def _sizes(
    empty: FloatArray, odds: Sequence[FloatArray], records: FloatArray | None, bins: float, most: int
) -> FloatArray:
    """Return the listed people of each place in bins of 1, 2, ... entries; shape (most, places)."""
    terms = [(-1) ** place * of for place, of in enumerate(odds)]
    if records is not None:
        terms[0] = terms[0] + records
    chances, by_size = [empty], np.zeros((most, len(empty)))
    for size in range(1, most + 1):
        following = terms[0] * chances[-1]
        for step in range(1, min(len(terms), size)):
            following += terms[step] * chances[-1 - step]
        counted = following if records is None else following - records * chances[-1]
        by_size[size - 1] = bins * counted.sum(axis=1)
        following /= size
        chances.append(following)
    return by_size
