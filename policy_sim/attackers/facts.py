"""What is known of a voter list, as rows: one fact a row, with its date, confidence and sources."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from policy_sim.attackers.evidence import Evidence, Source
from policy_sim.attackers.voter_list import LIST_FIELDS, Allowed, ListField, VoterList

__all__ = ["Fact", "facts_frame", "facts_of", "newest_date"]


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
    """Return what is known of a list: its status, six fields, price, buyers and uses, in that order."""

    def fact(item: str, value: str, evidence: Evidence, date: str = "", note: str = "") -> Fact:
        date = date or newest_date(listed.sources[name] for name in evidence.sources)
        carried = f"carried back from {evidence.carried_from}" if evidence.carried_from else ""
        said = "; ".join(text for text in (carried, note) if text)
        return Fact(
            listed.state,
            listed.vintage,
            item,
            value,
            date,
            evidence.confidence,
            evidence.sources,
            said,
        )

    price = listed.price
    return [
        Fact(listed.state, listed.vintage, "status", listed.status, "", "", (), listed.reason),
        *(fact(name, _field(listed.fields[name]), listed.fields[name].evidence) for name in LIST_FIELDS),
        fact("price", price.describe(), price.evidence, price.date, price.note),
        fact("buyers", _allowed(listed.buyers), listed.buyers.evidence),
        fact("uses", _allowed(listed.uses), listed.uses.evidence),
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
            "sources": " | ".join(_cite(listed.sources[name]) for name in fact.sources),
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


def _field(fact: ListField) -> str:
    if fact.availability != "included":
        return fact.availability
    detail = fact.wording or fact.granularity
    return "included" if detail in ("", "value") else f"included ({detail})"


def _allowed(allowed: Allowed) -> str:
    if allowed.names is None:
        return "unknown"
    return ", ".join(allowed.names) or "nobody"


def _cite(source: Source) -> str:
    return f"{source.title} <{source.url}>" if source.url else source.title
