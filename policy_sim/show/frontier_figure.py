"""Policies by risk and utility: the frontier of a state, the best policy of every state, as pictures and text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from policy_sim.show import theme
from policy_sim.show.artists import HaloText
from policy_sim.show.maps.figure import draw_states, map_axes
from policy_sim.show.maps.fills import MISSING, Fill
from policy_sim.show.numbers import bare, nearest_percent, people, percent, percent_tick, with_decimals
from policy_sim.show.panels import MARGIN, Page, new_page
from policy_sim.show.text_table import column, layout, wrapped
from policy_sim.words.states import STATES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_WIDTH, _HEIGHT = 10.0, 6.4  # inches
_MAP_HEIGHT, _LEGEND_ROW = 8.0, 0.2
_COLORS = 7  # policies distinguished on a map; the rest share one gray
_OTHER = "#b5b5b5"
_NAMED = 12  # policies of the frontier that are named next to it
_NAME_ROW = 0.36  # inches that a name takes
_MARKS = (1, 3, 4, 5, 6)  # colors of lines that neither the frontier nor the better policies have
_MOST_AGES = 3  # policies whose age classes are written below a table
_MOST_ROWS = 20  # policies in a table
_DARK = 0.6  # a share of a color below which letters are black


def risk_title(risk: str) -> str:
    """Return a column of risk for people.

    >>> risk_title("total_risk"), risk_title("distinct_5")
    ('total risk', '5-distinct')
    """
    return "total risk" if risk == "total_risk" else f"{risk.removeprefix('distinct_')}-distinct"


def frontier_figure(rows: pd.DataFrame, marks: pd.DataFrame, risk: str, footer: Sequence[str] = ()) -> Figure:
    """Draw every policy of one state by risk and utility, and the frontier through the best of them.

    ``rows``: rows of one state with ``policy, utility, frontier, better`` and ``<risk>_share``. ``risk``:
    ``total_risk`` or ``distinct_<g>``. A policy of no risk cannot stand on a logarithmic axis: those are counted in the
    subtitle.
    """
    share = f"{risk}_share"
    visible = rows[rows[share] > 0]
    state = str(rows["state"].iloc[0]) if len(rows) else "?"
    name = theme.state_title(state)
    hidden = len(rows) - len(visible)
    title = (
        f"In {name}, {int(rows['frontier'].sum()):,} of {len(rows):,} policies are on the frontier: no other "
        "policy keeps more information at no more risk"
    )
    left_out = f". {hidden} policies without risk are left out" if hidden else ""
    subtitle = f"Each point is a policy; the line joins those on the frontier{left_out}"
    with new_page(_WIDTH, _HEIGHT, title, subtitle, footer, foot_inside=True) as page:
        axes = page.axes(0.9, page.bottom + 0.55, 6.3, page.top - 0.15, label="frontier")
        draw_frontier(visible, axes, marks=marks, risk=risk)
        _list_frontier(page, visible[visible["frontier"]].sort_values(share, ascending=False), share)
        return page.figure


_RECODINGS = {"local": "local recoding", "one-level": "one level per field", "policy": "the policy's levels"}


def release_frontier_figure(rows: pd.DataFrame) -> Figure:
    """Draw what a release loses at each threshold that it can meet, a line per recoding, each point with its loss."""
    order = list(dict.fromkeys(rows["threshold"]))
    title, subtitle = (
        "What a release loses at each threshold",
        "Loss is 0 where nothing is lost, and 1 where everything is",
    )
    with new_page(7.0, 4.2, title, subtitle, foot_inside=True) as page:
        from matplotlib.transforms import offset_copy

        axes = page.axes(0.9, page.bottom + 0.55, 5.7, page.top - 0.15, label="frontier")
        for place, (recoding, part) in enumerate(rows[rows["loss"].notna()].groupby("recoding", sort=False)):
            x, y = [order.index(threshold) for threshold in part["threshold"]], part["loss"].astype(float).tolist()
            color = theme.line_color(place)
            side = -1 if recoding == "local" else 1  # it loses less, so that its labels stand below its line
            axes.plot(x, y, "o-", color=color, label=_RECODINGS[str(recoding)])
            for at, loss in zip(x, y, strict=True):
                look: dict[str, Any] = {"ha": "center", "va": "top" if side < 0 else "bottom", "size": 8}
                above = offset_copy(axes.transData, page.figure, y=5 * side, units="points")
                words = HaloText(at, loss, bare(loss, 3), halo="white", color=color, transform=above, zorder=3, **look)
                axes.add_artist(words)
        axes.set(xlabel="threshold", ylabel="loss", xticks=range(len(order)), xticklabels=order)
        axes.margins(y=0.2)
        axes.set_ylim(bottom=-0.08 * axes.get_ylim()[1])
        if rows["loss"].notna().any():
            axes.legend(loc="upper left")
        return page.figure


def release_use_figure(pairs: Sequence[Mapping[str, Any]], models: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw how far each field and each pair of fields moves, and below it what models reach before and after."""
    names = list(dict.fromkeys(pair["one"] for pair in pairs))
    cell = min(0.75, 4.4 / max(len(names), 1))  # inches
    grid, bars = 0.32 * len(names), 0.5 * len(models)
    height = 0.6 + (grid + 1.5 if pairs else 0) + (bars + 0.9 if models else 0)
    with new_page(6.5, height, "What use is left of the release", foot_inside=True) as page:
        top = page.top - 0.3
        if pairs:
            axes = page.axes(1.7, top - grid, 1.7 + cell * len(names), top, label="pairs")
            _draw_pairs(axes, pairs, names, min(9.0, 26 * cell))
        if models:
            top = page.bottom + 0.45 + bars
            _draw_models(page.axes(1.7, top - bars, 6.1, top, label="models"), models)
        return page.figure


def _draw_pairs(axes: Axes, pairs: Sequence[Mapping[str, Any]], names: Sequence[str], size: float) -> None:
    for pair in pairs:
        x, y, distance = names.index(pair["one"]), names.index(pair["other"]), pair["distance"]
        axes.fill_between([x - 0.5, x + 0.5], y - 0.5, y + 0.5, color=theme.line_color(0), alpha=distance, lw=0)
        ink = theme.PAPER if distance > _DARK else theme.INK
        axes.text(x, y, nearest_percent(distance), ha="center", va="center", size=size, color=ink)
    short = [name[:22] for name in names]
    axes.set(xlim=(-0.5, len(names) - 0.5), ylim=(len(names) - 0.5, -0.5))
    axes.set_xticks(range(len(names)), short, rotation=40, ha="right", rotation_mode="anchor", size=9)
    axes.set_yticks(range(len(names)), short, size=9)
    axes.set_title("share of the records that would have to change", loc="left")


def _draw_models(axes: Axes, models: Sequence[Mapping[str, Any]]) -> None:
    for place, (when, label) in enumerate({"before": "file", "after": "release"}.items()):
        for at, row in enumerate(models):
            y = at + 0.4 * place - 0.2
            axes.barh(y, row[when], 0.36, color=theme.line_color(place))
            axes.text(0.01, y, f"{label} {with_decimals(row[when], 3)}", va="center", size=9, color=theme.PAPER)
    axes.set_yticks(range(len(models)), [row["analysis"][:22] for row in models], size=9)
    axes.set(xlim=(0, 1), ylim=(len(models) - 0.5, -0.5))
    axes.set_title("models: area under the ROC curve", loc="left")


def draw_frontier(rows: pd.DataFrame, ax: Axes, *, marks: pd.DataFrame, risk: str = "total_risk") -> Axes:
    """Draw the points, the line and the legend of :func:`frontier_figure` on your axes, and return them."""
    share = f"{risk}_share"
    visible, than = rows[rows[share] > 0], theme.policy_title(str(marks["policy"].iloc[0]))
    for part, color, size, label in (
        (visible[~visible["better"]], theme.PALE, 3, "policy"),
        (visible[visible["better"]], theme.line_color(2), 5, f"more information, no more risk than {than}"),
    ):
        ax.plot(part[share], part["utility"], ".", color=color, markersize=size, label=label)
    line = visible[visible["frontier"]].sort_values(share)
    ax.plot(line[share], line["utility"], color=theme.line_color(0), linewidth=1.2, label="frontier")
    for place, (policy, x, y) in enumerate(zip(marks["policy"], marks[share], marks["utility"], strict=True)):
        if x > 0:
            color = theme.line_color(_MARKS[place % len(_MARKS)])
            ax.plot([x], [y], "D", color=color, markersize=6, label=theme.policy_title(policy))
    ax.set(xscale="log", xlabel=f"{risk_title(risk)}, share of the state's people", ylabel="utility (information kept)")
    ax.xaxis.set_major_formatter(lambda value, _: percent_tick(value))
    ax.yaxis.set_major_formatter(lambda value, _: percent_tick(value))
    ax.set_ylim(0, 1.03)
    ax.legend(loc="lower right")
    return ax


def _list_frontier(page: Page, rows: pd.DataFrame, share: str) -> None:
    """Name policies of the frontier, evenly spaced along it, with risk and utility; of equals the simplest."""
    rows = _simplest(rows, share).sort_values(share, ascending=False)
    size = theme.SIZES["footer"]
    x, y = 6.55 / page.width, page.top - 0.2
    room = max(1, int((y - page.bottom) / _NAME_ROW) - 1)  # above the notes
    step = max(1, -(-len(rows) // min(_NAMED, room)))
    page.figure.text(x, y / page.height, "on the frontier (risk, utility)", size=size, weight="bold", va="top")
    for policy, risk, utility in rows[["policy", share, "utility"]].iloc[::step].itertuples(index=False):
        y -= _NAME_ROW
        page.figure.text(
            x,
            y / page.height,
            f"{percent(risk)}, {percent(utility)}\n{_short(policy)}",
            size=size - 0.2,
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
    plain = plain.replace("gender", "sex").replace("_", " ").replace("+", ", ")
    plain = re.sub(r"([<>=]+)", r" \1 ", plain)
    return re.sub(r"\d{4,}", lambda number: f"{int(number[0]):,}", plain)


def best_policy_map(best: pd.DataFrame, than: str, risk: str, footer: Sequence[str] = ()) -> Figure:
    """Color each state by its best policy (missing where none is better), and write the utility that it keeps."""
    return best_policy_figure(
        best,
        f"Each state's color shows the policy that keeps the most information at no more {risk_title(risk)} than "
        f"{theme.policy_title(than)}",
        "Numbers: utility, the information that the policy keeps as a share of what the most detailed policy keeps",
        footer,
    )


def best_policy_figure(
    best: pd.DataFrame, title: str, subtitle: str, footer: Sequence[str] = (), *, none: str = "none is better"
) -> Figure:
    """Color each state by its best policy, under a title of your own."""
    from matplotlib.patches import Rectangle

    with_policy = best[best["policy"].notna()]
    common = _common(best)
    colors = _colors(best)
    others = int((~with_policy["policy"].isin(list(colors))).sum())
    entries = [(_short(policy), color, int(common[policy])) for policy, color in colors.items()]
    entries += [("another policy", _OTHER, others)] if others else []
    without = int(best["policy"].isna().sum())
    entries += [(none, theme.STATUSES["undefined"].face, without)] if without else []
    height = _LEGEND_ROW * (len(entries) + 1)
    with new_page(_WIDTH, _MAP_HEIGHT, title, subtitle, footer, foot_inside=True) as page:
        axes = page.axes(0, page.bottom, page.width, page.bottom + height, label="legend")
        axes.set(xlim=(0, page.width), ylim=(0, height))
        axes.set_axis_off()
        for place, (label, color, count) in enumerate(entries):
            y = height - _LEGEND_ROW * (place + 1)
            axes.add_patch(Rectangle((MARGIN, y - 0.06), 0.28, 0.13, facecolor=color, edgecolor=theme.GREY, lw=0.5))
            axes.text(MARGIN + 0.4, y, f"{label} ({count})", size=theme.SIZES["label"] - 1, va="center")
        page.bottom += height
        draw_best_policy(best, map_axes(page, legend=0.0))
        return page.figure


def draw_best_policy(best: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the states of :func:`best_policy_map`, without its head and legend, on your axes, and return them."""
    colors = _colors(best)
    fills = {code: MISSING for code in STATES if code != "PR"}
    for state, policy, utility in zip(best["state"], best["policy"], best["utility"], strict=True):
        if pd.isna(policy):
            fills[state] = Fill("undefined", theme.STATUSES["undefined"].face, "none")
        else:
            fills[state] = Fill("value", colors.get(policy, _OTHER), percent(utility))
    return draw_states(fills, ax)


def _common(best: pd.DataFrame) -> pd.Series[int]:
    """Return how many states have each policy as their best, the most common first."""
    counts = best["policy"].dropna().value_counts(sort=False)
    return counts.sort_index().sort_values(ascending=False, kind="stable")


def _colors(best: pd.DataFrame) -> dict[str, str]:
    return {str(policy): theme.line_color(place) for place, policy in enumerate(_common(best).index[: _COLORS - 1])}


def policies_table(rows: pd.DataFrame, baseline: pd.DataFrame, subset: str, risk: str) -> str:
    """Write the policies of one state, most utility first, below the one to beat; of equal ones the simplest."""
    is_single = len(rows) == 1
    kind = "policy" if is_single else "policies"
    words = {
        "all": kind,
        "frontier": f"{kind} on the frontier",
        "better": f"{kind} that {'does' if is_single else 'do'} better",
    }
    ordered = _simplest(rows, risk).sort_values(["utility", risk], ascending=[False, True], kind="stable")
    both = pd.concat([baseline, ordered[:_MOST_ROWS]], ignore_index=True)
    columns = [
        column(both, risk, (risk_title(risk), "people"), people),
        column(both, f"{risk}_share", (risk_title(risk), "share"), percent),
        column(both, "utility", write=percent),
        column(both, "utility_bits", ("bits",), lambda bits: with_decimals(bits, 2)),
    ]
    table = layout([column(both, "policy", write=theme.policy_title, right=False)], columns)
    more = f", {len(ordered):,} with separate figures" if len(ordered) < len(rows) else ""
    more += f"; the first {_MOST_ROWS} are shown" if len(ordered) > _MOST_ROWS else ""
    text = f"{table}\n{len(rows):,} {words[subset]}{more}. The first row is what they are compared with."
    return "\n".join([text, *_age_lines(ordered[:_MOST_AGES], "policy")])


def best_table(best: pd.DataFrame, than: str, risk: str) -> str:
    """Write the best policy of each state as text."""
    title, of_them = risk_title(risk), "best of them"
    columns = [
        column(best, f"than_{risk}_share", (than, title), percent, none="none"),
        column(best, "than_utility", (than, "utility"), percent, none="none"),
        column(best, "better_policies", ("better", "number"), people, none="none"),
        column(best, f"{risk}_share", (of_them, title), percent, none="none"),
        column(best, "utility", (of_them, "utility"), percent, none="none"),
        column(best, "policy", (of_them, "policy"), theme.policy_title, none="none", right=False),
    ]
    table = layout([column(best, "state")], columns)
    lines = wrapped([f"better: more utility than {than}, at no more {title}."])
    return "\n".join([table, *lines, *_age_lines(best, "state")])


def _age_lines(rows: pd.DataFrame, of: str) -> list[str]:
    """Write the age classes of policies that have their own, after the name of the policy or of the state."""
    if "age_classes" not in rows:
        return []
    held = rows[rows["age_classes"].notna()]
    return wrapped(
        [f"ages, {theme.policy_title(name)}: {ages}" for name, ages in zip(held[of], held["age_classes"], strict=True)]
    )
