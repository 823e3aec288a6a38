"""Where one state stands among the states: a line of dots per policy and attacker."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from policy_sim.render import theme
from policy_sim.render.numbers import interval, percent_tick, short_percent, status_word
from policy_sim.render.page import MARGIN, foot_height, new_page
from policy_sim.states import STATES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_place", "place_figure"]

_WIDTH, _HEAD, _ROW, _TITLE = 10.0, 1.5, 0.62, 0.34  # inches


def place_figure(profiles: pd.DataFrame, state: str, footer: Sequence[str] = ()) -> Figure:
    """Draw the total risk of every state as a dot, and one state's large, with its share and its rank.

    Rank 1 has the largest share; equal shares share the better rank. A state that is known only as an
    interval has no dot and no rank; the state itself is then a bar from end to end.

    Parameters
    ----------
    profiles : Rows of one population and all its states; measures other than total risk are left out.
    state : The postal code of the state that stands out.
    """
    total = profiles[profiles["measure"] == "total-risk"]
    cases = list(total[["policy", "attacker"]].drop_duplicates().itertuples(index=False))
    name = STATES[state].name if state in STATES else state
    height = _HEAD + foot_height(_WIDTH, footer) + len(cases) * (_ROW + _TITLE)
    with theme.styled():
        page = new_page(
            _WIDTH,
            height,
            f"Each dot is the total risk of one state; the large dot is {name}",
            "Total risk: expected correct matches as a share of the state's people. Logarithmic axis; "
            "rank 1 has the largest share",
            footer,
        )
        top = page.top - 0.1
        for policy, attacker in cases:
            rows = total[(total["policy"] == policy) & (total["attacker"] == attacker)]
            box = page.box(MARGIN, top - _TITLE - _ROW + 0.3, page.width - MARGIN - 0.2, top - _TITLE)
            axes = page.figure.add_axes(box, label=f"{policy} {attacker}")
            title = f"{theme.policy_title(str(policy))} × {theme.attacker_title(str(attacker))}"
            draw_place(rows, axes, state=state, title=f"{title}: {name} ")
            top -= _ROW + _TITLE
        return page.figure


def draw_place(rows: pd.DataFrame, ax: Axes, *, state: str, title: str = "") -> Axes:
    """Draw one line of :func:`place_figure` on your axes, and return them.

    Parameters
    ----------
    rows : Total risk of all states of one population, under one policy and attacker.
    state : The postal code of the state that stands out.
    title : What stands before the state's share and rank.
    """
    axes = ax
    own = rows[rows["state"] == state].iloc[0]
    exact = rows[(rows["status"] == "ok") & (rows["share"] > 0)]
    shares = exact["share"].to_numpy(dtype=float)
    axes.set_title(title + _share_and_rank(own, exact), loc="left", size=theme.SIZES["label"], weight="bold", pad=3)
    axes.set_xscale("log")
    axes.scatter(shares, [0.0] * len(shares), s=16, color=theme.GREY, alpha=0.45, linewidths=0, zorder=2)
    look: dict[str, Any] = {"color": theme.line_color(1), "zorder": 3}
    if own["status"] == "ok" and own["share"] > 0:
        axes.scatter([float(own["share"])], [0.0], s=70, edgecolors=theme.INK, linewidths=0.8, **look)
    elif own["status"] == "interval":
        least = float(own["share"]) or (shares.min() if len(shares) else float(own["share_high"]) / 10)
        axes.plot([least, float(own["share_high"])], [0.0, 0.0], linewidth=6, alpha=0.7, solid_capstyle="butt", **look)
    axes.set_ylim(-1, 1)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.minorticks_off()
    least, most = axes.get_xlim()
    axes.set_xticks(_ticks(least, most), minor=False)
    axes.xaxis.set_major_formatter(lambda share, _: percent_tick(share))
    return axes


def _ticks(least: float, most: float) -> list[float]:
    """Return decades, or 1, 2 and 5 times them where fewer than two decades lie on the axis."""
    powers = range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1)
    for steps in ((1,), (1, 2, 5), range(1, 10)):
        ticks = [step * 10.0**power for power in powers for step in steps]
        ticks = [tick for tick in ticks if least <= tick <= min(most, 1.0)]
        if len(ticks) > 1:
            break
    return ticks


def _share_and_rank(own: pd.Series, exact: pd.DataFrame) -> str:
    """Return the state's share and rank, or why it has none."""
    if pd.isna(own["share"]):
        return f"has no figure ({status_word(own['status'])})"
    if own["status"] != "ok":
        return f"{interval(float(own['share']), float(own['share_high']), short_percent)}, not ranked"
    rank = 1 + int((exact["share"] > own["share"]).sum())
    return f"{short_percent(float(own['share']))}, rank {rank} of {len(exact)}"
