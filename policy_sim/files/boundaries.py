"""Boundaries of states and counties, laid on one page, and what of a table they can show.

The shapes are those of 2010 (``boundaries_build``). Coordinates are meters on the page: the 48 states and
DC in Albers' equal-area projection, Alaska (at 0.35), Hawaii and Puerto Rico (at 1.6) moved in next to
them. County codes came and went between 2000 and 2022; :func:`place_counties` says which code is
drawn where and names what cannot be drawn, so that a blank on a map is never silent.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from policy_sim.files.paths import data_dir
from policy_sim.files.toml import shipped_table
from policy_sim.words.errors import SourceError, UnknownNameError

if TYPE_CHECKING:
    import geopandas as gpd
    import pandas as pd


_FILES = {"state": "states-2010.parquet", "county": "counties-2010.parquet"}


def boundaries_file(level: str) -> Path:
    """Return where the boundaries of this level (``state`` or ``county``) are shipped."""
    if level not in _FILES:
        raise UnknownNameError("level of boundaries", level, _FILES)
    return data_dir() / "boundaries" / _FILES[level]


@cache
def load_boundaries(level: str) -> pd.DataFrame:
    """Return the shapes, indexed by postal code (``state``) or five-digit FIPS code (``county``).

    Columns: ``name`` and ``geometry`` (shapely shapes); states have ``label_x`` and ``label_y`` (where a label has
    most room), counties have ``state``. Treat the frame as read-only: it is loaded once.
    """
    import pandas as pd
    import shapely

    path = boundaries_file(level)
    try:
        frame = pd.read_parquet(path).set_index(level)
        # GeoParquet keeps shapes as well-known binary; to draw them needs no geopandas.
        return frame.assign(geometry=shapely.from_wkb(frame["geometry"].to_numpy()))
    except (OSError, ValueError, KeyError, shapely.errors.ShapelyError) as error:
        raise SourceError(
            f"{path}: the boundaries cannot be read; build them with "
            "'python -m policy_sim.building.make_boundaries' or install again."
        ) from error


def with_shapes(rows: pd.DataFrame, level: str, column: str) -> gpd.GeoDataFrame:
    """Return the rows as a geopandas frame, each with the shape of its ``state`` or ``county``.

    The column holds postal codes, or five-digit FIPS codes of any vintage from 2000 on; ``geometry`` is missing where
    the boundaries of 2010 have no area for a code. The reference system is that of the 48 states and DC, EPSG:5070;
    Alaska, Hawaii and Puerto Rico have their place and scale on the page, not on the ground.
    """
    import geopandas as gpd
    import shapely

    shapes = load_boundaries(level)["geometry"]
    shape_of: dict[Any, Any] = shapes.to_dict()
    if level == "county":
        drawn = place_counties(rows[column].dropna().unique()).drawn
        areas: dict[str, list[str]] = {}
        for area, code in drawn.items():
            areas.setdefault(code, []).append(area)
        shape_of = {code: shapely.union_all([shapes[area] for area in held]) for code, held in areas.items()}
    return gpd.GeoDataFrame(rows, geometry=[shape_of.get(code) for code in rows[column]], crs="EPSG:5070")


def page_scale(state: str) -> float:
    """Return the meters on the page for one on the ground, of a state (postal code)."""
    return float(_region(state)["scale"])


def on_ground(frame: gpd.GeoDataFrame, state: str) -> gpd.GeoDataFrame:
    """Return shapes of one state in degrees of longitude and latitude (EPSG:4326) in place of meters on the page."""
    import shapely

    region = _region(state)
    moved = shapely.transform(
        frame.geometry.to_numpy(), lambda points: (points - [region["right"], region["up"]]) / region["scale"]
    )
    return frame.set_geometry(moved).set_crs(region["projection"], allow_override=True).to_crs("EPSG:4326")


def _region(state: str) -> Mapping[str, Any]:
    regions = shipped_table("boundaries/page.toml")
    region: Mapping[str, Any] = regions.get(state, regions["mainland"])
    return region


@cache
def _county_changes() -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """Each change of county codes: what happened, and the pairs of old and new code that share land."""
    return tuple(
        (
            f"{change['what']}, {change['date'].year}",
            tuple((part["old"], part["new"]) for part in change["parts"]),
        )
        for change in shipped_table("county_changes.toml")["change"]
    )


@dataclass(frozen=True)
class Placement:
    """Which code of a table is drawn on which area of the map, and why some codes and areas have no other."""

    drawn: Mapping[str, str]
    not_drawn: Mapping[str, str]
    blank: Mapping[str, str]

    def notes(self) -> tuple[str, ...]:
        """Say in words what is drawn elsewhere, not drawn, or blank; empty if all is in its place."""
        moved = [f"{area} shows {code}" for area, code in sorted(self.drawn.items()) if area != code]
        lines = [f"Shown on the boundaries of 2010: {', '.join(moved)}."] if moved else []
        for what, reasons in (("Not drawn", self.not_drawn), ("Blank", self.blank)):
            by_reason: dict[str, list[str]] = {}
            for code, why in sorted(reasons.items()):
                by_reason.setdefault(why, []).append(code)
            lines += [f"{what}: {', '.join(codes)} ({why})." for why, codes in by_reason.items()]
        return tuple(lines)


def place_counties(codes: Iterable[str]) -> Placement:
    """Say which counties (five-digit FIPS codes) of any vintage from 2000 on the map can draw, and where.

    A county of the map that the table lacks shows another code's value if all of its land lies in that
    county, before or after a change (``data/county_changes.toml``): Shannon shows Oglala Lakota,
    Skagway shows Skagway-Hoonah-Angoon, Bedford city shows Bedford County.
    """
    requested = dict.fromkeys(codes)
    areas = load_boundaries("county").index
    drawn = {area: area for area in areas if area in requested}
    for area, code in _stand_ins(areas):
        if area not in drawn and code in requested:
            drawn[area] = code
    drawn_codes = set(drawn.values())
    states = {code[:2] for code in requested}
    return Placement(
        drawn,
        {code: _why(code, "the map has no such county") for code in requested if code not in drawn_codes},
        {area: _why(area, "not in the table") for area in areas if area[:2] in states and area not in drawn},
    )


def _stand_ins(areas: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs of an area of the map and another code whose land holds all of it, before or after a change."""
    area_codes = set(areas)
    pairs: list[tuple[str, str]] = []
    for _, parts in _county_changes():
        for ends in (parts, [(new, old) for old, new in parts]):
            holders: dict[str, set[str]] = {}
            for area, code in ends:
                holders.setdefault(area, set()).add(code)
            pairs += [(area, min(codes)) for area, codes in holders.items() if area in area_codes and len(codes) == 1]
    return [(area, code) for area, code in pairs if area != code]


def _why(code: str, otherwise: str) -> str:
    """Return what became of the code."""
    for what, parts in _county_changes():
        if any(code in part and part[0] != part[1] for part in parts):
            return what
    return otherwise


# States turned upright: the projection of the national map, centered on the meridian of a few states.
#
# On the national map a state far from 96° W leans. Albers' equal-area projection about another
# meridian is the same map turned about the point where all meridians meet, so a turn is exact.


_MOVED_IN = ("02", "15", "72")  # drawn in projections of their own, already upright
_MOST_STATES = 8  # with more states, the map looks like the familiar national map


# How far north of the map's origin (23° N) all meridians meet, in meters: Albers' projection with standard parallels at
# 29.5° and 45.5° N (building/make_boundaries.py) on GRS 80. J. P. Snyder (1987), Map Projections: A Working Manual,
# USGS Professional Paper 1395, equations 14-3, 14-12 to 14-15 and 3-12.
APEX = 9928937.004248805


def turn_upright(counties: Collection[str]) -> float:
    """Return the angle (radians, counterclockwise about ``(0, APEX)``) that turns the counties' states upright.

    Counties are five-digit FIPS codes. It is 0 for the nation or many states, and for Alaska, Hawaii and Puerto Rico.
    """
    states = {code[:2] for code in counties}
    if not states or len(states) > _MOST_STATES or states & set(_MOVED_IN):
        return 0.0
    import shapely

    points = shapely.get_coordinates(load_boundaries("county").loc[list(counties), "geometry"].to_numpy())
    angles = np.arctan2(points[:, 0], APEX - points[:, 1])
    return -float(angles.min() + angles.max()) / 2
