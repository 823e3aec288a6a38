"""With what chance the people of each county are on a list, by their age, and how many records of it are stale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import pandas as pd

from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.errors import InputError

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

    def of_kinds(self, kinds: pd.DataFrame, counties: Sequence[str]) -> tuple[FloatArray, FloatArray]:
        """Return the chance of each kind of person in each county, and the stale records per listed resident there.

        ``kinds``: rows with ``age`` and ``age_width``; one of several years has their mean. Shapes (kinds, counties)
        and (counties,).
        """
        rows, (first, last) = self._rows(counties), self._years(kinds)
        # a column before the first year, so that a difference of sums is the sum of some years
        upto = np.zeros((len(rows), YEARS_OF_AGE + 1))
        np.cumsum(self.chance[rows], axis=1, out=upto[:, 1:])
        chance: FloatArray = ((upto[:, last] - upto[:, first]) / (last - first)).T
        return np.clip(chance, 0.0, 1.0), self.stale[rows]

    def of_cells(self, cells: pd.DataFrame) -> tuple[FloatArray, FloatArray]:
        """Return, for each row with ``county``, ``age`` and ``age_width``, the chance and the stale records of both."""
        column = cells["county"].cat
        used, code = np.unique(column.codes.to_numpy(), return_inverse=True)
        ages, kind = np.unique(cells[["age", "age_width"]].to_numpy(), axis=0, return_inverse=True)
        names = [str(column.categories[number]) for number in used]
        chance, stale = self.of_kinds(pd.DataFrame(ages, columns=["age", "age_width"]), names)
        return chance[kind.reshape(-1), code.reshape(-1)], stale[code.reshape(-1)]

    def _rows(self, counties: Sequence[str]) -> IntArray:
        place = {code: number for number, code in enumerate(self.county)}
        missing = [code for code in counties if code not in place]
        if missing:
            raise InputError(f"county {missing[0]}: nobody counted the records of its voters.")
        return np.array([place[code] for code in counties], dtype=np.int64)

    @staticmethod
    def _years(kinds: pd.DataFrame) -> tuple[IntArray, IntArray]:
        """Return the first year of each kind and the one after its last; the open class ends at 119."""
        first = np.minimum(kinds["age"].to_numpy(np.int64), YEARS_OF_AGE - 1)
        return first, np.minimum(first + np.maximum(kinds["age_width"].to_numpy(np.int64), 1), YEARS_OF_AGE)
