"""Years as text and back: ``2000-2008, 2010``."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["YEARS_WORDS", "year_ranges", "years_of"]

_RANGE = re.compile(r"(\d{4})(?:-(\d{4}))?")
YEARS_WORDS = 'years such as "2015", "2000-2020" or "2000-2008, 2010-2020"'


def years_of(text: str) -> frozenset[int]:
    """Return the years of a text such as ``2000-2008, 2010``.

    Raises
    ------
    ValueError : it is not years, from the earliest to the latest, each once.

    Examples
    --------
    >>> sorted(years_of("2008, 2010-2012"))
    [2008, 2010, 2011, 2012]
    """
    years: list[int] = []
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None:
            raise ValueError(f"= {text[:40]!r} is not {YEARS_WORDS}.")
        first = int(match[1])
        last = int(match[2] or first)
        if last < first or (years and first <= years[-1]):
            raise ValueError(f"= {text[:40]!r}: write years from the earliest to the latest, each once.")
        years += range(first, last + 1)
    return frozenset(years)


def year_ranges(years: Iterable[int]) -> str:
    """Return years as the shortest text that :func:`years_of` reads; empty for none.

    >>> year_ranges([2012, 2008, 2010, 2011])
    '2008, 2010-2012'
    """
    parts: list[list[int]] = []
    for year in sorted(set(years)):
        if parts and parts[-1][-1] == year - 1:
            parts[-1].append(year)
        else:
            parts.append([year])
    return ", ".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)
