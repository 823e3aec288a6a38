"""The variance of the number of correct links: people fall into bins by chance, and the attacker guesses.

Total risk is an expectation over two kinds of chance. People fall into bins by chance. Then the attacker links each
released record to one of the people in its bin, drawn at random and independently of the other links.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from policy_sim.arrays import FloatArray
from policy_sim.binning.binomial import Trials, mass, mode, walk
from policy_sim.binning.inputs import checked_bins, checked_coverage, checked_whole, together
from policy_sim.binning.variance import variance_of_occupied_bins

__all__ = ["variance_of_correct_links", "variance_of_guesses"]

_NEGLIGIBLE = 1e-21  # relative to the most likely size
_TINY = float(np.finfo(np.float64).tiny)


def variance_of_correct_links(people: ArrayLike, bins: ArrayLike, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the variance of the number of correct links; total risk is its expectation.

    Parameters
    ----------
    people, bins, coverage : As in :func:`~policy_sim.binning.variance_of_occupied_bins`.

    Returns
    -------
    People squared: the variance of the occupied bins plus :func:`variance_of_guesses`. It is at most the expectation
    plus the variance of the occupied bins.

    Raises
    ------
    InputError : an argument outside its range.

    Examples
    --------
    Two people in 2 bins are apart with chance 1/2 (two correct links), and together with chance 1/2 (two coin tosses).
    So 0, 1 and 2 correct links have chances 1/8, 2/8 and 5/8.

    >>> variance_of_correct_links(2, 2).round(12).item()
    0.5
    """
    return variance_of_occupied_bins(people, bins, coverage) + variance_of_guesses(people, bins, coverage)


def variance_of_guesses(people: ArrayLike, bins: ArrayLike, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the part of the variance of the correct links that comes from the attacker's guesses alone.

    Parameters
    ----------
    people, coverage : As in :func:`~policy_sim.binning.people_g_distinct`.
    bins : Equally likely values inside the group, >= 1; may be fractional.

    Returns
    -------
    People squared, ``sum over i >= 2 of f(i) (1 - 1/i)`` with ``f(i)`` the expected bins of ``i`` listed
    people: the attacker picks each of the ``i`` with chance ``1/i``, so the correct links of a bin are binomial with
    mean 1. A one-to-one linkage inside a bin would give 1 instead of ``1 - 1/i``.

    Raises
    ------
    InputError : an argument outside its range.

    Examples
    --------
    >>> variance_of_guesses([1, 4], 1).tolist()
    [0.0, 0.75]
    """
    n, b = checked_whole("people", people, 0), checked_bins(bins)
    shape, (n, b, c) = together(n, b, checked_coverage(coverage))
    trials = Trials(n, b, c)
    start = np.clip(mode(trials), np.minimum(n, 1), n)
    first = mass(trials, start, b)
    total = first * _doubt(start)
    walkable = np.where((b != c) & (c > 0), first, 0.0)
    stop = np.maximum(first * _NEGLIGIBLE, _TINY)
    for step in (-1, 1):
        for row, sizes, values in walk(trials, start, walkable, step, stop):
            total[row] += (values * _doubt(sizes)).sum(axis=1)
    return total.reshape(shape)


def _doubt(size: FloatArray) -> FloatArray:
    """Return ``1 - 1/i``, the variance of the correct links of a bin of ``i``; 0 for an empty one."""
    return 1.0 - 1.0 / np.maximum(size, 1.0)
