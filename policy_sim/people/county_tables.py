"""A population as a table by county: what every linkage key without a finer place adds up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from policy_sim.formulas.histogram import number_combinations
from policy_sim.people.population import COLUMNS, RACES, SEXES, Population, ages_between
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.errors import InputError

_FINER_PLACES = ("tract", "zip3", "zip5")
_PLACES_PER_CELL = 4  # a table with more places than this for each cell would be nearly empty
_SMALL_TABLE = 10_000_000  # places: 80 megabytes, the counties of the nation by sex, race, ethnicity and year of age


@dataclass(frozen=True, eq=False)
class CountyTable:
    """People by kind (a combination of sex, race and age that the cells distinguish: some 1,400) and county.

    What a linkage key shows of a person is a property of the kind, so that a table by key is the sum of some rows: the
    cells themselves are read once, however many keys are asked for.

    ``people``: persons, shape (kinds, counties). ``kinds``: one cell of each kind. ``states``: the code of each
    county's state, or -1 for a county without people.
    """

    people: FloatArray
    kinds: Population
    states: IntArray

    @classmethod
    def of(cls, population: Population) -> CountyTable | None:
        """Return the table of a population's counties.

        None where cells have finer places, where counties of two states have one name, or where most of the table
        would be empty.
        """
        cells = population.cells
        if "county" not in cells or any(name in cells for name in _FINER_PLACES):
            return None
        codes = [cells[name].cat.codes.to_numpy() for name in cells if name not in (*COLUMNS, "county")]
        codes += [cells[name].to_numpy() for name in ("age", "age_width")]
        kind = number_combinations(codes)
        cell = np.full(int(kind.max(initial=0)) + 1, -1)
        cell[kind] = np.arange(len(kind))
        held = np.flatnonzero(cell >= 0)
        county, counties = cells["county"].cat.codes.to_numpy(), len(cells["county"].cat.categories)
        state, states = cells["state"].cat.codes.to_numpy(), np.full(counties, -1)
        states[county] = state
        too_large = len(held) * counties > max(_PLACES_PER_CELL * len(cells), _SMALL_TABLE)
        if too_large or (states[county] != state).any():
            return None
        first = np.zeros(len(cell), dtype=np.int64)
        first[held] = np.arange(len(held)) * counties
        place = first[kind]
        place += county
        people = np.bincount(place, weights=cells["people"].to_numpy(), minlength=len(held) * counties)
        kinds = Population(cells.take(cell[held]).reset_index(drop=True), population.provenance)
        return cls(people.reshape(len(held), counties).astype(np.float64, copy=False), kinds, states)

    def of_age(self, least_age: int, most_age: int | None) -> CountyTable:
        """Return the kinds of some ages."""
        held = ages_between(self.kinds.cells, least_age, most_age)
        return CountyTable(self.people[held], self.kinds.of_cells(held), self.states)

    def units(self, states: Sequence[str]) -> IntArray:
        """Return for each county the position of its state among ``states``, or -1; shape (counties,)."""
        position = {state: unit for unit, state in enumerate(states)}
        names = self.kinds.cells["state"].cat.categories
        by_code = np.array([*(position.get(str(name), -1) for name in names), -1], dtype=np.int64)
        return by_code[self.states]

    def names(self, counties: IntArray) -> list[str]:
        """Return the codes of some counties."""
        names: list[str] = self.kinds.cells["county"].cat.categories[counties].astype(str).tolist()
        return names


@dataclass(frozen=True, eq=False)
class PeopleTable:
    """People by county, sex, race and age class; a combination that nobody has has its place too.

    Attributes
    ----------
    counties : Five-digit FIPS code of each county, sorted.
    states : Postal code of each county's state.
    ages : Lower bound (years) and width (years) of each age class, sorted.
    people : Persons, shape (counties, 2 sexes, 7 races, age classes); the order of sexes and races is that of
        :data:`~policy_sim.people.population.SEXES` and :data:`~policy_sim.people.population.RACES`.
    """

    counties: tuple[str, ...]
    states: tuple[str, ...]
    ages: tuple[tuple[int, int], ...]
    people: IntArray

    @classmethod
    def of(cls, population: Population, people: IntArray | None = None) -> PeopleTable:
        """Lay the cells of a population side by side; ``people``: those of each cell who count, None for all.

        >>> import pandas as pd
        >>> from policy_sim.people.population import Population, Provenance, check_cells
        >>> cells = {"state": ["DE"], "county": ["10001"], "sex": ["F"], "race": ["asian"]}
        >>> cells |= {"age": [30], "age_width": [1], "people": [7]}
        >>> facts = Provenance("one", "One cell", "us", "2020", "by hand", 1, 0, 0)
        >>> table = PeopleTable.of(Population(check_cells(pd.DataFrame(cells), "here"), facts))
        >>> table.people[0, 1, 3].tolist(), table.states
        ([7], ('DE',))
        """
        cells = population.cells
        missing = [name for name in ("county", "sex", "race") if name not in cells]
        if missing:
            raise InputError(f"population {population.name} has no {', '.join(missing)}: choose one that has.")
        finer = [name for name in _FINER_PLACES if name in cells]
        if finer:
            raise InputError(f"population {population.name} is by {finer[0]}: choose one by county.")
        counties = tuple(sorted(cells["county"].cat.remove_unused_categories().cat.categories.astype(str)))
        county, sex, race = (
            _codes(cells[name], words) for name, words in (("county", counties), ("sex", SEXES), ("race", RACES))
        )
        state = np.zeros(len(counties), dtype=np.int64)
        state[county] = cells["state"].cat.codes
        wide = int(cells["age_width"].max()) + 1
        classes, age = np.unique((cells["age"] * wide + cells["age_width"]).to_numpy(), return_inverse=True)
        shape = (len(counties), len(SEXES), len(RACES), len(classes))
        place = np.ravel_multi_index((county, sex, race, age), shape)
        counted = cells["people"] if people is None else people
        people = np.bincount(place, weights=counted, minlength=int(np.prod(shape))).astype(np.int64)
        names = cells["state"].cat.categories.astype(str)
        ages = tuple(divmod(int(age_class), wide) for age_class in classes)
        return cls(counties, tuple(names[state]), ages, people.reshape(shape))


def _codes(column: pd.Series, words: Sequence[str]) -> IntArray:
    """Return the place of each value among the words; -1 never occurs, the values are known to be words."""
    of_category = pd.Index(words).get_indexer(column.cat.categories.astype(str))
    return of_category[column.cat.codes].astype(np.int64)
