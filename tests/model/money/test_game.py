"""The publisher's game: Wan's case by hand, and every choice of a state by brute force."""

from __future__ import annotations

import pytest
from small_people import list_of, population_of

from policy_sim import Study
from policy_sim.attackers import Price, voter
from policy_sim.attackers.adversary import WAN_2015, Stakes
from policy_sim.model.cases import Cases
from policy_sim.model.money.game import Publisher, best_move, moves
from policy_sim.policies.policy import Policy
from policy_sim.study.question import Question
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Granularities

WHOLE = Policy("all", "t", Granularities(gender="value", birth="year", geography="county"), "c")
NOTHING = Policy("nothing", "t", Granularities(geography="state"), "c")
FREE = voter({"OH": list_of(rest="withheld", gender="value", birth="year", geography="county", price=Price("free"))})


def game(people, publisher, stakes):
    rows = [("OH", "39001", sex, 30, 1, count) for sex, count in zip("MF", people, strict=True)]
    population = population_of(rows)
    return moves(Cases(population, [WHOLE, NOTHING], [FREE]), WHOLE, publisher, [stakes])[0]


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


@pytest.mark.slow
def test_the_best_move_beats_every_other_of_a_state():
    study = Study("us-2020", 2026)
    question = Question.of(["safe-harbor", "county", "state-only", "month-of-birth"], rules="paper")
    policies = study._policies(question)
    every = moves(
        Cases(study.people, policies, [study.voter], states=["DE"]), policies[1], Publisher(2, 300), [WAN_2015]
    )[0]
    best = best_move(every)
    assert best.payoff_usd == max(move.payoff_usd for move in every)
    for move in every:
        assert move.payoff_usd == pytest.approx(2 * move.plan.records * move.utility - 300 * move.matched)


def test_an_unknown_price_is_never_taken_as_nothing():
    """Michigan's price is unknown: what an attack may answer has no payoff, whatever the detail brings."""
    study = Study("us-2020", 2026)
    policies = study._policies(Question.of(["limited-dataset", "state-only"], rules="paper"))
    ((limited, nothing),) = moves(
        Cases(study.people, policies, [study.voter], states=["MI"]), policies[0], Publisher(1200, 300), [Stakes(300, 4)]
    )
    assert (limited.payoff_usd, limited.plan.verdict) == (None, "depends on the price")
    assert nothing.deterred
    assert best_move([limited, nothing]) in (None, nothing)


def test_amounts_are_numbers():
    with pytest.raises(InputError):
        Publisher(-1, 0)


# The game as rows, through the door.


@pytest.fixture(scope="module")
def answer():
    policies = ["safe-harbor", "limited-dataset", "state-only-with-race"]
    return Study("us-2020", 2026).game(["DE", "MI"], policies, in_file=0.01, rules="paper")


def test_one_row_per_state_and_penalty(answer):
    rows = answer.to_frame()
    assert rows[["penalty", "state"]].to_numpy().tolist() == [
        ["without", "DE"], ["without", "MI"], ["with", "DE"], ["with", "MI"]
    ]  # fmt: skip


def test_the_solution_is_the_best_of_the_moves(answer):
    for row in answer.to_frame().itertuples():
        mine = answer.moves[(answer.moves["state"] == row.state) & (answer.moves["penalty"] == row.penalty)]
        assert row.payoff_usd == mine["payoff_usd"].max()
        assert row.deterred_payoff_usd <= row.payoff_usd


def test_an_unknown_price_is_named(answer):
    row = answer.to_frame().set_index(["penalty", "state"]).loc[("without", "MI")]
    assert row["price_status"] == "unknown"
    assert "depends on an unknown price: safe-harbor-paper, limited-dataset-paper" in row["reason"]


def test_safe_harbor_is_the_baseline(answer):
    row = answer.to_frame().iloc[0]
    assert row["baseline"] == "safe-harbor-paper"
    assert row["gain_over_baseline_usd"] == pytest.approx(row["payoff_usd"] - row["baseline_payoff_usd"])


def test_a_frontier_needs_one_state():
    with pytest.raises(InputError, match="one state"):
        Study("us-2020", 2026).game(frontier=True)


@pytest.mark.slow
def test_a_policy_that_shows_less_than_is_needed_is_not_chosen():
    policies = ["safe-harbor", "limited-dataset", "state-only", "county-without-race"]
    study = Study("us-2020", 2026)
    free = study.game("DE", policies, in_file=0.01, rules="paper", loss=1500)
    needed = study.game("DE", policies, in_file=0.01, rules="paper", loss=1500, keep=["geography=county"])
    allowed = needed.moves[needed.moves["meets_needs"]]
    assert set(allowed["policy"]) == {"limited-dataset-paper", "county-without-race"}
    assert free.moves["meets_needs"].all()
    for row, before in zip(needed.to_frame().itertuples(), free.to_frame().itertuples(), strict=True):
        assert row.policy in {"limited-dataset-paper", "county-without-race"}
        assert row.payoff_usd <= before.payoff_usd
        assert row.baseline == "safe-harbor-paper"
    assert needed.provenance.manifest()["options"]["keep"] == ["geography=county"]
