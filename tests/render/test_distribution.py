import numpy as np
import pandas as pd

from policy_sim.render.distribution import distribution_figure


def panel(figure, title):
    return next(axes for axes in figure.axes if axes.get_title(loc="left") == title)


def dots(axes):
    return np.concatenate([c.get_offsets() for c in axes.collections if len(c.get_offsets()) > 1])


def test_each_panel_has_a_dot_a_state_and_g(profiles):
    figure = distribution_figure(profiles)
    assert len(figure.axes) == 4
    shares = dots(panel(figure, "Safe Harbor × GENERAL"))[:, 1]
    rows = profiles[(profiles["policy"] == "safe-harbor") & (profiles["attacker"] == "general")]
    expected = rows.loc[rows["measure"] == "g-distinct", "share"].to_numpy(dtype=float)
    np.testing.assert_allclose(np.sort(shares), np.sort(expected))


def test_intervals_are_bars_and_no_part_of_the_box(profiles):
    axes = panel(distribution_figure(profiles), "Limited data set × VOTER")
    bars = [c for c in axes.collections if c.get_label() == "interval"]
    assert sum(len(bar.get_segments()) for bar in bars) == 4
    assert len(dots(axes)) == 4 * 45
    assert any("1 with a range only (bars); 5 without a figure" in text.get_text() for text in axes.texts)


def test_the_line_in_the_box_is_the_median_of_the_known(profiles):
    axes = panel(distribution_figure(profiles), "Limited data set × VOTER")
    lines = [c.get_segments()[0] for c in axes.collections if c.get_label() == "median"]
    rows = profiles[(profiles["policy"] == "limited-dataset") & (profiles["attacker"] == "voter")]
    for g, line in zip((1, 3, 5, 10), lines, strict=True):
        known = rows[(rows["g"] == g) & (rows["status"] == "ok")]["share"].to_numpy(dtype=float)
        np.testing.assert_allclose(line[:, 1], np.median(known))


def test_a_panel_without_any_figure_says_so(profiles):
    rows = profiles.copy()
    voter = rows["attacker"] == "voter"
    rows.loc[voter, ["people", "share", "people_high", "share_high"]] = pd.NA
    rows.loc[voter, "status"] = "unknown"
    axes = panel(distribution_figure(rows), "Safe Harbor × VOTER")
    assert [text.get_text() for text in axes.texts] == ["0 states; 51 without a figure"]


def test_nothing_is_cut(profiles, footer, assert_nothing_is_cut):
    assert_nothing_is_cut(distribution_figure(profiles, footer))


def test_one_state_is_enough(profiles):
    distribution_figure(profiles[profiles["state"] == "OH"])
