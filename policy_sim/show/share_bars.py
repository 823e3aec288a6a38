"""Bars of people of every 100 in a file, one group per policy and one bar per attacker, readable without color."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from policy_sim.show import theme
from policy_sim.show.numbers import of_hundred
from policy_sim.show.page import MARGIN, new_page

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# What an attacker, as a label names it, matches of a file: both ends of the share (0..1).
Bar = tuple[str, float, float]

_WIDTH, _BAR, _GAP, _HEAD, _LABELS, _FIGURES = 7.0, 0.2, 0.1, 0.12, 3.0, 1.5  # inches
_GRAYS = ("#4a4a4a", "#9a9a9a")


def share_bars(groups: Mapping[str, Sequence[Bar]]) -> Figure:
    """Draw the bars of each policy, by its title; what is not known for sure is hatched."""
    count = sum(map(len, groups.values()))
    height = _HEAD + count * _BAR + len(groups) * (_BAR + _GAP) + MARGIN
    with theme.styled():
        page = new_page(_WIDTH, height, "")
        axes = page.figure.add_axes(page.box(_LABELS, 0.05, _WIDTH - _FIGURES, height - _HEAD))
        y = 0.0
        for title, bars in groups.items():
            axes.text(-2, y, title, weight="bold", ha="right", va="center")
            for place, (label, low, high) in enumerate(bars):
                y += _BAR
                axes.barh(y, 100 * low, 0.8 * _BAR, color=_GRAYS[place % 2])
                between, thick = 100 * (high - low), 0.8 * _BAR
                axes.barh(y, between, thick, left=100 * low, color="white", edgecolor=theme.INK, hatch="////")
                axes.text(-2, y, label, ha="right", va="center")
                axes.text(100 * high + 1.5, y, of_hundred(low, high), va="center")
            y += _BAR + _GAP
        axes.set(xlim=(0, 100), ylim=(y - _GAP, -_BAR), xticks=[], yticks=[])
        axes.spines[["bottom"]].set_visible(False)
        return page.figure
