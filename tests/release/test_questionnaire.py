"""Questions of an edition: which are asked, and what counts as an answer."""

from __future__ import annotations

import pytest

from policy_sim.release.questionnaire import DOES, KINDS, Answer, list_editions, load_edition
from policy_sim.words.errors import InputError, UnknownNameError

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


# The shipped editions: steps, questions and sources.


@pytest.mark.parametrize(("name", "steps"), [("ipc-2016", 9), ("ipc-2025", 12)])
def test_editions_have_their_steps_and_every_question_a_source(name, steps):
    edition = load_edition(name)
    assert len(edition.steps) == steps
    ids = [step.id for step in edition.steps]
    assert len(set(ids)) == steps
    for step in edition.steps:
        assert step.does in DOES
        assert step.citation
    for question in edition.questions:
        assert question.citation
        assert question.step in ids
        assert question.kind in KINDS
        assert bool(question.choices) == (question.kind == "choice")
        for other, values in question.when.items():
            assert set(values) <= set(edition.question(other).choices)


def test_what_was_not_read_is_said():
    assert load_edition("ipc-2016").read == "whole"
    assert "secondary" in load_edition("ipc-2025").read
    assert set(list_editions()) == {"ipc-2016", "ipc-2025"}


def test_no_other_edition():
    with pytest.raises(UnknownNameError, match="ipc-2016"):
        load_edition("ipc-2019")
