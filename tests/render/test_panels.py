from itertools import combinations, pairwise

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from policy_sim.render.page import new_page
from policy_sim.render.panels import known_and_not, line_height, panel_grid, panels_width, spread_apart

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


def test_panels_stay_as_wide_for_every_attacker(profiles):
    rows = profiles[profiles["measure"] == "g-distinct"]
    assert panels_width(rows[rows["attacker"] == "voter"]) == panels_width(rows) == 10
    more = [rows[rows["attacker"] == "voter"].assign(attacker=f"voter-{at}") for at in range(2)]
    assert panels_width(pd.concat([rows, *more])) == 20


def test_no_title_of_a_panel_reaches_into_the_next(profiles):
    rows = profiles[profiles["measure"] == "g-distinct"]
    long = "california-birth-index-1905-1995"
    rows = pd.concat([rows, *(rows[rows["attacker"] == "voter"].assign(attacker=f"{long}-{at}") for at in range(2))])
    page = new_page(panels_width(rows), 8.2, "title", "subtitle", ())
    panels = [axes for axes, _, _ in panel_grid(page, rows)]
    draw = FigureCanvasAgg(page.figure).get_renderer()
    for axes in panels:
        box = axes._left_title.get_window_extent(draw)
        others = [other.get_window_extent(draw) for other in panels if other is not axes]
        assert box.x1 <= page.figure.bbox.x1
        assert not any(box.overlaps(other) for other in others)
        titles = [other._left_title.get_window_extent(draw) for other in panels if other is not axes]
        assert not any(box.overlaps(other) for other in titles)
