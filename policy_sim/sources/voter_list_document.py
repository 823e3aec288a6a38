"""Voter lists as documents: the tables of a state's file, and rows of a spreadsheet, both ways.

:func:`state_document` undoes :func:`policy_sim.sources.voter_list_schema.parse_voter_lists`. A
spreadsheet has one row a list; a column is the path of a key, such as ``fields.birth.granularity``.
Scenarios are rules over years and stay out.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from policy_sim.attackers.evidence import Evidence, Source
from policy_sim.attackers.price import Price
from policy_sim.attackers.voter_list import LIST_FIELDS, Allowed, VoterList

__all__ = ["COLUMNS", "from_json", "from_row", "list_document", "state_document", "to_row"]

_JSON = ("notes", "quotes", "conflict", "source", "price.usd_by_buyer")
_DATES = ("valid_from", "valid_until")
_NUMBERS = (
    *("price.usd", "price.usd_per_record", "price.free_records", "price.usd_per_county"),
    *("price.usd_per_town", "price.min_usd", "price.max_usd", "price.quoted_usd"),
)
_GRADED = ("birth", "geography")
_WORDS = ("sources", "allowed")
_EVIDENCE = ("confidence", "sources")

# Every column that a spreadsheet of lists may have, in order.
COLUMNS = (
    *("state", "vintage", "valid_from", "valid_until", "status", "reason"),
    *(f"{item}.{key}" for item in ("buyers", "uses") for key in ("allowed", *_EVIDENCE)),
    *(
        f"fields.{name}.{key}"
        for name in LIST_FIELDS
        for key in ("availability", *(("granularity",) if name in _GRADED else ()), "wording", *_EVIDENCE)
    ),
    *("price.kind", *_NUMBERS, "price.usd_by_buyer", "price.date", "price.note"),
    *(f"price.{key}" for key in _EVIDENCE),
    *("quotes", "notes", "conflict", "source"),
)
NOBODY = "nobody"  # an empty list of those allowed; an empty cell says nothing


def state_document(lists: Iterable[VoterList]) -> dict[str, Any]:
    """Return the document of one state's lists."""
    years = [listed for listed in lists if listed.vintage.isdigit()]
    sources = {name: source for listed in years for name, source in listed.sources.items()}
    return {
        "state": years[0].state if years else "",
        **{listed.vintage: list_document(listed) for listed in years},
        "source": [_source(source) for source in sources.values()],
    }


def list_document(listed: VoterList) -> dict[str, Any]:
    """Return one list as the table of a state's file."""
    return _filled(
        valid_from=listed.valid_from,
        valid_until=listed.valid_until,
        status=listed.status,
        reason=listed.status_reason,
    ) | {
        "buyers": _allowed(listed.buyers),
        "uses": _allowed(listed.uses),
        "fields": {
            name: {"availability": fact.availability}
            | _filled(granularity="" if fact.granularity == "value" else fact.granularity, wording=fact.wording)
            | _evidence(fact.evidence)
            for name, fact in listed.fields.items()
        },
        "price": _price(listed.price),
        **_filled(
            quotes=[
                {"source": quote.source, **_filled(usd=quote.usd, words=quote.words, openness=quote.openness)}
                for quote in listed.quotes
            ],
            notes=list(listed.notes),
            conflict=[
                {
                    "about": conflict.about,
                    "chosen": conflict.chosen,
                    "other": conflict.other,
                    "why": conflict.why,
                    "resolved": conflict.resolved,
                    "sources": list(conflict.sources),
                }
                for conflict in listed.conflicts
            ],
        ),
    }


def to_row(listed: VoterList) -> dict[str, str]:
    """Return one list as the cells of a spreadsheet's row."""
    document = list_document(listed) | {"source": [_source(source) for source in listed.sources.values()]}
    row = {"state": listed.state, "vintage": listed.vintage}
    for path, value in _flat(document):
        row[path] = _cell(path, value)
    return row


def from_row(row: Mapping[str, str], problems: list[str]) -> dict[str, Any]:
    """Return the document of a spreadsheet's row; cells that cannot be read are added to ``problems``."""
    document: dict[str, Any] = {
        "fields": {name: {"availability": "unknown"} for name in LIST_FIELDS},
        "buyers": {"allowed": "unknown"},
        "uses": {"allowed": "unknown"},
    }
    for path, cell in row.items():
        if not cell or path in ("state", "vintage"):
            continue
        try:
            value = _value(path, cell.strip())
        except ValueError:
            problems.append(f"{path} = {cell!r} cannot be read; compare with a row of 'lists export'.")
            continue
        *parents, key = path.split(".")
        place = document
        for parent in parents:
            place = place.setdefault(parent, {})
        place[key] = value
    return {
        "state": row.get("state", ""),
        row.get("vintage", ""): {key: value for key, value in document.items() if key != "source"},
        "source": document.get("source", []),
    }


def from_json(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document of a state that :func:`state_document` made, read back from JSON: days are texts there."""
    return {key: _dated(value) if isinstance(value, dict) else value for key, value in document.items()}


def _dated(table: Mapping[str, Any]) -> dict[str, Any]:
    made = dict(table)
    for key in _DATES:
        with suppress(KeyError, TypeError, ValueError):  # what is no day stays, and the schema says so
            made[key] = dt.date.fromisoformat(made[key])
    return made


def _filled(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value not in (None, "", [], {})}


def _evidence(evidence: Evidence) -> dict[str, Any]:
    return _filled(confidence=evidence.confidence, sources=list(evidence.sources))


def _allowed(allowed: Allowed) -> dict[str, Any]:
    names = "unknown" if allowed.names is None else list(allowed.names)
    return {"allowed": names} | _evidence(allowed.evidence)


def _price(price: Price) -> dict[str, Any]:
    amounts = {
        "usd": price.base_usd,
        "usd_per_record": price.usd_per_record,
        "free_records": price.free_records,
        "usd_per_county": price.usd_per_county,
        "usd_per_town": price.usd_per_town,
        "min_usd": price.min_usd,
    }
    return (
        {"kind": price.kind}
        | {key: value for key, value in amounts.items() if value}
        | _filled(max_usd=price.max_usd, quoted_usd=price.quoted_usd, usd_by_buyer=dict(price.usd_by_buyer))
        | _filled(date=price.date, note=price.note)
        | _evidence(price.evidence)
    )


def _source(source: Source) -> dict[str, Any]:
    return {"id": source.id, "title": source.title, "date": source.date} | _filled(
        url=source.url, also=list(source.also), note=source.note
    )


def _flat(document: Mapping[str, Any], at: str = "") -> Iterable[tuple[str, Any]]:
    for key, value in document.items():
        path = f"{at}{key}"
        if isinstance(value, Mapping) and path not in _JSON:
            yield from _flat(value, f"{path}.")
        else:
            yield path, value


def _cell(path: str, value: Any) -> str:
    if path in _JSON:
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return " ".join(value) or NOBODY
    return repr(value) if isinstance(value, float) else str(value)


def _value(path: str, cell: str) -> Any:
    if path in _JSON:
        return json.loads(cell)
    if path in _DATES:
        return dt.date.fromisoformat(cell)
    if path in _NUMBERS:
        return float(cell)
    if path.rsplit(".", 1)[-1] in _WORDS and cell != "unknown":
        return [] if cell == NOBODY else cell.split()
    return cell
