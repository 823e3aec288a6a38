"""A place made of parts of several counties: people of each county live in it by chance.

A ZIP code area or a three-digit ZIP code holds a share of each of several counties. Each of the ``N`` people of a
county's cell lives in a part with a known chance ``p``, so the number of people in a bin of the place is a sum of
binomials, one per county. A person of the cell is listed and in a given bin with chance ``x = c p / b``, with the
list's coverage ``c``.

Every function takes all places of a set of counties, and several cells of each county, at once (:class:`PlacedCells`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.special import pdtri

from policy_sim.formulas.binomial import SMALL_SIZE, binomial_chances
from policy_sim.formulas.bins import one_place, several_places, with_data
from policy_sim.formulas.stale import links_of_sums
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class PlacedCells:
    """Cells of the counties whose people live in the places, who of them is listed, and records of people who left.

    Attributes
    ----------
    share : Chance ``p`` that a person of a county lives in a place: sparse, shape (places, counties).
    people : People ``N`` in each cell of the counties, shape (counties, cells).
    bins : Values ``b`` >= 1 that the key distinguishes inside a place.
    coverage : Chance ``c`` that a person is listed; one, or one per county.
    stale : Stale records per person, >= 0; one number, or one per county. Those of a place are spread over its bins.
    """

    share: sparse.csr_array
    people: FloatArray
    bins: float
    coverage: FloatArray | float = 1.0
    stale: FloatArray | float = 0.0

    def held(self, share: FloatArray | float) -> PlacedCells:
        """Return the same people, of whom a share may be on the list: one, or one per county."""
        return replace(self, coverage=share * self.coverage)

    def of_piece(self, values: FloatArray | float) -> FloatArray:
        """Return the value of the county of each piece; one number is every county's."""
        of_county = np.broadcast_to(np.asarray(values, dtype=np.float64), len(self.people))
        of_piece: FloatArray = of_county[self.share.indices]
        return of_piece

    @cached_property
    def chance(self) -> FloatArray:
        """Chance ``x`` that a person of the county of each piece is listed and in a given bin of the place."""
        per_person: FloatArray = self.share.data * self.of_piece(self.coverage) / self.bins
        return np.minimum(per_person, 1.0)

    @cached_property
    def unsure(self) -> FloatArray:
        """The same, 0 where it is 1: the people of such a piece are :attr:`sure`."""
        return np.where(self.chance == 1, 0.0, self.chance)

    @cached_property
    def sure(self) -> FloatArray | None:
        """People in the one bin of the place for certain, shape (places, cells); None: nobody in any place."""
        certain = self.chance == 1
        return self.added(certain * 1.0) if certain.any() else None

    @cached_property
    def records(self) -> FloatArray | None:
        """Mean stale records in a bin; shape (places, cells). None: there are none."""
        if not np.any(self.stale):
            return None
        return self.added(self.share.data * self.of_piece(self.stale) / self.bins)

    @cached_property
    def log_empty(self) -> FloatArray:
        """Logarithm of the chance that a bin has no entry, but for those that are :attr:`sure`; (places, cells)."""
        log_empty = several_places(self.share, np.log1p(-self.unsure), self.people)
        return log_empty if self.records is None else log_empty - self.records

    @cached_property
    def odds(self) -> FloatArray:
        """Sum of ``N x / (1 - x)`` over the counties, without the :attr:`sure`; shape (places, cells)."""
        return self.added(self.unsure / (1 - self.unsure))

    def added(self, of_piece: FloatArray, people: FloatArray | None = None) -> FloatArray:
        """Return the sums over counties of people, each times the number of its piece; shape (places, cells)."""
        sums: FloatArray = with_data(self.share, of_piece) @ (self.people if people is None else people)
        return sums


def occupied_in_places(cells: PlacedCells) -> FloatArray:
    """Return the expected correct links; shape (places, cells).

    Without stale records they are the bins that hold a listed person: ``b (1 - q)`` with ``q = prod (1 - x)^N``, the
    chance that a bin has nobody. With them they are :func:`~policy_sim.formulas.stale.links_of_sums`.

    Examples
    --------
    Two counties have one person each, who lives in the place with chance 1/2. Somebody lives there with chance 3/4.

    >>> here = sparse.csr_array([[0.5, 0.5]])
    >>> occupied_in_places(PlacedCells(here, np.ones((2, 1)), 1.0)).tolist()
    [[0.75]]
    """
    bins, sure, records = cells.bins, cells.sure, cells.records
    if records is not None:
        log_empty = cells.log_empty if sure is None else np.where(sure > 0, -np.inf, cells.log_empty)
        return bins * links_of_sums(log_empty, cells.added(cells.chance), cells.added(cells.chance**2), records)
    occupied: FloatArray = -bins * np.expm1(cells.log_empty)
    if sure is not None:
        occupied[sure > 0] = bins
    return occupied


def distinct_in_places(cells: PlacedCells, g: int, *, alike: bool = True) -> FloatArray:
    """Return the expected number of listed people in bins of at most 1, 2, ..., ``g`` people; shape (g, places).

    ``alike``: whether cells alike of a place are looked for and computed once, which takes time where few are.

    Examples
    --------
    >>> here = sparse.csr_array([[0.5, 0.25]])
    >>> distinct_in_places(PlacedCells(here, np.ones((2, 1)), 1.0), 2).tolist()
    [[0.5], [0.75]]
    """
    if g == 1:
        return alone_in_places(cells)[None]
    by_size: FloatArray = cells.bins * np.arange(1.0, g + 1)[:, None] * chances_of_sums(cells, g, alike=alike)[1:]
    return np.cumsum(by_size, axis=0)


def alone_in_places(cells: PlacedCells) -> FloatArray:
    """Return the expected number of listed people who are the only entry of their bin; shape (places,).

    Of a person of a county that is ``x`` times the chance that nobody else is there: ``q / (1 - x)``.
    """
    alone = cells.odds if cells.sure is None else np.where(cells.sure > 0, cells.sure == 1, cells.odds)
    people: FloatArray = cells.bins * (np.exp(cells.log_empty) * alone).sum(axis=1)
    return people


def claimed_wrongly_in_places(cells: PlacedCells, unlisted: FloatArray | None = None) -> FloatArray:
    """Return the expected number of records claimed for somebody else; shape (places,).

    The attacker claims the record of a person who is not listed if exactly one entry of the list has its values. A
    person who is not listed, with the chance ``u``, is in a bin with ``x' = u p / b``; the one entry is a stale record,
    or another person of the same or another county: ``b q`` times

        ``sum N x'/(1 - x) (sum N x/(1 - x) + records) - sum N x' x/(1 - x)^2``.

    Correct claims are the listed people who are alone in their bin (:func:`alone_in_places`).

    ``unlisted``: chance ``u`` that a person of each county, or of each of its cells, is not listed and yet may be
    claimed; shape (counties,) or (counties, cells). None: ``1 - c``.
    """
    people, bins, sure = cells.people, cells.bins, cells.sure
    unlisted = 1 - np.asarray(cells.coverage, dtype=np.float64) if unlisted is None else unlisted
    if not unlisted.any():
        return np.zeros(cells.share.shape[0])
    missed, left = people * unlisted.reshape(-1, *unlisted.shape[1:] or (1,)), 1 - cells.unsure
    slope = cells.added(cells.share.data / bins / left, missed)
    entries = cells.odds if cells.records is None else cells.odds + cells.records
    claimed = np.maximum(slope * entries - cells.added(cells.share.data / bins * cells.unsure / left**2, missed), 0.0)
    if sure is not None:  # an entry that is there for certain is the only one, or there are others
        claimed = np.where(sure > 0, np.where(sure == 1, slope, 0.0), claimed)
    wrong: FloatArray = bins * (np.exp(cells.log_empty) * claimed).sum(axis=1)
    return wrong


# How often a sum of independent binomials is 0, 1, ..., g: for many places and cells at once.
#
# Place ``k`` and cell ``s`` have the sum of ``Binomial(N[c, s], x[k, c])`` over counties ``c``. Its generating function
# is ``prod (1 - x + x z)^N``. The logarithm of that is a power series in ``z`` whose coefficients are sums over the
# counties,
#
#     ``sum N log(1 - x)``  and  ``t_j = (-1)^(j+1) sum N o^j / j``,  ``o = x / (1 - x)``,
#
# which are products of a sparse and a dense matrix. The chances follow from ``m P_m = sum_j j t_j P_(m-j)``. The signs
# of the ``t_j`` alternate, so digits cancel: the largest terms are at most ``exp(g o)`` times the result. Only counties
# with small odds are computed this way (:data:`_SAFE`). Counties with larger odds are convolved one after the other,
# which loses no digits, and those with chance 1 shift the sum. A test compares all three with convolutions in exact
# numbers.


_SAFE = 10.0  # exp(10) times the last digit of a number is below 1e-11
_OUT_OF_THE_QUESTION = 1e-18  # a smaller share of a bin's people, at most a billion, cannot matter
_AT_ONCE = 900_000  # chances computed at once: bounds the memory
_PLAIN = 16  # so many people who are surely there leave a chance of nobody that a float still has


def chances_of_sums(cells: PlacedCells, g: int, *, alike: bool = True) -> FloatArray:
    """Return the expected number of sums that are 0, 1, ..., ``g``: the chances added up over cells.

    A sum is the entries of a bin, of which a Poisson number are stale records. It counts by the share of it that is
    people. Sums whose mean is so large that ``g`` practically never occurs are skipped: a sum of binomials is small
    less often than a Poisson variable with the same mean (Hoeffding 1956).

    Parameters
    ----------
    g : Largest sum, >= 1.
    alike : Whether cells alike are computed once.

    Returns
    -------
    Numbers of cells, shape (g + 1, places).

    Examples
    --------
    Two throws of a fair coin.

    >>> coins = sparse.csr_array([[0.5, 0.5]])
    >>> chances_of_sums(PlacedCells(coins, np.ones((2, 1)), 1.0), 2).tolist()
    [[0.25], [0.5], [0.25]]
    """
    chance, people = with_data(cells.share, cells.chance), cells.people
    least, total = float(pdtri(g, _OUT_OF_THE_QUESTION)), np.zeros((g + 1, chance.shape[0]))
    width = max(_AT_ONCE // ((g + 1) * max(chance.shape[0], 1)), 1)
    kinds = _Kinds.of(chance, g)
    stale = cells.records
    for low in range(0, people.shape[1], width):
        held = people[:, low : low + width]
        mean = chance @ held
        total[0] += (mean == 0).sum(axis=1)
        possible = (mean > 0) & (mean <= least)
        if kinds.certain.nnz:
            possible &= kinds.certain @ held <= g  # more are there for certain
        place, cell = np.nonzero(possible)
        times: IntArray | int = 1
        if alike:
            place, cell, times = _different(chance, held, place, cell)
        records = None if stale is None else stale[:, low : low + width][place, cell]
        chances = kinds.chances(held, place, cell, g, records)
        if records is not None:  # in z F' S, with the S of the variable, z S' is that many times z S
            chances[1:] = np.maximum(chances[1:] - records * chances[:-1] / np.arange(1.0, g + 1)[:, None], 0.0)
        chances *= times
        total += [np.bincount(place, weights=row, minlength=chance.shape[0]) for row in chances]
    return total


def _different(
    chance: sparse.csr_array, people: FloatArray, place: IntArray, cell: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Return the cases of a place and a cell that differ in the people of any of its counties, and how often each is.

    Cases are compared by a random 64-bit hash: among a hundred thousand different ones, the probability that any two
    have the same is about 2e-9.
    """
    weight = np.random.default_rng(0).integers(1, 2**62, sum(chance.shape), dtype=np.int64) | 1
    of_county = with_data(chance, weight[chance.indices])
    code = (of_county @ people.astype(np.int64))[place, cell] + weight[people.shape[0] :][place]
    _, first, times = np.unique(code, return_index=True, return_counts=True)
    order = np.argsort(first)
    first = first[order]
    return place[first], cell[first], times[order]


class _Kinds:
    """The counties of each place by how they are computed: with small odds, with larger odds, with chance 1."""

    def __init__(self, small: sparse.csr_array, large: sparse.csr_array, certain: sparse.csr_array) -> None:
        self.small, self.large, self.certain = small, large, certain
        self.turns = np.diff(large.indptr)

    @classmethod
    def of(cls, chance: sparse.csr_array, g: int) -> _Kinds:
        x = chance.data
        with np.errstate(divide="ignore"):
            odds = x / (1 - x)
        limit = min(1.0, _SAFE / g) if g <= SMALL_SIZE else 0.0
        return cls(*(_part(chance, selection) for selection in (odds <= limit, (odds > limit) & (x < 1), x == 1)))

    def chances(
        self,
        people: FloatArray,
        place: IntArray,
        cell: IntArray,
        g: int,
        stale: FloatArray | None,
    ) -> FloatArray:
        """Return the chances of 0 to ``g`` for pairs of a place and a cell; shape (g + 1, cases)."""
        at = place * people.shape[1] + cell  # in a table of places by cells, laid out flat
        chances = np.zeros((g + 1, len(place)))
        chances[0] = 1.0
        if self.small.nnz or stale is not None:
            series = _log_series(self.small, people)
            records = 0.0 if stale is None else stale  # the Poisson variable: records (z - 1) in the logarithm
            chances[0] = np.exp(next(series).take(at) - records)
            # P = exp(S), so P' = S' P: each chance follows from those of fewer people
            terms = np.empty((g, len(place)))
            for size in range(1, g + 1):
                np.multiply(next(series).take(at), size, out=terms[size - 1])
                if size == 1:
                    terms[0] += records
                np.einsum("sc,sc->c", terms[:size], chances[size - 1 :: -1], out=chances[size])
                # where digits cancel, a chance of practically 0 may come out a little below it
                np.maximum(chances[size] / size, 0.0, out=chances[size])
        self._convolve(chances, people, place, cell)
        return _shifted(chances, (self.certain @ people).take(at)) if self.certain.nnz else chances

    def _convolve(self, chances: FloatArray, people: FloatArray, place: IntArray, cell: IntArray) -> None:
        """Convolve in place with the counties of larger odds, one county of each place at a time."""
        for turn in range(int(self.turns.max(initial=0))):
            case = np.flatnonzero(self.turns[place] > turn)
            piece = self.large.indptr[place[case]] + turn
            at = (self.large.indices[piece], cell[case])
            held = people[at]
            order = np.argsort(-held, kind="stable")[: np.count_nonzero(held)]
            case = case[order]
            chances[:, case] = _with_binomial(chances[:, case], held[order], self.large.data[piece[order]])


def _log_series(chance: sparse.csr_array, people: FloatArray) -> Iterator[FloatArray]:
    """Yield the coefficients of the logarithm of the generating function; shape (places, cells) each."""
    yield several_places(chance, np.log1p(-chance.data), people)
    odds, power, size = chance.data / (1 - chance.data), np.ones(chance.nnz), 0
    while True:
        size, power = size + 1, power * odds
        total: FloatArray = with_data(chance, -((-1) ** size) * power / size) @ people
        yield total


def _with_binomial(chances: FloatArray, people: FloatArray, chance: FloatArray) -> FloatArray:
    """Return the chances of 0, 1, ... with the number of ``people`` added who are there with a ``chance`` < 1 each.

    Aligned with the columns, those with the most people first; cut off at their length. Each chance of the binomial
    follows from the one before, and no difference is taken.
    """
    table = binomial_chances(people, chance, len(chances) - 1) if len(chances) > _PLAIN else None
    odds = chance / (1 - chance)
    binomial = one_place(people, np.log1p(-chance)) if table is None else table[0]
    result: FloatArray = chances * binomial
    for size in range(1, min(len(chances), int(people.max(initial=0)) + 1)):
        as_many = int(np.count_nonzero(people > size - 1))
        if table is None:
            binomial = binomial[:as_many] * odds[:as_many] * ((people[:as_many] - (size - 1)) / size)
        else:
            binomial = table[size, :as_many]
        result[size:, :as_many] += chances[:-size, :as_many] * binomial
    return result


def _shifted(chances: FloatArray, by: FloatArray) -> FloatArray:
    """Move the chances of each column up by a whole number, in place; what moves past the end is dropped."""
    few = by < len(chances)
    for size in range(1, len(chances)):
        chosen_columns = np.flatnonzero(by == size)
        chances[size:, chosen_columns] = chances[: len(chances) - size, chosen_columns]
        chances[:size, chosen_columns] = 0.0
    if not few.all():
        chances[:, ~few] = 0.0
    return chances


def _part(matrix: sparse.csr_array, selection: BoolArray) -> sparse.csr_array:
    """Return the matrix with only the selected values."""
    row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))[selection]
    place = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=matrix.shape[0]))])
    return sparse.csr_array((matrix.data[selection], matrix.indices[selection], place), shape=matrix.shape)
