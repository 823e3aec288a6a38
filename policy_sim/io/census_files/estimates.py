"""County estimates by age, sex and race as the Population Estimates Program publishes them (CSV)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pandas as pd

from policy_sim.errors import InputError, SchemaError
from policy_sim.io.census_files.archive import Member, members
from policy_sim.io.population_store.census_facts import county_history
from policy_sim.population.ages import OPEN_ENDED_WIDTH
from policy_sim.population.counties import census_day
from policy_sim.states import POSTAL_OF_FIPS

__all__ = ["ESTIMATES", "Estimates", "EstimatesForm", "read_estimates"]

_RACES = MappingProxyType({"WA": "white", "BA": "black", "IA": "aian", "AA": "asian", "NA": "nhpi", "TOM": "multiple"})
_SEXES = MappingProxyType({"M": "MALE", "F": "FEMALE"})
_CODES = ("STATE", "COUNTY", "YEAR", "AGEGRP")
_COUNTS = ("TOT_POP", *(f"{stem}_{sex}" for stem in ("TOT", *_RACES) for sex in _SEXES.values()))
_CHUNK_ROWS = 50_000
_MOST_PEOPLE = 1e9  # no county has more: a larger figure is not a count
_A_NATION = 50  # with this many states or more, a missing state is an error and not a choice
_PUERTO_RICO = "72"
_FIVES = {group: (5 * (group - 1), 5) for group in range(2, 18)} | {18: (85, OPEN_ENDED_WIDTH)}


@dataclass(frozen=True)
class EstimatesForm:
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


@dataclass(frozen=True, eq=False)
class Estimates:
    """Cells of one date, and the checks they passed."""

    cells: pd.DataFrame = field(repr=False)
    date: str
    checks: tuple[str, ...]


def read_estimates(path: Path, form: str, year: int = 0, *, partial: bool = False) -> Estimates:
    """Read one date of an estimates file, or of several files of the same kind.

    Parameters
    ----------
    path : A CSV, a zip, or a folder of them.
    form : A key of :data:`ESTIMATES`.
    year : The file's YEAR code; needed where the file has several.
    partial : Accept missing counties as left out on purpose.

    Raises
    ------
    SchemaError : columns, codes or sums are wrong; lists every problem with its first places.
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
    parts = []
    with member.stream() as file:
        try:
            chunks = pd.read_csv(
                file, dtype=str, encoding="latin-1", chunksize=_CHUNK_ROWS, usecols=_is_used, index_col=False
            )
            for chunk in chunks:
                if missing := sorted({*_CODES, *_COUNTS} - set(chunk.columns)):
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


def _is_used(name: object) -> bool:
    return name in _CODES or name in _COUNTS


def _check(
    table: pd.DataFrame, kind: EstimatesForm, standing: frozenset[str], *, partial: bool
) -> tuple[list[str], tuple[str, ...]]:
    table["county"] = table["STATE"].map("{:02d}".format) + table["COUNTY"].map("{:03d}".format)
    codes = set(table["county"])
    expected = _expected(codes, standing)
    findings = {**_sums(table, kind), "counties are not of this vintage": codes - expected}
    if not partial:
        findings["counties are missing (set partial to load what is there)"] = expected - codes
    problems = [f"{what}: {_few(counties)}." for what, counties in findings.items() if counties]
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
    gaps = (per_county["nunique"] != len(groups)) | (per_county["size"] != len(groups))
    strange = at(~table["AGEGRP"].isin(groups))
    failures[f"age groups {min(groups)} to {max(groups)} do not appear once each"] = (
        set(per_county.index[gaps]) | strange
    )
    total = table["AGEGRP"] == kind.total
    parts = table[~total].groupby("county")["TOT_POP"].sum()
    whole = table[total].groupby("county")["TOT_POP"].sum().reindex(parts.index, fill_value=-1)
    failures["age groups do not add up to the total"] = set(parts.index[parts != whole])
    return failures


def _expected(codes: set[str], standing: frozenset[str]) -> set[str]:
    """Counties that should be there: those of each state in the file, or of the nation."""
    states = {code[:2] for code in codes}
    if len(states) >= _A_NATION:
        states |= {code[:2] for code in standing} - {_PUERTO_RICO}
    return {code for code in standing if code[:2] in states}


def _few(codes: set[str]) -> str:
    more = f" and {len(codes) - 5} more" if len(codes) > 5 else ""
    return ", ".join(sorted(codes)[:5]) + more


def _cells(table: pd.DataFrame, kind: EstimatesForm) -> pd.DataFrame:
    rows = table[table["AGEGRP"] != kind.total]
    low = rows["AGEGRP"].map({group: age for group, (age, _) in kind.ages.items()}).to_numpy(np.int64)
    width = rows["AGEGRP"].map({group: years for group, (_, years) in kind.ages.items()}).to_numpy(np.int64)
    parts = [
        pd.DataFrame(
            {
                "state": rows["county"].str[:2].map(POSTAL_OF_FIPS).to_numpy(),
                "county": rows["county"].to_numpy(),
                "sex": sex,
                "age": low,
                "age_width": width,
                "race": race,
                "people": rows[f"{stem}_{word}"].to_numpy(),
            }
        )
        for stem, race in _RACES.items()
        for sex, word in _SEXES.items()
    ]
    cells = pd.concat(parts, ignore_index=True)
    cells = cells[cells["people"] > 0].sort_values(["county", "sex", "race", "age"], ignore_index=True)
    for name in ("state", "county", "sex", "race"):
        cells[name] = cells[name].astype("category")
    return cells
