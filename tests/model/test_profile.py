"""Profiles, ratios, costs and curves by hand: what is missing is an error or a reason, what is unknown a range."""

from __future__ import annotations

import math
import re

import numpy as np
import pandas as pd
import pytest
from said import numbers

from policy_sim.model.compare import Curve, trust_curve_frame
from policy_sim.model.measure import NOBODY, Bounds, Measure, tidy_rows
from policy_sim.model.profile import Cost, Figure, RiskProfile, TrustDifferential, paired
from policy_sim.words.errors import UnknownNameError

TOTAL = Measure("total-risk")
FACTS = {"state": "OH", "attacker": "voter", "population": "made", "lists": "2026", "linkage_key": "birth=year"}
RISK = {"total-risk": (10, 40)}
CLAIMS = {"total-risk": (50, 100), "claims": (80, 80), "correct-claims": (20, 40)}


def profile(policy="a", values=None, status="ok", reason="", **more):
    spread = {name: more.pop(name) for name in Figure._fields if name in more}
    figures = {Measure.of(name): Figure(Bounds(*ends), **spread) for name, ends in (values or {}).items()}
    facts = {"policy": policy, "status": status, "reason": reason, "inhabitants": 1000, "figures": figures}
    return RiskProfile(**FACTS | facts | more)


def of_lists(policy: str, *people: float, variance: float | None = None) -> RiskProfile:
    """A profile under as many combinations of unknown fields as there are figures."""
    unknown = len(people) > 1
    return profile(
        policy,
        {"total-risk": (people[0], people[-1])},
        "interval" if unknown else "ok",
        "race not known" if unknown else "",
        variance=None if variance is None else Bounds(variance, variance),
        combinations=people if unknown else (),
        combination_variances=(variance,) * len(people) if variance and unknown else (),
    )


def trust(above: RiskProfile, below: RiskProfile) -> TrustDifferential:
    return TrustDifferential(above, below, TOTAL)


def rows_of(profiles, *measures):
    return tidy_rows((row for one in profiles for row in one.rows(measures)), RiskProfile.columns)


def test_shares_are_of_the_people_in_the_file_and_precision_is_of_the_claims():
    half = profile(values={"total-risk": (50, 100), "claims": (80, 40), "correct-claims": (20, 30)}, in_file=0.5)
    assert half.records == 500
    assert half.share("total-risk") == Bounds(0.1, 0.2)
    assert half.share("precision") == Bounds(0.25, 0.75)
    assert profile(values={"claims": (0, 5), "correct-claims": (0, 1)}).share("precision") is None


def test_each_is_one_figure_two_ends_or_every_combination():
    assert profile(values={"total-risk": (7, 7)}).each(TOTAL) == (7,)
    assert profile(values={"total-risk": (7, 9)}).each(TOTAL) == (7, 9)
    assert of_lists("a", 7.0, 8.0, 9.0).each(TOTAL) == (7.0, 8.0, 9.0)
    assert of_lists("a", 7.0, 8.0, 9.0).each_variance(TOTAL) == ()


def test_figures_are_paired_by_combination_or_by_their_ends():
    assert paired((1, 2, 3), (9,)) == [(1, 9), (2, 9), (3, 9)]
    assert paired((1, 2, 3), (7, 8, 9)) == [(1, 7), (2, 8), (3, 9)]
    assert paired((1, 2, 3), (8, 9)) == [(1, 8), (3, 9)]
    assert paired((), (8, 9)) == []


@pytest.mark.parametrize(
    ("claims", "correct", "share", "few"),
    [
        ((9.99, 9.99), (5.0, 5.0), None, ["10", "10"]),
        ((10.0, 10.0), (5.0, 5.0), Bounds(0.5, 0.5), []),
        ((4.0, 400.0), (2.0, 300.0), None, ["4", "10"]),
        ((5e-6, 5e-6), (7e-7, 7e-7), None, ["0.01", "10"]),
        ((0.0105, 0.0105), (0.005, 0.005), None, ["0.011", "10"]),
        ((3.0, 3.0), (3.0, 3.0), Bounds(1.0, 1.0), ["3", "10"]),  # misses nobody
    ],
)
def test_no_share_and_no_dollars_of_fewer_than_ten_claims(claims, correct, share, few):
    """Utah under Safe Harbor: 7e-7 right of 5e-6 claims at $1,050 was $1.4 billion per claim."""
    found = profile(values={"total-risk": (20.0, 20.0), "claims": claims, "correct-claims": correct})
    assert found.share("precision") == share
    assert found.claims_status == ("few_claims" if few else "ok")
    assert numbers(found.claims_reason) == few
    cost = Cost(found, 100.0, "ok")
    (row,) = cost.to_frame().to_dict("records")
    assert (row["claim_status"], row["claim_reason"], cost.status) == (found.claims_status, found.claims_reason, "ok")
    assert cost.usd_per_correct_claim == (None if few else Bounds(20.0, 20.0))


def test_a_measure_that_the_profile_lacks_is_an_error_and_not_missing():
    for question in (of_lists("a", 4.0).people, of_lists("a", 4.0).share, of_lists("a", 4.0).interval):
        with pytest.raises(UnknownNameError, match=r"'total-riks' is not known\. Did you mean 'total-risk'"):
            question("total-riks")
    with pytest.raises(UnknownNameError, match="total-risk"):
        of_lists("a", 1.0).people("5-distinct")
    without = profile(status="not_sold")
    assert (without.people(TOTAL), without.share("precision"), without.each("claims")) == (None, None, ())


def test_people_over_the_share_is_the_state_on_every_row():
    frame = rows_of([profile("a", CLAIMS), profile("b", {"total-risk": (5, 5)})], TOTAL)
    assert (frame["people"] / frame["share"]).tolist() == [1000.0, 1000.0]
    assert (frame["people_high"] / frame["share_high"]).tolist() == [1000.0, 1000.0]


def test_precision_is_a_share_and_has_no_people():
    (row,) = rows_of([profile("a", CLAIMS)], Measure("precision")).to_dict("records")
    assert (row["share"], row["share_high"]) == (0.25, 0.5)
    assert pd.isna(row["people"])


def test_a_figure_that_is_not_there_is_missing_beside_its_status():
    none = profile("b", status="not_sold")
    for frame in (none.to_frame(), trust(of_lists("a", 4.0), none).to_frame()):
        (row,) = frame.to_dict("records")
        assert row["status"] == "not_sold"
        assert pd.isna(row["people" if "people" in row else "ratio"])


def test_variances_add_the_ends_of_an_interval():
    frame = of_lists("a", 50.0, variance=4.0).to_frame()
    assert "people_from" not in of_lists("a", 50.0).to_frame()
    low, high = frame["people_from"][0], frame["people_to"][0]
    assert low + high == 100
    assert abs((high - low) / (2 * 1.959964 * 2) - 1) < 1e-6
    assert frame["share_to"][0] * 1000 == high


def test_less_than_a_billionth_of_a_person_is_nobody_in_every_table():
    """The last digits of the arithmetic are no people: CSV wrote 2.2875e-20 where JSON wrote 0.0."""
    tiny = of_lists("a", 2.2875e-20)
    names = ["people", "share", "people_high", "share_high"]
    assert tiny.to_frame()[names].iloc[0].tolist() == [0, 0, 0, 0]
    assert trust(tiny, of_lists("b", 5.0)).to_frame()["numerator"].tolist() == [0]
    for people, written in ((1e-12, 0), (NOBODY, NOBODY), (2e-9, 2e-9)):
        ends = profile(values={"total-risk": (people, 2)})
        table = Cost(ends, 8.0, "ok").to_frame()
        assert ends.to_frame()["people"].tolist() == table["total_risk"].tolist() == [written]
        assert table["usd_per_reidentification_high"].tolist() == [4]


# Ratios.


def test_a_ratio_ranges_over_every_combination_and_not_over_the_ends():
    """Combinations: 100/10 = 10, 600/20 = 30, 200/100 = 2, 1200/200 = 6; the ends alone say 10 to 6."""
    found = trust(of_lists("a", 100, 600, 200, 1200), of_lists("b", 10, 20, 100, 200))
    assert (found.status, found.ratio) == ("interval", Bounds(2, 30))


def test_a_side_that_does_not_depend_on_the_unknown_fields_is_the_same_in_each():
    assert trust(of_lists("a", 30, 90, 60), of_lists("b", 10)).ratio == Bounds(3, 9)
    assert trust(of_lists("a", 90), of_lists("b", 10, 30, 45)).ratio == Bounds(2, 9)


def test_below_one_expected_person_there_is_no_ratio_and_both_sides_are_shown():
    found = trust(of_lists("a", 60.0), of_lists("b", 2e-24))
    assert (found.status, found.ratio, found.interval()) == ("undefined", None, None)
    assert "fewer than one person at risk" in found.reason
    row = found.to_frame().iloc[0]
    assert (row["numerator"], row["denominator"]) == (60, 0)
    assert trust(of_lists("a", 60.0), of_lists("b", 0.0)).reason.endswith("there is no ratio.")
    assert trust(of_lists("a", 60.0), of_lists("b", 1.0)).ratio == Bounds(60, 60)


def test_combinations_without_a_ratio_are_left_out_and_the_reason_says_so():
    """0/0 and 5/0.5 have none; 40/2 = 20 and 90/3 = 30 have."""
    found = trust(of_lists("a", 0, 5, 40, 90), of_lists("b", 0, 0.5, 2, 3))
    assert (found.status, found.ratio) == ("interval", Bounds(20, 30))
    assert re.fullmatch(r"race not known; for some .* lists, b puts fewer than one person .* no ratio", found.reason)
    assert trust(of_lists("a", 0, 5), of_lists("b", 0, 0.5)).status == "undefined"


def test_the_interval_of_a_ratio_holds_every_combination():
    found = trust(of_lists("a", 400, 3000, 900, variance=100), of_lists("b", 100, 150, 300, variance=25))
    span, factor = found.interval(), math.exp(1.959964 * math.sqrt(100 / 900**2 + 25 / 300**2))
    assert span.low == pytest.approx(3 / factor)
    assert span.high == pytest.approx(20 * math.exp(1.959964 * math.sqrt(100 / 3000**2 + 25 / 150**2)))


def test_a_numerator_that_may_be_nobody_has_an_interval_from_0():
    """The coarser policy above: its figure is less than its own scatter, of which no logarithm can be taken."""
    span = trust(of_lists("a", 1e-6, variance=1.0), of_lists("b", 100, variance=1.0)).interval()
    assert (span.low, span.high) == (0, pytest.approx(0.01959964, rel=1e-4))


# Intervals.


def test_intervals_by_hand():
    one = of_lists("a", 400, variance=100)
    assert one.interval(TOTAL) == Bounds(pytest.approx(400 - 19.6, abs=0.001), pytest.approx(419.6, abs=0.001))
    assert one.interval(TOTAL, 0.5).high == pytest.approx(406.745, abs=0.001)
    assert of_lists("a", 1, variance=100).interval(TOTAL).low == 0
    ratio = trust(one, of_lists("b", 100, variance=25)).interval()
    factor = np.exp(1.959964 * np.sqrt(100 / 400**2 + 25 / 100**2))
    assert (ratio.low, ratio.high) == (pytest.approx(4 / factor), pytest.approx(4 * factor))
    cost = Cost(one, 800.0, "ok").interval()
    assert (cost.low, cost.high) == (pytest.approx(800 / 419.6, rel=1e-5), pytest.approx(800 / 380.4, rel=1e-5))


def test_no_interval_where_the_denominator_may_be_nobody():
    assert trust(of_lists("a", 400, variance=1), of_lists("b", 1, variance=1)).interval() is None
    assert Cost(of_lists("a", 1, variance=1), 800.0, "ok").interval() is None
    without = of_lists("a", 4)
    assert without.interval(TOTAL) is None
    assert trust(without, without).interval() is None


def test_both_ends_of_an_unknown_list_lie_inside():
    two = profile("a", {"total-risk": (100, 400)}, "interval", variance=Bounds(1, 4))
    span = two.interval(TOTAL)
    assert (span.low, span.high) == (pytest.approx(100 - 1.96, abs=0.001), pytest.approx(400 + 3.92, abs=0.001))


# Costs.


@pytest.mark.parametrize(
    ("values", "price", "high", "status", "each"),
    [
        (RISK, 200.0, None, "ok", Bounds(20.0, 5.0)),  # an unknown field makes each one dearer where it is withheld
        (RISK, 100.0, 200.0, "interval", Bounds(20.0, 2.5)),
        (RISK, 0.0, None, "free", Bounds(0, 0)),
        (RISK, None, None, "not_sold", None),
        ({"total-risk": (0, 0)}, 50.0, None, "undefined", None),
        ({"total-risk": (0, 0)}, 0.0, None, "undefined", None),
        ({"total-risk": (0, 4)}, 50.0, None, "undefined", None),
        (None, 50.0, None, "county_only", None),
    ],
)
def test_a_cost_or_what_stands_in_its_place(values, price, high, status, each):
    price_status = "not_sold" if price is None else "free" if price == 0 else "ok"
    held = profile(values=values, status="ok" if values else "county_only")
    cost = Cost(held, price, price_status, price_usd_high=high)
    assert (cost.status, cost.usd_per_reidentification) == (status, each)
    assert ("between 100.00 and 200.00 USD" in cost.reason) == (high is not None)


def test_whoever_alone_may_buy_is_named_with_the_price():
    cost = Cost(profile(values=RISK), 5.0, "ok", "flat fee.", ("parties", "candidates"))
    assert cost.reason.startswith("flat fee; ")
    assert "only for parties, candidates" in cost.reason


def test_claims_have_a_cost_where_they_were_counted():
    assert Cost(profile(values=RISK), 5.0, "ok").usd_per_correct_claim is None
    claims = profile(values={**RISK, "correct-claims": (2, 8)})
    assert Cost(claims, 16.0, "ok").usd_per_correct_claim == Bounds(8.0, 2.0)


def test_no_cost_is_an_empty_table_with_its_columns():
    assert Cost.table(()).empty
    assert "usd_per_reidentification" in Cost.table(())


# Curves.


def curve(policy, shares, state="OH", high=None, status="ok"):
    low = None if shares is None else np.array(shares)
    end = low if high is None else np.array(high)
    facts = FACTS | {"state": state, "policy": policy, "status": status, "reason": ""}
    return Curve(**facts, low=low, high=end, g=range(1, len(shares or ()) + 1), records=100.0)


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


def test_a_ratio_needs_one_person_below():
    """Of 100 people b names half a person alone, and 25 among two: only the second has a ratio, 0.5 over 0.25."""
    rows = trust_curve_frame((curve("a", [0.02, 0.5]), curve("b", [0.005, 0.25])), "a", "b")
    assert rows["status"].tolist() == ["undefined", "ok"]
    assert rows["ratio"].isna().tolist() == [True, False]
    assert rows["ratio"][1] == rows["ratio_high"][1] == 2.0
    assert trust_curve_frame([curve("a", [0.5, 1.0], "TX")], "a", "a")["ratio"].tolist() == [1.0, 1.0]
