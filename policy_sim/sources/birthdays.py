"""Shares of the year's birthdays, 29 February among them: shipped, and how they are made.

Births by day of two publications are turned into the rate of each calendar day beside its year's mean,
and averaged over the years, so that neither the growth of births nor the days of the week weigh in.
"""

from __future__ import annotations

import calendar
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.errors import SourceError
from policy_sim.sources.paths import data_dir

__all__ = ["LEAP_DAY", "Birthdays", "birthday_rates", "load_birthdays", "read_births"]

FloatArray = NDArray[np.float64]
_MONTHS = tuple(calendar.monthrange(2000, month)[1] for month in range(1, 13))  # 29 days in February
LEAP_DAY = sum(_MONTHS[:1]) + 28  # place of 29 February among the 366 days
_LEAP_YEARS = 0.25  # of the years that anyone alive in a census was born in, every fourth has the day
_COLUMNS = ["year", "month", "date_of_month", "births"]


@dataclass(frozen=True, eq=False)
class Birthdays:
    """How often each day of the year is a birthday.

    ``rate`` is births beside the mean day of the same year, where the day exists; shape (366,).
    """

    rate: FloatArray
    title: str
    sources: tuple[str, ...]

    @property
    def shares(self) -> FloatArray:
        """Share (0..1) of people born on each of the 366 days; 29 February has a quarter of its rate."""
        weights = np.ones(len(self.rate))
        weights[LEAP_DAY] = _LEAP_YEARS
        found = self.rate * weights
        return np.asarray(found / found.sum())

    @property
    def monthly(self) -> FloatArray:
        """Share (0..1) of people born in each of the 12 months."""
        return np.array([part.sum() for part in np.split(self.shares, np.cumsum(_MONTHS)[:-1])])

    def until(self, month: int, day: int) -> float:
        """Share (0..1) of a year's people who are born on or before a day."""
        return float(self.shares[: sum(_MONTHS[: month - 1]) + day].sum())


@cache
def load_birthdays() -> Birthdays:
    """Return the shipped rates (``data/birthdays.toml``)."""
    facts = tomllib.loads((data_dir() / "birthdays.toml").read_text(encoding="utf-8"))
    rate = np.array([rate for month in facts["rate"].values() for rate in month])
    return Birthdays(rate, facts["title"], tuple(facts["sources"]))


def read_births(path: Path) -> pd.DataFrame:
    """Read births by day: columns ``year``, ``month``, ``date_of_month`` and ``births``.

    Raises
    ------
    SourceError : not such a table, or a day is missing.
    """
    try:
        table = pd.read_csv(path)[_COLUMNS]
    except (OSError, ValueError, KeyError) as error:
        raise SourceError(f"{path.name}: not a table of births by day ({error}).") from error
    for year, days in table.groupby("year").size().items():
        if days != 365 + calendar.isleap(int(str(year))):
            raise SourceError(f"{path.name}: {year} has {days} days: give whole years.")
    return table


def birthday_rates(tables: Sequence[pd.DataFrame]) -> FloatArray:
    """Return the mean rate of each of the 366 days over all the years of the tables.

    Parameters
    ----------
    tables : Whole years; a year that stands in several is taken from the last.

    Returns
    -------
    Births beside the year's mean day, shape (366,); 29 February over the leap years alone.
    """
    table = pd.concat(tables, ignore_index=True).drop_duplicates(["year", "month", "date_of_month"], keep="last")
    rate = table["births"] / table.groupby("year")["births"].transform("mean")
    means = rate.groupby([table["month"], table["date_of_month"]]).mean()
    return np.asarray(means.sort_index().to_numpy(dtype=np.float64))
