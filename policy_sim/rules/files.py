"""The register of disclosure rules: ``data/disclosure_rules``, one TOML file per body; a mistake names its place."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from policy_sim.files.schema import NeededText, SourceTable, StrictTable, read_document, read_sources, word
from policy_sim.files.toml import read_toml_file, shipped_files, shown_path
from policy_sim.rules.rule import LEVELS, DisclosureRule, RuleTable
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
