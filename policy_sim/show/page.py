"""The page that a figure is drawn on, and what it is made of."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from policy_sim.show.theme import DPI, GREY, SIZES

if TYPE_CHECKING:
    from matplotlib.figure import Figure


MARGIN = 0.35  # inches
_LINE = 1.42  # line spacing, times the size of the letters
_POINT = 1 / 72


class Page:
    """A figure with its head and foot written, and the inches that are left between them.

    ``figure`` is the figure; ``bottom`` and ``top`` (inches from the lower edge) bound the free space.
    """

    def __init__(self, figure: Figure, bottom: float, top: float) -> None:
        self.figure, self.bottom, self.top = figure, bottom, top
        self.width, self.height = (float(x) for x in figure.get_size_inches())

    def box(self, left: float, bottom: float, right: float, top: float) -> tuple[float, float, float, float]:
        """Turn a box in inches into what ``Figure.add_axes`` takes."""
        return (left / self.width, bottom / self.height, (right - left) / self.width, (top - bottom) / self.height)


def new_page(width: float, height: float, title: str, subtitle: str = "", footer: Sequence[str] = ()) -> Page:
    """Return a page of ``width`` × ``height`` inches; long lines of head and foot are wrapped."""
    from policy_sim.show.artists import ShownFigure

    figure = ShownFigure(figsize=(width, height), dpi=DPI)
    top = height - MARGIN * 0.8
    for text, size, weight, color in (
        (title, SIZES["title"], "bold", None),
        (subtitle, SIZES["subtitle"], "normal", GREY),
    ):
        for line in _wrapped(text, size * (1.12 if weight == "bold" else 1), width):
            figure.text(MARGIN / width, top / height, line, size=size, weight=weight, color=color, va="top")
            top -= size * _LINE * _POINT
    size = SIZES["footer"]
    lines = [piece for line in footer for piece in _wrapped(line, size, width)]
    bottom = foot_height(width, footer)
    for place, line in enumerate(lines):
        y = bottom - (place + 1) * size * _LINE * _POINT
        figure.text(MARGIN / width, y / height, line, size=size, color=GREY, va="bottom")
    return Page(figure, bottom, top)


def foot_height(width: float, footer: Sequence[str]) -> float:
    """Inches that a page of this width needs for its foot, so that a drawing can keep its own height."""
    size = SIZES["footer"]
    lines = sum(len(_wrapped(line, size, width)) for line in footer)
    return MARGIN * 0.6 + lines * size * _LINE * _POINT


def _wrapped(text: str, size: float, width: float) -> list[str]:
    """Break a line where it would leave the page: letters of DejaVu are about 0.6 of their size wide."""
    letters = int((width - 2 * MARGIN) / (size * 0.58 * _POINT))
    return textwrap.wrap(text, letters)
