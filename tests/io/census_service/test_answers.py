from __future__ import annotations

from dataclasses import replace

import pytest

from policy_sim.errors import SourceError
from policy_sim.io.census_service.answers import Answers, Question

ASKED = Question("PCT12A", 1, ("A1", "A2"), "county", "state:10")
ROWS = [{"A1": 5, "A2": 0, "state": "10", "county": code} for code in ("001", "003")]


@pytest.fixture
def answers(tmp_path):
    saved = Answers(tmp_path / "answers", "https://a.example")
    saved.put(ASKED, ROWS)
    return saved


def test_an_answer_comes_back_and_only_to_its_own_question(answers):
    assert answers.get(ASKED) == ROWS
    assert answers.get(replace(ASKED, variables=("A1",))) is None
    assert answers.get(replace(ASKED, place="tract")) is None
    assert answers.get(replace(ASKED, part=2)) is None
    assert replace(answers, address="https://b.example").get(ASKED) is None


def test_half_an_answer_is_none(answers):
    (file,) = answers.folder.iterdir()
    whole = file.read_bytes()
    for content in (whole[: len(whole) // 2], b"", b"{}", whole[:-4] + b"0000"):
        file.write_bytes(content)
        assert answers.get(ASKED) is None


def test_rows_that_do_not_answer_are_not_saved(answers):
    with pytest.raises(SourceError, match="row 1 has no count for A2"):
        answers.put(ASKED, [{"A1": 1, "state": "10", "county": "001"}])
    assert answers.get(ASKED) == ROWS


def test_the_day_is_that_of_the_last_answer_and_forgetting_leaves_nothing(answers):
    assert answers.retrieved([ASKED]).endswith("+00:00")
    answers.forget()
    assert answers.get(ASKED) is None
    assert not answers.folder.exists()


def test_questions_of_different_places_and_parts_have_different_files():
    asked = [replace(ASKED, part=part, within=within) for part in (1, 2) for within in ("", "state:10", "state:11")]
    assert len({question.name for question in asked}) == 6
