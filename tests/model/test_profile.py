from __future__ import annotations

import math

import pytest

from policy_sim.model.measure import Bounds, Measure
from policy_sim.model.profile import Cost, RiskProfile, TrustDifferential, paired
from policy_sim.model.tables import cost_frame, profile_frame, trust_frame
from policy_sim.words.errors import UnknownNameError


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


# Profiles, ratios and costs by hand: what is missing is an error or a reason, what is unknown a range.


TOTAL = Measure("total-risk")


def trust_differential_profile(policy: str, *people: float, variance: float | None = None) -> RiskProfile:
    """A profile under as many combinations of unknown fields as there are figures."""
    unknown = len(people) > 1
    return RiskProfile(
        *("OH", policy, "voter", "p", "l", "k"),
        "interval" if unknown else "ok",
        "race not known" if unknown else "",
        1000,
        {TOTAL: Bounds(people[0], people[-1])},
        {} if variance is None else {TOTAL: Bounds(variance, variance)},
        {TOTAL: people} if unknown else {},
        {} if variance is None or not unknown else {TOTAL: (variance,) * len(people)},
    )


def trust(above: RiskProfile, below: RiskProfile) -> TrustDifferential:
    return TrustDifferential(above, below, TOTAL)


def test_a_measure_that_the_profile_lacks_is_an_error_and_not_missing():
    for question in (
        trust_differential_profile("a", 4.0).people,
        trust_differential_profile("a", 4.0).share,
        trust_differential_profile("a", 4.0).interval,
    ):
        with pytest.raises(UnknownNameError, match=r"'total-riks' is not known\. Did you mean 'total-risk'"):
            question("total-riks")
    without = RiskProfile("OH", "a", "voter", "p", "l", "", "not_sold", "nobody sells it", 1000)
    assert without.people(TOTAL) is None


def test_a_ratio_ranges_over_every_combination_and_not_over_the_ends():
    """Combinations: 100/10 = 10, 600/20 = 30, 200/100 = 2, 1200/200 = 6; the ends alone say 10 to 6."""
    found = trust(
        trust_differential_profile("a", 100, 600, 200, 1200), trust_differential_profile("b", 10, 20, 100, 200)
    )
    assert (found.status, found.ratio) == ("interval", Bounds(2, 30))


def test_a_side_that_does_not_depend_on_the_unknown_fields_is_the_same_in_each():
    assert trust(trust_differential_profile("a", 30, 90, 60), trust_differential_profile("b", 10)).ratio == Bounds(3, 9)
    assert trust(trust_differential_profile("a", 90), trust_differential_profile("b", 10, 30, 45)).ratio == Bounds(2, 9)


def test_below_one_expected_person_there_is_no_ratio_and_both_sides_are_shown():
    found = trust(trust_differential_profile("a", 60.0), trust_differential_profile("b", 2e-24))
    assert (found.status, found.ratio, found.interval()) == ("undefined", None, None)
    assert found.reason == "b puts fewer than one person at risk by this measure: there is no ratio."
    row = trust_frame([found]).iloc[0]
    assert (row["numerator"], row["denominator"]) == (60, 0)
    assert trust(trust_differential_profile("a", 60.0), trust_differential_profile("b", 0.0)).reason.endswith(
        "there is no ratio."
    )
    assert trust(trust_differential_profile("a", 60.0), trust_differential_profile("b", 1.0)).ratio == Bounds(60, 60)


def test_combinations_without_a_ratio_are_left_out_and_the_reason_says_so():
    """0/0 and 5/0.5 have none; 40/2 = 20 and 90/3 = 30 have."""
    found = trust(trust_differential_profile("a", 0, 5, 40, 90), trust_differential_profile("b", 0, 0.5, 2, 3))
    assert (found.status, found.ratio) == ("interval", Bounds(20, 30))
    assert found.reason == (
        "race not known; for some of the possible lists, b puts fewer than one person at risk by this measure: "
        "there is no ratio"
    )
    assert trust(trust_differential_profile("a", 0, 5), trust_differential_profile("b", 0, 0.5)).status == "undefined"


def test_the_interval_of_a_ratio_holds_every_combination():
    found = trust(
        trust_differential_profile("a", 400, 3000, 900, variance=100),
        trust_differential_profile("b", 100, 150, 300, variance=25),
    )
    span, factor = found.interval(), math.exp(1.959964 * math.sqrt(100 / 900**2 + 25 / 300**2))
    assert span.low == pytest.approx(3 / factor)
    assert span.high == pytest.approx(20 * math.exp(1.959964 * math.sqrt(100 / 3000**2 + 25 / 150**2)))


def test_a_numerator_that_may_be_nobody_has_an_interval_from_0():
    """The coarser policy above: its figure is less than its own scatter, of which no logarithm can be taken."""
    span = trust(
        trust_differential_profile("a", 1e-6, variance=1.0), trust_differential_profile("b", 100, variance=1.0)
    ).interval()
    assert (span.low, span.high) == (0, pytest.approx(0.01959964, rel=1e-4))


def test_less_than_a_billionth_of_a_person_is_nobody_in_every_frame():
    """The last digits of the arithmetic are no people: CSV wrote 2.2875e-20 where JSON wrote 0.0."""
    tiny = trust_differential_profile("a", 2.2875e-20)
    row = profile_frame([tiny], [TOTAL]).iloc[0]
    assert row[["people", "share", "people_high", "share_high"]].tolist() == [0, 0, 0, 0]
    assert cost_frame([Cost(tiny, None, "unknown")])["total_risk"].tolist() == [0]
    assert trust_frame([trust(tiny, trust_differential_profile("b", 5.0))])["numerator"].tolist() == [0]
    assert profile_frame([trust_differential_profile("a", 2e-9)], [TOTAL])["people"].tolist() == [2e-9]
