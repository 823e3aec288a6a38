"""A search of the lattice: what it marks, what it draws, and states it does not have."""

from __future__ import annotations

import pytest

from policy_sim import Study, UnknownNameError
from policy_sim.questions.exploration_answer import ExplorationAnswer


@pytest.fixture(scope="module")
def answer() -> ExplorationAnswer:
    return Study("us-2010").explore("DE", rules="paper")


def test_it_marks_the_policy_it_was_judged_against_and_the_limited_data_set(answer):
    """The first releases less than the second: it has less risk."""
    marks = answer.marks.set_index("policy")
    assert list(marks.index) == ["safe-harbor-paper", "limited-dataset-paper"]
    assert marks.loc["safe-harbor-paper", "total_risk"] < marks.loc["limited-dataset-paper", "total_risk"]


def test_it_draws_a_state_that_it_has(answer):
    assert answer.plot("Delaware").axes
    with pytest.raises(UnknownNameError, match="state of this answer"):
        answer.plot("OH")


def test_it_says_where_it_comes_from(answer):
    assert answer.baseline_policy.name == "safe-harbor-paper"
    assert answer.provenance.notes[0].startswith("population: us-2010")
