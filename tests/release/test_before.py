"""Files that the version before wrote are read: a project, a mapping, a policy and a resource."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from small_people import run

BEFORE = Path(__file__).parent / "before"


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A folder with the files as they were written then."""
    shutil.copytree(BEFORE, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_a_project_runs(kept):
    assert "MET" in run("release", "run", "release.toml", "--out", "released").output
    assert (kept / "released" / "send" / "release.csv").is_file()


def test_a_mapping_names_the_columns(kept):
    assert (
        "key fields: age, sex, zip5"
        in run("dataset", "profile", "visits.csv", "--fields", "age,sex,zip5", "--mapping", "mapping.toml").output
    )


def test_a_policy_and_a_resource_are_valid(kept):
    assert "policy.toml is a valid policy" in run("policy", "check", "policy.toml").output
    assert "Sources" in run("lists", "resources", "show", "resource.toml").output
