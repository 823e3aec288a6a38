"""The best purchase: by trying every set of lists, on 12 states and on 15 counties."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from policy_sim import Study
from policy_sim.attackers.attacker import covered, voter
from policy_sim.attackers.files import load_resource, resource_holder
from policy_sim.model.cases import Cases
from policy_sim.model.compare import compare
from policy_sim.model.measure import CLAIMS, CORRECT_CLAIMS
from policy_sim.model.money.budget import (
    LeftOut,
    Market,
    Offer,
    Purchase,
    best_purchase,
    budget_frame,
    cheapest_purchase,
    market,
    of_a_county,
)
from policy_sim.study.question import Question
from policy_sim.voter_lists.price import Price
from policy_sim.words.errors import InputError, NotEstimableError


def subsets(offers):
    """Price, correct claims and number of lists of every set of offers, as three arrays."""
    price, correct, many = np.zeros(1), np.zeros(1), np.zeros(1)
    for offer in offers:
        price = np.concatenate([price, price + offer.price_usd])
        correct = np.concatenate([correct, correct + offer.correct_claims])
        many = np.concatenate([many, many + 1])
    return price, correct, many


def check_against_every_set(offers, budgets, targets):
    price, correct, many = subsets(offers)
    for usd in budgets:
        bought = best_purchase(offers, usd)
        assert bought.price_usd <= usd * (1 + 1e-9)
        assert bought.correct_claims == pytest.approx(correct[price <= usd].max(), rel=1e-9)
    for target in targets:
        bought = cheapest_purchase(offers, target)
        assert bought.correct_claims >= target * (1 - 1e-9)
        least = price[correct >= target].min()
        assert bought.price_usd == pytest.approx(least, rel=1e-9, abs=1e-9)
        assert len(bought.offers) == many[(correct >= target) & (price <= least * (1 + 1e-12))].min()


@pytest.fixture(scope="module")
def study():
    return Study("us-2020", 2026)


def test_fifteen_counties():
    """Where only counties sell (Arizona of 2008), the unknown fields released and 50 dollars a county."""
    _, _, offered = arizona("registered")
    assert len(offered.offers) == 15
    assert offered.left_out == ()
    everything = sum(offer.correct_claims for offer in offered.offers)
    check_against_every_set(offered.offers, [49, 150, 500, 2000, 5000], [100, everything / 2, everything * 0.99])


def test_of_a_state_and_its_counties_only_one_is_bought():
    offers = [
        Offer("OH", "OH", 10, 100, 100),
        Offer("OH birth-index", "OH", 1, 90, 90),
        Offer("OH 39001", "OH", 3, 60, 60, "39001"),
        Offer("OH 39003", "OH", 3, 50, 50, "39003"),
        Offer("TX", "TX", 5, 5, 5),
    ]
    allowed = [
        chosen
        for size in range(len(offers) + 1)
        for chosen in itertools.combinations(offers, size)
        if _one_of_ohio(chosen)
    ]
    for usd in (0, 1, 3, 6, 10, 11, 15, 100):
        best = max(
            sum(o.correct_claims for o in chosen) for chosen in allowed if sum(o.price_usd for o in chosen) <= usd
        )
        assert best_purchase(offers, usd).correct_claims == best


def _one_of_ohio(chosen):
    whole = [offer for offer in chosen if offer.state == "OH" and not offer.county]
    return len(whole) <= 1 and not (whole and any(offer.county for offer in chosen))


def test_precision_of_a_purchase():
    bought = best_purchase([Offer("A", "OH", 1, 60, 80), Offer("B", "TX", 1, 30, 40)], 2)
    assert (bought.price_usd, bought.correct_claims, bought.precision) == (2, 90, 0.75)
    assert best_purchase([], 5).precision is None


@pytest.mark.parametrize("usd", [-1, math.nan, math.inf])
def test_a_budget_is_a_number(usd):
    with pytest.raises(InputError):
        best_purchase([], usd)


def test_more_than_there_is():
    with pytest.raises(NotEstimableError, match="more than the 60"):
        cheapest_purchase([Offer("A", "OH", 1, 60, 80)], 61)
    with pytest.raises(InputError):
        cheapest_purchase([], 0)


# A purchase as rows.


OFFERS = (Offer("OH", "OH", 0.0, 10.0, 20.0, "", "2025", "fees"), Offer("TX", "TX", 5.0, 0.0, 0.0))


def test_bought_lists_come_first_and_those_left_out_last():
    rows = budget_frame(Market(OFFERS, (LeftOut("HI", "HI", "not sold"),)), Purchase(OFFERS[:1]))
    assert rows["list"].tolist() == ["OH", "TX", "HI"]
    assert rows["bought"].tolist() == [True, False, False]
    assert rows["precision"].iloc[0] == 0.5
    assert rows["usd_per_correct_claim"].iloc[0] == 0
    assert rows.loc[1, ["precision", "usd_per_correct_claim"]].isna().all()
    assert rows.loc[2, ["price_usd", "claims"]].isna().all()
    assert rows["reason"].iloc[2] == "not sold"


# Lists of counties as offers: the people on them, their prices, and why there are none.


PRICE = Price("schedule", usd_per_county=50, usd_per_record=0.001)


def arizona(coverage, rules="paper", price=PRICE, population="us-2000"):
    study = Study(population, 2008, coverage=coverage)
    question = Question.of("limited-dataset", rules=rules)
    policy, people = study._one_policy(question), study.people_for(question)
    found = market(Cases(people, [policy], [study.voter], states=["AZ"]), county_price=price, released=True)
    return study, policy, found


@pytest.mark.slow
@pytest.mark.parametrize(("rules", "population"), [("paper", "us-2000"), ("regulation", "us-2010")])
@pytest.mark.parametrize("coverage", ["registered", "adults", "everyone"])
def test_the_counties_add_up_to_a_list_of_the_whole_state(coverage, rules, population):
    """Also where the policy shows ZIP codes, which the counties' lists hold or may hold."""
    study, policy, found = arizona(coverage, rules, population=population)
    listed = of_a_county(study.voter.voter_list("AZ"))
    holder = covered(voter({"AZ": listed}, "2008"), study.voter.coverage)
    people = study.people_for(Question.of("limited-dataset", rules=rules))
    whole = compare(Cases(people, [policy], [holder], states=["AZ"])).profiles[0]
    assert sum(offer.correct_claims for offer in found.offers) == pytest.approx(whole.people(CORRECT_CLAIMS).high)
    assert sum(offer.claims for offer in found.offers) == pytest.approx(whole.people(CLAIMS).high)


def test_a_list_of_registered_voters_is_cheaper_and_less_sure_than_one_of_everyone():
    _, _, some = arizona("survey")
    _, _, everyone = arizona("everyone")
    for few, all_of_them in zip(some.offers, everyone.offers, strict=True):
        assert few.name == all_of_them.name
        assert few.price_usd < all_of_them.price_usd
        assert few.correct_claims / few.claims < all_of_them.correct_claims / all_of_them.claims == 1
        assert few.price_source == "assumed"


def test_why_there_are_none():
    (left_out,) = arizona("everyone", price=None)[2].left_out
    assert "no source gives the price" in left_out.reason


# Which lists an attacker can buy: classes of buyers, unknown prices, lower bounds, counties.


FLAT, DEARER = Price("flat", base_usd=100), Price("flat", base_usd=500)


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
