"""The game in words."""

import pandas as pd

from policy_sim.render.game_text import game_page, game_table, game_words

ROW = {
    "state": "OH", "penalty": "without", "policy": "limited-dataset", "utility": 1.0, "payoff_usd": 1000.0,
    "attacked": 10.0, "matched": 5.0, "precision": 0.5, "verdict": "pays", "deterred_policy": "state-only",
    "deterred_payoff_usd": 100.0, "deterred_share": 0.1, "baseline": "safe-harbor", "baseline_payoff_usd": 400.0,
    "baseline_verdict": "pays", "gain_over_baseline_usd": 600.0, "records": 20.0, "price_usd": 0.0,
    "price_status": "free", "price_date": "2026", "price_source": "fees", "reason": "",
}  # fmt: skip


def rows(*changes):
    return pd.DataFrame([ROW | change for change in changes])


def test_one_state_in_words():
    (line,) = game_words(rows({}))
    for part in ("Ohio: the publisher does best with Limited data set", "attacks 10 of 20", "$600 more", "10% of that"):
        assert part in line, part


def test_no_attack_and_no_solution():
    assert "no attack pays." in game_words(rows({"attacked": 0.0}))[0]
    none = {"policy": None, "utility": None, "reason": "the price is unknown"}
    assert "no policy is known to be the best (the price is unknown)" in game_words(rows(none))[0]


def test_many_states_are_added_up():
    many = [{"state": state} for state in ("OH", "TX", "NC", "DE", "WI", "AL")]
    lines = game_words(rows(*many))
    assert lines[0] == "Without a penalty: of 6 states, the publisher does best with Limited data set in 6."


def test_the_table_and_the_page():
    assert "limited-dataset" in game_table(rows({}), 200)
    page = game_page(rows({}), ["gain < loss"])
    assert "<h1>The publisher's game</h1>" in page
    assert "gain &lt; loss" in page
