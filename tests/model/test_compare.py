"""States x policies x attackers, by hand and by brute force."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from pinned import pinned
from small_people import list_of, population_of

from policy_sim.attackers import ADULTS, GENERAL, Constraints, Coverage, covered, voter
from policy_sim.model.cases import Cases
from policy_sim.model.compare import CurveFigures, compare, costs, curves
from policy_sim.model.measure import Bounds, Measure
from policy_sim.model.profile import Cost
from policy_sim.policies.policy import Policy
from policy_sim.study.study import Study
from policy_sim.voter_lists.list_field import Allowed
from policy_sim.voter_lists.price import Price
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Granularities

SAFE = Policy("safe", "t", Granularities(gender="value", race="value", birth="year", geography="state"), "c")
LIMITED = Policy("limited", "t", Granularities(gender="value", race="value", birth="date", geography="county"), "c")
PLACE = Policy("place", "t", Granularities(geography="county"), "c")
ROWS = [
    ("OH", "39001", "M", 30, 1, "white", 3),
    ("OH", "39001", "F", 30, 1, "white", 1),
    ("OH", "39003", "F", 30, 1, "white", 1),
    ("OH", "39003", "F", 31, 1, "black", 2),
    ("WV", "54001", "M", 40, 1, "white", 5),
    ("WV", "54003", "M", 41, 1, "white", 2),
]
PEOPLE = population_of(ROWS)


LISTS = {
    "OH": list_of(rest="withheld", price=Price("flat", base_usd=30), birth="year", race="unknown"),
    "WV": list_of(
        "WV", rest="withheld", price=Price("schedule", usd_per_county=8, usd_per_record=1), geography="county"
    ),
}
TOTAL = Measure("total-risk")


def test_by_hand():
    study = compare(Cases(PEOPLE, [SAFE, LIMITED], [GENERAL, voter(LISTS)], g=[1, 2]))
    ohio = study.profile("OH", "safe", "general")
    # Groups of the state: white men of 30 (3), white women of 30 (2), black women of 31 (2).
    assert ohio.people(TOTAL) == Bounds(3, 3)
    assert ohio.people(Measure("g-distinct", 1)) == Bounds(0, 0)
    assert ohio.people(Measure("g-distinct", 2)) == Bounds(4, 4)
    assert ohio.share(Measure("g-distinct", 2)) == Bounds(4 / 7, 4 / 7)
    # By date, three men share a birthday group of 365 bins.
    men = 365 * (1 - (364 / 365) ** 3)
    women = 365 * (1 - (364 / 365) ** 2)
    assert study.profile("OH", "limited", "general").people(TOTAL).low == pytest.approx(men + 1 + 1 + women, rel=1e-12)


def test_no_list_is_a_status_and_no_figure():
    study = compare(Cases(PEOPLE, [SAFE], [voter({"OH": list_of(status="county_only", vintage="2008")}, "2008")]))
    for state, status in (("OH", "county_only"), ("WV", "unknown")):
        profile = study.profile(state, "safe", "voter")
        assert (profile.status, dict(profile.figures)) == (status, {})
        assert profile.reason
    frame = study.to_frame()
    assert frame["people"].isna().all()
    assert frame["share_high"].isna().all()


def test_a_curve_is_the_comparison_at_every_g():
    attackers = [GENERAL, voter(LISTS)]
    study = compare(Cases(PEOPLE, [SAFE, LIMITED], attackers, g=range(1, 8)))
    for curve in curves(Cases(PEOPLE, [SAFE, LIMITED], attackers), CurveFigures(range(1, 8))):
        profile = study.profile(curve.state, curve.policy, curve.attacker)
        expected = [profile.share(Measure("g-distinct", g)).low for g in range(1, 8)]
        np.testing.assert_allclose(curve.low, expected, rtol=1e-11)


def test_states_studied_alone_or_together_get_the_same_figures():
    attackers = [GENERAL, voter(LISTS)]
    together = compare(Cases(PEOPLE, [SAFE, LIMITED], attackers))
    for state in ("OH", "WV"):
        alone = compare(Cases(PEOPLE, [SAFE, LIMITED], attackers, states=[state]))
        assert alone.profiles == tuple(p for p in together if p.state == state)


def test_every_attacker_with_a_list_is_costed_and_no_other():
    holder = voter(LISTS)
    adults = covered(holder, ADULTS)
    study = Study(population=PEOPLE)
    comparison = study.compare([PLACE], [GENERAL, holder, adults])
    found = study.cost_of(comparison)
    # in Ohio one person for 30 dollars; in West Virginia one in each of two counties for 8 each and 1 a record
    each = {"OH": (30, Bounds(30, 30)), "WV": (2 * 8 + 7, Bounds(23 / 2, 23 / 2))}
    costed = {(c.profile.state, c.profile.attacker): (c.price_usd, c.usd_per_reidentification) for c in found}
    assert costed == {(state, name): each[state] for state in ("OH", "WV") for name in ("voter", "voter-adults")}
    with pytest.raises(InputError, match=r"the comparison's attackers \(general\) have none"):
        study.cost_of(study.compare([PLACE], [GENERAL]))


def test_a_list_is_priced_by_the_records_it_holds_also_for_an_adversary():
    """Ten people, four of them children, at a dollar a record: eight dollars buy the list of the six adults only."""
    rows = [("OH", "39001", "M", 40, 1, "white", 6), ("OH", "39001", "M", 9, 1, "white", 4)]
    ten = population_of(rows)
    buyer = Constraints("buyer", "has eight dollars", ("commercial",), "commercial", money_usd=8)
    price = Price("schedule", usd_per_record=1)
    lists = {"OH": list_of(rest="withheld", price=price, buyers=Allowed(("public",)), uses=Allowed(("any",)))}
    adults, whole = (Study(population=ten, adversary=buyer, coverage=listed) for listed in ("adults", "everyone"))
    # the shipped lists give way to one made for this
    adults.__dict__["unrestricted_voter"] = covered(voter(lists), ADULTS)
    whole.__dict__["unrestricted_voter"] = voter(lists)
    adults, whole = adults.voter, whole.voter
    assert (whole.voter_list("OH").status, adults.voter_list("OH").status) == ("out_of_reach", "available")
    assert "$10.00" in whole.voter_list("OH").status_reason
    (cost,) = costs(compare(Cases(ten, [PLACE], [adults])), ten, adults)
    assert (cost.price_usd, cost.status) == (6, "ok")


def test_a_list_that_is_not_for_the_public_says_so_beside_its_price():
    buyers = {"OH": Allowed(("candidate", "party")), "WV": Allowed(("public", "party"))}
    lists = {state: list_of(state, rest="withheld", price=Price("free"), buyers=who) for state, who in buyers.items()}
    frame = Cost.table(costs(compare(Cases(PEOPLE, [PLACE], [voter(lists)])), PEOPLE, voter(lists))).set_index("state")
    assert frame["status"].tolist() == ["free", "free"]
    assert frame.loc["OH", "restricted_to"] == "candidate, party"
    assert "only for candidate, party" in frame.loc["OH", "reason"]
    assert (pd.isna(frame.loc["WV", "restricted_to"]), frame.loc["WV", "reason"]) == (True, "")


@pytest.mark.slow
def test_where_nobody_knows_how_many_are_listed_the_bounds_hold_for_every_share():
    """With few listed there are few people, with many listed few are alone: the most are in between."""
    rows = [("OH", "39001", sex, age, 1, "white", people) for sex in "MF" for age, people in ((30, 9000), (31, 2000))]
    crowd = population_of(rows)
    lists = {"OH": list_of(price=Price("free"), birth="date", geography="county")}

    def measured(low, high):
        some = Coverage("some", "some people", least_age=0, least_share=low, most_share=high)
        return compare(Cases(crowd, [LIMITED], [covered(voter(lists), some)], states=["OH"], g=(1, 3))).profiles[0]

    bounds = measured(0.0, 1.0)
    for measure in ("total-risk", Measure("g-distinct", 1), Measure("g-distinct", 3), "claims", "correct-claims"):
        low, high = bounds.people(measure).low, bounds.people(measure).high
        inside = [measured(share, share).people(measure).low for share in np.linspace(0.002, 1, pinned(25, 150))]
        assert low <= min(inside), measure
        assert max(inside) <= high * 1.06, measure  # the shares tried between the ends are a factor of 2 apart
    ends = [measured(share, share).people(Measure("g-distinct", 1)).low for share in (0.0, 1.0)]
    assert bounds.people(Measure("g-distinct", 1)).high > 2 * max(ends)
    assert bounds.share("precision") is None  # with nobody listed there are fewer than ten claims
    precision = measured(0.02, 0.1).share("precision")
    assert 0 < precision.low < measured(0.05, 0.05).share("precision").low < precision.high
