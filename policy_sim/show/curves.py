"""Curves over g for one state (Benitez & Malin 2010, Figures 3 and 4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from policy_sim.show import theme
from policy_sim.show.maps.figure import county_map, state_map
from policy_sim.show.maps.fills import quantile_classes
from policy_sim.show.money import signed_dollars
from policy_sim.show.numbers import (
    compact,
    interval,
    percent,
    power_tick,
    ratio,
    rounded,
    short_percent,
    signed_points,
    span_words,
    status_word,
)
from policy_sim.show.panels import (
    MARGIN,
    NO_FIGURE,
    Page,
    line_height,
    new_page,
    percent_axis,
    spread_apart,
    write_at,
)
from policy_sim.show.text_table import Column, column, layout, source_lines, source_numbers, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


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

    ``curves``: rows of one state and population with ``state, policy, attacker, g, share, share_high, status``. An
    interval is a band; a profile without a figure is named in the legend.
    """
    state = theme.state_title(curves["state"].iloc[0])
    most = int(curves["g"].max()) if curves["g"].notna().any() else _FIRST
    with new_page(_WIDTH, _HEIGHT, _share_sentence(curves, state), theme.TEXTS["subtitles"]["curve"], footer) as page:
        bottom, top, middle = page.bottom + _FEET, page.top - _LEGEND, page.width * 0.40
        first = draw_curves(curves, page.axes(MARGIN + 0.55, bottom, middle, top), last=_FIRST)
        _legend(page, first)
        if most > _FIRST:  # else it would show the same again
            draw_curves(curves, page.axes(middle + 1.15, bottom, page.width - MARGIN, top), last=most)
        return page.figure


def draw_curves(curves: pd.DataFrame, ax: Axes, *, last: int = 1000) -> Axes:
    """Draw the share of people who are g-distinct over g, a line per policy and attacker, on your axes.

    ``ax``: where to draw; the lines have labels, so that ``ax.legend()`` names them. ``last``: the largest g. Up to 5
    the axis is even and each line ends in its value; beyond, it is logarithmic.
    """
    ends = _draw(ax, curves[curves["g"].isna() | curves["g"].between(1, last)], "share")
    ax.set(xlabel="g, people who share their values", xlim=(1, last))
    ax.set_ylim(bottom=0)
    percent_axis(ax)
    if last <= _FIRST:  # each line by its last value, both ends of a band: most lie too near 0 to be distinguished
        ax.set_xticks(range(1, last + 1))
        heights = spread_apart([low for _, low, _ in ends], line_height(ax, theme.SIZES["footer"]), least=0.0)
        for (color, low, high), height in zip(ends, heights, strict=True):
            write_at(ax, interval(low, high, short_percent), (_FIRST, height), 5, color=color, annotation_clip=False)
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

    ``trust``: rows of one state, population and pair of policies, as ``trust`` gives them for g-distinct. Values of g
    for which the ratio is not defined are left out, and counted.
    """
    rows = trust[trust["measure"] == "g-distinct"] if "measure" in trust else trust
    pair = [theme.policy_phrase(rows[name].iloc[0]) for name in ("numerator_policy", "denominator_policy")]
    undefined = int((rows["status"] == "undefined").sum())
    where = f"In {theme.state_title(rows['state'].iloc[0])}"
    sentence = f"{where}, the ratio of {pair[0]} to {pair[1]} is unknown"
    if span := span_words([*rows["ratio"], *rows.get("ratio_high", [])], ratio):
        sentence = f"{where}, {pair[0]} puts {span} times as many people in groups of g or fewer as {pair[1]}"
    left_out = f"; {undefined} values of g are left out because they would divide by 0" if undefined else ""
    divided = f"people in groups of g or fewer under {pair[0]}, divided by those under {pair[1]}"
    subtitle = f"Trust differential: {divided}{left_out}"
    with new_page(_WIDTH * 0.75, _HEIGHT, sentence, subtitle, footer) as page:
        _legend(page, draw_trust_curve(rows, page.inside(0.75, _FEET, 0, _LEGEND)))
        return page.figure


def draw_trust_curve(trust: pd.DataFrame, ax: Axes) -> Axes:
    """Draw the trust differential over g on your axes, a line per attacker with its label, and return them."""
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


def _draw(axes: Axes, rows: pd.DataFrame, name: str, *, by_attacker: bool = False) -> list[tuple[str, float, float]]:
    """Draw a line for each policy (color) and attacker (dashes); return its color and both of its last values."""
    ends = []
    policies, attackers = list(rows["policy"].unique()), list(rows["attacker"].unique())
    for (policy, attacker), part in rows.groupby(["policy", "attacker"], sort=False, observed=True):
        label = theme.attacker_title(attacker) if by_attacker else theme.case_title(policy, attacker)
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
    # every g up to 100 and about 400 beyond, evenly on a logarithmic scale: nobody sees more
    beyond = np.searchsorted(g, np.geomspace(100, max(g[-1], 100), 400)).clip(max=len(g) - 1)
    chosen = np.unique(np.concatenate([np.flatnonzero(g <= 100), beyond]))
    axes.plot(g[chosen], low[chosen], label=label, **look)
    if np.any((high > low) | (high < low)):
        band: dict[str, Any] = {"color": look["color"], "alpha": 0.18, "linewidth": 0}
        axes.fill_between(g[chosen], low[chosen], high[chosen], label="interval", **band)
    return float(low[-1]), float(high[-1])


def _log_g(axes: Axes) -> None:
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda value, _: rounded(value))
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


# What changes of people, law, sources and price did to risk and to profit, as bars and as a table.


_TREND_FIGURE_WIDTH = 11.0  # inches
_MOST = 15  # states in a panel
_RISK = (("risk_people", "people"), ("risk_law", "law"), ("risk_source", "source"))
_PROFIT = (
    ("profit_people_usd", "people"),
    ("profit_law_usd", "law"),
    ("profit_source_usd", "source"),
    ("profit_price_usd", "price"),
)
_COLORS = {"people": "#0072b2", "law": "#d55e00", "source": "#b0b0b0", "price": "#009e73"}
_HATCHES = {"people": "", "law": "///", "source": "", "price": "..."}
_WORTH_A_LINE = 0.001  # of the share of the file


def trend_figure(changes: pd.DataFrame, footer: Sequence[str] = ()) -> Figure:
    """Draw the states whose risk and whose profit changed most over all steps, by what did it."""
    whole = _whole(changes)
    moved = int((whole["risk_law"].abs() >= 0.01).sum())
    first, last = (str(name) for name in (changes["before"].iloc[0], changes["after"].iloc[-1]))
    moves = f"changed the risk in {moved} states by one percentage point or more"
    title = f"From {first} to {last}, changes in list law {moves}"
    subtitle = theme.TEXTS["subtitles"]["trend"].format(most=_MOST)
    with new_page(_TREND_FIGURE_WIDTH, 4.4, title, subtitle, footer) as page:
        middle = page.width / 2
        boxes = ((MARGIN + 0.35, middle - 0.25), (middle + 0.45, page.width - MARGIN))
        titles = ("change in the share matched correctly, percentage points", "change in the best attack's profit, $")
        for (left, right), parts, title in zip(boxes, (_RISK, _PROFIT), titles, strict=True):
            axes = page.axes(left, page.bottom + 0.5, right, page.top - 0.35, label=title)
            draw_changes(whole, [name for name, _ in parts], axes).set_xlabel(title)
        axes.legend(loc="lower right")
        return page.figure


def draw_changes(whole: pd.DataFrame, parts: Sequence[str], ax: Axes) -> Axes:
    """Draw the parts of a change as stacked bars on your axes, one per state, the largest on top, and return them."""
    complete = whole.dropna(subset=list(parts))
    size = complete[list(parts)].abs().sum(axis=1)
    rows = complete.loc[size.sort_values(ascending=False, kind="stable").index[:_MOST]].iloc[::-1]
    names = dict((*_RISK, *_PROFIT))
    above, below = pd.Series(0.0, index=rows.index), pd.Series(0.0, index=rows.index)
    for part in parts:
        values = rows[part].astype(float)
        start, label = above.where(values >= 0, below), names[part]
        look: dict[str, Any] = {"color": _COLORS[label], "hatch": _HATCHES[label], "edgecolor": "white"}
        ax.barh(rows["state"].tolist(), values.tolist(), left=start.tolist(), label=label, **look)
        above, below = above + values.clip(lower=0), below + values.clip(upper=0)
    ax.axvline(0, color=theme.GREY, linewidth=0.6)
    write = signed_points if parts[0].startswith("risk") else _money
    ax.xaxis.set_major_formatter(lambda value, _: write(value))
    return ax


def trend_table(rows: pd.DataFrame, changes: pd.DataFrame) -> str:
    """Write risk, price and profit of every state at every time, then what changed them."""
    states, numbers = list(dict.fromkeys(rows["state"])), source_numbers(rows)
    columns = []
    for moment in dict.fromkeys(rows["moment"]):
        at = rows[rows["moment"] == moment].set_index("state").reindex(states)
        prices = [
            signed_dollars(usd) if pd.notna(usd) else "" if pd.isna(status) else str(status).replace("_", " ")
            for usd, status in zip(at["price_usd"], at["price_status"], strict=True)
        ]
        seen = [
            "" if pd.isna(date) else str(date) if pd.isna(source) else f"{date} [{numbers[str(source)]}]"
            for date, source in zip(at["price_date"], at["price_source"], strict=True)
        ]
        columns += [
            column(at, "share", (str(moment), "matched"), percent),
            Column((str(moment), "price"), tuple(prices)),
            column(at, "profit_usd", (str(moment), "profit"), signed_dollars),
            Column((str(moment), "price seen"), tuple(seen)),
        ]
    whole = _whole(changes).set_index("state").reindex(states)
    parts = [
        column(whole, name, ("risk changed by", label), lambda value: f"{signed_points(value)} points")
        for name, label in _RISK
    ]
    parts += [column(whole, name, ("profit changed by", label), _money) for name, label in _PROFIT]
    key = Column(("", "state"), tuple(states), right=False)
    lines = wrapped([*_differences(changes), *source_lines(rows)])
    return "\n".join([layout([key], columns), "", layout([key], parts), *lines])


def _differences(changes: pd.DataFrame) -> list[str]:
    """Name what law changed and what sources tell otherwise, where the risk moved by a tenth of a point or more."""
    lines = []
    for cause, head in (("law", "Changed by law"), ("source", "A later source says otherwise")):
        moved = changes[changes[f"risk_{cause}"].abs().fillna(0) >= _WORTH_A_LINE]
        facts = zip(moved["state"], moved["before"], moved["after"], moved[f"changed_{cause}"], strict=True)
        lines += [
            f"{head}: {state}, {before} to {after}: {words.replace('gender', 'sex')}"
            for state, before, after, words in facts
        ]
    return lines


def _whole(changes: pd.DataFrame) -> pd.DataFrame:
    """Add up the steps of each state; a state with a step that is not known has no sum."""
    names = [name for name, _ in (*_RISK, *_PROFIT)]
    sums = {state: part.sum(skipna=False) for state, part in changes.groupby("state", sort=False)[names]}
    return pd.DataFrame(sums.values(), columns=names).assign(state=list(sums))


def _money(value: float) -> str:
    return "$0" if not value else f"{'−' if value < 0 else '+'}${compact(abs(value))}"


# Who is on the voter lists: records per resident by age, and maps of listed residents per adult.

_AGES_WIDTH, _AGES_HEIGHT = 8.0, 4.2
_LAST_AGE = 100  # years; beyond are too few people for a share that says anything


def listed_figure(rows: pd.DataFrame, where: str, footer: Sequence[str] = ()) -> Figure:
    """Draw listed residents and all records per resident by year of age; ``where`` is the place in the title."""
    held = rows[(rows["people"] > 0) & (rows["age"] <= _LAST_AGE)].set_index("age")
    shares = held[["listed", "records"]].div(held["people"], axis=0)
    span = span_words(shares["listed"], short_percent) if len(shares) else "an unknown share"
    title = f"In {where}, {span} of the people of each age are on the voter list"
    subtitle = "Listed residents, and all records with those of people who left, per resident"
    with new_page(_AGES_WIDTH, _AGES_HEIGHT, title, subtitle, footer) as page:
        axes = page.inside(0.55, 0.5, 0, 0.15, label="ages")
        for place, (name, label) in enumerate((("records", "all records"), ("listed", "listed residents"))):
            axes.plot(shares.index, shares[name], color=theme.line_color(place), label=label, drawstyle="steps-post")
        axes.set(xlabel="age", ylabel="per resident of that age")
        axes.set_ylim(bottom=0)
        percent_axis(axes)
        axes.legend(loc="lower right")
        return page.figure


def listed_map(rows: pd.DataFrame, footer: Sequence[str] = ()) -> Figure:
    """Draw listed residents per adult (``coverage``, 0..1) of each county, or state where the table has no counties."""
    level = "county" if "county" in rows else "state"
    shares = rows["coverage"].astype(float)
    table = pd.DataFrame({level: rows[level], "value": shares, "value_high": shares, "status": "ok"})
    draw = county_map if level == "county" else state_map
    return draw(
        table,
        quantile_classes(shares, theme.RISK),
        short_percent,
        title=f"The voter lists contain {span_words(shares, short_percent)} of each {level}'s adults",
        subtitle="Listed residents per adult: active records, at most one for each adult",
        legend_title="share of the adults; darker: more",
        footer=footer,
    )
