"""Census tables of sex by age, one a race: what every decennial file and service answers with.

A table is a total, the males' total and ages, the females' total and ages. PCT12 counts single years,
P12 counts 23 age classes; the letters A to G split either by race, H to O by Hispanic origin and race.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from policy_sim.formulas.histogram import number_combinations
from policy_sim.people.merge import (
    AGE_WIDTHS,
    AGES,
    CLASS_STARTS,
    DAYS_PER_YEAR,
    OPEN_AGE,
    OPEN_ENDED_WIDTH,
    seen_of_people,
)
from policy_sim.people.population import CATEGORIES, RACES, SEXES, Population
from policy_sim.policies.policy import NO_CONDITIONS, Conditions
from policy_sim.words.arrays import FloatArray, IntArray
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Granularities

EVERYONE = ""  # the table without a letter
# Letters A to G hold the seven races, whatever the origin: a partition of the population.
RACE_TABLES: Mapping[str, str] = MappingProxyType(dict(zip("ABCDEFG", RACES, strict=True)))
# Letter H holds Hispanics of any race, I to O everyone else by race: another partition.
ORIGIN_TABLES: Mapping[str, str] = MappingProxyType(
    {"H": "hispanic", **{letter: f"{race}_not_hispanic" for letter, race in zip("IJKLMNO", RACES, strict=True)}}
)


@dataclass(frozen=True)
class Shape:
    """The columns of a table of sex by age.

    ``ages`` are (lower bound, years in the class). Column 0 is everyone; then for each sex its total
    and its ages, males first.
    """

    name: str
    ages: tuple[tuple[int, int], ...]

    @property
    def columns(self) -> int:
        """How many columns: 209 for PCT12, 49 for P12."""
        return 3 + 2 * len(self.ages)

    @property
    def sex_totals(self) -> tuple[int, int]:
        """Columns of the males' and the females' totals."""
        return 1, 2 + len(self.ages)

    def ages_of(self, sex: int) -> slice:
        """Columns of the ages of a sex, 0 for males and 1 for females."""
        start = self.sex_totals[sex] + 1
        return slice(start, start + len(self.ages))


SINGLE_YEARS = Shape("PCT12", tuple(zip(AGES.tolist(), AGE_WIDTHS.tolist(), strict=True)))
_LAST = OPEN_AGE + OPEN_ENDED_WIDTH
AGE_CLASSES = Shape("P12", tuple((low, high - low) for low, high in pairwise([*CLASS_STARTS.tolist(), _LAST])))


@dataclass(frozen=True, eq=False)
class SexByAge:
    """Tables of one vintage over the same places.

    ``places`` has the column ``state`` (postal code), and where known ``county`` (five digits) and
    ``tract`` or ``zip5``. ``counts`` maps a letter (:data:`EVERYONE`, A, B, ...) to whole numbers of
    people, shape (places, columns of the shape).
    """

    shape: Shape
    places: pd.DataFrame = field(repr=False)
    counts: Mapping[str, IntArray] = field(repr=False)

    def __post_init__(self) -> None:
        expected_shape = (len(self.places), self.shape.columns)
        for letter, table in self.counts.items():
            if table.shape != expected_shape:
                raise InputError(
                    f"table {self.shape.name}{letter} has {table.shape[0]} places and {table.shape[1]} "
                    f"columns; {expected_shape[0]} and {expected_shape[1]} were expected."
                )

    def name(self, letter: str) -> str:
        """The table's name, such as ``PCT12A``."""
        return f"{self.shape.name}{letter}"

    def place(self, row: int) -> str:
        """The code of one place, for messages."""
        return " ".join(str(value) for value in self.places.iloc[row])

    def people(self, letter: str) -> IntArray:
        """Everyone of a table, by place."""
        return self.counts[letter][:, 0]

    @property
    def partition(self) -> Mapping[str, str]:
        """Letters that split the population once, with the race of each; races before origins."""
        for tables in (RACE_TABLES, ORIGIN_TABLES):
            if set(tables) <= set(self.counts):
                return tables
        letters = ", ".join(self.name(letter) for letter in self.counts) or "none"
        raise InputError(
            f"tables {letters} do not make up a population: all of {self.shape.name}A to G are needed, "
            f"or all of {self.shape.name}H to O."
        )


def few(codes: Iterable[str], most: int = 5) -> str:
    """Name the first of several codes, sorted, for a message.

    >>> few(["b", "a"]), few("cba", most=2)
    ('a, b', 'a, b and 1 more')
    """
    names = sorted(codes)
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def to_cells(tables: SexByAge) -> pd.DataFrame:
    """Return the non-empty cells: place, sex, age, age width, race, people; text is categorical.

    The people of the result are those of the tables' partition; nobody is lost.
    """
    races = tables.partition
    ages = len(tables.shape.ages)
    # places × races × sexes × ages
    block = np.stack(
        [np.stack([tables.counts[letter][:, tables.shape.ages_of(sex)] for sex in (0, 1)], axis=1) for letter in races],
        axis=1,
    )
    occupied = np.flatnonzero(block)
    place, race, sex, age = np.unravel_index(occupied, block.shape)
    low, width = np.array(tables.shape.ages, dtype=np.int64).T
    assert len(low) == ages
    columns: dict[str, object] = {name: _text(tables.places[name], place) for name in tables.places.columns}
    columns["sex"] = _categories(sex, SEXES)
    columns["age"] = low[age]
    columns["age_width"] = width[age]
    columns["race"] = _categories(race, tuple(races.values()))
    columns["people"] = block.reshape(-1)[occupied].astype(np.int64)
    return pd.DataFrame(columns)


def _text(values: pd.Series, rows: NDArray[np.intp]) -> pd.Categorical[Any]:
    codes, names = pd.factorize(values.astype(str), sort=True)
    return _categories(codes[rows], tuple(names))


def _categories(codes: NDArray[np.intp], names: Sequence[str]) -> pd.Categorical[Any]:
    return pd.Categorical.from_codes(codes, dtype=pd.CategoricalDtype(list(names)))


# The people of every county as one table: a row per county, a column per kind of person.
#
# A kind of person is a combination of sex, race and age that the cells distinguish: some 1,400 in the census. What a
# linkage key shows of a person is a property of the kind, so that a table by key is the sum of some columns: the
# cells themselves are read once, however many keys are asked for.


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
        codes = [cells[name].cat.codes.to_numpy().astype(np.int64) for name in CATEGORIES if name in cells]
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
        """Return the people of some counties by what a key shows of them, and the bins (>= 1) hidden in each of these.

        Shapes (counties, cells) and (cells,). Whatever the key says of places, a row is a county.
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
        """Return the people of some counties by kind, the cell of :meth:`seen` of each kind, and one cell of each kind.

        Shapes (counties, kinds) and (kinds,); the third is a population.
        """
        people, kinds = self._kinds
        code, _ = seen_of_people(kinds, key, days_per_year=days_per_year, conditions=conditions)
        seen, cell = np.unique(code, return_inverse=True)
        place = np.arange(len(code)) if len(seen) == len(code) else cell.reshape(-1)
        return (people if len(counties) == people.shape[1] else people[:, counties]).T, place, kinds
