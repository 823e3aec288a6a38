"""Build the database from the state files: all of it at once, or not at all."""

from __future__ import annotations

import datetime as dt
import math
import sqlite3
import time
from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, Connection, Engine, delete, func, insert, select
from sqlalchemy.exc import DBAPIError

from policy_sim.files.paths import kind_of
from policy_sim.voter_lists.files import FICTIONAL, LIST_FOLDER, held_on, overlaps, read_state_files
from policy_sim.voter_lists.list_field import BUYERS, USES
from policy_sim.voter_lists.sql.database import (
    CHILDREN,
    HEAD,
    LISTS,
    METADATA,
    SOURCES,
    STATE_NAMES,
    Row,
    database_file,
    failure,
    first_line,
    given_url,
    holds_lists,
    list_rows,
    open_engine,
    reading,
    seconds_of,
    shown_url,
    source_row,
    to_source,
    writing,
)
from policy_sim.voter_lists.voter_list import VoterList
from policy_sim.words.errors import InputError, PolicySimError, SchemaError, SourceError, UnknownNameError
from policy_sim.words.states import STATES

FROM_FILES, IMPORTED = "files", "import"


def built_from(connection: Connection) -> str | None:
    """Return what the database was built from, or None where it is empty."""
    return connection.execute(select(METADATA.tables["build"].c.digest)).scalar() if holds_lists(connection) else None


def build(engine: Engine, lists: Iterable[VoterList], digest: str, *, keep_imports: bool = True) -> None:
    """Bring the tables up to date and fill them with these lists; imported lists are kept, unless told otherwise.

    One transaction: whoever reads meanwhile sees the old content, and so it stays if this fails.
    A second writer waits, and does nothing when the first has already built from the same files.
    """
    with writing(engine) as connection:
        built = built_from(connection)  # refuses somebody else's tables
        if keep_imports and built == digest:
            return
        make_tables(connection)
        imported = read_from(connection, LISTS.c.origin == IMPORTED) if keep_imports else []
        for table in reversed(METADATA.sorted_tables):
            if table.name != "schema_version":
                connection.execute(delete(table))
        _insert_words(connection)
        connection.execute(insert(METADATA.tables["build"]), [{"id": 1, "digest": digest}])
        store(connection, sorted(lists, key=lambda listed: (listed.state, listed.vintage)), FROM_FILES)
        store(connection, imported, IMPORTED)


def make_tables(connection: Connection) -> None:
    """Make the tables that the database does not have yet, and say which version of them it holds."""
    METADATA.create_all(connection)
    versions = METADATA.tables["schema_version"]
    connection.execute(delete(versions))
    connection.execute(insert(versions), [{"version_num": HEAD}])


def store(connection: Connection, lists: Iterable[VoterList], origin: str) -> None:
    """Put lists in, in place of those of the same state and vintage."""
    rows: dict[str, list[Row]] = {"source": [], "voter_list": [], **{name: [] for name in CHILDREN}}
    numbers = {to_source(dict(row)): row["id"] for row in connection.execute(select(SOURCES)).mappings()}
    first = connection.execute(select(func.coalesce(func.max(LISTS.c.id), 0))).scalar_one() + 1
    for number, listed in enumerate(lists, first):
        connection.execute(delete(LISTS).where(LISTS.c.state == listed.state, LISTS.c.vintage == listed.vintage))
        for source in listed.sources.values():
            if source not in numbers:
                numbers[source] = max(numbers.values(), default=0) + 1
                rows["source"].append(source_row(source, numbers[source]))
        source_ids = {key: numbers[source] for key, source in listed.sources.items()}
        for table, table_rows in list_rows(listed, number, source_ids, origin).items():
            rows[table] += table_rows
    for table, table_rows in rows.items():
        if table_rows:
            connection.execute(insert(METADATA.tables[table]), table_rows)


def _insert_words(connection: Connection) -> None:
    tables = METADATA.tables
    states = [{"postal": s.postal, "fips": s.fips, "name": s.name} for s in STATES.values() if s.postal != "PR"]
    connection.execute(insert(tables["state"]), states)
    connection.execute(insert(tables["buyer_class"]), [{"name": name} for name in BUYERS])
    connection.execute(insert(tables["permitted_use"]), [{"name": name} for name in USES])


# Read lists back from the database, as the same nouns that went in.


@cache
def _lists() -> TypeAdapter[VoterList]:
    return TypeAdapter(VoterList)


def read_from(connection: Connection, *where: ColumnElement[bool]) -> list[VoterList]:
    """Return the lists that meet every condition on the table of lists, by state and vintage."""
    try:
        documents = connection.execute(select(LISTS.c.document).where(*where).order_by(LISTS.c.state, LISTS.c.vintage))
        return [_lists().validate_json(document) for document in documents.scalars().all()]  # no cursor is left open
    except (ValueError, TypeError, InputError) as error:
        raise SourceError(
            f"database {shown_url(connection.engine.url)}: a row is damaged and cannot be read as a voter list "
            f"({type(error).__name__}). Nothing was changed. Build the lists from the state files again and leave "
            "out what was imported (policy-sim dev lists build can forget imports)."
        ) from error


# Questions in SQL that can change nothing.


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
    if "no such table" in message or "UndefinedTable" in type(error).__name__ or "does not exist" in message:
        return InputError(f"the query was refused: {message}. The tables are {', '.join(sorted(METADATA.tables))}.")
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


# The lists in the database: open it, up to date, and ask for lists by vintage, date or state.


def open_lists(database: str | None = None, directory: Path | None = None, *, make: bool = False) -> Engine:
    """Return the database of voter lists, ready to be read.

    The user's own SQLite is built from the state files when they have changed. A database named by
    URL or path (or by ``POLICY_SIM_DATABASE``) is built when it is empty, and afterwards changes only
    on request. Somebody else's tables are never touched.
    """
    url = given_url(database)
    engine = open_engine(url)
    if url is not None:
        _require_file(engine, make)
    with reading(engine) as connection:
        built = built_from(connection)
    if built is None or (url is None and built != LIST_FOLDER.digest(directory)):
        rebuild(engine, directory)
    return engine


def _require_file(engine: Engine, make: bool) -> None:
    """Refuse a file that is not there: opening it would leave an empty one under a misspelled name."""
    file = database_file(engine.url)
    kind = "file" if file is None else kind_of(file)
    if kind == "folder":
        raise InputError(f"database {shown_url(engine.url)}: this is a folder. Name a file in it.")
    if not kind and not make:
        raise InputError(
            f"database {shown_url(engine.url)}: there is no such file. Correct the name, or make it "
            "(policy-sim dev lists build)."
        )


def rebuild(engine: Engine, directory: Path | None = None, *, keep_imports: bool = True) -> None:
    """Build the database from the state files; lists that were imported stay, unless told otherwise."""
    files = read_state_files(directory)
    lists = [listed for state in sorted(files) if state != FICTIONAL for listed in files[state].values()]
    build(engine, lists, LIST_FOLDER.digest(directory), keep_imports=keep_imports)


def lists_in(
    engine: Engine,
    vintage: str | None = None,
    as_of: dt.date | None = None,
    states: Collection[str] = (),
) -> dict[str, VoterList]:
    """Return one list per state: of a vintage, or that taken to hold on a day; the newest by default.

    A state without one has a list with the status ``unknown``.
    """
    with reading(engine) as connection:
        state_names = connection.execute(select(STATE_NAMES.c.postal).order_by(STATE_NAMES.c.postal)).scalars().all()
        chosen = "" if as_of else _vintage(vintages_in(engine), vintage)
        rows = read_from(connection, *([] if as_of else [LISTS.c.vintage == chosen]), *_of(states))
    lists: dict[str, VoterList | None] = {listed.state: listed for listed in rows}
    if as_of:
        lists = {state: held_on([row for row in rows if row.state == state], as_of) for state in lists}
    why = "no list is known for this date" if as_of else "no evidence was collected for this vintage"
    return {
        state: lists.get(state) or VoterList(state, chosen or str(as_of), "unknown", why)
        for state in state_names
        if not states or state in states
    }


def all_lists(engine: Engine, states: Collection[str] = ()) -> list[VoterList]:
    """Return every list of the states, scenarios too, by state and vintage."""
    with reading(engine) as connection:
        return read_from(connection, *_of(states))


def vintages_in(engine: Engine) -> tuple[str, ...]:
    """Return every vintage and scenario in the database, sorted."""
    with reading(engine) as connection:
        return tuple(sorted(connection.execute(select(LISTS.c.vintage).distinct()).scalars()))


def import_lists(engine: Engine, lists: Iterable[VoterList]) -> int:
    """Put lists in, in place of those of the same state and vintage; return how many.

    They stay when the database is built again from the state files.
    """
    imported = list(lists)
    with writing(engine) as connection:
        store(connection, imported, IMPORTED)
        problems = [
            f"{state} {text}"
            for state in sorted({listed.state for listed in imported})
            for text in overlaps(read_from(connection, LISTS.c.state == state, LISTS.c.scenario.is_(False)))
        ]
        if problems:
            raise SchemaError("with the lists in the database", problems)
    return len(imported)


def _of(states: Collection[str]) -> list[ColumnElement[bool]]:
    return [LISTS.c.state.in_(list(states))] if states else []


def _vintage(vintages: Collection[str], requested: str | None) -> str:
    chosen = requested or max((name for name in vintages if name.isdigit()), default="")
    if not chosen:
        raise InputError("the database has no voter lists. Fill it (policy-sim dev lists build).")
    if chosen not in vintages:
        raise UnknownNameError("vintage of the voter lists", chosen, vintages)
    return chosen
