"""Cells small for the parts they live in: every measure from the factorial moments of the other entries of a bin.

A person of a cell of ``n`` has in the bin the ``n - 1`` others, each listed there with the chance ``x = c p/b``, and a
Poisson number of stale records with the mean ``n y``. Of their number, the ``i``-th factorial moment over ``i!`` is the
coefficient ``f_i`` of ``z^i`` in ``(1 + x z)^(n-1) exp(n y z)``. Each measure is the mean of a function of that number,
and so a sum over ``i``:

* the chance to be named, the mean of ``1/(1 + others)``: ``sum (-1)^i f_i / (i+1)``;
* fewer than ``g`` others: ``1 - sum over i >= g of (-1)^(i-g) C(i-1, g-1) f_i``;
* exactly one other: ``sum (-1)^(i-1) i f_i``.

As ``x`` and ``y`` are the share ``p`` of the part times what the county has, ``f_i`` is ``p^i`` times a number of the
cell: the sum over all cells and parts of a county is one number of its cells times one of its parts, and no cell meets
a part. The signs alternate, so the sum is taken only where ``n (x + y)`` stays below :data:`SPARSE`: there
:data:`TERMS` terms give every digit that a float has but the last two.

Reference: docs/model.md; Riordan (1958), the method of inclusion and exclusion.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import binom

from policy_sim.words.arrays import FloatArray, IntArray

SPARSE = 0.5  # the most entries of a bin that a cell may have in the mean
TERMS = 15  # 0.5^15 / 15! is 2e-17 of the people


@dataclass(frozen=True, eq=False)
class SparseCells:
    """The factorial moments of the other entries of people of some cells, added up by county.

    ``moments``: the sums of ``n f_i`` over the people of each county, listed or not, shape (TERMS, counties).
    """

    moments: FloatArray

    def named(self) -> FloatArray:
        """Return how many of the people would be named if they are listed; shape (counties,).

        >>> pair = SparseCells(np.array([[2.0], [0.02]] + [[0.0]] * (TERMS - 2)))  # two people, 0.01 the chance to meet
        >>> pair.named().round(3).item()
        1.99
        """
        order = np.arange(TERMS)
        return np.asarray((-1.0) ** order / (order + 1) @ self.moments)

    def distinct(self, sizes: IntArray) -> FloatArray:
        """Return how many have fewer than ``g`` others, for each of ``sizes``; shape (sizes, counties)."""
        order, g = np.arange(TERMS), sizes[:, None]
        signs = np.where(order >= g, (-1.0) ** (order - g) * binom(order - 1, g - 1), 0.0)
        return np.asarray(self.moments[0] - signs @ self.moments)

    def with_one_other(self) -> FloatArray:
        """Return how many have exactly one other; shape (counties,)."""
        order = np.arange(TERMS)
        return np.asarray((-1.0) ** (order - 1) * order @ self.moments)


def person_moments(people: FloatArray, listed: FloatArray, stale: FloatArray) -> FloatArray:
    """Return ``f_i`` of one person of each cell where ``p/b`` is 1; shape (TERMS, cells).

    ``people``: ``n`` >= 1 of each cell; ``listed``: the chance ``c`` that a person is listed; ``stale``: records of
    people who left, per person.

    >>> person_moments(np.array([3.0]), np.ones(1), np.zeros(1))[:4].ravel().tolist()  # (1 + z)^2
    [1.0, 2.0, 1.0, 0.0]
    """
    moments = np.empty((TERMS, len(people)))
    records, before = people * stale, np.zeros(len(people))
    both = records * listed
    moments[0] = 1.0
    for order in range(1, TERMS):  # of G = (1 + c z)^(n-1) exp(n s z), (1 + c z) G' = G ((n-1) c + n s (1 + c z))
        moments[order] = (moments[order - 1] * ((people - order) * listed + records) + both * before) / order
        before = moments[order - 1]
    return moments
