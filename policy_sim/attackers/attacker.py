"""Attackers: who holds which identified resource.

GENERAL holds the whole population at the policy's own granularity: the worst case. VOTER holds the
state's voter list. (Benitez & Malin 2010, "Risk estimation"; MODEL.md section 1.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from policy_sim.attackers.linkage import Linkage
from policy_sim.attackers.voter_list import VoterList
from policy_sim.fields import Field, Granularities

__all__ = ["GENERAL", "Attacker", "Resource", "voter"]


class Resource(Protocol):
    """Something identified that a release can be linked to."""

    @property
    def name(self) -> str:
        """The name in commands and tables."""

    def linkage(self, policy: Granularities, state: str) -> Linkage:
        """Return the linkage key under a policy, or why there is none."""


@dataclass(frozen=True)
class Attacker:
    """Someone with an identified resource for every state.

    ``lists`` is the voter list of each state (postal code); none for an attacker who holds the whole
    population. ``vintage`` names the lists and is empty without them.
    """

    name: str
    title: str
    vintage: str = ""
    lists: Mapping[str, VoterList] | None = field(default=None, repr=False, compare=False)

    def linkage(self, policy: Granularities, state: str) -> Linkage:
        """Return the field-by-field meet of the policy with what the attacker holds in the state."""
        if self.lists is None:
            return Linkage.between(policy, policy)
        listed = self.voter_list(state)
        if listed.status != "available":
            return Linkage(None, None, listed.status, listed.reason)
        low, high = policy.meet(listed.known_view()), policy.meet(listed.possible_view())
        unknown = [name.value for name in Field if low[name] != high[name]]
        return Linkage.between(low, high, f"not known whether the list holds {', '.join(unknown)}")

    def voter_list(self, state: str) -> VoterList:
        """Return the list held for a state (postal code); one of status ``unknown`` if none is described."""
        listed = (self.lists or {}).get(state)
        if listed is None:
            return VoterList(state, self.vintage, "unknown", f"no voter list of {state} is described")
        return listed


GENERAL = Attacker("general", "holds everyone at the policy's own granularity")


def voter(lists: Mapping[str, VoterList], vintage: str = "") -> Attacker:
    """Return the attacker who holds each state's voter list."""
    vintages = sorted({listed.vintage for listed in lists.values()})
    return Attacker("voter", "holds the state's voter list", vintage or "+".join(vintages), lists)
