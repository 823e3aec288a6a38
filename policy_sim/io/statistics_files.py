"""Files of Stata, SPSS and SAS, written again as UTF-8 CSV.

What an analyst sees in these programs is what the copy holds: a label where a value has one, dates as 2026-01-31, whole
numbers without a decimal point. What the file calls missing (a user-missing value, ``.a``) is empty.
"""

from __future__ import annotations

import csv
import datetime as dt
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from policy_sim.errors import InputError, SourceError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["STATISTICS", "write_statistics"]

# Ending, the reader in pyreadstat, and what the format is called.
STATISTICS: Mapping[str, tuple[str, str]] = {
    ".dta": ("read_dta", "a Stata file"),
    ".sav": ("read_sav", "an SPSS file"),
    ".zsav": ("read_sav", "an SPSS file"),
    ".sas7bdat": ("read_sas7bdat", "a SAS file"),
    ".xpt": ("read_xport", "a SAS transport file"),
}
_ROWS = 50_000  # read at a time
_STATA_YEAR = 1960  # Stata counts months, quarters, half-years and weeks from here
_PERIODS: Mapping[str, tuple[int, Callable[[int, int], str]]] = {
    "%tm": (12, lambda year, part: f"{year}-{part:02d}"),
    "%tq": (4, lambda year, part: f"{year}Q{part}"),
    "%th": (2, lambda year, part: f"{year}H{part}"),
    "%tw": (52, lambda year, part: f"{year}-W{part:02d}"),
}


def write_statistics(path: Path, copy: Path) -> str:
    """Write a file again as CSV; return what it is, in words.

    Raises
    ------
    InputError : pyreadstat is not installed.
    SourceError : the file is damaged, or of another format than its ending says.
    """
    reader, what = STATISTICS[path.suffix.casefold()]
    try:
        import pyreadstat
    except ImportError:
        raise InputError(
            f"{path}: {what} needs the package pyreadstat: install it with: pip install -e '.[statistics]', or save "
            "the file as CSV UTF-8."
        ) from None
    read = getattr(pyreadstat, reader)
    problem = None
    for encoding in (None, "WINDOWS-1252"):  # old files do not say their encoding
        try:
            _write(_parts(read, path, encoding), copy)
        except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, UnicodeError, ValueError, OSError) as error:
            problem = problem or error  # the text of the error may quote a value
        else:
            return what
    raise SourceError(
        f"{path}: cannot be read as {what} ({type(problem).__name__}). Check that it is complete, or save it as CSV "
        "UTF-8."
    ) from None


def _parts(read: Callable[..., Any], path: Path, encoding: str | None) -> Iterator[tuple[pd.DataFrame, Any]]:
    """Yield the rows in parts, with what the file says of its columns; the last part may be empty."""
    start = 0
    while True:
        part, meta = read(str(path), row_offset=start, row_limit=_ROWS, encoding=encoding)
        if start == 0 or len(part):
            yield part, meta
        if len(part) < _ROWS:
            return
        start += len(part)


def _write(parts: Iterator[tuple[pd.DataFrame, Any]], copy: Path) -> None:
    with copy.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        for at, (part, meta) in enumerate(parts):
            if not at:
                writer.writerow(part.columns)
            columns = [_texts(part[name].to_numpy(dtype=object), *_reading(name, meta)) for name in part.columns]
            writer.writerows(zip(*columns, strict=True))


def _reading(name: str, meta: Any) -> tuple[Mapping[Any, str], Callable[[Any], str]]:
    """Return the labels of a column's values, and how a value without a label is written."""
    labels = {value: str(label).strip() for value, label in meta.variable_value_labels.get(name, {}).items()}
    if len(set(labels.values())) < len(labels) or "" in labels.values():
        labels = {}  # two codes under one label, or a label without a word: the codes say more
    form = str(meta.original_variable_types.get(name) or "")[:3]
    if form in _PERIODS:
        return labels, lambda value: _period(value, *_PERIODS[form])
    return labels, _short if meta.readstat_variable_types.get(name) == "float" else _text


def _texts(values: np.ndarray, labels: Mapping[Any, str], written: Callable[[Any], str]) -> list[str]:
    text_of: dict[Any, str] = {}  # a column has far fewer values than rows
    texts = []
    for value in values:
        if value not in text_of:
            lost = value is None or value != value  # only what is not a number, or not a time, differs from itself
            text_of[value] = "" if lost else labels.get(value) or written(value)
        texts.append(text_of[value])
    return texts


def _text(value: Any) -> str:
    """Return a value as text: a date as YYYY-MM-DD, a whole number without a decimal point."""
    if isinstance(value, dt.datetime):
        return value.date().isoformat() if value.time() == dt.time() else value.isoformat(" ")
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).rstrip() if isinstance(value, str) else str(value)


def _short(value: Any) -> str:
    """Return a number of single precision without the digits that it never had: 0.1, not 0.10000000149011612."""
    return _text(value) if float(value).is_integer() else str(np.float32(value))


def _period(value: float, parts: int, written: Callable[[int, int], str]) -> str:
    year, part = divmod(math.floor(value), parts)
    return written(_STATA_YEAR + year, part + 1)
