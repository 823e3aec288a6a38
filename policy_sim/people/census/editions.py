"""The decennial files that can be fetched, and how each names its tables, variables and places."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from policy_sim.people.census.tables import (
    AGE_CLASSES,
    EVERYONE,
    ORIGIN_TABLES,
    RACE_TABLES,
    SINGLE_YEARS,
    Shape,
)
from policy_sim.words.errors import InputError, UnknownNameError

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
    """One decennial summary file.

    ``pattern`` names a variable from the table's stem (P or PCT), its number, its letter and a column
    counted from 1. ``single_years`` are the geographies for which PCT12 with its races is requested.
    """

    name: str
    year: int
    dataset: str
    title: str
    pattern: str
    single_years: frozenset[str]
    notes: tuple[str, ...] = ()

    def variable(self, shape: Shape, letter: str, column: int) -> str:
        """Return the service's name of a column, such as ``PCT012A003`` or ``PCT12A_003N``."""
        stem, number = re.fullmatch(r"(\D+)(\d+)", shape.name).groups()  # type: ignore[union-attr]
        return self.pattern.format(stem=stem, number=int(number), letter=letter, column=column)

    def shape(self, geography: str) -> Shape:
        """Single years of age where the file has them for a geography, else 23 age classes."""
        return SINGLE_YEARS if geography in self.single_years else AGE_CLASSES


@dataclass(frozen=True)
class Geography:
    """A kind of place: the service's name for it, and which of its columns make which of ours.

    ``by_state`` is true where a request must name one state. ``codes`` maps our column to the
    service's columns, whose codes are joined.
    """

    name: str
    place: str
    within: str
    by_state: bool
    codes: Mapping[str, tuple[str, ...]]


_ZCTA = "zip code tabulation area (or part)"
GEOGRAPHIES: Mapping[str, Geography] = MappingProxyType(
    {
        "county": Geography("county", "county", "", False, {"county": ("state", "county")}),
        "tract": Geography(
            "tract",
            "tract",
            " county:*",
            True,
            {"county": ("state", "county"), "tract": ("state", "county", "tract")},
        ),
        "zcta": Geography("zcta", _ZCTA, "", True, {"zip5": (_ZCTA,)}),
    }
)

_ALL = frozenset(GEOGRAPHIES)
EDITIONS: Mapping[str, Edition] = MappingProxyType(
    {
        edition.name: edition
        for edition in (
            Edition(
                "sf1-2000",
                2000,
                "dec/sf1",
                "Census 2000, Summary File 1",
                "{stem}{number:03d}{letter}{column:03d}",
                _ALL,
            ),
            Edition(
                "sf1-2010",
                2010,
                "dec/sf1",
                "2010 Census, Summary File 1",
                "{stem}{number:03d}{letter}{column:03d}",
                _ALL,
            ),
            Edition(
                "dhc-2020",
                2020,
                "dec/dhc",
                "2020 Census, Demographic and Housing Characteristics File (counts carry the Bureau's noise)",
                "{stem}{number}{letter}_{column:03d}N",
                frozenset({"county", "tract"}),
                (NOISE_NOTE,),
            ),
        )
    }
)


def find_edition(name: str) -> Edition:
    """Return the edition of that name."""
    if name not in EDITIONS:
        raise UnknownNameError("census file", name, EDITIONS)
    return EDITIONS[name]


def find_geography(name: str) -> Geography:
    """Return the geography of that name."""
    if name not in GEOGRAPHIES:
        raise InputError(f"geography {name!r} is not one of {', '.join(GEOGRAPHIES)}.")
    return GEOGRAPHIES[name]


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
    """
    kind = geography["for"].rpartition(":")[0]
    return [kind, *re.findall(r"([a-z]+):", geography.get("in", ""))]
