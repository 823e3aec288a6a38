"""States with a counted joint table: input tables for a recipe made from it, and the counts to compare the fit with.

Texas (2000 and 2010) and Kentucky (2010) have counts by county, sex, age and race. From them the recipe of 2020 gets
the same input as in 2020: race by origin, under 18 and 18 and over, and ages by sex. The age distribution of each
race comes from estimates of ``estimates_year``, as in 2020.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from policy_sim.arrays import FloatArray, IntArray
from policy_sim.building.cohorts import carry, spread
from policy_sim.building.fit_2020 import ADULT, Redistricting
from policy_sim.building.inputs_2020 import both_origins, cohort_patterns, state_classes
from policy_sim.building.integerize import round_rows
from policy_sim.building.ipf import Margin, fit_margins
from policy_sim.building.joint_tables import JointTable, read_texas
from policy_sim.building.official_tables import (
    SEX_ORDER,
    read_age_patterns,
    read_decennial,
    read_race_origin,
    read_table,
    to_array,
    with_group,
)
from policy_sim.building.redistricting_tables import OTHER_PER_MULTIPLE
from policy_sim.building.state_tables import GROUPS, AgePatterns, Decennial
from policy_sim.population.ages import AGES, CLASS_STARTS, OPEN_AGE, class_of_age

__all__ = ["like_2020", "like_ages_of"]


_TEXAS = "48"
_TO_JULY = 0.25  # years from April 1 to July 1
_FIRST_ADULT_CLASS = int(class_of_age(np.array([ADULT]))[0])


def like_2020(folder: Path, held_out: JointTable, estimates_year: int) -> Redistricting:
    """Return the input of the recipe of 2020 for a state with a counted joint table.

    Raises
    ------
    SourceError : a file is missing or damaged.
    """
    state, year = held_out.state, held_out.year
    _, origins = read_race_origin(folder, 2000)
    patterns = read_age_patterns(folder, 2000, origins.sum(axis=0), classes_year=estimates_year)[state]
    census = read_decennial(folder, year)[state]
    if state == _TEXAS:
        counted, ages = _texas_tables(folder, year)
    else:
        counted, ages = _kentucky_halves(census, held_out.counted(folder)), _single_years(census)
    pattern = both_origins(_estimates(folder, patterns, state, estimates_year, year))
    return Redistricting(state, census.counties, counted, ages, pattern, census.patterns.open_shares)


def like_ages_of(counted: IntArray, fitted: IntArray) -> IntArray:
    """Return a fitted table of 103 ages with the ages of the counted one: 103, or 23 classes."""
    if counted.shape[2] == len(AGES):
        return fitted
    classes = np.eye(counted.shape[2], dtype=np.int64)[class_of_age(AGES)]
    return np.asarray(np.moveaxis(np.moveaxis(fitted, 2, -1) @ classes, -1, 2))


def _texas_tables(folder: Path, year: int) -> tuple[IntArray, FloatArray]:
    _, people = read_texas(folder, year)
    young = people[..., :ADULT].sum(axis=(3, 4))
    counted = np.stack([young, people[..., ADULT:].sum(axis=(3, 4))], axis=1)
    ages = people.sum(axis=(1, 2))
    oldest = ages[..., OPEN_AGE:].sum(axis=-1, keepdims=True)
    return counted, np.concatenate([ages[..., :OPEN_AGE], oldest], axis=-1).astype(np.float64)


def _single_years(census: Decennial) -> FloatArray:
    """Spread the counted classes of each county over the state's single years; shape (counties, 2, 86)."""
    return spread(census.everyone.astype(np.float64), CLASS_STARTS, census.patterns.years[None])


def _kentucky_halves(census: Decennial, people: IntArray) -> IntArray:
    """Return people under 18, and of 18 and over, by origin and race: the counts by half and race, divided by origin.

    The result meets tables P5, P12H and P12I; no table of origin, race and half is available.
    """
    by_race = _by_half(np.moveaxis(people, -1, 1))
    hispanic, white = _by_half(census.hispanic[:, None])[..., 0], _by_half(census.white_not_hispanic[:, None])
    origin = np.stack([hispanic, by_race.sum(axis=2) - hispanic], axis=2)
    every = slice(None)
    fitted = fit_margins(
        np.broadcast_to(census.race_origin[:, None] + 1e-6, (len(people), 2, 2, 7)),
        [
            Margin(census.race_origin[:, None]),
            Margin(origin[..., None]),
            Margin(white[:, :, None], (every, every, slice(1, None), slice(0, 1))),
            Margin(by_race[:, :, None]),
        ],
    )
    rng = np.random.default_rng(census.race_origin.sum())
    return np.moveaxis(round_rows(np.moveaxis(fitted, 2, -1), by_race, rng), -1, 2)


def _by_half(table: IntArray) -> IntArray:
    """Return the people under 18, and of 18 and over, of a table whose axes are county, any, sex and class."""
    young, old = table[..., :_FIRST_ADULT_CLASS], table[..., _FIRST_ADULT_CLASS:]
    return np.stack([young.sum(axis=(-1, -2)), old.sum(axis=(-1, -2))], axis=1)


def _estimates(folder: Path, patterns: AgePatterns, state: str, year: int, census: int) -> FloatArray:
    """Return the people of a state by county, group, sex and year of age on census day; shape (counties, 8, 2, 86)."""
    name = f"county_{year}_pep_sex_age13.parquet"
    table = _of_state(read_table(folder, name), state)
    counties = sorted(table["county_fips"].unique().tolist())
    starts = patterns.class_starts
    ages = to_array(table, {"county_fips": counties, "sex": SEX_ORDER, "age": starts.tolist()}, name)
    name = f"county_{year}_pep_race_origin.parquet"
    table = with_group(_of_state(read_table(folder, name), state))
    groups = to_array(table, {"county_fips": counties, "group": GROUPS}, name)
    groups[:, GROUPS.index("other")] = 0
    margins = [Margin(groups[:, :, None, None]), Margin(ages[:, None])]
    fitted = fit_margins(state_classes(patterns)[None] * groups[:, :, None, None], margins)
    people = spread(fitted, starts, cohort_patterns(patterns, year - 2000 + _TO_JULY)[None])
    people[:, GROUPS.index("other")] = people[:, GROUPS.index("multiple")] * OTHER_PER_MULTIPLE
    return carry(people, census - year - _TO_JULY)


def _of_state(table: pd.DataFrame, state: str) -> pd.DataFrame:
    return table[table["county_fips"].str[:2] == state]
