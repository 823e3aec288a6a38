"""An engine groups a file of records into classes, which stay inside it until they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from policy_sim.records.blank_rows import own_numbers
from policy_sim.records.census_values import FieldColumn
from policy_sim.records.classes import Classes, JointSizes, Packing, RecordSizes
from policy_sim.records.engines.expressions import (
    NOBODY,
    PERSON,
    Progress,
    Table,
    code_parts,
    explained_parts,
    is_missing,
    key_columns,
    lost_parts,
    packed,
    quietly,
    unused_codes,
    value_codes,
)
from policy_sim.records.engines.sources import ROW, Records
from policy_sim.words.arrays import IntArray
from policy_sim.words.errors import NotEstimableError, PolicySimError

if TYPE_CHECKING:
    import pyarrow as pa


MOST_CLASSES = 8_000_000
_MOST_VALUES = 100_000  # of a field of few


@dataclass(frozen=True, eq=False)
class Grouped:
    """The classes of a file, still inside the engine; ``held`` are their keys, in order, and sizes, if in memory."""

    engine: Engine
    records: Records
    packing: Packing
    table: Table
    codes_of_values: tuple[Table, ...]
    coded: Table | None = None
    held: tuple[NDArray[Any], NDArray[Any]] | None = None

    @property
    def fields(self) -> tuple[str, ...]:
        """The key fields."""
        return self.records.fields

    @property
    def values(self) -> tuple[int, ...]:
        """Number of values of each field."""
        return self.packing.values

    @property
    def few(self) -> list[str]:
        """The fields of few values, which are searched for signs of a missing value and for dates in several forms."""
        return [name for name, number in zip(self.fields, self.values, strict=True) if number <= _MOST_VALUES]

    def number(self) -> int:
        """Number of classes."""
        with self.engine.plainly(self.records.name):
            return self.engine.whole(self.table)

    def classes(self, most: int = MOST_CLASSES) -> Classes:
        """Return every class as codes and a size."""
        number = self.number()
        if number > most:
            raise NotEstimableError(
                f"{number:,} classes are more than the limit of {most:,} in memory. Raise the limit on classes."
            )
        self.engine.progress(f"fetching {number:,} classes")
        with self.engine.plainly(self.records.name):
            order = "" if self.held else f" ORDER BY {', '.join(self.packing.keys[::-1])}"
            columns = self.engine.fetch(Table(f"{self.table.query}{order}", self.table.kinds))
        codes = self.packing.unpack([columns[key].to_numpy() for key in self.packing.keys])
        sizes = columns["size"].to_numpy().astype(np.int64, copy=False)
        return Classes(self.records.fields, codes, sizes, self.values)

    def missing(self) -> tuple[int, ...]:
        """Return how many records miss each field."""
        lost = lost_parts(self.packing)
        if not lost:
            return (0,) * len(self.values)
        sums = {f"f{i}": f"SUM(size) FILTER (WHERE {missed})" for i, missed in lost.items()}
        with self.engine.plainly(self.records.name):
            missing = self.engine.fetch(self.table.grouped(**sums)).to_pylist()[0]
        return tuple(int(missing.get(f"f{i}") or 0) for i in range(len(self.values)))

    def complete(self) -> Table:
        """Return the engine's table of the classes in which no field is missing."""
        return self.table.filter(*(f"NOT {missed}" for missed in lost_parts(self.packing).values()))

    def sizes(self, fields: Sequence[str] | None = None, *, complete: bool = False) -> RecordSizes:
        """Return among how many records each hides on some of the fields, by default all."""
        chosen_fields = [self.records.fields.index(name) for name in fields or self.records.fields]
        with self.engine.plainly(self.records.name):
            if self.held:
                size, classes = self.packing.sizes_of(*self.held, chosen_fields, complete=complete)
            else:
                size, classes = self._counted_sizes(chosen_fields, complete=complete)
            everyone = self.engine.whole(self.table, "SUM(size)") if complete else 0
        excluded = everyone - int(size @ classes) if complete else 0
        return RecordSizes.of(size, size * classes, excluded, "exclude" if complete else "own")

    def _counted_sizes(self, chosen_fields: Sequence[int], *, complete: bool) -> tuple[IntArray, IntArray]:
        """Return the sizes of the classes on some fields, and how many have each, as the engine counts them."""
        table, parts = self.complete() if complete else self.table, code_parts(self.packing)
        if len(chosen_fields) < len(self.values):
            table = table.select("size", **{f"c{i}": parts[i] for i in chosen_fields})
            table = table.grouped(*(f"c{i}" for i in chosen_fields), size="CAST(SUM(size) AS BIGINT)")
        columns = self.engine.fetch(table.grouped("size", classes="COUNT(*)"))
        size, classes = (columns[name].to_numpy().astype(np.int64) for name in ("size", "classes"))
        return size, classes

    def joint(self, population: Grouped, *, complete: bool = False) -> JointSizes:
        """Return how many classes have each size here and in a population grouped alike."""
        keys = self.packing.keys
        ours, others = (grouped.complete() if complete else grouped.table for grouped in (self, population))
        theirs = others.select(people="size", **{f"their_{key}": key for key in keys})
        same = " AND ".join(f"{key} = their_{key}" for key in keys)
        pairs = Table(f"SELECT * FROM {ours} AS ours LEFT JOIN {theirs} AS theirs ON {same}", ours.kinds)
        pairs = pairs.select(records="size", people="COALESCE(people, CAST(0 AS BIGINT))")
        with self.engine.plainly(self.records.name):
            columns = self.engine.fetch(pairs.grouped("records", "people", classes="COUNT(*)"))
        columns = columns.sort_by([("records", "ascending"), ("people", "ascending")])
        records, people, classes = (columns[name].to_numpy().astype(np.int64) for name in columns.column_names)
        return JointSizes(records, people, classes, population.sizes(complete=complete).histogram)

    def values_of(self, field: str) -> list[str]:
        """Return the values of a field as text, in the order of their codes; never to be printed."""
        codes = self.codes_of_values[self.records.fields.index(field)]
        with self.engine.plainly(self.records.name):
            columns = self.engine.fetch(codes.filter("code > 0").select("code", value="CAST(value AS STRING)"))
        return [value for _, value in sorted(zip(*columns.to_pydict().values(), strict=True))]

    def class_of_rows(self, classes: Classes) -> IntArray:
        """Return the place of each record's class among the classes, in the order of the file; shape (records,)."""
        assert self.coded is not None, "group with rows=True"
        self.engine.progress("naming the class of each record")
        return self._of_rows("place", "JOIN", classes.codes, place=np.arange(classes.number, dtype=np.int64))

    def rows(self, codes: NDArray[np.int32]) -> list[int]:
        """Return the row numbers (from 1) of the records in the given classes."""
        if self.coded is None or not len(codes):
            return []
        read = self._of_rows(ROW, "SEMI JOIN", codes)
        rows: list[int] = self.row_numbers(int(read.max()))[read - 1].tolist() if len(read) else []
        return rows

    def row_numbers(self, records: int) -> IntArray:
        """Return the number in the file of each of the first records: blank rows are not read, but numbered."""
        files = self.records.files
        if not any(file.blank for file in files):
            return np.arange(1, records + 1, dtype=np.int64)
        numbers, before, left = [], 0, records
        for file in files:
            alone = replace(self.records, files=(file,))
            read = left if file is files[-1] else self.engine.whole(self.engine.read(alone, rows=False))
            numbers.append(own_numbers(file.blank, read) + before)
            before, left = before + read + len(file.blank), left - read
        return np.concatenate(numbers)

    def _of_rows(self, column: str, join: str, codes: NDArray[np.int32], **beside: IntArray) -> IntArray:
        """Return a column of the records in some classes, joined with what stands beside these."""
        keys = self.packing.pack(codes)
        with self.engine.plainly(self.records.name):
            held = self.engine.hold({**keys, **beside})
            same = f"{join} {held} AS held USING ({', '.join(keys)})"
            joined = Table(f"SELECT {column} FROM {self.coded} AS coded {same} ORDER BY {ROW}", {})
            values: IntArray = self.engine.fetch(joined)[column].to_numpy().astype(np.int64)
        return values


# Class sizes of a file by one query, computed where the records are.
#
# The query is written once, in the SQL that both engines read. DuckDB evaluates it inside the process, within a
# memory limit and spilling to disk beyond it; Spark on a cluster (:mod:`policy_sim.records.engines.spark_engine`).
# An engine returns whole numbers only: each value is replaced by its place among the field's sorted
# values (0 for missing) before anything is counted, so the same file gives the same integers on both.


def records_and_person(records: Records) -> Records:
    """Return records with the person as the last of their fields, and each row as a record."""
    mapping, name = records.mapping, "\0person"
    fields = {**mapping.fields, name: FieldColumn(mapping.person)}
    return replace(records, fields=(*records.fields, name), mapping=replace(mapping, person="", fields=fields))


class Engine:
    """Something that computes queries and groups records; a context manager that leaves nothing behind.

    A subclass says how it reads and what its errors mean. ``remarks`` are what a reader of the results should know of
    the records read so far.
    """

    name = "engine"

    def __init__(self, progress: Progress | None = None) -> None:
        self.progress: Progress = progress or (lambda _: None)
        self.remarks: list[str] = []
        self._tables = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __str__(self) -> str:
        return self.name

    def close(self) -> None:
        """Give back what the engine holds."""

    def _next_name(self) -> str:
        self._tables += 1
        return f"held{self._tables}"

    def read(self, records: Records, *, rows: bool) -> Table:
        """Return the columns of the key fields as f0, f1, ... and, if asked for, the row number (from 1) as ``ROW``.

        The rows of several files follow each other in the order of the files.
        """
        raise NotImplementedError

    def parquet(self, location: str) -> Table:
        """Return a Parquet file, folder or pattern as a table."""
        raise NotImplementedError

    def explain(self, error: Exception, name: str) -> PolicySimError | None:
        """Say what an error of the engine means, without a record's values; None if it is not one."""
        raise NotImplementedError

    def keep(self, table: Table) -> Table:
        """Compute a table once and hold it until the engine closes."""
        raise NotImplementedError

    def fetch(self, table: Table) -> pa.Table:
        """Compute a table and take it over: whole numbers, or the values of a field."""
        raise NotImplementedError

    def whole(self, table: Table, number: str = "COUNT(*)") -> int:
        """Compute a single whole number of a table, by default of its rows; 0 where there are none."""
        return int(self.fetch(table.grouped(number=number)).column(0)[0].as_py() or 0)

    def hold(self, columns: Mapping[str, NDArray[Any]]) -> Table:
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
                    tables.append(self._with_person(records, text=text))
                else:
                    tables.append(key_columns(self.read(records, rows=rows), records, text=text))
        values, packing = self._coded_values(files, [tables] * len(files[0].fields))
        return tuple(
            self._classes(records, table, values, packing, rows) for records, table in zip(files, tables, strict=True)
        )

    def _coded_values(
        self, files: Sequence[Records], tables: Sequence[Sequence[Table]]
    ) -> tuple[tuple[Table, ...], Packing]:
        """Give the values of each field their codes, by the tables that hold it, and say how codes are packed."""
        missing = [mark for records in files for mark in records.mapping.missing]
        values = []
        with self.plainly(" and ".join(records.name for records in files)):
            for at, of_field in enumerate(tables):
                self.progress(f"sorting the values of field {at + 1} of {len(tables)}")
                values.append(self.keep(value_codes(of_field, f"f{at}", missing)))
            ends = {"least": "MIN(code)", "most": "MAX(code)"}
            codes = [self.fetch(codes_of_field.grouped(**ends)).to_pylist()[0] for codes_of_field in values]
            self._remark_unused(missing, values)
        packing = Packing(tuple(code["most"] or 0 for code in codes), tuple(not code["least"] for code in codes))
        return tuple(values), packing

    def _with_person(self, records: Records, *, text: bool) -> Table:
        """Return the key columns with the person of each row."""
        both = records_and_person(records)
        table = key_columns(self.read(both, rows=True), both, text=text)
        *keys, person = [f"f{at}" for at in range(len(both.fields))]
        nobody = is_missing(person, table.kinds[person], records.mapping.missing)
        return self.keep(table.select(*keys, ROW, **{PERSON: person, NOBODY: nobody}))

    def _one_row_per_person(self, records: Records, coded: Table, packing: Packing) -> Table:
        """Return one row of each person: it lacks the fewest key fields, and of such rows the fewest people have it.

        Of several such it is that of the lowest codes, whatever the order of the rows. A row without a person is a
        person of its own.
        """
        self.progress("finding the rows of each person")
        keys = packing.keys
        lacking = " + ".join(f"CAST({lost} AS BIGINT)" for lost in lost_parts(packing).values()) or "CAST(0 AS BIGINT)"
        marked = self.keep(coded.select(*coded.columns, lacking=lacking))
        first = {"lacking": "MIN(lacking)", ROW: f"MIN({ROW})"}
        alike = self.keep(marked.filter(f"NOT {NOBODY}").grouped(*keys, PERSON, **first))
        shared = alike.select(*alike.columns, people=f"COUNT(*) OVER (PARTITION BY {', '.join(keys)})")
        order = ", ".join(("lacking", "people", *keys))
        place = f"ROW_NUMBER() OVER (PARTITION BY {PERSON} ORDER BY {order})"
        rarest = shared.select(*shared.columns, place=place).filter("place = 1").select(*keys, ROW)
        alone = marked.filter(f"{NOBODY} = TRUE").select(*keys, ROW)  # Spark would read WHERE (x) as an alias
        every = self.keep(Table(f"{rarest.query} UNION ALL {alone.query}", rarest.kinds))
        number, people = self.whole(marked), self.whole(every)
        differ = self.whole(alike.grouped(PERSON, keys="COUNT(*)").filter("keys > 1"))
        self.remarks.append(
            f"people are counted, not rows: {number:,} rows of {people:,} people, identified by "
            f"{records.mapping.person!r}. Each counts once, by the row with the fewest missing key fields; of several "
            f"such rows, by the one that the fewest people have. {differ:,} of them have rows with other key values "
            "too, which an attacker may know"
        )
        return every

    def _remark_unused(self, missing: Sequence[str], values: Sequence[Table]) -> None:
        """Remark on codes for missing values that occur nowhere: they may be written otherwise in the records."""
        if not any(missing):
            return
        lost = (f"SELECT CAST(value AS STRING) AS text FROM {code_table} WHERE code = 0" for code_table in values)
        texts = self.fetch(Table(" UNION ALL ".join(lost), {}))["text"].to_pylist()
        for code in unused_codes(missing, (text for text in texts if text is not None)):
            self.remarks.append(f"the code {code!r} for missing values occurs in no key field")

    def _classes(
        self, records: Records, table: Table, values: Sequence[Table], packing: Packing, rows: bool
    ) -> Grouped:
        self.progress("counting the classes")
        with self.plainly(records.name):
            coded = packed(packing, table, values)
            if records.mapping.person:
                coded = self._one_row_per_person(records, coded, packing)
            if rows:
                coded = self.keep(coded)
            classes = self.count(coded)
        return Grouped(self, records, packing, classes, tuple(values), coded if rows else None)

    def count(self, coded: Table) -> Table:
        """Count the records of each class, once, from their packed codes."""
        return self.keep(coded.grouped(*(name for name in coded.columns if name != ROW), size="COUNT(*)"))
