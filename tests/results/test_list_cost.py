from __future__ import annotations

import pytest

from policy_sim.results.list_cost import Cost
from policy_sim.results.measure import Bounds, Measure
from policy_sim.results.risk_profile import RiskProfile


def profile(policy="a", values=None, status="ok", **more):
    values = {} if values is None else {Measure.of(name): Bounds(*ends) for name, ends in values.items()}
    facts = {"state": "OH", "attacker": "voter", "population": "made", "lists": "2026", "linkage_key": "birth=year"}
    return RiskProfile(policy=policy, status=status, reason="", inhabitants=1000, values=values, **{**facts, **more})


RISK = {"total-risk": (10, 40)}


def test_an_unknown_field_makes_each_one_dearer_where_it_is_withheld():
    cost = Cost(profile(values=RISK), 200.0, "ok")
    assert cost.usd_per_reidentification == Bounds(20.0, 5.0)
    assert cost.status == "ok"


def test_a_price_between_two_ends_gives_the_widest_range():
    cost = Cost(profile(values=RISK), 100.0, "ok", price_usd_high=200.0)
    assert cost.usd_per_reidentification == Bounds(20.0, 2.5)
    assert cost.status == "interval"
    assert "between 100.00 and 200.00 USD" in cost.reason


@pytest.mark.parametrize(
    ("values", "price", "high", "status", "each"),
    [
        (RISK, 0.0, None, "free", Bounds(0, 0)),
        (RISK, None, None, "not_sold", None),
        ({"total-risk": (0, 0)}, 50.0, None, "undefined", None),
        ({"total-risk": (0, 0)}, 0.0, None, "undefined", None),
        ({"total-risk": (0, 4)}, 50.0, None, "undefined", None),
        (None, 50.0, None, "county_only", None),
    ],
)
def test_what_stands_in_the_place_of_a_cost(values, price, high, status, each):
    price_status = "not_sold" if price is None else "free" if price == 0 else "ok"
    held = profile(values=values, status="ok" if values else "county_only")
    cost = Cost(held, price, price_status, price_usd_high=high)
    assert (cost.status, cost.usd_per_reidentification) == (status, each)


def test_whoever_alone_may_buy_is_named_with_the_price():
    cost = Cost(profile(values=RISK), 5.0, "ok", "flat fee.", ("parties", "candidates"))
    assert cost.reason == "flat fee; not for the public, only for parties, candidates"


def test_claims_have_a_cost_where_they_were_counted():
    assert Cost(profile(values=RISK), 5.0, "ok").usd_per_correct_claim is None
    claims = profile(values={**RISK, "correct-claims": (2, 8)})
    assert Cost(claims, 16.0, "ok").usd_per_correct_claim == Bounds(8.0, 2.0)


def test_no_dollars_for_each_of_fewer_than_ten_claims():
    """Utah under Safe Harbor: 7e-7 right of 5e-6 claims at $1,050 was $1.4 billion per claim."""
    few = Cost(profile(values=RISK | {"claims": (5e-6, 5e-6), "correct-claims": (7e-7, 7e-7)}), 1050.0, "ok")
    assert few.usd_per_correct_claim is None
    assert (few.claim_status, few.status) == ("few_claims", "ok")
    (row,) = few.to_frame().to_dict("records")
    assert row["claim_status"] == "few_claims"
    assert "fewer than 10" in row["claim_reason"]
    enough = Cost(profile(values=RISK | {"claims": (20.0, 20.0), "correct-claims": (10.0, 10.0)}), 100.0, "ok")
    assert enough.usd_per_correct_claim == Bounds(10.0, 10.0)
    assert (enough.claim_status, enough.claim_reason) == ("ok", "")
