"""How close a fitted table is to the counted one: people in a wrong cell, and the resulting risk."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from policy_sim.arrays import FloatArray, IntArray
from policy_sim.groups import Groups, g_distinct, total_risk
from policy_sim.population.ages import CLASS_STARTS, OPEN_AGE, OPEN_ENDED_WIDTH

__all__ = ["CLASS_WIDTHS", "Closeness", "closeness", "misplaced_share", "total_risk_by_class"]


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
