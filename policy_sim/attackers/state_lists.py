"""The voter list of each state, as one resource."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

from policy_sim.attackers.adversary import Constraints, within_reach
from policy_sim.attackers.coverage import Coverage
from policy_sim.attackers.linkage import Held
from policy_sim.attackers.resource import Resource
from policy_sim.voter_lists.amendments import change_list
from policy_sim.voter_lists.evidence import Source
from policy_sim.voter_lists.price import Amount, Price
from policy_sim.voter_lists.voter_list import VoterList

__all__ = ["AS_OF", "StateVoterLists"]

# How the vintage of lists begins that were chosen by a day: the newest of each state.
AS_OF = "as of "


@dataclass(frozen=True)
class StateVoterLists(Resource):
    """The voter list of every state.

    Parameters
    ----------
    lists : By postal code.
    vintage : What the lists are called together; where a day chose them, ``as of`` and the day.
    coverage : Whom the lists hold; None: everyone, as Benitez & Malin 2010.
    """

    lists: Mapping[str, VoterList] = field(repr=False, compare=False)
    vintage: str = ""
    coverage: Coverage | None = None
    name: str = "voter-lists"
    title: str = "the state's voter list"
    is_state_list: ClassVar[bool] = True

    def list_of(self, state: str) -> VoterList:
        """Return the list of a state (postal code); one of status ``unknown`` if none is described."""
        listed = self.lists.get(state)
        if listed is None:
            return VoterList(state, self.vintage, "unknown", f"no voter list of {state} is recorded")
        return listed

    def held(self, state: str) -> Held:
        """Return what the state's list shows, or why there is none."""
        listed = self.list_of(state)
        return Held(listed.views()) if listed.status == "available" else Held((), listed.status, listed.reason)

    def amount(
        self, state: str, records: float | None = None, counties: int | None = None, buyer: str | None = None
    ) -> Amount:
        """Return what the state's list costs whoever holds it, or a class of buyer."""
        listed = self.list_of(state)
        if buyer is None:
            return listed.amount(records=records, counties=counties)
        return listed.price.usd(records=records, counties=counties, buyer=buyer)

    def price_in(self, state: str) -> Price:
        """Return the price of the state's list."""
        return self.list_of(state).price

    def sources_in(self, state: str) -> Mapping[str, Source]:
        """Return the documents that the facts of the state's list cite."""
        return self.list_of(state).sources

    def buyers_in(self, state: str) -> tuple[str, ...] | None:
        """Return who may have the state's list; None where no source says."""
        return self.list_of(state).buyers.names

    def vintage_in(self, state: str) -> str:
        """Return the vintage of the state's list."""
        return self.list_of(state).vintage

    @property
    def newest_vintage(self) -> str:
        """The vintage of the lists; where a day chose them, the newest of them."""
        return max((self.vintage_in(state) for state in self.lists), default=self.vintage)

    def describe(self) -> str:
        """Say which lists; where a day chose them, which vintage for which state."""
        chosen: dict[str, list[str]] = {}
        for state, listed in sorted(self.lists.items()):
            name = f"vintage {listed.vintage}" if listed.vintage.isdigit() else "no list known"
            chosen.setdefault(name, []).append(state)
        if not self.vintage.startswith(AS_OF):
            return f"vintage {self.vintage}"
        most = max(chosen, key=lambda name: len(chosen[name]))
        rest = [f"{name} for {' '.join(states)}" for name, states in sorted(chosen.items()) if name != most]
        return f"{self.vintage}: " + "; ".join([*rest, f"{most} for {'all others' if rest else 'all states'}"])

    def covering(self, coverage: Coverage | None) -> Self:
        """Return the lists with only the people of the coverage; None: everyone."""
        return replace(self, coverage=coverage)

    def within_reach(self, who: Constraints, records: Mapping[str, float], counties: Mapping[str, int]) -> Self:
        """Return the lists that such an adversary can have, each at its own price."""
        reached = {
            state: within_reach(listed, who, records.get(state), counties.get(state))
            for state, listed in self.lists.items()
        }
        return replace(self, lists=reached)

    def changed(self, state: str, changes: Mapping[str, str]) -> Self:
        """Return the lists with that of one state changed (:func:`~policy_sim.voter_lists.amendments.change_list`)."""
        return replace(self, lists={**self.lists, state: change_list(self.list_of(state), changes)})
