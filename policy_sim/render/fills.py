"""How each area of a map is filled: by its value, or by why it has none; never the second like the first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from policy_sim.render import theme
from policy_sim.render.classes import Classes
from policy_sim.render.legend import LegendEntry
from policy_sim.render.numbers import Formatter, interval, status_word

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.path import Path

__all__ = ["MISSING", "Fill", "class_counts", "draw_fills", "fills_of", "legend_entries"]


@dataclass(frozen=True)
class Fill:
    """How one area is drawn: ``kind`` is ``value``, ``interval``, ``at_least``, ``free`` or why there is no figure."""

    kind: str
    face: str
    text: str

    @property
    def has_figure(self) -> bool:
        """Whether there is something to read besides the status."""
        return self.kind in ("value", "interval", "at_least", "free")

    @property
    def hatch(self) -> str:
        """Hatch of the kind, empty for a plain fill."""
        style = theme.STATUSES.get(self.kind)
        return style.hatch if style else ""

    @property
    def hatch_colour(self) -> str:
        """A colour that shows on the face."""
        return theme.PAPER if theme.ink_on(self.face) == theme.PAPER else theme.GREY


def _no_figure(status: str) -> Fill:
    kind = status if status in theme.STATUSES else "unknown"
    return Fill(kind, theme.STATUSES[kind].face, status_word(status))


MISSING = _no_figure("missing")


def fills_of(values: pd.DataFrame, classes: Classes, write: Formatter, area: str = "state") -> dict[str, Fill]:
    """Return how each area of the table is drawn.

    Parameters
    ----------
    values : One row an area with its code in the column ``area``, and ``value``, ``value_high`` and
        ``status``; ``value`` is missing where there is no figure.
    classes : Colours of the values.
    write : How a value is written.
    """
    fills = {}
    for code, value, high, status in zip(
        values[area], values["value"], values["value_high"], values["status"], strict=True
    ):
        if status == "free":
            fills[str(code)] = Fill("free", theme.FREE, "free")
        elif pd.isna(value):
            fills[str(code)] = _no_figure(str(status))
        else:
            kind = str(status) if status in ("interval", "at_least") else "value"
            text = interval(value, value if pd.isna(high) else high, write)
            text = f"≥ {write(value)}" if kind == "at_least" else text
            fills[str(code)] = Fill(kind, classes.colour(value), text)
    return fills


def draw_fills(axes: Axes, paths: Mapping[str, Path], fills: Mapping[str, Fill], line: float, name: str) -> None:
    """Fill the paths; ``line`` (points) parts them, and hatched ones are framed in grey."""
    drawn = [code for code in fills if code in paths]
    edges = [theme.PALE if fills[code].kind == "missing" else theme.PAPER for code in drawn]
    faces = [fills[code].face for code in drawn]
    _add(axes, [paths[code] for code in drawn], faces, edges, line, name)
    looks = sorted({(fills[code].kind, fills[code].hatch_colour) for code in drawn if fills[code].hatch})
    for kind, colour in looks:
        alike = [paths[c] for c in drawn if (fills[c].kind, fills[c].hatch_colour) == (kind, colour)]
        _add(axes, alike, "none", colour, line / 2, kind, theme.STATUSES[kind].hatch)


def _add(
    axes: Axes,
    paths: list[Path],
    faces: list[str] | str,
    edges: list[str] | str,
    line: float,
    name: str,
    hatch: str = "",
) -> None:
    from matplotlib.collections import PathCollection

    axes.add_collection(
        PathCollection(
            paths,
            facecolors=faces,
            edgecolors=edges,
            linewidths=line,
            hatch=hatch or None,
            transform=axes.transData,
            label=name,
        ),
        autolim=False,
    )


def legend_entries(fills: Mapping[str, Fill]) -> list[LegendEntry]:
    """Return a swatch for free lists and for every status that occurs, with how many areas have it."""
    kinds = [fill.kind for fill in fills.values()]
    entries = [LegendEntry("free list", theme.FREE, "", kinds.count("free"))] if "free" in kinds else []
    return entries + [
        LegendEntry(style.label, style.face or theme.PAPER, style.hatch, kinds.count(kind))
        for kind, style in theme.STATUSES.items()
        if kind in kinds
    ]


def class_counts(values: pd.DataFrame, classes: Classes) -> list[int]:
    """Return how many areas each class holds."""
    known = values.loc[values["value"].notna() & (values["status"] != "free"), "value"]
    places = classes.index(known.to_numpy(dtype=float)).tolist()
    return [places.count(place) for place in range(len(classes.colours))]
