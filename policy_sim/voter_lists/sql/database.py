"""The database of lists: its tables, and connections to it."""

from __future__ import annotations

import datetime as dt
import json
import os
import re
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields as dataclass_fields
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, get_type_hints

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Connection,
    Date,
    Double,
    Engine,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    column,
    create_engine,
    event,
    inspect,
    select,
    table,
    text,
)
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SAWarning, SQLAlchemyError
from sqlalchemy.pool import NullPool, Pool, StaticPool

from policy_sim.files.evidence import Conflict, Evidence, Source
from policy_sim.files.paths import user_data_dir
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.price import Price
from policy_sim.voter_lists.voter_list import Quote, VoterList
from policy_sim.words.errors import InputError, MissingPackageError, SourceError
from policy_sim.words.text import mask_credentials

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


def _plain_values(noun: Any) -> dict[str, Any]:
    return {name: getattr(noun, name) for name in _plain_fields(type(noun))}


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


def list_rows(listed: VoterList, list_id: int, source_ids: Mapping[str, int], origin: str) -> dict[str, list[Row]]:
    """Return the rows of one list by table; ``source_ids`` gives the row of each source it may cite."""
    tables: dict[str, list[Row]] = defaultdict(list)
    for name, values in _rows_of(listed, source_ids):
        tables[name].append({"list_id": list_id, **values})
    for item, evidence in _evidence_of(listed):
        if evidence == Evidence():
            continue
        own = {"list_id": list_id, "item": item}
        tables["evidence"].append({**own, "confidence": evidence.confidence, "carried_from": evidence.carried_from})
        tables["citation"] += [
            {**own, "position": position, "source_id": source_ids[key]} for position, key in enumerate(evidence.sources)
        ]
    return {"voter_list": [_own_row(listed, list_id, origin)], **tables}


def _rows_of(listed: VoterList, source_ids: Mapping[str, int]) -> Iterator[tuple[str, Row]]:
    """Yield what a list holds, table by table; mirrors are quotes."""
    for name, fact in listed.fields.items():
        yield "list_field", {"name": name, **_plain_values(fact)}
    yield "price", _plain_values(listed.price)
    for buyer, usd in listed.price.usd_by_buyer.items():
        yield "price_by_buyer", {"buyer": buyer, "usd": usd}
    for word, allowed in (("buyer", listed.buyers), ("use", listed.uses)):
        for position, name in enumerate(allowed.names or ()):
            yield f"list_{word}", {word: name, "position": position}
    mirrors = (Quote(mirror.source, mirror.usd, mirror.covers, _MIRROR) for mirror in listed.mirrors)
    for position, quote in enumerate((*listed.quotes, *mirrors)):
        yield "quote", {"position": position, "source_id": source_ids[quote.source], **_plain_values(quote)}
    for position, entry in enumerate(listed.preemptions):
        words = {
            name: None if names is None else " ".join(names)
            for name, names in (("written", entry.written), ("allowed", entry.allowed))
        }
        facts = {"rule": entry.rule, "since": entry.since, "set_aside_by": entry.by, "note": entry.note}
        yield "preemption", {"position": position, **facts, **words}
    for position, conflict in enumerate(listed.conflicts):
        yield "conflict", {"position": position, **_plain_values(conflict)}
    for position, note in enumerate(listed.notes):
        yield "note", {"position": position, "text": note}


def _evidence_of(listed: VoterList) -> Iterator[tuple[str, Evidence]]:
    yield from ((f"fields.{name}", fact.evidence) for name, fact in listed.fields.items())
    yield from ((item, getattr(listed, item).evidence) for item in ("price", "buyers", "uses"))
    yield from ((f"preempted.{place}", entry.evidence) for place, entry in enumerate(listed.preemptions))
    yield from ((f"conflict.{n}", Evidence(sources=entry.sources)) for n, entry in enumerate(listed.conflicts))


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


def source_row(source: Source, number: int) -> Row:
    """Return a source's row."""
    return {"id": number, "key": source.id, "also": "\n".join(source.also)} | {
        name: getattr(source, name) for name in ("title", "url", "date", "note")
    }


def to_source(row: Mapping[str, Any]) -> Source:
    """Return the source of a row."""
    return Source(row["key"], row["title"], row["url"], row["date"], row["note"], tuple(row["also"].splitlines()))


DATABASE_VARIABLE = "POLICY_SIM_DATABASE"
OWN = "own"
FORMS = "Write lists.sqlite, sqlite:///lists.sqlite or postgresql+psycopg://host/name."

_DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}
_SCHEME = re.compile(r"[A-Za-z][\w+.-]+:|.*://")  # of two letters or more: C:/ is a drive
_PASSWORD = re.compile(r"(?i)\bpass\w*\s*=")  # PostgreSQL's other form: host=... password=...
_OPTION = re.compile(r"[/?;].*=")  # in a password: the @ stood in an option, and what follows it is no host
_LONGEST = 200  # letters of what a server says
_NOT_SECRET = ("host", "port", "dbname")


def given_url(database: str | None) -> str | None:
    """Return the URL or path that was asked for, by option or environment; None for the user's own SQLite.

    ``own`` asks for that by name, whatever the environment says.
    """
    address = database or os.environ.get(DATABASE_VARIABLE) or OWN
    return None if address == OWN else address


def read_address(database: str) -> URL:
    """Read a URL, or the plain path of an SQLite file."""
    if not _SCHEME.match(database) and not _PASSWORD.search(database):
        return URL.create("sqlite", database=database)
    try:
        url = make_url(database)
    except (ArgumentError, ValueError):
        raise InputError(f"the database's address is neither a path nor a URL. {FORMS}") from None
    kind, _, driver = url.drivername.partition("+")
    if (
        _OPTION.search(url.password or "")
        or "@" in (url.host or "")
        or (kind != "sqlite" and "@" in (url.database or ""))
    ):
        raise InputError(
            "the database's address has more than one @, or one after a /: "
            f"write @ in a password as %40 and / as %2F. {FORMS}"
        )
    driver_name = _DRIVERS.get(kind)
    if driver_name is None or (driver and f"{kind}+{driver}" != driver_name):
        raise InputError(f"database {kind}://…: this kind of database is not supported. {FORMS}")
    if kind == "sqlite" and (url.host or url.username or url.password):
        raise InputError(f"an SQLite address has three slashes before the path, and no user. {FORMS}")
    return url.set(drivername=driver_name)


def database_file(url: URL) -> Path | None:
    """Return the file of an SQLite database; None for a server, or a database in memory."""
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        return None
    name = str(url.database)
    return Path(name.removeprefix("file:")) if "uri" in url.query else Path(name)


def shown_url(url: URL) -> str:
    """Return a URL as messages and outputs show it: without user and password, wherever they stand."""
    if url.get_backend_name() == "sqlite":  # rendered, its : and @ would not be seen as an address's
        return mask_credentials(f"{url.drivername}:///{url.database or ''}")
    public = {key: value for key, value in url.query.items() if key == "host"}
    return mask_credentials(url.set(query=public).render_as_string(hide_password=True)).replace("%2F", "/")


def first_line(error: object, url: URL) -> str:
    """Return the first line that a driver or server said, without any password of the address that it may repeat."""
    message = str(error).strip()
    values = [url.password, *(value for key, value in url.query.items() if key not in _NOT_SECRET)]
    for secret in {str(value) for value in values if value}:
        message = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", "…", message)
    lines = mask_credentials(message).splitlines() or ["no reason given"]
    return lines[0][:_LONGEST].rstrip(".")


# Open the database: SQLite in the user's data folder, or another by URL or path.


SECONDS = 20  # to wait for another's lock, and for one statement; an answer comes within 30

_FILE = "voter-lists.sqlite"
_WRITERS_LOCK = 0x766F7465  # any fixed number; PostgreSQL's advisory lock for those who write
_SECONDS_TO_CONNECT = 10
_LONGEST_TO_CONNECT = 60
# A server that falls silent, or a network that drops packets, is noticed within half a minute.
_LIVELINESS = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 30_000}


def open_engine(database: str | None = None, seconds: int | None = None) -> Engine:
    """Return an engine for a URL or path, or for the user's own SQLite file.

    ``seconds`` (:data:`SECONDS` by default) bound the wait for a lock, and that for one statement.
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
        raise MissingPackageError(f"database {shown_url(url)}", str(error.name), "postgres") from error
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
        return _how_to_build_again(url)
    if "unable to open" in message:
        return "name a file in an existing folder that you may write to"
    if "lock" in message or "statement timeout" in message:
        return "another program is using it; try again later"
    return "try again"


def _how_to_build_again(url: URL) -> str:
    own = database_file(url) == user_data_dir() / _FILE
    again = "it is built again" if own else "run 'policy-sim dev lists build' with the same database: it is built"
    return f"remove or rename that file, and {again} from the state files, without what was imported"


# Whose tables a database holds: none, ours, or somebody else's, which are left alone.


HEAD = "0002"
_VERSION = "schema_version"
_SHOWN = 3

_Columns = Mapping[str, set[str]]


def holds_lists(connection: Connection) -> bool:
    """Tell whether the database holds our tables, whole and of this version; false where it is empty."""
    tables = _tables(connection)
    versions = _versions(connection, tables)
    if not tables:
        return False
    if versions == [HEAD]:
        if lacking := _lacking(tables):
            raise _refused(connection, f"its tables are damaged or belong to another program: {lacking} is missing")
        return True
    if {"voter_list", "list_field"} <= set(tables):
        version, older = ", ".join(versions) or "none", max(versions, default="") < HEAD
        why = f"its tables have version {version}, made by {'an older' if older else 'a newer'} version of policy-sim, "
        why += f"and this one needs {HEAD}"
        if older and database_file(url := connection.engine.url) is not None:
            raise InputError(f"database {shown_url(url)}: {why}. Nothing was changed; {_how_to_build_again(url)}.")
        raise _refused(connection, f"{why}{'' if older else '; update policy-sim'}")
    names = ", ".join(sorted(tables)[:_SHOWN]) + (", ..." if len(tables) > _SHOWN else "")
    raise _refused(connection, f"it contains other tables ({names}) but no voter lists")


def _tables(connection: Connection) -> _Columns:
    columns_by_table = inspect(connection).get_multi_columns()
    return {name: {column_info["name"] for column_info in columns} for (_, name), columns in columns_by_table.items()}


def _versions(connection: Connection, tables: _Columns) -> list[str]:
    if tables.get(_VERSION) != {"version_num"}:
        return []
    return sorted(map(str, connection.execute(select(column("version_num")).select_from(table(_VERSION))).scalars()))


def _lacking(tables: _Columns) -> str:
    for name, ours in METADATA.tables.items():
        if name not in tables:
            return f"table {name}"
        for table_column in ours.columns:
            if table_column.name not in tables[name]:
                return f"column {name}.{table_column.name}"
    return ""


def _refused(connection: Connection, why: str) -> InputError:
    url = connection.engine.url
    file = database_file(url)
    other = "Name an empty database" if file is None else "Name another file, or remove or rename this one"
    return InputError(
        f"database {shown_url(url)}: {why}. Nothing was changed. {other}, "
        "and build the lists there (policy-sim dev lists build)."
    )
