"""Fit the population of a state to the counts of a census (2000 or 2010).

The census counts White alone and Black alone by county, sex and 23 age classes. The fit divides the rest of each cell
among the other five races by iterative proportional fitting. It starts from the state's age pattern of each race and
meets all other counts (origin by age, race by origin). Then it draws whole people, and then single years of age.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from policy_sim.arrays import FloatArray, IntArray
from policy_sim.building.integerize import draw_rows, settle_columns
from policy_sim.building.ipf import Margin, fit_margins
from policy_sim.building.single_years import deal_ages, people_by_age, state_ages
from policy_sim.building.state_tables import AgePatterns, Decennial
from policy_sim.groups import Groups, total_risk
from policy_sim.population.ages import AGE_WIDTHS, AGES, CLASS_STARTS, class_of_age

__all__ = ["expected_small_races", "fit_decennial", "pattern_by_class", "people_by_class", "with_ages"]


# The fit adds this many people of the national pattern to a state's own, so that a small group gets the nation's.
_PRIOR_PEOPLE = 20.0
# Number of draws, of which the fit returns the median; odd.
_DRAWS = 25
_WHITE, _BLACK, _OTHER, _MULTIPLE = 0, 1, 5, 6


def pattern_by_class(patterns: AgePatterns) -> FloatArray:
    """Return the age distribution of a state by origin and race, in people; shape (2 origins, 7, 2, 23).

    The state's coarser ages are divided into the 23 classes as in the nation. Hispanics of each race have the coarser
    ages of the state's Hispanics, and inside these the ages of the nation's Hispanics of that race. The estimates
    lack "some other race" that is not Hispanic; it gets the ages of two or more races.
    """
    state = np.stack([np.repeat(patterns.classes[:1], 7, axis=0), patterns.classes[1:]])
    state[1, _OTHER] = state[1, _MULTIPLE]
    classes = _add_up(patterns.nation, class_of_age(np.arange(86)), len(CLASS_STARTS))
    coarse_of_class = class_of_age(CLASS_STARTS, patterns.class_starts)
    coarse = _add_up(classes, coarse_of_class, len(patterns.class_starts))
    prior = _PRIOR_PEOPLE * coarse / coarse.sum(axis=(2, 3), keepdims=True)
    return np.asarray((state + prior)[..., coarse_of_class] * classes / coarse[..., coarse_of_class])


def _add_up(table: FloatArray, classes: NDArray[np.intp], number: int) -> FloatArray:
    """Add up the last axis by age class."""
    return table @ np.eye(number)[classes]


def expected_small_races(census: Decennial) -> FloatArray:
    """Divide those neither White nor Black alone by race, in people; shape (counties, 2, 23, 5 races)."""
    not_white = pattern_by_class(census.patterns)[None, :, 1:].repeat(len(census.counties), axis=0)
    hispanic = census.hispanic - (census.white - census.white_not_hispanic)
    others = census.everyone - census.hispanic - census.white_not_hispanic
    rest = census.everyone - census.white - census.black
    every = slice(None)
    fitted = fit_margins(
        not_white,
        [
            Margin(census.race_origin[:, :, 1:, None, None]),
            Margin(np.stack([hispanic, others], axis=1)[:, :, None]),
            Margin(census.black[:, None, None], (every, every, slice(0, 1))),
            Margin(rest[:, None, None], (every, every, slice(1, None))),
        ],
    )
    return np.moveaxis(fitted[:, :, 1:].sum(axis=1), 1, -1)


def people_by_class(census: Decennial, rng: np.random.Generator, expected: FloatArray | None = None) -> IntArray:
    """Return whole people by county, sex, age class and race; shape (counties, 2, 23, 7).

    The totals of everyone, White and Black by county, sex and class are exact, and so are those of each race by
    county. The other people are drawn person by person: rounding would leave too few small cells empty, and so too
    many people alone in their cells. ``expected`` is the result of :func:`expected_small_races`, if it is already
    computed.
    """
    rest = census.everyone - census.white - census.black
    small_races = expected_small_races(census) if expected is None else expected
    expected = small_races.reshape(len(census.counties), -1, 5)
    drawn = draw_rows(expected, rest.reshape(len(expected), -1), rng)
    small = settle_columns(drawn, expected, census.race_origin.sum(axis=1)[:, 2:])
    return np.concatenate([census.white[..., None], census.black[..., None], small.reshape(*rest.shape, 5)], axis=-1)


def fit_decennial(census: Decennial, rng: np.random.Generator) -> IntArray:
    """Return whole people by county, sex, age and race; shape (counties, 2, 103 ages, 7).

    The function draws them several times and returns the median draw by the number of people that a match on sex,
    race and year of birth in the state would identify. That figure depends on the few people of the oldest ages in
    small races, and varies by up to 1% between draws.
    """
    expected, patterns = expected_small_races(census), census.patterns
    by_race = patterns.nation.sum(axis=0)
    drawn = []
    for _ in range(_DRAWS):
        people = people_by_class(census, rng, expected)
        drawn.append((people, state_ages(people.sum(axis=0), patterns.years, by_race, patterns.open_shares, rng)))
    people, ages = sorted(drawn, key=lambda draw: _occupied_years(draw[1]))[_DRAWS // 2]
    return deal_ages(people, ages, rng)


def with_ages(census: Decennial, people: IntArray, rng: np.random.Generator) -> IntArray:
    """Divide people by age class, drawn or counted, into single ages; shape (counties, 2, 103, 7).

    A table by the 103 ages stays as it is.
    """
    if people.shape[2] == len(AGES):
        return people
    patterns = census.patterns
    return people_by_age(people, patterns.years, patterns.nation.sum(axis=0), patterns.open_shares, rng)


def _occupied_years(of_state: IntArray) -> float:
    """Return the expected number of years of birth with somebody of each sex and race in a state; shape (2, 103, 7)."""
    widths = np.broadcast_to(AGE_WIDTHS[:, None], of_state.shape)
    return float(total_risk(Groups.of(of_state.ravel(), widths.ravel()))[0])
