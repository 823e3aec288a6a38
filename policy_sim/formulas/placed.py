"""People whom chance places in the ZIP codes of a county."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv, pdtri

from policy_sim.formulas.binomial import Trials, log_miss, mass
from policy_sim.formulas.bins import people_g_distinct
from policy_sim.formulas.counted_parts import Pairs, distinct_counted, is_large, matched_trials, occupied_counted
from policy_sim.formulas.county_parts import SMALL_G, CountyParts, ways
from policy_sim.formulas.parts import Places
from policy_sim.formulas.stale import sizes_with_stale
from policy_sim.words.arrays import FloatArray, IntArray

# How the figures of a place, in which people live by chance, divide among the people of its counties.
#
# All people in a cell of one county have the same risk. People of different counties in one place do not: those who are
# more likely to live there meet the others more often. Let ``x`` be the chance that a person of a county is in a bin,
# ``G(z)`` the generating function of all people in the bin, and ``G_c`` the same without one person of county ``c``.
# The ``N`` people of that county's cell then have
#
#     total risk  ``b N x`` times the integral of ``G_c`` from 0 to 1 (the mean of one over the people in the bin),
#     g-distinct  ``b N x`` times the coefficients of ``G_c`` up to ``g - 1``.
#
# Each place holds exactly as many people as the census counts there, so two people of a cell share a bin a little less
# often than if they were placed independently (:mod:`policy_sim.formulas.county_parts`). That adds, as the first term
# in ``1/M``,
#
#     total risk  ``b k N (N - 1) B_0``,  g-distinct  ``b k N (N - 1) ((g + 1) B_(g-1) - g B_g)``,
#
# with the coefficients ``B`` of ``G`` without two people of the county. The county's own people get that term.


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)
_NOTHING = 60.0  # exp(-60) does not matter
_OUT_OF_THE_QUESTION = 1e-18
_TINY = 1e-300  # in place of 0, whose logarithm a product could not take

_Number = TypeVar("_Number", np.float64, np.complex128)


def occupied_in_parts(
    people: FloatArray,
    share: FloatArray,
    bins: float,
    coverage: float = 1.0,
    residents: float = np.inf,
    stale: float = 0.0,
) -> FloatArray:
    """Return the expected correct links to listed people of each cell of one county; shape (cells,).

    Without stale records they are the bins that hold a listed person of the cell.

    Parameters
    ----------
    people : People in each cell, shape (cells,).
    share : Chance that a person of the county lives in each part, shape (parts,).
    bins, coverage : Values that the key distinguishes inside a part, and the chance that a person is listed.
    residents : People ``M`` of the county; infinite where people are placed independently.
    stale : Stale records per person of the cells, >= 0.

    Examples
    --------
    >>> occupied_in_parts(np.array([1.0, 2.0]), np.array([0.5, 0.5]), 1.0).tolist()
    [1.0, 1.5]
    """
    if stale:
        facts = (people, np.ones_like(people), np.array([0, len(people)]), share, np.array([0, len(share)]))
        county = CountyParts(bins, *facts, np.array([residents]), np.array([coverage]), np.array([stale]))
        links: FloatArray = next(county.occupied_by_part(np.ones(1))).sum(axis=1)
        return links
    missed = log_miss(np.full_like(share, bins), share * coverage)
    empty = np.expm1(np.outer(people, missed))
    occupied: FloatArray = -bins * empty.sum(axis=1)
    rarer = _rarer(share, residents, bins, coverage) / np.where(share * coverage < bins, np.exp(missed), 1.0) ** 2
    occupied += bins * people * (people - 1) * ((1 + empty) @ rarer)
    large = is_large(people, residents)
    occupied[large] = _counted(occupied_counted, people[large], share, residents, bins=bins, coverage=coverage)[0]
    return occupied


def distinct_in_parts(
    people: FloatArray,
    share: FloatArray,
    bins: float,
    g: Sequence[int],
    coverage: float = 1.0,
    residents: float = np.inf,
    stale: float = 0.0,
) -> FloatArray:
    """Return the expected number of listed people of each cell of one county in bins of ``g`` or fewer.

    The parameters are those of :func:`occupied_in_parts`; shape (len(g), cells). With stale records, each person falls
    by itself but for those of cells that are a large part of the county.

    Examples
    --------
    >>> distinct_in_parts(np.array([2.0]), np.array([0.5, 0.5]), 1.0, [1, 2]).round(12).tolist()
    [[1.0], [2.0]]
    """
    most, listed, sizes = max(g), share * coverage, np.asarray(g)
    if stale:
        shape, every = (len(sizes), len(people), len(share)), np.arange(1, most + 1)
        count, part = (array.ravel() for array in np.broadcast_arrays(people[:, None], share))
        distinct: FloatArray = people_g_distinct(count, bins, every[:, None], part * coverage)
        large = is_large(count, residents)
        pairs = Pairs(count[large], np.full(int(large.sum()), residents), part[large])
        distinct[:, large] = distinct_counted(pairs, bins, every, coverage)
        with_stale = sizes_with_stale(distinct, count * part * stale / bins)[sizes - 1]
        added: FloatArray = with_stale.reshape(shape).sum(axis=2)
        return added
    if most > SMALL_G:
        distinct = np.cumsum(_mass_by_size(people, listed, bins, most), axis=0)[sizes - 1]
        return _with_counted(distinct, people, share, bins, sizes, coverage, residents)
    whole = listed >= bins  # everyone is listed in the one bin of such a part
    x = np.where(whole, 0.0, listed / bins)
    others = np.maximum(people - 1, 0.0)
    empty = np.exp(np.outer(others, np.log1p(-x)))
    powers: FloatArray = np.power.outer(x / (1 - x), np.arange(most + 1.0))
    in_bin = (empty @ (powers[:, :most] * np.where(whole, 0.0, listed)[:, None])).T
    by_size = ways(people, others, most - 1) * in_bin
    by_size += whole.sum() * np.where(people == np.arange(1.0, most + 1)[:, None], people, 0.0)
    rarer = _rarer(share, residents, bins, coverage) / (1 - x)
    at = bins * people * (people - 1) * ways(np.ones_like(people), np.maximum(people - 2, 0.0), most)
    at *= (empty @ (powers * rarer[:, None])).T
    moved = (sizes[:, None] + 1) * at[sizes - 1] - sizes[:, None] * at[sizes]
    distinct = np.cumsum(by_size, axis=0)[sizes - 1] + moved
    return _with_counted(distinct, people, share, bins, sizes, coverage, residents)


def _with_counted(
    distinct: FloatArray,
    people: FloatArray,
    share: FloatArray,
    bins: float,
    sizes: IntArray,
    coverage: float,
    residents: float,
) -> FloatArray:
    """Put in the figures of the cells that are a large part of the county."""
    large = is_large(people, residents)
    figures = partial(distinct_counted, bins=bins, sizes=sizes, coverage=coverage)
    distinct[:, large] = _counted(figures, people[large], share, residents)
    return distinct


def _counted(
    figures: Callable[..., FloatArray], people: FloatArray, share: FloatArray, residents: float, **more: float
) -> FloatArray:
    """Return the figures of large cells of one county, added up over its parts; shape (figures, cells)."""
    count, shares = (array.ravel() for array in np.broadcast_arrays(people[:, None], share))
    by_part = figures(Pairs(count, np.full_like(count, residents), shares), **more)
    summed: FloatArray = by_part.reshape(len(by_part), len(people), len(share)).sum(axis=2)
    return summed


def _rarer(share: FloatArray, residents: float, bins: float, coverage: float) -> FloatArray:
    """Return ``k`` of each part: half of how much less often two people share one of its bins."""
    return (coverage / bins) ** 2 * share * (1 - share) / (2 * residents)


def _mass_by_size(people: FloatArray, listed: FloatArray, bins: float, most: int) -> FloatArray:
    """Return the people of each cell in bins of each size, where sizes are too large to compute one by one."""
    shape = np.broadcast_shapes((len(people), 1), listed.shape)  # which may hold no part at all
    count, x = (array.ravel() for array in np.broadcast_arrays(people[:, None], listed))
    others = Trials(np.maximum(count - 1, 0), np.full_like(count, bins), x)
    sizes = (mass(others, np.full_like(x, float(size)), np.where(count > 0, count * x, 0.0)) for size in range(most))
    return np.array([mass_of_size.reshape(shape).sum(axis=1) for mass_of_size in sizes])


def occupied_by_county(
    places: Places,
    people: FloatArray,
    bins: float,
    coverage: FloatArray | float = 1.0,
    stale: FloatArray | float = 0.0,
) -> FloatArray:
    """Divide the expected correct links among the counties of the people; shape (counties, cells).

    Parameters
    ----------
    places : Chance that a person of a county lives in each place, and the people of the counties.
    people : People in each cell of the counties, shape (counties, cells).
    bins, coverage, stale : As in :func:`occupied_in_parts`; the last two one number, or one per county.

    Returns
    -------
    Numbers that add up, over the counties, to those of each cell: without stale records its occupied bins.

    Examples
    --------
    One person lives in the place for certain, the other with chance 1/2: they share the bin in half of the cases.

    >>> from scipy import sparse
    >>> here = Places.by_themselves(sparse.csr_array([[1.0, 0.5]]))
    >>> occupied_by_county(here, np.ones((2, 1)), 1.0).round(12).tolist()
    [[0.75], [0.25]]
    """
    borne = np.zeros_like(people)
    for county, alike, x, count, rarer, records in _pieces(places, people, bins, coverage, stale):
        mean, pairs = x @ count + records, count * (count - 1)
        # a crowded bin's generating function falls fast from z = 1: integrate only where something is left of it
        level = np.log2(np.maximum(mean, _NOTHING) / _NOTHING) // 2
        for least in np.unique(level).tolist():
            cells = np.flatnonzero(level == least)
            high = min(1.0, 4.0**-least)  # beyond this, less than e^-60 of the integral remains
            node, weight = (_NODES + 1) / 2 * high, _WEIGHTS / 2 * high
            miss = 1 - np.outer(node, x)
            held = np.exp(_product(np.log(miss), count[:, cells]) - np.outer(node, records[cells]))
            rest = _product((weight[:, None] * x / miss).T, held)
            at, more = np.ix_(county, alike[cells]), (rarer / np.where(x < 1, 1 - x, 1.0) ** 2)[:, None]
            empty = np.exp(_product(np.log(np.maximum(1 - x, _TINY))[None], count[:, cells]) - records[cells])
            borne[at] += bins * (count[:, cells] * rest + more * pairs[:, cells] * empty)
    return borne


def distinct_by_county(
    places: Places,
    people: FloatArray,
    bins: float,
    g: Sequence[int],
    coverage: FloatArray | float = 1.0,
    stale: FloatArray | float = 0.0,
) -> FloatArray:
    """Return how many listed people of each county are in bins of ``g`` or fewer; shape (len(g), counties, cells).

    The parameters are those of :func:`occupied_by_county`; ``g`` may be in any order.

    Examples
    --------
    >>> from scipy import sparse
    >>> here = Places.by_themselves(sparse.csr_array([[1.0, 0.5]]))
    >>> distinct_by_county(here, np.ones((2, 1)), 1.0, [1, 2]).round(12).tolist()
    [[[0.5], [0.0]], [[1.0], [0.5]]]
    """
    borne, sizes = np.zeros((len(g), *people.shape)), np.asarray(g)
    most = float(pdtri(max(g), _OUT_OF_THE_QUESTION))
    # on a circle inside the unit circle, larger sizes fade; rounding errors grow at most a thousandfold
    radius, length = 10.0 ** (-3 / max(g)), 8 * max(g) + 8
    # half of the circle is enough: the other half has the conjugate values (hence 2 / length and the real part)
    turn = np.exp(2j * np.pi * (np.arange(length // 2) + 0.5) / length)
    z = radius * turn
    back = z[:, None] ** -np.arange(0.0, max(g) + 1) * (2 / length)
    upto = np.cumsum(back, axis=1)[:, sizes - 1]
    moved = (sizes + 1) * back[:, sizes - 1] - sizes * back[:, sizes]
    for county, alike, x, count, rarer, records in _pieces(places, people, bins, coverage, stale):
        cells = np.flatnonzero(x @ count <= most)
        if not len(cells):
            continue
        miss, count = 1 - np.outer(1 - z, x), count[:, cells]
        held = np.exp(_product(np.log(miss), count) - np.outer(1 - z, records[cells]))
        at, pairs = np.ix_(county, alike[cells]), count * (count - 1)
        factors = [upto.T[:, None] * (x / miss).T, moved.T[:, None] * (rarer / miss**2).T]
        rest = _product(np.array(factors).reshape(-1, len(z)), held).real.reshape(2, len(g), len(x), -1)
        for place, (single, pair) in enumerate(zip(*rest, strict=True)):
            borne[place][at] += bins * (count * single + pairs * pair)
    return np.maximum(borne, 0.0)


def _pieces(
    places: Places, people: FloatArray, bins: float, coverage: FloatArray | float, stale: FloatArray | float
) -> Iterator[tuple[IntArray, IntArray, FloatArray, FloatArray, FloatArray, FloatArray]]:
    """For each place and set of cells, yield its counties, the cells, the chances to be in a bin, the people and ``k``.

    Last come the stale records in a bin of each cell. A cell that is a large part of a county comes by itself, with the
    binomial most like it in that county.
    """
    share, rarer, large = places.share, places.rarer(bins, coverage), places.large(people)
    listed, left = places.of_piece(coverage), places.of_piece(stale)
    for place in range(share.shape[0]):
        piece = slice(share.indptr[place], share.indptr[place + 1])
        county, chance = share.indices[piece], share.data[piece]
        c = listed[piece]
        x, single = np.minimum(chance * c / bins, 1.0), large[county].any(axis=0)
        records = (chance * left[piece] / bins) @ people[county]
        cells = np.flatnonzero(~single)
        if len(cells):
            yield county, cells, x, people[np.ix_(county, cells)], rarer[piece], records[cells]
        for cell in np.flatnonzero(single).tolist():
            is_crowded, count = large[county, cell], people[county, cell]
            alike, trials = matched_trials(Pairs(count, places.residents[county], chance), c / bins)
            hit, trials = np.where(is_crowded, alike, x), np.where(is_crowded, trials, count)
            of_cell, k = np.array([cell]), np.where(is_crowded, 0.0, rarer[piece])
            yield county, of_cell, hit, trials[:, None], k, records[of_cell]


def _product(left: NDArray[_Number], right: NDArray[Any]) -> NDArray[_Number]:
    """Multiply two small matrices in one thread; here several threads cost more time than they save."""
    product: NDArray[_Number] = np.einsum("ab,bc->ac", left, right)
    return product


# All sizes of bins at once, where people live in places by chance: the chance of each size of a crowded bin.
#
# The number of people in a bin is a sum of binomials, one per county of the place (:mod:`policy_sim.formulas.parts`).
# If the sum is small, its chances come from there. For a crowded bin, the generating
# function on the unit circle,
#
#     ``prod (1 - x + x z)^N exp(-k N (N - 1) (1 - z)^2 / (1 - x + x z)^2)``,
#
# gives every chance by one Fourier transform over a window around the mean that leaves out less than
# :data:`_LEFT_OUT` (Bernstein's inequality).


_LEFT_OUT = 1e-20
_EXPONENT = -float(np.log(_LEFT_OUT))
_AT_ONCE = 100_000  # chances computed at once: they fit into the cache


def crowded_mean(size: int) -> float:
    """Return the mean below which a sum of binomials exceeds ``size`` with a chance below :data:`_LEFT_OUT`.

    A sum of binomials is that large less often than a Poisson variable with the same mean (Hoeffding 1956).

    Examples
    --------
    >>> round(crowded_mean(32), 1)
    3.6
    """
    return float(gammaincinv(size + 1, _LEFT_OUT))


def sizes_of_crowded(
    chance: FloatArray,
    people: FloatArray,
    weight: FloatArray,
    most: int,
    rarer: FloatArray,
    pairs: FloatArray,
    stale: FloatArray | float = 0.0,
    tracked: FloatArray | None = None,
) -> FloatArray:
    """Return the weighted chances, added up over cells, that the sums of a place are 0, 1, ..., ``most``, and more.

    Parameters
    ----------
    chance : Chance ``x`` of each trial, 0 to 1, by county; shape (counties,).
    people : Trials ``N``, whole; shape (counties, cells).
    weight : Weight of each cell; shape (cells,).
    most : Largest size distinguished, >= 1.
    rarer, pairs : ``k`` of each county and ``N (N - 1)`` of each cell; 0 where people are placed independently.
    stale : Mean stale records that are in each sum too, Poisson; shape (cells,), or one number.
    tracked : The people of each cell who count, of those in ``people``; None: all of them.

    Returns
    -------
    People, not places and not stale records: the chance of each size times the (tracked) people in it; shape
    (most + 2,), with all larger sizes together in the last. They add up to the weighted means.

    Examples
    --------
    Two tosses of a fair coin: two successes, and so two people, in one of four cases.

    >>> none = np.zeros(1), np.zeros((1, 1))
    >>> sizes_of_crowded(np.array([0.5]), np.array([[2.0]]), np.ones(1), 3, *none).round(12).tolist()
    [0.0, 0.5, 0.5, 0.0, 0.0]
    """
    records = np.broadcast_to(np.asarray(stale, dtype=np.float64), weight.shape)
    mean, spread = chance @ people + records, (chance * (1 - chance)) @ people + records
    half = _EXPONENT / 3 + np.sqrt((_EXPONENT / 3) ** 2 + 2 * _EXPONENT * spread)
    window = 2 ** np.ceil(np.log2(2 * half + 2)).astype(np.int64)
    persons = np.zeros(most + 2)
    larger = mean - half > most  # nothing of these needs a transform
    persons[-1] = (chance @ (people if tracked is None else tracked))[larger] @ weight[larger]
    for length in np.unique(window[~larger]).tolist():
        alike = np.flatnonzero((window == length) & ~larger)
        step = max(_AT_ONCE // length, 1)
        for cells in (alike[low : low + step] for low in range(0, len(alike), step)):
            ours = None if tracked is None else tracked[:, cells]
            chances = _window(
                chance, people[:, cells], rarer, pairs[:, cells], records[cells], length, ours, spread[cells].min()
            )
            lowest = np.round(mean[cells]).astype(np.int64) - length // 2
            # the transform knows a size by its remainder alone; the window, a power of 2, has one size of each
            size = np.maximum(lowest + ((np.arange(length)[:, None] - lowest) & (length - 1)), 0)
            held = np.maximum(chances, 0.0)
            if tracked is None:
                held *= size
                # entries of a sum that are stale: as many times the chance of one entry less
                if records.any():
                    held = np.maximum(held - records[cells] * np.roll(chances, 1, axis=0), 0.0)
            held *= weight[cells]
            persons += _by_size(size, held, most)
    persons[0] = 0.0
    return persons


def _window(
    chance: FloatArray,
    people: FloatArray,
    rarer: FloatArray,
    pairs: FloatArray,
    stale: FloatArray,
    length: int,
    tracked: FloatArray | None,
    spread: float,
) -> FloatArray:
    """Return the chances of the sums of each cell, by the remainder of the sum; shape (length, cells).

    ``spread``: the least variance of these sums. The modulus of the generating function at angle ``t`` is at most
    ``exp(-spread (1 - cos t))``, and the pairs at most halve the exponent: beyond the angle where that is far below
    :data:`_LEFT_OUT`, even times a million tracked people, the function is taken for 0.

    Each chance is times the expected tracked people of such a sum, where some are tracked: their generating function
    is that of the sum times ``sum t x z / (1 - x + x z)``.
    """
    widest = np.arccos(max(1 - 4 * _EXPONENT / spread, -1.0)) if spread > 0 else np.pi
    turn = 2 * np.pi * np.arange(min(int(widest * length / (2 * np.pi)) + 1, length // 2) + 1) / length
    z = np.exp(-1j * turn)[:, None]
    miss = 1 - chance + chance * z
    miss = np.where(np.abs(miss) < _TINY, _TINY, miss)
    log = _product(np.log(miss), people)
    if stale.any():
        log -= (1 - z) * stale
    if pairs.any():
        less = _product(((1 - z) / miss) ** 2 * rarer, pairs)
        # far from z = 1, one term of the hypergeometric is not enough, but the binomial is practically 0
        size = np.abs(less)
        less *= np.minimum(1.0, 0.5 * np.abs(log.real) / np.maximum(size, _TINY))
        log = log - less
    transform = np.exp(log) if tracked is None else np.exp(log) * _product(chance * z / miss, tracked)
    return np.fft.irfft(transform, n=length, axis=0)


def sizes_of_released(
    places: Places,
    people: FloatArray,
    released: FloatArray,
    bins: float,
    coverage: FloatArray | float,
    stale: FloatArray | float,
    most: int,
    least: float,
) -> FloatArray:
    """Return the released people in bins of each size, of cells that have at least ``least`` people per bin.

    ``released``: of ``people``, shape (counties, cells). Returns people as :func:`sizes_of_crowded`.
    """
    persons = np.zeros(most + 2)
    for county, alike, x, count, rarer, records in _pieces(places, people, bins, coverage, stale):
        cells = np.flatnonzero(x @ count + records >= least)
        if len(cells):
            count, weight, at = count[:, cells], np.full(len(cells), bins), np.ix_(county, alike[cells])
            # a large cell counts by the binomial most like it, which may have fewer trials than people
            ours = released[at] * np.divide(count, people[at], out=np.ones_like(count), where=people[at] > 0)
            pairs = count * (count - 1)
            persons += sizes_of_crowded(x, count, weight, most, rarer, pairs, records[cells], ours)
    return persons


def _by_size(size: IntArray, held: FloatArray, most: int) -> FloatArray:
    place = np.minimum(size, most + 1).ravel()
    return np.bincount(place, weights=held.ravel(), minlength=most + 2).astype(np.float64, copy=False)
