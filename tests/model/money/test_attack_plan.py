"""The attack of a rational buyer: Wan's published case, by brute force, and beside the cost per re-identification."""

from __future__ import annotations

import numpy as np
import pytest

from policy_sim import Study
from policy_sim.attackers.adversary import WAN_2015, Stakes
from policy_sim.attackers.in_file import InFile
from policy_sim.formulas.groups import Groups
from policy_sim.formulas.match_levels import MatchLevels, match_levels
from policy_sim.model.cases import Cases
from policy_sim.model.money.attack_plan import (
    AttackPlan,
    attack_curve_frame,
    attack_plans,
    best_stop,
    least_gain,
    smallest_files,
)
from policy_sim.study.question import Question


@pytest.mark.parametrize(("people", "attacked"), [(1, 1), (74, 74), (75, 0), (76, 0), (10_000, 0)])
def test_wan_2015_is_deterred_from_75_people_on(people, attacked):
    """Gain 300, cost 4: deterred exactly when p <= 4/300, which is k >= 75."""
    (levels,) = match_levels(Groups.of([people]))
    assert best_stop(levels, WAN_2015).attacked == attacked


@pytest.mark.parametrize("seed", range(12))
def test_best_stop_beats_every_number_of_records(seed):
    rng = np.random.default_rng(seed)
    (levels,) = match_levels(Groups.of(rng.integers(1, 60, 30), rng.choice([1.0, 12.0], 30)), 0.8, 0.4)
    stakes = Stakes(
        float(rng.uniform(1, 50)), float(rng.uniform(0, 5)), float(rng.uniform(0, 3)), 20.0,
        float(rng.choice([50.0, 1e9])), float(rng.uniform(0, 0.5)),
    )  # fmt: skip
    every = np.linspace(0, levels.attacked[-1], 20_001)
    profit = stakes.profit(every, levels.matched_after(every))
    stop = best_stop(levels, stakes)
    assert stop.profit_usd >= profit.max() - 1e-6
    assert stop.profit_usd == pytest.approx(
        float(stakes.profit(np.array(stop.attacked), levels.matched_after(stop.attacked)))
    )


def test_nothing_is_attacked_where_every_stop_loses():
    stop = best_stop(MatchLevels.of([100.0], [1.0]), Stakes(1.0, 1.0))
    assert (stop.attacked, stop.matched, stop.profit_usd, stop.least_chance, stop.precision) == (0, 0, 0, None, None)


@pytest.fixture(scope="module")
def study():
    return Study("us-2020", 2026)


def _policies(study, *names):
    return study._policies(Question.of(names, "voter", "DE", rules="paper"))


def test_a_full_release_without_costs_is_the_cost_per_reidentification(study):
    """To the last digit: the end of the curve is what ``cost`` divides by."""
    states = ["DE", "WI", "NC"]
    names = ("safe-harbor", "limited-dataset")
    policies = _policies(study, *names)
    costs = {(cost.profile.state, cost.profile.policy): cost for cost in study.cost(policies, states)}
    plans = attack_plans(Cases(study.people, policies, [study.voter], states=states), Stakes(1.0))
    assert len(plans) >= 6
    for plan in plans:
        cost = costs[plan.case.state, plan.case.policy.name]
        assert plan.price.usd == cost.price_usd
        each = cost.usd_per_reidentification
        expected = each.high if plan.end == "released" else each.low
        assert plan.price.usd / plan.levels.matched[-1] == expected
        assert plan.stop.attacked == plan.levels.attacked[-1], "without costs every record is attacked"


def test_a_state_without_a_list_says_why(study):
    (policy,) = _policies(study, "limited-dataset")
    plans = attack_plans(Cases(study.people, [policy], [study.voter], states=list(study.people.states)), WAN_2015)
    without = [plan for plan in plans if plan.levels is None]
    assert without
    assert all(plan.verdict == "no list" and plan.profit_usd is None and plan.reason for plan in without)


def test_a_smaller_file_has_surer_records(study):
    policies = _policies(study, "safe-harbor")
    precision = [
        attack_plans(
            Cases(study.people, policies, [study.voter], states=["DE"], in_file=InFile.of(share)), Stakes(1.0)
        )[0].stop.precision
        for share in (1.0, 0.1, 0.01)
    ]
    assert precision == sorted(precision)


@pytest.mark.slow
def test_keys_measured_side_by_side_do_not_mix(study):
    """Several policies and attackers by ZIP code at once give what each gives alone."""
    states, policies, attackers = ["DE", "WY"], ["safe-harbor", "limited-dataset"], ["general", "voter"]
    together = study.attack(states, policies, attackers, rules="regulation").to_frame()
    for row in together.itertuples():
        alone = study.attack(row.state, row.policy, row.attacker.split("-")[0], rules="regulation").to_frame()
        mine = alone[alone["attacker"] == row.attacker]
        assert (abs(mine["matched"] / row.matched - 1) < 1e-12).any()
        assert row.records in mine["records"].tolist()


def test_children_are_in_the_file_but_on_no_list_of_adults():
    adults = Study("us-2020", 2026, coverage="adults").attack("DE", "safe-harbor", in_file=0.01, rules="paper")
    (plan,) = (plan for plan in adults.results if plan.case.attacker.coverage is not None)
    assert plan.records == pytest.approx(9899.48)
    assert plan.levels.attacked[-1] < 0.9 * plan.records
    row = next(row for row in adults.to_frame().itertuples() if row.attacker == plan.case.attacker.name)
    assert row.records == plan.records


# Attacks as rows.


@pytest.fixture(scope="module")
def answer():
    return Study("us-2020", 2026).attack(["DE", "NH"], "limited-dataset", ["general", "voter"], in_file=0.01)


@pytest.mark.slow
def test_one_row_per_attack_with_its_price_beside_it(answer):
    rows = AttackPlan.table(answer.results).set_index(["state", "attacker"])
    row = rows.loc[("DE", "voter")]
    assert row["price_usd"] == 25
    assert row["price_date"]
    assert row["price_source"]
    assert row["profit_usd"] == pytest.approx(row["profit_before_price_usd"] - 25)
    assert row["precision"] == pytest.approx(row["matched"] / row["attacked"])
    assert row["usd_per_match_if_all"] == pytest.approx(25 / row["matched_if_all"])


def test_every_dollar_has_a_status_and_unknown_is_missing(answer):
    rows = AttackPlan.table(answer.results)
    assert (rows["price_status"].str.len() > 0).all()
    unknown = rows["price_status"].isin(["unknown", "not_sold", "county_only"])
    assert rows.loc[unknown, ["price_usd", "profit_usd"]].isna().all(axis=None)


def test_the_curve_ends_with_all_records_and_holds_the_best_stop(answer):
    curves = attack_curve_frame(answer.results, 50)
    for plan in answer.results:
        if plan.levels is None:
            continue
        mine = curves[(curves["state"] == plan.case.state) & (curves["attacker"] == plan.case.attacker.name)]
        mine = mine[mine["unknown_fields"].fillna("") == plan.end]
        assert mine["attacked"].iloc[-1] == pytest.approx(plan.levels.attacked[-1])
        assert mine["matched"].iloc[-1] == pytest.approx(plan.levels.correct)
        assert mine["profit_usd"].max() == pytest.approx(plan.stop.profit_usd) or not plan.stop.attacked
        assert mine["best"].sum() == (1 if plan.stop.attacked else 0)
        assert mine["precision"].is_monotonic_decreasing or mine["precision"].diff().max() < 1e-9


# Where an attack begins to pay: by trying gains, prices and sizes.


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
def test_the_smallest_file_pays_and_a_smaller_one_does_not(study):
    stakes, (policy,) = Stakes(300.0, 4.0), _policies(study, "limited-dataset")
    size = first_size(study, policy, "WI", stakes, 12_500.0)
    assert profit(study, policy, "WI", stakes, size) > 12_500
    # 244 whole records: exact, as every size below 1,000
    assert profit(study, policy, "WI", stakes, size - 1) <= 12_500


def test_a_file_of_one_record_is_tried(study):
    """A free list that names everyone sure of a match pays for the first attempt."""
    stakes, (policy,) = Stakes(300.0, 4.0), _policies(study, "limited-dataset")
    assert first_size(study, policy, "OH", stakes, 0.0) == 1
    assert profit(study, policy, "OH", stakes, 1) > 0


def test_no_file_pays_for_a_list_that_is_too_dear_and_none_without_a_price(study):
    (policy,) = _policies(study, "safe-harbor")
    assert first_size(study, policy, "WI", Stakes(1.0, 4.0), 12_500.0) is None
    assert smallest_files(Cases(study.people, [policy], [study.voter], states=["WI"]), Stakes(300, 4), {}) == {}
