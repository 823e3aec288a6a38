"""A file is there whole or not at all; a checksum is that of the bytes."""

from __future__ import annotations

import hashlib
import os
import signal
import stat
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from policy_sim.files.writing import (
    HeldFolder,
    clear_of_killed_runs,
    private_folder,
    replace_file,
    replace_files,
    replace_folder,
    replaced,
    replaced_folder,
    sha256_of,
    spill_folder,
    sweep,
    writing_alone,
)
from policy_sim.records.engines.readable_file import open_engine
from policy_sim.words.errors import OutputError


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


def test_files_of_a_set_take_their_places_in_the_order_given_and_none_does_before_all_are_complete(tmp_path):
    """The second cannot take its place: the first, which it describes, already has."""
    (tmp_path / "manifest").mkdir()
    with pytest.raises(OutputError, match="manifest: cannot be written"):
        replace_files({tmp_path / "new" / "data": b"data", tmp_path / "manifest": b"facts"})
    with pytest.raises(OutputError, match="cannot be written"):
        replace_files(
            {tmp_path / "new" / "data": b"newer", tmp_path / "new" / "data" / "below": b"a file is no folder"}
        )
    assert (tmp_path / "new" / "data").read_bytes() == b"data"
    assert not [path for path in tmp_path.rglob("*") if path.name.endswith(".part")]


def test_a_folder_of_folders_takes_the_place_of_an_earlier_one_whole(tmp_path):
    out = tmp_path / "site"
    replace_folder(out, {"index": b"old", "old": b""})
    replace_folder(out, {"index": b"new", "states/oh": b"Ohio"})
    assert {path.relative_to(out).as_posix() for path in out.rglob("*")} == {"index", "states", "states/oh"}
    with pytest.raises(OutputError, match="cannot be written"):
        replace_folder(out, {"index": b"newer", "index/oh": b"a file is no folder"})
    with pytest.raises(FileNotFoundError), replaced_folder(out) as draft:
        draft.rmdir()  # the new one cannot take its place, so the earlier one comes back
    assert (out / "index").read_bytes() == b"new"
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_checksum_is_of_bytes_and_files_one_after_the_other(tmp_path):
    path = tmp_path / "large"
    path.write_bytes(b"ab" * (1 << 20))
    assert sha256_of(path) == hashlib.sha256(path.read_bytes()).hexdigest()
    assert sha256_of(b"x", path, b"y") == hashlib.sha256(b"x" + path.read_bytes() + b"y").hexdigest()
    assert sha256_of() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "FIPS 180-4, of no bytes"


# Folders of a run: private, gone with the run, and swept by the next where the run was killed.


_HOLD = """
import sys, pathlib
from policy_sim.files.writing import HeldFolder, spill_folder
held = spill_folder() if sys.argv[1] == "spill" else HeldFolder(pathlib.Path(sys.argv[1]), ".out-")
(held.path / "values").write_text("Schmidt")
print(held.path, flush=True)
sys.stdin.read()
"""


def _held_by_another(what, tmp_path):
    """Another process that holds a folder with a value in it."""
    run = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(what)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    )
    return run, Path(run.stdout.readline().strip())


def _kill(run):
    run.send_signal(signal.SIGKILL)
    run.communicate()


def _left_in(parent, prefix):
    """A folder as a run leaves it that was killed together with the process that waits for its end."""
    parent.mkdir(mode=0o700, exist_ok=True)
    left = Path(tempfile.mkdtemp(prefix=prefix, suffix=".policy-sim-run", dir=parent))
    (left / "values").write_text("Schmidt")
    return left


def test_what_a_killed_run_spilled_is_removed_by_the_next_run(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    living, theirs = _held_by_another("spill", tmp_path)
    left = _left_in(theirs.parent, "spill-")
    with open_engine(memory="100MB"):
        assert not left.exists()
        assert (theirs / "values").exists()
        held = [path for path in theirs.parent.iterdir() if path != theirs]
        assert [stat.S_IMODE(path.stat().st_mode) for path in (theirs.parent, *held)] == [0o700, 0o700]
    _kill(living)
    spill_folder().close()
    assert list(tmp_path.iterdir()) == []


def test_a_hidden_folder_of_a_killed_writer_is_swept_and_nothing_else(tmp_path):
    _left_in(tmp_path, ".out-")
    living, theirs = _held_by_another(tmp_path, tmp_path)
    others = [tmp_path / name for name in (".out-mine", ".out-abcdefgh", ".other-abcdefgh.policy-sim-run")]
    for path in others:
        path.mkdir()
    held = HeldFolder(tmp_path, ".out-")
    assert set(tmp_path.iterdir()) == {theirs, held.path, *others}
    held.close()
    _kill(living)
    sweep(tmp_path, ".out-")
    assert set(tmp_path.iterdir()) == set(others)


def test_a_place_of_somebody_else_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / f"policy-sim-{os.getuid()}").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OutputError, match=r"belongs to another user\. Set TMPDIR") as caught:
        spill_folder()
    assert "\n" not in str(caught.value)


def test_a_place_that_others_may_read_is_closed_to_them(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    place = tmp_path / f"policy-sim-{os.getuid()}"
    place.mkdir(mode=0o755)
    held = spill_folder()
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    held.close()


_WRITE = """
import sys, pathlib
from policy_sim.files.writing import writing_alone
with writing_alone(pathlib.Path(sys.argv[1])):
    print("writing", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("name", ["out", "o" * 200])
@pytest.mark.parametrize("there", [True, False])
def test_a_second_run_that_writes_the_same_place_is_refused_while_the_first_runs(tmp_path, name, there):
    out = tmp_path / name
    if there:
        out.mkdir()
    first = subprocess.Popen(
        [sys.executable, "-c", _WRITE, str(out)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert first.stdout.readline() == "writing\n"
    out.mkdir(exist_ok=True)  # as the first does when it is nearly done
    with pytest.raises(OutputError, match="another run of policy-sim is writing there"), writing_alone(out):
        pass
    with writing_alone(tmp_path / f"{name}2"):  # a name that begins alike is another place
        pass
    first.communicate()
    with writing_alone(out), writing_alone(out), ThreadPoolExecutor(1) as other:
        assert len(list(out.iterdir())) == 1
        with pytest.raises(OutputError, match="another run"):  # a thread is a run of its own
            other.submit(writing_alone(out).__enter__).result()
    assert list(tmp_path.iterdir()) == [out]
    assert list(out.iterdir()) == []


def test_what_a_killed_run_left_of_a_folder_or_file_is_cleared_but_not_what_a_live_one_writes(tmp_path):
    """The names are those that a killed run leaves; what a user has with a like name stays."""
    out, project = tmp_path / "released", tmp_path / "release.toml"
    for folder in (out / "send", out / "keep"):
        folder.mkdir(parents=True)
    left = [
        *(tmp_path / ".released-abcdefgh.policy-sim-run", out / "send" / ".week1-abcdefgh.policy-sim-run"),
        *(out / "keep" / ".proof.json-0123abcd.part", tmp_path / ".release.toml-0123abcd.part"),
    ]
    kept = [out / "send" / "week0.csv", tmp_path / ".other.toml-0123abcd.part", tmp_path / ".released-old", project]
    for path in (*left, *kept):
        path.mkdir() if path.suffix == ".policy-sim-run" else path.write_text("a")
    with writing_alone(out):
        clear_of_killed_runs(out)
        assert all(path.exists() for path in left[1:])
    clear_of_killed_runs(out)
    clear_of_killed_runs(project)
    assert [path.name for path in left if path.exists()] == []
    assert [path.name for path in kept if not path.exists()] == []


def test_a_private_folder_sweeps_those_of_every_kind(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with closing(private_folder("app-")) as live:
        place = live.path.parent
        (place / "spill-abcdefgh.policy-sim-run").mkdir()
        with closing(private_folder("other-")):
            assert sorted(path.name[:5] for path in place.iterdir()) == ["app-" + live.path.name[4], "other"]
    assert not place.exists()
