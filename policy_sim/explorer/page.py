"""One page that computes in the reader's browser: the facts in it, and the page as a whole."""

from __future__ import annotations

import html
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from importlib.resources import files
from typing import Any

import pandas as pd

from policy_sim.attackers import StateVoterLists
from policy_sim.attackers.county_coverage import RANGE, CountyCoverage, RegisteredCoverage
from policy_sim.attackers.files import resource_facts_frame
from policy_sim.attackers.resource import IdentifiedFile
from policy_sim.explorer.packing import (
    GRID,
    factor_facts,
    in_text,
    packed_areas,
    packed_factors,
    packed_listing,
    packed_people,
    packed_shapes,
    packed_zips,
    state_labels,
    upright_turns,
)
from policy_sim.files.area_tables import SHIPPED_SIZES
from policy_sim.files.boundaries import APEX, load_boundaries, place_counties
from policy_sim.files.evidence import Source
from policy_sim.model.model_error import DECLARED_PLACES, ModelErrors
from policy_sim.model.profile import ONE_PERSON
from policy_sim.people.composition import AreaFactors
from policy_sim.people.county_tables import PeopleTable
from policy_sim.people.population import CATEGORIES, Provenance
from policy_sim.policies.policy import Policy, PolicyByState
from policy_sim.show.document.markup import filled
from policy_sim.voter_lists.facts import facts_of
from policy_sim.voter_lists.list_field import RECORDED_FIELDS
from policy_sim.voter_lists.voter_list import VoterList
from policy_sim.words.errors import OutputError
from policy_sim.words.fields import (
    AXES,
    CENSUS_FIELDS,
    COMPARED,
    GRANULARITIES,
    MAKES_AREAS,
    OF_AN_AREA,
    ORDERS,
    RACE_ALONE,
    Field,
)
from policy_sim.words.states import STATES, neighbors

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
        **{name: getattr(file, name) for name in ("name", "title", "kind", "states", "place", "status", "vintage")},
        "fields": _fields(file),
        "ages": held.ages,
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
    return {"price": price, "buyers": file.buyers.names}


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
class RangeEnd:
    """Another assumption about the records of the lists; None: the page finds who is ``listed`` by itself."""

    name: str
    listed: CountyCoverage | None
    states: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class ExplorerContent:
    """Everything that goes into the page.

    ``zip_parts`` has ``county``, ``zip5`` and ``people`` of each part of a ZIP code area; None where there is none.
    ``factors`` say who lives in each of them; None: people of a county live in its parts alike.
    ``hispanics`` has the Hispanics of some states in the same ages; None where nobody counts them. Policies stand in
    the order shown. ``listed`` says who is on the lists by county and age, in the order of the table,
    ``registered`` where that is from and what the survey says instead, and ``range_ends`` what else may be assumed.
    There are no ``model_errors`` where all people are counted, or nothing was measured.
    """

    table: PeopleTable
    hispanics: PeopleTable | None
    zip_parts: pd.DataFrame | None
    factors: AreaFactors | None
    population: Provenance
    policies: tuple[Policy, ...]
    lists: StateVoterLists
    listed: CountyCoverage
    registered: RegisteredCoverage
    range_ends: tuple[RangeEnd, ...]
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
    areas = [] if content.zip_parts is None else [f"area:{size}" for size in SHIPPED_SIZES]
    for state, number in zip(table.states, table.people.sum(axis=(1, 2, 3)).tolist(), strict=True):
        by_state[state] += number
    return {
        "version": version("policy-sim"),
        "population": {
            **{name: getattr(people, name) for name in ("name", "title", "publisher", "date", "how", "sha256")},
            "describe": people.describe(),
            "sources": people.sources,
            "notes": people.notes,
        },
        "daysPerYear": content.days_per_year,
        "ages": table.ages,
        "axes": [_axis(fields, areas) for fields in AXES],
        "areas": areas,
        "factors": None if content.factors is None else factor_facts(),
        "raceAlone": dict(RACE_ALONE),
        "compared": {name: [views.released, views.listed] for name, views in COMPARED.items()},
        "census": {
            "fields": {
                field.value: {name: asdict(view) for name, view in views.items()}
                for field, views in CENSUS_FIELDS.items()
            },
            "categories": {name: CATEGORIES[name] for name in ("sex", "race", "ethnicity")},
        },
        "granularities": {field.value: _with_areas(GRANULARITIES[field], areas) for field in Field},
        "linkedAs": {name: field.linked_as for name, field in RECORDED_FIELDS.items() if field.linked_as},
        "counties": _counties(table),
        "byEthnicity": content.hispanics is not None,
        "states": [
            {"code": code, "name": STATES[code].name, "people": number}
            for code, number in sorted(by_state.items(), key=lambda item: STATES[item[0]].name)
        ],
        "neighbors": {code: [near for near in neighbors(code) if near in by_state] for code in by_state},
        "policies": [_policy(policy) for policy in content.policies],
        "surveyed": {code: (survey.registered or {})[code] for code in by_state if survey.knows(code)},
        "surveyTitle": survey.title,
        "listing": _listing(content),
        "files": [file_facts(entry) for entry in content.files],
        "modelErrors": model_error_facts(content.model_errors),
        "vintage": content.lists.vintage,
        "lists": {code: _voter_list(lists[code], sources) for code in sorted(by_state) if code in lists},
        "sources": list(sources),
        "notes": content.notes,
        "citation": content.citation,
    }


def _axis(fields: tuple[Field, ...], areas: Sequence[str]) -> dict[str, Any]:
    """Return fields that are told together, and the views just coarser than each view of them."""
    above = {",".join(view): [",".join(names) for names in coarser] for view, coarser in ORDERS[fields].items()}
    return {"fields": list(fields), "above": _with_areas(above, areas)}


def _with_areas(above: Mapping[str, Iterable[str]], areas: Sequence[str]) -> dict[str, list[str]]:
    """Return what is just coarser than each view, with areas: they follow from ZIP codes, and lie in the state."""
    listed = {view: list(coarser) for view, coarser in above.items()}
    if MAKES_AREAS not in listed:
        return listed
    listed[MAKES_AREAS] += areas
    return listed | {name: [OF_AN_AREA] for name in areas}


def _counties(table: PeopleTable) -> dict[str, Any]:
    """Return code, name and state of each county, and which county each area of the map shows."""
    names = load_boundaries("county")["name"].to_dict()
    placed = place_counties(table.counties)
    return {
        "code": table.counties,
        "name": [str(names.get(code, f"county {code}")) for code in table.counties],
        "state": table.states,
        "drawn": dict(placed.drawn),
        "notes": placed.notes(),
    }


def _listing(content: ExplorerContent) -> dict[str, Any]:
    """Return how residents of each class of ages are listed next to each other, and what is counted and assumed."""
    shape, notes = content.listed.shape, content.listed.notes()
    others = [{"name": end.name, "allRecords": end.listed is None, "states": end.states} for end in content.range_ends]
    facts = {"starts": shape.starts.tolist(), "rate": shape.rate.tolist(), "title": content.registered.title}
    return facts | {"notes": [*notes, RANGE], "others": others}


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
            "terms": high.remarks,
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
        "notes": listed.notes,
    }


def _cited(source: Source) -> tuple[str, str, str]:
    return source.title, source.date, source.url


MOST_BYTES = 4_990_000
_CODED = ("people", "hispanics")  # by the coder: nothing is left to compress
# What computes, in the page and in its workers; what draws.
MODEL_SCRIPTS = (
    *("decode", "listing", "formulas", "groups", "county_parts", "zip_groups", "place_sums"),
    *("composition", "classed_places", "catchment", "places", "compared_places"),
    *("model", "derived", "answers", "serving"),
)
_SCRIPTS = (
    *("pool", "words", "drawing", "charts", "view", "controls"),
    *("answer", "nation", "one_state", "csv", "person", "page"),
)
_FOLDER = files("policy_sim.explorer")


def explorer_page(content: ExplorerContent) -> str:
    """Return the whole page; it loads nothing else, ever."""
    shapes = {level: packed_shapes(level) for level in GRID}
    facts = explorer_facts(content)
    facts["shapes"] = {level: {"codes": codes, "grid": GRID[level]} for level, (codes, _) in shapes.items()}
    facts["shapes"]["state"]["labels"] = state_labels()
    facts["shapes"]["county"] |= {"apex": APEX, "upright": upright_turns()}
    people = packed_people(content.table)
    hispanics = packed_people(content.hispanics) if content.hispanics else dict.fromkeys(people, b"")
    as_text = json.dumps(facts, ensure_ascii=False, separators=(",", ":")).encode()
    data = {
        "facts": as_text,
        "state-shapes": shapes["state"][1],
        "county-shapes": shapes["county"][1],
        "zip-parts": packed_zips(content.table.counties, content.zip_parts),
        "areas": packed_areas(content.table.counties, content.zip_parts, facts["areas"]),
        "factors": packed_factors(content.table.counties, content.zip_parts, content.factors),
        **people,
        **dict(zip(("hispanic-chances", "hispanic-lengths", "hispanics"), hispanics.values(), strict=True)),
        "listing": packed_listing(content.listed),
        "listing-earlier": b"".join(packed_listing(end.listed) for end in content.range_ends if end.listed),
    }
    packed = {name: raw if name in _CODED else zlib.compress(raw, 9) for name, raw in data.items()}
    parts = {
        "style": _text("page.css"),
        "model": "\n".join([f"const ONE_PERSON = {ONE_PERSON};", *(_text(f"{name}.js") for name in MODEL_SCRIPTS)]),
        "script": "\n".join(_text(f"{name}.js") for name in _SCRIPTS),
        "data": "\n".join(
            f'<script type="application/octet-stream" id="data-{name}">{in_text(content)}</script>'
            for name, content in packed.items()
        ),
        "population": html.escape(content.population.title),
        "version": html.escape(facts["version"]),
    }
    page = filled(_FOLDER / "page.html", **parts)
    size = len(page.encode())
    if size > MOST_BYTES:
        raise OutputError(f"the explorer would be {size:,} bytes, more than {MOST_BYTES:,}: use a smaller population.")
    return page


def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
