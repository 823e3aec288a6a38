"""The page of all voter lists, as Markdown made from the data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from policy_sim.voter_lists.evidence import Source
from policy_sim.voter_lists.facts import facts_of
from policy_sim.voter_lists.list_tables import conflicts_frame
from policy_sim.voter_lists.recorded_fields import LIST_FIELDS, RECORDED_FIELDS
from policy_sim.voter_lists.voter_list import VoterList

__all__ = ["lists_page", "markdown_table"]

_HEAD = """# Voter lists of all states

What a buyer of each state's voter list gets, pays and may do with it, for every year for which the files in
[`voter_policies/`](../voter_policies) have evidence. `make docs` makes this page from those files; do
not edit it. To correct a state, see [add-a-state.md](add-a-state.md).

**yes** and **no**: a buyer gets the field or does not. **?**: no source says. A raised letter is the confidence of
the value: ʰ high, ᵐ medium, ˡ low. *county only*: no statewide list. `2026-county` is the list that counties or towns
sell. The README of the folder explains words and rules.
"""
_MARKS = {"high": "ʰ", "medium": "ᵐ", "low": "ˡ", "": ""}
_ITEMS = (*LIST_FIELDS, "price", "buyers", "uses")
_HEADINGS = tuple(field.heading or name for name, field in RECORDED_FIELDS.items())
_COLUMNS = ("state", "list", *_HEADINGS, "price", "buyers", "uses", "sources")


def lists_page(lists: Sequence[VoterList]) -> str:
    """Return the page: one table of all lists, where sources disagree, and the sources."""
    years = [listed for listed in lists if not listed.is_scenario]
    sources = {(key, source): None for listed in years for key, source in listed.sources.items()}
    parts = [
        _HEAD,
        markdown_table(_COLUMNS, [_row(listed) for listed in years]),
        "## Where sources disagree\n",
        _conflicts(years),
        "## Rules that courts or other laws override, and free copies\n",
        _outside(years),
        "## Sources\n",
        *(_source(key, source) for key, source in sorted(sources, key=lambda pair: pair[0])),
    ]
    return "\n".join(parts) + "\n"


def _row(listed: VoterList) -> tuple[str, ...]:
    facts = {fact.item: fact for fact in facts_of(listed)}
    head = (listed.state, listed.vintage)
    cited = ", ".join(f"[{key}](#{key})" for key in dict.fromkeys(k for f in facts.values() for k in f.sources))
    words = {item: _value(facts[item].value) + _MARKS[facts[item].confidence] for item in _ITEMS}
    if listed.status != "available":
        words |= dict.fromkeys(LIST_FIELDS, "")
        words[LIST_FIELDS[0]] = f"*{listed.status.replace('_', ' ')}*"
    return (*head, *words.values(), cited)


def _value(words: str) -> str:
    if words == "unknown":
        return "?"
    if words.startswith("included ("):
        return words.removeprefix("included (").removesuffix(")")
    return {"included": "yes", "withheld": "no"}.get(words, words).replace("_", "-")


def _conflicts(lists: Iterable[VoterList]) -> str:
    table = conflicts_frame(lists)
    return markdown_table(tuple(table.columns), [tuple(row) for row in table.itertuples(index=False)])


def _outside(lists: Iterable[VoterList]) -> str:
    """Return the table of preempted rules and of mirrors."""
    rows = [
        (listed.state, listed.vintage, fact.item, fact.value, fact.note, ", ".join(fact.sources))
        for listed in lists
        for fact in facts_of(listed)
        if fact.item in ("preempted", "mirror")
    ]
    return markdown_table(("state", "list", "what", "value", "note", "sources"), rows)


def _source(key: str, source: Source) -> str:
    links = " ".join(f"<{url}>" for url in (source.url, *source.also) if url)
    text = ". ".join(part for part in (f"{source.title}, {source.date}", source.note.rstrip(".")) if part)
    return f'- <a id="{key}"></a>**{key}**: {text}. {links}'.rstrip()


def markdown_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table; a bar in a cell becomes a slash.

    >>> print(markdown_table(("state", "price"), [("OH", "free")]), end="")
    | state | price |
    | --- | --- |
    | OH | free |
    """
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "/") for cell in line) + " |" for line in lines) + "\n"
