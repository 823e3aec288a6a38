import itertools
from dataclasses import replace

import pytest

from policy_sim.attackers.adversary import PURPOSES, Constraints, within_reach
from policy_sim.attackers.attacker import held_back, voter
from policy_sim.voter_lists.list_field import BUYERS, USES, Allowed
from policy_sim.voter_lists.price import Price
from policy_sim.voter_lists.voter_list import VoterList
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Granularities

SCHOLAR = Constraints("scholar", "a scholar", ("scholar",), "scholarly", money_usd=1000)
ANYTHING = Constraints("x", "x", ("commercial",), "commercial", None, None, 1, True, True, True)
CALIFORNIA = VoterList(
    "CA",
    "2026",
    "available",
    price=Price("flat", base_usd=100),
    buyers=Allowed(("candidate", "party", "scholar", "journalist")),
    uses=Allowed(("political", "scholarly", "journalistic")),
)


@pytest.mark.parametrize(
    ("buyers", "uses", "price", "status"),
    [
        (("public",), ("any",), Price("free"), "available"),
        (("scholar",), ("scholarly",), Price("flat", base_usd=1000), "available"),
        (("voter", "resident"), ("any",), Price("free"), "not_to_this_buyer"),
        ((), ("any",), Price("free"), "not_to_this_buyer"),
        (("public",), ("political",), Price("free"), "not_to_this_buyer"),
        (("public",), ("non_commercial",), Price("free"), "available"),
        (("public",), ("any",), Price("flat", base_usd=1000.01), "out_of_reach"),
        (("public",), ("any",), Price("at_least", base_usd=28_000), "out_of_reach"),
        (None, None, Price("unknown"), "available"),
    ],
)
def test_a_scholar_with_a_thousand_dollars(buyers, uses, price, status):
    listed = VoterList("XX", "2026", "available", price=price, buyers=Allowed(buyers), uses=Allowed(uses))
    found = within_reach(listed, SCHOLAR)
    assert found.status == status
    assert bool(found.reason) == (status != "available")


def test_a_highly_constrained_stranger_does_not_get_the_list_of_california():
    """Dankar et al. 2012, "Step 1": the example of California."""
    stranger = Constraints("s", "s", ("resident",), "personal", money_usd=1000)
    assert within_reach(CALIFORNIA, stranger).status == "not_to_this_buyer"
    assert within_reach(CALIFORNIA, SCHOLAR).status == "available"
    liar = replace(stranger, misrepresents=True)
    assert within_reach(CALIFORNIA, liar).status == "not_to_this_buyer", "the use is still not allowed"
    assert within_reach(CALIFORNIA, replace(liar, breaks_agreements=True)).status == "not_to_this_buyer"
    assert within_reach(CALIFORNIA, replace(liar, breaks_agreements=True, breaks_law=True)).status == "available"


@pytest.mark.parametrize("buyers", [None, (), *[(name,) for name in BUYERS]])
@pytest.mark.parametrize("uses", [None, *[(name,) for name in USES]])
def test_nothing_holds_back_one_who_will_do_anything(buyers, uses):
    listed = VoterList("XX", "2026", "available", buyers=Allowed(buyers), uses=Allowed(uses))
    assert within_reach(listed, ANYTHING).status == "available"


@pytest.mark.parametrize(("misrepresents", "breaks"), list(itertools.product([False, True], repeat=2)))
def test_more_willing_never_gets_less(misrepresents, breaks):
    for buyers, uses in itertools.product([("party",), ("public",)], [("political",), ("any",)]):
        listed = VoterList("XX", "2026", "available", buyers=Allowed(buyers), uses=Allowed(uses))
        meek = within_reach(listed, SCHOLAR).status
        bold = replace(SCHOLAR, misrepresents=misrepresents, breaks_agreements=breaks, breaks_law=breaks)
        assert not (meek == "available" and within_reach(listed, bold).status != "available")


def test_a_schedule_is_reckoned_for_what_he_buys():
    listed = VoterList("XX", "2026", "available", price=Price("schedule", usd_per_record=0.01))
    assert within_reach(listed, SCHOLAR, records=100_000).status == "available"
    assert within_reach(listed, SCHOLAR, records=100_001).status == "out_of_reach"


def test_he_pays_what_his_class_of_buyer_pays():
    price = Price("flat", base_usd=5000, usd_by_buyer={"scholar": 20, "commercial": 9000})
    found = within_reach(VoterList("XX", "2026", "available", price=price), SCHOLAR)
    assert (found.status, found.price.usd().usd) == ("available", 20)


def test_time_holds_back_too():
    hurried = replace(SCHOLAR, days=5, days_per_request=10)
    found = within_reach(VoterList("XX", "2026", "available"), hurried)
    assert (found.status, "10 days" in found.reason) == ("out_of_reach", True)


@pytest.mark.parametrize("status", ["county_only", "not_sold", "unknown"])
def test_where_there_is_no_list_the_reason_stays(status):
    listed = VoterList("XX", "2026", status)
    assert within_reach(listed, SCHOLAR) == listed


def test_an_attacker_held_back_has_no_key_but_a_reason():
    ohio = replace(CALIFORNIA, state="OH", buyers=Allowed(("party",)))
    attacker = held_back(voter({"CA": CALIFORNIA, "OH": ohio}), SCHOLAR, {}, {})
    policy = Granularities(birth="year", geography="state")
    assert attacker.linkage(policy, "CA").status == "interval"
    kept_out = attacker.linkage(policy, "OH")
    assert (kept_out.low, kept_out.status) == (None, "not_to_this_buyer")
    assert "sold only to party" in kept_out.reason


def test_words_that_are_not_known_are_refused():
    with pytest.raises(InputError, match="purpose 'fun'"):
        replace(SCHOLAR, purpose="fun")
    with pytest.raises(InputError, match="buyer 'anyone'"):
        replace(SCHOLAR, buyer=("anyone",))
    assert "scholarly" in PURPOSES
