"""Open the database: SQLite in the user's data folder, or another by URL."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.pool import NullPool, Pool, StaticPool

from policy_sim.errors import InputError, SourceError
from policy_sim.sources.paths import user_data_dir

__all__ = ["DATABASE_VARIABLE", "OWN", "given_url", "open_engine", "reading", "shown_url", "writing"]

DATABASE_VARIABLE = "POLICY_SIM_DATABASE"
OWN = "own"

_FILE = "voter-lists.sqlite"
_FORMS = "Write sqlite:///lists.sqlite or postgresql+psycopg://user:password@host/name."
_DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}
_WRITERS_LOCK = 0x766F7465  # any fixed number; PostgreSQL's advisory lock for those who write
_SECONDS_TO_CONNECT = 10


def given_url(database: str | None) -> str | None:
    """Return the URL that was asked for, by option or environment; None for the user's own SQLite.

    ``own`` asks for that by name, whatever the environment says.
    """
    if database == OWN:
        return None
    return database or os.environ.get(DATABASE_VARIABLE) or None


def open_engine(database: str | None = None) -> Engine:
    """Return an engine for a URL, or for the user's own SQLite file.

    Raises
    ------
    InputError : the URL cannot be read, or its driver is not installed.
    SourceError : the folder of the SQLite file cannot be made.
    """
    url = _own_url() if database is None else _read(database)
    in_files = url.get_backend_name() == "sqlite"
    waits = {} if in_files or "connect_timeout" in url.query else {"connect_timeout": _SECONDS_TO_CONNECT}
    try:
        engine = create_engine(url, poolclass=_pool(url), connect_args=waits)
    except ModuleNotFoundError as error:
        raise InputError(
            f"database {shown_url(url)}: the driver {error.name!r} is not installed. "
            "Install it with: pip install 'policy-sim[postgres]'"
        ) from error
    except ArgumentError as error:
        raise InputError(f"database {shown_url(url)}: the address cannot be used. {_FORMS}") from error
    if in_files:
        _prepare_sqlite(engine)
    return engine


def shown_url(url: URL) -> str:
    """Return a URL as messages and outputs show it: without any password, wherever it stands."""
    kept = {key: value for key, value in url.query.items() if key == "host"}
    return url.set(query=kept).render_as_string(hide_password=True)


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Give a connection that changes nothing; a failure of the database is one clear line."""
    with _translated(engine), engine.connect() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("SET TRANSACTION READ ONLY"))
        yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Give a connection whose changes appear all at once, or not at all; writers take turns."""
    with _translated(engine), engine.execution_options(begin="BEGIN IMMEDIATE").begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _WRITERS_LOCK})
        yield connection


def _own_url() -> URL:
    folder = user_data_dir()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SourceError(
            f"{folder}: cannot be made ({error.strerror}); set POLICY_SIM_HOME to a folder of yours."
        ) from error
    return URL.create("sqlite", database=str(folder / _FILE))


def _read(database: str) -> URL:
    """Read an address; what cannot be read is not repeated, for a password may stand in it."""
    try:
        url = make_url(database)
    except (ArgumentError, ValueError):
        raise InputError(f"the database's address is not a URL. {_FORMS}") from None
    if "@" in (url.host or ""):
        raise InputError(f"the database's address has more than one @: write one in a password as %40. {_FORMS}")
    kind, _, driver = url.drivername.partition("+")
    known = _DRIVERS.get(kind)
    if known is None or (driver and f"{kind}+{driver}" != known):
        raise InputError(f"database {shown_url(url)}: this kind of database is not known. {_FORMS}")
    return url.set(drivername=known)


def _pool(url: URL) -> type[Pool]:
    """No connection is kept between questions, so none can go stale; one in memory must be."""
    in_memory = url.get_backend_name() == "sqlite" and url.database in (None, "", ":memory:")
    return StaticPool if in_memory else NullPool


def _prepare_sqlite(engine: Engine) -> None:
    """Enforce foreign keys, and let transactions hold changes of tables too."""

    @event.listens_for(engine, "connect")
    def _on_connect(connection: object, _record: object) -> None:
        connection.isolation_level = None  # type: ignore[attr-defined]  # we say BEGIN ourselves
        connection.execute("PRAGMA foreign_keys=ON")  # type: ignore[attr-defined]
        connection.execute("PRAGMA busy_timeout=30000")  # type: ignore[attr-defined]

    @event.listens_for(engine, "begin")
    def _on_begin(connection: Connection) -> None:
        connection.exec_driver_sql(connection.get_execution_options().get("begin", "BEGIN"))


@contextmanager
def _translated(engine: Engine) -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        said = str(error.orig).strip().splitlines()[0] if str(error.orig).strip() else "no reason given"
        what = "the connection was lost" if error.connection_invalidated else "the database answered"
        raise SourceError(
            f"database {shown_url(engine.url)}: {what}: {said}. Nothing was changed; {_remedy(said)}."
        ) from error


def _remedy(said: str) -> str:
    if "malformed" in said or "not a database" in said:
        return "remove or rename that file, and it is built anew from the state files, without what was imported"
    return "try again"
