"""What an attacker links a release with: everyone, a state's voter list, or another identified file.

A resource is asked, state by state, what it shows, who is in it, what it costs and who sells it to whom. No
caller needs to know which kind of resource it is (MODEL.md section 1).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import ClassVar, Self, TypeAlias

from policy_sim.attackers.adversary import Constraints, Sold, reach_of, within_reach
from policy_sim.attackers.coverage import Coverage, share_of_text, share_words
from policy_sim.attackers.linkage import Held, Linkage, linkage_of
from policy_sim.files.evidence import NO_EVIDENCE, Evidence, Source
from policy_sim.voter_lists.changes import CHANGEABLE, change_list, changed_facts
from policy_sim.voter_lists.list_field import LIST_FIELDS, NO_RULE, Allowed, ListField, views_of
from policy_sim.voter_lists.price import UNKNOWN_PRICE, Amount, Price
from policy_sim.voter_lists.voter_list import VoterList
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.fields import Granularities

# How many people are in a resource, by state.
Counted: TypeAlias = Callable[[Coverage | None], Mapping[str, float]]


NO_PRICE = Amount(
    None, "not_modeled", "knowing everyone is an assumption, not something for sale: its price is not modeled"
)


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
        """Return the resource with the fewest people who may be in it (``end`` 0) or the most (1)."""
        if self.coverage is None or self.coverage.is_known:
            return self
        raise InputError(f"{self.title}: not known how many people it holds, and no share of them can be assumed.")

    def amounts(
        self,
        state: str,  # noqa: ARG002
        records: tuple[float | None, float | None],  # noqa: ARG002
        counties: int | None = None,  # noqa: ARG002
        buyer: str | None = None,  # noqa: ARG002
    ) -> tuple[Amount, Amount]:
        """Return the least and the most that the resource costs for a state, for the fewest and the most records."""
        return NO_PRICE, NO_PRICE

    def amounts_for(
        self, state: str, counted: Counted, counties: int | None = None, buyer: str | None = None
    ) -> tuple[Amount, Amount]:
        """Return the least and the most that the resource costs for the people in it.

        ``counted`` says of a coverage with a known share how many people of each state it holds. Where not even one is
        sure to be held, the fewest records are not known.
        """
        coverage = self.coverage_in(state)
        ends = (None, None) if coverage is None else coverage.ends
        fewest, most = (counted(end).get(state) for end in ends)
        return self.amounts(state, (fewest or None, most), counties, buyer)

    def sold_in(self, state: str) -> Sold | None:  # noqa: ARG002
        """Return what is sold in a state, with its price, buyers and sources; None where nobody sells it."""
        return None

    def price_evidence(self, state: str) -> tuple[str, str]:
        """Return when the price of the resource in a state was seen, and who says so; empty where it has none."""
        sold = self.sold_in(state)
        if sold is None or sold.price.kind == "unknown":
            return "", ""
        sources, cited = sold.sources, sold.price.evidence.sources
        titles = "; ".join(sources[name].title if name in sources else name for name in cited)
        return sold.price.date, titles or f"{self.title}: no source stated"

    def restricted_to(self, state: str) -> tuple[str, ...]:
        """Return who alone may have the resource in a state; empty where the public may, or no source says."""
        sold = self.sold_in(state)
        buyers = (None if sold is None else sold.buyers.names) or ()
        return () if "public" in buyers else buyers

    def vintage_in(self, state: str) -> str:
        """Return the vintage of the resource in a state."""
        sold = self.sold_in(state)
        return self.vintage if sold is None else sold.vintage

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
        """Return the resource after a change of what it holds, costs or allows in one state."""
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


EVERYONE = Everyone()


# The voter list of each state, as one resource.


# How the vintage of lists begins that were chosen by a day: the newest of each state.
AS_OF = "as of "


@dataclass(frozen=True)
class StateVoterLists(Resource):
    """The voter list of every state.

    ``lists``: by postal code. ``vintage``: what the lists are called together; where a day chose them, ``as of`` and
    the day. ``coverage``: whom the lists hold; None: everyone, as Benitez & Malin 2010.
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

    def amounts(
        self,
        state: str,
        records: tuple[float | None, float | None],
        counties: int | None = None,
        buyer: str | None = None,
    ) -> tuple[Amount, Amount]:
        """Return what the state's list costs whoever holds it, or a class of buyer."""
        listed = self.list_of(state)
        least, most = (
            listed.amount(number, counties)
            if buyer is None
            else listed.price.usd(records=number, counties=counties, buyer=buyer)
            for number in records
        )
        return least, most

    def sold_in(self, state: str) -> VoterList:
        """Return the state's list."""
        return self.list_of(state)

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
        """Return the lists with that of one state changed (:func:`~policy_sim.voter_lists.changes.change_list`)."""
        return replace(self, lists={**self.lists, state: change_list(self.list_of(state), changes)})


# An identified file besides a voter list, such as a birth index or a broker's list: one resource, one description.


@dataclass(frozen=True)
class InState:
    """What a file is in one state where it is not the same everywhere.

    Parameters
    ----------
    status, reason : Whether the file has the people of the state (``available``), not (``not_covered``), or no source
        says (``unknown``), and why.
    date : Of when that is.
    fields : The fields in which the file differs there.
    evidence : What the status rests on.
    """

    status: str = "available"
    reason: str = ""
    date: str = ""
    fields: Mapping[str, ListField] = field(default_factory=dict, repr=False, compare=False)
    evidence: Evidence = NO_EVIDENCE


@dataclass(frozen=True)
class IdentifiedFile(Resource):
    """A file of named people: what it shows, of which states, who is in it, its price and who may have it.

    Parameters
    ----------
    name, title : In commands and tables, and in words.
    kind : What kind of file, such as ``birth index``.
    coverage : Whom it holds.
    fields : One entry for each of :data:`~policy_sim.voter_lists.list_field.LIST_FIELDS`; a field left out
        is unknown.
    states : Postal codes; none: the whole nation.
    place : What the file tells of where its people live besides its fields: the ``state``, or the ``nation`` only.
    status, status_reason : ``available``, ``not_sold`` or ``unknown``, and why.
    price : What the whole file costs, or its records.
    price_high : The most it may cost, where sources give a range.
    records : Records in the file by state, by which its price is reckoned; the people listed where it is not known.
    buyers, uses : What is allowed.
    legality : What the law says of having and using it.
    vintage : Of when the description is.
    refused : Status and reason by state where an adversary cannot have the file.
    by_state : What the file is in the states that are described one by one.
    holds_voters : Whether its people are those of the state's voter list, whom the study counts.
    evidence : What the coverage rests on.
    """

    name: str
    title: str
    kind: str
    coverage: Coverage | None
    fields: Mapping[str, ListField] = field(default_factory=dict, repr=False, compare=False)
    states: tuple[str, ...] | None = None
    place: str = "state"
    status: str = "available"
    status_reason: str = ""
    price: Price = field(default=UNKNOWN_PRICE, compare=False)
    price_high: Price | None = field(default=None, compare=False)
    records: Mapping[str, int] = field(default_factory=dict, repr=False, compare=False)
    buyers: Allowed = NO_RULE
    uses: Allowed = NO_RULE
    legality: str = ""
    vintage: str = ""
    notes: tuple[str, ...] = ()
    sources: Mapping[str, Source] = field(default_factory=dict, repr=False, compare=False)
    refused: Mapping[str, tuple[str, str]] = field(default_factory=dict, repr=False, compare=False)
    by_state: Mapping[str, InState] = field(default_factory=dict, repr=False, compare=False)
    holds_voters: bool = False
    evidence: Evidence = NO_EVIDENCE

    def __post_init__(self) -> None:
        complete = {name: self.fields.get(name, ListField()) for name in LIST_FIELDS}
        object.__setattr__(self, "fields", MappingProxyType(complete))

    def covers(self, state: str) -> bool:
        """Whether the file is about the people of a state (postal code)."""
        return self.states is None or state in self.states

    def fields_in(self, state: str) -> Mapping[str, ListField]:
        """Return the fields of the file as it is in a state."""
        return {**self.fields, **self.by_state[state].fields} if state in self.by_state else self.fields

    def status_in(self, state: str) -> tuple[str, str]:
        """Return whether the file has the people of a state, and why not."""
        own = self.by_state.get(state)
        if self.status != "available" or own is None:
            return self.status, self.status_reason
        return own.status, own.reason

    def held(self, state: str) -> Held:
        """Return what the file shows of the people of a state, or why nothing."""
        if not self.covers(state):
            return Held((), "not_covered", f"{self.title} covers {', '.join(self.states or ())} only")
        status, reason = self.refused.get(state) or self.status_in(state)
        if status != "available":
            return Held((), status, reason or f"{self.title}: {status.replace('_', ' ')}")
        return Held(views_of(self.fields_in(state), self.place), noun="the file")

    def amounts(
        self,
        state: str,
        records: tuple[float | None, float | None],
        counties: int | None = None,
        buyer: str | None = None,
    ) -> tuple[Amount, Amount]:
        """Return the least and the most that the file costs; a whole file is paid for whichever state is studied."""
        status, reason = self.refused.get(state, ("", ""))
        if status == "not_to_this_buyer":
            refused = Amount(None, status, reason)
            return refused, refused
        fewest, most = (self.records.get(state, number) for number in records)
        dearest = self.price_high or self.price
        least = self.price.usd(records=fewest, counties=counties, buyer=buyer)
        return least, dearest.usd(records=most, counties=counties, buyer=buyer)

    def sold_in(self, state: str) -> IdentifiedFile:  # noqa: ARG002
        """Return the file, which is the same in every state."""
        return self

    def settled(self, end: int) -> Self:
        """Return the file with the fewest people who may be in it (``end`` 0) or the most (1)."""
        return self if self.coverage is None else replace(self, coverage=self.coverage.ends[end])

    def describe(self) -> str:
        """Say which file it is, who is in it and of when the facts are."""
        where = "" if self.states is None else f" ({', '.join(self.states)})"
        who = f"; holds {self.coverage.title}, {share_words(self.coverage)}" if self.coverage else ""
        return f"{self.title}{where}{who}{f'; described {self.vintage}' if self.vintage else ''}"

    def covering(self, coverage: Coverage | None) -> Self:
        """Return the file with the people of a coverage of voter lists, if it holds those of the voter lists."""
        return replace(self, coverage=coverage) if self.holds_voters else self

    def within_reach(self, who: Constraints, records: Mapping[str, float], counties: Mapping[str, int]) -> Self:
        """Return the file as such an adversary finds it: refused in the states where it cannot have it."""
        refused = {}
        for state in [name for name in records if self.status_in(name)[0] == "available"]:
            reached = reach_of(self, who, self.records.get(state, records[state]), counties.get(state))
            if reached.status != "available":
                refused[state] = (reached.status, reached.reason)
        return replace(self, refused=refused)

    def changed(self, state: str, changes: Mapping[str, str]) -> Self:
        """Return the file after changes of a field, price, buyers, uses, status, or the ``share`` of people held."""
        rest = dict(changes)
        share = rest.pop("share", None)
        unknown = sorted(set(rest) - set(CHANGEABLE))
        if unknown:
            raise UnknownNameError(f"item of {self.name}", unknown[0], (*CHANGEABLE, "share"))
        facts = changed_facts(self.fields_in(state), rest)
        own = self.by_state.get(state)
        if own is not None:
            of_state = {name: facts.pop(name) for name in ("fields", "status") if name in facts}
            facts["by_state"] = {**self.by_state, state: replace(own, **of_state)}
        if "price" in facts:
            facts["price_high"] = None
        if share is not None:
            held = self.coverage or Coverage(self.name, "everyone", least_age=0)
            facts["coverage"] = share_of_text(held, share)
        return replace(self, **facts)
