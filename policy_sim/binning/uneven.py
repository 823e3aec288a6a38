"""One group whose bins are not equally likely: real birthdays, with February 29.

Each bin ``d`` has a probability ``p_d``. Expectations add up, so the sum over single bins is exact for any
probabilities.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from policy_sim.arrays import FloatArray
from policy_sim.binning.expectation import people_g_distinct
from policy_sim.binning.inputs import checked_numbers, checked_whole
from policy_sim.errors import InputError

__all__ = ["checked_shares", "occupied_uneven_bins", "people_g_distinct_uneven"]


def checked_shares(shares: ArrayLike) -> FloatArray:
    """Return probabilities of bins, each above 0, adding up to 1; or raise InputError."""
    numbers = checked_numbers("shares", shares)
    if numbers.ndim != 1 or not numbers.size or not bool((numbers > 0).all()):
        raise InputError("shares of bins must be a list of numbers above 0; leave out bins that nobody can be in.")
    if abs(float(numbers.sum()) - 1) > 1e-9:
        raise InputError(f"shares of bins add up to {numbers.sum():.12g}; they must add up to 1.")
    scaled: FloatArray = numbers / numbers.sum()
    return scaled


def occupied_uneven_bins(people: ArrayLike, shares: ArrayLike) -> FloatArray:
    """Return the expected number of bins that hold anyone: the total risk of the group.

    Parameters
    ----------
    people : Persons in the group, whole, >= 0.
    shares : Probability of each bin, above 0, adding up to 1; shape (bins,).

    Returns
    -------
    Bins, ``sum over d of 1 - (1 - p_d)**n``; the shape of ``people``. Largest where the shares are equal.

    Raises
    ------
    InputError : an argument outside its range.

    Examples
    --------
    Bins have chances 3/4 and 1/4. Two people fill one bin with chance 9/16 + 1/16, and otherwise two.

    >>> occupied_uneven_bins(2, [0.75, 0.25]).item()
    1.375
    """
    n, p = checked_whole("people", people, 0), checked_shares(shares)
    with np.errstate(divide="ignore"):  # a bin with probability 1: log 0 = -inf
        miss = np.log1p(-p)
    missed = np.expm1(np.maximum(n[..., None], 1) * miss)
    return np.where(n > 0, -missed.sum(axis=-1), 0.0)


def people_g_distinct_uneven(people: ArrayLike, shares: ArrayLike, g: int) -> FloatArray:
    """Return the expected number of people who share their bin with fewer than ``g`` others.

    Parameters
    ----------
    people, shares : As in :func:`occupied_uneven_bins`.
    g : Largest bin that counts, >= 1.

    Returns
    -------
    People, ``n * sum over d of p_d BinomCDF(g - 1; n - 1, p_d)``; the shape of ``people``.

    Examples
    --------
    >>> people_g_distinct_uneven(2, [0.75, 0.25], 1).item()
    0.75
    """
    n, p = checked_whole("people", people, 0), checked_shares(shares)
    kinds, number = np.unique(p, return_counts=True)
    by_kind = people_g_distinct(n[..., None], 1 / kinds, g)  # n BinomCDF(g - 1; n - 1, p)
    return np.asarray(by_kind @ (kinds * number))
