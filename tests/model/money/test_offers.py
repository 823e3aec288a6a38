"""Which lists an attacker can buy: classes of buyers, unknown prices, lower bounds, counties."""

from dataclasses import replace

import pytest

from policy_sim import Study
from policy_sim.attackers.resource_files import load_resource, resource_holder
from policy_sim.model.cases import Cases
from policy_sim.model.money.budget import market
from policy_sim.study.question import Question
from policy_sim.voter_lists.price import Price

FLAT, DEARER = Price("flat", base_usd=100), Price("flat", base_usd=500)


@pytest.fixture(scope="module")
def study():
    return Study("us-2020", 2026)


def offered(study, **more):
    return market(
        study._cases(Question.of("limited-dataset", "voter", more.pop("states", None), rules="paper")), **more
    )


@pytest.fixture(scope="module")
def whole(study):
    return offered(study)


@pytest.mark.slow
def test_every_list_is_offered_or_left_out_with_a_reason(study, whole):
    names = [offer.name for offer in whole.offers] + [left.name for left in whole.left_out]
    assert sorted(names) == sorted(study.people.states)
    assert all(left.reason for left in whole.left_out)


@pytest.mark.slow
def test_no_offer_has_an_unknown_price_or_a_buyer_it_is_not_for(study, whole):
    for offer in whole.offers:
        amount = study.voter.voter_list(offer.name).price
        assert amount.kind not in ("unknown", "not_sold", "at_least")
        assert "public" in (study.voter.voter_list(offer.name).buyers.names or ("public",))
        assert offer.price_source or amount.kind == "free", offer
    reasons = {left.name: left.reason for left in whole.left_out}
    assert "party" in reasons["VA"]
    assert "price" in reasons["MI"]


@pytest.mark.slow
def test_any_buyer_gets_the_lists_of_parties_too(study, whole):
    more = {offer.name for offer in offered(study, any_buyer=True).offers} - {offer.name for offer in whole.offers}
    assert "VA" in more


def test_correct_claims_are_those_of_the_comparison(study):
    profile = study.compare("limited-dataset", "voter", "DE", rules="paper").profiles[0]
    (offer,) = offered(study, states=["DE"]).offers
    assert offer.correct_claims == profile.people("correct-claims").low
    assert offer.claims == profile.people("claims").low


@pytest.mark.slow
def test_a_price_between_two_amounts_counts_with_the_higher():
    births = resource_holder(load_resource("texas-birth-index"))
    one_price = replace(births, resources=(replace(births.resource, price=FLAT, price_high=DEARER),))
    study = Study("us-2020", 2026)
    policy = study._one_policy(Question.of("limited-dataset", rules="paper"))
    (offer,) = market(Cases(study.people, [policy], [one_price], states=["TX"]), released=True).offers
    assert (offer.name, offer.price_usd) == ("TX texas-birth-index", 500)


def test_counties_sell_by_themselves_whatever_other_states_are_asked_about():
    study = Study("us-2000", 2008, coverage="everyone")
    alone, among = (
        [offer for offer in offered(study, states=states, county_price=FLAT).offers if offer.county]
        for states in (["AZ"], ["AZ", "DE"])
    )
    assert len(alone) == 15, "one list per county of Arizona"
    assert among == alone
