"""The records' key fields and their values as ibis expressions, the same for every engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from policy_sim.errors import SchemaError
from policy_sim.io.engine.missing_codes import is_missing
from policy_sim.io.engine.record_sources import ROW, Records

if TYPE_CHECKING:
    import ibis.expr.types as ir

__all__ = ["key_columns", "long", "value_codes"]


def key_columns(table: ir.Table, records: Records, *, text: bool = False) -> ir.Table:
    """Return the key columns f0, f1, ... as values to compare, and the row number where there is one.

    Columns are left as they are stored where that is possible: engines count stored dictionaries
    several times faster than computed values. With ``text`` every value is written out, so that two
    files can be compared.
    """
    plain = {f"f{at}": _plain(table[f"f{at}"], column, records, text) for at, column in enumerate(records.columns)}
    return table.select(**plain, **({ROW: table[ROW]} if ROW in table.columns else {}))


def _plain(column: ir.Column, name: str, records: Records, text: bool) -> ir.Column:
    import ibis

    kind = column.type()
    if kind.is_nested() or kind.is_binary():
        raise SchemaError(records.name, [f"column {name!r} contains {kind}, not plain values. Choose another column."])
    if kind.is_floating():
        # Not a number is missing. Asked of its text: DuckDB 2.0 answers isnan from Parquet's statistics, which
        # leave NaN out. -0.0 + 0.0 is 0.0, which is the same value.
        lost = column.cast("string").lower() == "nan"
        column = ibis.ifelse(lost, ibis.null(kind), column + ibis.literal(0, kind))
    return column.cast("string") if text and not kind.is_string() else column


def value_codes(tables: Sequence[ir.Table], name: str, missing: Sequence[str]) -> ir.Table:
    """Return the distinct values of a field in all tables with their codes, 1 for the smallest.

    Nulls and codes for a missing value have the code 0.
    """
    import ibis

    columns = [table.select(value=table[name]).distinct() for table in tables]
    distinct = ibis.union(*columns, distinct=True) if len(columns) > 1 else columns[0]
    # Marked, not filtered: an engine would ask the filter of every record before it looks for distinct values.
    marked = distinct.mutate(lost=is_missing(distinct.value, missing))
    place = ibis.row_number().over(order_by=[marked.lost, marked.value]).cast("int64") + long(1)
    return marked.select("value", code=ibis.ifelse(marked.lost, long(0), place))


def long(value: int) -> ir.IntegerScalar:
    """Return a whole number of 64 bits: engines take the narrowest kind otherwise."""
    import ibis

    literal: ir.IntegerScalar = ibis.literal(value, "int64")
    return literal
