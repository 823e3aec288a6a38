"""Tables of databases: their columns, their rows as text, and what the errors of databases mean."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from policy_sim.words.errors import SourceError, UnknownNameError, missing_package

if TYPE_CHECKING:
    import pyarrow as pa
    import sqlalchemy as sa

    from policy_sim.records.engines.expressions import Progress


_DATABASE = re.compile(r"(sqlite|postgres|postgresql|mysql|mariadb|oracle|mssql)(\+\w+)?:")
_BATCH = 100_000


def is_database(location: str) -> bool:
    """Tell whether a location is the URL of a database."""
    return _DATABASE.match(location) is not None and not Path(location).exists()


def scheme_of(location: str) -> str:
    """Return what messages may show of a database's address: its kind.

    >>> scheme_of("postgresql://me:hush@host/clinic")
    'postgresql://…'
    """
    return f"{location.partition(':')[0]}://…"


def batches(result: Any, kinds: pa.Schema, progress: Progress) -> Iterator[pa.RecordBatch]:
    """Give the rows of a query as batches of text, telling how many there are so far."""
    import pyarrow as pa

    read_rows = 0
    for rows in result.partitions(_BATCH):
        columns = ([_text(value) for value in column] for column in zip(*rows, strict=True))
        yield pa.RecordBatch.from_arrays([pa.array(column, pa.string()) for column in columns], schema=kinds)
        read_rows += len(rows)
        progress(f"read {read_rows:,} rows of the table")


def _text(value: Any) -> str | None:
    """Return a database's value as text; null and not a number are missing."""
    # only what is not a number differs from itself; a signaling one cannot even be compared
    lost = (
        value is None
        or (isinstance(value, Decimal) and value.is_nan())
        or (isinstance(value, float) and value != value)
    )
    return None if lost else str(value)


def database_url(location: str) -> sa.URL:
    """Return the URL with the driver that is installed with this program, where it names none."""
    import sqlalchemy as sa

    url = sa.make_url(location)
    return url.set(drivername="postgresql+psycopg") if url.drivername in ("postgres", "postgresql") else url


@contextmanager
def opened_database(location: str, name: str) -> Iterator[sa.Engine]:
    """Give a database; whatever its address, its driver or the database itself refuses is one line about ``name``."""
    import sqlalchemy as sa

    source = None
    try:
        url = database_url(location)
        file = url.database if url.get_backend_name() == "sqlite" and "uri" not in url.query else None
        if file and file != ":memory:" and not Path(file).exists():  # which SQLite would make
            raise SourceError(f"{name}: there is no such file.")
        with warnings.catch_warnings():
            warnings.simplefilter("error", sa.exc.SAWarning)  # an option that the driver does not take
            source = sa.create_engine(url)
        yield source
    except sa.exc.SAWarning:
        raise SourceError(f"{name}: the address has options that this kind of database does not take.") from None
    except (sa.exc.SQLAlchemyError, ImportError, ValueError, TypeError, OSError) as error:
        raise SourceError(f"{name}: {database_reason(error)}.") from None
    finally:
        if source is not None:
            source.dispose()


def database_reason(error: Exception) -> str:
    """Name the failure without the query, its rows or the password."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if "ImportError" in kinds:
        name = getattr(error, "name", None)
        if name == "psycopg":
            return missing_package("the database", name, "postgres")
        return (
            f"the database needs the package {name}. Install it: pip install {name}"
            if name
            else "the database needs its driver"
        )
    if "NoSuchTableError" in kinds:
        return "there is no such table"
    if kinds & {"ArgumentError", "ValueError", "TypeError"}:
        return "not the URL of a database, such as postgresql+psycopg://user@host/name"
    return f"the database failed ({type(error).__name__}): check that you can reach it and may read the table"


def database_columns(location: str, table: str) -> tuple[str, ...]:
    """Return the names of a table's columns."""
    import sqlalchemy as sa

    schema, _, bare = table.rpartition(".")
    with opened_database(location, f"{scheme_of(location)} table {table}") as database:
        inspected = sa.inspect(database)
        try:
            return tuple(column["name"] for column in inspected.get_columns(bare, schema=schema or None))
        except sa.exc.NoSuchTableError:
            raise UnknownNameError("table", table, inspected.get_table_names()) from None
