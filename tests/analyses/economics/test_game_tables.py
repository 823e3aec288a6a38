"""The game as rows, through the door."""

import pytest

from policy_sim import Study
from policy_sim.errors import InputError


@pytest.fixture(scope="module")
def answer():
    policies = ["safe-harbor", "limited-dataset", "state-only-with-race"]
    return Study("us-2020", 2026).game(["DE", "MI"], policies, in_file=0.01, rules="paper")


def test_one_row_per_state_and_penalty(answer):
    rows = answer.to_frame()
    assert rows[["penalty", "state"]].to_numpy().tolist() == [
        ["without", "DE"], ["without", "MI"], ["with", "DE"], ["with", "MI"]
    ]  # fmt: skip


def test_the_solution_is_the_best_of_the_moves(answer):
    for row in answer.to_frame().itertuples():
        mine = answer.moves[(answer.moves["state"] == row.state) & (answer.moves["penalty"] == row.penalty)]
        assert row.payoff_usd == mine["payoff_usd"].max()
        assert row.deterred_payoff_usd <= row.payoff_usd


def test_an_unknown_price_is_named(answer):
    row = answer.to_frame().set_index(["penalty", "state"]).loc[("without", "MI")]
    assert row["price_status"] == "unknown"
    assert "depends on a price that no source gives: safe-harbor, limited-dataset" in row["reason"]


def test_safe_harbor_is_the_baseline(answer):
    row = answer.to_frame().iloc[0]
    assert row["baseline"] == "safe-harbor"
    assert row["gain_over_baseline_usd"] == pytest.approx(row["payoff_usd"] - row["baseline_payoff_usd"])


def test_a_frontier_needs_one_state():
    with pytest.raises(InputError, match="one state"):
        Study("us-2020", 2026).game(frontier=True)
