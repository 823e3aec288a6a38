"""What a reader derives of the hidden cells of a table: the least and the greatest value of each."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array, csr_array

from policy_sim.tables.table import HIDDEN, MISSING, Key, Table
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray
from policy_sim.words.errors import InputError

Ends = tuple[int, int | None]  # the least and greatest value of a cell; None where nothing limits it
# What a reader knows beside the published cells, the relations, and that counts are whole and 0 or more: which values
# of a cell are possible if it is hidden, such as 1 to the population.
Reader = Mapping[Key, Ends]


class Interval(NamedTuple):
    """The values of a hidden cell that fit everything published; ``greatest`` is None where nothing limits it."""

    key: Key
    least: int
    greatest: int | None


def bounds_of(table: Table, reader: Reader) -> tuple[FloatArray, FloatArray]:
    """Return the least and greatest value of each cell that the reader holds possible if it is hidden."""
    ends = [reader.get(cell.key, (0, None)) for cell in table.cells]
    least, greatest = [low for low, _ in ends], [np.inf if high is None else high for _, high in ends]
    return np.array(least, dtype=np.float64), np.array(greatest, dtype=np.float64)


def matrix_of(table: Table) -> csr_array:
    """Return one row per relation: 1 at the total, -1 at each part; missing parts count nothing."""
    usable = [relation for relation in table.relations if table[relation.total].status != MISSING]
    entries = [
        (row, table.index[key], 1.0 if key == relation.total else -1.0)
        for row, relation in enumerate(usable)
        for key in (relation.total, *relation.parts)
        if table[key].status != MISSING
    ]
    rows, columns, values = zip(*entries, strict=True) if entries else ((), (), ())
    return csr_array(coo_array((values, (rows, columns)), shape=(len(usable), len(table.cells))))


def intervals(table: Table, reader: Reader | None = None, of: Container[Key] | None = None) -> list[Interval]:
    """Return what the reader derives of every hidden cell, exactly: both ends are values of whole tables that fit.

    ``of``: the cells to return, all hidden ones by default.
    """
    unknown = np.flatnonzero(table.hidden)
    if not len(unknown):
        return []
    matrix = matrix_of(table)
    right = -(matrix @ np.array([0 if cell.status in HIDDEN else cell.value or 0 for cell in table.cells]))
    part = csr_array(matrix[:, unknown])
    used = np.diff(part.indptr) > 0
    if np.any(right[~used] != 0):
        raise InputError("the published counts contradict each other: a total is not the sum of its parts.")
    part, right = csr_array(part[used]), right[used]
    least, greatest = (side[unknown] for side in bounds_of(table, reader or {}))
    free = _without_limit(part, greatest)
    seen = _whole(part, right, least, greatest, np.zeros(len(unknown)))
    if seen is None:
        raise InputError("no table of whole counts of 0 or more fits what is published. Check the published counts.")
    low, high = seen.copy(), seen.copy()
    places = [at for at, place in enumerate(unknown) if of is None or table.cells[place].key in of]
    for at in places:
        for sign, reached in ((1, low[at] == least[at]), (-1, high[at] == greatest[at] or free[at])):
            if not reached:
                seen = _whole(part, right, least, greatest, np.where(np.arange(len(unknown)) == at, sign, 0.0))
                assert seen is not None
                low, high = np.minimum(low, seen), np.maximum(high, seen)
    return [Interval(table.cells[unknown[at]].key, int(low[at]), None if free[at] else int(high[at])) for at in places]


def completed(table: Table, reader: Reader) -> Table:
    """Return the table with a count in each hidden cell that has none: any whole counts that fit the others."""
    unknown = np.flatnonzero([cell.status in HIDDEN and cell.value is None for cell in table.cells])
    if not len(unknown):
        return table
    matrix = matrix_of(table)
    seen = np.array([cell.value or 0 for cell in table.cells], dtype=np.float64)
    least, greatest = (side[unknown] for side in bounds_of(table, reader))
    counts = _whole(csr_array(matrix[:, unknown]), -(matrix @ seen), least, greatest, np.zeros(len(unknown)))
    if counts is None:
        raise InputError(
            "no whole counts of the hidden cells fit all that is out. Correct the counts, or, where a table that was "
            "out before hides zeros too, enter it so."
        )
    values = dict(zip(unknown.tolist(), counts.tolist(), strict=True))
    cells = (cell._replace(value=values.get(at, cell.value)) for at, cell in enumerate(table.cells))
    return Table(tuple(cells), table.relations)


def _whole(
    matrix: csr_array, right: FloatArray, least: FloatArray, greatest: FloatArray, cost: FloatArray
) -> IntArray | None:
    """Return whole numbers that solve the equations at least cost, or None; the sums are checked exactly."""
    sums = LinearConstraint(matrix, right, right) if matrix.shape[0] else ()
    answer = milp(cost, constraints=sums, bounds=Bounds(least, greatest), integrality=1)
    if answer.x is None:
        return None
    whole: IntArray = np.rint(answer.x).astype(np.int64)
    if np.any(matrix @ whole != right) or np.any(whole < least) or np.any(whole > greatest):
        raise InputError("the counts are too large to audit exactly. Split the table.")
    return whole


def _without_limit(matrix: csr_array, greatest: FloatArray) -> BoolArray:
    """Return which cells may be as large as one likes: those that a ray of the equations contains."""
    free, unseen = np.zeros(len(greatest), dtype=np.bool_), np.isinf(greatest)
    sums = LinearConstraint(matrix, 0, 0) if matrix.shape[0] else ()
    while unseen.any():
        ray = milp(
            -unseen.astype(np.float64), constraints=sums, bounds=Bounds(0, np.isinf(greatest).astype(np.float64))
        )
        if ray.x is None or not np.any(ray.x[unseen] > 1e-6):
            break
        free |= ray.x > 1e-6
        unseen &= ~free
    return free
