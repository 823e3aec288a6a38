"""The folder of a release appears whole or not at all, and the same project makes the same one."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from policy_sim.release import Release
from policy_sim.release.maker import (
    FIGURES,
    check_free,
    figures_text,
    held_beside,
    put_in_place,
    read_figures,
    results_of,
)
from policy_sim.words.errors import InputError, NotEstimableError, OutputError, SourceError


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.slow
def test_the_same_project_gives_the_same_folder(release, tmp_path):
    release.run(tmp_path / "one")
    release.run(tmp_path / "two")
    for name in ("release.csv", "release.json", "dossier.html", "dossier.docx"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@pytest.mark.slow
def test_the_key_is_in_its_own_file_and_nowhere_else(release, tmp_path):
    release.run(tmp_path / "out")
    key = (tmp_path / "release.key").read_text().strip()
    assert (tmp_path / "release.key").stat().st_mode & 0o777 == 0o600
    for path in tmp_path.rglob("*"):
        if path.is_file() and path.name != "release.key":
            content = path.read_bytes()
            assert key.encode() not in content
            assert bytes.fromhex(key) not in content


@pytest.mark.slow
def test_a_failed_run_writes_nothing_and_names_no_value(release, tmp_path):
    release.set("settings", key_file="release.key", limit=0.0)
    release.classify("birth_date", "key", "known", kind="birth_date", levels=["day"])
    with pytest.raises(NotEstimableError, match="no generalization meets the target"):
        release.run(tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


@pytest.mark.slow
def test_an_earlier_release_stays_until_the_new_one_is_whole(release, tmp_path):
    release.run(tmp_path / "out")
    before = sha256(tmp_path / "out" / "release.csv")
    release.classify("birth_date", "key", "known", kind="birth_date", levels=["day"])
    with pytest.raises(NotEstimableError):
        release.run(tmp_path / "out")
    assert sha256(tmp_path / "out" / "release.csv") == before


KILLED = """
import sys
from policy_sim.release import Release
while True:
    Release(sys.argv[1]).run(sys.argv[2], progress=lambda step: print(step, flush=True))
"""


@pytest.mark.slow
def test_killed_at_any_moment_there_is_a_whole_release_or_none(plain, tmp_path):
    out = tmp_path / "out"
    for steps in (1, 4, 6, 25, 60, 150):
        child = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(plain.path), str(out)],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        )
        for _ in range(steps):
            child.stdout.readline()
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
        Release(plain.path)  # the project file is whole
        if out.exists():
            figures = json.loads((out / "release.json").read_text())
            assert figures["output"]["sha256"] == sha256(out / "release.csv")
            assert {path.name for path in out.iterdir()} >= {"dossier.html", "dossier.docx", "project.toml"}


@pytest.mark.slow
def test_nothing_but_a_release_is_replaced(plain, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="contains something other than a release"):
        plain.run(tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine.txt"]


def test_the_project_keeps_checksums_and_the_verdict_of_its_thresholds_where_there_is_one():
    figures = {
        "input": {"sha256": "a"},
        "output": {"sha256": "b", "rows": 4},
        "aim": "11 per class",
        "assessment": None,
    }
    kept = {"folder": "out", "input_sha256": "a", "output_sha256": "b", "rows": 4}
    assert results_of(figures, Path("some/out")) == kept | {"verdict": "conforms: 11 per class"}
    judged = figures | {"assessment": {"after": {"why": "smallest class 12, at least 11"}}}
    assert results_of(judged, Path("out")) == kept | {"verdict": "smallest class 12, at least 11"}


@pytest.mark.slow
def test_a_key_file_that_a_link_leads_elsewhere_is_refused(plain, tmp_path, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (plain.path.parent / "release.key").symlink_to(elsewhere / "stolen.key")
    plain.classify("mrn", "direct", "an identifier", treatment="pseudonym")
    plain.set("settings", key_file="release.key")
    with pytest.raises(InputError, match="leaves the folder of the project"):
        plain.run(tmp_path / "out")
    assert list(elsewhere.iterdir()) == []


_LIMITED = """
import resource, sys
from policy_sim.words.errors import OutputError
from policy_sim.release import Release
release = Release(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), resource.RLIM_INFINITY))
try:
    release.run(sys.argv[2])
except OutputError as error:
    print(error)
"""


@pytest.mark.slow
@pytest.mark.parametrize("most", [1_000, 12_000, 30_000])
def test_without_room_the_message_names_the_folder_of_the_release_and_not_the_hidden_one(plain, tmp_path, most):
    """No file may be larger than so many bytes: the released file, its figures or the dossier fails to be written."""
    out = tmp_path / "out"
    done = subprocess.run(
        [sys.executable, "-c", _LIMITED, str(plain.path), str(out), str(most)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith(str(out)), done.stderr
    assert "policy-sim-run" not in done.stdout
    assert done.stdout.count("\n") == 1
    assert not out.exists()


_RUNS = """
import sys
from policy_sim.release import Release
def step(text):
    print(text, flush=True)
    sys.stdin.readline()
Release(sys.argv[1]).run(sys.argv[2], progress=step)
"""


@pytest.mark.slow
def test_a_second_run_into_the_same_folder_is_refused_while_the_first_runs(plain, tmp_path):
    out = tmp_path / "out"
    first = subprocess.Popen(
        [sys.executable, "-c", _RUNS, str(plain.path), str(out)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    first.stdout.readline()
    with pytest.raises(OutputError, match="another run of policy-sim is writing there") as caught:
        plain.run(out)
    assert "\n" not in str(caught.value)
    first.communicate("\n" * 1000)
    assert first.returncode == 0
    assert (out / "dossier.html").exists()
    plain.run(out)


# The folder of a release: nothing of another is overwritten, and an earlier one comes back if the new one fails.


def _release(folder, sha="ab"):
    folder.mkdir(parents=True)
    (folder / FIGURES).write_text(figures_text({"output": {"sha256": sha}}))
    return folder


def test_a_folder_of_something_else_is_not_free(tmp_path):
    check_free(tmp_path / "none")
    (tmp_path / "empty").mkdir()
    check_free(tmp_path / "empty")
    check_free(_release(tmp_path / "earlier"))
    (tmp_path / "empty" / "mine.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for taken in ("empty", "file"):
        with pytest.raises(InputError, match="other than a release"):
            check_free(tmp_path / taken)


def test_the_new_folder_takes_the_place_of_the_earlier_one(tmp_path):
    out = _release(tmp_path / "out", "old")
    held = held_beside(out)
    work = _release(held.path / "release", "new")
    put_in_place(work, out, held.path)
    held.close()
    assert read_figures(out)["output"]["sha256"] == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_an_earlier_release_comes_back_where_the_new_one_cannot_take_its_place(tmp_path):
    out = _release(tmp_path / "out", "old")
    held = held_beside(out)
    with pytest.raises(OSError, match="No such file"):
        put_in_place(held.path / "nowhere", out, held.path)
    held.close()
    assert read_figures(out)["output"]["sha256"] == "old"


def test_numbers_of_numpy_are_written_and_other_things_are_not():
    text = figures_text({"one": np.int64(1), "share": np.float64(0.5), "yes": np.bool_(True)})
    assert json.loads(text) == {"one": 1, "share": 0.5, "yes": True}
    with pytest.raises(TypeError, match="has no place"):
        figures_text({"path": object()})


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"output": 1}', "[" * 100_000])
def test_damaged_figures_are_no_release(tmp_path, text):
    (tmp_path / FIGURES).write_text(text)
    with pytest.raises(SourceError, match=r"no release\.json of a release"):
        read_figures(tmp_path)
