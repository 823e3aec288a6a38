"""Questions about money: amounts by name, their sources in the notes, and the answers."""

import pytest

from policy_sim import Study
from policy_sim.errors import InputError, UnknownNameError
from policy_sim.questions.economic_questions import stakes_of


def test_amounts_by_name_and_by_number():
    stakes, notes = stakes_of()
    assert (stakes.gain_usd, stakes.cost_per_attempt_usd) == (300, 4)
    assert all("PLoS ONE" in note for note in notes)
    stakes, notes = stakes_of(12, "0", loss_per_wrong=1.0)
    assert (stakes.gain_usd, stakes.cost_per_attempt_usd, stakes.loss_per_wrong_usd) == (12, 0, 1)
    assert notes[0] == "gain per correct match: assumed: $12"


def test_a_named_penalty_takes_its_lower_end_and_its_cap():
    stakes, notes = stakes_of(penalty="hipaa-did-not-know-2026", chance_caught=0.1)
    assert (stakes.penalty_usd, stakes.penalty_cap_usd, stakes.chance_caught) == (145, 2_190_294, 0.1)
    assert "2026-01-28" in notes[-1]


def test_a_penalty_without_an_amount_is_refused_not_taken_as_nothing():
    with pytest.raises(InputError, match="no source gives the amount"):
        stakes_of(penalty="contract-ca-ab-713")
    with pytest.raises(UnknownNameError):
        stakes_of(gain="gold")


def test_the_answer_carries_its_amounts():
    answer = Study("us-2020", 2026).attack("DE", "safe-harbor", gain=10, cost_per_attempt=0)
    assert "gain per correct match: assumed: $10" in answer.provenance.notes
    assert answer.provenance.manifest()["options"]["gain_usd"] == 10
    assert len(answer.curves(20)) >= 20
    assert answer.plot().axes


def test_a_smaller_gain_never_pays_where_a_larger_does_not():
    study = Study("us-2020", 2026)
    dear, cheap = (
        study.break_even("WI", "limited-dataset", gain=gain, sizes=False).to_frame()["verdict"].iloc[0]
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
