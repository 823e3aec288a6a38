"""A file is there whole or not at all; a checksum is that of the bytes."""

from __future__ import annotations

import hashlib

import pytest

from policy_sim.errors import OutputError
from policy_sim.io.files import replace_file, replace_files, replaced, sha256_of


def test_a_file_takes_its_place_only_when_it_is_complete(tmp_path):
    path = tmp_path / "made.txt"
    path.write_text("old")
    with replaced(path) as draft:
        draft.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_two_drafts_of_one_file_do_not_meet(tmp_path):
    path = tmp_path / "made.txt"
    with replaced(path) as first, replaced(path) as second:
        first.write_text("first")
        second.write_text("second")
    assert path.read_text() == "first", "the outer block ends last"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("failure", [ValueError("not ours"), KeyboardInterrupt()])
def test_whatever_stops_the_writing_leaves_the_old_file(tmp_path, failure):
    path = tmp_path / "made.txt"
    path.write_text("old")
    with pytest.raises(type(failure)), replaced(path) as draft:  # noqa: PT012
        draft.write_text("half")
        raise failure
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_in_the_way_is_one_line_that_names_it(tmp_path):
    (tmp_path / "made.txt").mkdir()
    with pytest.raises(OutputError, match=r"made\.txt: cannot be written \(Is a directory\)\.$"):
        replace_file(tmp_path / "made.txt", b"new")


def test_a_long_name_leaves_room_for_the_draft(tmp_path):
    path = tmp_path / f"{'n' * 250}.txt"
    replace_file(path, b"whole")
    assert path.read_bytes() == b"whole"


def test_files_of_a_set_take_their_places_in_the_order_given(tmp_path):
    """The second cannot take its place: the first, which it describes, already has."""
    (tmp_path / "manifest").mkdir()
    with pytest.raises(OutputError, match="manifest: cannot be written"):
        replace_files({tmp_path / "new" / "data": b"data", tmp_path / "manifest": b"facts"})
    assert (tmp_path / "new" / "data").read_bytes() == b"data"
    assert not [path for path in tmp_path.rglob("*") if path.name.endswith(".part")]


def test_a_checksum_is_of_bytes_and_files_one_after_the_other(tmp_path):
    path = tmp_path / "large"
    path.write_bytes(b"ab" * (1 << 20))
    assert sha256_of(path) == hashlib.sha256(path.read_bytes()).hexdigest()
    assert sha256_of(b"x", path, b"y") == hashlib.sha256(b"x" + path.read_bytes() + b"y").hexdigest()
    assert sha256_of() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "FIPS 180-4, of no bytes"
