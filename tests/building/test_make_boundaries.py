"""The shipped boundaries can be made again from the published ones."""

import importlib.util
import tomllib

import pytest
import shapely

from policy_sim.building.make_boundaries import build_boundaries, county_file, made_with
from policy_sim.files.boundaries import boundaries_file
from policy_sim.files.paths import data_dir
from policy_sim.words.errors import SourceError

needs_source = pytest.mark.skipif(
    importlib.util.find_spec("_plotly_geo") is None,
    reason="boundaries are built from plotly-geo, which is not installed",
)


@needs_source
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
