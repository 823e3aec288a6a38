from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from policy_sim.model.measure import Bounds, Measure
from policy_sim.model.profile import Cost, Curve, RiskProfile
from policy_sim.model.tables import cost_frame, trust_curve_frame
from policy_sim.words.errors import UnknownNameError


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


def curve(policy, shares, state="OH", high=None, status="ok"):
    low = None if shares is None else np.array(shares)
    end = low if high is None else np.array(high)
    facts, g = (state, policy, "voter", "made", "2026", "birth=year", status, ""), range(1, len(shares or ()) + 1)
    return Curve(*facts, low, end, g, records=100.0)


def test_one_row_a_group_size_from_one_on():
    frame = curve("a", [0.1, 0.4, 1.0]).to_frame()
    assert frame["g"].tolist() == [1, 2, 3]
    assert frame["share"].tolist() == frame["share_high"].tolist() == [0.1, 0.4, 1.0]


def test_without_a_list_there_is_a_reason_and_no_zero():
    one = curve("a", None, status="not_sold")
    assert one.each() == ()
    (row,) = one.to_frame().to_dict("records")
    assert row["status"] == "not_sold"
    assert pd.isna(row["g"])
    assert pd.isna(row["share"])


def test_each_is_one_curve_or_two_ends():
    assert len(curve("a", [0.1, 0.2]).each()) == 1
    low, high = curve("a", [0.1, 0.2], high=[0.3, 0.5], status="interval").each()
    assert (low.tolist(), high.tolist()) == ([0.1, 0.2], [0.3, 0.5])


def test_a_status_that_does_not_exist_is_refused():
    with pytest.raises(UnknownNameError, match="sold"):
        curve("a", [0.1], status="sold")


BOTH = (
    curve("a", [0.02, 0.5]),
    curve("b", [0.005, 0.25]),
    curve("a", [0.5, 1.0], "TX"),
)


def test_a_ratio_needs_one_person_below():
    """Of 100 people b names half a person alone, and 25 among two: only the second has a ratio, 0.5 over 0.25."""
    rows = trust_curve_frame(BOTH[:2], "a", "b")
    assert rows["status"].tolist() == ["undefined", "ok"]
    assert rows["ratio"].isna().tolist() == [True, False]
    assert rows["ratio"][1] == rows["ratio_high"][1] == 2.0


def test_a_policy_over_itself_is_one():
    assert trust_curve_frame(BOTH[2:], "a", "a")["ratio"].tolist() == [1.0, 1.0]


def test_no_cost_is_an_empty_table_with_its_columns():
    assert cost_frame(()).empty
    assert "usd_per_reidentification" in cost_frame(()).columns
