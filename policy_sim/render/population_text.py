"""Shipped populations for the eye: one line each, or one in full."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from policy_sim.render.numbers import people, percent
from policy_sim.render.text_table import Column, layout, wrapped

__all__ = ["population_text", "populations_text"]

_SHARES = ("counted", "estimated", "modeled")


def populations_text(frame: pd.DataFrame) -> str:
    """Write the rows of :func:`policy_sim.io.populations.population_facts.populations_frame`, one a line."""
    names = Column(("population",), tuple(frame["population"]), right=False)
    columns = [
        Column(("date",), tuple(frame["date"])),
        Column(("people",), tuple(map(people, frame["people"]))),
        Column(("cells",), tuple(map(_count, frame["cells"]))),
        *(Column((name,), tuple(map(percent, frame[name]))) for name in _SHARES),
    ]
    return layout([names], columns)


def population_text(name: str, facts: Mapping[str, Any]) -> str:
    """Write everything that the manifest says of one population."""
    shares = ", ".join(f"{percent(facts[word])} {word}" for word in _SHARES)
    lines = [
        f"{name}: {facts['title']}",
        f"publisher: {facts['publisher']}",
        f"date: {facts['date']}",
        f"people: {people(facts['people'])}; cells: {_count(facts['cells'])}; {shares}",
        *_by_state(facts.get("counted_by_state", {})),
        f"how made: {facts['how']}",
        *(f"note: {note}" for note in facts["notes"]),
        *(f"source: {source}" for source in facts["sources"]),
        f"file: {facts['file']}, sha256 {facts['sha256']}",
        f"built with: {', '.join(facts['made_with'])}",
    ]
    return "\n".join(wrapped(lines))


def _by_state(shares: Mapping[str, float]) -> list[str]:
    """Write the share counted of each state in one line; none where it is not known by state."""
    words = ", ".join(f"{state} {percent(share)}" for state, share in shares.items())
    return [f"counted by state: {words}"] if shares else []


def _count(number: int | None) -> str:
    """Write how many cells there are; a population that is made when it is asked for has none before."""
    return "not yet counted" if number is None or pd.isna(number) else people(number)
