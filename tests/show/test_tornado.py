from __future__ import annotations

import pandas as pd
import pytest

from policy_sim.show.tornado import sensitivity_table, tornado_figure

ROWS = pd.DataFrame(
    [
        ("OH", "safe-harbor", "voter", "total-risk", 1, "the list holds adults", 0.2, -0.3, -0.3),
        ("OH", "safe-harbor", "voter", "total-risk", 2, "error, either way", 0.2, -0.02, 0.02),
        ("OH", "safe-harbor", "voter", "total-risk", 3, "fields not known", 0.2, 0.0, 0.0004),
        ("OH", "safe-harbor", "voter", "g-distinct", 1, "of another measure", 0.2, 9.0, 9.0),
    ],
    columns=["state", "policy", "attacker", "measure", "rank", "title", "share", "change_low", "change_high"],
).assign(
    share_low=lambda rows: rows["share"] * (1 + rows["change_low"]),
    share_high=lambda rows: rows["share"] * (1 + rows["change_high"]),
)


def test_the_table_is_ranked_and_writes_both_ends():
    text = sensitivity_table(ROWS)
    assert "total risk, Safe Harbor × VOTER: 20%" in text
    lines = text.splitlines()
    assert lines[-3].split()[:3] == ["1", "14%", "-30.0%"]
    assert lines[-2].split()[1:3] == ["19.6–20.4%", "±2.00%"]
    assert "+0.000% to +0.040%" in lines[-1]
    assert "another measure" not in text


def test_bars_reach_from_end_to_end_the_largest_on_top():
    axes = tornado_figure(ROWS, ["population: made"]).axes[0]
    spans = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in axes.patches]
    assert [span for pair in spans for span in pair] == pytest.approx([-0.3, 0, -0.02, 0.02, 0, 0.0004])
    assert axes.get_yticklabels()[0].get_text() == "the list holds adults"
    bottom, top = axes.get_ylim()
    assert bottom > top
