"""Between voter lists and the tables of a state's file, both ways and without loss."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from policy_sim.files.evidence import Conflict, Evidence, Source
from policy_sim.files.schema import SourceTable, noun_of, read_document, read_sources, unknown_keys
from policy_sim.files.toml import shortened
from policy_sim.voter_lists.changes import amend, carry_back, change_list
from policy_sim.voter_lists.list_field import RECORDED_FIELDS, Allowed, ListField
from policy_sim.voter_lists.price import Price
from policy_sim.voter_lists.schema import (
    FIELD_TABLES,
    ConflictTable,
    ListTable,
    MirrorTable,
    PreemptionTable,
    PriceTable,
    QuoteTable,
    ScenarioTable,
    allowed_of,
    evidence_last,
    field_of,
)
from policy_sim.voter_lists.voter_list import VINTAGE, Mirror, Preemption, Quote, VoterList
from policy_sim.words.errors import PolicySimError

# The file of a folder with the documents that several states cite.
SHARED_SOURCES = "_sources.toml"

_DATE_KEYS = ("valid_from", "valid_until", "since")
_TOP = ("state", "source", "scenario")
_TABLES: Mapping[type[Any], type[BaseModel]] = {
    Price: PriceTable,
    Quote: QuoteTable,
    Conflict: ConflictTable,
    Mirror: MirrorTable,
    Preemption: PreemptionTable,
    Source: SourceTable,
    VoterList: ListTable,
}


def parse_voter_lists(
    raw: dict[str, Any], state: str, shared: Mapping[str, Source], problems: list[str]
) -> dict[str, VoterList]:
    """Return the lists of one state (the postal code of the file's name) by vintage and scenario.

    Every problem is added as a line with its path. What is wrong is left out of the lists, so that the rest of the file
    can be checked too.
    """
    name = raw.get("state")
    if not isinstance(name, str) or not name:
        problems.append("state is missing; give a text in quotes.")
    elif name != state:
        problems.append(f"state = {shortened(name)!r}, but the file's name says {state!r}; correct one of them.")
    sources = {**shared, **read_sources(raw, problems)}
    vintages = [key for key, value in raw.items() if VINTAGE.fullmatch(key) and isinstance(value, dict)]
    lists = {key: listed for key in vintages if (listed := _read_list(raw[key], state, key, sources, problems))}
    lists |= _scenarios(raw.get("scenario", {}), lists, sources, problems, vintages)
    if not vintages:
        problems.append("no vintage is given; add a table named by its year, such as [2026].")
    problems += unknown_keys(raw, (*_TOP, *vintages))
    return lists


def state_document(
    lists: Iterable[VoterList], scenarios: Mapping[str, Mapping[str, Any]] | None = None
) -> dict[str, Any]:
    """Return the document of one state's lists: what :func:`parse_voter_lists` reads."""
    described = [listed for listed in lists if not listed.is_scenario]
    sources = {name: source for listed in described for name, source in listed.sources.items()}
    return {
        "state": described[0].state if described else "",
        **{listed.vintage: list_table(listed) for listed in described},
        **({"scenario": {name: dict(table) for name, table in scenarios.items()}} if scenarios else {}),
        "source": [_table(source) for source in sources.values()],
    }


def as_toml(lists: Iterable[VoterList], scenarios: Mapping[str, Mapping[str, Any]] | None = None) -> str:
    """Return one state's lists as the text of its file (:func:`state_document`)."""
    import tomli_w

    return tomli_w.dumps(state_document(lists, scenarios))


def list_table(listed: VoterList) -> dict[str, Any]:
    """Return one list as the table of a state's file. Fields of which nothing is known are left out."""
    table = _table(listed)
    return {key: value for key, value in table.items() if value not in ([], {})}


def from_json(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a state's document read back from JSON, where days are texts."""
    return {str(key): with_days(value) if VINTAGE.fullmatch(str(key)) else value for key, value in document.items()}


def with_days(value: Any) -> Any:
    """Return a JSON value with days in place of the texts under the keys that hold a day."""
    if isinstance(value, list):
        return [with_days(item) for item in value]
    if not isinstance(value, dict):
        return value
    converted = {key: with_days(item) for key, item in value.items()}
    for key in _DATE_KEYS:
        with suppress(KeyError, TypeError, ValueError):  # what is not a day stays, and the schema refuses it
            converted[key] = dt.date.fromisoformat(converted[key])
    return converted


def _read_list(
    raw: dict[str, Any], state: str, vintage: str, sources: Mapping[str, Source], problems: list[str]
) -> VoterList | None:
    at = f"[{vintage}] "
    table = read_document(ListTable, raw, problems, at, {"sources": sources, "shared": SHARED_SOURCES})
    if table is None:
        return None
    listed = noun_of(
        VoterList,
        table,
        state=state,
        vintage=vintage,
        buyers=allowed_of(table.buyers),
        uses=allowed_of(table.uses),
        fields={name: field_of(name, getattr(table.fields, name)) for name in RECORDED_FIELDS},
        sources={},
    )
    problems += [at + line for line in _out_of_step(listed)]
    return listed.citing(sources)


def _out_of_step(listed: VoterList) -> list[str]:
    """Return what is wrong between the days of a list."""
    problems = []
    if listed.valid_until is not None and listed.valid_until <= listed.valid_from:
        problems.append(f"valid_until = {listed.valid_until} is not after valid_from = {listed.valid_from}.")
    for number, preemption in enumerate(listed.preemptions, 1):
        if preemption.words_on(listed.valid_from) != getattr(listed, preemption.rule).names:
            which = "allowed" if listed.valid_from >= preemption.since else "written"
            problems.append(
                f"preempted {number}: {preemption.rule}.allowed on {listed.valid_from} is not {which} of the "
                f"preemption (since {preemption.since}); make the two agree."
            )
    return problems


def _table(noun: Any) -> dict[str, Any]:
    """Return a noun as a table: what the schema requires, and what is not its default."""
    return _filled(_TABLES[type(noun)], noun)


def _filled(model: type[BaseModel], noun: Any) -> dict[str, Any]:
    filled: dict[str, Any] = {}
    for name, info in evidence_last(model):
        holder = noun if hasattr(noun, name) else noun.evidence
        value = _plain(getattr(holder, name))
        if value is None and name in ("written", "allowed"):
            value = "unknown"
        if info.is_required() or value != info.get_default(call_default_factory=False):
            filled[info.alias or name] = value
    return {key: value for key, value in filled.items() if value is not None}


def _as_said(name: str, fact: ListField) -> ListField:
    """Return the fact without a granularity that goes without saying."""
    field = RECORDED_FIELDS[name]
    plain = not field.graded and fact.granularity == field.finest
    return replace(fact, granularity="") if plain else fact


def _plain(value: Any) -> Any:
    if type(value) in _TABLES:
        return _table(value)
    if isinstance(value, Allowed):
        names = "unknown" if value.names is None else list(value.names)
        cited = {"confidence": value.evidence.confidence, "sources": list(value.evidence.sources)}
        return {"allowed": names} | {key: citation for key, citation in cited.items() if citation}
    if isinstance(value, Mapping):
        if any(isinstance(citation, ListField) for citation in value.values()):
            return {
                name: _filled(FIELD_TABLES[name], _as_said(name, citation))
                for name, citation in value.items()
                if citation != ListField()
            }
        return dict(value)
    return [_plain(citation) for citation in value] if isinstance(value, tuple) else value


def _scenarios(
    raw: Any,
    lists: Mapping[str, VoterList],
    sources: Mapping[str, Source],
    problems: list[str],
    vintages: list[str],
) -> dict[str, VoterList]:
    if not isinstance(raw, dict):
        problems.append("scenario is not a table, [scenario.NAME].")
        return {}
    scenarios = {}
    for name, table in raw.items():
        at = f"scenario.{shortened(name)}"
        if not isinstance(table, dict):
            problems.append(f"{at} is not a table, [scenario.NAME].")
        elif VINTAGE.fullmatch(name):
            problems.append(f"{at} has a year as its name. Give the scenario another name.")
        else:
            context = {"sources": sources, "shared": SHARED_SOURCES}
            scenario = read_document(ScenarioTable, table, problems, f"{at}.", context)
            unread = {scenario.base, scenario.from_} & set(vintages) - set(lists) if scenario else set()
            if scenario is None or unread:  # the problem is with that year's table and is named there
                continue
            if listed := _scenario(scenario, name, lists, sources, problems):
                scenarios[name] = listed
    return scenarios


def _scenario(
    table: ScenarioTable, name: str, lists: Mapping[str, VoterList], sources: Mapping[str, Source], problems: list[str]
) -> VoterList | None:
    at = f"scenario.{shortened(name)}."
    named = {"base": table.base} | ({"from": table.from_} if table.from_ or not table.changes else {})
    wrong = [
        f"{at}{key} = {shortened(vintage)!r} is not a vintage of this file: {', '.join(lists)}."
        for key, vintage in named.items()
        if vintage not in lists
    ]
    problems += wrong
    if wrong:
        return None
    changed = lists[table.base]
    if table.from_:
        changed = carry_back(changed, lists[table.from_], name, table.carried, tuple(table.notes))
    else:
        changed = replace(changed, vintage=name, notes=changed.notes + tuple(table.notes))
    try:
        evidence = Evidence(table.confidence, tuple(table.sources))
        return amend(changed, change_list(changed, table.changes), table.changes, evidence).citing(
            {**sources, **changed.sources}
        )
    except PolicySimError as error:
        problems.append(f"{at}changes: {error}")
        return None
