"""A voter list for the eye: its facts, where sources disagree, and the sources themselves."""

from __future__ import annotations

import datetime as dt

import pandas as pd

from policy_sim.attackers.facts import Fact, facts_of
from policy_sim.attackers.voter_list import VoterList

__all__ = ["sources_text", "voter_list_text"]

_COLUMNS = ("item", "value", "date", "confidence", "sources", "note")


def voter_list_text(listed: VoterList, name: str) -> str:
    """Return a list as lines of text; ``name`` is the state's."""
    facts = facts_of(listed)
    parts = [f"{name}: voter list, vintage {listed.vintage}{_held(listed)}", ""]
    parts += _aligned([_COLUMNS, *(_row(fact) for fact in facts)])
    if listed.quotes:
        parts += ["", "Quoted elsewhere"]
        parts += [f"  {quote.source}: {_quote(quote.usd, quote.words, quote.openness)}" for quote in listed.quotes]
    if listed.conflicts:
        parts += ["", "Sources disagree"]
        for conflict in listed.conflicts:
            settled = "settled" if conflict.resolved else "not settled"
            parts.append(f"  {conflict.about}: {conflict.chosen}; not {conflict.other} ({settled}). {conflict.why}")
    if listed.notes:
        parts += ["", "Notes", *(f"  {note}" for note in listed.notes)]
    cited = dict.fromkeys(source for fact in facts for source in fact.sources)
    if cited:
        parts += ["", "Sources"]
        parts += [f"  {key}: {_cited(listed, key)}" for key in cited]
    return "\n".join(parts)


def sources_text(sources: pd.DataFrame) -> str:
    """Return the rows of :func:`policy_sim.attackers.list_tables.sources_frame`, a document at a time."""
    parts: list[str] = []
    for (title, date, address), rows in sources.groupby(["source", "date", "address"], sort=False):
        parts += [f"{title}, {date}", f"  {address}" if address else "  no address"]
        parts += [f"  {row.vintage}: {row.supports}" for row in rows.itertuples()]
        parts += [f"  {note}" for note in rows["note"].unique() if note]
    return "\n".join(parts) or "(no sources)"


def _row(fact: Fact) -> tuple[str, ...]:
    return fact.item, fact.value, fact.date, fact.confidence, ", ".join(fact.sources), fact.note


def _held(listed: VoterList) -> str:
    """Since when it holds; nothing where no list is described."""
    if listed.valid_from == dt.date.min:
        return ""
    until = f" until {listed.valid_until}" if listed.valid_until else ""
    return f", taken to hold from {listed.valid_from}{until}"


def _aligned(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]


def _quote(usd: float | None, words: str, openness: str) -> str:
    amount = "" if usd is None else f"{usd:,.2f} USD"
    return ", ".join(part for part in (amount, words, openness.replace("_", " ")) if part)


def _cited(listed: VoterList, key: str) -> str:
    source = listed.sources[key]
    return ". ".join(part for part in (f"{source.title}, {source.date}", source.url, source.note) if part)
