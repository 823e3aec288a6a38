"""The folder of areas: the table of ZIP codes, whole counties, maps, shapes for other programs, pages."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from policy_sim.areas.areas import Areas
from policy_sim.areas.drawing import APPROXIMATE, area_map
from policy_sim.areas.page import area_page
from policy_sim.files.boundaries import on_ground
from policy_sim.show.document import document_bytes
from policy_sim.show.save import save_figure
from policy_sim.words.text import with_safe_texts

if TYPE_CHECKING:
    import geopandas as gpd


def write_areas(
    areas: Areas,
    folder: Path,
    risk: pd.DataFrame,
    by_race: pd.DataFrame,
    sources: tuple[str, ...],
    outside: Mapping[str, int],
    report: Callable[[str], None],
) -> None:
    """Write everything about some areas into a folder that is there: `areas.csv` is the table to release by.

    ``outside``: people of each state who are in no area. ``report``: is called with what is being written.
    """
    report("writing the tables")
    table = areas.zips.rename(columns={"zip5": "zip"})[["zip", "area", "people"]].assign(vintage=areas.vintage)
    frames = {"areas": table, "counties": areas.whole_counties, "summary": areas.to_frame(), "risk": risk}
    frames["risk-by-race"] = by_race
    for name, frame in frames.items():
        with_safe_texts(frame).to_csv(folder / f"{name}.csv", index=False)
    shapes = areas.to_geo_frame()
    for state in areas.states:
        report(f"drawing {state}")
        save_figure(area_map(areas, state), folder / f"map-{state}")
        _write_shapes(on_ground(shapes[shapes["state"] == state], state), folder / f"areas-{state}")
        page = area_page(areas, state, risk, by_race, sources, outside[state])
        (folder / f"{state}.html").write_bytes(document_bytes(page, "html"))


def _write_shapes(frame: gpd.GeoDataFrame, stem: Path) -> None:
    """Write GeoJSON and GeoPackage, in degrees; both say that the shapes are approximate."""
    content = json.loads(frame.to_json(drop_id=True))
    content = {"type": content["type"], "description": APPROXIMATE, "features": content["features"]}
    stem.with_suffix(".geojson").write_text(json.dumps(content, separators=(",", ":")) + "\n", encoding="utf-8")
    frame.to_file(stem.with_suffix(".gpkg"), layer="areas", driver="GPKG", metadata={"DESCRIPTION": APPROXIMATE})
