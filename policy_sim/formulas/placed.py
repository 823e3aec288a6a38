"""What the people of a place bear of its figures, where chance places them: each county's, or those of some of them.

In every function ``cells`` are those of several counties (:class:`~policy_sim.formulas.parts.PlacedCells`), and
``tracked`` some of the people of each, several choices of them; shape (choices, counties, cells). Of tracked people the
coverage and the stale records may also be one number by county and cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv, pdtri

from policy_sim.formulas.parts import PlacedCells
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


_NODES = {many: np.polynomial.legendre.leggauss(many) for many in (8, 20, 48)}
_NOTHING = 60.0  # exp(-60) does not matter
_NOTHING_OF_TRACKED = 25.0  # exp(-25) of a share does not matter
_SMOOTH = 3.0, 0.5  # up to this mean and chance of a trial eight nodes are right to 1e-12
_OUT_OF_THE_QUESTION = 1e-18
_TINY = 1e-300  # in place of 0, whose logarithm a product could not take
_PAIRS_AT_ONCE = 4_000  # of a place's county and a cell: with some twenty points each they fit into the cache

_Number = TypeVar("_Number", np.float64, np.complex128)


def occupied_by_county(cells: PlacedCells) -> FloatArray:
    """Divide the expected correct links among the counties of the people; shape (counties, cells).

    Returns
    -------
    Numbers that add up, over the counties, to those of each cell: without stale records its occupied bins.

    Examples
    --------
    One person lives in the place for certain, the other with chance 1/2: they share the bin in half of the cases.

    >>> from scipy import sparse
    >>> here = sparse.csr_array([[1.0, 0.5]])
    >>> occupied_by_county(PlacedCells(here, np.ones((2, 1)), 1.0)).round(12).tolist()
    [[0.75], [0.25]]
    """
    borne = np.zeros_like(cells.people)
    for county, x, count, records in _pieces(cells):
        mean = x @ count + records
        # a crowded bin's generating function falls fast from z = 1: integrate only where something is left of it
        level = np.log2(np.maximum(mean, _NOTHING) / _NOTHING) // 2
        if x.max(initial=0.0) <= _SMOOTH[1]:
            level[mean <= _SMOOTH[0]] = -1
        for least in np.unique(level[mean > 0]).tolist():
            few = np.flatnonzero((level == least) & (mean > 0))
            high = min(1.0, 4.0**-least)  # beyond this, less than e^-60 of the integral remains
            nodes, weights = _NODES[8 if least < 0 else 48]
            node, weight = (nodes + 1) / 2 * high, weights / 2 * high
            miss = 1 - np.outer(node, x)
            held = np.exp(_product(np.log(miss), count[:, few]) - np.outer(node, records[few]))
            rest = _product((weight[:, None] * x / miss).T, held)
            borne[np.ix_(county, few)] += cells.bins * count[:, few] * rest
    return borne


def distinct_by_county(cells: PlacedCells, g: Sequence[int]) -> FloatArray:
    """Return how many listed people of each county are in bins of ``g`` or fewer; shape (len(g), counties, cells).

    ``g`` may be in any order.

    Examples
    --------
    >>> from scipy import sparse
    >>> here = sparse.csr_array([[1.0, 0.5]])
    >>> distinct_by_county(PlacedCells(here, np.ones((2, 1)), 1.0), [1, 2]).round(12).tolist()
    [[[0.5], [0.0]], [[1.0], [0.5]]]
    """
    borne, sizes = np.zeros((len(g), *cells.people.shape)), np.asarray(g)
    most = float(pdtri(max(g), _OUT_OF_THE_QUESTION))
    z, upto = _circle(sizes, 8 * max(g) + 8)
    for county, x, count, records in _pieces(cells):
        few = np.flatnonzero(x @ count <= most)
        if not len(few):
            continue
        miss, count = 1 - np.outer(1 - z, x), count[:, few]
        held = np.exp(_product(np.log(miss), count) - np.outer(1 - z, records[few]))
        factors = (upto.T[:, None] * (x / miss).T).reshape(-1, len(z))
        rest = _product(factors, held).real.reshape(len(g), len(x), -1)
        for place, single in enumerate(rest):
            borne[place][np.ix_(county, few)] += cells.bins * count * single
    return np.maximum(borne, 0.0)


def _circle(sizes: IntArray, length: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return points of a circle, and what a generating function is multiplied with there for each of the sizes.

    That gives the sum of its coefficients below ``g``. On a circle inside the unit circle, larger sizes fade; rounding
    errors grow at most a thousandfold. Half of the circle is enough: the other half has the conjugate values (hence
    2 / length and the real part).
    """
    most = int(sizes.max())
    z = 10.0 ** (-3 / most) * np.exp(2j * np.pi * (np.arange(length // 2) + 0.5) / length)
    back = z[:, None] ** -np.arange(float(most)) * (2 / length)
    return z, np.cumsum(back, axis=1)[:, sizes - 1]


def _pieces(cells: PlacedCells) -> Iterator[tuple[IntArray, FloatArray, FloatArray, FloatArray]]:
    """For each place, yield its counties, the chances to be in a bin, the people, and the stale records in a bin."""
    share, every_x, left = cells.share, cells.chance, cells.of_piece(cells.stale)
    for place in range(share.shape[0]):
        piece = slice(share.indptr[place], share.indptr[place + 1])
        people = cells.people[share.indices[piece]]
        records = (share.data[piece] * left[piece] / cells.bins) @ people
        yield share.indices[piece], every_x[piece], people, records


def _product(left: NDArray[_Number], right: NDArray[Any]) -> NDArray[_Number]:
    """Multiply two small matrices in one thread; here several threads cost more time than they save."""
    product: NDArray[_Number] = np.einsum("ab,bc->ac", left, right)
    return product


# The same of some of the people.


class _Tracked(NamedTuple):
    """Cells of places that take parts of as many counties: everyone, of whom some are tracked, and the chance of a bin.

    A pair is a cell in a place. Its counties are those of its place, one after the other.

    Attributes
    ----------
    place, cells : Which place and cell each pair is.
    chance : Chance ``x`` of each trial, by kind of pair; shape (counties, kinds).
    kind : Kind of each pair.
    trials, tracked : All trials, shape (counties, pairs), and those of tracked people for each choice.
    stale : Mean stale records in a bin of each pair.
    """

    place: IntArray
    cells: IntArray
    chance: FloatArray
    kind: IntArray
    trials: FloatArray
    tracked: FloatArray
    stale: FloatArray

    @property
    def mean(self) -> FloatArray:
        """Mean entries of a bin of each cell."""
        mean: FloatArray = (self.chance[:, self.kind] * self.trials).sum(axis=0) + self.stale
        return mean

    def at(self, pairs: IntArray) -> _Tracked:
        """Return some of the pairs, with their kinds alone."""
        present = np.zeros(self.chance.shape[1], dtype=np.bool_)
        present[self.kind[pairs]] = True
        by_pair = {name: getattr(self, name)[..., pairs] for name in ("place", "cells", "trials", "tracked", "stale")}
        kind = (np.cumsum(present) - 1)[self.kind[pairs]]
        return self._replace(kind=kind, chance=self.chance[:, present], **by_pair)

    def missed(self, away: NDArray[Any]) -> NDArray[Any]:
        """Return the generating function of one trial at ``1 - away``; shape (points, counties, kinds)."""
        missed: NDArray[Any] = 1 - np.multiply.outer(away, self.chance)
        return missed

    def generated(self, away: NDArray[Any]) -> NDArray[Any]:
        """Return that of all entries of a bin, stale records among them; shape (points, cells)."""
        missed = self.missed(away)
        log = np.log(np.where(missed == 0, 1e-300, missed))
        added = np.multiply.outer(-away, self.stale)
        for of_county, trials in zip(log.transpose(1, 0, 2), self.trials, strict=True):
            added += of_county[:, self.kind] * trials
        generated: NDArray[Any] = np.exp(added, out=added)
        return generated


def _by_place(cells: PlacedCells, tracked: FloatArray) -> Iterator[_Tracked]:
    """Yield the cells of places of as many counties together."""
    share, people, bins = cells.share, cells.people, cells.bins
    listed = np.broadcast_to(np.asarray(cells.coverage, dtype=np.float64), people.shape)
    number: dict[bytes, int] = {}  # of each kind of cell, by the chances of its counties
    kind = np.array([number.setdefault(cell.tobytes(), len(number)) for cell in np.ascontiguousarray(listed.T)])
    kinds = np.array([np.frombuffer(chances) for chances in number]).T
    left, many = people * cells.stale / bins, np.diff(share.indptr)
    for counties in np.unique(many[many > 0]).tolist():
        alike = np.flatnonzero(many == counties)
        step = max(_PAIRS_AT_ONCE // (counties * people.shape[1]), 1)
        for at in (alike[low : low + step] for low in range(0, len(alike), step)):
            piece = share.indptr[at] + np.arange(counties)[:, None]  # by county of a place, and place
            county, chance = share.indices[piece], share.data[piece][..., None]
            held = np.nonzero(people[county].any(axis=0))
            place, cell = held
            own = county[:, place], cell
            yield _Tracked(
                at[place],
                cell,
                np.minimum(chance * kinds[county] / bins, 1.0).reshape(counties, -1),
                place * kinds.shape[1] + kind[cell],
                people[own],
                tracked[(slice(None), *own)],
                (chance * left[county]).sum(axis=0)[held],
            )


def occupied_by_tracked(cells: PlacedCells, tracked: FloatArray) -> FloatArray:
    """Return the expected correct matches of tracked people by place and cell; shape (choices, places, cells).

    Examples
    --------
    One person lives in the place for certain, the other with chance 1/2: they share the bin in half of the cases.

    >>> from scipy import sparse
    >>> two = PlacedCells(sparse.csr_array([[1.0, 0.5]]), np.ones((2, 1)), 1.0)
    >>> occupied_by_tracked(two, np.stack([two.people, [[1.0], [0.0]]])).round(9).ravel().tolist()
    [1.0, 0.75]
    """
    bins, borne = cells.bins, np.zeros((len(tracked), cells.share.shape[0], cells.people.shape[1]))
    for every in _by_place(cells, tracked):
        mean = every.mean
        level = np.log2(np.maximum(mean, _NOTHING_OF_TRACKED) / _NOTHING_OF_TRACKED) // 1
        smooth = (mean <= _SMOOTH[0]) & (every.chance.max(axis=0) <= _SMOOTH[1])[every.kind]
        level[smooth] = -1
        for least in np.unique(level).tolist():
            # a crowded bin's generating function falls fast from z = 1: integrate only where something is left of it
            crowd, high = every.at(np.flatnonzero(level == least)), min(1.0, 2.0**-least)
            nodes, weights = _NODES[8 if least < 0 else 20]
            node, weight = (nodes + 1) / 2 * high, weights / 2 * high
            met = weight[:, None, None] * crowd.chance / crowd.missed(node)
            held = crowd.generated(node)
            links = np.stack([(of_county[:, crowd.kind] * held).sum(axis=0) for of_county in met.transpose(1, 0, 2)])
            borne[:, crowd.place, crowd.cells] += bins * (links * crowd.tracked).sum(axis=1)
    return borne


def distinct_of_tracked(cells: PlacedCells, tracked: FloatArray, sizes: IntArray) -> FloatArray:
    """Return the tracked listed people in bins of each of ``sizes`` or fewer; shape (choices, len(sizes)).

    Examples
    --------
    >>> from scipy import sparse
    >>> two = PlacedCells(sparse.csr_array([[1.0, 0.5]]), np.ones((2, 1)), 1.0)
    >>> distinct_of_tracked(two, np.stack([two.people, [[1.0], [0.0]]]), np.array([1, 2])).round(9).ravel().tolist()
    [0.5, 1.5, 0.5, 1.0]
    """
    g, total = int(sizes.max()), np.zeros((len(tracked), len(sizes)))
    most = float(pdtri(g, _OUT_OF_THE_QUESTION))
    z, upto = _circle(sizes, 4 * g + 8)
    for every in _by_place(cells, tracked):
        at = np.flatnonzero((every.mean <= most) & every.tracked.any(axis=(0, 1)))
        if not len(at):
            continue
        few = every.at(at)
        missed, held = few.missed(1 - z), few.generated(1 - z)
        for county, met in enumerate((few.chance / missed).transpose(1, 0, 2)):
            total += cells.bins * (few.tracked[:, county] @ (met[:, few.kind] * held).T @ upto).real
    return np.maximum(total, 0.0)


# All sizes of bins at once, where people live in places by chance: the chance of each size of a crowded bin.
#
# The number of people in a bin is a sum of binomials, one per county of the place (:mod:`policy_sim.formulas.parts`).
# If the sum is small, its chances come from there. For a crowded bin, the generating
# function on the unit circle,
#
#     ``prod (1 - x + x z)^N``,
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
    stale : Mean stale records that are in each sum too, Poisson; shape (cells,), or one number.
    tracked : The people of each cell who count, of those in ``people``; None: all of them.

    Returns
    -------
    People, not places and not stale records: the chance of each size times the (tracked) people in it; shape
    (most + 2,), with all larger sizes together in the last. They add up to the weighted means.

    Examples
    --------
    Two tosses of a fair coin: two successes, and so two people, in one of four cases.

    >>> sizes_of_crowded(np.array([0.5]), np.array([[2.0]]), np.ones(1), 3).round(12).tolist()
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
            chances = _window(chance, people[:, cells], records[cells], length, ours, spread[cells].min())
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
    stale: FloatArray,
    length: int,
    tracked: FloatArray | None,
    spread: float,
) -> FloatArray:
    """Return the chances of the sums of each cell, by the remainder of the sum; shape (length, cells).

    ``spread``: the least variance of these sums. The modulus of the generating function at angle ``t`` is at most
    ``exp(-spread (1 - cos t))``: beyond the angle where the root of that is far below
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
    transform = np.exp(log) if tracked is None else np.exp(log) * _product(chance * z / miss, tracked)
    return np.fft.irfft(transform, n=length, axis=0)


def sizes_in_places(
    cells: PlacedCells,
    most: int,
    least: float,
    released: FloatArray | None = None,
    times: FloatArray | None = None,
) -> FloatArray:
    """Return the people in bins of each size, of cells that have at least ``least`` entries per bin.

    ``released``: those who count, of the people; shape (counties, cells). None: all. ``times``: how often each cell
    occurs; None: once. Returns people as :func:`sizes_of_crowded`.
    """
    persons = np.zeros(most + 2)
    weight = np.full(cells.people.shape[1], cells.bins) if times is None else times * cells.bins
    for county, x, count, records in _pieces(cells):
        few = np.flatnonzero(x @ count + records >= least)
        if not len(few):
            continue
        ours = None if released is None else released[np.ix_(county, few)]
        persons += sizes_of_crowded(x, count[:, few], weight[few], most, records[few], ours)
    return persons


def _by_size(size: IntArray, held: FloatArray, most: int) -> FloatArray:
    place = np.minimum(size, most + 1).ravel()
    return np.bincount(place, weights=held.ravel(), minlength=most + 2).astype(np.float64, copy=False)
