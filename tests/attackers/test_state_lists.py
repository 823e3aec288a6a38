import pytest

from policy_sim.attackers import ADULTS, Constraints, StateVoterLists, voter
from policy_sim.granularity import Granularities
from policy_sim.voter_lists.buyers import Allowed
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.price import Price
from policy_sim.voter_lists.voter_list import VoterList

YEAR = {"birth": ListField("included", "year"), **{name: ListField("withheld") for name in ("gender", "race", "zip")}}
OHIO = VoterList("OH", "2026", "available", fields=YEAR, price=Price("schedule", usd_per_record=0.01))
LISTS = StateVoterLists({"OH": OHIO, "HI": VoterList("HI", "2026", "not_sold")}, "2026")
RELEASE = Granularities(gender="value", birth="date", geography="state")


def test_a_day_that_chose_the_lists_is_said_with_the_vintage_of_each_state():
    lists = {
        name: VoterList(name, year, "available") for name, year in (("OH", "2020"), ("PA", "2002"), ("VA", "2020"))
    }
    lists["XX"] = VoterList("XX", "2021-01-01", "unknown")
    held = StateVoterLists(lists, "as of 2021-01-01")
    assert held.describe() == (
        "as of 2021-01-01: no list known for XX; vintage 2002 for PA; vintage 2020 for all others"
    )
    assert [held.vintage_in(state) for state in ("OH", "PA")] == ["2020", "2002"]
    assert StateVoterLists(lists, "2020").describe() == "vintage 2020"
    assert (held.newest_vintage, StateVoterLists({}, "2020").newest_vintage) == ("2021-01-01", "2020")


def test_a_list_links_on_what_it_shows_and_one_that_nobody_sells_on_nothing():
    assert LISTS.linkage(RELEASE, "OH").label() == "birth=year+geography=state"
    assert [LISTS.linkage(RELEASE, state).status for state in ("HI", "PR")] == ["not_sold", "unknown"]


@pytest.mark.parametrize(("state", "usd", "status"), [("OH", 3.0, "ok"), ("HI", None, "unknown")])
def test_a_list_costs_what_its_records_cost(state, usd, status):
    amount = LISTS.amount(state, records=300)
    assert (amount.usd, amount.status) == (usd, status)


def test_a_class_of_buyer_may_pay_another_price():
    cheap = VoterList("OH", "2026", "available", price=Price("flat", base_usd=100, usd_by_buyer={"scholar": 5}))
    lists = StateVoterLists({"OH": cheap})
    assert (lists.amount("OH").usd, lists.amount("OH", buyer="scholar").usd) == (100, 5)


def test_who_may_have_a_list_is_what_it_says():
    lists = StateVoterLists({"OH": VoterList("OH", "2026", "available", buyers=Allowed(("party",)))})
    assert (lists.buyers_in("OH"), lists.buyers_in("PR")) == (("party",), None)
    assert (lists.restricted_to("OH"), lists.restricted_to("PR")) == (("party",), ())
    assert lists.price_in("OH").kind == "unknown"


def test_a_coverage_an_adversary_and_a_change_each_leave_the_lists_as_they_were():
    who = Constraints("poor", "a poor buyer", ("resident",), "personal", money_usd=1)
    held = LISTS.covering(ADULTS), LISTS.within_reach(who, {"OH": 1000}, {}), LISTS.changed("OH", {"birth": "withheld"})
    assert held[0].coverage is ADULTS
    assert held[1].linkage(RELEASE, "OH").status == "out_of_reach"
    assert held[2].linkage(RELEASE, "OH").label() == "geography=state"
    assert (LISTS.coverage, LISTS.linkage(RELEASE, "OH").status) == (None, "ok")


def test_the_voter_attacker_holds_them():
    assert voter({"OH": OHIO}).voter_lists == StateVoterLists({"OH": OHIO}, "2026")
