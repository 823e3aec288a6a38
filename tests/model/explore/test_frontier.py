from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from policy_sim.model.explore.frontier import Judged, better_than, between, on_frontier
from policy_sim.words.errors import InputError


def drawn(seed=0):
    rng = np.random.default_rng(seed)
    risk, utility = rng.integers(0, 6, 60), rng.integers(0, 6, 60)
    rows = pd.DataFrame({"state": np.repeat(["OH", "TX"], 30), "total_risk": risk, "utility": utility / 5})
    return rows.assign(total_risk_share=risk / 10, policy=[f"p{i:02d}" for i in range(60)])


@pytest.mark.parametrize("seed", range(5))
def test_the_frontier_is_what_no_other_policy_dominates(seed):
    rows = drawn(seed)
    for place, on in enumerate(on_frontier(rows)):
        one = rows.loc[place]
        others = rows[rows["state"] == one["state"]]
        no_worse = (others["total_risk"] <= one["total_risk"]) & (others["utility"] >= one["utility"])
        better = (others["total_risk"] < one["total_risk"]) | (others["utility"] > one["utility"])
        assert on == (not (no_worse & better).any())


def test_better_keeps_more_at_no_more_risk_than_its_own_state():
    rows = drawn()
    baseline = pd.DataFrame({"state": ["OH", "TX"], "total_risk": [3, 1], "utility": [0.4, 0.2]})
    limit = {"OH": (3, 0.4), "TX": (1, 0.2)}
    expected = [
        row.total_risk <= limit[row.state][0] and row.utility > limit[row.state][1] for row in rows.itertuples()
    ]
    assert better_than(rows, baseline).tolist() == expected
    for wrong in (baseline[:1], pd.concat([baseline, baseline])):
        with pytest.raises(InputError, match="one baseline row"):
            better_than(rows, wrong)


def test_a_range_holds_both_its_ends_and_must_be_one():
    assert set(drawn()[between(drawn(), 0.2, 0.4)]["total_risk"]) == {2, 3, 4}
    for low, high in ((0.4, 0.2), (-0.1, 1), (0, 1.1)):
        with pytest.raises(InputError, match="two shares"):
            between(drawn(), low, high)


def test_the_best_is_the_better_of_most_utility_and_a_state_may_have_none():
    rows = drawn().assign(better=lambda rows: (rows["state"] == "OH") & (rows["total_risk"] <= 3), frontier=False)
    baseline = pd.DataFrame({"state": ["OH", "TX"], "total_risk": [3, 0], "utility": 0.0})
    best = Judged(rows, baseline.assign(total_risk_share=0.3), "mine", "total_risk").best().set_index("state")
    assert best["status"].tolist() == ["ok", "none better"]
    assert best["utility"]["OH"] == rows[rows["better"]]["utility"].max()
    assert best["better_policies"].tolist() == [rows["better"].sum(), 0]
    assert pd.isna(best["policy"]["TX"])
