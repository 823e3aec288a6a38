"""A figure that a notebook shows by itself, without pyplot and its list of open figures."""

from __future__ import annotations

from matplotlib.figure import Figure

from policy_sim.render.save import png_bytes

__all__ = ["ShownFigure"]


class ShownFigure(Figure):
    """A matplotlib figure with the picture that notebooks ask a value for."""

    def _repr_png_(self) -> bytes:
        return png_bytes(self)
