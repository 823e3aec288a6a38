"""Linkage tokens matched without their key: by the tokens that people share and what is shown next to them.

A token is a keyed hash of fields such as last name and birth date. The records of a repeated token form a pattern, such
as two in one ZIP code and one in another, that needs no key to read. An attacker with a roster counts the same pattern
for each name and birth date, and links the token with a name that has it (MODEL.md section 24).
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from itertools import pairwise
from typing import Self

import numpy as np
from scipy.special import gammaincc, gammaln

from policy_sim.words.arrays import FloatArray, IntArray

_ONE_BY_ONE = 16  # people with one token, above which numbers of people are taken in classes
_WIDER = 1.12  # each of those classes is so many times as wide as the one before
_PATTERNS = 512  # drawn for each number of people with one token and each stratum
_BIG_PATTERNS = 32  # the same for more than 16 people, whose means vary less
_NONE_ALIKE = 1e-9  # other names with the same pattern, below which there are none
_LEFT_OUT = 1e-7  # share of a stratum's people whose tokens may be left out, by number of people with the token


@dataclass(frozen=True)
class TokenFigures:
    """Expected numbers of people; those of several strata add up.

    Attributes
    ----------
    people : In the file.
    on_roster : Of them, on the attacker's roster.
    named : Of the people whose token someone else has too, the correct matches of an attacker without the key, lucky
        picks among equal patterns included.
    sure : Of them, those whose pattern no other name of the roster has, and who are alone in their place.
    clear : Correct matches by what is shown next to the token, without tokens.
    with_key : Correct matches of an attacker who can compute tokens.
    repeated : People whose token someone else in the file has too.
    unique : People whom token and clear fields single out in the file.
    """

    people: float = 0.0
    on_roster: float = 0.0
    named: float = 0.0
    sure: float = 0.0
    clear: float = 0.0
    with_key: float = 0.0
    repeated: float = 0.0
    unique: float = 0.0

    def __add__(self, other: Self) -> Self:
        """Add up the people of two strata."""
        return type(self)(*(mine + yours for mine, yours in zip(astuple(self), astuple(other), strict=True)))


@dataclass(frozen=True, eq=False)
class TokenStratum:
    """People who show the same in the clear, as far as their token decides it: a sex and a year of birth.

    Attributes
    ----------
    rate : Expected people in the population with each token that the stratum may have, > 0; shape (classes,).
    tokens : How many tokens have that rate, > 0; shape (classes,). The sum of ``rate * tokens`` is the people.
    places : Share of the people who show each value of the other clear fields, such as a ZIP code; adds up to 1; shape
        (places,).
    listed : Chance (0..1) that a person there is on the roster; shape (places,).
    """

    rate: FloatArray
    tokens: FloatArray
    places: FloatArray
    listed: FloatArray

    @property
    def people(self) -> float:
        """Expected people of the stratum in the population."""
        return float(self.rate @ self.tokens)

    def sampled(self, share: float) -> TokenStratum:
        """Return the stratum of a random share of the people."""
        return TokenStratum(self.rate * share, self.tokens, self.places, self.listed)


def token_figures(stratum: TokenStratum, in_file: float, rng: np.random.Generator, *, told: bool) -> TokenFigures:
    """Return the expected matches of one stratum.

    Each person is in the file with the chance ``in_file``, and on the roster with that of the place, all independently;
    tokens have Poisson numbers of people. The attacker links a token with a name whose pattern on the roster equals the
    token's in the file, at random among several, and the people of the two at random where a place has several.

    Parameters
    ----------
    stratum : Its people in the population.
    in_file : Share of them in the file, above 0 and up to 1.
    rng : Draws the patterns over which means are taken: with 512 of each number of people, means over a hundred strata
        are right to about one in a thousand.
    told : Whether the attacker knows who is in the file, and reads these people of the roster alone.

    Returns
    -------
    Expected people. ``sure <= named <= on_roster``, and ``named <= repeated`` with ``told`` and everyone listed.

    Examples
    --------
    One name, of which two people are expected, in one place: one match is right if two or more are there, which is so
    with the chance 1 - 3 / e**2.

    >>> two = TokenStratum(np.array([2.0]), np.ones(1), np.ones(1), np.ones(1))
    >>> round(token_figures(two, 1.0, np.random.default_rng(1), told=True).named, 3)
    0.594

    References
    ----------
    Eliazar et al. (2025), JAMIA 33:336, doi:10.1093/jamia/ocaf183.
    """
    file = stratum.sampled(in_file)
    if told:
        stratum, in_file = file, 1.0
    listed = float(stratum.places @ stratum.listed)
    named, sure = _by_pattern(stratum, in_file, rng)
    entries = stratum.people * stratum.places * stratum.listed
    return TokenFigures(
        people=file.people,
        on_roster=file.people * listed,
        named=named,
        sure=sure,
        clear=in_file * float(-np.expm1(-entries).sum()),
        with_key=in_file * _occupied(stratum),
        repeated=max(file.people - _alone(file, np.ones(1)), 0.0),
        unique=_alone(file, file.places),
    )


def _occupied(stratum: TokenStratum) -> float:
    """Return how many pairs of a token and a place someone on the roster has."""
    per_place = stratum.places * stratum.listed
    return float(stratum.tokens @ -np.expm1(-np.multiply.outer(stratum.rate, per_place)).sum(axis=1))


def _alone(file: TokenStratum, places: FloatArray) -> float:
    """Return the people whom nobody shares token and place with: ``people × Σ p (1 - p)^(people - 1)``.

    Golle's formula for bins that are not equally likely, over tokens times places.
    """
    people = file.people
    chance = np.minimum(np.multiply.outer(file.rate / people, places), 1.0)
    with np.errstate(divide="ignore"):
        others = np.exp(max(people - 1.0, 0.0) * np.log1p(-chance))
    return float(people * (file.tokens @ (chance * others).sum(axis=1)))


# People named by the pattern of their token, number of people by number of people.


def _by_pattern(stratum: TokenStratum, in_file: float, rng: np.random.Generator) -> tuple[float, float]:
    """Return the expected correct matches, and those of patterns that only one name has."""
    listed = float(stratum.places @ stratum.listed)
    if listed <= 0:
        return 0.0, 0.0
    chance = stratum.places * stratum.listed / listed
    both = stratum.rate * in_file * listed
    one_side = stratum.rate * (in_file * (1 - listed) + (1 - in_file) * listed)
    weight = stratum.tokens * np.exp(-one_side)
    named = sure = 0.0
    enough = _LEFT_OUT * stratum.people * in_file * listed
    for low, high in size_classes(float(both.max())):
        matches = weight * _within(both, low, high)
        matched, middle = float(matches.sum()), round((low + high - 1) / 2)
        if matched * middle <= enough:
            continue
        on_roster = _within(stratum.rate * listed, low, high) / (high - low)
        own = float(matches @ on_roster) / matched
        names = max(float(stratum.tokens @ on_roster) - own, 0.0)
        of_each, of_sure = _mean_matches(middle, names, chance, rng)
        named, sure = named + matched * of_each, sure + matched * of_sure
    return named, sure


def size_classes(most: float) -> list[tuple[int, int]]:
    """Return classes ``[low, high)`` of two people or more with one token, up to what ``most`` expected people reach.

    >>> size_classes(0.1)[:2], size_classes(100.0)[-1][1] > 180
    ([(2, 3), (3, 4)], True)
    """
    end = most + 9 * most**0.5 + 9
    edges = [*range(2, _ONE_BY_ONE + 2)]
    while edges[-1] < end:
        edges.append(max(int(edges[-1] * _WIDER), edges[-1] + 1))
    return list(pairwise(edges))


def _within(rate: FloatArray, low: int, high: int) -> FloatArray:
    """Return the chance that a Poisson number of each rate is in [low, high)."""
    if high == low + 1:
        chance: FloatArray = np.exp(low * np.log(rate) - rate - gammaln(low + 1))
        return chance
    wide: FloatArray = gammaincc(high, rate) - gammaincc(low, rate)
    return wide


def _mean_matches(size: int, names: float, chance: FloatArray, rng: np.random.Generator) -> tuple[float, float]:
    """Return the mean correct matches of a token of ``size`` people, and those that are sure.

    ``names``: expected other names on the roster with as many people. ``chance``: that one of them is in each place.
    """
    if size > _ONE_BY_ONE and names * np.exp(_log_most(size, chance)) < _NONE_ALIKE:
        return _apart(size, chance)
    if size <= _ONE_BY_ONE:
        log_chance, different, single = _drawn(size, chance, rng, _PATTERNS)
    elif size < np.count_nonzero(chance):
        log_chance, different, single = _drawn(size, chance, rng, _BIG_PATTERNS)
    else:
        log_chance, different, single = _counted(size, chance, rng)
    same = names * np.exp(log_chance)
    return float(np.mean(different * _one_of(same))), float(np.mean(single * np.exp(-same)))


def _log_most(size: int, chance: FloatArray) -> float:
    """Return a number that the log chance of no pattern of ``size`` people exceeds.

    A pattern is that of Poisson numbers given their sum, so its chance is at most the product of the largest Poisson
    chances over the chance of the sum.

    >>> most = _log_most(20, np.full(4, 0.25))  # the likeliest pattern has five people in each place
    >>> five_each = gammaln(21) - 4 * gammaln(6) - 20 * np.log(4)
    >>> bool(five_each <= most < five_each + 1e-9)
    True
    """
    mean = size * chance[chance > 0]
    top = np.floor(mean)
    of_sum = size * np.log(size) - size - gammaln(size + 1)
    return float((top * np.log(mean) - mean - gammaln(top + 1)).sum() - of_sum)


def _apart(size: int, chance: FloatArray) -> tuple[float, float]:
    """Return the mean number of different places, and of places with one person, of patterns that no other name has."""
    possible = chance[(chance > 0) & (chance < 1)]
    with_none = size * np.log1p(-possible)
    single = size * (possible * np.exp(with_none - np.log1p(-possible))).sum()
    return float(-np.expm1(with_none).sum() + np.count_nonzero(chance == 1)), float(single)


def _one_of(others: FloatArray) -> FloatArray:
    """Return the mean of 1 over 1 and a Poisson number of others."""
    mean: FloatArray = np.where(others > 0, -np.expm1(-others) / np.where(others > 0, others, 1.0), 1.0)
    return mean


def _drawn(
    size: int, chance: FloatArray, rng: np.random.Generator, patterns: int
) -> tuple[FloatArray, IntArray, IntArray]:
    """Draw patterns person by person: log chance of each, its different places, and places with one person."""
    place = np.searchsorted(np.cumsum(chance), rng.random((patterns, size)) * (1 - 1e-12))
    place = np.sort(np.minimum(place, len(chance) - 1), axis=1)
    again = np.ones(place.shape)
    for column in range(1, size):
        again[:, column] = np.where(place[:, column] == place[:, column - 1], again[:, column - 1] + 1, 1.0)
    log_chance = gammaln(size + 1) - np.log(again).sum(axis=1) + np.log(chance[place]).sum(axis=1)
    first = again == 1
    last = np.roll(first, -1, axis=1)
    last[:, -1] = True
    return log_chance, first.sum(axis=1), (first & last).sum(axis=1)


def _counted(size: int, chance: FloatArray, rng: np.random.Generator) -> tuple[FloatArray, IntArray, IntArray]:
    """Draw patterns of many people place by place; returned as by :func:`_drawn`."""
    possible = chance[chance > 0]
    people = rng.multinomial(size, possible / possible.sum(), size=_BIG_PATTERNS)
    log_chance = gammaln(size + 1) - gammaln(people + 1).sum(axis=1) + people @ np.log(possible)
    return log_chance, (people > 0).sum(axis=1), (people == 1).sum(axis=1)
