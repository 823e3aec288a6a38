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
    assert "depends on an unknown price: safe-harbor-paper, limited-dataset-paper" in row["reason"]


def test_safe_harbor_is_the_baseline(answer):
    row = answer.to_frame().iloc[0]
    assert row["baseline"] == "safe-harbor-paper"
    assert row["gain_over_baseline_usd"] == pytest.approx(row["payoff_usd"] - row["baseline_payoff_usd"])


def test_a_frontier_needs_one_state():
    with pytest.raises(InputError, match="one state"):
        Study("us-2020", 2026).game(frontier=True)


def test_a_policy_that_shows_less_than_is_needed_is_not_chosen():
    policies = ["safe-harbor", "limited-dataset", "state-only", "county-without-race"]
    study = Study("us-2020", 2026)
    free = study.game("DE", policies, in_file=0.01, rules="paper", loss=1500)
    needed = study.game("DE", policies, in_file=0.01, rules="paper", loss=1500, keep=["geography=county"])
    allowed = needed.moves[needed.moves["meets_needs"]]
    assert set(allowed["policy"]) == {"limited-dataset-paper", "county-without-race"}
    assert free.moves["meets_needs"].all()
    for row, before in zip(needed.to_frame().itertuples(), free.to_frame().itertuples(), strict=True):
        assert row.policy in {"limited-dataset-paper", "county-without-race"}
        assert row.payoff_usd <= before.payoff_usd
        assert row.baseline == "safe-harbor-paper"
    assert needed.provenance.manifest()["options"]["keep"] == ["geography=county"]
