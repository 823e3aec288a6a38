"""The legend of a map: a strip of classes, and a swatch for every status that occurs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from policy_sim.render import theme
from policy_sim.render.maps.map_classes import Classes
from policy_sim.render.numbers import Formatter, alike
from policy_sim.render.page import MARGIN, Page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LEGEND_HEIGHT", "LegendEntry", "draw_legend"]

LEGEND_HEIGHT = 0.85  # inches
_STEP = 0.86  # inches of the strip a class takes
_TITLE = 3.3  # inches that the title may take
_ROWS, _COLUMNS = 3, 2  # of swatches; more rows where more statuses occur
_ENTRY = 2.35  # inches a swatch and its label take
_SMALL = theme.SIZES["label"] - 1.8


@dataclass(frozen=True)
class LegendEntry:
    """A status, how it looks, and how many states have it."""

    label: str
    face: str
    hatch: str
    count: int


def draw_legend(
    page: Page,
    title: str,
    classes: Classes,
    write: Formatter,
    entries: Sequence[LegendEntry],
    counts: Sequence[int],
    areas: str = "states",
) -> None:
    """Draw the legend above the foot of the page, in inches from its lower left corner.

    ``counts`` says how many ``areas`` each class holds.
    """
    bottom = page.bottom
    axes = page.figure.add_axes(page.box(0, bottom, page.width, bottom + LEGEND_HEIGHT), label="legend")
    axes.set(xlim=(0, page.width), ylim=(0, LEGEND_HEIGHT))
    axes.set_axis_off()
    step = min(_STEP, 5.0 / len(classes.colors))
    if sum(counts):
        _draw_strip(axes, title, classes, write, counts, step)
        axes.text(MARGIN, 0.08, f"number of {areas} in each color", size=_SMALL, color=theme.GREY, va="center")
    left = MARGIN + max(step * len(classes.colors), _TITLE) + 0.75 if sum(counts) else MARGIN
    _draw_entries(axes, entries, left)


def _draw_strip(axes: Axes, title: str, classes: Classes, write: Formatter, counts: Sequence[int], step: float) -> None:
    from matplotlib.patches import Rectangle

    size = theme.SIZES["label"] - 0.8
    axes.text(MARGIN, 0.76, title, size=size, weight="bold", va="center")
    for place, (color, count) in enumerate(zip(classes.colors, counts, strict=True)):
        left = MARGIN + place * step
        axes.add_patch(Rectangle((left, 0.40), step, 0.22, facecolor=color, edgecolor=theme.PAPER))
        axes.text(
            left + step / 2, 0.51, str(count), size=size - 0.6, ha="center", va="center", color=theme.ink_on(color)
        )
    for place, text in enumerate(alike(classes.limits, write)):
        axes.text(MARGIN + place * step, 0.33, text, size=size - 0.4, ha="left", va="top")


def _draw_entries(axes: Axes, entries: Sequence[LegendEntry], left: float) -> None:
    from matplotlib.patches import Rectangle

    size = theme.SIZES["label"] - 1.2
    rows = max(_ROWS, math.ceil(len(entries) / _COLUMNS))
    for place, entry in enumerate(entries):
        x, y = left + _ENTRY * (place // rows), 0.68 - 0.26 * (_ROWS / rows) * (place % rows)
        axes.add_patch(
            Rectangle(
                (x, y - 0.27 / rows),
                0.28,
                0.54 / rows,
                facecolor=entry.face,
                edgecolor=theme.GREY,
                hatch=entry.hatch,
                lw=0.5,
            )
        )
        axes.text(x + 0.35, y, f"{entry.label} ({entry.count})", size=size, va="center", linespacing=1.0)
