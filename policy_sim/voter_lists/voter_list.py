"""A state's voter list at one time: what it holds, who may have it, for what, and at what price."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from policy_sim.files.evidence import NO_EVIDENCE, Conflict, Evidence, Source
from policy_sim.voter_lists.list_field import LIST_FIELDS, NO_RULE, Allowed, ListField, views_of
from policy_sim.voter_lists.price import UNKNOWN_PRICE, Amount, Price
from policy_sim.words.arguments import day as a_day
from policy_sim.words.arguments import name_of, of_kind, text
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Granularities

# What reaches past a state's own rules: rulings and statutes that preempt them, and free mirrors.


PREEMPTABLE = ("buyers", "uses")
PREEMPTED_BY = ("federal_court", "federal_statute", "state_court", "state_statute")


@dataclass(frozen=True)
class Preemption:
    """A rule of a state (``buyers`` or ``uses``) that another law or a court sets aside from the day ``since`` on.

    ``by`` is one of :data:`PREEMPTED_BY`; ``written`` is what the state's own rule allows, ``allowed`` what is allowed
    from then on, each None where no source says. ``note`` says for whom, and how far the ruling reaches.
    """

    rule: str
    since: dt.date
    by: str
    written: tuple[str, ...] | None
    allowed: tuple[str, ...] | None
    note: str = ""
    evidence: Evidence = NO_EVIDENCE

    def words_on(self, day: dt.date) -> tuple[str, ...] | None:
        """Return who or what is allowed on a day: by the written rule before ``since``, without it after."""
        return self.allowed if day >= self.since else self.written


@dataclass(frozen=True)
class Mirror:
    """A copy of the list that a private site offers; its price and terms are not the state's.

    ``source``: the short name of the source that saw it. ``usd``: what the mirror charges; 0 where it is free.
    ``covers``: what the mirror gives, such as ``whole file`` or ``search by name``.
    """

    source: str
    usd: float = 0.0
    covers: str = "whole file"


LIST_STATUSES: Mapping[str, str] = MappingProxyType(
    {
        "available": "a statewide list can be had, by some buyers at least",
        "county_only": "no statewide list; only counties or towns sell their own",
        "not_sold": "nobody can get a list",
        "unknown": "no source describes the list",
    }
)

# A list of one year, of the state or of its counties. Every other vintage names a scenario.
VINTAGE = re.compile(r"\d{4}(-county)?")


@dataclass(frozen=True)
class Quote:
    """What one compilation of prices and rules prints for the state.

    ``words`` is its text where it prints no plain amount; ``openness`` its class for the list.
    """

    source: str
    usd: float | None = None
    words: str = ""
    openness: str = ""


# What several parts of a list are held in, and what each of them is.
_PARTS: Mapping[str, tuple[type, type]] = MappingProxyType(
    {
        "fields": (Mapping, ListField),
        "quotes": (tuple, Quote),
        "conflicts": (tuple, Conflict),
        "notes": (tuple, str),
        "sources": (Mapping, Source),
        "preemptions": (tuple, Preemption),
        "mirrors": (tuple, Mirror),
    }
)


@dataclass(frozen=True)
class VoterList:
    """What is known of one state's voter list at one vintage.

    A list that counties or towns sell in addition to the state's list is a separate list: its vintage ends in
    ``-county``, such as ``2026-county``.

    Parameters
    ----------
    vintage : A year, a year with ``-county``, or the name of a scenario.
    valid_from, valid_until : The first day for which the facts hold, and the first day for which they
        no longer do (None while they still hold).
    fields : One entry for each of :data:`LIST_FIELDS`; a field left out is unknown.
    buyers, uses : What is allowed on ``valid_from``.
    preemptions : Rules of the state that a court or another law sets aside, each from its own day on.
    mirrors : Copies on private sites, each with its own price.
    sources : The documents that the facts cite, by short name.

    Examples
    --------
    >>> listed = VoterList("OH", "2026", "available")
    >>> listed.seller, listed.is_scenario
    ('state', False)
    """

    state: str
    vintage: str
    status: str
    status_reason: str = ""
    valid_from: dt.date = dt.date.min
    valid_until: dt.date | None = None
    fields: Mapping[str, ListField] = field(default_factory=dict)
    price: Price = UNKNOWN_PRICE
    buyers: Allowed = NO_RULE
    uses: Allowed = NO_RULE
    quotes: tuple[Quote, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    notes: tuple[str, ...] = ()
    sources: Mapping[str, Source] = field(default_factory=dict)
    preemptions: tuple[Preemption, ...] = ()
    mirrors: tuple[Mirror, ...] = ()

    def __post_init__(self) -> None:
        name_of("state", self.state, "'OH'")
        text("vintage", self.vintage)  # empty where no list is known
        name_of("status", self.status, "'available'")
        text("status_reason", self.status_reason)
        of_kind("price", self.price, Price, "a Price, such as Price('free')")
        a_day("valid_from", self.valid_from)
        if self.valid_until is not None:
            a_day("valid_until", self.valid_until)
        for name in ("buyers", "uses"):
            of_kind(name, getattr(self, name), Allowed, "Allowed, such as Allowed(('public',))")
        for name, kind in _PARTS.items():
            held: Any = of_kind(name, getattr(self, name), kind[0], f"a {kind[0].__name__.lower()}")
            if not all(isinstance(item, kind[1]) for item in (held.values() if isinstance(held, Mapping) else held)):
                raise InputError(f"{name}: give a {kind[0].__name__.lower()} of {kind[1].__name__}.")
        complete = {name: self.fields.get(name, ListField()) for name in LIST_FIELDS}
        object.__setattr__(self, "fields", MappingProxyType(complete))
        object.__setattr__(self, "sources", MappingProxyType(dict(self.sources)))

    def citing(self, sources: Mapping[str, Source]) -> VoterList:
        """Return the list with those of the known sources that its facts, quotes and conflicts cite.

        ``sources``: documents by their short names.

        >>> dict(VoterList("OH", "2026", "available").citing({"form": Source("form", "Order form")}).sources)
        {}
        """
        if not all(
            isinstance(source, Source) for source in of_kind("sources", sources, Mapping, "sources by name").values()
        ):
            raise InputError("sources: give sources by their short names.")
        evidence = [fact.evidence for fact in self.fields.values()]
        evidence += [self.price.evidence, self.buyers.evidence, self.uses.evidence]
        evidence += [preemption.evidence for preemption in self.preemptions]
        cited = [name for item in evidence for name in item.sources]
        cited += [name for conflict in self.conflicts for name in conflict.sources]
        cited += [quote.source for quote in self.quotes] + [mirror.source for mirror in self.mirrors]
        return replace(self, sources={name: sources[name] for name in cited if name in sources})

    @property
    def seller(self) -> str:
        """Who sells the list: ``state`` or ``county`` (counties or towns)."""
        return "county" if self.vintage.endswith("-county") else "state"

    @property
    def is_scenario(self) -> bool:
        """Whether the list is a rule over years and not a description of one."""
        return VINTAGE.fullmatch(self.vintage) is None

    def on(self, day: dt.date) -> VoterList:
        """Return the list with the buyers and uses that are allowed on a day, preemptions included.

        ``day``: a date, or a text such as ``"2026-01-01"``.

        >>> ruling = Preemption("uses", dt.date(2024, 2, 2), "federal_court", ("political",), ("any",))
        >>> listed = VoterList("ME", "2020", "available", uses=Allowed(("political",)), preemptions=(ruling,))
        >>> listed.on(dt.date(2023, 1, 1)).uses.names, listed.on(dt.date(2025, 1, 1)).uses.names
        (('political',), ('any',))
        """
        day = a_day("day", day)
        ruled = {
            preemption.rule: Allowed(preemption.words_on(day), preemption.evidence)
            for preemption in self.preemptions
            if preemption.words_on(day) != getattr(self, preemption.rule).names
        }
        return replace(self, buyers=ruled.get("buyers", self.buyers), uses=ruled.get("uses", self.uses))

    @property
    def reason(self) -> str:
        """Why there is no list; empty where there is one."""
        if self.status == "available":
            return ""
        return self.status_reason or LIST_STATUSES[self.status]

    def amount(self, records: float | None = None, counties: int | None = None) -> Amount:
        """Return what the list costs whoever holds it (:meth:`~policy_sim.voter_lists.price.Price.usd`).

        A list that is not sold to this buyer has no price for that buyer, whatever others pay.

        ``records``, ``counties``: how much the list holds, 0 or more; None where that is not known. Returns US dollars,
        or a status and the reason why there are none.

        >>> VoterList("OH", "2026", "available", price=Price("flat", 25)).amount().usd
        25.0
        """
        if self.status == "not_to_this_buyer":
            return Amount(None, self.status, self.status_reason)
        return self.price.usd(records=records, counties=counties)

    def views(self) -> tuple[Granularities, ...]:
        """What a buyer may see, surely first, at most last (:func:`~policy_sim.voter_lists.list_field.views_of`).

        >>> births = dict.fromkeys(LIST_FIELDS, ListField("withheld")) | {"birth": ListField("unknown")}
        >>> tuple(str(view) for view in VoterList("OH", "2026", "available", fields=births).views())
        ('geography=state', 'birth=year+geography=state', 'birth=date+geography=state')
        """
        return views_of(self.fields)
