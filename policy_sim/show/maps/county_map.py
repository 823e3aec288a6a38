"""Boundaries as matplotlib paths, made once for all maps of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from policy_sim.files.boundaries import APEX, Placement, load_boundaries, place_counties, turn_upright
from policy_sim.show import theme
from policy_sim.show.maps.fills import (
    LEGEND_HEIGHT,
    MISSING,
    Classes,
    Fill,
    class_counts,
    draw_fills,
    draw_legend,
    fills_of,
    legend_entries,
)
from policy_sim.show.numbers import Formatter
from policy_sim.show.page import foot_height, new_page
from policy_sim.words.errors import InputError
from policy_sim.words.states import POSTAL_OF_FIPS, STATES

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.path import Path
    from matplotlib.transforms import Affine2D


# Meters on the page that nobody sees on a map of the nation: most of a pixel.
_UNSEEN = 2_500.0


@cache
def outlines(level: str, *, coarse: bool = False) -> Mapping[str, Path]:
    """Return one closed path a state (by postal code) or county (by FIPS code), in meters on the page.

    ``coarse`` leaves out what nobody sees on a map of the nation; neighbors still meet.
    """
    import shapely

    frame = load_boundaries(level)
    shapes = frame["geometry"].to_numpy()
    if coarse:
        shapes = shapely.coverage_simplify(shapes, _UNSEEN)
    return dict(zip(frame.index, map(_path, shapely.normalize(shapes)), strict=True))


def upright(counties: Collection[str]) -> Affine2D:
    """Return how the page is turned so that the states of these counties stand upright."""
    from matplotlib.transforms import Affine2D

    angle = turn_upright(counties)
    return Affine2D().rotate_around(0.0, APEX, angle) if angle else Affine2D()


@cache
def label_points() -> Mapping[str, tuple[float, float]]:
    """Return where each state's label has most room, in meters on the page."""
    frame = load_boundaries("state")
    points = zip(frame["label_x"].tolist(), frame["label_y"].tolist(), strict=True)
    return dict(zip(frame.index, points, strict=True))


def _path(shape: Any) -> Path:
    """Join all rings of a (multi)polygon; outer and inner rings turn in opposite ways, so holes stay open."""
    import shapely
    from matplotlib.path import Path

    rings = shapely.get_rings(shapely.get_parts(shape))
    codes, points = [], []
    for xy in map(shapely.get_coordinates, rings):
        code = np.full(len(xy), Path.LINETO, dtype=Path.code_type)
        code[0], code[-1] = Path.MOVETO, Path.CLOSEPOLY
        codes.append(code)
        points.append(xy)
    return Path(np.concatenate(points), np.concatenate(codes))


# A map of counties, of the nation or of the states that the table has; what it cannot draw stands below it.


_WIDTH, _HEIGHT = 10.0, 7.2  # inches; the notes come on top
_ROOM = 0.03  # of the extent, around it
_CROWD = 400  # counties from which on lines are thin and shapes coarse


def county_map(
    values: pd.DataFrame,
    classes: Classes,
    write: Formatter,
    *,
    title: str,
    subtitle: str,
    legend_title: str,
    footer: Sequence[str] = (),
) -> Figure:
    """Draw one figure per county, over the states that the table has counties of.

    ``values``: one row per county with ``county`` (five-digit FIPS code of any vintage from 2000 on), ``value``,
    ``value_high`` and ``status``, as for ``state_map``.
    """
    placement, fills, areas = _areas(values, classes, write)
    with theme.styled():
        notes = [*footer, *placement.notes()]
        page = new_page(_WIDTH, _HEIGHT + foot_height(_WIDTH, notes), title, subtitle, notes)
        box = page.box(0.1, page.bottom + LEGEND_HEIGHT, page.width - 0.1, page.top)
        _draw_counties(areas, page.figure.add_axes(box, label="map"))
        counts = class_counts(fills, classes)
        draw_legend(page, legend_title, classes, write, legend_entries(areas), counts, "counties")
        return page.figure


def draw_county_map(values: pd.DataFrame, ax: Axes, *, classes: Classes, write: Formatter) -> Axes:
    """Draw the counties of :func:`county_map`, without its head and legend, on your axes, and return them."""
    _, _, areas = _areas(values, classes, write)
    return _draw_counties(areas, ax)


def _areas(
    values: pd.DataFrame, classes: Classes, write: Formatter
) -> tuple[Placement, dict[str, Fill], dict[str, Fill]]:
    """Return which code is drawn where, and the fills by code of the table and by area of the map."""
    placement = place_counties(values["county"])
    if not placement.drawn:
        raise InputError("The map has no county of the table. Use five-digit FIPS codes such as 39049.")
    fills = fills_of(values, classes, write, area="county")
    areas = dict.fromkeys(placement.blank, MISSING)
    return placement, fills, areas | {area: fills[code] for area, code in placement.drawn.items()}


def _draw_counties(areas: Mapping[str, Fill], axes: Axes) -> Axes:
    crowded = len(areas) > _CROWD
    turn = upright(areas)
    counties = _turned(outlines("county", coarse=crowded), areas, turn)
    _set_extent(axes, counties)
    draw_fills(axes, counties, areas, 0.15 if crowded else 0.4, "counties", _titles(areas))
    _draw_states(axes, areas, outlines("state", coarse=crowded), turn)
    return axes


def _turned(paths: Mapping[str, Path], areas: Iterable[str], turn: Affine2D) -> dict[str, Path]:
    return {area: paths[area].transformed(turn) for area in areas}


def _titles(areas: Mapping[str, Fill]) -> dict[str, str]:
    """What each county says where the pointer rests on it: its name, its state and its figure."""
    frame = load_boundaries("county").loc[list(areas)]
    named = zip(areas, frame["name"], frame["state"], strict=True)
    return {area: f"{name}, {STATES[str(state)].name}: {areas[area].text}" for area, name, state in named}


def _set_extent(axes: Axes, paths: Mapping[str, Path]) -> None:
    """Let the axes hold every area."""
    points = np.concatenate([path.vertices for path in paths.values()])
    (west, south), (east, north) = points.min(axis=0), points.max(axis=0)
    room = _ROOM * max(east - west, north - south)
    axes.set(xlim=(west - room, east + room), ylim=(south - room, north + room), aspect="equal")
    axes.set_axis_off()


def _draw_states(axes: Axes, areas: Mapping[str, Fill], paths: Mapping[str, Path], turn: Affine2D) -> None:
    """Draw the outlines of the states over their counties."""
    from matplotlib.collections import PathCollection

    codes = sorted({POSTAL_OF_FIPS[area[:2]] for area in areas})
    axes.add_collection(
        PathCollection(
            [paths[code].transformed(turn) for code in codes],
            facecolors="none",
            edgecolors=theme.INK,
            linewidths=0.5,
            transform=axes.transData,
            label="states",
        ),
        autolim=False,
    )
