"""An engine groups a file of records into classes, which stay inside it until they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from policy_sim.records.census_values import FieldColumn
from policy_sim.records.classes import Classes, JointSizes, RecordSizes
from policy_sim.records.engines.expressions import (
    Packing,
    Progress,
    explained_parts,
    is_missing,
    key_columns,
    long,
    quietly,
    unused_codes,
    value_codes,
)
from policy_sim.records.engines.sources import ROW, Records
from policy_sim.words.arrays import IntArray
from policy_sim.words.errors import NotEstimableError, PolicySimError

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa


MOST_CLASSES = 8_000_000


@dataclass(frozen=True, eq=False)
class Grouped:
    """The classes of a file, still inside the engine; ``held`` are their keys, in order, and sizes, if in memory."""

    engine: Engine
    records: Records
    packing: Packing
    table: ir.Table
    codes_of_values: tuple[ir.Table, ...]
    coded: ir.Table | None = None
    held: tuple[NDArray[Any], NDArray[Any]] | None = None

    @property
    def name(self) -> str:
        """What messages call the file."""
        return self.records.short_name

    @property
    def fields(self) -> tuple[str, ...]:
        """The key fields."""
        return self.records.fields

    def progress(self, step: str) -> None:
        """Report a step of the work."""
        self.engine.progress(step)

    @property
    def values(self) -> tuple[int, ...]:
        """Number of values of each field."""
        return self.packing.values

    def number(self) -> int:
        """Number of classes."""
        with self.engine.plainly(self.records.name):
            return self.engine.whole(self.table.count())

    def classes(self, most: int = MOST_CLASSES) -> Classes:
        """Return every class as codes and a size."""
        number = self.number()
        if number > most:
            raise NotEstimableError(
                f"{number:,} classes are more than the limit of {most:,} in memory. Raise the limit on classes."
            )
        self.engine.progress(f"fetching {number:,} classes")
        with self.engine.plainly(self.records.name):
            in_order = self.table if self.held else self.table.order_by(self.packing.keys[::-1])
            columns = self.engine.fetch(in_order)
        codes = self.packing.unpack([columns[key].to_numpy() for key in self.packing.keys])
        sizes = columns["size"].to_numpy().astype(np.int64, copy=False)
        return Classes(self.records.fields, codes, sizes, self.values)

    def missing(self) -> tuple[int, ...]:
        """Return how many records miss each field."""
        lost = self.packing.lost(self.table)
        if not lost:
            return (0,) * len(self.values)
        sums = self.table.aggregate(**{f"f{i}": self.table["size"].sum(where=missed) for i, missed in lost.items()})
        with self.engine.plainly(self.records.name):
            missing = self.engine.fetch(sums).to_pylist()[0]
        return tuple(int(missing.get(f"f{i}") or 0) for i in range(len(self.values)))

    def complete(self) -> ir.Table:
        """Return the engine's table of the classes in which no field is missing."""
        lost = self.packing.lost(self.table)
        return self.table.filter([~missed for missed in lost.values()]) if lost else self.table

    def sizes(self, fields: Sequence[str] | None = None, *, complete: bool = False) -> RecordSizes:
        """Return among how many records each hides on some of the fields, by default all."""
        chosen_fields = [self.records.fields.index(name) for name in fields or self.records.fields]
        with self.engine.plainly(self.records.name):
            if self.held:
                size, classes = self.packing.sizes_of(*self.held, chosen_fields, complete=complete)
            else:
                size, classes = self._counted_sizes(chosen_fields, complete=complete)
            everyone = self.engine.whole(self.table["size"].sum()) if complete else 0
        excluded = everyone - int(size @ classes) if complete else 0
        return RecordSizes.of(size, size * classes, excluded, "exclude" if complete else "own")

    def _counted_sizes(self, chosen_fields: Sequence[int], *, complete: bool) -> tuple[IntArray, IntArray]:
        """Return the sizes of the classes on some fields, and how many have each, as the engine counts them."""
        code = self.packing.parts(self.table)
        table = self.complete() if complete else self.table
        if len(chosen_fields) < len(self.values):
            parts = {f"c{i}": code[i] for i in chosen_fields}
            table = table.group_by(**parts).aggregate(size=table["size"].sum().cast("int64"))
        columns = self.engine.fetch(table.group_by("size").aggregate(classes=table.count()))
        size, classes = (columns[name].to_numpy().astype(np.int64) for name in ("size", "classes"))
        return size, classes

    def joint(self, population: Grouped, *, complete: bool = False) -> JointSizes:
        """Return how many classes have each size here and in a population grouped alike."""
        import ibis

        keys = self.packing.keys
        ours, others = (grouped.complete() if complete else grouped.table for grouped in (self, population))
        theirs = others.rename(people="size", **{f"their_{key}": key for key in keys})
        pairs = ours.left_join(theirs, [ours[key] == theirs[f"their_{key}"] for key in keys])
        pairs = pairs.select(records=pairs["size"], people=ibis.coalesce(pairs["people"], long(0)))
        counted = pairs.group_by("records", "people").aggregate(classes=pairs.count())
        with self.engine.plainly(self.records.name):
            columns = self.engine.fetch(counted).sort_by([("records", "ascending"), ("people", "ascending")])
        records, people, classes = (columns[name].to_numpy().astype(np.int64) for name in columns.column_names)
        return JointSizes(records, people, classes, population.sizes(complete=complete).histogram)

    def values_of(self, field: str) -> list[str]:
        """Return the values of a field as text, in the order of their codes; never to be printed."""
        codes = self.codes_of_values[self.records.fields.index(field)]
        coded_values = codes.filter(codes.code > 0)
        with self.engine.plainly(self.records.name):
            columns = self.engine.fetch(coded_values.select(coded_values.code, value=coded_values.value.cast("string")))
        return [value for _, value in sorted(zip(*columns.to_pydict().values(), strict=True))]

    def class_of_rows(self, classes: Classes) -> IntArray:
        """Return the place of each record's class among the classes, in the order of the file; shape (records,)."""
        assert self.coded is not None, "group with rows=True"
        keys = self.packing.pack(classes.codes)
        self.engine.progress("naming the class of each record")
        with self.engine.plainly(self.records.name):
            class_table = self.engine.hold({**keys, "place": np.arange(classes.number, dtype=np.int64)})
            placed = self.coded.inner_join(class_table, list(keys)).select("row", "place").order_by("row")
            place: IntArray = self.engine.fetch(placed)["place"].to_numpy().astype(np.int64)
        return place

    def rows(self, codes: NDArray[np.int32]) -> list[int]:
        """Return the row numbers (from 1) of the records in the given classes."""
        if self.coded is None or not len(codes):
            return []
        keys = self.packing.pack(codes)
        with self.engine.plainly(self.records.name):
            key_table = self.engine.hold(keys)
            matching = self.coded.semi_join(key_table, list(keys)).select("row").order_by("row")
            return [int(row) for row in self.engine.fetch(matching)["row"].to_pylist()]


# Class sizes of a file by one expression, computed where the records are.
#
# The expression is written once in ibis. DuckDB evaluates it inside the process, within a memory limit
# and spilling to disk beyond it; Spark evaluates it on a cluster (:mod:`policy_sim.records.engines.spark_engine`).
# An engine returns whole numbers only: each value is replaced by its place among the field's sorted
# values (0 for missing) before anything is counted, so the same file gives the same integers on both.


_PERSON = "\0person"


class Engine:
    """Something that computes ibis expressions and groups records; a context manager that leaves nothing behind.

    A subclass says how it reads and what its errors mean. ``remarks`` are what a reader of the results should know of
    the records read so far.
    """

    name = "engine"

    def __init__(self, progress: Progress | None = None) -> None:
        self.progress: Progress = progress or (lambda _: None)
        self.remarks: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __str__(self) -> str:
        return self.name

    def close(self) -> None:
        """Give back what the engine holds."""

    def read(self, records: Records, *, rows: bool) -> ir.Table:
        """Return the columns of the key fields as f0, f1, ... and, if asked for, the row number (from 1) as ``ROW``.

        The rows of several files follow each other in the order of the files.
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

    def hold(self, columns: Mapping[str, NDArray[Any]]) -> ir.Table:
        """Give the engine a table of numbers or texts."""
        raise NotImplementedError

    @contextmanager
    def plainly(self, name: str) -> Iterator[None]:
        """Turn the engine's errors into one line of ours: theirs quote the records."""
        try:
            with quietly():
                yield
        except Exception as error:
            ours = self.explain(error, name) or explained_parts(error, name)
            if ours is None:
                raise
            raise ours from None

    def group(self, records: Records, *, rows: bool = False) -> Grouped:
        """Group the records into classes."""
        return self._group([records], rows=rows, text=False)[0]

    def group_alike(self, first: Records, second: Records) -> tuple[Grouped, Grouped]:
        """Group two files on the same key fields, with the same codes for the same values.

        Values are compared as text: 7 of a Parquet file is "7" of a CSV file. A code for a
        missing value in either file does so in both.
        """
        first_group, second_group = self._group([first, second], rows=False, text=True)
        return first_group, second_group

    def _group(self, files: Sequence[Records], *, rows: bool, text: bool) -> tuple[Grouped, ...]:
        tables = []
        for records in files:
            self.progress("reading the records")
            with self.plainly(records.name):
                if records.mapping.person:
                    tables.append(self._one_row_per_person(records, rows=rows, text=text))
                else:
                    tables.append(key_columns(self.read(records, rows=rows), records, text=text))
        values, packing = self._coded_values(files, [tables] * len(files[0].fields))
        return tuple(
            self._classes(records, table, values, packing, rows) for records, table in zip(files, tables, strict=True)
        )

    def _coded_values(
        self, files: Sequence[Records], tables: Sequence[Sequence[ir.Table]]
    ) -> tuple[tuple[ir.Table, ...], Packing]:
        """Give the values of each field their codes, by the tables that hold it, and say how codes are packed."""
        missing = [mark for records in files for mark in records.mapping.missing]
        values = []
        with self.plainly(" and ".join(records.name for records in files)):
            for at, of_field in enumerate(tables):
                self.progress(f"sorting the values of field {at + 1} of {len(tables)}")
                values.append(self.keep(value_codes(of_field, f"f{at}", missing)))
            codes = [self.fetch(_least_and_most(codes_of_field)).to_pylist()[0] for codes_of_field in values]
            self._remark_unused(missing, values)
        packing = Packing(tuple(code["most"] or 0 for code in codes), tuple(not code["least"] for code in codes))
        return tuple(values), packing

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
            classes = self.count(coded)
        return Grouped(self, records, packing, classes, tuple(values), coded if rows else None)

    def count(self, coded: ir.Table) -> ir.Table:
        """Count the records of each class, once, from their packed codes."""
        keys = [name for name in coded.columns if name != "row"]
        return self.keep(coded.group_by(keys).aggregate(size=coded.count()))


def _least_and_most(code_table: ir.Table) -> ir.Table:
    return code_table.aggregate(least=code_table.code.min(), most=code_table.code.max())
