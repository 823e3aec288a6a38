"""Results by race, age, sex or county: a table, bars of people and of risk side by side, and maps of counties."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from policy_sim.io.boundaries import load_boundaries, place_counties
from policy_sim.render import theme
from policy_sim.render.maps.county_map import county_map
from policy_sim.render.maps.map_classes import quantile_classes
from policy_sim.render.numbers import LEAST_SHORT_SHARE, compact, percent, short_percent, status_word
from policy_sim.render.page import MARGIN, Page, new_page
from policy_sim.render.panels import percent_axis
from policy_sim.render.text_table import Column, layout, wrapped
from policy_sim.render.titles import attacker_words, span_words
from policy_sim.states import STATES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["breakdown_figures", "breakdown_table", "draw_breakdown"]

# What a part is called over a table or an axis.
TITLES: Mapping[str, str] = {
    "race": "race",
    "age": "age",
    "sex": "sex",
    "county": "county",
    "county-size": "county of",
}
_NOUNS = {"county-size": "size of county"}
_RACES = {
    "white": "White",
    "black": "Black",
    "aian": "American Indian or Alaska Native",
    "asian": "Asian",
    "nhpi": "Native Hawaiian or Pacific Islander",
    "other": "Some other race",
    "multiple": "Two or more races",
}
_SEXES = {"M": "Male", "F": "Female"}
_ROW, _HEAD, _LEFT, _GAP = 0.34, 0.75, 2.0, 0.35  # inches
_NOTES = (
    "risk %: total risk as a share of the group's own people; of all: the group's share of all expected "
    "re-identifications, %",
    "people who share their values with people in another group count in each group in proportion; the groups add up "
    "to the total",
)


def breakdown_table(rows: pd.DataFrame, width: int | None = None) -> str:
    """Write one row per part: its people, and under each policy and attacker its risk and its share of all.

    Parameters
    ----------
    rows : Tidy rows of one state, or added up over states; measures other than total risk are left out.
    """
    total = rows[rows["measure"] == "total-risk"]
    parts = total.drop_duplicates("value")
    by, values = str(total["by"].iloc[0]), [str(value) for value in parts["value"]]
    named = _names(by, values)
    key = [
        Column((TITLES[by],), tuple(named[value] for value in values), right=False),
        Column(("people",), tuple(compact(float(members)) for members in parts["members"])),
        Column(("%",), tuple(short_percent(float(x)).removesuffix("%") for x in parts["member_share"])),
    ]
    columns = []
    for policy, attacker in total[["policy", "attacker"]].drop_duplicates().itertuples(index=False):
        part = total[(total["policy"] == policy) & (total["attacker"] == attacker)].set_index("value").reindex(values)
        head = (theme.policy_title(str(policy)), theme.attacker_title(str(attacker)))
        words = part["status"] if "status" in part else pd.Series("unknown", index=part.index)
        for name, label in (("share", "risk %"), ("of_total", "of all")):
            cells = zip(part[name], part["people"], words, strict=True)
            columns.append(Column((*head, label), tuple(_cell(*cell) for cell in cells)))
    return "\n".join([layout(key, columns, width), *wrapped(_NOTES, width)])


def _cell(share: float | None, at_risk: float | None, status: object) -> str:
    if at_risk is None or pd.isna(at_risk):
        return status_word(status)
    return "" if share is None or pd.isna(share) else short_percent(share).removesuffix("%")


def _names(by: str, values: Sequence[str]) -> dict[str, str]:
    """What each part is called; counties by code and name where the boundaries have one."""
    if by == "county":
        county_names = load_boundaries("county")["name"]
        return {code: f"{code} {county_names[code]}" if code in county_names.index else code for code in values}
    words = {"race": _RACES, "sex": _SEXES}.get(by, {})
    return {value: words.get(value, value) for value in values}


def breakdown_figures(rows: pd.DataFrame, footer: Sequence[str] = ()) -> Iterator[tuple[str, Figure]]:
    """Draw each policy and attacker: counties as a map, other parts as bars, with the name of the file.

    Parameters
    ----------
    rows : As for :func:`breakdown_table`; counties of one state or of several.
    footer : Whose census, which lists, which options; one line each.

    Returns
    -------
    Nothing by county where no county is of the United States.
    """
    total = rows[(rows["measure"] == "total-risk") & rows["people"].notna()]
    by = str(rows["by"].iloc[0])
    if by != "county":
        yield f"by-{by}", _bars(total, by, footer)
        return
    for policy, attacker in total[["policy", "attacker"]].drop_duplicates().itertuples(index=False):
        part = total[(total["policy"] == policy) & (total["attacker"] == attacker)]
        if not place_counties(part["value"]).drawn:  # another country's: the map is of the United States
            continue
        yield f"map-county-{policy}-{attacker}", _map(part, str(policy), str(attacker), footer)


def _map(part: pd.DataFrame, policy: str, attacker: str, footer: Sequence[str]) -> Figure:
    shares = part["share"].to_numpy(dtype=float)
    table = pd.DataFrame({"county": part["value"], "value": shares, "value_high": shares, "status": "ok"})
    if "share_high" in part:
        table["value_high"] = part["share_high"].to_numpy(dtype=float)
        table["status"] = np.where(table["value_high"] != table["value"], "interval", "ok")
    span, name = span_words([*table["value"], *table["value_high"]], short_percent), theme.policy_title(policy)
    return county_map(
        table,
        quantile_classes(shares[table["status"] == "ok"], theme.RISK, least=LEAST_SHORT_SHARE),
        short_percent,
        title=f"In the counties of {_where(part)}, {attacker_words(attacker)} would match {span} of the people "
        f"under {name}",
        subtitle=f"Total risk, {name} × {theme.attacker_title(attacker)}: expected correct matches of a "
        "county's people, as a share of them",
        legend_title="share of the county's people; darker: more",
        footer=footer,
    )


def _bars(total: pd.DataFrame, by: str, footer: Sequence[str]) -> Figure:
    """Draw one panel per policy and attacker: share of the people and share of the risk of every part."""
    values = [str(value) for value in total["value"].unique()]
    cases = list(total[["policy", "attacker"]].drop_duplicates().itertuples(index=False))
    across = max(total["attacker"].nunique(), 1)
    down = -(-len(cases) // across)
    where = _where(total)
    with theme.styled():
        page = new_page(
            10.0,
            1.6 + 0.1 * len(footer) + down * (_HEAD + _ROW * len(values)),
            f"In {where}, the risk of re-identification differs by {_NOUNS.get(by, TITLES[by])}",
            "Gray: the group's share of the people. Blue: its share of all expected correct matches. "
            "Number: total risk as a share of the group's own people",
            footer,
        )
        for place, (policy, attacker) in enumerate(cases):
            part = total[(total["policy"] == policy) & (total["attacker"] == attacker)]
            axes = _axes(page, place, across, down)
            axes.set_title(
                f"{theme.policy_title(str(policy))} × {theme.attacker_title(str(attacker))}", loc="left", weight="bold"
            )
            draw_breakdown(part, axes, values=values)
        return page.figure


def _where(total: pd.DataFrame) -> str:
    if "state" in total and len(total["state"].unique()) == 1:
        return STATES[str(total["state"].iloc[0])].name
    number = int(total["states"].max()) if "states" in total else 0
    return f"{number} states" if number else "several states"


def _axes(page: Page, place: int, across: int, down: int) -> Axes:
    row, column = divmod(place, across)
    width = (page.width - 2 * MARGIN - across * _LEFT) / across - _GAP
    height = (page.top - page.bottom) / down
    left = MARGIN + column * (width + _LEFT + _GAP) + _LEFT
    top = page.top - row * height - 0.45
    return page.figure.add_axes(page.box(left, top - height + _HEAD, left + width, top))


def draw_breakdown(rows: pd.DataFrame, ax: Axes, *, values: Sequence[str] = ()) -> Axes:
    """Draw one panel of :func:`breakdown_figures` on your axes, and return them.

    Parameters
    ----------
    rows : Total risk under one policy and attacker, one row per group (``value``) of one breakdown (``by``).
    values : The groups and their order; by default those of the rows.
    """
    groups = list(values) or [str(value) for value in rows["value"].unique()]
    axes, part = ax, rows.drop_duplicates("value").set_index("value").reindex(groups)
    names = _names(str(rows["by"].iloc[0]), groups)
    at = np.arange(len(part))
    shares = part["member_share"].to_numpy(dtype=float, na_value=0.0)
    risks = part["of_total"].to_numpy(dtype=float, na_value=0.0)
    axes.barh(at - 0.19, shares, height=0.34, color=theme.PALE)
    axes.barh(at + 0.19, risks, height=0.34, color=theme.line_color(0))
    axes.set_yticks(at, [names[str(value)] for value in part.index])
    axes.set_ylim(len(part) - 0.45, -0.55)
    axes.set_xlim(0, max(shares.max(initial=0), risks.max(initial=0), 1e-9) * 1.28)
    percent_axis(axes, "x")
    axes.locator_params(axis="x", nbins=5)
    for y, (risk, own) in enumerate(zip(np.maximum(shares, risks), part["share"], strict=True)):
        text = "" if pd.isna(own) else percent(float(own))
        axes.annotate(
            text, (risk, y), xytext=(4, 0), textcoords="offset points", va="center", size=theme.SIZES["footer"]
        )
    return axes
