"""How old people are where a table says it in classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from policy_sim.building.rounding import Margin, draw_rows, fit_margins, round_rows, settle_columns, share_out
from policy_sim.people.merge import AGES, CLASS_AGES, OPEN_AGE, class_of_age
from policy_sim.words.arrays import FloatArray, IntArray

# Birth cohorts: carry single years of age to another date, and spread age classes over them.
#
# People born in the same year stay together: those who are 20 at one census are 30 at the next. So a census by single
# years shows how people spread over the years of an age class at another date.


YEARS = 86  # 0 to 84, and 85 and over


def carry(people: FloatArray, years: float) -> FloatArray:
    """Let people grow older by ``years`` (younger if < 0), without deaths or moves.

    The last axis has 86 years of age. In a part of a year, that part of each birth year moves on. An age into which
    nobody grows gets the size of the nearest age into which somebody does: births stay the same. The open age keeps its
    size: deaths at 85 and over balance those who reach 85.

    >>> carry(np.concatenate([[8.0, 4.0], np.zeros(84)]), 0.75)[:4].tolist()
    [8.0, 7.0, 3.0, 0.0]
    """
    was = np.clip(np.arange(YEARS - 1) - years, 0, YEARS - 2)
    low = np.minimum(was.astype(np.int64), YEARS - 3)
    part = was - low
    moved = people[..., low] * (1 - part) + people[..., low + 1] * part
    return np.concatenate([moved, people[..., -1:]], axis=-1)


def spread(classes: FloatArray, starts: NDArray[np.int64], pattern: FloatArray) -> FloatArray:
    """Spread age classes (last axis, first ages ``starts``) over 86 years in proportion to a pattern."""
    of_year = class_of_age(np.arange(YEARS), starts)
    sums = (pattern @ np.eye(len(starts))[of_year])[..., of_year]
    share = np.divide(pattern, sums, out=np.zeros_like(pattern), where=sums > 0)
    return np.asarray(classes[..., of_year] * share)


# From age classes to single years of age: first for the state, then for its counties.
#
# Inside a class, the code draws single years for the people of a state from the national pattern of their race, and
# meets the state's people of each year of age exactly. Then every county draws its people from the state's; every
# distribution is equally likely. People of 85 and over follow the state's shares of 85-89, ..., 110 and over; below 100
# they decrease by a constant factor from year to year.


# Added so that every year of age is possible for a race without people in the pattern.
_LEAST_ODDS = 1e-6


def shares_within_85_over(shares: FloatArray) -> FloatArray:
    """Spread shares of 85-89, 90-94, 95-99, 100-104, 105-109, 110+ over 85 ... 99, 100, 105, 110.

    The last axis grows from 6 to 18, with the same sums. Inside five years the share decreases by the same factor each
    year: the fifth root of the decrease over five years, from the groups before and after.
    """
    before, after = shares[..., [0, 0, 1]], shares[..., [1, 2, 3]]
    fall = (after / before) ** (1 / np.array([5.0, 10.0, 10.0]))
    powers = fall[..., None] ** np.arange(5)
    single = shares[..., :3, None] * powers / powers.sum(axis=-1, keepdims=True)
    return np.concatenate([single.reshape(*shares.shape[:-1], 15), shares[..., 3:]], axis=-1)


def _state_by_year(people: IntArray, pattern: FloatArray, years: FloatArray, rng: np.random.Generator) -> IntArray:
    """Draw single years for a state's people of one class.

    ``people``: people of the class by sex and race; shape (2, 7). ``pattern``: odds of each year by sex and race; shape
    (2, 7, years). ``years``: people of each year by sex, all races, in any unit; shape (2, years).
    """
    columns = round_rows(years, people.sum(axis=1), rng)
    expected = fit_margins(pattern, [Margin(columns[:, None]), Margin(people[:, :, None])], tolerance=0.5)
    return settle_columns(draw_rows(expected, people, rng), expected, columns)


def state_ages(
    state: IntArray, years: FloatArray, by_race: FloatArray, open_shares: FloatArray, rng: np.random.Generator
) -> IntArray:
    """Draw single ages for a state's people of each class: from shape (2, 23, 7) by sex, class and race to (2, 103, 7).

    The state meets ``years``, people of all races by sex and year of age (2, 86), scaled to its classes. ``by_race``:
    the distribution of each race over the years, in any unit (7, 2, 86); ``open_shares``: the share of each of the 18
    ages (85 to 99, 100-104, 105-109, 110 and over) among the state's people of 85 and over (2, 7, 18).
    """
    odds = np.moveaxis(by_race, 0, 1) + _LEAST_ODDS
    pools = [
        draw_rows(open_shares, state[:, number], rng)
        if AGES[ages[0]] == OPEN_AGE
        else _state_by_year(state[:, number], odds[:, :, ages], years[:, ages], rng)
        for number, ages in enumerate(CLASS_AGES)
    ]
    return np.moveaxis(np.concatenate(pools, axis=2), 1, 2)


def deal_ages(people: IntArray, state: IntArray, rng: np.random.Generator) -> IntArray:
    """Distribute a state's single ages, shape (2, 103, 7), over its counties; every distribution is equally likely.

    From ``people``, shape (counties, 2 sexes, 23 classes, 7 races), to the 103 ages of
    :data:`~policy_sim.people.merge.AGES`: the classes of every county keep their people.
    """
    result = np.zeros((len(people), 2, len(AGES), 7), dtype=np.int64)
    for number, ages in enumerate(CLASS_AGES):
        pool = np.moveaxis(state[:, ages], 1, 2)
        demands = people[:, :, number].reshape(len(people), -1)
        dealt = share_out(pool.reshape(-1, len(ages)), demands, rng)
        result[:, :, ages] = np.moveaxis(dealt.reshape(len(people), 2, 7, len(ages)), 2, 3)
    return result


def split_open_age(people: IntArray, open_shares: FloatArray, rng: np.random.Generator) -> IntArray:
    """Divide 85 and over of a state's counties into the 18 ages of table PCT12.

    From shape (counties, 2 sexes, 86 years, 7 races) to (counties, 2, 103, 7): the state's people are drawn first, then
    assigned to its counties.
    """
    oldest = people[:, :, OPEN_AGE]
    pool = draw_rows(open_shares, oldest.sum(axis=0), rng)
    dealt = share_out(pool.reshape(-1, open_shares.shape[-1]), oldest.reshape(len(people), -1), rng)
    split = np.moveaxis(dealt.reshape(len(people), 2, 7, -1), 2, 3)
    return np.concatenate([people[:, :, :OPEN_AGE], split], axis=2)


def with_origin(people: IntArray, hispanics: IntArray, starts: IntArray, rng: np.random.Generator) -> IntArray:
    """Divide people between the origins where the Hispanics are known by age class; shape (2 origins, ...).

    Inside a class every choice of that many of its people is equally likely. Added up over origin, nothing changes.

    ``people``: shape (counties, 2 sexes, 103 ages, 7 races). ``hispanics``: those of the classes that begin at
    ``starts``, shape (counties, 2, classes, 7).
    """
    of_age = class_of_age(AGES, starts)
    result = np.zeros((2, *people.shape), dtype=np.int64)
    for number in range(len(starts)):
        ages = np.flatnonzero(of_age == number)
        pool = np.moveaxis(people[:, :, ages], 2, 3)
        kinds, demand = pool.reshape(-1, len(ages)), hispanics[:, :, number].reshape(-1)
        dealt = share_out(kinds, np.stack([demand, kinds.sum(axis=1) - demand]), rng)
        result[:, :, :, ages] = np.moveaxis(dealt.reshape(2, *pool.shape), 4, 3)
    return result
