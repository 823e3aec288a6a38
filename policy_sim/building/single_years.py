"""From age classes to single years of age: first for the state, then for its counties.

Inside a class, the code draws single years for the people of a state from the national pattern of their race, and
meets the state's people of each year of age exactly. Then every county draws its people from the state's; every
distribution is equally likely. People of 85 and over follow the state's shares of 85-89, ..., 110 and over; below 100
they decrease by a constant factor from year to year.
"""

from __future__ import annotations

import numpy as np

from policy_sim.arrays import FloatArray, IntArray
from policy_sim.building.integerize import draw_rows, round_rows, settle_columns, share_out
from policy_sim.building.ipf import Margin, fit_margins
from policy_sim.population.ages import AGES, CLASS_AGES, OPEN_AGE

__all__ = ["deal_ages", "people_by_age", "shares_within_85_over", "split_open_age", "state_ages"]


# Added so that every year of age is possible for a race without people in the pattern.
_LEAST_ODDS = 1e-6


def shares_within_85_over(shares: FloatArray) -> FloatArray:
    """Spread shares of 85-89, 90-94, 95-99, 100-104, 105-109, 110+ over 85 ... 99, 100, 105, 110.

    Parameters
    ----------
    shares : Shares on the last axis, shape (..., 6).

    Returns
    -------
    Shape (..., 18), with the same sums. Inside five years the share decreases by the same factor each year: the fifth
    root of the decrease over five years, from the groups before and after.
    """
    before, after = shares[..., [0, 0, 1]], shares[..., [1, 2, 3]]
    fall = (after / before) ** (1 / np.array([5.0, 10.0, 10.0]))
    powers = fall[..., None] ** np.arange(5)
    single = shares[..., :3, None] * powers / powers.sum(axis=-1, keepdims=True)
    return np.concatenate([single.reshape(*shares.shape[:-1], 15), shares[..., 3:]], axis=-1)


def _state_by_year(people: IntArray, pattern: FloatArray, years: FloatArray, rng: np.random.Generator) -> IntArray:
    """Draw single years for a state's people of one class.

    Parameters
    ----------
    people : People of the class by sex and race; shape (2, 7).
    pattern : Odds of each year by sex and race; shape (2, 7, years).
    years : People of each year by sex, all races, in any unit; shape (2, years).

    Returns
    -------
    Shape (2, 7, years).
    """
    columns = round_rows(years, people.sum(axis=1), rng)
    expected = fit_margins(pattern, [Margin(columns[:, None]), Margin(people[:, :, None])], tolerance=0.5)
    return settle_columns(draw_rows(expected, people, rng), expected, columns)


def people_by_age(
    people: IntArray,
    years: FloatArray,
    by_race: FloatArray,
    open_shares: FloatArray,
    rng: np.random.Generator,
) -> IntArray:
    """Divide the age classes of a state's counties into single ages.

    Parameters
    ----------
    people : Whole people by county, sex, class and race; shape (counties, 2, 23, 7).
    years : People of the state by sex and year of age, all races; shape (2, 86).
    by_race : Distribution of each race over the years, in any unit; shape (7, 2, 86).
    open_shares : Share of each of the 18 ages (85 to 99, 100-104, 105-109, 110 and over) among the state's people of
        85 and over; shape (2, 7, 18).

    Returns
    -------
    Shape (counties, 2, 103, 7), ages as :data:`~policy_sim.population.ages.AGES`. The classes of every county keep
    their people, and the state meets ``years``, scaled to its classes.
    """
    return deal_ages(people, state_ages(people.sum(axis=0), years, by_race, open_shares, rng), rng)


def state_ages(
    state: IntArray, years: FloatArray, by_race: FloatArray, open_shares: FloatArray, rng: np.random.Generator
) -> IntArray:
    """Draw single ages for a state's people of each class; shape (2, 103, 7).

    Parameters
    ----------
    state : Whole people by sex, class and race; shape (2, 23, 7).
    years, by_race, open_shares : As in :func:`people_by_age`.
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

    ``people`` and the result are those of :func:`people_by_age`.
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

    Parameters
    ----------
    people : Whole people by county, sex, year of age (the last: 85 and over) and race; shape (counties, 2, 86, 7).
    open_shares : As in :func:`people_by_age`.

    Returns
    -------
    Shape (counties, 2, 103, 7). The function draws the state's people, then assigns them to its counties.
    """
    oldest = people[:, :, OPEN_AGE]
    pool = draw_rows(open_shares, oldest.sum(axis=0), rng)
    dealt = share_out(pool.reshape(-1, open_shares.shape[-1]), oldest.reshape(len(people), -1), rng)
    split = np.moveaxis(dealt.reshape(len(people), 2, 7, -1), 2, 3)
    return np.concatenate([people[:, :, :OPEN_AGE], split], axis=2)
