"""The tables. One list is one state at one vintage, whole in ``document``; every other table is for questions in SQL.

::

    state ─< voter_list ─< list_field            source ─< citation
                        ├─ price ─< price_by_buyer    (what each source supports)
                        ├─< list_buyer >─ buyer_class
                        ├─< list_use >─ permitted_use
                        ├─< evidence ─< citation >─ source
                        ├─< quote >─ source
                        └─< preemption, conflict, note

``item`` names what evidence and citations are about: ``fields.birth``, ``price``, ``buyers``, ``uses``,
``preempted.0`` or ``conflict.0``.
"""

from __future__ import annotations

import datetime as dt
import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, is_dataclass
from dataclasses import fields as dataclass_fields
from typing import Any, get_type_hints

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Date,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    MetaData,
    String,
    Table,
    UniqueConstraint,
)

from policy_sim.files.evidence import Conflict, Evidence, Source
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.price import Price
from policy_sim.voter_lists.voter_list import Quote, VoterList

Row = dict[str, Any]

METADATA = MetaData()
_TYPES: Mapping[Any, Any] = {str: String, int: Integer, float: Double, bool: Boolean, dt.date: Date}


def _column(name: str, kind: Any, *more: Any, key: bool = False, index: bool = False) -> Column[Any]:
    """Return a column of a kind such as ``str`` or ``float | None``."""
    plain = next(type_ for type_ in _TYPES if kind in (type_, type_ | None))
    return Column(name, _TYPES[plain], *more, primary_key=key, nullable=kind != plain, index=index)


def _columns(kinds: Mapping[str, Any]) -> list[Column[Any]]:
    return [_column(name, kind) for name, kind in kinds.items()]


def _plain_fields(noun: type) -> dict[str, Any]:
    """Return the fields of a noun that a column can hold, with their kinds; the others have tables of their own."""
    kinds = [kind for plain in _TYPES for kind in (plain, plain | None)]
    return {name: kind for name, kind in get_type_hints(noun).items() if kind in kinds and name != "source"}


def _word(name: str, table: str) -> Column[Any]:
    return _column(name, str, ForeignKey(f"{table}.name"), key=True)


def _source_id(*, index: bool = False) -> Column[Any]:
    return _column("source_id", int, ForeignKey("source.id"), index=index)


def _position() -> Column[Any]:
    return _column("position", int, key=True)


# Which version of these tables the database holds, and what it was built from: one row each.
Table("schema_version", METADATA, _column("version_num", str, key=True))
Table("build", METADATA, _column("id", int, key=True), _column("digest", str))
STATE_NAMES = Table("state", METADATA, _column("postal", str, key=True), *_columns({"fips": str, "name": str}))
# A document. ``key`` is the short name by which the facts of a state cite it; ``also`` has an address a line.
_TEXTS = ("key", "title", "url", "also", "date", "note")
SOURCES = Table("source", METADATA, _column("id", int, key=True), *_columns(dict.fromkeys(_TEXTS, str)))
for _words in ("buyer_class", "permitted_use"):
    Table(_words, METADATA, _column("name", str, key=True))

# One state's list over the time it is taken to hold (until the next one where open). ``origin``: files, or import;
# ``document``: the list as JSON, which is what the program reads.
LISTS = Table(
    "voter_list",
    METADATA,
    _column("id", int, key=True),
    _column("state", str, ForeignKey("state.postal"), index=True),
    _column("vintage", str, index=True),
    *_columns({"scenario": bool, "origin": str, "status": str, "reason": str}),
    *_columns({"valid_from": dt.date, "valid_until": dt.date | None}),
    *_columns({"buyers_known": bool, "uses_known": bool, "document": str}),
    UniqueConstraint("state", "vintage"),
    CheckConstraint("valid_until IS NULL OR valid_until > valid_from", name="validity"),
)
# What a list holds, by table, parents before children; each row goes with its list. There is no ``list_buyer`` where
# ``buyers_known`` and nobody may have the list. ``carried_from`` is a vintage in a scenario, else empty. The words of
# a preemption are NULL where no source says.
_OF_A_LIST: Mapping[str, list[Column[Any]]] = {
    "list_field": [_column("name", str, key=True), *_columns(_plain_fields(ListField))],
    "price": _columns(_plain_fields(Price)),
    "price_by_buyer": [_word("buyer", "buyer_class"), _column("usd", float)],
    "list_buyer": [_word("buyer", "buyer_class"), _column("position", int)],
    "list_use": [_word("use", "permitted_use"), _column("position", int)],
    "evidence": [_column("item", str, key=True), *_columns({"confidence": str, "carried_from": str})],
    "quote": [_position(), _source_id(), *_columns(_plain_fields(Quote))],
    "preemption": [
        _position(),
        *_columns({"rule": str, "since": dt.date, "set_aside_by": str}),
        *_columns({"written": str | None, "allowed": str | None, "note": str}),
    ],
    "conflict": [_position(), *_columns(_plain_fields(Conflict))],
    "note": [_position(), _column("text", str)],
}
for _name, _parts in _OF_A_LIST.items():
    _list_id = _column("list_id", int, ForeignKey("voter_list.id", ondelete="CASCADE"), key=True)
    Table(_name, METADATA, *_parts, _list_id)
Table(
    "citation",
    METADATA,
    *(_column(name, kind, key=True) for name, kind in (("list_id", int), ("item", str), ("position", int))),
    _source_id(index=True),
    ForeignKeyConstraint(["list_id", "item"], ["evidence.list_id", "evidence.item"], ondelete="CASCADE"),
)
CHILDREN = (*_OF_A_LIST, "citation")


# The rows of a list. What is read from its document equals what was put in.


_MIRROR = "mirror"  # a quote with this openness is a mirror's price, never the state's


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
        facts = {key: getattr(fact, key) for key in _plain_fields(ListField)}
        rows.add("list_field", name=name, **facts)
        rows.cite(f"fields.{name}", fact.evidence)
    _price_rows(rows, listed.price)
    for item, word, allowed in (("buyers", "buyer", listed.buyers), ("uses", "use", listed.uses)):
        for position, name in enumerate(allowed.names or ()):
            rows.add(f"list_{word}", **{word: name, "position": position})
        rows.cite(item, allowed.evidence)
    for position, quote in enumerate(listed.quotes):
        words = {key: getattr(quote, key) for key in _plain_fields(Quote)}
        rows.add("quote", position=position, source_id=source_ids[quote.source], **words)
    _outside_rows(rows, listed)
    for position, conflict in enumerate(listed.conflicts):
        rows.add("conflict", position=position, **{key: getattr(conflict, key) for key in _plain_fields(Conflict)})
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
        "document": json.dumps(listed, default=_plain),
    }


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {entry.name: getattr(value, entry.name) for entry in dataclass_fields(value)}
    return dict(value) if isinstance(value, Mapping) else str(value)  # a day


def _outside_rows(rows: _Rows, listed: VoterList) -> None:
    """Add what reaches past the state's own rules: preempted rules, and mirrors as quotes."""
    for position, mirror in enumerate(listed.mirrors, len(listed.quotes)):
        price = {"usd": mirror.usd, "words": mirror.covers, "openness": _MIRROR}
        rows.add("quote", position=position, source_id=rows.source_ids[mirror.source], **price)
    for position, entry in enumerate(listed.preemptions):
        words = {
            name: None if names is None else " ".join(names)
            for name, names in (("written", entry.written), ("allowed", entry.allowed))
        }
        facts = {"rule": entry.rule, "since": entry.since, "set_aside_by": entry.by, "note": entry.note}
        rows.add("preemption", position=position, **facts, **words)
        rows.cite(f"preempted.{position}", entry.evidence)


def _price_rows(rows: _Rows, price: Price) -> None:
    rows.add("price", **{name: getattr(price, name) for name in _plain_fields(Price)})
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
