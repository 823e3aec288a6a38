"""A map as a part of a web page: shapes that lead to pages, in the fills and classes of all maps, and its legend."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from policy_sim.files.boundaries import APEX, load_boundaries, turn_upright
from policy_sim.show import theme
from policy_sim.show.maps.figure import county_fills, state_fills, state_titles, values_of
from policy_sim.show.maps.fills import Classes, Fill, class_counts, share_classes, status_counts
from policy_sim.show.numbers import Formatter, alike, plain, short_percent

_WIDTH = 1000  # units of the drawing; coordinates are whole
_STEP = 8  # units between the lines of a hatch
_LEAST = 3.5e10  # square meters on the page of a state with room for a label
_LINES = {
    "|": f"M{_STEP / 2} 0V{_STEP}",
    "-": f"M0 {_STEP / 2}H{_STEP}",
    "/": f"M0 {_STEP}L{_STEP} 0",
    "\\": f"M0 0L{_STEP} {_STEP}",
}
_LINES |= {"x": _LINES["/"] + _LINES["\\"], "+": _LINES["|"] + _LINES["-"]}
_DOT = "M3 3h2v2h-2z"


def svg_map(
    level: str,
    fills: Mapping[str, Fill],
    titles: Mapping[str, str],
    *,
    name: str,
    label: str,
    addresses: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return a map of states or counties as SVG.

    ``level``: as for ``load_boundaries``. ``titles`` are shown where the pointer rests, ``label`` is for those who do
    not see the map, ``addresses`` say where a click on an area leads, and ``name`` is of this map alone on its page.
    """
    frame = load_boundaries(level)
    codes = [code for code in fills if code in frame.index]
    paths, height, points = _paths(level, codes)
    areas = []
    for code, path in zip(codes, paths, strict=True):
        words = escape(plain(titles.get(code, code)))
        marks = (f'<path d="{path}" fill="url(#{name}-{kind})"/>' for kind in fills[code].marks)
        look = 'class="blank"' if fills[code].kind == "missing" else f'fill="{fills[code].face}"'
        drawn = f'<g><title>{words}</title><path d="{path}" {look}/>{"".join(marks)}</g>'
        address = addresses.get(code, "")
        head = f'<a href="{escape(address)}" tabindex="-1" aria-label="{words}">'
        areas.append(f"{head}{drawn}</a>" if address else drawn)
    role = "group" if addresses else "img"  # nobody could reach a link inside a picture
    labels = (
        f'<text x="{x}" y="{y}" fill="{theme.ink_on(fills[code].face)}">{code}</text>'
        for code, (x, y) in points.items()
        if fills[code].kind != "missing"
    )
    return (
        f'<svg class="map" viewBox="0 0 {_WIDTH} {height}" role="{role}" aria-label="{escape(plain(label))}">'
        f"<defs>{''.join(_patterns(fills, name))}</defs>{''.join(areas)}{''.join(labels)}</svg>"
    )


def svg_legend(fills: Mapping[str, Fill], classes: Classes, write: Formatter, areas: str, name: str) -> str:
    """Return the legend of a map: each class and each status with how many ``areas`` it has."""
    limits = alike(classes.limits, write)
    counts = class_counts(fills, classes)
    rows = [
        (color, "", f"{low} to {high}", count)
        for color, low, high, count in zip(classes.colors, limits, limits[1:], counts, strict=False)
        if count
    ]
    for kind, count in status_counts(fills).items():
        style = theme.STATUSES[kind]
        rows.append((style.face or theme.PAPER, kind, style.label.replace("the label", "the table"), count))
    items = []
    for face, kind, label, count in rows:
        hatched = kind and theme.STATUSES[kind].hatch
        boxes = [f'<rect width="28" height="16" fill="{fill}"/>' for fill in (face, f"url(#{name}-{kind})")]
        box = f'<svg width="28" height="16" aria-hidden="true">{boxes[0]}{boxes[1] if hatched else ""}</svg>'
        items.append(f"<li>{box} {escape(label)}: {count} {areas if count != 1 else _ONE_OF[areas]}</li>")
    return f'<ul class="legend">{"".join(items)}</ul>'


_ONE_OF = {"states": "state", "counties": "county"}


def _patterns(fills: Mapping[str, Fill], name: str) -> Iterator[str]:
    """Return the hatch of each status that occurs."""
    for kind in dict.fromkeys(kind for fill in fills.values() for kind in fill.marks):
        lines = "".join(_LINES.get(sign, _DOT) for sign in dict.fromkeys(theme.STATUSES[kind].hatch))
        yield (
            f'<pattern id="{name}-{kind}" width="{_STEP}" height="{_STEP}" patternUnits="userSpaceOnUse">'
            f'<path d="{lines}" stroke="{theme.GREY}" fill="none"/></pattern>'
        )


def _paths(level: str, codes: list[str]) -> tuple[list[str], int, dict[str, tuple[int, int]]]:
    """Return the path of each area, how high the drawing is, and where the labels of large states stand."""
    import shapely

    frame = load_boundaries(level).loc[codes]
    angle = turn_upright(codes) if level == "county" else 0.0  # about where all meridians meet
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    shapes = shapely.transform(frame["geometry"].to_numpy(), lambda points: (points - (0, APEX)) @ turn + (0, APEX))
    west, south, east, north = shapely.total_bounds(shapes)
    scale = _WIDTH / max(east - west, north - south)
    shapes = shapely.coverage_simplify(shapes, 0.7 / scale)
    left = (_WIDTH - (east - west) * scale) / 2  # what is tall stands in the middle

    def on_page(points: Any) -> Any:
        return np.rint((points - (west, north)) * (scale, -scale) + (left, 0)).astype(int)

    labels = {}
    if level == "state":
        places = zip(codes, frame[["label_x", "label_y"]].to_numpy(), shapely.area(shapes), strict=True)
        labels = {code: tuple(on_page(point).tolist()) for code, point, area in places if area > _LEAST}
    paths = ["".join(_ring(on_page(shapely.get_coordinates(ring))) for ring in _rings(shape)) for shape in shapes]
    return paths, int(np.ceil((north - south) * scale)), labels


def _rings(shape: Any) -> Any:
    import shapely

    return shapely.get_rings(shapely.get_parts(shape))


def _ring(points: Any) -> str:
    """Return a closed path by steps from point to point; nothing where the area is less than a dot."""
    steps = np.diff(points, axis=0)
    steps = steps[np.any(steps != 0, axis=1)]
    if len(steps) < 2:
        return ""
    (x, y), moves = points[0], "".join(f"{dx} {dy} " if dy >= 0 else f"{dx}{dy} " for dx, dy in steps[:-1].tolist())
    return f"M{x} {y}l{moves.strip()}z"


# Maps with a caption and a legend: the states under a policy, and the counties of a state.


def map_of_states(rows: pd.DataFrame, name: str, caption: str, addresses: Mapping[str, str]) -> str:
    """Return a map of total risk; ``rows``: those of one policy and attacker, ``name``: of this map on its page."""
    values = values_of(rows[rows["measure"] == "total-risk"], "share")
    classes = share_classes(values)
    fills, label = state_fills(values, classes, short_percent), f"Map. {caption} The table has every figure."
    drawing = svg_map("state", fills, state_titles(fills), name=name, label=label, addresses=addresses)
    return _figure(drawing, caption, svg_legend(fills, classes, short_percent, "states", name))


def map_of_counties(rows: pd.DataFrame, caption: str) -> str:
    """Return a map of the counties of a state; ``rows``: a breakdown by county, of total risk."""
    values = values_of(rows, "share", area="county", code="value")
    classes = share_classes(values)
    placement, _, fills = county_fills(values, classes, short_percent)
    names = load_boundaries("county")["name"]
    titles = {area: f"{names[area]}: {fill.text}" for area, fill in fills.items()}
    drawing = svg_map("county", fills, titles, name="county", label=f"Map. {caption}")
    notes = " ".join((caption, *placement.notes()))
    return _figure(drawing, notes, svg_legend(fills, classes, short_percent, "counties", "county"))


def _figure(drawing: str, caption: str, legend: str) -> str:
    return f"<figure>{drawing}{legend}<figcaption>{escape(caption)}</figcaption></figure>"
