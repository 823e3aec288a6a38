"""States x policies x attackers, by hand and by brute force."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from pinned import pinned
from small_people import population_of

from policy_sim.attackers import ADULTS, GENERAL, Constraints, Coverage, VoterList, covered, voter
from policy_sim.model.cases import Cases
from policy_sim.model.compare import CurveFigures, compare, costs, curves
from policy_sim.model.measure import Bounds, Measure
from policy_sim.model.profile import Cost
from policy_sim.policies.policy import Conditions, Policy, SmallPlaces
from policy_sim.study.study import Study
from policy_sim.voter_lists.list_field import Allowed, ListField
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
COLUMNS = ["state", "county", "sex", "age", "age_width", "race", "people"]
PEOPLE = population_of(ROWS)


def listed(state: str, price: Price, **fields: str) -> VoterList:
    facts = {
        name: ListField(*({"no": ("withheld",), "unknown": ("unknown",)}.get(text, ("included", text))))
        for name, text in fields.items()
    }
    return VoterList(state, "2026", "available", fields=facts, price=price)


NO = dict.fromkeys(("gender", "race", "birth", "geography", "zip", "party"), "no")
LISTS = {
    "OH": listed("OH", Price("flat", base_usd=30), **NO | {"birth": "year", "race": "unknown"}),
    "WV": listed("WV", Price("schedule", usd_per_county=8, usd_per_record=1), **NO | {"geography": "county"}),
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


def test_an_unknown_field_gives_both_ends():
    study = compare(Cases(PEOPLE, [SAFE, LIMITED], [voter(LISTS)], g=[2]))
    ohio = study.profile("OH", "safe", "voter")
    assert (ohio.status, ohio.linkage_key) == ("interval", "birth=year+geography=state[+race]")
    # Born in 30: five people; in 31: two. With race: the same two groups.
    assert ohio.people(TOTAL) == Bounds(2, 2)
    assert "race" in ohio.reason


def test_county_lists_put_one_person_a_county_at_risk():
    study = compare(Cases(PEOPLE, [SAFE, PLACE], [voter(LISTS)], states=["WV"]))
    assert study.profile("WV", "place", "voter").people(TOTAL) == Bounds(2, 2)
    assert study.profile("WV", "safe", "voter").people(TOTAL) == Bounds(1, 1)


def test_a_schedule_is_worked_out_for_the_analyzed_people():
    study = compare(Cases(PEOPLE, [PLACE], [voter(LISTS)]))
    cost = {c.profile.state: c for c in costs(study, PEOPLE, voter(LISTS))}
    assert cost["WV"].price_usd == 2 * 8 + 7
    assert cost["WV"].usd_per_reidentification == Bounds(23 / 2, 23 / 2)
    assert cost["OH"].usd_per_reidentification == Bounds(30, 30)


def test_no_list_is_a_status_and_no_figure():
    study = compare(Cases(PEOPLE, [SAFE], [voter({"OH": VoterList("OH", "2008", "county_only")}, "2008")]))
    for state, status in (("OH", "county_only"), ("WV", "unknown")):
        profile = study.profile(state, "safe", "voter")
        assert (profile.status, dict(profile.values)) == (status, {})
        assert profile.reason
    frame = study.to_frame()
    assert frame["people"].isna().all()
    assert frame["share_high"].isna().all()


def test_trust_is_undefined_where_nobody_is_at_risk_below():
    study = compare(Cases(PEOPLE, [SAFE, LIMITED], [GENERAL], states=["WV"], g=[1, 5]))
    ratios = {str(trust.measure): trust for trust in study.trust("limited", "safe")}
    assert ratios["1-distinct"].status == "undefined"
    assert ratios["1-distinct"].ratio is None
    assert "there is no ratio" in ratios["1-distinct"].reason
    assert ratios["5-distinct"].ratio == Bounds(1, 1)
    assert ratios["total-risk"].ratio.low == pytest.approx(
        365 * (2 - (364 / 365) ** 5 - (364 / 365) ** 2) / 2, rel=1e-12
    )


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


@pytest.mark.parametrize("g", [[0], []])
def test_wrong_group_sizes_are_told_what_was_allowed(g):
    with pytest.raises(InputError, match="whole numbers from 1 to"):
        compare(Cases(PEOPLE, [SAFE], [GENERAL], g=g))


def test_every_attacker_with_a_list_is_costed_and_no_other():
    holder = voter(LISTS)
    adults = covered(holder, ADULTS)
    study = Study(population=PEOPLE)
    comparison = study.compare([PLACE], [GENERAL, holder, adults])
    costed = {(cost.profile.state, cost.profile.attacker): cost.price_usd for cost in study.cost_of(comparison)}
    assert costed == {("OH", "voter"): 30, ("WV", "voter"): 23, ("OH", "voter-adults"): 30, ("WV", "voter-adults"): 23}
    with pytest.raises(InputError, match=r"the comparison's attackers \(general\) hold none"):
        study.cost_of(study.compare([PLACE], [GENERAL]))


def test_a_ratio_takes_what_the_list_may_hold_the_same_under_both_policies():
    """Two counties of 3 + 3 people, men and women of 30; the list may hold the birth (no, year, date) and the county.

    Keys of total risk, county withheld: nothing 1; year 1; date d(6) = 365 (1 - (364/365)^6), under DAY by
    state. County held: 2 under PLACED (county and date), 1 under DAY; by year the same; by date 2 d(3) and d(6).
    Ratios PLACED/DAY: 1, 1, 1, 2, 2, 2 d(3) / d(6): the least is 1 and the greatest 2.
    """
    counts = (("M", 1), ("F", 2))
    six = population_of(("OH", county, sex, 30, 1, "white", n) for county in ("39001", "39003") for sex, n in counts)
    attacker = voter({"OH": listed("OH", Price("free"), **NO | {"birth": "unknown", "geography": "unknown"})})
    placed = Policy("placed", "t", Granularities(birth="date", geography="county"), "c")
    day = Policy("day", "t", Granularities(birth="date", geography="state"), "c")
    study = compare(Cases(six, [day, placed], [attacker], g=[1]))
    (total, _) = study.trust("placed", "day")
    assert (total.status, total.ratio) == ("interval", Bounds(1, 2))

    def dates(n: int) -> float:
        return 365 * (1 - (364 / 365) ** n)

    # twice: with and without race where only one side asks it with Hispanic, which people without ethnicity leave open
    placed_risks, day_risks = (study.profile("OH", name, "voter").each(TOTAL) for name in ("placed", "day"))
    assert placed_risks == pytest.approx(2 * [1, 2, 1, 2, dates(6), 2 * dates(3)])
    assert day_risks == pytest.approx(2 * [1, 1, 1, 1, dates(6), dates(6)])


def test_a_list_is_priced_by_the_records_it_holds_also_for_an_adversary():
    """Ten people, four of them children, at a dollar a record: eight dollars buy the list of the six adults only."""
    rows = [("OH", "39001", "M", 40, 1, "white", 6), ("OH", "39001", "M", 9, 1, "white", 4)]
    ten = population_of(rows)
    buyer = Constraints("buyer", "has eight dollars", ("commercial",), "commercial", money_usd=8)
    price = Price("schedule", usd_per_record=1)
    lists = {"OH": replace(listed("OH", price, **NO), buyers=Allowed(("public",)), uses=Allowed(("any",)))}
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
    lists = {
        "OH": replace(listed("OH", Price("free"), **NO), buyers=Allowed(("candidate", "party"))),
        "WV": replace(listed("WV", Price("free"), **NO), buyers=Allowed(("public", "party"))),
    }
    frame = Cost.table(costs(compare(Cases(PEOPLE, [PLACE], [voter(lists)])), PEOPLE, voter(lists))).set_index("state")
    assert frame["status"].tolist() == ["free", "free"]
    assert frame.loc["OH", "restricted_to"] == "candidate, party"
    assert frame.loc["OH", "reason"] == "not for the public, only for candidate, party"
    assert (pd.isna(frame.loc["WV", "restricted_to"]), frame.loc["WV", "reason"]) == (True, "")


def test_hidden_tracts_never_help_whoever_has_a_list_of_counties():
    """One county: tracts of 900, 60 and 40 people of one sex, race and age, who are released by tract.

    VOTER's list tells the county and nobody's tract: all 1,000 are alike to it, one correct match in the
    county. Hiding the tracts of under 100 people cannot make it two, as two crowds of 900 and 100 would.
    GENERAL, who knows the tracts, has 3 crowds, and 2 once the small tracts are one.
    """
    rows = [("OH", "39001", f"39001{n:06d}", "M", 30, 1, "white", n) for n in (900, 60, 40)]
    people = population_of(rows, ["state", "county", "tract", "sex", "age", "age_width", "race", "people"])
    shown = Policy("shown", "t", Granularities(geography="tract"), "c")
    hidden = replace(shown, name="hidden", conditions=Conditions(small_places=SmallPlaces("tract", 100)))
    attackers = [GENERAL, voter({"OH": listed("OH", Price("free"), **NO | {"geography": "county"})})]
    study = compare(Cases(people, [shown, hidden], attackers))
    figures = {(p.policy, p.attacker): p.people(TOTAL) for p in study}
    assert figures == {
        ("shown", "general"): Bounds(3, 3),
        ("hidden", "general"): Bounds(2, 2),
        ("shown", "voter"): Bounds(1, 1),
        ("hidden", "voter"): Bounds(1, 1),
    }
    assert study.profile("OH", "hidden", "voter").linkage_key == "geography=county"


@pytest.mark.slow
def test_where_nobody_knows_how_many_are_listed_the_bounds_hold_for_every_share():
    """With few listed there are few people, with many listed few are alone: the most are in between."""
    rows = [("OH", "39001", sex, age, 1, "white", people) for sex in "MF" for age, people in ((30, 9000), (31, 2000))]
    crowd = population_of(rows)
    lists = {"OH": listed("OH", Price("free"), birth="date", geography="county")}

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
