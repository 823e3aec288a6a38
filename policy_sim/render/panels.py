"""Panels: one for each policy and attacker, in a grid, and what they share."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from policy_sim.render import theme
from policy_sim.render.numbers import percent_tick, percent_ticks
from policy_sim.render.page import MARGIN, Page

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.ticker import Formatter

__all__ = ["NO_FIGURE", "known_and_not", "line_height", "panel_grid", "panels_width", "percent_axis", "spread_apart"]

NO_FIGURE = ("county_only", "not_sold", "not_covered", "not_to_this_buyer", "out_of_reach", "unknown", "undefined")
_LEFT, _BETWEEN, _HEAD, _FEET = 0.55, 0.75, 0.50, 0.45  # inches around a panel
_PANEL, _NARROWEST = 5.0, 10.0  # inches of page for each attacker, and of a page
_LETTER = 0.8 / 72  # inches of a bold capital per point of its size
_SECOND_LINE = 0.18  # inches of a title's second line
_LINE = 1.2  # from one line of text to the next, times the size of its letters


def panels_width(rows: pd.DataFrame) -> float:
    """Return the width of a page, in inches, on which the panels of every attacker can be read."""
    return max(_NARROWEST, _PANEL * rows["attacker"].nunique())


def panel_grid(page: Page, rows: pd.DataFrame) -> Iterator[tuple[Axes, pd.DataFrame, str]]:
    """Make axes for each policy (down) and attacker (across), with its rows and its title."""
    policies, attackers = list(rows["policy"].unique()), list(rows["attacker"].unique())
    width = (page.width - 2 * MARGIN - _LEFT - _BETWEEN * (len(attackers) - 1)) / len(attackers)
    height = (page.top - page.bottom) / len(policies)
    names = {(policy, who): _title(policy, who, width) for policy, who in product(policies, attackers)}
    head = _HEAD + (_SECOND_LINE if any("\n" in name for name in names.values()) else 0)
    for (down, policy), (across, attacker) in product(enumerate(policies), enumerate(attackers)):
        left = MARGIN + _LEFT + across * (width + _BETWEEN)
        bottom = page.top - (down + 1) * height + _FEET
        axes = page.figure.add_axes(page.box(left, bottom, left + width, bottom + height - _FEET - head))
        axes.set_title(names[policy, attacker], loc="left", weight="bold", pad=14)
        title = names[policy, attacker].replace("\n", " ")
        yield axes, rows[(rows["policy"] == policy) & (rows["attacker"] == attacker)], title


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
    """Write one axis (``x`` or ``y``) as percents that all have the same number of decimals."""
    (axes.xaxis if axis == "x" else axes.yaxis).set_major_formatter(_percents())


def _percents() -> Formatter:
    from matplotlib.ticker import Formatter

    class Percents(Formatter):
        def __call__(self, x: float, pos: int | None = None) -> str:  # noqa: ARG002  (matplotlib gives both)
            return percent_tick(x)

        def format_ticks(self, values: Any) -> list[str]:
            texts = percent_ticks([float(value) for value in values])
            return [text if value >= 0 else "" for value, text in zip(values, texts, strict=True)]

    return Percents()


def line_height(axes: Axes, size: float) -> float:
    """Return the height of a line of text of ``size`` points, in units of the axes' vertical scale, which is linear.

    Set the limits and the place of the axes first: the answer changes with both.

    Examples
    --------
    On axes 2 inches (144 points) high that run from 0 to 1, a line of 10 points takes 12.

    >>> from matplotlib.figure import Figure
    >>> axes = Figure(figsize=(4, 4)).add_axes((0.1, 0.1, 0.8, 0.5))
    >>> round(line_height(axes, 10), 4), round(12 / 144, 4)
    (0.0833, 0.0833)
    """
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
