"""A folder with one file per state: its files, their errors, and whether it changed."""

import os

import pytest

from policy_sim.files.toml import folder_digest, folder_files, folder_state, read_state_file, state_of_file
from policy_sim.words.errors import SourceError


@pytest.fixture
def folder(tmp_path):
    for name in ("oh.toml", "az.toml", "_shared.toml"):
        (tmp_path / name).write_text("a = 1\n")
    (tmp_path / "README.md").write_text("no list")
    return tmp_path


def test_files_are_sorted_and_others_are_left(folder):
    assert [path.name for path in folder_files(folder, "voter-list")] == ["_shared.toml", "az.toml", "oh.toml"]
    with pytest.raises(SourceError, match="no such folder of voter-list files"):
        folder_files(folder / "nowhere", "voter-list")


@pytest.mark.parametrize(
    ("name", "state"), [("oh", "OH"), ("dc", "DC"), ("xx", "XX"), ("OH", ""), ("ohio", ""), ("us", "")]
)
def test_a_file_is_named_by_its_state(folder, name, state):
    problems = []
    assert state_of_file(folder / f"{name}.toml", problems, also=("XX",)) == state
    assert bool(problems) != bool(state)


@pytest.mark.parametrize(("content", "message"), [(b"\xff", "not text in UTF-8"), (b"a = = 1", "Compare with t.toml")])
def test_a_broken_file_is_a_problem_and_no_error(folder, content, message):
    (folder / "oh.toml").write_bytes(content)
    problems = []
    assert read_state_file(folder / "oh.toml", problems, "t.toml") is None
    assert message in problems[0]
    with pytest.raises(SourceError, match="cannot be read"):
        read_state_file(folder / "nowhere.toml", problems, "t.toml")


def test_the_digest_is_of_names_and_contents_and_not_of_times(folder):
    paths = folder_files(folder, "voter-list")
    before, state = folder_digest(paths), folder_state(paths)
    os.utime(paths[0], ns=(1, 1))
    assert folder_digest(paths) == before
    assert folder_state(paths) != state
    paths[0].rename(folder / "_other.toml")
    assert folder_digest(folder_files(folder, "voter-list")) != before
