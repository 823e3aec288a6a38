"""How the share of g-distinct people varies among the states (Benitez & Malin 2010, Figure 5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from policy_sim.arrays import AnyFloatArray
from policy_sim.render import theme
from policy_sim.render.page import foot_height, new_page
from policy_sim.render.panels import known_and_not, panel_grid, panels_width, percent_axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["distribution_figure", "draw_distribution"]

_HEIGHT = 7.0  # inches of head and panels; the notes come on top

_FEWEST = 5  # states that make a box
_SWAY = 0.36  # how far dots stray sideways
_HALF = 0.25  # of a box's width
_CLEAR = 0.06  # of the highest share
_HEADROOM = 1.02  # over the highest dot
_GOLDEN = 0.6180339887498949


def distribution_figure(profiles: pd.DataFrame, footer: Sequence[str] = ()) -> Figure:
    """Draw the share of g-distinct people, one dot per state, for each g, policy and attacker.

    Boxes hold the middle half of the states that have one figure, the line is their median, whiskers
    reach the last state within 1.5 box lengths. States known only as an interval are bars next to the
    box and not part of it, cut with an arrow above the highest dot; states without a list are
    counted in the panel's head.

    Parameters
    ----------
    profiles : Rows of one population; other measures than g-distinct are left out.
    """
    rows = profiles[profiles["measure"] == "g-distinct"]
    with theme.styled():
        page = new_page(
            panels_width(rows),
            _HEIGHT + foot_height(panels_width(rows), footer),
            "The share of g-distinct people differs from state to state",
            "g-distinct: people whose values, as the attacker sees them, belong to g people or fewer. "
            "One dot per state; each panel has its own scale",
            footer,
        )
        for axes, part, _ in panel_grid(page, rows):
            draw_distribution(part, axes)
        return page.figure


def draw_distribution(rows: pd.DataFrame, ax: Axes) -> Axes:
    """Draw one panel of :func:`distribution_figure` on your axes, and return them.

    Parameters
    ----------
    rows : g-distinct rows of one population, policy and attacker.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> panels = Figure().subplots(1, 2)  # doctest: +SKIP
    >>> draw_distribution(rows[rows["policy"] == "safe-harbor"], panels[0])  # doctest: +SKIP
    """
    axes = ax
    exact, between, words = known_and_not(rows)
    axes.text(0, 1.02, words, transform=axes.transAxes, size=theme.SIZES["footer"], color=theme.GREY)
    sizes = sorted(int(g) for g in rows["g"].dropna().unique())
    top = _top(exact["share"] if len(exact) else between["share_high"])
    for place, g in enumerate(sizes):
        at = exact[exact["g"] == g].sort_values(["share", "state"])
        _dots(axes, place, at["state"].tolist(), at["share"].to_numpy(dtype=float))
        _bars(axes, place, between[between["g"] == g].sort_values("state"), top)
    axes.set_xticks(range(len(sizes)), [str(g) for g in sizes])
    axes.set(xlim=(-0.6, len(sizes) - 0.4), xlabel="g, people who share their values")
    axes.set_ylim(0, top * 1.05)
    percent_axis(axes)
    if exact.empty and between.empty:
        axes.set_yticks([])
    return axes


def _top(shares: pd.Series[float]) -> float:
    highest = max(shares.astype(float).tolist(), default=0.0)
    return highest * _HEADROOM if highest > 0 else 1.0


def _dots(axes: Axes, place: int, states: list[str], shares: AnyFloatArray) -> None:
    if not states:
        return
    if len(states) >= _FEWEST:
        _box(axes, place, shares)
    sideways = place + _SWAY * (np.arange(len(states)) * _GOLDEN % 1 - 0.5)
    # Their names stand outside the dots, and that of the highest away from the bars.
    sideways[0], sideways[-1] = place + _SWAY / 2, place - _SWAY / 2
    axes.scatter(sideways, shares, s=9, color=theme.line_color(0), alpha=0.65, linewidths=0, zorder=3)
    _name_ends(axes, states, sideways, shares)


def _box(axes: Axes, place: int, shares: AnyFloatArray) -> None:
    """Draw box and whiskers. ``Axes.bxp`` would load pyplot, which no figure here needs."""
    from matplotlib.cbook import boxplot_stats
    from matplotlib.patches import Rectangle

    (box,) = boxplot_stats(shares)
    corner, height = (place - _HALF, box["q1"]), box["q3"] - box["q1"]
    axes.add_patch(Rectangle(corner, 2 * _HALF, height, fill=False, ec=theme.GREY, lw=0.9))
    line: dict[str, Any] = {"colors": theme.GREY, "linewidths": 0.9}
    axes.vlines([place, place], [box["whislo"], box["q3"]], [box["q1"], box["whishi"]], **line)
    axes.hlines([box["whislo"], box["whishi"]], place - _HALF / 2, place + _HALF / 2, **line)
    axes.hlines(box["med"], place - _HALF, place + _HALF, colors=theme.INK, linewidths=1.6, label="median")


def _name_ends(axes: Axes, states: list[str], across: AnyFloatArray, shares: AnyFloatArray) -> None:
    """Name the highest state, and the lowest where it stands clear of the axis."""
    top = max(axes.dataLim.ymax, shares[-1])
    for end, side in ((-1, -1), (0, 1)):
        if end == -1 or (shares[0] > _CLEAR * top and len(states) > 1):
            axes.annotate(
                states[end],
                (across[end], shares[end]),
                xytext=(4 * side, 0),
                textcoords="offset points",
                size=theme.SIZES["map"],
                ha="left" if side == 1 else "right",
                va="center",
            )


def _bars(axes: Axes, place: int, rows: pd.DataFrame, top: float) -> None:
    """Draw intervals as bars from end to end, right of the box; an arrow where one leaves the panel."""
    if rows.empty:
        return
    across = place + 0.31 + 0.12 * np.linspace(0, 1, len(rows))
    low, high = (rows[name].to_numpy(dtype=float) for name in ("share", "share_high"))
    look: dict[str, Any] = {"color": theme.line_color(1), "alpha": 0.8}
    axes.vlines(across, low, np.minimum(high, top), linewidth=1.0, label="interval", **look)
    beyond = high > top
    if beyond.any():
        axes.plot(across[beyond], np.full(beyond.sum(), top), "^", markersize=3.5, markeredgewidth=0, **look)
