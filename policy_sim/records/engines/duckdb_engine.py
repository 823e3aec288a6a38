"""DuckDB as the engine: in the process, within a memory limit, spilling to a private folder."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from policy_sim.files.writing import spill_folder
from policy_sim.records.engines.engine import Engine
from policy_sim.records.engines.expressions import Progress, out_of_memory, unreadable
from policy_sim.records.engines.sources import ROW, FileHeader, Records, batches, opened_database
from policy_sim.words.errors import InputError, PolicySimError, SchemaError, SourceError
from policy_sim.words.text import mask_credentials

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa


_MOST_COUNTERS = 2**26
_COUNTERS_A_RECORD = 8
_PART = 4_000_000


class DuckDbEngine(Engine):
    """The default engine, on all cores unless ``threads`` says how many.

    Beyond ``memory``, such as ``2GB``, it spills to a folder that only the user can read and that is deleted when the
    engine closes.
    """

    name = "duckdb"

    def __init__(self, memory: str = "2GB", threads: int | None = None, progress: Progress | None = None) -> None:
        super().__init__(progress)
        try:
            import duckdb
            import ibis
        except ImportError as error:
            raise InputError(
                f"records need the package {error.name}: install it with: pip install -e '.[engine]'."
            ) from error
        if not memory.strip()[:1].isdigit():  # to DuckDB a negative amount is any amount
            raise InputError(f"memory = {memory!r} is not an amount of memory: write 2GB or 500MB.")
        self.memory = memory
        self._errors = duckdb.Error
        self._tables = 0
        self._in_order: set[str] = set()
        self._spill = spill_folder()
        settings: dict[str, Any] = {
            "memory_limit": memory,
            "temp_directory": str(self._spill.path),
            # nothing is fetched from outside while a command runs
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
        try:
            self.connection = ibis.duckdb.connect(**settings, **({"threads": threads} if threads else {}))
        except duckdb.Error:
            self._spill.close()
            raise InputError(f"memory = {memory!r} is not an amount of memory: write 2GB or 500MB.") from None

    def close(self) -> None:
        """Close the connection and delete what was spilled."""
        self.connection.disconnect()
        self._spill.close()

    def keep(self, table: ir.Table) -> ir.Table:
        """Compute a table once; it goes with the connection."""
        import ibis

        self._tables += 1
        name = f"kept{self._tables}"
        self.connection.con.execute(f"CREATE TEMP TABLE {name} AS {self.connection.compile(table)}")
        return ibis.table(table.schema(), name=name)  # its columns are known: no need to ask for them

    def count(self, coded: ir.Table, records: ir.Table, possible: int) -> ir.Table:
        """Count the records of each class, with a counter for every possible one where these are few.

        The codes leave DuckDB in parts of some million records, and numpy counts each part by itself: several times
        quicker than DuckDB's table of the classes that occur.
        """
        if not possible <= min(_MOST_COUNTERS, _COUNTERS_A_RECORD * self.whole(records.count())):
            return super().count(coded, records, possible)
        key = next(name for name in coded.columns if name != "row")
        counts = np.zeros(possible, dtype=np.int64)
        for part in self._parts(coded.select(key)):
            if possible <= len(part):
                counts += np.bincount(part, minlength=possible)
            else:
                np.add.at(counts, part, 1)
        classes = np.flatnonzero(counts)
        held = self.hold({key: classes, "size": counts[classes]})
        self._in_order.add(held.get_name())
        return held

    def _parts(self, column: ir.Table) -> Iterator[NDArray[Any]]:
        """Yield a column of whole numbers in parts."""
        yield from (
            batch.column(0).to_numpy()
            for batch in self.connection.con.sql(self.connection.compile(column)).to_arrow_reader(_PART)
        )

    def in_order(self, table: ir.Table, keys: Sequence[str]) -> ir.Table:
        """Return the rows by their keys; a table counted here has them so."""
        return table if table.get_name() in self._in_order else super().in_order(table, keys)

    def fetch(self, table: ir.Table) -> pa.Table:
        """Compute a table and take it over."""
        import pyarrow as pa

        result = self.connection.con.sql(self.connection.compile(table)).to_arrow_table()
        # DuckDB adds up in 128 bits, which Arrow holds as decimals of no places
        kinds = [pa.field(k.name, pa.int64() if pa.types.is_decimal(k.type) else k.type) for k in result.schema]
        return result.cast(pa.schema(kinds))

    def hold(self, columns: Mapping[str, NDArray[Any]]) -> ir.Table:
        """Give the engine a table of numbers or texts."""
        import pyarrow as pa

        self._tables += 1
        name = f"held{self._tables}"
        self.connection.con.register(name, pa.table(dict(columns)))
        return self.connection.table(name)

    def read(self, records: Records, *, rows: bool) -> ir.Table:
        """Return the key columns, with row numbers in the order of the files and their lines."""
        import ibis

        if records.kind == "sql":
            return self._numbered(self._read_database(records), rows)
        if not records.files:
            table = self._elsewhere(records)
            return self._numbered(_by_place(table, records.places(table.columns)), rows)
        parts = [self._numbered(self._read_files(records, files), rows) for files in records.read_alike()]
        if len(parts) == 1 and records.kind == "parquet":
            return parts[0]
        # parsed once: every field is read twice, for its values and for the classes
        tables = [self.keep(part) for part in parts]
        if rows:
            before = accumulate((self.whole(part.count()) for part in tables[:-1]), initial=0)
            tables = [part.mutate(**{ROW: part[ROW] + start}) for part, start in zip(tables, before, strict=True)]
        return ibis.union(*tables) if len(tables) > 1 else tables[0]

    def _read_files(self, records: Records, files: Sequence[FileHeader]) -> ir.Table:
        """Read files of one header; their columns by place, for DuckDB makes other names of some."""
        first = files[0]
        paths = [glob.escape(str(file.readable)) for file in files]  # a sign of a pattern in a name is a sign
        if records.kind == "parquet":
            table = self.connection.read_parquet(paths, hive_partitioning=False)
        else:
            table = self.connection.read_csv(
                paths,
                columns={f"c{at}": "string" for at in range(len(first.header))},
                auto_detect=False,
                delim=first.separator,
                compression="gzip" if first.packed else "none",
                header=True,
                quote='"',
                escape='"',
                strict_mode=True,
                null_padding=False,
            )
        return _by_place(table, records.places(first.header))

    def _elsewhere(self, records: Records) -> ir.Table:
        if records.kind == "csv":
            raise InputError(
                f"{records.name}: the engine duckdb reads only CSV files on this machine. Copy the file here, or use "
                f"a Spark engine that can read it."
            )
        return self.parquet(records.location)

    def parquet(self, location: str) -> ir.Table:
        """Return a Parquet file, folder or pattern as a table."""
        path = Path(location)
        if path.is_dir():
            pattern = f"{glob.escape(location)}/*.parquet"
        else:
            pattern = glob.escape(location) if path.exists() else location
        if not ("://" in pattern or path.exists() or glob.glob(pattern)):  # noqa: PTH207
            raise SourceError(f"{mask_credentials(location)}: no such file.")
        return self.connection.read_parquet(pattern)

    def _numbered(self, table: ir.Table, rows: bool) -> ir.Table:
        import ibis

        return table.mutate(**{ROW: ibis.row_number() + 1}) if rows else table

    def _read_database(self, records: Records) -> ir.Table:
        """Stream the key columns of a database's table into the engine."""
        import pyarrow as pa
        import sqlalchemy as sa

        with opened_database(records.location, records.name) as source:
            schema, _, bare = (records.table or "").rpartition(".")
            table = sa.Table(bare, sa.MetaData(), autoload_with=source, schema=schema or None)
            every = list(table.columns)
            places = records.places([column.name for column in every])
            columns = [every[place].label(f"f{at}") for at, place in enumerate(places)]
            kinds = pa.schema([(column.name, pa.string()) for column in columns])
            with source.connect().execution_options(stream_results=True) as connection:
                result = connection.execute(sa.select(*columns))
                reader = pa.RecordBatchReader.from_batches(kinds, batches(result, kinds, self.progress))
                self.connection.con.register("streamed", reader)
                self._tables += 1
                name = f"streamed{self._tables}"
                self.connection.con.execute(f"CREATE TEMP TABLE {name} AS FROM streamed")
                self.connection.con.unregister("streamed")
        return self.connection.table(name)

    def explain(self, error: Exception, name: str) -> PolicySimError | None:
        """Say what DuckDB's error means; its own text quotes the record."""
        if not isinstance(error, self._errors):
            return None
        text, kind = str(error), type(error).__name__
        if not Path(name).is_file():  # a folder, pattern or pair of files: say which file of them
            name = _file_named(text) or name
        line = re.search(r"CSV Error on Line: (\d+)", text)
        if line:
            return SchemaError(name, [f"line {line[1]} {_wrong_line(text)}"])
        if "CSV Parser state machine" in text:
            return SchemaError(
                name, ["the lines have different line ends, or a quote is not closed. Correct the file."]
            )
        if kind == "OutOfMemoryException" or "No space left" in text:
            return out_of_memory(name, self.memory)
        return unreadable(name, kind.removesuffix("Exception") or kind)


def _by_place(table: ir.Table, places: Sequence[int]) -> ir.Table:
    """Return the columns at some places as f0, f1, ..."""
    return table.select(**{f"f{at}": table[table.columns[place]] for at, place in enumerate(places)})


def _file_named(text: str) -> str | None:
    """Return the file that DuckDB's error on CSV names, if it is one: a record may say such words too."""
    named = re.findall(r"^  file = (.+)$", text, re.MULTILINE)
    return named[-1] if named and Path(named[-1]).is_file() else None


def _wrong_line(text: str) -> str:
    """Say what is wrong with a line of CSV, without its content."""
    counts = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    if counts:
        return f"has {counts[2]} columns, but the header has {counts[1]}. Correct the line."
    if "utf-8" in text or "unicode" in text:
        return "is not UTF-8 text: mend the line, or save the file as CSV UTF-8."
    if "Maximum line size" in text:
        return "is longer than 2 million bytes; perhaps a quote is not closed. Correct the line."
    return "cannot be read as CSV; perhaps a quote is not closed."
