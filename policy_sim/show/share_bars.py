"""Bars of people of every 100 in a file, one group per policy and one bar per attacker, readable without color."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from policy_sim.show import theme
from policy_sim.show.numbers import of_hundred

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# What an attacker, as a label names it, matches of a file: both ends of the share (0..1).
Bar = tuple[str, float, float]

_WIDTH, _BAR, _GAP, _LABELS, _FIGURES = 7.0, 0.19, 0.08, 2.9, 1.6  # inches
_GRAYS = ("#4a4a4a", "#9a9a9a")


def share_bars(groups: Mapping[str, Sequence[Bar]]) -> Figure:
    """Draw the bars of each policy, by its title; what is not known for sure is hatched."""
    from policy_sim.show.artists import ShownFigure

    height = _BAR * sum(map(len, groups.values())) + _GAP * (len(groups) + 1)
    with theme.styled():
        figure = ShownFigure(figsize=(_WIDTH, height), dpi=theme.DPI)
        axes = figure.add_axes((_LABELS / _WIDTH, 0, 1 - (_LABELS + _FIGURES) / _WIDTH, 1))
        y = _GAP - _BAR / 2
        for title, bars in groups.items():
            for place, (label, low, high) in enumerate(bars):
                y += _BAR
                axes.barh(y, 100 * low, 0.8 * _BAR, color=_GRAYS[place % 2])
                if high > low:
                    thick, rest = 0.8 * _BAR, 100 * (high - low)
                    axes.barh(y, rest, thick, left=100 * low, color="white", edgecolor=theme.INK, hatch="////")
                axes.text(-2, y, f"{title}: {label}", ha="right", va="center")
                axes.text(100 * high + 1.5, y, of_hundred(low, high), va="center")
            y += _GAP
        axes.set(xlim=(0, 100), ylim=(height, 0), xticks=[], yticks=[])
        axes.spines[["bottom"]].set_visible(False)
        return figure
