"""All sizes of bins at once, where people live in places by chance: the chance of each size of a crowded bin.

The number of people in a bin is a sum of binomials, one per county of the place (:mod:`policy_sim.binning.parts`). If
the sum is small, its chances come from :mod:`policy_sim.binning.binomial_sums`. For a crowded bin, the generating
function on the unit circle,

    ``prod (1 - x + x z)^N exp(-k N (N - 1) (1 - z)^2 / (1 - x + x z)^2)``,

gives every chance by one Fourier transform over a window around the mean that leaves out less than
:data:`_LEFT_OUT` (Bernstein's inequality).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv

from policy_sim.arrays import FloatArray, IntArray

__all__ = ["crowded_mean", "sizes_of_crowded"]

_LEFT_OUT = 1e-20
_EXPONENT = -float(np.log(_LEFT_OUT))
_AT_ONCE = 2_000_000  # chances computed at once
_TINY = 1e-300


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
    chance: FloatArray, people: FloatArray, weight: FloatArray, most: int, rarer: FloatArray, pairs: FloatArray
) -> FloatArray:
    """Return the weighted chances, added up over cells, that the sums of a place are 0, 1, ..., ``most``, and more.

    Parameters
    ----------
    chance : Chance ``x`` of each trial, 0 to 1, by county; shape (counties,).
    people : Trials ``N``, whole; shape (counties, cells).
    weight : Weight of each cell; shape (cells,).
    most : Largest size distinguished, >= 1.
    rarer, pairs : ``k`` of each county and ``N (N - 1)`` of each cell; 0 where people are placed independently.

    Returns
    -------
    People, not places: the chance of each size times the size; shape (most + 2,), with all larger sizes together in the
    last. They add up to the weighted means.

    Examples
    --------
    Two tosses of a fair coin: two successes, and so two people, in one of four cases.

    >>> none = np.zeros(1), np.zeros((1, 1))
    >>> sizes_of_crowded(np.array([0.5]), np.array([[2.0]]), np.ones(1), 3, *none).round(12).tolist()
    [0.0, 0.5, 0.5, 0.0, 0.0]
    """
    mean, spread = chance @ people, (chance * (1 - chance)) @ people
    half = _EXPONENT / 3 + np.sqrt((_EXPONENT / 3) ** 2 + 2 * _EXPONENT * spread)
    window = 2 ** np.ceil(np.log2(2 * half + 2)).astype(np.int64)
    persons = np.zeros(most + 2)
    for length in np.unique(window).tolist():
        alike = np.flatnonzero(window == length)
        step = max(_AT_ONCE // length, 1)
        for cells in (alike[low : low + step] for low in range(0, len(alike), step)):
            chances = _window(chance, people[:, cells], rarer, pairs[:, cells], length)
            lowest = np.round(mean[cells]).astype(np.int64) - length // 2
            place = np.arange(length)[:, None]
            size = lowest + (place - lowest) % length
            held = np.where(size > 0, np.maximum(chances, 0.0) * size * weight[cells], 0.0)
            persons += _counted(size, held, most)
    return persons


def _window(chance: FloatArray, people: FloatArray, rarer: FloatArray, pairs: FloatArray, length: int) -> FloatArray:
    """Return the chances of the sums of each cell, by the remainder of the sum; shape (length, cells)."""
    turn = 2 * np.pi * np.arange(length // 2 + 1) / length
    z = np.exp(-1j * turn)[:, None]
    miss = 1 - chance + chance * z
    miss = np.where(np.abs(miss) < _TINY, _TINY, miss)
    log = _times(np.log(miss), people)
    if pairs.any():
        less = _times(((1 - z) / miss) ** 2 * rarer, pairs)
        # far from z = 1, one term of the hypergeometric is not enough, but the binomial is practically 0
        size = np.abs(less)
        less *= np.minimum(1.0, 0.5 * np.abs(log.real) / np.maximum(size, _TINY))
        log = log - less
    return np.fft.irfft(np.exp(log), n=length, axis=0)


def _times(left: NDArray[np.complex128], right: FloatArray) -> NDArray[np.complex128]:
    """Multiply two small matrices in one thread; here several threads cost more time than they save."""
    product: NDArray[np.complex128] = np.einsum("fc,cs->fs", left, right)
    return product


def _counted(size: IntArray, held: FloatArray, most: int) -> FloatArray:
    place = np.clip(size, 0, most + 1).ravel()
    return np.bincount(place, weights=held.ravel(), minlength=most + 2).astype(np.float64, copy=False)
