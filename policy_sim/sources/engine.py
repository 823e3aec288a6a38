"""Class sizes of a file by one expression, computed where the records are.

The expression is written once in ibis. DuckDB evaluates it inside the process, within a memory limit
and spilling to disk beyond it; Spark evaluates it on a cluster (:mod:`policy_sim.sources.engine_spark`).
An engine returns whole numbers only: each value is replaced by its place among the field's sorted
values (0 for missing) before anything is counted, so the same file gives the same integers on both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from policy_sim.sources.backend import Backend
from policy_sim.sources.expressions import key_columns, packed_codes, share_out, value_codes
from policy_sim.sources.grouped import Grouped
from policy_sim.sources.records import Records

if TYPE_CHECKING:
    import ibis.expr.types as ir

__all__ = ["Engine"]


class Engine(Backend):
    """A backend that groups records into classes; a subclass says how it reads and what its errors mean."""

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
