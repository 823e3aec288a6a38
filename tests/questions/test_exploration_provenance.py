"""The notes and the manifest of a search of the lattice."""

import json

import pytest

from policy_sim import Study


@pytest.fixture(scope="module")
def searched():
    study = Study("us-2020")
    return study.explore(states="DE", rules="paper", keep=["sex"], in_file=0.1).provenance


def test_notes_say_what_was_searched(searched):
    notes = "\n".join(searched.notes)
    assert notes.startswith("population: us-2020: ")
    assert f"search: {searched.policies:,} policies per state" in notes
    assert "kept: policies that release at least gender+geography=state" in notes
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
