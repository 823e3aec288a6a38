"""States with a counted joint table: inputs of a recipe made from it, the fits, and how far these are from the counts.

Texas (2000 and 2010) and Kentucky (2010) have counts by county, sex, age and race. From them the recipe of 2020 gets
the same input as in 2020: race by origin, under 18 and 18 and over, and ages by sex. The age distribution of each
race comes from estimates of ``estimates_year``, as in 2020.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.building.ages import carry, spread
from policy_sim.building.fits import (
    ADULT,
    Redistricting,
    fit_redistricting,
    people_by_class,
    state_rng,
)
from policy_sim.building.official_tables import (
    GROUPS,
    HISPANIC,
    NOT_HISPANIC,
    SEX_ORDER,
    AgePatterns,
    Decennial,
    read_age_patterns,
    read_decennial,
    read_race_origin,
    read_table,
    to_array,
    with_group,
)
from policy_sim.building.rounding import Margin, fit_margins, round_rows
from policy_sim.building.tables import (
    JOINT_TABLES,
    OTHER_PER_MULTIPLE,
    JointTable,
    both_origins,
    cohort_patterns,
    joint_of_year,
    read_texas,
    state_classes,
)
from policy_sim.formulas.groups import AnyGroups, g_distinct, total_risk
from policy_sim.people.merge import AGE_WIDTHS, AGES, CLASS_STARTS, OPEN_AGE, OPEN_ENDED_WIDTH, class_of_age
from policy_sim.people.merging import merge
from policy_sim.people.population import SEXES, AnyPopulation, Population, Provenance
from policy_sim.people.zips import with_zip_codes
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.fields import Granularities
from policy_sim.words.states import POSTAL_OF_FIPS
from policy_sim.words.text import percent_words

_TEXAS = "48"
_TO_JULY = 0.25  # years from April 1 to July 1
# Estimates of the ages of each race that the recipe of 2020 gets: of July of the census year in 2000, and of five years
# after the census in 2010 (those of the last years before a census are not better). Those of 2019 that it has in 2020
# are nine months before the census.
ESTIMATES_OF = {2000: 2000, 2010: 2015}
_FIRST_ADULT_CLASS = int(class_of_age(np.array([ADULT]))[0])


def like_redistricting(folder: Path, held_out: JointTable, estimates_year: int) -> Redistricting:
    """Return the input of the recipe of 2020 for a state with a counted joint table."""
    state, year = held_out.state, held_out.year
    _, origins = read_race_origin(folder, 2000)
    patterns = read_age_patterns(folder, 2000, origins.sum(axis=0), classes_year=estimates_year)[state]
    census = read_decennial(folder, year)[state]
    if state == _TEXAS:
        counted, ages = _texas_tables(folder, year)
    else:
        counted = _kentucky_halves(census, held_out.counted(folder))
        # The counted classes of each county over the state's single years; shape (counties, 2, 86).
        ages = spread(census.everyone.astype(np.float64), CLASS_STARTS, census.patterns.years[None])
    pattern = both_origins(_estimates(folder, patterns, state, estimates_year, year))
    return Redistricting(state, census.counties, counted, ages, pattern, census.patterns.open_shares)


def like_ages_of(counted: IntArray, fitted: IntArray) -> IntArray:
    """Return a fitted table of 103 ages with the ages of the counted one: 103, or 23 classes."""
    if counted.shape[-2] == len(AGES):
        return fitted
    classes = np.eye(counted.shape[-2], dtype=np.int64)[class_of_age(AGES)]
    return np.asarray(np.moveaxis(np.moveaxis(fitted, -2, -1) @ classes, -1, -2))


def _texas_tables(folder: Path, year: int) -> tuple[IntArray, FloatArray]:
    _, people = read_texas(folder, year)
    young = people[..., :ADULT].sum(axis=(3, 4))
    counted = np.stack([young, people[..., ADULT:].sum(axis=(3, 4))], axis=1)
    ages = people.sum(axis=(1, 2))
    oldest = ages[..., OPEN_AGE:].sum(axis=-1, keepdims=True)
    return counted, np.concatenate([ages[..., :OPEN_AGE], oldest], axis=-1).astype(np.float64)


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
    table = read_table(folder, name)
    table = table[table["county_fips"].str[:2] == state]
    counties = sorted(table["county_fips"].unique().tolist())
    starts = patterns.class_starts
    ages = to_array(table, {"county_fips": counties, "sex": SEX_ORDER, "age": starts.tolist()}, name)
    name = f"county_{year}_pep_race_origin.parquet"
    table = with_group(read_table(folder, name))
    table = table[table["county_fips"].str[:2] == state]
    groups = to_array(table, {"county_fips": counties, "group": GROUPS}, name)
    groups[:, GROUPS.index("other")] = 0
    margins = [Margin(groups[:, :, None, None]), Margin(ages[:, None])]
    fitted = fit_margins(state_classes(patterns)[None] * groups[:, :, None, None], margins)
    people = spread(fitted, starts, cohort_patterns(patterns, year - 2000 + _TO_JULY)[None])
    people[:, GROUPS.index("other")] = people[:, GROUPS.index("multiple")] * OTHER_PER_MULTIPLE
    return carry(people, census - year - _TO_JULY)


# The recipes applied to these states.


Fit = Callable[[Path, JointTable, np.random.Generator], IntArray]
# People by what a key shows of race and ethnicity: words of the key -> table of shape (counties, 2, ages, kinds).
Kinds = Mapping[str, IntArray]


class Refit(NamedTuple):
    """A state with a counted table, fitted without it; ``how`` says what differs from other fits of it.

    Both have the kinds of people by which the state was counted.
    """

    held_out: JointTable
    counted: Kinds
    fitted: Kinds
    how: str = ""


def refits(folder: Path, fit: Fit, years: Sequence[int]) -> Iterator[Refit]:
    """Fit every state with a counted table of these censuses without that table."""
    for held_out in JOINT_TABLES:
        if held_out.year in years:
            fitted = fit(folder, held_out, state_rng(f"us-{held_out.year}", held_out.state))
            yield refit_of(folder, held_out, fitted)


def refit_of(folder: Path, held_out: JointTable, fitted: IntArray, how: str = "") -> Refit:
    """Compare people by origin and the 103 ages with the counted table, in its ages and kinds."""
    counted = _counted_kinds(folder, held_out)
    every = kinds_of(like_ages_of(counted[RACES_ALONE], fitted))
    return Refit(held_out, counted, {words: every[words] for words in counted}, how)


def _counted_kinds(folder: Path, held_out: JointTable) -> Kinds:
    """Return the kinds of people that a state was counted by: of Kentucky, Hispanics of any race, and each race."""
    by_origin = held_out.by_origin(folder)
    if by_origin is not None:
        return kinds_of(by_origin)
    races = held_out.counted(folder)
    everyone, hispanic = races.sum(axis=-1), read_decennial(folder, held_out.year)[held_out.state].hispanic
    origins = np.stack([hispanic, everyone - hispanic], axis=-1)
    return {RACES_ALONE: races, "": everyone[..., None], ORIGINS_ALONE: origins}


def as_redistricting(folder: Path, held_out: JointTable, rng: np.random.Generator) -> IntArray:
    """Fit a state to counts by half, ages by sex and older ages of each race."""
    return fit_redistricting(like_redistricting(folder, held_out, ESTIMATES_OF[held_out.year]), rng)


# How close a fitted table is to the counted one: people in a wrong cell, and each measure of risk.


# Years in each of the 23 classes.
CLASS_WIDTHS = np.diff(CLASS_STARTS, append=OPEN_AGE + OPEN_ENDED_WIDTH)


def misplaced_share(fitted: NDArray[np.number], counted: NDArray[np.number]) -> float:
    """Return the share of people (0 to 1) who would have to move in order to turn one table into the other.

    It is half the sum of the absolute differences, divided by the counted people: 0 for equal tables, 1 if nobody is
    in the right cell.

    >>> misplaced_share(np.array([8, 2]), np.array([9, 1]))
    0.1
    """
    return float(np.abs(fitted - counted).sum() / 2 / counted.sum())


_G = (1, 3, 5, 10)
_MEASURES = ("total-risk", *(f"{g}-distinct" for g in _G))
_BIRTHS = ("date", "month", "year", "five_years")
# With the mix of people of the county: the effect of the fit, not how ZIP codes differ from their county.
PLACES, ZIP_PLACES = ("county", "state"), ("county_zip5", "zip3")


RACES_ALONE, RACES_AND_ORIGINS, ORIGINS_ALONE = "race+", "race+ethnicity+", "ethnicity+"


def kinds_of(people: IntArray) -> Kinds:
    """Return the people of a table of shape (2 origins, counties, 2, ages, 7 races) by every kind that a key shows."""
    races, hispanic, others = people.sum(axis=0), people[HISPANIC], people[NOT_HISPANIC]
    of_any_race = hispanic.sum(axis=-1, keepdims=True)
    return {
        RACES_ALONE: races,
        "": races.sum(axis=-1, keepdims=True),
        RACES_AND_ORIGINS: np.concatenate([hispanic, others], axis=-1),
        "race=race_ethnicity+": np.concatenate([of_any_race, others], axis=-1),
        ORIGINS_ALONE: np.concatenate([of_any_race, others.sum(axis=-1, keepdims=True)], axis=-1),
    }


def _key(kinds: str, birth: str, place: str) -> str:
    return f"gender+{kinds}birth={birth}+geography={place}"


def errors_of_fit(
    fitted: Kinds, counted: Kinds, counties: Sequence[str] = (), population: str = ""
) -> Iterator[tuple[str, str, float]]:
    """Yield key, measure and relative error of fitted people compared with the counted ones, of the same kinds.

    Their ages are the 23 classes, or the 103 ages of table PCT12. On both sides births are equally likely inside an
    age class. With the counties (FIPS codes) and a shipped population, such as ``us-2010``, keys with a ZIP code
    follow: both sides are placed in ZIP code areas with the same shares of each county, those of that population.
    """
    sides = [{kinds: _placed(people[kinds], counties, population) for kinds in counted} for people in (fitted, counted)]
    for place in (*PLACES, *(ZIP_PLACES if population else ())):
        for birth in _BIRTHS:
            key = Granularities(gender="value", race="value", birth=birth, geography=place)  # a race is a kind here
            for kinds in counted:
                figures = [_measures(merge(side[kinds], key)) for side in sides]
                yield from _errors(_key(kinds, birth, place), *figures)


def _errors(key: str, fitted: Sequence[float], counted: Sequence[float]) -> Iterator[tuple[str, str, float]]:
    for measure, ours, theirs in zip(_MEASURES, fitted, counted, strict=True):
        if theirs >= 1:
            yield key, measure, ours / theirs - 1


def _placed(people: IntArray, counties: Sequence[str], name: str) -> AnyPopulation:
    """Convert a table of shape (counties, 2, ages, kinds) to a population with the kinds in the column of race.

    Age classes keep their width; without names any will do for the counties.
    """
    counties = counties or [f"01{number:03d}" for number in range(len(people))]
    ages = (AGES, AGE_WIDTHS) if people.shape[2] == len(AGES) else (CLASS_STARTS, CLASS_WIDTHS)
    county, sex, place, kind = np.nonzero(people)
    columns = {
        "state": ([POSTAL_OF_FIPS[counties[0][:2]]], np.zeros(len(county), dtype=np.int64)),
        "county": (list(counties), county),
        "sex": (list(SEXES), sex),
        "race": ([str(number) for number in range(people.shape[3])], kind),
    }
    cells = pd.DataFrame(
        {name: pd.Categorical.from_codes(codes, pd.Index(labels)) for name, (labels, codes) in columns.items()}
        | {word: values[place] for word, values in zip(("age", "age_width"), ages, strict=True)}
        | {"people": people[county, sex, place, kind]}
    )
    return with_zip_codes(Population(cells, Provenance(name, "", "", "", "", 0.0, 0.0, 1.0)))


def _measures(groups: AnyGroups) -> list[float]:
    return [float(total_risk(groups)[0]), *g_distinct(groups, _G)[0].tolist()]


# The notes that the populations carry.


_KENTUCKY = "21"


def kentucky_errors(folder: Path) -> tuple[float, dict[tuple[str, str], float]]:
    """Fit Kentucky 2010 without its joint table: the people in a wrong cell (0 to 1), and errors by key and measure."""
    census = read_decennial(folder, 2010)[_KENTUCKY]
    fitted = people_by_class(census, state_rng("us-2010", _KENTUCKY))
    counted = joint_of_year(folder, 2010)[_KENTUCKY]
    errors = errors_of_fit({RACES_ALONE: fitted}, {RACES_ALONE: counted})
    return misplaced_share(fitted, counted), {(key, measure): error for key, measure, error in errors}


def notes_of_decennial(folder: Path) -> Iterator[str]:
    """Say in the words of ``data/population_recipes.toml`` how far the fit of 2000 and 2010 is from Kentucky."""
    misplaced, errors = kentucky_errors(folder)
    yield (
        "Method measured on Kentucky 2010, fitted without its joint table: "
        f"{percent_words(misplaced, 2)} of the people in a wrong cell of county, sex, age class and race."
    )
    for birth, decimals in (("date", 3), ("year", 2)):
        figures = ", ".join(
            f"{words} {errors[f'gender+race+birth={birth}+geography=county', words.replace(' ', '-')]:+.{decimals}%}"
            for words in ("total risk", "1-distinct", "5-distinct")
        )
        yield f"Relative error of the fit there, for county, birth {birth}, sex and race: {figures}."


def notes_of_redistricting(folder: Path) -> Iterator[str]:
    """Say so of the recipe of 2020, applied to the states of 2010 with a counted joint table."""
    for held_out, counted, fitted, _ in refits(folder, as_redistricting, (2010,)):
        misplaced = misplaced_share(fitted[RACES_ALONE], counted[RACES_ALONE])
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
            f"{percent_words(misplaced)} of the people in a wrong cell of county, sex, age and "
            f"race; total risk by sex, race, {risks}."
        )
