"""Shift dates by a number of days that is the same for all rows of a person.

Intervals between the dates of a person stay the same; the day of the year and the weekday change. The number comes
from a secret key. A second file of the same people, shifted with the same key, therefore fits the first.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

import numpy as np

from policy_sim.arrays import IntArray
from policy_sim.deidentify.coded_columns import CodedColumn
from policy_sim.deidentify.pseudonyms import SecretKey
from policy_sim.errors import InputError
from policy_sim.records.dates import ISO, read_dates

__all__ = ["MOST_DAYS", "days_of_people", "shifted_dates"]

MOST_DAYS = 3650


def days_of_people(people: Sequence[str], key: SecretKey, most: int) -> IntArray:
    """Return for each person a number of days from ``-most`` to ``most``, never 0, all equally likely.

    Parameters
    ----------
    people : An identifier of each person.
    key : The secret key.
    most : Largest shift in days, 1 to 3,650.

    Raises
    ------
    InputError : ``most`` out of range.

    Examples
    --------
    >>> days = days_of_people(["a", "b", "a"], SecretKey(bytes(32)), 30)
    >>> bool(days[0] == days[2]), bool((abs(days) <= 30).all()), bool((days != 0).all())
    (True, True, True)
    """
    if not 1 <= most <= MOST_DAYS:
        raise InputError(f"days = {most}: give the largest shift of dates, from 1 to {MOST_DAYS:,}.")
    drawn = [int.from_bytes(key.digest("shift", person)[:8], "big") % (2 * most) for person in people]
    return np.array([number - most if number < most else number - most + 1 for number in drawn], dtype=np.int64)


def shifted_dates(name: str, column: CodedColumn, days: IntArray, form: str = ISO) -> CodedColumn:
    """Return a column of dates as YYYY-MM-DD, each shifted by the days of its row.

    Parameters
    ----------
    name : The column, for messages.
    column : Dates as text.
    days : Days to add, for each row.
    form : Declared form, as in ``strptime``.

    Raises
    ------
    InputError : texts that are not dates, or a shifted date outside the calendar.

    Examples
    --------
    >>> shifted_dates("seen", CodedColumn.of(["2024-02-28", ""]), np.array([2, 9])).texts().tolist()
    ['2024-03-01', '']
    """
    dates, _ = read_dates(name, column.values, form)
    unread = sum(date is None for date in dates)
    if unread:
        raise InputError(f"{name}: {unread:,} distinct values are not dates. Correct them before dates are shifted.")
    ordinals = np.array([0, *(date.toordinal() for date in dates if date)], dtype=np.int64)
    shifted = np.where(column.codes > 0, ordinals[column.codes] + days, 0)
    distinct, codes = np.unique(shifted, return_inverse=True)
    day_numbers = distinct[distinct != 0]
    if len(day_numbers) and not 0 < day_numbers[0] <= day_numbers[-1] <= dt.date.max.toordinal():
        raise InputError(f"{name}: a shifted date is outside the calendar. Shift by fewer days.")
    values = tuple(dt.date.fromordinal(int(number)).isoformat() for number in day_numbers)
    return CodedColumn((codes + (0 if len(day_numbers) < len(distinct) else 1)).astype(np.int32), values)
