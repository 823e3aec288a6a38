"""Every g at once: the people in bins of each size, for many groups in one pass."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from policy_sim.arrays import FloatArray, IntArray
from policy_sim.binning.binomial import Trials, mass, mode, walk
from policy_sim.binning.inputs import checked_bins, checked_coverage, checked_whole, together

__all__ = ["people_by_bin_size"]

_NEGLIGIBLE = 1e-21  # relative to the most likely size
_TINY = float(np.finfo(np.float64).tiny)


def people_by_bin_size(people: ArrayLike, bins: ArrayLike, g_max: int, coverage: ArrayLike = 1.0) -> sparse.csr_array:
    """Return the expected number of people in bins of exactly 1, 2, ..., ``g_max``.

    The code walks each distribution outward from its most likely size by the ratio of neighbors: down to the smallest
    normal number, so that small g keep their digits, and up until the terms no longer matter.

    Parameters
    ----------
    people, bins, coverage : As in :func:`~policy_sim.binning.people_g_distinct`, one value per group.
    g_max : Largest bin to return, >= 1.

    Returns
    -------
    Sparse, shape (groups, g_max); column ``i - 1`` is ``i f_n(i)``. The running sum along a row is
    g-distinct for g = 1, 2, ..., ``g_max``.

    Raises
    ------
    InputError : an argument outside its range.
    """
    n, b = checked_whole("people", people, 0), checked_bins(bins)
    top = int(checked_whole("g_max", g_max, 1))
    _, (n, b, c) = together(n, b, checked_coverage(coverage))
    others = Trials(np.maximum(n - 1, 0), b, c)  # the people one person can meet; a bin of i has i - 1 of them
    start = np.minimum(mode(others), top - 1)
    first = mass(others, start, n * c)
    rows: list[IntArray] = [np.arange(n.size)]
    columns, values = [start], [first]
    walkable = np.where(b != c, first, 0.0)
    for step, stop in ((-1, np.full_like(first, _TINY)), (1, np.maximum(first * _NEGLIGIBLE, _TINY))):
        begin = walkable if step < 0 else np.where(start < top - 1, walkable, 0.0)
        for row, sizes, part in walk(others, start, begin, step, stop):
            in_range = (part > 0) & (sizes < top)
            rows.append(np.broadcast_to(row[:, None], sizes.shape)[in_range])
            columns.append(sizes[in_range])
            values.append(part[in_range])
    return _matrix(rows, columns, values, (n.size, top))


def _matrix(
    rows: list[IntArray], columns: list[FloatArray], values: list[FloatArray], shape: tuple[int, int]
) -> sparse.csr_array:
    place = (np.concatenate(rows).astype(np.int32), np.concatenate(columns).astype(np.int32))
    return sparse.coo_array((np.concatenate(values), place), shape=shape).tocsr()
