from __future__ import annotations

import math
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import shapely

from policy_sim.files.boundaries import APEX, load_boundaries, turn_upright
from policy_sim.show import theme
from policy_sim.show.maps.figure import county_map, label_points, outlines, upright
from policy_sim.show.maps.fills import given_classes
from policy_sim.show.numbers import percent
from policy_sim.show.save import save_figure
from policy_sim.words.errors import InputError
from policy_sim.words.states import STATES

CLASSES = given_classes([0, 0.5, 1], theme.RISK)
WORDS = {"title": "Counties", "subtitle": "a share", "legend_title": "share"}


def frame(codes):
    values = pd.DataFrame({"county": list(codes), "value": 0.2, "value_high": 0.2, "status": "ok"})
    return values.astype({"value": "Float64", "value_high": "Float64"})


def texts(figure):
    return [artist.get_text() for artist in figure.findobj(lambda a: hasattr(a, "get_text"))]


def drawn(figure):
    axes = next(axes for axes in figure.axes if axes.get_label() == "map")
    return {collection.get_label(): collection for collection in axes.collections}


def test_the_counties_of_a_state_are_drawn_and_hatched_by_status(assert_nothing_is_cut):
    values = frame(code for code in load_boundaries("county").index if code.startswith("39"))
    values.loc[values["county"] == "39049", ["value", "value_high"]] = pd.NA
    values.loc[values["county"] == "39049", "status"] = "not_sold"
    figure = county_map(values, CLASSES, percent, **WORDS)
    assert len(drawn(figure)["counties"].get_paths()) == 88
    assert len(drawn(figure)["not_sold"].get_paths()) == 1
    assert len(drawn(figure)["states"].get_paths()) == 1
    assert_nothing_is_cut(figure)


def test_what_the_map_cannot_draw_stands_in_its_foot():
    figure = county_map(frame(["51005", "51560"]), CLASSES, percent, **WORDS)
    assert any(text.startswith("Not drawn: 51560 (Clifton Forge") for text in texts(figure))


def test_counties_of_a_state_that_the_table_lacks_are_blank_not_low():
    figure = county_map(frame(["10001"]), CLASSES, percent, **WORDS)
    assert len(drawn(figure)["counties"].get_paths()) == 3
    assert "not in the table (2)" in texts(figure)


def test_codes_that_no_map_has_are_refused():
    with pytest.raises(InputError, match="five-digit FIPS"):
        county_map(frame(["Franklin"]), CLASSES, percent, **WORDS)


def test_a_state_stands_upright():
    """Ohio's border with Michigan runs level on a map of its own; on the nation's it leans."""
    codes = [code for code in load_boundaries("county").index if code.startswith("39")]
    turned = upright(codes)
    paths = {code: outlines("county")[code].transformed(turned) for code in codes}
    points = np.concatenate([path.vertices for path in paths.values()])
    north_west = points[np.argmin(points[:, 0] - points[:, 1])]
    fulton = paths["39051"].vertices  # on the border with Michigan, as Williams to its west is
    slope = (fulton[:, 1].max() - north_west[1]) / (fulton[:, 0].max() - north_west[0])
    assert abs(slope) < 0.03
    before = np.concatenate([outlines("county")[code].vertices for code in codes])
    assert np.linalg.norm(before[:, None][:5] - before[5:9], axis=-1) == pytest.approx(
        np.linalg.norm(points[:, None][:5] - points[5:9], axis=-1)
    ), "a turn changes no distance"


def test_the_turn_is_the_projection_about_the_states_own_meridian():
    """Albers about another meridian is the same map turned about the apex (Snyder 1987, chapter 14)."""
    pyproj = pytest.importorskip("pyproj")
    albers = "+proj=aea +lat_1=29.5 +lat_2=45.5 +lat_0=23 +lon_0={} +datum=NAD83"
    page, own = (pyproj.Transformer.from_crs("EPSG:4269", albers.format(lon), always_xy=True) for lon in (-96, -82.7))
    (x, y), (u, v) = page.transform(-80.6, 41.9), own.transform(-80.6, 41.9)
    angle = _turn_between(page, own)
    cos, sin = math.cos(angle), math.sin(angle)
    assert (x * cos - (y - APEX) * sin, x * sin + (y - APEX) * cos + APEX) == pytest.approx((u, v), abs=1)


def _turn_between(page, own):
    """The angle from the apex between the same place on both maps."""
    (x, y), (u, v) = page.transform(-84.0, 39.0), own.transform(-84.0, 39.0)
    return math.atan2(u, v - APEX) * -1 + math.atan2(x, y - APEX)


def test_the_nation_and_states_moved_in_stay_as_they_are():
    index = load_boundaries("county").index
    assert turn_upright(index) == 0
    assert turn_upright([code for code in index if code.startswith("02")]) == 0
    assert turn_upright([]) == 0


def test_a_county_says_its_name_where_the_pointer_rests(tmp_path):
    values = frame(code for code in load_boundaries("county").index if code.startswith("39"))
    values.loc[values["county"] == "39049", "status"] = "interval"
    values.loc[values["county"] == "39049", "value_high"] = 0.9
    _, svg = save_figure(county_map(values, CLASSES, percent, **WORDS), tmp_path / "map")
    text = svg.read_text(encoding="utf-8")
    assert text.count("<title>Adams, Ohio: 20%</title>") == 1
    assert "<title>Franklin, Ohio: 20–90%</title>" in text
    assert "title:" not in text
    ElementTree.fromstring(text)


def area(path):
    """The area within all rings, holes taken off: rings turn in opposite ways."""
    return abs(sum(shoelace(ring) for ring in path.to_polygons(closed_only=True)))


def shoelace(ring):
    x, y = ring[:, 0], ring[:, 1]
    return float(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])) / 2


def test_every_state_has_one_path_and_a_label_inside_it():
    assert set(outlines("state")) == set(label_points()) == set(STATES)
    frame = load_boundaries("state")
    for state, point in label_points().items():
        assert shapely.contains_xy(frame.loc[state, "geometry"], *point), state


def test_a_path_has_the_area_of_its_boundary_holes_and_islands_too():
    frame = load_boundaries("state")
    for state, path in outlines("state").items():
        assert area(path) == pytest.approx(frame.loc[state, "geometry"].area, rel=1e-9), state


def test_a_coarse_map_has_fewer_points_and_every_state():
    fine, coarse = outlines("state"), outlines("state", coarse=True)
    assert set(coarse) == set(fine)
    assert sum(len(path) for path in coarse.values()) < 0.8 * sum(len(path) for path in fine.values())


def test_turning_a_state_upright_changes_no_distance():
    points = outlines("state")["WA"].vertices
    turned = upright(["53033"]).transform(points)
    assert not np.allclose(turned, points)
    np.testing.assert_allclose(np.linalg.norm(turned - turned[0], axis=1), np.linalg.norm(points - points[0], axis=1))
