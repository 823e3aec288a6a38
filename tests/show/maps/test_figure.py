"""Maps of states and counties: figures, labels, statuses, the maps of a comparison, and where each shape stands."""

from __future__ import annotations

import math
import re
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import shapely
from matplotlib.colors import to_hex, to_rgb

from policy_sim.files.boundaries import APEX, load_boundaries, turn_upright
from policy_sim.show import theme
from policy_sim.show.artists import HaloText
from policy_sim.show.distribution import comparison_figures
from policy_sim.show.maps.figure import (
    cost_map,
    county_map,
    label_points,
    outlines,
    people_map,
    release_map,
    total_risk_map,
    trust_map,
    upright,
    values_of,
)
from policy_sim.show.maps.fills import class_counts, fills_of, given_classes, known_values
from policy_sim.show.numbers import percent
from policy_sim.show.save import save_figure
from policy_sim.words.errors import InputError
from policy_sim.words.states import STATES

CLASSES = given_classes([0, 0.5, 1], theme.RISK)


def texts(figure):
    return [artist.get_text() for artist in figure.findobj(lambda a: hasattr(a, "get_text")) if artist.get_text()]


def words(figure):
    return " ".join(" ".join(texts(figure)).split())


def part(figure, label="map"):
    return next(axes for axes in figure.axes if axes.get_label() == label)


def collections(figure):
    return {collection.get_label(): collection for collection in part(figure).collections}


def drawn(figure, label="states"):
    return len(collections(figure)[label].get_paths())


@pytest.fixture(scope="module")
def voter_map(profiles, footer):
    return total_risk_map(profiles, "limited-dataset", "voter", footer)


def test_every_state_is_drawn_and_named_and_small_ones_stand_beside_the_map(voter_map):
    assert drawn(voter_map) == 51
    shown = texts(voter_map)
    for code in STATES:
        assert any(text.split()[0] == code for text in shown) == (code != "PR"), code
    for code in ("VT", "NH", "MA", "RI", "CT", "NJ", "DE", "MD", "DC"):
        assert any(text.startswith(f"{code} ") for text in shown), code


def test_each_status_has_its_own_hatch_on_the_states_and_in_the_legend(voter_map):
    for status, states in {"county_only": 1, "not_sold": 2, "unknown": 2, "range": 1}.items():
        assert drawn(voter_map, status) == states
        assert collections(voter_map)[status].get_hatch() == theme.STATUSES[status].hatch
        assert f"{theme.STATUSES[status].label} ({states})" in texts(voter_map)
    counts = [int(text.get_text()) for text in part(voter_map, "legend").texts if text.get_text().isdigit()]
    assert sum(counts) == 51 - 6, "the states with a figure"


def test_an_interval_over_classes_shows_both_ends_and_a_color_of_its_own(voter_map, profiles):
    case = {"state": "WA", "policy": "limited-dataset", "attacker": "voter", "measure": "total-risk"}
    (row,) = profiles[(profiles[list(case)] == pd.Series(case)).all(axis=1)].to_dict("records")
    both = next(text for text in texts(voter_map) if text.startswith("WA\n"))
    assert percent(row["share"]).removesuffix("%") in both
    assert percent(row["share_high"]) in both
    faces = collections(voter_map)["states"].get_facecolors()
    place = [code for code in STATES if code != "PR"].index("WA")
    assert to_hex(faces[place]) == theme.STATUSES["range"].face


def test_an_interval_inside_a_class_has_its_color_and_one_beyond_the_limits_has_not():
    """Alabama's <0.001 to 57.9% is no safest state; 0.2 to 0.3 is in the lower class whichever it is."""
    ends = {"AL": (0.00001, 0.579), "OH": (0.2, 0.3), "TX": (0.2, 1.5), "IN": (0.5, 0.5)}
    rows = [(state, *pair, "interval") for state, pair in ends.items()]
    fills = fills_of(pd.DataFrame(rows, columns=["state", "value", "value_high", "status"]), CLASSES, percent)
    assert [fills[code].kind for code in ends] == ["range", "interval", "range", "interval"]
    assert fills["AL"].face not in CLASSES.colors
    assert "0.001" in fills["AL"].text
    assert "57.9%" in fills["AL"].text
    assert class_counts(fills, CLASSES) == [1, 1]


def test_a_free_list_is_not_a_low_price(cost, footer):
    figure = cost_map(cost, "limited-dataset", footer)
    faces = collections(figure)["states"].get_facecolors()
    free = [face for face in map(tuple, faces) if face[:3] == pytest.approx(to_rgb(theme.FREE))]
    assert len(free) == 2
    assert "free list (2)" in texts(figure)


def test_states_that_were_not_asked_for_are_blank_and_puerto_rico_is_drawn_only_if_it_is(profiles):
    ohio = profiles[profiles["state"] == "OH"]
    assert "not in the table (50)" in texts(total_risk_map(ohio, "limited-dataset", "general"))
    assert drawn(total_risk_map(pd.concat([profiles, ohio.assign(state="PR")]), "limited-dataset", "voter")) == 52


def test_several_maps_can_share_their_classes(profiles):
    classes = given_classes([0, 0.1, 0.5, 1], theme.RISK)
    assert "50%" in texts(total_risk_map(profiles, "limited-dataset", "general", classes=classes))


def test_labels_have_halos_and_no_boxes_and_do_not_lie_over_each_other(voter_map):
    """Names of states keep clear of each other: no two label boxes share more than a sliver."""
    labels = [text for text in part(voter_map).texts if "\n" in text.get_text()]
    assert len(labels) > 30
    assert all(isinstance(text, HaloText) and text.get_bbox_patch() is None for text in labels)
    with theme.styled():
        voter_map.draw_without_rendering()
        boxes = [(text.get_text(), text.get_window_extent()) for text in part(voter_map).texts]
    for (name, box), (other, another) in combinations(boxes, 2):
        shared = box.intersection(box, another)
        area = shared.width * shared.height if shared else 0
        assert area < 0.05 * min(box.width * box.height, another.width * another.height), (name, other)


def test_a_map_of_nothing_known_is_all_hatched(profiles):
    nothing = profiles[profiles["attacker"] == "voter"].copy()
    nothing[["people", "share", "people_high", "share_high"]] = pd.NA
    figure = total_risk_map(nothing.assign(status="unknown"), "limited-dataset", "voter")
    assert drawn(figure, "unknown") == 51
    assert "No state has a figure" in words(figure)


def test_titles_are_said_in_words(voter_map):
    """The title is a sentence with the ends that some state surely has, and says where a range may exceed them."""
    shown = words(voter_map)
    assert re.search(r"at most \S+% to at least \S+% of a state's people", shown)
    assert "Total risk, Limited data set × VOTER" in shown


def test_a_list_for_some_buyers_only_and_a_price_of_at_least_are_marked_on_the_map_of_prices(cost):
    """Massachusetts gives its list away, to candidates and parties: the public can have none."""
    rows = cost.assign(status=cost["status"].mask(cost["state"] == "NV", "at_least"))
    figure = cost_map(rows, "limited-dataset", restricted=["OH", "NV", "CA"])
    assert "OH\nfree*" in texts(figure)
    assert "VT free" in texts(figure)
    assert "restricted" in collections(figure)
    assert "CA" in texts(figure), "a list that nobody can buy has a mark of its own"
    assert f"{theme.STATUSES['restricted'].label} (2)" in texts(figure)
    assert next(text for text in texts(figure) if text.startswith("NV")).startswith("NV\n≥ $")
    assert drawn(figure, "at_least") == 1


def test_limits_and_labels_have_one_precision(profiles):
    """No limit is finer than the least that a label tells: 0.001%."""
    rows = profiles[(profiles["policy"] == "safe-harbor") & (profiles["attacker"] == "general")].copy()
    rows["share"] = rows["share_high"] = rows["share"] * [10.0 ** -(place % 6) for place in range(len(rows))]
    legend = part(total_risk_map(rows, "safe-harbor", "general"), "legend")
    limits = [float(text.get_text().strip("%")) for text in legend.texts if text.get_text().endswith("%")]
    assert limits[0] == 0
    assert min(limits[1:]) >= 0.001


def test_a_legend_with_every_status_stays_on_the_page(cost, footer, assert_nothing_is_cut):
    rows = cost[cost["policy"] == "limited-dataset"].reset_index(drop=True)
    for place, status in enumerate(sorted(set(theme.STATUSES) - {"missing", "restricted", "range"}), 12):
        rows.loc[place, "status"] = status
        if status not in ("interval", "at_least"):
            rows.loc[place, ["usd_per_reidentification", "usd_per_reidentification_high"]] = pd.NA
        if status == "interval":
            rows.loc[place, "usd_per_reidentification_high"] = rows["usd_per_reidentification"][place]
    figure = cost_map(rows.iloc[:-1], "limited-dataset", footer, restricted=["OH"])
    assert_nothing_is_cut(figure)
    named = {text.get_text().rpartition(" (")[0] for text in part(figure, "legend").texts}
    assert {style.label for style in theme.STATUSES.values()} <= named


# Whose rows are drawn, and the sentence above them, on rows made by hand.


def made(**columns):
    """Rows of total risk under Safe Harbor; a list has a value for each."""
    facts = {"measure": "total-risk", "policy": "safe-harbor", "attacker": "general", "status": "ok"} | columns
    return pd.DataFrame(facts, index=range(len(columns["state"])))


def test_the_cost_map_of_another_file_says_file_and_free_lists_are_counted_and_no_price():
    rows = made(
        state=["OH", "TX", "OH"],
        attacker=["births", "births", "voter"],
        usd_per_reidentification=[5.0, None, 7.0],
        status=["ok", "not_covered", "ok"],
    )
    shown = words(cost_map(rows, "safe-harbor", attacker="births"))
    assert "costs the buyer of a file $5" in shown
    assert "Safe Harbor × BIRTHS: price of the file" in shown
    assert "file has nobody from this state" in shown
    assert "voter list" not in shown
    free = rows.iloc[:1].assign(usd_per_reidentification=0.0, status="free")
    assert "costs nothing in 1 state, where" in words(cost_map(free, "safe-harbor", attacker="births"))
    lists = made(state=["OH", "WY"], attacker="voter", usd_per_reidentification=[0.0, 125.0], status=["free", "ok"])
    assert "1 list is free" in words(cost_map(lists, "safe-harbor"))
    both = lists.assign(usd_per_reidentification=0.0, status="free")
    assert "costs nothing in 2 states" in words(cost_map(both, "safe-harbor"))


@pytest.mark.parametrize(
    ("figures", "said"),
    [
        (
            [("NC", 2186.0, 2186.0, "ok"), ("ME", 0.02, 0.51, "interval"), ("OH", None, None, "unknown")],
            "In 1 of 2 states, .* more risk .*: 2,186 times .* NC",
        ),
        ([("NC", 12.0, 12.0, "ok")], "more risk .*: 12 times .* NC"),
        ([("ME", 0.5, 0.5, "ok")], "No state's own file has more risk"),
        ([("OH", None, None, "unknown")], "No state has a figure"),
    ],
)
def test_the_map_of_the_states_own_releases_counts_what_is_known(figures, said):
    ratios = pd.DataFrame(figures, columns=["state", "ratio", "ratio_high", "status"])
    facts = {"numerator_policy": "release:newest", "denominator_policy": "safe-harbor"}
    rows = ratios.assign(attacker="general", measure="total-risk", **facts)
    assert re.search(said, words(release_map(rows, "general", ["footer"])))


def test_the_lower_end_comes_first_whichever_it_was_and_a_column_without_another_end_is_both():
    values = values_of(
        made(state=["OH", "WY"], share=[0.4, 0.2], share_high=[0.1, 0.2], status=["interval", "ok"]), "share"
    )
    assert values[["value", "value_high"]].to_numpy().tolist() == [[0.1, 0.4], [0.2, 0.2]]
    assert known_values(values).tolist() == [0.2]
    alone = values_of(made(state=["OH"], usd=[3.0]), "usd")
    assert alone[["value", "value_high"]].to_numpy().tolist() == [[3.0, 3.0]]


def test_only_rows_of_the_policy_the_attacker_and_total_risk_are_drawn():
    frame = made(
        state=["OH", "WY", "TX", "CA"],
        measure=["total-risk", "total-risk", "g-distinct", "total-risk"],
        policy=["safe-harbor", "safe-harbor", "safe-harbor", "limited-dataset"],
        share=[0.125, 0.25, 0.5, 0.75],
    )
    shown = words(total_risk_map(frame, "safe-harbor", "general"))
    assert [text in shown for text in ("12.5%", "25%", "75%", "50%")] == [True, True, False, False]


def test_a_ratio_names_what_is_above_and_below():
    pair = {"numerator_policy": "limited-dataset", "denominator_policy": "safe-harbor"}
    shown = words(trust_map(made(state=["OH", "WY"], ratio=[2.0, 8.0], **pair), "general"))
    assert re.search("2 to 8 times .* limited data set .* Safe Harbor", shown)


@pytest.mark.slow
def test_labels_of_the_shipped_maps_keep_two_points_apart():
    """The figures that readers see, drawn again."""
    today = Path(__file__).resolve().parents[3] / "reports" / "today"
    frames = (pd.read_csv(today / f"{name}.csv") for name in ("profiles", "trust", "cost"))
    some_buyers = ["CA", "IL", "IN", "KY", "MD", "MA", "MN", "ND", "NH", "OK", "SC", "VA", "WY"]
    for name, figure in comparison_figures(*frames, ["note"] * 3, restricted=some_buyers):
        with theme.styled():
            figure.draw_without_rendering()
            apart = figure.dpi / 72
            boxes = [(text.get_text(), text.get_window_extent().padded(apart)) for text in part(figure).texts]
        assert len(boxes) == 51
        touching = [(a, b) for (a, x), (b, y) in combinations(boxes, 2) if x.overlaps(y)]
        assert not touching, name


# Maps of counties.


OHIO = [code for code in load_boundaries("county").index if code.startswith("39")]


def counties(codes, **franklin):
    """A map on which every county has 20%, except Franklin."""
    values = pd.DataFrame({"county": list(codes), "value": 0.2, "value_high": 0.2, "status": "ok"})
    values = values.astype({"value": "Float64", "value_high": "Float64"})
    for name, value in franklin.items():
        values.loc[values["county"] == "39049", name] = value
    return county_map(values, CLASSES, percent, title="Counties", subtitle="a share", legend_title="share")


def test_the_counties_of_a_state_are_drawn_and_hatched_by_status(assert_nothing_is_cut):
    figure = counties(OHIO, value=pd.NA, value_high=pd.NA, status="not_sold")
    assert [drawn(figure, label) for label in ("counties", "not_sold", "states")] == [88, 1, 1]
    assert_nothing_is_cut(figure)


def test_what_the_map_cannot_draw_stands_in_its_foot_and_what_the_table_lacks_is_blank_not_low():
    figure = counties(["51005", "51560"])
    assert any(text.startswith("Not drawn: 51560 (Clifton Forge") for text in texts(figure))
    delaware = counties(["10001"])
    assert drawn(delaware, "counties") == 3
    assert "not in the table (2)" in texts(delaware)
    with pytest.raises(InputError, match="five-digit FIPS"):
        counties(["Franklin"])


def test_a_county_says_its_name_where_the_pointer_rests(tmp_path):
    _, svg = save_figure(counties(OHIO, status="interval", value_high=0.9), tmp_path / "map")
    text = svg.read_text(encoding="utf-8")
    assert text.count("<title>Adams, Ohio: 20%</title>") == 1
    assert "<title>Franklin, Ohio: 20–90%</title>" in text
    assert "title:" not in text
    ElementTree.fromstring(text)


# Where shapes stand.


def test_a_state_stands_upright_and_turning_it_changes_no_distance():
    """Ohio's border with Michigan runs level on a map of its own; on the nation's it leans."""
    turned = upright(OHIO)
    paths = {code: outlines("county")[code].transformed(turned) for code in OHIO}
    points = np.concatenate([path.vertices for path in paths.values()])
    north_west = points[np.argmin(points[:, 0] - points[:, 1])]
    fulton = paths["39051"].vertices  # on the border with Michigan, as Williams to its west is
    slope = (fulton[:, 1].max() - north_west[1]) / (fulton[:, 0].max() - north_west[0])
    assert abs(slope) < 0.03
    before = np.concatenate([outlines("county")[code].vertices for code in OHIO])
    assert not np.allclose(before, points)
    np.testing.assert_allclose(np.linalg.norm(points - points[0], axis=1), np.linalg.norm(before - before[0], axis=1))


def test_the_turn_is_the_projection_about_the_states_own_meridian():
    """Albers about another meridian is the same map turned about the apex (Snyder 1987, chapter 14)."""
    pyproj = pytest.importorskip("pyproj")
    albers = "+proj=aea +lat_1=29.5 +lat_2=45.5 +lat_0=23 +lon_0={} +datum=NAD83"
    page, own = (pyproj.Transformer.from_crs("EPSG:4269", albers.format(lon), always_xy=True) for lon in (-96, -82.7))
    # the angle from the apex between the same place on both maps
    (x, y), (u, v) = page.transform(-84.0, 39.0), own.transform(-84.0, 39.0)
    angle = math.atan2(x, y - APEX) - math.atan2(u, v - APEX)
    cos, sin = math.cos(angle), math.sin(angle)
    (x, y), (u, v) = page.transform(-80.6, 41.9), own.transform(-80.6, 41.9)
    assert (x * cos - (y - APEX) * sin, x * sin + (y - APEX) * cos + APEX) == pytest.approx((u, v), abs=1)


def test_the_nation_and_states_moved_in_stay_as_they_are():
    index = load_boundaries("county").index
    for codes in (index, [code for code in index if code.startswith("02")], []):
        assert turn_upright(codes) == 0


def area(path):
    """The area within all rings, holes taken off: rings turn in opposite ways."""
    rings = (ring.T for ring in path.to_polygons(closed_only=True))
    return abs(sum(float(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])) / 2 for x, y in rings))


def test_every_state_has_one_path_of_its_area_and_a_label_inside_it():
    """Holes and islands too; a coarse map has fewer points and every state."""
    fine, coarse, frame = outlines("state"), outlines("state", coarse=True), load_boundaries("state")
    assert set(fine) == set(coarse) == set(label_points()) == set(STATES)
    for state, path in fine.items():
        assert shapely.contains_xy(frame.loc[state, "geometry"], *label_points()[state]), state
        assert area(path) == pytest.approx(frame.loc[state, "geometry"].area, rel=1e-9), state
    assert sum(len(path) for path in coarse.values()) < 0.8 * sum(len(path) for path in fine.values())


def test_people_of_a_file_are_drawn_by_state_or_by_county():
    by_state, by_county = people_map({"OH": 404, "MI": 96}, "records"), people_map({"39095": 40}, "records")
    assert {text.get_text() for text in by_state.axes[0].texts} == {"OH\n404", "MI\n96"}
    assert "by county" in " ".join(text.get_text() for text in by_county.texts)
