"""Class sizes of a file by one expression, computed where the records are.

The expression is written once in ibis. DuckDB evaluates it inside the process, within a memory limit
and spilling to disk beyond it; Spark evaluates it on a cluster (:mod:`policy_sim.io.engine.spark_engine`).
An engine returns whole numbers only: each value is replaced by its place among the field's sorted
values (0 for missing) before anything is counted, so the same file gives the same integers on both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from typing import TYPE_CHECKING

from policy_sim.io.engine.backend import Backend, Progress
from policy_sim.io.engine.expressions import key_columns, long, value_codes
from policy_sim.io.engine.grouped import Grouped
from policy_sim.io.engine.missing_codes import is_missing, unused_codes
from policy_sim.io.engine.packing import Packing
from policy_sim.io.engine.record_sources import ROW, Records
from policy_sim.records.column_mapping import FieldColumn

if TYPE_CHECKING:
    import ibis.expr.types as ir

__all__ = ["Engine"]

_PERSON = "\0person"


class Engine(Backend):
    """A backend that groups records into classes; a subclass says how it reads and what its errors mean.

    ``remarks`` are what a reader of the results should know of the records read so far.
    """

    def __init__(self, progress: Progress | None = None) -> None:
        super().__init__(progress)
        self.remarks: list[str] = []

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

        Values are compared as text: 7 of a Parquet file is "7" of a CSV file. A code for a
        missing value in either file does so in both.
        """
        first_group, second_group = self._group([first, second], rows=False, text=True)
        return first_group, second_group

    def _group(self, files: Sequence[Records], *, rows: bool, text: bool) -> tuple[Grouped, ...]:
        fields = files[0].fields
        tables = []
        for records in files:
            self.progress("reading the records")
            with self.plainly(records.name):
                if records.mapping.person:
                    tables.append(self._one_row_per_person(records, rows=rows, text=text))
                else:
                    tables.append(key_columns(self.read(records, rows=rows), records, text=text))
        missing = [mark for records in files for mark in records.mapping.missing]
        values = []
        with self.plainly(" and ".join(records.name for records in files)):
            for at in range(len(fields)):
                self.progress(f"sorting the values of field {at + 1} of {len(fields)}")
                values.append(self.keep(value_codes(tables, f"f{at}", missing)))
            codes = [self.fetch(_least_and_most(codes_of_field)).to_pylist()[0] for codes_of_field in values]
            self._remark_unused(missing, values)
        packing = Packing(tuple(code["most"] or 0 for code in codes), tuple(not code["least"] for code in codes))
        return tuple(
            self._classes(records, table, values, packing, rows) for records, table in zip(files, tables, strict=True)
        )

    def _one_row_per_person(self, records: Records, *, rows: bool, text: bool) -> ir.Table:
        """Return the key columns of one row per person: the first of those that lack the fewest key fields.

        A row without a person is a person of its own.
        """
        import ibis

        self.progress("finding the rows of each person")
        mapping = records.mapping
        fields = {**mapping.fields, _PERSON: FieldColumn(mapping.person)}
        both = replace(records, fields=(*records.fields, _PERSON), mapping=replace(mapping, fields=fields))
        table = key_columns(self.read(both, rows=True), both, text=text)
        *keys, person = [f"f{at}" for at in range(len(both.fields))]
        lost = is_missing(table[person], mapping.missing)
        lacking = reduce(add, (is_missing(table[key], mapping.missing).cast("int64") for key in keys))
        marked = self.keep(table.mutate(lacking=lacking, nobody=lost))
        order = ibis.row_number().over(group_by=marked[person], order_by=[marked.lacking, marked[ROW]])
        ordered = marked.mutate(at=order)
        first_rows = self.keep(ordered.filter((ordered.at == 0) | ordered.nobody))
        persons = marked.filter(~marked.nobody)
        several = persons.select(person, *keys).distinct().group_by(person).aggregate(keys=ibis._.count())
        number, people = self.whole(marked.count()), self.whole(first_rows.count())
        differ = self.whole(several.filter(several["keys"] > 1).count())
        self.remarks.append(
            f"people are counted, not rows: {number:,} rows of {people:,} people, told apart by {mapping.person!r}; "
            f"each counts once, by the first of its rows that lack the fewest key fields; {differ:,} of them have rows "
            "with other key values too, which an attacker may know"
        )
        return first_rows.select(*keys, *([ROW] if rows else []))

    def _remark_unused(self, missing: Sequence[str], values: Sequence[ir.Table]) -> None:
        """Remark on codes for missing values that occur nowhere: they may be written otherwise in the records."""
        import ibis

        if not any(missing):
            return
        lost = [
            code_table.filter(code_table.code == long(0)).select(text=code_table.value.cast("string"))
            for code_table in values
        ]
        texts = self.fetch(ibis.union(*lost) if len(lost) > 1 else lost[0])["text"].to_pylist()
        for code in unused_codes(missing, (text for text in texts if text is not None)):
            self.remarks.append(f"the code {code!r} for missing values occurs in no key field")

    def _classes(
        self, records: Records, table: ir.Table, values: Sequence[ir.Table], packing: Packing, rows: bool
    ) -> Grouped:
        self.progress("counting the classes")
        with self.plainly(records.name):
            coded = packing.packed(table, values)
            if rows:
                coded = self.keep(coded)
            classes = self.count(coded, table, packing.possible)
        return Grouped(self, records, packing, classes, tuple(values), coded if rows else None)

    def count(self, coded: ir.Table, records: ir.Table, possible: int) -> ir.Table:  # noqa: ARG002
        """Count the records of each class, once.

        Parameters
        ----------
        coded : The records as packed codes.
        records, possible : The same records as they were read, and how many classes could occur; for an
            engine that knows a quicker way where these are few.
        """
        keys = [name for name in coded.columns if name != "row"]
        return self.keep(coded.group_by(keys).aggregate(size=coded.count()))


def _least_and_most(code_table: ir.Table) -> ir.Table:
    return code_table.aggregate(least=code_table.code.min(), most=code_table.code.max())
