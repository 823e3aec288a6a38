"""What a reader derives of the hidden cells of a table: the least and the greatest value of each."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import coo_array, csr_array, hstack, identity

from policy_sim.tables.table import HIDDEN, MISSING, Key, Table
from policy_sim.words.arrays import BoolArray, FloatArray, IntArray
from policy_sim.words.errors import InputError

_EDGE = 1e-6


@dataclass(frozen=True)
class Reader:
    """What a reader knows beside the published cells, the relations, and that counts are whole and 0 or more.

    ``within``: the least and greatest value of a cell if it is hidden, such as 1 to the population.
    """

    within: Mapping[Key, tuple[int, int | None]] = field(default_factory=dict)

    def bounds(self, table: Table) -> tuple[FloatArray, FloatArray]:
        """Return the least and greatest value of each cell that the reader holds possible if it is hidden."""
        least, greatest = np.zeros(len(table.cells)), np.full(len(table.cells), np.inf)
        for key, (low, high) in self.within.items():
            least[table.index[key]] = low
            greatest[table.index[key]] = np.inf if high is None else high
        return least, greatest


PLAIN = Reader()


class Interval(NamedTuple):
    """The values of a hidden cell that fit everything published; ``greatest`` is None where nothing limits it."""

    key: Key
    least: int
    greatest: int | None

    @property
    def follows(self) -> bool:
        """Whether the reader knows the value."""
        return self.least == self.greatest


def matrix_of(table: Table) -> csr_array:
    """Return one row per relation: 1 at the total, -1 at each part; missing parts count nothing."""
    rows, columns, values = [], [], []
    usable = [relation for relation in table.relations if table[relation.total].status != MISSING]
    for row, relation in enumerate(usable):
        for key, sign in [(relation.total, 1), *((part, -1) for part in relation.parts)]:
            if table[key].status != MISSING:
                rows.append(row)
                columns.append(table.index[key])
                values.append(float(sign))
    return csr_array(coo_array((values, (rows, columns)), shape=(len(usable), len(table.cells))))


def intervals(
    table: Table,
    reader: Reader = PLAIN,
    progress: Callable[[str, int, int], None] | None = None,
    of: Container[Key] | None = None,
) -> list[Interval]:
    """Return what the reader derives of every hidden cell, exactly: both ends are values of whole tables that fit.

    ``of``: the cells to return, all hidden ones by default.
    """
    unknown = np.flatnonzero(table.hidden)
    if not len(unknown):
        return []
    matrix = matrix_of(table)
    published = np.array([0 if cell.value is None else cell.value for cell in table.cells], dtype=np.float64)
    published[unknown] = 0
    part = csr_array(matrix[:, unknown])
    used = np.diff(part.indptr) > 0
    part, right = csr_array(part[used]), -(matrix @ published)[used]
    least, greatest = (side[unknown] for side in reader.bounds(table))
    if np.any(-(matrix @ published)[~used] != 0):
        raise InputError("the published counts contradict each other: a total is not the sum of its parts.")
    least, greatest = _propagated(part, right, least, greatest)
    free = _without_limit(part, greatest)
    seen = _whole(part, right, least, greatest, np.zeros(len(unknown)))
    if seen is None:
        raise InputError("no table of whole counts of 0 or more fits what is published. Check the published counts.")
    low, high = seen.copy(), seen.copy()
    places = [at for at, place in enumerate(unknown) if of is None or table.cells[place].key in of]
    for at in places:
        for sign in (1, -1):
            goal = least[at] if sign == 1 else greatest[at]
            if (sign == -1 and free[at]) or (low if sign == 1 else high)[at] == goal:
                continue
            cost = np.zeros(len(unknown))
            cost[at] = sign
            seen = _whole(part, right, least, greatest, cost)
            assert seen is not None
            low, high = np.minimum(low, seen), np.maximum(high, seen)
        if progress is not None:
            progress("what a reader derives of each hidden cell", at + 1, len(unknown))
    return [Interval(table.cells[unknown[at]].key, int(low[at]), None if free[at] else int(high[at])) for at in places]


def completed(table: Table, reader: Reader) -> Table:
    """Return the table with a count in each hidden cell that has none: any whole counts that fit the others."""
    unknown = np.flatnonzero([cell.status in HIDDEN and cell.value is None for cell in table.cells])
    if not len(unknown):
        return table
    matrix = matrix_of(table)
    seen = np.array([cell.value or 0 for cell in table.cells], dtype=np.float64)
    least, greatest = (side[unknown] for side in reader.bounds(table))
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
    answer = (
        milp(cost, constraints=LinearConstraint(matrix, right, right), bounds=Bounds(least, greatest), integrality=1)
        if matrix.shape[0]
        else milp(cost, bounds=Bounds(least, greatest), integrality=1)
    )
    if answer.x is None:
        return None
    whole: IntArray = np.rint(answer.x).astype(np.int64)
    if np.any(matrix @ whole != right) or np.any(whole < least) or np.any(whole > greatest):
        raise InputError("the counts are too large to audit exactly. Split the table.")
    return whole


def _propagated(
    matrix: csr_array, right: FloatArray, least: FloatArray, greatest: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Narrow the bounds of each cell by each relation until nothing changes, or forty times."""
    least, greatest = least.copy(), greatest.copy()
    for _ in range(40):
        before = (least.copy(), greatest.copy())
        for row in range(matrix.shape[0]):
            span = slice(matrix.indptr[row], matrix.indptr[row + 1])
            at, sign = matrix.indices[span], matrix.data[span]
            small = np.where(sign > 0, least[at], -greatest[at])
            large = np.where(sign > 0, greatest[at], -least[at])
            for own, its in enumerate(at):
                others_small, others_large = np.delete(small, own).sum(), np.delete(large, own).sum()
                ends = sorted(sign[own] * (right[row] - other) for other in (others_small, others_large))
                least[its], greatest[its] = max(least[its], ends[0]), min(greatest[its], ends[1])
        if np.array_equal(before[0], least) and np.array_equal(before[1], greatest):
            break
    return least, greatest


def _without_limit(matrix: csr_array, greatest: FloatArray) -> BoolArray:
    """Return which cells may be as large as one likes: those that some ray of the equations contains."""
    size = matrix.shape[1]
    if not np.any(np.isinf(greatest)):
        return np.zeros(size, dtype=np.bool_)
    if not matrix.shape[0]:
        return np.isinf(greatest)
    wide = hstack([matrix, csr_array((matrix.shape[0], size))])
    upper = [*np.where(np.isinf(greatest), np.inf, 0.0), *np.ones(size)]
    answer = linprog(
        [*np.zeros(size), *(-np.ones(size))],
        A_eq=wide,
        b_eq=np.zeros(matrix.shape[0]),
        A_ub=hstack([-identity(size), identity(size)]),
        b_ub=np.zeros(size),
        bounds=list(zip(np.zeros(2 * size), upper, strict=True)),
        method="highs",
    )
    result: BoolArray = answer.x[size:] > 1 - _EDGE
    return result
