"""Tornado figures: how much each assumption moves total risk, the largest change on top."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from policy_sim.show import theme
from policy_sim.show.numbers import percent
from policy_sim.show.panels import MARGIN, new_page, write_at
from policy_sim.show.text_table import Column, cut, layout, ranges

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_ROW, _HEAD, _FEET, _LABELS, _WIDTH = 0.34, 0.42, 0.32, 3.6, 10.0  # inches
_LONGEST = 70  # letters of an assumption in a table
_LETTERS = 52  # of a label's line
_LEAST = 1e-4  # relative change up to which the axis is even


def sensitivity_table(rows: pd.DataFrame) -> str:
    """Write the assumptions of every figure of total risk, the largest change first."""
    total = rows[rows["measure"] == "total-risk"]
    several = len(total["state"].unique()) > 1
    parts = []
    for (policy, attacker), part in total.groupby(["policy", "attacker"], sort=False):
        which = f", {part['state'].nunique()} states" if several else f": {percent(float(part['share'].iloc[0]))}"
        if several:  # in how many states each assumption changes a figure, and how far
            moved = (_moved(swings) for _, swings in part.groupby("assumption", sort=False))
            _, *cells = zip(*sorted(moved, key=lambda line: -line[0]), strict=True)
            heads = ("states", "median change", "furthest", "assumption")
            pairs = zip(heads, cells, strict=True)
            columns = [Column((head,), tuple(map(str, texts)), right=head != "assumption") for head, texts in pairs]
        else:
            columns = [
                Column(("becomes",), ranges(part, "share_low", "share_high", percent)),
                Column(("change",), tuple(_change(*ends) for ends in _ends(part))),
                Column(("assumption",), tuple(cut(str(title), _LONGEST) for title in part["title"]), right=False),
            ]
        ranks = Column(("rank",), tuple(str(rank) for rank in range(1, len(columns[0].cells) + 1)))
        parts.append(f"total risk, {theme.case_title(policy, attacker)}{which}\n{layout([ranks], columns)}")
    return "\n\n".join(parts)


def _moved(swings: pd.DataFrame) -> tuple[float, int, str, str, str]:
    """How far one assumption moves a figure over the states: size, states, median, furthest with its state, title."""
    title = str(swings["title"].iloc[0])
    with_change = swings[swings["change_low"].notna()]
    if with_change.empty:
        return 0.0, len(swings), "from 0", "from 0", cut(title, _LONGEST)
    ends = np.array(_ends(with_change))
    furthest = ends[np.arange(len(ends)), np.abs(ends).argmax(axis=1)]
    at = int(np.abs(furthest).argmax())
    middle = float(np.median(np.abs(furthest))) if (ends.sum(axis=1) == 0).all() else float(np.median(furthest))
    return (
        float(np.median(np.abs(furthest))),
        len(swings),
        _signed(middle),
        f"{_signed(float(furthest[at]))} {with_change['state'].iloc[at]}",
        cut(title, _LONGEST),
    )


def _ends(part: pd.DataFrame) -> list[tuple[float, float]]:
    low, high = (part[name].to_numpy(dtype=float, na_value=np.nan) for name in ("change_low", "change_high"))
    return list(zip(low.tolist(), high.tolist(), strict=True))


def _change(low: float, high: float) -> str:
    """Write a relative change as percent, both ends where they differ."""
    if np.isnan(low):
        return "from 0"
    if abs(low + high) <= 1e-9 * abs(high) and high > 0:
        return f"±{_signed(high)[1:]}"
    return _signed(low) if low == high else f"{_signed(low)} to {_signed(high)}"


def _signed(change: float) -> str:
    figure = 100 * change
    if figure and abs(figure) < 0.001:
        return f"{figure:+.1g}%"
    digits = 1 if abs(figure) >= 10 else 2 if abs(figure) >= 0.1 else 3
    return f"{figure:+.{digits}f}%"


def tornado_figure(rows: pd.DataFrame, footer: Sequence[str] = ()) -> Figure:
    """Draw the relative change of total risk under each assumption, one panel per policy and attacker."""
    total = rows[(rows["measure"] == "total-risk") & rows["change_low"].notna()]
    panels = list(total.groupby(["policy", "attacker"], sort=False))
    heights = [_HEAD + _ROW * len(part) + _FEET for _, part in panels]
    where = theme.state_title(rows["state"].iloc[0])
    widest = _widest(total)
    title = f"Changing one assumption moves the total risk of {where} by at most {percent(widest)}"
    with new_page(_WIDTH, 1.3 + sum(heights), title, theme.TEXTS["subtitles"]["tornado"], footer) as page:
        top = page.top
        for ((policy, attacker), part), height in zip(panels, heights, strict=True):
            axes = page.axes(MARGIN + _LABELS, top - height + _FEET, page.width - MARGIN - 0.5, top - _HEAD)
            title = theme.case_title(policy, attacker)
            axes.set_title(f"{title}: {percent(float(part['share'].iloc[0]))}", loc="left", weight="bold")
            draw_tornado(part, axes, widest=widest)
            top -= height
        return page.figure


def _widest(rows: pd.DataFrame) -> float:
    ends = rows[["change_low", "change_high"]].to_numpy(dtype=float)
    return float(np.nanmax(np.abs(ends))) if np.isfinite(ends).any() else 0.0


def draw_tornado(rows: pd.DataFrame, ax: Axes, *, widest: float | None = None) -> Axes:
    """Draw one panel of :func:`tornado_figure` on your axes; ``widest``: the change that a shared scale holds."""
    widest = max(_widest(rows) if widest is None else widest, 10 * _LEAST)
    ends = _ends(rows)
    at = np.arange(len(rows))
    low = np.array([min(a, b, 0.0) for a, b in ends])
    high = np.array([max(a, b, 0.0) for a, b in ends])
    ax.barh(at, high - low, left=low, height=0.55, color=theme.line_color(0))
    ax.axvline(0, color=theme.INK, linewidth=0.8)
    ax.set_xscale("symlog", linthresh=_LEAST)
    ax.set_xlim(-2.5 * widest, 2.5 * widest)
    ticks = [x for x in (1e-4, 1e-2, 1.0, 100.0) if x <= 2.5 * widest]
    ax.set_xticks([*(-x for x in reversed(ticks)), 0, *ticks])
    ax.xaxis.set_major_formatter(lambda value, _: f"{100 * value:+g}%".replace("-", "−") if value else "0")
    ax.minorticks_off()
    ax.set_yticks(at, [textwrap.fill(str(title), _LETTERS) for title in rows["title"]])
    ax.tick_params(axis="y", labelsize=theme.SIZES["map"], length=0)
    ax.set_ylim(len(rows) - 0.45, -0.55)
    for y, (a, b) in enumerate(ends):
        write_at(ax, _change(a, b).replace("-", "−"), (max(b, 0.0), y))
    return ax
