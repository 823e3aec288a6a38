"""How often a sum of independent binomials is 0, 1, ..., g: for many places and cells at once.

Place ``k`` and cell ``s`` have the sum of ``Binomial(N[c, s], x[k, c])`` over counties ``c``. Its generating
function is ``prod (1 - x + x z)^N``, or a little less where two people of a county meet less often
(:mod:`policy_sim.formulas.parts`). The logarithm of that is a power series in ``z`` whose coefficients are
sums over the counties,

    ``sum N log(1 - x)``  and  ``t_j = (-1)^(j+1) sum N o^j / j``,  ``o = x / (1 - x)``,

which are products of a sparse and a dense matrix. The chances follow from ``m P_m = sum_j j t_j P_(m-j)``. The signs of
the ``t_j`` alternate, so digits cancel: the largest terms are at most ``exp(g o)`` times the result. Only counties with
small odds are computed this way (:data:`_SAFE`). Counties with larger odds are convolved one after the other, which
loses no digits, and those with chance 1 shift the sum. A test compares all three with convolutions in exact numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import binom, pdtri

from policy_sim.formulas.binomial import Trials, log_miss, mass
from policy_sim.formulas.county_parts import mean_over_counts
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray

__all__ = ["LargeCells", "chances_of_sums", "with_data"]


_SAFE = 10.0  # exp(10) times the last digit of a number is below 1e-11
_SMALL_G = 64  # up to this g, the chance of an empty bin underflows only where a bin is nearly certain to fill
_NEARLY_CERTAIN = 0.9  # above this chance, failures are counted instead of successes
_UNDERFLOW = -600.0  # exp of a smaller number loses digits or is 0
_OUT_OF_THE_QUESTION = 1e-18  # a smaller share of a bin's people, at most a billion, cannot matter
_AT_ONCE = 100_000  # chances computed at once, times g + 1


def chances_of_sums(
    chance: sparse.csr_array,
    people: FloatArray,
    g: int,
    rarer: FloatArray | None = None,
    counted: tuple[LargeCells, FloatArray, float] | None = None,
) -> FloatArray:
    """Return the expected number of sums that are 0, 1, ..., ``g``: the chances added up over places and cells.

    Sums whose mean is so large that ``g`` practically never occurs are skipped: a sum of binomials is small less often
    than a Poisson variable with the same mean (Hoeffding 1956).

    Parameters
    ----------
    chance : Chance ``x`` of each trial, 0 to 1; sparse, shape (places, counties).
    people : Trials ``N`` of each cell of the counties, whole; shape (counties, cells).
    g : Largest sum, >= 1.
    rarer : ``k`` of :mod:`policy_sim.formulas.parts` for each value of ``chance``; None where people are placed
        independently.
    counted : The large cells of the counties by place, the people of the counties, and the chance that a person of the
        place is listed and in a given bin; None where no cell is a large part of its county.

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
    kinds = _Kinds.of(chance, g, np.zeros_like(chance.data) if rarer is None else rarer)
    by_chance = people if counted is None else counted[0].without(people)
    for low in range(0, people.shape[1], width):
        held = by_chance[:, low : low + width]
        place, cell = np.nonzero(chance @ people[:, low : low + width] <= small)
        chances = kinds.chances(held, None if rarer is None else held * (held - 1), place, cell, g)
        if counted is not None:
            counted[0].join(chances, people, place, cell + low, *counted[1:])
        total += chances.sum(axis=1)
    return total


class LargeCells(NamedTuple):
    """Cells that are a large part of their county, in places that hold a part of it; aligned, sorted by place."""

    place: IntArray
    county: IntArray
    cell: IntArray
    share: FloatArray

    def drawn(self, people: FloatArray, residents: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the people of each cell, of its county, and the share: arguments of the counted figures."""
        return people[self.county, self.cell], residents[self.county], self.share

    def without(self, people: FloatArray) -> FloatArray:
        """Return the people with nobody in the large cells."""
        others = people.copy()
        others[self.county, self.cell] = 0
        return others

    def added(self, values: FloatArray, shape: tuple[int, ...]) -> FloatArray:
        """Return the values added up by place and cell."""
        where = self.place * shape[1] + self.cell
        summed = np.bincount(where, weights=values, minlength=shape[0] * shape[1]).astype(np.float64)
        return summed.reshape(shape)

    def join(
        self,
        chances: FloatArray,
        people: FloatArray,
        place: IntArray,
        cell: IntArray,
        residents: FloatArray,
        hit: float,
    ) -> None:
        """Convolve the chances of each pair of a place and a cell with those of its large cells, in place."""
        width, g = people.shape[1], len(chances) - 1
        column = np.full((int(self.place.max(initial=0)) + 1) * width, -1)
        inside = place * width + cell < len(column)
        column[(place * width + cell)[inside]] = np.flatnonzero(inside)
        # which of the chances each large cell belongs to; -1: its sum is left out
        own = column[self.place * width + self.cell]
        held = np.flatnonzero(own >= 0)
        large = LargeCells(self.place[held], self.county[held], self.cell[held], self.share[held])
        with_large = chances_counted(*large.drawn(people, residents), hit, g)
        # several counties of one place, one after the other
        order = np.argsort(own[held], kind="stable")
        first = np.searchsorted(own[held][order], own[held][order])
        turn = np.arange(len(order)) - first
        for index in range(int(turn.max(initial=-1)) + 1):
            case = order[turn == index]
            at = own[held][case]
            chances[:, at] = _convolved(chances[:, at], with_large[:, case])


def chances_counted(people: FloatArray, residents: FloatArray, share: FloatArray, hit: float, g: int) -> FloatArray:
    """Return the chances of 0, 1, ..., ``g`` people in a bin of a part with counted people; shape (g + 1, pairs)."""

    def figures(m: FloatArray) -> FloatArray:
        if hit >= 1:
            return np.where(m == np.arange(g + 1.0)[:, None], 1.0, 0.0)
        return binomial_chances(m, np.full_like(m, hit), g)

    chances: FloatArray = mean_over_counts(people, residents, share, figures, hit=hit, most=g, crowded=0.0)
    return chances


class _Kinds:
    """The counties of each place by how they are computed: with small odds, with larger odds, with chance 1."""

    def __init__(self, small: _Trials, large: _Trials, certain: _Trials) -> None:
        self.small, self.large, self.certain = small, large, certain
        self.turns = np.diff(large.chance.indptr)

    @classmethod
    def of(cls, chance: sparse.csr_array, g: int, rarer: FloatArray) -> _Kinds:
        x = chance.data
        with np.errstate(divide="ignore"):
            odds = x / (1 - x)
        limit = min(1.0, _SAFE / g) if g <= _SMALL_G else 0.0
        return cls(
            *(_part(chance, rarer, selection) for selection in (odds <= limit, (odds > limit) & (x < 1), x == 1))
        )

    def chances(
        self, people: FloatArray, pairs: FloatArray | None, place: IntArray, cell: IntArray, g: int
    ) -> FloatArray:
        """Return the chances of 0 to ``g`` for pairs of a place and a cell; shape (g + 1, cases)."""
        at = (place, cell)
        chances = np.zeros((g + 1, len(place)))
        chances[0] = 1.0
        if self.small.chance.nnz:
            series = self.small.log_series(people, pairs)
            chances[0] = np.exp(next(series)[at])
            # P = exp(S), so P' = S' P: each chance follows from those of fewer people
            terms = []
            for size in range(1, g + 1):
                terms.append(size * next(series)[at])
                for step, term in enumerate(terms, 1):
                    chances[size] += term * chances[size - step]
                # where digits cancel, a chance of practically 0 may come out a little below it
                np.maximum(chances[size] / size, 0.0, out=chances[size])
        self._convolve(chances, people, pairs, place, cell)
        return _shifted(chances, (self.certain.chance @ people)[at]) if self.certain.chance.nnz else chances

    def _convolve(
        self, chances: FloatArray, people: FloatArray, pairs: FloatArray | None, place: IntArray, cell: IntArray
    ) -> None:
        """Convolve in place with the counties of larger odds, one county of each place at a time."""
        for turn in range(int(self.turns.max(initial=0))):
            case = np.flatnonzero(self.turns[place] > turn)
            piece = self.large.chance.indptr[place[case]] + turn
            at = (self.large.chance.indices[piece], cell[case])
            occupied = np.flatnonzero(people[at] > 0)
            case, piece, at = case[occupied], piece[occupied], (at[0][occupied], at[1][occupied])
            x, n, g = self.large.chance.data[piece], people[at], len(chances) - 1
            # what pairs lose is a second difference for two people fewer; two more trials give everyone
            others = binomial_chances(n - 2, x, g)
            second = _with_two_more(others, n, x)
            if pairs is not None:
                less = self.large.rarer[piece] * pairs[at] * _twice_differenced(others)
                second = np.maximum(second - less, 0.0)
            chances[:, case] = _convolved(chances[:, case], second)


class _Trials(NamedTuple):
    """The chance and ``k`` of each county in each place."""

    chance: sparse.csr_array
    rarer: FloatArray

    def log_series(self, people: FloatArray, pairs: FloatArray | None) -> Iterator[FloatArray]:
        """Yield the coefficients of the logarithm of the generating function; shape (places, cells) each."""
        odds = self.chance.data / (1 - self.chance.data)
        lost = -self.rarer / (1 - self.chance.data) ** 2
        term, before, earlier = np.log1p(-self.chance.data), np.zeros_like(odds), np.zeros_like(odds)
        power, size = np.ones_like(odds), 0
        while True:
            total: FloatArray = with_data(self.chance, term) @ people
            now = (size + 1) * power * (-1) ** size  # of (1 + o z)^-2
            if pairs is not None:  # k N (N - 1) (1 - z)^2 (1 + o z)^-2: the second difference of that series
                total += with_data(self.chance, lost * (now - 2 * before + earlier)) @ pairs
            yield total
            before, earlier, size, power = now, before, size + 1, power * odds
            term = -((-1) ** size) * power / size


def binomial_chances(people: FloatArray, chance: FloatArray, g: int) -> FloatArray:
    """Return the chances of 0, 1, ..., ``g`` successes, by the ratio of neighbors; shape (g + 1, trials).

    ``chance`` is less than 1. Where the chance of no success underflows, so do the chances up to any ``g`` that is
    small compared with the mean.
    """
    people = np.maximum(people, 0)
    table = np.empty((g + 1, len(people)))
    none = people * log_miss(np.ones_like(chance), chance)
    table[0] = np.exp(none)
    odds = chance / (1 - chance)
    for size in range(1, g + 1):
        table[size] = table[size - 1] * (np.maximum(people - (size - 1), 0) / size) * odds
    high = np.flatnonzero(chance > _NEARLY_CERTAIN) if g <= _SMALL_G else np.array([], dtype=np.int64)
    if len(high):
        table[:, high] = _from_all_successes(people[high], chance[high], g)
    # there, 0 successes never occur in practice, but g successes do
    for row in np.flatnonzero(none < _UNDERFLOW) if g > _SMALL_G else ():
        trials = Trials(*(np.full(g + 1, value) for value in (people[row], 1.0, chance[row])))
        table[:, row] = mass(trials, np.arange(g + 1.0), np.ones(g + 1))
    return table


def _from_all_successes(people: FloatArray, chance: FloatArray, g: int) -> FloatArray:
    """Return the chances of 0, 1, ..., ``g`` successes, counted down from ``g`` or from all of them.

    Where trials nearly always succeed, the chance that all of some 50 fail underflows, and the chances of more
    successes cannot be computed from it.
    """
    table = np.zeros((g + 1, len(people)))
    most, fails = np.minimum(people, g), (1 - chance) / chance
    value = binom(people, most) * chance**most * (1 - chance) ** (people - most)
    for size in range(g, -1, -1):
        possible = people >= size
        table[size] = np.where(possible, value, 0.0)
        value = np.where(possible, value * (size / np.maximum(people - size + 1, 1)) * fails, value)
    return table


def _convolved(first: FloatArray, second: FloatArray) -> FloatArray:
    """Convolve the columns of two tables of chances, cut off at their length."""
    result = np.zeros_like(first)
    for size in range(len(first)):
        result[size:] += first[: len(first) - size] * second[size]
    return result


def _with_two_more(chances: FloatArray, people: FloatArray, chance: FloatArray) -> FloatArray:
    """Return the chances for ``people`` trials from those for two fewer trials, or for one fewer."""
    for more in (1, 2):
        x = np.where(people >= more, chance, 0.0)
        moved = chances * (1 - x)
        moved[1:] += chances[:-1] * x
        chances = moved
    return chances


def _twice_differenced(chances: FloatArray) -> FloatArray:
    """Return the second differences of the columns, which begin with 0."""
    return np.diff(chances, n=2, axis=0, prepend=np.zeros((2, chances.shape[1])))


def _shifted(chances: FloatArray, by: FloatArray) -> FloatArray:
    """Move the chances of each column up by a whole number; what moves past the end is dropped."""
    moved = np.zeros_like(chances)
    for size in range(len(chances)):
        chosen_columns = np.flatnonzero(by == size)
        moved[size:, chosen_columns] = chances[: len(chances) - size, chosen_columns]
    return moved


def _part(matrix: sparse.csr_array, rarer: FloatArray, selection: BoolArray) -> _Trials:
    """Return the matrix with only the selected values."""
    row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))[selection]
    place = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=matrix.shape[0]))])
    return _Trials(
        sparse.csr_array((matrix.data[selection], matrix.indices[selection], place), shape=matrix.shape),
        rarer[selection],
    )


def with_data(matrix: sparse.csr_array, data: FloatArray) -> sparse.csr_array:
    """Return a matrix with other numbers in the places of its own."""
    return sparse.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
