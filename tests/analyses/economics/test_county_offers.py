"""Lists of counties as offers: the people on them, their prices, and why there are none."""

import pytest

from policy_sim import Study
from policy_sim.analyses.comparison import compare
from policy_sim.analyses.county_purchase import of_a_county
from policy_sim.analyses.economics.offers import market
from policy_sim.attackers.attacker import covered, voter
from policy_sim.questions.question import Question
from policy_sim.results import CLAIMS, CORRECT_CLAIMS
from policy_sim.voter_lists.price import Price

PRICE = Price("schedule", usd_per_county=50, usd_per_record=0.001)


def arizona(coverage, rules="paper", price=PRICE, population="us-2000"):
    study = Study(population, 2008, coverage=coverage)
    question = Question.of("limited-dataset", rules=rules)
    policy, people = study._one_policy(question), study.people_for(question)
    found = market(people, policy, [study.voter], states=["AZ"], county_price=price, released=True)
    return study, policy, found


@pytest.mark.parametrize(("rules", "population"), [("paper", "us-2000"), ("regulation", "us-2010")])
@pytest.mark.parametrize("coverage", ["registered", "adults", "everyone"])
def test_the_counties_add_up_to_a_list_of_the_whole_state(coverage, rules, population):
    """Also where the policy shows ZIP codes, which the counties' lists hold or may hold."""
    study, policy, found = arizona(coverage, rules, population=population)
    listed = of_a_county(study.voter.voter_list("AZ"))
    holder = covered(voter({"AZ": listed}, "2008"), study.voter.coverage)
    people = study.people_for(Question.of("limited-dataset", rules=rules))
    whole = compare(people, [policy], [holder], states=["AZ"]).profiles[0]
    assert sum(offer.correct_claims for offer in found.offers) == pytest.approx(whole.people(CORRECT_CLAIMS).high)
    assert sum(offer.claims for offer in found.offers) == pytest.approx(whole.people(CLAIMS).high)


def test_a_list_of_registered_voters_is_cheaper_and_less_sure_than_one_of_everyone():
    _, _, some = arizona("registered")
    _, _, everyone = arizona("everyone")
    for few, all_of_them in zip(some.offers, everyone.offers, strict=True):
        assert few.name == all_of_them.name
        assert few.price_usd < all_of_them.price_usd
        assert few.correct_claims / few.claims < all_of_them.correct_claims / all_of_them.claims == 1
        assert few.price_source == "assumed"


def test_why_there_are_none():
    (left_out,) = arizona("everyone", price=None)[2].left_out
    assert "no source gives the price of a county's list" in left_out.reason
