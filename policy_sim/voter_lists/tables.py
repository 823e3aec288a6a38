"""Voter lists side by side: one row per list, what differs between two times, and what each source supports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pandas as pd

from policy_sim.voter_lists.facts import facts_of
from policy_sim.voter_lists.list_field import LIST_FIELDS
from policy_sim.voter_lists.voter_list import VoterList

__all__ = ["LIST_ITEMS", "conflicts_frame", "diff_frame", "lists_frame", "sources_frame"]


LIST_ITEMS = ("status", *LIST_FIELDS, "price", "buyers", "uses")


def lists_frame(lists: Iterable[VoterList]) -> pd.DataFrame:
    """Return one row per list with the words for each of :data:`LIST_ITEMS`, and when it holds."""
    rows = [
        {
            "state": listed.state,
            "vintage": listed.vintage,
            "valid_from": "" if listed.valid_from.year == 1 else str(listed.valid_from),
            "valid_until": str(listed.valid_until or ""),
            **_words(listed),
        }
        for listed in lists
    ]
    columns = ["state", "vintage", "valid_from", "valid_until", *LIST_ITEMS]
    return pd.DataFrame(rows, columns=columns, dtype="string")


def diff_frame(before: Mapping[str, VoterList], after: Mapping[str, VoterList]) -> pd.DataFrame:
    """Return a row for each item of each state that is not the same in two sets of lists.

    ``change`` tells a change of the list from a change of what is known: ``changed``, ``became
    known`` or ``became unknown``.
    """
    rows = []
    for state in sorted(set(before) & set(after)):
        old, new = _words(before[state]), _words(after[state])
        rows += [
            (state, item, old[item], new[item], _change(old[item], new[item]))
            for item in LIST_ITEMS
            if old[item] != new[item]
        ]
    return pd.DataFrame(rows, columns=["state", "item", "before", "after", "change"], dtype="string")


def sources_frame(lists: Iterable[VoterList]) -> pd.DataFrame:
    """Return a row for each source of each list, with the items it supports."""
    rows = []
    for listed in lists:
        supports: dict[str, list[str]] = {}
        for fact in facts_of(listed):
            for name in fact.sources:
                supports.setdefault(name, []).append(fact.item)
        for name, source in listed.sources.items():
            items = ", ".join(supports.get(name, ["conflict or quote"]))
            rows.append((listed.state, listed.vintage, source.title, source.date, source.url, items, source.note))
    columns = ["state", "vintage", "source", "date", "address", "supports", "note"]
    return pd.DataFrame(rows, columns=columns, dtype="string")


def conflicts_frame(lists: Iterable[VoterList]) -> pd.DataFrame:
    """Return a row for each place where sources of a list disagree."""
    rows = [
        (listed.state, listed.vintage, c.about, c.chosen, c.other, "yes" if c.resolved else "no", c.why)
        for listed in lists
        for c in listed.conflicts
    ]
    columns = ["state", "vintage", "about", "chosen", "other", "settled", "why"]
    return pd.DataFrame(rows, columns=columns, dtype="string")


def _words(listed: VoterList) -> dict[str, str]:
    return {fact.item: fact.value for fact in facts_of(listed)}


def _change(before: str, after: str) -> str:
    if before == "unknown":
        return "became known"
    return "became unknown" if after == "unknown" else "changed"
