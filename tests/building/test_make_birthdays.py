"""The file of birthdays, made again from two publications."""

import calendar
import datetime as dt
import tomllib

import pandas as pd
import pytest

from policy_sim.building.make_birthdays import _FILES, birthdays_toml
from policy_sim.files.paths import data_dir
from policy_sim.words.errors import SourceError


def write(folder, name, years, births):
    rows = [
        (day.year, day.month, day.day, births(day))
        for year in years
        for day in (dt.date(year, 1, 1) + dt.timedelta(at) for at in range(365 + calendar.isleap(year)))
    ]
    table = pd.DataFrame(rows, columns=["year", "month", "date_of_month", "births"])
    table.assign(day_of_week=1).to_csv(folder / name, index=False)


def test_even_births_are_even_rates(tmp_path):
    first, second = _FILES
    write(tmp_path, first, [1999, 2000], lambda day: 100)
    write(tmp_path, second, [2001], lambda day: 7)
    made = tomllib.loads(birthdays_toml(tmp_path))
    assert [len(month) for month in made["rate"].values()] == [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    assert {rate for month in made["rate"].values() for rate in month} == {1.0}
    assert len(made["sources"]) == 3


def test_a_day_with_twice_the_births_has_about_twice_the_rate_and_the_later_file_wins(tmp_path):
    first, second = _FILES
    write(tmp_path, first, [2000], lambda day: 1 if day.month == 7 else 500)
    write(tmp_path, second, [2000, 2001], lambda day: 200 if (day.month, day.day) == (7, 4) else 100)
    rate = tomllib.loads(birthdays_toml(tmp_path))["rate"]
    assert rate["jul"][3] / rate["jul"][4] == pytest.approx(2, rel=1e-4)


def test_a_missing_publication_is_named(tmp_path):
    with pytest.raises(SourceError, match="us_births"):
        birthdays_toml(tmp_path)


def test_the_shipped_file_is_what_the_publications_make(shared):
    made = birthdays_toml(shared / "census")
    assert tomllib.loads(made) == tomllib.loads((data_dir() / "birthdays.toml").read_text(encoding="utf-8"))
