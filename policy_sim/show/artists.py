"""What matplotlib draws in a way of ours: figures that a notebook shows and a journal takes, and text with a halo.

Only what draws imports this: matplotlib takes longer to load than a table to compute.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.patheffects import Stroke
from matplotlib.text import Text
from matplotlib.ticker import Formatter

from policy_sim.show.numbers import percent_tick, percent_ticks
from policy_sim.show.save import png_bytes

if TYPE_CHECKING:
    from matplotlib.backend_bases import RendererBase

_WIDTH = 2.2  # points of a halo, half of it outside the letters


class ShownFigure(Figure):
    """A matplotlib figure with the picture that notebooks ask a value for, and fonts that journals take."""

    def savefig(self, fname: Any, **options: Any) -> None:
        """Save as matplotlib does. PDF and EPS hold TrueType fonts: many journals refuse Type 3; SVG keeps its text."""
        with rc_context({"pdf.fonttype": 42, "ps.fonttype": 42, "svg.fonttype": "none"}):
            super().savefig(fname, **options)

    def _repr_png_(self) -> bytes:
        return png_bytes(self)


class Percents(Formatter):
    """Marks of an axis as percents with the same number of decimals, and none below 0."""

    def __call__(self, x: float, pos: int | None = None) -> str:  # noqa: ARG002  (matplotlib gives both)
        """Write one value, as where a pointer rests."""
        return percent_tick(x)

    def format_ticks(self, values: Any) -> list[str]:
        """Write all marks together."""
        texts = percent_ticks([float(value) for value in values])
        return [text if value >= 0 else "" for value, text in zip(values, texts, strict=True)]


class HaloText(Text):
    """A text over its outline in the color of the halo: readable over hatches, without a box, and text in an SVG."""

    def __init__(self, x: float, y: float, text: str, *, halo: str, **look: Any) -> None:
        super().__init__(x, y, text, **look)
        self._halo = Stroke(linewidth=_WIDTH, foreground=halo)

    def draw(self, renderer: RendererBase) -> None:
        """Draw the halo, and the text over it."""
        self.set_path_effects([self._halo])
        super().draw(renderer)
        self.set_path_effects([])
        super().draw(renderer)
