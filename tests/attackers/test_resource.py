from __future__ import annotations

import re

import pytest
from said import numbers
from small_people import file_of, list_of

from policy_sim.attackers import ADULTS, EVERYONE, Attacker, Constraints, Coverage, Price, StateVoterLists, voter
from policy_sim.attackers.linkage import Linkage
from policy_sim.attackers.resource import NO_PRICE, InState
from policy_sim.voter_lists.list_field import Allowed, ListField
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.fields import Granularities

LIMITED = Granularities(gender="value", race="value", birth="date", geography="county")
A_CENT = Price("schedule", usd_per_record=0.01)
OHIO = list_of(rest="withheld", birth="year", geography="unknown", price=A_CENT)
LISTS = StateVoterLists({"OH": OHIO, "HI": list_of("HI", "not_sold")}, "2026")


@pytest.mark.parametrize("policy", [LIMITED, LIMITED.replace(geography="tract"), Granularities()])
def test_everyone_links_on_whatever_a_policy_shows(policy):
    linkage = EVERYONE.linkage(policy, "OH")
    assert (linkage.low, linkage.high, linkage.status) == (policy, policy, "ok")


def test_everyone_is_no_file_that_one_could_buy_or_change():
    assert (EVERYONE.is_file, LISTS.is_file) == (False, True)
    assert EVERYONE.amounts("OH", (5, 6), 6, "scholar") == (NO_PRICE, NO_PRICE)
    assert EVERYONE.covering(ADULTS) is EVERYONE
    with pytest.raises(InputError, match=r"everyone.* cannot be changed"):
        EVERYONE.changed("OH", {"birth": "year"})


def test_nobody_knows_whom_a_resource_holds_where_its_coverage_has_no_figure():
    held = LISTS.covering(Coverage("registered", "registered voters", {"WV": 10}))
    linkage = held.linkage(LIMITED, "OH")
    assert (linkage.low, linkage.status) == (None, "unknown")
    assert "registered voters in OH" in linkage.reason
    assert held.linkage(LIMITED, "HI").status == "not_sold", "without a list it does not matter whom it would hold"


def test_equal_ends_are_a_known_key():
    linkage = Linkage.between(LIMITED, LIMITED, "a reason nobody needs")
    assert (linkage.status, linkage.reason, linkage.label()) == ("ok", "", str(LIMITED))
    assert Linkage(None, None, "not_sold", "nobody sells it").label() == ""


RELEASE = Granularities(gender="value", birth="date", geography="state")


def test_a_day_that_chose_the_lists_is_said_with_the_vintage_of_each_state():
    lists = {name: list_of(name, vintage=year) for name, year in (("OH", "2020"), ("PA", "2002"), ("VA", "2020"))}
    lists["XX"] = list_of("XX", "unknown", vintage="2021-01-01")
    held = StateVoterLists(lists, "as of 2021-01-01")
    day, unknown, older, others = re.split("[:;] ", held.describe())
    assert (day, unknown.split()[-1]) == ("as of 2021-01-01", "XX")
    assert (numbers(older), older.split()[-1], numbers(others)) == (["2002"], "PA", ["2020"])
    assert [held.vintage_in(state) for state in ("OH", "PA")] == ["2020", "2002"]
    assert StateVoterLists(lists, "2020").describe() == "vintage 2020"
    assert (held.newest_vintage, StateVoterLists({}, "2020").newest_vintage) == ("2021-01-01", "2020")


@pytest.mark.parametrize(("state", "usd", "status"), [("OH", 3.0, "ok"), ("HI", None, "unknown")])
def test_a_list_costs_what_its_records_cost(state, usd, status):
    amount, _ = LISTS.amounts(state, (300, 300))
    assert (amount.usd, amount.status) == (usd, status)


def test_a_class_of_buyer_may_pay_another_price():
    lists = StateVoterLists({"OH": list_of(price=Price("flat", base_usd=100, usd_by_buyer={"scholar": 5}))})
    assert [lists.amounts("OH", (1, 1), buyer=who)[0].usd for who in (None, "scholar")] == [100, 5]


def test_who_may_have_a_list_is_what_it_says():
    lists = StateVoterLists({"OH": list_of(buyers=Allowed(("party",)))})
    assert [lists.sold_in(state).buyers.names for state in ("OH", "PR")] == [("party",), None]
    assert (lists.restricted_to("OH"), lists.restricted_to("PR")) == (("party",), ())
    assert lists.sold_in("OH").price.kind == "unknown"


def test_a_coverage_an_adversary_and_a_change_each_leave_the_lists_as_they_were():
    who = Constraints("poor", "a poor buyer", ("resident",), "personal", money_usd=1)
    held = (
        LISTS.covering(ADULTS),
        LISTS.within_reach(who, {"OH": 1000}, {}),
        LISTS.changed("OH", {"birth": "withheld"}),
    )
    assert held[0].coverage is ADULTS
    assert held[1].linkage(RELEASE, "OH").status == "out_of_reach"
    assert held[2].linkage(RELEASE, "OH").label() == "geography=state"
    assert (LISTS.coverage, LISTS.linkage(RELEASE, "OH").status) == (None, "ok")


def test_the_voter_attacker_holds_them():
    assert voter({"OH": OHIO}).voter_lists == StateVoterLists({"OH": OHIO}, "2026")


# Files besides voter lists: their fields, people and prices; by hand.


BORN = {"gender": "value", "birth": "date", "states": ("TX",)}
HALF = Coverage("births", "people born here", least_age=0, least_share=0.5, most_share=0.5)
BIRTHS = file_of("births", HALF, **BORN, title="births of Texas", price=Price("flat", base_usd=100))


def test_the_key_is_the_meet_of_the_release_with_what_the_file_shows():
    assert BIRTHS.linkage(LIMITED, "TX").label() == "gender+birth=date+geography=state"
    coarser = LIMITED.replace(gender="none", birth="year")
    assert BIRTHS.linkage(coarser, "TX").label() == "birth=year+geography=state"


def test_a_file_of_another_state_holds_nobody():
    linkage = BIRTHS.linkage(LIMITED, "OH")
    assert (linkage.low, linkage.status) == (None, "not_covered")
    assert linkage.reason == "births of Texas covers TX only"


def test_a_file_that_does_not_tell_the_state_links_over_the_nation():
    everywhere = file_of("all", **BORN | {"states": None, "place": "nation"})
    assert everywhere.linkage(LIMITED, "OH").label() == "gender+birth=date"


def test_a_field_that_nobody_described_is_unknown():
    linkage = file_of("some", race="unknown").linkage(LIMITED, "OH")
    assert (linkage.label(), linkage.status) == ("geography=state[+race]", "interval")
    assert linkage.reason.endswith("unknown whether the file has race")


def test_how_many_people_a_file_holds_may_be_known_between_two_ends():
    some = Coverage("births", "people born here", least_age=0, least_share=0.3, most_share=0.7)
    linkage = file_of("births", some, **BORN).linkage(LIMITED, "TX")
    assert (linkage.low == linkage.high, linkage.status) == (True, "interval")
    assert numbers(linkage.reason) == ["30%", "70%"]


def test_a_file_that_nobody_can_link_with_says_why():
    dead = file_of("deaths", status="unknown", status_reason="it lists the dead")
    linkage = dead.linkage(LIMITED, "OH")
    assert (linkage.status, linkage.reason) == ("unknown", "it lists the dead")


def test_a_whole_file_is_paid_for_and_records_are_counted():
    assert BIRTHS.amounts("TX", (5, 5))[0].usd == 100
    by_record = file_of("r", price=A_CENT, price_high=Price("schedule", usd_per_record=0.03))
    least, most = by_record.amounts("OH", (1000, 2000))
    assert (least.usd, most.usd) == (10, 60)
    counted = file_of("r", price=A_CENT, records={"OH": 300})
    assert counted.amounts("OH", (1000, 1000))[1].usd == 3, "the file has so many records, whoever is alive"


def test_an_adversary_may_be_refused_in_one_state_and_not_in_another():
    file = file_of("r", **BORN | {"states": None}, price=A_CENT)
    poor = Constraints("poor", "a poor buyer", ("resident",), "personal", money_usd=10)
    held = file.within_reach(poor, {"TX": 5000, "WY": 500}, {})
    assert [held.linkage(LIMITED, state).status for state in ("TX", "WY")] == ["out_of_reach", "ok"]
    closed = file_of("r", **BORN, buyers=Allowed(("commercial",)))
    refused = closed.within_reach(poor, {"TX": 1}, {})
    assert refused.linkage(LIMITED, "TX").status == "not_to_this_buyer"
    assert [amount.usd for amount in refused.amounts("TX", (1, 1))] == [None, None]


def test_what_changes_and_what_stays():
    changed = BIRTHS.changed("TX", {"birth": "year", "price": "0", "share": "0.2-0.4"})
    assert changed.linkage(LIMITED, "TX").label() == "gender+birth=year+geography=state"
    assert changed.amounts("TX", (1, 1))[0].status == "free"
    assert (changed.coverage.least_share, changed.coverage.most_share) == (0.2, 0.4)
    assert BIRTHS.fields["birth"].granularity == "date"
    with pytest.raises(UnknownNameError, match="color"):
        BIRTHS.changed("TX", {"color": "red"})
    with pytest.raises(InputError, match="share=most"):
        BIRTHS.changed("TX", {"share": "most"})


ROLL = file_of(
    "roll",
    HALF,
    birth="date",
    gender="unknown",
    states=None,
    by_state={
        "OH": InState(fields={"gender": ListField("included", "value")}),
        "WY": InState(),
        "CA": InState("not_covered", "refused"),
        "FL": InState("unknown", "nobody says"),
    },
    holds_voters=True,
)


def test_a_file_may_be_another_in_each_state():
    linkages = {state: ROLL.linkage(LIMITED, state) for state in ("OH", "WY", "CA", "FL")}
    assert [linkage.status for linkage in linkages.values()] == ["ok", "interval", "not_covered", "unknown"]
    assert linkages["OH"].label() == "gender+birth=date+geography=state"
    assert linkages["WY"].label() == "birth=date+geography=state[+gender]"
    assert [linkages[state].reason for state in ("CA", "FL")] == ["refused", "nobody says"]


def test_a_file_of_voters_holds_those_whom_the_lists_hold():
    assert ROLL.covering(ADULTS).coverage == ADULTS
    assert ROLL.covering(None).coverage is None
    assert BIRTHS.covering(ADULTS).coverage == HALF


def test_a_state_that_refused_stays_so_whoever_asks_and_can_be_changed_alone():
    poor = Constraints("poor", "a poor buyer", ("resident",), "personal")
    held = ROLL.within_reach(poor, {"OH": 10, "CA": 10}, {})
    assert held.status_in("CA") == ("not_covered", "refused")
    assert held.linkage(LIMITED, "CA").reason == "refused"
    given = ROLL.changed("CA", {"status": "available", "birth": "year"})
    assert given.linkage(LIMITED, "CA").label() == "birth=year+geography=state[+gender]"
    assert given.linkage(LIMITED, "OH") == ROLL.linkage(LIMITED, "OH")


def test_a_file_makes_an_attacker():
    attacker = Attacker("births", "holds births", (BIRTHS,))
    assert (attacker.holds_file, attacker.holds_voter_lists, attacker.coverage) == (True, False, HALF)
    assert re.fullmatch(r"births of Texas \(TX\); .* 50% of them", BIRTHS.describe())
