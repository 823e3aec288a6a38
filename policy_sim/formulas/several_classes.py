"""Cells whose people are of several classes, or live in places of several counties: sums of binomials.

They are the cells of :mod:`policy_sim.formulas.parts`, whose counties are here those of a class: the people of one
county and one class. Cells alike are laid side by side, and as many places are computed at once as fit into the cache.

Where a bin is a small share of a part (dates of birth), powers of the chances ``x`` of a bin take the place of those of
the odds: with ``S_m``, the sum of ``n x^m`` over the counties of a class,

    ``T_j = sum_m C(m-1, j-1) S_m``,

where ``T_j`` is the sum of ``n o^j``, of which :mod:`policy_sim.formulas.parts` says what follows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby, pairwise
from typing import TypeAlias

import numpy as np
from scipy import sparse
from scipy.special import comb

from policy_sim.formulas.bins import several_places, with_data
from policy_sim.formulas.classed_people import ClassedPeople, Figures, Pieces
from policy_sim.formulas.parts import (
    PlacedCells,
    claimed_wrongly_in_places,
    distinct_in_places,
    occupied_in_places,
)
from policy_sim.formulas.stale import links_of_sums
from policy_sim.words.arrays import FloatArray, IntArray

_THIN = 0.01  # the largest chance of a bin for which a few powers are enough
_LEFT_OUT = 1e-12  # the first power left out, of the largest chance
_SUMS_AT_ONCE = 60_000  # of a place and a cell
_PIECES = 6  # of a place of several counties, or more
# The number of a set of classes, and how its cells are listed.
_Alike: TypeAlias = tuple[int, tuple[int, ...]]
_NEARLY = 0.8  # sets of classes with at least this share of the cells of the largest are laid side by side


@dataclass(frozen=True, eq=False)
class Block:
    """Cells with the same number of bins, of sets of classes laid side by side. Cells of a set are listed alike.

    ``rows``: the row of each cell and class of each set, -1 where there is none; shape (sets, classes, cells).
    ``classes``: shape (sets, classes). ``like``: a row of each set and class.
    """

    bins: float
    rows: IntArray
    classes: IntArray
    like: IntArray


def figures_of_sums(
    lists: Sequence[ClassedPeople], blocks: Sequence[Block], pieces: Pieces, coverages: Sequence[FloatArray], most: int
) -> list[Figures]:
    """Return the figures of cells that are sums, on each list.

    ``lists``: the same people on each; ``blocks``: :func:`blocks_of` them; ``coverages``: of each list, of each unit;
    ``most``: the largest bin asked for.
    """
    every = [Figures.none(pieces.units, most) for _ in lists]
    people = lists[0].people
    extended = np.concatenate([people, np.zeros((1, people.shape[1]))])  # row -1 has nobody
    layouts: dict[tuple[int, int, int, int], _Layout] = {}
    for block in blocks:
        for low, high in _county_runs(pieces, block):
            shape = (*block.classes.shape, low, high)
            if shape not in layouts:
                layouts[shape] = _Layout.of(pieces, low, high, *block.classes.shape)
            layout = layouts[shape]
            counted = extended[:, low:high][block.rows]  # (sets, classes, cells, counties)
            persons = counted.transpose(0, 3, 1, 2).reshape(-1, block.rows.shape[2])
            if persons.any():
                run = _Run(layout.shares(pieces, block.classes), persons, block.bins)
                for figures, on_list, coverage in zip(every, lists, coverages, strict=True):
                    _add(figures, _Listed.of(run, on_list, pieces, block, coverage, layout), layout, most)
    return every


def blocks_of(lists: Sequence[ClassedPeople]) -> list[Block]:
    """Return all cells, in blocks of cells alike on every list."""
    rates = np.stack([people.rate for people in lists])
    rate = rates[0] if len(lists) == 1 else np.unique(rates, axis=1, return_inverse=True)[1].reshape(-1)
    return list(_blocks(lists[0], rate))


def _blocks(people: ClassedPeople, rate: IntArray) -> Iterator[Block]:
    """Yield them; ``rate``: the same for rows that are listed alike."""
    order = np.lexsort([people.of_class, people.cell])
    begin = np.flatnonzero(np.diff(people.cell[order], prepend=-1))
    sets = connected_classes(people.of_class, people.cell, int(people.of_class.max(initial=0)) + 1)
    set_of_class = {each: number for number, classes in enumerate(sets) for each in classes.tolist()}
    kinds: dict[tuple[float, int], dict[_Alike, list[list[int]]]] = {}
    bins = people.bins.tolist()
    ends = [*begin.tolist(), len(order)]
    of_row = list(zip(order.tolist(), people.of_class[order].tolist(), rate[order].tolist(), strict=True))
    turn = [{each: place for place, each in enumerate(classes.tolist())} for classes in sets]
    for low, high in pairwise(ends):
        first, first_class, first_rate = of_row[low]
        number = set_of_class[first_class]
        laid = [-1] * len(sets[number])
        for row, each, _ in of_row[low:high]:
            laid[turn[number][each]] = row
        # rows listed alike are so whichever classes are there; others are alike class by class
        is_alike = all(of == first_rate for _, _, of in of_row[low:high])
        alike = (first_rate,) if is_alike else tuple(rate[laid].tolist())
        kinds.setdefault((bins[first], len(laid)), {}).setdefault((number, alike), []).append(laid)
    for kind, of_sets in kinds.items():
        for beside in _beside(list(of_sets.items())):
            rows = np.full((len(beside), kind[1], max(len(cells) for _, cells in beside)), -1)
            for place, (_, cells) in enumerate(beside):
                rows[place, :, : len(cells)] = np.array(cells).T
            classes = np.stack([sets[number] for (number, _), _ in beside])
            there = rows.max(axis=2)
            like = np.where(there >= 0, there, there.max(axis=1, keepdims=True))
            yield Block(kind[0], rows, classes, like)


def _beside(sets: list[tuple[_Alike, list[list[int]]]]) -> Iterator[list[tuple[_Alike, list[list[int]]]]]:
    """Yield sets with nearly as many cells together."""
    together: list[tuple[_Alike, list[list[int]]]] = []
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
    number = np.arange(classes)
    least = np.full(int(cell.max(initial=-1)) + 1, classes)
    while True:  # each takes the least number of those that it shares a cell with, until none changes
        before = number.copy()
        np.minimum.at(least, cell, number[of_row])
        np.minimum.at(number, of_row, least[cell])
        if (number == before).all():
            break
    present = np.unique(of_row)
    return [present[number[present] == each] for each in np.unique(number[present]).tolist()]


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


def _county_runs(pieces: Pieces, block: Block) -> Iterator[tuple[int, int]]:
    """Yield runs of counties whose pieces, times sets and cells, fit into the cache; of whole units, if not apart."""
    many, sets, cells = np.diff(pieces.ends), block.rows.shape[0], block.rows.shape[2]
    most = max(_SUMS_AT_ONCE // (sets * cells), 1)
    if pieces.apart:
        yield from _runs(many, most)
        return
    most *= _PIECES
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

    ``piece``: of each number of the matrix; ``turn``: which class it is of, the sets one after the other.
    ``unit_of_place``, ``county``: the unit of each row, and the county of each column.
    """

    indices: IntArray
    indptr: IntArray
    piece: IntArray
    turn: IntArray
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
            (every * classes + np.tile(turn, len(order))).ravel(),
            np.tile(unit_of, sets),
            np.tile(np.repeat(np.arange(low, high), classes), sets),
        )

    @cached_property
    def matrix(self) -> sparse.csr_array:
        """The matrix without its numbers."""
        nothing = np.zeros(len(self.indices))
        return sparse.csr_array((nothing, self.indices, self.indptr), shape=(len(self.indptr) - 1, len(self.county)))

    def shares(self, pieces: Pieces, classes: IntArray) -> sparse.csr_array:
        """Return the chances of some sets of classes; kept, since cells listed otherwise have them too."""
        key = classes.tobytes()
        if key not in self.known:
            self.known.clear()
            at = self.piece * pieces.chance.shape[1] + classes.take(self.turn)
            self.known[key] = with_data(self.matrix, pieces.chance.take(at))
        return self.known[key]


@dataclass(frozen=True, eq=False)
class _Run:
    """The people of a block in a run of counties, and where they live.

    ``share``: chances to live in each place, shape (places, columns); ``persons``: shape (columns, cells). A column is
    a county of a class.
    """

    share: sparse.csr_array
    persons: FloatArray
    bins: float
    known: list[FloatArray] = field(default_factory=list)

    def power_sums(self, many: int) -> list[FloatArray]:
        """Return the sums of ``n (q/b)^m`` for ``m`` up to ``many`` or more; shape (places, cells) each."""
        of_piece = self.share.data / self.bins
        for power in range(len(self.known) + 1, many + 1):
            self.known.append(self.added(of_piece**power))
        return self.known

    def added(self, of_piece: FloatArray, weight: FloatArray | None = None) -> FloatArray:
        """Return the sums over columns of the people, times a number of each piece and a weight of each column."""
        persons = self.persons if weight is None else self.persons * weight[:, None]
        sums: FloatArray = with_data(self.share, of_piece) @ persons
        return sums


@dataclass(frozen=True, eq=False)
class _Listed:
    """Who of a run is on a list, by column; shape (columns,) each.

    ``ratios``: where all people of a place are listed alike, stale and missed people per listed person of the place;
    shape (2, places, 1). None: they are not.
    """

    run: _Run
    listed: FloatArray
    stale: FloatArray | None
    missed: FloatArray
    ratios: FloatArray | None = None

    @classmethod
    def of(
        cls, run: _Run, people: ClassedPeople, pieces: Pieces, block: Block, coverage: FloatArray, layout: _Layout
    ) -> _Listed:
        """Take the chances of the rows that stand for the others."""
        county = layout.county
        held = coverage[pieces.unit[county]]
        if people.listed is None:
            return cls(run, held, None, 1 - held)._by_place(pieces.apart, block.classes.shape[1])
        sets, classes = block.classes.shape
        row = np.broadcast_to(block.like[:, None], (sets, len(county) // (sets * classes), classes)).ravel()
        chance = people.listed[row, county]
        in_file = 1.0 if people.in_file is None else people.in_file[county]
        stale = None if people.stale is None else people.stale[county] * chance
        if stale is not None and not stale.any():
            stale = None
        by_column = cls(run, held * chance, stale, held * (in_file - chance))
        return by_column._by_place(pieces.apart, classes)

    def _by_place(self, apart: bool, classes: int) -> _Listed:
        """Return the same with ratios, where each place lies in one county whose classes are listed alike."""
        listed = self.listed.reshape(-1, classes)
        if not apart or (listed != listed[:, :1]).any():
            return self
        both = np.stack([np.zeros_like(self.listed) if self.stale is None else self.stale, self.missed])
        ratios = np.divide(both, self.listed, out=np.zeros_like(both), where=self.listed > 0)
        return replace(self, ratios=ratios[:, self._of_place, None])

    @property
    def _of_place(self) -> IntArray:
        """The first column of each place."""
        share = self.run.share
        first: IntArray = share.indices[share.indptr[:-1]]
        return first

    @property
    def log_empty(self) -> FloatArray:
        """Logarithm of the chance that a bin has no listed person, none of whom is sure; shape (places, cells)."""
        share = self.run.share
        missed = np.log1p(-share.data * (self.listed / self.run.bins)[share.indices])
        return several_places(share, missed, self.run.persons)

    def power_sums(self, many: int) -> list[FloatArray]:
        """Return the sums of ``n x^m`` for ``m`` up to ``many``; shape (places, cells) each."""
        if self.ratios is not None:
            listed = self.listed[self._of_place, None]
            return [of * listed**power for power, of in enumerate(self.run.power_sums(many)[:many], start=1)]
        of_piece = self.run.share.data * (self.listed / self.run.bins)[self.run.share.indices]
        return [self.run.added(of_piece**power) for power in range(1, many + 1)]

    def sums_of_missed(self, many: int) -> list[FloatArray]:
        """Return the sums of ``n u q/b x^(m-1)`` in their place, of those who are missed."""
        share, bins = self.run.share, self.run.bins
        chance = share.data * (self.listed / bins)[share.indices]
        return [self.run.added(share.data / bins * chance**power, self.missed) for power in range(many)]


def _add(figures: Figures, listed: _Listed, layout: _Layout, most: int) -> None:
    """Add the figures of a block in some counties."""
    largest = float(listed.run.share.data.max(initial=0.0) * listed.listed.max(initial=0.0)) / listed.run.bins
    if largest == 0:
        return
    if largest <= _THIN and (most or listed.stale is not None):  # total risk alone needs no powers
        powers = next(power for power in range(2, 9) if largest**power <= _LEFT_OUT)
        total, by_size, wrong = _thin(listed, most, powers)
    else:
        total, by_size, wrong = _thick(listed, most)
    for ours, of_place in zip(figures, (total, by_size, wrong), strict=True):
        for row, values in zip(np.atleast_2d(ours), np.atleast_2d(of_place), strict=True):
            row += np.bincount(layout.unit_of_place, values, len(row))


def _thick(listed: _Listed, most: int) -> Sequence[FloatArray]:
    """Return the figures of each place by the formulas of all places of several counties."""
    stale = 0.0 if listed.stale is None else listed.stale
    cells = PlacedCells(listed.run.share, listed.run.persons, listed.run.bins, listed.listed, stale)
    total = occupied_in_places(cells).sum(axis=1)
    if not most:
        return total, np.zeros((0, len(total))), np.zeros(len(total))
    by_size = np.diff(distinct_in_places(cells, most, alike=listed.ratios is None), axis=0, prepend=0.0)
    return total, by_size, claimed_wrongly_in_places(cells, listed.missed)


def _thin(listed: _Listed, most: int, many: int) -> Sequence[FloatArray]:
    """Return the figures of each place by as ``many`` powers of the chances of a bin."""
    b = listed.run.bins
    sums, log_empty, records = listed.power_sums(many), listed.log_empty, None
    if listed.stale is not None:
        if listed.ratios is None:
            records = listed.run.added(listed.run.share.data / b, listed.stale)
        else:
            records = sums[0] * listed.ratios[0]
        log_empty -= records
        links = b * links_of_sums(log_empty, sums[0], sums[1], records)
    else:
        links = -b * np.expm1(log_empty)
    total = links.sum(axis=1)
    if not most:
        return total, np.zeros((0, len(total))), np.zeros(len(total))
    empty = np.exp(log_empty)
    odds = [
        np.asarray(sum(float(comb(m - 1, j - 1)) * sums[m - 1] for m in range(j, many + 1))) for j in range(1, many + 1)
    ]
    wrong = np.zeros(len(total))
    if listed.missed.any():
        entries = odds[0] if records is None else odds[0] + records
        if listed.ratios is None:
            of_missed = listed.sums_of_missed(many)
            slope, bend = sum(of_missed), sum(m * of for m, of in enumerate(of_missed))
            claimed = slope * entries - bend
        else:
            claimed = listed.ratios[1] * (odds[0] * entries - odds[1])
        wrong = b * (empty * np.maximum(claimed, 0.0)).sum(axis=1)
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
