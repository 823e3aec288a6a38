"""What a population can show of a policy that asks for more places than were counted together.

Counts by ZIP code area alone, as fetched from the Census Bureau, have no county. A policy that shows
both county and ZIP code can then be measured by ZIP code only: a coarser release, and so a lower risk.
"""

from __future__ import annotations

from dataclasses import replace

from policy_sim.fields import Field, Granularities
from policy_sim.policies.policy import Policy
from policy_sim.population.cells import Population
from policy_sim.population.places import has_place

__all__ = ["as_shown", "shown_note"]


def as_shown(policy: Policy, population: Population) -> Policy:
    """Return the policy with county and ZIP code as ZIP code, where the population tells no counties.

    Every other policy is returned as it is: what it asks for is there, or is refused when it is merged.
    """
    if policy.releases[Field.GEOGRAPHY] != "county_zip5" or not _only_zip5(population):
        return policy
    small = policy.conditions.small_places
    if small is not None and not has_place(population, small.place):
        return policy
    return replace(
        policy,
        releases=Granularities({**{field.value: name for field, name in policy.releases.items()}, "geography": "zip5"}),
    )


def shown_note(policy: Policy, population: Population) -> str:
    """Say in a line what :func:`as_shown` leaves out of a policy, or nothing.

    A list that holds counties shares no more than the state with a release by ZIP code.
    """
    if as_shown(policy, population) is policy:
        return ""
    return (
        f"{policy.name}: population {population.name} tells ZIP codes but no counties, so that its parts of counties "
        "are measured as whole ZIP code areas, and counties are not linked: the risk is understated"
    )


def _only_zip5(population: Population) -> bool:
    return has_place(population, "zip5") and not has_place(population, "county")
