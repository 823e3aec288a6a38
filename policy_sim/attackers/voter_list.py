"""A state's voter list at one time: what it holds, who may have it, for what, and at what price."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from policy_sim.attackers.evidence import NO_EVIDENCE, Conflict, Evidence, Source
from policy_sim.attackers.price import UNKNOWN_PRICE, Amount, Price
from policy_sim.fields import Field, Granularities

__all__ = [
    "AVAILABILITIES",
    "BUYERS",
    "LIST_FIELDS",
    "LIST_STATUSES",
    "USES",
    "Allowed",
    "ListField",
    "Quote",
    "VoterList",
]

AVAILABILITIES = ("included", "withheld", "unknown")

# The fields a list is asked about: the model's four, and two recorded facts.
LIST_FIELDS = ("gender", "race", "birth", "geography", "zip", "party")

LIST_STATUSES: Mapping[str, str] = MappingProxyType(
    {
        "available": "a statewide list can be had, by some buyers at least",
        "county_only": "no statewide list; only counties or towns sell theirs",
        "not_sold": "nobody can have a list",
        "unknown": "no source says what list there was",
    }
)

# Who may have a list. "public" is anyone, and so every other class too.
BUYERS = ("public", "resident", "voter", "candidate", "party", "scholar", "journalist", "commercial")

# For what a list may be used. "any" includes commerce.
USES = ("any", "non_commercial", "political", "scholarly", "journalistic")

_FINEST = {Field.GENDER: "value", Field.RACE: "value", Field.BIRTH: "date", Field.GEOGRAPHY: "county"}


@dataclass(frozen=True)
class ListField:
    """Whether a buyer gets a field, and how finely.

    ``granularity`` is one of :data:`policy_sim.fields.GRANULARITIES` where the field is included and
    empty elsewhere. ``wording`` keeps what the list itself says where that differs: an ``age`` is
    held as birth ``year``.
    """

    availability: str = "unknown"
    granularity: str = ""
    wording: str = ""
    evidence: Evidence = NO_EVIDENCE


@dataclass(frozen=True)
class Allowed:
    """Which buyers, or which uses, the state allows.

    ``names`` is None where no source says, and empty where nobody is allowed.
    """

    names: tuple[str, ...] | None = None
    evidence: Evidence = NO_EVIDENCE


@dataclass(frozen=True)
class Quote:
    """What one compilation of prices and rules prints for the state.

    ``words`` is its text where it prints no plain amount; ``openness`` its class for the list.
    """

    source: str
    usd: float | None = None
    words: str = ""
    openness: str = ""


@dataclass(frozen=True)
class VoterList:
    """What is known of one state's voter list at one vintage.

    ``valid_from`` and ``valid_until`` (first day no longer covered; none where open) bound the time
    for which the facts are taken to hold. ``fields`` has one entry for each of :data:`LIST_FIELDS`;
    ``sources`` has the documents that they cite.
    """

    state: str
    vintage: str
    status: str
    status_reason: str = ""
    valid_from: dt.date = dt.date.min
    valid_until: dt.date | None = None
    fields: Mapping[str, ListField] = field(default_factory=dict)
    price: Price = UNKNOWN_PRICE
    buyers: Allowed = Allowed()
    uses: Allowed = Allowed()
    quotes: tuple[Quote, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    notes: tuple[str, ...] = ()
    sources: Mapping[str, Source] = field(default_factory=dict)

    def __post_init__(self) -> None:
        complete = {name: self.fields.get(name, ListField()) for name in LIST_FIELDS}
        object.__setattr__(self, "fields", MappingProxyType(complete))
        object.__setattr__(self, "sources", MappingProxyType(dict(self.sources)))

    def citing(self, known: Mapping[str, Source]) -> VoterList:
        """Return the list with those of the known sources that its facts, quotes and conflicts cite."""
        evidence = [fact.evidence for fact in self.fields.values()]
        evidence += [self.price.evidence, self.buyers.evidence, self.uses.evidence]
        cited = [name for item in evidence for name in item.sources]
        cited += [name for conflict in self.conflicts for name in conflict.sources]
        cited += [quote.source for quote in self.quotes]
        return replace(self, sources={name: known[name] for name in cited if name in known})

    @property
    def reason(self) -> str:
        """Why there is no list; empty where there is one."""
        if self.status == "available":
            return ""
        return self.status_reason or LIST_STATUSES[self.status]

    def amount(self, records: float | None = None, counties: int | None = None) -> Amount:
        """Return what the list costs whoever holds it (:meth:`~policy_sim.attackers.price.Price.usd`).

        A list that is not sold to this buyer has no price for him, whatever others pay.
        """
        if self.status == "not_to_this_buyer":
            return Amount(None, self.status, self.status_reason)
        return self.price.usd(records=records, counties=counties)

    def known_view(self) -> Granularities:
        """What a buyer surely sees: every unknown field taken as withheld."""
        return self._view(unknown_released=False)

    def possible_view(self) -> Granularities:
        """What a buyer may see at most: every unknown field taken as released at its finest."""
        return self._view(unknown_released=True)

    def _view(self, *, unknown_released: bool) -> Granularities:
        held = {name.value: self._held(name, unknown_released) for name in Field}
        place = held["geography"] or "state"  # a list always tells the state
        has_zip = self.fields["zip"].availability
        if has_zip == "included" or (has_zip == "unknown" and unknown_released):
            place = {"state": "zip5", "county": "county_zip5"}.get(place, place)
        held["geography"] = place
        return Granularities({name: granularity for name, granularity in held.items() if granularity})

    def _held(self, name: Field, unknown_released: bool) -> str:
        fact = self.fields[name.value]
        if fact.availability == "unknown":
            return _FINEST[name] if unknown_released else ""
        return fact.granularity if fact.availability == "included" else ""
