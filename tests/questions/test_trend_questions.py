"""Trends through the door."""

import pytest

from policy_sim.errors import InputError
from policy_sim.questions.trend_questions import trends


def test_two_moments_in_one_state():
    answer = trends([("us-2000", "2008"), ("us-2020", "2026")], states="OH")
    assert answer.to_frame()["moment"].tolist() == ["us-2000 2008", "us-2020 2026"]
    assert len(answer.changes) == 1
    assert any("PLoS ONE" in note for note in answer.provenance.notes)
    assert len(answer.plot().axes) == 2


def test_one_moment_is_no_trend():
    with pytest.raises(InputError, match="two or more"):
        trends([("us-2000", "2008")])


def test_the_lists_of_each_time_are_named():
    answer = trends([("us-2010", "2008"), ("us-2010", "2026")], states="OH")
    notes = [note for note in answer.provenance.notes if note.startswith("voter lists")]
    assert notes == ["voter lists: vintage 2008", "voter lists: vintage 2026"]
    manifest = answer.provenance.manifest()
    assert manifest["options"]["lists"] == ["2008", "2026"]
    assert {"voter lists 2008", "voter lists 2026"} <= set(manifest["inputs"])
