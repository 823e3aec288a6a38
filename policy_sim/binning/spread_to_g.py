"""How far the people in bins of ``g`` or fewer scatter round their expectation, for any g."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from policy_sim.binning.expectation import people_g_distinct
from policy_sim.binning.inputs import FloatArray, checked_bins, checked_coverage, checked_whole, together
from policy_sim.binning.sweep import people_by_bin_size
from policy_sim.errors import InputError

__all__ = ["variance_of_people_g_distinct"]


def variance_of_people_g_distinct(people: ArrayLike, bins: ArrayLike, g: int, coverage: ArrayLike = 1.0) -> FloatArray:
    """Return the variance of the number of listed people who share their bin with fewer than ``g`` others.

    Parameters
    ----------
    people, coverage : As in :func:`~policy_sim.binning.people_g_distinct`.
    bins : 1, or 2 and more: between them two bins at a time have no meaning.
    g : Largest bin that counts, >= 1; one for all groups.

    Returns
    -------
    People squared. A bin of ``i`` listed people leaves the ``n - i`` others to the ``b - 1`` other bins,
    listed with the chance ``c' = c (b-1)/(b-c)``; with ``i f(i)`` the people in bins of ``i``,
    ``Var = sum over i <= g of i f_{n,b,c}(i) (i + h_{n-i,b-1,c'}(g) - h_{n,b,c}(g))``.

    Raises
    ------
    InputError : an argument outside its range.

    Examples
    --------
    Of the 8 throws of 3 people into 2 bins, 6 leave three people in bins of two or fewer and 2 leave none.

    >>> variance_of_people_g_distinct(3, 2, 2).round(12).item()
    1.6875
    """
    top = int(checked_whole("g", g, 1))
    n, b = checked_whole("people", people, 0), checked_bins(bins)
    between = (b > 1) & (b < 2)
    if between.any():
        raise InputError(f"bins = {b[between].ravel()[0]:.17g} has no variance: give 1, or 2 and more.")
    shape, (n, b, c) = together(n, b, checked_coverage(coverage))
    mean = people_g_distinct(n, b, top, c)
    by_size = people_by_bin_size(n, b, top, c).tocoo()
    row, size = by_size.row, by_size.col + 1.0
    alone = b[row] == 1
    rest_bins = np.where(alone, 1.0, b[row] - 1)
    listed = np.where(alone, 0.0, c[row] * rest_bins / np.where(alone, 1.0, b[row] - c[row]))
    others = people_g_distinct(np.maximum(n[row] - size, 0), rest_bins, top, np.minimum(listed, 1.0))
    terms = by_size.data * (size + others - mean[row])
    return np.maximum(np.bincount(row, weights=terms, minlength=n.size), 0.0).reshape(shape)
