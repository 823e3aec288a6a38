"""With what chance the people of each county are on a list, by their age, and how many records of it are stale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import pandas as pd

from policy_sim.words.arrays import FloatArray, IntArray

YEARS_OF_AGE: Final = 120  # 0 to 119


@dataclass(frozen=True, eq=False)
class Listing:
    """Who is on the lists of some counties.

    Attributes
    ----------
    county : Five-digit FIPS code of each county.
    chance : Chance (0..1) that a resident is listed, by county and year of age; shape (counties, 120).
    stale : Records of people who left, for each listed resident; >= 0; shape (counties,).
    """

    county: tuple[str, ...]
    chance: FloatArray = field(repr=False)
    stale: FloatArray = field(repr=False)

    def of_kinds(self, kinds: pd.DataFrame, counties: Sequence[str]) -> tuple[FloatArray, IntArray, FloatArray]:
        """Return chances by age and county, the age of each kind of person, and stale records per listed resident.

        ``kinds``: rows with ``age`` and ``age_width``; one of several years has the mean chance of these. Shapes (ages,
        counties), (kinds,) and (counties,): ``chance[age]`` has the chances of each kind.
        """
        chance_by_year, stale = self._of_counties(counties)
        ages, of_kind = np.unique(kinds[["age", "age_width"]].to_numpy(np.int64), axis=0, return_inverse=True)
        # the open class ends at 119
        first = np.minimum(ages[:, 0], YEARS_OF_AGE - 1)
        last = np.minimum(first + np.maximum(ages[:, 1], 1), YEARS_OF_AGE)
        chance = np.empty((len(ages), len(counties)))
        for number, (low, high) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
            chance[number] = chance_by_year[:, low:high].mean(axis=1)
        return chance, of_kind.reshape(-1), stale

    def of_cells(self, cells: pd.DataFrame) -> tuple[FloatArray, FloatArray]:
        """Return the chance and its county's stale records of each row with ``county``, ``age``, ``age_width``."""
        column = cells["county"].cat
        used, code = np.unique(column.codes.to_numpy(), return_inverse=True)
        names = [str(column.categories[number]) for number in used]
        chance, age, stale = self.of_kinds(cells, names)
        return chance[age, code.reshape(-1)], stale[code.reshape(-1)]

    def _of_counties(self, counties: Sequence[str]) -> tuple[FloatArray, FloatArray]:
        """Return the chances and the stale records of some counties: none where nobody counted any records."""
        place = {code: number for number, code in enumerate(self.county)}
        rows = np.array([place.get(code, len(place)) for code in counties], dtype=np.int64)
        return np.vstack([self.chance, np.zeros(YEARS_OF_AGE)])[rows], np.append(self.stale, 0.0)[rows]
