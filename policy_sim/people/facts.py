"""What is known of each population: how its cells add up to what was counted, and what its file says of itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from policy_sim.files.toml import shipped_table
from policy_sim.people.census.tables import EVERYONE, HISPANIC_TABLE, NOT_HISPANIC_TABLES, RACE_TABLES, SexByAge, few
from policy_sim.people.places import CountyChange, CountyHistory, Part, census_day
from policy_sim.people.population import NOISY_CENSUS, Provenance
from policy_sim.people.store import Entry, load_shipped, population_facts, provenance_of
from policy_sim.people.zip_populations import COMPOSED_POPULATIONS, composed_provenance, zip_provenance
from policy_sim.people.zips import COMPOSED, SUFFIX, ZIP_POPULATIONS
from policy_sim.words.errors import SchemaError, UnknownNameError
from policy_sim.words.fields import Granularities
from policy_sim.words.states import STATES
from policy_sim.words.text import percent_words

_SHOWN = 5  # places named in a message
# ZIP code areas leave out land where nobody gets mail; in 2010 they held 99.998 % of the nation.
_MOST_IN_ZIP_AREAS = 1.005  # whole areas across a state line: by the census of 2020 at most 0.16% of a state
_LEAST_IN_ZIP_AREAS = 0.95


@dataclass(frozen=True)
class Published:
    """What a census counted, as printed: the figures that a load is compared with.

    ``people`` by state (postal code); ``counties`` (five digits) of the vintage; ``races`` of the nation by table
    letter; ``county_races``: a row per county, a column per letter A to G. Both are empty where not available.
    """

    year: int
    people: Mapping[str, int]
    counties: frozenset[str]
    races: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    county_races: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False)

    def counties_of(self, states: Iterable[str]) -> frozenset[str]:
        """Return the counties of these states."""
        prefixes = {STATES[state].fips for state in states}
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

    ``expected_counties`` is empty where places are not in counties. ``partial``: take counties that are missing as left
    out on purpose; state totals are then checked only where every county of the state is here. ``hint``: what to do
    where counties are missing, for the message.
    """
    checks = (
        _inside(tables),
        _races(tables),
        _origins(tables),
        _counties(tables, expected_counties, partial, hint),
        _state_totals(tables, published, partial),
        _checked_county_races(tables, published),
        _nation_by_race(tables, published),
    )
    problems = [problem for findings, _ in checks for problem in findings]
    if problems:
        raise SchemaError(where, problems)
    return tuple(remark for _, remark in checks if remark)


_Finding = tuple[list[str], str]  # problems, and what was checked


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
    first, *_, last = partition
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
    if not tables.has_counties or not expected:
        return [], "counties were not checked: these places are not whole counties or parts of all their people"
    in_tables = set(tables.places["county"])
    problems = []
    if strange := in_tables - expected:
        problems.append(f"counties not of this vintage: {few(strange)}.")
    people = _everyone(tables, "county")
    if empty := set(people.index[people == 0]):
        problems.append(f"counties without people: {few(empty)}; no county is empty.")
    missing = expected - in_tables
    if missing and not partial:
        problems.append(f"counties are missing: {few(missing)}.{hint}")
    if missing and partial:
        return problems, f"partial: {len(in_tables):,} of {len(expected):,} counties are here"
    return problems, f"all {len(expected):,} counties expected are here and no other"


def _state_totals(tables: SexByAge, published: Published, partial: bool) -> _Finding:
    in_counties = tables.has_counties
    least, most = (1.0, 1.0) if in_counties else (_LEAST_IN_ZIP_AREAS, _MOST_IN_ZIP_AREAS)
    problems, checked = [], 0
    for state, counted in _everyone(tables, "state").items():
        if state not in published.people or (partial and not _complete(tables, published, str(state))):
            continue
        checked += 1
        printed = published.people[str(state)]
        if not least * printed <= counted <= most * printed:
            problems.append(f"{state} adds up to {counted:,}; the {published.year} census counted {printed:,}.")
    if not checked:
        return [], "state totals were not checked: no state is complete"
    if in_counties:
        return problems, f"{checked} state totals equal the published ones"
    remark = f"{checked} state totals reach {least:.0%} of the published ones"
    return problems, f"{remark} and exceed them by {most - 1:.1%} at most"


def _complete(tables: SexByAge, published: Published, state: str) -> bool:
    if not tables.has_counties:
        return True
    return published.counties_of([state]) <= set(tables.places.loc[tables.places["state"] == state, "county"])


def _checked_county_races(tables: SexByAge, published: Published) -> _Finding:
    """Hold each county against its counted people, race by race where the tables have these races.

    This is what finds a table of zeros where counties were left out and no state is complete.
    """
    if not tables.has_counties or published.county_races.empty:
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
    if not published.races or tables.partition is not RACE_TABLES or not tables.has_counties:
        return [], ""
    nation = tables.places["state"].to_numpy() != "PR"
    if set(tables.places["state"]) | {"PR"} < set(published.people):
        return [], ""
    sums = {letter: int(tables.people(letter)[nation].sum()) for letter in published.races}
    problems = [
        f"{tables.name(letter)} adds up to {sums[letter]:,} in the nation; "
        f"the {published.year} census counted {printed:,}."
        for letter, printed in published.races.items()
        if sums[letter] != printed
    ]
    return problems, "each race adds up to the nation's published figure"


def _everyone(tables: SexByAge, places: str) -> pd.Series:
    """Return the people of all tables of the partition by state or county."""
    people = np.sum([tables.people(letter) for letter in tables.partition], axis=0)
    return pd.Series(people).groupby(tables.places[places].to_numpy()).sum()


def _at(tables: SexByAge, wrong: Any) -> str:
    rows = np.flatnonzero(wrong)
    more = f" and {len(rows) - _SHOWN:,} more" if len(rows) > _SHOWN else ""
    return f" in {'; '.join(tables.place(int(row)) for row in rows[:_SHOWN])}{more}"


# Published facts that come with the program: state totals, counties, county changes.


@cache
def county_history() -> CountyHistory:
    """Every county from 2000 to 2022 and how they changed (``data/counties.toml``, ``county_changes.toml``)."""
    listed = shipped_table("counties.toml")
    changes = shipped_table("county_changes.toml")["change"]
    return CountyHistory(
        listed["date"],
        frozenset(STATES[state].fips + code for state, codes in listed["counties"].items() for code in codes.split()),
        tuple(
            CountyChange(change["date"], change["what"], tuple(Part(**part) for part in change["parts"]))
            for change in changes
        ),
    )


def common_areas(days: Sequence[date | None]) -> tuple[dict[str, str], str]:
    """Return the area of each county that has the same borders on all the days, and a line about it.

    If a day is unknown (in a file of your own), every county is its own area.
    """
    dated = [day for day in days if day is not None]
    if len(dated) < len(days):
        return {}, "areas: counties, assumed unchanged because a population has no date"
    areas = county_history().common_areas(dated)
    joined = len(set(areas.values()) & {area for county, area in areas.items() if county != area})
    return areas, (
        f"areas: {joined} combine counties whose borders changed between the populations (+ is the number of other "
        f"counties; csv and json name them)"
    )


@cache
def published(year: int) -> Published:
    """The counts of the census of a year (``data/census_totals.toml``)."""
    totals = shipped_table("census_totals.toml")
    if str(year) not in totals:
        raise UnknownNameError("census of", str(year), [name for name in totals if name.isdigit()])
    facts = totals[str(year)]
    shipped = f"us-{year}"
    return Published(
        year,
        MappingProxyType(facts["states"]),
        county_history().counties(census_day(year)),
        MappingProxyType(dict(zip(RACE_TABLES, facts.get("races", ()), strict=False))),
        _county_races(shipped) if population_facts()[shipped]["counted"] else pd.DataFrame(),
    )


def _county_races(shipped: str) -> pd.DataFrame:
    """People of each county by table letter; the shipped populations of 2000 and 2010 have both as counted."""
    cells = load_shipped(shipped).cells
    table = cells.pivot_table(index="county", columns="race", values="people", aggfunc="sum", observed=True)
    letters = {race: letter for letter, race in RACE_TABLES.items()}
    counted = table.fillna(0).astype("int64").rename(columns=letters)
    return counted.set_axis(counted.index.astype(str)).set_axis(counted.columns.astype(str), axis="columns")


# The measured effect of disclosure-avoidance noise, as facts that come with the program.
#
# The Bureau published the same cells of Kentucky's 2010 census twice: as counted, and through the noise
# system it was building for 2020 (demonstration of July 2020). Every measure was computed on both.


_RARE = "gender+race+birth=year+geography=county"


@dataclass(frozen=True)
class NoiseEffect:
    """One measure on the same cells, without and with noise: shares of the people, 0 to 1."""

    key: str
    measure: str
    counted: float
    noised: float

    @property
    def releases(self) -> Granularities:
        """The linkage key measured."""
        return Granularities.parse(self.key)


@cache
def noise_effects() -> tuple[NoiseEffect, ...]:
    """Return every measured effect (``data/census_noise.toml``)."""
    return tuple(NoiseEffect(**effect) for effect in shipped_table("census_noise.toml")["effect"])


def carries_noise(entry: Entry) -> bool:
    """Tell whether a saved population is a 2020 census, whose counts below the state carry noise."""
    return entry.counted > 0 and entry.date.startswith(str(NOISY_CENSUS))


def noise_of(population: Provenance) -> str:
    """Say in one line what the noise of Census 2020 does to the figures of a population; empty where it has none.

    A population that is fitted to that census's counts by race has the noise only through those counts.
    """
    if not population.date.startswith(str(NOISY_CENSUS)):
        return ""
    if not population.counted:
        text = (
            "counts by county and race contain the noise of Census 2020. Ages are modeled, so rare people are not "
            "undercounted as they are in that census's tables by age"
        )
        return text if population.modeled else ""
    (unique,) = (e for e in noise_effects() if (e.key, e.measure) == (_RARE, "1-distinct"))
    return (
        "small cells of Census 2020 are not exact, so unique people are undercounted. In Kentucky 2010, such noise "
        f"changed 1-distinct by county, birth year, sex and race from {percent_words(unique.counted, 2)} "
        f"to {percent_words(unique.noised, 2)}. "
        "Texas has 20,139 cells of one person in 2020 and had 37,728 in 2010 (docs/census.md)"
    )


def ethnicity_note(name: str) -> str:
    """Say in one line how sure the ethnicity of the people of a shipped population is; empty for any other.

    >>> ethnicity_note("us-2010")[:71]
    'ethnicity of us-2010: 74.8% of the people are counted with it by county'
    """
    facts = population_facts().get(name.removesuffix(SUFFIX).removesuffix(COMPOSED), {}).get("ethnicity")
    if facts is None:
        return ""
    counted = (
        f"{percent_words(facts['counted'])} of the people are counted" if facts["counted"] else "nobody is counted"
    )
    return f"ethnicity of {name}: {counted} with it by county, sex, age class and race. {facts['how'].rstrip('.')}"


# What is known of the shipped populations, as tidy rows.


_COLUMNS = ("date", "people", "cells", "counted", "estimated", "modeled", "title", "publisher", "how", "sha256")


def populations_frame() -> pd.DataFrame:
    """One row per shipped population, oldest first; shares of the people counted, estimated and modeled add up to 1.

    ``cells`` is missing where the population is made when it is asked for.
    """
    rows = [{"population": name} | {key: facts[key] for key in _COLUMNS} for name, facts in _facts().items()]
    return pd.DataFrame(rows, columns=["population", *_COLUMNS]).astype({"cells": "Int64"})


def _facts() -> dict[str, dict[str, Any]]:
    """Facts of every population that needs no network: those of the manifest, then those made from them."""
    facts = population_facts()
    for name in (*ZIP_POPULATIONS, *COMPOSED_POPULATIONS):
        base, is_composed = name.removesuffix(SUFFIX).removesuffix(COMPOSED), name in COMPOSED_POPULATIONS
        provenance = composed_provenance if is_composed else zip_provenance
        by_zip = asdict(provenance(name, provenance_of(base, facts[base])))
        of_base = {key: facts[base][key] for key in ("people", "made_with")}
        del by_zip["name"], by_zip["counted_by_state"], by_zip["counted_ages"], by_zip["hispanic_sha256"]
        cells = facts[base]["cells"] if is_composed else None
        facts[name] = {**by_zip, **of_base, "cells": cells, "file": f"computed from {facts[base]['file']} when needed"}
    return dict(sorted(facts.items(), key=lambda item: item[1]["date"]))


def facts_of_population(name: str) -> dict[str, Any]:
    """Return everything that the manifest says of one shipped population."""
    facts = _facts()
    if name not in facts:
        raise UnknownNameError("shipped population", name, facts)
    return facts[name]


def population_frame(name: str) -> pd.DataFrame:
    """Everything that the manifest says of one population, as rows ``population, item, value``."""
    rows = [
        (name, item, str(value))
        for item, values in facts_of_population(name).items()
        for value in _each(values)
        if value is not None
    ]
    return pd.DataFrame(rows, columns=["population", "item", "value"])


def _each(values: Any) -> Iterable[Any]:
    """Yield the values of one item of the manifest: of a list each, of a table by state ``TX 1.0``."""
    if isinstance(values, Mapping):
        return [f"{key} {value}" for key, value in values.items()]
    return values if isinstance(values, list | tuple) else [values]
