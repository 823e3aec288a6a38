"""Class sizes of a file by one expression, computed where the records are.

The expression is written once in ibis. DuckDB evaluates it inside the process, within a memory limit
and spilling to disk beyond it; Spark evaluates it on a cluster (:mod:`policy_sim.sources.engine_spark`).
An engine returns whole numbers only: each value is replaced by its place among the field's sorted
values (0 for missing) before anything is counted, so the same file gives the same integers on both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from policy_sim.errors import InputError, NotEstimableError, PolicySimError, SourceError
from policy_sim.microdata.classes import Classes, IntArray
from policy_sim.microdata.missing import RecordSizes
from policy_sim.sources.expressions import key_columns, long, pack, packed_codes, share_out, value_codes, whole
from policy_sim.sources.records import Records

if TYPE_CHECKING:
    import ibis.expr.types as ir

__all__ = ["MOST_CLASSES", "Engine", "Grouped", "Progress", "open_engine"]

Progress = Callable[[str], None]

MOST_CLASSES = 8_000_000


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

    def explain(self, error: Exception, name: str) -> PolicySimError | None:
        """Say what an error of the engine means, without a record's values; None if it is not one."""
        raise NotImplementedError

    def keep(self, table: ir.Table) -> ir.Table:
        """Compute a table once and hold it until the engine closes."""
        raise NotImplementedError

    def hold(self, columns: Mapping[str, IntArray]) -> ir.Table:
        """Give the engine a table of whole numbers."""
        raise NotImplementedError

    @contextmanager
    def plainly(self, name: str) -> Iterator[None]:
        """Turn the engine's errors into one line of ours: theirs quote the records."""
        try:
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
        with self.plainly(records.name):
            self.progress("reading the records")
            table = key_columns(self.read(records, rows=rows), records)
            values = []
            for at in range(len(records.fields)):
                self.progress(f"sorting the values of field {at + 1} of {len(records.fields)}")
                values.append(self.keep(value_codes(table, f"f{at}")))
            numbers = tuple(whole(known.count()) for known in values)
            words = share_out(numbers)
            coded = packed_codes(table, values, numbers, words)
            if rows:
                coded = self.keep(coded)
            self.progress("counting the classes")
            keys = [f"key{at}" for at in range(len(words))]
            classes = self.keep(coded.group_by(keys).aggregate(size=coded.count()))
            return Grouped(self, records, numbers, words, classes, tuple(values), coded if rows else None)


@dataclass(frozen=True, eq=False)
class Grouped:
    """The classes of a file, still inside the engine."""

    engine: Engine
    records: Records
    values: tuple[int, ...]
    words: tuple[tuple[int, ...], ...]
    table: ir.Table
    known: tuple[ir.Table, ...]
    coded: ir.Table | None = None

    def number(self) -> int:
        """Number of classes."""
        with self.engine.plainly(self.records.name):
            return whole(self.table.count())

    def classes(self, most: int = MOST_CLASSES) -> Classes:
        """Return every class as codes and a size.

        Raises
        ------
        NotEstimableError : more classes than ``most``; the engine still gives their sizes.
        """
        number = self.number()
        if number > most:
            raise NotEstimableError(
                f"{number:,} classes are more than the {most:,} that are held in memory: raise --max-classes."
            )
        self.engine.progress(f"taking over {number:,} classes")
        with self.engine.plainly(self.records.name):
            found = self.table.to_pyarrow()
        codes = np.zeros((number, len(self.values)), dtype=np.int32)
        for at, word in enumerate(self.words):
            key = found[f"key{at}"].to_numpy().astype(np.int64)
            for i in word:
                codes[:, i] = key % (self.values[i] + 1)
                key = key // (self.values[i] + 1)
        sizes = found["size"].to_numpy().astype(np.int64)
        # Engines return rows in any order; the order of the codes is the same everywhere.
        order = np.lexsort(codes.T[::-1])
        return Classes(self.records.fields, codes[order], sizes[order], self.values)

    def sizes(self, fields: Sequence[str] | None = None, *, complete: bool = False) -> RecordSizes:
        """Return among how many records each hides on some of the fields, counted in the engine.

        Parameters
        ----------
        fields : Which key fields; all by default.
        complete : Leave out records that miss a key field.
        """
        wanted = [self.records.fields.index(name) for name in fields or self.records.fields]
        table = self.table
        code = {i: code for at, word in enumerate(self.words) for i, code in self._codes(at, word)}
        if complete:
            for one in code.values():
                table = table.filter(one > 0)
        parts = {f"c{i}": code[i] for i in wanted}
        merged = table.group_by(**parts).aggregate(size=table["size"].sum())
        counted = merged.group_by("size").aggregate(classes=merged.count())
        with self.engine.plainly(self.records.name):
            found = counted.to_pyarrow()
            everyone = whole(self.table["size"].sum()) if complete else 0
        size, classes = (found[name].to_numpy().astype(np.int64) for name in ("size", "classes"))
        excluded = everyone - int(size @ classes) if complete else 0
        return RecordSizes.of(size, size * classes, excluded, "exclude" if complete else "own")

    def values_of(self, field: str) -> list[str]:
        """Return the values of a field as text, in the order of their codes; never to be printed."""
        known = self.known[self.records.fields.index(field)]
        with self.engine.plainly(self.records.name):
            found = known.select(known.code, value=known.value.cast("string")).to_pyarrow()
        return [value for _, value in sorted(zip(*found.to_pydict().values(), strict=True))]

    def rows(self, codes: IntArray, most: int) -> list[int]:
        """Return the first ``most`` row numbers (from 1) of the records in the given classes."""
        if self.coded is None or not len(codes):
            return []
        keys = {
            f"key{at}": pack([codes[:, i] for i in word], [self.values[i] for i in word])
            for at, word in enumerate(self.words)
        }
        with self.engine.plainly(self.records.name):
            wanted = self.engine.hold(keys)
            found = self.coded.semi_join(wanted, list(keys)).select("row").order_by("row").limit(most)
            return [int(row) for row in found.to_pyarrow()["row"].to_pylist()]

    def _codes(self, at: int, word: tuple[int, ...]) -> Iterator[tuple[int, ir.IntegerValue]]:
        scale = 1
        for i in word:
            base = self.values[i] + 1
            yield i, (self.table[f"key{at}"] // long(scale)).cast("int64") % long(base)
            scale *= base


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
