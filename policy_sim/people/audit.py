"""What a census must add up to: checks at load, each an error that names the first places that fail.

A table that is merely plausible must not pass: totals are compared with what the Bureau printed, races
against everyone, sexes and ages against totals, counties against the vintage.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.people.census.tables import (
    EVERYONE,
    HISPANIC_TABLE,
    NOT_HISPANIC_TABLES,
    RACE_TABLES,
    SexByAge,
    few,
)
from policy_sim.words.errors import SchemaError

_SHOWN = 5  # places named in a message
# ZIP code areas leave out land where nobody gets mail; in 2010 they held 99.998 % of the nation.
_LEAST_IN_ZIP_AREAS = 0.95


@dataclass(frozen=True)
class Published:
    """What a census counted, as printed: the figures that a load is compared with.

    ``people`` by state (postal code); ``counties`` (five digits) of the vintage; ``races`` of the
    nation by table letter, empty where not printed; ``county_races`` the same of each county, one row per
    county and one column per letter A to G, empty where not available.
    """

    year: int
    people: Mapping[str, int]
    counties: frozenset[str]
    races: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    county_races: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False)

    def counties_of(self, states: Iterable[str], fips: Mapping[str, str]) -> frozenset[str]:
        """Return the counties of these states (``fips`` maps postal to two-digit codes)."""
        prefixes = {fips[state] for state in states}
        return frozenset(county for county in self.counties if county[:2] in prefixes)


def audit(
    tables: SexByAge,
    published: Published,
    expected_counties: frozenset[str],
    *,
    where: str,
    partial: bool = False,
    hint: str = "",
) -> tuple[str, ...]:
    """Check the tables and say what was checked.

    ``expected_counties``: every county that should be here; empty where places are not in counties. ``partial``: take
    counties that are missing as left out on purpose; state totals are then checked only where every county of the state
    is here. ``hint``: what to do where counties are missing, for the message.
    """
    checks = (
        _inside(tables),
        _races(tables),
        _origins(tables),
        _counties(tables, expected_counties, partial, hint),
        _state_totals(tables, published, partial),
        _county_races(tables, published),
        _nation_by_race(tables, published),
    )
    problems = [problem for findings, _ in checks for problem in findings]
    if problems:
        raise SchemaError(where, problems)
    return tuple(remark for _, remark in checks if remark)


_Finding = tuple[list[str], str]


def _inside(tables: SexByAge) -> _Finding:
    problems = []
    males, females = tables.shape.sex_totals
    for letter, table in tables.counts.items():
        name = tables.name(letter)
        if (table < 0).any():
            problems.append(f"{name} has counts below 0{_at(tables, np.any(table < 0, axis=1))}.")
        wrong = table[:, 0] != table[:, males] + table[:, females]
        if wrong.any():
            problems.append(f"{name}: males and females do not add up to the total{_at(tables, wrong)}.")
        for sex, (column, word) in enumerate(zip((males, females), ("males", "females"), strict=True)):
            wrong = table[:, column] != table[:, tables.shape.ages_of(sex)].sum(axis=1)
            if wrong.any():
                problems.append(f"{name}: ages do not add up to all {word}{_at(tables, wrong)}.")
    return problems, "sexes and ages add up to the total of every table and place"


def _races(tables: SexByAge) -> _Finding:
    partition = tables.partition
    if EVERYONE not in tables.counts:
        return [], f"races could not be compared with {tables.shape.name}, which was not given"
    whole = tables.counts[EVERYONE]
    off = whole != np.sum([tables.counts[letter] for letter in partition], axis=0)
    remark = f"races add up to {tables.shape.name} in every place, sex and age"
    if not off.any():
        return [], remark
    first, last = next(iter(partition)), list(partition)[-1]
    return [
        f"tables {first} to {last} do not add up to {tables.shape.name} in {int(off.sum()):,} cells"
        f"{_at(tables, np.any(off, axis=1))}."
    ], remark


def _origins(tables: SexByAge) -> _Finding:
    """Hold the tables of people who are not Hispanic against those of their race, and the rest against Hispanics."""
    if not tables.has_ethnicity:
        return [], ""
    problems = []
    for letter, of_race in zip(NOT_HISPANIC_TABLES, RACE_TABLES, strict=True):
        above = tables.counts[letter] > tables.counts[of_race]
        if above.any():
            where = _at(tables, np.any(above, axis=1))
            problems.append(f"{tables.name(letter)} has more people than {tables.name(of_race)}{where}.")
    everyone, others = (
        np.sum([tables.counts[letter] for letter in letters], axis=0) for letters in (RACE_TABLES, NOT_HISPANIC_TABLES)
    )
    hispanic = tables.counts.get(HISPANIC_TABLE, everyone - others)
    off = np.any(hispanic + others != everyone, axis=1)
    first, last = tables.name(HISPANIC_TABLE), tables.name(list(NOT_HISPANIC_TABLES)[-1])
    if off.any():
        problems.append(f"{first} to {last} do not add up to the races{_at(tables, off)}.")
    return problems, f"{first} to {last} add up to the races in every place, sex and age"


def _counties(tables: SexByAge, expected: frozenset[str], partial: bool, hint: str) -> _Finding:
    if "county" not in tables.places.columns or not expected:
        return [], "counties were not checked: these places are not in counties"
    in_tables = set(tables.places["county"])
    problems = []
    if strange := in_tables - expected:
        problems.append(f"counties not of this vintage: {few(strange)}.")
    people = pd.Series(_everyone(tables)).groupby(tables.places["county"].to_numpy()).sum()
    if empty := set(people.index[people == 0]):
        problems.append(f"counties without people: {few(empty)}; no county is empty.")
    missing = expected - in_tables
    if missing and not partial:
        problems.append(f"counties are missing: {few(missing)}.{hint}")
    if missing and partial:
        return problems, f"partial: {len(in_tables):,} of {len(expected):,} counties are here"
    return problems, f"all {len(expected):,} counties expected are here and no other"


def _state_totals(tables: SexByAge, published: Published, partial: bool) -> _Finding:
    totals = pd.Series(_everyone(tables)).groupby(tables.places["state"].to_numpy()).sum()
    in_counties = "county" in tables.places.columns
    least = 1.0 if in_counties else _LEAST_IN_ZIP_AREAS
    problems, checked = [], 0
    for state, counted in totals.items():
        if state not in published.people or (partial and not _complete(tables, published, str(state))):
            continue
        checked += 1
        printed = published.people[str(state)]
        if not least * printed <= counted <= printed:
            problems.append(f"{state} adds up to {counted:,}; the {published.year} census counted {printed:,}.")
    if not checked:
        return [], "state totals were not checked: no state is complete"
    if in_counties:
        return problems, f"{checked} state totals equal the published ones"
    return problems, f"{checked} state totals reach {least:.0%} of the published ones and do not exceed them"


def _complete(tables: SexByAge, published: Published, state: str) -> bool:
    if "county" not in tables.places.columns:
        return True
    in_tables = set(tables.places.loc[tables.places["state"] == state, "county"])
    prefix = min(in_tables)[:2]
    return {county for county in published.counties if county[:2] == prefix} <= in_tables


def _county_races(tables: SexByAge, published: Published) -> _Finding:
    """Hold each county against its counted people, race by race where the tables have these races.

    This is what finds a table of zeros where counties were left out and no state is complete.
    """
    if "county" not in tables.places.columns or published.county_races.empty:
        return [], ""
    county_codes = tables.places["county"].to_numpy()
    counted = pd.DataFrame({letter: tables.people(letter) for letter in tables.partition}).groupby(county_codes).sum()
    printed = published.county_races.reindex(counted.index.intersection(published.county_races.index))
    counted, what = counted.loc[printed.index], "every race"
    if tables.partition is not RACE_TABLES:  # other races: their sum alone is known
        counted, printed, what = counted.sum(axis=1).to_frame(""), printed.sum(axis=1).to_frame(""), "everyone"
    problems = []
    for letter in printed.columns:
        wrong = counted.index[counted[letter] != printed[letter]]
        if len(wrong):
            first = wrong[:_SHOWN]
            pairs = zip(first, counted.loc[first, letter], printed.loc[first, letter], strict=True)
            named = "; ".join(f"{county} {ours:,} against {theirs:,}" for county, ours, theirs in pairs)
            name = tables.name(letter) if letter else "everyone"
            problems.append(f"{name} is not what was counted in {len(wrong):,} counties: {named}.")
    return problems, f"{what} adds up to what was counted in {len(printed):,} counties" if len(printed) else ""


def _nation_by_race(tables: SexByAge, published: Published) -> _Finding:
    if not published.races or tables.partition is not RACE_TABLES or "county" not in tables.places.columns:
        return [], ""
    nation = tables.places["state"].to_numpy() != "PR"
    if set(tables.places["state"]) | {"PR"} < set(published.people):
        return [], ""
    problems = []
    for letter, printed in published.races.items():
        counted = int(tables.people(letter)[nation].sum())
        if counted != printed:
            problems.append(
                f"{tables.name(letter)} adds up to {counted:,} in the nation; "
                f"the {published.year} census counted {printed:,}."
            )
    return problems, "each race adds up to the nation's published figure"


def _everyone(tables: SexByAge) -> NDArray[np.int64]:
    people: NDArray[np.int64] = np.sum([tables.people(letter) for letter in tables.partition], axis=0)
    return people


def _at(tables: SexByAge, wrong: Any) -> str:
    rows = np.flatnonzero(wrong)
    named = [tables.place(int(row)) for row in rows[:_SHOWN]]
    more = f" and {len(rows) - _SHOWN:,} more" if len(rows) > _SHOWN else ""
    return f" in {'; '.join(named)}{more}"
