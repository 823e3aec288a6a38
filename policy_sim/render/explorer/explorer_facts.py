"""What the page knows besides people and shapes: policies, lists with their sources, and where all this is from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

import pandas as pd

from policy_sim.attackers import Coverage, StateVoterLists
from policy_sim.granularity import GRANULARITIES, Field
from policy_sim.io.boundaries import load_boundaries, place_counties
from policy_sim.io.populations.model_error import ModelErrors
from policy_sim.policies.policy import Policy
from policy_sim.policies.policy_by_state import PolicyByState
from policy_sim.population.cells import RACES
from policy_sim.population.people_table import PeopleTable
from policy_sim.population.population import Provenance
from policy_sim.render.explorer.file_facts import PRICE_AMOUNTS, ExplorerFile, file_facts, model_error_facts
from policy_sim.states import STATES
from policy_sim.voter_lists.evidence import Source
from policy_sim.voter_lists.facts import facts_of
from policy_sim.voter_lists.recorded_fields import RECORDED_FIELDS
from policy_sim.voter_lists.voter_list import VoterList

__all__ = ["ExplorerContent", "explorer_facts"]


@dataclass(frozen=True, eq=False)
class ExplorerContent:
    """Everything that goes into the page.

    Parameters
    ----------
    table : The people.
    zip_parts : ``county``, ``zip5`` and ``people`` of each part of a ZIP code area; None where there is none.
    population : Where they are from.
    policies : The policies that a reader may choose from, in the order shown.
    lists : The voter lists.
    registered : Who is on the lists, if registered voters are.
    files : Other files that an attacker may hold.
    model_errors : How far the modeled people may be off; None where all are counted, or nothing was measured.
    days_per_year : Number of equally likely birthdays in a year.
    notes : Which people, lists and options, one line each.
    citation : How to cite the page.
    """

    table: PeopleTable
    zip_parts: pd.DataFrame | None
    population: Provenance
    policies: tuple[Policy, ...]
    lists: StateVoterLists
    registered: Coverage
    files: tuple[ExplorerFile, ...]
    model_errors: ModelErrors | None
    days_per_year: float
    notes: tuple[str, ...]
    citation: str


def explorer_facts(content: ExplorerContent) -> dict[str, Any]:
    """Return the facts as what JSON can hold."""
    table, people = content.table, content.population
    lists = content.lists.lists
    cited = dict.fromkeys(_cited(item) for listed in lists.values() for item in listed.sources.values())
    sources = {source: number for number, source in enumerate(cited)}
    by_state = dict.fromkeys(dict.fromkeys(table.states), 0)
    for state, number in zip(table.states, table.people.sum(axis=(1, 2, 3)).tolist(), strict=True):
        by_state[state] += number
    return {
        "version": version("policy-sim"),
        "population": {
            **{name: getattr(people, name) for name in ("name", "title", "publisher", "date", "how", "sha256")},
            "describe": people.describe(),
            "sources": list(people.sources),
            "notes": list(people.notes),
        },
        "daysPerYear": content.days_per_year,
        "ages": [list(item) for item in table.ages],
        "races": list(RACES),
        "granularities": {
            field.value: {name: list(above) for name, above in GRANULARITIES[field].items()} for field in Field
        },
        "linkedAs": {name: list(field.linked_as) for name, field in RECORDED_FIELDS.items() if field.linked_as},
        "counties": _counties(table),
        "states": [
            {"code": code, "name": STATES[code].name, "people": number}
            for code, number in sorted(by_state.items(), key=lambda item: STATES[item[0]].name)
        ],
        "policies": [_policy(policy) for policy in content.policies],
        "registered": {code: content.registered.registered[code] for code in by_state if content.registered.knows(code)}
        if content.registered.registered
        else {},
        "registeredTitle": content.registered.title,
        "files": [file_facts(entry) for entry in content.files],
        "modelErrors": model_error_facts(content.model_errors),
        "vintage": content.lists.vintage,
        "lists": {code: _voter_list(lists[code], sources) for code in sorted(by_state) if code in lists},
        "sources": [list(item) for item in sources],
        "notes": list(content.notes),
        "citation": content.citation,
    }


def _counties(table: PeopleTable) -> dict[str, Any]:
    """Return code, name and state of each county, and which county each area of the map shows."""
    names = load_boundaries("county")["name"].to_dict()
    placed = place_counties(table.counties)
    return {
        "code": list(table.counties),
        "name": [str(names.get(code, f"county {code}")) for code in table.counties],
        "state": list(table.states),
        "drawn": dict(placed.drawn),
        "notes": list(placed.notes()),
    }


def _policy(policy: Policy) -> dict[str, Any]:
    small = policy.conditions.small_places
    return {
        "name": policy.name,
        "title": policy.title,
        "fields": {field.value: name for field, name in policy.releases.items()},
        "top": policy.conditions.top_age,
        "small": None
        if small is None
        else {"place": small.place, "most": small.most, "hidden": sorted(small.listed or ())},
        "citation": policy.citation,
        "rules": [[rule.says, rule.citation] for rule in policy.rules],
        "byState": _by_state(policy) if isinstance(policy, PolicyByState) else None,
        "whyNot": policy.why_not if isinstance(policy, PolicyByState) else "",
    }


def _by_state(policy: PolicyByState) -> dict[str, Any]:
    """Return, for each state, what its file is, on what terms, what it surely shows and shows at most."""
    return {
        state: {
            "title": high.title,
            "terms": list(high.remarks),
            "ends": [{field.value: name for field, name in end.releases.items()} for end in (low, high)],
        }
        for state, (low, high) in policy.by_state.items()
    }


def _voter_list(listed: VoterList, sources: Mapping[tuple[str, str, str], int]) -> dict[str, Any]:
    def numbers(keys: Iterable[str]) -> list[int]:
        return [sources[_cited(listed.sources[key])] for key in keys]

    return {
        "status": listed.status,
        "reason": listed.reason,
        "vintage": listed.vintage,
        "fields": {name: [fact.availability, fact.granularity] for name, fact in listed.fields.items()},
        "price": {name: value for name, value in asdict(listed.price).items() if name in PRICE_AMOUNTS},
        "buyers": None if listed.buyers.names is None else list(listed.buyers.names),
        "facts": [
            [fact.item, fact.value, fact.date, fact.confidence, numbers(fact.sources), fact.note]
            for fact in facts_of(listed)
        ],
        "conflicts": [[conflict.about, conflict.chosen, conflict.other, conflict.why] for conflict in listed.conflicts],
        "notes": list(listed.notes),
    }


def _cited(source: Source) -> tuple[str, str, str]:
    return source.title, source.date, source.url
