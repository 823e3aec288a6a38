"""Steps that turn older tables into the patterns of a later fit, for any year."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from policy_sim.arrays import FloatArray
from policy_sim.building.cohorts import carry
from policy_sim.building.state_tables import AgePatterns
from policy_sim.io.population_store.census_facts import county_history

__all__ = ["both_origins", "by_common_area", "cohort_patterns", "state_classes"]


def by_common_area(
    table: NDArray[Any], old: Sequence[str], new: Sequence[str], old_day: date, new_day: date
) -> FloatArray:
    """Give each county of ``new_day`` the people in its area on ``old_day``.

    If counties changed between the days, the area is the smallest one in both, and each of its counties gets all of
    its people. So the result is good for patterns but not for counts.
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
