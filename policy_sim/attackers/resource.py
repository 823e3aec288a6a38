"""What an attacker links a release with: everyone, a state's voter list, or another identified file.

A resource is asked, state by state, what it shows, who is in it, what it costs and who sells it to whom. No
caller needs to know which kind of resource it is (MODEL.md section 1).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self, TypeAlias

from policy_sim.attackers.adversary import Constraints
from policy_sim.attackers.coverage import Coverage
from policy_sim.attackers.linkage import Held, Linkage, linkage_of
from policy_sim.errors import InputError
from policy_sim.granularity import Granularities
from policy_sim.voter_lists.evidence import Source
from policy_sim.voter_lists.price import Amount, Price

__all__ = ["EVERYONE", "NO_PRICE", "Counted", "Everyone", "Resource"]

# How many people are in a resource, by state.
Counted: TypeAlias = Callable[[Coverage | None], Mapping[str, float]]


class Resource(ABC):
    """Something identified that a release can be linked with.

    Attributes
    ----------
    name, title : In commands and tables, and in words.
    vintage : Of when; empty where a resource has no date.
    coverage : Whom it holds; None: everyone.
    is_file : Whether it is a list of people that someone gives or sells, and not an assumption.
    is_state_list : Whether each state has one of its own, such as its voter list.
    """

    name: str
    title: str
    vintage: str
    coverage: Coverage | None
    is_file: ClassVar[bool] = True
    is_state_list: ClassVar[bool] = False

    @abstractmethod
    def held(self, state: str) -> Held:
        """Return what the resource shows of the people of a state (postal code), or why nothing."""

    def linkage(self, policy: Granularities, state: str) -> Linkage:
        """Return the linkage key under a policy: its meet with what is held, or why there is none.

        Its status is ``interval`` where a field is unknown, or how many of the people the resource holds.
        """
        held, coverage = self.held(state), self.coverage_in(state)
        if held.views and coverage is not None and not coverage.knows(state):
            held = Held((), "unknown", f"the number of {coverage.title} in {state} is unknown")
        linkage = linkage_of(held, policy)
        if linkage.low is None or coverage is None or coverage.is_known:
            return linkage
        unsure = f"{held.noun} has {100 * coverage.least_share:g}% to {100 * coverage.most_share:g}% of its people"
        if (coverage.least_share, coverage.most_share) == (0.0, 1.0):
            unsure = f"it is unknown how many of its people {held.noun} has"
        return replace(linkage, status="interval", reason="; ".join(filter(None, (linkage.reason, unsure))))

    def coverage_in(self, state: str) -> Coverage | None:  # noqa: ARG002
        """Return who is in the resource in a state; None: everyone."""
        return self.coverage

    def settled(self, end: int) -> Self:  # noqa: ARG002
        """Return the resource with the fewest people who may be in it (``end`` 0) or the most (1).

        Raises
        ------
        InputError : not known how many it holds, and the resource cannot be settled.
        """
        if self.coverage is None or self.coverage.is_known:
            return self
        raise InputError(f"{self.title}: not known how many people it holds, and no share of them can be assumed.")

    @abstractmethod
    def amount(
        self, state: str, records: float | None = None, counties: int | None = None, buyer: str | None = None
    ) -> Amount:
        """Return what the resource costs for a state.

        Parameters
        ----------
        state : Postal code.
        records, counties : How much is bought.
        buyer : A class of buyer that may have a price of its own.
        """

    def amounts(
        self,
        state: str,
        records: tuple[float | None, float | None],
        counties: int | None = None,
        buyer: str | None = None,
    ) -> tuple[Amount, Amount]:
        """Return the least and the most that the resource costs for a state.

        Parameters
        ----------
        records : The fewest and the most that are bought.
        state, counties, buyer : As for :meth:`amount`.
        """
        least, most = (self.amount(state, number, counties, buyer) for number in records)
        return least, most

    def amounts_for(
        self, state: str, counted: Counted, counties: int | None = None, buyer: str | None = None
    ) -> tuple[Amount, Amount]:
        """Return the least and the most that the resource costs for the people in it.

        Where not even one of them is sure to be held, the fewest records are not known.

        Parameters
        ----------
        counted : From a coverage with a known share to how many people of each state it holds.
        state, counties, buyer : As for :meth:`amount`.
        """
        coverage = self.coverage_in(state)
        ends = (None, None) if coverage is None else coverage.ends
        fewest, most = (counted(end).get(state) for end in ends)
        return self.amounts(state, (fewest or None, most), counties, buyer)

    def price_in(self, state: str) -> Price | None:  # noqa: ARG002
        """Return the price of the resource in a state, with its date and sources; None where nobody sells it."""
        return None

    def sources_in(self, state: str) -> Mapping[str, Source]:  # noqa: ARG002
        """Return the documents that the facts of the resource in a state cite, by their short names."""
        return {}

    def price_evidence(self, state: str) -> tuple[str, str]:
        """Return when the price of the resource in a state was seen, and who says so; empty where it has none."""
        price = self.price_in(state)
        if price is None or price.kind == "unknown":
            return "", ""
        sources = self.sources_in(state)
        cited = "; ".join(sources[name].title if name in sources else name for name in price.evidence.sources)
        return price.date, cited or f"{self.title}: no source stated"

    def buyers_in(self, state: str) -> tuple[str, ...] | None:  # noqa: ARG002
        """Return who may have the resource in a state; None where no source says."""
        return None

    def restricted_to(self, state: str) -> tuple[str, ...]:
        """Return who alone may have the resource in a state; empty where the public may, or no source says."""
        buyers = self.buyers_in(state) or ()
        return () if "public" in buyers else buyers

    def vintage_in(self, state: str) -> str:  # noqa: ARG002
        """Return the vintage of the resource in a state."""
        return self.vintage

    def describe(self) -> str:
        """Say which resource it is, for a note below a table."""
        return f"{self.title}, {self.vintage}" if self.vintage else self.title

    def covering(self, coverage: Coverage | None) -> Self:  # noqa: ARG002
        """Return the resource with only the people of a coverage of voter lists; most are not changed."""
        return self

    def within_reach(
        self,
        who: Constraints,  # noqa: ARG002
        records: Mapping[str, float],  # noqa: ARG002
        counties: Mapping[str, int],  # noqa: ARG002
    ) -> Self:
        """Return what an adversary can have of the resource; ``records`` and ``counties`` are those of each state."""
        return self

    def changed(self, state: str, changes: Mapping[str, str]) -> Self:  # noqa: ARG002
        """Return the resource after a change of what it holds, costs or allows in one state.

        Raises
        ------
        InputError : nothing of it can be changed.
        """
        raise InputError(f"{self.title} cannot be changed. Only a list or a file can.")


@dataclass(frozen=True)
class Everyone(Resource):
    """The whole population at the policy's own granularity: the worst case. Nobody sells it, and it has no price."""

    name: str = "everyone"
    title: str = "everyone, as precisely as the policy shows them"
    vintage: str = ""
    coverage: Coverage | None = None
    is_file: ClassVar[bool] = False

    def held(self, state: str) -> Held:  # noqa: ARG002
        """Return no view of its own: whatever a policy shows, everyone has it."""
        return Held()

    def linkage(self, policy: Granularities, state: str) -> Linkage:  # noqa: ARG002
        """Return the policy itself."""
        return Linkage.between(policy, policy)

    def amount(
        self,
        state: str,  # noqa: ARG002
        records: float | None = None,  # noqa: ARG002
        counties: int | None = None,  # noqa: ARG002
        buyer: str | None = None,  # noqa: ARG002
    ) -> Amount:
        """Return no price: it is an assumption, and nobody sells it."""
        return NO_PRICE


NO_PRICE = Amount(None, "not_modeled", "knowing everyone is an assumption that nobody sells: its price is not modeled")
EVERYONE = Everyone()
