"""Texts in CSV that a spreadsheet program displays unchanged and does not run as formulas."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["original_text", "safe_text", "with_safe_texts"]

# Excel, LibreOffice and Google Sheets read a cell as a formula when it begins with one of these.
_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)?([eE][+-]?\d+)?%?", re.ASCII)


def safe_text(text: str) -> str:
    """Return a text for a CSV cell, with an apostrophe in front if a program would read it as a formula.

    Numbers and a sign alone stay as they are. A text that has apostrophes before ``=``, ``+``, ``-`` or ``@``
    gets one more, so that :func:`original_text` always restores it.

    Examples
    --------
    >>> safe_text("=HYPERLINK(A1)"), safe_text("-12.5"), safe_text("plain")
    ("'=HYPERLINK(A1)", '-12.5', 'plain')

    References
    ----------
    OWASP, CSV Injection, https://owasp.org/www-community/attacks/CSV_Injection
    """
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def original_text(cell: str) -> str:
    """Undo :func:`safe_text`.

    Examples
    --------
    >>> original_text("'=1+1"), original_text("'quoted'"), original_text("-5")
    ('=1+1', "'quoted'", '-5')
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def with_safe_texts(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose texts and column names are safe in a CSV file; numbers are unchanged."""

    def safe(value: object) -> object:
        return safe_text(value) if isinstance(value, str) else value

    safe_frame = frame.copy(deep=False)
    safe_frame.columns = [safe(name) for name in frame.columns]
    for place, kind in enumerate(frame.dtypes):
        column = frame.iloc[:, place]
        if kind.name == "category":
            if not _text_categories_are_safe(column):
                safe_frame.isetitem(place, column.astype(object).map(safe).array)
        elif kind.name.startswith(("object", "str")):
            safe_frame.isetitem(place, column.map(safe).array)
    return safe_frame


def _text_categories_are_safe(column: pd.Series[Any]) -> bool:
    texts = [value for value in column.cat.categories if isinstance(value, str)]
    return all(safe_text(text) == text for text in texts)
