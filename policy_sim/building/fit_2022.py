"""Fit the population of a state to the Bureau's estimates of a later July, from an older joint table (2022).

The estimates give three margins in every county: sex by five-year age, sex by race, and sex by Hispanic origin. Their
six races have no "some other race". The fit takes the joint distribution from the older table and meets the margins
in six races. Then it gives every person one of the census's seven races, in the proportions of the older table.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from policy_sim.arrays import FloatArray, IntArray
from policy_sim.building.cohorts import YEARS
from policy_sim.building.integerize import draw_rows, round_rows, settle_columns
from policy_sim.building.ipf import Margin, fit_margins
from policy_sim.building.single_years import split_open_age

__all__ = ["AGE_STARTS", "SIX_RACES", "Estimates", "fit_estimates", "people_in_six_races", "six_of_seven"]

AGE_STARTS = tuple(range(0, 90, 5))
# Races of the estimates: the census's seven without "some other race".
SIX_RACES = ("white", "black", "aian", "asian", "nhpi", "multiple")
_SEVEN_OF_SIX = (0, 1, 2, 3, 4, 6)
_OTHER, _MULTIPLE = 5, 6
_AGES = tuple(slice(start, end) for start, end in zip(AGE_STARTS, (*AGE_STARTS[1:], YEARS), strict=True))
_PRIOR_PEOPLE = 0.5
# The races that the estimates give people of "some other race", and of two or more, by origin (Hispanic, not
# Hispanic): shares of white, of two or more, and of the races of the county. The county's own figures adjust them.
_MOVED = {_OTHER: ((0.9, 0.02, 0.08), (0.6, 0.1, 0.3)), _MULTIPLE: ((0.85, 0.1, 0.05), (0.3, 0.6, 0.1))}
_NOT_MOVED = 0.99


@dataclass(frozen=True)
class Estimates:
    """The facts about the counties of a state.

    Attributes
    ----------
    state : Two-digit FIPS code.
    counties : Five-digit FIPS codes, sorted.
    ages : People by sex and five-year age (:data:`AGE_STARTS`); shape (counties, 2, 18).
    races : People by sex and race of the estimates (:data:`SIX_RACES`); shape (counties, 2, 6).
    origins : People by sex and origin; shape (counties, 2 sexes, 2 origins).
    pattern : The older joint table, grown older; shape (counties, 2 origins, 7 races, 2 sexes, 86).
    six : Share of each race of the estimates among the people of each origin and census race; shape (counties, 2, 7,
        6).
    open_shares : Share of each of the 18 ages among the people of 85 and over; shape (2 sexes, 7, 18).
    """

    state: str
    counties: tuple[str, ...]
    ages: IntArray
    races: IntArray
    origins: IntArray
    pattern: FloatArray
    six: FloatArray
    open_shares: FloatArray


def six_of_seven(seven: FloatArray, six: FloatArray) -> FloatArray:
    """Return the share of each census race that the estimates put into each of their races; shape (counties, 2, 7, 6).

    Parameters
    ----------
    seven : People by origin and census race; shape (counties, 2, 7).
    six : People by race of the estimates at about the same date, in any unit; shape (counties, 6).
    """
    shares = (six + _PRIOR_PEOPLE) / (six + _PRIOR_PEOPLE).sum(axis=1, keepdims=True)
    seed = np.zeros((*seven.shape, len(SIX_RACES)))
    for place, race in enumerate(_SEVEN_OF_SIX):
        seed[:, :, race, place] = _NOT_MOVED
        seed[:, :, race, -1] += 1 - _NOT_MOVED
    for race, by_origin in _MOVED.items():
        for origin, (white, multiple, rest) in enumerate(by_origin):
            seed[:, origin, race] = rest * shares
            seed[:, origin, race, 0] += white
            seed[:, origin, race, -1] += multiple
    positive = seven[..., None] + 1e-3
    people = shares * positive.sum(axis=(1, 2))
    fitted = fit_margins(seed * positive, [Margin(people[:, None, None]), Margin(positive)], tolerance=1.0)
    return np.asarray(fitted / fitted.sum(axis=-1, keepdims=True))


def people_in_six_races(tables: Estimates, rng: np.random.Generator) -> IntArray:
    """Draw whole people; shape (counties, 2 sexes, 86, 2 origins, 6 races).

    The totals by county, sex and five-year age, by county, sex and race, and by county, sex and origin are exact.
    """
    expected = _expected(tables)
    counties = len(expected)
    cells = np.moveaxis(expected, (3, 4), (1, 2))  # counties, sexes, ages, origins, races
    by_age = cells.sum(axis=(3, 4))
    rows = np.concatenate(
        [round_rows(by_age[..., part] + 1e-9, tables.ages[..., i], rng) for i, part in enumerate(_AGES)], axis=-1
    )
    columns = _origin_by_race(cells.sum(axis=2), tables, rng)
    cells = cells.reshape(counties * 2, YEARS, -1)
    drawn = draw_rows(cells, rows.reshape(counties * 2, YEARS), rng)
    settled = settle_columns(drawn, cells, columns.reshape(counties * 2, -1))
    return settled.reshape(counties, 2, YEARS, 2, len(SIX_RACES))


def _prior(pattern: FloatArray) -> FloatArray:
    """Add half a person of the state's pattern to every origin and race, so that every combination is possible."""
    of_state = pattern.sum(axis=0) + 1e-6
    return np.asarray(pattern + _PRIOR_PEOPLE * of_state / of_state.sum(axis=(2, 3), keepdims=True))


def _expected(tables: Estimates) -> FloatArray:
    """Fit the older table to the margins; shape (counties, 2 origins, 6 races, 2 sexes, 86)."""
    pattern = np.einsum("corsa,corx->coxsa", _prior(tables.pattern), tables.six)
    every = slice(None)
    ages = [
        Margin(tables.ages[:, None, None, :, i, None], (every, every, every, every, part))
        for i, part in enumerate(_AGES)
    ]
    races = Margin(np.moveaxis(tables.races, 1, 2)[:, None, :, :, None])
    origins = Margin(np.moveaxis(tables.origins, 1, 2)[:, :, None, :, None])
    return fit_margins(pattern, [races, origins, *ages], tolerance=0.05)


def _origin_by_race(expected: FloatArray, tables: Estimates, rng: np.random.Generator) -> IntArray:
    """Round origin by race in each county and sex, with both margins exact; shape (counties, 2 sexes, 2, 6)."""
    cells = np.moveaxis(expected, 2, 3).reshape(-1, len(SIX_RACES), 2) + 1e-9
    rounded = round_rows(cells, tables.races.reshape(-1, len(SIX_RACES)), rng)
    settled = settle_columns(rounded, cells, tables.origins.reshape(-1, 2))
    return np.moveaxis(settled.reshape(*tables.races.shape, 2), 3, 2)


def fit_estimates(tables: Estimates, rng: np.random.Generator) -> IntArray:
    """Return whole people by county, sex, age and race; shape (counties, 2, 103 ages, 7)."""
    six = people_in_six_races(tables, rng)
    pattern = np.moveaxis(_prior(tables.pattern), (3, 4), (1, 2))  # counties, sexes, ages, origins, seven races
    people = np.zeros((*six.shape[:3], 7), dtype=np.int64)
    for place in range(len(SIX_RACES)):
        odds = pattern * tables.six[:, None, None, ..., place] + 1e-12
        people += draw_rows(odds, six[..., place], rng).sum(axis=3)
    return split_open_age(people, tables.open_shares, rng)
