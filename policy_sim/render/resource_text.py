"""Resources as text: all side by side, and one with its facts and sources."""

from __future__ import annotations

import pandas as pd

from policy_sim.granularity import field_word
from policy_sim.render.numbers import percent
from policy_sim.render.plain import plain
from policy_sim.render.text_table import Column, layout, wrapped

__all__ = ["resource_list_text", "resource_text"]

_SHOWN = ("gender", "race", "birth", "geography", "zip")


def resource_list_text(frame: pd.DataFrame, width: int | None = None) -> str:
    """Write one line per resource: its kind, its states, what it shows, how many of the people, and its price."""
    shares = [_share(low, high) for low, high in zip(frame["least_share"], frame["most_share"], strict=True)]
    columns = [Column((name,), tuple(map(plain, frame[name])), right=False) for name in ("kind", "states")]
    columns += [Column((field_word(name),), tuple(map(_short, frame[name])), right=False) for name in _SHOWN]
    columns += [Column(("share of", "its people"), tuple(shares), right=False)]
    columns += [Column((name,), tuple(map(plain, frame[name])), right=False) for name in ("price", "buyers")]
    return layout([Column(("resource",), tuple(frame["name"]), right=False)], columns, width)


def resource_text(facts: pd.DataFrame, width: int | None = None) -> str:
    """Write the facts of one resource, with notes and sources below the table."""
    listed_facts = facts[~facts["item"].isin(("title", "note", "legality"))]
    columns = [
        Column((name,), tuple(map(plain, listed_facts[name])), right=False) for name in ("value", "date", "confidence")
    ]
    (title,) = facts.loc[facts["item"] == "title", "value"]
    lines = [f"{facts['name'].iloc[0]}: {plain(title)}", ""]
    items = tuple(plain(field_word(item)) for item in listed_facts["item"])
    lines.append(layout([Column(("item",), items, right=False)], columns, width))
    notes = [f"{item}: {note}" for item, note in zip(items, listed_facts["note"], strict=True) if note]
    notes += [f"legality: {value}" for value in facts.loc[facts["item"] == "legality", "value"]]
    notes += list(facts.loc[facts["item"] == "note", "value"])
    sources = list(dict.fromkeys(cited for row in facts["sources"] if row for cited in str(row).split(" | ")))
    for head, texts in (("Notes", notes), ("Sources", sources)):
        if texts:
            lines += ["", head, *wrapped([f"  {plain(text)}" for text in texts], width)]
    return "\n".join(lines)


def _share(low: float, high: float) -> str:
    if (low, high) == (0.0, 1.0):
        return "unknown"
    return percent(low) if low == high else f"{percent(low)} to {percent(high)}"


def _short(fact: str) -> str:
    return plain(fact.removeprefix("included (").removesuffix(")") if fact.startswith("included (") else fact)
