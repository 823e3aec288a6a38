"""The paper's constraints on the lists of 2008: none is passed over, and no disagreement is silent."""

import csv
from collections import Counter
from dataclasses import replace

import pytest

from policy_sim.analyses.reproduction.lists_of_2008 import AGREES, CONTRADICTS, UNDECIDED, replay_lists_of_2008
from policy_sim.attackers import voter
from policy_sim.study import Study
from policy_sim.voter_lists.voter_list import ListField


@pytest.fixture(scope="module")
def study():
    return Study(population="us-2000", lists="2008", coverage="everyone")


@pytest.fixture(scope="module")
def replays(study):
    return replay_lists_of_2008(study.voter.voter_lists.lists, study.compare(g=(1, 10), rules="paper"))


def test_every_constraint_is_replayed(replays, shared):
    with (shared / "voter_policies" / "paper_2008_constraints.csv").open(encoding="utf-8", newline="") as file:
        researched = list(csv.DictReader(file))
    assert len(replays) == len(researched) == 31


def test_how_many_agree(replays):
    assert Counter(row.verdict for row in replays) == {AGREES: 22, CONTRADICTS: 3, UNDECIDED: 6}


def test_no_disagreement_is_silent(replays):
    assert all(row.reason for row in replays if row.verdict != AGREES)
    contradicted = {(row.where, row.states) for row in replays if row.verdict == CONTRADICTS}
    assert contradicted == {
        ("Table 1, VOTER", "HI"),  # the ratio of Alaska is 27, not 22
        ("Table 2, Safe", "WI"),  # 72 and 2 cannot both come of one list
        ("Dankar et al. 2012", "AL, LA, NH, WI, WV"),  # 12,000 rounds 12,500
    }


def test_what_cannot_be_decided_waits_for_a_list(replays):
    assert {row.states.split(", ")[0] for row in replays if row.verdict == UNDECIDED} == {
        *("KY", "all", "HI", "GA", "CA", "AL"),
    }


def test_a_wrong_list_is_caught(study):
    """With a full date of birth Ohio would no longer be what the paper says it is."""
    ohio = study.voter.voter_list("OH")
    wrong = replace(ohio, fields={**ohio.fields, "birth": ListField("included", "date")})
    lists = {**study.voter.voter_lists.lists, "OH": wrong}
    found = Study("us-2000", "2008").compare(attackers=("general", voter(lists, "2008")), g=(1, 10), rules="paper")
    assert replay_lists_of_2008(lists, found)[0].verdict == CONTRADICTS
