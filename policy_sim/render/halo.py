"""Text with a halo: readable over hatches and borders, without a box that covers what lies next to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.patheffects import Stroke
from matplotlib.text import Text

if TYPE_CHECKING:
    from matplotlib.backend_bases import RendererBase

__all__ = ["HaloText"]

_WIDTH = 2.2  # points, half of it outside the letters


class HaloText(Text):
    """A text drawn twice: its outline in the color of the halo, then the text itself, which stays text in an SVG."""

    def __init__(self, x: float, y: float, text: str, *, halo: str, **look: Any) -> None:
        super().__init__(x, y, text, **look)
        self._halo = Stroke(linewidth=_WIDTH, foreground=halo)

    def draw(self, renderer: RendererBase) -> None:
        """Draw the halo, and the text over it."""
        self.set_path_effects([self._halo])
        super().draw(renderer)
        self.set_path_effects([])
        super().draw(renderer)
