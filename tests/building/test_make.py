"""The file of birthdays, made again from two publications."""

import calendar
import importlib.util
import tomllib

import numpy as np
import pandas as pd
import pytest
import shapely
from pinned import made_again

from policy_sim.building.make_boundaries import build_boundaries, county_file, made_with
from policy_sim.building.make_facts import BIRTHS, birthday_rates, birthdays_toml, make_zip, read_births
from policy_sim.files.boundaries import boundaries_file
from policy_sim.files.paths import data_dir
from policy_sim.people.names import LEAP_DAY
from policy_sim.words.errors import SourceError


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


def test_a_missing_day_is_told(tmp_path):
    path = tmp_path / "births.csv"
    births(2001).iloc[1:].to_csv(path, index=False)
    with pytest.raises(SourceError, match="2001 has 364 days"):
        read_births(path)
    path.write_text("a,b\n1,2\n")
    with pytest.raises(SourceError, match="not a table of births"):
        read_births(path)


def test_even_births_are_even_rates(tmp_path):
    first, second = BIRTHS
    pd.concat([births(1999), births(2000)]).to_csv(tmp_path / first, index=False)
    births(2001).assign(births=7).to_csv(tmp_path / second, index=False)
    made = tomllib.loads(birthdays_toml(tmp_path))
    assert [len(month) for month in made["rate"].values()] == [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    assert {rate for month in made["rate"].values() for rate in month} == {1.0}
    assert len(made["sources"]) == 3


def test_a_day_with_twice_the_births_has_about_twice_the_rate_and_the_later_file_wins(tmp_path):
    first, second = BIRTHS
    births(2000, m7d4=1).to_csv(tmp_path / first, index=False)
    pd.concat([births(2000, m7d4=200), births(2001, m7d4=200)]).to_csv(tmp_path / second, index=False)
    rate = tomllib.loads(birthdays_toml(tmp_path))["rate"]
    assert rate["jul"][3] / rate["jul"][4] == pytest.approx(2, rel=1e-4)


def test_a_missing_publication_is_named(tmp_path):
    with pytest.raises(SourceError, match="us_births"):
        birthdays_toml(tmp_path)


def test_the_shipped_file_is_what_the_publications_make(shared):
    made = birthdays_toml(shared / "census")
    assert made == (data_dir() / "birthdays.toml").read_text(encoding="utf-8")


# Boundaries.


needs_source = pytest.mark.skipif(
    importlib.util.find_spec("_plotly_geo") is None,
    reason="boundaries are built from plotly-geo, which is not installed",
)


@needs_source
@made_again
@pytest.mark.slow
def test_a_rebuild_gives_the_shipped_bytes(tmp_path):
    import geopandas as gpd

    written = build_boundaries(tmp_path)
    shipped = [boundaries_file(level) for level in ("state", "county")]
    facts = tomllib.loads((data_dir() / "manifest.toml").read_text(encoding="utf-8"))["boundaries"]
    if facts["counties-2010"]["made_with"] == made_with():
        assert [path.read_bytes() for path in written] == [path.read_bytes() for path in shipped]
        assert tomllib.loads((tmp_path / "manifest.toml").read_text(encoding="utf-8"))["boundaries"] == facts
        return
    # Other versions of the packages may write other bytes, and round a few vertices to the next grid point.
    for new, old in zip(map(gpd.read_parquet, written), map(gpd.read_parquet, shipped), strict=True):
        assert len(new) == len(old)
        between = shapely.hausdorff_distance(new.geometry.to_numpy(), old.geometry.to_numpy())
        assert (between < 5_000).mean() > 0.99


def test_without_the_source_package_the_remedy_is_named(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SourceError, match="pip install plotly-geo"):
        county_file()


# ZIP code areas.


def test_a_folder_without_the_tables_is_refused(tmp_path):
    with pytest.raises(SourceError):
        make_zip(tmp_path, tmp_path / "out")
    assert not (tmp_path / "out" / "zip" / "zip3_computed.toml").exists()


@pytest.mark.slow
def test_the_tables_make_the_shipped_files(shared, tmp_path):
    (tmp_path / "manifest.toml").write_bytes((data_dir() / "manifest.toml").read_bytes())
    files = make_zip(shared / "census", tmp_path)
    assert [path.name for path in files] == [
        *(f"zcta_county_{year}.parquet" for year in (2010, 2020)),
        "zip3_computed.toml",
    ]
    for path in files:
        shipped = data_dir() / "zip" / path.name
        if path.suffix == ".toml":
            assert path.read_bytes() == shipped.read_bytes()
        else:
            pd.testing.assert_frame_equal(pd.read_parquet(path), pd.read_parquet(shipped))
