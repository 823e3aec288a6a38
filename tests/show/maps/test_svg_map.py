"""Maps as parts of a web page: shapes where they belong, statuses by their hatch, links where there are pages."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pandas as pd
import pytest

from policy_sim.files.boundaries import load_boundaries
from policy_sim.show.maps.fills import fills_of, given_classes
from policy_sim.show.maps.svg_map import svg_legend, svg_map
from policy_sim.show.numbers import percent

CLASSES = given_classes((0.0, 0.1, 0.5), "YlOrRd")
ROWS = [
    ("OH", 0.05, 0.05, "ok"),
    ("KY", 0.02, 0.4, "interval"),
    ("AL", 0.2, 0.3, "interval"),
    ("HI", None, None, "county_only"),
]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def fills():
    values = pd.DataFrame(ROWS, columns=["state", "value", "value_high", "status"])
    return fills_of(values, CLASSES, percent)


def _drawn(fills, addresses=()):
    text = svg_map("state", fills, {"OH": "Ohio: <5%>"}, name="m", label="a & b", addresses=dict(addresses))
    return ET.fromstring(text.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1))


def test_each_state_has_a_title_and_its_status_a_hatch_that_is_defined(fills):
    root = _drawn(fills)
    assert [title.text for title in root.iter(f"{SVG}title")] == ["Ohio: <5%>", "KY", "AL", "HI"]
    hatches = {path.get("fill") for path in root.iter(f"{SVG}path")} - {fill.face for fill in fills.values()}
    patterns = {f"url(#{pattern.get('id')})" for pattern in root.iter(f"{SVG}pattern")}
    assert hatches - {None, "none"} == patterns == {"url(#m-range)", "url(#m-interval)", "url(#m-county_only)"}


def test_only_states_with_a_page_are_links(fills):
    assert _drawn(fills).get("role") == "img"
    root = _drawn(fills, {"OH": "states/oh.html"})
    assert root.get("role") == "group"
    assert [(a.get("href"), a.get("aria-label")) for a in root.iter(f"{SVG}a")] == [("states/oh.html", "Ohio: <5%>")]


def test_the_legend_counts_every_state_once(fills):
    items = re.findall(r"<li>.*?</svg> (.*?)</li>", svg_legend(fills, CLASSES, percent, "states", "m"))
    kinds = [item.removesuffix(": 1 state").partition(":")[0] for item in items]
    assert kinds == ["0% to 10%", "10% to 50%", "unknown", "a range within this class", "no state list"]
    assert all(item.endswith(": 1 state") for item in items)


def test_shapes_have_their_share_of_the_page():
    """By conservation: the areas that are drawn are to each other as those of the boundaries, within a percent."""
    frame = load_boundaries("county")
    codes = frame.index[frame["state"] == "OH"]
    values = pd.DataFrame({"county": codes, "value": 0.05, "value_high": 0.05, "status": "ok"})
    text = svg_map("county", fills_of(values, CLASSES, percent, area="county"), {}, name="m", label="Ohio")
    drawn = [_area(path) for path in re.findall(r' d="(M[^"]+)" fill="#', text)]
    true = [shape.area for shape in frame.loc[codes, "geometry"]]
    scale = sum(drawn) / sum(true)
    assert len(drawn) == 88
    for one_drawn, one_true in zip(drawn, true, strict=True):
        assert one_drawn == pytest.approx(one_true * scale, rel=0.05)


def _area(path: str) -> float:
    """The area inside closed paths of steps, by the sum of Gauss; holes turn the other way."""
    total = 0.0
    for ring in path.removeprefix("M").split("M"):
        start, _, steps = ring.removesuffix("z").partition("l")
        x, y = map(int, start.split())
        numbers = [int(number) for number in re.findall(r"-?\d+", steps)]
        points = [(x, y)]
        for dx, dy in zip(numbers[::2], numbers[1::2], strict=True):
            points.append((points[-1][0] + dx, points[-1][1] + dy))
        total += sum(a * d - b * c for (a, b), (c, d) in zip(points, [*points[1:], points[0]], strict=True)) / 2
    return abs(total)
