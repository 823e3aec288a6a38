"""Read what is known of 2020: redistricting counts of 1 April, estimates of July 2019 carried to that day."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.population.carried import ADULT, Carried
from policy_sim.population.cells import RACES
from policy_sim.population.cohorts import carry, spread
from policy_sim.population.county_changes import census_day
from policy_sim.population.fitting import Margin, fit_margins
from policy_sim.population.official import GROUPS, HISPANIC, AgePatterns
from policy_sim.sources.carried_inputs import (
    by_common_area,
    by_state,
    cohort_patterns,
    hispanic_races,
    state_classes,
)
from policy_sim.sources.paths import data_dir
from policy_sim.sources.population_tables import (
    SEX_ORDER,
    STATE_CODES,
    counties_by_state,
    read_age_patterns,
    read_race_origin,
    read_table,
    to_array,
    with_group,
)
from policy_sim.states import STATES

__all__ = [
    "OTHER_PER_MULTIPLE",
    "read_counted_states",
    "read_halves",
    "read_redistricting_2020",
    "split_groups",
]

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

_CALIFORNIA, _OREGON = "06", "41"
# Years from Census 2010 to the estimates of 1 July 2019, and from there to 1 April 2020.
_SINCE_CENSUS, _TO_CENSUS = 9.25, 0.75
# The vintage 2019 has the counties of 1 January 2019.
_ESTIMATES_DAY = date(2019, 1, 1)
_BY_AGE = ("white", "black", "asian")
_BY_SEX = {"aian": "NHIA", "nhpi": "NHNA", "multiple": "NHTOM"}
_ORIGIN_CODE = {"white": "HWA", "black": "HBA", "asian": "HAA"}
# Some other race is in no estimate; this part of two or more races stands in until the fit.
OTHER_PER_MULTIPLE = 0.1


@cache
def _published() -> Mapping[str, Any]:
    with (data_dir() / "populations" / "redistricting-2020.toml").open("rb") as file:
        return tomllib.load(file)


def _of_groups(place: str) -> IntArray:
    return np.array([_published()[place]["group"][group] for group in GROUPS])


def read_redistricting_2020(folder: Path) -> dict[str, Carried]:
    """Read counts and estimates of 2020, state by state (FIPS code of the state first).

    Raises
    ------
    SourceError : a file is missing or damaged.
    """
    counties, halves = read_halves(folder, 2020)
    counties_2010, origins = read_race_origin(folder, 2010)
    patterns = read_age_patterns(folder, 2010, origins.sum(axis=0), classes_year=2015)
    estimates = _estimates(folder, counties, patterns)
    groups = _groups(folder, counties, halves, estimates)
    older = by_common_area(origins[:, HISPANIC], counties_2010, counties, census_day(2010), census_day(2020))
    nation = np.array([_published()["nation"]["race"][race] for race in RACES]) - _of_groups("nation")[1:]
    hispanics = hispanic_races(older, groups[..., 0].sum(axis=1), nation)
    return by_state(counties, halves, groups, estimates, hispanics, patterns)


def read_counted_states(folder: Path) -> dict[str, Carried]:
    """Read 2020 as :func:`read_redistricting_2020`, without the states whose counties are not counted by race."""
    tables = read_redistricting_2020(folder)
    return {state: tables[state] for state in tables if state not in (_CALIFORNIA, _OREGON)}


def read_halves(folder: Path, year: int) -> tuple[list[str], IntArray]:
    """Read the counties, and their people under 18 and of 18 and over; shape (counties, 2)."""
    table = read_table(folder, "county_totals_2000_2010_2020.csv.gz")
    table = table[(table["year"] == year) & table["state_fips"].isin(STATE_CODES)].sort_values("county_fips")
    adults = table["population_18_over"].to_numpy(np.int64)
    return table["county_fips"].tolist(), np.stack([table["population"].to_numpy(np.int64) - adults, adults], 1)


def _groups(folder: Path, counties: list[str], halves: IntArray, estimates: FloatArray) -> FloatArray:
    """People by county, half and group: counted, but for California and Oregon estimated."""
    name = "county_2020_pl94_race_origin_18plus.parquet"
    table = with_group(read_table(folder, name))
    both = to_array(table, {"county_fips": counties, "age": [0, ADULT], "group": GROUPS}, name)
    groups = np.stack([both[:, 0] - both[:, 1], both[:, 1]], axis=1)
    here = counties_by_state(counties)
    nation = _of_groups("nation")
    totals = {_CALIFORNIA: _of_groups("CA")}
    totals[_OREGON] = nation - totals[_CALIFORNIA] - groups.sum(axis=(0, 1)).astype(np.int64)
    for state, total in totals.items():
        groups[here[state]] = split_groups(estimates[here[state]], halves[here[state]], total)
    return groups


def split_groups(estimates: FloatArray, halves: IntArray, total: IntArray) -> FloatArray:
    """Split the groups of a state over its counties and halves, after the estimates; (counties, 2, 8)."""
    by_half = np.stack([estimates[..., :ADULT].sum(axis=(2, 3)), estimates[..., ADULT:].sum(axis=(2, 3))], 1)
    return fit_margins(by_half, [Margin(total[None, None, :]), Margin(halves[:, :, None])])


def _estimates(folder: Path, counties: list[str], patterns: Mapping[str, AgePatterns]) -> FloatArray:
    """People by county, group, sex and year of age on census day; shape (counties, 8, 2, 86)."""
    name = "county_2019_pep_v2019_partial.parquet"
    table = read_table(folder, name)
    table = table[(table["age_width"] != 999) | (table["age"] > 0)]
    old = sorted(table["county_fips"].unique())
    starts = np.array(sorted(table["age"].unique()))
    labels = ("All races", "White alone", "Black or African American alone", "Asian alone")
    axes = {"race": labels, "county_fips": old, "sex": SEX_ORDER, "age": starts.tolist()}
    hispanic, *races = to_array(table, axes, name)
    by_sex = _estimates_by_sex(folder, old)
    people = np.zeros((len(old), len(GROUPS), 2, 86))
    for state, here in counties_by_state(old).items():
        cohorts = cohort_patterns(patterns[state], _SINCE_CENSUS)
        people[here, 0] = spread(hispanic[here], starts, cohorts[None, 0])
        for race, counted in zip(_BY_AGE, races, strict=True):
            share = by_sex[_ORIGIN_CODE[race]][here] / np.maximum(by_sex["H"][here], 1)
            others = np.maximum(counted[here] - hispanic[here] * share[:, :, None], 0)
            people[here, GROUPS.index(race)] = spread(others, starts, cohorts[None, GROUPS.index(race)])
        classes = state_classes(patterns[state])
        for race, code in _BY_SEX.items():
            group = GROUPS.index(race)
            of_sex = classes[group] / classes[group].sum(axis=1, keepdims=True)
            ages = by_sex[code][here][:, :, None] * of_sex
            people[here, group] = spread(ages, patterns[state].class_starts, cohorts[None, group])
    people[:, GROUPS.index("other")] = people[:, GROUPS.index("multiple")] * OTHER_PER_MULTIPLE
    carried = carry(people, _TO_CENSUS)
    return by_common_area(carried, old, counties, _ESTIMATES_DAY, census_day(2020))


def _estimates_by_sex(folder: Path, counties: Sequence[str]) -> dict[str, FloatArray]:
    """People of all ages by sex, for the columns of the official file; each of shape (counties, 2)."""
    name = "official_samples/cc-est2019-alldata_year12_agegrp0_all_counties.csv.gz"
    table = read_table(folder, name)
    # STATE is damaged in one row of the copy at hand; the name of the state is not.
    fips = {state.name: state.fips for state in STATES.values()}
    codes = table["STNAME"].map(fips) + table["COUNTY"].astype(str).str.zfill(3)
    columns = ("H", *_ORIGIN_CODE.values(), *_BY_SEX.values())
    table = table.set_index(pd.Index(codes)).loc[list(counties)]
    return {column: table[[f"{column}_MALE", f"{column}_FEMALE"]].to_numpy(np.float64) for column in columns}
