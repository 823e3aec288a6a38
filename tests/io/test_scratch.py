"""Folders of a run: private, gone with the run, and swept by the next where the run was killed."""

import os
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from policy_sim.errors import OutputError
from policy_sim.io.engine.opening import open_engine
from policy_sim.io.scratch import HeldFolder, spill_folder, sweep, writing_alone

_HOLD = """
import sys, pathlib
from policy_sim.io.scratch import HeldFolder, spill_folder
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
from policy_sim.io.scratch import writing_alone
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
    with writing_alone(out), writing_alone(out):
        assert len(list(out.iterdir())) == 1
    assert list(tmp_path.iterdir()) == [out]
    assert list(out.iterdir()) == []
