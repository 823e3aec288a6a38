"""Texas 2010 made with the recipe of 2022: from three margins of its counts and an older fit, without its joint table.

The older fit is that of the recipe of 2020. In 2022 it is 2.25 years old. Two other fits bracket that age: one that
is ten years old (Texas 2000), and one of the same day (Texas 2010). Margins in six races are not available for the
day of that census; they are computed from the counts with the shares below.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from policy_sim.arrays import FloatArray, IntArray
from policy_sim.building.cohorts import carry
from policy_sim.building.estimates_tables import joint_of
from policy_sim.building.fit_2022 import AGE_STARTS, Estimates, six_of_seven
from policy_sim.building.held_out import like_2020
from policy_sim.building.integerize import round_rows
from policy_sim.building.joint_tables import JOINT_TABLES, read_texas
from policy_sim.building.official_tables import read_decennial
from policy_sim.population.ages import AGES

__all__ = ["GAPS", "like_2022"]

# Years from the older fit to the day -> the census of the fit, and the year of its estimates.
GAPS = {10: (2000, 2000), 0: (2010, 2015)}
_DAY = 2010
_OTHER, _MULTIPLE = 5, 6
# Shares of white, black, AIAN, Asian, NHPI and two or more among people of some other race and of two or more in the
# six races, by origin (Hispanic, not Hispanic). An assumption (no table of both is available), and not the recipe's.
_SIX_OF_OTHER = ((0.93, 0.03, 0.02, 0.01, 0.0, 0.01), (0.6, 0.15, 0.05, 0.1, 0.0, 0.1))
_SIX_OF_MULTIPLE = ((0.3, 0.05, 0.05, 0.0, 0.0, 0.6), (0.1, 0.0, 0.0, 0.0, 0.0, 0.9))


def like_2022(folder: Path, gap: int) -> Estimates:
    """Return the input of the recipe of 2022 for Texas 2010, from a fit that is ``gap`` years old.

    Raises
    ------
    SourceError : a file is missing or damaged.
    """
    census, estimates = GAPS[gap]
    (of_census,) = [table for table in JOINT_TABLES if (table.state, table.year) == ("48", census)]
    older = like_2020(folder, of_census, estimates)
    counties, people = read_texas(folder, _DAY)
    by_sex = people.sum(axis=(1, 2, 4))
    by_race = people.sum(axis=4)  # counties, origins, seven races, sexes
    six = np.einsum("cors,orx->csx", by_race, _six())
    seven_then = older.counted.sum(axis=1).astype(np.float64)
    six_then = np.einsum("cor,orx->cx", seven_then, _six())
    patterns = read_decennial(folder, _DAY)["48"].patterns
    return Estimates(
        "48",
        tuple(counties),
        ages=_five_years(people.sum(axis=(1, 2))),
        races=round_rows(six + 1e-9, by_sex, np.random.default_rng(_DAY)),
        origins=np.moveaxis(people.sum(axis=(2, 4)), 1, 2),
        pattern=carry(joint_of(older), gap),
        six=six_of_seven(seven_then, six_then),
        open_shares=patterns.open_shares,
    )


def _six() -> FloatArray:
    """Return the share of each census race in each of the six races; shape (2 origins, 7, 6)."""
    share = np.zeros((2, 7, 6))
    for race in range(5):
        share[:, race, race] = 1
    share[:, _OTHER] = _SIX_OF_OTHER
    share[:, _MULTIPLE] = _SIX_OF_MULTIPLE
    return share


def _five_years(people: IntArray) -> IntArray:
    """Add up the last axis, of 103 ages, by five years, with 85 and over as one class."""
    return np.add.reduceat(people, np.searchsorted(AGES, AGE_STARTS), axis=-1)
