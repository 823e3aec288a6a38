"""Read the official tables for the fits of the shipped populations from a folder.

The folder has the Bureau's figures as tidy Parquet and CSV files (``docs/populations.md`` lists
them): one row per count, with ``state_fips``, ``county_fips``, ``sex``, ``age``, ``race``,
``hispanic`` and ``population``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.building.single_years import shares_within_85_over
from policy_sim.building.state_tables import GROUPS, AgePatterns, Decennial
from policy_sim.errors import SourceError
from policy_sim.population.ages import CLASS_STARTS
from policy_sim.population.cells import RACES
from policy_sim.states import POSTAL_OF_FIPS, STATES

__all__ = [
    "ORIGIN_ORDER",
    "RACE_LABELS",
    "SEX_ORDER",
    "STATE_CODES",
    "counties_by_state",
    "read_age_patterns",
    "read_decennial",
    "read_race_origin",
    "read_shares_85_over",
    "read_table",
    "to_array",
    "with_group",
]

SEX_ORDER = ("M", "F")
ORIGIN_ORDER = ("Hispanic", "Not Hispanic")
RACE_LABELS = (
    "White alone",
    "Black or African American alone",
    "American Indian and Alaska Native alone",
    "Asian alone",
    "Native Hawaiian and Other Pacific Islander alone",
    "Some other race alone",
    "Two or more races",
)
# The 50 states and DC, by FIPS code: Puerto Rico has totals only.
STATE_CODES = tuple(sorted(state.fips for state in STATES.values() if state.postal != "PR"))
_SEXES = ("Male", "Female")
# Table -> its field in Decennial.
_AGE_TABLES = {
    "P12": "everyone",
    "P12A": "white",
    "P12B": "black",
    "P12H": "hispanic",
    "P12I": "white_not_hispanic",
}


def read_table(folder: Path, name: str) -> pd.DataFrame:
    """Read one file of the folder, with codes as text.

    Raises
    ------
    SourceError : the file is missing or cannot be read.
    """
    path = folder / name
    if not path.is_file():
        raise SourceError(f"{path}: no such file. Name the folder of official tables; see docs/populations.md.")
    try:
        if path.suffix == ".parquet":
            return pd.read_parquet(path)
        return pd.read_csv(path, dtype={"state_fips": str, "county_fips": str, "STATE": str}, encoding="latin-1")
    except (OSError, ValueError) as error:
        raise SourceError(f"{path}: cannot be read ({error}).") from error


def to_array(
    table: pd.DataFrame, axes: Mapping[str, Sequence[Any]], where: str, value: str = "population"
) -> NDArray[np.float64]:
    """Convert the rows of a table to an array with the named axes, and add up rows of the same cell.

    Raises
    ------
    SourceError : a row has a value that is not on an axis.
    """
    place = np.zeros(len(table), dtype=np.int64)
    for column, labels in axes.items():
        codes = pd.Index(list(labels)).get_indexer(pd.Index(table[column]))
        if (codes < 0).any():
            strange = table[column].iloc[int((codes < 0).argmax())]
            raise SourceError(f"{where}: {column} {strange!r} is not one of those expected.")
        place = place * len(labels) + codes
    shape = tuple(len(labels) for labels in axes.values())
    counts = np.bincount(place, weights=table[value].to_numpy(np.float64), minlength=int(np.prod(shape)))
    return np.asarray(counts.reshape(shape), dtype=np.float64)


def read_decennial(folder: Path, year: int) -> dict[str, Decennial]:
    """Read the counts of Census 2000 or 2010, state by state, by FIPS code of the state.

    Raises
    ------
    SourceError : a file is missing or damaged, or the tables contradict each other.
    """
    by_age_name = f"county_{year}_sf1_p12_p12a_b_h_i.parquet"
    stacked = read_table(folder, by_age_name)
    counties = sorted(stacked["county_fips"].unique().tolist())
    ages = {"county_fips": counties, "sex": SEX_ORDER, "age": CLASS_STARTS.tolist()}
    counts = to_array(stacked, {"table": list(_AGE_TABLES), **ages}, by_age_name).astype(np.int64)
    counties_by_race, race_origin = read_race_origin(folder, year)
    if counties_by_race != counties or (race_origin.sum(axis=(1, 2)) != counts[0].sum(axis=(1, 2))).any():
        raise SourceError(f"{folder}: tables of {year} by age and by race count different people.")
    patterns = read_age_patterns(folder, year, weights=race_origin.sum(axis=0))
    return {
        state: Decennial(
            state=state,
            counties=tuple(np.array(counties)[members].tolist()),
            race_origin=race_origin[members],
            patterns=patterns[state],
            **dict(zip(_AGE_TABLES.values(), counts[:, members], strict=True)),
        )
        for state, members in counties_by_state(counties).items()
    }


def read_race_origin(folder: Path, year: int) -> tuple[list[str], NDArray[np.int64]]:
    """Read the counties and their people by origin and race; shape (counties, 2 origins, 7)."""
    name = f"county_{year}_sf1_race_origin.parquet"
    table = read_table(folder, name)
    counties = sorted(table["county_fips"].unique().tolist())
    axes = {"county_fips": counties, "hispanic": ORIGIN_ORDER, "race": RACE_LABELS}
    return counties, to_array(table, axes, name).astype(np.int64)


def counties_by_state(counties: Sequence[str]) -> dict[str, NDArray[np.intp]]:
    """Return the positions of each state's counties, by FIPS code of the state."""
    codes = np.array([county[:2] for county in counties])
    return {str(state): np.flatnonzero(codes == state) for state in np.unique(codes)}


def read_age_patterns(
    folder: Path, year: int, weights: NDArray[np.int64], classes_year: int | None = None
) -> dict[str, AgePatterns]:
    """Read the age distribution of each state at the census of ``year``.

    ``weights`` are the counted people of the nation by origin and race, shape (2, 7): the estimates give the pattern,
    the census gives the people. ``classes_year`` is the year of the state estimates by
    age and group; by default the same.
    """
    states = {"state_fips": STATE_CODES}
    sex_and_year = {"sex": SEX_ORDER, "age": list(range(86))}
    name = "state_2000_2010_pep_sex_single_year.parquet"
    years = to_array(_on_census_day(read_table(folder, name), year), states | sex_and_year, name)
    name = f"state_{classes_year or year}_pep_sex_age13_race.parquet"
    table = with_group(read_table(folder, name))
    starts = sorted(table["age"].unique().tolist())
    classes = to_array(table, {**states, "group": GROUPS, "sex": SEX_ORDER, "age": starts}, name)
    nation = _read_nation(folder, year, weights)
    shares = read_shares_85_over(folder)
    return {
        state: AgePatterns(years[i], classes[i], np.array(starts), nation, _every_race(shares[state]))
        for i, state in enumerate(STATE_CODES)
    }


def _on_census_day(table: pd.DataFrame, year: int) -> pd.DataFrame:
    return table[table["date"] == f"{year}-04-01"]


def _read_nation(folder: Path, year: int, weights: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the nation by origin, race, sex and year of age: the pattern of the estimates, the people of the census.

    The estimates have no "some other race": its Hispanics get the ages of all Hispanics, and its other people those
    of two or more races.
    """
    name = "us_2000_2010_pep_sex_single_year_race_origin.parquet"
    axes = {"hispanic": ORIGIN_ORDER, "race": RACE_LABELS, "sex": SEX_ORDER, "age": list(range(86))}
    nation = to_array(_on_census_day(read_table(folder, name), year), axes, name)
    other, multiple = RACES.index("other"), RACES.index("multiple")
    nation[0, other] = nation[0].sum(axis=0)
    nation[1, other] = nation[1, multiple]
    return np.asarray(nation * (weights / nation.sum(axis=(2, 3)))[:, :, None, None])


def with_group(table: pd.DataFrame) -> pd.DataFrame:
    """Add the column ``group``: Hispanic, or the race of people who are not Hispanic."""
    labels = dict(zip(RACE_LABELS, RACES, strict=True)) | {"Two or more races (residual)": "multiple"}
    hispanic = table["hispanic"] == "Hispanic"
    return table.assign(group=table["race"].map(labels).where(~hispanic, GROUPS[0]))


def _every_race(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give every race the ages from 85 of all races together; shape (2, 7, 18)."""
    return shares_within_85_over(shares)[:, None].repeat(len(RACES), axis=1)


def read_shares_85_over(folder: Path) -> dict[str, NDArray[np.float64]]:
    """Read the shares of 85-89, 90-94, 95-99, 100-104, 105-109, 110 and over in 2000, by state and sex; shape (2, 6).

    They are the state's own, or else the median of the areas with data.
    """
    name = "shares_of_85_over_2000_pct12.csv.gz"
    table = read_table(folder, name).set_index(["sex", "ages"])
    # Columns are named NY_NA, LosAngeles_13, ...; Alaska's is of American Indians and Alaska Natives only.
    own = {column.split("_")[0]: column for column in map(str, table) if not column.startswith("Alaska")}
    typical = table[list(own.values())].median(axis=1)
    shares = np.array(
        [
            [(table[own[postal]] if postal in own else typical).loc[sex].sort_index() for sex in _SEXES]
            for postal in (POSTAL_OF_FIPS[code] for code in STATE_CODES)
        ]
    )
    return dict(zip(STATE_CODES, shares / shares.sum(axis=2, keepdims=True), strict=True))
