"""The tables that a fit takes in, from the files of the Census Bureau."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.building.ages import YEARS, carry, spread
from policy_sim.building.fits import AGE_STARTS, Estimates, Redistricting, expected_people, six_of_seven, whole_ages
from policy_sim.building.official_tables import (
    GROUPS,
    ORIGIN_ORDER,
    RACE_LABELS,
    SEX_ORDER,
    AgePatterns,
    counties_by_state,
    read_age_patterns,
    read_open_shares,
    read_race_origin,
    read_table,
    to_array,
)
from policy_sim.people.facts import county_history
from policy_sim.people.merge import AGES, CLASS_STARTS, OPEN_AGE
from policy_sim.people.places import census_day
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.states import STATES

# Steps that turn older tables into the patterns of a later fit, for any year.


def by_common_area(
    table: NDArray[Any], old: Sequence[str], new: Sequence[str], old_day: date, new_day: date
) -> FloatArray:
    """Give each county of ``new_day`` the people in its area on ``old_day``.

    If counties changed between the days, the area is the smallest one in both, and each of its counties gets all of
    its people: good for patterns but not for counts.
    """
    area = county_history().common_areas([old_day, new_day])
    names = sorted({area[county] for county in (*old, *new)})
    sums = np.zeros((len(names), *table.shape[1:]))
    np.add.at(sums, [names.index(area[county]) for county in old], table)
    return sums[[names.index(area[county]) for county in new]]


def cohort_patterns(patterns: AgePatterns, years: float) -> FloatArray:
    """Return the single years of age in a state ``years`` after its census, by group; shape (8, 2, 86).

    They are the nation's cohorts of the group, times the ratio of the state's cohorts to the nation's.
    """
    nation = np.concatenate([patterns.nation[:1].sum(axis=1), patterns.nation[1]])
    ratio = carry(patterns.years, years) / carry(nation.sum(axis=0), years)
    return np.asarray(carry(nation, years) * ratio)


def state_classes(patterns: AgePatterns) -> FloatArray:
    """Return the state's groups by sex and coarser age, each adding up to 1; shape (8, 2, classes).

    The estimates lack "some other race"; it gets the ages of two or more races.
    """
    classes = np.concatenate([patterns.classes[:6], patterns.classes[7:], patterns.classes[7:]])
    return np.asarray(classes / classes.sum(axis=(1, 2), keepdims=True))


def both_origins(groups: FloatArray) -> FloatArray:
    """Convert people by group to a pattern by origin and race; shape (counties, 2, 7, 2, 86).

    Hispanics of every race have the pattern of all Hispanics in the county, because no estimate has their races.
    """
    return np.stack([groups[:, :1].repeat(groups.shape[1] - 1, axis=1), groups[:, 1:]], axis=1)


# Read the facts about 2020: redistricting counts of April 1, ages on that day, and estimates of July 2019.


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


def read_redistricting(folder: Path) -> dict[str, Redistricting]:
    """Read counts, ages and patterns of 2020, state by state, by FIPS code of the state."""
    counties, counted = read_counted(folder)
    ages = read_ages(folder, counties)
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


def read_counted(folder: Path) -> tuple[list[str], IntArray]:
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


def read_ages(folder: Path, counties: Sequence[str]) -> FloatArray:
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


# Read the facts about a later July 1: the Bureau's margins of every county, and the joint table of 2020 grown older.


_RACES = (
    "White",
    "Black or African American",
    "American Indian or Alaska Native",
    "Asian",
    "Native Hawaiian or Other Pacific Islander",
    "More than one race",
)
_ORIGINS = ("Hispanic or Latino", "Not Hispanic or Latino")
# File -> the column that it adds to county and sex, and the values of the column.
_KINDS: Mapping[str, tuple[str, Sequence[Any]]] = {
    "age5": ("age", AGE_STARTS),
    "race6": ("race", _RACES),
    "ethnicity": ("hispanic", _ORIGINS),
}


def since_census(year: int) -> float:
    """Return the years from April 1, 2020, to July 1 of a year."""
    return year - 2020 + 0.25


def read_margins(folder: Path, year: int, vintage: int = 0) -> tuple[list[str], IntArray, IntArray, IntArray]:
    """Read the counties and their people by sex and age, by sex and race, and by sex and origin.

    Of the vintage of the year itself, unless another is given. Shapes (counties, 2, 18), (counties, 2, 6) and
    (counties, 2, 2).
    """
    counties: list[str] = []
    margins, vintage = [], vintage or year
    for kind, (column, labels) in _KINDS.items():
        name = f"county_2021_{vintage}_pep_v{vintage}_sex_{kind}.parquet"  # of July 1, 2021, and of the vintage's year
        table = read_table(folder, name)
        table = table[table["year"] == year]
        counties = sorted(table["county_fips"].unique().tolist())
        axes = {"county_fips": counties, "sex": SEX_ORDER, column: labels}
        margins.append(to_array(table, axes, name).astype(np.int64))
    ages, races, origins = margins
    return counties, ages, races, origins


def joint_of(tables: Redistricting) -> FloatArray:
    """Return the fitted table of 2020 for a state, in people; shape (counties, 2 origins, 7 races, 2 sexes, 86)."""
    ages = whole_ages(tables.ages, tables.counted.sum(axis=(2, 3)), np.random.default_rng(int(tables.state)))
    return expected_people(tables, ages)


def read_estimates(folder: Path, year: int) -> dict[str, Estimates]:
    """Read margins and patterns of a year's estimates, state by state (FIPS code of the state first)."""
    counties, ages, races, origins = read_margins(folder, year)
    counties_2021, _, races_2021, _ = read_margins(folder, 2021, vintage=year)
    older = read_redistricting(folder)
    tables = {}
    for state, members in counties_by_state(counties).items():
        names = [counties[i] for i in members]
        joint = _to_regions(joint_of(older[state]), older[state].counties, names, state)
        counted = _to_regions(older[state].counted.sum(axis=1), older[state].counties, names, state)
        six = races_2021[[counties_2021.index(name) for name in names]].sum(axis=1).astype(np.float64)
        tables[state] = Estimates(
            state,
            tuple(names),
            ages[members],
            races[members],
            origins[members],
            carry(joint, since_census(year)),
            six_of_seven(counted, six),
            older[state].open_shares,
        )
    return tables


def _to_regions(table: Any, old: Sequence[str], new: Sequence[str], state: str) -> FloatArray:
    """Convert a table of the counties of 2020 to those of later estimates; only Connecticut's counties changed."""
    shares: Mapping[str, Mapping[str, float]] = regions_of_old_counties() if state == _CONNECTICUT else {}
    result = np.zeros((len(new), *table.shape[1:]))
    for county, people in zip(old, table, strict=True):
        for place, share in shares.get(county, {county: 1.0}).items():
            result[new.index(place)] += share * people
    return result


# States with a counted table of county, sex, age and race: it ships, and fits without it are compared with it.
#
# For Texas these are tables PCT12A to PCT12G of Census 2000 and 2010; for Kentucky, tables P12A to P12G of Census 2010.
# They are counts of the U.S. Census Bureau, in the public domain.


_KENTUCKY = "21"


class JointTable(NamedTuple):
    """A state (two-digit FIPS code) and census with a counted table of county, sex, age and race, in a file."""

    name: str
    state: str
    year: int
    file: str

    def by_origin(self, folder: Path) -> IntArray | None:
        """Return people by origin, county, sex, 103 ages and race; None where the table does not show the origin."""
        if self.state != _TEXAS:
            return None
        return np.moveaxis(read_texas(folder, self.year)[1], (1, 2), (0, -1))

    def counted(self, folder: Path) -> IntArray:
        """Return people by county, sex, age (103 in Texas, 23 classes in Kentucky) and race."""
        by_origin = self.by_origin(folder)
        if by_origin is not None:
            return np.asarray(by_origin.sum(axis=0))
        table = read_table(folder, self.file)
        counties = sorted(table["county_fips"].unique().tolist())
        axes = {"county_fips": counties, "sex": SEX_ORDER, "age": CLASS_STARTS.tolist(), "race": RACE_LABELS}
        return to_array(table[table["in_partition"]], axes, self.file).astype(np.int64)


JOINT_TABLES = (
    JointTable("Texas", _TEXAS, 2000, "county_2000_pct12_race_origin_texas.parquet"),
    JointTable("Texas", _TEXAS, 2010, "county_2010_pct12_race_origin_texas.parquet"),
    JointTable("Kentucky", _KENTUCKY, 2010, "county_2010_sf1_p12a_i_kentucky.parquet"),
)


def joint_of_year(folder: Path, year: int) -> dict[str, IntArray]:
    """Read every joint table of a census, by the FIPS code of the state, with its origins where it shows them.

    Shapes as :meth:`JointTable.by_origin`, or :meth:`JointTable.counted`.
    """
    tables = {}
    for table in JOINT_TABLES:
        if table.year == year:
            by_origin = table.by_origin(folder)
            tables[table.state] = table.counted(folder) if by_origin is None else by_origin
    return tables


def read_texas(folder: Path, year: int) -> tuple[list[str], IntArray]:
    """Read the counties of Texas and their people; shape (counties, 2 origins, 7 races, 2 sexes, 103 ages)."""
    name = f"county_{year}_pct12_race_origin_texas.parquet"
    table = read_table(folder, name)
    counties = sorted(table["county_fips"].unique().tolist())
    axes = {"county_fips": counties, "hispanic": ORIGIN_ORDER, "race": RACE_LABELS, "sex": SEX_ORDER}
    return counties, to_array(table, {**axes, "age": AGES.tolist()}, name).astype(np.int64)
