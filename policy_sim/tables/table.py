"""A table of counts: its cells, which of them add up to which, and what a reader derives of those that are hidden."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from policy_sim.words.arrays import BoolArray, FloatArray, IntArray
from policy_sim.words.errors import InputError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Key = tuple[str, ...]

PUBLISHED = "published"
PRIMARY = "primary"  # a rule hides it
COMPLEMENTARY = "complementary"  # hidden so that no primary cell follows
ZERO = "zero"  # published, and 0
MISSING = "missing"  # nobody reported it: it counts nothing in a total
STATUSES = (PUBLISHED, PRIMARY, COMPLEMENTARY, ZERO, MISSING)
HIDDEN = frozenset({PRIMARY, COMPLEMENTARY})


class Cell(NamedTuple):
    """One count; ``value`` is None where it is missing, or hidden from whoever asks."""

    key: Key
    value: int | None
    status: str = PUBLISHED
    margin: bool = False  # a total of the layout; a total of weeks so far is none


class Relation(NamedTuple):
    """``total`` is the sum of ``parts``; ``why`` says which sum it is, such as "row Allen"."""

    total: Key
    parts: tuple[Key, ...]
    why: str = ""


@dataclass(frozen=True)
class Table:
    """Cells and the relations between them; several linked tables or weeks are one table of more cells.

    A key that is twice or not there, a value that does not fit its status and a wrong total are an InputError.

    >>> cells = (Cell(("T",), 12), Cell(("a",), 1, PRIMARY), Cell(("b",), 11))
    >>> row = Table(cells, (Relation(("T",), (("a",), ("b",))),))
    >>> row[("a",)].value, row.hidden.tolist()
    (1, [False, True, False])
    """

    cells: tuple[Cell, ...]
    relations: tuple[Relation, ...] = ()

    def __post_init__(self) -> None:
        if len(self.index) != len(self.cells):
            twice = next(cell.key for at, cell in enumerate(self.cells) if self.index[cell.key] != at)
            raise InputError(f"cell {named(twice)} is in the table twice. Give each combination of labels once.")
        for cell in self.cells:
            if cell.status not in STATUSES:
                raise InputError(f"cell {named(cell.key)}: status {cell.status!r} is not one of {', '.join(STATUSES)}.")
            fits = cell.value is None or (cell.value >= 0 and cell.status != MISSING)
            if cell.status in (PUBLISHED, ZERO):
                fits = fits and cell.value is not None and (cell.status == ZERO) == (cell.value == 0)
            if not fits:
                raise InputError(f"cell {named(cell.key)}: {cell.value} does not fit the status {cell.status!r}.")
        for relation in self.relations:
            self._check_relation(relation)

    @cached_property
    def index(self) -> dict[Key, int]:
        """The place of each key among the cells."""
        return {cell.key: at for at, cell in enumerate(self.cells)}

    @cached_property
    def hidden(self) -> BoolArray:
        """Which cells a reader does not see, though there is a count."""
        return np.array([cell.status in HIDDEN for cell in self.cells], dtype=np.bool_)

    def __getitem__(self, key: Key) -> Cell:
        """Return the cell of a key."""
        return self.cells[self.index[key]]

    def with_statuses(self, statuses: Mapping[Key, str]) -> Table:
        """Return the table with other statuses for some of its cells."""
        cells = (cell._replace(status=statuses.get(cell.key, cell.status)) for cell in self.cells)
        return Table(tuple(cells), self.relations)

    def _check_relation(self, relation: Relation) -> None:
        keys = (relation.total, *relation.parts)
        unknown = [key for key in keys if key not in self.index]
        if unknown or not relation.parts or len(set(keys)) != len(keys):
            wrong = f"cell {named(unknown[0])} is not in the table" if unknown else "a total needs parts, each once"
            raise InputError(f"{_sum_named(relation)}: {wrong}.")
        total = self[relation.total]
        if total.status == MISSING or any(self[key].status in HIDDEN and self[key].value is None for key in keys):
            return
        parts = sum(self[key].value or 0 for key in relation.parts)  # a missing cell counts nothing
        if parts != total.value:
            alone = " If it counts all weeks so far, call it so, such as 'Total to date'." * (len(relation.parts) == 1)
            many = "only part is" if len(relation.parts) == 1 else f"{len(relation.parts)} parts add up to"
            raise InputError(
                f"{_sum_named(relation)} is {total.value:,}, but its {many} {parts:,}. Correct the counts, or leave "
                "out what does not add up: this total, or rates. Labels that are totals of others go in their own "
                f"column. Where classes share people, as <18 and <65 do, give classes that share none.{alone}"
            )


def named(key: Key) -> str:
    """Write a key as a reader would: its labels, with a comma between."""
    return ", ".join(key) or "(no label)"


def _sum_named(relation: Relation) -> str:
    return f"total {named(relation.total)}" + (f" ({relation.why})" if relation.why else "")


# The least and the greatest value of each hidden cell.


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
    from scipy.sparse import coo_array, csr_array

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
    from scipy.sparse import csr_array

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
    alone = np.diff(part.tocsc().indptr) == 0  # such a cell adds up to nothing
    free = np.isinf(greatest) & alone
    free[~alone] = _without_limit(csr_array(part[:, ~alone]), greatest[~alone])
    seen = _whole(part, right, least, greatest, np.zeros(len(unknown)))
    if seen is None:
        raise InputError("no table of whole counts of 0 or more fits what is published. Check the published counts.")
    low, high = np.where(alone, least, seen), np.where(alone & ~free, greatest, seen)
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
    from scipy.sparse import csr_array

    unknown = np.flatnonzero([cell.status in HIDDEN and cell.value is None for cell in table.cells])
    if not len(unknown):
        return table
    matrix = matrix_of(table)
    seen = np.array([cell.value or 0 for cell in table.cells], dtype=np.float64)
    least, greatest = (side[unknown] for side in bounds_of(table, reader))
    counts = _whole(csr_array(matrix[:, unknown]), -(matrix @ seen), least, greatest, np.zeros(len(unknown)))
    if counts is None:
        raise InputError(
            "no whole counts of the hidden cells fit all published tables. Correct the counts. If a table that was "
            "published before hides zeros too, enter it with its own reader."
        )
    values = dict(zip(unknown.tolist(), counts.tolist(), strict=True))
    cells = (cell._replace(value=values.get(at, cell.value)) for at, cell in enumerate(table.cells))
    return Table(tuple(cells), table.relations)


def _whole(
    matrix: csr_array, right: FloatArray, least: FloatArray, greatest: FloatArray, cost: FloatArray
) -> IntArray | None:
    """Return whole numbers that solve the equations at least cost, or None; the sums are checked exactly."""
    from scipy.optimize import milp

    sums = (matrix, right, right) if matrix.shape[0] else ()
    answer = milp(cost, constraints=sums, bounds=(least, greatest), integrality=1)
    if answer.x is None:
        return None
    whole: IntArray = np.rint(answer.x).astype(np.int64)
    if np.any(matrix @ whole != right) or np.any(whole < least) or np.any(whole > greatest):
        raise InputError("the counts are too large to audit exactly. Split the table.")
    return whole


def _without_limit(matrix: csr_array, greatest: FloatArray) -> BoolArray:
    """Return which cells may be as large as one likes: those that a ray of the equations contains."""
    from scipy.optimize import milp

    free, unseen = np.zeros(len(greatest), dtype=np.bool_), np.isinf(greatest)
    sums = (matrix, 0, 0) if matrix.shape[0] else ()
    while unseen.any():
        ray = milp(-unseen.astype(np.float64), constraints=sums, bounds=(0, np.isinf(greatest).astype(np.float64)))
        if ray.x is None or not np.any(ray.x[unseen] > 1e-6):
            break
        free |= ray.x > 1e-6
        unseen &= ~free
    return free
