"""Attackers: who holds which identified resource.

GENERAL holds the whole population at the policy's own granularity: the worst case. VOTER holds the
state's voter list. (Benitez & Malin 2010, "Risk estimation"; MODEL.md section 1.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from policy_sim.attackers.constraints import Constraints, within_reach
from policy_sim.attackers.coverage import Coverage
from policy_sim.attackers.linkage import Linkage
from policy_sim.attackers.voter_list import VoterList
from policy_sim.fields import Field, Granularities

__all__ = ["AS_OF", "GENERAL", "Attacker", "Resource", "covered", "held_back", "voter"]

# How the vintage of lists begins that were chosen by a day: the newest of each state.
AS_OF = "as of "


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
    population. ``vintage`` names the lists and is empty without them. ``coverage`` says whom the lists
    hold; none: everyone, as Benitez & Malin 2010.
    """

    name: str
    title: str
    vintage: str = ""
    lists: Mapping[str, VoterList] | None = field(default=None, repr=False, compare=False)
    coverage: Coverage | None = None

    def linkage(self, policy: Granularities, state: str) -> Linkage:
        """Return the field-by-field meet of the policy with what the attacker holds in the state."""
        if self.lists is None:
            return Linkage.between(policy, policy)
        listed = self.voter_list(state)
        if listed.status != "available":
            return Linkage(None, None, listed.status, listed.reason)
        if self.coverage is not None and not self.coverage.knows(state):
            return Linkage(None, None, "unknown", f"no figure of the {self.coverage.title} in {state}")
        low, high = policy.meet(listed.known_view()), policy.meet(listed.possible_view())
        unknown = [name.value for name in Field if low[name] != high[name]]
        return Linkage.between(low, high, f"not known whether the list holds {', '.join(unknown)}")

    def voter_list(self, state: str) -> VoterList:
        """Return the list held for a state (postal code); one of status ``unknown`` if none is described."""
        listed = (self.lists or {}).get(state)
        if listed is None:
            return VoterList(state, self.vintage, "unknown", f"no voter list of {state} is described")
        return listed

    def vintage_in(self, state: str) -> str:
        """Return the vintage of a state's list; empty for an attacker without lists."""
        return "" if self.lists is None else self.voter_list(state).vintage

    @property
    def newest_vintage(self) -> str:
        """The vintage of the lists; where a day chose them, the newest of them."""
        return max((self.vintage_in(state) for state in self.lists or ()), default=self.vintage)

    def describe_lists(self) -> str:
        """Say which lists are held; where a day chose them, which vintage for which state."""
        chosen: dict[str, list[str]] = {}
        for state, listed in sorted((self.lists or {}).items()):
            name = f"vintage {listed.vintage}" if listed.vintage.isdigit() else "no list known"
            chosen.setdefault(name, []).append(state)
        if not self.vintage.startswith(AS_OF):
            return f"vintage {self.vintage}"
        most = max(chosen, key=lambda name: len(chosen[name]))
        rest = [f"{name} for {' '.join(states)}" for name, states in sorted(chosen.items()) if name != most]
        return f"{self.vintage}: " + "; ".join([*rest, f"{most} for {'all others' if rest else 'all states'}"])


GENERAL = Attacker("general", "holds everyone at the policy's own granularity")


def voter(lists: Mapping[str, VoterList], vintage: str = "") -> Attacker:
    """Return the attacker who holds each state's voter list."""
    vintages = sorted({listed.vintage for listed in lists.values()})
    return Attacker("voter", "holds the state's voter list", vintage or "+".join(vintages), lists)


def covered(attacker: Attacker, coverage: Coverage) -> Attacker:
    """Return the attacker whose lists hold only those whom the coverage says, as ``voter-adults``."""
    name, title = f"{attacker.name}-{coverage.name}", f"{attacker.title}: {coverage.title}"
    return replace(attacker, name=name, title=title, coverage=coverage)


def held_back(
    attacker: Attacker, who: Constraints, records: Mapping[str, float], counties: Mapping[str, int]
) -> Attacker:
    """Return the attacker with the lists that such an adversary can have (:func:`within_reach`).

    Parameters
    ----------
    attacker : Holds voter lists.
    who : What holds him back.
    records, counties : How much each state's list holds, by which its price is reckoned.
    """
    lists = {
        state: within_reach(listed, who, records.get(state), counties.get(state))
        for state, listed in (attacker.lists or {}).items()
    }
    return replace(attacker, title=f"{attacker.title} ({who.title})", lists=lists)
