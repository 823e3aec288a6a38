"""A large cell of a county in a part of which the people are counted: the hypergeometric distribution.

The census counts the ``R`` people of each part of a county of ``M`` people. Which ``R`` they are is chance, so of the
``n`` people of a cell the part holds ``m`` with the chance

    ``C(n, m) C(M - n, R - m) / C(M, R)``.

A cell that is everyone has exactly ``R`` people there. The figure of the part is the mean, over ``m``, of the figure of
a group of ``m`` people. For cells of up to a tenth of the county one term of this is enough
(:class:`CountyParts`); for larger cells every ``m`` is added up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from scipy.special import pdtri

from policy_sim.formulas.binomial import Trials, log_miss, mass
from policy_sim.formulas.bins import occupied_bins, people_g_distinct
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray

SMALL_CELL = 0.1  # share of the county up to which one term of the hypergeometric distribution is enough
_EXPONENT = 46.0  # exp(-46) = 1e-20 of the chances of m may be left out (Bernstein's inequality)
_OUT_OF_THE_QUESTION = 1e-20  # a bin that holds this few so rarely is as if it never did
_WHOLE = 1e-6  # a share is a quotient of whole numbers: its last digits make no fraction of a person
_AT_ONCE = 1_000_000  # chances computed at once


def is_large(people: FloatArray, residents: FloatArray | float) -> BoolArray:
    """Return which cells are more than a tenth of their county; none where people are placed independently."""
    large: BoolArray = people > SMALL_CELL * np.asarray(residents)
    return large


def occupied_counted(
    people: FloatArray, residents: FloatArray, share: FloatArray, bins: float, coverage: float = 1.0
) -> FloatArray:
    """Return the expected bins that hold a listed person of the cell, for pairs of a cell and a part; shape (1, pairs).

    Parameters
    ----------
    people, residents, share : As in :func:`mean_over_counts`.
    bins, coverage : Values that the key distinguishes inside a part, and the chance that a person is listed.

    Examples
    --------
    Two of a county of four, in a part that holds two of the four: in five of six cases one of them lives there.

    >>> occupied_counted(np.array([2.0]), np.array([4.0]), np.array([0.5]), 1.0).round(12).tolist()
    [[0.833333333333]]
    """

    def figures(m: FloatArray) -> FloatArray:
        return occupied_bins(m, bins, coverage)[None]

    return mean_over_counts(people, residents, share, figures, hit=coverage / bins, most=0, crowded=bins)


def distinct_counted(
    people: FloatArray, residents: FloatArray, share: FloatArray, bins: float, sizes: IntArray, coverage: float = 1.0
) -> FloatArray:
    """Return the expected listed people of the cell in bins of each of ``sizes`` or fewer; shape (sizes, pairs)."""

    def figures(m: FloatArray) -> FloatArray:
        return people_g_distinct(m, bins, sizes[:, None], coverage)

    most = int(sizes.max())
    return mean_over_counts(people, residents, share, figures, hit=coverage / bins, most=most, crowded=0.0)


def claimed_wrongly_counted(
    people: FloatArray, residents: FloatArray, share: FloatArray, bins: float, coverage: float = 1.0
) -> FloatArray:
    """Return the expected records of the cell claimed for somebody else; shape (1, pairs)."""

    def figures(m: FloatArray) -> FloatArray:
        nobody_else = np.where(m > 2, np.exp((m - 2) * log_miss(np.full_like(m, bins), np.full_like(m, coverage))), 1.0)
        wrong: FloatArray = m * np.maximum(m - 1, 0) * (1 - coverage) * (coverage / bins) * nobody_else
        return wrong[None]

    return mean_over_counts(people, residents, share, figures, hit=coverage / bins, most=2, crowded=0.0)


def derivatives_counted(
    people: FloatArray, residents: FloatArray, share: FloatArray, hit: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the mean of ``s^m`` with ``s = 1 - hit``, and its first and second derivatives in ``s``; (pairs,) each."""

    def figures(m: FloatArray) -> FloatArray:
        return np.array([factor * (1 - hit) ** np.maximum(m - k, 0) for k, factor in enumerate((m**0, m, m * (m - 1)))])

    none, first, second = mean_over_counts(people, residents, share, figures, hit=hit, most=2, crowded=0.0)
    return none, first, second


def matched_trials(
    people: FloatArray, residents: FloatArray, share: FloatArray, hit: FloatArray | float
) -> tuple[FloatArray, FloatArray]:
    """Return the chance and the whole number of trials of the binomial that is most like the listed people of a bin.

    It has their mean, and their variance but for what rounding up the trials takes away. A cell that is everyone has
    just this binomial: ``R`` trials, each with the chance ``hit``. It stands in where generating functions at many
    points are needed: for the sizes of crowded bins, and to divide what a place bears among its counties.
    """
    spread = (1 - share) * (residents - people) / np.maximum(residents - 1, 1.0)  # variance of m over its mean
    trials = np.maximum(np.ceil(people * share / np.maximum(1 - spread, share) - _WHOLE), 1.0)
    return people * share * hit / trials, trials


def mean_over_counts(
    people: FloatArray,
    residents: FloatArray,
    share: FloatArray,
    figures: Callable[[FloatArray], FloatArray],
    *,
    hit: FloatArray | float,
    most: int,
    crowded: FloatArray | float,
) -> FloatArray:
    """Return the mean of figures of ``m`` people, over the ``m`` people of a cell who live in a part.

    Parameters
    ----------
    people, residents, share : ``n`` of the cell, ``M`` of its county and the part's share of ``M``; shape (pairs,). A
        part of ``R`` people, not whole, holds the whole number below or above, with the chances that keep the mean.
    figures : Figures of groups of each of several ``m``, shape (figures, len(m)).
    hit : Chance that one of the ``m`` is listed and in a given bin; shape (pairs,) or one number.
    most : Largest number of people in a bin that matters to the figures.
    crowded : The figures where a bin practically always holds more; shape (figures,) or one number.

    Returns
    -------
    Shape (figures, pairs).

    Examples
    --------
    Two of four people are of the cell and the part holds two of the four: nobody of the cell in one of six cases, one
    in four and both in one. The mean of ``m^2`` is (4 + 4) / 6. Of a cell that is everyone, two live in the part.

    >>> pair = np.array([2.0]), np.array([4.0]), np.array([0.5])
    >>> mean_over_counts(*pair, lambda m: m[None] ** 2, hit=1.0, most=2, crowded=0.0).round(12).tolist()
    [[1.333333333333]]
    >>> everyone = np.array([4.0]), np.array([4.0]), np.array([0.5])
    >>> mean_over_counts(*everyone, lambda m: m[None] ** 2, hit=1.0, most=2, crowded=0.0).tolist()
    [[4.0]]
    """
    counted = residents * share
    lower = np.floor(counted + _WHOLE)
    higher = np.where(counted - lower > _WHOLE, counted - lower, 0.0)
    many = np.asarray(figures(np.zeros(1))).shape[0]
    mean = np.empty((many, len(people)))
    mean[:] = np.reshape(np.broadcast_to(crowded, many), (many, 1))
    # the number in a bin is a sum of independent trials: small less often than a Poisson variable (Hoeffding 1956)
    near = np.flatnonzero(people * share * hit <= float(pdtri(most, _OUT_OF_THE_QUESTION)))
    if not len(near):
        return mean
    mean[:, near] = (1 - higher[near]) * _means(people[near], residents[near], lower[near], figures, many)
    between = near[higher[near] > 0]
    if len(between):
        more = _means(people[between], residents[between], lower[between] + 1, figures, many)
        mean[:, between] += higher[between] * more
    return mean


def _means(
    people: FloatArray,
    residents: FloatArray,
    counted: FloatArray,
    figures: Callable[[FloatArray], FloatArray],
    many: int,
) -> FloatArray:
    """Return the mean figures, where each part holds a whole number of people."""
    least, most = np.maximum(people + counted - residents, 0.0), np.minimum(people, counted)
    middle = people * counted / residents
    spread = middle * (1 - counted / residents) * (residents - people) / np.maximum(residents - 1, 1.0)
    # Bernstein: all m farther than this from the middle, on either side, have a chance below exp(-46)
    half = _EXPONENT / 3 + np.sqrt((_EXPONENT / 3) ** 2 + 2 * _EXPONENT * np.maximum(spread, 0.0))
    low, high = np.maximum(np.floor(middle - half), least), np.minimum(np.ceil(middle + half), most)
    lowest = int(low.min())
    table = figures(np.arange(float(lowest), high.max() + 1))
    length = (high - low).astype(np.int64) + 1
    mean, order, start = np.empty((many, len(people))), np.argsort(length, kind="stable"), 0
    while start < len(order):
        end = _end_of_block(length[order], start)
        block = order[start:end]
        chance = _chances(people[block], residents[block], counted[block], low[block], high[block])
        size = (low[block] - lowest).astype(np.int64) + np.arange(len(chance))[:, None]
        size = np.minimum(size, table.shape[1] - 1)  # beyond it the chance is 0
        for figure, values in enumerate(table):
            mean[figure, block] = (chance * values[size]).sum(axis=0)
        start = end
    return mean


def _end_of_block(length: IntArray, start: int) -> int:
    """Return where a block of pairs ends whose chances are computed at once; lengths are sorted."""
    end = start + max(_AT_ONCE // int(length[start]), 1)
    while end - start > 1 and int(length[min(end, len(length)) - 1]) * (end - start) > 2 * _AT_ONCE:
        end = start + (end - start) // 2
    return min(end, len(length))


def _chances(
    people: FloatArray, residents: FloatArray, counted: FloatArray, low: FloatArray, high: FloatArray
) -> FloatArray:
    """Return the chances of ``low``, ``low + 1``, ... up to the largest ``high``; shape (sizes, pairs).

    By the ratio of neighbors, whose logarithms add up: factorials of a county would leave eight digits.
    """
    m = low + np.arange(int((high - low).max()))[:, None]
    inside = m < high
    up = np.where(inside, (people - m) * (counted - m), 1.0)
    down = np.where(inside, (m + 1) * (residents - people - counted + m + 1), 1.0)
    log = np.vstack([np.zeros(len(low)), np.cumsum(np.log(up / down), axis=0)])
    log[1:][~inside] = -np.inf
    log -= log.max(axis=0)  # the largest becomes 1: nothing overflows, and the sum below sets the scale
    chance = np.exp(log)
    chances: FloatArray = chance / chance.sum(axis=0)
    return chances


# A county's people live in its parts by chance: the expected figures of all parts of one county.
#
# A part is the area that a county and a ZIP code area share. Each of the ``n`` people of a county's cell lives in a
# part with a known chance ``p``, and inside a part the key distinguishes ``b`` equally likely values. So a bin of a
# part holds a given person of the cell, listed, with chance ``x = c p / b``.
#
# Every figure is a sum, over cells and parts, of a product: a factor of the cell, a factor of the part, and
# ``(1 - x)^n``. The sum over cells is therefore one product of matrices, without a loop over pairs of a cell and a
# part.
#
# Each part holds exactly as many people, over all cells, as the census counts there. So two people of a cell live in
# the same part a little less often than if they were placed independently: with chance ``p^2 - p (1 - p) / M`` in a
# county of ``M`` people. The chance of ``i`` people in a bin is ``B_i(n)`` for independent people. It loses ``k n (n -
# 1)`` times the second difference of ``B_i(n - 2)``, with ``k = (c/b)^2 p (1 - p) / 2M``: the first term in ``1/M`` of
# the hypergeometric distribution. For cells of more than a tenth of the county one term is not enough: every number of
# their people in a part is added up, as above.
#
# The code computes all factors of cells and of parts once for all counties. County by county, it only multiplies the
# factors of cells with ``(1 - x)^n``.


_PAIRS_AT_ONCE = 12_000  # of a cell and a part: they fit into the cache, and one thread multiplies them
SMALL_G = 32  # up to this g, the factors of the cells, n^g / g!, are far below the largest float


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
    residents : People ``M`` of each county; infinite where people are placed independently.

    Examples
    --------
    Two people in two parts, each with half of the county: apart in half of the cases, together in the other half.

    >>> one = np.array([0, 1])
    >>> county = CountyParts(1.0, np.array([2.0]), np.ones(1), one, np.full(2, 0.5), 2 * one, np.array([np.inf]))
    >>> county.occupied(np.ones(1)).tolist(), county.distinct(np.array([1, 2]), np.ones(1)).tolist()
    ([1.5], [[1.0, 2.0]])
    """

    bins: float
    people: FloatArray
    times: FloatArray
    cells: IntArray
    share: FloatArray
    parts: IntArray
    residents: FloatArray

    def occupied(self, coverage: FloatArray) -> FloatArray:
        """Return the expected number of bins that hold a listed person, ``b (1 - P_0)`` per part; shape (counties,).

        ``coverage`` is the chance that a person of each county is listed, here and below; shape (counties,).
        """
        listed = self.share * self._of_part(coverage)
        missed = log_miss(np.full_like(listed, self.bins), listed)
        table = np.zeros((2, len(listed)))
        factors = np.stack([self._times, self._pairs])
        # 1 - (1 - x)^n keeps its digits for a small x where (1 - x)^n itself would lose them
        for cells, parts in self._blocks():
            exponent = self.people[cells, None] * missed[parts]
            table[:, parts] = factors[:, cells] @ np.expm1(exponent, out=exponent)
        # the pairs need (1 - x)^n itself: the 1 comes back
        pairs = table[1] + self._of_part(self._by_county(self._pairs, self.cells))
        occupied = self.bins * self._by_county(pairs * self._rarer(coverage, 2) - table[0], self.parts)
        total: FloatArray = occupied + self._of_large(coverage, occupied_counted)[0]
        return total

    def distinct(self, sizes: IntArray, coverage: FloatArray) -> FloatArray:
        """Return the expected number of listed people in bins of each of ``sizes`` or fewer; shape (counties, sizes).

        For the people in bins of ``j``, the factor of a cell is ``n`` times the ways to choose the ``j - 1`` others. In
        the sum of the second differences, weighted by size, only the chances of ``g - 1`` and of ``g`` remain.
        """
        if sizes.max() > SMALL_G:
            return self._distinct_of_large_sizes(sizes, coverage)
        listed = self.share * self._of_part(coverage)
        whole = listed >= self.bins  # everyone is listed in the one bin of such a part
        x = np.where(whole, 0.0, listed / self.bins)
        most, used = int(sizes.max()), np.union1d(sizes - 1, sizes)

        def factors(cells: slice) -> FloatArray:
            people = self.people[cells]
            of_one = ways(self._times[cells] * people, people - 1, most - 1)
            return np.vstack([of_one, ways(self._pairs[cells], people - 2, most)[used]])

        table = self._by_part(factors, most + len(used), np.log1p(-x))
        # x^j (1 - x)^(n - 1 - j) is the j-th power of the odds times (1 - x)^(n - 1): one table for every j
        powers: FloatArray = np.power.outer(x / (1 - x), np.arange(most + 1.0)).T
        by_size = self._by_county(table[:most] * powers[:most] * np.where(whole, 0.0, listed), self.parts)
        distinct: FloatArray = np.cumsum(by_size, axis=0)[sizes - 1]
        at = np.zeros((most + 1, len(coverage)))
        at[used] = self.bins * self._by_county(table[most:] * powers[used] * self._rarer(coverage, 1), self.parts)
        distinct += (sizes[:, None] + 1) * at[sizes - 1] - sizes[:, None] * at[sizes]
        if whole.any():
            few = np.where(self.people <= sizes[:, None], self._times * self.people, 0.0)
            distinct += self._by_county(few, self.cells) * self._by_county(whole.astype(np.float64), self.parts)
        return (distinct + self._of_large(coverage, partial(distinct_counted, sizes=sizes), len(sizes))).T

    def claimed_wrongly(self, coverage: FloatArray) -> FloatArray:
        """Return the expected number of records claimed for somebody else; shape (counties,).

        Correct claims are the listed people who are alone in their bin (``claimed_records``).
        """
        if (coverage == 1).all():
            return np.zeros(len(coverage))
        c = self._of_part(coverage)
        x = np.where(c < 1, self.share * c / self.bins, 0.0)
        odds = x / (1 - x)

        def factors(cells: slice) -> FloatArray:
            n, pairs = self.people[cells], self._pairs[cells]
            return np.array([self._times[cells] * n * (n - 1), pairs, pairs * (n - 2), pairs * (n - 2) * (n - 3)])

        both, none, one_match, two = self._by_part(factors, 4, np.log1p(-x)) / (1 - x)
        less = self.share * (1 - self.share) / (2 * self._of_part(self.residents))
        wrong = both * self.share**2 - less * (2 * none - 4 * odds * one_match + odds**2 * two)
        # two people in one bin: one is listed, the other is not
        placed = self._by_county(c * (1 - c) / self.bins * wrong, self.parts)
        total: FloatArray = placed + self._of_large(coverage, claimed_wrongly_counted)[0]
        return total

    def occupied_by_part(self, coverage: FloatArray) -> Iterator[FloatArray]:
        """For each county, yield the number of bins that hold a listed person; shape (cells, parts)."""
        listed = self.share * self._of_part(coverage)
        missed = log_miss(np.full_like(listed, self.bins), listed)
        rarer = self._rarer(coverage, 2)
        for county, (cells, parts) in enumerate(self._counties()):
            empty = np.expm1(np.outer(self.people[cells], missed[parts]))
            more = self._pairs[cells, None] * (1 + empty) * rarer[parts]
            occupied = self.bins * (more - self.times[cells, None] * empty)
            large = np.flatnonzero(self._large[cells])
            if len(large):
                occupied[large] = self._occupied_by_large(county, cells.start + large, float(coverage[county]))
            yield occupied

    def _distinct_of_large_sizes(self, sizes: IntArray, coverage: FloatArray) -> FloatArray:
        """Do the same as :meth:`distinct` where sizes are too large to compute one by one."""
        distinct = np.zeros((len(coverage), len(sizes)))
        listed, rarer = self.share * self._of_part(coverage), self._rarer(coverage, 0)
        for county, (cells, parts) in enumerate(self._counties()):
            if cells.start == cells.stop:
                continue
            people, x = (array.ravel() for array in np.broadcast_arrays(self.people[cells, None], listed[parts]))
            others = Trials(np.maximum(people - 2, 0), np.full_like(people, self.bins), x)
            for column, size in enumerate(sizes.tolist()):
                below, at = (
                    mass(others, np.full_like(x, float(exact_size)), np.ones_like(x)) for exact_size in (size - 1, size)
                )
                more = ((size + 1) * below - size * at).reshape(-1, len(rarer[parts])) @ rarer[parts]
                alone = people_g_distinct(people, self.bins, size, x).reshape(len(more), -1).sum(axis=1)
                distinct[county, column] = self._times[cells] @ alone + self.bins * (self._pairs[cells] @ more)
        return distinct + self._of_large(coverage, partial(distinct_counted, sizes=sizes), len(sizes)).T

    def _of_large(self, coverage: FloatArray, figures: Callable[..., FloatArray], many: int = 1) -> FloatArray:
        """Return the figures of the large cells, added up over cells and parts; shape (figures, counties)."""
        total, large = np.zeros((many, len(coverage))), np.flatnonzero(self._large)
        of_cell = np.searchsorted(self.cells, large, side="right") - 1
        for listed in np.unique(coverage[of_cell]).tolist():
            alike = np.flatnonzero(coverage[of_cell] == listed)
            pieces = np.diff(self.parts)[of_cell[alike]]
            first = self.parts[of_cell[alike]] - (np.cumsum(pieces) - pieces)
            # the parts of each cell's county, one cell after the other
            part, cell = np.arange(pieces.sum()) + np.repeat(first, pieces), np.repeat(large[alike], pieces)
            county = np.repeat(of_cell[alike], pieces)
            pairs = self.people[cell], self.residents[county], self.share[part]
            for row, values in enumerate(figures(*pairs, bins=self.bins, coverage=listed)):
                total[row] += np.bincount(county, weights=values * self.times[cell], minlength=len(coverage))
        return total

    def _occupied_by_large(self, county: int, cells: IntArray, coverage: float) -> FloatArray:
        """Return the occupied bins of some large cells of a county in each of its parts; shape (cells, parts)."""
        share = self.share[self.parts[county] : self.parts[county + 1]]
        people, shares = (array.ravel() for array in np.broadcast_arrays(self.people[cells, None], share))
        residents = np.full_like(people, self.residents[county])
        occupied = occupied_counted(people, residents, shares, self.bins, coverage).reshape(len(cells), len(share))
        return self.times[cells, None] * occupied

    def _by_part(self, factors: Callable[[slice], FloatArray], many: int, missed: FloatArray) -> FloatArray:
        """For each part, return the sum of ``many`` factors times ``(1 - x)^(n - 1)`` over the cells of its county."""
        table = np.zeros((many, len(missed)))
        others, first, factor = self.people - 1, 0, np.zeros((many, 0))
        for cells, parts in self._blocks():
            if cells.stop > first + factor.shape[1]:
                # a few counties at once: the factors of all counties take ten times the memory of the people
                first, factor = cells.start, factors(slice(cells.start, self._end_of_chunk(cells)))
            ours = factor[:, cells.start - first : cells.stop - first]
            exponent = others[cells, None] * missed[parts]
            table[:, parts] = ours @ np.exp(exponent, out=exponent)
        return table

    def _end_of_chunk(self, cells: slice) -> int:
        """Return the index at which a chunk of whole counties ends; the first county of the chunk has these cells."""
        last = int(np.searchsorted(self.cells, cells.start + _PAIRS_AT_ONCE, side="right")) - 1
        return max(int(self.cells[last]), int(cells.stop))

    def _counties(self) -> Iterator[tuple[slice, slice]]:
        """Yield the cells and the parts of each county."""
        cells, parts = self.cells.tolist(), self.parts.tolist()
        for county in range(len(cells) - 1):
            yield slice(cells[county], cells[county + 1]), slice(parts[county], parts[county + 1])

    def _blocks(self) -> Iterator[tuple[slice, slice]]:
        """For each county that has cells, yield the cells and a block of its parts."""
        for cells, parts in self._counties():
            many = cells.stop - cells.start
            if many:
                step = max(_PAIRS_AT_ONCE // many, 1)
                for low in range(parts.start, parts.stop, step):
                    yield cells, slice(low, min(low + step, parts.stop))

    def _of_part(self, values: FloatArray) -> FloatArray:
        """Repeat the value of each county for each of its parts."""
        return np.repeat(values, np.diff(self.parts))

    def _by_county(self, values: FloatArray, ends: IntArray) -> FloatArray:
        """Add up values by county; the last dimension is cells or parts."""
        upto = np.zeros((*values.shape[:-1], len(ends) - 1))
        held = np.flatnonzero(np.diff(ends))  # where a county has nothing, reduceat would give it the next value
        if len(held):
            upto[..., held] = np.add.reduceat(values, ends[held], axis=-1)
        return upto

    @cached_property
    def _large(self) -> BoolArray:
        """Which cells are a large part of their county."""
        return is_large(self.people, np.repeat(self.residents, np.diff(self.cells)))

    @cached_property
    def _times(self) -> FloatArray:
        """How often each cell occurs; 0 for a large part of its county."""
        return np.where(self._large, 0.0, self.times)

    @cached_property
    def _pairs(self) -> FloatArray:
        """The ordered pairs of people of each cell; 0 for a cell that is a large part of its county."""
        return self._times * self.people * (self.people - 1)

    def _rarer(self, coverage: FloatArray, power: int) -> FloatArray:
        """Return ``k / (1 - x)^power`` of each part: ``k`` is half the loss of pairs of people in one of its bins."""
        c = self._of_part(coverage)
        x = self.share * c / self.bins
        rarer: FloatArray = (c / self.bins) ** 2 * self.share * (1 - self.share) / (2 * self._of_part(self.residents))
        rarer /= np.where(x < 1, 1 - x, 1.0) ** power  # 0 for a part that is the whole county
        return rarer


def ways(weight: FloatArray, others: FloatArray, most: int) -> FloatArray:
    """Return ``weight`` times the ways to choose 0, 1, ..., ``most`` of the others; shape (most + 1, cells)."""
    chosen = np.arange(1.0, most + 1)[:, None]
    ways: FloatArray = np.cumprod(np.vstack([weight, np.maximum(others - (chosen - 1), 0) / chosen]), axis=0)
    return ways
