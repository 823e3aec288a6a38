"""How far a fit changes each measure: states fitted without their counted joint table, compared with that table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.formulas.groups import AnyGroups, Groups, g_distinct, total_risk
from policy_sim.people.merge import (
    AGE_WIDTHS,
    AGES,
    CLASS_STARTS,
    DAYS_PER_YEAR,
    OPEN_AGE,
    OPEN_ENDED_WIDTH,
    age_classes,
)
from policy_sim.people.population import RACES, SEXES, Population, Provenance
from policy_sim.people.zips import with_zip_codes
from policy_sim.policies.policy import NO_CONDITIONS
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.fields import Field, Granularities
from policy_sim.words.states import POSTAL_OF_FIPS

__all__ = [
    "CLASS_WIDTHS",
    "KEYS",
    "ZIP_KEYS",
    "Closeness",
    "closeness",
    "errors_of_fit",
    "misplaced_share",
    "total_risk_by_class",
    "zip_errors_of_fit",
]


# How close a fitted table is to the counted one: people in a wrong cell, and the resulting risk.


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


@dataclass(frozen=True)
class Closeness:
    """A fitted table compared with the counted one.

    ``misplaced`` is a share of people, 0 to 1. The others are relative errors, fitted / counted - 1, for the key
    county, birth date (or birth year), sex and race.
    """

    misplaced: float
    total_risk_date: float
    unique_date: float
    five_distinct_date: float
    total_risk_year: float
    unique_year: float
    five_distinct_year: float


def closeness(fitted: IntArray, counted: IntArray) -> Closeness:
    """Compare two tables of whole people by county, sex, age class and race.

    Both have the shape (counties, 2, 23, races). In both tables birth dates and years are equally likely inside a
    class.
    """
    errors = []
    for bins_a_year in (365, 1):
        fitted_risk, counted_risk = _risks(fitted, bins_a_year), _risks(counted, bins_a_year)
        errors += (fitted_risk / counted_risk - 1).tolist()
    return Closeness(misplaced_share(fitted, counted), *errors)


def total_risk_by_class(people: IntArray, bins_a_year: int = 365) -> float:
    """Return the total risk, in people, of a table by county, sex, age class and race (with birth dates by default)."""
    return float(total_risk(_groups(people, bins_a_year))[0])


def _groups(people: IntArray, bins_a_year: int) -> Groups:
    bins = np.broadcast_to(CLASS_WIDTHS[:, None] * bins_a_year, people.shape)
    return Groups.of(people.ravel(), bins.ravel())


def _risks(people: IntArray, bins_a_year: int) -> FloatArray:
    """Return total risk, 1-distinct and 5-distinct, in people."""
    groups = _groups(people, bins_a_year)
    return np.concatenate([total_risk(groups), g_distinct(groups, (1, 5))[0]])


_G = (1, 3, 5, 10)
_MEASURES = ("total-risk", *(f"{g}-distinct" for g in _G))
_BIRTHS = ("date", "month", "year", "five_years")


def _keys(places: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(
        f"gender+{race}birth={birth}+geography={place}"
        for place in places
        for birth in _BIRTHS
        for race in ("race+", "")
    )


KEYS = _keys(("county", "state"))
# With the mix of people of the county: the effect of the fit, not how ZIP codes differ from their county.
ZIP_KEYS = _keys(("county_zip5", "zip3"))


def errors_of_fit(fitted: IntArray, counted: IntArray) -> Iterator[tuple[str, str, float]]:
    """Yield key, measure and relative error of a fitted table compared with the counted one.

    ``fitted``, ``counted``: whole people, shape (counties, 2, ages, races), by 23 classes of age or by the 103 ages of
    table PCT12. In both tables births are equally likely inside an age class.
    """
    for key in KEYS:
        releases = Granularities.parse(key)
        sides = [_measures(_merged(table, releases)) for table in (fitted, counted)]
        for measure, ours, theirs in zip(_MEASURES, *sides, strict=True):
            if theirs >= 1:
                yield key, measure, ours / theirs - 1


def zip_errors_of_fit(
    fitted: IntArray, counted: IntArray, counties: Sequence[str], population: str
) -> Iterator[tuple[str, str, float]]:
    """Yield key, measure and relative error as :func:`errors_of_fit`, for the keys with a ZIP code.

    Both tables are placed in ZIP code areas with the same shares of each county, those of ``population``
    (:class:`~policy_sim.people.zips.PeopleByZip`).

    ``counties``: five-digit FIPS codes, as many as the first axis has. ``population``: shipped population with the ZIP
    code parts to use, such as ``us-2010``.
    """
    provenance = Provenance(population, "", "", "", "", 0.0, 0.0, 1.0)
    sides = [with_zip_codes(Population(_cells(table, counties), provenance)) for table in (fitted, counted)]
    for key in ZIP_KEYS:
        releases = Granularities.parse(key)
        figures = [
            _measures(side.merge(releases, side.states, days_per_year=DAYS_PER_YEAR, conditions=NO_CONDITIONS))
            for side in sides
            if not isinstance(side, Population)
        ]
        for measure, ours, theirs in zip(_MEASURES, *figures, strict=True):
            if theirs >= 1:
                yield key, measure, ours / theirs - 1


def _cells(people: IntArray, counties: Sequence[str]) -> pd.DataFrame:
    """Convert a table to the cells of a population; age classes keep their width."""
    age, width = _ages(people)
    county, sex, place, race = np.nonzero(people)
    columns = {
        "state": ([POSTAL_OF_FIPS[counties[0][:2]]], np.zeros(len(county), dtype=np.int64)),
        "county": (list(counties), county),
        "sex": (list(SEXES), sex),
        "race": (list(RACES), race),
    }
    texts = {name: pd.Categorical.from_codes(codes, pd.Index(labels)) for name, (labels, codes) in columns.items()}
    return pd.DataFrame(
        {**texts, "age": age[place], "age_width": width[place], "people": people[county, sex, place, race]}
    )


def _ages(people: IntArray) -> tuple[IntArray, IntArray]:
    """Return the first age and the width of each age class of a table."""
    return (AGES, AGE_WIDTHS) if people.shape[2] == len(AGES) else (CLASS_STARTS, CLASS_WIDTHS)


def _measures(groups: AnyGroups) -> list[float]:
    return [float(total_risk(groups)[0]), *g_distinct(groups, _G)[0].tolist()]


def _merged(people: IntArray, releases: Granularities) -> Groups:
    """Merge a table by the key, then bin."""
    age, width = _ages(people)
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
