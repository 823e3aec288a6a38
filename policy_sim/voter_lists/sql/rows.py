"""Between a voter list and its rows. Nothing is lost: what is read equals what was put in."""

from __future__ import annotations

import datetime as dt
import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, is_dataclass
from dataclasses import fields as dataclass_fields
from functools import cache
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, Connection, and_, func, or_, select

from policy_sim.files.evidence import Conflict, Evidence, Source
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.price import Price
from policy_sim.voter_lists.sql.connect import shown_url
from policy_sim.voter_lists.sql.models import LISTS, plain_fields
from policy_sim.voter_lists.voter_list import Quote, VoterList
from policy_sim.words.errors import InputError, SourceError

__all__ = ["held_on", "list_rows", "read_from", "source_row", "to_source"]


Row = dict[str, Any]

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
        facts = {key: getattr(fact, key) for key in plain_fields(ListField)}
        rows.add("list_field", name=name, **facts)
        rows.cite(f"fields.{name}", fact.evidence)
    _price_rows(rows, listed.price)
    for item, word, allowed in (("buyers", "buyer", listed.buyers), ("uses", "use", listed.uses)):
        for position, name in enumerate(allowed.names or ()):
            rows.add(f"list_{word}", **{word: name, "position": position})
        rows.cite(item, allowed.evidence)
    for position, quote in enumerate(listed.quotes):
        words = {key: getattr(quote, key) for key in plain_fields(Quote)}
        rows.add("quote", position=position, source_id=source_ids[quote.source], **words)
    _outside_rows(rows, listed)
    for position, conflict in enumerate(listed.conflicts):
        rows.add("conflict", position=position, **{key: getattr(conflict, key) for key in plain_fields(Conflict)})
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
    rows.add("price", **{name: getattr(price, name) for name in plain_fields(Price)})
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


# Read lists back from the database, as the same nouns that went in.


@cache
def _lists() -> TypeAdapter[VoterList]:
    return TypeAdapter(VoterList)


def read_from(connection: Connection, *where: ColumnElement[bool]) -> list[VoterList]:
    """Return the lists that meet every condition on the table of lists, by state and vintage."""
    try:
        documents = connection.execute(select(LISTS.c.document).where(*where).order_by(LISTS.c.state, LISTS.c.vintage))
        return [_lists().validate_json(document) for document in documents.scalars()]
    except (ValueError, TypeError, InputError) as error:
        raise SourceError(
            f"database {shown_url(connection.engine.url)}: a row is damaged and cannot be read as a voter list "
            f"({type(error).__name__}). Nothing was changed. Build the lists from the state files again and leave "
            "out what was imported (policy-sim lists build can forget imports)."
        ) from error


def held_on(day: dt.date) -> ColumnElement[bool]:
    """Return the condition that a list is the one taken to hold on a day: the newest begun by then.

    Scenarios are not lists of a time and never hold.
    """
    later = LISTS.alias()
    newest = (
        select(func.max(later.c.valid_from))
        .where(later.c.state == LISTS.c.state, later.c.valid_from <= day, later.c.scenario.is_(False))
        .scalar_subquery()
    )
    open_ended = or_(LISTS.c.valid_until.is_(None), LISTS.c.valid_until > day)
    return and_(LISTS.c.scenario.is_(False), LISTS.c.valid_from == newest, open_ended)
