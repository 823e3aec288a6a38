"""What is known about a population: its sources, the census's own noise, what was assumed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pandas as pd

from policy_sim.files.toml import shipped_table
from policy_sim.people.census.tables import RACE_TABLES
from policy_sim.people.places import CountyChange, CountyHistory, Part, census_day
from policy_sim.people.population import NOISY_CENSUS, Provenance
from policy_sim.people.store import Entry, load_shipped, population_facts, provenance_of
from policy_sim.people.zips import SUFFIX, ZIP_POPULATIONS, zip_provenance
from policy_sim.words.errors import UnknownNameError
from policy_sim.words.fields import Granularities
from policy_sim.words.states import STATES
from policy_sim.words.text import percent_words

if TYPE_CHECKING:
    from policy_sim.people.audit import Published

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
    from policy_sim.people.audit import Published

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


def expected_counties(year: int, states: tuple[str, ...] = ()) -> frozenset[str]:
    """Counties that a load of these states must have; all counties of the vintage if no state is named."""
    counted = published(year)
    chosen = states or tuple(counted.people)
    return counted.counties_of(chosen, {postal: state.fips for postal, state in STATES.items()})


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

    In a table of that census small cells are emptied, and unique people undercounted. A population that is fitted to
    its counts by race has cells of ours, and the noise only through those counts.
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
    facts = population_facts().get(name.removesuffix(SUFFIX), {}).get("ethnicity")
    if facts is None:
        return ""
    counted = (
        f"{percent_words(facts['counted'])} of the people are counted" if facts["counted"] else "nobody is counted"
    )
    return f"ethnicity of {name}: {counted} with it by county, sex, age class and race. {facts['how'].rstrip('.')}"


# What is known of the shipped populations, as tidy rows.


_COLUMNS = ("date", "people", "cells", "counted", "estimated", "modeled", "title", "publisher", "how", "sha256")


def populations_frame() -> pd.DataFrame:
    """One row per shipped population, oldest first: ``population`` and what the manifest says.

    ``counted``, ``estimated`` and ``modeled`` are shares of the people, 0 to 1, that add up to 1.
    ``cells`` is missing where the population is made when it is asked for.
    """
    rows = [{"population": name} | {key: facts[key] for key in _COLUMNS} for name, facts in _facts().items()]
    return pd.DataFrame(rows, columns=["population", *_COLUMNS]).astype({"cells": "Int64"})


def _facts() -> dict[str, dict[str, Any]]:
    """Facts of every population that needs no network: those of the manifest, then those made from them."""
    facts = population_facts()
    for name in ZIP_POPULATIONS:
        base = name.removesuffix(SUFFIX)
        by_zip = asdict(zip_provenance(name, provenance_of(base, facts[base])))
        of_base = {key: facts[base][key] for key in ("people", "made_with")}
        del by_zip["name"], by_zip["counted_by_state"], by_zip["counted_ages"], by_zip["hispanic_sha256"]
        facts[name] = {**by_zip, **of_base, "cells": None, "file": f"computed from {facts[base]['file']} when needed"}
    return dict(sorted(facts.items(), key=lambda item: item[1]["date"]))


def facts_of_population(name: str) -> dict[str, Any]:
    """Return everything that the manifest says of one shipped population."""
    facts = _facts()
    if name not in facts:
        raise UnknownNameError("shipped population", name, facts)
    return facts[name]


def population_frame(name: str) -> pd.DataFrame:
    """Everything that the manifest says of one population, as rows ``population, item, value``.

    Errors are those of :func:`facts_of_population`.
    """
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
