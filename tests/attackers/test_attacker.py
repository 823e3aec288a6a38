import pytest

from policy_sim.attackers import GENERAL, LINKAGE_STATUSES, Attacker, voter
from policy_sim.errors import InputError
from policy_sim.granularity import Granularities
from policy_sim.voter_lists.list_field import ListField
from policy_sim.voter_lists.voter_list import VoterList

SAFE = Granularities(gender="value", race="value", birth="year", geography="state")
LIMITED = Granularities(gender="value", race="value", birth="date", geography="county")
COUNTY_AND_YEAR = {
    "gender": ListField("withheld"),
    "race": ListField("withheld"),
    "birth": ListField("included", "year"),
    "geography": ListField("included", "county"),
}


def _voter(status="available", **fields):
    listed = VoterList("OH", "2008", status, fields=COUNTY_AND_YEAR | fields)
    return voter({"OH": listed})


def test_the_general_attacker_links_on_the_policy_itself():
    for policy in (SAFE, LIMITED):
        linkage = GENERAL.linkage(policy, "OH")
        assert (linkage.low, linkage.high, linkage.status) == (policy, policy, "ok")


def test_ohio_links_on_county_and_year_or_on_the_year_alone():
    """Benitez & Malin 2010, Results: the Ohio list of 2008 under both policies."""
    assert _voter().linkage(LIMITED, "OH").label() == "birth=year+geography=county"
    assert _voter().linkage(SAFE, "OH").label() == "birth=year+geography=state"


def test_an_unknown_field_makes_two_keys_and_says_which_field():
    linkage = _voter(gender=ListField()).linkage(LIMITED, "OH")
    assert linkage.label() == "birth=year+geography=county[+gender]"
    assert linkage.status == "interval"
    assert linkage.reason.endswith("has sex")


def test_an_unknown_field_that_the_policy_withholds_does_not_matter():
    policy = LIMITED.replace(gender="none")
    assert _voter(gender=ListField()).linkage(policy, "OH").status == "ok"


@pytest.mark.parametrize("status", ["county_only", "not_sold", "unknown"])
def test_without_a_list_there_is_no_key_but_a_reason(status):
    linkage = _voter(status).linkage(LIMITED, "OH")
    assert (linkage.low, linkage.high, linkage.status) == (None, None, status)
    assert linkage.reason
    assert status in LINKAGE_STATUSES


def test_the_vintage_is_that_of_the_lists():
    assert _voter().vintage == "2008"
    assert GENERAL.vintage == ""


def test_a_place_that_nobody_described_is_unknown():
    linkage = _voter().linkage(LIMITED, "PR")
    assert (linkage.low, linkage.status) == (None, "unknown")
    assert "PR" in linkage.reason


def test_a_question_about_voter_lists_needs_an_attacker_that_holds_them():
    assert _voter().voter_list("OH").status == "available"
    with pytest.raises(InputError, match="'general' has no voter lists"):
        GENERAL.voter_list("OH")


def test_an_attacker_has_a_resource():
    with pytest.raises(InputError, match="'empty' has no resource"):
        Attacker("empty", "holds nothing", ())
