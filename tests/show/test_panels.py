"""The page that a figure stands on, the labels and panels on it, and the figures that panels.py draws itself."""

from __future__ import annotations

from itertools import combinations, pairwise

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from said import numbers

from policy_sim.show.change_figure import change_figure
from policy_sim.show.distribution import distribution_figure, place_figure
from policy_sim.show.maps.figure import total_risk_map
from policy_sim.show.panels import (
    MARGIN,
    error_boxes,
    known_and_not,
    line_height,
    new_page,
    rank_figure,
    spread_apart,
)


def texts(page):
    page.figure.canvas.draw()
    return {text.get_text(): text.get_window_extent() for text in page.figure.texts if text.get_text()}


def test_axes_stand_where_their_inches_say():
    with new_page(10, 5, "a title", foot_inside=True) as page:
        axes = page.axes(5, 1, 7.5, 2)
        assert axes.get_position().bounds == pytest.approx((0.5, 0.2, 0.25, 0.2))
        box = page.inside(1, 0, 2, 0).get_position()
    assert (box.x0 * 10, box.x1 * 10) == pytest.approx((MARGIN + 1, 10 - MARGIN - 2))
    assert (box.y0 * 5, box.y1 * 5) == pytest.approx((page.bottom, page.top))


@pytest.mark.parametrize("width", [6, 11])
def test_head_and_foot_stay_on_the_page_and_out_of_the_space_between(width):
    footer = ("a short note", "a note that goes on and on, " * 12)
    subtitle = "and what it is about " * 9
    with new_page(width, 6, "A long title of many words " * 4, subtitle, footer, foot_inside=True) as page:
        dpi = page.figure.dpi
        assert 0 < page.bottom < page.top < 6
        for text, box in texts(page).items():
            assert box.x0 >= MARGIN * dpi - 2, text
            assert box.x1 <= width * dpi, text
            assert box.y1 <= page.bottom * dpi + 2 or box.y0 >= page.top * dpi - 2, text
            assert 0 <= box.y0 < box.y1 <= 6 * dpi, text


def test_more_notes_make_a_higher_page_and_all_their_words_are_there():
    for notes in ((), ("one",), ("one", "two")):
        with new_page(8, 6, "title", footer=notes) as page:
            assert page.height - page.bottom == pytest.approx(6)
            assert page.figure.get_size_inches().tolist() == pytest.approx([8, page.height])
    note = "all of these words are written somewhere " * 5
    with new_page(6, 6, "title", footer=(note,)) as page:
        assert " ".join(text for text in texts(page) if text != "title").split() == note.split()


FIGURES = {
    "change": lambda rows, foot: change_figure(rows, "limited-dataset", "general", "total-risk", footer=foot),
    "distribution": distribution_figure,
    "place": lambda rows, foot: place_figure(rows, "OH", foot),
    "ranks": rank_figure,
    "map": lambda rows, foot: total_risk_map(rows, "limited-dataset", "voter", foot),
}


@pytest.mark.slow
@pytest.mark.parametrize("draw", FIGURES.values(), ids=FIGURES)
def test_a_long_foot_leaves_a_drawing_its_height_and_nothing_is_cut(draw, profiles, footer, assert_nothing_is_cut):
    few, many = (draw(profiles, footer * number) for number in (1, 8))
    heights = [figure.axes[0].get_position().height * figure.get_figheight() for figure in (few, many)]
    assert heights[0] == pytest.approx(heights[1])
    assert_nothing_is_cut(few)
    assert set(footer[:2]) <= {text.get_text() for text in few.texts}


# Labels that are moved apart.


@given(st.lists(st.integers(-100, 100), min_size=1, max_size=12))
def test_labels_are_a_gap_apart_and_keep_their_order(places):
    moved = spread_apart(places, 3.0)
    order = sorted(range(len(places)), key=lambda place: (places[place], place))
    assert all(moved[b] - moved[a] >= 3.0 - 1e-9 for a, b in pairwise(order))


def test_labels_move_no_further_than_they_must_and_none_below_the_least():
    assert spread_apart([10, 0, 20], 3) == [10, 0, 20]
    assert spread_apart([5, 5], 2) == [4, 6]
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
    assert numbers(words) == ["45", "1", "5"]


def test_panels_stay_as_wide_for_every_attacker_and_no_title_reaches_into_the_next(profiles):
    voter = profiles[(profiles["measure"] == "g-distinct") & (profiles["attacker"] == "voter")]
    more = [voter.assign(attacker=f"california-birth-index-1905-1995-{at}") for at in range(2)]
    assert rank_figure(voter).get_figwidth() == rank_figure(profiles).get_figwidth() == 10
    figure = rank_figure(pd.concat([profiles, *more]))
    assert figure.get_figwidth() == 20
    draw = FigureCanvasAgg(figure).get_renderer()
    for axes in figure.axes:
        box = axes._left_title.get_window_extent(draw)
        others = (part for other in figure.axes if other is not axes for part in (other, other._left_title))
        assert box.x1 <= figure.bbox.x1
        assert not any(box.overlaps(other.get_window_extent(draw)) for other in others)


# Box figures: one panel a fraction, one box for each model that answered.


def _summary(spread=1.0):
    rows = [
        ("uniqueness", fraction, model, 100, 0, *(spread * x for x in (-0.3, -0.1, 0.0, 0.1, 0.3)))
        for fraction in (0.01, 0.5)
        for model in ("pitman", "zayatz")
    ]
    names = ["measure", "fraction", "model", "runs", "failed", "p05", "q1", "median", "q3", "p95"]
    return pd.DataFrame(rows, columns=names)


@pytest.mark.parametrize(("spread", "scale"), [(1.0, "linear"), (50.0, "symlog")])
def test_a_panel_a_fraction_a_box_a_model_and_a_logarithmic_axis_for_errors_of_many_times_the_truth(spread, scale):
    figure = error_boxes(_summary(spread), "uniqueness")
    assert [axes.get_title() for axes in figure.axes] == ["1%", "50%"]
    assert all(len(axes.patches) == 2 for axes in figure.axes)
    assert [text.get_text() for text in figure.axes[0].get_xticklabels()] == ["Pitman", "Zayatz"]
    assert figure.axes[0].get_yscale() == scale


def test_a_model_without_an_answer_has_no_box_and_says_so():
    summary = _summary()
    gone = (summary["model"] == "zayatz") & (summary["fraction"] == 0.5)
    summary.loc[gone, ["p05", "q1", "median", "q3", "p95"]] = None
    summary.loc[gone, "failed"] = 100
    figure = error_boxes(summary, "uniqueness")
    assert [len(axes.patches) for axes in figure.axes] == [2, 1]
    assert "100% failed" in [text.get_text() for text in figure.axes[1].texts]


# Ranks.


def ranked(shares, outermost, between=()):
    """Draw shares of each state at g = 1 and 3; return the labels and the axes."""
    rows = [
        (state, "safe-harbor", "general", "g-distinct", g, share, "interval" if state in between else "ok")
        for state, both in shares.items()
        for g, share in zip((1, 3), both, strict=True)
    ]
    columns = ["state", "policy", "attacker", "measure", "g", "share", "status"]
    (axes,) = rank_figure(pd.DataFrame(rows, columns=columns), outermost=outermost).axes
    return {text.get_text() for text in axes.texts[1:]}, axes


def test_ranks_are_by_share_the_largest_first_and_equal_shares_share_the_better():
    labels, _ = ranked({"OH": (0.3, 0.4), "TX": (0.1, 0.9), "CA": (0.2, 0.5)}, 1)
    assert labels == {"OH 1", "TX 3", "TX 1", "OH 3"}
    labels, _ = ranked({"OH": (0.3, 0.3), "TX": (0.3, 0.3), "CA": (0.1, 0.1)}, 3)
    assert labels == {"OH 1", "TX 1", "CA 3"}


def test_the_state_that_moves_most_is_marked():
    shares = {"A1": (0.9, 0.9), "A2": (0.8, 0.8), "B": (0.7, 0.2), "C": (0.6, 0.6), "D": (0.5, 0.5), "E": (0.1, 0.1)}
    labels, axes = ranked(shares, 1)
    assert [list(line.get_ydata()) for line in axes.lines if line.get_linestyle() == "--"] == [[3, 5]]
    assert {"B 3", "B 5"} <= labels


def test_states_known_only_as_an_interval_are_not_ranked():
    labels, axes = ranked({"OH": (0.3, 0.4), "TX": (0.5, 0.9)}, 1, between=("TX",))
    assert labels == {"OH 1"}
    assert "1 with a range only, not ranked" in axes.texts[0].get_text()
