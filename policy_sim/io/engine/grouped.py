"""The classes of a file, still inside the engine that counted them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from policy_sim.arrays import IntArray
from policy_sim.errors import NotEstimableError
from policy_sim.io.engine.backend import Backend
from policy_sim.io.engine.expressions import long
from policy_sim.io.engine.packing import Packing
from policy_sim.io.engine.record_sources import Records
from policy_sim.records.classes import Classes
from policy_sim.records.linked import JointSizes
from policy_sim.records.missing import RecordSizes

if TYPE_CHECKING:
    import ibis.expr.types as ir

__all__ = ["MOST_CLASSES", "Grouped"]

MOST_CLASSES = 8_000_000


@dataclass(frozen=True, eq=False)
class Grouped:
    """The classes of a file, still inside the engine."""

    engine: Backend
    records: Records
    packing: Packing
    table: ir.Table
    codes_of_values: tuple[ir.Table, ...]
    coded: ir.Table | None = None

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
        """Return every class as codes and a size.

        Raises
        ------
        NotEstimableError : more classes than ``most``; the engine still gives their sizes.
        """
        number = self.number()
        if number > most:
            raise NotEstimableError(
                f"{number:,} classes are more than the limit of {most:,} in memory. Raise the limit on classes."
            )
        self.engine.progress(f"fetching {number:,} classes")
        with self.engine.plainly(self.records.name):
            # Engines return rows in any order; by key they are the same everywhere.
            columns = self.engine.fetch(self.table.order_by(self.packing.keys[::-1]))
        codes = self.packing.unpack([columns[key].to_numpy() for key in self.packing.keys])
        sizes = columns["size"].to_numpy().astype(np.int64, copy=False)
        return Classes(self.records.fields, codes, sizes, self.values)

    def missing(self) -> tuple[int, ...]:
        """Return how many records miss each field."""
        lost = self.packing.lost(self.table)
        with self.engine.plainly(self.records.name):
            sums = {i: self.engine.whole(self.table["size"].sum(where=missed)) for i, missed in lost.items()}
        return tuple(sums.get(i, 0) for i in range(len(self.values)))

    def complete(self) -> ir.Table:
        """Return the engine's table of the classes in which no field is missing."""
        lost = self.packing.lost(self.table)
        return self.table.filter([~missed for missed in lost.values()]) if lost else self.table

    def sizes(self, fields: Sequence[str] | None = None, *, complete: bool = False) -> RecordSizes:
        """Return among how many records each hides on some of the fields, counted in the engine.

        Parameters
        ----------
        fields : Which key fields; all by default.
        complete : Leave out records that miss a key field.
        """
        chosen_fields = [self.records.fields.index(name) for name in fields or self.records.fields]
        code = self.packing.parts(self.table)
        table = self.complete() if complete else self.table
        if len(chosen_fields) < len(self.values):
            parts = {f"c{i}": code[i] for i in chosen_fields}
            table = table.group_by(**parts).aggregate(size=table["size"].sum().cast("int64"))
        counted = table.group_by("size").aggregate(classes=table.count())
        with self.engine.plainly(self.records.name):
            columns = self.engine.fetch(counted)
            everyone = self.engine.whole(self.table["size"].sum()) if complete else 0
        size, classes = (columns[name].to_numpy().astype(np.int64) for name in ("size", "classes"))
        excluded = everyone - int(size @ classes) if complete else 0
        return RecordSizes.of(size, size * classes, excluded, "exclude" if complete else "own")

    def joint(self, population: Grouped, *, complete: bool = False) -> JointSizes:
        """Return how many classes have each size here and in a population grouped alike.

        Parameters
        ----------
        complete : Leave out records that miss a key field, in both.
        """
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
        """Return the place of each record's class among the classes, in the order of the file; shape (records,).

        Parameters
        ----------
        classes : What :meth:`classes` returned, of a file grouped with row numbers.
        """
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
