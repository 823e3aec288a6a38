"""Between a voter list and its rows, both ways. Nothing is lost: what is read equals what was put in."""

from __future__ import annotations

import datetime as dt
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from dataclasses import fields as dataclass_fields
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, func, or_, select
from sqlalchemy.orm import aliased

from policy_sim.files.evidence import Conflict, Evidence, Source
from policy_sim.voter_lists.list_field import LIST_FIELDS, Allowed, ListField
from policy_sim.voter_lists.price import Price
from policy_sim.voter_lists.sql.connect import shown_url
from policy_sim.voter_lists.sql.models import Base, VoterListRow
from policy_sim.voter_lists.voter_list import Mirror, Preemption, Quote, VoterList
from policy_sim.words.errors import InputError, SourceError

__all__ = ["CHILDREN", "held_on", "list_rows", "read_from", "source_row", "to_source", "to_voter_list"]


Row = dict[str, Any]

# The tables whose rows belong to a list, parents before children.
CHILDREN = (
    "list_field",
    "price",
    "price_by_buyer",
    "list_buyer",
    "list_use",
    "evidence",
    "citation",
    "quote",
    "conflict",
    "note",
)
_PRICE, _FIELD, _QUOTE, _CONFLICT = (
    tuple(entry.name for entry in dataclass_fields(noun) if entry.name in Base.metadata.tables[table].columns)
    for noun, table in ((Price, "price"), (ListField, "list_field"), (Quote, "quote"), (Conflict, "conflict"))
)
_MIRROR = "mirror"  # a quote with this openness is a mirror's price, never the state's
_PREEMPTED = "preempted."  # a row of list_field by this name is a preempted rule


@dataclass
class _Rows:
    """Rows of one list by table, under construction."""

    list_id: int
    source_ids: Mapping[str, int]
    tables: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))

    def add(self, table: str, **values: Any) -> None:
        self.tables[table].append({"list_id": self.list_id, **values})

    def cite(self, item: str, evidence: Evidence) -> None:
        if evidence == Evidence():
            return
        self.add("evidence", item=item, confidence=evidence.confidence, carried_from=evidence.carried_from)
        for position, key in enumerate(evidence.sources):
            self.add("citation", item=item, position=position, source_id=self.source_ids[key])


def list_rows(listed: VoterList, list_id: int, source_ids: Mapping[str, int], origin: str) -> dict[str, list[Row]]:
    """Return the rows of one list by table; ``source_ids`` gives the row of each source it may cite."""
    rows = _Rows(list_id, source_ids)
    rows.tables["voter_list"].append(_own_row(listed, list_id, origin))
    for name, fact in listed.fields.items():
        facts = {key: getattr(fact, key) for key in _FIELD}
        rows.add("list_field", name=name, **facts)
        rows.cite(f"fields.{name}", fact.evidence)
    _price_rows(rows, listed.price)
    for item, word, allowed in (("buyers", "buyer", listed.buyers), ("uses", "use", listed.uses)):
        for position, name in enumerate(allowed.names or ()):
            rows.add(f"list_{word}", **{word: name, "position": position})
        rows.cite(item, allowed.evidence)
    for position, quote in enumerate(listed.quotes):
        words = {key: getattr(quote, key) for key in _QUOTE}
        rows.add("quote", position=position, source_id=source_ids[quote.source], **words)
    _outside_rows(rows, listed)
    for position, conflict in enumerate(listed.conflicts):
        rows.add("conflict", position=position, **{key: getattr(conflict, key) for key in _CONFLICT})
        rows.cite(f"conflict.{position}", Evidence(sources=conflict.sources))
    for position, text in enumerate(listed.notes):
        rows.add("note", position=position, text=text)
    return rows.tables


def _own_row(listed: VoterList, list_id: int, origin: str) -> Row:
    return {
        "id": list_id,
        "state": listed.state,
        "vintage": listed.vintage,
        "scenario": not listed.vintage.isdigit(),  # a county's list never stands for the state's on a day
        "origin": origin,
        "status": listed.status,
        "reason": listed.status_reason,
        "valid_from": listed.valid_from,
        "valid_until": listed.valid_until,
        "buyers_known": listed.buyers.names is not None,
        "uses_known": listed.uses.names is not None,
    }


def _outside_rows(rows: _Rows, listed: VoterList) -> None:
    """Add mirrors as quotes and preempted rules as rows of ``list_field``: neither needs a table of its own."""
    for position, mirror in enumerate(listed.mirrors, len(listed.quotes)):
        price = {"usd": mirror.usd, "words": mirror.covers, "openness": _MIRROR}
        rows.add("quote", position=position, source_id=rows.source_ids[mirror.source], **price)
    for number, entry in enumerate(listed.preemptions):
        name = f"{_PREEMPTED}{number:02d}.{entry.rule}"  # rows come back by name
        words = json.dumps({"written": entry.written, "allowed": entry.allowed, "note": entry.note})
        rows.add("list_field", name=name, availability=entry.by, granularity=str(entry.since), wording=words)
        rows.cite(f"fields.{name}", entry.evidence)


def _price_rows(rows: _Rows, price: Price) -> None:
    rows.add("price", **{name: getattr(price, name) for name in _PRICE})
    for buyer, usd in price.usd_by_buyer.items():
        rows.add("price_by_buyer", buyer=buyer, usd=usd)
    rows.cite("price", price.evidence)


def source_row(source: Source, number: int) -> Row:
    """Return a source's row."""
    return {
        "id": number,
        "key": source.id,
        "title": source.title,
        "url": source.url,
        "also": "\n".join(source.also),
        "date": source.date,
        "note": source.note,
    }


def to_source(row: Mapping[str, Any]) -> Source:
    """Return the source of a row."""
    return Source(row["key"], row["title"], row["url"], row["date"], row["note"], tuple(row["also"].splitlines()))


def to_voter_list(
    row: Mapping[str, Any],
    children: Mapping[str, Iterable[Mapping[str, Any]]],
    sources: Mapping[int, Source],
) -> VoterList:
    """Return the list of a row with its rows in other tables (in order) and the sources by number."""
    keys = {number: source.id for number, source in sources.items()}
    cited = [child["source_id"] for table in ("citation", "quote") for child in children[table]]
    evidence = _evidence(children, keys)
    facts = {child["name"]: child for child in children["list_field"]}
    return VoterList(
        row["state"],
        row["vintage"],
        row["status"],
        row["reason"],
        row["valid_from"],
        row["valid_until"],
        {name: _field(facts[name], evidence[f"fields.{name}"]) for name in LIST_FIELDS if name in facts},
        _price(next(iter(children["price"])), children["price_by_buyer"], evidence["price"]),
        _allowed(row["buyers_known"], children["list_buyer"], "buyer", evidence["buyers"]),
        _allowed(row["uses_known"], children["list_use"], "use", evidence["uses"]),
        tuple(
            Quote(keys[child["source_id"]], **{key: child[key] for key in _QUOTE})
            for child in children["quote"]
            if child["openness"] != _MIRROR
        ),
        tuple(
            Conflict(
                **{key: child[key] for key in _CONFLICT},
                sources=evidence[f"conflict.{child['position']}"].sources,
            )
            for child in children["conflict"]
        ),
        tuple(child["text"] for child in children["note"]),
        {keys[number]: sources[number] for number in cited},
        tuple(_preemption(child, evidence) for child in children["list_field"] if child["name"].startswith(_PREEMPTED)),
        tuple(
            Mirror(keys[child["source_id"]], child["usd"], child["words"])
            for child in children["quote"]
            if child["openness"] == _MIRROR
        ),
    )


def _price(row: Mapping[str, Any], by_buyer: Iterable[Mapping[str, Any]], evidence: Evidence) -> Price:
    amounts = {child["buyer"]: child["usd"] for child in by_buyer}
    facts = {name: row[name] for name in _PRICE}
    return Price(usd_by_buyer=amounts, evidence=evidence, **facts)


def _field(row: Mapping[str, Any], evidence: Evidence) -> ListField:
    return ListField(row["availability"], row["granularity"], row["wording"], evidence)


def _preemption(row: Mapping[str, Any], evidence: Mapping[str, Evidence]) -> Preemption:
    words = json.loads(row["wording"])
    names = {key: None if words[key] is None else tuple(words[key]) for key in ("written", "allowed")}
    rule = row["name"].rsplit(".", 1)[-1]
    day = dt.date.fromisoformat(row["granularity"])
    return Preemption(
        rule, day, row["availability"], **names, note=words["note"], evidence=evidence[f"fields.{row['name']}"]
    )


def _allowed(is_known: bool, rows: Iterable[Mapping[str, Any]], word: str, evidence: Evidence) -> Allowed:
    return Allowed(tuple(row[word] for row in rows) if is_known else None, evidence)


def _evidence(
    children: Mapping[str, Iterable[Mapping[str, Any]]], keys: Mapping[int, str]
) -> defaultdict[str, Evidence]:
    cited: dict[str, list[str]] = defaultdict(list)
    for row in children["citation"]:
        cited[row["item"]].append(keys[row["source_id"]])
    evidence: defaultdict[str, Evidence] = defaultdict(Evidence)
    for row in children["evidence"]:
        item = row["item"]
        evidence[item] = Evidence(row["confidence"], tuple(cited[item]), row["carried_from"])
    return evidence


# Read lists back from the database, as the same nouns that went in.


_ORDER = {
    "citation": ("item", "position"),
    "list_field": ("name",),
    "evidence": ("item",),
    "price_by_buyer": ("buyer",),
}


def read_from(connection: Connection, *where: ColumnElement[bool]) -> list[VoterList]:
    """Return the lists that meet every condition on :class:`VoterListRow`, by state and vintage."""
    try:
        return _read_from(connection, *where)
    except (ValueError, LookupError, TypeError, StopIteration, InputError) as error:
        raise SourceError(
            f"database {shown_url(connection.engine.url)}: a row is damaged and cannot be read as a voter list "
            f"({type(error).__name__}). Nothing was changed. Build the lists from the state files again and leave "
            "out what was imported (policy-sim lists build can forget imports)."
        ) from error


def _read_from(connection: Connection, *where: ColumnElement[bool]) -> list[VoterList]:
    list_ids = select(VoterListRow.id).where(*where)
    table = Base.metadata.tables["voter_list"]
    rows = _rows(connection, select(table).where(table.c.id.in_(list_ids)).order_by(table.c.state, table.c.vintage))
    children = _children(connection, list_ids)
    sources = {row["id"]: to_source(row) for row in _rows(connection, select(Base.metadata.tables["source"]))}
    return [to_voter_list(row, children[row["id"]], sources) for row in rows]


def held_on(day: dt.date) -> ColumnElement[bool]:
    """Return the condition that a list is the one taken to hold on a day: the newest begun by then.

    Scenarios are not lists of a time and never hold.
    """
    later = aliased(VoterListRow)
    newest = (
        select(func.max(later.valid_from))
        .where(later.state == VoterListRow.state, later.valid_from <= day, later.scenario.is_(False))
        .scalar_subquery()
    )
    open_ended = or_(VoterListRow.valid_until.is_(None), VoterListRow.valid_until > day)
    return and_(VoterListRow.scenario.is_(False), VoterListRow.valid_from == newest, open_ended)


def _children(
    connection: Connection, list_ids: Select[Any]
) -> defaultdict[int, defaultdict[str, list[Mapping[str, Any]]]]:
    children: defaultdict[int, defaultdict[str, list[Mapping[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for name in CHILDREN:
        table = Base.metadata.tables[name]
        order = [table.c[column] for column in _ORDER.get(name, ("position",)) if column in table.c]
        query = select(table).where(table.c.list_id.in_(list_ids)).order_by(table.c.list_id, *order)
        for row in _rows(connection, query):
            children[row["list_id"]][name].append(row)
    return children


def _rows(connection: Connection, query: Select[Any]) -> list[dict[str, Any]]:
    return [dict(row) for row in connection.execute(query).mappings()]
