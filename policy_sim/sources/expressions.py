"""The one expression that counts classes, in ibis: the same for every engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from policy_sim.errors import SchemaError
from policy_sim.microdata.classes import IntArray
from policy_sim.sources.records import Records

if TYPE_CHECKING:
    import ibis.expr.types as ir

__all__ = ["key_columns", "long", "pack", "packed_codes", "share_out", "value_codes"]

LARGEST_KEY = 2**62


def key_columns(table: ir.Table, records: Records, *, text: bool = False) -> ir.Table:
    """Return the key columns as f0, f1, ..., and ``row`` where it is numbered.

    Columns are left as they are stored where that is possible: engines count stored dictionaries
    several times faster than computed values. With ``text`` every value is written out, so that two
    files can be compared.
    """
    records.check_columns(table.columns)
    plain = {f"f{at}": _plain(table[column], records, text) for at, column in enumerate(records.columns)}
    return table.select(**plain, **({"row": table.row} if "row" in table.columns else {}))


def _plain(column: ir.Column, records: Records, text: bool) -> ir.Column:
    import ibis

    kind = column.type()
    if kind.is_nested() or kind.is_binary():
        raise SchemaError(
            records.name, [f"column {column.get_name()!r} holds {kind}, not plain values: choose another."]
        )
    if kind.is_floating():
        # Not a number is missing. Asked of its text: DuckDB 2.0 answers isnan from Parquet's statistics, which
        # leave NaN out. -0.0 + 0.0 is 0.0, which is the same value.
        lost = column.cast("string").lower() == "nan"
        column = ibis.ifelse(lost, ibis.null(kind), column + ibis.literal(0, kind))
    return column.cast("string") if text and not kind.is_string() else column


def value_codes(tables: Sequence[ir.Table], name: str, missing: Sequence[str]) -> ir.Table:
    """Return the distinct values of a field in all tables with their codes, 1 for the smallest.

    Texts that stand for a missing value get no code; nor does a null.
    """
    import ibis

    columns = [table.select(value=table[name]).distinct() for table in tables]
    distinct = ibis.union(*columns, distinct=True) if len(columns) > 1 else columns[0]
    value = distinct.value
    written = value if value.type().is_string() else value.cast("string")
    known = distinct.filter(value.notnull(), ~written.isin(list(missing)))
    place = ibis.row_number().over(order_by=known.value).cast("int64")
    return known.mutate(code=place + long(1))


def share_out(numbers: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Share the fields out over as few whole numbers as hold their codes."""
    words: list[list[int]] = [[]]
    size = 1
    for i, number in enumerate(numbers):
        if size * (number + 1) > LARGEST_KEY:
            words.append([])
            size = 1
        words[-1].append(i)
        size *= number + 1
    return tuple(tuple(word) for word in words)


def packed_codes(
    table: ir.Table, values: Sequence[ir.Table], numbers: Sequence[int], words: Sequence[Sequence[int]]
) -> ir.Table:
    """Replace the values of each record by packed codes."""
    import ibis

    joined = table
    for i, known in enumerate(values):
        renamed = known.rename({f"v{i}": "value", f"c{i}": "code"})
        joined = joined.left_join(renamed, joined[f"f{i}"] == renamed[f"v{i}"])
    keys = {}
    for at, word in enumerate(words):
        key: Any = long(0)
        scale = 1
        for i in word:
            key = key + ibis.coalesce(joined[f"c{i}"], long(0)) * long(scale)
            scale *= numbers[i] + 1
        keys[f"key{at}"] = key
    return joined.select(**keys, **({"row": joined.row} if "row" in table.columns else {}))


def pack(columns: Sequence[IntArray], numbers: Sequence[int]) -> IntArray:
    """Pack codes into one number, as :func:`packed_codes` does inside the engine."""
    key, scale = np.zeros(len(columns[0]), dtype=np.int64), 1
    for column, number in zip(columns, numbers, strict=True):
        key += column.astype(np.int64) * scale
        scale *= number + 1
    return key


def long(value: int) -> ir.IntegerScalar:
    """Return a whole number of 64 bits: engines take the narrowest kind otherwise."""
    import ibis

    literal: ir.IntegerScalar = ibis.literal(value, "int64")
    return literal
