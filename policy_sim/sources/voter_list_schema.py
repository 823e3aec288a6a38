"""The schema of a state's voter-list file: one TOML document in, nouns and problems out."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Collection, Mapping
from typing import Any

from policy_sim.attackers.evidence import CONFIDENCES, Conflict, Evidence, Source
from policy_sim.attackers.price import PRICE_KINDS, Price
from policy_sim.attackers.scenario import CARRIABLE, carry_back
from policy_sim.attackers.voter_list import (
    AVAILABILITIES,
    BUYERS,
    LIST_FIELDS,
    LIST_STATUSES,
    USES,
    Allowed,
    ListField,
    Quote,
    VoterList,
)
from policy_sim.fields import GRANULARITIES, Field
from policy_sim.sources.toml_table import TomlTable

__all__ = ["OPENNESS", "VINTAGE", "parse_sources", "parse_voter_lists"]

OPENNESS = ("open", "mixed", "restricted", "by_buyer", "by_use", "by_buyer_and_use")
VINTAGE = re.compile(r"\d{4}")
_DATE = re.compile(r"\d{4}(-\d\d(-\d\d)?)?|undated")
_ABOUT = ("fields", *(f"fields.{name}" for name in LIST_FIELDS), "price", "buyers", "uses", "status")
_AGE = ' A list with the age has granularity = "year" and wording = "age".'
_AMOUNTS = ("usd_per_record", "usd_per_county", "usd_per_town", "min_usd")
_SCHEDULE_ONLY = (*_AMOUNTS, "free_records", "max_usd", "quoted_usd")


def parse_voter_lists(
    raw: dict[str, Any], state: str, shared: Mapping[str, Source], problems: list[str]
) -> dict[str, VoterList]:
    """Return the lists of one state by vintage and scenario; what is wrong is added to ``problems``.

    A value that is wrong is read as unknown, so that the rest of the file can be judged too.
    """
    top = TomlTable(raw, problems)
    given = top.text("state", required=True)
    if given and given != state:
        top.problem("state", f"= {given!r}, but the file's name says {state!r}; correct one of them.")
    sources = {**shared, **parse_sources(top, problems)}
    lists = {
        key: _list(TomlTable(raw[key], problems, f"[{key}] "), state, key, sources)
        for key in raw
        if VINTAGE.fullmatch(key) and isinstance(raw[key], dict)
    }
    scenarios = top.table("scenario")
    for name in scenarios.raw:
        made = _scenario(scenarios.table(name), name, lists)
        if made is not None:
            lists[name] = made
    if not any(VINTAGE.fullmatch(key) for key in lists):
        problems.append("no vintage is given; add a table named by its year, such as [2026].")
    top.done(also=sorted(key for key in lists if VINTAGE.fullmatch(key)))
    return lists


def parse_sources(top: TomlTable, problems: list[str]) -> dict[str, Source]:
    """Return the sources that a document defines, by their short names."""
    found: dict[str, Source] = {}
    for table in top.tables("source"):
        name = table.text("id", required=True)
        source = Source(
            name,
            table.text("title", required=True),
            table.text("url"),
            _date_text(table, "date") or "undated",
            table.text("note"),
            table.texts("also"),
        )
        table.done()
        if name in found:
            problems.append(f"source {name!r} is defined twice; give each its own id.")
        found[name] = source
    return found


def _list(table: TomlTable, state: str, vintage: str, sources: Mapping[str, Source]) -> VoterList:
    fields = table.table("fields", required=True)
    made = VoterList(
        state,
        vintage,
        status=table.choice("status", LIST_STATUSES, "unknown", required=True),
        status_reason=table.text("reason"),
        valid_from=table.date("valid_from", required=True) or dt.date.min,
        valid_until=table.date("valid_until"),
        fields={name: _field(fields.table(name, required=True), name, sources) for name in LIST_FIELDS},
        price=_price(table.table("price", required=True), sources),
        buyers=_allowed(table.table("buyers", required=True), BUYERS, sources),
        uses=_allowed(table.table("uses", required=True), USES, sources),
        quotes=tuple(_quote(quote, sources) for quote in table.tables("quotes")),
        conflicts=tuple(_conflict(conflict, sources) for conflict in table.tables("conflict")),
        notes=table.texts("notes"),
    )
    fields.done()
    table.done()
    if made.valid_until is not None and made.valid_until <= made.valid_from:
        table.problem("valid_until", f"= {made.valid_until} is not after valid_from = {made.valid_from}.")
    return made.citing(sources)


def _field(table: TomlTable, name: str, sources: Mapping[str, Source]) -> ListField:
    availability = table.choice(
        "availability",
        AVAILABILITIES,
        "unknown",
        required=True,
        hint=' Write "unknown" where no source says.',
    )
    granularity = "value" if name in (Field.GENDER, Field.RACE) and availability == "included" else ""
    if name in (Field.BIRTH, Field.GEOGRAPHY):
        allowed = list(GRANULARITIES[Field(name)])[1:]
        hint = _AGE if name == Field.BIRTH else ""
        granularity = table.choice("granularity", allowed, required=availability == "included", hint=hint)
        if granularity and availability != "included":
            table.problem("granularity", f"is given, but the field is {availability}; remove it.")
            granularity = ""
        if availability == "included" and not granularity:
            availability = "unknown"
    wording = table.text("wording")
    evidence = _evidence(table, sources)
    table.done()
    return ListField(availability, granularity, wording, evidence)


def _evidence(table: TomlTable, sources: Mapping[str, Source]) -> Evidence:
    return Evidence(table.choice("confidence", CONFIDENCES), _citations(table, sources))


def _citations(table: TomlTable, sources: Mapping[str, Source]) -> tuple[str, ...]:
    cited = table.texts("sources")
    for name in cited:
        if name not in sources:
            table.problem(
                "sources",
                f"cites {name!r}, which no [[source]] of this file or of _sources.toml defines. "
                "Add it there or correct the id.",
            )
    return tuple(name for name in cited if name in sources)


def _date_text(table: TomlTable, key: str) -> str:
    text = table.text(key)
    if text and not _DATE.fullmatch(text):
        table.problem(key, f'= {text!r} is not "2026", "2026-05", "2026-05-19" or "undated".')
        return ""
    return text


def _allowed(table: TomlTable, words: Collection[str], sources: Mapping[str, Source]) -> Allowed:
    names: tuple[str, ...] | None = None
    if table.raw.get("allowed") == "unknown":
        table.text("allowed")
    else:
        if "allowed" not in table and table.raw:
            table.problem("allowed", 'is missing; give a list of words, or "unknown" where no source says.')
        names = table.texts("allowed", words) if "allowed" in table else None
    evidence = _evidence(table, sources)
    table.done()
    return Allowed(names, evidence)


def _price(table: TomlTable, sources: Mapping[str, Source]) -> Price:
    kind = table.choice("kind", PRICE_KINDS, "unknown", required=True)
    by_buyer = table.table("usd_by_buyer")
    price = Price(
        kind,
        base_usd=table.number("usd"),
        free_records=int(table.number("free_records")),
        max_usd=table.number("max_usd") if "max_usd" in table else None,
        quoted_usd=table.number("quoted_usd") if "quoted_usd" in table else None,
        usd_by_buyer={name: by_buyer.number(name) for name in by_buyer.raw if name in BUYERS},
        date=_date_text(table, "date"),
        note=table.text("note"),
        evidence=_evidence(table, sources),
        **{name: table.number(name) for name in _AMOUNTS},
    )
    by_buyer.done(also=BUYERS)
    table.done(also=_SCHEDULE_ONLY)
    _check_price(table, kind)
    return price


def _check_price(table: TomlTable, kind: str) -> None:
    if kind in ("flat", "at_least") and not table.raw.get("usd"):
        table.problem("usd", f'is missing or 0, but kind = "{kind}" needs an amount; or write kind = "free".')
    if kind in ("free", "not_sold", "unknown") and "usd" in table:
        table.problem("usd", f'is given, but kind = "{kind}" has no amount; remove it or write kind = "flat".')
    for key in _SCHEDULE_ONLY:
        if key in table and kind != "schedule":
            table.problem(key, f'is given, but kind = "{kind}"; it belongs to kind = "schedule".')


def _quote(table: TomlTable, sources: Mapping[str, Source]) -> Quote:
    source = table.choice("source", sources, required=True)
    usd = table.number("usd") if "usd" in table else None
    quote = Quote(source, usd, table.text("words"), table.choice("openness", OPENNESS))
    table.done(also=("usd",))
    return quote


def _conflict(table: TomlTable, sources: Mapping[str, Source]) -> Conflict:
    conflict = Conflict(
        table.choice("about", _ABOUT, required=True),
        table.text("chosen", required=True),
        table.text("other", required=True),
        table.text("why", required=True),
        table.flag("resolved"),
        _citations(table, sources),
    )
    table.done()
    return conflict


def _scenario(table: TomlTable, name: str, lists: Mapping[str, VoterList]) -> VoterList | None:
    base, origin = table.text("base", required=True), table.text("from", required=True)
    carried, notes = table.texts("carried", CARRIABLE), table.texts("notes")
    table.done()
    for key, vintage in (("base", base), ("from", origin)):
        if vintage and vintage not in lists:
            table.problem(key, f"= {vintage!r} is not a vintage of this file: {', '.join(lists)}.")
    if base not in lists or origin not in lists:
        return None
    return carry_back(lists[base], lists[origin], name, carried, notes)
