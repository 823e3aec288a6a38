"""Attackers in words: both of the paper have some, and no other is given theirs."""

import pytest

from policy_sim.attackers import ATTACKERS, GENERAL, VOTER, bought_by, covered, holding_of, joined, voter, words_of
from policy_sim.attackers.coverage import ADULTS
from policy_sim.voter_lists.voter_list import VoterList

HOLDER = voter({"OH": VoterList("OH", "2026", "unknown", "no source")})


def test_the_attackers_of_the_paper_have_words_of_their_own():
    assert len({words_of(name) for name in ATTACKERS} | {holding_of(name) for name in ATTACKERS}) == 4
    assert "" not in {words_of(name) for name in ATTACKERS}


@pytest.mark.parametrize("name", ["texas-birth-index", "voter-adults", "voter+births", "a-voter"])
def test_another_attacker_is_called_by_its_name(name):
    assert words_of(name) == ""
    assert holding_of(name) == name


def test_a_list_of_other_people_is_still_the_voter_list():
    assert bought_by([covered(HOLDER, ADULTS).name]) == bought_by([VOTER]) == "voter list"
    assert bought_by(["births", VOTER]) == "voter list or file"


def test_whether_an_attacker_holds_the_state_list_alone_is_asked_of_what_it_holds():
    """Of two resources in one hand each counts; a name that begins alike does not."""
    renamed = type(HOLDER)("voter-like", "someone else", GENERAL.resources)
    both = joined([HOLDER, type(HOLDER)("twice", "the same again", HOLDER.resources)])
    assert [each.holds_state_list_alone for each in (HOLDER, covered(HOLDER, ADULTS), both, GENERAL, renamed)] == [
        *(True, True, False, False, False),
    ]
    assert both.holds_voter_lists
