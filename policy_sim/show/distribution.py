"""How the share of g-distinct people varies among the states (Benitez & Malin 2010, Figure 5)."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from policy_sim.attackers import VOTER
from policy_sim.model.measure import Bounds, places_among
from policy_sim.show import theme
from policy_sim.show.maps.figure import cost_map, release_map, total_risk_map, trust_map
from policy_sim.show.numbers import fact_ends, interval, percent_tick, short_percent, status_word
from policy_sim.show.panels import MARGIN, known_and_not, new_page, panels_figure, percent_axis, write_at
from policy_sim.show.save import Drawing
from policy_sim.words.arrays import AnyFloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_FEWEST = 5  # states that make a box
_SWAY = 0.36  # how far dots stray sideways
_HALF = 0.25  # of a box's width
_CLEAR = 0.06  # of the highest share
_HEADROOM = 1.02  # over the highest dot
_GOLDEN = 0.6180339887498949


def distribution_figure(profiles: pd.DataFrame, footer: Sequence[str] = ()) -> Figure:
    """Draw the share of g-distinct people, one dot per state, for each g, policy and attacker.

    Boxes hold the middle half of the states that have one figure, the line is their median, whiskers
    reach the last state within 1.5 box lengths. States known only as an interval are bars next to the
    box and not part of it, cut with an arrow above the highest dot; states without a list are
    counted in the panel's head.
    """
    title, scale = "The share of g-distinct people differs from state to state", "each panel has its own scale"
    return panels_figure(profiles, title, f"One dot per state; {scale}", footer, draw_distribution)


def draw_distribution(rows: pd.DataFrame, ax: Axes) -> Axes:
    """Draw one panel of :func:`distribution_figure` on your axes, and return them."""
    exact, between, words = known_and_not(rows)
    ax.text(0, 1.02, words, transform=ax.transAxes, size=theme.SIZES["footer"], color=theme.GREY)
    sizes = sorted(int(g) for g in rows["g"].dropna().unique())
    highest = (exact["share"] if len(exact) else between["share_high"]).astype(float).max()
    top = highest * _HEADROOM if highest > 0 else 1.0
    for place, g in enumerate(sizes):
        at = exact[exact["g"] == g].sort_values(["share", "state"])
        _dots(ax, place, at["state"].tolist(), at["share"].to_numpy(dtype=float))
        _bars(ax, place, between[between["g"] == g].sort_values("state"), top)
    ax.set_xticks(range(len(sizes)), [str(g) for g in sizes])
    ax.set(xlim=(-0.6, len(sizes) - 0.4), xlabel="g, people who share their values")
    ax.set_ylim(0, top * 1.05)
    percent_axis(ax)
    if exact.empty and between.empty:
        ax.set_yticks([])
    return ax


def _dots(axes: Axes, place: int, states: list[str], shares: AnyFloatArray) -> None:
    from matplotlib.cbook import boxplot_stats
    from matplotlib.patches import Rectangle

    if not states:
        return
    if len(states) >= _FEWEST:  # ``Axes.bxp`` would load pyplot, which no figure here needs
        (box,) = boxplot_stats(shares)
        corner, height = (place - _HALF, box["q1"]), box["q3"] - box["q1"]
        axes.add_patch(Rectangle(corner, 2 * _HALF, height, fill=False, ec=theme.GREY, lw=0.9))
        line: dict[str, Any] = {"colors": theme.GREY, "linewidths": 0.9}
        axes.vlines([place, place], [box["whislo"], box["q3"]], [box["q1"], box["whishi"]], **line)
        axes.hlines([box["whislo"], box["whishi"]], place - _HALF / 2, place + _HALF / 2, **line)
        axes.hlines(box["med"], place - _HALF, place + _HALF, colors=theme.INK, linewidths=1.6, label="median")
    sideways = place + _SWAY * (np.arange(len(states)) * _GOLDEN % 1 - 0.5)
    # Their names stand outside the dots, and that of the highest away from the bars.
    sideways[0], sideways[-1] = place + _SWAY / 2, place - _SWAY / 2
    axes.scatter(sideways, shares, s=9, color=theme.line_color(0), alpha=0.65, linewidths=0, zorder=3)
    top = max(axes.dataLim.ymax, shares[-1])
    for end, side in ((-1, -1), (0, 1)):  # the lowest only where it stands clear of the axis
        if end == -1 or (shares[0] > _CLEAR * top and len(states) > 1):
            look = {"ha": "left" if side == 1 else "right"}
            write_at(axes, states[end], (sideways[end], shares[end]), 4 * side, "map", **look)


def _bars(axes: Axes, place: int, rows: pd.DataFrame, top: float) -> None:
    """Draw intervals as bars from end to end, right of the box; an arrow where one leaves the panel."""
    if rows.empty:
        return
    across = place + 0.31 + 0.12 * np.linspace(0, 1, len(rows))
    low, high = (end.to_numpy(dtype=float) for end in fact_ends(rows, "share"))
    look: dict[str, Any] = {"color": theme.line_color(1), "alpha": 0.8}
    axes.vlines(across, low, np.minimum(high, top), linewidth=1.0, label="interval", **look)
    beyond = high > top
    if beyond.any():
        axes.plot(across[beyond], np.full(beyond.sum(), top), "^", markersize=3.5, markeredgewidth=0, **look)


# Every figure of a comparison, one after the other.


def comparison_figures(*frames: Any, **options: Any) -> Iterator[tuple[str, Figure]]:
    """Draw the figures of :func:`comparison_drawings`, one after the other."""
    for name, drawing in comparison_drawings(*frames, **options):
        yield name, drawing()


def comparison_drawings(
    profiles: pd.DataFrame,
    trust: pd.DataFrame,
    cost: pd.DataFrame,
    footer: Sequence[str] = (),
    restricted: Collection[str] = (),
) -> Iterator[tuple[str, Drawing]]:
    """Return what draws the maps, each with the name its file gets.

    Names are ``map-total-risk-POLICY-ATTACKER``, ``map-trust-ATTACKER`` (with the policy, where
    there are several), ``map-times-POLICY-ATTACKER`` for the states' own releases, ``map-cost-POLICY`` (with the
    attacker, where it is not VOTER); with several populations each name ends in that of the population.
    Figures without rows are left out.

    ``restricted``: states whose list only some buyers may have.
    """
    populations = list(profiles["population"].unique())
    for population in populations:
        several = len(populations) > 1
        ending = f"-{population}" if several else ""
        notes = [f"figure of: {population}", *footer] if several else footer
        risks, ratios, prices = (
            frame[frame["population"] == population] if "population" in frame else frame
            for frame in (profiles, trust, cost)
        )
        total = risks[risks["measure"] == "total-risk"]
        for policy, attacker in total[["policy", "attacker"]].drop_duplicates().itertuples(index=False):
            name = f"map-total-risk-{policy}-{attacker}{ending}"
            yield name, partial(total_risk_map, risks, policy, attacker, notes)
        for stem, drawing in (*_ratio_maps(ratios, notes), *_cost_maps(prices, notes, restricted)):
            yield stem + ending, drawing


def _ratio_maps(trust: pd.DataFrame, footer: Sequence[str]) -> Iterator[tuple[str, Drawing]]:
    """One map per attacker and policy over the first; that of the states' own releases has words of its own."""
    if trust.empty:
        return
    several = len(trust["numerator_policy"].unique()) > 1
    for policy, attacker in trust[["numerator_policy", "attacker"]].drop_duplicates().itertuples(index=False):
        rows = trust[trust["numerator_policy"] == policy]
        if policy == "release:newest":
            name = f"map-times-{rows['denominator_policy'].iloc[0]}-{attacker}"
            yield name, partial(release_map, rows, attacker, footer)
        else:
            name = f"map-trust-{policy}-{attacker}" if several else f"map-trust-{attacker}"
            yield name, partial(trust_map, rows, str(attacker), footer)


def _cost_maps(cost: pd.DataFrame, footer: Sequence[str], restricted: Collection[str]) -> Iterator[tuple[str, Drawing]]:
    """One map per policy for the voter lists, and one per policy and other file that an attacker holds."""
    for policy, attacker in cost[["policy", "attacker"]].drop_duplicates().itertuples(index=False):
        lists = attacker == VOTER
        name = f"map-cost-{policy}" if lists else f"map-cost-{policy}-{attacker}"
        hatched = restricted if lists else ()
        yield name, partial(cost_map, cost, str(policy), footer, restricted=hatched, attacker=str(attacker))


# Where one state stands among the states: a line of dots per policy and attacker.


_WIDTH, _HEAD, _ROW, _TITLE = 10.0, 1.5, 0.62, 0.34  # inches


def place_figure(profiles: pd.DataFrame, state: str, footer: Sequence[str] = ()) -> Figure:
    """Draw the total risk of every state as a dot, and one state's large, with its share and its rank.

    Rank 1 has the largest share; equal shares share the better rank. A state that is known only as an interval has no
    dot, and the state itself is then a bar from end to end; where intervals leave its rank open, it has the best and
    the worst.

    ``state``: the postal code of the state that stands out.
    """
    total = profiles[profiles["measure"] == "total-risk"]
    cases = list(total.groupby(["policy", "attacker"], sort=False, observed=True))
    name = theme.state_title(state)
    title = f"Each dot is the total risk of one state; the large dot is {name}"
    with new_page(
        _WIDTH, _HEAD + len(cases) * (_ROW + _TITLE), title, theme.TEXTS["subtitles"]["place"], footer
    ) as page:
        top = page.top - 0.1
        for (policy, attacker), rows in cases:
            ends = (MARGIN, top - _TITLE - _ROW + 0.3, page.width - MARGIN - 0.2, top - _TITLE)
            axes = page.axes(*ends, label=f"{policy} {attacker}")
            draw_place(rows, axes, state=state, title=f"{theme.case_title(policy, attacker)}: {name} ")
            top -= _ROW + _TITLE
        return page.figure


def draw_place(rows: pd.DataFrame, ax: Axes, *, state: str, title: str = "") -> Axes:
    """Draw one line of :func:`place_figure` on your axes, after a ``title`` the state's share and rank; return them."""
    own = rows[rows["state"] == state].iloc[0]
    exact = rows[(rows["status"] == "ok") & (rows["share"] > 0)]
    shares = exact["share"].to_numpy(dtype=float)
    ax.set_title(
        title + _share_and_rank(own, rows[rows["share"].notna()]),
        loc="left",
        size=theme.SIZES["label"],
        weight="bold",
        pad=3,
    )
    ax.set_xscale("log")
    ax.scatter(shares, [0.0] * len(shares), s=16, color=theme.GREY, alpha=0.45, linewidths=0, zorder=2)
    look: dict[str, Any] = {"color": theme.line_color(1), "zorder": 3}
    if own["status"] == "ok" and own["share"] > 0:
        ax.scatter([float(own["share"])], [0.0], s=70, edgecolors=theme.INK, linewidths=0.8, **look)
    elif own["status"] == "interval":
        least = float(own["share"]) or (shares.min() if len(shares) else float(own["share_high"]) / 10)
        ax.plot([least, float(own["share_high"])], [0.0, 0.0], linewidth=6, alpha=0.7, solid_capstyle="butt", **look)
    ax.set_ylim(-1, 1)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    ax.minorticks_off()
    least, most = ax.get_xlim()
    ax.set_xticks(_ticks(least, most), minor=False)
    ax.xaxis.set_major_formatter(lambda share, _: percent_tick(share))
    return ax


def _ticks(least: float, most: float) -> list[float]:
    """Return decades, or 1, 2 and 5 times them where fewer than two decades lie on the axis."""
    powers = range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1)
    for steps in ((1,), (1, 2, 5), range(1, 10)):
        ticks = [step * 10.0**power for power in powers for step in steps]
        ticks = [tick for tick in ticks if least <= tick <= min(most, 1.0)]
        if len(ticks) > 1:
            break
    return ticks


def _share_and_rank(own: pd.Series, with_figure: pd.DataFrame) -> str:
    """Return the state's share and rank, or why it has none."""
    if pd.isna(own["share"]):
        return f"has no figure ({status_word(own['status'])})"
    by_state = zip(with_figure["state"], *fact_ends(with_figure, "share"), strict=True)
    ends = {state: Bounds(float(low), float(high)) for state, low, high in by_state}
    share = ends.pop(own["state"])
    best, last = places_among(share, ends.values())
    rank = f"rank {best}" if best == last else f"rank {best} to {last}"
    return f"{interval(share.low, share.high, short_percent)}, {rank} of {len(with_figure)}"
