"""How the states' ranks change with g (Benitez & Malin 2010, Figures 6 and 7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from policy_sim.render import theme
from policy_sim.render.page import foot_height, new_page
from policy_sim.render.panels import known_and_not, panel_grid, panels_width, spread_apart

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_ranks", "rank_figure"]

_HEIGHT = 7.0  # inches of head and panels; the notes come on top


def rank_figure(profiles: pd.DataFrame, footer: Sequence[str] = (), outermost: int = 2) -> Figure:
    """Draw each state's rank by its share of g-distinct people; rank 1 has the largest share.

    The ``outermost`` first and last states at the smallest g stand out, and the one that moves most. Only
    states with one figure are ranked; equal shares share the better rank.

    Parameters
    ----------
    profiles : Rows of one population; other measures than g-distinct are left out.
    """
    rows = profiles[profiles["measure"] == "g-distinct"]
    smallest = int(rows["g"].min()) if len(rows) else 1
    with theme.styled():
        page = new_page(
            panels_width(rows),
            _HEIGHT + foot_height(panels_width(rows), footer),
            "States are ranked by their share of g-distinct people",
            "g-distinct: people whose values, as the attacker sees them, belong to g people or fewer. Rank 1 has the "
            f"largest share; ties get the better rank. In color: the first and last {outermost} states at "
            f"g = {smallest}, and, dashed, the state that moves most",
            footer,
        )
        for axes, part, _ in panel_grid(page, rows):
            draw_ranks(part, axes, outermost=outermost)
        return page.figure


def draw_ranks(rows: pd.DataFrame, ax: Axes, *, outermost: int = 2) -> Axes:
    """Draw one panel of :func:`rank_figure` on your axes, and return them.

    Parameters
    ----------
    rows : g-distinct rows of one population, policy and attacker.
    outermost : How many of the first and of the last states are in color.
    """
    axes = ax
    exact, _, words = known_and_not(rows)
    words = words.replace(" (bars)", ", not ranked")
    axes.annotate(
        words,
        (0, 1),
        xycoords="axes fraction",
        xytext=(0, 3),
        textcoords="offset points",
        size=theme.SIZES["footer"],
        color=theme.GREY,
    )
    sizes = sorted(int(g) for g in rows["g"].dropna().unique())
    axes.set_xticks(range(len(sizes)), [str(g) for g in sizes])
    axes.set(xlabel="g, people who share their values", ylabel="rank", xlim=(-0.35, len(sizes) - 0.65))
    ranks = _ranks(exact)
    if ranks.empty:
        axes.set_yticks([])
        return axes
    last = len(ranks)
    axes.set_ylim(last + 0.03 * last + 0.5, 0.5 - 0.03 * last)
    axes.set_yticks(sorted({1, *range(10, last - 2, 10), last}))
    for state in ranks.index:
        axes.plot(range(len(sizes)), ranks.loc[state], color=theme.PALE, linewidth=0.5, zorder=1)
    _mark(axes, ranks, _marked(ranks, outermost))
    return axes


def _ranks(exact: pd.DataFrame) -> pd.DataFrame:
    """Return ranks with one row per state and one column per g, in the order of the smallest g."""
    shares = exact.pivot_table(index="state", columns="g", values="share", aggfunc="first", observed=True).dropna()
    ranks = shares.astype(float).rank(ascending=False, method="min")
    return ranks.sort_values(list(ranks.columns), kind="stable") if len(ranks) else ranks


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
            axes.annotate(
                f"{state} {ranks.loc[state].iloc[column]:.0f}",
                (places[column], height),
                xytext=(offset, 0),
                textcoords="offset points",
                color=color,
                size=theme.SIZES["map"],
                ha=side,
                va="center",
            )
    for state, (color, dashes) in marked.items():
        axes.plot(
            places, ranks.loc[state], color=color, linestyle=dashes, marker="o", markersize=3, linewidth=1.5, zorder=3
        )
