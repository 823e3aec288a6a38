"""A place made of parts of several counties: people of each county live in it by chance.

A ZIP code area or a three-digit ZIP code holds a share of each of several counties. Each of the ``N`` people of a
county's cell lives in a part with a known chance ``p``, so the number of people in a bin of the place is a sum of
binomials, one per county. A person of the cell is listed and in a given bin with chance ``x = c p / b``, with the
list's coverage ``c``. Each part holds exactly as many people as the census counts there, so two people of a cell live
in the same part a little less often (:mod:`policy_sim.formulas.county_parts`): the logarithm of the generating function
of a county loses ``k N (N - 1) (1 - z)^2 / (1 - x + x z)^2``, with ``k = (c/b)^2 p (1 - p) / 2M``. A cell of more than
a tenth of its county enters with the whole hypergeometric distribution (:mod:`policy_sim.formulas.counted_parts`).

Every function takes all places of a set of counties, and several cells of each county, at once (:class:`PlacedCells`).
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import pdtri

from policy_sim.formulas.binomial import SMALL_SIZE, binomial_chances
from policy_sim.formulas.counted_parts import (
    Pairs,
    derivatives_counted,
    is_large,
    mean_over_counts,
    occupied_counted,
)
from policy_sim.formulas.stale import links_of_sums
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray


class Places(NamedTuple):
    """The places in which people of the counties live.

    Attributes
    ----------
    share : Chance ``p`` that a person of a county lives in a place: sparse, shape (places, counties).
    residents : People ``M`` of each county, shape (counties,); infinite where people are placed independently.
    """

    share: sparse.csr_array
    residents: FloatArray

    @classmethod
    def by_themselves(cls, share: sparse.csr_array) -> Places:
        """Return the same places with people placed independently."""
        return cls(share, np.full(share.shape[1], np.inf))

    def of_piece(self, values: FloatArray | float) -> FloatArray:
        """Return the value of the county of each piece; one number is every county's."""
        of_county = np.broadcast_to(np.asarray(values, dtype=np.float64), self.residents.shape)
        of_piece: FloatArray = of_county[self.share.indices]
        return of_piece

    @property
    def fixed(self) -> FloatArray:
        """Return how much less often two people of a county live in each piece of it: ``p (1 - p) / M``."""
        fixed: FloatArray = self.share.data * (1 - self.share.data) / self.residents[self.share.indices]
        return fixed


@dataclass(frozen=True, eq=False)
class PlacedCells:
    """Cells of the counties whose people live in the places, who of them is listed, and records of people who left.

    Attributes
    ----------
    places : Where they live.
    people : People ``N`` in each cell of the counties, shape (counties, cells).
    bins : Values ``b`` >= 1 that the key distinguishes inside a place.
    coverage : Chance ``c`` that a person is listed; one, or one per county.
    stale : Stale records per person, >= 0; one number, or one per county. Those of a place are spread over its bins.
    """

    places: Places
    people: FloatArray
    bins: float
    coverage: FloatArray | float = 1.0
    stale: FloatArray | float = 0.0

    def held(self, share: FloatArray | float) -> PlacedCells:
        """Return the same people, of whom a share may be on the list: one, or one per county."""
        return replace(self, coverage=share * self.coverage)

    @cached_property
    def large(self) -> BoolArray:
        """Which cells are more than a tenth of a county that no place holds whole; shape (counties, cells)."""
        share, residents = self.places
        whole = np.zeros(len(residents), dtype=np.bool_)
        whole[share.indices[share.data >= 1]] = True
        return is_large(self.people, residents[:, None]) & (self.people > 0) & ~whole[:, None]

    @property
    def chance(self) -> FloatArray:
        """Chance ``x`` that a person of the county of each piece is listed and in a given bin of the place."""
        per_person: FloatArray = self.places.share.data * self.places.of_piece(self.coverage) / self.bins
        return np.minimum(per_person, 1.0)

    @property
    def rarer(self) -> FloatArray:
        """Return ``k`` of each piece: half of how much less often two people share one of its bins."""
        rarer: FloatArray = (self.places.of_piece(self.coverage) / self.bins) ** 2 / 2 * self.places.fixed
        return rarer

    @property
    def records(self) -> FloatArray:
        """Mean stale records in a bin; shape (places, cells)."""
        per_piece = self.places.share.data * self.places.of_piece(self.stale) / self.bins
        records: FloatArray = _with_data(self.places.share, per_piece) @ self.people
        return records

    def pieces_of_large(self) -> LargeCells:
        """Return the large cells in each place that holds a part of their county."""
        share = self.places.share
        row = np.repeat(np.arange(share.shape[0]), np.diff(share.indptr))
        many = self.large.sum(axis=1)
        of_piece = many[share.indices]
        piece = np.repeat(np.arange(len(row)), of_piece)
        first = np.cumsum(many) - many
        turn = np.arange(len(piece)) - np.repeat(np.cumsum(of_piece) - of_piece, of_piece)
        county = share.indices[piece].astype(np.int64)
        cell: IntArray = np.nonzero(self.large)[1][first[county] + turn]
        listed = np.broadcast_to(np.asarray(self.coverage, dtype=np.float64), self.places.residents.shape)
        facts = self.people[county, cell], self.places.residents[county], share.data[piece], self.bins, listed[county]
        return LargeCells(row[piece], county, cell, Pairs(*facts))


def occupied_in_places(cells: PlacedCells) -> FloatArray:
    """Return the expected correct links; shape (places, cells).

    Without stale records they are the bins that hold a listed person: ``b (1 - q)`` with ``q = prod (1 - x)^N``, the
    chance that a bin has nobody. With them they are :func:`~policy_sim.formulas.stale.links_of_sums`.

    Examples
    --------
    Two counties have one person each, who lives in the place with chance 1/2. Somebody lives there with chance 3/4.

    >>> here = Places.by_themselves(sparse.csr_array([[0.5, 0.5]]))
    >>> occupied_in_places(PlacedCells(here, np.ones((2, 1)), 1.0)).tolist()
    [[0.75]]
    """
    share, people, bins, chance = cells.places.share, cells.people, cells.bins, cells.chance
    certain = chance == 1
    log_empty = _log_empty(cells, np.where(certain, 0.0, chance))
    if cells.large.any():
        large = cells.pieces_of_large()
        taken = occupied_counted(large.pairs)[0] / bins
        with np.errstate(divide="ignore"):  # log 0: a bin that is never empty
            log_empty += large.added(np.log1p(-np.minimum(taken, 1.0)), log_empty.shape)
    never = _with_data(share, certain * 1.0) @ people > 0 if certain.any() else None
    if np.any(cells.stale):
        records = cells.records
        log_empty -= records
        if never is not None:
            log_empty[never] = -np.inf
        mean, squares = (_with_data(share, chance**power) @ people for power in (1, 2))
        return bins * links_of_sums(log_empty, mean, squares, records)
    occupied: FloatArray = -bins * np.expm1(log_empty)
    if never is not None:
        occupied[never] = bins
    return occupied


def distinct_in_places(cells: PlacedCells, g: int) -> FloatArray:
    """Return the expected number of listed people in bins of at most 1, 2, ..., ``g`` people; shape (g, places).

    Examples
    --------
    >>> here = Places.by_themselves(sparse.csr_array([[0.5, 0.25]]))
    >>> distinct_in_places(PlacedCells(here, np.ones((2, 1)), 1.0), 2).tolist()
    [[0.5], [0.75]]
    """
    by_size: FloatArray = cells.bins * np.arange(1.0, g + 1)[:, None] * chances_of_sums(cells, g)[1:]
    return np.cumsum(by_size, axis=0)


def claimed_wrongly_in_places(cells: PlacedCells, unlisted: FloatArray | None = None) -> FloatArray:
    """Return the expected number of records claimed for somebody else; shape (places,).

    The attacker claims the record of a person who is not listed if exactly one entry of the list has its values:
    ``c (1 - c) / b`` times the second derivative of the generating function ``F`` of the people of the place at
    ``1 - c/b``, which is ``F'' = F ((log F)'^2 + (log F)'')``. With several counties the first derivatives are summed
    once for those who are not listed and once for those who are; a stale record adds to the latter. Correct claims are
    the listed people who are alone in their bin (:func:`distinct_in_places`).

    ``unlisted``: chance that a person of each county, or of each of its cells, is not listed and yet may be claimed;
    shape (counties,) or (counties, cells). None: ``1 - c``.
    """
    places, everyone, bins = cells.places, cells.people, cells.bins
    coverage = np.broadcast_to(np.asarray(cells.coverage, dtype=np.float64), places.residents.shape)
    missed = 1 - coverage if unlisted is None else unlisted
    if not missed.any():
        return np.zeros(places.share.shape[0])
    # the largest are set apart, so that a list of one coverage weighs every county as 1
    most_missed, most_listed = float(missed.max()), float(coverage.max()) or 1.0
    of_missed, of_listed = missed.reshape(len(coverage), -1) / most_missed, coverage[:, None] / most_listed
    p, c = places.share.data, places.of_piece(coverage)
    certain = p * c >= bins  # everyone of such a piece is listed in the one bin
    x = np.where(certain, 0.0, p * c / bins)
    people = np.where(cells.large, 0.0, everyone)
    pairs, fixed = people * (people - 1), places.fixed
    log_empty = _log_empty(cells, x)
    drawn = None
    if cells.large.any():
        large = cells.pieces_of_large()
        none, first, second = derivatives_counted(large.pairs)
        held = np.where(none > 0, none, 1.0)  # (log F)' = F'/F and (log F)'' = F''/F - (F'/F)^2, one cell at a time
        log_empty += large.added(np.where(none > 0, np.log(held), -np.inf), log_empty.shape)
        drawn = large, first / held, (first / held) ** 2 - second / held

    def slope_of(weight: FloatArray) -> FloatArray:
        slope: FloatArray = _with_data(places.share, p / (1 - x)) @ (people * weight)
        slope += _with_data(places.share, fixed * c / bins / (1 - x) ** 3) @ (pairs * weight)
        if drawn is not None:
            slope += drawn[0].added(drawn[1] * drawn[0].of(weight, people), slope.shape)
        return slope

    both = of_missed * of_listed
    bend = _with_data(places.share, (p / (1 - x)) ** 2) @ (people * both)
    bend += _with_data(places.share, fixed * (1 + 2 * x) / (1 - x) ** 4) @ (pairs * both)
    if drawn is not None:
        bend += drawn[0].added(drawn[2] * drawn[0].of(both, people), bend.shape)
    slope = slope_of(of_missed)
    further = slope if np.array_equal(of_missed, of_listed) else slope_of(of_listed)
    claimed = np.maximum(slope * further - bend, 0.0)
    if np.any(cells.stale):
        records = cells.records
        claimed += slope * records * (bins / most_listed)
        log_empty -= records
    if certain.any():  # an entry that is there for certain is the only one, or there are others
        sure = _with_data(places.share, certain * 1.0) @ everyone
        claimed = np.where(sure > 0, np.where(sure == 1, slope * (bins / most_listed), 0.0), claimed)
    wrong: FloatArray = most_listed * most_missed / bins * (np.exp(log_empty) * claimed).sum(axis=1)
    return wrong


def _log_empty(cells: PlacedCells, x: FloatArray) -> FloatArray:
    """Return the logarithm of the chance that a bin has nobody listed of the small cells; shape (places, cells)."""
    share, people = cells.places.share, np.where(cells.large, 0.0, cells.people)
    log_empty: FloatArray = _with_data(share, np.log1p(-x)) @ people
    if not np.isinf(cells.places.residents).all():
        log_empty -= _with_data(share, cells.rarer / (1 - x) ** 2) @ (people * (people - 1))
    return log_empty


# How often a sum of independent binomials is 0, 1, ..., g: for many places and cells at once.
#
# Place ``k`` and cell ``s`` have the sum of ``Binomial(N[c, s], x[k, c])`` over counties ``c``. Its generating function
# is ``prod (1 - x + x z)^N``, or a little less where two people of a county meet less often. The logarithm of that is a
# power series in ``z`` whose coefficients are sums over the counties,
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
_AT_ONCE = 300_000  # chances computed at once: they fit into the cache


def chances_of_sums(cells: PlacedCells, g: int) -> FloatArray:
    """Return the expected number of sums that are 0, 1, ..., ``g``: the chances added up over cells.

    A sum is the entries of a bin, of which a Poisson number are stale records. It counts by the share of it that is
    people. Sums whose mean is so large that ``g`` practically never occurs are skipped: a sum of binomials is small
    less often than a Poisson variable with the same mean (Hoeffding 1956).

    Parameters
    ----------
    g : Largest sum, >= 1.

    Returns
    -------
    Numbers of cells, shape (g + 1, places).

    Examples
    --------
    Two throws of a fair coin.

    >>> coins = Places.by_themselves(sparse.csr_array([[0.5, 0.5]]))
    >>> chances_of_sums(PlacedCells(coins, np.ones((2, 1)), 1.0), 2).tolist()
    [[0.25], [0.5], [0.25]]
    """
    chance, people = _with_data(cells.places.share, cells.chance), cells.people
    least, total = float(pdtri(g, _OUT_OF_THE_QUESTION)), np.zeros((g + 1, chance.shape[0]))
    width = max(_AT_ONCE // ((g + 1) * max(chance.shape[0], 1)), 1)
    by_themselves = bool(np.isinf(cells.places.residents).all())
    kinds = _Kinds.of(chance, g, np.zeros_like(chance.data) if by_themselves else cells.rarer)
    large = cells.pieces_of_large() if cells.large.any() else None
    stale = cells.records if np.any(cells.stale) else None
    small = people if large is None else np.where(cells.large, 0.0, people)
    for low in range(0, people.shape[1], width):
        held = small[:, low : low + width]
        place, cell = np.nonzero(chance @ people[:, low : low + width] <= least)
        records = None if stale is None else stale[:, low : low + width][place, cell]
        chances = kinds.chances(held, None if by_themselves else held * (held - 1), place, cell, g, records)
        if large is not None:
            large.join(chances, place, cell + low, people.shape[1])
        if records is not None:  # in z F' S, with the S of the variable, z S' is that many times z S
            chances[1:] = np.maximum(chances[1:] - records * chances[:-1] / np.arange(1.0, g + 1)[:, None], 0.0)
        total += [np.bincount(place, weights=row, minlength=chance.shape[0]) for row in chances]
    return total


class LargeCells(NamedTuple):
    """Cells that are a large part of their county, in places that hold a part of it; aligned, sorted by place."""

    place: IntArray
    county: IntArray
    cell: IntArray
    pairs: Pairs

    def of(self, weight: FloatArray, people: FloatArray) -> FloatArray:
        """Return the weight of each cell, of weights that there is one of a county or of each of its cells."""
        of_cell: FloatArray = np.broadcast_to(weight, people.shape)[self.county, self.cell]
        return of_cell

    def added(self, values: FloatArray, shape: tuple[int, ...]) -> FloatArray:
        """Return the values added up by place and cell."""
        where = self.place * shape[1] + self.cell
        summed = np.bincount(where, weights=values, minlength=shape[0] * shape[1]).astype(np.float64)
        return summed.reshape(shape)

    def join(self, chances: FloatArray, place: IntArray, cell: IntArray, width: int) -> None:
        """Convolve the chances of each pair of a place and one of ``width`` cells with its large cells', in place."""
        column = np.full((int(self.place.max(initial=0)) + 1) * width, -1)
        inside = place * width + cell < len(column)
        column[(place * width + cell)[inside]] = np.flatnonzero(inside)
        # which of the chances each large cell belongs to; -1: its sum is left out
        own = column[self.place * width + self.cell]
        held = np.flatnonzero(own >= 0)
        if not len(held):
            return
        people, residents, share, bins, listed, _ = self.pairs
        pairs = Pairs(people[held], residents[held], share[held], bins, np.asarray(listed)[held])
        with_large = _chances_counted(pairs, len(chances) - 1)
        # several counties of one place, one after the other
        order = np.argsort(own[held], kind="stable")
        first = np.searchsorted(own[held][order], own[held][order])
        turn = np.arange(len(order)) - first
        for index in range(int(turn.max(initial=-1)) + 1):
            case = order[turn == index]
            at = own[held][case]
            chances[:, at] = _convolved(chances[:, at], with_large[:, case])


def _chances_counted(pairs: Pairs, g: int) -> FloatArray:
    """Return the chances of 0, 1, ..., ``g`` people in a bin of a part with counted people; shape (g + 1, pairs)."""

    def figures(m: FloatArray, hit: FloatArray) -> Iterator[FloatArray]:
        yield from binomial_chances(m.ravel(), np.broadcast_to(hit, m.shape).ravel(), g).reshape(-1, *m.shape)

    return mean_over_counts(pairs, figures, most=g, crowded=np.zeros(g + 1))


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
        limit = min(1.0, _SAFE / g) if g <= SMALL_SIZE else 0.0
        return cls(
            *(_part(chance, rarer, selection) for selection in (odds <= limit, (odds > limit) & (x < 1), x == 1))
        )

    def chances(
        self,
        people: FloatArray,
        pairs: FloatArray | None,
        place: IntArray,
        cell: IntArray,
        g: int,
        stale: FloatArray | None,
    ) -> FloatArray:
        """Return the chances of 0 to ``g`` for pairs of a place and a cell; shape (g + 1, cases)."""
        at = (place, cell)
        chances = np.zeros((g + 1, len(place)))
        chances[0] = 1.0
        if self.small.chance.nnz or stale is not None:
            series = self.small.log_series(people, pairs)
            records = 0.0 if stale is None else stale  # the Poisson variable: records (z - 1) in the logarithm
            chances[0] = np.exp(next(series)[at] - records)
            # P = exp(S), so P' = S' P: each chance follows from those of fewer people
            terms = []
            for size in range(1, g + 1):
                terms.append(size * next(series)[at] + (records if size == 1 else 0.0))
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
            total: FloatArray = _with_data(self.chance, term) @ people
            now = (size + 1) * power * (-1) ** size  # of (1 + o z)^-2
            if pairs is not None:  # k N (N - 1) (1 - z)^2 (1 + o z)^-2: the second difference of that series
                total += _with_data(self.chance, lost * (now - 2 * before + earlier)) @ pairs
            yield total
            before, earlier, size, power = now, before, size + 1, power * odds
            term = -((-1) ** size) * power / size


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


def _with_data(matrix: sparse.csr_array, data: FloatArray) -> sparse.csr_array:
    """Return a matrix with other numbers in the places of its own."""
    changed = copy(matrix)  # a new matrix would check the places again
    changed.data = data
    return changed
