"""The recipe of each shipped population: its tables, the fit, and the error of the fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from policy_sim.arrays import IntArray
from policy_sim.building.estimates_tables import read_estimates_2022
from policy_sim.building.fit_2020 import fit_redistricting
from policy_sim.building.fit_2022 import fit_estimates
from policy_sim.building.fit_decennial import fit_decennial, people_by_class, with_ages
from policy_sim.building.fit_errors import errors_of_fit
from policy_sim.building.goodness import Closeness, closeness, misplaced_share
from policy_sim.building.held_out import like_2020, like_ages_of
from policy_sim.building.joint_tables import JOINT_TABLES, joint_of_year
from policy_sim.building.official_tables import read_decennial
from policy_sim.building.oldest_ages import with_ages_by_race
from policy_sim.building.redistricting_tables import read_redistricting_2020

__all__ = ["RECIPES", "Recipe", "kentucky_closeness", "state_rng"]


_KENTUCKY = "21"
_SEED = 20100401  # any number works, but it must not change


@dataclass(frozen=True)
class Recipe:
    """How a population is made.

    Attributes
    ----------
    title, date, how, notes : Words for the manifest.
    tables : File in the folder -> its official tables.
    read : Function that reads the tables of each state, by FIPS code; each has ``counties``.
    fit : Function from one state's tables to whole people, shape (counties, 2, 103, 7).
    counted : Function from one state's tables to the number of people whose county, sex, age class and race are
        together in a published count.
    measured : Function that compares the method with counts, in words.
    facts : Published figures that ship with the project instead of being in the folder.
    joint : Function that reads the counted tables of county, sex, age and race, by FIPS code of the state, which ship
        in place of the fit. Most states have none.
    whole : Function from one state's counted joint table to people by the 103 ages, with the shape of ``fit``.
    """

    title: str
    date: str
    how: str
    notes: tuple[str, ...]
    tables: Mapping[str, str]
    read: Callable[[Path], Mapping[str, Any]]
    fit: Callable[[Any, np.random.Generator], IntArray]
    counted: Callable[[Any], int]
    measured: Callable[[Path], tuple[str, ...]]
    facts: tuple[str, ...] = ()
    joint: Callable[[Path], Mapping[str, IntArray]] = lambda folder: {}  # noqa: ARG005
    whole: Callable[[Any, IntArray, np.random.Generator], IntArray] = field(default=with_ages)


def state_rng(name: str, state: str) -> np.random.Generator:
    """Return the random generator of one state (FIPS code) of one population."""
    year = int(name.rpartition("-")[2])
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([_SEED, year, int(state)])))


def kentucky_closeness(folder: Path) -> Closeness:
    """Fit Kentucky 2010 without its joint table, and compare it with that table.

    Kentucky's table has the 23 age classes of the fit.
    """
    census = read_decennial(folder, 2010)[_KENTUCKY]
    fitted = people_by_class(census, state_rng("us-2010", _KENTUCKY))
    return closeness(fitted, joint_of_year(folder, 2010)[_KENTUCKY])


def _kentucky_in_words(folder: Path) -> tuple[str, ...]:
    result = kentucky_closeness(folder)
    return (
        "Method measured on Kentucky 2010, fitted without its joint table: "
        f"{result.misplaced:.2%} of the people in a wrong cell of county, sex, age class and race.",
        "Relative error of the fit there, for county, birth date, sex and race: "
        f"total risk {result.total_risk_date:+.3%}, 1-distinct {result.unique_date:+.3%}, "
        f"5-distinct {result.five_distinct_date:+.3%}.",
        "Relative error of the fit there, for county, birth year, sex and race: "
        f"total risk {result.total_risk_year:+.2%}, 1-distinct {result.unique_year:+.2%}, "
        f"5-distinct {result.five_distinct_year:+.2%}.",
    )


_SHARES_YEAR = 2000  # year of the shares of the oldest ages of each state
_NO_PUERTO_RICO = "Puerto Rico is left out: only the totals of its municipios are available."
_DECENNIAL_HOW = (
    "White alone and Black alone are counted by county, sex and 23 age classes; the other five races are "
    "fitted to the rest by iterative proportional fitting to age by origin and race by origin of the county, "
    "then drawn as whole people so that every county, sex and age class and every county and race stays "
    "exact; single years follow the state's single years and the nation's by race; 85 and over follow the ages by "
    "race that Texas counted, times the state's shares of Census 2000 over those of Texas. Of 25 draws of a state "
    "the middle one ships, by the people that sex, race and year of birth would name in the state. "
)
_DECENNIAL_NOTES = (
    "counted: the person's county, sex, age class (of 23) and race stand together in a published count. "
    "modeled: they do not. Single years inside an age class are modeled for everyone but Texans.",
    _NO_PUERTO_RICO,
)


def _decennial(year: int, race_tables: str, single_years: str, counted_states: str) -> Recipe:
    return Recipe(
        title=f"Census {year}, 50 states and DC, by county, sex, age and race",
        date=f"{year}-04-01",
        how=f"{_DECENNIAL_HOW}{counted_states}",
        notes=(*_DECENNIAL_NOTES, single_years),
        tables={
            f"county_{year}_sf1_p12_p12a_b_h_i.parquet": f"Census {year} Summary File 1, tables P12, P12A, "
            "P12B, P12H, P12I: county by sex and 23 age classes",
            f"county_{year}_sf1_race_origin.parquet": f"Census {year} Summary File 1, tables {race_tables}: "
            "county by race and Hispanic origin",
            "state_2000_2010_pep_sex_single_year.parquet": "Population Estimates Program, "
            "ST-EST00INT-AGESEX: state by sex and single year of age, April 1",
            f"state_{year}_pep_sex_age13_race.parquet": "Population Estimates Program, CO-EST00INT-ALLDATA: "
            f"state by sex, age and race, July 1, {year}",
            "us_2000_2010_pep_sex_single_year_race_origin.parquet": "Population Estimates Program, "
            "US-EST00INT-ALLDATA: nation by sex, single year, race and origin, April 1",
            "shares_of_85_over_2000_pct12.csv.gz": "Shares of ages 85 to 110 and over, from Census 2000 table PCT12",
            # The oldest ages are measured against Texas 2000; the joint tables of the year ship.
            **{t.file: t.source for t in JOINT_TABLES if t.year == year or t.year == _SHARES_YEAR},
        },
        read=lambda folder: with_ages_by_race(read_decennial(folder, year), folder, year),
        fit=fit_decennial,
        counted=lambda census: int(census.white.sum() + census.black.sum()),
        measured=_kentucky_in_words,
        joint=lambda folder: joint_of_year(folder, year),
    )


_ESTIMATES_YEAR = 2015  # five years after the census: estimates of the last years before a census are not better


def _held_out_in_words(folder: Path) -> Iterator[str]:
    """Apply the recipe of 2020 to states of 2010 with a counted joint table, and say how large its error is."""
    for held_out in JOINT_TABLES:
        if held_out.year != 2010:
            continue
        counted = held_out.counted(folder)
        rng = state_rng("us-2010", held_out.state)
        fitted = like_ages_of(counted, fit_redistricting(like_2020(folder, held_out, _ESTIMATES_YEAR), rng))
        errors = {(key, measure): error for key, measure, error in errors_of_fit(fitted, counted)}
        risks = ", ".join(
            f"{words} {errors[f'gender+race+birth={birth}+geography={place}', 'total-risk']:+.2%}"
            for words, birth, place in (
                ("county and birth date", "date", "county"),
                ("county and birth year", "year", "county"),
                ("state and birth year", "year", "state"),
            )
        )
        yield (
            f"Method measured on {held_out.name} 2010, made in the same way without its joint table: "
            f"{misplaced_share(fitted, counted):.1%} of the people in a wrong cell of county, sex, age and race; "
            f"total risk by sex, race, {risks}."
        )


def _redistricting() -> Recipe:
    shared = _decennial(2010, "P3, P5", "", "").tables
    same = ("county_2010_sf1_race_origin.parquet", *(name for name in shared if not name.startswith("county")))
    return Recipe(
        title="Census 2020 (counts with privacy noise) by county, race and under 18 or not; sex and age modeled; "
        "50 states and DC",
        date="2020-04-01",
        how="Race by Hispanic origin, under 18 and 18 and over, is counted in every county (P.L. 94-171). Sex by "
        "single year of age on April 1, 2020, is that of the Bureau's estimates, scaled to the counts. How sex and age "
        "run in each race comes from the estimates of July 2019, carried to April 1, 2020, by birth cohorts, and is "
        "fitted to both by iterative proportional fitting. Whole people are drawn so that every county, race, origin "
        "and half (under 18 or not) is exact, and every county, sex and year of age; 85 and over follow the ages by "
        "race that Texas counted in 2020.",
        notes=(
            "Counted for all people: county, race and under 18 or not. Sex and age are modeled, so nobody's county, "
            "sex, age class and race stand together in a count: by the definition of the other populations the "
            "share counted is 0.",
            "The counts carry the noise that the Bureau adds below the state to protect privacy. Tables of sex and "
            "age with that noise undercount unique people: cells of county, sex, age and race with one person in Texas "
            "fell from 37,728 in 2010 to 20,139 in 2020. This population has no such table but the sex and age of "
            "Texas, and is not fitted to its small cells.",
            "Sex and age: the base of the estimates of vintage 2023, which blends the census with other sources. It "
            "lacks Texas, whose sex and single years of age are those of Census 2020 (table PCT12).",
            "Connecticut has its eight old counties; each gets the ages of its planning regions, by the people of its "
            "towns in each.",
            _NO_PUERTO_RICO,
        ),
        tables={
            "county_2020_pl94_race_by_origin.parquet": "Census 2020 P.L. 94-171, tables P1 to P4: county by race and "
            "origin, all ages and 18 and over",
            "county_2020_pep_v2023_sex_single_year.parquet": "Population Estimates Program, CC-EST2023-SYASEX: county "
            "by sex and single year of age, April 1, 2020",
            "county_2020_pct12_race_origin_texas.parquet": "Census 2020 DHC, table PCT12 by race and origin: Texas, "
            "county by sex and single year of age; ages of 85 and over by race",
            "county_2000_pct12_race_origin_texas.parquet": "Census 2000 Summary File 1, table PCT12 by race: Texas, "
            "ages of 85 and over",
            "county_2019_pep_v2019_partial.parquet": "Population Estimates Program, CC-EST2019-ALLDATA: "
            "county by sex, age and race, July 1, 2019",
            "official_samples/cc-est2019-alldata_year12_agegrp0_all_counties.csv.gz": "Population Estimates "
            "Program, CC-EST2019-ALLDATA: county by sex, race and origin, July 1, 2019",
            "state_2015_pep_sex_age13_race.parquet": "Population Estimates Program, CC-EST2015-ALLDATA: state "
            "by sex, age and race, July 1, 2015",
            **{name: shared[name] for name in same if "age13" not in name},
        },
        read=read_redistricting_2020,
        fit=fit_redistricting,
        counted=lambda tables: 0,  # noqa: ARG005
        measured=lambda folder: tuple(_held_out_in_words(folder)),
    )


def _estimates() -> Recipe:
    older = _redistricting()
    return Recipe(
        title="Estimates of July 1, 2022, by county: sex by age, by race and by origin; their combination modeled; "
        "50 states and DC",
        date="2022-07-01",
        how="The Bureau's estimates (vintage 2022) give sex by five-year age, sex by six races and sex by Hispanic "
        "origin in every county. How these run together is carried from the fit of us-2020, grown 2.25 years older, "
        "and fitted to the three by iterative proportional fitting. Whole people are drawn so that all three are exact "
        "in every county. The estimates have no some other race: every person then gets one of the census's seven "
        "races, in the proportions of the county in 2020. 85 and over follow the ages by race that Texas counted in "
        "2020.",
        notes=(
            "Modeled for all people: no two of age, race and origin stand together in an estimate. Races are those of "
            "Census 2020, not of the estimates; what the estimates do with people of some other race, and of two or "
            "more, is fitted county by county to the estimates of July 1, 2021.",
            "It starts from us-2020, and so from counts that carry the Bureau's noise.",
            "Connecticut has its nine planning regions; their people of 2020 are those of the old counties, by the "
            "people of the towns in each (data/county_changes.toml).",
            _NO_PUERTO_RICO,
        ),
        tables={
            **{
                f"county_2021_2022_pep_v2022_sex_{kind}.parquet": "Population Estimates Program, vintage 2022 (CDC "
                f"WONDER): county by sex and {words}, July 1, 2021 and 2022"
                for kind, words in (("age5", "five-year age"), ("race6", "six races"), ("ethnicity", "origin"))
            },
            **older.tables,
        },
        read=read_estimates_2022,
        fit=fit_estimates,
        counted=lambda tables: 0,  # noqa: ARG005
        measured=lambda folder: (),  # noqa: ARG005
    )


RECIPES: Mapping[str, Recipe] = {
    "us-2000": _decennial(
        2000,
        "P7, P8",
        "The state's single years are the estimates base of April 1, 2000, scaled to the counted age classes.",
        "Texas is not fitted: its counts by county, sex, age and race (PCT12A to PCT12G) ship.",
    ),
    "us-2010": _decennial(
        2010,
        "P3, P5",
        "The state's single years to 84 are the counts of Census 2010.",
        "Texas and Kentucky are not fitted: their counts by county, sex, age and race (PCT12A to PCT12G; in Kentucky "
        "P12A to P12G, 23 age classes) ship.",
    ),
    "us-2020": _redistricting(),
    "us-2022": _estimates(),
}
