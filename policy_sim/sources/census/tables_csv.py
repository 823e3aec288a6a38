"""Tables PCT12 or P12 as people download them: the service's JSON, data.census.gov's CSV, long lists.

One file may hold one table or several, and a folder or zip many. Columns are recognised by their
codes, whichever of the Bureau's spellings they use (``PCT012A003``, ``PCT12A_003N``), or NHGIS's for
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

from policy_sim.errors import InputError, SchemaError
from policy_sim.population.sex_by_age import AGE_CLASSES, SINGLE_YEARS, IntArray, SexByAge, Shape
from policy_sim.sources.census.archive import Member, members
from policy_sim.states import STATES

__all__ = ["read_tables"]

_SHAPES = {shape.name: shape for shape in (SINGLE_YEARS, AGE_CLASSES)}
_POSTAL = {state.fips: state.postal for state in STATES.values()}
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
    year: int  # 0 where the spelling does not tell


@dataclass
class _Found:
    """What the files held so far: a count for each (shape, letter), county and column."""

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
                [f"line {line}: county {county} stands twice in {column.shape}{column.letter}, with other counts."],
            )
        self.years |= {column.year} - {0}


def read_tables(path: Path, year: int = 0, places: Mapping[str, str] | None = None) -> tuple[SexByAge, int]:
    """Read every table of sex by age at a path.

    Parameters
    ----------
    path : A CSV or JSON file, a zip, or a folder of them.
    year : The census; needed where neither codes nor file names tell 2000 from 2010.
    places : For lists that name places: the county code of each name wanted; other names are skipped.

    Returns
    -------
    The tables over the counties that all of them have, and the year of the census.

    Raises
    ------
    SchemaError : no table is found, or tables are incomplete or contradict each other.
    """
    found = _Found(str(path))
    for member in members(path):
        if member.name.endswith((".csv", ".json")):
            _read_member(member, found, places or {})
    if not found.counts:
        raise SchemaError(str(path), [_nothing(found)])
    return _tables(found), _year(path, found, year)


def _read_member(member: Member, found: _Found, places: Mapping[str, str]) -> None:
    found.where = member.where
    with member.stream() as file:
        text = file.read().decode("utf-8-sig", errors="replace")
    try:
        rows = _of_json(member, text) if member.name.endswith(".json") else csv.reader(io.StringIO(text, newline=None))
        header = [name.strip() for name in next(rows, [])]
        whole = _whole_rows(member, rows, len(header))
        if {"name", "variable", "estimate"} <= set(header):
            _read_long(header, whole, found, places)
        else:
            _read_wide(header, whole, found)
    except csv.Error as error:
        raise SchemaError(member.where, [f"is not a CSV table ({error})."]) from error


def _of_json(member: Member, text: str) -> Iterator[list[str]]:
    try:
        table = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SchemaError(member.where, [f"is not a table in JSON ({error})."]) from error
    if not isinstance(table, list) or not all(isinstance(row, list) for row in table):
        raise SchemaError(member.where, ["is not a table in JSON: a list of lists was expected."])
    return iter([["" if value is None else str(value) for value in row] for row in table])


def _whole_rows(member: Member, rows: Iterator[list[str]], columns: int) -> Iterator[tuple[int, list[str]]]:
    """Number the rows under the header from 2; a row that broke off is an error."""
    for line, row in enumerate(rows, start=2):
        if row and len(row) < columns:
            raise SchemaError(member.where, [f"line {line} has {len(row)} values for {columns} columns: is it whole?"])
        if row:
            yield line, row


def _column(name: str) -> _Column | None:
    if found := _BUREAU.fullmatch(name):
        return _Column(f"{found[1]}12", found[2], int(found[3]), 2020 if found[4] else 0)
    if found := _NHGIS.fullmatch(name):
        return _Column("P12", found[1] or "", int(found[2]), 2010)
    return None


def _read_wide(header: Sequence[str], rows: Iterator[tuple[int, list[str]]], found: _Found) -> None:
    columns = [(place, column) for place, name in enumerate(header) if (column := _column(name))]
    place_of = {name.lower(): place for place, name in enumerate(header)}
    for line, row in rows:
        if row[0] in ("Geography", "id"):  # data.census.gov puts labels under the codes
            continue
        county = _county(row, place_of)
        if county:
            for place, column in columns:
                found.add(column, county, row[place], line)


def _county(row: Sequence[str], place_of: Mapping[str, int]) -> str:
    """Return the county code of a row, empty where it is of another kind of place."""
    if "state" in place_of and "county" in place_of:
        code = row[place_of["state"]].zfill(2) + row[place_of["county"]].zfill(3)
        return code if code.isdigit() else ""
    for name in ("geo_id", "geoid", "geo.id"):
        if name in place_of and (found := _COUNTY_CODE.fullmatch(row[place_of[name]])):
            return found[1]
    if "gisjoin" in place_of:  # G, state, 0, county, 0
        code = row[place_of["gisjoin"]]
        return code[1:3] + code[4:7] if re.fullmatch(r"G\d{7}", code) else ""
    return ""


def _read_long(
    header: Sequence[str], rows: Iterator[tuple[int, list[str]]], found: _Found, places: Mapping[str, str]
) -> None:
    name, variable, estimate = (header.index(word) for word in ("name", "variable", "estimate"))
    for line, row in rows:
        column = _column(row[variable])
        if column is None:
            continue
        if row[name] in places:
            found.add(column, places[row[name]], row[estimate], line)
        else:
            found.names_skipped.add(row[name])


def _tables(found: _Found) -> SexByAge:
    # Where a download has both, single years say more than classes.
    shape = _SHAPES["PCT12" if any(name == "PCT12" for name, _ in found.counts) else "P12"]
    tables = {letter: rows for (name, letter), rows in found.counts.items() if name == shape.name}
    counties = sorted(set.union(*(set(rows) for rows in tables.values())))
    problems: list[str] = []
    counts = {
        letter: _array(f"{shape.name}{letter}", rows, counties, shape, problems) for letter, rows in tables.items()
    }
    unknown = sorted({county for county in counties if county[:2] not in _POSTAL})
    if unknown:
        problems.append(f"county {unknown[0]} is in no state.")
    if problems:
        raise SchemaError(found.where, problems)
    states = [_POSTAL[county[:2]] for county in counties]
    return SexByAge(shape, pd.DataFrame({"state": states, "county": counties}), counts)


def _array(
    name: str, rows: Mapping[str, Mapping[int, int]], counties: Sequence[str], shape: Shape, problems: list[str]
) -> IntArray:
    """Lay the counts of one table out; sums that the file left out are filled in."""
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


def _year(path: Path, found: _Found, year: int) -> int:
    told = {int(text) for text in re.findall(r"(2000|2010|2020)", path.name)}
    years = ({year} if year else set()) | found.years
    years = years or told
    if len(years) != 1:
        raise InputError(
            f"{path}: say of which census these tables are with --year 2000, 2010 or 2020"
            + (f" (the columns are those of {', '.join(map(str, sorted(found.years)))})." if found.years else ".")
        )
    return years.pop()


def _nothing(found: _Found) -> str:
    if found.names_skipped:
        names = ", ".join(sorted(found.names_skipped)[:5])
        return f"places are named, not coded: {names}. Say which to take with --place 'NAME=COUNTYCODE'."
    return "no column of PCT12 or P12 (such as PCT012A003, PCT12A_003N or P012A003) with a county code was found."
