"""A map of counties, of the nation or of the states that the table has; what it cannot draw stands below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from policy_sim.errors import InputError
from policy_sim.render import theme
from policy_sim.render.classes import Classes
from policy_sim.render.fills import MISSING, Fill, class_counts, draw_fills, fills_of, legend_entries
from policy_sim.render.legend import LEGEND_HEIGHT, draw_legend
from policy_sim.render.numbers import Formatter
from policy_sim.render.page import Page, new_page
from policy_sim.render.shapes import extent, outlines
from policy_sim.sources.boundaries import place_counties
from policy_sim.states import STATES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.path import Path

__all__ = ["county_map"]

_WIDTH, _HEIGHT = 10.0, 7.2
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
    """Draw one figure a county, over the states that the table has counties of.

    Parameters
    ----------
    values : One row a county with ``county`` (five-digit FIPS code of any vintage from 2000 on),
        ``value``, ``value_high`` and ``status``, as for ``state_map``.
    classes, write, footer : As for ``state_map``. The foot also names the counties that the
        boundaries of 2010 cannot show.

    Raises
    ------
    InputError : no county of the table is on the map.
    """
    placement = place_counties(values["county"])
    if not placement.drawn:
        raise InputError("no county of the table is on the map: give five-digit FIPS codes such as 39049.")
    fills = fills_of(values, classes, write, area="county")
    areas = dict.fromkeys(placement.blank, MISSING)
    areas |= {area: fills[code] for area, code in placement.drawn.items()}
    with theme.styled():
        page = new_page(_WIDTH, _HEIGHT, title, subtitle, [*footer, *placement.notes()])
        axes = _map_axes(page, areas)
        crowded = len(areas) > _CROWD
        draw_fills(axes, outlines("county", coarse=crowded), areas, 0.15 if crowded else 0.4, "counties")
        _draw_states(axes, areas, outlines("state", coarse=crowded))
        counts = class_counts(values, classes)
        draw_legend(page, legend_title, classes, write, legend_entries(areas), counts, "counties")
        return page.figure


def _map_axes(page: Page, areas: Mapping[str, Fill]) -> Axes:
    """Make axes that hold every area."""
    west, south, east, north = extent("county", areas)
    room = _ROOM * max(east - west, north - south)
    axes = page.figure.add_axes(page.box(0.1, page.bottom + LEGEND_HEIGHT, page.width - 0.1, page.top), label="map")
    axes.set(xlim=(west - room, east + room), ylim=(south - room, north + room), aspect="equal")
    axes.set_axis_off()
    return axes


def _draw_states(axes: Axes, areas: Mapping[str, Fill], paths: Mapping[str, Path]) -> None:
    """Draw the outlines of the states over their counties."""
    from matplotlib.collections import PathCollection

    postal = {state.fips: state.postal for state in STATES.values()}
    codes = sorted({postal[area[:2]] for area in areas})
    axes.add_collection(
        PathCollection(
            [paths[code] for code in codes],
            facecolors="none",
            edgecolors=theme.INK,
            linewidths=0.5,
            transform=axes.transData,
            label="states",
        ),
        autolim=False,
    )
