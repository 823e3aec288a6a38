"""The page that a figure is drawn on; panels on it, one for each policy and attacker, and what they share."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from policy_sim.model.measure import Bounds
from policy_sim.show import theme
from policy_sim.show.numbers import percent, ranged, rounded

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


MARGIN = 0.35  # inches
_SPACING = 1.42  # line spacing, times the size of the letters
_POINT = 1 / 72
_FOOT = theme.SIZES["footer"]


class Page:
    """A figure with head and foot; ``bottom`` and ``top``, inches from the lower edge, bound what is free."""

    def __init__(self, width: float, height: float, title: str, subtitle: str, foot: Sequence[str]) -> None:
        from policy_sim.show.artists import ShownFigure

        self.width, self.height, self.bottom, self.top = width, height, _foot_height(foot), height - MARGIN * 0.8
        self.figure: Figure = ShownFigure(figsize=(width, height), dpi=theme.DPI)
        for text, size, letters, look in (
            (title, theme.SIZES["title"], 1.12, {"weight": "bold"}),
            (subtitle, theme.SIZES["subtitle"], 1.0, {"color": theme.GREY}),
        ):
            for line in _wrapped(text, size * letters, width):
                self._write(line, self.top, size=size, va="top", **look)
                self.top -= size * _SPACING * _POINT
        for place, line in enumerate(foot, 1):
            self._write(line, self.bottom - place * _FOOT * _SPACING * _POINT, size=_FOOT, color=theme.GREY)

    def _write(self, line: str, y: float, **look: Any) -> None:
        self.figure.text(MARGIN / self.width, y / self.height, line, **{"va": "bottom", **look})

    def axes(self, left: float, bottom: float, right: float, top: float, **options: Any) -> Axes:
        """Make axes in a box in inches from the lower left corner."""
        box = (left / self.width, bottom / self.height, (right - left) / self.width, (top - bottom) / self.height)
        return self.figure.add_axes(box, **options)

    def inside(self, left: float, bottom: float, right: float, top: float, **options: Any) -> Axes:
        """Make axes that are so many inches away from the margins and from the text above and below."""
        ends = (MARGIN + left, self.bottom + bottom, self.width - MARGIN - right, self.top - top)
        return self.axes(*ends, **options)

    def across(self, number: int, left: float, gap: float) -> Iterator[tuple[float, float]]:
        """Part the width between the margins, after ``left`` inches, into as many columns with gaps between them."""
        width = (self.width - 2 * MARGIN - left - gap * (number - 1)) / number
        for place in range(number):
            start = MARGIN + left + place * (width + gap)
            yield start, start + width


@contextmanager
def new_page(
    width: float,
    height: float,
    title: str,
    subtitle: str = "",
    footer: Sequence[str] = (),
    *,
    foot_inside: bool = False,
) -> Iterator[Page]:
    """Give a page in inches, in the project's style; the foot comes on top of the height, unless it lies inside."""
    foot = [piece for line in footer for piece in _wrapped(line, _FOOT, width)]
    with theme.styled():
        yield Page(width, height + (0 if foot_inside else _foot_height(foot)), title, subtitle, foot)


def _foot_height(foot: Sequence[str]) -> float:
    return MARGIN * 0.6 + len(foot) * _FOOT * _SPACING * _POINT


def _wrapped(text: str, size: float, width: float) -> list[str]:
    """Break a line where it would leave the page: letters of DejaVu are about 0.6 of their size wide."""
    letters = int((width - 2 * MARGIN) / (size * 0.58 * _POINT))
    return textwrap.wrap(text, letters)


# Panels on a page.


NO_FIGURE = ("county_only", "not_sold", "not_covered", "not_to_this_buyer", "out_of_reach", "unknown", "undefined")
_LEFT, _BETWEEN, _HEAD, _FEET = 0.55, 0.75, 0.50, 0.45  # inches around a panel
_PANEL, _NARROWEST = 5.0, 10.0  # inches of page for each attacker, and of a page
_PANELS_HEIGHT = 7.0  # inches of head and panels
_LETTER = 0.8 / 72  # inches of a bold capital per point of its size
_SECOND_LINE = 0.18  # inches of a title's second line
_LINE = 1.2  # from one line of text to the next, times the size of its letters


def panels_figure(
    profiles: pd.DataFrame,
    title: str,
    subtitle: str,
    footer: Sequence[str],
    draw: Callable[[pd.DataFrame, Axes], Axes],
) -> Figure:
    """Draw the people g-distinct, a panel for each policy and attacker; the page is wide enough for every attacker."""
    rows = profiles[profiles["measure"] == "g-distinct"]
    width = max(_NARROWEST, _PANEL * rows["attacker"].nunique())
    subtitle = f"g-distinct: people whose values, as the attacker sees them, belong to g people or fewer. {subtitle}"
    with new_page(width, _PANELS_HEIGHT, title, subtitle, footer) as page:
        for axes, part in _panel_grid(page, rows):
            draw(part, axes)
        return page.figure


def _panel_grid(page: Page, rows: pd.DataFrame) -> Iterator[tuple[Axes, pd.DataFrame]]:
    """Make axes for each policy (down) and attacker (across), with its title and its rows."""
    policies, attackers = list(rows["policy"].unique()), list(rows["attacker"].unique())
    columns = list(page.across(len(attackers), _LEFT, _BETWEEN))
    height = (page.top - page.bottom) / len(policies)
    names = {case: _title(*case, columns[0][1] - columns[0][0]) for case in product(policies, attackers)}
    head = _HEAD + (_SECOND_LINE if any("\n" in name for name in names.values()) else 0)
    for (down, policy), (attacker, (left, right)) in product(enumerate(policies), zip(attackers, columns, strict=True)):
        bottom = page.top - (down + 1) * height + _FEET
        axes = page.axes(left, bottom, right, bottom + height - _FEET - head)
        axes.set_title(names[policy, attacker], loc="left", weight="bold", pad=14)
        yield axes, rows[(rows["policy"] == policy) & (rows["attacker"] == attacker)]


def _title(policy: str, attacker: str, width: float) -> str:
    """Return the title of a panel of this many inches, in two lines where one is too wide."""
    letters = width / (theme.SIZES["subtitle"] * _LETTER)
    first, second = theme.policy_title(policy), f"× {theme.attacker_title(attacker)}"
    return f"{first} {second}" if len(first) + len(second) < letters else f"{first}\n{second}"


def known_and_not(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame, str]:
    """Part rows into those with one figure and those with two, and say how many states lack either."""
    exact = rows[(rows["status"] == "ok") & rows["share"].notna()]
    between = rows[(rows["status"] == "interval") & rows["share"].notna()]
    counts = [part["state"].nunique() for part in (exact, between)]
    rest = rows["state"].nunique() - sum(counts)
    words = [f"{counts[0]} state" + ("s" if counts[0] != 1 else "")]
    if counts[1]:
        words.append(f"{counts[1]} with a range only (bars)")
    if rest:
        words.append(f"{rest} without a figure")
    return exact, between, "; ".join(words)


def percent_axis(axes: Axes, axis: str = "y") -> None:
    """Write one axis (``x`` or ``y``) as percents that all have the same number of decimals, and none below 0."""
    from policy_sim.show.artists import Percents

    (axes.xaxis if axis == "x" else axes.yaxis).set_major_formatter(Percents())


def write_at(
    axes: Axes, text: str, at: tuple[float, float], points: float = 4, size: str = "footer", **look: Any
) -> None:
    """Write a text beside a point of the axes, as many points to the right of it."""
    look = {"size": theme.SIZES[size], "va": "center", **look}
    axes.annotate(text, at, xytext=(points, 0), textcoords="offset points", **look)


def line_height(axes: Axes, size: float) -> float:
    """Return the height of a line of text in units of the axes, whose vertical limits and place are set."""
    bottom, top = axes.get_ylim()
    points = float(axes.bbox.height) * 72 / axes.figure.dpi
    return float(abs(top - bottom) * _LINE * size / points)


def spread_apart(places: Sequence[float], gap: float, least: float = -math.inf) -> list[float]:
    """Move labels apart until neighbors are ``gap`` from each other, with the least sum of squared moves.

    No label ends below ``least``. Less the gaps, the new places are the isotonic regression of the old ones.

    >>> spread_apart([0.0, 5.0, 0.2], 1.0)
    [-0.4, 5.0, 0.6]
    """
    order = np.argsort(np.asarray(places), kind="stable")
    if not len(places) or (min(places) >= least and np.diff(np.asarray(places)[order]).min(initial=gap) >= gap):
        return [round(float(place), 12) for place in places]
    from scipy.optimize import isotonic_regression

    steps = gap * np.arange(len(places))
    level = isotonic_regression(np.asarray(places, dtype=float)[order] - steps).x
    moved = np.empty(len(places))
    moved[order] = np.maximum(level, least) + steps
    return [round(float(x), 12) for x in moved]


# Box figures of relative error, one panel per sampling fraction (Dankar et al. 2012, Figures 3 to 5).


_TITLES = {"uniqueness": "population uniqueness", "marketer_risk": "marketer risk"}
_WIDTH, _HEIGHT, _BOXES_FEET, _HEADS, _GAP = 10.0, 4.4, 0.95, 0.35, 0.12
_LINEAR = 1.0  # relative errors beyond this are drawn on a logarithmic scale
_TICKS = (-1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 5.0, *(step * 10.0**power for power in range(1, 9) for step in (1, 3)))


def error_boxes(summary: pd.DataFrame, measure: str, footer: Sequence[str] = ()) -> Figure:
    """Draw boxes from quartile to quartile, whiskers from the 5th to the 95th percentile of the runs.

    ``summary``: rows with ``measure, fraction, model, runs, failed, p05, q1, median, q3, p95``. A model without an
    answer in any run has no box, and one that failed in some runs says so.
    """
    rows = summary[summary["measure"] == measure]
    fractions = sorted(rows["fraction"].unique())
    models = list(dict.fromkeys(rows["model"]))
    title = f"Each box shows the error of a model's estimates of {_TITLES.get(measure, measure)}"
    with new_page(_WIDTH, _HEIGHT, title, theme.TEXTS["subtitles"]["boxes"], footer, foot_inside=True) as page:
        first: Axes | None = None
        for fraction, (left, right) in zip(fractions, page.across(len(fractions), 0.55, _GAP), strict=True):
            axes = page.axes(left, page.bottom + _BOXES_FEET, right, page.top - _HEADS, sharey=first)
            draw_error_boxes(rows[rows["fraction"] == fraction], axes, models=models)
            axes.set_title(percent(float(fraction)))
            if first:
                axes.tick_params(labelleft=False)
            first = first or axes
        if first is not None:
            _scale(first, rows)
        return page.figure


def draw_error_boxes(rows: pd.DataFrame, ax: Axes, *, models: Sequence[str] = ()) -> Axes:
    """Draw one panel of :func:`error_boxes` on your axes, a box per model in the order of ``models``; return them."""
    models = list(models) or list(dict.fromkeys(rows["model"]))
    with_median = rows[rows["median"].notna()].set_index("model")
    present = [model for model in models if model in with_median.index]
    names = {"med": "median", "q1": "q1", "q3": "q3", "whislo": "p05", "whishi": "p95"}
    records = with_median.loc[present].to_dict("records")
    boxes = [{name: row[column] for name, column in names.items()} for row in records]
    ax.axhline(0, color=theme.GREY, linewidth=0.8)
    places = [models.index(model) for model in present]
    drawn = ax.bxp(boxes, positions=places, widths=0.6, showfliers=False, patch_artist=True) if boxes else {}
    for patch, place in zip(drawn.get("boxes", ()), places, strict=True):
        patch.set(facecolor=theme.line_color(place), alpha=0.55, edgecolor=theme.INK)
    for line in drawn.get("medians", ()):
        line.set(color=theme.INK, linewidth=1.4)
    for place, model in enumerate(models):
        row = rows[rows["model"] == model]
        if len(row) and int(row["failed"].iloc[0]):
            share = percent(int(row["failed"].iloc[0]) / int(row["runs"].iloc[0]))
            label: dict[str, Any] = {"size": theme.SIZES["footer"], "color": theme.GREY, "va": "top", "ha": "center"}
            where: Any = ax.get_xaxis_transform()
            ax.text(place, 0.99, f"{share} failed", transform=where, rotation=90, **label)
    ax.set_xticks(range(len(models)), [theme.TEXTS["estimators"].get(model, model) for model in models], rotation=90)
    ax.set_xlim(-0.7, len(models) - 0.3)
    return ax


def _scale(axes: Axes, rows: pd.DataFrame) -> None:
    from matplotlib.ticker import NullLocator

    axes.set_ylabel("relative error")
    low, high = float(rows["p05"].min()), float(rows["p95"].max())
    if max(-low, high) > 3 * _LINEAR:
        axes.set_ylabel("relative error, log from 100%")
        axes.set_yscale("symlog", linthresh=_LINEAR)
        axes.set_yticks([tick for tick in _TICKS if min(low, 0) <= tick <= max(high, 0)], minor=False)
        axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(lambda value, _: f"{'−' if value < 0 else ''}{percent(abs(value))}")


# How the states' ranks change with g (Benitez & Malin 2010, Figures 6 and 7).


def rank_figure(profiles: pd.DataFrame, footer: Sequence[str] = (), outermost: int = 2) -> Figure:
    """Draw each state's rank by its share of g-distinct people; rank 1 has the largest share.

    The ``outermost`` first and last states at the smallest g stand out, and the one that moves most. Only
    states with one figure are ranked; equal shares share the better rank.
    """
    sizes = profiles.loc[profiles["measure"] == "g-distinct", "g"]
    return panels_figure(
        profiles,
        "States are ranked by their share of g-distinct people",
        f"Rank 1 has the largest share; ties get the better rank. In color: the first and last {outermost} states at "
        f"g = {int(sizes.min()) if len(sizes) else 1}, and, dashed, the state that moves most",
        footer,
        partial(draw_ranks, outermost=outermost),
    )


def draw_ranks(rows: pd.DataFrame, ax: Axes, *, outermost: int = 2) -> Axes:
    """Draw one panel of :func:`rank_figure` on your axes, and return them."""
    exact, _, words = known_and_not(rows)
    words = words.replace(" (bars)", ", not ranked")
    ax.annotate(
        words,
        (0, 1),
        xycoords="axes fraction",
        xytext=(0, 3),
        textcoords="offset points",
        size=theme.SIZES["footer"],
        color=theme.GREY,
    )
    sizes = sorted(int(g) for g in rows["g"].dropna().unique())
    ax.set_xticks(range(len(sizes)), [str(g) for g in sizes])
    ax.set(xlabel="g, people who share their values", ylabel="rank", xlim=(-0.35, len(sizes) - 0.65))
    shares = exact.pivot_table(index="state", columns="g", values="share", aggfunc="first", observed=True).dropna()
    ranks = shares.astype(float).rank(ascending=False, method="min")  # a row per state, in the order of the smallest g
    ranks = ranks.sort_values(list(ranks.columns), kind="stable") if len(ranks) else ranks
    if ranks.empty:
        ax.set_yticks([])
        return ax
    last = len(ranks)
    ax.set_ylim(last + 0.03 * last + 0.5, 0.5 - 0.03 * last)
    ax.set_yticks(sorted({1, *range(10, last - 2, 10), last}))
    for state in ranks.index:
        ax.plot(range(len(sizes)), ranks.loc[state], color=theme.PALE, linewidth=0.5, zorder=1)
    _mark(ax, ranks, _marked(ranks, outermost))
    return ax


def _marked(ranks: pd.DataFrame, outermost: int) -> dict[str, tuple[str, str]]:
    """Return color and dashes of the states that stand out."""
    states = [str(state) for state in ranks.index]
    ends = dict.fromkeys(states[:outermost] + states[-outermost:])
    marked = {state: (theme.line_color(place), "solid") for place, state in enumerate(ends)}
    travel = ranks.max(axis=1) - ranks.min(axis=1)
    if travel.max() > 0:
        furthest = str(travel.idxmax())
        color = marked.get(furthest, (theme.INK, ""))[0]
        marked[furthest] = (color, "dashed")
    return marked


def _mark(axes: Axes, ranks: pd.DataFrame, marked: dict[str, tuple[str, str]]) -> None:
    places = range(len(ranks.columns))
    gap = max(len(ranks) / 24, 0.4)
    for column, side, offset in ((0, "right", -4), (-1, "left", 4)):
        heights = spread_apart(ranks.loc[list(marked)].iloc[:, column].tolist(), gap)
        for (state, (color, _)), height in zip(marked.items(), heights, strict=True):
            text = f"{state} {rounded(ranks.loc[state].to_numpy(dtype=float)[column])}"
            write_at(axes, text, (places[column], height), offset, "map", color=color, ha=side)
    for state, (color, dashes) in marked.items():
        axes.plot(
            places, ranks.loc[state], color=color, linestyle=dashes, marker="o", markersize=3, linewidth=1.5, zorder=3
        )


# Bars of the shares of a file that are matched, readable without color.


# What an attacker, as a label names it, matches of a file (a share, 0..1), and its range over what is assumed.
Bar = tuple[str, Bounds, Bounds]

_BARS, _BAR, _BAR_GAP, _LABELS, _FIGURES = 7.0, 0.19, 0.08, 2.9, 1.6  # inches
_GRAYS = ("#4a4a4a", "#9a9a9a")


def share_bars(groups: Mapping[str, Sequence[Bar]]) -> Figure:
    """Draw the bars of each policy, by its title; what is not known for sure is hatched."""
    from policy_sim.show.artists import ShownFigure

    height = _BAR * sum(map(len, groups.values())) + _BAR_GAP * (len(groups) + 1)
    with theme.styled():
        figure = ShownFigure(figsize=(_BARS, height), dpi=theme.DPI)
        axes = figure.add_axes((_LABELS / _BARS, 0, 1 - (_LABELS + _FIGURES) / _BARS, 1))
        y = _BAR_GAP - _BAR / 2
        for title, bars in groups.items():
            for place, (label, share, held) in enumerate(bars):
                low, high = held.low, held.high
                y += _BAR
                axes.barh(y, 100 * low, 0.8 * _BAR, color=_GRAYS[place % 2])
                if high > low:
                    thick, rest = 0.8 * _BAR, 100 * (high - low)
                    axes.barh(y, rest, thick, left=100 * low, color="white", edgecolor=theme.INK, hatch="////")
                axes.text(-2, y, f"{title}: {label}", ha="right", va="center")
                axes.text(100 * high + 1.5, y, ranged(share, held, percent), va="center")
            y += _BAR_GAP
        axes.set(xlim=(0, 100), ylim=(height, 0), xticks=[], yticks=[])
        axes.spines[["bottom"]].set_visible(False)
        return figure
