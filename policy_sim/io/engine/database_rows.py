"""Rows of a database's table as text, and what the database's errors mean."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from policy_sim.errors import SourceError, UnknownNameError

if TYPE_CHECKING:
    import pyarrow as pa
    import sqlalchemy as sa

    from policy_sim.io.engine.backend import Progress

__all__ = ["batches", "database_columns", "database_reason", "database_url"]

_BATCH = 100_000


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


def database_reason(error: Exception) -> str:
    """Name the failure without the query, its rows or the password."""
    if isinstance(error, ImportError):
        return f"the database needs the package {error.name}: install it"
    if type(error).__name__ == "NoSuchTableError":
        return "there is no such table"
    if type(error).__name__ == "ArgumentError":
        return "not the URL of a database, such as postgresql+psycopg://user@host/name"
    return f"the database failed ({type(error).__name__}): check that you can reach it and may read the table"


def database_columns(location: str, table: str) -> tuple[str, ...]:
    """Return the names of a table's columns.

    Raises
    ------
    UnknownNameError : there is no such table.
    SourceError : the database cannot be reached.
    """
    import sqlalchemy as sa

    schema, _, bare = table.rpartition(".")
    database = None
    try:
        database = sa.create_engine(database_url(location))
        return tuple(column["name"] for column in sa.inspect(database).get_columns(bare, schema=schema or None))
    except sa.exc.NoSuchTableError:
        assert database is not None
        raise UnknownNameError("table", table, sa.inspect(database).get_table_names()) from None
    except (sa.exc.SQLAlchemyError, ImportError) as error:
        raise SourceError(f"{location.partition('://')[0]}://… table {table}: {database_reason(error)}.") from None
    finally:
        if database is not None:
            database.dispose()
