"""Texts that are safe to show: no password in a message, no formula in a CSV cell, no share rounded to none or all."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


# Remove user names, passwords and keys from a text that quotes an address.


# A scheme has two letters or more: C:/ is a drive. A password may contain /, @, : and, after the user's name, spaces.
# So everything up to the last @ is masked, but never part of the next address. A port is not a password.
_USER = re.compile(
    r"(?P<scheme>[A-Za-z][\w+.-]+:/+)"
    r"(?:[^\s/@:]*:(?!\d+(?:[/?#\s]|$))(?:(?!://)[^\n])*|(?:(?!://)\S)*)@"
)
# The same without a scheme, after a blank, a quote, a bracket or a folder's slash: user:password@host/name.
# C:/ is a drive here too. A blank is part of a password only where no sentence begins before the @.
_BARE = re.compile(
    r"(?:(?<![^\s'\"`(\[{<=,;/])|(?<=\A))(?![A-Za-z]:[/\\])"
    r"[^\s/@:'\"=(]*:(?!//|/*…)(?:\S*|(?!\d+(?:[/?#\s]|$))\S(?:(?!://|:\s)[^\n])*)@"
)
_ONLY_USER = re.compile(r"(?P<slashes>(?<![\w:/])//)(?!…@)[^\s/]+@")
_NAMED = r"(?:[?&;]|%3[BbFf]|%26)[^=&;\s]*(?:pass|pwd|secret|token|key|sig|cred|odbc_connect)[^=&;\s]*?(?:=|%3[Dd])"
_QUERY = re.compile(rf"(?i)(?P<name>{_NAMED})[^&;#\s]+")
# With an @ in such a value nobody can say where the host is: nothing but the scheme is shown.
_UNCLEAR = re.compile(rf"(?i)(?P<scheme>\b[A-Z][\w+.-]+:/+)?[^\s'\"]*{_NAMED}[^&;#\s]*@[^&;#\s]*")
_WORD = re.compile(r"(?i)(?P<name>\b(?:password|passwd|pwd)=)('[^']*'|\"[^\"]*\"|[^\s;&]+)")


def mask_credentials(text: str) -> str:
    """Return a message or address with ``…`` in place of everything before the ``@`` of an address, and of its keys.

    In doubt, more is masked than necessary: a path that contains ``@`` loses everything before it.

    >>> mask_credentials("postgres://me:hush@host/clinic: there is no such table.")
    'postgres://…@host/clinic: there is no such table.'
    >>> mask_credentials("https://api.census.gov/data?get=NAME&key=0123abc")
    'https://api.census.gov/data?get=NAME&key=…'
    >>> mask_credentials("me:hush@host:5432/clinic: no such file.")
    '…@host:5432/clinic: no such file.'
    >>> mask_credentials("visits.csv, by me@example.org")
    'visits.csv, by me@example.org'
    """
    if "@" in text:  # a long text without one would take half a second to search
        text = _UNCLEAR.sub(lambda match: f"{match['scheme'] or ''}…", text)
        text = _BARE.sub("…@", _USER.sub(r"\g<scheme>…@", text))
        text = _ONLY_USER.sub(r"\g<slashes>…@", text)
    if "=" in text or "%3" in text:
        text = _WORD.sub(r"\g<name>…", _QUERY.sub(r"\g<name>…", text))
    return text


# Texts in CSV that a spreadsheet program displays unchanged and does not run as formulas.


# Excel, LibreOffice and Google Sheets read a cell as a formula when it begins with one of these.
_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)?([eE][+-]?\d+)?%?", re.ASCII)


def safe_text(text: str) -> str:
    """Return a text for a CSV cell, with an apostrophe in front if a program would read it as a formula.

    Numbers and a sign alone stay as they are. A text that has apostrophes before ``=``, ``+``, ``-`` or ``@``
    gets one more, so that :func:`original_text` always restores it.

    OWASP, CSV Injection, https://owasp.org/www-community/attacks/CSV_Injection

    >>> safe_text("=HYPERLINK(A1)"), safe_text("-12.5"), safe_text("plain")
    ("'=HYPERLINK(A1)", '-12.5', 'plain')
    """
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def original_text(cell: str) -> str:
    """Undo :func:`safe_text`.

    >>> original_text("'=1+1"), original_text("'quoted'"), original_text("-5")
    ('=1+1', "'quoted'", '-5')
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def csv_text(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return rows of texts as CSV, with the names of the columns above; no cell is a formula."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([safe_text(cell) for cell in row] for row in (columns, *rows))
    return text.getvalue()


def with_safe_texts(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose texts and column names are safe in a CSV file; numbers are unchanged."""

    def safe(value: object) -> object:
        return safe_text(value) if isinstance(value, str) else value

    safe_frame = frame.copy(deep=False)
    safe_frame.columns = [safe(name) for name in frame.columns]
    for place, kind in enumerate(frame.dtypes):
        column = frame.iloc[:, place]
        texts: Iterable[object]
        if kind.name == "category":
            texts = column.cat.categories
        elif kind.name.startswith("str"):
            texts = column.unique()
        elif kind.name == "object":  # such as lists, which cannot be told apart
            texts = column
        else:
            continue
        if not _are_safe(texts):
            safe_frame.isetitem(place, column.astype(object).map(safe).array)
    return safe_frame


def _are_safe(values: Iterable[object]) -> bool:
    """Whether every text among these may stand in a CSV file as it is; each is looked at once."""
    return all(safe_text(text) == text for text in {value for value in values if isinstance(value, str)})


def percent_words(share: float, decimals: int = 1) -> str:
    """Write a share (0..1) as percent; with more decimals where these would round it to 0% or 100% and it is neither.

    >>> [percent_words(share) for share in (0, 0.00003, 0.8875, 0.99996, 1)]
    ['0.0%', '0.003%', '88.8%', '99.996%', '100.0%']
    """
    text = f"{share:.{decimals}%}"
    while 0 < share < 1 and float(text[:-1]) in (0, 100) and decimals < 12:
        decimals += 1
        text = f"{share:.{decimals}%}"
    return text
