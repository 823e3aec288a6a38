"""How often a sum of independent binomials is 0, 1, ..., g: for many places and cells at once.

Place ``k`` and cell ``s`` have the sum of ``Binomial(N[c, s], x[k, c])`` over counties ``c``. Its generating
function is ``prod (1 - x + x z)^N``. The logarithm of that is a power series in ``z`` whose coefficients are
sums over the counties,

    ``sum N log(1 - x)``  and  ``t_j = (-1)^(j+1) sum N o^j / j``,  ``o = x / (1 - x)``,

products of a sparse and a dense matrix, and the chances follow by ``m P_m = sum_j j t_j P_(m-j)``. The signs of
the ``t_j`` alternate. What cancels is at most ``exp(g o)`` as large as the result, so that only counties of small
odds enter this way (:data:`_SAFE`); those of larger odds are convolved one after the other, which cancels
nothing, and those of chance 1 shift the sum. A test compares all three with convolutions in exact numbers.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.special import pdtri

from policy_sim.arrays import FloatArray, IntArray
from policy_sim.binning.binomial import Trials, mass
from policy_sim.binning.cancellation import log_miss

__all__ = ["chances_of_sums"]

_SAFE = 10.0  # exp of it times the last digit of a number is below 1e-11
_SMALL_G = 64  # up to here an empty bin never underflows where a bin of g matters
_UNDERFLOW = -600.0  # exp of less has lost digits, or is 0
_OUT_OF_THE_QUESTION = 1e-18  # of the people of a bin, who are a thousand million at most
_AT_ONCE = 100_000  # chances built up at once, times g + 1


def chances_of_sums(chance: sparse.csr_array, people: FloatArray, g: int) -> FloatArray:
    """Return the expected number of sums that are 0, 1, ..., ``g``: the chances added up over places and cells.

    Sums whose mean is so large that ``g`` is out of the question are passed over: a sum of binomials is less often
    small than the Poisson variable of the same mean (Hoeffding 1956).

    Parameters
    ----------
    chance : Chance ``x`` of each trial, 0 to 1; sparse, shape (places, counties).
    people : Trials ``N`` of each cell of the counties, whole; shape (counties, cells).
    g : Largest sum, >= 1.

    Returns
    -------
    Numbers of pairs of a place and a cell, shape (g + 1,).

    Examples
    --------
    Two throws of a fair coin.

    >>> chances_of_sums(sparse.csr_array([[0.5, 0.5]]), np.ones((2, 1)), 2).tolist()
    [0.25, 0.5, 0.25]
    """
    small = float(pdtri(g, _OUT_OF_THE_QUESTION))
    total = np.zeros(g + 1)
    width = max(_AT_ONCE // max(chance.shape[0], 1), 1)
    kinds = _Kinds.of(chance, g)
    for low in range(0, people.shape[1], width):
        held = people[:, low : low + width]
        place, cell = np.nonzero(chance @ held <= small)
        total += kinds.chances(held, place, cell, g).sum(axis=1)
    return total


class _Kinds:
    """The counties of each place by how they enter: of small odds, of larger ones, of chance 1."""

    def __init__(self, small: sparse.csr_array, large: sparse.csr_array, certain: sparse.csr_array) -> None:
        self.small, self.large, self.certain = small, large, certain
        self.miss = _with(small, np.log1p(-small.data))
        self.odds = small.data / (1 - small.data)
        self.turns = np.diff(large.indptr)

    @classmethod
    def of(cls, chance: sparse.csr_array, g: int) -> _Kinds:
        x = chance.data
        with np.errstate(divide="ignore"):
            odds = x / (1 - x)
        limit = min(1.0, _SAFE / g) if g <= _SMALL_G else 0.0
        return cls(*(_part(chance, kept) for kept in (odds <= limit, (odds > limit) & (x < 1), x == 1)))

    def chances(self, people: FloatArray, place: IntArray, cell: IntArray, g: int) -> FloatArray:
        """Return the chances of 0 to ``g`` at each of some places and cells; shape (g + 1, pairs)."""
        at = (place, cell)
        chances = np.zeros((g + 1, len(place)))
        chances[0] = np.exp((self.miss @ people)[at])
        if self.small.nnz:
            power, terms = np.ones_like(self.odds), []
            for size in range(1, g + 1):
                power = power * self.odds
                terms.append((_with(self.small, power if size % 2 else -power) @ people)[at])
                for step, term in enumerate(terms, 1):
                    chances[size] += term * chances[size - step]
                np.maximum(chances[size] / size, 0.0, out=chances[size])
        self._convolve(chances, people, place, cell)
        return _shifted(chances, (self.certain @ people)[at]) if self.certain.nnz else chances

    def _convolve(self, chances: FloatArray, people: FloatArray, place: IntArray, cell: IntArray) -> None:
        """Convolve with the counties of larger odds in place, one of every place at a time."""
        for turn in range(int(self.turns.max(initial=0))):
            pair = np.flatnonzero(self.turns[place] > turn)
            piece = self.large.indptr[place[pair]] + turn
            trials = people[self.large.indices[piece], cell[pair]]
            some = trials > 0
            pair, trials = pair[some], trials[some]
            second = binomial_chances(trials, self.large.data[piece[some]], len(chances) - 1)
            chances[:, pair] = _convolved(chances[:, pair], second)


def binomial_chances(people: FloatArray, chance: FloatArray, g: int) -> FloatArray:
    """Return the chances of 0, 1, ..., ``g`` successes, by the ratio of neighbors; shape (g + 1, trials).

    ``chance`` is less than 1. Where the chance of no success underflows, so do the chances up to any ``g`` that is
    small beside the mean.
    """
    table = np.empty((g + 1, len(people)))
    none = people * log_miss(np.ones_like(chance), chance)
    table[0] = np.exp(none)
    odds = chance / (1 - chance)
    for size in range(1, g + 1):
        table[size] = table[size - 1] * (np.maximum(people - (size - 1), 0) / size) * odds
    # no success is out of the question there, g successes are not
    for row in np.flatnonzero(none < _UNDERFLOW) if g > _SMALL_G else ():
        trials = Trials(*(np.full(g + 1, value) for value in (people[row], 1.0, chance[row])))
        table[:, row] = mass(trials, np.arange(g + 1.0), np.ones(g + 1))
    return table


def _convolved(first: FloatArray, second: FloatArray) -> FloatArray:
    """Convolve the columns of two tables of chances, cut off at their length."""
    result = np.zeros_like(first)
    for size in range(len(first)):
        result[size:] += first[: len(first) - size] * second[size]
    return result


def _shifted(chances: FloatArray, by: FloatArray) -> FloatArray:
    """Move the chances of each column up by a whole number; what is moved past the end is left out."""
    moved = np.zeros_like(chances)
    for size in range(len(chances)):
        here = np.flatnonzero(by == size)
        moved[size:, here] = chances[: len(chances) - size, here]
    return moved


def _part(matrix: sparse.csr_array, kept: np.ndarray) -> sparse.csr_array:
    """Return the matrix with some of its values alone."""
    row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))[kept]
    return sparse.coo_array((matrix.data[kept], (row, matrix.indices[kept])), shape=matrix.shape).tocsr()


def _with(matrix: sparse.csr_array, data: FloatArray) -> sparse.csr_array:
    return sparse.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
