"""A place made of parts of several counties: people of each county fall into it by chance.

A ZIP code area or a three-digit ZIP code takes a share of each of several counties. A county's cell of ``N``
people falls over its parts with known shares ``p``, each person independently, so that a bin of the place
holds a sum of binomials, one for each county. The chance that a listed person of the cell is in a given bin is
``x = c p / b``, with the list's coverage ``c``.

Every function takes all places of some counties and several cells of each county at once, and returns figures
added up over all of them:

listed : Chance ``c p`` that a person of a county lives in a place and is listed: sparse, shape (places, counties).
people : Persons ``N`` of each cell of the counties, shape (counties, cells).
bins : Values ``b`` >= 1 that the key distinguishes inside a place.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from policy_sim.arrays import FloatArray
from policy_sim.binning.binomial_sums import chances_of_sums

__all__ = ["claimed_in_places", "distinct_in_places", "occupied_in_places"]


def occupied_in_places(listed: sparse.csr_array, people: FloatArray, bins: float) -> float:
    """Return the expected number of bins that hold a listed person: ``b (1 - q)``, ``q = prod (1 - x)^N``.

    Examples
    --------
    Two counties of one person each, half of whom live in the place: somebody lives there with chance 3/4.

    >>> occupied_in_places(sparse.csr_array([[0.5, 0.5]]), np.ones((2, 1)), 1.0)
    0.75
    """
    chance, certain = _parted(listed, bins)
    occupied = -bins * np.expm1(_of_data(chance, np.log1p(-chance.data)) @ people)
    if certain.nnz:
        occupied[certain @ people > 0] = bins
    return float(occupied.sum())


def distinct_in_places(listed: sparse.csr_array, people: FloatArray, bins: float, g: int) -> FloatArray:
    """Return the expected number of listed people in bins of at most 1, 2, ..., ``g`` people; shape (g,).

    Examples
    --------
    >>> distinct_in_places(sparse.csr_array([[0.5, 0.25]]), np.ones((2, 1)), 1.0, 2).tolist()
    [0.5, 0.75]
    """
    chances = chances_of_sums(_of_data(listed, np.minimum(listed.data / bins, 1.0)), people, g)
    by_size: FloatArray = bins * np.arange(1.0, g + 1) * chances[1:]
    return np.cumsum(by_size)


def claimed_in_places(shares: sparse.csr_array, people: FloatArray, bins: float, coverage: float = 1.0) -> float:
    """Return the expected number of records claimed: those with whose values exactly one person is listed.

    A record of a listed person is claimed where nobody else of its bin is listed; a record of somebody who is
    not, where exactly one other is. With ``q`` the chance that a bin has nobody listed and ``o = x/(1 - x)``:
    ``b q sum N o + q sum N p (1 - c)/(1 - x) (sum N o - o)``. ``shares`` has the chance ``p`` alone.
    """
    correct = float(distinct_in_places(_of_data(shares, shares.data * coverage), people, bins, 1)[0])
    if coverage == 1:
        return correct
    x = shares.data * coverage / bins  # less than 1
    odds, unlisted = x / (1 - x), shares.data * (1 - coverage) / (1 - x)
    empty = np.exp(_of_data(shares, np.log1p(-x)) @ people)
    others = (_of_data(shares, unlisted) @ people) * (_of_data(shares, odds) @ people)
    itself = _of_data(shares, unlisted * odds) @ people
    return correct + float((empty * np.maximum(others - itself, 0.0)).sum())


def _parted(listed: sparse.csr_array, bins: float) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Return the chances of a bin that are less than 1, and those that are 1."""
    chance = np.minimum(listed.data / bins, 1.0)
    return _of_data(listed, np.where(chance < 1, chance, 0.0)), _of_data(listed, (chance == 1) * 1.0, clean=True)


def _of_data(matrix: sparse.csr_array, data: FloatArray, *, clean: bool = False) -> sparse.csr_array:
    made = sparse.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
    if clean:
        made = made.copy()
        made.eliminate_zeros()
    return made
