"""What is known of a voter list, as rows: one row per fact, with its date, confidence and sources."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from policy_sim.voter_lists.buyers import Allowed
from policy_sim.voter_lists.evidence import Evidence, Source
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.outside_rules import Mirror, Preemption
from policy_sim.voter_lists.recorded_fields import LIST_FIELDS
from policy_sim.voter_lists.voter_list import VoterList

__all__ = ["Fact", "allowed_words", "cite", "facts_frame", "facts_of", "field_words", "newest_date"]


@dataclass(frozen=True)
class Fact:
    """One fact of one list. ``sources`` are the short names by which the list's sources go."""

    state: str
    vintage: str
    item: str
    value: str
    date: str
    confidence: str
    sources: tuple[str, ...]
    note: str = ""


def facts_of(listed: VoterList) -> list[Fact]:
    """Return what is known of a list.

    Returns
    -------
    Status, each recorded field, price, buyers and uses, in that order, then preempted rules and
    mirrors where there are any. The date of a fact is the newest date of its sources.
    """

    def fact(item: str, value: str, evidence: Evidence, date: str = "", note: str = "") -> Fact:
        date = date or newest_date(listed.sources[name] for name in evidence.sources)
        carried = f"carried back from {evidence.carried_from}" if evidence.carried_from else ""
        notes = "; ".join(text for text in (carried, note) if text)
        return Fact(
            listed.state,
            listed.vintage,
            item,
            value,
            date,
            evidence.confidence,
            evidence.sources,
            notes,
        )

    price = listed.price
    return [
        Fact(listed.state, listed.vintage, "status", listed.status, "", "", (), listed.reason),
        *(fact(name, field_words(listed.fields[name]), listed.fields[name].evidence) for name in LIST_FIELDS),
        fact("price", price.describe(), price.evidence, price.date, price.note),
        fact("buyers", allowed_words(listed.buyers), listed.buyers.evidence),
        fact("uses", allowed_words(listed.uses), listed.uses.evidence),
        *(
            fact("preempted", _ruling(entry), entry.evidence, str(entry.since), entry.note)
            for entry in listed.preemptions
        ),
        *(fact("mirror", _mirror(entry), Evidence(sources=(entry.source,))) for entry in listed.mirrors),
    ]


def facts_frame(lists: Iterable[VoterList]) -> pd.DataFrame:
    """Return the facts of many lists as a table; ``sources`` holds titles and addresses."""
    rows = [
        {
            "state": fact.state,
            "vintage": fact.vintage,
            "item": fact.item,
            "value": fact.value,
            "date": fact.date,
            "confidence": fact.confidence,
            "sources": " | ".join(cite(listed.sources[name]) for name in fact.sources),
            "note": fact.note,
        }
        for listed in lists
        for fact in facts_of(listed)
    ]
    return pd.DataFrame(rows, columns=[*Fact.__dataclass_fields__], dtype="string")


def newest_date(sources: Iterable[Source]) -> str:
    """Return the newest of the sources' dates, empty without sources."""
    dates = [source.date for source in sources]
    dated = [date for date in dates if date != "undated"]
    return max(dated) if dated else (dates[0] if dates else "")


def field_words(fact: ListField) -> str:
    """Say whether a field is shown, and how finely."""
    if fact.availability != "included":
        return fact.availability
    detail = fact.wording or fact.granularity
    return "included" if detail in ("", "value") else f"included ({detail})"


def allowed_words(allowed: Allowed) -> str:
    """Say who or what is allowed."""
    if allowed.names is None:
        return "unknown"
    return ", ".join(allowed.names) or "nobody"


def _ruling(preemption: Preemption) -> str:
    """Say which rule no longer binds, and who set it aside."""
    by = preemption.by.replace("_", " ")
    written, allowed = (allowed_words(Allowed(names)) for names in (preemption.written, preemption.allowed))
    return f"{preemption.rule}: {allowed} since {preemption.since}, by {by} (state rule: {written})"


def _mirror(mirror: Mirror) -> str:
    return f"{mirror.covers}: {f'{mirror.usd:,.2f} USD' if mirror.usd else 'free'}"


def cite(source: Source) -> str:
    """Return a source as title and address."""
    return f"{source.title} <{source.url}>" if source.url else source.title
