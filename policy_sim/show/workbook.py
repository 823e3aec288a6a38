"""Tables as an Excel workbook: real tables, number formats, and formulas that live."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pandas as pd

from policy_sim.show.numbers import plain
from policy_sim.words.errors import InputError

# How numbers of a kind are written; a column's kind follows from its name unless a sheet says otherwise.
NUMBER_FORMATS: Mapping[str, str] = {
    "people": "#,##0.0",
    "share": "0.000%",
    "dollars": '"$"#,##0.00',
    "ratio": "#,##0.00",
    "whole": "#,##0",
}
_WIDEST, _ROWS_LOOKED_AT = 60, 200
_DAY = datetime(1980, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Sheet:
    """One sheet with one table, and what a reader should know above it.

    Parameters
    ----------
    name : Name of the sheet, at most 31 letters.
    frame : The table; a missing value leaves its cell empty.
    title : A line above the table.
    notes : Lines between title and table.
    formats : For a column one of :data:`NUMBER_FORMATS`.
    formulas : For a column a formula in Excel's words with other columns in braces, such as ``={a}/{b}``; the column's
        values stand in the file as what it came to, for programs that do not compute. A missing one is "undefined". A
        row with a figure whose ``status`` is not ``ok`` has the figure alone: it is the end of a range, of which other
        columns do not show all that it is made of.
    """

    name: str
    frame: pd.DataFrame
    title: str = ""
    notes: tuple[str, ...] = ()
    formats: Mapping[str, str] = field(default_factory=dict)
    formulas: Mapping[str, str] = field(default_factory=dict)


def workbook_bytes(sheets: Sequence[Sheet], title: str) -> bytes:
    """Return the sheets as an XLSX file; the same tables give the same bytes."""
    try:
        import xlsxwriter
    except ImportError:
        raise InputError("XLSX needs the package xlsxwriter: pip install -e '.[documents]'.") from None
    content = io.BytesIO()
    # a text that begins like a formula or an address stays a text
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "nan_inf_to_errors": False}
    with xlsxwriter.Workbook(content, options) as book:
        book.set_properties({"title": plain(title), "author": "policy_sim", "created": _DAY})
        looks = {name: book.add_format({"num_format": form}) for name, form in NUMBER_FORMATS.items()}
        looks["title"] = book.add_format({"bold": True, "font_size": 14})
        looks["note"] = book.add_format({"font_color": "#55555c"})
        for number, sheet in enumerate(sheets, 1):
            _write(book.add_worksheet(sheet.name), sheet, looks, f"Table{number}")
    return content.getvalue()


def _write(page: Any, sheet: Sheet, looks: Mapping[str, Any], table: str) -> None:
    page.write_string(0, 0, plain(sheet.title or sheet.name), looks["title"])
    for row, note in enumerate(sheet.notes, 1):
        page.write_string(row, 0, plain(note), looks["note"])
    top = len(sheet.notes) + 2
    if sheet.frame.empty:
        page.write_string(top, 0, "no rows")
        return
    columns = [_column(sheet, str(name), looks) for name in sheet.frame.columns]
    last = top + len(sheet.frame)
    statuses = sheet.frame["status"].tolist() if "status" in sheet.frame else ["ok"] * len(sheet.frame)
    page.add_table(top, 0, last, len(columns) - 1, {"name": table, "columns": columns, "style": "Table Style Light 9"})
    for place, name in enumerate(map(str, sheet.frame.columns)):
        values = sheet.frame.iloc[:, place].tolist()
        look = columns[place].get("format")
        for row, (value, status) in enumerate(zip(values, statuses, strict=True), top + 1):
            if name in sheet.formulas and (status == "ok" or pd.isna(value)):
                formula = _in_cells(sheet.formulas[name], list(map(str, sheet.frame.columns)), row)
                page.write_formula(row, place, formula, look, "undefined" if pd.isna(value) else value)
            else:
                _write_cell(page, row, place, value, look)
        page.set_column(place, place, _width(name, values))
    page.freeze_panes(top + 1, 1)


def _column(sheet: Sheet, name: str, looks: Mapping[str, Any]) -> dict[str, Any]:
    kind = sheet.formats.get(name) or _kind(name, sheet.frame[name])
    column: dict[str, Any] = {"header": name}
    if kind:
        column["format"] = looks[kind]
    return column


def _kind(name: str, values: pd.Series) -> str:
    if not pd.api.types.is_numeric_dtype(values.dtype) or pd.api.types.is_bool_dtype(values.dtype):
        return ""
    for pattern, kind in ((r"usd|price|cost", "dollars"), (r"share|precision|chance", "share"), (r"ratio", "ratio")):
        if re.search(pattern, name, re.IGNORECASE):
            return kind
    return "whole" if pd.api.types.is_integer_dtype(values.dtype) else "people"


def _write_cell(page: Any, row: int, column: int, value: Any, look: Any) -> None:
    if pd.isna(value):
        page.write_blank(row, column, None, look)
    elif isinstance(value, bool):
        page.write_boolean(row, column, value)
    elif isinstance(value, int | float):
        page.write_number(row, column, value, look)
    else:
        page.write_string(row, column, plain(str(value)))


def _in_cells(formula: str, names: Sequence[str], row: int) -> str:
    """Put the cells of a row in the place of the columns that a formula names.

    >>> _in_cells("={a}/{b c}", ["a", "b c"], 4)
    '=A5/B5'
    """
    from xlsxwriter.utility import xl_rowcol_to_cell

    return re.sub(r"\{([^}]+)\}", lambda name: xl_rowcol_to_cell(row, list(names).index(name[1])), formula)


def _width(name: str, values: Sequence[Any]) -> float:
    longest = max((len(str(value)) for value in values[:_ROWS_LOOKED_AT] if not pd.isna(value)), default=0)
    return min(
        max(len(name) + 3, min(longest, 16) if all(isinstance(v, float) for v in values) else longest) + 1, _WIDEST
    )
