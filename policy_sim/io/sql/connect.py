"""Open the database: SQLite in the user's data folder, or another by URL or path."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DBAPIError, SAWarning, SQLAlchemyError
from sqlalchemy.pool import NullPool, Pool, StaticPool

from policy_sim.errors import InputError, SourceError
from policy_sim.files.paths import user_data_dir
from policy_sim.io.sql.address import (
    DATABASE_VARIABLE,
    FORMS,
    OWN,
    database_file,
    first_line,
    given_url,
    read_address,
    shown_url,
)

__all__ = [
    "DATABASE_VARIABLE",
    "OWN",
    "SECONDS",
    "failure",
    "given_url",
    "open_engine",
    "reading",
    "seconds_of",
    "shown_url",
    "writing",
]

SECONDS = 20  # to wait for another's lock, and for one statement; an answer comes within 30

_FILE = "voter-lists.sqlite"
_WRITERS_LOCK = 0x766F7465  # any fixed number; PostgreSQL's advisory lock for those who write
_SECONDS_TO_CONNECT = 10
_LONGEST_TO_CONNECT = 60
# A server that falls silent, or a network that drops packets, is noticed within half a minute.
_LIVELINESS = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 30_000}


def open_engine(database: str | None = None, seconds: int | None = None) -> Engine:
    """Return an engine for a URL or path, or for the user's own SQLite file.

    Parameters
    ----------
    seconds : Whole seconds, 1 or more, to wait for a lock and for one statement; :data:`SECONDS` by default.

    Raises
    ------
    InputError : the address cannot be read, or its driver is not installed.
    SourceError : the folder of the SQLite file cannot be made.
    """
    url = _own_url() if database is None else read_address(database)
    patience = seconds or SECONDS
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", SAWarning)  # an option that the driver does not take
            engine = create_engine(
                url, poolclass=_pool(url), connect_args=_waits(url), execution_options={"seconds": patience}
            )
    except ModuleNotFoundError as error:
        raise InputError(
            f"database {shown_url(url)}: the driver {error.name!r} is not installed. "
            "Install it with: pip install -e '.[postgres]'"
        ) from error
    except (ArgumentError, SAWarning, ValueError):
        raise InputError(f"database {shown_url(url)}: the address cannot be used. {FORMS}") from None
    if url.get_backend_name() == "sqlite":
        _prepare_sqlite(engine)
    return engine


def seconds_of(engine: Engine) -> int:
    """Return how many seconds a statement may take."""
    return int(engine.get_execution_options()["seconds"])


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Give a connection that changes nothing; a failure of the database is one clear line."""
    with _translated(engine), engine.connect() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("SET TRANSACTION READ ONLY"))
            _limit(connection)
        yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Give a connection whose changes appear all at once, or not at all; writers take turns."""
    with _translated(engine), engine.execution_options(begin="BEGIN IMMEDIATE").begin() as connection:
        if engine.dialect.name == "postgresql":
            _limit(connection)
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _WRITERS_LOCK})
        yield connection


def _limit(connection: Connection) -> None:
    """Bound every wait of this transaction on the server."""
    milliseconds = seconds_of(connection.engine) * 1000
    connection.execute(text(f"SET LOCAL lock_timeout = {milliseconds * 3 // 4}"))  # first, for it says why
    connection.execute(text(f"SET LOCAL statement_timeout = {milliseconds}"))


def _own_url() -> URL:
    folder = user_data_dir()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SourceError(
            f"{folder}: cannot be created ({error.strerror}). Set POLICY_SIM_HOME to one of your folders."
        ) from error
    return URL.create("sqlite", database=str(folder / _FILE))


def _waits(url: URL) -> dict[str, Any]:
    """Return what bounds the waits for a server, but for what the address says itself within bounds."""
    if url.get_backend_name() == "sqlite":
        return {}
    timeout = str(url.query.get("connect_timeout", ""))
    bounded = timeout.isascii() and timeout.isdigit() and 0 < int(timeout[:9]) <= _LONGEST_TO_CONNECT
    waits = {name: value for name, value in _LIVELINESS.items() if name not in url.query}
    return waits | ({} if bounded else {"connect_timeout": _SECONDS_TO_CONNECT})


def _pool(url: URL) -> type[Pool]:
    """No connection is kept between questions, so none can go stale; one in memory must be."""
    in_memory = url.get_backend_name() == "sqlite" and database_file(url) is None
    return StaticPool if in_memory else NullPool


def _prepare_sqlite(engine: Engine) -> None:
    """Enforce foreign keys, bound the wait for a lock, and let transactions hold changes of tables too."""
    milliseconds = seconds_of(engine) * 1000

    @event.listens_for(engine, "connect")
    def _on_connect(connection: object, _record: object) -> None:
        connection.isolation_level = None  # type: ignore[attr-defined]  # we say BEGIN ourselves
        connection.execute("PRAGMA foreign_keys=ON")  # type: ignore[attr-defined]
        connection.execute(f"PRAGMA busy_timeout={milliseconds}")  # type: ignore[attr-defined]

    @event.listens_for(engine, "begin")
    def _on_begin(connection: Connection) -> None:
        connection.exec_driver_sql(connection.get_execution_options().get("begin", "BEGIN"))


@contextmanager
def _translated(engine: Engine) -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        what = "the connection was lost" if error.connection_invalidated else "the database answered"
        raise failure(engine, error.orig, what) from error
    except SQLAlchemyError as error:
        raise failure(engine, error, "it cannot be used") from error


def failure(engine: Engine, error: object, what: str = "the database answered") -> SourceError:
    """Return one line for what the database or its driver said: which database, what, and what to do."""
    message = first_line(error, engine.url)
    return SourceError(
        f"database {shown_url(engine.url)}: {what}: {message}. Nothing was changed; {_remedy(message, engine.url)}."
    )


def _remedy(message: str, url: URL) -> str:
    if any(word in message for word in ("malformed", "not a database", "disk I/O error", "UTF-8")):
        own = database_file(url) == user_data_dir() / _FILE
        again = "it is built again" if own else "run 'policy-sim lists build' with the same database: it is built"
        return f"remove or rename that file, and {again} from the state files, without what was imported"
    if "unable to open" in message:
        return "name a file in an existing folder that you may write to"
    if "lock" in message or "statement timeout" in message:
        return "another program is using it; try again later"
    return "try again"
