"""Questions in SQL that can change nothing."""

from __future__ import annotations

import sqlite3
from typing import Any

import pandas as pd
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from policy_sim.errors import InputError
from policy_sim.sources.database.connect import reading

__all__ = ["run_query"]

_READS = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)


def run_query(engine: Engine, query: str) -> pd.DataFrame:
    """Return the rows of one query.

    SQLite refuses everything but reading; PostgreSQL runs the query as the only statement of a
    read-only transaction.

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
    return pd.DataFrame(rows, columns=columns)


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
        cursor.execute(query, prepare=True)
        rows = cursor.fetchall() if cursor.description else []
        return [column.name for column in cursor.description or ()], rows


def _only_reads(action: int, *_: object) -> int:
    return sqlite3.SQLITE_OK if action in _READS else sqlite3.SQLITE_DENY


def _postgres_error() -> type[Exception]:
    try:
        import psycopg
    except ModuleNotFoundError:
        return DBAPIError
    return psycopg.Error
