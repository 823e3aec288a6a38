"""Whom the lists hold: by hand, and against the formula of MODEL.md section 7."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from policy_sim.analyses.comparison import compare, costs
from policy_sim.attackers import ADULTS, Coverage, VoterList, covered, voter
from policy_sim.attackers.coverage import listed_people, listed_shares
from policy_sim.granularity import Granularities
from policy_sim.policies.policy import Policy
from policy_sim.population.merge import people_of_age
from policy_sim.population.population import Population, Provenance, check_cells
from policy_sim.results import Measure
from policy_sim.voter_lists.price import Price
from policy_sim.voter_lists.voter_list import ListField

ROWS = [("OH", 10, 1, 40), ("OH", 17, 1, 30), ("OH", 18, 1, 100), ("OH", 60, 5, 200), ("WV", 30, 1, 50)]
PEOPLE = Population(
    check_cells(pd.DataFrame(ROWS, columns=["state", "age", "age_width", "people"]), "made"),
    Provenance("made", "made", "", "", "", 1, 0, 0),
)
HALF = Coverage("registered", "half of Ohio", {"OH": 150})
DATE = Policy("date", "t", Granularities(birth="date", geography="state"), "c")
FACTS = {name: ListField("withheld") for name in ("gender", "race", "geography", "zip", "party")}
FACTS["birth"] = ListField("included", "date")
LISTS = {
    state: VoterList(state, "2026", "available", fields=FACTS, price=Price("schedule", usd_per_record=1))
    for state in ("OH", "WV")
}
VOTER = voter(LISTS)


def test_people_on_the_list():
    assert listed_people(PEOPLE) == {"OH": 370, "WV": 50}
    assert listed_people(PEOPLE, ADULTS) == {"OH": 300, "WV": 50}
    assert listed_people(PEOPLE, HALF) == {"OH": 150}, "nothing is known of West Virginia"
    assert people_of_age(PEOPLE, 18).people == 350


def test_shares_are_of_the_adults_and_never_more_than_all():
    adults = people_of_age(PEOPLE, 18)
    np.testing.assert_allclose(listed_shares(adults, HALF, ["OH"]), [0.5])
    np.testing.assert_allclose(listed_shares(adults, None, ["OH", "WV"]), [1, 1])
    assert Coverage("registered", "too many", {"OH": 900}).share("OH", 300) == 1


def test_beside_the_figure_for_everyone():
    found = compare(PEOPLE, [DATE], [VOTER, covered(VOTER, ADULTS), covered(VOTER, HALF)], states=["OH"], g=[2])
    total, distinct = Measure("total-risk"), Measure("g-distinct", 2)
    everyone, adults, half = (found.profile("OH", "date", f"voter{name}") for name in ("", "-adults", "-registered"))

    def occupied(n, b, c):
        return b * (1 - (1 - c / b) ** n)

    def two_distinct(n, b, c):
        return n * c * binom.cdf(1, n - 1, c / b)

    groups = [(100, 365), (200, 5 * 365)]
    minors = [(40, 365), (30, 365)]
    assert everyone.people(total).low == pytest.approx(sum(occupied(n, b, 1) for n, b in groups + minors), rel=1e-12)
    assert adults.people(total).low == pytest.approx(sum(occupied(n, b, 1) for n, b in groups), rel=1e-12)
    assert half.people(total).low == pytest.approx(sum(occupied(n, b, 0.5) for n, b in groups), rel=1e-12)
    assert half.people(distinct).low == pytest.approx(sum(two_distinct(n, b, 0.5) for n, b in groups), rel=1e-12)
    assert half.share(total).low == half.people(total).low / 370, "of everyone, as the paper"


def test_a_state_without_a_figure_is_unknown():
    profile = compare(PEOPLE, [DATE], [covered(VOTER, HALF)]).profile("WV", "date", "voter-registered")
    assert (profile.status, profile.people(Measure("total-risk"))) == ("unknown", None)
    assert "WV" in profile.reason


def test_a_price_a_record_is_paid_for_those_listed():
    attackers = [VOTER, covered(VOTER, ADULTS), covered(VOTER, HALF)]
    found = compare(PEOPLE, [DATE], attackers, states=["OH"])
    assert [costs(found, PEOPLE, each)[0].price_usd for each in attackers] == [370, 300, 150]
