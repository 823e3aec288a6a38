"""Dates as files write them: several ways in one column, and day or month first only where that is certain."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

from policy_sim.errors import InputError

__all__ = ["ISO", "read_dates"]

ISO = "%Y-%m-%d"
_TIME = r"(?:[T ]\d.*)?$"
_YEAR_FIRST = re.compile(r"(\d{4})([-/.]?)(\d{1,2})\2(\d{1,2})" + _TIME)
_YEAR_LAST = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})" + _TIME)
_DAY_NAME = re.compile(r"(\d{1,2})[ -]([A-Za-z]{3,9})\.?,?[ -](\d{4})" + _TIME)
_NAME_DAY = re.compile(r"([A-Za-z]{3,9})\.? (\d{1,2}),? (\d{4})" + _TIME)
_FIRST_MONTHS = ("january", "february", "march", "april", "may", "june")
_MONTHS = (*_FIRST_MONTHS, "july", "august", "september", "october", "november", "december")
_MOST_MONTH = 12


def read_dates(name: str, texts: Sequence[str], form: str = ISO) -> tuple[list[dt.date | None], tuple[str, ...]]:
    """Read dates written as YYYY-MM-DD, as MM/DD/YYYY or DD.MM.YYYY, with the name of the month, or as declared.

    Where the year is last, the order of day and month is that of the declared form with the same separator, else
    what the column shows: a first number above 12 is a day.

    Parameters
    ----------
    name : The field, for messages.
    texts : Distinct values.
    form : Declared form, as in ``strptime``.

    Returns
    -------
    A date for each text, None where it cannot be read, and notes that say how the column was read.

    Raises
    ------
    InputError : no value tells whether the day or the month is first, or some tell one and some the other.

    Examples
    --------
    >>> dates, notes = read_dates("birth_date", ["1980-04-01", "04/25/1980", "1 May 1980", "soon"])
    >>> [str(date) for date in dates]
    ['1980-04-01', '1980-04-25', '1980-05-01', 'None']
    """
    texts = [text.strip() for text in texts]
    first = _orders(name, texts, form)
    ways: Counter[str] = Counter()
    dates: list[dt.date | None] = []
    for text in texts:
        date, way = _declared(text, form) or _read(text, first)
        dates.append(date)
        ways[way] += date is not None
    written = sorted(way for way, number in ways.items() if number)
    if len(written) < 2 and not (set(written) - {"YYYY-MM-DD", f"as {form}"}):
        return dates, ()
    return dates, (f"{name}: dates are written as {', '.join(written)}; all are read",)


def _declared(text: str, form: str) -> tuple[dt.date, str] | None:
    if form != ISO:
        with suppress(ValueError):
            return dt.datetime.strptime(text, form).date(), f"as {form}"
    return None


def _orders(name: str, texts: Sequence[str], form: str) -> dict[str, str]:
    """Return for each separator what is first, the day or the month."""
    seen: dict[str, set[str]] = {}
    for text in texts:
        match = _YEAR_LAST.match(text)
        if match and _declared(text, form) is None:
            first_number, mark, second_number = int(match[1]), match[2], int(match[3])
            tells = (
                {"day"}
                if second_number <= _MOST_MONTH < first_number
                else {"month"}
                if first_number <= _MOST_MONTH < second_number
                else set()
            )
            seen.setdefault(mark, set()).update(tells)
    for mark, tells in seen.items():
        if len(tells) != 1:
            why = "in some the day is first and in others the month" if tells else "no value tells which is first"
            raise InputError(
                f"{name}: the order of day and month in dates with {mark!r} is not certain: {why}. Give its form in "
                f'the column mapping, such as format = "%m{mark}%d{mark}%Y", and correct the others.'
            )
    return {mark: tells.pop() for mark, tells in seen.items()}


def _read(text: str, first: dict[str, str]) -> tuple[dt.date | None, str]:
    with suppress(ValueError):
        if match := _YEAR_FIRST.match(text):
            if match[2] or len(match[3] + match[4]) == 4:
                mark = match[2]
                return dt.date(int(match[1]), int(match[3]), int(match[4])), f"YYYY{mark}MM{mark}DD"
        elif match := _YEAR_LAST.match(text):
            first_number, mark, second_number, year = int(match[1]), match[2], int(match[3]), int(match[4])
            day, month = (first_number, second_number) if first[mark] == "day" else (second_number, first_number)
            way = f"DD{mark}MM{mark}YYYY" if first[mark] == "day" else f"MM{mark}DD{mark}YYYY"
            return dt.date(year, month, day), way
        elif match := _DAY_NAME.match(text):
            return dt.date(int(match[3]), _month(match[2]), int(match[1])), "day, name of the month, year"
        elif match := _NAME_DAY.match(text):
            return dt.date(int(match[3]), _month(match[1]), int(match[2])), "name of the month, day, year"
    return None, ""


def _month(text: str) -> int:
    """Return the number of a month; 0, which is no month, where the name is none."""
    short = text.casefold()
    return next((at for at, month in enumerate(_MONTHS, 1) if short in (month, month[:3], month[:4])), 0)
