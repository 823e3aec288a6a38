"""The folder of a release appears whole or not at all, and the same project makes the same one."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from policy_sim.errors import InputError, NotEstimableError
from policy_sim.release import Release
from policy_sim.release.release_maker import results_of


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_same_project_gives_the_same_folder(release, tmp_path):
    release.run(tmp_path / "one")
    release.run(tmp_path / "two")
    for name in ("release.csv", "release.json", "dossier.html", "dossier.docx"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_the_key_is_in_its_own_file_and_nowhere_else(release, tmp_path):
    release.run(tmp_path / "out")
    key = (tmp_path / "release.key").read_text().strip()
    assert (tmp_path / "release.key").stat().st_mode & 0o777 == 0o600
    for path in tmp_path.rglob("*"):
        if path.is_file() and path.name != "release.key":
            content = path.read_bytes()
            assert key.encode() not in content
            assert bytes.fromhex(key) not in content


def test_a_failed_run_writes_nothing_and_names_no_value(release, tmp_path):
    release.set("settings", key_file="release.key", limit=0.0)
    release.classify("birth_date", "key", "known", kind="birth_date", levels=["day"])
    with pytest.raises(NotEstimableError, match="no generalization meets the target"):
        release.run(tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


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
