"""Census tables: their variables by group, and the editions of each census that are delivered or served."""

from __future__ import annotations

import re
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
    """The columns of a table of sex by age: everyone; then for each sex its total and its ages, males first.

    ``ages`` are (lower bound, years in the class).
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
    """Tables of one vintage over the same places (``state`` and where known ``county``, ``tract`` or ``zip5``).

    ``counts`` maps a letter (:data:`EVERYONE`, A, B, ...) to people, shape (places, columns of the shape).
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
    def has_counties(self) -> bool:
        """Whether the places of a county hold all its people; some live in no ZIP code area."""
        return "county" in self.places and "zip5" not in self.places

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
    columns: dict[str, object] = {}
    for name in tables.places.columns:
        codes, names = pd.factorize(tables.places[name].astype(str), sort=True)
        columns[name] = _categories(codes[place], list(names))
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


def _categories(codes: NDArray[np.intp], names: Sequence[str]) -> pd.Categorical[Any]:
    return pd.Categorical.from_codes(codes, dtype=pd.CategoricalDtype(list(names)))


# Everyone, then the seven races: the tables of a population, and the table that checks them.
LETTERS = (EVERYONE, *RACE_TABLES)
# The same of a population by ethnicity: also those who are not Hispanic by race, and Hispanics, who check them.
LETTERS_BY_ETHNICITY = (*LETTERS, *ORIGIN_TABLES)

NOISE_NOTE = (
    "Counts of the 2020 Census below the state carry noise that the Bureau added to protect respondents; "
    "small cells are not exact, and unique people are undercounted. Cells of county, sex, age and race with one "
    "person in Texas: 37,728 in 2010, 20,139 in 2020. Kentucky 2010 through the noise: 1-distinct by county and birth "
    "year halves (0.45% to 0.22%). docs/census.md gives the effect on each measure."
)


@dataclass(frozen=True)
class Edition:
    """One decennial summary file; ``pattern`` names its variables by stem (P or PCT), number, letter and column from 1.

    ``single_years`` are the geographies for which PCT12 with its races is requested. ``nation``: places that one
    request has for the whole nation, in no state, by the name of their geography.
    """

    name: str
    year: int
    dataset: str
    title: str
    pattern: str
    single_years: frozenset[str]
    notes: tuple[str, ...] = ()
    nation: Mapping[str, str] = field(default_factory=dict)

    def variable(self, shape: Shape, letter: str, column: int) -> str:
        """Return the service's name of a column, such as ``PCT012A003`` or ``PCT12A_003N``."""
        stem, number = re.fullmatch(r"(\D+)(\d+)", shape.name).groups()  # type: ignore[union-attr]
        return self.pattern.format(stem=stem, number=int(number), letter=letter, column=column)

    def has(self, geography: str) -> bool:
        """Whether these places are requested of the file."""
        return self.year >= _SINCE.get(geography, self.year)

    def shape(self, geography: str) -> Shape:
        """Single years of age where the file has them for a geography, else 23 age classes."""
        return SINGLE_YEARS if geography in self.single_years else AGE_CLASSES


@dataclass(frozen=True)
class Geography:
    """A kind of place: the service's name for it, and which of its columns (``codes``) are joined to make each of ours.

    ``by_state`` is true where a request must name one state.
    """

    name: str
    place: str
    within: str
    by_state: bool
    codes: Mapping[str, tuple[str, ...]]


_ZCTA, _PART = "zip code tabulation area (or part)", "county (or part)"
_COUNTY = {"county": ("state", "county")}
GEOGRAPHIES: Mapping[str, Geography] = MappingProxyType(
    {
        "county": Geography("county", "county", "", False, _COUNTY),
        "tract": Geography("tract", "tract", " county:*", True, _COUNTY | {"tract": ("state", "county", "tract")}),
        "zcta": Geography("zcta", _ZCTA, "", True, {"zip5": (_ZCTA,)}),
        "zcta-county": Geography(
            "zcta-county", _PART, f" {_ZCTA}:*", True, {"county": ("state", _PART), "zip5": (_ZCTA,)}
        ),
    }
)

_ALL = frozenset({"county", "tract", "zcta"})
_SINCE = {"zcta-county": 2010}  # the first census of which places are requested, where that is not every one
_PADDED = "{stem}{number:03d}{letter}{column:03d}"
_NOISED = "2020 Census, Demographic and Housing Characteristics File (counts carry the Bureau's noise)"
_UNDERLINED = "{stem}{number}{letter}_{column:03d}N"
_EDITIONS = (
    Edition("sf1-2000", 2000, "dec/sf1", "Census 2000, Summary File 1", _PADDED, _ALL),
    Edition("sf1-2010", 2010, "dec/sf1", "2010 Census, Summary File 1", _PADDED, _ALL),
    Edition(
        *("dhc-2020", 2020, "dec/dhc", _NOISED, _UNDERLINED, frozenset({"county", "tract"}), (NOISE_NOTE,)),
        nation=MappingProxyType({"zcta": "zip code tabulation area"}),
    ),
)
EDITIONS: Mapping[str, Edition] = MappingProxyType({edition.name: edition for edition in _EDITIONS})


# Check the rows of an answer: every count a whole number, every place a code.


MOST_PEOPLE = 10_000_000_000  # in one place; more than live on earth
_CODE = re.compile(r"\d{1,11}", re.ASCII)


def wrong_with(rows: object, variables: Sequence[str], geography: Mapping[str, str]) -> str:
    """Return what is wrong with the rows of an answer; empty if nothing is.

    ``geography``: the request's ``for`` and ``in``: their places must be codes in digits.
    """
    if not isinstance(rows, list) or not rows:
        return "no rows"
    codes = _code_columns(geography)
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            return f"row {number} is not a row"
        for name in variables:
            value = row.get(name)
            if type(value) is not int or not 0 <= value <= MOST_PEOPLE:
                return f"row {number} has no count for {name}"
        for name in codes:
            if not isinstance(code := row.get(name), str) or not _CODE.fullmatch(code):
                return f"row {number} has no code for {name}"
    return ""


def _code_columns(geography: Mapping[str, str]) -> list[str]:
    """Return the columns that name the place: the kind requested, and those that contain it.

    >>> _code_columns({"for": "tract:*", "in": "state:10 county:*"})
    ['tract', 'state', 'county']
    >>> _code_columns({"for": "county (or part):*", "in": "state:10 zip code tabulation area (or part):*"})
    ['county (or part)', 'state', 'zip code tabulation area (or part)']
    """
    kind = geography["for"].rpartition(":")[0]
    return [kind, *re.findall(r"([a-z][a-z ]*(?:\(or part\))?):", geography.get("in", ""))]
