"""The census groups of a file's classes on every linkage key of an attacker; each key is merged once."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from policy_sim.attackers.coverage import Coverage, listed_people, people_of
from policy_sim.granularity import Field, Granularities
from policy_sim.population.population import Population, in_memory
from policy_sim.records.census_groups import FileCells, GroupedPeople, people_of_groups, with_coverage

__all__ = ["GroupsByKey", "OutsideCells"]


@dataclass(frozen=True, eq=False)
class OutsideCells:
    """The file's cells, with a mark on every class outside the population.

    Parameters
    ----------
    cells : The file's classes in the cells of the population.
    records_by_reason : Number of records outside, by reason.
    groups : The people of each class's group on the key of the file; a class outside has no group.
    """

    cells: FileCells
    records_by_reason: dict[str, int]
    groups: GroupedPeople


@dataclass(frozen=True, eq=False)
class GroupsByKey:
    """Groups by linkage key, of everyone or of the people in a resource.

    Parameters
    ----------
    placed : The file in the cells of the population, with its groups on the key ``view``.
    population : The people of the states of the records.
    view : How finely the file shows each field.
    days_per_year : Number of equally likely birthdays in a year.
    whole : The people to search if the key has no state.
    """

    placed: OutsideCells
    population: Population
    view: Granularities
    days_per_year: float
    whole: Population
    _merged: dict[tuple[Granularities, tuple[int, int | None] | None], GroupedPeople] = field(default_factory=dict)
    _listed: dict[Coverage | None, dict[str, float]] = field(default_factory=dict)

    def of(self, key: Granularities, coverage: Coverage | None) -> GroupedPeople:
        """Return the groups on a key, among the people that a resource covers with a known share."""
        groups = self._of_ages(key, coverage)
        if coverage is None:
            return groups
        states = self.placed.cells.rows["state"].to_numpy()
        states_covered = [str(state) for state in set(states) if coverage.knows(str(state))]
        people = people_of(self.population, coverage)
        shares = dict(zip(states_covered, coverage.shares(people, states_covered, self.population), strict=True))
        return with_coverage(groups, np.array([shares.get(state, 0.0) for state in states]))

    def counted(self, coverage: Coverage | None) -> dict[str, float]:
        """Return how many people of each state are in a resource."""
        if coverage not in self._listed:
            self._listed[coverage] = listed_people(self.population, coverage)
        return self._listed[coverage]

    def _of_ages(self, key: Granularities, coverage: Coverage | None) -> GroupedPeople:
        if coverage is None and key == self.view:
            return self.placed.groups
        ages = None if coverage is None else coverage.ages_in(self.population)
        if (key, ages) not in self._merged:
            national = key[Field.GEOGRAPHY] == "nation"
            among = in_memory(people_of(self.whole if national else self.population, coverage))
            self._merged[key, ages] = people_of_groups(self.placed.cells, among, key, self.days_per_year)
        return self._merged[key, ages]
