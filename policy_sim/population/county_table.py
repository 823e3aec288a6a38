"""The people of every county as one table: a row per county, a column per kind of person.

A kind of person is a combination of sex, race and age that the cells distinguish: some 1,400 in the census. What a
linkage key shows of a person is a property of the kind, so that a table by key is the sum of some columns: the
cells themselves are read once, however many keys are asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from policy_sim.arrays import FloatArray, IntArray
from policy_sim.granularity import Granularities
from policy_sim.groups.numbering import number_combinations
from policy_sim.policies.policy import NO_CONDITIONS, Conditions
from policy_sim.population.merge import DAYS_PER_YEAR, seen_of_people
from policy_sim.population.population import Population

__all__ = ["CountyTable"]


@dataclass(frozen=True, eq=False)
class CountyTable:
    """People by county and kind.

    Attributes
    ----------
    population : The cells that were counted; each of its counties is a row.
    whole : The table of more people, of which these are every kind of some ages; None where there is none.
    """

    population: Population
    whole: CountyTable | None = None

    @cached_property
    def _kinds(self) -> tuple[FloatArray, Population]:
        """People of each kind and county, shape (kinds, counties), and one cell of each kind."""
        if self.whole is not None:
            people, kinds = self.whole._kinds
            ages = np.unique(self.population.cells["age"].to_numpy())
            of_ages = np.isin(kinds.cells["age"].to_numpy(), ages)
            return people[of_ages], Population(kinds.cells[of_ages].reset_index(drop=True), self.population.provenance)
        cells = self.population.cells
        county = cells["county"].cat.codes.to_numpy().astype(np.int64)
        codes = [cells[name].cat.codes.to_numpy().astype(np.int64) for name in ("sex", "race") if name in cells]
        codes += [cells[name].to_numpy(np.int64) for name in ("age", "age_width")]
        number = number_combinations(codes)
        row = np.full(int(number.max(initial=0)) + 1, -1)
        row[number] = np.arange(len(number))
        held = np.flatnonzero(row >= 0)
        column = np.zeros(len(row), dtype=np.int64)
        column[held] = np.arange(len(held))
        shape = (len(held), len(cells["county"].cat.categories))
        table = np.bincount(
            column[number] * shape[1] + county, weights=cells["people"].to_numpy(), minlength=shape[0] * shape[1]
        )
        kinds = Population(cells.take(row[held]).reset_index(drop=True), self.population.provenance)
        return table.reshape(shape).astype(np.float64, copy=False), kinds

    def units(self, states: Sequence[str]) -> IntArray:
        """Return for each county the position of its state among ``states``, or -1; shape (counties,)."""
        position = {state: unit for unit, state in enumerate(states)}
        names = self.population.cells["state"].cat.categories
        by_code = np.array([*(position.get(str(name), -1) for name in names), -1], dtype=np.int64)
        return by_code[self._states]

    @cached_property
    def _states(self) -> IntArray:
        """The code of each county's state, or -1 for a county without people."""
        cells = self.population.cells
        state = np.full(len(cells["county"].cat.categories), -1)
        state[cells["county"].cat.codes.to_numpy()] = cells["state"].cat.codes.to_numpy()
        return state

    def seen(
        self,
        key: Granularities,
        counties: IntArray,
        *,
        days_per_year: float = DAYS_PER_YEAR,
        conditions: Conditions = NO_CONDITIONS,
    ) -> tuple[FloatArray, FloatArray]:
        """Return the people of some counties by what a key shows of them, and the bins hidden in each of these.

        Returns
        -------
        People, shape (counties, cells), and bins >= 1, shape (cells,). Whatever the key says of places, a row is
        a county.

        Raises
        ------
        InputError : the population lacks a column that the key needs.
        """
        people, kinds = self._kinds
        code, bins = seen_of_people(kinds, key, days_per_year=days_per_year, conditions=conditions)
        chosen_people = people if len(counties) == people.shape[1] else people[:, counties]
        if len(np.unique(code)) == len(code):
            return chosen_people.T, bins
        seen, first, cell = np.unique(code, return_index=True, return_inverse=True)
        add = sparse.csr_array((np.ones(len(code)), (cell, np.arange(len(code)))), shape=(len(seen), len(code)))
        return (add @ chosen_people).T, bins[first]

    def kinds_seen(
        self,
        key: Granularities,
        counties: IntArray,
        *,
        days_per_year: float = DAYS_PER_YEAR,
        conditions: Conditions = NO_CONDITIONS,
    ) -> tuple[FloatArray, IntArray, Population]:
        """Return the people of some counties by kind, and which cell of :meth:`seen` each kind is in.

        Returns
        -------
        People, shape (counties, kinds), the cell of each kind, shape (kinds,), and one cell of the population of each.
        """
        people, kinds = self._kinds
        code, _ = seen_of_people(kinds, key, days_per_year=days_per_year, conditions=conditions)
        seen, cell = np.unique(code, return_inverse=True)
        place = np.arange(len(code)) if len(seen) == len(code) else cell.reshape(-1)
        return (people if len(counties) == people.shape[1] else people[:, counties]).T, place, kinds
