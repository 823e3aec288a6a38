"""Make the shipped boundaries from the Census Bureau's 2010 county file, with the same bytes each time.

The package ``plotly-geo`` on PyPI contains the Bureau's cartographic boundary file of 2010 (counties, scale
1:500,000, public domain). Only this module needs it. The steps: project each region to an equal-area map and place it
on one page; clean the counties into a coverage (no gaps, no overlaps, identical shared edges); simplify the coverage,
so that neighbors still meet; drop tiny islands; dissolve the counties into states.

Run it with ``python -m policy_sim.building.make_boundaries [DIR]``; ``... points FILE`` places the internal points of
ZIP code areas on the same page.
"""

from __future__ import annotations

import importlib.util
import io
import sys
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from policy_sim.files.boundaries import boundaries_file
from policy_sim.files.manifest import update_manifest
from policy_sim.files.paths import data_dir
from policy_sim.files.writing import replace_file, sha256_of
from policy_sim.words.errors import SourceError
from policy_sim.words.states import POSTAL_OF_FIPS, STATES

if TYPE_CHECKING:
    import geopandas as gpd


_COUNTIES = "gz_2010_us_050_00_500k.shp"
_NAD83 = 4269
# Meters on the page. One pixel of a map 1,300 pixels wide is about 3,500 m.
_SMALLEST_GAP = 200.0
_TOLERANCE = 1_200.0
_SMALLEST_ISLAND = 12e6  # square meters
_GRID = 100.0
_POINT_GRID = 50.0


@dataclass(frozen=True)
class _Region:
    """A part of the country with its own projection, scale and position on the page.

    ``west`` and ``south`` give the position of its bounding box; ``None`` does not move it. The map does not show
    areas west of ``crop`` (degrees): the uninhabited northwestern islands of Hawaii.
    """

    states: tuple[str, ...]
    projection: str
    scale: float = 1.0
    west: float | None = None
    south: float | None = None
    crop: float | None = None


def _albers(south: float, north: float, latitude: float, longitude: float) -> str:
    return f"+proj=aea +lat_1={south} +lat_2={north} +lat_0={latitude} +lon_0={longitude} +datum=NAD83"


_INSETS = (
    _Region(("02",), _albers(55, 65, 50, -154), scale=0.35, west=-2.33e6, south=0.24e6),
    _Region(("15",), _albers(19, 22, 20, -157.5), scale=1.0, west=-0.97e6, south=0.24e6, crop=-161.0),
    _Region(("72",), _albers(17.9, 18.5, 18.2, -66.4), scale=1.6, west=0.72e6, south=0.34e6),
)
_MAINLAND = _Region(
    tuple(s.fips for s in STATES.values() if s.fips not in ("02", "15", "72")), _albers(29.5, 45.5, 23, -96)
)


def county_file() -> Path:
    """Return the county file inside the installed ``plotly-geo``."""
    spec = importlib.util.find_spec("_plotly_geo")
    if spec is None or spec.origin is None:
        raise SourceError("boundaries are built from the package plotly-geo: pip install plotly-geo.")
    return Path(spec.origin).parent / "package_data" / _COUNTIES


def build_boundaries(out: Path | None = None) -> tuple[Path, ...]:
    """Write the boundaries of states and counties (GeoParquet), and describe them in the manifest.

    The same packages (``made_with`` in the manifest) give the same bytes.

    ``out``: folder for ``boundaries/`` and ``manifest.toml``; by default that of the shipped data.
    """
    out = out or data_dir()
    source = county_file()
    counties = _counties(_read(source))
    written = []
    for level, frame in (("state", _dissolve(counties)), ("county", counties)):
        buffer = io.BytesIO()
        frame.to_parquet(buffer, index=False, compression="zstd", compression_level=19)
        path = out / "boundaries" / boundaries_file(level).name
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, buffer.getvalue())
        update_manifest(out, "boundaries", path.stem, _facts(level, path, source, len(frame)))
        written.append(path)
    return tuple(written)


def _facts(level: str, path: Path, source: Path, areas: int) -> dict[str, Any]:
    dissolved = "; states dissolved from the counties" if level == "state" else ""
    return {
        "title": f"Boundaries of {areas:,} {'states' if level == 'state' else 'counties'}, 2010, on one page",
        "publisher": "U.S. Census Bureau (cartographic boundary file, 1:500,000); policy_sim (projection, coverage)",
        "vintage": "2010",
        "how": "Albers' equal-area projection, Alaska, Hawaii and Puerto Rico moved in; cleaned into a coverage, "
        f"rounded to {_GRID:.0f} m, simplified to {_TOLERANCE:,.0f} m so that neighbors still meet{dissolved}. "
        "Rebuilt by: python -m policy_sim.building.make_boundaries",
        "file": f"boundaries/{path.name}",
        "sha256": sha256_of(path),
        "sources": [f"plotly-geo {version('plotly-geo')}: {source.name} (sha256 {sha256_of(source)})"],
        "made_with": made_with(),
    }


def made_with() -> list[str]:
    """Return the packages and versions on which the bytes depend."""
    import pyproj
    import shapely

    packages = [f"{name} {version(name)}" for name in ("geopandas", "pandas", "pyarrow", "pyproj", "shapely")]
    return [*packages, f"GEOS {shapely.geos_version_string}", f"PROJ {pyproj.proj_version_str}"]


def _read(path: Path) -> gpd.GeoDataFrame:
    import geopandas as gpd

    raw = gpd.read_file(path, columns=["STATE", "COUNTY", "NAME"]).set_crs(_NAD83)
    raw["county"] = raw["STATE"] + raw["COUNTY"]
    return raw.sort_values("county", ignore_index=True)


def _counties(raw: gpd.GeoDataFrame) -> gpd.GeoDataFrame:
    """Place the counties on the page as one simplified coverage."""
    import geopandas as gpd
    import pandas as pd
    import shapely

    placed = pd.concat([_place(raw, region) for region in (_MAINLAND, *_INSETS)], ignore_index=True)
    placed = placed.sort_values("county", ignore_index=True)
    simple = shapely.coverage_simplify(_without_specks(_cleaned(placed.geometry.to_numpy())), _TOLERANCE)
    return gpd.GeoDataFrame(
        {"county": placed["county"], "state": placed["STATE"].map(POSTAL_OF_FIPS), "name": placed["NAME"]},
        geometry=shapely.normalize(simple),
    )


def _place(raw: gpd.GeoDataFrame, region: _Region) -> gpd.GeoDataFrame:
    """Project the region's counties and move them to their position on the page."""
    part = raw[raw["STATE"].isin(region.states)]
    if region.crop is not None:
        part = part.clip((region.crop, -90, 180, 90), keep_geom_type=True)
    shapes = _projected(part, region)
    return part.set_geometry(shapes.translate(*_moved(shapes, region)))


def _projected(frame: gpd.GeoDataFrame, region: _Region) -> gpd.GeoSeries:
    """Return the shapes in the projection and scale of their region."""
    part = frame.to_crs(region.projection).set_crs(None, allow_override=True)
    return part.geometry.affine_transform([region.scale, 0, 0, region.scale, 0, 0])


def _moved(shapes: gpd.GeoSeries, region: _Region) -> tuple[float, float]:
    """Return how far a region is moved on the page, in meters to the right and up."""
    if region.west is None or region.south is None:
        return 0.0, 0.0
    west, south = shapes.total_bounds[:2]
    return region.west - west, region.south - south


def build_points(source: Path, out: Path | None = None) -> Path:
    """Write the internal point of each ZIP code area on the page, and describe the file in the manifest.

    ``source``: a CSV file (may be gzipped) with ``zcta``, ``latitude``, ``longitude`` in degrees, as the Bureau's
    gazetteer of 2020 gives them. Points belong to the region in which they are; those of island areas to none.
    """
    import geopandas as gpd
    import pandas as pd

    out, table = out or data_dir(), pd.read_csv(source, dtype={"zcta": str})
    points = gpd.GeoDataFrame(
        {"zip5": table["zcta"]}, geometry=gpd.points_from_xy(table["longitude"], table["latitude"]), crs=_NAD83
    )
    prefix = points["zip5"].str[:3].astype(int)
    inset = {"02": prefix.between(995, 999), "15": prefix.between(967, 968), "72": prefix.isin((6, 7, 9))}
    island_areas = points["zip5"].str[:3].isin(("008", "969")) | (points["zip5"] == "96799")
    counties, placed = _read(county_file()), []
    for region in (_MAINLAND, *_INSETS):
        code = region.states[0]
        held = inset[code] if region is not _MAINLAND else ~pd.concat(inset, axis=1).any(axis=1)
        part = points[held & ~island_areas]
        shapes = counties[counties["STATE"].isin(region.states)]
        if region.crop is not None:
            shapes = shapes.clip((region.crop, -90, 180, 90), keep_geom_type=True)
        right, up = _moved(_projected(shapes, region), region)
        on_page = _projected(part, region).translate(right, up)
        placed.append(pd.DataFrame({"zip5": part["zip5"], "x": on_page.x, "y": on_page.y}))
    frame = pd.concat(placed).sort_values("zip5", ignore_index=True)
    frame[["x", "y"]] = (frame[["x", "y"]] / _POINT_GRID).round().astype("int32") * int(_POINT_GRID)
    frame = frame.astype({"x": "int32", "y": "int32"})
    buffer, path = io.BytesIO(), out / "zip" / "zcta_points_2020.parquet"
    frame.to_parquet(buffer, index=False, compression="zstd", compression_level=19)
    replace_file(path, buffer.getvalue())
    facts = {
        "title": f"Internal points of {len(frame):,} ZIP code areas of 2020, on the page of the boundaries",
        "publisher": "U.S. Census Bureau (gazetteer of ZIP code tabulation areas, 2020); policy_sim (projection)",
        "vintage": "2020",
        "how": f"Projected and moved as the boundaries are, rounded to {_POINT_GRID:.0f} m. "
        "Rebuilt by: python -m policy_sim.building.make_boundaries points FILE",
        "file": f"zip/{path.name}",
        "sha256": sha256_of(path),
        "sources": [f"{source.name} (sha256 {sha256_of(source)})"],
        "made_with": made_with(),
    }
    update_manifest(out, "boundaries", path.stem, facts)
    return path


def _without_specks(shapes: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Drop islands that are too small to see; a county keeps its largest part and all parts that touch a neighbor."""
    import shapely

    parts, owner = shapely.get_parts(shapes, return_index=True)
    area = shapely.area(parts)
    largest = np.zeros(len(shapes))
    np.maximum.at(largest, owner, area)
    first_part, second_part = shapely.STRtree(parts).query(parts, predicate="intersects")
    meets = np.zeros(len(parts), dtype=bool)
    meets[first_part[owner[first_part] != owner[second_part]]] = True
    selection = meets | (area >= _SMALLEST_ISLAND) | (area == largest[owner])
    return np.asarray(shapely.multipolygons(parts[selection], indices=owner[selection]))


def _cleaned(shapes: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Close gaps and overlaps and round to a grid, so that files are small and the same on every machine.

    Both sides of an edge round in the same way, but an edge may then cross a third vertex. So the function cleans
    again until nothing moves. The later simplification only removes vertices.
    """
    import shapely

    for _ in range(8):
        clean = shapely.coverage_clean(shapes, gap_width=_SMALLEST_GAP)
        on_grid = shapely.transform(clean, lambda xy: np.round(xy / _GRID) * _GRID)
        if shapely.equals_exact(on_grid, shapes, normalize=True).all():
            return np.asarray(on_grid)
        shapes = on_grid
    raise SourceError("the county boundaries could not be cleaned into a coverage.")


def _dissolve(counties: gpd.GeoDataFrame) -> gpd.GeoDataFrame:
    """Unite the counties of each state, and find the place with the most room for its label."""
    import geopandas as gpd
    import shapely

    codes = [postal for postal in STATES if (counties["state"] == postal).any()]
    whole = [shapely.coverage_union_all(counties.geometry[counties["state"] == code]) for code in codes]
    shapes = shapely.normalize(np.asarray(whole, dtype=object))
    centers = shapely.get_point(shapely.maximum_inscribed_circle(shapes, tolerance=1_000), 0)
    return gpd.GeoDataFrame(
        {
            "state": codes,
            "name": [STATES[code].name for code in codes],
            "label_x": np.round(shapely.get_x(centers) / _GRID) * _GRID,
            "label_y": np.round(shapely.get_y(centers) / _GRID) * _GRID,
        },
        geometry=shapes,
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["points"]:
        sys.stdout.write(f"{build_points(Path(sys.argv[2]))}\n")
    else:
        for written in build_boundaries(Path(sys.argv[1]) if len(sys.argv) > 1 else None):
            sys.stdout.write(f"{written}\n")
