"""A place made of parts of several counties: people of each county fall into it by chance.

A ZIP code area or a three-digit ZIP code takes a share of each of several counties. A county's cell of ``N``
people falls over its parts with known shares ``p``, each person independently, so that a bin of the place
holds a sum of binomials, one for each county: one *piece* of the place for each. The chance that a listed
person of the cell is in a given bin is ``x = c p / b``, with the list's coverage ``c``.

Every function takes pieces as aligned arrays and returns one figure for each place, shape (places,):

place : the place that each piece belongs to, 0 to ``places - 1``.
people : persons ``N`` of the county's cell that the piece is a part of.
bins : values ``b`` >= 1 that the key distinguishes inside the place, the same for all pieces of a place.
share : chance ``p``, 0 to 1, that a person of the cell lives in the piece.
coverage : chance ``c``, 0 to 1, that a person is listed; one value, or one for each piece.
"""

from __future__ import annotations

import numpy as np
from scipy.special import pdtr

from policy_sim.arrays import FloatArray, IntArray
from policy_sim.binning.binomial import Trials
from policy_sim.binning.binomial import mass as chance_of
from policy_sim.binning.cancellation import log_miss

_UNDERFLOW = -600.0  # exp of less has lost digits, or is 0
_SMALL_G = 64  # up to here such a bin holds more people, all but surely
_OUT_OF_THE_QUESTION = 1e-18  # of the people of a bin, who are a thousand million at most

__all__ = ["bin_mass", "claimed_in_places", "distinct_in_part", "g_distinct_in_places", "occupied_in_places"]


def occupied_in_places(
    place: IntArray,
    people: FloatArray,
    bins: FloatArray,
    share: FloatArray,
    places: int,
    coverage: FloatArray | float = 1.0,
) -> FloatArray:
    """Return the expected number of bins that hold a listed person: ``b (1 - q)``, ``q = prod (1 - x)^N``.

    Examples
    --------
    Two counties of one person each, half of whom live in the place: somebody lives there with chance 3/4.

    >>> one, half = np.ones(2), np.full(2, 0.5)
    >>> occupied_in_places(np.zeros(2, dtype=int), one, one, half, 1).tolist()
    [0.75]
    """
    empty = _log_empty(place, people, bins, share * coverage, places)
    occupied: FloatArray = -_bins_of(place, bins, places) * np.expm1(empty)
    return occupied


def g_distinct_in_places(
    place: IntArray,
    people: FloatArray,
    bins: FloatArray,
    share: FloatArray,
    places: int,
    g: int,
    coverage: FloatArray | float = 1.0,
) -> FloatArray:
    """Return the expected number of listed people in bins of each size 1 to ``g``, shape (places, g).

    Their running sum is g-distinct. The number of people in one bin is a sum of independent binomials, whose
    distribution up to ``g`` is built up one piece of every place at a time: each piece is convolved with what
    came before, cut off at ``g``. Places so full that a bin of ``g`` is out of the question are passed over: a sum
    of binomials is less often small than the Poisson variable of the same mean (Hoeffding 1956).
    """
    listed = share * coverage
    mean = np.bincount(place, weights=people * listed / bins, minlength=places)
    distribution = np.zeros((places, g + 1))
    distribution[:, 0] = 1.0
    few = pdtr(g, mean) > _OUT_OF_THE_QUESTION
    distribution[~few] = 0.0
    held = np.flatnonzero(few[place])
    order = held[np.argsort(place[held], kind="stable")]
    first = np.searchsorted(place[order], np.arange(places + 1))
    for turn in range(int(np.diff(first).max(initial=0))):
        inside = np.flatnonzero(first[:-1] + turn < first[1:])
        piece = order[first[inside] + turn]
        distribution[inside] = _convolved(distribution[inside], bin_mass(people[piece], bins[piece], listed[piece], g))
    by_size: FloatArray = _bins_of(place, bins, places)[:, None] * distribution[:, 1:] * np.arange(1.0, g + 1)
    return by_size


def claimed_in_places(
    place: IntArray, people: FloatArray, bins: FloatArray, share: FloatArray, places: int, coverage: FloatArray | float
) -> FloatArray:
    """Return the expected number of records claimed: those with whose values exactly one person is listed.

    A record of a listed person is claimed where nobody else of its bin is listed; a record of somebody who is
    not, where exactly one other is. With ``q`` the chance that a bin has nobody listed and ``o = x/(1 - x)``:
    ``b q sum N o + q sum N p (1 - c)/(1 - x) (sum N o - o)``. Pieces of which everyone is listed in one bin
    (``x = 1``) are counted by themselves.
    """
    covered = np.broadcast_to(np.asarray(coverage, dtype=np.float64), place.shape)
    listed = share * covered
    by_size = g_distinct_in_places(place, people, bins, share, places, 1, covered)[:, 0]
    unlisted = people * share * (1 - covered)
    if not unlisted.any():
        return by_size
    certain = (listed >= bins) & (people > 0)
    x = np.where(certain, 0.0, listed / bins)
    odds = x / (1 - x)
    empty = np.exp(_log_empty(place, np.where(certain, 0.0, people), bins, listed, places))
    sure = np.bincount(place, weights=np.where(certain, people, 0.0), minlength=places)
    others = np.bincount(place, weights=people * odds, minlength=places)[place] - odds
    one = np.where(sure[place] == 0, others, np.where(sure[place] == 1, 1.0, 0.0))
    wrong = np.bincount(place, weights=unlisted / (1 - x) * empty[place] * np.maximum(one, 0.0), minlength=places)
    claimed: FloatArray = by_size + wrong
    return claimed


def bin_mass(people: FloatArray, bins: FloatArray, listed: FloatArray, g: int) -> FloatArray:
    """Return the chances that one bin holds 0, 1, ..., ``g`` of the people, by the ratio of neighbors.

    ``listed`` is the chance that a person counts at all. Shape (pieces, g + 1). Where the chance of an empty
    bin underflows, so do the chances up to any ``g`` that is small beside the people in a bin.
    """
    chance = listed / bins
    certain = chance >= 1
    odds = np.divide(chance, 1 - chance, out=np.zeros_like(chance), where=~certain)
    mass = np.empty((len(people), g + 1))
    mass[:, 0] = np.where(certain, people == 0, _empty(people, bins, listed))
    for size in range(1, g + 1):
        mass[:, size] = mass[:, size - 1] * np.maximum(people - (size - 1), 0) / size * odds
    # an empty bin is out of the question there, a bin of g is not
    crowded = ~certain & (people * log_miss(bins, np.where(certain, 0.0, listed)) < _UNDERFLOW)
    for row in np.flatnonzero(crowded) if g > _SMALL_G else ():
        trials = Trials(*(np.full(g + 1, part[row]) for part in (people, bins, listed)))
        mass[row] = chance_of(trials, np.arange(g + 1.0), np.ones(g + 1))
    full = np.flatnonzero(certain & (people > 0) & (people <= g))
    mass[full, people[full].astype(np.int64)] = 1.0
    return mass


def distinct_in_part(people: FloatArray, bins: FloatArray, listed: FloatArray, sizes: IntArray) -> FloatArray:
    """Return the expected number of listed people in bins of each of ``sizes`` or fewer, of one county each.

    As :func:`~policy_sim.binning.people_g_distinct` with ``listed`` as coverage, by the ratio of neighbors:
    faster for sizes up to some dozens. Shape (sizes, pieces).
    """
    chance = np.minimum(listed / bins, 1.0)
    certain = chance == 1
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = chance / (1 - chance)
        mass = people * listed * np.exp((people - 1) * np.log1p(-chance))
    if certain.any():  # all of them in one bin: nobody is alone but one by herself
        odds[certain], mass[certain] = 0.0, people[certain] == 1
    distinct = np.zeros((len(sizes), len(people)))
    total = np.zeros_like(mass)
    for size in range(1, int(sizes.max()) + 1):
        total += mass
        distinct[sizes == size] = total
        mass *= np.maximum(people - size, 0) * (odds / size)
    sure = certain & (people > 1)
    if sure.any():
        distinct[:, sure] = people[sure] * (people[sure] <= sizes[:, None])
    return distinct


def _empty(people: FloatArray, bins: FloatArray, listed: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore"):  # nobody times a certain hit
        return np.where(people > 0, np.exp(people * log_miss(bins, listed)), 1.0)


def _convolved(first: FloatArray, second: FloatArray) -> FloatArray:
    """Convolve the rows of two tables of chances, cut off at their width."""
    width = first.shape[1]
    result = np.zeros_like(first)
    for size in range(width):
        result[:, size:] += first[:, size : size + 1] * second[:, : width - size]
    return result


def _log_empty(place: IntArray, people: FloatArray, bins: FloatArray, listed: FloatArray, places: int) -> FloatArray:
    """Logarithm of the chance that one bin of each place holds nobody who is listed."""
    with np.errstate(invalid="ignore"):
        missed = np.where(people > 0, people * log_miss(bins, listed), 0.0)
    return np.bincount(place, weights=missed, minlength=places).astype(np.float64)


def _bins_of(place: IntArray, bins: FloatArray, places: int) -> FloatArray:
    of_place = np.ones(places)
    of_place[place] = bins
    return of_place
