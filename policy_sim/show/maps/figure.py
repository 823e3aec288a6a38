"""Maps as figures: of counties, and of states with insets."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from policy_sim.attackers import VOTER, bought_by
from policy_sim.files.boundaries import APEX, Placement, load_boundaries, place_counties, turn_upright
from policy_sim.files.toml import shipped_table
from policy_sim.show import theme
from policy_sim.show.maps.fills import (
    LEGEND_HEIGHT,
    MISSING,
    Classes,
    Fill,
    draw_fills,
    draw_legend,
    fills_of,
    given_classes,
    known_values,
    log_classes,
    share_classes,
)
from policy_sim.show.numbers import (
    LEAST_COMPACT,
    LEAST_SHORT_USD,
    Formatter,
    attacker_words,
    fact_ends,
    ratio,
    rounded,
    short_dollars,
    short_percent,
    short_ratio,
    span_words,
)
from policy_sim.show.panels import Page, new_page
from policy_sim.show.theme import COST, TRUST, attacker_title, policy_phrase, policy_title
from policy_sim.words.errors import InputError
from policy_sim.words.states import POSTAL_OF_FIPS, STATES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.path import Path
    from matplotlib.transforms import Affine2D


# Meters on the page that nobody sees on a map of the nation: most of a pixel.
_UNSEEN = 2_500.0


@cache
def outlines(level: str, *, coarse: bool = False) -> Mapping[str, Path]:
    """Return a path per state or county, in meters on the page; ``coarse``: as a map of the nation needs them."""
    import shapely

    frame = load_boundaries(level)
    shapes = frame["geometry"].to_numpy()
    if coarse:
        shapes = shapely.coverage_simplify(shapes, _UNSEEN)
    return dict(zip(frame.index, map(_path, shapely.normalize(shapes)), strict=True))


def upright(counties: Collection[str]) -> Affine2D:
    """Return how the page is turned so that the states of these counties stand upright."""
    from matplotlib.transforms import Affine2D

    angle = turn_upright(counties)
    return Affine2D().rotate_around(0.0, APEX, angle) if angle else Affine2D()


@cache
def label_points() -> Mapping[str, tuple[float, float]]:
    """Return where each state's label has most room, in meters on the page."""
    frame = load_boundaries("state")
    points = zip(frame["label_x"].tolist(), frame["label_y"].tolist(), strict=True)
    return dict(zip(frame.index, points, strict=True))


def _path(shape: Any) -> Path:
    """Join all rings of a (multi)polygon; outer and inner rings turn in opposite ways, so holes stay open."""
    import shapely
    from matplotlib.path import Path

    rings = map(shapely.get_coordinates, shapely.get_rings(shapely.get_parts(shape)))
    return Path.make_compound_path(*(Path(ring, closed=True) for ring in rings))


# A map of counties, of the nation or of the states that the table has; what it cannot draw stands below it.


_WIDTH, _HEIGHT = 10.0, 7.2  # inches; the notes come on top
_ROOM = 0.03  # of the extent, around it
_CROWD = 400  # counties from which on lines are thin and shapes coarse


def county_map(
    values: pd.DataFrame,
    classes: Classes,
    write: Formatter,
    *,
    title: str,
    subtitle: str,
    legend_title: str,
    footer: Sequence[str] = (),
) -> Figure:
    """Draw one figure per county, over the states that the table has counties of.

    ``values``: one row per county with ``county`` (five-digit FIPS code of any vintage from 2000 on), ``value``,
    ``value_high`` and ``status``, as for ``state_map``.
    """
    placement, fills, areas = county_fills(values, classes, write)
    with new_page(_WIDTH, _HEIGHT, title, subtitle, [*footer, *placement.notes()]) as page:
        _draw_counties(areas, map_axes(page))
        draw_legend(page, legend_title, classes, write, areas, "counties", counted=fills)
        return page.figure


def draw_county_map(values: pd.DataFrame, ax: Axes, *, classes: Classes, write: Formatter) -> Axes:
    """Draw the counties of :func:`county_map`, without its head and legend, on your axes, and return them."""
    _, _, areas = county_fills(values, classes, write)
    return _draw_counties(areas, ax)


def county_fills(
    values: pd.DataFrame, classes: Classes, write: Formatter
) -> tuple[Placement, dict[str, Fill], dict[str, Fill]]:
    """Return which code is drawn where, and the fills by code of the table and by area of the map."""
    placement = place_counties(values["county"])
    if not placement.drawn:
        raise InputError("The map has no county of the table. Use five-digit FIPS codes such as 39049.")
    fills = fills_of(values, classes, write, area="county")
    areas = dict.fromkeys(placement.blank, MISSING)
    return placement, fills, areas | {area: fills[code] for area, code in placement.drawn.items()}


def _draw_counties(areas: Mapping[str, Fill], axes: Axes) -> Axes:
    """Draw the counties, and over them the borders of their states; where the pointer rests, each is named."""
    from matplotlib.collections import PathCollection

    crowded = len(areas) > _CROWD
    turn, paths = upright(areas), outlines("county", coarse=crowded)
    counties = {area: paths[area].transformed(turn) for area in areas}
    points = np.concatenate([path.vertices for path in counties.values()])
    (west, south), (east, north) = points.min(axis=0), points.max(axis=0)
    room = _ROOM * max(east - west, north - south)
    axes.set(xlim=(west - room, east + room), ylim=(south - room, north + room), aspect="equal")
    axes.set_axis_off()
    frame = load_boundaries("county").loc[list(areas)]
    named = zip(areas, frame["name"], frame["state"], strict=True)
    titles = {area: f"{name}, {STATES[str(state)].name}: {areas[area].text}" for area, name, state in named}
    draw_fills(axes, counties, areas, 0.15 if crowded else 0.4, "counties", titles)
    codes = sorted({POSTAL_OF_FIPS[area[:2]] for area in areas})
    borders = [outlines("state", coarse=crowded)[code].transformed(turn) for code in codes]
    look: dict[str, Any] = {"facecolors": "none", "edgecolors": theme.INK, "linewidths": 0.5, "label": "states"}
    axes.add_collection(PathCollection(borders, transform=axes.transData, **look), autolim=False)
    return axes


_PAGE_X, _PAGE_Y = (-2.45e6, 3.05e6), (0.17e6, 3.22e6)  # meters on the page, as all below

_PLACES = shipped_table("boundaries/labels.toml")
_BOX, _SPACE = (0.13e6, 0.09e6), 0.03e6
_LONG = 8  # letters of an interval that fit on one line of a state


def state_map(
    values: pd.DataFrame,
    classes: Classes,
    write: Formatter,
    *,
    title: str,
    subtitle: str,
    legend_title: str,
    footer: Sequence[str] = (),
    restricted: Collection[str] = (),
) -> Figure:
    """Draw one figure per state.

    ``values``: one row per state with ``state`` (postal code), ``value``, ``value_high`` and ``status``. Where
    ``status`` is ``interval`` and the ends lie in different classes the state has a color of its own and both ends in
    its label; where ``value`` is missing the state is hatched by its status; states without a row are left white.
    Puerto Rico is drawn where it has a row. ``restricted``: states whose list only some may have: hatched, with a star.
    """
    fills = state_fills(values, classes, write, restricted)
    with new_page(_WIDTH, _HEIGHT, title, subtitle, footer) as page:
        draw_states(fills, map_axes(page))
        draw_legend(page, legend_title, classes, write, fills, "states")
        return page.figure


def draw_state_map(
    values: pd.DataFrame, ax: Axes, *, classes: Classes, write: Formatter, restricted: Collection[str] = ()
) -> Axes:
    """Draw the states of :func:`state_map` without head and legend on your axes, best 10 inches wide."""
    return draw_states(state_fills(values, classes, write, restricted), ax)


def state_fills(
    values: pd.DataFrame, classes: Classes, write: Formatter, restricted: Collection[str] = ()
) -> dict[str, Fill]:
    """Return how each state is drawn: white where it has no row, and Puerto Rico only where it has one."""
    return {code: MISSING for code in STATES if code != "PR"} | fills_of(values, classes, write, restricted=restricted)


def draw_states(fills: Mapping[str, Fill], axes: Axes) -> Axes:
    """Draw and label the states, and return the axes."""
    axes.set(xlim=_PAGE_X, ylim=_PAGE_Y, aspect="equal")
    axes.set_axis_off()
    draw_fills(axes, outlines("state", coarse=True), fills, 0.7, "states", state_titles(fills))
    for code, fill in fills.items():
        if fill is MISSING or code not in label_points():
            continue
        boxes = _PLACES["boxes"] | (_PLACES["ranges"] if len(fill.text) > _LONG else {})
        if code in boxes:
            _call_out(axes, code, fill, boxes[code])
        else:
            _label(axes, code, fill)
    return axes


def state_titles(fills: Mapping[str, Fill]) -> dict[str, str]:
    """Return what each state says where the pointer rests on it."""
    return {code: f"{STATES[code].name}: {fill.text}" for code, fill in fills.items() if code in STATES}


def map_axes(page: Page, legend: float = LEGEND_HEIGHT) -> Axes:
    """Make the axes of a map on a page, above ``legend`` inches for the legend."""
    return page.axes(0.1, page.bottom + legend, page.width - 0.1, page.top, label="map")


def _label(axes: Axes, code: str, fill: Fill) -> None:
    from policy_sim.show.artists import HaloText

    beside = code in _PLACES["beside"]
    x, y = _PLACES["beside"].get(code, label_points()[code])
    figure = fill.text.replace("–", "–\n") if len(fill.text) > _LONG else fill.text
    ink = theme.INK if beside else theme.ink_on(fill.face)
    look: dict[str, Any] = {"size": theme.SIZES["map"], "ha": "center", "va": "center", "linespacing": 1.0}
    words = f"{code}\n{figure}" if beside or fill.has_figure else code
    axes.add_artist(HaloText(x, y, words, halo=theme.PAPER if beside else fill.face, color=ink, **look))


def _call_out(axes: Axes, code: str, fill: Fill, corner_of_box: tuple[float, float]) -> None:
    """Draw the state's color again, large enough to see, with its figure on the side away from the state."""
    from matplotlib.patches import Rectangle

    (x, y), (width, height), at = corner_of_box, _BOX, label_points()[code]
    eastward = x > at[0]
    axes.plot([x if eastward else x + width, at[0]], [y, at[1]], color=theme.GREY, linewidth=0.5, zorder=3)
    corner = (x, y - height / 2)
    for face, hatch, edge in ((fill.face, fill.hatch, fill.hatch_color), ("none", "", theme.GREY)):
        axes.add_patch(Rectangle(corner, width, height, fc=face, ec=edge, lw=0.5, hatch=hatch or None, zorder=4))
    axes.text(
        x + width + _SPACE if eastward else x - _SPACE,
        y,
        f"{code} {fill.text}",
        size=theme.SIZES["map"],
        va="center",
        ha="left" if eastward else "right",
    )


# The maps of a comparison: total risk, trust differential and cost per re-identification, by state.


def total_risk_map(
    profiles: pd.DataFrame,
    policy: str,
    attacker: str,
    footer: Sequence[str] = (),
    classes: Classes | None = None,
    who: str = "",
) -> Figure:
    """Draw total risk as a share of each state's people; maps can share ``classes``, ``who`` names the attacker."""
    selection = (
        (profiles["measure"] == "total-risk") & (profiles["policy"] == policy) & (profiles["attacker"] == attacker)
    )
    values = values_of(profiles[selection], "share")
    span = _sure_span(values)
    who, name, phrase = who or attacker_words(attacker), policy_title(policy), policy_phrase(policy)
    return state_map(
        values,
        classes or share_classes(values),
        short_percent,
        title=_sentence(f"{who} would match {span} of a state's people under {phrase}", span, phrase),
        subtitle=f"Total risk, {name} × {attacker_title(attacker)}: expected correct matches, lucky guesses "
        "included, as a share of everyone in the state",
        legend_title="share of the population; darker: more",
        footer=footer,
    )


def trust_map(trust: pd.DataFrame, attacker: str, footer: Sequence[str] = (), classes: Classes | None = None) -> Figure:
    """Draw the trust differential of total risk, in classes of equal steps on a logarithmic scale."""
    rows = trust[(trust["measure"] == "total-risk") & (trust["attacker"] == attacker)]
    above, below = (
        policy_phrase(rows[name].iloc[0]) if len(rows) else "?" for name in ("numerator_policy", "denominator_policy")
    )
    values = values_of(rows, "ratio")
    span = span_words(_ends(values), ratio)
    return state_map(
        values,
        classes or log_classes(known_values(values), TRUST, least=LEAST_COMPACT),
        short_ratio,
        title=_sentence(
            f"{attacker_words(attacker)} would match {span} times as many people under {above} as under {below}",
            span,
            above,
        ),
        subtitle=f"Trust differential, {above} over {below} × {attacker_title(attacker)}: ratio of the expected "
        "correct matches",
        legend_title="ratio of total risks, logarithmic steps; darker: more",
        footer=footer,
    )


def cost_map(
    cost: pd.DataFrame,
    policy: str,
    footer: Sequence[str] = (),
    classes: Classes | None = None,
    restricted: Collection[str] = (),
    attacker: str = VOTER,
) -> Figure:
    """Draw the price of the list, or of another file, over its expected re-identifications; free lists stand out."""
    rows = cost[cost["policy"] == policy]
    rows = rows[rows["attacker"] == attacker] if "attacker" in rows else rows
    values, goods = values_of(rows, "usd_per_reidentification"), bought_by([attacker])
    paid = values[values["status"] != "free"]
    span, free, name = span_words(_ends(paid), short_dollars), len(values) - len(paid), policy_title(policy)
    phrase = policy_phrase(policy)
    lists = f"; {free} {'list is' if free == 1 else 'lists are'} free" if free else ""
    words = f"a re-identification under {phrase} costs the buyer of a {goods} {span}{lists}"
    if not span and free:
        where = "1 state" if free == 1 else f"{free} states"
        words = f"a re-identification under {phrase} costs nothing in {where}, where the {goods} is free"
    return state_map(
        values,
        classes or log_classes(known_values(paid), COST, least=LEAST_SHORT_USD),
        short_dollars,
        title=_sentence(words, span or lists, phrase),
        subtitle=f"Cost per re-identification, {name} × {attacker_title(attacker)}: price of the {goods} over "
        "expected correct re-identifications",
        legend_title="US dollars, logarithmic steps; darker: cheaper",
        footer=footer,
        restricted=restricted,
    )


def _sentence(words: str, figures: str, policy: str) -> str:
    """Begin with a capital; where no state has a figure, say that instead."""
    return f"{words[0].upper()}{words[1:]}" if figures else f"No state has a figure under {policy}"


def _sure_span(values: pd.DataFrame) -> str:
    """Write the least and the largest share that some state surely has; ``at least`` where a range may exceed it."""
    rows = values.dropna(subset=["value", "value_high"])
    if rows.empty:
        return ""
    least, most = float(rows["value_high"].min()), float(rows["value"].max())
    low = ("at most " if rows["value"].min() < least else "") + short_percent(least)
    high = ("at least " if rows["value_high"].max() > most else "") + short_percent(most)
    return low if low == high else f"{low} to {high}"


def _ends(values: pd.DataFrame) -> list[float]:
    return [*values["value"], *values["value_high"]]


def values_of(rows: pd.DataFrame, name: str, area: str = "state", code: str = "state") -> pd.DataFrame:
    """Return what ``state_map`` or ``county_map`` takes; the lower end of an interval first, whichever end it was."""
    both = pd.concat(fact_ends(rows, name), axis=1)
    return pd.DataFrame(
        {area: rows[code], "value": both.min(axis=1), "value_high": both.max(axis=1), "status": rows["status"]}
    )


# The map of what states release: total risk under each state's own file, as a multiple of a textbook policy's.


def release_map(trust: pd.DataFrame, attacker: str, footer: Sequence[str] = ()) -> Figure:
    """Draw how many times the total risk of a textbook policy each state's own release has."""
    rows = trust[(trust["measure"] == "total-risk") & (trust["attacker"] == attacker)]
    below = policy_title(rows["denominator_policy"].iloc[0]) if len(rows) else "?"
    values = values_of(rows, "ratio")
    return state_map(
        values,
        log_classes(known_values(values), TRUST, least=LEAST_COMPACT),
        short_ratio,
        title=_release_map_sentence(values, below),
        subtitle=f"Total risk under each state's own newest inpatient file, divided by that under {below} × "
        f"{attacker_title(attacker)}; dates of care and diagnoses are not counted",
        legend_title=f"times {below}, logarithmic steps; darker: more",
        footer=footer,
    )


def _release_map_sentence(values: pd.DataFrame, below: str) -> str:
    """Say in how many states the release surely has more risk, and where it has most."""
    with_value = values.dropna(subset=["value"])
    if with_value.empty:
        return "No state has a figure for its own release"
    more = int((with_value["value"] > 1).sum())
    top = with_value.sort_values("value").iloc[-1]
    if not more:
        return f"No state's own file has more risk than {below}"
    times = f"{short_ratio(float(top['value']))} times as much in {top['state']}"
    if len(with_value) == 1:
        return f"The state's own file has more risk than {below}: {times}"
    return f"In {more} of {len(with_value)} states, the state's own file has more risk than {below}: {times}"


def case_plan_map(finest: pd.DataFrame, footer: Sequence[str] = ()) -> Figure:
    """Draw how many of the 96 ways to show a case each county's count allows (:func:`finest_allowed`)."""
    ways = finest["ways"].to_numpy(dtype=float)
    values = pd.DataFrame({"county": finest["county"], "value": ways, "value_high": ways, "status": "ok"})
    limits = sorted({0.0, 1.0, *[step for step in (6.0, 12.0, 24.0, 48.0) if step < ways.max()], ways.max() + 1})
    counties = int((ways > 0).sum())
    return county_map(
        values,
        given_classes(limits, TRUST),
        rounded,
        title=f"In {counties:,} of {len(ways):,} counties with a count, it allows a way to show each case",
        subtitle="Of 96 ways to show age, race, sex and ethnicity: how many this count of cases allows, by the "
        "97.5th percentile of the share of cases in small groups",
        legend_title="ways allowed; darker: more",
        footer=footer,
    )


def people_map(people_of: Mapping[str, int], of: str) -> Figure:
    """Draw where the people of a file live: by county (five digits) or by state (two letters); ``of``: ``records``."""
    people = np.array([*people_of.values()], dtype=float)
    if set(people_of) <= set(STATES):
        values = pd.DataFrame({"state": [*people_of], "value": people, "value_high": people, "status": "ok"})
        title, subtitle = f"Where they live: {of} by state", "States in which nobody lives are not colored"
        classes = log_classes(people, theme.RISK)
        return state_map(values, classes, rounded, title=title, subtitle=subtitle, legend_title=f"{of}; darker: more")
    values = pd.DataFrame({"county": [*people_of], "value": people, "value_high": people, "status": "ok"})
    classes = log_classes(people, theme.RISK)
    _, fills, areas = county_fills(values, classes, rounded)
    subtitle = "Counties in which nobody lives are not colored"
    with new_page(_WIDTH, _HEIGHT, f"Where they live: {of} by county", subtitle) as page:
        _draw_counties(areas, map_axes(page))
        draw_legend(page, f"{of}; darker: more", classes, rounded, fills, "counties", counted=fills)
        return page.figure
