from __future__ import annotations

import pytest

from policy_sim.attackers import GENERAL
from policy_sim.attackers.attacker import parts_of
from policy_sim.attackers.files import resource_template
from policy_sim.policies.files import load_policy
from policy_sim.study.question import POLICIES, Question, attacker_name
from policy_sim.study.study import Study
from policy_sim.words.errors import InputError, UnknownNameError
from policy_sim.words.states import STATES


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


def test_names_in_any_case_and_files_as_they_are():
    assert [attacker_name(name) for name in ("General", " voter ", "TEXAS-birth-index", "Ours.toml")] == [
        "general",
        "voter",
        "texas-birth-index",
        "Ours.toml",
    ]
    with pytest.raises(UnknownNameError, match=r"'votr' is not known\. Did you mean 'voter'"):
        attacker_name("votr")


def test_only_resources_are_read(tmp_path):
    path = tmp_path / "ours.toml"
    path.write_text(resource_template(), encoding="utf-8")
    asked = Question.of(attackers=["general", "voter", GENERAL, "texas-birth-index", str(path)])
    assert {name: holder.name for name, holder in asked.resources.items()} == {
        "texas-birth-index": "texas-birth-index",
        str(path): "my-birth-index",
    }


def test_a_resource_cannot_take_the_name_of_an_attacker(tmp_path):
    path = tmp_path / "ours.toml"
    path.write_text(resource_template().replace("my-birth-index", "voter"), encoding="utf-8")
    with pytest.raises(InputError, match="cannot be named 'voter'"):
        Question.of(attackers=str(path)).resources  # noqa: B018


def test_a_question_tells_lists_from_other_files():
    asked = Question.of(attackers=["general", "texas-birth-index"])
    assert (asked.has_lists, asked.has_files) == (False, True)
    assert asked.attacker_names == ("general", "texas-birth-index")
    assert [holder.name for holder in asked.holders] == ["texas-birth-index"]
    asked = [Question.of(attackers=attacker) for attacker in ("voter", "general", GENERAL)]
    assert [(each.has_lists, each.has_files) for each in asked] == [(True, True), (False, False), (False, False)]


def test_a_plus_joins_resources_in_one_hand(tmp_path):
    path = tmp_path / "ours.toml"
    path.write_text(resource_template(), encoding="utf-8")
    asked = Question.of(attackers=f"voter+{path}")
    assert (asked.has_lists, asked.has_files, asked.attacker_names) == (True, True, ("voter+my-birth-index",))
    assert [holder.name for holder in asked.holders] == ["my-birth-index"]
    (attacker,) = Study("us-2020", 2026).attackers_of(asked)
    assert attacker.name.startswith("voter")
    assert len(attacker.resources) == 2
    with pytest.raises(UnknownNameError, match="'votr' is not known"):
        Question.of(attackers="votr+texas-birth-index")
    with pytest.raises(InputError, match="each a list or another file"):
        Study("us-2020", 2026).attackers_of(Question.of(attackers="general+texas-birth-index"))


def test_a_file_whose_name_has_a_plus_is_one_file(tmp_path):
    path = tmp_path / "a+b.toml"
    path.write_text(resource_template(), encoding="utf-8")
    assert parts_of(str(path)) == [attacker_name(path)] == [str(path)]
    assert Question.of(attackers=str(path)).attacker_names == ("my-birth-index",)
