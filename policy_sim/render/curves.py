"""Curves over g for one state (Benitez & Malin 2010, Figures 3 and 4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from policy_sim.render import theme
from policy_sim.render.numbers import interval, power_tick, ratio, short_percent, status_word
from policy_sim.render.page import MARGIN, Page, foot_height, new_page
from policy_sim.render.panels import NO_FIGURE, line_height, percent_axis, spread_apart
from policy_sim.render.titles import span_words
from policy_sim.states import STATES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["curve_figure", "curve_figures", "draw_curves", "draw_trust_curve", "trust_curve_figure"]

_FIRST = 5  # g of the left panel
_FEW = 9  # g whose logarithmic axis names each value
_TWO_ROWS = 4  # entries of a legend that fit into two columns
_WIDTH, _HEIGHT, _FEET, _LEGEND = 10.0, 4.4, 0.45, 0.42  # the height of the foot comes on top


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
    """Draw the share of one state's people who are g-distinct: g = 1 to 5 on the left, all g on the right.

    Parameters
    ----------
    curves : Rows of one state and population with ``state, policy, attacker, g, share, share_high,
        status``. An interval is a band; a profile without a figure is named in the legend.
    footer : Whose census, which lists, which options; one line each.

    Examples
    --------
    >>> figure = curve_figure(curves)  # doctest: +SKIP
    """
    with theme.styled():
        state = _state_name(curves)
        most = int(curves["g"].max()) if curves["g"].notna().any() else _FIRST
        page = new_page(
            _WIDTH,
            _HEIGHT + foot_height(_WIDTH, footer),
            _share_sentence(curves, state),
            "g-distinct: the share of the people whose values, as the attacker sees them, belong to g people or fewer. "
            "At g = 1 a person is unique",
            footer,
        )
        first, all_g = _two_axes(page)
        draw_curves(curves, first, last=_FIRST)
        _legend(page, first)
        if most > _FIRST:
            draw_curves(curves, all_g, last=most)
        else:  # it would show the same again
            all_g.remove()
        return page.figure


def draw_curves(curves: pd.DataFrame, ax: Axes, *, last: int = 1000) -> Axes:
    """Draw the share of people who are g-distinct over g, a line per policy and attacker, on your axes.

    Parameters
    ----------
    curves : As for :func:`curve_figure`.
    ax : Where to draw; the lines have labels, so that ``ax.legend()`` names them.
    last : The largest g. Up to 5 the axis is even and each line ends in its value; beyond, it is logarithmic.

    Returns
    -------
    The same axes.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> draw_curves(curves, Figure().subplots(), last=100)  # doctest: +SKIP
    """
    ends = _draw(ax, curves[curves["g"].isna() | curves["g"].between(1, last)], "share")
    ax.set(xlabel="g, people who share their values", xlim=(1, last))
    ax.set_ylim(bottom=0)
    percent_axis(ax)
    if last <= _FIRST:
        ax.set_xticks(range(1, last + 1))
        _name_values(ax, ends)
    else:
        _log_g(ax)
    return ax


def _share_sentence(curves: pd.DataFrame, state: str) -> str:
    """Return the title: the least and the largest share at the last g of the left panel."""
    with_share = curves[curves["share"].notna() & (curves["g"] <= _FIRST)]
    if with_share.empty:
        return f"In {state}, the share of g-distinct people is unknown"
    g = int(with_share["g"].max())
    last = with_share[with_share["g"] == g]
    span = span_words([*last["share"], *last.get("share_high", [])], short_percent)
    others = "no one" if g == 1 else f"at most {g - 1} other{'s' if g > 2 else ''}"
    return f"In {state}, {span} of the people share their values with {others}"


def trust_curve_figure(trust: pd.DataFrame, footer: Sequence[str] = ()) -> Figure:
    """Draw the trust differential over g: how many times as many people are g-distinct under one policy.

    Both axes are logarithmic.

    Parameters
    ----------
    trust : Rows of one state, population and pair of policies, as ``trust`` gives them for
        g-distinct. Values of g for which the ratio is not defined are left out, and counted.
    footer : Whose census, which lists, which options; one line each.
    """
    rows = trust[trust["measure"] == "g-distinct"] if "measure" in trust else trust
    with theme.styled():
        pair = [theme.policy_title(str(rows[name].iloc[0])) for name in ("numerator_policy", "denominator_policy")]
        undefined = int((rows["status"] == "undefined").sum())
        page = new_page(
            _WIDTH * 0.75,
            _HEIGHT + foot_height(_WIDTH * 0.75, footer),
            _ratio_sentence(rows, pair),
            f"Trust differential: people in groups of g or fewer under {pair[0]}, divided by those under {pair[1]}"
            + (f"; {undefined} values of g are left out because they would divide by 0" if undefined else ""),
            footer,
        )
        axes = page.figure.add_axes(
            page.box(MARGIN + 0.75, page.bottom + _FEET, page.width - MARGIN, page.top - _LEGEND)
        )
        draw_trust_curve(rows, axes)
        _legend(page, axes)
        return page.figure


def draw_trust_curve(trust: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the trust differential over g, a line per attacker, on your axes, and return them.

    Parameters
    ----------
    trust : As for :func:`trust_curve_figure`.
    ax : Where to draw; the lines have labels, so that ``ax.legend()`` names them.
    """
    rows = trust[trust["measure"] == "g-distinct"] if "measure" in trust else trust
    _draw(ax, rows.assign(policy=rows["numerator_policy"]), "ratio", by_attacker=True)
    ax.set(xlabel="g, people who share their values", ylabel="trust differential")
    above_0 = bool((rows["ratio"] > 0).any())
    if above_0:
        ax.set_yscale("log")
        ax.yaxis.set_major_formatter(lambda value, _: power_tick(value))
    else:  # no place on a logarithmic axis
        ax.set(ylim=(0, 1), yticks=[0])
    last = rows["g"].max()
    if not above_0 or last <= _FEW:
        ax.set_xlim(1, max(2, last))
    _log_g(ax)
    return ax


def _ratio_sentence(rows: pd.DataFrame, pair: Sequence[str]) -> str:
    span = span_words([*rows["ratio"], *rows.get("ratio_high", [])], ratio)
    where = _state_name(rows)
    if not span:
        return f"In {where}, the ratio of {pair[0]} to {pair[1]} is unknown"
    return f"In {where}, {pair[0]} puts {span} times as many people in groups of g or fewer as {pair[1]}"


def _two_axes(page: Page) -> tuple[Axes, Axes]:
    bottom, top, left = page.bottom + _FEET, page.top - _LEGEND, MARGIN + 0.55
    middle = page.width * 0.40
    return (
        page.figure.add_axes(page.box(left, bottom, middle, top)),
        page.figure.add_axes(page.box(middle + 1.15, bottom, page.width - MARGIN, top)),
    )


def _name_values(axes: Axes, ends: Sequence[tuple[str, float, float]]) -> None:
    """Write the last value of each line next to it, both ends of a band: most lie too near 0 to be distinguished."""
    gap = line_height(axes, theme.SIZES["footer"])
    heights = spread_apart([low for _, low, _ in ends], gap, least=0.0)
    for (color, low, high), height in zip(ends, heights, strict=True):
        axes.annotate(
            interval(low, high, short_percent),
            (_FIRST, height),
            xytext=(5, 0),
            textcoords="offset points",
            color=color,
            size=theme.SIZES["footer"],
            va="center",
            annotation_clip=False,
        )


def _draw(axes: Axes, rows: pd.DataFrame, name: str, *, by_attacker: bool = False) -> list[tuple[str, float, float]]:
    """Draw a line for each policy (color) and attacker (dashes); return its color and both of its last values."""
    ends = []
    policies, attackers = list(rows["policy"].unique()), list(rows["attacker"].unique())
    for (policy, attacker), part in rows.groupby(["policy", "attacker"], sort=False, observed=True):
        label = f"{theme.policy_title(str(policy))} × {theme.attacker_title(str(attacker))}"
        if by_attacker:
            label = theme.attacker_title(str(attacker))
        look: dict[str, Any] = {
            "color": theme.line_color(attackers.index(attacker) if by_attacker else policies.index(policy)),
            "linestyle": theme.line_style(attackers.index(attacker)),
            "linewidth": 1.6,
        }
        points = part[part[name].notna() & part["g"].notna()]
        if points.empty:
            status = next((s for s in part.get("status", pd.Series(dtype=str)) if s in NO_FIGURE), "unknown")
            axes.plot([], [], label=f"{label}: {status_word(status)}", **look)
            continue
        low, high = _line(axes, points, name, label, look)
        ends.append((str(look["color"]), low, high))
    return ends


def _line(axes: Axes, points: pd.DataFrame, name: str, label: str, look: dict[str, Any]) -> tuple[float, float]:
    points = points.sort_values("g")
    g, low = points["g"].to_numpy(dtype=float), points[name].to_numpy(dtype=float)
    high = points[f"{name}_high"].to_numpy(dtype=float, na_value=np.nan) if f"{name}_high" in points else low
    chosen_points = _thinned(g)
    axes.plot(g[chosen_points], low[chosen_points], label=label, **look)
    if np.any((high > low) | (high < low)):
        axes.fill_between(
            g[chosen_points],
            low[chosen_points],
            high[chosen_points],
            color=look["color"],
            alpha=0.18,
            linewidth=0,
            label="interval",
        )
    return float(low[-1]), float(high[-1])


def _thinned(g: np.ndarray[tuple[int], np.dtype[np.float64]]) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Keep every g up to 100 and about 400 beyond, evenly on a logarithmic scale: nobody sees more."""
    beyond = np.geomspace(100, max(g[-1], 100), 400)
    return np.unique(np.concatenate([np.flatnonzero(g <= 100), np.searchsorted(g, beyond).clip(max=len(g) - 1)]))


def _log_g(axes: Axes) -> None:
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    most = axes.get_xlim()[1]
    if most <= _FEW:  # less than a decade: each value by name
        axes.set_xticks(range(1, int(most) + 1))
        axes.minorticks_off()


def _legend(page: Page, axes: Axes) -> None:
    handles, labels = axes.get_legend_handles_labels()
    by_label = dict(zip(labels, handles, strict=True))
    if "interval" in by_label:
        by_label["band: a field of the list is unknown"] = by_label.pop("interval")
    page.figure.legend(
        by_label.values(),
        by_label.keys(),
        loc="upper left",
        bbox_to_anchor=((MARGIN + 0.4) / page.width, (page.top - 0.02) / page.height),
        ncols=2 if len(by_label) <= _TWO_ROWS else 3,
        handlelength=3,
        columnspacing=1.5,
        borderaxespad=0,
    )


def _state_name(rows: pd.DataFrame) -> str:
    code = str(rows["state"].iloc[0])
    return STATES[code].name if code in STATES else code
