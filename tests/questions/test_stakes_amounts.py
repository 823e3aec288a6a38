"""Amounts by number and by name."""

import pytest

from policy_sim.errors import InputError, UnknownNameError
from policy_sim.questions.stakes_amounts import stakes_of


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
