"""Files besides voter lists: their fields, people and prices; by hand."""

import pytest

from policy_sim.attackers import Attacker, Constraints, Coverage, IdentifiedFile
from policy_sim.errors import InputError, UnknownNameError
from policy_sim.granularity import Granularities
from policy_sim.voter_lists.buyers import Allowed
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.price import Price
from policy_sim.voter_lists.recorded_fields import LIST_FIELDS

WITHHELD = dict.fromkeys(LIST_FIELDS, ListField("withheld"))
FIELDS = WITHHELD | {"gender": ListField("included", "value"), "birth": ListField("included", "date")}
HALF = Coverage("births", "people born here", least_age=0, least_share=0.5, most_share=0.5)
BIRTHS = IdentifiedFile(
    "births", "births of Texas", "birth index", HALF, FIELDS, ("TX",), price=Price("flat", base_usd=100)
)
RELEASE = Granularities(gender="value", race="value", birth="date", geography="county")


def test_the_key_is_the_meet_of_the_release_with_what_the_file_shows():
    assert BIRTHS.linkage(RELEASE, "TX").label() == "gender+birth=date+geography=state"
    assert BIRTHS.linkage(RELEASE.replace(gender="none", birth="year"), "TX").label() == "birth=year+geography=state"


def test_a_file_of_another_state_holds_nobody():
    linkage = BIRTHS.linkage(RELEASE, "OH")
    assert (linkage.low, linkage.status) == (None, "not_covered")
    assert linkage.reason == "births of Texas covers TX only"


def test_a_file_that_does_not_tell_the_state_links_over_the_nation():
    everywhere = IdentifiedFile("all", "all births", "birth index", None, FIELDS, place="nation")
    assert everywhere.linkage(RELEASE, "OH").label() == "gender+birth=date"


def test_a_field_that_nobody_described_is_unknown():
    unsure = IdentifiedFile("some", "some file", "broker", None, WITHHELD | {"race": ListField()}, ("TX",))
    linkage = unsure.linkage(RELEASE, "TX")
    assert (linkage.label(), linkage.status) == ("geography=state[+race]", "interval")
    assert linkage.reason == "it is unknown whether the file has race"
    assert IdentifiedFile("none", "t", "k", None).fields["birth"].availability == "unknown"


def test_how_many_people_a_file_holds_may_be_known_between_two_ends():
    some = Coverage("births", "people born here", least_age=0, least_share=0.3, most_share=0.7)
    file = IdentifiedFile("births", "births", "birth index", some, FIELDS, ("TX",))
    linkage = file.linkage(RELEASE, "TX")
    assert (linkage.low == linkage.high, linkage.status) == (True, "interval")
    assert linkage.reason == "the file has 30% to 70% of its people"


def test_a_file_that_nobody_can_link_with_says_why():
    dead = IdentifiedFile("deaths", "deaths", "death index", None, status="unknown", status_reason="it lists the dead")
    assert (dead.linkage(RELEASE, "TX").status, dead.linkage(RELEASE, "TX").reason) == ("unknown", "it lists the dead")


def test_a_whole_file_is_paid_for_and_records_are_counted():
    assert BIRTHS.amount("TX", records=5).usd == 100
    cent = Price("schedule", usd_per_record=0.01)
    by_record = IdentifiedFile("r", "t", "k", None, price=cent, price_high=Price("schedule", usd_per_record=0.03))
    least, most = by_record.amounts("TX", (1000, 2000))
    assert (least.usd, most.usd) == (10, 60)
    counted = IdentifiedFile("r", "t", "k", None, price=cent, records={"TX": 300})
    assert counted.amount("TX", records=1000).usd == 3, "the file has so many records, whoever is alive"


def test_a_price_that_no_source_gives_is_never_a_number():
    unknown = IdentifiedFile("r", "t", "k", None, price=Price("unknown", note="not read"))
    amount = unknown.amount("TX", records=1000)
    assert (amount.usd, amount.status, amount.reason) == (None, "unknown", "not read")


def test_an_adversary_may_be_refused_in_one_state_and_not_in_another():
    file = IdentifiedFile("r", "t", "k", None, FIELDS, price=Price("schedule", usd_per_record=0.01))
    poor = Constraints("poor", "a poor buyer", ("resident",), "personal", money_usd=10)
    held = file.within_reach(poor, {"TX": 5000, "WY": 500}, {})
    assert [held.linkage(RELEASE, state).status for state in ("TX", "WY")] == ["out_of_reach", "ok"]
    closed = IdentifiedFile("r", "t", "k", None, FIELDS, buyers=Allowed(("commercial",)))
    refused = closed.within_reach(poor, {"TX": 1}, {})
    assert refused.linkage(RELEASE, "TX").status == "not_to_this_buyer"
    assert refused.amount("TX").usd is None


def test_what_changes_and_what_stays():
    changed = BIRTHS.changed("TX", {"birth": "year", "price": "0", "share": "0.2-0.4"})
    assert changed.linkage(RELEASE, "TX").label() == "gender+birth=year+geography=state"
    assert changed.amount("TX").status == "free"
    assert (changed.coverage.least_share, changed.coverage.most_share) == (0.2, 0.4)
    assert BIRTHS.fields["birth"].granularity == "date"
    with pytest.raises(UnknownNameError, match="color"):
        BIRTHS.changed("TX", {"color": "red"})
    with pytest.raises(InputError, match="share=most"):
        BIRTHS.changed("TX", {"share": "most"})


def test_a_file_makes_an_attacker():
    attacker = Attacker("births", "holds births", (BIRTHS,))
    assert (attacker.holds_file, attacker.holds_voter_lists, attacker.coverage) == (True, False, HALF)
    assert BIRTHS.describe() == "births of Texas (TX); holds people born here, 50% of them"
