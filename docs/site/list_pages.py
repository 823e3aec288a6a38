"""Write the two pages that are made from the voter lists: all lists with their sources, and those of 2008.

``make docs`` runs it before the site is built; ``tests/show/test_list_text.py`` holds the pages to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from policy_sim import reproduce
from policy_sim.attackers import VOTER
from policy_sim.files.evidence import Source
from policy_sim.files.writing import replace_file
from policy_sim.papers.printed_figure import Ask
from policy_sim.show.list_text import markdown_table
from policy_sim.show.reproduction_text import UNIT_SIGNS, written
from policy_sim.voter_lists.facts import conflicts_frame, facts_of
from policy_sim.voter_lists.files import FICTIONAL, read_state_files
from policy_sim.voter_lists.list_field import LIST_FIELDS, RECORDED_FIELDS
from policy_sim.voter_lists.voter_list import VoterList

PAGES = Path(__file__).resolve().parents[1]

_HEAD_2008 = """# The lists of 2008 against the paper

What Benitez & Malin 2010 print about the voter lists of 2008, and every figure of theirs that a voter list decides,
next to ours. The whole paper is in [reproduction.md](reproduction.md), which says what the verdicts mean; Dankar & El
Emam 2012 quote five prices, which are there too. This page is made by `make docs`; do not edit it.
"""
_LISTED = ("same", "cost", "cost-rank", "cost-range")  # kinds of questions about VOTER that do not name the attacker
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
_LIST_PAGE_COLUMNS = ("state", "list", *_HEADINGS, "price", "buyers", "uses", "sources")


def lists_page(lists: Sequence[VoterList]) -> str:
    """Return the page: one table of all lists, where sources disagree, and the sources."""
    years = [listed for listed in lists if not listed.is_scenario]
    conflicts = conflicts_frame(years)
    sources = {(key, source): None for listed in years for key, source in listed.sources.items()}
    parts = [
        _HEAD,
        markdown_table(_LIST_PAGE_COLUMNS, [_list_page_row(listed) for listed in years]),
        "## Where sources disagree\n",
        markdown_table(tuple(conflicts.columns), [tuple(row) for row in conflicts.itertuples(index=False)]),
        "## Rules that courts or other laws override, and free copies\n",
        _outside(years),
        "## Sources\n",
        *(_source(key, source) for key, source in sorted(sources, key=lambda pair: pair[0])),
    ]
    return "\n".join(parts) + "\n"


def _list_page_row(listed: VoterList) -> tuple[str, ...]:
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


def all_lists() -> str:
    """Return the page of every state's lists."""
    files = read_state_files()
    return lists_page(
        [files[state][vintage] for state in sorted(files) if state != FICTIONAL for vintage in sorted(files[state])]
    )


def lists_of_2008() -> str:
    """Return the page of the figures of Benitez & Malin 2010 that a voter list decides."""
    answer = reproduce("benitez-malin-2010")
    rows = answer.to_frame()
    rows = rows[rows["id"].isin([figure.id for figure in answer.paper.figures if _by_a_list(figure.ask)])]
    lines = [
        (
            *(row.where, row.what, row.printed + UNIT_SIGNS.get(row.unit, "")),
            *(written(row.ours, row.unit), row.verdict, row.reason),
        )
        for row in rows.itertuples()
    ]
    return "\n".join([_HEAD_2008, markdown_table(("where", "what", "printed", "ours", "verdict", "reason"), lines)])


def _by_a_list(ask: Ask) -> bool:
    return ask.get("attacker") == VOTER or ask["kind"] in _LISTED


def main() -> None:
    """Write both pages."""
    for name, text in (("voter-lists.md", all_lists()), ("lists-of-2008.md", lists_of_2008())):
        replace_file(PAGES / name, text.encode("utf-8"))


if __name__ == "__main__":
    main()
