"""What every answer says next to its figures: noise of the census, and how old the facts of the lists are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from policy_sim.attackers.coverage import Coverage
from policy_sim.granularity import GRANULARITIES, Field
from policy_sim.policies.policy import Policy
from policy_sim.population.population import Provenance
from policy_sim.voter_lists.freshness import freshness_lines, price_lines
from policy_sim.voter_lists.voter_list import VoterList

__all__ = ["PLACED_BY_CHANCE", "coverage_notes", "decided_fields", "freshness_notes", "noise_notes"]

# How ZIP codes are answered where a population counts people by county.
PLACED_BY_CHANCE = (
    "ZIP codes: expected values. People of every age, sex and race are assumed to live in a county's ZIP code areas in "
    "the same shares. A ZIP code area is not exactly a ZIP code, and towns are not modeled"
)

_BELOW_COUNTY = ("zip3", "zip5", "county_zip3", "county_zip5")
_FAR_APART = 5  # years between a count of voters and the people it is divided by


def noise_notes(populations: Iterable[Provenance]) -> list[str]:
    """Say what the census's own noise does to the figures, one line per population that carries it."""
    from policy_sim.io.population_store.census_noise import noise_of

    notes = ((people.name, noise_of(people)) for people in populations)
    return [f"noise of {name}: {note}" for name, note in notes if note]


def coverage_notes(populations: Iterable[Provenance], coverage: Coverage | None) -> list[str]:
    """Say where the registered voters were counted long before or after the people they are divided by.

    Parameters
    ----------
    populations : The people, with their days.
    coverage : Who is on the lists; none: everyone.

    Examples
    --------
    >>> from policy_sim.io.registered_voters import load_coverage
    >>> people = Provenance("us-2000", "Census 2000", "", "2000-04-01", "", 1.0, 0.0, 0.0)
    >>> coverage_notes([people], load_coverage("registered", "2026"))[0].split(":")[1]
    ' those of 2024, as a share of the adults of 2000 (us-2000)'
    """
    if coverage is None or coverage.year is None:
        return []
    return [_far_apart(coverage.year, people) for people in populations if _years_apart(coverage.year, people)]


def _years_apart(year: int, people: Provenance) -> bool:
    return people.date[:4].isdecimal() and abs(int(people.date[:4]) - year) > _FAR_APART


def _far_apart(year: int, people: Provenance) -> str:
    of_year = people.date[:4]
    if year > int(of_year):
        where = "where a state has grown since, the share is too large, and claims look surer than they are"
    else:
        where = "where a state had grown by then, the share is too small, and claims look less sure than they are"
    return f"registered voters: those of {year}, as a share of the adults of {of_year} ({people.name}): {where}"


def freshness_notes(
    lists: Mapping[str, VoterList], policies: Sequence[Policy], states: Sequence[str], *, priced: bool = False
) -> list[str]:
    """Say how old the facts are that decide the answer in the states shown; nothing without lists.

    Parameters
    ----------
    lists : The voter lists by state.
    policies : What is released.
    states : Postal codes.
    priced : Whether the answer is in dollars, so that the price of a list decides too.

    Examples
    --------
    >>> freshness_notes({}, [], ["OH"])
    []
    """
    lines = freshness_lines(lists, states, decided_fields(policies)) + (price_lines(lists, states) if priced else [])
    return [f"age of facts: {line}" for line in lines]


def decided_fields(policies: Iterable[Policy]) -> list[str]:
    """Return the recorded fields of a list that decide who is linked: those that any of the policies releases."""
    return list(dict.fromkeys(name for policy in policies for name in _released(policy)))


def _released(policy: Policy) -> Iterator[str]:
    for field, granularity in policy.releases.items():
        coarsest = next(iter(GRANULARITIES[field]))
        if granularity != coarsest and not (field is Field.GEOGRAPHY and granularity == "state"):
            yield field.value
        if field is Field.GEOGRAPHY and granularity in _BELOW_COUNTY:
            yield "zip"
