"""People by county: a table that every linkage key without a finer place adds up, and who of them is on a list."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import RLock
from typing import Any, Final, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.formulas.histogram import different, number_combinations
from policy_sim.people.population import COLUMNS, ETHNICITIES, RACES, SEXES, Population, Provenance, ages_between
from policy_sim.words.arrays import BoolArray, Counts, FloatArray, IntArray
from policy_sim.words.errors import InputError
from policy_sim.words.states import POSTAL_OF_FIPS

YEARS_OF_AGE: Final = 120  # 0 to 119
# Codes of the values of each cell and what they stand for; or numbers, which stand for themselves.
Column: TypeAlias = "tuple[NDArray[np.integer], Sequence[str]]"
_FINER_PLACES = ("tract", "zip3", "zip5")
_PLACES_PER_CELL = 4  # a table with more places than this for each cell would be nearly empty
_SMALL_TABLE = 10_000_000  # places: 80 megabytes, the counties of the nation by sex, race, ethnicity and year of age


@dataclass(frozen=True, eq=False)
class CountyTable:
    """People by kind (a combination of sex, race and age that the cells distinguish: some 1,400) and county.

    What a linkage key shows of a person is a property of the kind, so that a table by key is the sum of some rows: the
    cells themselves are read once, however many keys are asked for.

    ``people``: whole persons, shape (kinds, counties); sorted by age where a file has them so. ``kinds``: one cell
    of each kind. ``states``: the code of each county's state, or -1 for a county without people.
    """

    people: Counts
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

    @classmethod
    def of_columns(
        cls, column: Callable[[str], Column], provenance: Provenance, hispanic: Callable[[], IntArray] | None
    ) -> tuple[CountyTable, CountyTable | None]:
        """Return the table of a file, which has each cell once and those of a county together, and by ethnicity.

        ``column``: reads one; they are read one after the other, which takes little memory. ``hispanic``: reads how
        many people of each cell are Hispanic; None: there is no table by ethnicity.
        """
        county, counties = column("county")
        kind, seen, many = np.zeros(len(county), dtype=np.int32), {}, 1
        for name in ("age", "sex", "race"):  # ages first: the kinds of some ages are a slice
            codes, labels = column(name)
            seen[name] = labels, len(labels) or int(codes.max(initial=0)) + 1
            many *= seen[name][1]
            kind *= np.int32(seen[name][1])
            kind += codes
            if name == "age":  # no age of a shipped population is in two classes
                width = np.zeros(seen["age"][1], dtype=np.int64)
                width[codes] = column("age_width")[0]
        first = np.append(0, np.flatnonzero(county[1:] != county[:-1]) + 1)  # cells of a county follow each other
        states, state = np.full(len(counties), -1), np.array([code[:2] for code in counties])
        names, states[county[first]] = np.unique(state[county[first]], return_inverse=True)
        held = np.flatnonzero(np.bincount(kind, minlength=many))
        begin = np.zeros(many, dtype=np.int32)
        begin[held] = np.arange(len(held), dtype=np.int32) * np.int32(len(counties))
        begin = begin[kind]
        place = begin + county
        del kind
        people = np.zeros((len(held), len(counties)), dtype=np.int32)
        people.reshape(-1)[place] = column("people")[0]
        of_kind = {
            name: pd.Categorical.from_codes(np.zeros(len(held), dtype=np.int64), pd.Index(labels))
            for name, labels in (("state", [POSTAL_OF_FIPS[name] for name in names]), ("county", counties))
        }
        frame = pd.DataFrame(_columns_of(held, seen) | of_kind | {"people": np.ones(len(held), dtype=np.int64)})
        frame["age_width"] = width[frame["age"]]
        by_kind = cls(people, Population(frame, provenance), states)
        if hispanic is None:
            return by_kind, None
        of_origin = np.zeros((len(held), len(ETHNICITIES), len(counties)), dtype=np.int32)
        place += begin  # a kind has two rows
        del begin
        of_origin.reshape(-1)[place] = hispanic()
        del place
        np.subtract(people, of_origin[:, 0], out=of_origin[:, 1])
        return by_kind, by_kind._by_origin(of_origin)

    def _by_origin(self, people: NDArray[np.int32]) -> CountyTable:
        """Return the table by ethnicity; ``people``: shape (kinds, ethnicities, counties)."""
        kind, origin = np.nonzero(people.any(axis=2))
        rows = people.reshape(-1, people.shape[2])
        for place, row in enumerate((kind * people.shape[1] + origin).tolist()):  # in place: a copy takes as much again
            rows[place] = rows[row]
        frame = self.kinds.cells.take(kind).reset_index(drop=True)
        frame["ethnicity"] = pd.Categorical.from_codes(origin, pd.Index(ETHNICITIES))
        return CountyTable(rows[: len(kind)], Population(frame, self.kinds.provenance), self.states)

    @property
    def counties(self) -> pd.Index[str]:
        """The codes of the counties, in the order of the columns."""
        codes: pd.Index[str] = pd.Index(self.kinds.cells["county"].cat.categories.astype(str))
        return codes

    def by_state(self) -> dict[str, tuple[int, int]]:
        """Return how many people, and how many counties with people, each state has that has any."""
        people = self.people.sum(axis=0, dtype=np.int64)
        names, held = self.kinds.cells["state"].cat.categories, people > 0
        sums, counties = (np.bincount(self.states[held], of, len(names)) for of in (people[held], None))
        found = zip(names, sums, counties, strict=True)
        return {str(name): (int(whole), int(many)) for name, whole, many in found if many}

    def of_age(self, least_age: int, most_age: int | None) -> CountyTable:
        """Return the kinds of some ages."""
        held = ages_between(self.kinds.cells, least_age, most_age)
        rows = np.flatnonzero(held)
        if len(rows) and rows[-1] - rows[0] == len(rows) - 1:  # sorted by age, a part takes no memory
            return CountyTable(self.people[rows[0] : rows[-1] + 1], self.kinds.of_cells(held), self.states)
        return CountyTable(self.people[held], self.kinds.of_cells(held), self.states)

    def of_kinds(self, held: BoolArray, counted: BoolArray | None = None) -> CountyTable:
        """Return some kinds of people; of those that are not counted there is nobody. Both of shape (kinds,)."""
        people = self.people[held]
        if counted is not None:
            people[~counted[held]] = 0
        return CountyTable(people, self.kinds.of_cells(held), self.states)

    def of_states(self, names: Sequence[str]) -> CountyTable:
        """Return the counties of some states, and the kinds that live there."""
        held = np.flatnonzero(self.units(names) >= 0)
        people = self.people.take(held, axis=1)
        some = np.flatnonzero(people.any(axis=1))
        kinds = self.kinds.cells.take(some).reset_index(drop=True)
        kinds["county"] = pd.Categorical.from_codes(np.zeros(len(kinds), dtype=np.int64), self.counties[held])
        return CountyTable(people[some], Population(kinds, self.kinds.provenance), self.states[held])

    def as_cells(self) -> pd.DataFrame:
        """Return the cells with people as files have them: county by county, by sex, race and age."""
        kinds, names = self.kinds.cells, self.kinds.cells["state"].cat.categories
        order = np.lexsort([kinds["age"], kinds["race"].cat.codes, kinds["sex"].cat.codes])
        county, kind = np.nonzero(self.people[order].T)
        cells = kinds.take(order[kind]).reset_index(drop=True)
        cells["state"] = pd.Categorical.from_codes(self.states[county], names).reorder_categories(sorted(names))
        cells["county"] = pd.Categorical.from_codes(county, self.counties)
        cells["people"] = self.people[order[kind], county].astype(np.int64)
        return cells[["state", "county", "sex", "age", "age_width", "race", "people"]]

    def units(self, states: Sequence[str]) -> IntArray:
        """Return for each county the position of its state among ``states``, or -1; shape (counties,)."""
        position = {state: unit for unit, state in enumerate(states)}
        names = self.kinds.cells["state"].cat.categories
        by_code = np.array([*(position.get(str(name), -1) for name in names), -1], dtype=np.int64)
        return by_code[self.states]

    def in_counties(self, counties: Sequence[int] | IntArray) -> FloatArray:
        """Return the people of some counties; shape (kinds, some)."""
        return self.people.take(counties, axis=1).astype(np.float64, copy=False)

    def names(self, counties: IntArray) -> list[str]:
        """Return the codes of some counties."""
        names: list[str] = self.kinds.cells["county"].cat.categories[counties].astype(str).tolist()
        return names


def _columns_of(kind: IntArray, seen: Mapping[str, tuple[Sequence[str], int]]) -> dict[str, Any]:
    """Return the columns whose values, each with its labels or none and how many there are, kinds are numbered by."""
    columns: dict[str, Any] = {}
    for name, (labels, many) in reversed(list(seen.items())):
        kind, code = np.divmod(kind, many)
        columns[name] = pd.Categorical.from_codes(code, pd.Index(labels)) if labels else code
    return columns


def county_table(population: Population) -> CountyTable | None:
    """Return the people as a table by county, made once; None by another place, or if most is empty."""
    with _ONE_AT_A_TIME:  # threads may ask for the same table
        if population not in _TABLES and population.laid_out is not None:
            return population.laid_out
        if population not in _TABLES:
            part = population.part_of
            whole = county_table(part[0]) if part else CountyTable.of(population)
            _TABLES[population] = whole.of_age(*part[1:]) if part and whole else whole
        return _TABLES[population]


def is_laid_out(population: Population) -> bool:
    """Whether the table of everyone was made, so that a few states take no more time than their part would."""
    return population.laid_out is not None or (population.part_of[0] if population.part_of else population) in _TABLES


def added_up(people: Counts, cell: IntArray, many: int) -> FloatArray:
    """Return the sums of some rows by the cell of each; shape (many, columns)."""
    from scipy import sparse

    ones = np.ones(len(cell), dtype=people.dtype)
    sums = sparse.csr_array((ones, (cell, np.arange(len(cell)))), shape=(many, len(cell))) @ people
    return np.asarray(sums, dtype=np.float64)


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
        chance = np.ascontiguousarray(chance_by_year.T)[first]
        for number in np.flatnonzero(last - first > 1).tolist():
            chance[number] = chance_by_year[:, first[number] : last[number]].mean(axis=1)
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
        place, chance, stale = self._and_elsewhere
        rows = np.array([place.get(code, len(place)) for code in counties], dtype=np.int64)
        return chance[rows], stale[rows]

    @cached_property
    def _and_elsewhere(self) -> tuple[Mapping[str, int], FloatArray, FloatArray]:
        """The row of each county, and the chances and the stale records of each row; the last is for other counties."""
        place = {code: number for number, code in enumerate(self.county)}
        return place, np.vstack([self.chance, np.full(YEARS_OF_AGE, self.elsewhere)]), np.append(self.stale, 0.0)
