from __future__ import annotations

import pytest

from policy_sim.errors import UnknownNameError
from policy_sim.results.measure import Bounds, Measure
from policy_sim.results.risk_profile import RiskProfile, paired


def profile(policy="a", values=None, status="ok", **more):
    values = {} if values is None else {Measure.of(name): Bounds(*ends) for name, ends in values.items()}
    facts = {"state": "OH", "attacker": "voter", "population": "made", "lists": "2026", "linkage_key": "birth=year"}
    return RiskProfile(policy=policy, status=status, reason="", inhabitants=1000, values=values, **{**facts, **more})


def test_shares_are_of_the_people_in_the_file_and_precision_is_of_the_claims():
    half = profile(values={"total-risk": (50, 100), "claims": (80, 40), "correct-claims": (20, 30)}, in_file=0.5)
    assert half.records == 500
    assert half.share("total-risk") == Bounds(0.1, 0.2)
    assert half.share("precision") == Bounds(0.25, 0.75)


def test_no_list_is_no_figure_and_nobody_claimed_is_no_precision():
    without = profile(status="not_sold")
    assert (without.people("total-risk"), without.share("precision"), without.each(Measure.of("claims"))) == (
        None,
        None,
        (),
    )
    assert profile(values={"claims": (0, 5), "correct-claims": (0, 1)}).share("precision") is None


def test_a_measure_that_was_not_counted_is_named():
    with pytest.raises(UnknownNameError, match="total-risk"):
        profile(values={"total-risk": (1, 1)}).people("5-distinct")


def test_each_is_one_figure_two_ends_or_every_combination():
    measure = Measure.of("total-risk")
    assert profile(values={"total-risk": (7, 7)}).each(measure) == (7,)
    assert profile(values={"total-risk": (7, 9)}).each(measure) == (7, 9)
    many = profile(values={"total-risk": (7, 9)}, combinations={measure: (7.0, 8.0, 9.0)})
    assert many.each(measure) == (7.0, 8.0, 9.0)
    assert many.each_variance(measure) == ()


def test_figures_are_paired_by_combination_or_by_their_ends():
    assert paired((1, 2, 3), (9,)) == [(1, 9), (2, 9), (3, 9)]
    assert paired((1, 2, 3), (7, 8, 9)) == [(1, 7), (2, 8), (3, 9)]
    assert paired((1, 2, 3), (8, 9)) == [(1, 8), (3, 9)]
    assert paired((), (8, 9)) == []


@pytest.mark.parametrize(
    ("claims", "correct", "share", "reason"),
    [
        ((9.99, 9.99), (5.0, 5.0), None, "10 claims are expected, which is fewer than 10"),
        ((10.0, 10.0), (5.0, 5.0), Bounds(0.5, 0.5), ""),
        ((4.0, 400.0), (2.0, 300.0), None, "possibly only 4 claims are expected, which is fewer than 10"),
        ((5e-6, 5e-6), (7e-7, 7e-7), None, "fewer than 0.01 claims are expected, which is fewer than 10"),
        ((3.0, 3.0), (3.0, 3.0), Bounds(1.0, 1.0), "3 claims are expected, which is fewer than 10"),  # misses nobody
    ],
)
def test_no_share_of_fewer_than_ten_claims(claims, correct, share, reason):
    found = profile(values={"total-risk": (20.0, 20.0), "claims": claims, "correct-claims": correct})
    assert found.share("precision") == share
    assert found.claims_status == ("few_claims" if reason else "ok")
    assert found.claims_reason == reason
