"""Read the facts about 2020: redistricting counts of April 1, ages on that day, and estimates of July 2019."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd

from policy_sim.arrays import FloatArray, IntArray
from policy_sim.building.cohorts import YEARS, carry, spread
from policy_sim.building.fit_2020 import Redistricting
from policy_sim.building.inputs_2020 import both_origins, by_common_area, cohort_patterns, state_classes
from policy_sim.building.official_tables import (
    ORIGIN_ORDER,
    RACE_LABELS,
    SEX_ORDER,
    counties_by_state,
    read_age_patterns,
    read_race_origin,
    read_table,
    to_array,
)
from policy_sim.building.oldest_ages import read_open_shares
from policy_sim.building.state_tables import GROUPS, AgePatterns
from policy_sim.io.population_store.census_facts import county_history
from policy_sim.population.ages import OPEN_AGE
from policy_sim.population.counties import census_day
from policy_sim.states import STATES

__all__ = [
    "OTHER_PER_MULTIPLE",
    "read_ages_2020",
    "read_counted_2020",
    "read_redistricting_2020",
    "regions_of_old_counties",
]


_PUERTO_RICO, _TEXAS, _CONNECTICUT = "72", "48", "09"
# Years from Census 2010 to the estimates of July 1, 2019, and from there to April 1, 2020.
_SINCE_CENSUS, _TO_CENSUS = 9.25, 0.75
# The vintage 2019 has the counties of January 1, 2019.
_ESTIMATES_DAY = date(2019, 1, 1)
_BY_AGE = ("white", "black", "asian")
_BY_SEX = {"aian": "NHIA", "nhpi": "NHNA", "multiple": "NHTOM"}
_ORIGIN_CODE = {"white": "HWA", "black": "HBA", "asian": "HAA"}
# No estimate has some other race; this share of two or more races replaces it until the fit.
OTHER_PER_MULTIPLE = 0.1


def read_redistricting_2020(folder: Path) -> dict[str, Redistricting]:
    """Read counts, ages and patterns of 2020, state by state, by FIPS code of the state.

    Raises
    ------
    SourceError : a file is missing or damaged.
    """
    counties, counted = read_counted_2020(folder)
    ages = read_ages_2020(folder, counties)
    _, origins = read_race_origin(folder, 2010)
    patterns = read_age_patterns(folder, 2010, origins.sum(axis=0), classes_year=2015)
    pattern = both_origins(_estimates(folder, counties, patterns))
    open_shares = read_open_shares(folder, 2020)
    codes = np.array(counties)
    return {
        state: Redistricting(
            state,
            tuple(codes[members].tolist()),
            counted[members],
            ages[members],
            pattern[members],
            open_shares[state],
        )
        for state, members in counties_by_state(counties).items()
    }


def read_counted_2020(folder: Path) -> tuple[list[str], IntArray]:
    """Read the counties and their people under 18, and of 18 and over, by origin and race.

    Shape (counties, 2 halves, 2 origins, 7): tables P1 to P4 of the redistricting data.
    """
    name = "county_2020_pl94_race_by_origin.parquet"
    table = read_table(folder, name)
    table = table[table["state_fips"] != _PUERTO_RICO]
    counties = sorted(table["county_fips"].unique().tolist())
    axes = {"county_fips": counties, "age": ("all", "18+"), "hispanic": ORIGIN_ORDER, "race": RACE_LABELS}
    both = to_array(table, axes, name).astype(np.int64)
    return counties, np.stack([both[:, 0] - both[:, 1], both[:, 1]], axis=1)


def read_ages_2020(folder: Path, counties: Sequence[str]) -> FloatArray:
    """Read the people of each county by sex and year of age on April 1, 2020; shape (counties, 2, 86).

    The source is the base of the estimates of vintage 2023. It lacks Texas, which gets the ages of Census 2020. It
    has Connecticut by planning region: each old county gets the ages of its regions, weighted by the people of its
    towns there, as shares that add up to 1.
    """
    name = "county_2020_pep_v2023_sex_single_year.parquet"
    table = read_table(folder, name)
    table = table[table["state_fips"] != _PUERTO_RICO]
    texas_name = "county_2020_pct12_race_origin_texas.parquet"
    texas = read_table(folder, texas_name)
    texas = texas.assign(age=texas["age"].clip(upper=OPEN_AGE))
    columns = ["county_fips", "sex", "age", "population"]
    both = pd.concat([table[columns], texas[columns]])
    county_codes = sorted(both["county_fips"].unique().tolist())
    ages = to_array(both, {"county_fips": county_codes, "sex": SEX_ORDER, "age": range(YEARS)}, name)
    of_county = dict(zip(county_codes, ages, strict=True))
    for county, regions in regions_of_old_counties().items():
        parts = [share * of_county[region] / of_county[region].sum() for region, share in regions.items()]
        of_county[county] = np.sum(parts, axis=0)
    return np.stack([of_county[county] for county in counties])


def regions_of_old_counties() -> dict[str, dict[str, float]]:
    """Return the share of each planning region in the people of 2020 of each old county of Connecticut."""
    (change,) = [candidate for candidate in county_history().changes if candidate.parts[0].old.startswith(_CONNECTICUT)]
    return change.shares(forward=True) or {}


def _estimates(folder: Path, counties: list[str], patterns: Mapping[str, AgePatterns]) -> FloatArray:
    """Return people by county, group, sex and year of age on census day; shape (counties, 8, 2, 86)."""
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
    for state, members in counties_by_state(old).items():
        cohorts = cohort_patterns(patterns[state], _SINCE_CENSUS)
        people[members, 0] = spread(hispanic[members], starts, cohorts[None, 0])
        for race, counted in zip(_BY_AGE, races, strict=True):
            share = by_sex[_ORIGIN_CODE[race]][members] / np.maximum(by_sex["H"][members], 1)
            others = np.maximum(counted[members] - hispanic[members] * share[:, :, None], 0)
            people[members, GROUPS.index(race)] = spread(others, starts, cohorts[None, GROUPS.index(race)])
        classes = state_classes(patterns[state])
        for race, code in _BY_SEX.items():
            group = GROUPS.index(race)
            of_sex = classes[group] / classes[group].sum(axis=1, keepdims=True)
            ages = by_sex[code][members][:, :, None] * of_sex
            people[members, group] = spread(ages, patterns[state].class_starts, cohorts[None, group])
    people[:, GROUPS.index("other")] = people[:, GROUPS.index("multiple")] * OTHER_PER_MULTIPLE
    carried = carry(people, _TO_CENSUS)
    return by_common_area(carried, old, counties, _ESTIMATES_DAY, census_day(2020))


def _estimates_by_sex(folder: Path, counties: Sequence[str]) -> dict[str, FloatArray]:
    """Return people of all ages by sex, for the columns of the official file; each of shape (counties, 2)."""
    name = "official_samples/cc-est2019-alldata_year12_agegrp0_all_counties.csv.gz"
    table = read_table(folder, name)
    # STATE is damaged in one row of the available copy, but the name of the state is correct.
    fips = {state.name: state.fips for state in STATES.values()}
    codes = table["STNAME"].map(fips) + table["COUNTY"].astype(str).str.zfill(3)
    columns = ("H", *_ORIGIN_CODE.values(), *_BY_SEX.values())
    table = table.set_index(pd.Index(codes)).loc[list(counties)]
    return {column: table[[f"{column}_MALE", f"{column}_FEMALE"]].to_numpy(np.float64) for column in columns}
