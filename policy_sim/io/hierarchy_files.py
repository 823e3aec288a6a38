"""Generalization hierarchies from CSV files, as ARX keeps them: a value, then its label at each level."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from policy_sim.errors import SourceError

__all__ = ["read_hierarchy"]

_SEPARATORS = (";", ",", "\t", "|")


def read_hierarchy(path: Path) -> tuple[tuple[str, ...], ...]:
    """Return the rows of a hierarchy.

    Raises
    ------
    SourceError : the file cannot be read.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        first = text.split("\n", 1)[0]
        rows = csv.reader(io.StringIO(text), delimiter=max(_SEPARATORS, key=first.count), strict=True)
        return tuple(tuple(row) for row in rows if row)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise SourceError(f"{path}: the hierarchy cannot be read ({reason}).") from error
