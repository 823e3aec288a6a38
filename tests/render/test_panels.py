from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from policy_sim.render.panels import known_and_not, spread_apart

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


def test_states_are_counted_by_what_is_known(profiles):
    rows = profiles[(profiles["attacker"] == "voter") & (profiles["measure"] == "g-distinct")]
    known, between, words = known_and_not(rows)
    assert known["state"].nunique() == 45
    assert between["state"].unique().tolist() == ["WA"]
    assert words == "45 states; 1 with a range only (bars); 5 without a list or with an unknown figure"
