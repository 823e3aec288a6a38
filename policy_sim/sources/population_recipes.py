"""What each shipped population is made of: its tables, how they are fitted, how good that is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from policy_sim.population.carried import fit_carried
from policy_sim.population.closeness import Closeness, closeness
from policy_sim.population.decennial import fit_decennial, people_by_class
from policy_sim.sources.carried_check import carried_errors, split_error
from policy_sim.sources.population_tables import read_decennial, read_kentucky
from policy_sim.sources.redistricting_tables import read_redistricting_2020

__all__ = ["RECIPES", "Recipe", "kentucky_closeness", "state_rng"]

IntArray = NDArray[np.int64]

_KENTUCKY = "21"
_SEED = 20100401  # any number will do, as long as it stays


@dataclass(frozen=True)
class Recipe:
    """How a population is made.

    Attributes
    ----------
    title, date, how, notes : Words for the manifest.
    tables : File of the folder -> the official tables it holds.
    read : Reads the tables of each state, by FIPS code; each has ``counties``.
    fit : Turns one state's tables into whole people, shape (counties, 2, 103, 7).
    counted : Of one state's tables, the people whose county, sex, age class and race stand
        together in a published count.
    measured : Compares the method with counts, in words.
    facts : Published figures that are not in the folder, but ship with the project.
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


def state_rng(name: str, state: str) -> np.random.Generator:
    """Return the source of chance of one state (FIPS code) of one population."""
    year = int(name.rpartition("-")[2])
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([_SEED, year, int(state)])))


def kentucky_closeness(folder: Path) -> Closeness:
    """Fit Kentucky 2010 without its joint table, and compare it with that table.

    Kentucky's is the one joint of county, sex, age class and all seven races that is at hand.
    """
    census = read_decennial(folder, 2010)[_KENTUCKY]
    fitted = people_by_class(census, state_rng("us-2010", _KENTUCKY))
    return closeness(fitted, read_kentucky(folder, census.counties))


def _kentucky_in_words(folder: Path) -> tuple[str, ...]:
    found = kentucky_closeness(folder)
    return (
        "Method measured on Kentucky 2010, fitted without its joint table: "
        f"{found.misplaced:.2%} of the people in a wrong cell of county, sex, age class and race.",
        "Relative error of the fit there, for county, birth date, sex and race: "
        f"total risk {found.total_risk_date:+.3%}, 1-distinct {found.unique_date:+.3%}, "
        f"5-distinct {found.five_distinct_date:+.3%}.",
        "Relative error of the fit there, for county, birth year, sex and race: "
        f"total risk {found.total_risk_year:+.2%}, 1-distinct {found.unique_year:+.2%}, "
        f"5-distinct {found.five_distinct_year:+.2%}.",
    )


_NO_PUERTO_RICO = "Puerto Rico is left out: only the totals of its municipios are at hand."
_DECENNIAL_HOW = (
    "White alone and Black alone are counted by county, sex and 23 age classes; the other five races are "
    "fitted to the rest by iterative proportional fitting to age by origin and race by origin of the county, "
    "then drawn as whole people so that every county, sex and age class and every county and race stays "
    "exact; single years follow the state's single years and the nation's by race; 85 and over follow "
    "shares of Census 2000."
)
_DECENNIAL_NOTES = (
    "counted: the person's county, sex, age class (of 23) and race stand together in a published count. "
    "modelled: they do not. Single years inside an age class are modelled for everyone.",
    _NO_PUERTO_RICO,
)


def _decennial(year: int, race_tables: str, single_years: str) -> Recipe:
    return Recipe(
        title=f"Census {year}, 50 states and DC, by county, sex, age and race",
        date=f"{year}-04-01",
        how=_DECENNIAL_HOW,
        notes=(*_DECENNIAL_NOTES, single_years),
        tables={
            f"county_{year}_sf1_p12_p12a_b_h_i.parquet": f"Census {year} Summary File 1, tables P12, P12A, "
            "P12B, P12H, P12I: county by sex and 23 age classes",
            f"county_{year}_sf1_race_origin.parquet": f"Census {year} Summary File 1, tables {race_tables}: "
            "county by race and Hispanic origin",
            "state_2000_2010_pep_sex_single_year.parquet": "Population Estimates Program, "
            "ST-EST00INT-AGESEX: state by sex and single year of age, 1 April",
            f"state_{year}_pep_sex_age13_race.parquet": "Population Estimates Program, CO-EST00INT-ALLDATA: "
            f"state by sex, age and race, 1 July {year}",
            "us_2000_2010_pep_sex_single_year_race_origin.parquet": "Population Estimates Program, "
            "US-EST00INT-ALLDATA: nation by sex, single year, race and origin, 1 April",
            "shares_of_85_over_2000_pct12.csv.gz": "Shares of ages 85 to 110 and over, from Census 2000 table PCT12",
        },
        read=lambda folder: read_decennial(folder, year),
        fit=fit_decennial,
        counted=lambda census: int(census.white.sum() + census.black.sum()),
        measured=_kentucky_in_words,
    )


def _carried_in_words(folder: Path) -> tuple[str, ...]:
    errors = carried_errors(folder, lambda state: state_rng("us-2010", state))
    texts = [
        f"with estimates of July {year}: {error.misplaced_ages:.1%} of the people in a wrong cell of county, "
        f"sex and age class, {error.misplaced_races:.1%} with White, Black or other race; total risk (county, "
        f"birth date, sex, race) {error.nation:+.2%} in the nation, {error.median:.2%} off in the median "
        f"state, {error.largest:.1%} at most."
        for year, error in errors.items()
    ]
    return (
        *(f"Method measured on 2010, made in the same way {text}" for text in texts),
        f"States split as California and Oregon are: {split_error(folder):.1%} of the people in a wrong cell of "
        "county, race and origin, and half (under 18 or not) in the median state.",
    )


def _carried() -> Recipe:
    shared = _decennial(2010, "P3, P5", "").tables
    same = ("county_2010_sf1_race_origin.parquet", *(name for name in shared if not name.startswith("county")))
    return Recipe(
        title="Census 2020 (counts with privacy noise), modelled, 50 states and DC, by county, sex, age and race",
        date="2020-04-01",
        how="Estimates of July 2019 by county, sex, age and race, carried to 1 April 2020 by birth cohorts, "
        "are fitted to the redistricting counts of every county: people under 18 and of 18 and over by race "
        "and origin. Hispanics get their races as in their county in 2010, fitted to the nation's of 2020. "
        "Whole people are drawn so that under 18 and 18 and over of every county stay exact; single years "
        "follow the cohorts that Census 2010 counted; 85 and over follow shares of Census 2000.",
        notes=(
            "Modelled throughout: no table of Census 2020 by sex or by age (but 18) went into it.",
            "The counts carry the noise that the Bureau adds below the state to protect privacy.",
            "California and Oregon: counties are counted in total and for 18 and over only. Race and origin "
            "of the state (the nation, less the other states) is spread over its counties by the estimates.",
            "Connecticut has its eight old counties.",
            _NO_PUERTO_RICO,
        ),
        tables={
            "county_totals_2000_2010_2020.csv.gz": "Census 2020: county totals and 18 and over",
            "county_2020_pl94_race_origin_18plus.parquet": "Census 2020 P.L. 94-171, tables P2 and P4: county "
            "by race and origin, all ages and 18 and over",
            "county_2019_pep_v2019_partial.parquet": "Population Estimates Program, CC-EST2019-ALLDATA: "
            "county by sex, age and race, 1 July 2019",
            "official_samples/cc-est2019-alldata_year12_agegrp0_all_counties.csv.gz": "Population Estimates "
            "Program, CC-EST2019-ALLDATA: county by sex, race and origin, 1 July 2019",
            "state_2015_pep_sex_age13_race.parquet": "Population Estimates Program, CC-EST2015-ALLDATA: state "
            "by sex, age and race, 1 July 2015",
            **{name: shared[name] for name in same if "age13" not in name},
        },
        read=read_redistricting_2020,
        fit=fit_carried,
        counted=lambda tables: 0,  # noqa: ARG005
        measured=_carried_in_words,
        facts=(
            "Census 2020 P.L. 94-171, tables P1 and P2: the nation and California by race and origin "
            "(data/populations/redistricting-2020.toml)",
        ),
    )


RECIPES: Mapping[str, Recipe] = {
    "us-2000": _decennial(
        2000,
        "P7, P8",
        "The state's single years are the estimates base of 1 April 2000, scaled to the counted age classes.",
    ),
    "us-2010": _decennial(2010, "P3, P5", "The state's single years to 84 are the counts of Census 2010."),
    "us-2020": _carried(),
}
