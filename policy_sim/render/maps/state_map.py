"""A map of the states: one figure per state, colored by class, small states repeated large in the margin."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from policy_sim.render import theme
from policy_sim.render.maps.fills import MISSING, Fill, class_counts, draw_fills, fills_of, legend_entries
from policy_sim.render.maps.legend import LEGEND_HEIGHT, draw_legend
from policy_sim.render.maps.map_classes import Classes
from policy_sim.render.maps.shapes import label_points, outlines
from policy_sim.render.numbers import Formatter
from policy_sim.render.page import Page, new_page
from policy_sim.states import STATES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_state_map", "draw_states", "map_axes", "state_map"]

_WIDTH, _HEIGHT = 10.0, 7.2  # inches
_PAGE_X, _PAGE_Y = (-2.45e6, 3.05e6), (0.17e6, 3.22e6)  # meters on the page, as all below

# States too small for a label, and where the box that repeats them goes.
_CALLOUTS: Mapping[str, tuple[float, float]] = {
    "NH": (1.50e6, 3.08e6),
    "VT": (1.50e6, 2.94e6),
    "MA": (2.36e6, 2.44e6),
    "RI": (2.36e6, 2.30e6),
    "CT": (2.36e6, 2.16e6),
    "NJ": (2.36e6, 2.02e6),
    "DE": (2.36e6, 1.88e6),
    "MD": (2.36e6, 1.74e6),
    "DC": (2.36e6, 1.60e6),
}
_BOX, _SPACE = (0.13e6, 0.09e6), 0.03e6
# Labels that are in the sea next to the state.
_BESIDE: Mapping[str, tuple[float, float]] = {"HI": (-0.74e6, 0.30e6), "PR": (0.62e6, 0.40e6)}
_LONG = 8  # letters of an interval that fit on one line of a state


def state_map(
    values: pd.DataFrame,
    classes: Classes,
    write: Formatter,
    *,
    title: str,
    subtitle: str,
    legend_title: str,
    footer: Sequence[str] = (),
    restricted: Collection[str] = (),
) -> Figure:
    """Draw one figure per state.

    Parameters
    ----------
    values : One row per state with ``state`` (postal code), ``value``, ``value_high`` and ``status``. Where
        ``status`` is ``interval`` and the ends lie in different classes the state has a color of its own and
        both ends in its label; where ``value`` is missing the state is hatched by its status; states
        without a row are left white. Puerto Rico is drawn where it has a row.
    classes : Limits and colors.
    write : How values and the limits in the legend are written, so that both have one precision.
    restricted : States whose list only some may have: hatched, with a star.
    footer : Whose census, which lists, which options; one line each.
    """
    fills = _fills(values, classes, write, restricted)
    with theme.styled():
        page = new_page(_WIDTH, _HEIGHT, title, subtitle, footer)
        draw_states(fills, map_axes(page))
        draw_legend(page, legend_title, classes, write, legend_entries(fills), class_counts(fills, classes))
        return page.figure


def draw_state_map(
    values: pd.DataFrame, ax: Axes, *, classes: Classes, write: Formatter, restricted: Collection[str] = ()
) -> Axes:
    """Draw the states of :func:`state_map`, without its head and legend, on your axes, and return them.

    Parameters
    ----------
    values, classes, write, restricted : As for :func:`state_map`.
    ax : Where to draw; about 10 inches wide the labels have room.

    Examples
    --------
    Two maps with one set of classes, side by side:

    >>> from matplotlib.figure import Figure
    >>> classes = given_classes([0, 0.01, 0.1, 1], "YlOrRd")  # doctest: +SKIP
    >>> for values, ax in zip((before, after), Figure(figsize=(20, 6)).subplots(1, 2)):  # doctest: +SKIP
    ...     draw_state_map(values, ax, classes=classes, write=short_percent)
    """
    return draw_states(_fills(values, classes, write, restricted), ax)


def _fills(
    values: pd.DataFrame, classes: Classes, write: Formatter, restricted: Collection[str] = ()
) -> dict[str, Fill]:
    return {code: MISSING for code in STATES if code != "PR"} | fills_of(values, classes, write, restricted=restricted)


def draw_states(fills: Mapping[str, Fill], axes: Axes) -> Axes:
    """Draw and label the states, and return the axes."""
    axes.set(xlim=_PAGE_X, ylim=_PAGE_Y, aspect="equal")
    axes.set_axis_off()
    draw_fills(axes, outlines("state", coarse=True), fills, 0.7, "states", _titles(fills))
    _draw_labels(axes, fills)
    return axes


def _titles(fills: Mapping[str, Fill]) -> dict[str, str]:
    return {code: f"{STATES[code].name}: {fill.text}" for code, fill in fills.items() if code in STATES}


def map_axes(page: Page, legend: float = LEGEND_HEIGHT) -> Axes:
    """Make the axes of a map on a page, above ``legend`` inches for the legend."""
    return page.figure.add_axes(page.box(0.1, page.bottom + legend, page.width - 0.1, page.top), label="map")


def _draw_labels(axes: Axes, fills: Mapping[str, Fill]) -> None:
    for code, fill in fills.items():
        if fill is MISSING or code not in label_points():
            continue
        if code in _CALLOUTS:
            _call_out(axes, code, fill)
        else:
            _label(axes, code, fill)


def _label(axes: Axes, code: str, fill: Fill) -> None:
    from policy_sim.render.halo import HaloText

    beside = code in _BESIDE
    x, y = _BESIDE.get(code, label_points()[code])
    figure = fill.text.replace("–", "–\n") if len(fill.text) > _LONG else fill.text
    ink = theme.INK if beside else theme.ink_on(fill.face)
    look: dict[str, Any] = {
        "size": theme.SIZES["map"],
        "ha": "center",
        "va": "center",
        "linespacing": 1.0,
        "color": ink,
    }
    words = f"{code}\n{figure}" if beside or fill.has_figure else code
    axes.add_artist(HaloText(x, y, words, halo=theme.PAPER if beside else fill.face, **look))


def _call_out(axes: Axes, code: str, fill: Fill) -> None:
    """Draw the state's color again, large enough to see, with its figure on the side away from the state."""
    from matplotlib.patches import Rectangle

    (x, y), (width, height), at = _CALLOUTS[code], _BOX, label_points()[code]
    eastward = x > at[0]
    axes.plot([x if eastward else x + width, at[0]], [y, at[1]], color=theme.GREY, linewidth=0.5, zorder=3)
    corner = (x, y - height / 2)
    for face, hatch, edge in ((fill.face, fill.hatch, fill.hatch_color), ("none", "", theme.GREY)):
        axes.add_patch(Rectangle(corner, width, height, fc=face, ec=edge, lw=0.5, hatch=hatch or None, zorder=4))
    axes.text(
        x + width + _SPACE if eastward else x - _SPACE,
        y,
        f"{code} {fill.text}",
        size=theme.SIZES["map"],
        va="center",
        ha="left" if eastward else "right",
    )
