"""A figure that a notebook shows by itself, without pyplot and its list of open figures."""

from __future__ import annotations

from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure

from policy_sim.render.save import png_bytes

__all__ = ["ShownFigure"]


class ShownFigure(Figure):
    """A matplotlib figure with the picture that notebooks ask a value for, and fonts that journals take."""

    def savefig(self, fname: Any, **options: Any) -> None:
        """Save as matplotlib does. PDF and EPS hold TrueType fonts: many journals refuse Type 3; SVG keeps its text."""
        with rc_context({"pdf.fonttype": 42, "ps.fonttype": 42, "svg.fonttype": "none"}):
            super().savefig(fname, **options)

    def _repr_png_(self) -> bytes:
        return png_bytes(self)
