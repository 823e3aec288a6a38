"""Questions of an edition: which are asked, and what counts as an answer."""

import pytest

from policy_sim.errors import InputError, UnknownNameError
from policy_sim.io.release_editions import load_edition
from policy_sim.release_project.questionnaire import Answer

EDITION = load_edition("ipc-2016")


def answers(**values):
    return {name.replace("_", "-"): Answer(value) for name, value in values.items()}


def test_a_public_release_is_not_asked_about_its_recipient():
    asked = {question.id for question in EDITION.asked(answers(release_model="public"))}
    assert asked.isdisjoint({"agreement", "controls", "motives", "prevalence", "breach", "cutoff"})
    assert {"invasion", "attacker-knows", "reassess"} <= asked


def test_a_semi_public_release_has_no_controls_to_ask_about():
    asked = {question.id for question in EDITION.asked(answers(release_model="semi-public"))}
    assert {"prevalence", "breach", "acquaintances", "one-sex"} <= asked
    assert asked.isdisjoint({"controls", "motives", "agreement"})


def test_open_questions_are_those_without_an_answer_and_without_a_usual_one():
    given = answers(release_model="non-public", agreement="DUA 1")
    assert [question.id for question in EDITION.open(given, "release-model")] == ["attacker-knows"]
    assert "acquaintances" not in {question.id for question in EDITION.open(given)}
    assert EDITION.value(given, "acquaintances") == "150"
    assert EDITION.value(answers(release_model="public"), "acquaintances") == ""
    assert EDITION.waits_for({}, "context-risk") == ("release-model",)


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("prevalence", "1.1"),
        ("prevalence", "nan"),
        ("prevalence", "few"),
        ("acquaintances", "149"),
        ("acquaintances", "191"),
        ("reassess", "next year"),
        ("agreement", "  "),
    ],
)
def test_answers_of_another_kind(question, value):
    with pytest.raises(InputError, match=question):
        EDITION.question(question).check(value)


def test_only_the_choices_are_chosen():
    with pytest.raises(UnknownNameError, match="Did you mean 'medium'"):
        EDITION.question("invasion").check("medum")
    with pytest.raises(UnknownNameError, match="question 'shoe'"):
        EDITION.question("shoe")
    assert EDITION.question("reassess").check(" 2027-06-30 ") == "2027-06-30"
