"""Where an attack begins to pay: by trying gains, prices and sizes."""

import numpy as np
import pytest

from policy_sim import Study
from policy_sim.attackers.adversary import Stakes
from policy_sim.attackers.in_file import InFile
from policy_sim.formulas.groups import Groups
from policy_sim.formulas.match_levels import MatchLevels, match_levels
from policy_sim.model.cases import Cases
from policy_sim.model.money.attack_plan import attack_plans, best_stop, least_gain, smallest_files
from policy_sim.study.question import Question


@pytest.mark.parametrize("seed", range(8))
def test_just_above_the_least_gain_it_pays_and_just_below_it_does_not(seed):
    rng = np.random.default_rng(seed)
    (levels,) = match_levels(Groups.of(rng.integers(1, 400, 40), rng.choice([1.0, 365.0], 40)), 0.7)
    price = float(rng.uniform(1, 500))
    stakes = Stakes(0.0, float(rng.uniform(0, 3)), float(rng.uniform(0, 1)))
    even = least_gain(levels, stakes, price)
    for factor, pays in ((1.001, True), (0.999, False)):
        there = Stakes(even.gain_usd * factor, stakes.cost_per_attempt_usd, stakes.loss_per_wrong_usd)
        assert (best_stop(levels, there).profit_usd > price) is pays


def test_nothing_to_match_has_no_break_even():
    assert least_gain(MatchLevels.of([5.0], [0.0]), Stakes(1), 3.0) is None


def test_without_costs_it_is_the_price_over_all_matches():
    (levels,) = match_levels(Groups.of([10, 20, 30], 12))
    assert least_gain(levels, Stakes(0), 60.0).gain_usd == pytest.approx(60.0 / levels.correct)


def first_size(study, policy, state, stakes, usd):
    """The smallest file of which an attack with the state's list at this price pays."""
    cases = Cases(study.people, [policy], [study.voter], states=[state])
    sizes = smallest_files(cases, stakes, {(policy.name, "voter", state): usd})
    assert list(sizes) == [(policy.name, "voter", state, "")]
    return sizes[policy.name, "voter", state, ""]


def profit(study, policy, state, stakes, records):
    share = InFile(share=records / study.people.people_by_state()[state])
    (plan,) = attack_plans(Cases(study.people, [policy], [study.voter], states=[state], in_file=share), stakes)
    return plan.stop.profit_usd


@pytest.mark.slow
def test_the_smallest_file_pays_and_a_smaller_one_does_not():
    study, stakes = Study("us-2020", 2026), Stakes(300.0, 4.0)
    (policy,) = study._policies(Question.of("limited-dataset", "voter", "WI", rules="paper"))
    size = first_size(study, policy, "WI", stakes, 12_500.0)
    assert profit(study, policy, "WI", stakes, size) > 12_500
    # 244 whole records: exact, as every size below 1,000
    assert profit(study, policy, "WI", stakes, size - 1) <= 12_500


def test_a_file_of_one_record_is_tried():
    """A free list that names everyone sure of a match pays for the first attempt."""
    study, stakes = Study("us-2020", 2026), Stakes(300.0, 4.0)
    (policy,) = study._policies(Question.of("limited-dataset", "voter", "OH", rules="paper"))
    assert first_size(study, policy, "OH", stakes, 0.0) == 1
    assert profit(study, policy, "OH", stakes, 1) > 0


def test_no_file_pays_for_a_list_that_is_too_dear_and_none_without_a_price():
    study = Study("us-2020", 2026)
    (policy,) = study._policies(Question.of("safe-harbor", "voter", "WI", rules="paper"))
    assert first_size(study, policy, "WI", Stakes(1.0, 4.0), 12_500.0) is None
    assert smallest_files(Cases(study.people, [policy], [study.voter], states=["WI"]), Stakes(300, 4), {}) == {}
