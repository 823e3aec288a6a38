"""Steps that turn older tables into the inputs of a carried fit, whatever the year."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from policy_sim.population.carried import Carried
from policy_sim.population.cohorts import carry
from policy_sim.population.fitting import Margin, fit_margins
from policy_sim.population.official import AgePatterns
from policy_sim.sources.census.facts import county_history
from policy_sim.sources.population_tables import counties_by_state

__all__ = ["by_common_area", "by_state", "cohort_patterns", "hispanic_races", "state_classes"]

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


def by_common_area(
    table: NDArray[Any], old: Sequence[str], new: Sequence[str], old_day: date, new_day: date
) -> FloatArray:
    """Give each county of ``new_day`` what stood in its area on ``old_day``.

    Where counties changed between the days, the area is the smallest that both have; its counties
    all get the whole. Good for patterns, not for counting people.
    """
    area = county_history().common_areas([old_day, new_day])
    names = sorted({area[county] for county in (*old, *new)})
    sums = np.zeros((len(names), *table.shape[1:]))
    np.add.at(sums, [names.index(area[county]) for county in old], table)
    return sums[[names.index(area[county]) for county in new]]


def cohort_patterns(patterns: AgePatterns, years: float) -> FloatArray:
    """Return how single years run in a state ``years`` after its census, by group; shape (8, 2, 86).

    The nation's cohorts of the group, times what the state's cohorts have over the nation's.
    """
    nation = np.concatenate([patterns.nation[:1].sum(axis=1), patterns.nation[1]])
    ratio = carry(patterns.years, years) / carry(nation.sum(axis=0), years)
    return np.asarray(carry(nation, years) * ratio)


def state_classes(patterns: AgePatterns) -> FloatArray:
    """Return the state's groups by sex and coarser age, each adding up to 1; shape (8, 2, classes).

    "Some other race", which the estimates lack, runs as two or more races.
    """
    classes = np.concatenate([patterns.classes[:6], patterns.classes[7:], patterns.classes[7:]])
    return np.asarray(classes / classes.sum(axis=(1, 2), keepdims=True))


def hispanic_races(pattern: FloatArray, hispanics: NDArray[Any], nation: NDArray[Any]) -> FloatArray:
    """Split each county's Hispanics by race: an older census' split, fitted to the nation's of today.

    Parameters
    ----------
    pattern : Hispanics of each county by race at the older census; shape (counties, 7).
    hispanics : Hispanics of each county; nation : Hispanics of the nation by race, shape (7,).
    """
    everywhere = pattern.sum(axis=0)
    prior = everywhere / everywhere.sum()
    # A county without Hispanics keeps its pattern.
    people = np.maximum(hispanics, 1e-6)[:, None]
    return fit_margins(pattern + prior, [Margin(nation[None, :]), Margin(people)])


def by_state(
    counties: Sequence[str],
    halves: IntArray,
    groups: FloatArray,
    estimates: FloatArray,
    hispanics: FloatArray,
    patterns: Mapping[str, AgePatterns],
) -> dict[str, Carried]:
    """Cut tables of the nation's counties into states (FIPS code of the state first)."""
    codes = np.array(counties)
    return {
        state: Carried(
            state,
            tuple(codes[here].tolist()),
            halves[here],
            groups[here],
            estimates[here],
            hispanics[here],
            patterns[state].shares_85_over,
        )
        for state, here in counties_by_state(counties).items()
    }
