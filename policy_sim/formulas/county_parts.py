"""A county's people live in its parts by chance: the expected figures of all parts of one county, part by part.

A part is the area that a county and a ZIP code area share. Each of the ``n`` people of a county's cell lives in a
part with a known chance ``p``, and inside a part the key distinguishes ``b`` equally likely values. So a bin of a
part holds a given person of the cell, listed, with chance ``x = c p / b``.

Every figure is a sum, over cells and parts, of a product: a factor of the cell, a factor of the part, and
``(1 - x)^n``. The sum over cells is therefore one product of matrices, without a loop over pairs of a cell and a
part. Cells whose bins have few entries need no parts at all (:mod:`policy_sim.formulas.single_class`).

The people of some cells may be likelier to be listed than those of others: cells with the same chances are then one
county of :class:`CountyParts`. Its stale records are ``n y`` in a bin of a part, so that ``(1 - x)^n`` becomes
``(1 - x)^n exp(-n y)`` (:mod:`policy_sim.formulas.stale`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from policy_sim.formulas.binomial import log_miss
from policy_sim.formulas.bins import SMALL_G, one_place, people_g_distinct
from policy_sim.formulas.stale import (
    POWERS,
    Links,
    certain_with_stale,
    correct_links,
    matched_entries,
    powers_of,
    spread_over_sizes,
)
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray

_PAIRS_AT_ONCE = 24_000  # of a cell and a part: they fit into the cache, and one thread multiplies them
_NEARLY = 0.65  # counties with at least this share of the cells of the largest one are put side by side
_FEW = 2  # entries of a bin that wrong claims depend on


class OfCounties(NamedTuple):
    """What is expected of each county; arrays of one value each.

    Attributes
    ----------
    total : Correct links.
    by_size : Listed people in bins of exactly 1, 2, ... entries; shape (sizes, counties).
    beside_one : People with exactly one entry of somebody else in their bin.
    """

    total: FloatArray
    by_size: FloatArray
    beside_one: FloatArray


@dataclass(frozen=True, eq=False)
class CountyParts:
    """The distinct cells of counties with the same number of bins, and the parts of the counties.

    Attributes
    ----------
    bins : Values ``b`` >= 1 that the key distinguishes inside a part.
    people, times : People ``n`` >= 1 in each distinct cell, and the number of cells alike; sorted by county.
    cells : Index at which the cells of each county begin; one more number than counties.
    share : Chance ``p`` that a person of the county lives in each part; sorted by county.
    parts : Index at which the parts of each county begin; one more number than counties.
    listed : Chance that a person of the cells of each county is listed, 0 to 1.
    stale : Stale records per person of the cells of each county, >= 0; None: there are none.

    Examples
    --------
    Two people in two parts, each with half of the county: apart in half of the cases, together in the other half.

    >>> one = np.array([0, 1])
    >>> county = CountyParts(1.0, np.array([2.0]), np.ones(1), one, np.full(2, 0.5), 2 * one, np.ones(1))
    >>> figures = county.figures(2)
    >>> figures.total.tolist(), figures.by_size.tolist()
    ([1.5], [[1.0], [1.0]])
    """

    bins: float
    people: FloatArray
    times: FloatArray
    cells: IntArray
    share: FloatArray
    parts: IntArray
    listed: FloatArray
    stale: FloatArray | None = None

    def figures(self, most: int) -> OfCounties:
        """Return what is expected of each county, with bins of up to ``most`` entries, at most :data:`~.bins.SMALL_G`.

        For the people in bins of ``j``, the factor of a cell is ``n`` times the ways to choose the ``j - 1`` others.
        """
        computed, powers = max(most, _FEW), 0 if self.stale is None else POWERS

        def factors(n: FloatArray, times: FloatArray) -> FloatArray:
            return np.concatenate([ways(times * n, n - 1, computed - 1), inverse_powers(n, times, powers)])

        y, (whole, x) = self._stale_of_part, self._in_bin
        # x^j (1 - x)^(n - 1 - j) is the j-th power of the odds times (1 - x)^(n - 1): one table for every j
        table = self._by_part(factors, self.people - 1, np.log1p(-x) - y)
        alone, nobody = table[:computed], table[computed:]
        every = self._of_part(summed(inverse_powers(self.people, self.times, powers), self.cells))
        # a bin is empty where a person has no other entry, and is none either
        filled = every - np.where(whole, 0.0, (1 - x) * np.exp(-y)) * nobody
        total = filled[0] if self.stale is None else self._linked(filled, every)
        return OfCounties(self.bins * self._added_up(total), self._by_size(alone)[:most], self._beside_one(*alone[:2]))

    def _linked(self, filled: FloatArray, every: FloatArray) -> FloatArray:
        """Return the correct links a bin of each part where there are stale records.

        ``filled``, ``every``: sums over cells of the chance that a bin has an entry, and of 1, times powers of 1/n.
        """
        x, y = self._listed_of_part / self.bins, self._stale_of_part
        links = Links.of(x, y)
        by_part = links.added([*filled], [*every])
        cell, part = self._cells_of(np.flatnonzero(links.dense))
        values = self.times[cell] * correct_links(self.people[cell], x[part], y[part])
        by_part += np.bincount(part, weights=values, minlength=len(x))
        return by_part

    def _by_size(self, alone: FloatArray) -> FloatArray:
        """Return the listed people in bins of 1, 2, ... entries; ``alone``: of each part, by the ways to choose others.

        Shapes (sizes, counties) and (sizes, parts).
        """
        whole, x = self._in_bin
        in_bin = spread_over_sizes(alone, x / (1 - x), self._stale_of_part)
        by_size = self._added_up(in_bin * np.where(whole, 0.0, self._listed_of_part))
        if whole.any():
            sizes = np.arange(1, len(alone) + 1)
            if self.stale is None:
                certain = np.where(self.people == sizes[:, None], self.times * self.people, 0.0)
            else:
                stale = np.repeat(self.stale, np.diff(self.cells)) * self.people / self.bins
                upto = self.times * certain_with_stale(self.people, sizes, stale)
                certain = np.diff(upto, axis=0, prepend=0.0)
            by_size += summed(certain, self.cells) * self._added_up(whole.astype(np.float64))
        return by_size

    def _beside_one(self, single: FloatArray, both: FloatArray) -> FloatArray:
        """Return how many people have one entry beside them, from the sums of each part for nobody and for one other.

        The entry is another person of the cell who is listed, or a stale record.
        """
        _, x = self._in_bin
        others = self._of_part(self.listed) / self.bins * both * self.share**2 / (1 - x)
        if self.stale is not None:
            others = np.exp(-self._stale_of_part) * (others + (single + both) * self.share * self._stale_of_part)
        return self._added_up(others)

    def occupied_by_part(self) -> Iterator[FloatArray]:
        """For each county, yield the expected correct links; shape (cells, parts)."""
        listed = self._listed_of_part
        missed = log_miss(np.full_like(listed, self.bins), listed)
        for cells, parts in self._counties():
            y = self._stale_of_part[parts]
            if self.stale is None:
                filled = -one_place(self.people[cells, None], missed[parts], np.expm1)
            else:
                x = listed[parts] / self.bins
                filled = correct_links(*np.broadcast_arrays(self.people[cells, None], x, y))
            yield self.bins * self.times[cells, None] * filled

    def distinct_by_cell(self, sizes: IntArray) -> Iterator[FloatArray]:
        """For each county, yield the listed people of each cell in bins of each of ``sizes`` or fewer; (sizes, cells).

        Sizes up to :data:`~.bins.SMALL_G` are for lists without stale records.
        """
        small = sizes.max() <= SMALL_G
        figures_of = self._each_of_small_sizes if small else self._each_of_large_sizes
        yield from figures_of(sizes)

    def _each_of_small_sizes(self, sizes: IntArray) -> Iterator[FloatArray]:
        """Do it by powers of the odds, one product of matrices for each county."""
        most, (whole, x) = int(sizes.max()), self._in_bin
        listed = np.where(whole, 0.0, self._listed_of_part)
        powers: FloatArray = np.power.outer(x / (1 - x), np.arange(float(most)))
        for cells, parts in self._counties():
            people = self.people[cells]
            others = np.maximum(people - 1, 0.0)
            empty = one_place(others[:, None], np.log1p(-x[parts]))
            by_size = ways(people, others, most - 1) * (empty @ (powers[parts] * listed[parts, None])).T
            by_size += whole[parts].sum() * np.where(people == np.arange(1.0, most + 1)[:, None], people, 0.0)
            yield np.cumsum(by_size, axis=0)[sizes - 1]

    def distinct(self, sizes: IntArray) -> FloatArray:
        """Return the listed people in bins of each of ``sizes`` or fewer, too large to compute one by one.

        Shape (counties, sizes).
        """
        by_county = zip(self._counties(), self._each_of_large_sizes(sizes), strict=True)
        return np.array([by_cell @ self.times[cells] for (cells, _), by_cell in by_county])

    def _each_of_large_sizes(self, sizes: IntArray) -> Iterator[FloatArray]:
        """For each county, yield what one cell of each number has of it; shape (sizes, cells)."""
        listed = self._listed_of_part
        for cells, parts in self._counties():
            shape = (cells.stop - cells.start, parts.stop - parts.start)
            people, x, y = (
                np.broadcast_to(array, shape).ravel()
                for array in (self.people[cells, None], listed[parts], self._stale_of_part[parts])
            )
            linkable = people * x
            if self.stale is not None:  # others and stale records as one binomial
                trials, chance = matched_entries(people - 1, x / self.bins, people * y)
                people, x = trials + 1, chance * self.bins
            distinct = np.zeros((len(sizes), shape[0]))
            for column, size in enumerate(sizes.tolist()):
                alone = people_g_distinct(people, self.bins, size, x)
                if self.stale is not None:
                    alone *= np.divide(linkable, people * x, out=np.zeros_like(x), where=x > 0)
                distinct[column] = alone.reshape(shape).sum(axis=1)
            yield distinct

    def _cells_of(self, part: IntArray) -> tuple[IntArray, IntArray]:
        """Return every pair of a part and a cell of its county, for some parts: the cells, and the parts."""
        county = np.searchsorted(self.parts, part, side="right") - 1
        many = np.diff(self.cells)[county]
        first = self.cells[county] - (np.cumsum(many) - many)
        return np.arange(many.sum()) + np.repeat(first, many), np.repeat(part, many)

    @cached_property
    def _in_bin(self) -> tuple[BoolArray, FloatArray]:
        """In which parts everyone is listed in the one bin, and ``x`` of the other parts."""
        listed = self._listed_of_part
        whole: BoolArray = listed >= self.bins
        return whole, np.where(whole, 0.0, listed / self.bins)

    def _by_part(
        self, factors: Callable[[FloatArray, FloatArray], FloatArray], people: FloatArray, missed: FloatArray
    ) -> FloatArray:
        """For each part, return the sum over the cells of its county of factors times ``exp(people * missed)``.

        ``factors``: of people ``n`` and how often, of some cells, arrays of one shape, with the factors before.
        """
        table = np.zeros((len(factors(*np.ones((2, 1)))), len(missed)))
        for cell, held, part in self._batches:
            empty = one_place(people[cell][:, :, None], missed[part][:, None, :])
            of_cell = factors(self.people[cell], self.times[cell] * held)
            table[:, part] = (of_cell.swapaxes(0, 1) @ empty).swapaxes(0, 1)
        return table

    def _counties(self) -> Iterator[tuple[slice, slice]]:
        """Yield the cells and the parts of each county."""
        cells, parts = self.cells.tolist(), self.parts.tolist()
        for county in range(len(cells) - 1):
            yield slice(cells[county], cells[county + 1]), slice(parts[county], parts[county + 1])

    @cached_property
    def _batches(self) -> list[tuple[IntArray, BoolArray, IntArray]]:
        """Counties with nearly as many parts and cells, side by side: one product of matrices for each batch.

        The cells, shape (counties, cells), which of them are there, and the parts, shape (counties, parts). A county of
        fewer cells or parts repeats its last.
        """
        many, pieces = np.diff(self.cells), np.diff(self.parts)
        nearly = np.zeros(len(pieces), dtype=np.int64)  # of counties alike, none has many more parts than another
        np.floor(np.log(np.maximum(pieces, 1)) / -np.log(_NEARLY), out=nearly, casting="unsafe")
        order = np.lexsort([-many, -nearly])
        order = order[(many[order] > 0) & (pieces[order] > 0)]
        batches: list[tuple[IntArray, BoolArray, IntArray]] = []
        start = 0
        while start < len(order):
            first = order[start]
            most, alike = int(many[first]), order[start : start + max(_PAIRS_AT_ONCE // int(many[first]), 1)]
            alike = alike[(nearly[alike] == nearly[first]) & (many[alike] >= _NEARLY * most)]
            parts = int(pieces[alike].max())
            near = alike[: max(_PAIRS_AT_ONCE // (most * parts), 1)]
            turn = np.arange(most)
            held = turn < many[near, None]
            cell = self.cells[near, None] + np.minimum(turn, many[near, None] - 1)
            step = max(_PAIRS_AT_ONCE // most, 1)
            last = pieces[near, None] - 1
            pieces_at_once = (np.arange(low, min(low + step, parts)) for low in range(0, parts, step))
            batches.extend((cell, held, self.parts[near, None] + np.minimum(piece, last)) for piece in pieces_at_once)
            start += len(near)
        return batches

    @cached_property
    def _listed_of_part(self) -> FloatArray:
        """Chance that a person of the county is listed and lives in each part."""
        listed: FloatArray = self.share * self._of_part(self.listed)
        return listed

    @cached_property
    def _stale_of_part(self) -> FloatArray:
        """Stale records per person in a bin of each part."""
        if self.stale is None:
            return np.zeros_like(self.share)
        stale: FloatArray = self.share * self._of_part(self.stale) / self.bins
        return stale

    def _added_up(self, of_part: FloatArray) -> FloatArray:
        """Add up values of parts by county."""
        return summed(of_part, self.parts)

    def _of_part(self, values: FloatArray) -> FloatArray:
        """Repeat the value of each county for each of its parts; the last dimension is counties."""
        return np.repeat(values, np.diff(self.parts), axis=-1)


def summed(values: FloatArray, ends: IntArray) -> FloatArray:
    """Add up values by county; the last dimension is cells or parts, which begin at ``ends``."""
    upto = np.zeros((*values.shape[:-1], len(ends) - 1))
    held = np.flatnonzero(np.diff(ends))  # where a county has nothing, reduceat would give it the next value
    if len(held):
        upto[..., held] = np.add.reduceat(values, ends[held], axis=-1)
    return upto


def inverse_powers(n: FloatArray, times: FloatArray, powers: int) -> FloatArray:
    """Return ``times n^-k`` for ``k`` from 0 to ``powers``; shape (powers + 1, *cells)."""
    return times * powers_of(1 / n, powers + 1)


def ways(weight: FloatArray, others: FloatArray, most: int) -> FloatArray:
    """Return ``weight`` times the ways to choose 0, 1, ..., ``most`` of the others; (most + 1, *cells)."""
    ways = np.empty((most + 1, *weight.shape))
    ways[0] = weight
    for chosen in range(1, most + 1):
        np.multiply(ways[chosen - 1], np.maximum(others - (chosen - 1), 0) / chosen, out=ways[chosen])
    return ways
