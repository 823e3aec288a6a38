"""Questions about money: amounts by name, their sources in the notes, and the answers."""

from policy_sim import Study


def test_the_answer_carries_its_amounts():
    answer = Study("us-2020", 2026).attack("DE", "safe-harbor", gain=10, cost_per_attempt=0)
    assert "gain per correct match: assumed: $10" in answer.provenance.notes
    assert answer.provenance.manifest()["options"]["gain_usd"] == 10
    assert len(answer.curves(20)) >= 20
    assert answer.plot().axes


def test_a_smaller_gain_never_pays_where_a_larger_does_not():
    study = Study("us-2020", 2026)
    dear, cheap = (
        study.break_even("WI", "limited-dataset", gain=gain, sizes=False, rules="paper").to_frame()["verdict"].iloc[0]
        for gain in (300, 0.01)
    )
    assert (dear, cheap) == ("does not pay", "does not pay")


def test_break_even_in_one_state():
    rows = Study("us-2020", 2026).break_even("DE", "limited-dataset").to_frame()
    row = rows.iloc[0]
    assert row["verdict"] == "pays"
    assert 0 < row["break_even_gain_usd"] < 300
    assert row["break_even_price_usd"] > 25
    assert row["price_source"]
