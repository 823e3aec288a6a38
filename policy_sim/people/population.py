"""The cells of a population: their columns and codes, and the check of a table that a user brings."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol, TypeAlias

import numpy as np
import pandas as pd

from policy_sim.formulas.groups import AnyGroups
from policy_sim.formulas.histogram import number_combinations
from policy_sim.policies.policy import Conditions
from policy_sim.words.arguments import of_kind, several, whole_number
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray
from policy_sim.words.errors import InputError, SchemaError
from policy_sim.words.fields import Granularities
from policy_sim.words.states import unknown_state
from policy_sim.words.text import percent_words

SEXES = ("M", "F")
NOISY_CENSUS = 2020  # the census whose counts below the state carry noise
# The seven races of census tables PCT12A to PCT12G, in that order.
RACES = ("white", "black", "aian", "asian", "nhpi", "other", "multiple")

# Least and most of each number; no census knows a person of a thousand years or a cell of ten thousand million.
NUMBERS = {"people": (0, 10**10), "age": (0, 999), "age_width": (1, 1000)}

# Required columns, then optional ones. Text columns are categorical in memory.
COLUMNS = ("state", "age", "age_width", "people")
OPTIONAL_COLUMNS = ("county", "tract", "zip3", "zip5", "sex", "race")


def check_cells(cells: pd.DataFrame, where: str) -> pd.DataFrame:
    """Return the cells with text columns categorical, or say everything that is wrong with them."""
    problems: list[str] = []
    missing = [name for name in COLUMNS if name not in cells.columns]
    if missing:
        problems.append(
            f"columns {', '.join(missing)} are missing; a population needs {', '.join(COLUMNS)} "
            f"and may have {', '.join(OPTIONAL_COLUMNS)}."
        )
        raise SchemaError(where, problems)
    extra = [str(name) for name in cells.columns if name not in COLUMNS + OPTIONAL_COLUMNS]
    if extra:
        problems.append(f"columns {', '.join(extra)} are not allowed; drop or rename them.")
    cells = cells[[name for name in cells.columns if name in COLUMNS + OPTIONAL_COLUMNS]].copy()
    numbers = _numbers(cells)
    keys = [name for name in cells.columns if name != "people"]
    texts = [name for name in keys if name not in NUMBERS]
    problems += [*_wrong_numbers(numbers), *_wrong_texts(cells[texts])]
    for name in NUMBERS:
        if not _outside(name, numbers[name]).any():
            cells[name] = numbers[name].astype("int64")
    for name in texts:
        cells[name] = _category(cells[name])
    if "sex" in cells and (strange := set(cells["sex"].cat.categories) - set(SEXES)):
        problems.append(f"sex {sorted(map(str, strange))[0]!r} is not one of {', '.join(SEXES)}.")
    twice = cells.assign(**numbers[["age", "age_width"]]).duplicated(subset=keys)
    if twice.any():
        problems.append(
            f"{int(twice.sum())} cells appear twice, the first in row {int(twice.to_numpy().argmax()) + 1}; add them "
            f"up."
        )
    if not problems and not cells["people"].sum():
        problems.append("the population is empty: all counts are 0.")
    if problems:
        raise SchemaError(where, problems)
    return cells[cells["people"] > 0].reset_index(drop=True)


def _numbers(cells: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame({name: as_numbers(cells[name]) for name in NUMBERS})


def as_numbers(values: pd.Series) -> pd.Series:
    """Return people, ages or widths as numbers, missing where they are none; a date is no age.

    >>> as_numbers(pd.Series([2, "3", "many", 10**400], dtype=object)).tolist()
    [2.0, 3.0, nan, nan]
    """
    if values.dtype.kind in "bmM":
        return pd.Series(np.nan, values.index)
    values = values.astype(object)
    try:
        return pd.to_numeric(values, errors="coerce").astype("float64")
    except OverflowError:  # a whole number that no float holds
        fitting = [None if isinstance(value, int) and abs(value) > sys.float_info.max else value for value in values]
        return pd.to_numeric(pd.Series(fitting, values.index, dtype=object), errors="coerce").astype("float64")


def _outside(name: str, values: pd.Series) -> pd.Series:
    return ~values.between(*NUMBERS[name]) | (values % 1 != 0)


def _wrong_numbers(numbers: pd.DataFrame) -> list[str]:
    problems = []
    for name, (least, most) in NUMBERS.items():
        wrong = _outside(name, numbers[name])
        if wrong.any():
            problems.append(
                f"{int(wrong.sum())} rows have {name} that is not a whole number of {least} or more "
                f"(at most {most:,}), the first in row {int(wrong.to_numpy().argmax()) + 1}."
            )
    return problems


def _wrong_texts(texts: pd.DataFrame) -> list[str]:
    problems = []
    for name, values in texts.items():
        if values.isna().any():
            problems.append(f"{int(values.isna().sum())} rows have no {name}.")
        raw_texts = pd.Series(values.cat.categories) if isinstance(values.dtype, pd.CategoricalDtype) else values
        if pd.api.types.infer_dtype(raw_texts, skipna=True) not in ("string", "empty"):
            problems.append(f"{name} is not text. Write codes as text, so that 01001 keeps its leading zero.")
        elif len(blank := sorted({text for text in raw_texts.dropna().unique() if text != text.strip()})):
            problems.append(
                f"{name} {blank[0]!r} begins or ends with a blank, and would be another {name} than without."
            )
    return problems


def _category(values: pd.Series) -> pd.Series:
    """Return the values as categories; what cannot be one, such as a list, becomes its own text."""
    try:
        return values.astype("category")
    except TypeError:
        return values.astype(str).astype("category")


# A population: people counted by place, sex, age and race, with where the figures come from.


# Of so many states, a note names the share counted in each.
_FEW_STATES = 4
_OLDEST = 1_000  # years


@dataclass(frozen=True)
class Provenance:
    """Where a population comes from; every output carries it.

    Shares are of people, 0 to 1, and add up to 1: *counted* in a cell by a census, *estimated* by a
    statistical office, *modeled* by a fit of ours. ``counted_by_state`` holds pairs of a state (postal code) and the
    share of its people who are counted, where that is known by state; ``counted_ages`` the states in which single
    years of age are counted with race too, so that nothing there is modeled.
    """

    name: str
    title: str
    publisher: str
    date: str
    how: str
    counted: float
    estimated: float
    modeled: float
    sources: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    sha256: str = ""
    counted_by_state: tuple[tuple[str, float], ...] = ()
    counted_ages: tuple[str, ...] = ()

    @property
    def day(self) -> dt.date | None:
        """The day on which people were counted, if ``date`` is a whole date."""
        try:
            return dt.date.fromisoformat(self.date)
        except ValueError:
            return None

    def describe(self, states: Sequence[str] = ()) -> str:
        """Say in one line which population this is and how sure it is, also in a few ``states`` (postal codes)."""
        shares_of = {"counted": self.counted, "estimated": self.estimated, "modeled": self.modeled}
        parts = [f"{percent_words(share)} {word}" for word, share in shares_of.items() if share]
        by_state = dict(self.counted_by_state)
        shares = [f"{percent_words(by_state[state])} in {state}" for state in states if state in by_state]
        of_states = f" ({', '.join(shares)} counted)" if 0 < len(shares) <= _FEW_STATES else ""
        return f"{self.name}: {self.title}; {', '.join(parts) or 'counted or estimated is not stated'}{of_states}"


@dataclass(frozen=True, eq=False)
class Population:
    """People by cell.

    ``cells`` has one row per non-empty cell, with the columns ``state`` (postal code), ``age`` (lower
    bound, years), ``age_width`` (years the class holds; 1 for single years and for 110 and over) and
    ``people`` (whole, > 0), and where known ``county`` (five-digit FIPS code), ``sex`` (M, F),
    ``race`` (:data:`~policy_sim.people.population.RACES`) and finer places. Text columns are categorical.

    Examples
    --------
    >>> from policy_sim import Study
    >>> people = Study("us-2010").people
    >>> people.name, people.people, "county" in people.columns
    ('us-2010', 308745538, True)
    """

    cells: pd.DataFrame = field(repr=False)
    provenance: Provenance

    def __post_init__(self) -> None:
        cells = of_kind("cells", self.cells, pd.DataFrame, "a table, as check_cells returns it")
        of_kind("provenance", self.provenance, Provenance, "a Provenance")
        if any(name not in cells for name in COLUMNS) or not isinstance(cells["state"].dtype, pd.CategoricalDtype):
            raise InputError("cells: give a table as check_cells returns it, so that every cell is checked.")

    @property
    def name(self) -> str:
        """The name by which the population is called, such as ``us-2020``."""
        return self.provenance.name

    @property
    def states(self) -> tuple[str, ...]:
        """The states that have people here, sorted."""
        return tuple(sorted(self._people_by_state))

    @property
    def columns(self) -> tuple[str, ...]:
        """What the cells distinguish."""
        return tuple(str(name) for name in self.cells.columns)

    @property
    def people(self) -> int:
        """Everyone."""
        return int(self.cells["people"].sum())

    def people_by_state(self) -> dict[str, int]:
        """People of each state.

        Returns
        -------
        People by postal code.

        Examples
        --------
        >>> from policy_sim import Study
        >>> Study("us-2010").people.people_by_state()["DE"]
        897934
        """
        return dict(self._people_by_state)

    @cached_property
    def _people_by_state(self) -> dict[str, int]:
        return _sums_by_state(self.cells, self.cells["people"].to_numpy())

    def counties_by_state(self) -> dict[str, int]:
        """Number of counties with people in each state; empty where the population has no counties.

        Returns
        -------
        Counties by postal code.

        Examples
        --------
        >>> from policy_sim import Study
        >>> Study("us-2010").people.counties_by_state()["DE"]
        3
        """
        if "county" not in self.cells:
            return {}
        state, county = self.cells["state"].cat, self.cells["county"].cat
        many = len(county.categories)
        pairs = np.bincount(state.codes.to_numpy().astype(np.int64) * many + county.codes.to_numpy(), minlength=many)
        numbers = np.bincount(np.flatnonzero(pairs) // many, minlength=len(state.categories))
        return {str(name): int(number) for name, number in zip(state.categories, numbers, strict=True) if number}

    def of_age(self, least_age: int, most_age: int | None = None) -> Population:
        """Return the part that is ``least_age`` years old or older, and at most ``most_age``; made once.

        A cell counts by its lower age: one that reaches over the lower limit from below stays out.

        Parameters
        ----------
        least_age, most_age : Years, 0 to 1,000; ``most_age`` is None where there is no upper limit.

        Returns
        -------
        The part of the population.

        Raises
        ------
        InputError : not a whole number of years.

        Examples
        --------
        >>> from policy_sim import Study
        >>> Study("us-2010").people.in_states(["DE"]).of_age(18).people
        692169
        """
        ages = (
            whole_number("least_age", least_age, 0, _OLDEST),
            None if most_age is None else whole_number("most_age", most_age, 0, _OLDEST),
        )
        if ages not in self._by_age:
            self._by_age[ages] = _PeopleOfAge(self, *ages)
        return self._by_age[ages]

    @cached_property
    def _by_age(self) -> dict[tuple[int, int | None], Population]:
        """The parts of some ages that were made."""
        return {}

    def in_states(self, states: Sequence[str]) -> Population:
        """Return the part that lives in the named states (postal codes); made once.

        Parameters
        ----------
        states : Postal codes; one or several.

        Returns
        -------
        A population; itself, where every state is named.

        Raises
        ------
        UnknownNameError : a state without people in this population.
        InputError : not postal codes.

        Examples
        --------
        >>> from policy_sim import Study
        >>> Study("us-2010").people.in_states(["DE"]).people
        897934
        """
        states = several("states", states, str, "['OH', 'TX']")
        check_states(self, states)
        names = frozenset(states)
        if names == set(self.states):
            return self
        if names not in self._in_states:
            cells = self.cells[self.cells["state"].isin(list(names))].reset_index(drop=True)
            self._in_states[names] = Population(cells, self.provenance)
        return self._in_states[names]

    @cached_property
    def _in_states(self) -> dict[frozenset[str], Population]:
        """The parts of some states that were made."""
        return {}

    @cached_property
    def by_county(self) -> CountyTable | None:
        """The people as a table by county; None where they are counted by another place, or for few of its cells."""
        return CountyTable.of(self)

    @property
    def is_laid_out(self) -> bool:
        """Whether :attr:`by_county` was asked for, so that a few states take no more time than their part would."""
        return "by_county" in self.__dict__


class _PeopleOfAge(Population):
    """The people of some ages: their cells are picked when somebody asks for them."""

    _whole: Population
    _ages: tuple[int, int | None]

    def __init__(self, whole: Population, least_age: int, most_age: int | None) -> None:
        self.__dict__.update(provenance=whole.provenance, _whole=whole, _ages=(least_age, most_age))

    @cached_property
    def cells(self) -> pd.DataFrame:
        return _of_age(self._whole.cells, *self._ages)

    @cached_property
    def _people_by_state(self) -> dict[str, int]:
        cells = self._whole.cells
        return _sums_by_state(cells, np.where(_in_ages(cells, *self._ages), cells["people"], 0))

    @cached_property
    def by_county(self) -> CountyTable | None:
        table = self._whole.by_county
        return table and table.of_age(*self._ages)

    @property
    def is_laid_out(self) -> bool:
        return self._whole.is_laid_out

    def in_states(self, states: Sequence[str]) -> Population:
        return self._whole.in_states(states).of_age(*self._ages)


def _in_ages(cells: pd.DataFrame, least_age: int, most_age: int | None) -> BoolArray:
    age = cells["age"].to_numpy()
    return age >= least_age if most_age is None else (age >= least_age) & (age <= most_age)


def _of_age(cells: pd.DataFrame, least_age: int, most_age: int | None) -> pd.DataFrame:
    return cells[_in_ages(cells, least_age, most_age)].reset_index(drop=True)


def _sums_by_state(cells: pd.DataFrame, people: IntArray) -> dict[str, int]:
    column = cells["state"].cat
    sums = np.bincount(column.codes, weights=people, minlength=len(column.categories))
    return {str(state): int(number) for state, number in zip(column.categories, sums, strict=True) if number}


class PeopleElsewhere(Protocol):
    """Counted people who answer sums and groups, and keep their cells where they are.

    Every method means what its namesake does for a :class:`~policy_sim.people.population.Population`.
    """

    @property
    def name(self) -> str:
        """By which the population is called."""

    @property
    def provenance(self) -> Provenance:
        """Where it comes from."""

    @property
    def states(self) -> tuple[str, ...]:
        """The states that have people here, sorted."""

    @property
    def columns(self) -> tuple[str, ...]:
        """What the cells distinguish."""

    def people_by_state(self) -> dict[str, int]:
        """People of each state."""

    def counties_by_state(self) -> dict[str, int]:
        """Number of counties with people in each state."""

    def of_age(self, least_age: int, most_age: int | None = None) -> PeopleElsewhere:
        """Return those of ``least_age`` years up to ``most_age``, as ``people_of_age`` of ``population.merge`` does."""

    def merge(
        self, key: Granularities, states: Sequence[str] | None, *, days_per_year: float, conditions: Conditions
    ) -> AnyGroups:
        """Return the groups of a linkage key (:func:`policy_sim.people.merge.merge`)."""


AnyPopulation: TypeAlias = Population | PeopleElsewhere


def check_states(population: AnyPopulation, states: Sequence[str]) -> None:
    """Refuse states (postal codes) that a population lacks: the one door for every question."""
    held = population.states
    for state in states:
        if state not in held:
            raise unknown_state(f"state in population {population.name}:", state, held)


def in_memory(population: AnyPopulation) -> Population:
    """Return a population whose cells are available."""
    if isinstance(population, Population):
        return population
    raise InputError(
        f"population {population.name} is merged by an engine, which answers compare, trust, cost and curve only: "
        f"use no engine, and its cells are read into memory."
    )


# The people of every county as one table: a row per kind of person, a column per county.
#
# A kind of person is a combination of sex, race and age that the cells distinguish: some 1,400 in the census. What a
# linkage key shows of a person is a property of the kind, so that a table by key is the sum of some rows: the cells
# themselves are read once, however many keys are asked for.


_FINER_PLACES = ("tract", "zip3", "zip5")
_PLACES_PER_CELL = 4  # a table with more places than this for each cell would be nearly empty
_SMALL_TABLE = 8_000_000  # places: 64 megabytes


@dataclass(frozen=True, eq=False)
class CountyTable:
    """People by kind and county.

    Attributes
    ----------
    people : Persons, shape (kinds, counties).
    kinds : One cell of each kind.
    states : The code of each county's state, or -1 for a county without people.
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
        texts = [name for name in cells if name not in (*COLUMNS, "county")]
        codes = [cells[name].cat.codes.to_numpy() for name in texts]
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
        held = _in_ages(self.kinds.cells, least_age, most_age)
        kinds = Population(_of_age(self.kinds.cells, least_age, most_age), self.kinds.provenance)
        return CountyTable(self.people[held], kinds, self.states)

    def units(self, states: Sequence[str]) -> IntArray:
        """Return for each county the position of its state among ``states``, or -1; shape (counties,)."""
        position = {state: unit for unit, state in enumerate(states)}
        names = self.kinds.cells["state"].cat.categories
        by_code = np.array([*(position.get(str(name), -1) for name in names), -1], dtype=np.int64)
        return by_code[self.states]


# A population as one dense table: people by county, sex, race and age class.
#
# Cells are few enough to stand side by side: 3,143 counties, two sexes, seven races and some hundred age classes. Every
# key without a finer place is a sum over parts of this table. Each combination has its place here, also one that nobody
# has: a reader that knows the order needs no codes. :class:`CountyTable` has a row per combination that occurs.


@dataclass(frozen=True, eq=False)
class PeopleTable:
    """People by county, sex, race and age class.

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
    def of(cls, population: Population) -> PeopleTable:
        """Lay the cells of a population side by side.

        Examples
        --------
        >>> import pandas as pd
        >>> from policy_sim.people.population import check_cells
        >>> from policy_sim.people.population import Provenance
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
