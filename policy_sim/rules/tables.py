"""Disclosure rules side by side and fact by fact."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from policy_sim.rules.rule import COMPLEMENTS, JOINS, ZEROS, DisclosureRule

_UNKNOWN = "unknown"
_SURE = {
    "high": "the text itself was read",
    "medium": "known at second hand or in part",
    "low": "from memory, or hardly read. Look it up before you rely on it",
}


def rules_frame(rules: Iterable[DisclosureRule]) -> pd.DataFrame:
    """Return one row per rule; ``largest`` is the largest hidden count, missing where the rule has none."""
    before, after = ("body", "level", "kind", "unit", "hides", "largest", "zeros"), ("complement", "document", "date")
    rows = [
        {"rule": rule.id, **{name: getattr(rule, name) for name in before}}
        | {"population_below": rule.population.below if rule.population else None}
        | {"population_joins": rule.population.joins if rule.population else ""}
        | {"difference_largest": rule.difference.largest if rule.difference else None}
        | {"rates_hidden_to": rule.rates.hides, "rates_marked_to": rule.rates.marks}
        | {name: getattr(rule, name) for name in (*after, "confidence")}
        for rule in rules
    ]
    table = pd.DataFrame(rows)
    whole = ("largest", "population_below", "difference_largest", "rates_hidden_to", "rates_marked_to")
    return table.astype({name: "Int64" if name in whole else "string" for name in table.columns})


def rule_facts(rule: DisclosureRule) -> dict[str, str]:
    """Return the facts of a rule in words, by item; what no source says is ``unknown``."""
    none = "none: the rule does not go by one" if rule.established else f"{_UNKNOWN}: not established"
    hidden = "" if rule.rates.hides is None else f"hidden from counts up to {rule.rates.hides}"
    marked = "" if rule.rates.marks is None else f"marked as unreliable from counts up to {rule.rates.marks}"
    facts = {
        "body": f"{rule.body}, {rule.level}",
        "document": f"{rule.document} ({rule.date})",
        "hides": rule.hides,
        "of": rule.unit,
        "largest hidden count": none if rule.largest is None else str(rule.largest),
        "zeros": ZEROS[rule.zeros],
        "population": "",
        "difference": "",
        "rates": "; ".join(filter(None, (hidden, marked))),
        "complementary cells": COMPLEMENTS[rule.complement],
        "in its words": f'"{rule.quote}"' if rule.quote else "",
        "how sure": f"{rule.confidence}: {_SURE[rule.confidence]}",
        "sources": "; ".join(
            f"{source.title} ({source.date}){f', {source.url}' if source.url else ''}" for source in rule.documents
        ),
    }
    if rule.population:
        facts["population"] = f"{JOINS[rule.population.joins]} it is below {rule.population.below:,}"
    if rule.difference:
        ends = f"{rule.difference.least} to {rule.difference.largest}"
        facts["difference"] = f"hidden too where the population minus the count is {ends}"
    if rule.complement_note:
        facts["complementary cells"] += f": {rule.complement_note}"
    return {item: value for item, value in facts.items() if value}


def facts_frame(rules: Sequence[DisclosureRule]) -> pd.DataFrame:
    """Return one row per rule and fact, notes last."""
    rows = [
        (rule.id, item, value)
        for rule in rules
        for item, value in [*rule_facts(rule).items(), *(("note", note) for note in rule.notes)]
    ]
    return pd.DataFrame(rows, columns=["rule", "item", "value"], dtype="string")


def compared_frame(rules: Sequence[DisclosureRule]) -> pd.DataFrame:
    """Return one row per item on which the rules have facts, and one column per rule."""
    facts = {rule.id: {item: text for item, text in rule_facts(rule).items() if item != "sources"} for rule in rules}
    items = list(dict.fromkeys(item for of_rule in facts.values() for item in of_rule))
    table = {name: [of_rule.get(item, "-") for item in items] for name, of_rule in facts.items()}
    return pd.DataFrame({"item": items, **table}, dtype="string")
