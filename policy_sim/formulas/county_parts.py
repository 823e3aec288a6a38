"""A county's people live in its parts by chance: the expected figures of all parts of one county.

A part is the area that a county and a ZIP code area share. Each of the ``n`` people of a county's cell lives in a
part with a known chance ``p``, and inside a part the key distinguishes ``b`` equally likely values. So a bin of a
part holds a given person of the cell, listed, with chance ``x = c p / b``.

Every figure is a sum, over cells and parts, of a product: a factor of the cell, a factor of the part, and
``(1 - x)^n``. The sum over cells is therefore one product of matrices, without a loop over pairs of a cell and a
part.

A list may hold the people of some cells more surely than those of others: cells with the same chances are then one
:class:`CountyParts`. Its stale records are ``n y`` in a bin of a part, so that ``(1 - x)^n`` becomes ``(1 - x)^n
exp(-n y)`` (:mod:`policy_sim.formulas.stale`).

The code computes all factors of cells and of parts once for all counties. County by county, it only multiplies the
factors of cells with ``(1 - x)^n``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from policy_sim.formulas.binomial import log_miss
from policy_sim.formulas.bins import SMALL_G, one_place, people_g_distinct
from policy_sim.formulas.quadrature import CROWDS, FewParts, few_parts
from policy_sim.formulas.stale import (
    POWERS,
    THIN,
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
_FEW_LISTED = 0.1  # of a smaller share of the people, what is missing to 1 would lose digits
_FEW = 2  # others in a bin that wrong claims depend on


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
    listed : Chance that a person of the cells of each county is listed, 0 to 1; None: a list of everyone.
    stale : Stale records per person of the cells of each county, >= 0; None: there are none.
    weight : How often each part occurs (:mod:`policy_sim.formulas.quadrature`); None: once.
    few : Returns so many weighted parts that represent all; None: they are computed of these parts.

    Examples
    --------
    Two people in two parts, each with half of the county: apart in half of the cases, together in the other half.

    >>> one = np.array([0, 1])
    >>> county = CountyParts(1.0, np.array([2.0]), np.ones(1), one, np.full(2, 0.5), 2 * one)
    >>> county.occupied(np.ones(1)).tolist(), county.distinct(np.array([1, 2]), np.ones(1)).tolist()
    ([1.5], [[1.0, 2.0]])
    """

    bins: float
    people: FloatArray
    times: FloatArray
    cells: IntArray
    share: FloatArray
    parts: IntArray
    listed: FloatArray | None = None
    stale: FloatArray | None = None
    weight: FloatArray | None = None
    few: Callable[[int], FewParts] | None = None

    def occupied(self, coverage: FloatArray) -> FloatArray:
        """Return the expected correct links; shape (counties,).

        Without stale records they are the bins that hold a listed person, ``b (1 - P_0)`` per part. ``coverage`` is the
        share of each county's people whom the list may hold, here and below, of whom ``listed`` are on it; shape
        (counties,).
        """
        coverage = self._of_list(coverage)
        if not coverage.any():
            return np.zeros(len(coverage))
        occupied: FloatArray = np.sum([cells._occupied(coverage) for cells in self._apart(coverage)], axis=0)
        return occupied

    def _occupied(self, coverage: FloatArray) -> FloatArray:
        """Do it with the chance of an empty bin for each cell and part."""
        if self.stale is not None:
            return self._linked(coverage)
        return self.bins * self._added_up(self._filled(coverage, 0)[0])

    def _apart(self, coverage: FloatArray) -> list[CountyParts]:
        """Return the cells that are measured at a few weighted shares, and the others, measured at every part."""
        key = coverage.tobytes()
        if key not in self._parted:
            pieces, county = np.diff(self.parts), np.repeat(np.arange(len(coverage)), np.diff(self.cells))
            held, largest = np.flatnonzero(pieces), np.zeros(len(coverage))
            largest[held] = np.maximum.reduceat(self.share, self.parts[held])
            entries = largest * (coverage if self.stale is None else coverage + self.stale) / self.bins
            most = self.people * entries[county]
            level = np.full(len(most), len(CROWDS))
            for turn, (nodes, crowd) in reversed(list(enumerate(CROWDS))):
                level[(most <= crowd) | (pieces <= nodes)[county]] = turn
            if self.stale is not None:
                # where the terms of links change with the share, they are no smooth function of it over many halvings
                mixed = (largest * coverage / self.bins >= THIN)[county]
                level = np.where(mixed, np.where(level <= 1, 1, len(CROWDS)), level)
                # one more part costs more than one more cell
                highest, is_few = np.zeros(len(coverage), dtype=np.int64), level < len(CROWDS)
                np.maximum.at(highest, county[is_few], level[is_few])
                level[is_few] = highest[county[is_few]]
            level[most == 0] = -1  # nobody there is on the list, nor any stale record
            levels = np.unique(level[level >= 0]).tolist() or [0]
            self._parted[key] = [self._of_cells(level == turn, county, self._parts_at(turn)) for turn in levels]
        return self._parted[key]

    def _parts_at(self, level: int) -> FewParts:
        """Return the parts of a level of :data:`~.quadrature.CROWDS`; beyond them, every part."""
        if level == len(CROWDS):
            return FewParts(self.share, None, self.parts)
        nodes = CROWDS[level][0]
        return few_parts(self.share, self.parts, nodes) if self.few is None else self.few(nodes)

    def _of_cells(self, some: BoolArray, county: IntArray, parts: FewParts) -> CountyParts:
        """Return some cells, with these parts of the counties that have any."""
        many, pieces = np.bincount(county[some], minlength=len(self.cells) - 1), np.diff(parts.ends)
        held = np.repeat(many > 0, pieces)
        return replace(
            self,
            people=self.people[some],
            times=self.times[some],
            cells=np.concatenate([[0], np.cumsum(many)]),
            share=parts.share[held],
            parts=np.concatenate([[0], np.cumsum(np.where(many > 0, pieces, 0))]),
            weight=None if parts.weight is None else parts.weight[held],
        )

    @cached_property
    def _parted(self) -> dict[bytes, list[CountyParts]]:
        """What :meth:`_apart` returns, by the coverage of the counties."""
        return {}

    def _added_up(self, of_part: FloatArray) -> FloatArray:
        """Add up values of parts by county."""
        return summed(of_part if self.weight is None else of_part * self.weight, self.parts)

    def _filled(self, coverage: FloatArray, powers: int) -> FloatArray:
        """For each part, sum over the cells of its county the chance that a bin has an entry, times ``n^-k``.

        Shape (powers + 1, parts). A person has no other entry with the chance that g-distinct needs: where that was
        summed up, one entry more is a factor of the part.
        """

        def factors(n: FloatArray, times: FloatArray) -> FloatArray:
            return inverse_powers(n, times, powers)

        listed = self.share * self._of_part(coverage)
        alone = self._alone_in_bin.get(coverage.tobytes())
        if alone is None or coverage.max() < _FEW_LISTED:
            missed = log_miss(np.full_like(listed, self.bins), listed) - self._stale_of_part
            # 1 - (1 - x)^n keeps its digits for a small x where (1 - x)^n itself would lose them
            return -self._by_part(factors, self.people, missed, np.expm1)
        whole, x = self._in_bin(coverage)
        empty = np.where(whole, 0.0, (1 - x) * np.exp(-self._stale_of_part))
        every: FloatArray = self._of_part(summed(factors(self.people, self.times), self.cells))
        return every - empty * alone[: powers + 1]

    def _linked(self, coverage: FloatArray) -> FloatArray:
        """Return the expected correct links where there are stale records (:mod:`policy_sim.formulas.stale`)."""
        x, y = self.share * self._of_part(coverage) / self.bins, self._stale_of_part
        links = Links.of(x, y)
        every = summed(inverse_powers(self.people, self.times, links.powers), self.cells)
        by_part = links.added([*self._filled(coverage, links.powers)], [*self._of_part(every)])
        dense = np.flatnonzero(links.dense)
        cell, part = self._cells_of(dense)
        values = self.times[cell] * correct_links(self.people[cell], x[part], y[part])
        by_part += np.bincount(part, weights=values, minlength=len(x))
        return self.bins * self._added_up(by_part)

    def distinct(self, sizes: IntArray, coverage: FloatArray) -> FloatArray:
        """Return the expected number of listed people in bins of each of ``sizes`` or fewer; shape (counties, sizes).

        For the people in bins of ``j``, the factor of a cell is ``n`` times the ways to choose the ``j - 1`` others.
        """
        coverage = self._of_list(coverage)
        if not coverage.any():
            return np.zeros((len(coverage), len(sizes)))
        if sizes.max() > SMALL_G:
            distinct = self._distinct_of_large_sizes(sizes, coverage)
            small = sizes <= SMALL_G
            if self.stale is not None and small.any():  # there, large sizes take stale records for trials
                distinct[:, small] = self._distinct_of_small_sizes(sizes[small], coverage)
            return distinct
        every = [cells._distinct_of_small_sizes(sizes, coverage) for cells in self._apart(coverage)]
        return np.asarray(np.sum(every, axis=0))

    def _distinct_of_small_sizes(self, sizes: IntArray, coverage: FloatArray) -> FloatArray:
        """Do it by powers of the odds."""
        listed = self.share * self._of_part(coverage)
        whole, x = self._in_bin(coverage)
        most = int(sizes.max())
        alone = self._chosen(coverage, most)
        # x^j (1 - x)^(n - 1 - j) is the j-th power of the odds times (1 - x)^(n - 1): one table for every j
        in_bin = spread_over_sizes(alone, x / (1 - x), self._stale_of_part)
        by_size = self._added_up(in_bin * np.where(whole, 0.0, listed))
        distinct: FloatArray = np.cumsum(by_size, axis=0)[sizes - 1]
        if whole.any():
            if self.stale is None:
                few = np.where(self.people <= sizes[:, None], self.times * self.people, 0.0)
            else:
                stale = np.repeat(self.stale, np.diff(self.cells)) * self.people / self.bins
                few = self.times * certain_with_stale(self.people, sizes, stale)
            distinct += summed(few, self.cells) * self._added_up(whole.astype(np.float64))
        return distinct.T

    def claimed_wrongly(self, coverage: FloatArray) -> FloatArray:
        """Return the expected number of records claimed for somebody else; shape (counties,).

        Correct claims are the listed people who are alone in their bin (``claimed_records``). Of the people whom the
        list may hold, those are claimed wrongly who are not on it and share a bin with one entry.
        """
        held, coverage = coverage, self._of_list(coverage)
        if (coverage == 1).all() or not coverage.any():
            return np.zeros(len(coverage))
        missed = 1 - coverage if self.listed is None else held * (1 - self.listed)
        claimed: FloatArray = missed * np.sum(
            [cells._with_one_entry(coverage) for cells in self._apart(coverage)], axis=0
        )
        return claimed

    def _with_one_entry(self, coverage: FloatArray) -> FloatArray:
        """Return how many of the people have exactly one other entry in their bin, for each cell and part."""
        c, (_, x) = self._of_part(coverage), self._in_bin(coverage)
        single, both = self._chosen(coverage, 2)
        # two people in one bin: one is listed, the other is not
        others = c / self.bins * both * self.share**2 / (1 - x)
        if self.stale is not None:  # or one person who is not listed, and a stale record
            others = np.exp(-self._stale_of_part) * (others + (single + both) * self.share * self._stale_of_part)
        return self._added_up(others)

    def occupied_by_part(self, coverage: FloatArray) -> Iterator[FloatArray]:
        """For each county, yield the expected correct links; shape (cells, parts)."""
        coverage = self._of_list(coverage)
        listed = self.share * self._of_part(coverage)
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
        """For each county, yield the expected listed people of one cell of each number; shape (sizes, cells).

        Without stale records, in bins of each of ``sizes`` or fewer.
        """
        coverage = self._of_list(np.ones(len(self.cells) - 1))
        small = sizes.max() <= SMALL_G
        figures_of = self._each_of_small_sizes if small else self._each_of_large_sizes
        yield from figures_of(sizes, coverage)

    def _each_of_small_sizes(self, sizes: IntArray, coverage: FloatArray) -> Iterator[FloatArray]:
        """Do it by powers of the odds, one product of matrices for each county."""
        most, (whole, x) = int(sizes.max()), self._in_bin(coverage)
        listed = np.where(whole, 0.0, self.share * self._of_part(coverage))
        powers: FloatArray = np.power.outer(x / (1 - x), np.arange(float(most)))
        for cells, parts in self._counties():
            people = self.people[cells]
            others = np.maximum(people - 1, 0.0)
            empty = one_place(others[:, None], np.log1p(-x[parts]))
            by_size = ways(people, others, most - 1) * (empty @ (powers[parts] * listed[parts, None])).T
            by_size += whole[parts].sum() * np.where(people == np.arange(1.0, most + 1)[:, None], people, 0.0)
            yield np.cumsum(by_size, axis=0)[sizes - 1]

    def _distinct_of_large_sizes(self, sizes: IntArray, coverage: FloatArray) -> FloatArray:
        """Do the same as :meth:`distinct` where sizes are too large to compute one by one."""
        by_county = zip(self._counties(), self._each_of_large_sizes(sizes, coverage), strict=True)
        return np.array([by_cell @ self.times[cells] for (cells, _), by_cell in by_county])

    def _each_of_large_sizes(self, sizes: IntArray, coverage: FloatArray) -> Iterator[FloatArray]:
        """For each county, yield what one cell of each number has of it; shape (sizes, cells)."""
        listed = self.share * self._of_part(coverage)
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

    def _chosen(self, coverage: FloatArray, most: int) -> FloatArray:
        """For each part, sum over the cells of its county, times ``(1 - x)^(n - 1)``, the ways to choose others.

        A person of the cell and fewer than ``most`` others, shape (most, parts). Claims need what g-distinct needs: the
        first of them are kept.
        """
        key = coverage.tobytes()
        if most <= _FEW and key in self._few_chosen:
            return self._few_chosen[key][:most]

        powers, computed = 0 if self.stale is None else POWERS, max(most, _FEW)

        def factors(n: FloatArray, times: FloatArray) -> FloatArray:
            return np.concatenate([ways(times * n, n - 1, computed - 1), inverse_powers(n, times, powers)])

        _, x = self._in_bin(coverage)
        table = self._by_part(factors, self.people - 1, np.log1p(-x) - self._stale_of_part, np.exp)
        self._alone_in_bin[key] = table[computed:]
        self._few_chosen[key] = table[:_FEW].copy()
        return table[:most]

    def _in_bin(self, coverage: FloatArray) -> tuple[BoolArray, FloatArray]:
        """Return in which parts everyone is listed in the one bin, and ``x`` of the other parts."""
        listed = self.share * self._of_part(coverage)
        whole: BoolArray = listed >= self.bins
        return whole, np.where(whole, 0.0, listed / self.bins)

    def _by_part(
        self,
        factors: Callable[[FloatArray, FloatArray], FloatArray],
        people: FloatArray,
        missed: FloatArray,
        power: np.ufunc,
    ) -> FloatArray:
        """For each part, return the sum over the cells of its county of factors times ``power(people * missed)``.

        ``factors``: of people ``n`` and how often, of some cells, arrays of one shape, with the factors before.
        """
        table = np.zeros((len(factors(*np.ones((2, 1)))), len(missed)))
        for cell, held, part in self._batches:
            empty = one_place(people[cell][:, :, None], missed[part][:, None, :], power)
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
    def _alone_in_bin(self) -> dict[bytes, FloatArray]:
        """For each part, the sums over cells of the chance of no other entry times ``n^-k``, by coverage."""
        return {}

    @cached_property
    def _few_chosen(self) -> dict[bytes, FloatArray]:
        """The ways to choose few others, by the coverage of the counties."""
        return {}

    def _of_list(self, coverage: FloatArray) -> FloatArray:
        """Return the chance that a person of each county is on the list, of those whom it may hold."""
        return coverage if self.listed is None else coverage * self.listed

    @cached_property
    def _stale_of_part(self) -> FloatArray:
        """Stale records per person in a bin of each part."""
        if self.stale is None:
            return np.zeros_like(self.share)
        stale: FloatArray = self.share * self._of_part(self.stale) / self.bins
        return stale

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
