"""Census tables of sex by age, one a race: what every decennial file and service answers with.

A table is a total, the males' total and ages, the females' total and ages. PCT12 counts single years,
P12 counts 23 age classes; the letters A to G split either by race, H to O by Hispanic origin and race.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.people.merge import AGE_WIDTHS, AGES, CLASS_STARTS, OPEN_AGE, OPEN_ENDED_WIDTH
from policy_sim.people.population import ETHNICITIES, RACES, SEXES
from policy_sim.words.arrays import IntArray
from policy_sim.words.errors import InputError

EVERYONE = ""  # the table without a letter
# Letters A to G hold the seven races, whatever the origin: a partition of the population.
RACE_TABLES: Mapping[str, str] = MappingProxyType(dict(zip("ABCDEFG", RACES, strict=True)))
# Letter H holds Hispanics of any race, I to O everyone else by race: another partition.
HISPANIC_TABLE = "H"
NOT_HISPANIC_TABLES: Mapping[str, str] = MappingProxyType(dict(zip("IJKLMNO", RACES, strict=True)))
ORIGIN_TABLES: Mapping[str, str] = MappingProxyType(
    {HISPANIC_TABLE: "hispanic", **{letter: f"{race}_not_hispanic" for letter, race in NOT_HISPANIC_TABLES.items()}}
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

    @property
    def has_ethnicity(self) -> bool:
        """Whether Hispanics of each race follow: those of its table who are not in the one of people not Hispanic."""
        return {*RACE_TABLES, *NOT_HISPANIC_TABLES} <= set(self.counts)


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

    The people of the result are those of the tables' partition; nobody is lost. They are by ethnicity too where the
    tables tell it.
    """
    races = tables.partition
    by_race = _block(tables, races)
    if tables.has_ethnicity:
        others = _block(tables, NOT_HISPANIC_TABLES)
        block = np.stack([by_race - others, others], axis=-1)
    else:
        block = by_race[..., None]
    occupied = np.flatnonzero(block)
    place, race, sex, age, ethnicity = np.unravel_index(occupied, block.shape)
    low, width = np.array(tables.shape.ages, dtype=np.int64).T
    columns: dict[str, object] = {name: _text(tables.places[name], place) for name in tables.places.columns}
    columns["sex"] = _categories(sex, SEXES)
    columns["age"] = low[age]
    columns["age_width"] = width[age]
    columns["race"] = _categories(race, tuple(races.values()))
    if tables.has_ethnicity:
        columns["ethnicity"] = _categories(ethnicity, ETHNICITIES)
    columns["people"] = block.reshape(-1)[occupied].astype(np.int64)
    return pd.DataFrame(columns)


def _block(tables: SexByAge, letters: Iterable[str]) -> IntArray:
    """Return the people of some tables; shape (places, tables, 2 sexes, ages)."""
    sexes = [tables.shape.ages_of(sex) for sex in (0, 1)]
    by_table = [np.stack([tables.counts[letter][:, ages] for ages in sexes], axis=1) for letter in letters]
    return np.stack(by_table, axis=1)


def _text(values: pd.Series, rows: NDArray[np.intp]) -> pd.Categorical[Any]:
    codes, names = pd.factorize(values.astype(str), sort=True)
    return _categories(codes[rows], tuple(names))


def _categories(codes: NDArray[np.intp], names: Sequence[str]) -> pd.Categorical[Any]:
    return pd.Categorical.from_codes(codes, dtype=pd.CategoricalDtype(list(names)))
