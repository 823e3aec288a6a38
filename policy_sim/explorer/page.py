"""The explorer as one HTML file: what it knows as data, its template, its style and its scripts."""

from __future__ import annotations

import html
import json
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from importlib.resources import files
from typing import Any

import pandas as pd

from policy_sim.attackers import StateVoterLists
from policy_sim.attackers.county_coverage import CountyCoverage, RegisteredCoverage
from policy_sim.attackers.resource import IdentifiedFile
from policy_sim.attackers.resource_tables import resource_facts_frame
from policy_sim.explorer.packing import (
    GRID,
    in_text,
    packed_listing,
    packed_people,
    packed_shapes,
    packed_zips,
    state_labels,
    upright_turns,
)
from policy_sim.files.boundaries import APEX, load_boundaries, place_counties
from policy_sim.files.evidence import Source
from policy_sim.model.model_error import DECLARED_PLACES, ModelErrors
from policy_sim.people.county_tables import PeopleTable
from policy_sim.people.population import CATEGORIES, Provenance
from policy_sim.policies.policy import Policy, PolicyByState
from policy_sim.voter_lists.facts import facts_of
from policy_sim.voter_lists.list_field import RECORDED_FIELDS
from policy_sim.voter_lists.voter_list import VoterList
from policy_sim.words.errors import OutputError
from policy_sim.words.fields import AXES, CENSUS_FIELDS, COMPARED, GRANULARITIES, ORDERS, RACE_ALONE, Field
from policy_sim.words.states import STATES

PRICE_AMOUNTS = (
    *("kind", "base_usd", "usd_per_record", "free_records", "usd_per_county", "usd_per_town"),
    *("min_usd", "max_usd", "quoted_usd", "note"),
)


@dataclass(frozen=True, eq=False)
class ExplorerFile:
    """A file that an attacker may hold, with the least and the greatest age of the page's people who may be in it."""

    file: IdentifiedFile
    ages: tuple[int, int | None]


def file_facts(held: ExplorerFile) -> dict[str, Any]:
    """Return a file as what JSON can hold; ``shares`` are those that are tried, from the least to the greatest."""
    file, coverage = held.file, held.file.coverage
    shares = [1.0]
    if coverage is not None:
        least, most = coverage.ends
        tried = [least, *reversed(coverage.between), most] if not coverage.is_known else [most]
        shares = [item.most_share for item in tried]
    facts = resource_facts_frame(file).drop(columns="name")
    return {
        "name": file.name,
        "title": file.title,
        "kind": file.kind,
        "states": None if file.states is None else list(file.states),
        "place": file.place,
        "status": file.status,
        "vintage": file.vintage,
        "fields": _fields(file),
        "ages": list(held.ages),
        "shares": shares,
        "listed": dict(coverage.registered) if coverage is not None and coverage.registered else None,
        "people": "everyone" if coverage is None else coverage.title,
        **_terms(file),
        "facts": facts.fillna("").to_numpy().tolist(),
    }


def _fields(file: IdentifiedFile | VoterList) -> dict[str, list[str]]:
    return {name: [fact.availability, fact.granularity] for name, fact in file.fields.items()}


def _terms(file: IdentifiedFile | VoterList) -> dict[str, Any]:
    """Return what a file costs, and who may have it."""
    price = {name: value for name, value in asdict(file.price).items() if name in PRICE_AMOUNTS}
    return {"price": price, "buyers": None if file.buyers.names is None else list(file.buyers.names)}


def model_error_facts(errors: ModelErrors | None) -> dict[str, Any]:
    """Return the measured relative errors by key and measure, and the states where everyone is counted."""
    if errors is None:
        return {"counted": [], "byKey": {}}
    keys = dict.fromkeys(key.replace(geography=place) for place in DECLARED_PLACES for key in errors.by_key)
    by_key = {
        str(key): {str(measure): error for measure, error in sorted(measured.items(), key=str)}
        for key in keys
        if (measured := errors.measured(key))
    }
    return {"counted": sorted(errors.counted), "byKey": by_key}


@dataclass(frozen=True, eq=False)
class ExplorerContent:
    """Everything that goes into the page.

    ``zip_parts`` has ``county``, ``zip5`` and ``people`` of each part of a ZIP code area; None where there is none.
    ``hispanics`` has the Hispanics of some states in the same ages; None where nobody counts them. Policies stand in
    the order shown. ``listed`` says who is on the lists by county and age, in the order of the table,
    and ``registered`` where that is from and what the survey says instead. There are no ``model_errors`` where all
    people are counted, or nothing was measured.
    """

    table: PeopleTable
    hispanics: PeopleTable | None
    zip_parts: pd.DataFrame | None
    population: Provenance
    policies: tuple[Policy, ...]
    lists: StateVoterLists
    listed: CountyCoverage
    registered: RegisteredCoverage
    files: tuple[ExplorerFile, ...]
    model_errors: ModelErrors | None
    days_per_year: float
    notes: tuple[str, ...]
    citation: str


def explorer_facts(content: ExplorerContent) -> dict[str, Any]:
    """Return the facts as what JSON can hold."""
    table, people = content.table, content.population
    lists, survey = content.lists.lists, content.registered.survey
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
        "axes": [_axis(fields) for fields in AXES],
        "raceAlone": dict(RACE_ALONE),
        "compared": {name: [views.released, views.listed] for name, views in COMPARED.items()},
        "census": {
            "fields": {
                field.value: {name: _lists(asdict(view)) for name, view in views.items()}
                for field, views in CENSUS_FIELDS.items()
            },
            "categories": {name: list(CATEGORIES[name]) for name in ("sex", "race", "ethnicity")},
        },
        "granularities": {
            field.value: {name: list(above) for name, above in GRANULARITIES[field].items()} for field in Field
        },
        "linkedAs": {name: list(field.linked_as) for name, field in RECORDED_FIELDS.items() if field.linked_as},
        "counties": _counties(table),
        "byEthnicity": content.hispanics is not None,
        "states": [
            {"code": code, "name": STATES[code].name, "people": number}
            for code, number in sorted(by_state.items(), key=lambda item: STATES[item[0]].name)
        ],
        "policies": [_policy(policy) for policy in content.policies],
        "surveyed": {code: (survey.registered or {})[code] for code in by_state if survey.knows(code)},
        "surveyTitle": survey.title,
        "listing": _listing(content),
        "files": [file_facts(entry) for entry in content.files],
        "modelErrors": model_error_facts(content.model_errors),
        "vintage": content.lists.vintage,
        "lists": {code: _voter_list(lists[code], sources) for code in sorted(by_state) if code in lists},
        "sources": [list(item) for item in sources],
        "notes": list(content.notes),
        "citation": content.citation,
    }


def _axis(fields: tuple[Field, ...]) -> dict[str, Any]:
    """Return fields that are told together, and the views just coarser than each view of them."""
    above = {",".join(view): [",".join(names) for names in coarser] for view, coarser in ORDERS[fields].items()}
    return {"fields": list(fields), "above": above}


def _lists(facts: dict[str, Any]) -> dict[str, Any]:
    """Return facts with lists in place of tuples, as JSON has them."""
    return {name: list(fact) if isinstance(fact, tuple) else fact for name, fact in facts.items()}


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


def _listing(content: ExplorerContent) -> dict[str, Any]:
    """Return how residents of each class of ages are listed next to each other, and what is counted and assumed."""
    shape, notes = content.listed.shape, content.listed.notes()
    title = content.registered.title
    return {"starts": shape.starts.tolist(), "rate": shape.rate.tolist(), "title": title, "notes": notes}


def _policy(policy: Policy) -> dict[str, Any]:
    small = policy.conditions.small_places
    return {
        "name": policy.name,
        "title": policy.title,
        "fields": {field.value: name for field, name in policy.releases.items()},
        "top": policy.conditions.top_age,
        "small": small and {"place": small.place, "most": small.most, "hidden": sorted(small.listed or ())},
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
        "fields": _fields(listed),
        **_terms(listed),
        "facts": [
            [fact.item, fact.value, fact.date, fact.confidence, numbers(fact.sources), fact.note]
            for fact in facts_of(listed)
        ],
        "conflicts": [[conflict.about, conflict.chosen, conflict.other, conflict.why] for conflict in listed.conflicts],
        "notes": list(listed.notes),
    }


def _cited(source: Source) -> tuple[str, str, str]:
    return source.title, source.date, source.url


MOST_BYTES = 4_000_000
# What computes, in the page and in its workers; what draws.
MODEL_SCRIPTS = (
    *("decode", "listing", "formulas", "groups", "counted_parts", "county_parts", "zip_groups", "place_sums"),
    *("catchment", "places", "compared_places", "model", "derived", "policies", "answers", "serving"),
)
_SCRIPTS = (
    *("pool", "words", "drawing", "charts", "view", "controls"),
    *("answer", "nation", "one_state", "cards", "csv", "person", "about", "page"),
)
_FOLDER = files("policy_sim.explorer")


def explorer_page(content: ExplorerContent) -> str:
    """Return the whole page; it loads nothing else, ever."""
    shapes = {level: packed_shapes(level) for level in GRID}
    facts = explorer_facts(content)
    facts["shapes"] = {level: {"codes": list(codes), "grid": GRID[level]} for level, (codes, _) in shapes.items()}
    facts["shapes"]["state"]["labels"] = state_labels()
    facts["shapes"]["county"] |= {"apex": APEX, "upright": upright_turns()}
    people = packed_people(content.table)
    hispanics = packed_people(content.hispanics) if content.hispanics else dict.fromkeys(people, b"")
    data = {
        "facts": zlib.compress(json.dumps(facts, ensure_ascii=False, separators=(",", ":")).encode(), 9),
        "state-shapes": zlib.compress(shapes["state"][1], 9),
        "county-shapes": zlib.compress(shapes["county"][1], 9),
        "zip-parts": zlib.compress(packed_zips(content.table.counties, content.zip_parts), 9),
        "chances": zlib.compress(people["chances"], 9),
        "lengths": zlib.compress(people["lengths"], 9),
        "people": people["people"],
        "hispanic-chances": zlib.compress(hispanics["chances"], 9),
        "hispanic-lengths": zlib.compress(hispanics["lengths"], 9),
        "hispanics": hispanics["people"],
        "listing": zlib.compress(packed_listing(content.listed), 9),
    }
    parts = {
        "style": _text("page.css"),
        "model": "\n".join(_text(f"{name}.js") for name in MODEL_SCRIPTS),
        "script": "\n".join(_text(f"{name}.js") for name in _SCRIPTS),
        "data": "\n".join(
            f'<script type="application/octet-stream" id="data-{name}">{in_text(packed)}</script>'
            for name, packed in data.items()
        ),
        "population": html.escape(content.population.title),
        "version": html.escape(facts["version"]),
    }
    page = re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], _text("page.html"))
    size = len(page.encode())
    if size > MOST_BYTES:
        raise OutputError(f"the explorer would be {size:,} bytes, more than {MOST_BYTES:,}: use a smaller population.")
    return page


def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
