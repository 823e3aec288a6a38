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
from policy_sim.records.classes import runs
from policy_sim.records.engines.databases import batches, opened_database
from policy_sim.records.engines.engine import Engine, Grouped
from policy_sim.records.engines.expressions import (
    Progress,
    Table,
    WrittenColumn,
    key_columns,
    keys_of,
    quoted,
)
from policy_sim.records.engines.sources import ROW, FileHeader, Records, unreadable
from policy_sim.words.errors import InputError, PolicySimError, SchemaError, SourceError
from policy_sim.words.text import mask_credentials

if TYPE_CHECKING:
    import pyarrow as pa


# What is read outside DuckDB: at most so many values of Parquet, or bytes of text. A value takes 1 to 4 bytes.
_MOST_STORED_VALUES = 2**30
_MOST_TEXT_BYTES = 2**32
_PACKED = 8  # times the size of a gzipped file
_BATCH = 1_000_000
_TEXTS = ("string", "large_string", "dictionary<values=string, ")


class DuckDbEngine(Engine):
    """The default engine, on all cores unless ``threads`` says how many.

    Beyond ``memory``, such as ``2GB``, it spills to a folder that only the user can read and that is deleted when the
    engine closes.
    """

    name = "duckdb"

    def __init__(self, memory: str = "2GB", threads: int | None = None, progress: Progress | None = None) -> None:
        super().__init__(progress)
        import duckdb

        if not memory.strip()[:1].isdigit():  # to DuckDB a negative amount is any amount
            raise InputError(f"memory = {memory!r} is not an amount of memory: write 2GB or 500MB.")
        self.memory = memory
        self._errors = duckdb.Error
        self._spill = spill_folder()
        settings: dict[str, Any] = {
            "memory_limit": memory,
            "temp_directory": str(self._spill.path),
            # nothing is fetched from outside while a command runs
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
        try:
            self.connection = duckdb.connect(config={**settings, **({"threads": threads} if threads else {})})
        except duckdb.Error:
            self._spill.close()
            raise InputError(f"memory = {memory!r} is not an amount of memory: write 2GB or 500MB.") from None
        self.connection.execute("SET TimeZone = 'UTC'")
        self.connection.execute("SET python_enable_replacements = false")  # a table is never a variable of Python

    def close(self) -> None:
        """Close the connection and delete what was spilled."""
        self.connection.close()
        self._spill.close()

    def keep(self, table: Table) -> Table:
        """Compute a table once; it goes with the connection."""
        name = self._next_name()
        self.connection.execute(f"CREATE TEMP TABLE {name} AS {table.query}")
        return Table(f"SELECT * FROM {name}", table.kinds)

    def _group(self, files: Sequence[Records], *, rows: bool, text: bool) -> tuple[Grouped, ...]:
        """Write the records of one file as numbers outside DuckDB, where they fit into memory, and sort these.

        They are read once, and numpy sorts several times quicker than DuckDB joins and groups.
        """
        records = files[0]
        if rows or len(files) > 1 or records.mapping.person or not _fit(records):
            return super()._group(files, rows=rows, text=text)
        self.progress("reading the records")
        with self.plainly(records.name):
            columns = WrittenColumn.of(self._batches(records), len(records.fields))
            tables = [
                self.hold({f"f{at}": column.values, "place": np.arange(len(column.values))})
                for at, column in enumerate(columns)
            ]
        values, packing = self._coded_values(files, [[table] for table in tables])
        self.progress("counting the classes")
        with self.plainly(records.name):
            codes = [self._codes(table, coded) for table, coded in zip(tables, values, strict=True)]
            keys = keys_of(packing, columns, codes)
            del columns
            if len(keys) > 1:
                return (Grouped(self, records, packing, self.count(self.hold(keys)), values),)
            ((key, numbers),) = keys.items()
            held = runs(numbers)
            return (Grouped(self, records, packing, self.hold({key: held[0], "size": held[1]}), values, held=held),)

    def _codes(self, table: Table, coded: Table) -> NDArray[Any]:
        """Return the code of each of the held values of a field."""
        field = table.columns[0]
        placed = f"SELECT code FROM {table} AS held JOIN {coded} AS coded ON {field} IS NOT DISTINCT FROM value"
        codes: NDArray[Any] = self.fetch(Table(f"{placed} ORDER BY place", {}))["code"].to_numpy()
        return codes

    def _batches(self, records: Records) -> Iterator[Sequence[pa.Array]]:
        """Yield the key columns in batches; texts of a Parquet file as the dictionaries that it stores."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        names = [records.header[place] for place in records.places(records.header)]
        if all(_texts_alone(file, names) for file in records.files):
            for file in records.files:
                with pq.ParquetFile(file.readable, read_dictionary=names) as stored:
                    for batch in stored.iter_batches(_BATCH, columns=names):
                        yield [batch.column(name) for name in names]
            return
        for table in [key_columns(part, records) for part in self._parts(records)]:
            try:
                for batch in self.connection.sql(table.query).to_arrow_reader(_BATCH):
                    yield batch.columns
            except (pa.ArrowException, OSError):
                self.keep(table)  # Arrow does not say what DuckDB's error is: DuckDB does, once more
                raise

    def fetch(self, table: Table) -> pa.Table:
        """Compute a table and take it over."""
        import pyarrow as pa

        result = self.connection.sql(table.query).to_arrow_table()
        # DuckDB adds up in 128 bits, which Arrow holds as decimals of no places
        kinds = [pa.field(k.name, pa.int64() if pa.types.is_decimal(k.type) else k.type) for k in result.schema]
        return result.cast(pa.schema(kinds))

    def hold(self, columns: Mapping[str, NDArray[Any]]) -> Table:
        """Give the engine a table of numbers or texts."""
        import pyarrow as pa

        name = self._next_name()
        self.connection.register(name, pa.table(dict(columns)))
        return self._table(f"SELECT * FROM {name}")

    def _table(self, query: str) -> Table:
        """Return a query of DuckDB as a table, of whose columns it says the kinds."""
        result = self.connection.sql(query)
        return Table(query, dict(zip(result.columns, map(str, result.types), strict=True)))

    def read(self, records: Records, *, rows: bool) -> Table:
        """Return the key columns, with row numbers in the order of the files and their lines."""
        if records.kind == "sql":
            return self._numbered(self._read_database(records), rows)
        if not records.files:
            table = self._elsewhere(records)
            return self._numbered(_by_place(table, records.places(table.columns)), rows)
        parts = [self._numbered(part, rows) for part in self._parts(records)]
        if len(parts) == 1 and records.kind == "parquet":
            return parts[0]
        # parsed once: every field is read twice, for its values and for the classes
        tables = [self.keep(part) for part in parts]
        if rows:
            before = accumulate(map(self.whole, tables[:-1]), initial=0)
            tables = [
                part.select(*(name for name in part.columns if name != ROW), **{ROW: f"{ROW} + {start}"})
                for part, start in zip(tables, before, strict=True)
            ]
        return Table(" UNION ALL ".join(part.query for part in tables), tables[0].kinds)

    def _parts(self, records: Records) -> list[Table]:
        """Return the files that are read in one way as a table each."""
        return [self._read_files(records, files) for files in records.read_alike()]

    def _read_files(self, records: Records, files: Sequence[FileHeader]) -> Table:
        """Read files of one header; their columns by place, for DuckDB makes other names of some."""
        first = files[0]
        # a sign of a pattern in a name is a sign
        paths = f"[{', '.join(quoted(glob.escape(str(file.readable))) for file in files)}]"
        if records.kind == "parquet":
            table = self._table(f"SELECT * FROM read_parquet({paths}, hive_partitioning = false)")
        else:
            columns = ", ".join(f"'c{at}': 'VARCHAR'" for at in range(len(first.header)))
            table = self._table(
                f"SELECT * FROM read_csv({paths}, columns = {{{columns}}}, auto_detect = false, "
                f"delim = {quoted(first.separator)}, compression = '{'gzip' if first.packed else 'none'}', "
                "header = true, quote = '\"', escape = '\"', strict_mode = true, null_padding = false, "
                "hive_partitioning = false)"
            )
        return _by_place(table, records.places(first.header))

    def _elsewhere(self, records: Records) -> Table:
        if records.kind == "csv":
            raise InputError(
                f"{records.name}: the engine duckdb reads only CSV files on this machine. Copy the file here, or use "
                f"a Spark engine that can read it."
            )
        return self.parquet(records.location)

    def parquet(self, location: str) -> Table:
        """Return a Parquet file, folder or pattern as a table."""
        path = Path(location)
        if path.is_dir():
            pattern = f"{glob.escape(location)}/*.parquet"
        else:
            pattern = glob.escape(location) if path.exists() else location
        if not ("://" in pattern or path.exists() or glob.glob(pattern)):  # noqa: PTH207
            raise SourceError(f"{mask_credentials(location)}: no such file.")
        return self._table(f"SELECT * FROM read_parquet({quoted(pattern)})")

    def _numbered(self, table: Table, rows: bool) -> Table:
        return table.select(*table.columns, **{ROW: "ROW_NUMBER() OVER ()"}) if rows else table

    def _read_database(self, records: Records) -> Table:
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
                self.connection.register("streamed", reader)
                streamed = self.keep(self._table("SELECT * FROM streamed"))
                self.connection.unregister("streamed")
        return streamed

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
            return SourceError(
                f"{name}: the records need more than {self.memory} of memory and the free disk space. Allow more "
                "memory, free some disk space, or use a Spark engine."
            )
        return unreadable(name, kind.removesuffix("Exception") or kind)


def _fit(records: Records) -> bool:
    """Return whether numbers for the values of local files fit into memory."""
    if records.kind == "parquet":
        import pyarrow.parquet as pq

        rows = sum(pq.read_metadata(file.readable).num_rows for file in records.files)
        return bool(records.files) and rows * len(records.fields) <= _MOST_STORED_VALUES
    sizes = [file.readable.stat().st_size * (_PACKED if file.packed else 1) for file in records.files]
    return bool(sizes) and sum(sizes) <= _MOST_TEXT_BYTES


def _texts_alone(file: FileHeader, names: Sequence[str]) -> bool:
    """Return whether all of these columns of a Parquet file are texts, and no other has the name of one."""
    kinds = dict(zip(file.header, file.kinds, strict=False))
    return all(kinds.get(name, "").startswith(_TEXTS) and file.header.count(name) == 1 for name in names)


def _by_place(table: Table, places: Sequence[int]) -> Table:
    """Return the columns at some places as f0, f1, ..."""
    names = [name.replace('"', '""') for name in table.columns]
    columns = {f"f{at}": f'"{names[place]}"' for at, place in enumerate(places)}
    kinds = list(table.kinds.values())
    return Table(table.select(**columns).query, {f"f{at}": kinds[place] for at, place in enumerate(places)})


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
