"""Profiles, ratios and costs by hand: what is missing is an error or a reason, what is unknown a range."""

from __future__ import annotations

import math

import pytest

from policy_sim.errors import UnknownNameError
from policy_sim.results import Bounds, Cost, Measure, RiskProfile, TrustDifferential
from policy_sim.results.result_tables import cost_frame, profile_frame, trust_frame

TOTAL = Measure("total-risk")


def profile(policy: str, *people: float, variance: float | None = None) -> RiskProfile:
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
    for question in (profile("a", 4.0).people, profile("a", 4.0).share, profile("a", 4.0).interval):
        with pytest.raises(UnknownNameError, match=r"'total-riks' is not known\. Did you mean 'total-risk'"):
            question("total-riks")
    without = RiskProfile("OH", "a", "voter", "p", "l", "", "not_sold", "nobody sells it", 1000)
    assert without.people(TOTAL) is None


def test_a_ratio_ranges_over_every_combination_and_not_over_the_ends():
    """Combinations: 100/10 = 10, 600/20 = 30, 200/100 = 2, 1200/200 = 6; the ends alone say 10 to 6."""
    found = trust(profile("a", 100, 600, 200, 1200), profile("b", 10, 20, 100, 200))
    assert (found.status, found.ratio) == ("interval", Bounds(2, 30))


def test_a_side_that_does_not_depend_on_the_unknown_fields_is_the_same_in_each():
    assert trust(profile("a", 30, 90, 60), profile("b", 10)).ratio == Bounds(3, 9)
    assert trust(profile("a", 90), profile("b", 10, 30, 45)).ratio == Bounds(2, 9)


def test_below_one_expected_person_there_is_no_ratio_and_both_sides_are_shown():
    found = trust(profile("a", 60.0), profile("b", 2e-24))
    assert (found.status, found.ratio, found.interval()) == ("undefined", None, None)
    assert found.reason == "b puts fewer than one person at risk by this measure: there is no ratio."
    row = trust_frame([found]).iloc[0]
    assert (row["numerator"], row["denominator"]) == (60, 0)
    assert trust(profile("a", 60.0), profile("b", 0.0)).reason.endswith("there is no ratio.")
    assert trust(profile("a", 60.0), profile("b", 1.0)).ratio == Bounds(60, 60)


def test_combinations_without_a_ratio_are_left_out_and_the_reason_says_so():
    """0/0 and 5/0.5 have none; 40/2 = 20 and 90/3 = 30 have."""
    found = trust(profile("a", 0, 5, 40, 90), profile("b", 0, 0.5, 2, 3))
    assert (found.status, found.ratio) == ("interval", Bounds(20, 30))
    assert found.reason == (
        "race not known; for some of the possible lists, b puts fewer than one person at risk by this measure: "
        "there is no ratio"
    )
    assert trust(profile("a", 0, 5), profile("b", 0, 0.5)).status == "undefined"


def test_the_interval_of_a_ratio_holds_every_combination():
    found = trust(profile("a", 400, 3000, 900, variance=100), profile("b", 100, 150, 300, variance=25))
    span, factor = found.interval(), math.exp(1.959964 * math.sqrt(100 / 900**2 + 25 / 300**2))
    assert span.low == pytest.approx(3 / factor)
    assert span.high == pytest.approx(20 * math.exp(1.959964 * math.sqrt(100 / 3000**2 + 25 / 150**2)))


def test_a_numerator_that_may_be_nobody_has_an_interval_from_0():
    """The coarser policy above: its figure is less than its own scatter, of which no logarithm can be taken."""
    span = trust(profile("a", 1e-6, variance=1.0), profile("b", 100, variance=1.0)).interval()
    assert (span.low, span.high) == (0, pytest.approx(0.01959964, rel=1e-4))


def test_less_than_a_billionth_of_a_person_is_nobody_in_every_frame():
    """The last digits of the arithmetic are no people: CSV wrote 2.2875e-20 where JSON wrote 0.0."""
    tiny = profile("a", 2.2875e-20)
    row = profile_frame([tiny], [TOTAL]).iloc[0]
    assert row[["people", "share", "people_high", "share_high"]].tolist() == [0, 0, 0, 0]
    assert cost_frame([Cost(tiny, None, "unknown")])["total_risk"].tolist() == [0]
    assert trust_frame([trust(tiny, profile("b", 5.0))])["numerator"].tolist() == [0]
    assert profile_frame([profile("a", 2e-9)], [TOTAL])["people"].tolist() == [2e-9]
