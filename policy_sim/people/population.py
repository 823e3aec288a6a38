"""The cells of a population: their columns and codes, and the check of a table that a user brings."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
import pandas as pd

from policy_sim.words.arguments import of_kind, several, whole_number
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray
from policy_sim.words.errors import InputError, SchemaError
from policy_sim.words.states import unknown_state
from policy_sim.words.text import percent_words

if TYPE_CHECKING:
    from policy_sim.formulas.groups import AnyGroups
    from policy_sim.people.county_tables import CountyTable
    from policy_sim.people.merge import MergeKey
    from policy_sim.people.zips import PeopleByZip

SEXES = ("M", "F")
NOISY_CENSUS = 2020  # the census whose counts below the state carry noise
# The seven races of census tables PCT12A to PCT12G, in that order.
RACES = ("white", "black", "aian", "asian", "nhpi", "other", "multiple")
ETHNICITIES = ("hispanic", "not_hispanic")  # of people of any race
# The columns of who people are, and the values of each in the order in which they are shown.
CATEGORIES: Mapping[str, tuple[str, ...]] = MappingProxyType({"sex": SEXES, "race": RACES, "ethnicity": ETHNICITIES})

# Least and most of each number; no census knows a person of a thousand years or a cell of ten thousand million.
NUMBERS = {"people": (0, 10**10), "age": (0, 999), "age_width": (1, 1000)}

# Required columns, then optional ones. Text columns are categorical in memory.
COLUMNS = ("state", "age", "age_width", "people")
OPTIONAL_COLUMNS = ("county", "tract", "zip3", "zip5", *CATEGORIES)
CLOSED = ("sex", "ethnicity")  # a census may count other races, but no other values of these


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
    numbers = pd.DataFrame({name: as_numbers(cells[name]) for name in NUMBERS})
    keys = [name for name in cells.columns if name != "people"]
    texts = [name for name in keys if name not in NUMBERS]
    problems += [*_wrong_numbers(numbers), *_wrong_texts(cells[texts])]
    for name in NUMBERS:
        if not _outside(name, numbers[name]).any():
            cells[name] = numbers[name].astype("int64")
    for name in texts:
        cells[name] = _category(cells[name])
    for name in CLOSED:
        if name in cells and (strange := set(cells[name].cat.categories) - set(CATEGORIES[name])):
            problems.append(f"{name} {sorted(map(str, strange))[0]!r} is not one of {', '.join(CATEGORIES[name])}.")
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
    years of age are counted with race too, so that nothing there is modeled. ``sha256`` and ``hispanic_sha256`` are
    checksums of the file of the cells and of that of the Hispanics in them, empty where there is no such file.
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
    hispanic_sha256: str = ""
    counted_by_state: tuple[tuple[str, float], ...] = ()
    counted_ages: tuple[str, ...] = ()

    @property
    def day(self) -> dt.date | None:
        """The day on which people were counted, if ``date`` is a whole date."""
        try:
            return dt.date.fromisoformat(self.date)
        except ValueError:
            return None

    def checksums(self, *, ethnicity: bool) -> dict[str, str]:
        """Return the sha256 of the file of the cells, and of that of the Hispanics where ``ethnicity`` is shown."""
        of_hispanics = {f"ethnicity {self.name}": self.hispanic_sha256} if ethnicity and self.hispanic_sha256 else {}
        return {f"population {self.name}": self.sha256, **of_hispanics}

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
    ``race`` (:data:`~policy_sim.people.population.RACES`), ``ethnicity``
    (:data:`~policy_sim.people.population.ETHNICITIES`) and finer places. Text columns are categorical.

    The cells of a shipped population add up over ethnicity, and ``hispanic`` reads how many people of each cell are
    Hispanic, aligned with the cells: most questions need no ethnicity, and take neither the time nor the memory of
    it. :attr:`with_ethnicity` has the cells by ethnicity.

    >>> from policy_sim import Study
    >>> people = Study("us-2010").people
    >>> people.name, people.people, "county" in people.columns
    ('us-2010', 308745538, True)
    """

    cells: pd.DataFrame = field(repr=False)
    provenance: Provenance
    hispanic: Callable[[], IntArray] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        cells = of_kind("cells", self.cells, pd.DataFrame, "a table, as check_cells returns it")
        of_kind("provenance", self.provenance, Provenance, "a Provenance")
        if self.hispanic is not None and not callable(self.hispanic):
            raise InputError("hispanic: give a function that returns the Hispanics of each cell, or None.")
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
        """What the cells distinguish, and ethnicity where it is read on demand."""
        return *map(str, self.cells.columns), *(["ethnicity"] if self.hispanic is not None else [])

    @cached_property
    def with_ethnicity(self) -> Population:
        """The same people in cells by ``ethnicity`` too; itself where they are so already, or where it is not known.

        Added up over ethnicity, the cells are those of this population.

        >>> from policy_sim import Study
        >>> cells = Study("us-2010").people.in_states(["DE"]).with_ethnicity.cells
        >>> cells.groupby("ethnicity", observed=True)["people"].sum().to_dict()
        {'hispanic': 73221, 'not_hispanic': 824713}
        """
        return self if self.hispanic is None else _PeopleByEthnicity(self)

    def of_cells(self, rows: BoolArray) -> Population:
        """Return the people of some cells; ``rows`` tells which, shape (cells,)."""
        hispanic = None if self.hispanic is None else lambda: self._hispanic[rows]
        return Population(self.cells[rows].reset_index(drop=True), self.provenance, hispanic)

    def _rows_of(self, states: Sequence[str]) -> BoolArray:
        return np.asarray(self.cells["state"].isin(list(states)))

    def _cells_of(self, states: Sequence[str]) -> pd.DataFrame:
        cells = self.cells[self._rows_of(states)].reset_index(drop=True)
        cells["county"] = cells["county"].cat.remove_unused_categories()
        return cells

    @cached_property
    def _hispanic(self) -> IntArray:
        """The Hispanics of each cell, read once for all parts."""
        assert self.hispanic is not None
        return self.hispanic()

    @property
    def by_origin(self) -> IntArray:
        """The Hispanics and the others of each cell; shape (cells, 2)."""
        return np.stack([self._hispanic, self.cells["people"].to_numpy(np.int64) - self._hispanic], axis=1)

    @property
    def people(self) -> int:
        """Everyone."""
        return sum(self._people_by_state.values())

    def people_by_state(self) -> dict[str, int]:
        """People of each state.

        >>> from policy_sim import Study
        >>> Study("us-2010").people.people_by_state()["DE"]
        897934
        """
        return dict(self._people_by_state)

    @cached_property
    def _people_by_state(self) -> dict[str, int]:
        if self.laid_out is not None:
            return {state: people for state, (people, _) in self._laid_out_by_state.items()}
        return _sums_by_state(self.cells, self.cells["people"].to_numpy())

    @cached_property
    def _laid_out_by_state(self) -> dict[str, tuple[int, int]]:
        return {} if self.laid_out is None else self.laid_out.by_state()

    @property
    def laid_out(self) -> CountyTable | None:
        """The people by kind and county, where they are read so and not as cells; None: lay the cells out."""
        return None

    @property
    def laid_out_by_origin(self) -> CountyTable | None:
        """The same of :attr:`with_ethnicity`."""
        return None

    @property
    def counties(self) -> pd.Index[str]:
        """The codes of the counties, in the order of :attr:`people_by_county`."""
        if self.laid_out is not None:
            return self.laid_out.counties
        codes: pd.Index[str] = pd.Index(self.cells["county"].cat.categories.astype(str))
        return codes

    @property
    def people_by_county(self) -> FloatArray:
        """The people of each county, 0 where it has none; shape (counties,)."""
        if self.laid_out is not None:
            return np.asarray(self.laid_out.people.sum(axis=0), dtype=np.float64)
        return sums_by(self.cells["county"], self.cells["people"].to_numpy())

    def counties_by_state(self) -> dict[str, int]:
        """Number of counties with people in each state; empty where the population has no counties.

        >>> from policy_sim import Study
        >>> Study("us-2010").people.counties_by_state()["DE"]
        3
        """
        if self.laid_out is not None:
            return {state: counties for state, (_, counties) in self._laid_out_by_state.items()}
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

        >>> from policy_sim import Study
        >>> Study("us-2010").people.in_states(["DE"]).people
        897934
        """
        states = several("states", states, str, "['OH', 'TX']")
        check_states(self, states)
        names = frozenset(states)
        if names == set(self.states):
            return self
        if names not in self._in_states and self.laid_out is not None:
            self._in_states[names] = _PeopleOfStates(self, tuple(sorted(names)))
        elif names not in self._in_states:
            part = self.of_cells(self.cells["state"].isin(list(names)).to_numpy())
            if "county" in part.cells:  # a table by county has room for each that is named here
                part.cells["county"] = part.cells["county"].cat.remove_unused_categories()
            self._in_states[names] = part
        return self._in_states[names]

    @cached_property
    def _in_states(self) -> dict[frozenset[str], Population]:
        return {}

    @property
    def part_of(self) -> tuple[Population, int, int | None] | None:
        """The population of which these are the people of some ages, and the ages; None where they are not."""
        return None

    @property
    def without_ethnicity(self) -> Population:
        """The population whose :attr:`with_ethnicity` this is; itself where it is none."""
        return self


class PeopleOnDemand(Population):
    """People whose cells are made when somebody asks for them."""

    def __new__(cls, *_: Any, **changes: Any) -> Any:
        """Return an ordinary population where every field is given, as ``dataclasses.replace`` does."""
        return Population(**changes) if changes else super().__new__(cls)


class _PeopleOfOthers(PeopleOnDemand):
    """People whose cells are made from those of another population, which has the same columns."""

    _whole: Population

    @property
    def columns(self) -> tuple[str, ...]:
        return self._whole.columns


class _PeopleOfStates(_PeopleOfOthers):
    """The people of some states of a laid out population: their cells are picked when somebody asks for them."""

    _names: tuple[str, ...]

    def __init__(self, whole: Population, names: tuple[str, ...]) -> None:
        self.__dict__.update(provenance=whole.provenance, _whole=whole, _names=names)
        self.__dict__["hispanic"] = None if whole.hispanic is None else lambda: whole._hispanic[whole._rows_of(names)]

    @cached_property
    def cells(self) -> pd.DataFrame:
        return self._whole._cells_of(self._names)

    @cached_property
    def laid_out(self) -> CountyTable | None:
        table = self._whole.laid_out
        return None if table is None else table.of_states(self._names)

    @cached_property
    def laid_out_by_origin(self) -> CountyTable | None:
        table = self._whole.laid_out_by_origin
        return None if table is None else table.of_states(self._names)


class _PeopleOfAge(_PeopleOfOthers):
    """The people of some ages: their cells are picked when somebody asks for them."""

    _ages: tuple[int, int | None]

    def __init__(self, whole: Population, least_age: int, most_age: int | None) -> None:
        ages = (least_age, most_age)

        def hispanic() -> IntArray:
            return whole._hispanic[ages_between(whole.cells, *ages)]

        of_ages = hispanic if whole.hispanic is not None else None
        self.__dict__.update(provenance=whole.provenance, hispanic=of_ages, _whole=whole, _ages=ages)

    @cached_property
    def cells(self) -> pd.DataFrame:
        cells = self._whole.cells
        return cells[ages_between(cells, *self._ages)].reset_index(drop=True)

    @cached_property
    def laid_out(self) -> CountyTable | None:
        table = self._whole.laid_out
        return None if table is None else table.of_age(*self._ages)

    @cached_property
    def with_ethnicity(self) -> Population:
        people = self._whole.with_ethnicity
        return self if people is self._whole else people.of_age(*self._ages)

    @cached_property
    def _people_by_state(self) -> dict[str, int]:
        if self.laid_out is not None:
            return super()._people_by_state
        cells = self._whole.cells
        return _sums_by_state(cells, np.where(ages_between(cells, *self._ages), cells["people"], 0))

    @property
    def part_of(self) -> tuple[Population, int, int | None]:
        return self._whole, *self._ages

    def in_states(self, states: Sequence[str]) -> Population:
        return self._whole.in_states(states).of_age(*self._ages)


class _PeopleByEthnicity(_PeopleOfOthers):
    """The people of a population by ethnicity too: their cells are made when somebody asks for them."""

    def __init__(self, whole: Population) -> None:
        self.__dict__.update(provenance=whole.provenance, hispanic=None, _whole=whole)

    @cached_property
    def cells(self) -> pd.DataFrame:
        people = self._whole.by_origin
        row, ethnicity = np.nonzero(people)
        cells = self._whole.cells.take(row).reset_index(drop=True)
        cells["ethnicity"] = pd.Categorical.from_codes(ethnicity, pd.Index(ETHNICITIES))
        cells["people"] = people[row, ethnicity]
        return cells

    @property
    def laid_out(self) -> CountyTable | None:
        return self._whole.laid_out_by_origin

    @property
    def without_ethnicity(self) -> Population:
        return self._whole

    @cached_property
    def _people_by_state(self) -> dict[str, int]:
        return self._whole._people_by_state

    def counties_by_state(self) -> dict[str, int]:
        return self._whole.counties_by_state()

    def in_states(self, states: Sequence[str]) -> Population:
        return self._whole.in_states(states).with_ethnicity


def ages_between(cells: pd.DataFrame, least_age: int, most_age: int | None) -> BoolArray:
    """Tell which cells begin at these ages (years)."""
    age = cells["age"].to_numpy()
    return age >= least_age if most_age is None else (age >= least_age) & (age <= most_age)


def _sums_by_state(cells: pd.DataFrame, people: IntArray) -> dict[str, int]:
    sums = zip(cells["state"].cat.categories, sums_by(cells["state"], people), strict=True)
    return {str(state): int(number) for state, number in sums if number}


def sums_by(column: pd.Series, people: IntArray) -> FloatArray:
    """Return the people of each category of a column; most cells stand next to others of the same."""
    codes = column.cat.codes.to_numpy()
    first = np.append(0, np.flatnonzero(codes[1:] != codes[:-1]) + 1)[: len(codes)]
    runs = np.add.reduceat(people, first)
    return np.bincount(codes[first], weights=runs, minlength=len(column.cat.categories)).astype(np.float64, copy=False)


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

    @property
    def county_population(self) -> Population | None:
        """The people in memory by county and age, and what else is known of them there; None without counties."""

    def people_by_state(self) -> dict[str, int]:
        """People of each state."""

    def counties_by_state(self) -> dict[str, int]:
        """Number of counties with people in each state."""

    def of_age(self, least_age: int, most_age: int | None = None) -> PeopleElsewhere:
        """Return those of ``least_age`` years up to ``most_age``."""

    def merge(self, merged_by: MergeKey) -> AnyGroups:
        """Return the groups of a linkage key (:func:`policy_sim.people.merging.merge`)."""


AnyPopulation: TypeAlias = "Population | PeopleByZip | PeopleElsewhere"


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
