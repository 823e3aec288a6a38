"""Maps of the states: figures, labels, statuses, and the maps of a comparison."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.colors import to_hex, to_rgb

from policy_sim.show import theme
from policy_sim.show.artists import HaloText
from policy_sim.show.distribution import comparison_figures
from policy_sim.show.maps.figure import cost_map, release_map, total_risk_map, trust_map, values_of
from policy_sim.show.maps.fills import class_counts, fills_of, given_classes, known_values
from policy_sim.show.numbers import percent
from policy_sim.words.states import STATES

SMALL = ("VT", "NH", "MA", "RI", "CT", "NJ", "DE", "MD", "DC")


def texts(figure):
    return [artist.get_text() for artist in figure.findobj(lambda a: hasattr(a, "get_text")) if artist.get_text()]


def words(figure):
    return " ".join(" ".join(texts(figure)).split())


def collections(figure):
    axes = next(axes for axes in figure.axes if axes.get_label() == "map")
    return {collection.get_label(): collection for collection in axes.collections}


@pytest.fixture(scope="module")
def voter_map(profiles, footer):
    return total_risk_map(profiles, "limited-dataset", "voter", footer)


def test_every_state_is_drawn(voter_map):
    assert len(collections(voter_map)["states"].get_paths()) == 51


def test_every_state_is_named_and_small_ones_stand_beside_the_map(voter_map):
    shown = texts(voter_map)
    for code in STATES:
        if code != "PR":
            assert any(text.split()[0] == code for text in shown), code
    for code in SMALL:
        assert any(text.startswith(f"{code} ") for text in shown), code


def test_each_status_has_its_own_hatch_on_the_states_and_in_the_legend(voter_map):
    hatched = collections(voter_map)
    expected = {"county_only": 1, "not_sold": 2, "unknown": 2, "range": 1}
    for status, states in expected.items():
        assert len(hatched[status].get_paths()) == states
        assert hatched[status].get_hatch() == theme.STATUSES[status].hatch
        assert f"{theme.STATUSES[status].label} ({states})" in texts(voter_map)


def test_an_interval_over_classes_shows_both_ends_and_a_color_of_its_own(voter_map, profiles):
    row = profiles[
        (profiles["state"] == "WA")
        & (profiles["policy"] == "limited-dataset")
        & (profiles["attacker"] == "voter")
        & (profiles["measure"] == "total-risk")
    ].iloc[0]
    both = next(text for text in texts(voter_map) if text.startswith("WA\n"))
    assert percent(row["share"]).removesuffix("%") in both
    assert percent(row["share_high"]) in both
    faces = collections(voter_map)["states"].get_facecolors()
    place = [code for code in STATES if code != "PR"].index("WA")
    assert to_hex(faces[place]) == theme.STATUSES["range"].face


def test_an_interval_inside_a_class_has_its_color_and_one_beyond_the_limits_has_not():
    """Alabama's <0.001 to 57.9% is no safest state; 0.2 to 0.3 is in the lower class whichever it is."""
    ends = {"AL": (0.00001, 0.579), "OH": (0.2, 0.3), "TX": (0.2, 1.5), "IN": (0.5, 0.5)}
    values = pd.DataFrame(
        {"state": list(ends), "value": [a for a, _ in ends.values()], "value_high": [b for _, b in ends.values()]}
    ).assign(status="interval")
    classes = given_classes([0, 0.5, 1], theme.RISK)
    fills = fills_of(values, classes, percent)
    assert [fills[code].kind for code in ends] == ["range", "interval", "range", "interval"]
    assert fills["AL"].face not in classes.colors
    assert "0.001" in fills["AL"].text
    assert "57.9%" in fills["AL"].text
    assert class_counts(fills, classes) == [1, 1]


def test_class_counts_are_the_states_with_a_figure(voter_map):
    legend = next(axes for axes in voter_map.axes if axes.get_label() == "legend")
    counts = [int(text.get_text()) for text in legend.texts if text.get_text().isdigit()]
    assert sum(counts) == 51 - 6


def test_a_free_list_is_not_a_low_price(cost, footer):
    figure = cost_map(cost, "limited-dataset", footer)
    faces = collections(figure)["states"].get_facecolors()
    free = [face for face in map(tuple, faces) if face[:3] == pytest.approx(to_rgb(theme.FREE))]
    assert len(free) == 2
    assert "free list (2)" in texts(figure)


def test_puerto_rico_is_drawn_only_if_it_is_in_the_table(profiles, voter_map):
    with_it = pd.concat([profiles, profiles[profiles["state"] == "OH"].assign(state="PR")])
    assert len(collections(total_risk_map(with_it, "limited-dataset", "voter"))["states"].get_paths()) == 52
    assert not any(text.startswith("PR") for text in texts(voter_map))


def test_states_that_were_not_asked_for_are_blank_and_said_so(profiles):
    figure = total_risk_map(profiles[profiles["state"] == "OH"], "limited-dataset", "general")
    assert "not in the table (50)" in texts(figure)


def test_several_maps_can_share_their_classes(profiles):
    classes = given_classes([0, 0.1, 0.5, 1], theme.RISK)
    figure = total_risk_map(profiles, "limited-dataset", "general", classes=classes)
    assert "50%" in texts(figure)


def test_labels_do_not_lie_over_each_other(voter_map):
    """Names of states keep clear of each other: no two label boxes share more than a sliver."""
    with theme.styled():
        voter_map.draw_without_rendering()
        axes = next(axes for axes in voter_map.axes if axes.get_label() == "map")
        boxes = [(text.get_text(), text.get_window_extent()) for text in axes.texts]
    for place, (name, box) in enumerate(boxes):
        for other, another in boxes[place + 1 :]:
            shared = box.intersection(box, another)
            area = shared.width * shared.height if shared else 0
            assert area < 0.05 * min(box.width * box.height, another.width * another.height), (name, other)


def test_a_map_of_nothing_known_is_all_hatched(profiles):
    nothing = profiles[profiles["attacker"] == "voter"].copy()
    nothing[["people", "share", "people_high", "share_high"]] = pd.NA
    nothing["status"] = "unknown"
    figure = total_risk_map(nothing, "limited-dataset", "voter")
    assert len(collections(figure)["unknown"].get_paths()) == 51


def test_titles_are_said_in_words(voter_map):
    """The title is a sentence with the ends of what is drawn, one of an interval among them; the words follow."""
    shown = words(voter_map)
    assert re.search(r"An attacker with the voter list would match \S+% to \S+% of a state's people under the l", shown)
    assert "Total risk, Limited data set × VOTER: expected correct" in shown


def test_a_list_for_some_buyers_only_is_marked_on_the_map_of_prices(cost):
    """Massachusetts gives its list away, to candidates and parties: the public can have none."""
    figure = cost_map(cost, "limited-dataset", restricted=["OH", "NV", "CA"])
    assert "OH\nfree*" in texts(figure)
    assert "VT free" in texts(figure)
    assert "restricted" in collections(figure)
    assert "CA" in texts(figure), "a list that nobody can buy has a mark of its own"
    assert f"{theme.STATUSES['restricted'].label} (2)" in texts(figure)


def test_limits_and_labels_have_one_precision(profiles):
    """No limit is finer than the least that a label tells: 0.001%."""
    rows = profiles[(profiles["policy"] == "safe-harbor") & (profiles["attacker"] == "general")].copy()
    rows["share"] = rows["share_high"] = rows["share"] * [10.0 ** -(place % 6) for place in range(len(rows))]
    figure = total_risk_map(rows, "safe-harbor", "general")
    legend = next(axes for axes in figure.axes if axes.get_label() == "legend")
    limits = [float(text.get_text().strip("%")) for text in legend.texts if text.get_text().endswith("%")]
    assert limits[0] == 0
    assert min(limits[1:]) >= 0.001


def test_labels_have_halos_and_no_boxes(voter_map):
    axes = next(axes for axes in voter_map.axes if axes.get_label() == "map")
    labels = [text for text in axes.texts if "\n" in text.get_text()]
    assert len(labels) > 30
    assert all(isinstance(text, HaloText) and text.get_bbox_patch() is None for text in labels)


def test_a_price_known_only_as_at_least_says_so(cost):
    rows = cost.copy()
    rows.loc[rows["state"] == "NV", "status"] = "at_least"
    figure = cost_map(rows, "limited-dataset")
    assert next(text for text in texts(figure) if text.startswith("NV")).startswith("NV\n≥ $")
    assert len(collections(figure)["at_least"].get_paths()) == 1


def test_a_legend_with_every_status_stays_on_the_page(cost, footer, assert_nothing_is_cut):
    rows = cost[cost["policy"] == "limited-dataset"].reset_index(drop=True)
    for place, status in enumerate(sorted(set(theme.STATUSES) - {"missing", "restricted", "range"})):
        rows.loc[place + 12, "status"] = status
        if status not in ("interval", "at_least"):
            rows.loc[place + 12, ["usd_per_reidentification", "usd_per_reidentification_high"]] = pd.NA
        if status == "interval":
            rows.loc[place + 12, "usd_per_reidentification_high"] = rows["usd_per_reidentification"][place + 12]
    figure = cost_map(rows.iloc[:-1], "limited-dataset", footer, restricted=["OH"])
    assert_nothing_is_cut(figure)
    legend = next(axes for axes in figure.axes if axes.get_label() == "legend")
    assert {style.label for style in theme.STATUSES.values()} <= {
        t.get_text().rpartition(" (")[0] for t in legend.texts
    }


def test_the_cost_map_of_another_file_says_file():
    rows = pd.DataFrame(
        {
            "state": ["OH", "TX", "OH"],
            "policy": "safe-harbor",
            "attacker": ["births", "births", "voter"],
            "usd_per_reidentification": [5.0, None, 7.0],
            "status": ["ok", "not_covered", "ok"],
        }
    )
    shown = words(cost_map(rows, "safe-harbor", attacker="births"))
    assert "costs the buyer of a file $5" in shown
    assert "Safe Harbor × BIRTHS: price of the file over" in shown
    assert "file has nobody from this state" in shown
    assert "voter list" not in shown
    free = rows.iloc[:1].assign(usd_per_reidentification=0.0, status="free")
    title = "A re-identification under Safe Harbor costs nothing in 1 state, where the file is free"
    assert title in words(cost_map(free, "safe-harbor", attacker="births"))


# The map of the states' own releases says how many carry more risk, and hatches those that are not known.


def rows(*figures):
    names = ["state", "ratio", "ratio_high", "status"]
    return pd.DataFrame(figures, columns=names).assign(
        attacker="general", measure="total-risk", numerator_policy="release:newest", denominator_policy="safe-harbor"
    )


@pytest.mark.parametrize(
    ("figures", "said"),
    [
        (
            [("NC", 2186.0, 2186.0, "ok"), ("ME", 0.02, 0.51, "interval"), ("OH", None, None, "unknown")],
            "In 1 of 2 states, the state's own file has more risk than Safe Harbor: 2,186 times as much in NC",
        ),
        ([("NC", 12.0, 12.0, "ok")], "The state's own file has more risk than Safe Harbor: 12 times as much in NC"),
        ([("ME", 0.5, 0.5, "ok")], "No state's own file has more risk than Safe Harbor"),
        ([("OH", None, None, "unknown")], "No state has a figure for its own release"),
    ],
)
def test_the_title_counts_what_is_known(figures, said):
    assert said in words(release_map(rows(*figures), "general", ["footer"]))


# Maps of a comparison: whose rows are drawn, and the sentence above them.


def maps_rows(**columns):
    many = max(len(value) for value in columns.values() if isinstance(value, list))
    return pd.DataFrame({name: value if isinstance(value, list) else [value] * many for name, value in columns.items()})


def test_the_lower_end_comes_first_whichever_it_was():
    frame = maps_rows(state=["OH", "WY"], share=[0.4, 0.2], share_high=[0.1, 0.2], status=["interval", "ok"])
    values = values_of(frame, "share")
    assert values[["value", "value_high"]].to_numpy().tolist() == [[0.1, 0.4], [0.2, 0.2]]
    assert known_values(values).tolist() == [0.2]


def test_a_column_without_another_end_is_both():
    values = values_of(maps_rows(state=["OH"], usd=[3.0], status="ok"), "usd")
    assert values[["value", "value_high"]].to_numpy().tolist() == [[3.0, 3.0]]


def test_only_rows_of_the_policy_the_attacker_and_total_risk_are_drawn():
    frame = maps_rows(
        state=["OH", "WY", "TX", "CA"],
        measure=["total-risk", "total-risk", "g-distinct", "total-risk"],
        policy=["safe-harbor", "safe-harbor", "safe-harbor", "limited-dataset"],
        attacker="general",
        share=[0.125, 0.25, 0.5, 0.75],
        status="ok",
    )
    drawn = words(total_risk_map(frame, "safe-harbor", "general"))
    assert "12.5%" in drawn
    assert "25%" in drawn
    assert "75%" not in drawn
    assert "50%" not in drawn


def test_where_no_state_has_a_figure_the_title_says_so():
    facts = {"measure": "total-risk", "policy": "safe-harbor", "attacker": "voter", "status": "unknown"}
    frame = maps_rows(state=["OH"], share=[None], **facts)
    assert "No state has a figure" in words(total_risk_map(frame, "safe-harbor", "voter"))


def test_a_ratio_names_what_is_above_and_below():
    frame = maps_rows(
        state=["OH", "WY"], measure="total-risk", attacker="general", ratio=[2.0, 8.0], status="ok",
        numerator_policy="limited-dataset", denominator_policy="safe-harbor",
    )  # fmt: skip
    drawn = words(trust_map(frame, "general"))
    assert "times as many people" in drawn
    assert "2" in drawn


def test_free_lists_are_counted_and_no_price():
    columns = {"policy": "safe-harbor", "attacker": "voter"}
    frame = maps_rows(state=["OH", "WY"], usd_per_reidentification=[0.0, 125.0], status=["free", "ok"], **columns)
    assert "1 list is free" in words(cost_map(frame, "safe-harbor"))
    free = maps_rows(state=["OH", "WY"], usd_per_reidentification=[0.0, 0.0], status="free", **columns)
    assert "costs nothing in 2 states" in words(cost_map(free, "safe-harbor"))


# Maps of the shipped comparison, drawn again: the figures that readers see.


TODAY = Path(__file__).resolve().parents[3] / "reports" / "today"


def drawn_today():
    frames = (pd.read_csv(TODAY / f"{name}.csv") for name in ("profiles", "trust", "cost"))
    some_buyers = ["CA", "IL", "IN", "KY", "MD", "MA", "MN", "ND", "NH", "OK", "SC", "VA", "WY"]
    return comparison_figures(*frames, ["note"] * 3, restricted=some_buyers)


@pytest.mark.slow
def test_labels_of_the_shipped_maps_keep_two_points_apart():
    for name, figure in drawn_today():
        with theme.styled():
            figure.draw_without_rendering()
            axes = next(axes for axes in figure.axes if axes.get_label() == "map")
            apart = figure.dpi / 72
            boxes = [(text.get_text(), text.get_window_extent().padded(apart)) for text in axes.texts]
        assert len(boxes) == 51
        touching = [(a, b) for (a, x), (b, y) in combinations(boxes, 2) if x.overlaps(y)]
        assert not touching, name
