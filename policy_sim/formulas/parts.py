"""A place made of parts of several counties: people of each county live in it by chance.

A ZIP code area or a three-digit ZIP code holds a share of each of several counties. Each of the ``N`` people of a
county's cell lives in a part with a known chance ``p``, so the number of people in a bin of the place is a sum of
binomials, one per county. A person of the cell is listed and in a given bin with chance ``x = c p / b``, with the
list's coverage ``c``. Each part holds exactly as many people as the census counts there, so two people of a cell live
in the same part a little less often (:mod:`policy_sim.formulas.county_parts`): the logarithm of the generating function
of a county loses ``k N (N - 1) (1 - z)^2 / (1 - x + x z)^2``, with ``k = (c/b)^2 p (1 - p) / 2M``. A cell of more than
a tenth of its county enters with the whole hypergeometric distribution (:mod:`policy_sim.formulas.county_parts`).

Every function takes all places of a set of counties, and several cells of each county, at once:

share : Chance ``p`` that a person of a county lives in a place: sparse, shape (places, counties).
people : People ``N`` in each cell of the counties, shape (counties, cells).
bins : Values ``b`` >= 1 that the key distinguishes inside a place.
coverage : Chance ``c`` that a person is listed.
residents : People ``M`` of each county, shape (counties,); infinite where people are placed independently.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from policy_sim.formulas.binomial_sums import LargeCells, chances_of_sums, with_data
from policy_sim.formulas.county_parts import derivatives_counted, is_large, occupied_counted
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray

__all__ = ["Places", "claimed_wrongly_in_places", "distinct_in_places", "occupied_in_places"]


class Places(NamedTuple):
    """The places in which people of the counties live; the module explains the fields."""

    share: sparse.csr_array
    residents: FloatArray

    @classmethod
    def by_themselves(cls, share: sparse.csr_array) -> Places:
        """Return the same places with people placed independently."""
        return cls(share, np.full(share.shape[1], np.inf))

    def large(self, people: FloatArray) -> BoolArray:
        """Return which cells are more than a tenth of a county that no place holds whole; shape (counties, cells)."""
        whole = np.zeros(len(self.residents), dtype=np.bool_)
        whole[self.share.indices[self.share.data >= 1]] = True
        return is_large(people, self.residents[:, None]) & (people > 0) & ~whole[:, None]

    def pieces_of(self, large: BoolArray) -> LargeCells:
        """Return the large cells in each place that holds a part of their county."""
        row = np.repeat(np.arange(self.share.shape[0]), np.diff(self.share.indptr))
        many = large.sum(axis=1)
        of_piece = many[self.share.indices]
        piece = np.repeat(np.arange(len(row)), of_piece)
        first = np.cumsum(many) - many
        turn = np.arange(len(piece)) - np.repeat(np.cumsum(of_piece) - of_piece, of_piece)
        county = self.share.indices[piece].astype(np.int64)
        cell: IntArray = np.nonzero(large)[1][first[county] + turn]
        return LargeCells(row[piece], county, cell, self.share.data[piece])

    def rarer(self, bins: float, coverage: float) -> FloatArray:
        """Return ``k`` of each piece: half of how much less often two people share one of its bins."""
        return (coverage / bins) ** 2 / 2 * self.fixed

    @property
    def fixed(self) -> FloatArray:
        """Return how much less often two people of a county live in each piece of it: ``p (1 - p) / M``."""
        fixed: FloatArray = self.share.data * (1 - self.share.data) / self.residents[self.share.indices]
        return fixed


def occupied_in_places(places: Places, people: FloatArray, bins: float, coverage: float = 1.0) -> FloatArray:
    """Return the expected number of bins that hold a listed person; shape (places, cells).

    ``b (1 - q)`` with ``q = prod (1 - x)^N``, the chance that a bin has nobody.

    Examples
    --------
    Two counties have one person each, who lives in the place with chance 1/2. Somebody lives there with chance 3/4.

    >>> occupied_in_places(Places.by_themselves(sparse.csr_array([[0.5, 0.5]])), np.ones((2, 1)), 1.0).tolist()
    [[0.75]]
    """
    chance = np.minimum(places.share.data * coverage / bins, 1.0)
    certain, large = chance == 1, places.large(people)
    small = np.where(large, 0.0, people)
    log_empty = _log_empty(places, np.where(certain, 0.0, chance), small, bins, coverage)
    if large.any():
        cases = places.pieces_of(large)
        taken = occupied_counted(*cases.drawn(people, places.residents), bins, coverage)[0] / bins
        with np.errstate(divide="ignore"):  # log 0: a bin that is never empty
            log_empty += cases.added(np.log1p(-np.minimum(taken, 1.0)), log_empty.shape)
    occupied: FloatArray = -bins * np.expm1(log_empty)
    if certain.any():
        occupied[with_data(places.share, certain * 1.0) @ people > 0] = bins
    return occupied


def distinct_in_places(places: Places, people: FloatArray, bins: float, g: int, coverage: float = 1.0) -> FloatArray:
    """Return the expected number of listed people in bins of at most 1, 2, ..., ``g`` people; shape (g,).

    Examples
    --------
    >>> distinct_in_places(Places.by_themselves(sparse.csr_array([[0.5, 0.25]])), np.ones((2, 1)), 1.0, 2).tolist()
    [0.5, 0.75]
    """
    chance = with_data(places.share, np.minimum(places.share.data * coverage / bins, 1.0))
    large = places.large(people)
    cases = places.pieces_of(large) if large.any() else None
    rarer = None if np.isinf(places.residents).all() else places.rarer(bins, coverage)
    counted = None if cases is None else (cases, places.residents, coverage / bins)
    chances = chances_of_sums(chance, people, g, rarer, counted)
    by_size: FloatArray = bins * np.arange(1.0, g + 1) * chances[1:]
    return np.cumsum(by_size)


def claimed_wrongly_in_places(places: Places, people: FloatArray, bins: float, coverage: float = 1.0) -> float:
    """Return the expected number of records claimed for somebody else.

    The attacker claims the record of a person who is not listed if exactly one listed person has its values:
    ``c (1 - c) / b`` times the second derivative of the generating function ``F`` of the people of the place at
    ``1 - c/b``, which is ``F'' = F ((log F)'^2 + (log F)'')``. Correct claims are the listed people who are alone in
    their bin (:func:`distinct_in_places`).
    """
    if coverage == 1:
        return 0.0
    p, x = places.share.data, places.share.data * coverage / bins  # less than 1
    large, everyone = places.large(people), people
    people = np.where(large, 0.0, people)
    pairs, fixed = people * (people - 1), places.fixed
    slope = with_data(places.share, p / (1 - x)) @ people
    slope += with_data(places.share, fixed * coverage / bins / (1 - x) ** 3) @ pairs
    bend = with_data(places.share, (p / (1 - x)) ** 2) @ people
    bend += with_data(places.share, fixed * (1 + 2 * x) / (1 - x) ** 4) @ pairs
    log_empty = _log_empty(places, x, people, bins, coverage)
    if large.any():
        cases = places.pieces_of(large)
        drawn = cases.drawn(everyone, places.residents)
        none, first, second = derivatives_counted(*drawn, coverage / bins)
        held = np.where(none > 0, none, 1.0)  # (log F)' = F'/F and (log F)'' = F''/F - (F'/F)^2, one cell at a time
        log_empty += cases.added(np.where(none > 0, np.log(held), -np.inf), log_empty.shape)
        slope += cases.added(first / held, slope.shape)
        bend += cases.added((first / held) ** 2 - second / held, bend.shape)
    empty = np.exp(log_empty)
    return coverage * (1 - coverage) / bins * float((empty * np.maximum(slope**2 - bend, 0.0)).sum())


def _log_empty(places: Places, x: FloatArray, people: FloatArray, bins: float, coverage: float) -> FloatArray:
    """Return the logarithm of the chance that a bin has nobody listed of the small cells; shape (places, cells)."""
    log_empty: FloatArray = with_data(places.share, np.log1p(-x)) @ people
    if not np.isinf(places.residents).all():
        log_empty -= with_data(places.share, places.rarer(bins, coverage) / (1 - x) ** 2) @ (people * (people - 1))
    return log_empty
