"""Questions in SQL that can change nothing."""

from __future__ import annotations

import datetime as dt
import sqlite3
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

import pandas as pd
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from policy_sim.errors import InputError
from policy_sim.sources.database.connect import reading

__all__ = ["run_query"]

_NAMING = "SELECT p.note AS price_note"
_READS = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)

# The kinds of values in a column, and how it is kept; any other mixture is text.
_DTYPES: Mapping[frozenset[type], Any] = {
    frozenset(): "object",
    frozenset({bool}): "boolean",
    frozenset({int}): "Int64",
    frozenset({float}): "Float64",
    frozenset({int, float}): "Float64",
}


def run_query(engine: Engine, query: str) -> pd.DataFrame:
    """Return the rows of one query.

    SQLite refuses everything but reading; PostgreSQL opens a cursor for the query in a read-only
    transaction, which takes nothing but a SELECT or VALUES. Both answer alike: days are texts such as
    ``2008-09-01``.

    Raises
    ------
    InputError : the query is not one that only reads, or the database cannot understand it.
    SourceError : the database failed.
    """
    asked = query.strip().rstrip(";").strip()
    if not asked:
        raise InputError(
            "the query is empty. Try: SELECT state, kind, base_usd FROM price JOIN voter_list ON id = list_id"
        )
    with reading(engine) as connection:
        try:
            columns, rows = _run(connection, asked)
        except (sqlite3.Error, _postgres_error()) as error:
            said = str(error).strip().splitlines()[0].rstrip(".")
            raise InputError(f"the query was refused: {said}. Only one query that reads is run.") from error
    twice = [name for name in columns if columns.count(name) > 1]
    if twice:
        raise InputError(f"two columns of the query are called {twice[0]!r}: give each its own name, as in: {_NAMING}")
    return pd.DataFrame({name: _alike(row[place] for row in rows) for place, name in enumerate(columns)})


def _run(connection: Connection, query: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    driver: Any = connection.connection.driver_connection
    if isinstance(driver, sqlite3.Connection):
        driver.set_authorizer(_only_reads)
        try:
            cursor = driver.execute(query)
            return [column[0] for column in cursor.description or ()], cursor.fetchall()
        finally:
            driver.set_authorizer(None)
    # Prepared, the server takes one statement only; so nothing can end the read-only transaction.
    with driver.cursor() as cursor:
        cursor.execute(f"DECLARE asked NO SCROLL CURSOR FOR {query}", prepare=True)
        cursor.execute("FETCH ALL FROM asked")
        return [column.name for column in cursor.description or ()], cursor.fetchall()


def _alike(values: Iterable[Any]) -> pd.Series[Any]:
    """Return a column of one kind, whatever the database gave: SQLite mixes kinds, PostgreSQL has its own."""
    plain = [_plain(value) for value in values]
    kinds = frozenset(type(value) for value in plain if value is not None)
    dtype = _DTYPES.get(kinds, "string")
    if dtype == "string":
        plain = [None if value is None else str(value) for value in plain]
    column: pd.Series[Any] = pd.Series(plain, dtype=dtype)
    return column


def _plain(value: Any) -> Any:
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    return value if isinstance(value, (int, float, str, type(None))) else str(value)


def _only_reads(action: int, *_: object) -> int:
    return sqlite3.SQLITE_OK if action in _READS else sqlite3.SQLITE_DENY


def _postgres_error() -> type[Exception]:
    try:
        import psycopg
    except ModuleNotFoundError:
        return DBAPIError
    return psycopg.Error
