"""How wrong a carried fit is: 2010 made as 2020 is, and compared with what that census counted.

No tables of 2010 are just like those of 2020 at hand. Two stand-ins bracket them: estimates of July
2010, which have seen the census (better than those of 2020 were), and of July 2015, five years off
(worse). Both lack the ages of each race in the county, which the estimates of 2019 have.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from policy_sim.population.ages import class_of_age
from policy_sim.population.carried import ADULT, Carried, carried_by_class, expected_people
from policy_sim.population.closeness import misplaced_share, total_risk_by_class
from policy_sim.population.cohorts import carry, spread
from policy_sim.population.county_changes import census_day
from policy_sim.population.decennial import people_by_class
from policy_sim.population.fitting import Margin, fit_margins
from policy_sim.population.official import GROUPS, HISPANIC, NOT_HISPANIC, AgePatterns, Decennial
from policy_sim.sources.carried_inputs import (
    by_common_area,
    by_state,
    cohort_patterns,
    hispanic_races,
    state_classes,
)
from policy_sim.sources.population_tables import (
    SEX_ORDER,
    counties_by_state,
    read_age_patterns,
    read_decennial,
    read_race_origin,
    read_table,
    to_array,
    with_group,
)
from policy_sim.sources.redistricting_tables import OTHER_PER_MULTIPLE, read_counted_states, read_halves, split_groups

__all__ = ["CarriedError", "carried_errors", "read_carried_2010", "split_error"]

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

_CENSUS_MOMENT = 0.25  # from 1 April to 1 July, in years


@dataclass(frozen=True)
class CarriedError:
    """How far 2010, made as 2020 is, lies from the counts of 2010.

    Shares of people in a wrong cell, 0 to 1: ``misplaced_ages`` of county, sex and age class
    (counted), ``misplaced_races`` of these and White, Black or another race (counted). Relative
    errors of the total risk for county, birth date, sex and race, against ``us-2010``: ``nation``,
    and the ``median`` and ``largest`` absolute ones of the states.
    """

    misplaced_ages: float
    misplaced_races: float
    nation: float
    median: float
    largest: float


def read_carried_2010(folder: Path, estimates_year: int) -> dict[str, Carried]:
    """Make the inputs of a carried fit of 2010 from estimates of July 2010 or 2015.

    Raises
    ------
    SourceError : a file is missing or damaged.
    """
    counties, halves = read_halves(folder, 2010)
    counties_2000, origins_2000 = read_race_origin(folder, 2000)
    _, origins = read_race_origin(folder, 2010)
    patterns = read_age_patterns(folder, 2000, origins_2000.sum(axis=0), classes_year=estimates_year)
    estimates = _estimates(folder, counties, patterns, estimates_year)
    counted = read_decennial(folder, 2010)
    groups = np.concatenate(
        [_groups(counted[state], halves[here], estimates[here]) for state, here in counties_by_state(counties).items()]
    )
    older = by_common_area(origins_2000[:, HISPANIC], counties_2000, counties, census_day(2000), census_day(2010))
    nation = origins[:, HISPANIC].sum(axis=0)
    hispanics = hispanic_races(older, origins[:, HISPANIC].sum(axis=1), nation)
    return by_state(counties, halves, groups, estimates, hispanics, patterns)


def _groups(counted: Decennial, halves: IntArray, estimates: FloatArray) -> FloatArray:
    """People by county, half and group, as table P4 would say; shape (counties, 2, 8).

    Hispanics, and Whites who are not, are counted by age; Blacks too, but for their origin. Of the
    other groups only all ages are counted, and how many are under 18 is fitted.
    """
    origins = counted.race_origin
    everyone = np.concatenate([origins[:, HISPANIC].sum(axis=1, keepdims=True), origins[:, NOT_HISPANIC]], 1)
    black = _by_half(counted.black)
    of_origin = everyone[:, GROUPS.index("black")] / np.maximum(black.sum(axis=1), 1)
    known = np.stack(
        [_by_half(counted.hispanic), _by_half(counted.white_not_hispanic), black * of_origin[:, None]], axis=2
    )
    pattern = np.stack([estimates[..., :ADULT].sum(axis=(2, 3)), estimates[..., ADULT:].sum(axis=(2, 3))], 1)
    pattern[..., : known.shape[2]] = known
    rest = (slice(None), slice(None), slice(known.shape[2], None))
    left = np.maximum(halves - known.sum(axis=2), 0)[:, :, None]
    margins = [Margin(left, rest), Margin(everyone[:, None, :]), Margin(halves[:, :, None])]
    return fit_margins(pattern + 1e-6, margins)


def _by_half(table: IntArray) -> IntArray:
    """People under 18, and of 18 and over, of a table by sex and class."""
    first = int(class_of_age(np.array([ADULT]))[0])
    return np.stack([table[..., :first].sum(axis=(1, 2)), table[..., first:].sum(axis=(1, 2))], axis=1)


def _estimates(folder: Path, counties: list[str], patterns: Mapping[str, AgePatterns], year: int) -> FloatArray:
    """People by county, group, sex and year of age on census day 2010; shape (counties, 8, 2, 86)."""
    name = f"county_{year}_pep_sex_age13.parquet"
    table = read_table(folder, name)
    old = sorted(table["county_fips"].unique().tolist())
    starts = next(iter(patterns.values())).class_starts
    ages = to_array(table, {"county_fips": old, "sex": SEX_ORDER, "age": starts.tolist()}, name)
    name = f"county_{year}_pep_race_origin.parquet"
    groups = to_array(with_group(read_table(folder, name)), {"county_fips": old, "group": GROUPS}, name)
    groups[:, GROUPS.index("other")] = 0
    people = np.zeros((len(old), len(GROUPS), 2, 86))
    for state, here in counties_by_state(old).items():
        classes = state_classes(patterns[state])
        fitted = fit_margins(
            classes[None] * groups[here][:, :, None, None],
            [Margin(groups[here][:, :, None, None]), Margin(ages[here][:, None])],
        )
        people[here] = spread(fitted, starts, cohort_patterns(patterns[state], year - 2000 + _CENSUS_MOMENT)[None])
    people[:, GROUPS.index("other")] = people[:, GROUPS.index("multiple")] * OTHER_PER_MULTIPLE
    carried = carry(people, 2010 - year - _CENSUS_MOMENT)
    return by_common_area(carried, old, counties, date(year, 7, 1), census_day(2010))


def carried_errors(folder: Path, rng_of: Callable[[str], np.random.Generator]) -> dict[int, CarriedError]:
    """Measure the method with estimates of July 2010 and of July 2015 (year first).

    ``rng_of`` gives the source of chance of a state.
    """
    counted = read_decennial(folder, 2010)
    fitted = {state: people_by_class(census, rng_of(state)) for state, census in counted.items()}
    return {year: _error(read_carried_2010(folder, year), counted, fitted, rng_of) for year in (2010, 2015)}


def _error(
    inputs: Mapping[str, Carried],
    counted: Mapping[str, Decennial],
    fitted: Mapping[str, IntArray],
    rng_of: Callable[[str], np.random.Generator],
) -> CarriedError:
    ages, races, risks = [], [], []
    for state, tables in inputs.items():
        people = carried_by_class(tables, expected_people(tables), rng_of(state))
        known = counted[state]
        rest = known.everyone - known.white - known.black
        ages.append(np.abs(people.sum(axis=-1) - known.everyone).sum())
        seen = np.stack([people[..., 0], people[..., 1], people[..., 2:].sum(axis=-1)], axis=-1)
        races.append(np.abs(seen - np.stack([known.white, known.black, rest], axis=-1)).sum())
        risks.append([total_risk_by_class(people), total_risk_by_class(fitted[state])])
    everyone = sum(known.everyone.sum() for known in counted.values())
    ours, theirs = np.array(risks).T
    errors = np.abs(ours / theirs - 1)
    return CarriedError(
        float(sum(ages) / 2 / everyone),
        float(sum(races) / 2 / everyone),
        float(ours.sum() / theirs.sum() - 1),
        float(np.median(errors)),
        float(errors.max()),
    )


def split_error(folder: Path) -> float:
    """Share of people in a wrong county, half or group if all states were split as California is.

    Each state whose counties are counted by race is split from its total instead; the median of
    the states' shares, 0 to 1.
    """
    shares = []
    for state in read_counted_states(folder).values():
        split = split_groups(state.estimates, state.halves, state.groups.sum(axis=(0, 1)).astype(np.int64))
        shares.append(misplaced_share(split, state.groups))
    return float(np.median(shares))
