"""Identified files side by side and fact by fact: what each holds, of whom, at what price, and how that is known."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from policy_sim.attackers.attacker import GENERAL
from policy_sim.attackers.coverage import Coverage, share_words
from policy_sim.attackers.resource import EVERYONE, NO_PRICE, IdentifiedFile, Resource
from policy_sim.files.evidence import NO_EVIDENCE, Evidence
from policy_sim.voter_lists.facts import allowed_words, cite, field_words, newest_date
from policy_sim.voter_lists.list_field import LIST_FIELDS
from policy_sim.words.fields import field_word

# What attackers hold without a file of resources, for below the table of files.
BUILT_IN = (
    f"general: {EVERYONE.title}, the worst case. It is an assumption that nobody sells: its price is not modeled",
    "voter: each state's voter list, which has its own fields, price and buyers in every state",
)

_FACTS = ("name", "item", "value", "date", "confidence", "sources", "note")


def resources_frame(files: Iterable[IdentifiedFile]) -> pd.DataFrame:
    """Return one row per resource; ``least_share`` and ``most_share`` are of the ``people`` (0..1) whom it may hold."""
    rows = [
        {
            "name": file.name,
            "title": file.title,
            "kind": file.kind,
            "states": _states(file),
            "status": file.status,
            "described": file.vintage,
            "people": _who(file.coverage),
            "least_share": 1.0 if file.coverage is None else file.coverage.least_share,
            "most_share": 1.0 if file.coverage is None else file.coverage.most_share,
            **{name: field_words(file.fields[name]) for name in LIST_FIELDS},
            "price": price_words(file),
            "buyers": allowed_words(file.buyers),
            "uses": allowed_words(file.uses),
        }
        for file in files
    ]
    table = pd.DataFrame(rows)
    shares = dict.fromkeys(("least_share", "most_share"), "Float64")
    return table.astype({name: shares.get(name, "string") for name in table.columns})


def resource_facts_frame(file: IdentifiedFile) -> pd.DataFrame:
    """Return one row per fact of a resource, with the newest date of its sources, and their titles and addresses."""

    def fact(item: str, value: str, evidence: Evidence = NO_EVIDENCE, date: str = "", note: str = "") -> list[str]:
        cited = [file.sources[name] for name in evidence.sources if name in file.sources]
        dated = date or newest_date(cited)
        return [file.name, item, value, dated, evidence.confidence, " | ".join(map(cite, cited)), note]

    price = file.price
    rows = [
        fact("title", file.title),
        fact("kind", file.kind),
        fact("states", _states(file)),
        fact("status", file.status, note=file.status_reason),
        *(
            fact(f"status in {state}", own.status, own.evidence, own.date, own.reason)
            for state, own in sorted(file.by_state.items())
        ),
        *(fact(name, field_words(file.fields[name]), file.fields[name].evidence) for name in LIST_FIELDS),
        *(
            fact(f"{field_word(name)} in {state}", field_words(own.fields[name]), own.fields[name].evidence)
            for state, own in sorted(file.by_state.items())
            for name in own.fields
        ),
        fact("people", _who(file.coverage), file.evidence),
        fact("share", share_words(file.coverage), file.evidence),
        *(fact(f"records in {state}", f"{number:,}", file.evidence) for state, number in file.records.items()),
        fact("price", price_words(file), price.evidence, price.date, price.note),
        fact("buyers", allowed_words(file.buyers), file.buyers.evidence),
        fact("uses", allowed_words(file.uses), file.uses.evidence),
        *([fact("legality", file.legality)] if file.legality else []),
        *(fact("note", note) for note in file.notes),
    ]
    return pd.DataFrame(rows, columns=_FACTS, dtype="string")


def everyone_facts_frame() -> pd.DataFrame:
    """Return the facts of what GENERAL holds, in the columns of :func:`resource_facts_frame`."""
    facts = {
        "title": EVERYONE.title,
        "kind": "assumption",
        "states": "all",
        **dict.fromkeys(LIST_FIELDS, "as released"),
        "people": "everyone",
        "share": share_words(None),
        "price": NO_PRICE.status.replace("_", " "),
        "buyers": "nobody",
    }
    notes = {"price": NO_PRICE.reason}
    rows = [(GENERAL.name, item, value, "", "", "", notes.get(item, "")) for item, value in facts.items()]
    return pd.DataFrame(rows, columns=_FACTS, dtype="string")


def resource_citation(resource: Resource) -> list[str]:
    """Return what a file besides voter lists shows and costs, and its sources; nothing for other resources."""
    if not isinstance(resource, IdentifiedFile):
        return []
    included_fields = ", ".join(name for name, fact in resource.fields.items() if fact.availability == "included")
    return [
        f"{resource.name}: {resource.describe()}; shows {included_fields or '-'}; {price_words(resource)}.",
        *(
            f"  {source.title} ({source.date}){f', {source.url}' if source.url else ''}"
            for source in resource.sources.values()
        ),
    ]


def price_words(file: IdentifiedFile) -> str:
    """Say what a file costs; from the least to the most where sources give a range."""
    least = file.price.describe()
    return least if file.price_high is None else f"{least} to {file.price_high.describe()}"


def _who(coverage: Coverage | None) -> str:
    return "everyone" if coverage is None else coverage.title


def _states(file: IdentifiedFile) -> str:
    if file.by_state:
        return " ".join(state for state in sorted(file.by_state) if file.status_in(state)[0] == "available")
    return "all" if file.states is None else " ".join(file.states)
