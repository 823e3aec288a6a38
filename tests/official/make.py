"""Make the small official tables of this folder from the large ones: ``python tests/official/make.py FOLDER``.

FOLDER holds the Bureau's figures as ``docs/populations.md`` lists them. README.md says what each table is.
"""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pandas as pd

STATES = ("10", "44", "48", "56")  # Delaware, Rhode Island, Texas, Wyoming
_BY_CLASS = ("10", "44", "56")
_RACES = {
    "White alone": "white",
    "Black or African American alone": "black",
    "American Indian and Alaska Native alone": "aian",
    "Asian alone": "asian",
    "Native Hawaiian and Other Pacific Islander alone": "nhpi",
    "Some other race alone": "other",
    "Two or more races": "multiple",
}


def counties(folder: Path) -> pd.DataFrame:
    """People of every county, and those of 18 and over, of three censuses."""
    table = pd.read_csv(folder / "county_totals_2000_2010_2020.csv.gz", dtype={"county_fips": str})
    table["over"] = table["population_18_over"].astype("Int64")
    values = ["population", "over"]
    wide = table.pivot_table(index="county_fips", columns="year", values=values, aggfunc="first")[values]
    return _flat(wide)


def classes(folder: Path) -> pd.DataFrame:
    """Counties of three states by sex and 23 classes of age: everyone, White, Black, Hispanic, White not Hispanic."""
    parts = []
    for year in (2000, 2010):
        table = pd.read_parquet(folder / f"county_{year}_sf1_p12_p12a_b_h_i.parquet")
        table = table[table["county_fips"].str[:2].isin(_BY_CLASS)]
        keys = ["year", "table", "county_fips", "sex"]
        parts.append(
            table.assign(year=year).pivot_table(index=keys, columns="age", values="population", aggfunc="first")
        )
    return pd.concat(parts).sort_index().reset_index()


def races(folder: Path) -> pd.DataFrame:
    """Counties of four states by the seven races, whatever the origin."""
    parts = []
    for year in (2000, 2010):
        table = pd.read_parquet(folder / f"county_{year}_sf1_race_origin.parquet")
        parts.append(_by_race(table[table["county_fips"].str[:2].isin(STATES)], ["county_fips"]).assign(year=year))
    return pd.concat(parts).sort_index(axis=1)


def races_2020(folder: Path) -> pd.DataFrame:
    """Counties of four states in 2020 by race: everyone, and those of 18 and over."""
    table = pd.read_parquet(folder / "county_2020_pl94_race_by_origin.parquet")
    return _by_race(table[table["county_fips"].str[:2].isin(STATES)], ["county_fips", "age"])


def hispanics(folder: Path) -> pd.DataFrame:
    """Hispanics in the counties of four states by race; in 2020 everyone, and those of 18 and over."""
    tables = {year: f"county_{year}_sf1_race_origin.parquet" for year in (2000, 2010)}
    parts = []
    for year, name in {**tables, 2020: "county_2020_pl94_race_by_origin.parquet"}.items():
        table = pd.read_parquet(folder / name)
        table = table[(table["hispanic"] == "Hispanic") & table["county_fips"].str[:2].isin(STATES)]
        ages = table["age"] if year == 2020 else "all"
        parts.append(_by_race(table.assign(age=ages), ["county_fips", "age"]).assign(year=year))
    return pd.concat(parts).sort_index(axis=1)


def hispanics_2022(folder: Path) -> pd.DataFrame:
    """Hispanics in the counties of four states by sex, July 1, 2022."""
    table = pd.read_parquet(folder / "county_2021_2022_pep_v2022_sex_ethnicity.parquet")
    table = table[(table["year"] == 2022) & (table["hispanic"] == "Hispanic or Latino")]
    table = table[table["county_fips"].str[:2].isin(STATES)]
    return table.pivot_table(index="county_fips", columns="sex", values="population", aggfunc="sum").reset_index()


def single_years(folder: Path) -> pd.DataFrame:
    """Every state by sex and single year of age below 85, 1 April 2010."""
    table = pd.read_parquet(folder / "state_2000_2010_pep_sex_single_year.parquet")
    table = table[(table["date"] == "2010-04-01") & (table["age"] < 85)]
    return table.pivot_table(
        index=["state_fips", "sex"], columns="age", values="population", aggfunc="first"
    ).reset_index()


def cook(folder: Path) -> pd.DataFrame:
    """Cook County, Illinois, by sex and age, 2010: Hispanics of any race, and the others by race."""
    table = pd.read_parquet(folder / "county_2010_sf1_pct12h_o_cook_il.parquet")
    group = table["race"].map(_RACES).where(table["hispanic"] == "Not Hispanic", "hispanic")
    keys = ["group", "sex"]
    return (
        table.assign(group=group)
        .pivot_table(index=keys, columns="age", values="population", aggfunc="sum")
        .reset_index()
    )


def texas(folder: Path) -> pd.DataFrame:
    """Texas by sex, age and race, three censuses."""
    parts = [_by_race(table, ["sex", "age"]).assign(year=year) for year, table in _texas(folder).items()]
    return pd.concat(parts).sort_index(axis=1)


def texas_cell_sizes(folder: Path) -> pd.DataFrame:
    """How many cells of county, sex, age and race hold so many people in Texas, by the years of the age."""
    parts = []
    for year, table in _texas(folder).items():
        cells = table.groupby(["county_fips", "sex", "age", "race"])["population"].sum().reset_index()
        width = cells["age"].isin([100, 105]).map({True: 5, False: 1})
        sizes = cells.assign(width=width).groupby(["width", "population"]).size()
        parts.append(sizes.rename("cells").reset_index().assign(year=year))
    found = pd.concat(parts)
    return found[found["population"] > 0][["year", "width", "population", "cells"]]


def zip3(folder: Path) -> pd.DataFrame:
    """People of every three-digit prefix of ZIP code areas, two censuses."""
    parts = []
    for year in (2010, 2020):
        table = pd.read_csv(folder / f"zcta_{year}_population.csv.gz", dtype={"zcta": str})
        parts.append(table.groupby(table["zcta"].str[:3])["population"].sum().rename(str(year)))
    return pd.concat(parts, axis=1).sort_index().astype("Int64").rename_axis("zip3").reset_index()


TABLES: Mapping[str, Callable[[Path], pd.DataFrame]] = {
    "counties": counties,
    "classes": classes,
    "races": races,
    "races-2020": races_2020,
    "hispanics": hispanics,
    "hispanics-2022": hispanics_2022,
    "single-years-2010": single_years,
    "cook-2010": cook,
    "texas": texas,
    "texas-cell-sizes": texas_cell_sizes,
    "zip3": zip3,
}


def content(name: str, folder: Path) -> str:
    """Return a table as the text of its CSV file."""
    return TABLES[name](folder).to_csv(index=False, lineterminator="\n")


def _texas(folder: Path) -> dict[int, pd.DataFrame]:
    names = {year: f"county_{year}_pct12_race_origin_texas.parquet" for year in (2000, 2010, 2020)}
    return {year: pd.read_parquet(folder / name) for year, name in names.items()}


def _by_race(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    named = table.assign(race=table["race"].map(_RACES))
    wide = named.pivot_table(index=keys, columns="race", values="population", aggfunc="sum", fill_value=0)
    return wide.reset_index().rename_axis(columns=None)


def _flat(table: pd.DataFrame) -> pd.DataFrame:
    table.columns = [f"{what}-{year}" for what, year in table.columns]
    return table.astype("Int64").reset_index()


if __name__ == "__main__":
    for each in TABLES:
        text = content(each, Path(sys.argv[1]))
        (Path(__file__).parent / f"{each}.csv.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))
