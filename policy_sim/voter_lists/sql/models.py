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
from collections.abc import Mapping
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

from policy_sim.files.evidence import Conflict
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.price import Price
from policy_sim.voter_lists.voter_list import Quote

__all__ = ["CHILDREN", "LISTS", "METADATA", "SOURCES", "STATE_NAMES", "plain_fields"]


METADATA = MetaData()
_TYPES: Mapping[Any, Any] = {str: String, int: Integer, float: Double, bool: Boolean, dt.date: Date}


def _column(name: str, kind: Any, *more: Any, key: bool = False, index: bool = False) -> Column[Any]:
    """Return a column of a kind such as ``str`` or ``float | None``."""
    plain = next(each for each in _TYPES if kind in (each, each | None))
    return Column(name, _TYPES[plain], *more, primary_key=key, nullable=kind != plain, index=index)


def _columns(kinds: Mapping[str, Any]) -> list[Column[Any]]:
    return [_column(name, kind) for name, kind in kinds.items()]


def plain_fields(noun: type) -> dict[str, Any]:
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
    "list_field": [_column("name", str, key=True), *_columns(plain_fields(ListField))],
    "price": _columns(plain_fields(Price)),
    "price_by_buyer": [_word("buyer", "buyer_class"), _column("usd", float)],
    "list_buyer": [_word("buyer", "buyer_class"), _column("position", int)],
    "list_use": [_word("use", "permitted_use"), _column("position", int)],
    "evidence": [_column("item", str, key=True), *_columns({"confidence": str, "carried_from": str})],
    "quote": [_position(), _source_id(), *_columns(plain_fields(Quote))],
    "preemption": [
        _position(),
        *_columns({"rule": str, "since": dt.date, "set_aside_by": str}),
        *_columns({"written": str | None, "allowed": str | None, "note": str}),
    ],
    "conflict": [_position(), *_columns(plain_fields(Conflict))],
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
