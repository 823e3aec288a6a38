"""Published facts that come with the program: state totals, counties, county changes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import cache
from types import MappingProxyType

import pandas as pd

from policy_sim.errors import UnknownNameError
from policy_sim.io.population_store.shipped import load_shipped, population_facts
from policy_sim.io.toml_files import shipped_table
from policy_sim.population.audit import Published
from policy_sim.population.census_tables import RACE_TABLES
from policy_sim.population.counties import CountyChange, CountyHistory, Part, census_day
from policy_sim.states import STATES

__all__ = ["common_areas", "county_history", "expected_counties", "published"]


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
    """The counts of the census of a year (``data/census_totals.toml``).

    Raises
    ------
    UnknownNameError : the totals of the year are not shipped.
    """
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
