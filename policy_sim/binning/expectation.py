"""Expected numbers of bins and of people in bins: f, h and r in Golle and in Benitez and Malin."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from policy_sim.arrays import FloatArray
from policy_sim.binning.binomial import Trials, mass, tail
from policy_sim.binning.cancellation import log_miss
from policy_sim.binning.inputs import checked_bins, checked_coverage, checked_whole, together

__all__ = ["bins_of_size", "bins_up_to", "occupied_bins", "people_g_distinct"]


def bins_of_size(people: ArrayLike, bins: ArrayLike, size: ArrayLike) -> FloatArray:
    """Return the expected number of bins that hold exactly ``size`` people.

    Parameters
    ----------
    people : Persons in the group, whole, >= 0.
    bins : Equally likely values that the key distinguishes inside the group, >= 1; may be fractional.
    size : People in the bin, whole, >= 0; 0 counts empty bins.

    Returns
    -------
    Bins. Over all sizes they add up to ``bins``, and weighted by size to ``people``.

    Raises
    ------
    InputError : an argument outside its range.

    Examples
    --------
    3 people fall into 2 bins in 8 equally likely ways: 2 put all three together, and 6 split them 2 + 1.

    >>> bins_of_size(3, 2, [1, 2, 3]).round(12).tolist()
    [0.75, 0.75, 0.25]

    References
    ----------
    Golle (2006); Benitez and Malin (2010), equation 1.
    """
    n, b, i = checked_whole("people", people, 0), checked_bins(bins), checked_whole("size", size, 0)
    shape, (n, b, i) = together(n, b, i)
    return mass(Trials(n, b, np.ones_like(b)), i, b).reshape(shape)


def people_g_distinct(people: ArrayLike, bins: ArrayLike, g: ArrayLike, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the expected number of people who share their bin with fewer than ``g`` others.

    Parameters
    ----------
    people, bins : As in :func:`bins_of_size`.
    g : Largest bin that counts, whole, >= 1; 1 counts unique people.
    coverage : Share of the people that the resource lists, at random, 0 to 1. Only listed people count, and only they
        share a bin.

    Returns
    -------
    People, ``n c BinomCDF(g - 1; n - 1, c/b)``; from 0 to ``people * coverage``, growing with ``g``.

    Raises
    ------
    InputError : an argument outside its range.

    Examples
    --------
    >>> people_g_distinct(200, 365, [1, 5]).round(2).tolist()
    [115.86, 199.95]

    References
    ----------
    Benitez and Malin (2010), equations 2 and 3, as their worked example applies them. Equation 2 is printed without the
    weight ``i`` (see :func:`bins_up_to`).
    """
    n, b, k = checked_whole("people", people, 0), checked_bins(bins), checked_whole("g", g, 1)
    shape, (n, b, k, c) = together(n, b, k, checked_coverage(coverage))
    listed = n * c
    # each of the n people meets the n - 1 others: a bin of g holds g - 1 of them
    below, part = tail(Trials(np.maximum(n - 1, 0), b, c), k - 1, listed)
    return np.where(below, part, listed - part).reshape(shape)


def bins_up_to(people: ArrayLike, bins: ArrayLike, g: ArrayLike) -> FloatArray:
    """Return the expected number of bins that hold 1 to ``g`` people.

    Benitez and Malin (2010) print this sum as g-distinct (equation 2). It counts bins, but their worked example and
    results count people: use :func:`people_g_distinct`. This function computes equation 2 as printed. Parameters and
    errors are those of :func:`people_g_distinct`.

    Examples
    --------
    >>> bins_up_to(200, 365, 5).round(2).item()
    154.13
    """
    n, b, k = checked_whole("people", people, 0), checked_bins(bins), checked_whole("g", g, 1)
    shape, (n, b, k) = together(n, b, k)
    trials = Trials(n, b, np.ones_like(b))
    below, part = tail(trials, k, b)
    empty = mass(trials, np.zeros_like(n), b)
    return np.where(below, part - empty, _occupied(n, b, trials.coverage) - part).reshape(shape)


def occupied_bins(people: ArrayLike, bins: ArrayLike, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the expected number of bins that hold a listed person: the total risk of the group.

    The attacker matches one person of each occupied bin correctly, on average, whatever the size of the bin.

    Parameters
    ----------
    people, bins, coverage : As in :func:`people_g_distinct`.

    Returns
    -------
    Bins, ``b (1 - (1 - c/b)**n)``; at most ``bins`` and at most ``people * coverage``.

    Raises
    ------
    InputError : an argument outside its range.

    Examples
    --------
    Three people fall into 2 bins in 8 ways: 2 fill one bin, and 6 fill both.

    >>> occupied_bins(3, 2).item()
    1.75

    References
    ----------
    Benitez and Malin (2010), equation 4, which overflows as printed.
    """
    n, b = checked_whole("people", people, 0), checked_bins(bins)
    shape, (n, b, c) = together(n, b, checked_coverage(coverage))
    return _occupied(n, b, c).reshape(shape)


def _occupied(people: FloatArray, bins: FloatArray, coverage: FloatArray) -> FloatArray:
    # max(people, 1): no people times a certain hit is 0 * -inf
    missed = np.expm1(np.maximum(people, 1) * log_miss(bins, coverage))
    return np.where(people > 0, np.minimum(-bins * missed, people * coverage), 0.0)
