"""The register of disclosure rules, one TOML file per body, found by name; rules side by side and fact by fact."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

import pandas as pd

from policy_sim.files.schema import NeededText, SourceTable, StrictTable, read_document, read_sources, word
from policy_sim.files.toml import read_toml_file, shipped_files, shown_path
from policy_sim.rules.rule import COMPLEMENTS, JOINS, LEVELS, ZEROS, DisclosureRule, RuleTable
from policy_sim.words.arguments import name_of
from policy_sim.words.errors import InputError, SchemaError, UnknownNameError

_FOLDER = "disclosure_rules"


class _BodyTable(StrictTable):
    """The file of one body."""

    body: NeededText
    level: word(LEVELS)  # type: ignore[valid-type]
    rule: list[RuleTable]
    source: list[SourceTable]


def read_rule_file(path: Path) -> tuple[DisclosureRule, ...]:
    """Return the rules of one body's file; a SchemaError names every problem at once."""
    raw, problems = read_toml_file(path, shown_path(path)), list[str]()
    sources = read_sources(raw, problems)
    body = read_document(_BodyTable, raw, problems, context={"sources": sources})
    for rule in body.rule if body else ():
        if not rule.confidence or not rule.sources:
            problems.append(f"rule {rule.id!r} needs sources and a confidence (high, medium or low).")
        if not rule.established and rule.largest is not None:
            problems.append(f"rule {rule.id!r} is not established, so it has no largest hidden count.")
    if problems or body is None:
        raise SchemaError(shown_path(path), list(dict.fromkeys(problems)))
    return tuple(
        DisclosureRule(
            **dict(rule), body=body.body, level=body.level, documents=tuple(sources[name] for name in rule.sources)
        )
        for rule in body.rule
    )


@cache
def list_rules() -> Mapping[str, DisclosureRule]:
    """Return every rule of the register, by id."""
    rules = [rule for path in shipped_files(_FOLDER).values() for rule in read_rule_file(path)]
    by_id = {rule.id: rule for rule in sorted(rules, key=lambda rule: rule.id)}
    if len(by_id) < len(rules):
        twice = sorted({rule.id for rule in rules if [other.id for other in rules].count(rule.id) > 1})
        raise SchemaError(f"data/{_FOLDER}", [f"rule {name!r} is in the register twice." for name in twice])
    return by_id


def rules_named(text: str) -> tuple[DisclosureRule, ...]:
    """Return the rules that an id names, or its beginning where that names the rules of one body."""
    name, rules = name_of("rule", text, "'cms-11'").casefold(), list_rules()
    if name in rules:
        return (rules[name],)
    named = tuple(rule for rule in rules.values() if f"{rule.id}-".startswith(f"{name}-"))
    named = named or tuple(rule for rule in rules.values() if rule.id.startswith(name))
    if not named:
        raise UnknownNameError("disclosure rule", text, rules)
    if len({rule.body for rule in named}) > 1:
        raise InputError(f"{text!r} begins the rules of several bodies: {', '.join(rule.id for rule in named)}.")
    return named


def find_rule(text: str) -> DisclosureRule:
    """Return the one rule that an id, or its unique beginning, names."""
    named = rules_named(text)
    if len(named) > 1:
        raise InputError(f"{text!r} names several rules of one body: {', '.join(rule.id for rule in named)}.")
    return named[0]


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
    none = "none: the rule does not go by one" if rule.established else "unknown: not established"
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
