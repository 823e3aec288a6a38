"""What 'lists' writes is whole, or one line says that it is not."""

import os
import resource
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli
from policy_sim.voter_lists.files import FICTIONAL, read_state_files

PROGRAM = ("-u", "-c", "from policy_sim.cli.main import main; main()")
FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.is_char_device(), reason="no /dev/full here")


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    given = {name: value for name, value in os.environ.items() if name != "POLICY_SIM_DATABASE"}
    return given | {"POLICY_SIM_HOME": str(tmp_path_factory.mktemp("home"))}


def _run(environment, *arguments, limit=None, **streams):
    """Run unbuffered, with files of at most ``limit`` bytes: what a disk does that fills up half way."""

    def bound():
        if limit:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    command = [sys.executable, *PROGRAM, "lists", *map(str, arguments)]
    streams = {"stdout": subprocess.PIPE} | streams
    return subprocess.run(
        command, stderr=subprocess.PIPE, text=True, check=False, env=environment, preexec_fn=bound, **streams
    )


def _one_line(done):
    assert done.returncode not in (0, 1), done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert done.stderr.startswith("Error: ")


@pytest.mark.slow
@pytest.mark.parametrize("what", [("export",), ("export", "--format", "json")])
def test_a_disk_that_fills_up_half_way_is_told(what, environment, tmp_path):
    _run(environment, "build")  # the user's own database, before files are bound
    with (tmp_path / "out").open("wb") as out:
        _one_line(_run(environment, *what, limit=40_000, stdout=out))
    assert 0 < (tmp_path / "out").stat().st_size <= 40_000


@pytest.mark.slow
@needs_full
@pytest.mark.parametrize(
    "what", [("export",), ("export", "--format", "json"), ("export", "--format", "xlsx"), ("list",)]
)
def test_a_full_disk_is_told(what, environment):
    if what != ("list",):
        _one_line(_run(environment, *what, "--out", FULL))
        assert stat.S_ISCHR(FULL.stat().st_mode), "a device is written to, not replaced"
    if "xlsx" not in what:
        with FULL.open("wb") as out:
            _one_line(_run(environment, *what, stdout=out))


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "json", "xlsx"])
def test_a_file_that_does_not_fit_leaves_nothing(form, environment, tmp_path):
    _run(environment, "build")
    done = _run(environment, "export", "--format", form, "--out", tmp_path / "lists", limit=20_000)
    _one_line(done)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("what", [("export",), ("export", "--format", "xlsx")])
@pytest.mark.parametrize("name", ["file/page.md", "x" * 300, "folder", "none/page.md"])
def test_a_place_that_cannot_be_written_is_one_line(what, name, environment, tmp_path, monkeypatch):
    monkeypatch.setenv("POLICY_SIM_HOME", environment["POLICY_SIM_HOME"])
    monkeypatch.delenv("POLICY_SIM_DATABASE", raising=False)
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    before = sorted(tmp_path.rglob("*"))
    done = CliRunner().invoke(cli, ["lists", *what, "--out", str(tmp_path / name)])
    assert done.exit_code == 2, done.output
    assert len(done.stderr.strip().splitlines()) == 1
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.slow
def test_the_names_of_a_place_may_be_as_long_as_the_disk_allows(environment, tmp_path):
    path = tmp_path / ("x" * 251 + ".csv")
    assert _run(environment, "export", "--out", path).returncode == 0
    vintages = [key for state, lists in read_state_files().items() if state != FICTIONAL for key in lists]
    assert path.read_text(encoding="utf-8").count("\n") >= sum(key.isdigit() for key in vintages)


@pytest.mark.slow
def test_a_formula_in_an_answer_is_marked_in_csv(environment):
    query = "SELECT '=1+1' AS \"=name\", -5 AS n, '-5' AS word, '@x' AS at"
    done = _run(environment, "sql", query, "--format", "csv")
    assert done.stdout.splitlines() == ["'=name,n,word,at", "'=1+1,-5,-5,'@x"]
