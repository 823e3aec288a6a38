"""The publisher's game: Wan's case by hand, and every choice of a state by brute force."""

import pandas as pd
import pytest

from policy_sim import Study
from policy_sim.analyses.economics.publisher_game import Publisher, best_move, moves
from policy_sim.attackers import Price, VoterList, voter
from policy_sim.attackers.stakes import WAN_2015, Stakes
from policy_sim.errors import InputError
from policy_sim.granularity import Granularities
from policy_sim.policies.policy import Policy
from policy_sim.population.cells import check_cells
from policy_sim.population.population import Population, Provenance
from policy_sim.questions.question import Question
from policy_sim.voter_lists.list_field import ListField

COLUMNS = ["state", "county", "sex", "age", "age_width", "people"]
WHOLE = Policy("all", "t", Granularities(gender="value", birth="year", geography="county"), "c")
NOTHING = Policy("nothing", "t", Granularities(geography="state"), "c")
FIELDS = {
    "gender": ListField("included", "value"),
    "race": ListField("withheld"),
    "birth": ListField("included", "year"),
    "geography": ListField("included", "county"),
    "zip": ListField("withheld"),
}
FREE = voter({"OH": VoterList("OH", "2026", "available", fields=FIELDS, price=Price("free"))})


def game(people, publisher, stakes):
    rows = [("OH", "39001", sex, 30, 1, count) for sex, count in zip("MF", people, strict=True)]
    cells = check_cells(pd.DataFrame(rows, columns=COLUMNS), "made")
    population = Population(cells, Provenance("made", "made", "", "", "", 1, 0, 0))
    return moves(population, [WHOLE, NOTHING], WHOLE, FREE, publisher, [stakes])[0]


@pytest.mark.parametrize(("smaller", "deterred"), [(74, False), (75, True)])
def test_wan_2015(smaller, deterred):
    """Groups of 1,000 and of 74 or 75: the recipient attacks the smaller one only below 75."""
    whole, _ = game((1000, smaller), Publisher(1200, 300), WAN_2015)
    assert whole.deterred is deterred
    assert (whole.attacked, whole.utility) == (0 if deterred else smaller, 1.0)
    assert whole.payoff_usd == pytest.approx(1200 * (1000 + smaller) - (0 if deterred else 300))


def test_the_publisher_weighs_detail_against_loss():
    dear = game((1000, 10), Publisher(1.0, 2000.0), WAN_2015)
    assert best_move(dear) is None, "a loss of 2,000 is more than all 1,010 records bring, and nothing tells nothing"
    cheap = game((1000, 10), Publisher(1200, 300), WAN_2015)
    assert best_move(cheap).policy == "all"
    assert best_move(cheap, deterred=True) is None


def test_the_best_move_beats_every_other_of_a_state():
    study = Study("us-2020", 2026)
    question = Question.of(["safe-harbor", "county", "state-only", "month-of-birth"], rules="paper")
    policies = study._policies(question)
    every = moves(study.people, policies, policies[1], study.voter, Publisher(2, 300), [WAN_2015], states=["DE"])[0]
    best = best_move(every)
    assert best.payoff_usd == max(move.payoff_usd for move in every)
    for move in every:
        assert move.payoff_usd == pytest.approx(2 * move.records * move.utility - 300 * move.matched)


def test_an_unknown_price_is_never_taken_as_nothing():
    """Michigan's price is unknown: what an attack may answer has no payoff, whatever the detail brings."""
    study = Study("us-2020", 2026)
    policies = study._policies(Question.of(["limited-dataset", "state-only"], rules="paper"))
    ((limited, nothing),) = moves(
        study.people, policies, policies[0], study.voter, Publisher(1200, 300), [Stakes(300, 4)], states=["MI"]
    )
    assert (limited.payoff_usd, limited.verdict) == (None, "depends on the price")
    assert nothing.deterred
    assert best_move([limited, nothing]) in (None, nothing)


def test_amounts_are_numbers():
    with pytest.raises(InputError):
        Publisher(-1, 0)
