"""Purchases and the game through the door."""

import pytest
from small_people import small

from policy_sim import Study
from policy_sim.words.errors import InputError


@pytest.fixture(scope="module")
def study():
    return Study("us-2020", 2026)


def test_a_budget_or_a_target(study):
    bought = study.budget(100, states=["DE", "WI"], rules="paper")
    assert [offer.name for offer in bought.purchase.offers] == ["DE"]
    assert bought.provenance.manifest()["options"]["usd"] == 100
    with pytest.raises(InputError, match="either a budget or a target"):
        study.budget()
    with pytest.raises(InputError, match="either a budget or a target"):
        study.budget(1, 1)


def test_of_the_same_lists_with_and_without_a_coverage_one_is_bought():
    covered = Study("us-2020", 2026, coverage="survey").budget(100, states="DE", rules="paper")
    everyone = Study("us-2020", 2026, coverage="everyone").budget(100, states="DE", rules="paper")
    assert len(covered.purchase.offers) == 1
    assert covered.purchase.correct_claims > 0
    assert covered.purchase.precision < everyone.purchase.precision == 1


@pytest.mark.slow
def test_the_frontier_is_among_the_moves():
    answer = Study(small(), 2026).game("OH", "safe-harbor", frontier=True, in_file=0.5, rules="paper")
    assert answer.moves["policy"].nunique() > 5
    assert answer.provenance.manifest()["options"]["benefit_usd"] == 1200
    best = answer.to_frame().iloc[0]
    assert best["payoff_usd"] >= best["baseline_payoff_usd"]
