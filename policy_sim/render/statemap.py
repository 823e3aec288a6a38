"""A map of the states: one figure a state, coloured by class, small states repeated large in the margin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from policy_sim.render import theme
from policy_sim.render.classes import Classes
from policy_sim.render.fills import MISSING, Fill, class_counts, draw_fills, fills_of, legend_entries
from policy_sim.render.legend import LEGEND_HEIGHT, draw_legend
from policy_sim.render.numbers import Formatter
from policy_sim.render.page import Page, new_page
from policy_sim.render.shapes import label_points, outlines
from policy_sim.states import STATES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_states", "state_map"]

_WIDTH, _HEIGHT = 10.0, 7.2  # inches
_PAGE_X, _PAGE_Y = (-2.45e6, 3.05e6), (0.17e6, 3.22e6)  # metres on the page, as all below

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
# Labels that stand in the sea beside the state.
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
    write_short: Formatter | None = None,
) -> Figure:
    """Draw one figure a state.

    Parameters
    ----------
    values : One row a state with ``state`` (postal code), ``value``, ``value_high`` and ``status``. Where
        ``status`` is ``interval`` the colour is that of ``value`` and stripes say so; where ``value`` is
        missing the state is hatched by its status; states without a row are left white. Puerto Rico
        is drawn where it has a row.
    classes : Limits and colours.
    write : How the limits in the legend are written.
    write_short : How a value is written on its state, where there is little room; as ``write`` by default.
    footer : Whose census, which lists, which options; one line each.
    """
    fills = {code: MISSING for code in STATES if code != "PR"} | fills_of(values, classes, write_short or write)
    with theme.styled():
        page = new_page(_WIDTH, _HEIGHT, title, subtitle, footer)
        draw_states(page, fills)
        draw_legend(page, legend_title, classes, write, legend_entries(fills), class_counts(values, classes))
        return page.figure


def draw_states(page: Page, fills: Mapping[str, Fill], legend: float = LEGEND_HEIGHT) -> None:
    """Draw and label the states on a page, above ``legend`` inches left for the legend."""
    axes = _map_axes(page, legend)
    draw_fills(axes, outlines("state", coarse=True), fills, 0.7, "states")
    _draw_labels(axes, fills)


def _map_axes(page: Page, legend: float) -> Axes:
    axes = page.figure.add_axes(page.box(0.1, page.bottom + legend, page.width - 0.1, page.top), label="map")
    axes.set(xlim=_PAGE_X, ylim=_PAGE_Y, aspect="equal")
    axes.set_axis_off()
    return axes


def _draw_labels(axes: Axes, fills: Mapping[str, Fill]) -> None:
    for code, fill in fills.items():
        if fill is MISSING or code not in label_points():
            continue
        if code in _CALLOUTS:
            _call_out(axes, code, fill)
        else:
            _label(axes, code, fill)


def _label(axes: Axes, code: str, fill: Fill) -> None:
    beside = code in _BESIDE
    x, y = _BESIDE.get(code, label_points()[code])
    figure = fill.text.replace("–", "–\n") if len(fill.text) > _LONG else fill.text
    axes.text(
        x,
        y,
        f"{code}\n{figure}" if beside or fill.has_figure else code,
        size=theme.SIZES["map"],
        ha="center",
        va="center",
        linespacing=1.0,
        color=theme.INK if beside else theme.ink_on(fill.face),
        bbox=None if beside else {"facecolor": fill.face, "edgecolor": "none", "pad": 0.6},
    )


def _call_out(axes: Axes, code: str, fill: Fill) -> None:
    """Draw the state's colour again, large enough to see, with its figure on the side away from the state."""
    from matplotlib.patches import Rectangle

    (x, y), (width, height), at = _CALLOUTS[code], _BOX, label_points()[code]
    eastward = x > at[0]
    axes.plot([x if eastward else x + width, at[0]], [y, at[1]], color=theme.GREY, linewidth=0.5, zorder=3)
    corner = (x, y - height / 2)
    for face, hatch, edge in ((fill.face, fill.hatch, fill.hatch_colour), ("none", "", theme.GREY)):
        axes.add_patch(Rectangle(corner, width, height, fc=face, ec=edge, lw=0.5, hatch=hatch or None, zorder=4))
    axes.text(
        x + width + _SPACE if eastward else x - _SPACE,
        y,
        f"{code} {fill.text}",
        size=theme.SIZES["map"],
        va="center",
        ha="left" if eastward else "right",
    )
