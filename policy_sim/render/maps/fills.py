"""How each area of a map is filled: by its value, or by why it has none; never the second like the first."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pandas as pd

from policy_sim.render import theme
from policy_sim.render.hover import as_url
from policy_sim.render.maps.legend import LegendEntry
from policy_sim.render.maps.map_classes import Classes
from policy_sim.render.numbers import Formatter, interval, status_word

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.path import Path

__all__ = ["MISSING", "Fill", "class_counts", "draw_fills", "fills_of", "legend_entries"]


@dataclass(frozen=True)
class Fill:
    """How one area is drawn.

    Parameters
    ----------
    kind : ``value``, ``interval``, ``range``, ``at_least``, ``free`` or why there is no figure.
    face, text : Its color and what is written on it.
    restricted : Only some buyers may have the list: a mark of its own over whatever else is drawn.
    """

    kind: str
    face: str
    text: str
    restricted: bool = False

    @property
    def has_figure(self) -> bool:
        """Whether there is something to read besides the status."""
        return self.kind in (*_IN_CLASS, "range", "free")

    @property
    def marks(self) -> tuple[str, ...]:
        """Statuses whose hatch lies over the face."""
        kinds = (self.kind, "restricted") if self.restricted else (self.kind,)
        return tuple(kind for kind in kinds if kind in theme.STATUSES and theme.STATUSES[kind].hatch)

    @property
    def hatch(self) -> str:
        """Hatches of the marks, empty for a plain fill."""
        return "".join(theme.STATUSES[kind].hatch for kind in self.marks)

    @property
    def hatch_color(self) -> str:
        """A color that shows on the face."""
        return theme.PAPER if theme.ink_on(self.face) == theme.PAPER else theme.GREY


_IN_CLASS = ("value", "interval", "at_least")


def _no_figure(status: str) -> Fill:
    kind = status if status in theme.STATUSES and theme.STATUSES[status].face else "unknown"
    return Fill(kind, theme.STATUSES[kind].face, status_word(status))


MISSING = _no_figure("missing")


def fills_of(
    values: pd.DataFrame, classes: Classes, write: Formatter, area: str = "state", restricted: Collection[str] = ()
) -> dict[str, Fill]:
    """Return how each area of the table is drawn.

    Parameters
    ----------
    values : One row an area with its code in the column ``area``, and ``value``, ``value_high`` and
        ``status``; ``value`` is missing where there is no figure. An interval whose ends lie in
        different classes is in none: it has a color of its own.
    classes : Colors of the values.
    write : How a value is written.
    restricted : Codes of areas whose list only some may have.
    """
    columns = (values[name] for name in (area, "value", "value_high", "status"))
    return {
        str(code): _marked(_fill(value, high, str(status), classes, write), str(code) in restricted)
        for code, value, high, status in zip(*columns, strict=True)
    }


def _fill(value: Any, high: Any, status: str, classes: Classes, write: Formatter) -> Fill:
    if status == "free":
        return Fill("free", theme.FREE, "free")
    if pd.isna(value):
        return _no_figure(status)
    if status == "at_least":
        return Fill("at_least", classes.color(value), f"≥ {write(value)}")
    ends = (value, value if pd.isna(high) else high)
    text = interval(*ends, write)
    if status != "interval":
        return Fill("value", classes.color(value), text)
    if classes.one_class(*ends):
        return Fill("interval", classes.color(value), text)
    return Fill("range", theme.STATUSES["range"].face, text)


def _marked(fill: Fill, restricted: bool) -> Fill:
    return replace(fill, text=f"{fill.text}*", restricted=True) if restricted and fill.has_figure else fill


def draw_fills(
    axes: Axes,
    paths: Mapping[str, Path],
    fills: Mapping[str, Fill],
    line: float,
    name: str,
    titles: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Fill the paths; ``line`` (points) parts them, and hatched ones are framed in gray.

    ``titles`` are shown where the pointer rests on an area of an SVG.
    """
    drawn = [code for code in fills if code in paths]
    words = [titles.get(code, "") for code in drawn]
    edges = [theme.PALE if fills[code].kind == "missing" else theme.PAPER for code in drawn]
    faces = [fills[code].face for code in drawn]
    looks = sorted({(kind, fills[code].hatch_color) for code in drawn for kind in fills[code].marks})
    _add(axes, [paths[code] for code in drawn], faces, edges, line, name, titles=words)
    for kind, color in looks:
        alike = [c for c in drawn if kind in fills[c].marks and fills[c].hatch_color == color]
        hatch, words = theme.STATUSES[kind].hatch, [titles.get(code, "") for code in alike]
        _add(axes, [paths[code] for code in alike], "none", color, line / 2, kind, hatch, words)


def _add(
    axes: Axes,
    paths: list[Path],
    faces: list[str] | str,
    edges: list[str] | str,
    line: float,
    name: str,
    hatch: str = "",
    titles: Sequence[str] = (),
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
            urls=[as_url(title) for title in titles] or None,
        ),
        autolim=False,
    )


def legend_entries(fills: Mapping[str, Fill]) -> list[LegendEntry]:
    """Return a swatch for free lists and for every status that occurs, with how many areas have it."""
    kinds = [fill.kind for fill in fills.values()]
    kinds += ["restricted" for fill in fills.values() if fill.restricted]
    entries = [LegendEntry("free list", theme.FREE, "", kinds.count("free"))] if "free" in kinds else []
    return entries + [
        LegendEntry(style.label, style.face or theme.PAPER, style.hatch, kinds.count(kind))
        for kind, style in theme.STATUSES.items()
        if kind in kinds
    ]


def class_counts(fills: Mapping[str, Fill], classes: Classes) -> list[int]:
    """Return how many areas each class holds."""
    faces = [fill.face for fill in fills.values() if fill.kind in _IN_CLASS]
    return [faces.count(color) for color in classes.colors]
