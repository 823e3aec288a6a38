"""Published facts that ship with the project: state totals, counties, county changes."""

from __future__ import annotations

import tomllib
from functools import cache
from types import MappingProxyType
from typing import Any

from policy_sim.errors import UnknownNameError
from policy_sim.population.audit import Published
from policy_sim.population.county_changes import CountyChange, CountyHistory, Part, census_day
from policy_sim.population.sex_by_age import RACE_TABLES
from policy_sim.sources.paths import data_dir
from policy_sim.states import STATES

__all__ = ["county_history", "expected_counties", "published"]


def _read(name: str) -> dict[str, Any]:
    with (data_dir() / name).open("rb") as file:
        return tomllib.load(file)


@cache
def county_history() -> CountyHistory:
    """Every county from 2000 to 2022 and how they changed (``data/counties.toml``, ``county_changes.toml``)."""
    listed = _read("counties.toml")
    changes = _read("county_changes.toml")["change"]
    return CountyHistory(
        listed["date"],
        frozenset(STATES[state].fips + code for state, codes in listed["counties"].items() for code in codes.split()),
        tuple(
            CountyChange(change["date"], change["what"], tuple(Part(**part) for part in change["parts"]))
            for change in changes
        ),
    )


@cache
def published(year: int) -> Published:
    """What the census of a year counted (``data/census_totals.toml``).

    Raises
    ------
    UnknownNameError : a year whose totals are not shipped.
    """
    totals = _read("census_totals.toml")
    if str(year) not in totals:
        raise UnknownNameError("census of", str(year), [name for name in totals if name.isdigit()])
    facts = totals[str(year)]
    return Published(
        year,
        MappingProxyType(facts["states"]),
        county_history().counties(census_day(year)),
        MappingProxyType(dict(zip(RACE_TABLES, facts.get("races", ()), strict=False))),
    )


def expected_counties(year: int, states: tuple[str, ...] = ()) -> frozenset[str]:
    """Counties that a load of these states must have; all of the vintage's if no state is named."""
    counted = published(year)
    wanted = states or tuple(counted.people)
    return counted.counties_of(wanted, {postal: state.fips for postal, state in STATES.items()})
