"""A population as one dense table: people by county, sex, race and age class.

Cells are few enough to stand side by side: 3,143 counties, two sexes, seven races and some hundred age classes.
Every key without a finer place is a sum over parts of this table. Each combination has its place here, also one that
nobody has: a reader that knows the order needs no codes. :class:`~policy_sim.population.county_table.CountyTable` has a
column per combination that occurs, and adds up columns by a linkage key.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from policy_sim.arrays import IntArray
from policy_sim.errors import InputError
from policy_sim.population.cells import RACES, SEXES
from policy_sim.population.population import Population

__all__ = ["PeopleTable"]


@dataclass(frozen=True, eq=False)
class PeopleTable:
    """People by county, sex, race and age class.

    Attributes
    ----------
    counties : Five-digit FIPS code of each county, sorted.
    states : Postal code of each county's state.
    ages : Lower bound (years) and width (years) of each age class, sorted.
    people : Persons, shape (counties, 2 sexes, 7 races, age classes); the order of sexes and races is that of
        :data:`~policy_sim.population.cells.SEXES` and :data:`~policy_sim.population.cells.RACES`.
    """

    counties: tuple[str, ...]
    states: tuple[str, ...]
    ages: tuple[tuple[int, int], ...]
    people: IntArray

    @classmethod
    def of(cls, population: Population) -> PeopleTable:
        """Lay the cells of a population side by side.

        Raises
        ------
        InputError : the population lacks county, sex or race.

        Examples
        --------
        >>> import pandas as pd
        >>> from policy_sim.population.cells import check_cells
        >>> from policy_sim.population.population import Provenance
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
        finer = [name for name in ("tract", "zip3", "zip5") if name in cells]
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
        people = np.bincount(place, weights=cells["people"], minlength=int(np.prod(shape))).astype(np.int64)
        names = cells["state"].cat.categories.astype(str)
        ages = tuple(divmod(int(age_class), wide) for age_class in classes)
        return cls(counties, tuple(names[state]), ages, people.reshape(shape))


def _codes(column: pd.Series, words: Sequence[str]) -> IntArray:
    """Return the place of each value among the words; -1 never occurs, the values are known to be words."""
    of_category = pd.Index(words).get_indexer(column.cat.categories.astype(str))
    return of_category[column.cat.codes].astype(np.int64)
