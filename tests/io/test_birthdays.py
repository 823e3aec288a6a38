from __future__ import annotations

import calendar

import numpy as np
import pandas as pd
import pytest

from policy_sim.errors import SourceError
from policy_sim.io.birthdays import LEAP_DAY, birthday_rates, load_birthdays, read_births


def births(year: int, **days: int) -> pd.DataFrame:
    """A hundred births every day, but for those named ``m2d29``."""
    rows = [
        (year, month, day, days.get(f"m{month}d{day}", 100))
        for month in range(1, 13)
        for day in range(1, calendar.monthrange(year, month)[1] + 1)
    ]
    return pd.DataFrame(rows, columns=["year", "month", "date_of_month", "births"])


def test_rates_by_hand():
    rates = birthday_rates([births(2000, m2d29=300), births(2001)])
    mean = (365 * 100 + 300) / 366
    assert rates.shape == (366,)
    assert rates[LEAP_DAY] == pytest.approx(300 / mean)
    assert rates[0] == pytest.approx((100 / mean + 1) / 2)


def test_growth_of_births_does_not_weigh():
    many = births(2001)
    many["births"] *= 50
    np.testing.assert_allclose(birthday_rates([births(2000), many]), 1, rtol=1e-12)


def test_the_later_table_wins_a_year_that_stands_twice():
    assert birthday_rates([births(2000, m1d1=900), births(2000)])[0] == pytest.approx(1)


def test_a_missing_day_is_told(tmp_path):
    path = tmp_path / "births.csv"
    births(2001).iloc[1:].to_csv(path, index=False)
    with pytest.raises(SourceError, match="2001 has 364 days"):
        read_births(path)
    path.write_text("a,b\n1,2\n")
    with pytest.raises(SourceError, match="not a table of births"):
        read_births(path)


def test_the_shipped_rates_are_those_of_the_sources(shared):
    from policy_sim.building.make_birthdays import birthdays_toml
    from policy_sim.files.paths import data_dir

    assert birthdays_toml(shared / "census") == (data_dir() / "birthdays.toml").read_text(encoding="utf-8")


def test_the_day_of_christmas_is_the_rarest():
    rate = load_birthdays().rate
    assert rate.min() == pytest.approx(0.592, abs=0.001)
    assert rate.max() < 1.11
