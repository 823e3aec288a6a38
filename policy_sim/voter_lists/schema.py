"""The keys of a list's file, and the file as a document from which a list is made."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, ValidationInfo, create_model, model_validator
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from policy_sim.files.evidence import Conflict, Evidence, Source
from policy_sim.files.schema import (
    FACTS,
    Citations,
    CitingTable,
    Confidence,
    DateText,
    SourceTable,
    StrictTable,
    Text,
    Texts,
    Usd,
    evidence_of,
    lines_error,
    noun_of,
    one_of,
    read_document,
    read_sources,
    table_of,
    unknown_keys,
    word,
)
from policy_sim.files.toml import shortened
from policy_sim.files.writing import sha256_of
from policy_sim.voter_lists.changes import CARRIABLE, amend, carry_back, change_list
from policy_sim.voter_lists.list_field import (
    AVAILABILITIES,
    BUYERS,
    LIST_FIELDS,
    RECORDED_FIELDS,
    USES,
    Allowed,
    ListField,
    RecordedField,
)
from policy_sim.voter_lists.price import PRICE_KINDS, Price
from policy_sim.voter_lists.voter_list import (
    LIST_STATUSES,
    PREEMPTABLE,
    PREEMPTED_BY,
    VINTAGE,
    Mirror,
    Preemption,
    Quote,
    VoterList,
)
from policy_sim.words.errors import PolicySimError

OPENNESS = ("open", "mixed", "restricted", "by_buyer", "by_use", "by_buyer_and_use")
SCHEDULE_ONLY = (
    *("usd_per_record", "usd_per_county", "usd_per_town", "min_usd"),
    *("free_records", "max_usd", "quoted_usd"),
)
_ABOUT = ("fields", *(f"fields.{name}" for name in LIST_FIELDS), "price", "buyers", "uses", "status")
_AGE = ' For a list with the age, write granularity = "year" and wording = "age".'
_UNKNOWN = ' Write "unknown" if no source says.'


_Day = Annotated[dt.date, Field(description="a date such as 2008-09-01, without quotes")]
_MaybeDay = Annotated[dt.date | None, Field(description="a date such as 2008-09-01, without quotes")]
_Carried = Annotated[str, AfterValidator(one_of(CARRIABLE))]
_Buyer: Any = word(BUYERS)


class FieldTable(CitingTable):
    """``[2026.fields] zip``: whether a buyer gets the field."""

    availability: word(AVAILABILITIES, _UNKNOWN)  # type: ignore[valid-type]
    wording: Text = ""


def _field_table(field: RecordedField) -> type[FieldTable]:
    """Return the table of a field: also how finely a list shows it, which a graded field must say where it is shown."""

    def check(table: Any) -> Any:
        included, granularity = table.availability == "included", table.granularity
        if granularity and not included:
            raise lines_error([f"granularity is given, but the field is {table.availability}; remove it."])
        if field.graded and included and not granularity:
            raise lines_error([f"granularity is missing; give one of {', '.join(field.granularities)}."])
        return table

    if not field.granularities:
        return FieldTable
    return create_model(
        f"{field.name}_table",
        __base__=FieldTable,
        __validators__={"check": model_validator(mode="after")(check)},  # type: ignore[dict-item]
        granularity=(word(field.granularities, _AGE if field.name == "birth" else ""), ""),
    )


FIELD_TABLES: Mapping[str, type[FieldTable]] = {name: _field_table(field) for name, field in RECORDED_FIELDS.items()}
_UNKNOWN_FIELD = {"availability": "unknown"}


def fields_table(**more: Any) -> Any:
    """Return the table of all fields, of which one that is left out is unknown; ``more`` is for pydantic."""
    fields = {name: (table, table.model_validate(_UNKNOWN_FIELD)) for name, table in FIELD_TABLES.items()}
    return create_model("_FieldsTable", __base__=StrictTable, **fields, **more)  # type: ignore[call-overload]


_FieldsTable: Any = fields_table()


def _names_or_unknown(words: tuple[str, ...]) -> Any:
    """Return the type of a list of words, or the word unknown, which becomes None."""

    def read(value: Any) -> Any:
        if value is None:
            raise PydanticCustomError("names", "an empty list is not allowed")
        return None if value == "unknown" else value

    return Annotated[
        list[Annotated[str, AfterValidator(one_of(words))]] | None,
        BeforeValidator(read),
        Field(description='a list of words, or "unknown" if no source says'),
    ]


class AllowedTable(CitingTable):
    """``buyers`` and ``uses``: a list of words, empty where nobody is allowed."""

    allowed: list[str] | None


BuyersTable: Any = create_model("BuyersTable", __base__=AllowedTable, allowed=(_names_or_unknown(BUYERS), ...))
UsesTable: Any = create_model("UsesTable", __base__=AllowedTable, allowed=(_names_or_unknown(USES), ...))


_PriceTable: Any = table_of(
    Price,
    types=FACTS,
    kind=word(PRICE_KINDS),
    base_usd=Annotated[Usd, Field(alias="usd")],
    free_records=Annotated[Usd, AfterValidator(int)],
    usd_by_buyer=dict[_Buyer, Usd],
    date=DateText,
)


class PriceTable(_PriceTable):  # type: ignore[misc]
    """``[2026.price]``: what the whole state's list costs."""

    @model_validator(mode="after")
    def _amounts_fit_the_kind(self) -> PriceTable:
        problems = []
        if self.kind in ("flat", "at_least") and not self.base_usd:
            problems.append(f'usd is missing or 0, but kind = "{self.kind}" needs an amount; or write kind = "free".')
        if self.kind in ("free", "not_sold", "unknown") and "base_usd" in self.model_fields_set:
            problems.append(f'usd is given, but kind = "{self.kind}" has no amount; remove it or write kind = "flat".')
        problems += [
            f'{key} is given, but kind = "{self.kind}"; it belongs to kind = "schedule".'
            for key in SCHEDULE_ONLY
            if key in self.model_fields_set and self.kind != "schedule"
        ]
        if problems:
            raise lines_error(problems)
        return self


def _known_source(name: str, info: ValidationInfo) -> str:
    if info.context is not None:
        one_of(list(info.context["sources"]))(name)
    return name


_SourceName = Annotated[str, AfterValidator(_known_source), Field(description="the id of a [[source]]")]


QuoteTable: Any = table_of(Quote, types=FACTS, source=_SourceName, openness=word(OPENNESS))
MirrorTable: Any = table_of(Mirror, types=FACTS, source=_SourceName)
ConflictTable: Any = table_of(Conflict, types=FACTS, about=word(_ABOUT), sources=Citations)
_Ruled = _names_or_unknown((*BUYERS, *USES))
PreemptionTable: Any = table_of(
    Preemption, types=FACTS, rule=word(PREEMPTABLE), since=_Day, by=word(PREEMPTED_BY), written=_Ruled, allowed=_Ruled
)


class ListTable(StrictTable):
    """``[2026]``: one list."""

    valid_from: _Day
    valid_until: _MaybeDay = None
    status: word(list(LIST_STATUSES))  # type: ignore[valid-type]
    status_reason: Text = Field("", alias="reason")
    buyers: BuyersTable
    uses: UsesTable
    fields: _FieldsTable = Field(default_factory=_FieldsTable)
    price: PriceTable
    quotes: list[QuoteTable] = Field(default_factory=list)
    notes: Texts = Field(default_factory=list)
    mirrors: list[MirrorTable] = Field(default_factory=list, alias="mirror")
    preemptions: list[PreemptionTable] = Field(default_factory=list, alias="preempted")
    conflicts: list[ConflictTable] = Field(default_factory=list, alias="conflict")


class ScenarioTable(StrictTable):
    """``[scenario.2008-filled]``: one year's list with values of another, or with changes of its own."""

    base: Text
    from_: Text = Field("", alias="from")
    carried: Annotated[list[_Carried], Field(description="a list of texts")] = Field(default_factory=list)
    changes: Annotated[dict[str, str], Field(description='a table of changes, such as { birth = "date" }')] = Field(
        default_factory=dict
    )
    confidence: Confidence = ""
    sources: Citations = Field(default_factory=list)
    notes: Texts = Field(default_factory=list)


# From the checked tables of a file to nouns: fields and rules.


def evidence_last(model: type[BaseModel]) -> list[tuple[str, FieldInfo]]:
    """Return the fields of a table in the order of a file: what it says first, then on what it rests."""
    return sorted(model.model_fields.items(), key=lambda item: item[0] in ("confidence", "sources"))


def allowed_of(table: AllowedTable) -> Allowed:
    """Return who or what a table allows."""
    return Allowed(None if table.allowed is None else tuple(table.allowed), evidence_of(table))


def fields_of(table: Any, names: Collection[str] = LIST_FIELDS) -> dict[str, ListField]:
    """Return whether a list shows each field, or some of them, and how finely."""
    return {name: _field_of(name, getattr(table, name)) for name in LIST_FIELDS if name in names}


def _field_of(name: str, table: Any) -> ListField:
    field = RECORDED_FIELDS[name]
    availability = table.availability
    granularity = getattr(table, "granularity", "")
    if availability == "included" and field.graded and not granularity:
        availability = "unknown"  # the value was refused
    elif availability == "included":
        granularity = granularity or field.finest
    return ListField(availability, granularity, table.wording, evidence_of(table))


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


def state_document(lists: Iterable[VoterList]) -> dict[str, Any]:
    """Return the document of one state's lists: what :func:`parse_voter_lists` reads."""
    described = [listed for listed in lists if not listed.is_scenario]
    sources = {name: source for listed in described for name, source in listed.sources.items()}
    return {
        "state": described[0].state if described else "",
        **{listed.vintage: list_table(listed) for listed in described},
        "source": [_table(source) for source in sources.values()],
    }


def list_table(listed: VoterList) -> dict[str, Any]:
    """Return one list as the table of a state's file. Fields of which nothing is known are left out."""
    table = _table(listed)
    return {key: value for key, value in table.items() if value not in ([], {})}


def lists_digest(lists: Iterable[VoterList]) -> str:
    """Return a sha256 over what the lists say: the same from the files and from a database."""
    facts = [
        [listed.state, listed.vintage, list_table(listed), sorted(map(repr, listed.sources.values()))]
        for listed in sorted(lists, key=lambda listed: listed.state)
    ]
    return sha256_of(json.dumps(facts, default=str, sort_keys=True).encode())


def with_days(table: dict[str, Any]) -> dict[str, Any]:
    """Return an object of JSON with days in place of the texts under the keys that hold a day."""
    for key in _DATE_KEYS:
        with suppress(KeyError, TypeError, ValueError):  # what is not a day stays, and the schema refuses it
            table[key] = dt.date.fromisoformat(table[key])
    return table


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
        fields=fields_of(table.fields),
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
        return amend(change_list(changed, table.changes), table.changes, evidence).citing(
            {**sources, **changed.sources}
        )
    except PolicySimError as error:
        problems.append(f"{at}changes: {error}")
        return None
