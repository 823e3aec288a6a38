"""How the people of 85 and over run by race: the pattern of Texas, fitted to what is known of each state.

Table PCT12 by race is at hand for all counties of Texas (2000, 2010 and 2020), and the shares of 85-89, 90-94, ...,
110 and over of Census 2000 for 12 states, all races together.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from policy_sim.arrays import FloatArray
from policy_sim.building.official_tables import RACE_LABELS, SEX_ORDER, read_shares_85_over, read_table, to_array
from policy_sim.population.ages import AGES, OPEN_AGE

__all__ = ["read_open_shares"]


_OLDEST = AGES[AGES >= OPEN_AGE]
# 85-89, 90-94, 95-99, 100-104, 105-109, 110 and over: the class of each of the 18 ages.
_CLASS = np.minimum((_OLDEST - OPEN_AGE) // 5, 5)
_FOLD = np.eye(6)[_CLASS]
# People with the ages of all races together that are added to each race, so that a race of few people
# leaves no age impossible.
_PRIOR_PEOPLE = 20.0


def read_open_shares(folder: Path, year: int) -> dict[str, FloatArray]:
    """Read the shares of the 18 ages from 85 up, by sex and race; shape (2, 7, 18) for each state (FIPS code).

    The five-year classes of each race are those of Texas in ``year``, times what the state's classes of Census 2000
    have over those of Texas (the median of 21 areas for the states whose classes are not at hand). Single years
    inside a class are those of all races in Texas.

    Raises
    ------
    SourceError : a file is missing or damaged.
    """
    counted = _texas(folder, year)
    everyone = counted.sum(axis=1, keepdims=True)
    classes = (counted + _PRIOR_PEOPLE * everyone / everyone.sum(axis=2, keepdims=True)) @ _FOLD
    texas_2000 = _texas(folder, 2000).sum(axis=1) @ _FOLD
    texas_2000 /= texas_2000.sum(axis=1, keepdims=True)
    inside = everyone / (everyone @ _FOLD)[..., _CLASS]
    open_shares = {}
    for state, shares in read_shares_85_over(folder).items():
        of_state = classes * (shares / texas_2000)[:, None]
        of_state /= of_state.sum(axis=2, keepdims=True)
        open_shares[state] = np.asarray(of_state[..., _CLASS] * inside)
    return open_shares


def _texas(folder: Path, year: int) -> FloatArray:
    """People of Texas of 85 and over by sex, race and age; shape (2, 7, 18)."""
    name = f"county_{year}_pct12_race_origin_texas.parquet"
    table = read_table(folder, name)
    table = table[table["age"] >= OPEN_AGE]
    return to_array(table, {"sex": SEX_ORDER, "race": RACE_LABELS, "age": _OLDEST.tolist()}, name)
