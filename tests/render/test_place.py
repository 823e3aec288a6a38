import pytest

from policy_sim.render.place import place_figure


def titles(figure):
    return {axes.get_label(): axes.get_title(loc="left") for axes in figure.axes}


def test_a_state_is_ranked_among_those_with_one_figure(profiles, footer, assert_nothing_is_cut):
    """By hand: shares rise with the place of the state in the table, so Wyoming, the last, is the first of all."""
    figure = place_figure(profiles, "WY", footer)
    assert titles(figure)["safe-harbor general"].endswith("rank 1 of 51")
    assert titles(figure)["safe-harbor voter"].endswith("rank 1 of 45")
    assert titles(place_figure(profiles, "AL"))["limited-dataset general"].endswith("rank 51 of 51")
    assert_nothing_is_cut(figure)


def test_an_interval_has_both_ends_and_no_rank(profiles):
    said = titles(place_figure(profiles, "WA"))["limited-dataset voter"]
    assert "–" in said
    assert said.endswith("not ranked")


def test_a_state_without_a_figure_says_why(profiles):
    assert titles(place_figure(profiles, "CA"))["safe-harbor voter"].endswith("has no figure (not sold)")


@pytest.mark.parametrize("state", ["WY", "WA", "CA"])
def test_every_axis_has_marks(profiles, state):
    for axes in place_figure(profiles, state).axes:
        low, high = axes.get_xlim()
        assert sum(low <= tick <= high for tick in axes.get_xticks()) >= 2
