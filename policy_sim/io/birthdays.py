"""Shares of the year's birthdays, February 29 included: the shipped file, and how it is made.

Births by day from two publications become the rate of each calendar day relative to the mean day of its year.
The mean over the years removes the growth of births and the days of the week.
"""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from policy_sim.arrays import FloatArray
from policy_sim.errors import SourceError
from policy_sim.io.toml_files import shipped_table

__all__ = ["LEAP_DAY", "Birthdays", "birthday_rates", "load_birthdays", "read_births"]

_MONTHS = tuple(calendar.monthrange(2000, month)[1] for month in range(1, 13))  # 29 days in February
LEAP_DAY = sum(_MONTHS[:1]) + 28  # index of February 29 in the 366 days
_LEAP_YEARS = 0.25  # every fourth birth year of the people in a census has the day
_COLUMNS = ["year", "month", "date_of_month", "births"]


@dataclass(frozen=True, eq=False)
class Birthdays:
    """How often each day of the year is a birthday.

    ``rate`` is births relative to the mean day of the same year, where the day exists; shape (366,).
    """

    rate: FloatArray
    title: str
    sources: tuple[str, ...]

    @property
    def shares(self) -> FloatArray:
        """Share (0..1) of people born on each of the 366 days; February 29 has a quarter of its rate."""
        weights = np.ones(len(self.rate))
        weights[LEAP_DAY] = _LEAP_YEARS
        weighted = self.rate * weights
        return np.asarray(weighted / weighted.sum())

    @property
    def monthly(self) -> FloatArray:
        """Share (0..1) of people born in each of the 12 months."""
        return np.array([part.sum() for part in np.split(self.shares, np.cumsum(_MONTHS)[:-1])])

    def until(self, month: int, day: int) -> float:
        """Share (0..1) of the people of a birth year who are born on or before a day."""
        return float(self.shares[: sum(_MONTHS[: month - 1]) + day].sum())


@cache
def load_birthdays() -> Birthdays:
    """Return the shipped rates (``data/birthdays.toml``)."""
    facts = shipped_table("birthdays.toml")
    rate = np.array([rate for month in facts["rate"].values() for rate in month])
    return Birthdays(rate, facts["title"], tuple(facts["sources"]))


def read_births(path: Path) -> pd.DataFrame:
    """Read births by day: columns ``year``, ``month``, ``date_of_month`` and ``births``.

    Raises
    ------
    SourceError : the file is no such table, or a day is missing.
    """
    try:
        table = pd.read_csv(path)[_COLUMNS]
    except (OSError, ValueError, KeyError) as error:
        raise SourceError(f"{path.name} is not a table of births by day ({error}).") from error
    for year, days in table.groupby("year").size().items():
        if days != 365 + calendar.isleap(int(str(year))):
            raise SourceError(f"{path.name}: {year} has {days} days. Use whole years only.")
    return table


def birthday_rates(tables: Sequence[pd.DataFrame]) -> FloatArray:
    """Return the mean rate of each of the 366 days over all the years of the tables.

    Parameters
    ----------
    tables : Whole years; a year that is in several tables comes from the last one.

    Returns
    -------
    Births relative to the mean day of the year, shape (366,); February 29 over the leap years only.
    """
    table = pd.concat(tables, ignore_index=True).drop_duplicates(["year", "month", "date_of_month"], keep="last")
    rate = table["births"] / table.groupby("year")["births"].transform("mean")
    means = rate.groupby([table["month"], table["date_of_month"]]).mean()
    return np.asarray(means.sort_index().to_numpy(dtype=np.float64))
