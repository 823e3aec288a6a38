"""A table file of any kind as rows of texts, for tables of counts and rates: small enough for the memory.

Files of records are read by an engine, in parts, from the same plain copies.
"""

from __future__ import annotations

import csv
import io
import zlib
from pathlib import Path

from policy_sim.files.parquet import read_table
from policy_sim.records.delimited import separator_of, text_rows
from policy_sim.records.engines.sources import kind_of
from policy_sim.records.plain_copies import open_bytes, plain_copy
from policy_sim.records.workbooks import EXCEL, cell_text, merged_cells, open_sheet
from policy_sim.words.errors import SourceError


def read_grid(path: Path, sheet: str = "") -> list[list[str]]:
    """Return the rows of a CSV or TSV file, sheet, Parquet file or file of SAS, Stata or SPSS, names of columns first.

    Texts have no blanks around them, and a sheet no empty rows.
    """
    if path.suffix.casefold() in EXCEL:
        with open_sheet(path, sheet) as (title, rows):
            numbered = {number: [text.strip() for text in row] for number, row in rows}
        return list(_unmerged(path, title, numbered).values())
    if kind_of(path.name) == "parquet" and not sheet:
        return _parquet(path)
    copy = plain_copy(path, sheet)
    try:
        opened = open_bytes(copy.path if copy else path)
        with io.TextIOWrapper(opened, encoding="utf-8-sig", newline="") as stream:
            text = stream.read()
        return list(text_rows(text, separator_of(text)))
    except (OSError, EOFError, zlib.error, UnicodeError, csv.Error) as error:
        raise SourceError(f"{path}: cannot be read ({type(error).__name__}). Save it as CSV UTF-8 or .xlsx.") from None


def _unmerged(path: Path, sheet: str, rows: dict[int, list[str]]) -> dict[int, list[str]]:
    """Fill the cells that are merged down a column; what is merged across rows is a name above names, or a title."""
    if not any("" in row for row in rows.values()):
        return rows
    for at, right, first, last in merged_cells(path, sheet):
        if at == right and first in rows and len(rows[first]) > at:
            for number in range(first + 1, last + 1):
                if number in rows:
                    row = rows[number]
                    row += [""] * (at + 1 - len(row))
                    row[at] = rows[first][at]
    return rows


def _parquet(path: Path) -> list[list[str]]:
    import pyarrow as pa

    try:
        table = read_table(path)
    except (OSError, pa.ArrowException) as error:
        raise SourceError(f"{path}: cannot be read as Parquet ({type(error).__name__}).") from None
    columns = [["" if value is None else cell_text(value).strip() for value in c.to_pylist()] for c in table.columns]
    return [list(table.column_names), *map(list, zip(*columns, strict=True))]
