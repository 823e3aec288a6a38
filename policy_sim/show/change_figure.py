"""How risk changed between populations, differs among the people, and changes with an assumption."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from policy_sim.show import theme
from policy_sim.show.numbers import (
    attacker_words,
    compact,
    percent,
    short_percent,
    signed_change,
    signed_tick,
    span_words,
    status_word,
)
from policy_sim.show.panels import MARGIN, new_page, percent_axis, write_at
from policy_sim.show.text_table import Column, column, cut, layout, ranges, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_WIDTH, _HEAD_INCHES, _ROW_INCHES = 7.2, 1.75, 0.155
_LEAST_ROWS = 4
_MARKERS = ("o", "s", "D", "^", "v", "P", "X")


def change_figure(
    profiles: pd.DataFrame, policy: str, attacker: str, measure: str, g: int | None = None, footer: Sequence[str] = ()
) -> Figure:
    """Draw each state's share in every population, in their order, joined by a line; the largest latest on top."""
    rows = profiles[
        (profiles["policy"] == policy) & (profiles["attacker"] == attacker) & (profiles["measure"] == measure)
    ]
    rows = rows if g is None else rows[rows["g"] == g]
    shares = _shares(rows)
    left_out = [str(state) for state in rows["state"].unique() if state not in shares.index]
    what = f"{g}-distinct" if g is not None else measure.replace("-", " ")
    omitted = f"not drawn, because not every population has one exact figure: {', '.join(left_out)}"
    subtitle = f"{what[0].upper()}{what[1:]} as a share of each state's people, {theme.case_title(policy, attacker)}"
    height = _HEAD_INCHES + _ROW_INCHES * max(len(shares), _LEAST_ROWS)
    with new_page(
        _WIDTH, height, _sentence(shares, what), subtitle, [*([omitted] if left_out else []), *footer]
    ) as page:
        draw_change(rows, page.inside(0.35, 0.45, 0, 0.3))
        return page.figure


def change_figures(profiles: pd.DataFrame, footer: Sequence[str] = ()) -> Iterator[tuple[str, Figure]]:
    """Draw the change in total risk under each policy and attacker with a figure, and name each file."""
    if profiles["population"].nunique() < 2:
        return
    rows = profiles[(profiles["measure"] == "total-risk") & (profiles["status"] == "ok")]
    for policy, attacker in rows[["policy", "attacker"]].drop_duplicates().itertuples(index=False):
        yield f"change-{policy}-{attacker}", change_figure(profiles, policy, attacker, "total-risk", footer=footer)


def _shares(rows: pd.DataFrame) -> pd.DataFrame:
    """Return one row per state and one column per population, the largest latest share last."""
    names = [str(name) for name in rows["population"].unique()]
    shares = rows[rows["status"] == "ok"].pivot_table(
        index="state", columns="population", values="share", aggfunc="first", observed=True
    )
    return shares.reindex(columns=names).dropna().astype(float).sort_values([names[-1], names[0]])


def _sentence(shares: pd.DataFrame, what: str) -> str:
    """Say in how many states the share rose and fell from the first population to the last."""
    if shares.empty:
        return f"No state has an exact figure for {what} in every population"
    first, last = shares.iloc[:, 0], shares.iloc[:, -1]
    rose, fell = int((last > first).sum()), int((last < first).sum())
    equal = len(shares) - rose - fell
    words = [f"rose in {rose} state{'s' if rose != 1 else ''}", f"fell in {fell}"]
    words += [f"did not change in {equal}"] if equal else []
    text = f"{', '.join(words[:-1])} and {words[-1]}"
    return f"From {shares.columns[0]} to {shares.columns[-1]}, {what} {text}"


def draw_change(rows: pd.DataFrame, ax: Axes) -> Axes:
    """Draw each state's share in every population on your axes, and return them."""
    shares = _shares(rows)
    names = [str(name) for name in shares.columns]
    places = range(len(shares))
    ax.hlines(places, shares.min(axis=1), shares.max(axis=1), color=theme.PALE, linewidth=1.2, zorder=1)
    for place, name in enumerate(names):
        look: dict[str, Any] = {"marker": _MARKERS[place % len(_MARKERS)], "color": theme.line_color(place)}
        ax.scatter(shares[name], places, s=16, label=name, zorder=2, **look)
    ax.set_yticks(list(places), [str(state) for state in shares.index], size=theme.SIZES["map"])
    ax.set_ylim(-0.7, max(len(shares), 1) - 0.3)
    ax.set_xlim(left=0)
    percent_axis(ax, "x")
    ax.set_xlabel("share of the state's people")
    ax.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=len(names), borderaxespad=0.1)
    return ax


def change_table(changes: pd.DataFrame, width: int | None = None) -> str:
    """Write one row per state: its first share, and later changes in points; of a range the lower end, with ``+``."""
    rows = changes[changes["measure"] == "total-risk"]
    states = [str(state) for state in rows["state"].unique()]
    columns = []
    for (policy, attacker), selection in rows.groupby(["policy", "attacker"], sort=False, observed=True):
        if selection["difference"].isna().all():
            continue
        head = (theme.policy_title(policy), theme.attacker_title(attacker))
        first, later = str(selection["before"].iloc[0]), [str(name) for name in selection["after"].unique()]
        by_state = {name: selection[selection["after"] == name].set_index("state").reindex(states) for name in later}
        columns.append(column(by_state[later[0]], "share_before", (*head, first), percent, none="–"))
        columns += [Column((*head, name), _differences(table)) for name, table in by_state.items()]
    key = Column(("", "", ""), tuple(states), right=False)
    note = "change in total risk since the first population: percentage points of its people"
    return f"{note}\n{layout([key], columns, width)}"


def area_change_table(changes: pd.DataFrame) -> str:
    """Write the first share of each area, named by its first county, and the change of each later one in points."""
    keys = ["state", "area", "policy", "attacker"]
    rows = changes[changes["measure"] == "total-risk"]
    first = rows.drop_duplicates(keys)
    others = [str(counties).count(" ") for counties in first["counties"]]
    names = [f"{area} +{more}" if more else str(area) for area, more in zip(first["area"], others, strict=True)]
    texts = first.assign(area=names)[keys].astype(str)
    key = [Column((name,), tuple(texts[name]), right=False) for name in keys]
    columns = [column(first, "share_before", (str(first["before"].iloc[0]),), percent, none="–")]
    for name, later in rows.groupby("after", sort=False):
        table = first[keys].merge(later, on=keys, how="left")
        columns.append(Column((str(name),), _differences(table)))
    note = "change in total risk since the first population: percentage points of the area's people"
    return f"{note}\n{layout(key, columns)}"


def _differences(rows: pd.DataFrame) -> tuple[str, ...]:
    return tuple(
        ("–" if pd.isna(difference) else _points(difference)) + ("+" if status == "interval" else "")
        for difference, status in zip(rows["difference"], rows["status"], strict=True)
    )


def _points(difference: float) -> str:
    """Write a difference of shares as percentage points with its sign."""
    if difference == 0:
        return "0"
    sign = "+" if difference > 0 else "−"
    return sign + percent(abs(difference)).removesuffix("%")


# Results by who people are or where they live: a table, bars of people and of risk side by side, maps of counties.


_ROW, _HEAD, _LEFT, _GAP = 0.34, 0.75, 2.0, 0.35  # inches
_NOTES = (
    "risk %: total risk as a share of the group's own people; of all: the group's share of all expected "
    "re-identifications, %",
    "95th %: fewer than 5% of the group's people have a larger chance of a correct match; risk % is the mean",
    "people who share their values with people in another group count in each group in proportion; the groups add up "
    "to the total",
)


def breakdown_table(rows: pd.DataFrame) -> str:
    """Write one row per part: its people, and under each policy and attacker its risk and its share of all."""
    total = rows[rows["measure"] == "total-risk"]
    parts = total.drop_duplicates("value")
    by, values = str(total["by"].iloc[0]), [str(value) for value in parts["value"]]
    named = _names(by, values)
    key = [
        Column(("county of" if by == "county-size" else by,), tuple(named[value] for value in values), right=False),
        Column(("people",), tuple(compact(float(members)) for members in parts["members"])),
        Column(("%",), tuple(short_percent(float(x)).removesuffix("%") for x in parts["member_share"])),
    ]
    columns = []
    for (policy, attacker), rows_of_case in total.groupby(["policy", "attacker"], sort=False, observed=True):
        part = rows_of_case.set_index("value").reindex(values)
        head = (theme.policy_title(policy), theme.attacker_title(attacker))
        words = part["status"] if "status" in part else pd.Series("unknown", index=part.index)
        labels = {"share": "risk %", "percentile_95": "95th %", "of_total": "of all"}
        for name, label in labels.items():
            if name not in part or (name == "percentile_95" and part[name].isna().all()):
                continue
            cells = zip(part[name], part["people"], words, strict=True)
            columns.append(Column((*head, label), tuple(_share_cell(*cell) for cell in cells)))
    notes = _NOTES if any("95th %" in each.head for each in columns) else (_NOTES[0], *_NOTES[2:])
    return "\n".join([layout(key, columns), *wrapped(notes)])


def _share_cell(share: float | None, at_risk: float | None, status: object) -> str:
    if at_risk is None or pd.isna(at_risk):
        return status_word(status)
    return "" if share is None or pd.isna(share) else short_percent(share).removesuffix("%")


def _names(by: str, values: Sequence[str]) -> dict[str, str]:
    """What each part is called; counties by code and name where the boundaries have one."""
    if by == "county":
        from policy_sim.files.boundaries import load_boundaries

        county_names = load_boundaries("county")["name"]
        return {code: f"{code} {county_names[code]}" if code in county_names.index else code for code in values}
    return {value: theme.TEXTS["people"].get(value, value) for value in values}


def breakdown_figures(rows: pd.DataFrame, footer: Sequence[str] = ()) -> Iterator[tuple[str, Figure]]:
    """Draw each policy and attacker, with the name of the file: counties of the United States as a map, else bars."""
    from policy_sim.files.boundaries import place_counties

    total = rows[(rows["measure"] == "total-risk") & rows["people"].notna()]
    by = str(rows["by"].iloc[0])
    if by != "county":
        yield f"by-{by}", _bars(total, by, footer)
        return
    for (policy, attacker), part in total.groupby(["policy", "attacker"], sort=False, observed=True):
        if not place_counties(part["value"]).drawn:  # another country's: the map is of the United States
            continue
        yield f"map-county-{policy}-{attacker}", _map(part, str(policy), str(attacker), footer)


def _map(part: pd.DataFrame, policy: str, attacker: str, footer: Sequence[str]) -> Figure:
    from policy_sim.show.maps.figure import county_map, values_of
    from policy_sim.show.maps.fills import share_classes

    table = values_of(part, "share", area="county", code="value")
    span, name = span_words([*table["value"], *table["value_high"]], short_percent), theme.policy_title(policy)
    return county_map(
        table,
        share_classes(table),
        short_percent,
        title=f"In the counties of {_where(part)}, {attacker_words(attacker)} would match {span} of the people "
        f"under {theme.policy_phrase(policy)}",
        subtitle=f"Total risk, {name} × {theme.attacker_title(attacker)}: expected correct matches of a "
        "county's people, as a share of them",
        legend_title="share of the county's people; darker: more",
        footer=footer,
    )


def _bars(total: pd.DataFrame, by: str, footer: Sequence[str]) -> Figure:
    """Draw one panel per policy and attacker: share of the people and share of the risk of every part."""
    values = [str(value) for value in total["value"].unique()]
    cases = list(total.groupby(["policy", "attacker"], sort=False, observed=True))
    across = max(total["attacker"].nunique(), 1)
    down = -(-len(cases) // across)
    title = (
        f"In {_where(total)}, the risk of re-identification differs by {by.replace('county-size', 'size of county')}"
    )
    whole = 1.6 + 0.1 * len(footer) + down * (_HEAD + _ROW * len(values))
    with new_page(10.0, whole, title, theme.TEXTS["subtitles"]["breakdown"], footer, foot_inside=True) as page:
        width = (page.width - 2 * MARGIN - across * _LEFT) / across - _GAP
        height = (page.top - page.bottom) / down
        for place, ((policy, attacker), part) in enumerate(cases):
            down_page, along = divmod(place, across)
            left = MARGIN + along * (width + _LEFT + _GAP) + _LEFT
            top = page.top - down_page * height - 0.45
            axes = page.axes(left, top - height + _HEAD, left + width, top)
            axes.set_title(theme.case_title(policy, attacker), loc="left", weight="bold")
            draw_breakdown(part, axes, values=values)
        return page.figure


def _where(total: pd.DataFrame) -> str:
    if "state" in total and len(total["state"].unique()) == 1:
        return theme.state_title(total["state"].iloc[0])
    number = int(total["states"].max()) if "states" in total else 0
    return f"{number} states" if number else "several states"


def draw_breakdown(rows: pd.DataFrame, ax: Axes, *, values: Sequence[str] = ()) -> Axes:
    """Draw one panel of :func:`breakdown_figures` on your axes, a row per group, in the order of ``values``."""
    groups = list(values) or [str(value) for value in rows["value"].unique()]
    part = rows.drop_duplicates("value").set_index("value").reindex(groups)
    names = _names(str(rows["by"].iloc[0]), groups)
    at = np.arange(len(part))
    shares = part["member_share"].to_numpy(dtype=float, na_value=0.0)
    risks = part["of_total"].to_numpy(dtype=float, na_value=0.0)
    ax.barh(at - 0.19, shares, height=0.34, color=theme.PALE)
    ax.barh(at + 0.19, risks, height=0.34, color=theme.line_color(0))
    ax.set_yticks(at, [names[str(value)] for value in part.index])
    ax.set_ylim(len(part) - 0.45, -0.55)
    ax.set_xlim(0, max(shares.max(initial=0), risks.max(initial=0), 1e-9) * 1.28)
    percent_axis(ax, "x")
    ax.locator_params(axis="x", nbins=5)
    for y, (risk, own) in enumerate(zip(np.maximum(shares, risks), part["share"], strict=True)):
        write_at(ax, "" if pd.isna(own) else percent(float(own)), (risk, y))
    return ax


# Tornado figures: how much each assumption moves total risk, the largest change on top.


_SWING_HEAD, _FEET, _LABELS, _SWING_WIDTH = 0.42, 0.32, 3.6, 10.0  # inches
_LONGEST = 70  # letters of an assumption in a table
_LETTERS = 52  # of a label's line
_LEAST = 1e-4  # relative change up to which the axis is even


def sensitivity_table(rows: pd.DataFrame) -> str:
    """Write the assumptions of every figure of total risk, the largest change first."""
    total = rows[rows["measure"] == "total-risk"]
    several = len(total["state"].unique()) > 1
    parts = []
    for (policy, attacker), part in total.groupby(["policy", "attacker"], sort=False):
        which = f", {part['state'].nunique()} states" if several else f": {percent(float(part['share'].iloc[0]))}"
        if several:  # in how many states each assumption changes a figure, and how far
            moved = (_moved(swings) for _, swings in part.groupby("assumption", sort=False))
            _, *cells = zip(*sorted(moved, key=lambda line: -line[0]), strict=True)
            heads = ("states", "median change", "furthest", "assumption")
            pairs = zip(heads, cells, strict=True)
            columns = [Column((head,), tuple(map(str, texts)), right=head != "assumption") for head, texts in pairs]
        else:
            columns = [
                Column(("becomes",), ranges(part, "share_low", "share_high", percent)),
                Column(("change",), tuple(_change(*ends) for ends in _ends(part))),
                column(part, "title", ("assumption",), most=_LONGEST),
            ]
        ranks = Column(("rank",), tuple(str(rank) for rank in range(1, len(columns[0].cells) + 1)))
        parts.append(f"total risk, {theme.case_title(policy, attacker)}{which}\n{layout([ranks], columns)}")
    return "\n\n".join(parts)


def _moved(swings: pd.DataFrame) -> tuple[float, int, str, str, str]:
    """How far one assumption moves a figure over the states: size, states, median, furthest with its state, title."""
    title = str(swings["title"].iloc[0])
    with_change = swings[swings["change_low"].notna()]
    if with_change.empty:
        return 0.0, len(swings), "from 0", "from 0", cut(title, _LONGEST)
    ends = np.array(_ends(with_change))
    furthest = ends[np.arange(len(ends)), np.abs(ends).argmax(axis=1)]
    at = int(np.abs(furthest).argmax())
    middle = float(np.median(np.abs(furthest))) if (ends.sum(axis=1) == 0).all() else float(np.median(furthest))
    return (
        float(np.median(np.abs(furthest))),
        len(swings),
        signed_change(middle),
        f"{signed_change(float(furthest[at]))} {with_change['state'].iloc[at]}",
        cut(title, _LONGEST),
    )


def _ends(part: pd.DataFrame) -> list[tuple[float, float]]:
    low, high = (part[name].to_numpy(dtype=float, na_value=np.nan) for name in ("change_low", "change_high"))
    return list(zip(low.tolist(), high.tolist(), strict=True))


def _change(low: float, high: float) -> str:
    """Write a relative change as percent, both ends where they differ."""
    if np.isnan(low):
        return "from 0"
    if abs(low + high) <= 1e-9 * abs(high) and high > 0:
        return f"±{signed_change(high)[1:]}"
    return signed_change(low) if low == high else f"{signed_change(low)} to {signed_change(high)}"


def tornado_figure(rows: pd.DataFrame, footer: Sequence[str] = ()) -> Figure:
    """Draw the relative change of total risk under each assumption, one panel per policy and attacker."""
    total = rows[(rows["measure"] == "total-risk") & rows["change_low"].notna()]
    panels = list(total.groupby(["policy", "attacker"], sort=False))
    heights = [_SWING_HEAD + _ROW * len(part) + _FEET for _, part in panels]
    where = theme.state_title(rows["state"].iloc[0])
    widest = _widest(total)
    title = f"Changing one assumption moves the total risk of {where} by at most {percent(widest)}"
    with new_page(_SWING_WIDTH, 1.3 + sum(heights), title, theme.TEXTS["subtitles"]["tornado"], footer) as page:
        top = page.top
        for ((policy, attacker), part), height in zip(panels, heights, strict=True):
            axes = page.axes(MARGIN + _LABELS, top - height + _FEET, page.width - MARGIN - 0.5, top - _SWING_HEAD)
            title = theme.case_title(policy, attacker)
            axes.set_title(f"{title}: {percent(float(part['share'].iloc[0]))}", loc="left", weight="bold")
            draw_tornado(part, axes, widest=widest)
            top -= height
        return page.figure


def _widest(rows: pd.DataFrame) -> float:
    ends = rows[["change_low", "change_high"]].to_numpy(dtype=float)
    return float(np.nanmax(np.abs(ends))) if np.isfinite(ends).any() else 0.0


def draw_tornado(rows: pd.DataFrame, ax: Axes, *, widest: float | None = None) -> Axes:
    """Draw one panel of :func:`tornado_figure` on your axes; ``widest``: the change that a shared scale holds."""
    widest = max(_widest(rows) if widest is None else widest, 10 * _LEAST)
    ends = _ends(rows)
    at = np.arange(len(rows))
    low = np.array([min(a, b, 0.0) for a, b in ends])
    high = np.array([max(a, b, 0.0) for a, b in ends])
    ax.barh(at, high - low, left=low, height=0.55, color=theme.line_color(0))
    ax.axvline(0, color=theme.INK, linewidth=0.8)
    ax.set_xscale("symlog", linthresh=_LEAST)
    ax.set_xlim(-2.5 * widest, 2.5 * widest)
    ticks = [x for x in (1e-4, 1e-2, 1.0, 100.0) if x <= 2.5 * widest]
    ax.set_xticks([*(-x for x in reversed(ticks)), 0, *ticks])
    ax.xaxis.set_major_formatter(lambda value, _: signed_tick(value))
    ax.minorticks_off()
    ax.set_yticks(at, [textwrap.fill(str(title), _LETTERS) for title in rows["title"]])
    ax.tick_params(axis="y", labelsize=theme.SIZES["map"], length=0)
    ax.set_ylim(len(rows) - 0.45, -0.55)
    for y, (a, b) in enumerate(ends):
        write_at(ax, _change(a, b).replace("-", "−"), (max(b, 0.0), y))
    return ax
