"""With what chance the people of each county are on a list, by their age, and how many records of it are stale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import pandas as pd

from policy_sim.formulas.histogram import different
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
    in_file : Chance (0..1) that a person is in the file, listed or not, by place; a person of any other place is not.
        None where there is no file.
    place : Where those places are: ``county`` or ``zip3``.
    elsewhere : Chance that people of all other counties are listed: 0 where nobody counted any records.
    """

    county: tuple[str, ...]
    chance: FloatArray = field(repr=False)
    stale: FloatArray = field(repr=False)
    in_file: Mapping[str, float] | None = None
    place: str = "county"
    elsewhere: float = 0.0

    @classmethod
    def alike(cls, chance: float) -> Listing:
        """Return a list that holds everyone with the same chance, wherever they live, and nobody who left."""
        return cls((), np.full((0, YEARS_OF_AGE), 0.0), np.zeros(0), elsewhere=chance)

    def of_kinds(self, kinds: pd.DataFrame, counties: Sequence[str]) -> tuple[FloatArray, IntArray, FloatArray]:
        """Return chances by age and county, the age of each kind of person, and stale records per listed resident.

        ``kinds``: rows with ``age`` and ``age_width``; one of several years has the mean chance of these. Shapes (ages,
        counties), (kinds,) and (counties,): ``chance[age]`` has the chances of each kind.
        """
        chance_by_year, stale = self.of_counties(counties)
        age, width = (kinds[name].to_numpy(np.int64) for name in ("age", "age_width"))
        widest = int(width.max(initial=0)) + 1
        ages, of_kind = different(age * widest + width)
        # the open class ends at 119
        first = np.minimum(ages // widest, YEARS_OF_AGE - 1)
        last = np.minimum(first + np.maximum(ages % widest, 1), YEARS_OF_AGE)
        chance = np.empty((len(ages), len(counties)))
        for number, (low, high) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
            chance[number] = chance_by_year[:, low:high].mean(axis=1)
        return chance, of_kind, stale

    def file_of(self, places: Sequence[str]) -> FloatArray:
        """Return the chance that a person of each of some places is in the file."""
        chances = self.in_file or {}
        return np.array([chances.get(place, 0.0) for place in places])

    def of_cells(self, cells: pd.DataFrame) -> tuple[FloatArray, FloatArray]:
        """Return the chance and its county's stale records of each row with ``county``, ``age``, ``age_width``."""
        if "county" not in cells:
            return np.full(len(cells), self.elsewhere), np.zeros(len(cells))
        column = cells["county"].cat
        used, code = different(column.codes.to_numpy())
        names = [str(column.categories[number]) for number in used]
        chance, age, stale = self.of_kinds(cells, names)
        return chance[age, code], stale[code]

    def of_counties(self, counties: Sequence[str]) -> tuple[FloatArray, FloatArray]:
        """Return the chances and the stale records of some counties."""
        place = {code: number for number, code in enumerate(self.county)}
        rows = np.array([place.get(code, len(place)) for code in counties], dtype=np.int64)
        return np.vstack([self.chance, np.full(YEARS_OF_AGE, self.elsewhere)])[rows], np.append(self.stale, 0.0)[rows]
