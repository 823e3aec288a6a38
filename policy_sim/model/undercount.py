"""The people of a census as its coverage survey estimates them: those it missed added, those counted twice left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from policy_sim.files.toml import damaged_if_wrong, shipped_table
from policy_sim.people.population import AnyPopulation, Population
from policy_sim.people.zips import PeopleByZip
from policy_sim.words.arrays import FloatArray, IntArray

_FILE = Path("census_coverage.toml")


@dataclass(frozen=True)
class CensusCoverage:
    """The net coverage error of one census by race, in percent of the people estimated; below 0 it missed some."""

    population: str
    survey: str
    source: str
    read: str
    error: Mapping[str, float]

    @property
    def title(self) -> str:
        """What is changed, for a table."""
        return f"undercount and overcount by race ({self.survey})"


@cache
def census_coverage() -> Mapping[str, CensusCoverage]:
    """Return what each coverage survey found, by the year of the census (``data/census_coverage.toml``)."""
    with damaged_if_wrong(_FILE):
        return {entry["population"]: CensusCoverage(**entry) for entry in shipped_table(_FILE)["census"]}


def coverage_of(population: AnyPopulation) -> CensusCoverage | None:
    """Return the survey of the census that a population counts; None where there is none, or no race."""
    known = census_coverage().get(population.provenance.date[:4])
    return known if "race" in population.columns else None


def as_estimated(population: AnyPopulation, coverage: CensusCoverage) -> AnyPopulation | None:
    """Return the people that the survey estimates, each cell scaled by its race; None where cells are elsewhere.

    A count ``n`` with the error ``e`` percent becomes ``n / (1 + e / 100)``, rounded so that every state and race keeps
    its sum. Nobody is put into an empty cell, and ZIP codes keep their shares of a county.

    References
    ----------
    docs/uncertainty.md, "What each assumption is worth"; the files of the Bureau are in ``data/census_coverage.toml``.
    """
    if isinstance(population, PeopleByZip):
        by_county = as_estimated(population.county_population, coverage)
        return replace(population, county_population=by_county) if isinstance(by_county, Population) else None
    if not isinstance(population, Population):
        return None
    cells = population.cells
    race, state = (cells[name].cat for name in ("race", "state"))
    factor = np.array([1 / (1 + coverage.error.get(str(name), 0.0) / 100) for name in race.categories])
    group = state.codes.to_numpy().astype(np.int64) * len(race.categories) + race.codes.to_numpy()
    times = factor[race.codes.to_numpy()]
    people = rounded_in_order(cells["people"].to_numpy() * times, group)
    kept = people > 0

    def hispanic() -> IntArray:
        """The Hispanics of each cell, in the same proportion."""
        return np.minimum(rounded_in_order(population.by_origin[:, 0] * times, group), people)[kept]

    table = cells.assign(people=people)[kept].reset_index(drop=True)
    return Population(table, population.provenance, None if population.hispanic is None else hispanic)


def rounded_in_order(wanted: FloatArray, group: IntArray) -> IntArray:
    """Return whole numbers, each next to its wanted one, whose sums over a group are those wanted, rounded.

    Each is the step of the rounded running sum of its group: small and large cells are rounded up alike often.

    >>> rounded_in_order(np.array([1.4, 1.4, 1.4, 1.4, 1.4]), np.zeros(5, dtype=np.int64)).tolist()
    [1, 2, 1, 2, 1]
    """
    order = np.argsort(group, kind="stable")
    running = np.cumsum(wanted[order])
    first = np.r_[True, np.diff(group[order]) != 0][: len(order)]
    before = np.where(first, running - wanted[order], 0.0)
    start = before[np.maximum.accumulate(np.where(first, np.arange(len(order)), 0))]
    upto = np.floor(running - start + 0.5)
    steps = np.where(first, upto, np.r_[0.0, np.diff(upto)][: len(order)])
    whole = np.empty(len(order), dtype=np.int64)
    whole[order] = steps.astype(np.int64)
    return whole
