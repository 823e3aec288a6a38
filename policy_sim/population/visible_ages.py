"""How finely ages are seen: the class of each cell that a granularity of birth shows, and the bins hidden inside."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from policy_sim.arrays import FloatArray, IntArray

__all__ = ["DAYS_PER_YEAR", "YEARS_IN_A_CLASS", "age_classes", "values_in_a_year"]

DAYS_PER_YEAR = 365.0  # as Benitez & Malin; 365.25 counts the leap day

# Years that one value of birth spans, where it spans at least one.
YEARS_IN_A_CLASS: Mapping[str, int] = MappingProxyType(
    {
        "twenty_years": 20,
        "fifteen_years": 15,
        "decade": 10,
        "five_years": 5,
        "four_years": 4,
        "three_years": 3,
        "two_years": 2,
        "year": 1,
    }
)


def values_in_a_year(granularity: str, days_per_year: float = DAYS_PER_YEAR) -> float:
    """Return how many values of birth there are in a year of age, for a granularity finer than a year."""
    return {"quarter": 4.0, "month": 12.0, "date": days_per_year}[granularity]


def age_classes(
    age: IntArray,
    width: IntArray,
    granularity: str,
    days_per_year: float = DAYS_PER_YEAR,
    top_age: int | None = None,
) -> tuple[IntArray, FloatArray]:
    """Return each cell's visible age class and the bins that hide inside it.

    Parameters
    ----------
    age, width : Lower bound of each cell's ages and the years it holds.
    granularity : How finely birth is seen.
    days_per_year : Number of equally likely birthdays in a year.
    top_age : Everyone of this age and older is in one class, of which nothing finer is seen.

    Returns
    -------
    Lower bound of the visible class (years), and bins ``b`` >= 1: 365 a year of age for ``date``,
    12 for ``month``, 1 for ``year``. A cell wider than the granularity keeps its own class and is
    split into as many bins as it spans. A cell that reaches over ``top_age`` keeps its class too; its
    years from there on are one bin more.
    """
    if granularity == "none":
        return np.zeros_like(age), np.ones(len(age))
    if top_age is None:
        return _untopped(age, width, granularity, days_per_year)
    below: IntArray = np.clip(top_age - age, 0, width)
    lower, bins = _untopped(age, np.maximum(below, 1), granularity, days_per_year)
    top, over = below == 0, (below > 0) & (below < width)
    hidden: FloatArray = np.where(top, 1.0, bins + over)
    return np.where(top, top_age, np.where(over, age, lower)), hidden


def _untopped(age: IntArray, width: IntArray, granularity: str, days_per_year: float) -> tuple[IntArray, FloatArray]:
    if granularity in YEARS_IN_A_CLASS:
        span = YEARS_IN_A_CLASS[granularity]
        wide = width > span
        return np.where(wide, age, age // span * span), np.where(wide, width / span, 1.0)
    return age, (width * values_in_a_year(granularity, days_per_year)).astype(np.float64, copy=False)
