"""Fit the population of a state to redistricting counts, ages by sex, and older ages of each race (2020).

Redistricting counts give the people of each origin and race under 18, and of 18 and over. Population estimates give
the people of each sex and year of age in the county. Older estimates give the age distribution of each race. The fit
carries these distributions to the day of the census and adjusts them to the counts and the estimates. No joint cell
of sex, age and race is a count.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from policy_sim.arrays import FloatArray, IntArray
from policy_sim.building.cohorts import YEARS
from policy_sim.building.integerize import draw_rows, round_rows, settle_columns
from policy_sim.building.ipf import Margin, fit_margins
from policy_sim.building.single_years import split_open_age

__all__ = [
    "ADULT",
    "HALVES",
    "Redistricting",
    "expected_people",
    "fit_redistricting",
    "people_by_origin",
    "whole_ages",
]


ADULT = 18
# Years of age of the people under 18, and of the others.
HALVES = (slice(0, ADULT), slice(ADULT, YEARS))
# The fit adds this many people of the state's pattern to every county's pattern, so that it can fit a
# group that the county's estimate lacks.
_PRIOR_PEOPLE = 0.5


@dataclass(frozen=True)
class Redistricting:
    """The facts about the counties of a state.

    Attributes
    ----------
    state : Two-digit FIPS code.
    counties : Five-digit FIPS codes, sorted.
    counted : People under 18, and of 18 and over, by origin and race; shape (counties, 2 halves, 2 origins, 7).
    ages : People by sex and year of age, in any unit; shape (counties, 2, 86).
    pattern : Distribution of sex and age in each origin and race, in any unit; shape (counties, 2, 7, 2, 86).
    open_shares : Share of each of the 18 ages among the people of 85 and over; shape (2 sexes, 7, 18).
    """

    state: str
    counties: tuple[str, ...]
    counted: IntArray
    ages: FloatArray
    pattern: FloatArray
    open_shares: FloatArray


def expected_people(tables: Redistricting, ages: IntArray) -> FloatArray:
    """Fit the pattern to the counts and to whole ages, in people; shape (counties, 2 origins, 7 races, 2, 86)."""
    of_state = tables.pattern.sum(axis=0)
    prior = _PRIOR_PEOPLE * of_state / of_state.sum(axis=(2, 3), keepdims=True)
    every = slice(None)
    halves = [
        Margin(tables.counted[:, half, ..., None, None], (every, every, every, every, years))
        for half, years in enumerate(HALVES)
    ]
    return fit_margins(tables.pattern + prior, [*halves, Margin(ages[:, None, None])], tolerance=0.05)


def people_by_origin(tables: Redistricting, rng: np.random.Generator) -> IntArray:
    """Draw whole people; shape (counties, 2 origins, 7 races, 2, 86).

    The totals of every county, origin, race and half are exact, and so are those of every county, sex and year of age
    (rounded to fit the counts of both halves).
    """
    ages = whole_ages(tables.ages, tables.counted.sum(axis=(2, 3)), rng)
    expected = expected_people(tables, ages)
    parts = []
    for half, years in enumerate(HALVES):
        cells = np.moveaxis(expected[..., years].reshape(len(expected), 14, -1), 1, -1)
        rows = ages[..., years].reshape(len(expected), -1)
        drawn = draw_rows(cells, rows, rng)
        settled = settle_columns(drawn, cells, tables.counted[:, half].reshape(-1, 14))
        parts.append(np.moveaxis(settled, -1, 1).reshape(*expected.shape[:4], -1))
    return np.concatenate(parts, axis=-1)


def fit_redistricting(tables: Redistricting, rng: np.random.Generator) -> IntArray:
    """Return whole people by county, sex, age and race; shape (counties, 2, 103 ages, 7)."""
    people = np.moveaxis(people_by_origin(tables, rng).sum(axis=1), 1, -1)
    return split_open_age(people, tables.open_shares, rng)


def whole_ages(ages: FloatArray, halves: IntArray, rng: np.random.Generator) -> IntArray:
    """Round people by sex and year of age, scaled to the people under 18 and of 18 and over.

    ``ages`` has the shape (counties, 2, 86), ``halves`` the shape (counties, 2).
    """
    parts = [
        round_rows(ages[..., years].reshape(len(ages), -1), halves[:, half], rng).reshape(len(ages), 2, -1)
        for half, years in enumerate(HALVES)
    ]
    return np.concatenate(parts, axis=-1)
