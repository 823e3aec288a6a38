from __future__ import annotations

from itertools import combinations, pairwise

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from policy_sim.show.panels import error_boxes, known_and_not, line_height, rank_figure, spread_apart

PLACES = st.lists(st.integers(-100, 100), min_size=1, max_size=12)


@given(PLACES)
def test_labels_are_a_gap_apart_and_keep_their_order(places):
    moved = spread_apart(places, 3.0)
    order = sorted(range(len(places)), key=lambda place: (places[place], place))
    gaps = [moved[b] - moved[a] for a, b in pairwise(order)]
    assert all(gap >= 3.0 - 1e-9 for gap in gaps)


def test_labels_that_are_far_apart_stay():
    assert spread_apart([10, 0, 20], 3) == [10, 0, 20]


def test_two_labels_on_one_place_move_half_a_gap_each():
    assert spread_apart([5, 5], 2) == [4, 6]


def test_no_label_goes_below_the_least():
    assert spread_apart([0, 0, 0], 2, least=0) == [0, 2, 4]


@pytest.mark.parametrize("height", [0.4, 3.0])
@pytest.mark.parametrize("limits", [(0, 1), (0, 0.002), (50, 1)])
def test_labels_a_line_apart_do_not_overlap(height, limits):
    figure = Figure(figsize=(5, 5))
    axes = figure.add_axes((0.1, 0.1, 0.5, height / 5), ylim=limits)
    gap = line_height(axes, 7)
    heights = spread_apart([limits[0]] * 3, gap)
    labels = [axes.text(1, place, "<0.001%", size=7, va="center") for place in heights]
    boxes = [label.get_window_extent(FigureCanvasAgg(figure).get_renderer()) for label in labels]
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
    assert gap / abs(limits[1] - limits[0]) * height * 72 == pytest.approx(1.2 * 7)


def test_states_are_counted_by_what_is_known(profiles):
    rows = profiles[(profiles["attacker"] == "voter") & (profiles["measure"] == "g-distinct")]
    known, between, words = known_and_not(rows)
    assert known["state"].nunique() == 45
    assert between["state"].unique().tolist() == ["WA"]
    assert words == "45 states; 1 with a range only (bars); 5 without a figure"


def test_panels_stay_as_wide_for_every_attacker_and_no_title_reaches_into_the_next(profiles):
    voter = profiles[(profiles["measure"] == "g-distinct") & (profiles["attacker"] == "voter")]
    more = [voter.assign(attacker=f"california-birth-index-1905-1995-{at}") for at in range(2)]
    assert rank_figure(voter).get_figwidth() == rank_figure(profiles).get_figwidth() == 10
    figure = rank_figure(pd.concat([profiles, *more]))
    assert figure.get_figwidth() == 20
    draw = FigureCanvasAgg(figure).get_renderer()
    for axes in figure.axes:
        box = axes._left_title.get_window_extent(draw)
        others = [other.get_window_extent(draw) for other in figure.axes if other is not axes]
        assert box.x1 <= figure.bbox.x1
        assert not any(box.overlaps(other) for other in others)
        titles = [other._left_title.get_window_extent(draw) for other in figure.axes if other is not axes]
        assert not any(box.overlaps(other) for other in titles)


# Box figures: one panel a fraction, one box for each model that answered.


def _summary(spread=1.0, failed=0):
    rows = [
        ("uniqueness", fraction, model, 100, failed, *(spread * x for x in (-0.3, -0.1, 0.0, 0.1, 0.3)))
        for fraction in (0.01, 0.5)
        for model in ("pitman", "zayatz")
    ]
    names = ["measure", "fraction", "model", "runs", "failed", "p05", "q1", "median", "q3", "p95"]
    return pd.DataFrame(rows, columns=names)


def test_a_panel_a_fraction_and_a_box_a_model():
    figure = error_boxes(_summary(), "uniqueness")
    assert [axes.get_title() for axes in figure.axes] == ["1%", "50%"]
    assert all(len(axes.patches) == 2 for axes in figure.axes)
    assert [text.get_text() for text in figure.axes[0].get_xticklabels()] == ["Pitman", "Zayatz"]


def test_a_model_without_an_answer_has_no_box_and_says_so():
    summary = _summary()
    gone = (summary["model"] == "zayatz") & (summary["fraction"] == 0.5)
    summary.loc[gone, ["p05", "q1", "median", "q3", "p95"]] = None
    summary.loc[gone, "failed"] = 100
    figure = error_boxes(summary, "uniqueness")
    assert [len(axes.patches) for axes in figure.axes] == [2, 1]
    assert "100% failed" in [text.get_text() for text in figure.axes[1].texts]


@pytest.mark.parametrize(("spread", "scale"), [(1.0, "linear"), (50.0, "symlog")])
def test_errors_of_many_times_the_truth_get_a_logarithmic_axis(spread, scale):
    assert error_boxes(_summary(spread), "uniqueness").axes[0].get_yscale() == scale


def rows(shares, status=None):
    """Shares of each state at g = 1, 3."""
    found = [
        (state, "safe-harbor", "general", "g-distinct", g, share, (status or {}).get(state, "ok"))
        for state, both in shares.items()
        for g, share in zip((1, 3), both, strict=True)
    ]
    return pd.DataFrame(found, columns=["state", "policy", "attacker", "measure", "g", "share", "status"])


def labels(figure):
    return [text.get_text() for text in figure.axes[0].texts[1:]]


def test_ranks_are_by_share_the_largest_first():
    shown = labels(rank_figure(rows({"OH": (0.3, 0.4), "TX": (0.1, 0.9), "CA": (0.2, 0.5)}), outermost=1))
    assert set(shown) == {"OH 1", "TX 3", "TX 1", "OH 3"}


def test_the_state_that_moves_most_is_marked():
    shares = {"A1": (0.9, 0.9), "A2": (0.8, 0.8), "B": (0.7, 0.2), "C": (0.6, 0.6), "D": (0.5, 0.5), "E": (0.1, 0.1)}
    figure = rank_figure(rows(shares), outermost=1)
    dashed = [line for line in figure.axes[0].lines if line.get_linestyle() == "--"]
    assert [list(line.get_ydata()) for line in dashed] == [[3, 5]]
    assert {"B 3", "B 5"} <= set(labels(figure))


def test_equal_shares_share_the_better_rank():
    shown = labels(rank_figure(rows({"OH": (0.3, 0.3), "TX": (0.3, 0.3), "CA": (0.1, 0.1)}), outermost=3))
    assert {"OH 1", "TX 1", "CA 3"} == set(shown)


def test_states_known_only_as_an_interval_are_not_ranked():
    figure = rank_figure(rows({"OH": (0.3, 0.4), "TX": (0.5, 0.9)}, {"TX": "interval"}), outermost=1)
    assert set(labels(figure)) == {"OH 1"}
    assert "1 with a range only, not ranked" in figure.axes[0].texts[0].get_text()
