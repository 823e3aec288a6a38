"""Windows and macOS, as far as Linux can show: names of files, encodings, consoles, locks and process starts."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from small_people import run, written

from policy_sim.voter_lists.sql.database import read_address
from policy_sim.words.workers import worker_processes

ROOT = Path(__file__).resolve().parents[1]
_RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10))}
_FORBIDDEN = set('<>:"|?*\\') | {chr(code) for code in range(32)}


def bad_names(paths: list[str]) -> list[str]:
    """Return the paths that Windows refuses, and those that differ from another one in case alone."""
    folded: dict[str, str] = {}
    wrong = []
    for path in paths:
        parts = path.split("/")
        if any(
            set(part) & _FORBIDDEN or part.endswith((".", " ")) or part.split(".")[0].casefold() in _RESERVED
            for part in parts
        ):
            wrong.append(path)
        if folded.setdefault(path.casefold(), path) != path:
            wrong.append(path)
    return wrong


def test_bad_names_are_found():
    assert bad_names(["a/con.txt", "a/b?.csv", "a/B.csv", "a/b.csv", "end. /x", "fine.csv"]) == [
        "a/con.txt",
        "a/b?.csv",
        "a/b.csv",
        "end. /x",
    ]


def test_files_of_the_project_have_names_that_every_system_takes():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a clone")
    paths = listed.stdout.splitlines()
    assert bad_names(paths) == []
    assert max(map(len, paths)) < 120  # Windows allows 260 with the folders of the user before it


@pytest.mark.slow
def test_files_that_commands_write_have_names_that_every_system_takes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run("example", "visits.csv")
    run("dataset", "check", "visits.csv", "--write-mapping", "visits.toml")
    run("compare", "OH", "--population", written(tmp_path), "--out", "compared")
    run("brief", "OH", "--population", written(tmp_path), "--in-file", "5", "--out", "brief.html")
    run("release", "new", "visits.csv", "release.toml", "--mapping", "visits.toml", "--policy", "safe-harbor")
    run("release", "step", "release.toml", "--accept-guesses", "--by", "A")
    run("release", "run", "release.toml", "--out", "released")
    paths = [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")]
    assert len(paths) > 15
    assert bad_names(paths) == []


def _calls(tree: ast.AST) -> list[ast.Call]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


def test_every_text_file_is_opened_with_an_encoding():
    """Without one, Windows reads and writes the encoding of its region."""
    wrong = []
    for path in sorted((ROOT / "policy_sim").rglob("*.py")):
        for call in _calls(ast.parse(path.read_text(encoding="utf-8"))):
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            named = {keyword.arg for keyword in call.keywords}
            if name == "read_text" and not call.args and "encoding" not in named:
                wrong.append(f"{path.name}:{call.lineno}")
            if name == "write_text" and len(call.args) < 2 and "encoding" not in named:
                wrong.append(f"{path.name}:{call.lineno}")
            mode = call.args[0] if name == "open" and isinstance(call.func, ast.Attribute) and call.args else None
            text = isinstance(mode, ast.Constant) and isinstance(mode.value, str) and set(mode.value) <= set("rwax+")
            if text and "encoding" not in named:
                wrong.append(f"{path.name}:{call.lineno}")
    assert wrong == []


# Each argument is a command; one process runs them all, as a new one takes seconds to start.
_EACH = """
from policy_sim.cli.main import cli
for command in sys.argv[1:]:
    try:
        cli(command.split())
    except SystemExit as ended:
        if ended.code:
            raise
    print("END OF COMMAND")
"""
TEXTS = (
    "compare OH",
    "lists show OH",
    "table rules show cms-11",
    "policy show safe-harbor",
    "model explain OH",
    "--help",
)


@pytest.mark.slow
def test_a_console_of_windows_1252_gets_every_text():
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    done = subprocess.run(
        [sys.executable, "-c", f"import sys{_EACH}", *TEXTS], env=environment, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode("cp1252")
    texts = done.stdout.decode("cp1252").split("END OF COMMAND")
    assert [bool(text.strip()) for text in texts] == [*(True for _ in TEXTS), False]


@pytest.mark.slow
def test_files_are_written_where_the_system_has_no_file_locks(tmp_path):
    words = [sys.executable, "-c", f"import sys; sys.modules['fcntl'] = None{_EACH}"]
    typed = ["example visits.csv", "dataset check visits.csv", f"compare OH --population {written(tmp_path)} --out out"]
    done = subprocess.run([*words, *typed], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "manifest.json").is_file()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "made.csv",
        "out",
        "visits.csv",
    ]  # nothing hidden is left


@pytest.mark.parametrize("path", [r"C:\Users\me\lists.sqlite", "C:/Users/me/lists.sqlite", r"\\server\share\lists.db"])
def test_a_drive_letter_is_no_address(path):
    assert read_address(path).get_backend_name() == "sqlite"
    assert read_address(path).database == path


def test_processes_start_from_a_clean_interpreter():
    """Windows and macOS cannot fork, so no system does here."""
    with worker_processes(1) as pool:
        assert pool.submit(os.getpid).result() != os.getpid()
        assert pool._mp_context.get_start_method() == "spawn"
