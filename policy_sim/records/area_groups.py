"""A file's groups in ZIP code areas, where people of each age and group live as the areas are counted.

The people of a cell of a county live in an area with the chance ``q`` of their class
(:mod:`policy_sim.people.composition`), so that a group has an expected number of people, ``sum n q``. With ``b``
equally likely values inside, ``b (1 - prod (1 - q/b)^n)`` of them are matched in the mean; on a list its entries have
the mean and the variance of the sum of binomials.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from policy_sim.formulas.listed_groups import ListedGroups
from policy_sim.people.composition import class_of
from policy_sim.people.population import Population
from policy_sim.people.zips import PeopleByZip
from policy_sim.words.arrays import FloatArray, IntArray

_SURE = 1 - 1e-13  # a chance of 1 counts as this: its logarithm is a number
_POWER = {"people": 1, "own": 2, "listed": 1, "squared": 2, "stale": 1}  # of the chance, in each sum over a group


@dataclass(frozen=True, eq=False)
class Areas:
    """The areas that a key shows, and where the people of each county and class live.

    ``pieces``: ``state``, ``place`` and ``county`` of each piece of a county in an area, as codes. ``chance``: that a
    person of each class of the county lives in the piece; shape (pieces, classes). ``names``: those of the places, by
    code.
    """

    pieces: pd.DataFrame
    chance: FloatArray
    names: dict[str, int]

    @classmethod
    def of(cls, people: PeopleByZip, place: str, state: IntArray) -> Areas:
        """Return the areas of a granularity; ``state``: the code of each county's."""
        county, code, chance = people.zips.chances(place, None)
        where = {"state": state[county], "place": code, "county": county, "piece": np.arange(len(county))}
        names = np.unique(people.zips.shown(place)).tolist()
        return cls(pd.DataFrame(where), chance, {str(name): at + 1 for at, name in enumerate(names) if name})

    def groups(self, lines: pd.DataFrame, cells: pd.DataFrame, shown: list[str]) -> pd.DataFrame:
        """Return the lines, each with the number of its group and what adds up over the people of the group.

        ``lines``: the ``place`` and what else a key shows of a class of the file (``shown``: the columns); ``cells``:
        the same of census cells, by county and class, with ``people``, ``bins`` and on a list what adds up there.
        """
        at = [*shown, "place"]
        lines = lines.assign(group=lines.groupby(at, sort=False).ngroup())
        groups = lines.drop_duplicates("group")[[*at, "group"]]
        parts = groups.merge(self.pieces, on=["state", "place"]).merge(cells, on=[*shown, "county"])
        chance = self.chance[parts["piece"], parts["of_class"]]
        parts, chance = parts[chance > 0], chance[chance > 0]
        n, b = parts["people"].to_numpy(np.float64), parts["bins"].to_numpy(np.float64)
        sums = {"group": parts["group"], "room": n, "log_empty": n * np.log1p(-np.minimum(chance / b, _SURE))}
        sums |= {
            name: parts["people" if name == "own" else name].to_numpy() * chance**power
            for name, power in _POWER.items()
            if name in parts or name == "own"
        }
        added = pd.DataFrame(sums).groupby("group").sum().assign(bins=parts.groupby("group")["bins"].first())
        return lines.merge(added.reset_index(), on="group")


def classes_of_cells(population: Population) -> dict[str, IntArray]:
    """Return the county and the class of each cell, as codes."""
    cells = population.cells
    return {"county": cells["county"].cat.codes.to_numpy().astype(np.int64), "of_class": class_of(cells)}


def matches_in_areas(lines: pd.DataFrame, bins: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return of each row of a file the expected people of its group, those that a record of it has, and the matches.

    ``lines``: those of :meth:`Areas.groups`; ``bins``: of each row. A group in which one record is known to live has
    besides it the others that are expected.
    """
    many = len(bins)
    sums: dict[str, FloatArray] = {
        name: np.bincount(lines["row"], lines[name], many).astype(np.float64)
        for name in ("room", "log_empty", *_POWER)
        if name in lines
    }
    people = sums["people"]
    with_own: FloatArray = people + 1 - np.divide(sums["own"], people, out=np.ones(many), where=people > 0)
    if "listed" not in sums:
        occupied: FloatArray = -bins * np.expm1(sums["log_empty"])
        return people, with_own, occupied
    row, listed = np.arange(many), sums["listed"]
    groups = ListedGroups(row, sums["room"], bins, listed, sums["squared"], sums["stale"], people, listed, many)
    return people, with_own, groups.total_risk()
