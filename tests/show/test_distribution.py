from __future__ import annotations

import re
import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from policy_sim.show.distribution import comparison_figures, distribution_figure, place_figure
from policy_sim.show.theme import settings


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


def test_intervals_are_bars_and_no_part_of_the_box_whose_line_is_the_median_of_the_known(profiles):
    axes = panel(distribution_figure(profiles), "Limited data set × VOTER")
    bars = [c for c in axes.collections if c.get_label() == "interval"]
    assert sum(len(bar.get_segments()) for bar in bars) == 4
    assert len(dots(axes)) == 4 * 45
    assert any(re.search(r"\b1 with a range .* 5 without", text.get_text()) for text in axes.texts)

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
    distribution_figure(profiles[profiles["state"] == "OH"])  # one state is enough


NAMES = [
    *(f"map-total-risk-{p}-{a}" for p in ("safe-harbor", "limited-dataset") for a in ("general", "voter")),
    "map-trust-general",
    "map-trust-voter",
    "map-cost-safe-harbor",
    "map-cost-limited-dataset",
]


@pytest.mark.slow
def test_every_map_is_there(profiles, trust, cost, footer, assert_nothing_is_cut):
    before = {name: mpl.rcParams[name] for name in settings()}
    found = dict(comparison_figures(profiles, trust, cost, footer))
    assert list(found) == NAMES
    for name, figure in found.items():
        assert_nothing_is_cut(figure)
        assert set(footer[:2]) <= {text.get_text() for text in figure.texts}, name
    assert {name: mpl.rcParams[name] for name in settings()} == before


@pytest.mark.slow
def test_no_figure_needs_the_global_state_of_pyplot():
    """In a process of its own: other tests, and reading matplotlib's settings, may load it."""
    drawing = (
        "import sys, pandas as pd\n"
        "from policy_sim.show.distribution import comparison_figures\n"
        "from policy_sim.show.save import save_figures\n"
        "rows = [('OH', 'p', 'general', m, g, 1.0, s / 9, 1.0, s / 9, 'x', 'k', 'ok', '')"
        " for m, g in (('total-risk', None), ('g-distinct', 1)) for s in range(1, 8)]\n"
        "names = 'state policy attacker measure g people share people_high share_high population linkage_key status"
        " reason'.split()\n"
        "risks = pd.DataFrame(rows, columns=names)\n"
        "empty = pd.DataFrame(columns=['attacker', 'policy', 'population'])\n"
        "assert [name for name, _ in comparison_figures(risks, empty, empty)]\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", drawing], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_several_populations_get_their_own_figures_and_without_a_list_there_is_no_map_of_cost(profiles, trust, cost):
    both = [pd.concat([frame, frame.assign(population="us-2000")]) for frame in (profiles, trust, cost)]
    names = [name for name, _ in comparison_figures(*(frame[frame["state"] == "OH"] for frame in both))]
    assert names == [f"{name}-{year}" for year in ("us-2020", "us-2000") for name in NAMES]
    general = [frame[frame["attacker"] == "general"] for frame in (profiles, trust)]
    names = [name for name, _ in comparison_figures(*general, cost.iloc[:0])]
    assert not any("cost" in name or "voter" in name for name in names)


def titles(figure):
    return {axes.get_label(): axes.get_title(loc="left") for axes in figure.axes}


def test_a_state_is_ranked_by_the_ends_of_all_with_a_figure(profiles, footer):
    """By hand: shares rise with the place of the state in the table, so Wyoming, the last, is the first of all.

    Washington's interval reaches above it and makes its rank 1 or 2.
    """
    figure = place_figure(profiles, "WY", footer)
    assert titles(figure)["safe-harbor general"].endswith("rank 1 of 51")
    assert titles(figure)["safe-harbor voter"].endswith("rank 1 to 2 of 46")
    assert titles(place_figure(profiles, "AL"))["limited-dataset general"].endswith("rank 51 of 51")


def test_an_interval_has_both_ends_and_the_ranks_between_and_a_state_without_a_figure_says_why(profiles):
    said = titles(place_figure(profiles, "WA"))["limited-dataset voter"]
    assert "–" in said
    assert said.endswith("rank 1 to 46 of 46")
    assert titles(place_figure(profiles, "CA"))["safe-harbor voter"].endswith("has no figure (not sold)")


@pytest.mark.parametrize("state", ["WY", "WA", "CA"])
def test_every_axis_has_marks(profiles, state):
    for axes in place_figure(profiles, state).axes:
        low, high = axes.get_xlim()
        assert sum(low <= tick <= high for tick in axes.get_xticks()) >= 2
