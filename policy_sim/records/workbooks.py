"""Sheets of Excel workbooks as rows of texts: nothing else opens a workbook that somebody else made."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from policy_sim.words.asking import ask
from policy_sim.words.errors import InputError, SourceError, UnknownNameError

EXCEL = (".xlsx", ".xlsm")
# The rows that hold a value, with their numbers; a row of spaces has no texts.
NumberedRows: TypeAlias = Iterator[tuple[int, list[str]]]


@contextmanager
def open_sheet(path: Path, name: str = "") -> Iterator[tuple[str, NumberedRows]]:
    """Open the named sheet of a workbook, or the only one with values: its title and its rows."""
    with _opened(path) as book:
        sheet = _chosen(path, book, name)
        yield str(sheet.title), _filled(sheet)


def sheets_with_values(path: Path) -> tuple[str, ...]:
    """Return the titles of the sheets that have a value, in the order of the workbook; none for any other file."""
    if path.suffix.casefold() not in EXCEL:
        return ()
    with _opened(path) as book:
        return tuple(str(sheet.title) for sheet in _with_values(path, book))


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    import openpyxl

    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except Exception as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise SourceError(
            f"{path}: cannot be read as an Excel workbook ({reason}): save the sheet as CSV UTF-8."
        ) from None
    try:
        yield book
    finally:
        book.close()


def _with_values(path: Path, book: Any) -> list[Any]:
    try:
        return [sheet for sheet in book.worksheets if any(row for _, row in _filled(sheet))]
    except AttributeError:
        raise SourceError(f"{path}: contains a sheet that is not a table: save the records as CSV UTF-8.") from None


def _chosen(path: Path, book: Any, name: str) -> Any:
    sheets = _with_values(path, book)
    names = ", ".join(repr(sheet.title) for sheet in sheets) or "none"
    if name:
        alike = [sheet for sheet in sheets if sheet.title.casefold() == name.casefold()]  # as Excel compares them
        if not alike:
            raise UnknownNameError(f"{path}: sheet with values", name, [str(sheet.title) for sheet in sheets])
        sheets = alike
    if len(sheets) != 1:
        which = " or ".join(ask("sheet", str(sheet.title)) for sheet in sheets) or ask("sheet")
        raise InputError(
            f"{path}: sheets with values: {names}. Name the sheet that has the records ({which}), or save it as a file."
        )
    return sheets[0]


class Merged(NamedTuple):
    """Cells that are merged into one: the first and last column, from 0, and the first and last row, from 1."""

    left: int
    right: int
    top: int
    bottom: int


def merged_cells(path: Path, sheet: str) -> list[Merged]:
    """Return the merged cells of a sheet."""
    import openpyxl

    areas = openpyxl.load_workbook(path)[sheet].merged_cells.ranges  # a workbook opened to be read has none
    return [Merged(area.min_col - 1, area.max_col - 1, area.min_row, area.max_row) for area in areas]


def _filled(sheet: Any) -> NumberedRows:
    """Yield the rows that hold a value, with their numbers; those of spaces without their texts.

    The range of cells that a workbook states is not trusted: exporters write one that has some of the rows.
    """
    sheet.reset_dimensions()
    for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
        texts = ["" if value is None else value if isinstance(value, str) else cell_text(value) for value in row]
        if any(texts):
            yield number, texts if any(map(str.strip, texts)) else []


def cell_text(value: Any) -> str:
    """Return a value as text: a date as YYYY-MM-DD, a whole number without a decimal point."""
    if isinstance(value, dt.datetime):
        return value.date().isoformat() if value.time() == dt.time() else value.isoformat(" ")
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).rstrip() if isinstance(value, str) else str(value)
