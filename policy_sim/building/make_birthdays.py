"""Make ``data/birthdays.toml``: ``python -m policy_sim.building.make_birthdays FOLDER``."""

from __future__ import annotations

import calendar
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from policy_sim.files.paths import data_dir
from policy_sim.files.writing import replace_file, sha256_of
from policy_sim.words.arrays import FloatArray
from policy_sim.words.errors import SourceError

_FILES = {
    "us_births_by_day_1994_2003_nchs.csv.gz": "National Center for Health Statistics, births by day 1994 to 1999",
    "us_births_by_day_2000_2014_ssa.csv.gz": "Social Security Administration, births by day 2000 to 2014",
}
_COLUMNS = ["year", "month", "date_of_month", "births"]
_HEADER = """# How often each day of the year is a birthday: births beside the mean day of the same year, averaged over
# the years in which the day exists. Made by: python -m policy_sim.building.make_birthdays FOLDER
"""


def read_births(path: Path) -> pd.DataFrame:
    """Read births by day: columns ``year``, ``month``, ``date_of_month`` and ``births``."""
    try:
        table = pd.read_csv(path)[_COLUMNS]
    except (OSError, ValueError, KeyError) as error:
        raise SourceError(f"{path.name} is not a table of births by day ({error}).") from error
    for year, days in table.groupby("year").size().items():
        if days != 365 + calendar.isleap(int(str(year))):
            raise SourceError(f"{path.name}: {year} has {days} days. Use whole years only.")
    return table


def birthday_rates(tables: Sequence[pd.DataFrame]) -> FloatArray:
    """Return the births of each of the 366 days relative to the mean day of the year, over the years of the tables.

    The mean over the years removes the growth of births and the days of the week. February 29 is over the leap years
    only. A year that is in several tables comes from the last one.
    """
    table = pd.concat(tables, ignore_index=True).drop_duplicates(["year", "month", "date_of_month"], keep="last")
    rate = table["births"] / table.groupby("year")["births"].transform("mean")
    means = rate.groupby([table["month"], table["date_of_month"]]).mean()
    return np.asarray(means.sort_index().to_numpy(dtype=np.float64))


def birthdays_toml(folder: Path) -> str:
    """Return the file as text, from the two publications in a folder; for years in both, the later one counts."""
    rates = birthday_rates([read_births(folder / name) for name in _FILES])
    months = np.split(rates, np.cumsum([calendar.monthrange(2000, month)[1] for month in range(1, 12)]))
    sources = [f'    "{title} ({name}, sha256 {sha256_of(folder / name)})",' for name, title in _FILES.items()]
    lines = [
        'title = "Birthdays in the United States, 1994 to 2014"',
        "sources = [",
        *sources,
        '    "Both as published by FiveThirtyEight (fivethirtyeight/data, births, CC BY 4.0)",',
        "]",
        "",
        "[rate]",
    ]
    for name, month in zip(calendar.month_abbr[1:], months, strict=True):
        lines.append(f"{name.lower()} = [{', '.join(f'{rate:.5f}' for rate in month)}]")
    return _HEADER + "\n".join(lines) + "\n"


if __name__ == "__main__":
    replace_file(data_dir() / "birthdays.toml", birthdays_toml(Path(sys.argv[1])).encode())
