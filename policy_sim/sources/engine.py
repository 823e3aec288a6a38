"""Class sizes of a file by one expression, computed where the records are.

The expression is written once in ibis. DuckDB evaluates it inside the process, within a memory limit
and spilling to disk beyond it; Spark evaluates it on a cluster (:mod:`policy_sim.sources.engine_spark`).
An engine returns whole numbers only: each value is replaced by its place among the field's sorted
values (0 for missing) before anything is counted, so the same file gives the same integers on both.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

from policy_sim.errors import InputError, PolicySimError, SourceError
from policy_sim.microdata.classes import IntArray
from policy_sim.sources.expressions import key_columns, packed_codes, share_out, value_codes
from policy_sim.sources.grouped import Grouped
from policy_sim.sources.records import Records

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa

__all__ = ["Engine", "Progress", "open_engine", "out_of_memory", "quietly"]

Progress = Callable[[str], None]


class Engine:
    """Something that can read records and count them; a context manager that leaves nothing behind.

    A subclass says how it reads a file and what its errors mean.
    """

    name = "engine"

    def __init__(self, progress: Progress | None = None) -> None:
        self.progress: Progress = progress or (lambda _: None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back what the engine holds."""

    def read(self, records: Records, *, rows: bool) -> ir.Table:
        """Return the key columns and, if asked for, the row number (from 1) as ``row``.

        Raises
        ------
        InputError : the engine does not number rows.
        """
        raise NotImplementedError

    def parquet(self, location: str) -> ir.Table:
        """Return a Parquet file, folder or pattern as a table."""
        raise NotImplementedError

    def explain(self, error: Exception, name: str) -> PolicySimError | None:
        """Say what an error of the engine means, without a record's values; None if it is not one."""
        raise NotImplementedError

    def keep(self, table: ir.Table) -> ir.Table:
        """Compute a table once and hold it until the engine closes."""
        raise NotImplementedError

    def fetch(self, table: ir.Table) -> pa.Table:
        """Compute a table and take it over: whole numbers, or the values of a field."""
        raise NotImplementedError

    def whole(self, number: ir.IntegerScalar) -> int:
        """Compute a single whole number; 0 where there are no rows."""
        return int(self.fetch(number.as_table()).column(0)[0].as_py() or 0)

    def hold(self, columns: Mapping[str, IntArray]) -> ir.Table:
        """Give the engine a table of whole numbers."""
        raise NotImplementedError

    @contextmanager
    def plainly(self, name: str) -> Iterator[None]:
        """Turn the engine's errors into one line of ours: theirs quote the records."""
        try:
            with quietly():
                yield
        except Exception as error:
            ours = self.explain(error, name)
            if ours is None:
                raise
            raise ours from None

    def group(self, records: Records, *, rows: bool = False) -> Grouped:
        """Group the records into classes.

        Parameters
        ----------
        records : The file and its key fields.
        rows : Also number the rows, so that :meth:`Grouped.rows` can name them.

        Raises
        ------
        UnknownNameError : the file lacks a column.
        SchemaError, SourceError : the file is damaged, or the engine failed.
        """
        return self._group([records], rows=rows, text=False)[0]

    def group_alike(self, first: Records, second: Records) -> tuple[Grouped, Grouped]:
        """Group two files on the same key fields, with the same codes for the same values.

        Values are compared as text: 7 of a Parquet file is "7" of a CSV file. A text that stands for a
        missing value in either file does so in both.
        """
        one, other = self._group([first, second], rows=False, text=True)
        return one, other

    def _group(self, files: Sequence[Records], *, rows: bool, text: bool) -> tuple[Grouped, ...]:
        fields = files[0].fields
        tables = []
        for records in files:
            self.progress("reading the records")
            with self.plainly(records.name):
                tables.append(key_columns(self.read(records, rows=rows), records, text=text))
        missing = [mark for records in files for mark in records.mapping.missing]
        values = []
        with self.plainly(" and ".join(records.name for records in files)):
            for at in range(len(fields)):
                self.progress(f"sorting the values of field {at + 1} of {len(fields)}")
                values.append(self.keep(value_codes(tables, f"f{at}", missing)))
            numbers = tuple(self.whole(known.count()) for known in values)
        words = share_out(numbers)
        return tuple(
            self._classes(records, table, values, numbers, words, rows)
            for records, table in zip(files, tables, strict=True)
        )

    def _classes(
        self,
        records: Records,
        table: ir.Table,
        values: Sequence[ir.Table],
        numbers: tuple[int, ...],
        words: tuple[tuple[int, ...], ...],
        rows: bool,
    ) -> Grouped:
        self.progress("counting the classes")
        with self.plainly(records.name):
            coded = packed_codes(table, values, numbers, words)
            if rows:
                coded = self.keep(coded)
            keys = [f"key{at}" for at in range(len(words))]
            classes = self.keep(coded.group_by(keys).aggregate(size=coded.count()))
        return Grouped(self, records, numbers, words, classes, tuple(values), coded if rows else None)


def open_engine(
    name: str = "duckdb", *, memory: str = "2GB", threads: int | None = None, progress: Progress | None = None
) -> Engine:
    """Return the engine of that name.

    Parameters
    ----------
    name : ``duckdb``, ``local`` (Spark in this process), or a Spark master: ``spark://…``, ``sc://…``.
    memory : What DuckDB may hold before it spills to disk.
    threads : Cores that DuckDB may use; all by default.
    progress : Told in words what is being done.

    Raises
    ------
    InputError : no such engine, or a part that it needs is not installed.
    """
    if name == "duckdb":
        from policy_sim.sources.engine_duckdb import DuckDbEngine

        return DuckDbEngine(memory, threads, progress)
    if name == "local" or re.match(r"(spark|sc|local(-cluster)?)\b", name):
        from policy_sim.sources.engine_spark import SparkEngine

        return SparkEngine(name, progress)
    raise InputError(f"--engine {name!r} is not known: write duckdb, local, spark://host:port or sc://host:port.")


def out_of_memory(name: str, memory: str) -> SourceError:
    """Say that the engine's memory was not enough."""
    return SourceError(
        f"{name}: the records need more than {memory} and what the disk for spilling holds: raise --memory, free "
        f"disk space, or use a Spark engine."
    )


@contextmanager
def quietly() -> Iterator[None]:
    """Keep to themselves what the engine's parts say of each other's versions; nobody here can mend it."""
    with warnings.catch_warnings():
        for text in ("fetch_arrow_table", "fetch_record_batch", "Arrow output", "PySpark does not yet fully support"):
            warnings.filterwarnings("ignore", message=text)
        yield
