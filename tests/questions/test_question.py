from __future__ import annotations

import pytest

from policy_sim.attackers import GENERAL
from policy_sim.errors import InputError, UnknownNameError
from policy_sim.io.policy_files import load_policy
from policy_sim.questions.question import POLICIES, Question
from policy_sim.states import STATES


@pytest.mark.parametrize("states", ["OH", "ohio", "39", ["OH", "Ohio", "39"]])
def test_every_way_to_write_a_state_is_one_question(states):
    assert Question.of(states=states) == Question.of(states=["OH"])


def test_states_stay_in_the_order_given_and_none_is_all():
    assert Question.of(states=["TX", "OH", "TX"]).states == ("TX", "OH")
    assert Question.of().states is None
    assert set(Question.of(states=list(STATES)).states) == set(STATES)


def test_the_form_of_the_rules_chooses_the_policies():
    assert Question.of(rules="paper").names == tuple(f"{name}-paper" for name in POLICIES)
    assert Question.of().names == POLICIES
    with pytest.raises(UnknownNameError, match="paper"):
        Question.of(rules="law")


def test_a_policy_is_the_same_by_name_and_as_itself():
    by_name, itself = Question.of("limited-dataset", rules="paper"), Question.of(load_policy("limited-dataset-paper"))
    assert by_name.loaded == itself.loaded
    assert by_name.loaded is by_name.loaded  # read once


def test_only_those_who_hold_a_voter_list_have_lists():
    assert Question.of(attackers="voter").has_lists
    assert not Question.of(attackers=GENERAL).has_lists
    assert not Question.of(attackers="general").has_files


@pytest.mark.parametrize("wrong", [{"policies": []}, {"attackers": 5}, {"states": "ZZ"}, {"g": 0}, {"in_file": -1}])
def test_what_is_no_question_is_refused(wrong):
    with pytest.raises((InputError, UnknownNameError)):
        Question.of(**wrong)
