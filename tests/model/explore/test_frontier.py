"""The frontier and the better policies, against every pair compared."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pinned import pinned

from policy_sim.model.explore.search import best_of, better_than, between, on_frontier
from policy_sim.words.errors import InputError

POINTS = st.lists(
    st.tuples(st.sampled_from(["OH", "WV"]), st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=30
)


def table(points):
    rows = pd.DataFrame(points, columns=["state", "total_risk", "utility"]).astype(
        {"total_risk": float, "utility": float}
    )
    return rows.assign(total_risk_share=rows["total_risk"] / 10)


@pytest.mark.slow
@settings(max_examples=pinned(30, 100), derandomize=True)
@given(POINTS)
def test_frontier_is_what_no_other_dominates(points):
    rows = table(points)

    def dominated(row):
        other = rows[rows["state"] == row["state"]]
        no_worse = (other["total_risk"] <= row["total_risk"]) & (other["utility"] >= row["utility"])
        better = (other["total_risk"] < row["total_risk"]) | (other["utility"] > row["utility"])
        return bool((no_worse & better).any())

    expected = [not dominated(row) for _, row in rows.iterrows()]
    np.testing.assert_array_equal(on_frontier(rows), expected)


@pytest.mark.slow
@settings(max_examples=pinned(30, 100), derandomize=True)
@given(POINTS, st.integers(0, 6), st.integers(0, 6))
def test_better_is_more_utility_at_no_more_risk(points, risk, utility):
    rows = table(points)
    baseline = table([("OH", risk, utility), ("WV", utility, risk)])
    limit = {"OH": risk, "WV": utility}
    least = {"OH": utility, "WV": risk}
    expected = [r <= limit[s] and u > least[s] for s, r, u in points]
    np.testing.assert_array_equal(better_than(rows, baseline), expected)


def test_a_state_without_a_baseline_says_so():
    rows = table([("OH", 2, 3), ("WV", 1, 1)])
    with pytest.raises(InputError, match="one baseline"):
        better_than(rows, rows[:1])
    with pytest.raises(InputError, match="one baseline"):
        better_than(rows, pd.concat([rows, rows]))


def test_a_range_of_risk_holds_both_ends():
    rows = table([("OH", 1, 1), ("OH", 2, 1), ("OH", 3, 1), ("OH", 4, 1)])
    assert between(rows, 0.2, 0.3).tolist() == [False, True, True, False]
    for low, high in ((0.3, 0.2), (-0.1, 0.5), (0.1, 1.5)):
        with pytest.raises(InputError, match="not two shares"):
            between(rows, low, high)


def test_the_best_is_the_better_of_most_utility_and_a_state_may_have_none():
    rng = np.random.default_rng(0)
    risk, utility = rng.integers(0, 6, 60), rng.integers(0, 6, 60) / 5
    rows = pd.DataFrame({"state": np.repeat(["OH", "TX"], 30), "total_risk": risk, "utility": utility})
    rows = rows.assign(total_risk_share=risk / 10, policy=[f"p{place:02d}" for place in range(60)], frontier=False)
    rows["better"] = (rows["state"] == "OH") & (rows["total_risk"] <= 3)
    baseline = pd.DataFrame({"state": ["OH", "TX"], "total_risk": [3, 0], "utility": 0.0})
    best = best_of(rows, baseline.assign(total_risk_share=0.3)).set_index("state")
    assert best["status"].tolist() == ["ok", "none better"]
    assert best["utility"]["OH"] == rows[rows["better"]]["utility"].max()
    assert best["better_policies"].tolist() == [rows["better"].sum(), 0]
    assert pd.isna(best["policy"]["TX"])


def test_a_state_without_any_policy_has_no_better_ones():
    rows = pd.DataFrame({"state": ["OH"], "total_risk": 1, "utility": 1.0, "total_risk_share": 0.1, "policy": "p"})
    rows = rows.assign(frontier=True, better=True)
    baseline = pd.DataFrame({"state": ["OH", "TX"], "total_risk": 3, "utility": 0.0, "total_risk_share": 0.3})
    assert best_of(rows, baseline)["better_policies"].tolist() == [1, 0]
