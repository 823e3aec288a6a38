"""Classes of a map: where one color ends and the next begins."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from policy_sim.show import theme
from policy_sim.show.numbers import LEAST_SHORT_SHARE, Formatter, alike, interval, status_word
from policy_sim.show.panels import MARGIN, Page
from policy_sim.show.theme import as_url
from policy_sim.words.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.path import Path


_LIGHT, _MIDDLE, _DARK = 0.05, 0.45, 0.80  # of a palette
_FEW = 2  # classes that differ too little for the darkest color
_CLOSE = 0.01  # shares that differ by less, and less than twofold, are close together


@dataclass(frozen=True)
class Classes:
    """Colors for ranges of a value between ascending limits; a value on a limit belongs to the class above it."""

    limits: tuple[float, ...]
    colors: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.limits) != len(self.colors) + 1 or any(a >= b for a, b in pairwise(self.limits)):
            raise InputError(
                f"class limits {self.limits} must ascend and be one more than the {len(self.colors)} colors."
            )

    def index(self, values: ArrayLike) -> NDArray[np.intp]:
        """Return the class (from 0) of each value; values beyond the limits are in the outer classes."""
        return np.searchsorted(self.limits[1:-1], np.asarray(values, dtype=float), side="right")

    def one_class(self, low: float, high: float) -> bool:
        """Return whether both ends of an interval lie in one class of several, and within the limits."""
        within = self.limits[0] <= low and high <= self.limits[-1] and (len(self.colors) > 1 or low == high)
        return within and bool(self.index(low) == self.index(high))

    def color(self, value: float) -> str:
        """Return the color of a value."""
        return self.colors[int(self.index(value))]


def given_classes(limits: Sequence[float], palette: str) -> Classes:
    """Return classes with these limits, so that several maps can share one legend."""
    return Classes(tuple(limits), _colors(palette, len(limits) - 1))


def quantile_classes(values: ArrayLike, palette: str, count: int = 5, least: float = 0.0) -> Classes:
    """Return classes that hold about as many shares (0..1) each, with limits of few digits.

    Fits skewed values, which equal steps would put into one class. Fewer classes where few values
    differ, and two or one where all lie close together: classes are for differences that matter.

    ``least``: shares below it are written alike, so one class holds them, from 0 on.
    """
    finite = np.asarray(values, dtype=float)
    finite = finite[np.isfinite(finite)]
    if finite.size == 0:
        return Classes((0.0, 1.0), _colors(palette, 1))
    finite = np.where(finite < least, 0.0, finite)
    low, high = finite.min(), finite.max()
    few = 1 if low > 0.9 * high else 2  # where all lie close together
    worth = count if high - low >= _CLOSE or low < high / 2 else few
    number = min(count, len(np.unique(finite)), worth)
    inner = np.unique(np.quantile(finite, np.arange(1, number) / number))
    rounded: list[float] = []
    for digits in (2, 3, 4):
        rounded = sorted({_significant(max(limit, least), digits) for limit in inner})
        if len(rounded) == len(inner):
            break
    low, high = _significant(low, 2, math.floor), max(_significant(high, 2, math.ceil), least)
    inner_limits = [limit for limit in rounded if low < limit < high]
    limits = (low, *inner_limits, high if high > low else low + (abs(low) or 1.0))
    return Classes(limits, _colors(palette, len(limits) - 1))


def share_classes(values: pd.DataFrame) -> Classes:
    """Return the classes of a map of shares at risk."""
    return quantile_classes(known_values(values), theme.RISK, least=LEAST_SHORT_SHARE)


def known_values(values: pd.DataFrame) -> NDArray[np.float64]:
    """Return what classes are made for: an interval is in a class only if it fits."""
    return values.loc[values["status"] != "interval", "value"].dropna().to_numpy(dtype=float)


def log_classes(values: ArrayLike, palette: str, most: int = 6, least: float = 0.0) -> Classes:
    """Return classes of equal logarithmic steps for values above 0; those below ``least`` are one class, from 0 on."""
    finite = np.asarray(values, dtype=float)
    finite = finite[np.isfinite(finite) & (finite > 0)]
    if finite.size == 0:
        return Classes((0.1, 10.0), _colors(palette, 1))
    first_class = [0.0] if finite.min() < least else []
    limits = [*first_class, *_log_limits(np.maximum(finite, least), most - len(first_class))]
    return Classes(tuple(limits), _colors(palette, len(limits) - 1))


def _log_limits(finite: NDArray[np.float64], most: int) -> list[float]:
    first, last = math.floor(math.log10(finite.min())), math.floor(math.log10(finite.max())) + 1
    limits: list[float] = []
    for steps in ((1, 2, 5), (1, 3), (1,)):
        limits = [step * 10.0**power for power in range(first, last + 1) for step in steps]
        limits = [x for x in limits if x <= 10.0**last]
        while len(limits) > 2 and limits[1] <= finite.min():
            limits.pop(0)
        while len(limits) > 2 and limits[-2] > finite.max():
            limits.pop()
        if len(limits) - 1 <= most:
            break
    stride = math.ceil((len(limits) - 1) / most)
    return [*limits[:-1:stride], limits[-1]]


def _significant(value: float, digits: int, how: object = round) -> float:
    if value == 0:
        return 0.0
    power = digits - 1 - math.floor(math.log10(abs(value)))
    scaled = value * 10.0**power
    whole = round(scaled) if abs(scaled - round(scaled)) < 1e-9 else how(scaled)  # type: ignore[operator]
    return float(f"{whole / 10.0**power:.12g}")


def _colors(palette: str, count: int) -> tuple[str, ...]:
    """Sample a palette of matplotlib, short of its ends: white paper, and the dark that free lists have."""
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    light, dark = _LIGHT, _DARK if count > _FEW else _MIDDLE
    if palette.endswith("_r"):
        light, dark = 1 - dark, 1 - light
    places = np.linspace(light, dark, count) if count > 1 else [(light + dark) / 2]
    return tuple(to_hex(colormaps[palette](place)) for place in places)


# The legend of a map: a strip of classes, and a swatch for every status that occurs.


LEGEND_HEIGHT = 0.85  # inches
_STEP = 0.86  # inches of the strip a class takes
_TITLE = 3.3  # inches that the title may take
_ROWS, _COLUMNS = 3, 2  # of swatches; more rows where more statuses occur
_ENTRY, _GAP = 2.35, 0.75  # inches a swatch and its label take, and inches before the first
_SMALL = theme.SIZES["label"] - 1.8


def draw_legend(
    page: Page,
    title: str,
    classes: Classes,
    write: Formatter,
    fills: Mapping[str, Fill],
    areas: str,
    counted: Mapping[str, Fill] | None = None,
) -> None:
    """Draw the legend above the foot; a class counts the ``counted`` fills, where not all of them are drawn."""
    counts, statuses = class_counts(counted or fills, classes), status_counts(fills)
    bottom = page.bottom
    axes = page.axes(0, bottom, page.width, bottom + LEGEND_HEIGHT, label="legend")
    axes.set(xlim=(0, page.width), ylim=(0, LEGEND_HEIGHT))
    axes.set_axis_off()
    rows = max(_ROWS, math.ceil(len(statuses) / _COLUMNS))
    columns = math.ceil(len(statuses) / rows)
    room = page.width - 2 * MARGIN - _GAP - columns * _ENTRY
    step = min(_STEP, min(5.0, room) / len(classes.colors))
    if sum(counts):
        _draw_strip(axes, title, classes, write, counts, step)
        axes.text(MARGIN, 0.08, f"number of {areas} in each color", size=_SMALL, color=theme.GREY, va="center")
    left = MARGIN + max(step * len(classes.colors), _TITLE) + _GAP if sum(counts) else MARGIN
    _draw_statuses(axes, statuses, left, rows)


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


def _draw_statuses(axes: Axes, statuses: Mapping[str, int], left: float, rows: int) -> None:
    from matplotlib.patches import Rectangle

    size = theme.SIZES["label"] - 1.2
    for place, (kind, count) in enumerate(statuses.items()):
        style = theme.STATUSES[kind]
        x, y = left + _ENTRY * (place // rows), 0.68 - 0.26 * (_ROWS / rows) * (place % rows)
        look: dict[str, Any] = {"edgecolor": theme.GREY, "hatch": style.hatch, "lw": 0.5}
        axes.add_patch(Rectangle((x, y - 0.27 / rows), 0.28, 0.54 / rows, facecolor=style.face or theme.PAPER, **look))
        axes.text(x + 0.35, y, f"{style.label} ({count})", size=size, va="center", linespacing=1.0)


# How each area of a map is filled: by its value, or by why it has none; never the second like the first.


@dataclass(frozen=True)
class Fill:
    """How one area is drawn.

    ``kind``: ``value``, ``interval``, ``range``, ``at_least``, ``free`` or why there is no figure. ``face``, ``text``:
    its color and what is written on it. ``restricted``: only some buyers may have the list: a mark of its own over
    whatever else is drawn.
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

    ``values``: one row an area with its code in the column ``area``, and ``value``, ``value_high`` and ``status``;
    ``value`` is missing where there is no figure. An interval whose ends lie in different classes is in none: it has a
    color of its own. ``restricted``: codes of areas whose list only some may have.
    """
    columns = (values[name] for name in (area, "value", "value_high", "status"))
    fills = {}
    for code, value, high, status in zip(*columns, strict=True):
        fill = _fill(value, high, str(status), classes, write)
        marked = str(code) in restricted and fill.has_figure
        fills[str(code)] = replace(fill, text=f"{fill.text}*", restricted=True) if marked else fill
    return fills


def _fill(value: Any, high: Any, status: str, classes: Classes, write: Formatter) -> Fill:
    if status == "free":
        return Fill("free", theme.FREE, "free")
    if pd.isna(value):
        return _no_figure(status)
    if status == "at_least":
        return Fill("at_least", classes.color(value), f"≥ {write(value)}")
    if status != "interval":  # the range over what is assumed is no reason to leave a class
        return Fill("value", classes.color(value), write(value))
    ends = (value, value if pd.isna(high) else high)
    text = interval(*ends, write)
    if classes.one_class(*ends):
        return Fill("interval", classes.color(value), text)
    return Fill("range", theme.STATUSES["range"].face, text)


def draw_fills(
    axes: Axes,
    paths: Mapping[str, Path],
    fills: Mapping[str, Fill],
    line: float,
    name: str,
    titles: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Fill the paths, parted by ``line`` points, hatches framed in gray; an SVG shows ``titles`` at the pointer."""
    from matplotlib.collections import PathCollection

    def add(codes: list[str], width: float, label: str, **look: Any) -> None:
        look |= {"urls": [as_url(titles.get(code, "")) for code in codes] or None, "transform": axes.transData}
        shapes = PathCollection([paths[code] for code in codes], linewidths=width, label=label, **look)
        axes.add_collection(shapes, autolim=False)

    drawn = [code for code in fills if code in paths]
    edges = [theme.PALE if fills[code].kind == "missing" else theme.PAPER for code in drawn]
    add(drawn, line, name, facecolors=[fills[code].face for code in drawn], edgecolors=edges)
    for kind, color in sorted({(kind, fills[code].hatch_color) for code in drawn for kind in fills[code].marks}):
        alike = [code for code in drawn if kind in fills[code].marks and fills[code].hatch_color == color]
        add(alike, line / 2, kind, facecolors="none", edgecolors=color, hatch=theme.STATUSES[kind].hatch)


def status_counts(fills: Mapping[str, Fill]) -> dict[str, int]:
    """Return how many areas have each status that occurs, free lists first."""
    kinds = Counter(fill.kind for fill in fills.values())
    kinds["restricted"] = sum(fill.restricted for fill in fills.values())
    return {kind: kinds[kind] for kind in theme.STATUSES if kinds[kind]}


def class_counts(fills: Mapping[str, Fill], classes: Classes) -> list[int]:
    """Return how many areas each class holds."""
    faces = [fill.face for fill in fills.values() if fill.kind in _IN_CLASS]
    return [faces.count(color) for color in classes.colors]
