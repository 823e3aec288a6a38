"""Questions in SQL that can change nothing."""

from __future__ import annotations

import datetime as dt
import math
import sqlite3
import time
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

import pandas as pd
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from policy_sim.errors import InputError, PolicySimError, SourceError
from policy_sim.io.sql.address import first_line, shown_url
from policy_sim.io.sql.connect import failure, reading, seconds_of

__all__ = ["run_query"]

_NAMING = "SELECT p.note AS price_note"
_READS = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)

_MOST_ROWS = 1_000_000
_LONGEST_VALUE = 10_000_000  # bytes
_STEPS = 100_000  # of SQLite's machine between two looks at the clock
_DAMAGED = ("malformed", "not a database", "disk I/O error")

# Whoever is, or may become, one of these reads files of the server or runs programs there with a mere SELECT.
_MAY_READ_FILES = """
SELECT coalesce(bool_or(rolsuper OR rolname IN (
    'pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program')), false)
FROM pg_roles WHERE pg_has_role(session_user, oid, 'MEMBER')
"""

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
    InputError : the query is not one that only reads, the database cannot understand it, it gives an
        endless number or too many rows, or the role may read files of the server.
    SourceError : the database failed, or did not answer in time.
    """
    statement = query.encode(errors="replace").decode().strip().rstrip(";").strip()
    if not statement:
        raise InputError(
            "the query is empty. Try: SELECT state, kind, base_usd FROM price JOIN voter_list ON id = list_id"
        )
    with reading(engine) as connection:
        try:
            columns, rows = _run(connection, statement)
        except (sqlite3.Error, _postgres_error()) as error:
            raise _refused(engine, error) from error
    twice = [name for name in columns if columns.count(name) > 1]
    if twice:
        raise InputError(f"two columns of the query are called {twice[0]!r}: give each its own name, as in: {_NAMING}")
    if len(rows) > _MOST_ROWS:
        raise InputError(f"the query gives more than {_MOST_ROWS:,} rows. Add a LIMIT or a WHERE.")
    return pd.DataFrame({name: _alike(name, (row[place] for row in rows)) for place, name in enumerate(columns)})


def _refused(engine: Engine, error: Exception) -> PolicySimError:
    message = first_line(error, engine.url)
    lost = type(error).__name__ == "OperationalError" and getattr(error, "sqlstate", "") is None  # PostgreSQL is gone
    if lost or any(word in message for word in _DAMAGED):
        return failure(engine, error)
    if message == "interrupted" or "timeout" in message:
        return SourceError(
            f"database {shown_url(engine.url)}: no answer within {seconds_of(engine)} seconds ({message}). Nothing was "
            "changed; ask for fewer rows, or try again when no other program uses the tables."
        )
    return InputError(f"the query was refused: {message}. Only one read-only query is allowed.")


def _run(connection: Connection, query: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    driver: Any = connection.connection.driver_connection
    if isinstance(driver, sqlite3.Connection):
        return _run_on_sqlite(driver, query, seconds_of(connection.engine))
    # Prepared, the server takes one statement only; so nothing can end the read-only transaction.
    with driver.cursor() as cursor:
        if cursor.execute(_MAY_READ_FILES).fetchone()[0]:
            raise InputError(
                f"database {shown_url(connection.engine.url)}: this role may read the server's files, so a query "
                f"could read them too. Log in with a role that may only SELECT."
            )
        cursor.execute(f"DECLARE asked NO SCROLL CURSOR FOR {query}", prepare=True)
        cursor.execute(f"FETCH {_MOST_ROWS + 1} FROM asked")
        return [column.name for column in cursor.description or ()], cursor.fetchall()


def _run_on_sqlite(driver: sqlite3.Connection, query: str, seconds: int) -> tuple[list[str], list[tuple[Any, ...]]]:
    end = time.monotonic() + seconds
    driver.set_authorizer(_only_reads)
    driver.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
    longest = driver.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
    try:
        cursor = driver.execute(query)
        return [column[0] for column in cursor.description or ()], cursor.fetchmany(_MOST_ROWS + 1)
    finally:
        driver.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, longest)
        driver.set_progress_handler(None, 0)
        driver.set_authorizer(None)


def _alike(name: str, values: Iterable[Any]) -> pd.Series[Any]:
    """Return a column of one kind, whatever the database gave: SQLite mixes kinds, PostgreSQL has its own."""
    plain = [_plain(value) for value in values]
    if any(isinstance(value, float) and not math.isfinite(value) for value in plain):
        raise InputError(
            f"column {name!r} of the query has an infinite or undefined number. Leave such rows out, or convert them "
            f"to text: CAST(... AS TEXT)"
        )
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
