"""Read the facts about July 1, 2022: the Bureau's margins of every county, and the joint table of 2020 grown older."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from policy_sim.arrays import FloatArray, IntArray
from policy_sim.building.cohorts import carry
from policy_sim.building.fit_2020 import Redistricting, expected_people, whole_ages
from policy_sim.building.fit_2022 import AGE_STARTS, Estimates, six_of_seven
from policy_sim.building.official_tables import SEX_ORDER, counties_by_state, read_table, to_array
from policy_sim.building.redistricting_tables import read_redistricting_2020, regions_of_old_counties

__all__ = ["joint_of", "read_estimates_2022", "read_margins"]

_CONNECTICUT = "09"
_TO_2022 = 2.25  # years from April 1, 2020, to July 1, 2022
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


def read_margins(folder: Path, year: int) -> tuple[list[str], IntArray, IntArray, IntArray]:
    """Read the counties and their people by sex and age, by sex and race, and by sex and origin.

    Shapes (counties, 2, 18), (counties, 2, 6) and (counties, 2, 2).
    """
    counties: list[str] = []
    margins = []
    for kind, (column, labels) in _KINDS.items():
        name = f"county_2021_2022_pep_v2022_sex_{kind}.parquet"
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


def read_estimates_2022(folder: Path) -> dict[str, Estimates]:
    """Read margins and patterns of 2022, state by state (FIPS code of the state first).

    Raises
    ------
    SourceError : a file is missing or damaged.
    """
    counties, ages, races, origins = read_margins(folder, 2022)
    counties_2021, _, races_2021, _ = read_margins(folder, 2021)
    older = read_redistricting_2020(folder)
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
            carry(joint, _TO_2022),
            six_of_seven(counted, six),
            older[state].open_shares,
        )
    return tables


def _to_regions(table: Any, old: Sequence[str], new: Sequence[str], state: str) -> FloatArray:
    """Convert a table of the counties of 2020 to those of 2022; only Connecticut's counties changed."""
    shares: Mapping[str, Mapping[str, float]] = regions_of_old_counties() if state == _CONNECTICUT else {}
    result = np.zeros((len(new), *table.shape[1:]))
    for county, people in zip(old, table, strict=True):
        for place, share in shares.get(county, {county: 1.0}).items():
            result[new.index(place)] += share * people
    return result
