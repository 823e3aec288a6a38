"""Policies by risk and utility: the frontier of a state, the best policy of every state, as pictures and text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from policy_sim.render import theme
from policy_sim.render.fills import MISSING, Fill
from policy_sim.render.numbers import people, percent, percent_tick
from policy_sim.render.page import MARGIN, Page, new_page
from policy_sim.render.statemap import draw_states
from policy_sim.render.tables import Column, layout, wrapped
from policy_sim.states import STATES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["best_policy_map", "best_table", "frontier_figure", "policies_table"]

_WIDTH, _HEIGHT = 10.0, 6.4  # inches
_MAP_HEIGHT, _LEGEND_ROW = 8.0, 0.2
_COLOURS = 7  # policies told apart on a map; the rest share one grey
_OTHER = "#b5b5b5"
_NAMED = 12  # policies of the frontier that are named beside it
_MOST_ROWS = 20  # policies in a table


def risk_title(risk: str) -> str:
    """Return a column of risk for people.

    >>> risk_title("total_risk"), risk_title("distinct_5")
    ('total risk', '5-distinct')
    """
    return "total risk" if risk == "total_risk" else f"{risk.removeprefix('distinct_')}-distinct"


def frontier_figure(rows: pd.DataFrame, marks: pd.DataFrame, risk: str, footer: Sequence[str] = ()) -> Figure:
    """Draw every policy of one state by risk and utility, and the frontier through the best of them.

    Parameters
    ----------
    rows : Rows of one state with ``policy, utility, frontier, better`` and ``<risk>_share``.
    marks : Policies to be named, with the same columns but the last two.
    risk : ``total_risk`` or ``distinct_<g>``. A policy of no risk cannot stand on a logarithmic axis:
        those are counted in the subtitle.
    """
    share = f"{risk}_share"
    shown = rows[rows[share] > 0]
    state = str(rows["state"].iloc[0]) if len(rows) else "?"
    name = STATES[state].name if state in STATES else state
    hidden = len(rows) - len(shown)
    with theme.styled():
        page = new_page(
            _WIDTH,
            _HEIGHT,
            f"Risk and utility of {len(rows):,} policies: {name}",
            "Each point is a policy; the line joins those that no other beats in both"
            + (f"; {hidden} policies without risk are left out" if hidden else ""),
            footer,
        )
        axes = page.figure.add_axes(page.box(0.9, page.bottom + 0.55, 6.3, page.top - 0.15), label="frontier")
        _draw_policies(axes, shown, share, theme.policy_title(str(marks["policy"].iloc[0])))
        _draw_marks(axes, marks, share)
        axes.set(
            xscale="log", xlabel=f"{risk_title(risk)}, share of the state's people", ylabel="utility (information kept)"
        )
        axes.xaxis.set_major_formatter(lambda value, _: percent_tick(value))
        axes.yaxis.set_major_formatter(lambda value, _: percent_tick(value))
        axes.set_ylim(0, 1.02)
        axes.legend(loc="lower right")
        _list_frontier(page, shown[shown["frontier"]].sort_values(share, ascending=False), share)
        return page.figure


def _draw_policies(axes: Axes, shown: pd.DataFrame, share: str, than: str) -> None:
    plain = shown[~shown["better"]]
    better = shown[shown["better"]]
    axes.plot(plain[share], plain["utility"], ".", color=theme.PALE, markersize=3, label="policy")
    axes.plot(
        better[share],
        better["utility"],
        ".",
        color=theme.line_colour(2),
        markersize=5,
        label=f"better than {than}",
    )
    line = shown[shown["frontier"]].sort_values(share)
    axes.plot(line[share], line["utility"], color=theme.line_colour(0), linewidth=1.2, label="frontier")


def _draw_marks(axes: Axes, marks: pd.DataFrame, share: str) -> None:
    for place, (policy, x, y) in enumerate(zip(marks["policy"], marks[share], marks["utility"], strict=True)):
        if x > 0:
            axes.plot([x], [y], "D", color=theme.line_colour(1 + place), markersize=6, label=theme.policy_title(policy))


def _list_frontier(page: Page, rows: pd.DataFrame, share: str) -> None:
    """Name policies of the frontier, evenly spaced along it, with risk and utility; of equals the simplest."""
    rows = _simplest(rows, share).sort_values(share, ascending=False)
    step = max(1, -(-len(rows) // _NAMED))
    size = theme.SIZES["footer"]
    x, y = 6.55 / page.width, page.top - 0.2
    page.figure.text(x, y / page.height, "on the frontier (risk, utility)", size=size, weight="bold", va="top")
    for policy, risk, utility in rows[["policy", share, "utility"]].iloc[::step].itertuples(index=False):
        y -= 0.36
        page.figure.text(
            x,
            y / page.height,
            f"{percent(risk)}, {percent(utility)}\n{_short(policy)}",
            size=size - 0.8,
            va="top",
            linespacing=1.1,
        )


def _simplest(rows: pd.DataFrame, risk: str) -> pd.DataFrame:
    """Keep of policies with equal figures the one with the shortest name."""
    words = rows["policy"].str.len().sort_values(kind="stable")
    return rows.loc[words.index].drop_duplicates([risk, "utility"])


def _short(policy: str) -> str:
    """Write a policy's name without the words that every name has."""
    plain = policy.replace("geography=", "").replace("birth=", "birth ").replace("race=broad", "broad race")
    return plain.replace("_", " ").replace("+", ", ")


def best_policy_map(best: pd.DataFrame, than: str, risk: str, footer: Sequence[str] = ()) -> Figure:
    """Colour each state by its best policy, and write the utility that the policy keeps.

    Parameters
    ----------
    best : One row a state with ``state, policy, utility`` (missing where none is better).
    than : The policy that is bettered.
    """
    known = best[best["policy"].notna()]
    common = known["policy"].value_counts(sort=False).sort_index().sort_values(ascending=False, kind="stable")
    colours = {policy: theme.line_colour(place) for place, policy in enumerate(common.index[: _COLOURS - 1])}
    fills = {code: MISSING for code in STATES if code != "PR"}
    for state, policy, utility in zip(best["state"], best["policy"], best["utility"], strict=True):
        if pd.isna(policy):
            fills[state] = Fill("undefined", theme.STATUSES["undefined"].face, "none")
        else:
            fills[state] = Fill("value", colours.get(policy, _OTHER), f"{utility:.0%}")
    others = int((~known["policy"].isin(list(colours))).sum())
    entries = [(_short(policy), colour, int(common[policy])) for policy, colour in colours.items()]
    entries += [("another policy", _OTHER, others)] if others else []
    none = int(best["policy"].isna().sum())
    entries += [("none is better", theme.STATUSES["undefined"].face, none)] if none else []
    with theme.styled():
        page = new_page(
            _WIDTH,
            _MAP_HEIGHT,
            f"The policy that keeps most at no more {risk_title(risk)} than {theme.policy_title(than)}",
            "Figures: utility of that policy, the information kept as a share of the finest policy's",
            footer,
        )
        _draw_legend(page, entries)
        page.bottom += _LEGEND_ROW * (len(entries) + 1)
        draw_states(page, fills, legend=0.0)
        return page.figure


def _draw_legend(page: Page, entries: Sequence[tuple[str, str, int]]) -> None:
    from matplotlib.patches import Rectangle

    height = _LEGEND_ROW * (len(entries) + 1)
    axes = page.figure.add_axes(page.box(0, page.bottom, page.width, page.bottom + height), label="legend")
    axes.set(xlim=(0, page.width), ylim=(0, height))
    axes.set_axis_off()
    for place, (label, colour, count) in enumerate(entries):
        y = height - _LEGEND_ROW * (place + 1)
        axes.add_patch(Rectangle((MARGIN, y - 0.06), 0.28, 0.13, facecolor=colour, edgecolor=theme.GREY, lw=0.5))
        axes.text(MARGIN + 0.4, y, f"{label} ({count})", size=theme.SIZES["label"] - 1, va="center")


def policies_table(rows: pd.DataFrame, baseline: pd.DataFrame, kept: str, risk: str) -> str:
    """Write the policies of one state as text, most utility first, below the policy they are judged by.

    Of policies with equal figures (a size that no place falls short of) the simplest stands for all.
    """
    words = {"all": "policies", "frontier": "policies on the frontier", "better": "policies that do better"}
    ordered = _simplest(rows, risk).sort_values(["utility", risk], ascending=[False, True], kind="stable")
    both = pd.concat([baseline, ordered[:_MOST_ROWS]], ignore_index=True)
    table = layout(
        [Column(("policy",), tuple(both["policy"]), right=False)],
        [
            Column((risk_title(risk), "people"), tuple(people(x) for x in both[risk])),
            Column((risk_title(risk), "share"), tuple(percent(x) for x in both[f"{risk}_share"])),
            Column(("utility",), tuple(percent(x) for x in both["utility"])),
        ],
        width=140,
    )
    more = f", {len(ordered):,} with figures of their own" if len(ordered) < len(rows) else ""
    more += f"; the first {_MOST_ROWS} are shown" if len(ordered) > _MOST_ROWS else ""
    return f"{table}\n{len(rows):,} {words[kept]}{more}. The first row is what they are compared with."


def best_table(best: pd.DataFrame, than: str, risk: str) -> str:
    """Write the best policy of each state as text."""
    title = risk_title(risk)

    def cells(name: str, write: object) -> tuple[str, ...]:
        return tuple("none" if pd.isna(x) else write(x) for x in best[name])  # type: ignore[operator]

    table = layout(
        [Column(("state",), tuple(best["state"]), right=False)],
        [
            Column((than, title), cells(f"than_{risk}_share", percent)),
            Column((than, "utility"), cells("than_utility", percent)),
            Column(("better", "number"), cells("better_policies", people)),
            Column(("best of them", title), cells(f"{risk}_share", percent)),
            Column(("best of them", "utility"), cells("utility", percent)),
            Column(("best of them", "policy"), cells("policy", str), right=False),
        ],
        width=150,
    )
    return "\n".join([table, *wrapped([f"better: more utility than {than}, at no more {title}."])])
