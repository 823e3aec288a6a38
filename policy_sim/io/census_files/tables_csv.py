"""Tables PCT12 or P12 as people download them: the service's JSON, data.census.gov's CSV, long lists.

One file may contain one table or several, and a folder or zip many. Columns are recognized by their
codes, in any of the Bureau's spellings (``PCT012A003``, ``PCT12A_003N``), or NHGIS's for
2010 (``H9A003_sf``).
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from policy_sim.arrays import IntArray
from policy_sim.errors import InputError, SchemaError
from policy_sim.io.census_files.archive import Member, members
from policy_sim.population.census_tables import AGE_CLASSES, SINGLE_YEARS, SexByAge, Shape
from policy_sim.states import POSTAL_OF_FIPS

__all__ = ["read_tables"]

_SHAPES = {shape.name: shape for shape in (SINGLE_YEARS, AGE_CLASSES)}
_BUREAU = re.compile(r"(PCT|P)0*12([A-O]?)_?(\d{3})(N?)")
# IPUMS NHGIS, dataset 2010_SF1a: H76 is P12, H9A to H9I are P12A to P12I.
_NHGIS = re.compile(r"H(?:76|9([A-I]))(\d{3})(?:_sf)?")
_COUNTY_CODE = re.compile(r"(?:0500000US|050\w{4}US)?(\d{5})")
# A revised figure of 2010 keeps its reference: 35221(r1234). No county has more than ten digits.
_COUNT = re.compile(r"(\d{1,10})(?:\(r\d+\))?")


@dataclass(frozen=True)
class _Column:
    shape: str
    letter: str
    number: int  # from 1
    year: int  # 0 if the spelling does not say


@dataclass
class _Tally:
    """The counts read so far, for each (shape, letter), county and column."""

    where: str
    counts: dict[tuple[str, str], dict[str, dict[int, int]]] = field(default_factory=dict)
    years: set[int] = field(default_factory=set)
    names_skipped: set[str] = field(default_factory=set)

    def add(self, column: _Column, county: str, text: str, line: int) -> None:
        whole = _COUNT.fullmatch(text.strip())
        if not whole:
            raise SchemaError(self.where, [f"line {line}: {text!r} is not a whole number of people."])
        cells = self.counts.setdefault((column.shape, column.letter), {}).setdefault(county, {})
        count = int(whole[1])
        if cells.setdefault(column.number, count) != count:
            raise SchemaError(
                self.where,
                [f"line {line}: county {county} appears twice in {column.shape}{column.letter}with different counts."],
            )
        self.years |= {column.year} - {0}


def read_tables(path: Path, year: int = 0, places: Mapping[str, str] | None = None) -> tuple[SexByAge, int]:
    """Read every table of sex by age at a path.

    Parameters
    ----------
    path : A CSV or JSON file, a zip, or a folder of them.
    year : The census; needed if neither codes nor file names tell 2000 from 2010.
    places : For lists that name places: the county code of each name to read; other names are skipped.

    Returns
    -------
    The tables over the counties that all of them have, and the year of the census.

    Raises
    ------
    SchemaError : there is no table, or tables are incomplete or contradict each other.
    """
    tally = _Tally(str(path))
    for member in members(path):
        if member.name.endswith((".csv", ".json")):
            _read_member(member, tally, places or {})
    if not tally.counts:
        raise SchemaError(str(path), [_nothing(tally)])
    return _tables(tally), _year(path, tally, year)


def _read_member(member: Member, tally: _Tally, places: Mapping[str, str]) -> None:
    tally.where = member.where
    with member.stream() as file:
        text = file.read().decode("utf-8-sig", errors="replace")
    try:
        rows = _of_json(member, text) if member.name.endswith(".json") else csv.reader(io.StringIO(text, newline=None))
        header = [name.strip() for name in next(rows, [])]
        whole = _whole_rows(member, rows, len(header))
        if {"name", "variable", "estimate"} <= set(header):
            _read_long(header, whole, tally, places)
        else:
            _read_wide(header, whole, tally)
    except csv.Error as error:
        raise SchemaError(member.where, [f"is not a CSV table ({error})."]) from error


def _of_json(member: Member, text: str) -> Iterator[list[str]]:
    try:
        table = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SchemaError(member.where, [f"is not a table in JSON ({error})."]) from error
    if not isinstance(table, list) or not all(isinstance(row, list) for row in table):
        raise SchemaError(member.where, ["is not a table in JSON, which is a list of lists."])
    return iter([["" if value is None else str(value) for value in row] for row in table])


def _whole_rows(member: Member, rows: Iterator[list[str]], columns: int) -> Iterator[tuple[int, list[str]]]:
    """Number the rows below the header from 2; a row that is too short is an error."""
    for line, row in enumerate(rows, start=2):
        if row and len(row) < columns:
            raise SchemaError(
                member.where, [f"line {line} has {len(row)} values for {columns} columns. Is the file complete?"]
            )
        if row:
            yield line, row


def _column(name: str) -> _Column | None:
    if match := _BUREAU.fullmatch(name):
        return _Column(f"{match[1]}12", match[2], int(match[3]), 2020 if match[4] else 0)
    if match := _NHGIS.fullmatch(name):
        return _Column("P12", match[1] or "", int(match[2]), 2010)
    return None


def _read_wide(header: Sequence[str], rows: Iterator[tuple[int, list[str]]], tally: _Tally) -> None:
    columns = [(place, column) for place, name in enumerate(header) if (column := _column(name))]
    place_of = {name.lower(): place for place, name in enumerate(header)}
    for line, row in rows:
        if row[0] in ("Geography", "id"):  # data.census.gov puts labels under the codes
            continue
        county = _county(row, place_of)
        if county:
            for place, column in columns:
                tally.add(column, county, row[place], line)


def _county(row: Sequence[str], place_of: Mapping[str, int]) -> str:
    """Return the county code of a row; empty for another kind of place."""
    if "state" in place_of and "county" in place_of:
        code = row[place_of["state"]].zfill(2) + row[place_of["county"]].zfill(3)
        return code if code.isdigit() else ""
    for name in ("geo_id", "geoid", "geo.id"):
        if name in place_of and (match := _COUNTY_CODE.fullmatch(row[place_of[name]])):
            return match[1]
    if "gisjoin" in place_of:  # G, state, 0, county, 0
        code = row[place_of["gisjoin"]]
        return code[1:3] + code[4:7] if re.fullmatch(r"G\d{7}", code) else ""
    return ""


def _read_long(
    header: Sequence[str], rows: Iterator[tuple[int, list[str]]], tally: _Tally, places: Mapping[str, str]
) -> None:
    name, variable, estimate = (header.index(word) for word in ("name", "variable", "estimate"))
    for line, row in rows:
        column = _column(row[variable])
        if column is None:
            continue
        if row[name] in places:
            tally.add(column, places[row[name]], row[estimate], line)
        else:
            tally.names_skipped.add(row[name])


def _tables(tally: _Tally) -> SexByAge:
    # If a download has both, single years are more detailed than classes.
    shape = _SHAPES["PCT12" if any(name == "PCT12" for name, _ in tally.counts) else "P12"]
    tables = {letter: rows for (name, letter), rows in tally.counts.items() if name == shape.name}
    counties = sorted(set.union(*(set(rows) for rows in tables.values())))
    problems: list[str] = []
    counts = {
        letter: _array(f"{shape.name}{letter}", rows, counties, shape, problems) for letter, rows in tables.items()
    }
    unknown = sorted({county for county in counties if county[:2] not in POSTAL_OF_FIPS})
    if unknown:
        problems.append(f"county {unknown[0]} is in no state.")
    if problems:
        raise SchemaError(tally.where, problems)
    states = [POSTAL_OF_FIPS[county[:2]] for county in counties]
    return SexByAge(shape, pd.DataFrame({"state": states, "county": counties}), counts)


def _array(
    name: str, rows: Mapping[str, Mapping[int, int]], counties: Sequence[str], shape: Shape, problems: list[str]
) -> IntArray:
    """Return the counts of one table as an array; sums that the file lacks are filled in."""
    table = np.full((len(counties), shape.columns), -1, dtype=np.int64)
    for place, county in enumerate(counties):
        cells = rows.get(county, {})
        for number, count in cells.items():
            if number <= shape.columns:
                table[place, number - 1] = count
    for sex in (0, 1):
        ages = table[:, shape.ages_of(sex)]
        gaps = (ages < 0).any(axis=1)
        if gaps.any():
            where = counties[int(gaps.argmax())]
            problems.append(f"{name} has no count for some ages in {int(gaps.sum())} counties, the first {where}.")
        total = shape.sex_totals[sex]
        table[:, total] = np.where(table[:, total] < 0, ages.sum(axis=1), table[:, total])
    both = table[:, list(shape.sex_totals)].sum(axis=1)
    table[:, 0] = np.where(table[:, 0] < 0, both, table[:, 0])
    return table


def _year(path: Path, tally: _Tally, year: int) -> int:
    named = {int(text) for text in re.findall(r"(2000|2010|2020)", path.name)}
    years = ({year} if year else set()) | tally.years
    years = years or named
    if len(years) != 1:
        raise InputError(
            f"{path}: the tables do not say which census they are from. Give the year 2000, 2010 or 2020"
            + (f" (the columns are those of {', '.join(map(str, sorted(tally.years)))})." if tally.years else ".")
        )
    return years.pop()


def _nothing(tally: _Tally) -> str:
    if tally.names_skipped:
        names = ", ".join(sorted(tally.names_skipped)[:5])
        return f"the places have names but no codes: {names}. Give the county code of each place, as in 'NAME=CODE'."
    return "no column of PCT12 or P12 (such as PCT012A003, PCT12A_003N or P012A003) has a county code."
