"""Facts about ZIP code areas, made from tables that add up or not at all."""

import tomllib

import pandas as pd
import pytest

from policy_sim.building.make_zip_areas import CENSUSES, build_zip
from policy_sim.files.paths import data_dir
from policy_sim.people.zips import ZIP3_MOST
from policy_sim.words.errors import SourceError


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
    for path in build_zip(shared / "census", tmp_path):
        shipped = data_dir() / "zip" / path.name
        if path.suffix == ".toml":
            assert path.read_bytes() == shipped.read_bytes()
        else:
            pd.testing.assert_frame_equal(pd.read_parquet(path), pd.read_parquet(shipped))
