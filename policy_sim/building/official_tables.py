"""The official tables from which the shipped populations are fitted: the Bureau's figures, one row per count.

``docs/populations.md`` lists the files of the folder and their columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.building.ages import shares_within_85_over
from policy_sim.people.merge import AGES, CLASS_STARTS, OPEN_AGE
from policy_sim.people.population import RACES
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.errors import SourceError
from policy_sim.words.states import POSTAL_OF_FIPS, STATES

# Axes, in this order where they occur: counties, 2 origins (Hispanic, not Hispanic), 7 races
# (:data:`~policy_sim.people.population.RACES`), 2 sexes (M, F), and ages: 23 classes
# (:data:`~policy_sim.people.merge.CLASS_STARTS`) or 86 years (0 to 84, 85 and over).


HISPANIC, NOT_HISPANIC = 0, 1
# Race and origin as in redistricting tables and estimates: a partition of the people.
GROUPS = ("hispanic", *RACES)


@dataclass(frozen=True)
class AgePatterns:
    """The age distributions of a state, for what no table of its counties shows.

    ``years``: people of all races by year of age, shape (2, 86). ``classes``: people by group in the coarser ages that
    begin at ``class_starts``, shape (8 groups, 2, classes); 0 for "some other race", which estimates lack. ``nation``:
    people of the nation by origin and race, shape (2 origins, 7, 2, 86). ``open_shares``: share of each of the 18 ages
    (85 to 99, 100-104, 105-109, 110 and over) among the state's people of 85 and over, shape (2, 7, 18).
    """

    years: FloatArray
    classes: FloatArray
    class_starts: IntArray
    nation: FloatArray
    open_shares: FloatArray


@dataclass(frozen=True)
class StateTables:
    """The facts about a state (two-digit FIPS code) and its counties (five-digit FIPS codes, sorted)."""

    state: str
    counties: tuple[str, ...]


@dataclass(frozen=True)
class Decennial(StateTables):
    """The counts of a census in the counties of a state, without the joint table of age and smaller races.

    Tables P12, P12A, P12B, P12H and P12I, shape (counties, 2, 23). ``race_origin``: tables P7 and P8 (2000) or P3 and
    P5 (2010), shape (counties, 2 origins, 7).
    """

    everyone: IntArray
    white: IntArray
    black: IntArray
    hispanic: IntArray
    white_not_hispanic: IntArray
    race_origin: IntArray
    patterns: AgePatterns


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
_SHARES = "shares_of_85_over_2000_pct12.csv.gz"
# Table -> its field in Decennial.
_AGE_TABLES = {
    "P12": "everyone",
    "P12A": "white",
    "P12B": "black",
    "P12H": "hispanic",
    "P12I": "white_not_hispanic",
}


def read_table(folder: Path, name: str) -> pd.DataFrame:
    """Read one file of the folder, with codes as text."""
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
    """Convert the rows of a table to an array with the named axes, and add up rows of the same cell."""
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
    """Read the counts of Census 2000 or 2010, state by state, by FIPS code of the state."""
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
    the census gives the people. ``classes_year``: that of the state estimates by age and group, if another.
    """
    states = {"state_fips": STATE_CODES}
    sex_and_year = {"sex": SEX_ORDER, "age": list(range(86))}
    name = "state_2000_2010_pep_sex_single_year.parquet"
    years = to_array(_on_day(folder, name, year), states | sex_and_year, name)
    name = f"state_{classes_year or year}_pep_sex_age13_race.parquet"
    table = with_group(read_table(folder, name))
    starts = sorted(table["age"].unique().tolist())
    classes = to_array(table, {**states, "group": GROUPS, "sex": SEX_ORDER, "age": starts}, name)
    nation = _read_nation(folder, year, weights)
    shares = read_shares_85_over(folder)
    # Every race gets the ages from 85 of all races together.
    return {
        state: AgePatterns(
            years[i],
            classes[i],
            np.array(starts),
            nation,
            shares_within_85_over(shares[state])[:, None].repeat(len(RACES), axis=1),
        )
        for i, state in enumerate(STATE_CODES)
    }


def _on_day(folder: Path, name: str, year: int) -> pd.DataFrame:
    """Read the rows of a file that are of the day of a census."""
    table = read_table(folder, name)
    return table[table["date"] == f"{year}-04-01"]


def _read_nation(folder: Path, year: int, weights: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the nation by origin, race, sex and year of age: the pattern of the estimates, the people of the census.

    The estimates have no "some other race": its Hispanics get the ages of all Hispanics, and its other people those
    of two or more races.
    """
    name = "us_2000_2010_pep_sex_single_year_race_origin.parquet"
    axes = {"hispanic": ORIGIN_ORDER, "race": RACE_LABELS, "sex": SEX_ORDER, "age": list(range(86))}
    nation = to_array(_on_day(folder, name, year), axes, name)
    other, multiple = RACES.index("other"), RACES.index("multiple")
    nation[0, other] = nation[0].sum(axis=0)
    nation[1, other] = nation[1, multiple]
    return np.asarray(nation * (weights / nation.sum(axis=(2, 3)))[:, :, None, None])


def with_group(table: pd.DataFrame) -> pd.DataFrame:
    """Add the column ``group``: Hispanic, or the race of people who are not Hispanic."""
    labels = dict(zip(RACE_LABELS, RACES, strict=True)) | {"Two or more races (residual)": "multiple"}
    hispanic = table["hispanic"] == "Hispanic"
    return table.assign(group=table["race"].map(labels).where(~hispanic, GROUPS[0]))


def read_shares_85_over(folder: Path) -> dict[str, NDArray[np.float64]]:
    """Read the shares of 85-89, 90-94, 95-99, 100-104, 105-109, 110 and over in 2000, by state and sex; shape (2, 6).

    They are the state's own, or else the median of the areas with data.
    """
    table = read_table(folder, _SHARES).set_index(["sex", "ages"])
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


# The ages of the people of 85 and over by race: the pattern of Texas, fitted to the facts about each state.
#
# Table PCT12 by race is available for all counties of Texas (2000, 2010 and 2020), and the shares of 85-89, 90-94, ...,
# 110 and over of Census 2000 for 21 areas, all races together: 12 states, and the parts of California and Georgia.


_OLDEST = AGES[AGES >= OPEN_AGE]
# 85-89, 90-94, 95-99, 100-104, 105-109, 110 and over: the class of each of the 18 ages.
_CLASS = np.minimum((_OLDEST - OPEN_AGE) // 5, 5)
_FOLD = np.eye(6)[_CLASS]
# The fit adds this many people with the ages of all races to each race, so that no age of a small race is 0.
_PRIOR_PEOPLE = 20.0
_ALASKA, _AIAN = "02", RACES.index("aian")

# Areas whose shares are available and that make up a state: column -> counties (codes without the state's), or None
# for all the others. They are areas of the National Cancer Institute's registries. That they are these counties is
# tested: shares times the people of 85 and over that Census 2000 counts there are whole people.
AREAS: Mapping[str, Mapping[str, tuple[str, ...] | None]] = {
    "06": {
        "LosAngeles_13": ("037",),
        "SanFrancisco_9": ("001", "013", "041", "075", "081"),
        "SanJose_13": ("053", "069", "085", "087"),
        "OtherCA_18": None,
    },
    "13": {
        "Atlanta_9": ("063", "067", "089", "121", "135"),
        "RuralGA_13": ("125", "133", "141", "159", "163", "211", "237", "265", "301", "303"),
        "OtherGA_18": None,
    },
}


def read_open_shares(folder: Path, year: int, *, own_areas: bool = False) -> dict[str, FloatArray]:
    """Read the shares of the 18 ages from 85 up, by sex and race; shape (2, 7, 18) for each state (FIPS code).

    The five-year classes of each race are those of Texas in ``year``, times the ratio of the state's classes in
    Census 2000 to those of Texas (the median of 21 areas for states without such classes). Single years inside a
    class are those of all races in Texas.
    """
    counted = _texas(folder, year)
    everyone = counted.sum(axis=1, keepdims=True)
    classes = (counted + _PRIOR_PEOPLE * everyone / everyone.sum(axis=2, keepdims=True)) @ _FOLD
    of_texas = _texas(folder, 2000).sum(axis=1) @ _FOLD
    of_texas /= of_texas.sum(axis=1, keepdims=True)
    inside = everyone / (everyone @ _FOLD)[..., _CLASS]
    shares_by_state = read_shares_85_over(folder) | (read_area_shares(folder) if own_areas else {})
    open_shares = {}
    for state, shares in shares_by_state.items():
        of_state = classes * (shares / of_texas)[:, None]
        of_state /= of_state.sum(axis=2, keepdims=True)
        if own_areas and state == _ALASKA:
            of_state[:, _AIAN] = _columns(folder, "Alaska_13")
        open_shares[state] = np.asarray(of_state[..., _CLASS] * inside)
    return open_shares


def read_area_shares(folder: Path) -> dict[str, FloatArray]:
    """Read the six shares of the states of :data:`AREAS`; shape (2 sexes, 6) for each (FIPS code).

    The weight of an area is its people of 85 and over in table P12 of Census 2000.
    """
    table = read_table(folder, "county_2000_sf1_p12_p12a_b_h_i.parquet")
    table = table[(table["table"] == "P12") & (table["age"] == OPEN_AGE)]
    shares = {}
    for state, areas in AREAS.items():
        left = table[table["county_fips"].str[:2] == state]
        people = np.zeros((2, 6))
        for area, codes in areas.items():
            counties = left["county_fips"].unique() if codes is None else [state + code for code in codes]
            in_area = left["county_fips"].isin(counties)
            people += _columns(folder, area) * to_array(left[in_area], {"sex": SEX_ORDER}, area)[:, None]
            left = left[~in_area]
        shares[state] = people / people.sum(axis=1, keepdims=True)
    return shares


def with_ages_by_race(census: Mapping[str, Decennial], folder: Path, year: int) -> dict[str, Decennial]:
    """Return the tables of each state with ages from 85 up by race (:func:`read_open_shares`, own areas)."""
    shares = read_open_shares(folder, year, own_areas=True)
    return {
        state: replace(tables, patterns=replace(tables.patterns, open_shares=shares[state]))
        for state, tables in census.items()
    }


def _columns(folder: Path, area: str) -> FloatArray:
    """Return the shares of one area; shape (2, 6)."""
    table = read_table(folder, _SHARES).set_index(["sex", "ages"])[area]
    return np.stack([table.loc[name].sort_index().to_numpy(np.float64) for name in _SEXES])


def _texas(folder: Path, year: int) -> FloatArray:
    """Return the people of 85 and over in Texas by sex, race and age; shape (2, 7, 18)."""
    name = f"county_{year}_pct12_race_origin_texas.parquet"
    table = read_table(folder, name)
    table = table[table["age"] >= OPEN_AGE]
    return to_array(table, {"sex": SEX_ORDER, "race": RACE_LABELS, "age": _OLDEST.tolist()}, name)
