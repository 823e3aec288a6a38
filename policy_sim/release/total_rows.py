"""Rows of a file or a release that are no records: sums below a table, and rows that show nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from policy_sim.records.blank_rows import own_numbers
from policy_sim.records.formats import CodedTable

_TOTALS = frozenset(("total", "totals", "grand total", "sum", "subtotal"))
_HALF, _MOST = 0.5, 20  # of the cells of such a row are blank; rows of totals, above which the word means something


def total_rows_note(table: CodedTable, blank: Sequence[int] = ()) -> tuple[str, ...]:
    """Say which rows of a file look like totals: a cell says so, and at least half of their cells are blank.

    ``blank`` are the numbers of rows of the file that were not read, because every cell is blank.

    >>> from policy_sim.records.formats import CodedColumn
    >>> columns = {"name": ["Ann", "Bob", "TOTAL"], "sex": ["F", "M", ""], "zip": ["1", "2", ""]}
    >>> print(*total_rows_note(CodedTable({name: CodedColumn.of(texts) for name, texts in columns.items()})))
    row 3 below the head looks like totals (name says so) and counts as a record: delete it from the file, and run again
    """
    if not table.rows:
        return ()
    filled = sum((column.codes > 0).astype(np.int64) for column in table.columns.values())
    is_sparse = np.asarray(filled <= _HALF * len(table.names))
    where, rows = list[str](), set[int]()
    for name, column in table.columns.items():
        says = np.array([False, *(text.strip().strip(":").casefold() in _TOTALS for text in column.values)])
        found = np.flatnonzero(says[column.codes] & is_sparse).tolist()
        where += [name] * bool(found)
        rows |= set(found)
    if not rows or len(rows) > _MOST:
        return ()
    numbers = ", ".join(f"{number:,}" for number in own_numbers(blank, table.rows)[sorted(rows)].tolist())
    one = len(rows) == 1
    looks, counts = ("looks", "counts as a record: delete it") if one else ("look", "count as records: delete them")
    said = f"{' and '.join(where)} {'says' if len(where) == 1 else 'say'} so"
    return (
        f"row{'s' * (not one)} {numbers} below the head {looks} like totals ({said}) and {counts} from the file, "
        "and run again",
    )


def bare_rows_note(written: CodedTable) -> tuple[str, ...]:
    """Say how many rows of a release have no value in any column.

    >>> from policy_sim.records.formats import CodedColumn
    >>> bare_rows_note(CodedTable({"sex": CodedColumn.of(["F", ""]), "zip": CodedColumn.of(["", ""])}))
    ('1 row of the release has no value in any column: it shows only that there is a record',)
    """
    rows = int(np.sum(np.all([column.codes == 0 for column in written.columns.values()], axis=0)))
    if not rows:
        return ()
    have, it = ("row of the release has", "it shows") if rows == 1 else ("rows of the release have", "they show")
    return (f"{rows:,} {have} no value in any column: {it} only that there is a record",)
