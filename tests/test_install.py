"""`.ci/install`: uv where it can follow pip's settings, pip in every other case.

uv and Python are scripts here that write down how they are called: the script under test is the shell's.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BASH = shutil.which("bash")

from_a_checkout = pytest.mark.skipif(BASH is None or not (ROOT / ".ci").is_dir(), reason="needs bash and the checkout")

PYTHON = """#!/bin/sh
echo "python $*" >> "$LOG"
case "$*" in
  "-m pip config list") printf '%s' "$PIP_SETTINGS" ;;
  "-m venv"*) mkdir -p .venv/bin; cp "$0" .venv/bin/python ;;
esac
"""
UV = """#!/bin/sh
echo "uv $* SSL_CERT_FILE=$SSL_CERT_FILE" >> "$LOG"
exit $UV_ENDS_WITH
"""


def _installed(folder: Path, settings: str = "", uv_ends_with: int = 0) -> list[str]:
    """Run the script in a folder of its own, and return the calls that it made."""
    (folder / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "install", folder / ".ci" / "install")
    tools = folder / "tools"
    tools.mkdir()
    for name, text in (("python3", PYTHON), ("uv", UV)):
        (tools / name).write_text(text)
        (tools / name).chmod(stat.S_IRWXU)
    log = folder / "log"
    environment = {
        "PATH": f"{tools}{os.pathsep}/usr/bin{os.pathsep}/bin",
        "LOG": str(log),
        "PIP_SETTINGS": settings,
        "UV_ENDS_WITH": str(uv_ends_with),
    }
    done = subprocess.run([str(BASH), ".ci/install", "spark"], cwd=folder, env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr
    return log.read_text().splitlines()


def _of(calls: list[str], start: str) -> list[str]:
    return [call for call in calls if call.startswith(start)]


@from_a_checkout
def test_uv_looks_where_pip_looks(tmp_path):
    settings = (
        "global.index-url='https://mirror.example/simple'\n"
        "global.extra-index-url='file:///one file:///two'\n"
        "install.find-links='/wheels'\n"
        "global.constraint='/etc/pip/a.txt /etc/pip/b.txt'\n"
        "global.cert='/etc/own.crt'\n"
    )
    (call,) = _of(_installed(tmp_path, settings), "uv")
    assert "--default-index https://mirror.example/simple" in call
    assert "--index file:///one --index file:///two" in call
    assert "--find-links /wheels" in call
    assert "--constraints /etc/pip/a.txt --constraints /etc/pip/b.txt" in call
    assert "-e .[spark]" in call
    assert call.endswith("SSL_CERT_FILE=/etc/own.crt")


@from_a_checkout
def test_pip_installs_nothing_where_uv_did(tmp_path):
    assert not _of(_installed(tmp_path), "python -m pip install")


@from_a_checkout
@pytest.mark.parametrize("setting", ["global.proxy='http://proxy:3128'", "global.trusted-host='mirror'"])
def test_pip_does_the_work_where_uv_could_not_follow_its_settings(tmp_path, setting):
    calls = _installed(tmp_path, setting + "\n")
    assert not _of(calls, "uv")
    (call,) = _of(calls, "python -m pip install")
    assert call.endswith("-e .[spark]")


@from_a_checkout
def test_pip_does_the_work_where_uv_fails(tmp_path):
    calls = _installed(tmp_path, uv_ends_with=1)
    assert len(_of(calls, "uv")) == 1
    assert len(_of(calls, "python -m pip install")) == 1
    assert _of(calls, "python -m compileall")  # in either case


# The wheel carries what ships, and runs from there.


@pytest.fixture(scope="module")
def unpacked(root, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=root, check=True, capture_output=True)
    wheel = next(folder.glob("*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


@pytest.mark.slow
def test_every_shipped_file_is_in_it(root, unpacked):
    for name in ("data", "voter_policies"):
        tracked = subprocess.run(
            ["git", "ls-files", name], cwd=root, check=True, capture_output=True, text=True
        ).stdout.split()
        assert tracked
        for path in tracked:
            assert (unpacked / "policy_sim" / "_shipped" / path).read_bytes() == (root / path).read_bytes()
    assert (unpacked / "policy_sim" / "py.typed").exists()


def test_what_pages_are_made_of_is_in_it(root, unpacked):
    tracked = subprocess.run(["git", "ls-files", "policy_sim"], cwd=root, check=True, capture_output=True, text=True)
    of_pages = [name for name in tracked.stdout.split() if not name.endswith(".py")]
    assert {"policy_sim/explorer/page.html", "policy_sim/atlas/atlas.css", "policy_sim/atlas/atlas.js"} <= set(of_pages)
    assert [name for name in of_pages if not (unpacked / name).is_file()] == []


def test_no_shipped_file_is_over_five_megabytes(root):
    sizes = {path: path.stat().st_size for path in (root / "data").rglob("*") if path.is_file()}
    assert max(sizes.values()) < 5_000_000


@pytest.mark.slow
def test_it_answers_from_there(unpacked, tmp_path):
    code = (
        "import policy_sim, sys; assert policy_sim.__file__.startswith(sys.argv.pop(1));"
        "from policy_sim.cli.main import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(unpacked), "cost", "--state", "WV", "--as", "benitez-malin-2010"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(unpacked)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "$309" in done.stdout


# What a workflow runs is there.


def _workflows(root):
    yaml = pytest.importorskip("yaml")
    files = sorted((root / ".github" / "workflows").glob("*.yml"))
    return {path.name: yaml.safe_load(path.read_text(encoding="utf-8")) for path in files}


@from_a_checkout
def test_every_file_and_target_of_a_workflow_is_there(root):
    workflows = _workflows(root)
    assert set(workflows) == {"ci.yml", "release.yml"}
    targets = set(re.findall(r"^([a-z]+):", (root / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    run = [
        step["run"]
        for flow in workflows.values()
        for job in flow["jobs"].values()
        for step in job["steps"]
        if "run" in step
    ]
    named = [word for line in run for word in line.split() if re.fullmatch(r"(\.ci|docs)/\S+|\S+\.md", word)]
    assert {".ci/run", ".ci/first_day.py", "README.md"} <= set(named)
    assert [name for name in named if not (root / name).is_file()] == []
    made = {target for line in run for target in re.findall(r"\bmake (\w+)", line)}
    assert made == {"release"}
    assert made <= targets


@from_a_checkout
def test_no_workflow_publishes_or_may_write(root):
    for name, flow in _workflows(root).items():
        assert flow["permissions"] == {"contents": "read"}, name
        assert not any("permissions" in job for job in flow["jobs"].values()), name


@from_a_checkout
def test_the_workflows_try_each_python_that_the_project_names(root):
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {line.rpartition(" ")[2] for line in project["classifiers"] if re.search(r":: 3\.\d+$", line)}
    flows = _workflows(root)
    assert set(flows["ci.yml"]["jobs"]["test"]["strategy"]["matrix"]["python"]) == named
    setup = next(
        step for step in flows["release.yml"]["jobs"]["build"]["steps"] if "setup-python" in step.get("uses", "")
    )
    assert set(setup["with"]["python-version"].split()) == named
