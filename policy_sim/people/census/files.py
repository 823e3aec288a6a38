"""Files as people download them: those of a delivery, tables of sex by age in them, and county estimates."""

from __future__ import annotations

import csv
import gzip
import io
import json
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import IO, NamedTuple, cast

import numpy as np
import pandas as pd

from policy_sim.people.census.tables import AGE_CLASSES, EDITIONS, SINGLE_YEARS, SexByAge, Shape, few
from policy_sim.people.facts import county_history
from policy_sim.people.merge import OPEN_ENDED_WIDTH
from policy_sim.people.places import census_day
from policy_sim.words.arrays import IntArray
from policy_sim.words.errors import InputError, SchemaError, SourceError
from policy_sim.words.states import POSTAL_OF_FIPS

# The files of a delivery: in a folder, a zip, zips in a folder, or one file.


_DAMAGE = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)


@dataclass(frozen=True)
class Member:
    """One file of a delivery: on its own, or ``inner`` in a zip."""

    path: Path
    inner: str = ""

    @property
    def name(self) -> str:
        """Bare name in lower case, without ``.gz``."""
        return PurePosixPath(self.inner or self.path.name).name.lower().removesuffix(".gz")

    @property
    def where(self) -> str:
        """The file, for messages."""
        return f"{self.path}: {self.inner}" if self.inner else str(self.path)

    @contextmanager
    def stream(self) -> Iterator[IO[bytes]]:
        """Open the file for reading bytes, a little at a time."""
        with ExitStack() as stack:
            try:
                if self.inner:
                    file = stack.enter_context(_opened(stack.enter_context(zipfile.ZipFile(self.path)), self.inner))
                elif self.path.suffix.lower() == ".gz":
                    file = cast("IO[bytes]", stack.enter_context(gzip.open(self.path, "rb")))
                else:
                    file = stack.enter_context(self.path.open("rb"))
                yield file
            except _DAMAGE as error:
                raise SourceError(f"{self.where}: cannot be read completely ({error}).") from error


def _opened(archive: zipfile.ZipFile, inner: str) -> IO[bytes]:
    try:
        return archive.open(inner)
    except (RuntimeError, NotImplementedError) as error:  # a password, or a compression that Python lacks
        raise zipfile.BadZipFile(str(error)) from error


def members(path: Path) -> Iterator[Member]:
    """Yield every file of a delivery, in the order of their names."""
    if not path.exists():
        raise SourceError(f"{path}: no such file or folder.")
    files = sorted(entry for entry in path.rglob("*") if entry.is_file()) if path.is_dir() else [path]
    for file in files:
        if file.suffix.lower() == ".zip":
            yield from (Member(file, name) for name in _names(file))
        else:
            yield Member(file)


def _names(path: Path) -> list[str]:
    try:
        with zipfile.ZipFile(path) as archive:
            return sorted(info.filename for info in archive.infolist() if not info.is_dir())
    except _DAMAGE as error:
        raise SourceError(f"{path} is not a complete zip file ({error}).") from error


# Tables PCT12 or P12 as people download them: the service's JSON, data.census.gov's CSV, long lists.
#
# One file may contain one table or several, and a folder or zip many. Columns are recognized by their
# codes, in any of the Bureau's spellings (``PCT012A003``, ``PCT12A_003N``), or NHGIS's for
# 2010 (``H9A003_sf``).


_SHAPES = {shape.name: shape for shape in (SINGLE_YEARS, AGE_CLASSES)}
_BUREAU = re.compile(r"(PCT|P)0*12([A-O]?)_?(\d{3})(N?)")
# IPUMS NHGIS, dataset 2010_SF1a: H76 is P12, H9A to H9I are P12A to P12I.
_NHGIS = re.compile(r"H(?:76|9([A-I]))(\d{3})(?:_sf)?")
_COUNTY_CODE = re.compile(r"(?:0500000US|050\w{4}US)?(\d{5})")
# A revised figure of 2010 keeps its reference: 35221(r1234). No county has more than ten digits.
_COUNT = re.compile(r"(\d{1,10})(?:\(r\d+\))?")


class _Column(NamedTuple):
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
                [f"line {line}: county {county} appears twice in {column.shape}{column.letter} with different counts."],
            )
        self.years |= {column.year} - {0}


def read_tables(path: Path, year: int = 0, places: Mapping[str, str] | None = None) -> tuple[SexByAge, int]:
    """Read every table of sex by age at a path, over the counties that all of them have, and the year of the census.

    The ``year`` is needed if neither codes nor file names tell 2000 from 2010. For lists that name places, ``places``
    has the county code of each name to read; other names are skipped.
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
    counties = sorted(set().union(*tables.values()))
    problems: list[str] = []
    counts = {
        letter: _array(f"{shape.name}{letter}", rows, counties, shape, problems) for letter, rows in tables.items()
    }
    if unknown := [county for county in counties if county[:2] not in POSTAL_OF_FIPS]:
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
        for number, count in rows.get(county, {}).items():
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
    censuses = [edition.year for edition in EDITIONS.values()]
    named = {census for census in censuses if str(census) in path.name}
    years = ({year} - {0}) | tally.years or named
    if len(years) != 1:
        raise InputError(
            f"{path}: the tables do not say which census they are from. Give the year "
            f"{', '.join(map(str, censuses[:-1]))} or {censuses[-1]}"
            + (f" (the columns are those of {', '.join(map(str, sorted(tally.years)))})." if tally.years else ".")
        )
    return years.pop()


def _nothing(tally: _Tally) -> str:
    if tally.names_skipped:
        names = ", ".join(sorted(tally.names_skipped)[:5])
        return f"the places have names but no codes: {names}. Give the county code of each place, as in 'NAME=CODE'."
    return "no column of PCT12 or P12 (such as PCT012A003, PCT12A_003N or P012A003) has a county code."


# County estimates by age, sex and race as the Population Estimates Program publishes them (CSV).


_RACES = MappingProxyType({"WA": "white", "BA": "black", "IA": "aian", "AA": "asian", "NA": "nhpi", "TOM": "multiple"})
_SEXES = MappingProxyType({"M": "MALE", "F": "FEMALE"})
_CODES = ("STATE", "COUNTY", "YEAR", "AGEGRP")
_COUNTS = ("TOT_POP", *(f"{stem}_{sex}" for stem in ("TOT", *_RACES) for sex in _SEXES.values()))
_CHUNK_ROWS = 50_000
_MOST_PEOPLE = 1e9  # no county has more: a larger figure is not a count
A_NATION = 50  # with this many states or more, a missing state is an error and not a choice
_PUERTO_RICO = "72"
_FIVES = {group: (5 * (group - 1), 5) for group in range(2, 18)} | {18: (85, OPEN_ENDED_WIDTH)}


class EstimatesForm(NamedTuple):
    """One kind of file: its age groups (lower bound, years), its total's group, its dates.

    ``day`` returns the date of a YEAR code, and the day whose counties are in the file, from the file's name.
    """

    title: str
    ages: Mapping[int, tuple[int, int]]
    total: int
    day: Callable[[str, int], tuple[str, date]]


def _intercensal_day(_: str, code: int) -> tuple[str, date]:
    days = {1: "2000-04-01", 12: "2010-04-01", 13: "2010-07-01"}
    days |= {code: f"{1998 + code}-07-01" for code in range(2, 12)}
    if code not in days:
        raise InputError(f"YEAR {code} is not one of 1 to 13.")
    return days[code], census_day(2010)


def _postcensal_day(name: str, code: int) -> tuple[str, date]:
    match = re.search(r"cc-est(20\d\d)", name)
    vintage = int(match[1]) if match else 0
    if 2011 <= vintage <= 2019:
        start, first = 2010, 3
    elif vintage >= 2021:
        start, first = 2020, 2
    else:
        raise InputError("the file's name must contain its vintage, as in cc-est2019-alldata.csv.")
    last = first + vintage - start
    if not 1 <= code <= last:
        raise InputError(f"YEAR {code} is not one of 1 to {last}.")
    day = f"{start}-04-01" if code < first else f"{start + code - first}-07-01"
    return day, date(vintage, 1, 1)


ESTIMATES: Mapping[str, EstimatesForm] = MappingProxyType(
    {
        "co-est00int": EstimatesForm(
            "County intercensal estimates 2000 to 2010", {0: (0, 1), 1: (1, 4), **_FIVES}, 99, _intercensal_day
        ),
        "cc-est": EstimatesForm("County estimates", {1: (0, 5), **_FIVES}, 0, _postcensal_day),
    }
)


class Estimates(NamedTuple):
    """Cells of one date, and the checks they passed."""

    cells: pd.DataFrame
    date: str
    checks: tuple[str, ...]


def read_estimates(path: Path, form: str, year: int = 0, *, partial: bool = False) -> Estimates:
    """Read one date of an estimates file, or of several files of the same kind.

    ``year``: the file's YEAR code; needed where the file has several.
    """
    kind = ESTIMATES[form]
    files = [member for member in members(path) if member.name.endswith(".csv")]
    if not files:
        raise SchemaError(str(path), ["has no .csv file."])
    table = pd.concat([_read(member, year) for member in files], ignore_index=True)
    years = sorted(table["YEAR"].unique())
    try:
        if not years:
            raise InputError(f"has no rows of YEAR {year}." if year else "has no rows.")
        if len(years) != 1:
            raise InputError(f"has the YEAR codes {', '.join(map(str, years))}: choose one of them as the year.")
        day, counties_day = kind.day(files[0].name, int(years[0]))
    except InputError as error:
        raise SchemaError(str(path), [str(error)]) from None
    problems, checks = _check(table, kind, county_history().counties(counties_day), partial=partial)
    if problems:
        raise SchemaError(str(path), problems)
    return Estimates(_cells(table, kind), day, checks)


def _read(member: Member, year: int) -> pd.DataFrame:
    parts, used = [], {*_CODES, *_COUNTS}
    with member.stream() as file:
        try:
            chunks = pd.read_csv(
                file, dtype=str, encoding="latin-1", chunksize=_CHUNK_ROWS, usecols=used.__contains__, index_col=False
            )
            for chunk in chunks:
                if missing := sorted(used - set(chunk.columns)):
                    raise SchemaError(member.where, [f"is not an estimates file: it lacks {', '.join(missing)}."])
                numbers = chunk.apply(pd.to_numeric, errors="coerce").astype(np.float64)
                wrong = numbers.isna() | (numbers < 0) | (numbers > _MOST_PEOPLE) | (numbers % 1 != 0)
                if wrong.to_numpy().any():
                    row, column = np.argwhere(wrong.to_numpy())[0]
                    raise SchemaError(
                        member.where,
                        [
                            f"line {int(chunk.index[row]) + 2}: {chunk.columns[column]} = "
                            f"{chunk.iloc[row, column]!r} is not a whole number."
                        ],
                    )
                whole = numbers.astype(np.int64)
                parts.append(whole[whole["YEAR"] == year] if year else whole)
        except ValueError as error:
            raise SchemaError(member.where, [f"is not an estimates file: {error}."]) from error
    table: pd.DataFrame = pd.concat(parts, ignore_index=True)
    return table


def _check(
    table: pd.DataFrame, kind: EstimatesForm, standing: frozenset[str], *, partial: bool
) -> tuple[list[str], tuple[str, ...]]:
    table["county"] = table["STATE"].map("{:02d}".format) + table["COUNTY"].map("{:03d}".format)
    codes = set(table["county"])
    expected = _expected(codes, standing)
    findings = {**_sums(table, kind), "counties are not of this vintage": codes - expected}
    if not partial:
        findings["counties are missing (set partial to load what is there)"] = expected - codes
    problems = [f"{what}: {few(counties)}." for what, counties in findings.items() if counties]
    return problems, (
        "sexes, six races and age groups add up to the file's totals in every county",
        f"{len(codes):,} of {len(expected):,} counties are present",
    )


def _sums(table: pd.DataFrame, kind: EstimatesForm) -> dict[str, set[str]]:
    """Return the counties at which each sum of the file fails."""

    def at(wrong: pd.Series) -> set[str]:
        return set(table.loc[wrong, "county"])

    failures = {"sexes do not add up": at(table["TOT_POP"] != table["TOT_MALE"] + table["TOT_FEMALE"])}
    for sex in _SEXES.values():
        races = table[[f"{race}_{sex}" for race in _RACES]].sum(axis=1)
        failures[f"races do not add up to TOT_{sex}"] = at(table[f"TOT_{sex}"] != races)
    groups = {*kind.ages, kind.total}
    per_county = table.groupby("county")["AGEGRP"].agg(["nunique", "size"])
    gaps = set(per_county.index[(per_county != len(groups)).any(axis=1)])
    strange = at(~table["AGEGRP"].isin(groups))
    failures[f"age groups {min(groups)} to {max(groups)} do not appear once each"] = gaps | strange
    total = table["AGEGRP"] == kind.total
    parts = table[~total].groupby("county")["TOT_POP"].sum()
    whole = table[total].groupby("county")["TOT_POP"].sum().reindex(parts.index, fill_value=-1)
    failures["age groups do not add up to the total"] = set(parts.index[parts != whole])
    return failures


def _expected(codes: set[str], standing: frozenset[str]) -> set[str]:
    """Counties that should be there: those of each state in the file, or of the nation."""
    states = {code[:2] for code in codes}
    if len(states) >= A_NATION:
        states |= {code[:2] for code in standing} - {_PUERTO_RICO}
    return {code for code in standing if code[:2] in states}


def _cells(table: pd.DataFrame, kind: EstimatesForm) -> pd.DataFrame:
    rows = table[table["AGEGRP"] != kind.total]
    low, width = np.array([kind.ages[group] for group in rows["AGEGRP"]], dtype=np.int64).reshape(-1, 2).T
    county = rows["county"]
    places = {"state": county.str[:2].map(POSTAL_OF_FIPS).to_numpy(), "county": county.to_numpy()}
    ages = {"age": low, "age_width": width}
    parts = [
        pd.DataFrame({**places, "sex": sex, **ages, "race": race, "people": rows[f"{stem}_{word}"].to_numpy()})
        for stem, race in _RACES.items()
        for sex, word in _SEXES.items()
    ]
    cells = pd.concat(parts, ignore_index=True)
    cells = cells[cells["people"] > 0].sort_values(["county", "sex", "race", "age"], ignore_index=True)
    for name in ("state", "county", "sex", "race"):
        cells[name] = cells[name].astype("category")
    return cells
