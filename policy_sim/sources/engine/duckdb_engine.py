"""DuckDB as the engine: in the process, within a memory limit, spilling to a private folder."""

from __future__ import annotations

import glob
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from policy_sim.errors import InputError, PolicySimError, SchemaError, SourceError
from policy_sim.microdata.classes import IntArray
from policy_sim.sources.engine.backend import Progress, out_of_memory
from policy_sim.sources.engine.engine import Engine
from policy_sim.sources.engine.records import ROW, Records

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa

__all__ = ["DuckDbEngine"]

_BATCH = 100_000
_COUNTER_BITS = 24
_MOST_WRITTEN = 200_000_000


class DuckDbEngine(Engine):
    """The default engine.

    Parameters
    ----------
    memory : What it may hold, such as ``2GB``; beyond it, it spills to a folder that only the user can
        read and that is deleted when the engine closes.
    threads : Cores; all by default.
    """

    name = "duckdb"

    def __init__(self, memory: str = "2GB", threads: int | None = None, progress: Progress | None = None) -> None:
        super().__init__(progress)
        try:
            import duckdb
            import ibis
        except ImportError as error:
            raise InputError(
                f"records need the package {error.name}: install it with: pip install 'policy-sim[engine]'."
            ) from error
        self.memory = memory
        self._errors = duckdb.Error
        self._tables = 0
        self._spill = Path(tempfile.mkdtemp(prefix="policy-sim-"))  # mkdtemp: for this user only
        settings: dict[str, Any] = {
            "memory_limit": memory,
            "temp_directory": str(self._spill),
            # nothing is fetched from outside while a command runs
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
        try:
            self.connection = ibis.duckdb.connect(**settings, **({"threads": threads} if threads else {}))
        except duckdb.Error:
            shutil.rmtree(self._spill, ignore_errors=True)
            raise InputError(f"--memory {memory!r} is not an amount of memory: write 2GB or 500MB.") from None

    def close(self) -> None:
        """Close the connection and delete what was spilled."""
        self.connection.disconnect()
        shutil.rmtree(self._spill, ignore_errors=True)

    def keep(self, table: ir.Table) -> ir.Table:
        """Compute a table once; it goes with the connection."""
        import ibis

        self._tables += 1
        name = f"kept{self._tables}"
        self.connection.con.execute(f"CREATE TEMP TABLE {name} AS {self.connection.compile(table)}")
        return ibis.table(table.schema(), name=name)  # its columns are known: no need to ask for them

    def count(self, coded: ir.Table, records: ir.Table, possible: int) -> ir.Table:
        """Count the records of each class, with a counter for every possible one where these are few.

        DuckDB has counters of itself for up to 2^12 possible classes. With more of them it is quicker once the
        codes are written down, which takes 4 bytes a record for as long as it counts.
        """
        bits = (possible + 1).bit_length()  # one more counter than classes: DuckDB keeps it for nulls
        number = self.whole(records.count()) if bits <= _COUNTER_BITS else 0
        if not possible <= number <= _MOST_WRITTEN:
            return super().count(coded, records, possible)
        numbered = "row" in coded.columns  # then the codes are written already
        written = coded if numbered else self.keep(coded)
        self.connection.con.execute(f"SET perfect_ht_threshold = {bits}")
        try:
            return super().count(written, records, possible)
        finally:
            self.connection.con.execute("RESET perfect_ht_threshold")
            if not numbered:
                self.connection.con.execute(f"DROP TABLE {written.get_name()}")

    def fetch(self, table: ir.Table) -> pa.Table:
        """Compute a table and take it over."""
        import pyarrow as pa

        found = self.connection.con.sql(self.connection.compile(table)).to_arrow_table()
        # DuckDB adds up in 128 bits, which Arrow holds as decimals of no places
        kinds = [pa.field(k.name, pa.int64() if pa.types.is_decimal(k.type) else k.type) for k in found.schema]
        return found.cast(pa.schema(kinds))

    def hold(self, columns: Mapping[str, IntArray]) -> ir.Table:
        """Give the engine a table of whole numbers."""
        import pyarrow as pa

        self._tables += 1
        name = f"held{self._tables}"
        self.connection.con.register(name, pa.table(dict(columns)))
        return self.connection.table(name)

    def read(self, records: Records, *, rows: bool) -> ir.Table:
        """Return the key columns, with row numbers in the order of the file."""
        if records.kind == "sql":
            return self._numbered(self._read_database(records), records, rows)
        if records.kind == "parquet":
            return self._numbered(self.parquet(records.location), records, rows)
        pattern = f"{records.location}/*.csv*" if Path(records.location).is_dir() else records.location
        table = self.connection.read_csv(
            pattern,
            columns=dict.fromkeys(records.header, "string"),
            auto_detect=False,
            delim=records.separator,
            header=True,
            quote='"',
            escape='"',
            strict_mode=True,
            null_padding=False,
        )
        # parsed once: every field is read twice, for its values and for the classes
        return self.keep(self._numbered(table, records, rows))

    def parquet(self, location: str) -> ir.Table:
        """Return a Parquet file, folder or pattern as a table."""
        pattern = f"{location}/*.parquet" if Path(location).is_dir() else location
        if not ("://" in pattern or Path(pattern).exists() or glob.glob(pattern)):  # noqa: PTH207
            raise SourceError(f"{location}: there is no such file.")
        return self.connection.read_parquet(pattern)

    def _numbered(self, table: ir.Table, records: Records, rows: bool) -> ir.Table:
        import ibis

        records.check_columns(table.columns)
        return table.select(*dict.fromkeys(records.columns), **({ROW: ibis.row_number() + 1} if rows else {}))

    def _read_database(self, records: Records) -> ir.Table:
        """Stream the key columns of a database's table into the engine."""
        import pyarrow as pa
        import sqlalchemy as sa

        source = None
        try:
            source = sa.create_engine(records.location)
            schema, _, bare = (records.table or "").rpartition(".")
            table = sa.Table(bare, sa.MetaData(), autoload_with=source, schema=schema or None)
            records.check_columns([column.name for column in table.columns])
            names = tuple(dict.fromkeys(records.columns))
            kinds = pa.schema([(name, pa.string()) for name in names])
            with source.connect().execution_options(stream_results=True) as connection:
                found = connection.execute(sa.select(*(table.c[name] for name in names)))
                reader = pa.RecordBatchReader.from_batches(kinds, _batches(found, kinds, self.progress))
                self.connection.con.register("streamed", reader)
                self._tables += 1
                name = f"streamed{self._tables}"
                self.connection.con.execute(f"CREATE TEMP TABLE {name} AS FROM streamed")
                self.connection.con.unregister("streamed")
        except (sa.exc.SQLAlchemyError, ImportError) as error:
            raise SourceError(f"{records.name}: {_database_reason(error)}.") from None
        finally:
            if source is not None:
                source.dispose()
        return self.connection.table(name)

    def explain(self, error: Exception, name: str) -> PolicySimError | None:
        """Say what DuckDB's error means; its own text quotes the record."""
        if not isinstance(error, self._errors):
            return None
        text, kind = str(error), type(error).__name__
        line = re.search(r"CSV Error on Line: (\d+)", text)
        counts = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
        if line and counts:
            return SchemaError(
                name, [f"line {line[1]} has {counts[2]} columns where the header has {counts[1]}: mend the line."]
            )
        if line and ("utf-8" in text or "unicode" in text):
            return SchemaError(name, [f"line {line[1]} is not UTF-8 text: convert the file."])
        if line:
            return SchemaError(name, [f"line {line[1]} cannot be read as CSV, perhaps a quote is not closed."])
        if kind == "OutOfMemoryException":
            return out_of_memory(name, self.memory)
        return SourceError(
            f"{name}: cannot be read ({kind.removesuffix('Exception') or kind}): is it whole, and what its name says?"
        )


def _batches(found: Any, kinds: pa.Schema, progress: Progress) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    done = 0
    for rows in found.partitions(_BATCH):
        columns = ([None if v is None else str(v) for v in column] for column in zip(*rows, strict=True))
        yield pa.RecordBatch.from_arrays([pa.array(column, pa.string()) for column in columns], schema=kinds)
        done += len(rows)
        progress(f"read {done:,} rows of the table")


def _database_reason(error: Exception) -> str:
    """Name the failure without the query, its rows or the password."""
    if isinstance(error, ImportError):
        return f"the database needs the package {error.name}: install it"
    if type(error).__name__ == "NoSuchTableError":
        return "there is no such table"
    if type(error).__name__ == "ArgumentError":
        return "not the URL of a database, such as postgresql+psycopg://user@host/name"
    return f"the database failed ({type(error).__name__}): is it reachable, and may this user read the table"
