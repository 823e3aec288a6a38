"""Races of few people in a county, which a table by county and race shows as Other."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version

import pandas as pd

from policy_sim.files.paths import DEFAULT_POPULATION
from policy_sim.people.by_name import load_population
from policy_sim.people.names import county_names
from policy_sim.words.errors import InputError
from policy_sim.words.states import find_states

LEAST_OF_A_RACE = 50
OTHER = "Other"
_ALONE = ("white", "black", "aian", "asian", "nhpi")


def race_pools_frame(
    states: Sequence[str] = (), population: str = DEFAULT_POPULATION, least: int = LEAST_OF_A_RACE
) -> pd.DataFrame:
    """Return one row per county and race of its people: their number, and how the race is shown.

    Races are those of people of one race; ``shown_as`` is the race if ``least`` people or more of the county have it,
    else Other. ``people_in_other`` are the people of the county under Other: merged races, other and several races.

    Raises
    ------
    UnknownNameError : no such state or population.
    InputError : the population has no county or race.

    References
    ----------
    IHE De-Identification Handbook, 2.0.0-comment (2026), family planning example: 50 people.
    """
    held = load_population(population)
    if not {"county", "race"} <= set(held.cells):
        raise InputError(f"population {population} has no race by county. Use us-2010 or us-2020.")
    if states:
        held = held.in_states([state.postal for state in find_states(list(states))])
    people = held.cells.groupby(["state", "county", "race"], observed=True)["people"].sum().reset_index()
    people = people[people["people"] > 0].astype({"state": str, "county": str, "race": str, "people": "int64"})
    is_alone = people["race"].isin(_ALONE)
    is_shown = is_alone & (people["people"] >= least)
    in_other = people.loc[~is_shown].groupby("county")["people"].sum()
    rows = people[is_alone].assign(
        name=[
            county_names(state).get(code, "") for state, code in people.loc[is_alone, ["state", "county"]].to_numpy()
        ],
        shown_as=people["race"].where(is_shown, OTHER),
        people_in_other=people["county"].map(in_other).fillna(0).astype("int64"),
    )
    columns = ["state", "county", "name", "race", "people", "shown_as", "people_in_other"]
    return rows[columns].sort_values(["county", "race"], ignore_index=True)


def race_pools_notes(rows: pd.DataFrame, population: str, least: int) -> list[str]:
    """Sum up the rows, and say what the rule leaves open."""
    merged = rows[rows["shown_as"] == OTHER]
    few = rows.drop_duplicates("county")["people_in_other"]
    short = int(((few > 0) & (few < least)).sum())
    return [
        f"{len(merged):,} of {len(rows):,} pairs of county and race have fewer than {least:,} people and are shown as "
        f"{OTHER}: {int(merged['people'].sum()):,} people",
        f"in {short:,} counties Other itself has fewer than {least:,} people: merge the county with another",
        f"people: residents of one race alone, {population}; the rule bounds county by race alone, not by age and sex",
        f"cite: policy_sim {version('policy-sim')}; IHE De-Identification Handbook 2.0.0-comment, family planning",
    ]
