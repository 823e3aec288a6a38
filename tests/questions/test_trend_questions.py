"""Trends through the door."""

import pytest

from policy_sim import Study
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


def test_rules_and_coverage_are_those_of_compare():
    """Ohio 2026: 19.3% in the paper's form with everyone on the lists (19.4% of us-2022), 42.9% as `compare` has it."""
    at = [("us-2020", "2020"), ("us-2020", "2026")]
    for rules, coverage, stated in (("regulation", "registered", 0.429), ("paper", "everyone", 0.193)):
        rows = trends(at, states="OH", rules=rules, coverage=coverage).to_frame()
        study = Study("us-2020", lists=2026, coverage=coverage)
        (profile,) = study.compare("limited-dataset", "voter", "OH", 1, rules=rules).profiles
        assert rows["share"].iloc[-1] == pytest.approx(profile.share("total-risk").low, rel=1e-12)
        assert rows["share"].iloc[-1] == pytest.approx(stated, abs=5e-4)
    assert trends(at, states="OH").to_frame()["share"].iloc[-1] == pytest.approx(0.429, abs=5e-4)


def test_dates_without_zip_codes_are_all_measured_without_them():
    answer = trends([("us-2000", "2008"), ("us-2020", "2026")], states="OH")
    (profile,) = Study("us-2020", lists=2026).compare("limited-dataset", "voter", "OH", 1, rules="paper").profiles
    assert answer.to_frame()["share"].iloc[-1] == pytest.approx(profile.share("total-risk").low, rel=1e-12)
