"""The shipped editions: steps, questions and sources."""

import pytest

from policy_sim.errors import UnknownNameError
from policy_sim.io.release_editions import list_editions, load_edition
from policy_sim.release_project.questionnaire import DOES, KINDS


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
