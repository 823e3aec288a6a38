"""Which files a command on voter lists reads, and how it writes one."""

from contextlib import suppress
from pathlib import Path

import pytest

from policy_sim.cli.lists_files import checked_files, written_beside
from policy_sim.files.paths import voter_policies_dir
from policy_sim.words.errors import InputError, OutputError, UnknownNameError


def test_nothing_named_is_the_whole_shipped_folder():
    assert checked_files(()) == {voter_policies_dir(): []}


def test_states_files_and_folders_go_together(tmp_path):
    mine = tmp_path / "mine.toml"
    mine.write_text("")
    found = checked_files(("Ohio", "wy", str(mine), str(tmp_path / ".")))
    assert found[voter_policies_dir()] == [voter_policies_dir() / "oh.toml", voter_policies_dir() / "wy.toml"]
    assert found[Path(str(tmp_path / "."))] == []  # a folder stands for every file in it


def test_what_is_neither_a_state_nor_a_file_is_refused(tmp_path):
    with pytest.raises(UnknownNameError):
        checked_files(("Atlantis",))
    with pytest.raises(InputError, match=r"absent\.toml"):
        checked_files((str(tmp_path / "absent.toml"),))


def test_a_file_takes_its_place_only_when_it_is_complete(tmp_path):
    out = tmp_path / "lists.csv"
    out.write_text("before")
    with suppress(ZeroDivisionError), written_beside(out) as path:
        path.write_text("half")
        raise ZeroDivisionError
    assert out.read_text() == "before"
    with written_beside(out) as path:
        path.write_text("whole")
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("lists.csv", "whole")]


def test_a_place_that_cannot_be_written_is_one_error(tmp_path):
    with pytest.raises(OutputError, match="--out"), written_beside(tmp_path / "absent" / "lists.csv") as path:
        path.write_text("x")


def test_a_device_is_written_to_itself():
    with written_beside(Path("/dev/null")) as path:
        assert path == Path("/dev/null")
