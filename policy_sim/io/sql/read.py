"""Read lists back from the database, as the same nouns that went in."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, func, or_, select
from sqlalchemy.orm import aliased

from policy_sim.errors import InputError, SourceError
from policy_sim.io.sql.address import shown_url
from policy_sim.io.sql.models import Base, VoterListRow
from policy_sim.io.sql.rows import CHILDREN, to_source, to_voter_list
from policy_sim.voter_lists.voter_list import VoterList

__all__ = ["held_on", "read_from"]

_ORDER = {
    "citation": ("item", "position"),
    "list_field": ("name",),
    "evidence": ("item",),
    "price_by_buyer": ("buyer",),
}


def read_from(connection: Connection, *where: ColumnElement[bool]) -> list[VoterList]:
    """Return the lists that meet every condition on :class:`VoterListRow`, by state and vintage.

    Raises
    ------
    SourceError : a row is damaged, so that it is no list.
    """
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
