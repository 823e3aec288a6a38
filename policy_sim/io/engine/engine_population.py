"""A population too large for memory, merged by a linkage key where it lies.

The engine adds up the cells and returns only how many groups there are of each kind: a census of
three hundred million block cells comes down to some thousand rows. What follows is the same as for a
population in memory (:mod:`policy_sim.population.merge`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from policy_sim.granularity import Field, Granularities
from policy_sim.groups import Groups
from policy_sim.io.engine.engine import Engine
from policy_sim.io.engine.merge_expressions import CountedGroups, MergedCounts, age_classes_of, counted_groups, visible
from policy_sim.policies.policy import NO_CONDITIONS, Conditions
from policy_sim.population.merge import DAYS_PER_YEAR
from policy_sim.population.population import Provenance, check_states

if TYPE_CHECKING:
    import ibis.expr.types as ir

__all__ = ["EnginePopulation"]


@dataclass(frozen=True, eq=False)
class EnginePopulation:
    """Counted people whose cells stay in the engine (:class:`~policy_sim.population.population.PeopleElsewhere`).

    ``by_county`` has the same people as ``cells``, without places finer than a county.
    """

    engine: Engine
    location: str
    cells: ir.Table = field(repr=False)
    by_county: ir.Table = field(repr=False)
    provenance: Provenance

    @property
    def name(self) -> str:
        """The name by which the population is called: that of its file."""
        return self.provenance.name

    @property
    def states(self) -> tuple[str, ...]:
        """The states that have people here, sorted."""
        return tuple(self._by_state)

    @property
    def columns(self) -> tuple[str, ...]:
        """What the cells distinguish."""
        return tuple(self.cells.columns)

    def people_by_state(self) -> dict[str, int]:
        """People of each state."""
        return {state: people for state, (people, _) in self._by_state.items()}

    def counties_by_state(self) -> dict[str, int]:
        """Number of counties with people in each state; empty where the file has no counties."""
        return {state: number for state, (_, number) in self._by_state.items() if number}

    def of_age(self, least_age: int, most_age: int | None = None) -> EnginePopulation:
        """Return the part that is ``least_age`` years old or older, up to ``most_age``, by the lower age of cells."""
        cells, by_county = (cells.filter(cells.age >= least_age) for cells in (self.cells, self.by_county))
        if most_age is not None:
            cells, by_county = (table.filter(table.age <= most_age) for table in (cells, by_county))
        return replace(self, cells=cells, by_county=by_county)

    def merge(
        self,
        key: Granularities,
        states: Sequence[str] | None = None,
        *,
        days_per_year: float = DAYS_PER_YEAR,
        conditions: Conditions = NO_CONDITIONS,
    ) -> Groups:
        """Return the groups of a linkage key, as :func:`policy_sim.population.merge.merge` does in memory.

        Raises
        ------
        InputError : the file lacks a column that the key needs.
        UnknownNameError : a state without people.
        SourceError : the engine failed.
        """
        counts = self.counts(key, states, days_per_year=days_per_year, conditions=conditions)
        bins = counts.bins[counts.age_class]
        return CountedGroups(counts.unit, counts.people, bins, counts.own, len(counts.states), counts.number)

    def counts(
        self,
        key: Granularities,
        states: Sequence[str] | None = None,
        *,
        days_per_year: float = DAYS_PER_YEAR,
        conditions: Conditions = NO_CONDITIONS,
    ) -> MergedCounts:
        """Return the whole numbers that leave the engine for :meth:`merge`."""
        check_states(self, states or ())
        state_names = tuple(states or self.states)
        with self.engine.plainly(self.location):
            self.engine.progress("merging the cells by the linkage key")
            coarse = key[Field.GEOGRAPHY] in ("nation", "state", "county") and conditions.small_places is None
            cells = self.by_county if coarse else self.cells
            ages, bins = age_classes_of(self.engine, cells, key, days_per_year, conditions)
            visible_cells = visible(self.engine, cells, self.name, key, conditions)
            merged = self.engine.fetch(counted_groups(visible_cells, ages, key, state_names))
        place = {state: unit for unit, state in enumerate(state_names)}
        unit = np.array([place[str(state)] for state in merged["state"].to_pylist()], dtype=np.int64)
        age_class, people, own, number = (
            merged[name].to_numpy().astype(np.int64) for name in ("age_class", "people", "own", "number")
        )
        order = np.lexsort([own, people, age_class, unit])
        return MergedCounts(state_names, unit[order], age_class[order], people[order], own[order], number[order], bins)

    @cached_property
    def _by_state(self) -> dict[str, tuple[int, int]]:
        """People and counties of each state that has people."""
        cells = self.by_county.filter(self.by_county.people > 0)
        sums = {"people": cells.people.sum().cast("int64")}
        if "county" in cells.columns:
            sums["counties"] = cells.county.nunique()
        with self.engine.plainly(self.location):
            self.engine.progress("counting the people of each state")
            rows = self.engine.fetch(cells.group_by("state").aggregate(**sums)).to_pylist()
        return {row["state"]: (row["people"], row.get("counties", 0)) for row in sorted(rows, key=_state)}


def _state(row: dict[str, str]) -> str:
    return row["state"]
