"""The file of birthdays, made again from two publications."""

import calendar
import datetime as dt
import importlib.util
import tomllib

import pandas as pd
import pytest
import shapely
from pinned import made_again

from policy_sim.building.make_birthdays import _FILES, birthdays_toml
from policy_sim.building.make_boundaries import build_boundaries, county_file, made_with
from policy_sim.building.make_zip_areas import CENSUSES, build_zip
from policy_sim.files.boundaries import boundaries_file
from policy_sim.files.paths import data_dir
from policy_sim.people.zips import ZIP3_MOST
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
        build_zip(tmp_path, tmp_path / "out")
    assert not (tmp_path / "out" / "zip" / "zip3_computed.toml").exists()


def test_the_shipped_prefixes_are_small_and_the_shipped_parts_hold_somebody():
    prefixes = tomllib.loads((data_dir() / "zip" / "zip3_computed.toml").read_text(encoding="utf-8"))
    for year in CENSUSES:
        small = prefixes[f"census-{year}"]
        assert all(len(prefix) == 3 for prefix in small["prefixes"])
        assert max(small["people"]) <= ZIP3_MOST
        parts = pd.read_parquet(data_dir() / "zip" / f"zcta_county_{year}.parquet")
        assert (parts["people"] > 0).all()
        assert not parts.duplicated(["zip5", "county"]).any()


@pytest.mark.slow
def test_the_tables_make_the_shipped_files(shared, tmp_path):
    (tmp_path / "manifest.toml").write_bytes((data_dir() / "manifest.toml").read_bytes())
    files = build_zip(shared / "census", tmp_path)
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
