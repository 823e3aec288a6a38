"""An identified file besides a voter list, such as a birth index or a broker's list: one resource, one description."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Self

from policy_sim.attackers.adversary import Constraints, reach_of
from policy_sim.attackers.coverage import Coverage, share_of_text, share_words
from policy_sim.attackers.linkage import Held
from policy_sim.attackers.resource import Resource
from policy_sim.errors import UnknownNameError
from policy_sim.voter_lists.amendments import CHANGEABLE, changed_facts
from policy_sim.voter_lists.buyers import NO_RULE, Allowed
from policy_sim.voter_lists.evidence import NO_EVIDENCE, Evidence, Source
from policy_sim.voter_lists.list_field import ListField, views_of
from policy_sim.voter_lists.price import UNKNOWN_PRICE, Amount, Price
from policy_sim.voter_lists.recorded_fields import LIST_FIELDS

__all__ = ["IdentifiedFile"]


@dataclass(frozen=True)
class IdentifiedFile(Resource):
    """A file of named people: what it shows, of which states, who is in it, its price and who may have it.

    Parameters
    ----------
    name, title : In commands and tables, and in words.
    kind : What kind of file, such as ``birth index``.
    coverage : Whom it holds.
    fields : One entry for each of :data:`~policy_sim.voter_lists.recorded_fields.LIST_FIELDS`; a field left out
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
    evidence: Evidence = NO_EVIDENCE

    def __post_init__(self) -> None:
        complete = {name: self.fields.get(name, ListField()) for name in LIST_FIELDS}
        object.__setattr__(self, "fields", MappingProxyType(complete))

    def covers(self, state: str) -> bool:
        """Whether the file is about the people of a state (postal code)."""
        return self.states is None or state in self.states

    def held(self, state: str) -> Held:
        """Return what the file shows of the people of a state, or why nothing."""
        if not self.covers(state):
            return Held((), "not_covered", f"{self.title} covers {', '.join(self.states or ())} only")
        status, reason = self.refused.get(state, (self.status, self.status_reason))
        if status != "available":
            return Held((), status, reason or f"{self.title}: {status.replace('_', ' ')}")
        return Held(views_of(self.fields, self.place), noun="the file")

    def amount(
        self, state: str, records: float | None = None, counties: int | None = None, buyer: str | None = None
    ) -> Amount:
        """Return the least that the file costs for a state; a whole file is paid for whichever state is studied."""
        return self._paid(self.price, state, records, counties, buyer)

    def amounts(
        self,
        state: str,
        records: tuple[float | None, float | None],
        counties: int | None = None,
        buyer: str | None = None,
    ) -> tuple[Amount, Amount]:
        """Return the least and the most that the file costs for a state."""
        least, most = records
        dearest = self.price_high or self.price
        return self.amount(state, least, counties, buyer), self._paid(dearest, state, most, counties, buyer)

    def _paid(self, price: Price, state: str, records: float | None, counties: int | None, buyer: str | None) -> Amount:
        status, reason = self.refused.get(state, ("", ""))
        if status == "not_to_this_buyer":
            return Amount(None, status, reason)
        return price.usd(records=self.records.get(state, records), counties=counties, buyer=buyer)

    def price_in(self, state: str) -> Price:  # noqa: ARG002
        """Return the price of the file."""
        return self.price

    def sources_in(self, state: str) -> Mapping[str, Source]:  # noqa: ARG002
        """Return the documents that the facts of the file cite."""
        return self.sources

    def buyers_in(self, state: str) -> tuple[str, ...] | None:  # noqa: ARG002
        """Return who may have the file; None where no source says."""
        return self.buyers.names

    def settled(self, end: int) -> Self:
        """Return the file with the fewest people who may be in it (``end`` 0) or the most (1)."""
        return self if self.coverage is None else replace(self, coverage=self.coverage.ends[end])

    def describe(self) -> str:
        """Say which file it is, who is in it and of when the facts are."""
        where = "" if self.states is None else f" ({', '.join(self.states)})"
        who = f"; holds {self.coverage.title}, {share_words(self.coverage)}" if self.coverage else ""
        return f"{self.title}{where}{who}{f'; described {self.vintage}' if self.vintage else ''}"

    def within_reach(self, who: Constraints, records: Mapping[str, float], counties: Mapping[str, int]) -> Self:
        """Return the file as such an adversary finds it: refused in the states where it cannot have it."""
        refused = {}
        for state in records if self.status == "available" else ():
            reached = reach_of(self, who, self.records.get(state, records[state]), counties.get(state))
            if reached.status != "available":
                refused[state] = (reached.status, reached.reason)
        return replace(self, refused=refused)

    def changed(self, state: str, changes: Mapping[str, str]) -> Self:  # noqa: ARG002
        """Return the file after changes: of a field, the price, buyers, uses, status, or the ``share`` of people held.

        Raises
        ------
        UnknownNameError : an item or a word that is not known.
        InputError : a number outside its range.
        """
        rest = dict(changes)
        share = rest.pop("share", None)
        unknown = sorted(set(rest) - set(CHANGEABLE))
        if unknown:
            raise UnknownNameError(f"item of {self.name}", unknown[0], (*CHANGEABLE, "share"))
        facts = changed_facts(self.fields, rest)
        if "price" in facts:
            facts["price_high"] = None
        if share is not None:
            held = self.coverage or Coverage(self.name, "everyone", least_age=0)
            facts["coverage"] = share_of_text(held, share)
        return replace(self, **facts)
