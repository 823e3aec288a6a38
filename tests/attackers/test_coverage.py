"""Whom the lists hold: by hand, and against the formula of MODEL.md section 7."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom
from small_people import file_of, list_of, population_of

from policy_sim.attackers import ADULTS, Attacker, Coverage, covered, voter
from policy_sim.attackers.county_coverage import load_coverage
from policy_sim.attackers.coverage import (
    OVERLAPS,
    joint_coverage,
    list_records,
    listed_shares,
    people_of,
    share_of_text,
)
from policy_sim.model.cases import Cases
from policy_sim.model.compare import compare, costs
from policy_sim.model.measure import Measure
from policy_sim.people.by_name import load_population
from policy_sim.policies.policy import Policy
from policy_sim.voter_lists.price import Price
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Granularities

ROWS = [("OH", 10, 1, 40), ("OH", 17, 1, 30), ("OH", 18, 1, 100), ("OH", 60, 5, 200), ("WV", 30, 1, 50)]
COLUMNS = ["state", "age", "age_width", "people"]
PEOPLE = population_of(ROWS, COLUMNS)
HALF = Coverage("registered", "half of Ohio", {"OH": 150})
DATE = Policy("date", "t", Granularities(birth="date", geography="state"), "c")
A_DOLLAR = Price("schedule", usd_per_record=1)
VOTER = voter({state: list_of(state, rest="withheld", birth="date", price=A_DOLLAR) for state in ("OH", "WV")})
OHIO = [(40, 365), (30, 365), (100, 365), (200, 5 * 365)]  # people of each age and their dates of birth, minors first


def risk(c, groups=OHIO):
    return sum(b * (1 - (1 - c / b) ** n) for n, b in groups)


def test_people_on_the_list():
    assert list_records(PEOPLE) == {"OH": 370, "WV": 50}
    assert list_records(PEOPLE, ADULTS) == {"OH": 300, "WV": 50}
    assert list_records(PEOPLE, HALF) == {"OH": 150}, "nothing is known of West Virginia"
    assert PEOPLE.of_age(18).people == 350


def test_shares_are_of_the_adults_and_never_more_than_all():
    adults = PEOPLE.of_age(18)
    np.testing.assert_allclose(listed_shares(adults, HALF, ["OH"]), [0.5])
    np.testing.assert_allclose(listed_shares(adults, None, ["OH", "WV"]), [1, 1])
    assert Coverage("registered", "too many", {"OH": 900}).share("OH", 300) == 1


def test_beside_the_figure_for_everyone():
    found = compare(Cases(PEOPLE, [DATE], [VOTER, covered(VOTER, ADULTS), covered(VOTER, HALF)], states=["OH"], g=[2]))
    total, distinct = Measure("total-risk"), Measure("g-distinct", 2)
    everyone, adults, half = (found.profile("OH", "date", f"voter{name}") for name in ("", "-adults", "-registered"))

    assert everyone.people(total).low == pytest.approx(risk(1), rel=1e-12)
    assert adults.people(total).low == pytest.approx(risk(1, OHIO[2:]), rel=1e-12)
    assert half.people(total).low == pytest.approx(risk(0.5, OHIO[2:]), rel=1e-12)
    two_distinct = sum(n * 0.5 * binom.cdf(1, n - 1, 0.5 / b) for n, b in OHIO[2:])
    assert half.people(distinct).low == pytest.approx(two_distinct, rel=1e-12)
    assert half.share(total).low == half.people(total).low / 370, "of everyone, as the paper"


def test_a_state_without_a_figure_is_unknown():
    profile = compare(Cases(PEOPLE, [DATE], [covered(VOTER, HALF)])).profile("WV", "date", "voter-registered")
    assert (profile.status, profile.people(Measure("total-risk"))) == ("unknown", None)
    assert "WV" in profile.reason


def test_a_price_a_record_is_paid_for_those_listed():
    attackers = [VOTER, covered(VOTER, ADULTS), covered(VOTER, HALF)]
    found = compare(Cases(PEOPLE, [DATE], attackers, states=["OH"]))
    assert [costs(found, PEOPLE, each)[0].price_usd for each in attackers] == [370, 300, 150]


def test_years_of_birth_are_ages_that_are_wholly_inside():
    dated = population_of(ROWS, COLUMNS, "2020-04-01")
    births = Coverage("births", "births", least_age=0, born=(1959, 2003))
    # Who is 17 in April 2020 was born in 2002 or 2003, who is 60 in 1959 or 1960.
    assert births.ages_in(dated) == (17, 60)
    assert people_of(dated, births).people_by_state() == {"OH": 330, "WV": 50}
    assert Coverage("b", "b", least_age=20, most_age=40, born=(1959, 2003)).ages_in(dated) == (20, 40)
    with pytest.raises(InputError, match=r"has no date, .* 1959 to 2003"):
        births.ages_in(PEOPLE)


def test_a_share_between_two_ends_gives_risk_between_two_ends():
    some = Coverage("some", "some", least_age=0, least_share=0.2, most_share=0.6)
    held = file_of("some", some, birth="date", price=A_DOLLAR)
    found = compare(Cases(PEOPLE, [DATE], [Attacker("some", "t", (held,))], states=["OH"], g=[1]))
    profile = found.profile("OH", "date", "some")
    total = profile.people(Measure("total-risk"))
    assert (profile.status, total.low, total.high) == ("interval", pytest.approx(risk(0.2)), pytest.approx(risk(0.6)))
    (cost,) = costs(found, PEOPLE, found.attackers[0])
    assert (cost.price_usd, cost.price_usd_high) == (0.2 * 370, 0.6 * 370)
    assert cost.usd_per_reidentification.low == pytest.approx(0.6 * 370 / risk(0.2))
    assert cost.usd_per_reidentification.high == pytest.approx(0.2 * 370 / risk(0.6))


def test_ends_are_put_in_order_where_more_people_listed_leave_fewer_alone():
    crowd = population_of([("OH", 30, 1, 5000)], COLUMNS)
    some = Coverage("some", "some", least_age=0, least_share=0.1, most_share=1.0)
    held = file_of("some", some, birth="date")
    alone = compare(Cases(crowd, [DATE], [Attacker("some", "t", (held,))], g=[1]))[0].people(Measure("g-distinct", 1))
    ends = [5000 * c * (1 - c / 365) ** 4999 for c in (0.1, 1.0)]
    assert ends[0] > ends[1]
    assert (alone.low, alone.high) == (pytest.approx(ends[1]), pytest.approx(ends[0]))


def test_where_nobody_knows_how_many_are_held_a_price_per_record_is_unknown_and_a_free_file_is_free():
    anyone = Coverage("some", "some", least_age=0, least_share=0.0)
    prices = {"unknown": A_DOLLAR, "free": Price("free"), "undefined": Price("flat", base_usd=50)}
    for status, price in prices.items():
        held = file_of("some", anyone, birth="date", price=price)
        found = compare(Cases(PEOPLE, [DATE], [Attacker("some", "t", (held,))], states=["OH"], g=[1]))
        (cost,) = costs(found, PEOPLE, found.attackers[0])
        assert (cost.status, cost.usd_per_reidentification) == (status, None)
    assert f"each costs {50 / risk(1):.4g} USD or more" in cost.reason


def test_the_records_of_a_file_bound_the_people_whom_it_holds():
    births = Coverage("births", "births", {"OH": 37}, least_age=0, least_share=0.0)
    assert [births.share("OH", 370), births.ends[0].share("OH", 370)] == [0.1, 0]
    assert births.share("OH", 20) == 1


@pytest.mark.parametrize(
    "wrong", [{"least_share": 0.7, "most_share": 0.2}, {"most_share": 1.2}, {"least_age": 40, "most_age": 20}]
)
def test_ends_that_are_not_in_order_are_refused(wrong):
    with pytest.raises(InputError, match=r"in order|smaller number first"):
        Coverage("some", "some", **wrong)


@pytest.mark.parametrize(("text", "ends"), [("0.6", (0.6, 0.6)), ("0.2-0.4", (0.2, 0.4)), ("unknown", (0, 1))])
def test_a_share_as_a_text(text, ends):
    made = share_of_text(ADULTS, text)
    assert (made.least_share, made.most_share) == ends


JOINT_COVERAGE_ROWS = [("OH", 10, 1, 40), ("OH", 30, 1, 100), ("OH", 70, 1, 60), ("KY", 30, 1, 50)]
JOINT_COVERAGE_PEOPLE = population_of(JOINT_COVERAGE_ROWS, COLUMNS, "2020-04-01")
VOTERS = Coverage("registered", "registered voters", {"OH": 120, "KY": 45})
BIRTHS = Coverage("births", "births", least_age=0, most_age=50, least_share=0.5, most_share=0.7)


def _shares(coverage, states=("OH", "KY")):
    return listed_shares(JOINT_COVERAGE_PEOPLE, coverage, states)


def test_the_share_lies_between_the_frechet_bounds():
    both = joint_coverage([VOTERS, BIRTHS])
    least, most = both.ends
    # Voters are 120 of Ohio's 160 adults and 45 of Kentucky's 50; of the births half to seven in ten.
    np.testing.assert_allclose(_shares(least), [0.75 + 0.5 - 1, 0.9 + 0.5 - 1])
    np.testing.assert_allclose(_shares(most), [0.7, 0.7])
    assert (both.is_known, least.is_known, least.ends) == (False, True, (least, least))


def test_two_that_may_share_nobody_have_no_least():
    few = [Coverage(name, name, least_age=0, least_share=0.3, most_share=0.3) for name in "ab"]
    least, most = joint_coverage(few).ends
    assert (_shares(least).tolist(), _shares(most).tolist()) == ([0, 0], [0.3, 0.3])


def test_by_county_and_age_each_share_is_joined_on_its_own():
    """Voters by county and age of Delaware, six in ten of whom are in another file: by hand from the listing."""
    people = load_population("us-2020").in_states(["DE"])
    voters = load_coverage("registered", "2026")
    other = Coverage("births", "births", least_age=0, least_share=0.6, most_share=0.6)
    alone = voters.listing(people)
    for overlap, expected in (
        ("independent", 0.6 * alone.chance),
        ("least", np.maximum(alone.chance - 0.4, 0)),
        ("most", np.minimum(alone.chance, 0.6)),
    ):
        listing = joint_coverage([voters, other], overlap).listing(people)
        assert listing.county == alone.county
        np.testing.assert_allclose(listing.chance, expected, rtol=1e-12)
        np.testing.assert_array_equal(listing.stale, alone.stale)
    assert joint_coverage([VOTERS, BIRTHS]).listing(JOINT_COVERAGE_PEOPLE) is None


def test_only_ages_that_every_resource_may_hold():
    both = joint_coverage([VOTERS, BIRTHS])
    assert both.ages_in(JOINT_COVERAGE_PEOPLE) == (18, 50)
    assert people_of(JOINT_COVERAGE_PEOPLE, both).people_by_state() == {"KY": 50, "OH": 100}


def test_a_state_is_known_where_every_part_knows_it():
    both = joint_coverage([VOTERS, BIRTHS])
    assert (both.knows("OH"), both.knows("WY")) == (True, False)


@pytest.mark.parametrize(("coverages", "expected"), [([None, None], None), ([None, VOTERS], VOTERS), ([], None)])
def test_everyone_adds_nothing(coverages, expected):
    assert joint_coverage(coverages) is expected


def test_an_overlap_that_is_assumed_is_one_share():
    known = replace(BIRTHS, least_share=0.5, most_share=0.5)
    shares = {overlap: _shares(joint_coverage([VOTERS, known], overlap)).tolist() for overlap in OVERLAPS}
    assert shares["least"] == pytest.approx([0.25, 0.4])
    assert shares["independent"] == pytest.approx([0.375, 0.45])
    assert shares["most"] == pytest.approx([0.5, 0.5])
    assert joint_coverage([VOTERS, known], "independent").is_known


def test_shares_between_the_ends_lie_between_them():
    both = joint_coverage([VOTERS, BIRTHS])
    least, most = (_shares(end)[0] for end in both.ends)
    inner = [_shares(coverage)[0] for coverage in both.between]
    assert inner == sorted(inner, reverse=True)
    assert least < inner[-1] < inner[0] == pytest.approx((least + most) / 2)


def test_an_overlap_is_one_of_three_and_of_known_shares():
    with pytest.raises(InputError, match="least, independent, most"):
        joint_coverage([VOTERS, VOTERS], "some")
    with pytest.raises(InputError, match="settle each of them first"):
        joint_coverage([VOTERS, BIRTHS], "independent")
