"""Curves over g for one state (Benitez & Malin 2010, figures 3 and 4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from policy_sim.render import theme
from policy_sim.render.numbers import percent, power_tick, status_word
from policy_sim.render.page import MARGIN, Page, new_page
from policy_sim.render.panels import NO_FIGURE, percent_axis, spread_apart
from policy_sim.states import STATES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["curve_figure", "curve_figures", "trust_curve_figure"]

_FIRST = 5  # g of the left panel
_TWO_ROWS = 4  # entries of a legend that fit into two columns
_APART = 0.055  # of the axis, between two labels
_WIDTH, _HEIGHT, _FEET, _LEGEND = 10.0, 5.2, 0.45, 0.42


def curve_figures(
    curves: pd.DataFrame, trust: pd.DataFrame, footer: Sequence[str] = ()
) -> Iterator[tuple[str, Figure]]:
    """Draw the curves and the trust differential of each policy that has one, with the names of their files."""
    yield "curve", curve_figure(curves, footer)
    policies = list(trust["numerator_policy"].unique())
    for policy in policies:
        name = "trust" if len(policies) == 1 else f"trust-{policy}"
        yield name, trust_curve_figure(trust[trust["numerator_policy"] == policy], footer)


def curve_figure(curves: pd.DataFrame, footer: Sequence[str] = ()) -> Figure:
    """Draw the share of a state's people g-distinct: g = 1 to 5 on the left, all g on the right.

    Parameters
    ----------
    curves : Rows of one state and population with ``state, policy, attacker, g, share, share_high,
        status``. An interval is a band; a profile without a figure is named in the legend.
    """
    with theme.styled():
        state = _state_name(curves)
        most = int(curves["g"].max()) if curves["g"].notna().any() else _FIRST
        page = new_page(
            _WIDTH,
            _HEIGHT,
            f"People g-distinct: {state}",
            "Share of the state's people who share their key with fewer than g others",
            footer,
        )
        first, all_g = _two_axes(page)
        for axes, least_g, top_g in ((first, 1, _FIRST), (all_g, 1, max(most, 2))):
            within = curves[curves["g"].isna() | curves["g"].between(least_g, top_g)]
            _draw(axes, within, "share")
            axes.set(xlabel="g", xlim=(least_g, top_g))
            axes.set_ylim(bottom=0)
            percent_axis(axes)
        first.set_xticks(range(1, _FIRST + 1))
        _name_values(first)
        _log_g(all_g)
        _legend(page, all_g)
        return page.figure


def trust_curve_figure(trust: pd.DataFrame, footer: Sequence[str] = ()) -> Figure:
    """Draw the trust differential of people g-distinct over g, both axes logarithmic.

    Parameters
    ----------
    trust : Rows of one state, population and pair of policies, as ``trust`` gives them for
        g-distinct. Values of g for which the ratio is not defined are left out, and counted.
    """
    rows = trust[trust["measure"] == "g-distinct"] if "measure" in trust else trust
    with theme.styled():
        pair = [theme.policy_title(str(rows[name].iloc[0])) for name in ("numerator_policy", "denominator_policy")]
        undefined = int((rows["status"] == "undefined").sum())
        page = new_page(
            _WIDTH * 0.75,
            _HEIGHT,
            f"Trust differential over g: {_state_name(rows)}",
            f"People g-distinct under {pair[0]} over people g-distinct under {pair[1]}"
            + (f"; {undefined} values of g are not defined" if undefined else ""),
            footer,
        )
        axes = page.figure.add_axes(
            page.box(MARGIN + 0.75, page.bottom + _FEET, page.width - MARGIN, page.top - _LEGEND)
        )
        _draw(axes, rows.assign(policy=rows["numerator_policy"]), "ratio", by_attacker=True)
        axes.set(xlabel="g", ylabel="trust differential", yscale="log")
        axes.yaxis.set_major_formatter(lambda value, _: power_tick(value))
        _log_g(axes)
        _legend(page, axes)
        return page.figure


def _two_axes(page: Page) -> tuple[Axes, Axes]:
    bottom, top, left = page.bottom + _FEET, page.top - _LEGEND, MARGIN + 0.55
    middle = page.width * 0.40
    return (
        page.figure.add_axes(page.box(left, bottom, middle, top)),
        page.figure.add_axes(page.box(middle + 1.15, bottom, page.width - MARGIN, top)),
    )


def _name_values(axes: Axes) -> None:
    """Write the last value of each line beside it: most lie too near 0 to be told apart."""
    lines = [line for line in axes.get_lines() if len(np.atleast_1d(line.get_xdata()))]
    values = [float(np.asarray(line.get_ydata())[-1]) for line in lines]
    heights = spread_apart(values, _APART * axes.get_ylim()[1], least=0.0)
    for line, value, height in zip(lines, values, heights, strict=True):
        axes.annotate(
            percent(value),
            (_FIRST, height),
            xytext=(5, 0),
            textcoords="offset points",
            color=line.get_color(),
            size=theme.SIZES["footer"],
            va="center",
            annotation_clip=False,
        )


def _draw(axes: Axes, rows: pd.DataFrame, name: str, *, by_attacker: bool = False) -> None:
    """Draw a line for each policy (colour) and attacker (dashes)."""
    policies, attackers = list(rows["policy"].unique()), list(rows["attacker"].unique())
    for (policy, attacker), part in rows.groupby(["policy", "attacker"], sort=False, observed=True):
        label = f"{theme.policy_title(str(policy))} × {theme.attacker_title(str(attacker))}"
        if by_attacker:
            label = theme.attacker_title(str(attacker))
        look: dict[str, Any] = {
            "color": theme.line_colour(attackers.index(attacker) if by_attacker else policies.index(policy)),
            "linestyle": theme.line_style(attackers.index(attacker)),
            "linewidth": 1.6,
        }
        known = part[part[name].notna() & part["g"].notna()]
        if known.empty:
            status = next((s for s in part.get("status", pd.Series(dtype=str)) if s in NO_FIGURE), "unknown")
            axes.plot([], [], label=f"{label}: {status_word(status)}", **look)
            continue
        _line(axes, known, name, label, look)


def _line(axes: Axes, known: pd.DataFrame, name: str, label: str, look: dict[str, Any]) -> None:
    known = known.sort_values("g")
    g, low = known["g"].to_numpy(dtype=float), known[name].to_numpy(dtype=float)
    high = known[f"{name}_high"].to_numpy(dtype=float, na_value=np.nan) if f"{name}_high" in known else low
    kept = _thinned(g)
    axes.plot(g[kept], low[kept], label=label, **look)
    if np.any((high > low) | (high < low)):
        axes.fill_between(
            g[kept], low[kept], high[kept], color=look["color"], alpha=0.18, linewidth=0, label="interval"
        )


def _thinned(g: np.ndarray[tuple[int], np.dtype[np.float64]]) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Keep every g up to 100 and about 400 beyond, evenly on a logarithmic scale: no eye sees more."""
    beyond = np.geomspace(100, max(g[-1], 100), 400)
    return np.unique(np.concatenate([np.flatnonzero(g <= 100), np.searchsorted(g, beyond).clip(max=len(g) - 1)]))


def _log_g(axes: Axes) -> None:
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")


def _legend(page: Page, axes: Axes) -> None:
    handles, labels = axes.get_legend_handles_labels()
    shown = dict(zip(labels, handles, strict=True))
    if "interval" in shown:
        shown["band: a field of the list is not known"] = shown.pop("interval")
    page.figure.legend(
        shown.values(),
        shown.keys(),
        loc="upper left",
        bbox_to_anchor=((MARGIN + 0.4) / page.width, (page.top - 0.02) / page.height),
        ncols=2 if len(shown) <= _TWO_ROWS else 3,
        handlelength=3,
        columnspacing=1.5,
        borderaxespad=0,
    )


def _state_name(rows: pd.DataFrame) -> str:
    code = str(rows["state"].iloc[0])
    return STATES[code].name if code in STATES else code
