"""How far a fit moves each measure: states fitted without their counted joint table, beside that table."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from policy_sim.arrays import IntArray
from policy_sim.building.goodness import CLASS_WIDTHS
from policy_sim.granularity import Field, Granularities
from policy_sim.groups import Groups, g_distinct, total_risk
from policy_sim.population.ages import AGE_WIDTHS, AGES, CLASS_STARTS
from policy_sim.population.merge import age_classes

__all__ = ["KEYS", "errors_of_fit"]


_G = (1, 3, 5, 10)
_MEASURES = ("total-risk", *(f"{g}-distinct" for g in _G))
KEYS = tuple(
    f"gender+{race}birth={birth}+geography={place}"
    for place in ("county", "state")
    for birth in ("date", "year", "five_years")
    for race in ("race+", "")
)


def errors_of_fit(fitted: IntArray, counted: IntArray) -> Iterator[tuple[str, str, float]]:
    """Yield key, measure and relative error of a fitted table against the counted one.

    Parameters
    ----------
    fitted, counted : Whole people, shape (counties, 2, ages, races), by 23 classes of age or by the 103 ages of
        table PCT12. Births are equally likely inside a class of age, on both sides alike.

    A figure of less than one counted person is left out: its relative error says nothing.
    """
    for key in KEYS:
        releases = Granularities.parse(key)
        sides = [_measures(_groups(table, releases)) for table in (fitted, counted)]
        for measure, ours, theirs in zip(_MEASURES, *sides, strict=True):
            if theirs >= 1:
                yield key, measure, ours / theirs - 1


def _measures(groups: Groups) -> list[float]:
    return [float(total_risk(groups)[0]), *g_distinct(groups, _G)[0].tolist()]


def _groups(people: IntArray, releases: Granularities) -> Groups:
    """Merge a table by the key, then bin."""
    age, width = (AGES, AGE_WIDTHS) if people.shape[2] == len(AGES) else (CLASS_STARTS, CLASS_WIDTHS)
    lower, hidden = age_classes(age, width, releases[Field.BIRTH])
    classes, place = np.unique(lower, return_inverse=True)
    bins = np.ones(len(classes))
    np.maximum.at(bins, place, hidden)
    cells = np.moveaxis(people, 2, -1) @ np.eye(len(classes), dtype=np.int64)[place]
    if releases[Field.RACE] == "none":
        cells = cells.sum(axis=2, keepdims=True)
    if releases[Field.GEOGRAPHY] == "state":
        cells = cells.sum(axis=0, keepdims=True)
    return Groups.of(cells.ravel(), np.broadcast_to(bins, cells.shape).ravel())
