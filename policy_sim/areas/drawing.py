"""Maps of areas: county lines thick, area lines thin, one pale fill, and insets where the areas are small."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from policy_sim.areas.areas import Areas
from policy_sim.areas.zip_areas import county_shapes
from policy_sim.files.boundaries import APEX, load_boundaries, turn_upright
from policy_sim.show import theme
from policy_sim.show.numbers import whole_people
from policy_sim.show.panels import new_page
from policy_sim.words.states import STATES

if TYPE_CHECKING:
    import geopandas as gpd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

APPROXIMATE = (
    "Approximate shapes: each ZIP code is drawn as the part of its county that is nearest to its internal point "
    "(Census Bureau, 2020). These are not the borders of ZIP codes."
)
_FILL, _LINE = "#eef3f8", "#6b86a6"
_WIDTH, _HEIGHT = 10.0, 6.8  # inches
_INSETS = 3
_MANY = 6  # areas of a county from which on it has an inset
_SMALL = 0.25  # of the state's extent, up to which a county has an inset
_ROOM = 0.03  # of the extent, around it


def area_map(areas: Areas, state: str) -> Figure:
    """Draw the areas of one state, with insets of the counties that have the most; links by water are dashed."""
    frame, turn = areas.to_geo_frame(), turn_upright(areas.zips.loc[areas.zips["state"] == state, "county"].unique())
    frame = _turned(frame[frame["state"] == state], turn)
    counties = _counties(areas, state, turn)
    facts, name = areas.by_state[state], STATES[state].name
    title = f"{name} in {whole_people(facts.number)} areas of {whole_people(areas.least)} people or more"
    lines = (
        "Thick lines are county lines: a county of fewer than twice as many people is not cut, and only a whole county "
        "with too few people joins another"
        if areas.lines == "county"
        else "Thick lines are county lines, which these areas cross"
    )
    links = list(facts.by_water)
    foot = [APPROXIMATE]
    if links:
        pairs = "1 pair" if len(links) == 1 else f"{whole_people(len(links))} pairs"
        foot.append(f"Dashed: {pairs} of ZIP codes that are joined by water.")
    with new_page(_WIDTH, _HEIGHT, title, f"{lines}.", foot) as page:
        insets = _crowded(areas, state, counties)
        width = page.width - 2 * 0.35
        height = page.top - page.bottom
        side = min(height / max(len(insets), 1) - 0.25, 2.2) if insets else 0.0
        main = page.axes(0.35, page.bottom, 0.35 + width - (side + 0.2 if insets else 0), page.top - 0.1)
        water = _lines(areas, links, turn)
        _draw(main, frame, counties, water, 0.5, 1.0)
        for place, county in enumerate(insets):
            low = page.top - 0.25 - (place + 1) * side - place * 0.25
            axes = page.axes(page.width - 0.35 - side, low, page.width - 0.35, low + side)
            _draw(axes, frame, counties, water, 0.8, 1.6, counties.loc[county].geometry.bounds)
            axes.set_title(str(counties.loc[county, "name"]), fontsize=theme.SIZES["footer"], color=theme.INK, pad=2)
        return page.figure


def _crowded(areas: Areas, state: str, counties: gpd.GeoDataFrame) -> list[str]:
    """Return the counties with the most areas, at most three, of those with some that are small on the map."""
    held = areas.zips[areas.zips["state"] == state].groupby("county")["area"].nunique()
    held = held[held >= _MANY].sort_values(ascending=False, kind="stable")
    west, south, east, north = counties.total_bounds
    most = max(east - west, north - south) * _SMALL
    sides = counties.bounds.assign(side=lambda box: np.maximum(box["maxx"] - box["minx"], box["maxy"] - box["miny"]))
    return [str(county) for county in held.index if county in sides.index and sides.loc[county, "side"] < most][
        :_INSETS
    ]


def _counties(areas: Areas, state: str, turn: float) -> gpd.GeoDataFrame:
    import geopandas as gpd

    shapes = county_shapes(areas.zips.loc[areas.zips["state"] == state, "county"].unique())
    names = load_boundaries("county")["name"]
    rows = {"county": list(shapes), "name": [names.get(code, code) for code in shapes]}
    return _turned(gpd.GeoDataFrame(rows, geometry=list(shapes.values())).set_index("county"), turn)


def _turned(frame: gpd.GeoDataFrame, angle: float) -> gpd.GeoDataFrame:
    import shapely

    turned = shapely.transform(frame.geometry.to_numpy(), lambda points: _rotated(points, angle))
    return frame.set_geometry(turned)


def _rotated(points: np.ndarray, angle: float) -> np.ndarray:
    x, y = points[:, 0], points[:, 1] - APEX
    cos, sin = np.cos(angle), np.sin(angle)
    return np.column_stack([cos * x - sin * y, sin * x + cos * y + APEX])


def _lines(areas: Areas, links: Sequence[tuple[str, str]], turn: float) -> list[np.ndarray]:
    import shapely

    lines = []
    for pair in links:
        points = np.array([shapely.get_coordinates(areas.cells[code].representative_point())[0] for code in pair])
        lines.append(_rotated(points, turn))
    return lines


def _draw(
    axes: Axes,
    frame: gpd.GeoDataFrame,
    counties: gpd.GeoDataFrame,
    links: Sequence[np.ndarray],
    thin: float,
    thick: float,
    extent: Any = None,
) -> None:
    frame.plot(ax=axes, facecolor=_FILL, edgecolor=_LINE, linewidth=thin, aspect="equal")
    counties.boundary.plot(ax=axes, color=theme.INK, linewidth=thick, aspect="equal")
    for line in links:
        axes.plot(line[:, 0], line[:, 1], linestyle=(0, (3, 2)), color=theme.INK, linewidth=1.0)
    west, south, east, north = frame.total_bounds if extent is None else extent
    room = _ROOM * max(east - west, north - south)
    axes.set(xlim=(west - room, east + room), ylim=(south - room, north + room))
    axes.set_axis_off()
    if extent is not None:
        axes.set_axis_on()
        axes.set(xticks=[], yticks=[], xlabel="", ylabel="")
        for spine in axes.spines.values():
            spine.set(visible=True, color=theme.PALE, linewidth=0.8)
