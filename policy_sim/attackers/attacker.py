"""Attackers: who holds which identified resource.

GENERAL holds the whole population at the policy's own granularity: the worst case. VOTER holds the
state's voter list. (Benitez & Malin 2010, "Risk estimation"; MODEL.md section 1.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Protocol

from policy_sim.attackers.adversary import Constraints, within_reach
from policy_sim.attackers.coverage import Coverage
from policy_sim.granularity import Field, Granularities
from policy_sim.voter_lists.voter_list import VoterList

__all__ = ["AS_OF", "GENERAL", "LINKAGE_STATUSES", "Attacker", "Linkage", "Resource", "covered", "held_back", "voter"]

LINKAGE_STATUSES: Mapping[str, str] = MappingProxyType(
    {
        "ok": "the linkage key is known",
        "interval": "a field of the list is unknown: the key lies between two",
        "county_only": "no statewide list; only counties or towns sell theirs",
        "not_sold": "nobody can have a list",
        "not_to_this_buyer": "there is a list, but it is not sold to this attacker",
        "out_of_reach": "there is a list, but its price or rules hold this attacker back",
        "unknown": "no source says what list there was",
    }
)


@dataclass(frozen=True)
class Linkage:
    """The linkage key of an attacker under a policy in one state.

    ``low`` and ``high`` are the keys with every unknown field withheld and released. They are equal
    where the status is ``ok`` and both missing where there is no list; ``reason`` then says why.
    ``combinations`` has the key for every combination of how the unknown fields of the list may be held,
    from ``low`` to ``high``, in an order that is the same under every policy: what a list holds, it holds
    under all policies. It is empty where the status is not ``interval``.
    """

    low: Granularities | None
    high: Granularities | None
    status: str = "ok"
    reason: str = ""
    combinations: tuple[Granularities, ...] = ()

    @classmethod
    def between(
        cls,
        low: Granularities,
        high: Granularities,
        reason: str = "",
        combinations: tuple[Granularities, ...] = (),
    ) -> Linkage:
        """Make a linkage of its two ends; ``reason`` names what is unknown."""
        if low == high:
            return cls(low, high, "ok")
        return cls(low, high, "interval", reason, combinations or (low, high))

    def label(self) -> str:
        """Write the key; what only the upper end holds stands in brackets; empty without a list.

        >>> low = Granularities(birth="year", geography="state")
        >>> Linkage.between(low, low.replace(gender="value", geography="county")).label()
        'birth=year+geography=state[+gender][+geography=county]'
        """
        if self.low is None or self.high is None:
            return ""
        extra = [
            f"[+{field.value}{'' if name == 'value' else f'={name}'}]"
            for field, name in self.high.items()
            if name != self.low[field]
        ]
        return str(self.low) + "".join(extra)


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
        keys = tuple(policy.meet(view) for view in listed.views())
        low, high = keys[0], keys[-1]
        unknown = [name.value for name in Field if low[name] != high[name]]
        return Linkage.between(low, high, f"not known whether the list holds {', '.join(unknown)}", keys)

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
