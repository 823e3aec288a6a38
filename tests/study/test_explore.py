"""Every policy of the lattice, and release checks of one, on people counted by hand."""

from __future__ import annotations

import json

import pytest
from small_people import BY_COUNTY, small

from policy_sim import Measure, Study
from policy_sim.study.explore import ExplorationAnswer
from policy_sim.words.errors import UnknownNameError


@pytest.fixture(scope="module")
def study():
    return Study(small(), 2026)


def test_each_way_to_name_a_measure_is_the_same(study):
    frames = [study.explore("OH", risk=risk).to_frame() for risk in ("distinct_7", "7-distinct", Measure.distinct(7))]
    assert all(frame.equals(frames[0]) for frame in frames[1:])


def test_needs_leave_policies_out(study):
    assert study.explore("OH", keep="sex").to_frame()["policy"].str.contains("gender").all()
    both = study.explore("OH", keep=["sex", "geography=county"]).to_frame()["policy"]
    assert both.str.contains("gender").all()
    assert both.str.contains("county").all()


def test_checks_are_named_and_withhold_no_more_than_there_are(study):
    answer = study.check_release(BY_COUNTY, "OH")
    rows = answer.to_frame()
    assert (answer.title, set(rows["state"])) == ("Release checks", {"OH"})
    assert rows["check"].is_unique
    assert len(rows) >= 2


# A search of the lattice: what it marks, what it draws, and states it does not have.


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


# The notes and the manifest of a search of the lattice.


@pytest.fixture(scope="module")
def searched():
    study = Study("us-2020")
    return study.explore(states="DE", rules="paper", keep=["sex"], in_file=0.1).provenance


@pytest.mark.slow
def test_notes_say_what_was_searched(searched):
    notes = "\n".join(searched.notes)
    assert notes.startswith("population: us-2020: ")
    assert f"search: {searched.policies:,} policies per state" in notes
    assert "kept: policies that release at least sex+geography=state" in notes
    assert "in the file: " in notes
    assert "utility: entropy" in notes


def test_the_manifest_holds_every_option_and_no_clock(searched):
    manifest = searched.manifest()
    options = manifest["options"]
    assert (options["states"], options["in_file"], options["seed"]) == (["DE"], 0.1, None)
    assert options["keep"] == "gender+geography=state"
    assert manifest["inputs"] == {"population us-2020": searched.study.people.provenance.sha256}
    assert manifest["notes"] == searched.notes
    assert json.dumps(manifest) == json.dumps(searched.manifest())
