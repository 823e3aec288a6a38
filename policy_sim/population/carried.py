"""Fit the population of a state to redistricting counts and an older age structure (2020).

Redistricting counts say how many people of each race and origin are under 18 and how many are not;
estimates of another date say how sexes and ages run. The estimates, carried to the day of the census,
are fitted to the counts; Hispanics, whom those counts do not split, get their races last. Nothing in
the result is a count of a joint cell: all of it is modelled.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from policy_sim.population.ages import CLASS_STARTS, class_of_age
from policy_sim.population.cohorts import YEARS
from policy_sim.population.fitting import Margin, fit_margins
from policy_sim.population.single_years import people_by_age
from policy_sim.population.whole import draw_rows, round_rows, settle_columns

__all__ = ["ADULT", "Carried", "carried_by_class", "expected_people", "fit_carried"]

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

ADULT = 18
# Years of age, and age classes, of those under 18 and of the others.
_YEAR_HALVES = (slice(0, ADULT), slice(ADULT, YEARS))
_FIRST_ADULT_CLASS = int(class_of_age(np.array([ADULT]))[0])
_CLASS_HALVES = (slice(0, _FIRST_ADULT_CLASS), slice(_FIRST_ADULT_CLASS, len(CLASS_STARTS)))
# People of the state's pattern that every county's estimate is given, so that a group which the
# estimate lacks can be fitted to its count.
_PRIOR_PEOPLE = 0.5


@dataclass(frozen=True)
class Carried:
    """What is known of the counties of a state.

    Attributes
    ----------
    state : Two-digit FIPS code.
    counties : Five-digit FIPS codes, sorted.
    halves : People under 18, and 18 and over; shape (counties, 2).
    groups : The same by group (:data:`~policy_sim.population.official.GROUPS`), whole where counted;
        shape (counties, 2, 8).
    estimates : People by group, sex and year of age on the day of the census, by estimates; shape
        (counties, 8, 2, 86).
    hispanic_races : Hispanics of each race, expected, in any unit; shape (counties, 7).
    shares_85_over : As in :class:`~policy_sim.population.official.AgePatterns`.
    """

    state: str
    counties: tuple[str, ...]
    halves: IntArray
    groups: FloatArray
    estimates: FloatArray
    hispanic_races: FloatArray
    shares_85_over: FloatArray


def expected_people(tables: Carried) -> FloatArray:
    """Fit the estimates to the counts; shape (counties, 7 races, 2, 86), in people."""
    of_state = tables.estimates.sum(axis=0)
    prior = _PRIOR_PEOPLE * of_state / of_state.sum(axis=(1, 2), keepdims=True)
    pattern = tables.estimates + prior
    ages = pattern.sum(axis=1, keepdims=True)
    margins = []
    for half, years in enumerate(_YEAR_HALVES):
        found = ages[..., years].sum(axis=(2, 3), keepdims=True)
        ages[..., years] *= tables.halves[:, half, None, None, None] / found
        part = (slice(None), slice(None), slice(None), years)
        margins.append(Margin(tables.groups[:, half, :, None, None], part))
    fitted = fit_margins(pattern, [*margins, Margin(ages)])
    shares = tables.hispanic_races / tables.hispanic_races.sum(axis=1, keepdims=True)
    return np.asarray(fitted[:, 1:] + fitted[:, :1] * shares[:, :, None, None])


def carried_by_class(tables: Carried, expected: FloatArray, rng: np.random.Generator) -> IntArray:
    """Draw whole people of the expected ones; shape (counties, 2, 23 classes, 7).

    Those under 18 and those of 18 and over of every county are exact, and among them every race of
    those who are not Hispanic, where it is counted.
    """
    by_class = np.moveaxis(expected @ np.eye(len(CLASS_STARTS))[class_of_age(np.arange(YEARS))], 1, -1)
    halves = [_whole_half(by_class[:, :, classes], tables, half, rng) for half, classes in enumerate(_CLASS_HALVES)]
    return np.concatenate(halves, axis=2)


def _whole_half(expected: FloatArray, tables: Carried, half: int, rng: np.random.Generator) -> IntArray:
    """Draw whole people of one half; ``expected`` has the shape (counties, 2, classes, 7)."""
    totals = tables.halves[:, half]
    groups = round_rows(tables.groups[:, half], totals, rng)
    races = groups[:, 1:] + round_rows(tables.hispanic_races, groups[:, 0], rng)
    cells = expected.reshape(len(totals), -1, expected.shape[-1])
    rows = round_rows(cells.sum(axis=2), totals, rng)
    return settle_columns(draw_rows(cells, rows, rng), cells, races).reshape(expected.shape)


def fit_carried(tables: Carried, rng: np.random.Generator) -> IntArray:
    """Return whole people by county, sex, age and race; shape (counties, 2, 103 ages, 7)."""
    expected = expected_people(tables)
    people = carried_by_class(tables, expected, rng)
    of_state = expected.sum(axis=0)
    return people_by_age(people, of_state.sum(axis=0), of_state, tables.shares_85_over, rng)
