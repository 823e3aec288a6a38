from __future__ import annotations

import os

from policy_sim.files.paths import cache_dir, data_dir, kind_of, user_data_dir, voter_policies_dir
from policy_sim.words.states import STATES


def test_shipped_folders_hold_what_they_are_for():
    assert (data_dir() / "manifest.toml").is_file()
    assert all((voter_policies_dir() / f"{state.lower()}.toml").is_file() for state in STATES if state != "PR")


def test_the_environment_moves_the_users_folder_and_the_cache_in_it(tmp_path, monkeypatch):
    monkeypatch.setenv("POLICY_SIM_HOME", str(tmp_path))
    assert user_data_dir() == tmp_path
    assert cache_dir().parent == tmp_path
    monkeypatch.setenv("POLICY_SIM_HOME", "")
    assert user_data_dir() != tmp_path
    assert user_data_dir().name == "policy_sim"


def test_what_lies_at_a_path(tmp_path):
    file, pipe = tmp_path / "a", tmp_path / "b"
    file.touch()
    os.mkfifo(pipe)
    assert [kind_of(path) for path in (file, tmp_path, pipe, tmp_path / "c")] == ["file", "folder", "other", ""]


def test_a_name_that_no_file_can_have_is_nothing(tmp_path):
    assert kind_of(tmp_path / ("x" * 300)) == ""
    assert kind_of(tmp_path / "a\0b") == ""
