"""The frontier, the map of best policies and their tables draw what they are given."""

from __future__ import annotations

import pandas as pd
import pytest

from policy_sim.show.frontier_figure import best_policy_map, best_table, frontier_figure, policies_table
from policy_sim.show.save import save_figure


@pytest.fixture
def rows() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "state": "OH",
            "policy": ["a", "a+longer", "birth=month+geography=state", "c", "nothing"],
            "total_risk": [10.0, 10.0, 50.0, 60.0, 0.0],
            "total_risk_share": [0.001, 0.001, 0.005, 0.006, 0.0],
            "utility_bits": [2.0, 2.0, 6.0, 5.0, 0.0],
            "utility": [0.2, 0.2, 0.6, 0.5, 0.0],
            "frontier": [True, True, True, False, True],
            "better": [False, False, True, False, False],
        }
    )


def test_frontier_figure_has_every_policy_of_some_risk(rows, tmp_path):
    marks = rows[rows["policy"] == "c"].assign(policy="safe-harbor")
    figure = frontier_figure(rows, marks, "total_risk", ["made for a test"])
    axes = next(a for a in figure.axes if a.get_label() == "frontier")
    drawn = {line.get_label(): len(line.get_xdata()) for line in axes.lines}
    assert drawn["policy"] == 3
    assert drawn["frontier"] == 3
    assert "Safe Harbor" in drawn
    text = " ".join(t.get_text() for t in figure.texts)
    assert "1 policies without risk" in text
    assert "birth month, state" in text
    assert "a+longer" not in text  # of equals the simplest is named
    assert [p.suffix for p in save_figure(figure, tmp_path / "f")] == [".png", ".svg"]


def test_map_counts_states_by_policy_and_puts_rare_ones_together():
    def texts(states, policies, utilities):
        best = pd.DataFrame({"state": states, "policy": policies, "utility": utilities})
        figure = best_policy_map(best, "safe-harbor", "total_risk")
        return [t.get_text() for a in figure.axes for t in a.texts]

    named = texts(["OH", "TX", "DE", "AK"], ["a", "a", "b", None], [0.5, 0.4, 0.3, None])
    assert {"a (2)", "b (1)", "none is better (1)", "OH\n50%"} <= set(named)
    states = ["OH", "TX", "CA", "AK", "WY", "KS", "NE", "IA", "MO"]
    assert "another policy (3)" in texts(states, list("abcdefghi"), 0.5)


def test_table_of_policies_begins_with_the_baseline(rows):
    baseline = rows[rows["policy"] == "c"]
    text = policies_table(rows[rows["better"]], baseline, "better", "total_risk")
    lines = text.splitlines()
    assert lines[3].startswith("c ")
    assert lines[4].startswith("birth=month")
    assert "1 policy that does better" in text


def test_table_of_best_says_none():
    best = pd.DataFrame(
        {
            "state": ["OH", "AK"],
            "than_total_risk_share": [0.1, 0.2],
            "than_utility": [0.5, 0.6],
            "better_policies": [3, 0],
            "total_risk_share": [0.05, None],
            "utility": [0.7, None],
            "policy": ["a", None],
        }
    )
    lines = best_table(best, "safe-harbor", "total_risk").splitlines()
    assert lines[4].split()[-1] == "none"
    assert "70" in lines[3]
