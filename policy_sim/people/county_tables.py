"""People by county: a table that every linkage key without a finer place adds up, and who of them is on a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import RLock
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from policy_sim.formulas.histogram import different, number_combinations
from policy_sim.people.population import COLUMNS, ETHNICITIES, RACES, SEXES, Population, ages_between
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.errors import InputError

YEARS_OF_AGE: Final = 120  # 0 to 119
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
        """Return the table of a population's counties, by ethnicity where that is what the population is by.

        None where cells have finer places, where counties of two states have one name, or where most of the table
        would be empty.
        """
        whole = population.without_ethnicity
        cells = whole.cells
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
        columns = [cells["people"].to_numpy()] if whole is population else list(whole.by_origin.T)
        filled = sum(int(np.count_nonzero(people)) for people in columns)
        too_large = len(columns) * len(held) * counties > max(_PLACES_PER_CELL * filled, _SMALL_TABLE)
        if too_large or (states[county] != state).any():
            return None
        first = np.zeros(len(cell), dtype=np.int64)
        first[held] = np.arange(len(held)) * counties
        place = first[kind]
        place += county
        tables = [
            np.bincount(place, weights=people, minlength=len(held) * counties).reshape(-1, counties)
            for people in columns
        ]
        kinds = cells.take(cell[held]).reset_index(drop=True)
        if whole is population:
            return cls(tables[0].astype(np.float64, copy=False), Population(kinds, whole.provenance), states)
        people = np.stack(tables, axis=1).reshape(-1, counties).astype(np.float64, copy=False)
        some = np.flatnonzero(people.any(axis=1))
        kinds = kinds.take(np.repeat(np.arange(len(kinds)), len(columns))).reset_index(drop=True)
        kinds["ethnicity"] = pd.Categorical.from_codes(np.resize([0, 1], len(kinds)), pd.Index(ETHNICITIES))
        return cls(people[some], Population(kinds.take(some).reset_index(drop=True), whole.provenance), states)

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


def county_table(population: Population) -> CountyTable | None:
    """Return the people as a table by county, made once; None by another place, or if most is empty."""
    with _ONE_AT_A_TIME:  # two keys are measured at once
        if population not in _TABLES:
            part = population.part_of
            whole = county_table(part[0]) if part else CountyTable.of(population)
            _TABLES[population] = whole.of_age(*part[1:]) if part and whole else whole
        return _TABLES[population]


def is_laid_out(population: Population) -> bool:
    """Whether the table of everyone was made, so that a few states take no more time than their part would."""
    return (population.part_of[0] if population.part_of else population) in _TABLES


_TABLES: WeakKeyDictionary[Population, CountyTable | None] = WeakKeyDictionary()
_ONE_AT_A_TIME = RLock()


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


# Who is on a list: with what chance, by county and age, and how many records of it are stale.


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
