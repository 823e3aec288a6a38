"""`.ci/install`: uv where it can follow pip's settings, pip in every other case.

uv and Python are scripts here that write down how they are called: the script under test is the shell's.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BASH = shutil.which("bash")

pytestmark = pytest.mark.skipif(BASH is None or not (ROOT / ".ci").is_dir(), reason="needs bash and the checkout")

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
    done = subprocess.run([str(BASH), ".ci/install", "engine"], cwd=folder, env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr
    return log.read_text().splitlines()


def _of(calls: list[str], start: str) -> list[str]:
    return [call for call in calls if call.startswith(start)]


def test_uv_looks_where_pip_looks(tmp_path):
    settings = (
        "global.index-url='https://mirror.example/simple'\n"
        "global.extra-index-url='file:///one file:///two'\n"
        "install.find-links='/wheels'\n"
        "global.cert='/etc/own.crt'\n"
    )
    (call,) = _of(_installed(tmp_path, settings), "uv")
    assert "--default-index https://mirror.example/simple" in call
    assert "--index file:///one --index file:///two" in call
    assert "--find-links /wheels" in call
    assert "-e .[engine]" in call
    assert call.endswith("SSL_CERT_FILE=/etc/own.crt")


def test_pip_installs_nothing_where_uv_did(tmp_path):
    assert not _of(_installed(tmp_path), "python -m pip install")


@pytest.mark.parametrize("setting", ["global.proxy='http://proxy:3128'", "global.trusted-host='mirror'"])
def test_pip_does_the_work_where_uv_could_not_follow_its_settings(tmp_path, setting):
    calls = _installed(tmp_path, setting + "\n")
    assert not _of(calls, "uv")
    (call,) = _of(calls, "python -m pip install")
    assert call.endswith("-e .[engine]")


def test_pip_does_the_work_where_uv_fails(tmp_path):
    calls = _installed(tmp_path, uv_ends_with=1)
    assert len(_of(calls, "uv")) == 1
    assert len(_of(calls, "python -m pip install")) == 1
    assert _of(calls, "python -m compileall")  # in either case
