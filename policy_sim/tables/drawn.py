"""A table of counts as a page can draw it: what was understood of each cell, and what a reader derives of hidden ones.

Everything here is plain data: texts, whole numbers, and words for roles. Only the cells of a file that are shown to
whoever has the file are in it; no count that the file hides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from policy_sim.tables.check import THE_FILE, TableCheck
from policy_sim.tables.files import CountFile, Layout, body_of, read_each
from policy_sim.tables.ledger import COMPANION
from policy_sim.tables.publish import ProtectedTables
from policy_sim.tables.table import COMPLEMENTARY, HIDDEN, MISSING, PRIMARY, ZERO, Key, intervals, named

LABELS, COUNTS, PEOPLE, LEFT_OUT = "labels", "counts", "people", "left out"  # roles of columns
LABEL, TOTAL_LABEL, COUNT, TOTAL = "label", "label of a total", "count", "total"  # roles of cells
ZERO_COUNT, NO_COUNT, MARK = "zero", "missing", "hidden in the file"
FILE, RULE, FURTHER = "file", "rule", "further"  # who hides a cell
FOLLOWS = "follows"
_EXACT = 100  # hidden cells of which both ends are searched; of more, the proof has two tables for each


class Seen(NamedTuple):
    """What a reader derives of a hidden cell; ``greatest`` is None where nothing limits it.

    ``hidden_by``: the file, the rule, or as a further cell; ``exact``: False where the range may be wider; ``result``:
    ``follows``, ``narrower`` or ``open`` (:class:`~policy_sim.tables.check.TableCheck`).
    """

    key: Key
    hidden_by: str
    why: str
    least: int
    greatest: int | None
    exact: bool = True
    result: str = "open"

    @property
    def name(self) -> str:
        """The labels of the cell."""
        return named(self.key)

    def as_json(self) -> dict[str, Any]:
        """Return the cell as what JSON can hold, with its name and its range in words."""
        return {"name": self.name, "range": self.range, **self._asdict(), "key": list(self.key)}

    @property
    def range(self) -> str:
        """The range in words."""
        if self.greatest is None:
            return f"{self.least:,} or more"
        text = f"{self.least:,}" if self.least == self.greatest else f"{self.least:,} to {self.greatest:,}"
        return text if self.exact else f"{text}, or wider"


class DrawnCell(NamedTuple):
    """A cell as the file has it; ``read``: as it was read, where that is something else."""

    text: str
    role: str
    read: str = ""
    seen: Seen | None = None


@dataclass(frozen=True)
class DrawnTable:
    """A table with the role of each column and cell; ``above`` and ``below``: lines that are not part of it.

    ``rows`` are the first ones where there are many; ``many``: how many there are.
    """

    name: str
    above: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[DrawnCell, ...], ...]
    below: tuple[str, ...]
    notes: tuple[str, ...]
    many: int

    def as_json(self) -> dict[str, Any]:
        """Return the table as what JSON can hold."""
        rows = [[_cell_as_json(cell) for cell in row] for row in self.rows]
        columns = [{"name": name, "role": role} for name, role in self.columns]
        facts = {"name": self.name, "above": list(self.above), "below": list(self.below), "notes": list(self.notes)}
        return {**facts, "columns": columns, "rows": rows, "many": self.many}

    def having(self, role: str) -> int:
        """Return how many of the drawn cells have a role."""
        return sum(cell.role == role for row in self.rows for cell in row)


def drawn_files(paths: Sequence[Path], layout: Layout, most: int = 200) -> tuple[DrawnTable, ...]:
    """Return tables as they are read, before a rule is chosen; what is not clear is an InputError that says what to do.

    ``most``: rows to draw of each.
    """
    return tuple(_drawn(path, file, {}, {}, most) for path, file in read_each(paths, layout).items())


def drawn_check(check: TableCheck, most: int = 200) -> tuple[DrawnTable, ...]:
    """Return the checked tables with what a reader derives of each hidden cell, who knows why it is hidden."""
    assert check.read is not None
    seen = {of.key: of for of in seen_in_check(check)}
    keys = check.read.linked.keys[-len(check.read.files) :]
    return tuple(
        _drawn(path, file, names, seen, most)
        for (path, file), names in zip(check.read.files.items(), keys, strict=True)
    )


def drawn_protected(answer: ProtectedTables, most: int = 200) -> tuple[DrawnTable, ...]:
    """Return the tables as they would go out, with what a reader derives of each hidden cell."""
    seen = {of.key: of for of in seen_in_protected(answer)}
    keys = answer.linked.keys[-len(answer.files) :]
    return tuple(
        _drawn(path, file, names, seen, most, whole=False)
        for (path, file), names in zip(answer.files.items(), keys, strict=True)
    )


def seen_in_check(check: TableCheck) -> Iterator[Seen]:
    """Yield what a reader derives of each hidden cell of checked files, who knows why it is hidden."""
    for key, row in zip(check.keys, check.cells.to_dict("records"), strict=True):
        most = None if pd.isna(row["greatest_labeled"]) else int(row["greatest_labeled"])
        by = FILE if row["hidden_by"] == THE_FILE else RULE
        yield Seen(key, by, str(row["why"]), int(row["least_labeled"]), most, True, str(row["result"]))


def seen_in_protected(answer: ProtectedTables) -> Iterator[Seen]:
    """Yield what a reader derives of each cell that is hidden in the tables that are to go out.

    Both ends are exact where few cells are hidden; of many, the proof has two tables for each, so that a range may be
    wider.
    """
    table, terms = answer.result.table, answer.result.terms
    hidden = [cell for cell in table.cells if cell.status in HIDDEN and cell.key in answer.ours]
    few = len(hidden) <= _EXACT
    ours = {cell.key for cell in hidden}
    if few:
        ends = {key: (low, high) for key, low, high in intervals(table, terms.reader, ours)}
    else:
        ends = _ends_of_proof(answer)
    for cell in hidden:
        low, high = ends[cell.key]
        by = RULE if cell.status == PRIMARY else FURTHER
        result = FOLLOWS if few and low == high else "open"
        yield Seen(cell.key, by, answer.whys.get(cell.key, COMPANION), low, high, few, result)


def _ends_of_proof(answer: ProtectedTables) -> dict[Key, tuple[int, int | None]]:
    """Return the least and the greatest count of each hidden cell among the tables of the proof."""
    proof = answer.certificate()
    columns = zip(*proof.tables, strict=True)
    return {cell.cell: (min(column), max(column)) for cell, column in zip(proof.hidden, columns, strict=True)}


def _drawn(
    path: Path,
    file: CountFile,
    names: Mapping[Key, Key],
    seen: Mapping[Key, Seen],
    most: int,
    *,
    whole: bool = True,
) -> DrawnTable:
    """Draw the ``whole`` file, or what is written of it: the columns that were read, without the lines around them."""
    header, above, below = list(file.columns), tuple[str, ...](), tuple[str, ...]()
    rows = [list(row) for row in zip(*file.columns.values(), strict=True)]
    if whole:
        body = body_of(path, file.layout.sheet)
        header, rows, above, below = list(body.rows[0]), body.rows[1:], tuple(body.above), tuple(body.below)
    keys = {(at, name): key for at, name, key in file.rows()}
    drawn = []
    for at, row in enumerate(rows[:most]):
        cells = []
        for name, text in zip(header, row, strict=True):
            key = keys.get((at, name))
            read = file.columns[name][at] if name in file.columns else text
            again = read if read != text else ""
            if key is not None:
                cells.append(DrawnCell(text, _role(file, key), again, seen.get(names.get(key, key))))
            else:
                cells.append(DrawnCell(text, _role_of_text(file, name, read), again))
        drawn.append(tuple(cells))
    columns = tuple((name, _role_of_column(file, name)) for name in header)
    return DrawnTable(path.name, above, columns, tuple(drawn), below, file.notes, len(rows))


def _cell_as_json(cell: DrawnCell) -> dict[str, Any]:
    facts: dict[str, Any] = {"text": cell.text, "role": cell.role, "read": cell.read}
    return facts if cell.seen is None else facts | {"seen": cell.seen.as_json()}


def _role_of_column(file: CountFile, name: str) -> str:
    if name in file.counts:
        return COUNTS
    if name in file.label_columns:
        return LABELS
    return PEOPLE if name and name == file.layout.population else LEFT_OUT


def _role_of_text(file: CountFile, name: str, text: str) -> str:
    if name not in file.label_columns:
        return _role_of_column(file, name)
    return TOTAL_LABEL if file.layout.is_total(text) else LABEL


def _role(file: CountFile, key: Key) -> str:
    cell = file.cells[key]
    if cell.status in (PRIMARY, COMPLEMENTARY) and cell.value is None:
        return MARK
    if cell.status == MISSING:
        return NO_COUNT
    if key in file.margins:
        return TOTAL
    return ZERO_COUNT if cell.status == ZERO else COUNT
