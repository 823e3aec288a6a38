"""Birth cohorts: carry single years of age to another date, and spread age classes over them.

People born in the same year stay together: those who are 20 at one census are 30 at the next. So a census by single
years shows how people spread over the years of an age class at another date.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from policy_sim.arrays import FloatArray
from policy_sim.population.ages import class_of_age

__all__ = ["YEARS", "carry", "spread"]


YEARS = 86  # 0 to 84, and 85 and over


def carry(people: FloatArray, years: float) -> FloatArray:
    """Let people grow older by ``years`` (younger if < 0), without deaths or moves.

    Parameters
    ----------
    people : People by year of age on the last axis, shape (..., 86).
    years : Years that pass; in a part of a year, that part of each birth year moves on.

    Returns
    -------
    People, with the same shape. An age into which nobody grows gets the size of the nearest age into which somebody
    does: births stay the same. The open age keeps its size: deaths at 85 and over balance those who reach 85.

    >>> carry(np.concatenate([[8.0, 4.0], np.zeros(84)]), 0.75)[:4].tolist()
    [8.0, 7.0, 3.0, 0.0]
    """
    was = np.clip(np.arange(YEARS - 1) - years, 0, YEARS - 2)
    low = np.minimum(was.astype(np.int64), YEARS - 3)
    part = was - low
    moved = people[..., low] * (1 - part) + people[..., low + 1] * part
    return np.concatenate([moved, people[..., -1:]], axis=-1)


def spread(classes: FloatArray, starts: NDArray[np.int64], pattern: FloatArray) -> FloatArray:
    """Spread age classes (last axis, first ages ``starts``) over 86 years in proportion to a pattern."""
    of_year = class_of_age(np.arange(YEARS), starts)
    sums = (pattern @ np.eye(len(starts))[of_year])[..., of_year]
    share = np.divide(pattern, sums, out=np.zeros_like(pattern), where=sums > 0)
    return np.asarray(classes[..., of_year] * share)
