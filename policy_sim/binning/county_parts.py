"""A county's people fall over its parts by chance: what is expected of all parts of one county.

A part is what a county has of a ZIP code area. A cell of ``n`` people of the county falls over the parts with
known shares, each person independently; inside a part the key distinguishes ``b`` equally likely values. A bin
of a part then holds a person of the cell, who is listed, with the chance ``x = c p / b``.

Every figure is a sum over cells and parts of a product: a factor of the cell, a factor of the part, and
``(1 - x)^n``. The sum over cells is therefore one product of matrices, and no pair of a cell and a part is ever
visited by itself. All terms are positive: nothing cancels.

Every function takes the cells of one county that hide as many bins:

people : Persons ``n`` >= 1 of each different cell.
times : How many cells have that many people.
bins : Values ``b`` >= 1 that the key distinguishes inside a part.
listed : Chance that a person of the county lives in each part and is listed, 0 to 1: ``c p``.
"""

from __future__ import annotations

import numpy as np

from policy_sim.arrays import FloatArray, IntArray
from policy_sim.binning.cancellation import log_miss
from policy_sim.binning.expectation import people_g_distinct

__all__ = ["claimed_in_parts", "distinct_in_parts", "occupied_in_parts"]

_SMALL_G = 32  # up to here the factors of the cells, n^g / g!, are far from the largest number


def occupied_in_parts(people: FloatArray, times: FloatArray, bins: float, listed: FloatArray) -> float:
    """Return the expected number of bins that hold a listed person: the sum of ``b (1 - (1 - x)^n)``.

    Examples
    --------
    Two people in two parts of a half each: apart in half of the cases, together in the other half.

    >>> occupied_in_parts(np.array([2.0]), np.ones(1), 1.0, np.array([0.5, 0.5]))
    1.5
    """
    missed = np.expm1(np.outer(people, log_miss(np.array(bins), listed)))
    return -bins * float((times @ missed).sum())


def distinct_in_parts(
    people: FloatArray, times: FloatArray, bins: float, listed: FloatArray, sizes: IntArray
) -> FloatArray:
    """Return the expected number of listed people in bins of each of ``sizes`` or fewer; shape (sizes,).

    Examples
    --------
    >>> distinct_in_parts(np.array([2.0]), np.ones(1), 1.0, np.array([0.5, 0.5]), np.array([1, 2])).tolist()
    [1.0, 2.0]
    """
    most = int(sizes.max())
    if most > _SMALL_G:
        figures = people_g_distinct(people[:, None, None], bins, sizes[:, None], listed[None, None])
        return np.asarray(times @ figures.sum(axis=2))
    some = listed[(listed > 0) & (listed < bins)]
    x = some / bins
    others = np.arange(1.0, most)[:, None]
    # people times the ways to choose j - 1 others to share a bin with: n (n-1)...(n-j+1) / (j-1)!
    ways = np.cumprod(np.vstack([times * people, np.maximum(people - others, 0) / others]), axis=0)
    odds = np.cumprod(np.vstack([some, np.broadcast_to(x / (1 - x), (most - 1, len(x)))]), axis=0)
    by_size = ((ways @ _missed_by_others(people, x)) * odds).sum(axis=1)
    distinct: FloatArray = np.cumsum(by_size)[sizes - 1]
    whole = int((listed >= bins).sum())  # everyone is listed in the one bin of such a part
    if not whole:
        return distinct
    distinct += whole * np.where(people <= sizes[:, None], times * people, 0.0).sum(axis=1)
    return distinct


def claimed_in_parts(
    people: FloatArray, times: FloatArray, bins: float, share: FloatArray, coverage: float = 1.0
) -> float:
    """Return the expected number of records claimed, as :func:`~policy_sim.binning.claimed_records` of each part.

    ``share`` is the chance to live in each part, ``coverage`` the chance to be listed.
    """
    correct = float(distinct_in_parts(people, times, bins, share * coverage, np.array([1]))[0])
    if coverage == 1:
        return correct
    x = share * coverage / bins
    pairs = (times * people * (people - 1)) @ _missed_by_others(people, x)
    return correct + float((pairs * share * (1 - coverage) * x / (1 - x)).sum())


def _missed_by_others(people: FloatArray, x: FloatArray) -> FloatArray:
    """Return the chance that nobody else of the cell is in a given bin of each part; shape (cells, parts)."""
    missed: FloatArray = np.exp(np.outer(people - 1, np.log1p(-x)))
    return missed
