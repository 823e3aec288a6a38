"""The register of disclosure rules: ``data/disclosure_rules``, one TOML file per body; a mistake names its place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from policy_sim.files.schema import (
    CitingTable,
    Flag,
    StrictTable,
    Text,
    Texts,
    noun_of,
    read_sources,
    read_tables,
    unknown_keys,
    word,
)
from policy_sim.files.toml import read_toml_file, shipped_files, shown_path
from policy_sim.rules.rule import COMPLEMENTS, JOINS, KINDS, LEVELS, ZEROS, DisclosureRule
from policy_sim.words.arguments import name_of
from policy_sim.words.errors import InputError, SchemaError, UnknownNameError

_FOLDER = "disclosure_rules"
_MOST_WORDS = 25  # of a quote
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def _named(text: str) -> str:
    if not _ID.fullmatch(text):
        raise PydanticCustomError("name", "not a name")
    return text


def _short(text: str) -> str:
    if len(text.split()) > _MOST_WORDS:
        raise ValueError(f"has {len(text.split())} words: quote at most {_MOST_WORDS}.")
    return text


_Id = Annotated[str, AfterValidator(_named), Field(description='small letters, digits and hyphens such as "wa-doh-10"')]
_Count = Annotated[int, Field(ge=0, description="a whole number of 0 or more, without quotes")]
_Level = word(LEVELS)
_Quote = Annotated[str, AfterValidator(_short), Field(description=f"a text of at most {_MOST_WORDS} words")]


class FloorTable(StrictTable):
    """``population = {...}``: the denominator."""

    below: _Count
    joins: word(JOINS) = "alone"  # type: ignore[valid-type]


class DifferenceTable(StrictTable):
    """``difference = {...}``: population minus count."""

    largest: _Count
    least: _Count = 0


class RatesTable(StrictTable):
    """``rates = {...}``: largest counts whose rate is hidden or marked."""

    hides: _Count | None = None
    marks: _Count | None = None


class ExampleTable(StrictTable):
    """``examples = [{...}]``: a case that the text decides."""

    count: _Count
    hidden: Flag
    population: _Count | None = None


class RuleTable(CitingTable):
    """``[[rule]]``."""

    id: _Id
    document: Text
    date: Text
    kind: word(KINDS)  # type: ignore[valid-type]
    unit: Text = ""
    hides: Text
    zeros: word(ZEROS) = "none"  # type: ignore[valid-type]
    largest: _Count | None = None
    population: FloorTable | None = None
    difference: DifferenceTable | None = None
    rates: RatesTable = RatesTable()
    complement: word(COMPLEMENTS) = "unknown"  # type: ignore[valid-type]
    complement_note: Text = ""
    quote: _Quote = ""
    called: Text = ""
    notes: Texts = Field(default_factory=list)
    examples: list[ExampleTable] = Field(default_factory=list)
    established: Flag = True


def read_rule_file(path: Path) -> tuple[DisclosureRule, ...]:
    """Return the rules of one body's file; a SchemaError names every problem at once."""
    raw, problems = read_toml_file(path, shown_path(path)), list[str]()
    rules = _rules(raw, problems)
    if problems:
        raise SchemaError(shown_path(path), list(dict.fromkeys(problems)))
    return rules


def _rules(raw: Mapping[str, Any], problems: list[str]) -> tuple[DisclosureRule, ...]:
    problems += unknown_keys(raw, ("body", "level", "rule", "source"))
    body, level = raw.get("body"), raw.get("level")
    if not isinstance(body, str) or not body:
        problems.append("body is missing; give who made the rules, a text in quotes.")
    if level not in LEVELS:
        problems.append(f"level is not one of {', '.join(LEVELS)}.")
    sources = read_sources(raw, problems)
    tables = [table for table, _ in read_tables(RuleTable, raw, "rule", problems, {"sources": sources})]
    for table in tables:
        if not table.confidence or not table.sources:
            problems.append(f"rule {table.id!r} needs sources and a confidence (high, medium or low).")
        if not table.established and table.largest is not None:
            problems.append(f"rule {table.id!r} is not established, so it has no largest hidden count.")
    if problems:
        return ()
    return tuple(
        noun_of(
            DisclosureRule,
            table,
            body=body,
            level=level,
            sources={name: sources[name] for name in table.sources},
        )
        for table in tables
    )


@cache
def _by_file() -> Mapping[str, tuple[DisclosureRule, ...]]:
    return {name: read_rule_file(path) for name, path in shipped_files(_FOLDER).items()}


def list_rules() -> dict[str, DisclosureRule]:
    """Return every rule of the register, by id.

    >>> list_rules()["cms-11"].largest
    10
    """
    rules = [rule for of_body in _by_file().values() for rule in of_body]
    by_id = {rule.id: rule for rule in sorted(rules, key=lambda rule: rule.id)}
    if len(by_id) < len(rules):
        twice = sorted({rule.id for rule in rules if [other.id for other in rules].count(rule.id) > 1})
        raise SchemaError(f"data/{_FOLDER}", [f"rule {name!r} is in the register twice." for name in twice])
    return by_id


def rules_named(text: str) -> tuple[DisclosureRule, ...]:
    """Return the rules that an id names, or its beginning where that names the rules of one body.

    >>> [rule.id for rule in rules_named("cms")]
    ['cms-11']
    """
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
