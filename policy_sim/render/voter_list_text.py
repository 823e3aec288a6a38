"""A voter list as text: its facts, where sources disagree, and the sources themselves."""

from __future__ import annotations

import datetime as dt
import textwrap
from collections.abc import Iterable

import pandas as pd

from policy_sim.granularity import field_word
from policy_sim.render.plain import plain
from policy_sim.render.text_table import Column, layout, table_width
from policy_sim.voter_lists.facts import Fact, facts_of
from policy_sim.voter_lists.freshness import deciding_fact
from policy_sim.voter_lists.recorded_fields import RECORDED_FIELDS
from policy_sim.voter_lists.voter_list import VoterList

__all__ = ["sources_text", "voter_list_text"]

_COLUMNS = ("item", "value", "date", "confidence", "sources", "note")


def voter_list_text(listed: VoterList, name: str, width: int | None = None) -> str:
    """Return a list as text; long lines are wrapped, and control characters replaced.

    Parameters
    ----------
    listed : The list.
    name : The state's name.
    width : Characters in a line; by default what :func:`policy_sim.render.text_table.table_width` says.
    """
    facts = facts_of(listed)
    parts = [f"{name}: voter list, vintage {listed.vintage}{_held(listed)}", ""]
    parts += [_facts_table([_row(fact) for fact in facts], width)]
    linked = [name for name, field in RECORDED_FIELDS.items() if field.linked_as and name != "zip"]
    words = ", ".join(map(field_word, linked))
    parts += ["", f"Oldest fact for a linkage by {words}: {deciding_fact(listed, linked).describe()}"]
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
    return _lines(parts, width)


def sources_text(sources: pd.DataFrame, width: int | None = None) -> str:
    """Return the rows of :func:`policy_sim.voter_lists.list_tables.sources_frame`, one document after the other."""
    parts: list[str] = []
    for (title, date, address), rows in sources.groupby(["source", "date", "address"], sort=False):
        parts += [f"{title}, {date}", f"  {address}" if address else "  no address"]
        supports = [", ".join(map(field_word, items.split(", "))) for items in rows["supports"]]
        parts += [f"  {vintage}: {items}" for vintage, items in zip(rows["vintage"], supports, strict=True)]
        parts += [f"  {note}" for note in rows["note"].unique() if note]
    return _lines(parts, width) or "(no sources)"


def _row(fact: Fact) -> tuple[str, ...]:
    return field_word(fact.item), fact.value, fact.date, fact.confidence, ", ".join(fact.sources), fact.note


def _held(listed: VoterList) -> str:
    """Return since when the list holds; nothing where no list is described."""
    if listed.valid_from == dt.date.min:
        return ""
    until = f" until {listed.valid_until}" if listed.valid_until else ""
    return f", valid from {listed.valid_from}{until}"


def _facts_table(rows: list[tuple[str, ...]], width: int | None) -> str:
    """Write the facts; columns that do not fit follow in a block below, and so does a note that is too long."""
    columns = [
        Column((head,), cells, right=False) for head, cells in zip(_COLUMNS, zip(*rows, strict=True), strict=True)
    ]
    notes = [f"{row[0]}: {row[-1]}" for row in rows if row[-1]]
    table = layout(columns[:1], columns[1:-1], width)
    return "\n".join([table, *(["", "Notes on the items", *(f"  {note}" for note in notes)] if notes else [])])


def _lines(parts: Iterable[str], width: int | None) -> str:
    """Wrap every line, keeping its indent, and replace what a terminal would obey."""
    limit = width or table_width()
    lines = [line for part in parts for line in plain(part).split("\n")]
    return "\n".join(piece for line in lines for piece in _pieces(line, limit))


def _pieces(line: str, width: int) -> list[str]:
    if len(line) <= width:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()))
    return textwrap.wrap(
        line.strip(),
        width,
        initial_indent=indent,
        subsequent_indent=indent + "  ",
        break_long_words=False,  # addresses stay whole
        break_on_hyphens=False,
    )


def _quote(usd: float | None, words: str, openness: str) -> str:
    amount = "" if usd is None else f"{usd:,.2f} USD"
    return ", ".join(part for part in (amount, words, openness.replace("_", " ")) if part)


def _cited(listed: VoterList, key: str) -> str:
    source = listed.sources[key]
    return ". ".join(part for part in (f"{source.title}, {source.date}", source.url, source.note) if part)
