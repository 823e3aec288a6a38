"""The command set as a whole."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from small_people import commands, run

from policy_sim.cli.main import _COMMANDS

ALL = list(commands())


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from policy_sim.cli.main import cli\n"
        "try: cli(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'pandas', 'matplotlib', 'scipy', 'sqlalchemy', 'geopandas', 'requests'} & set(sys.modules)\n"
        "sys.exit(', '.join(heavy) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name in _COMMANDS:
        assert name in done.stdout


@pytest.mark.parametrize(("path", "command"), ALL, ids=[" ".join(path) for path, _ in ALL])
def test_every_command_explains_itself_with_an_example(path, command):
    done = run(*path, "--help")
    if not isinstance(command, click.Group):
        assert f"policy-sim {' '.join(path)}" in done.output
        assert "Example" in done.output
        assert all(option.help for option in command.params if isinstance(option, click.Option))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("lists show OH", "lists show --state=OH"),
        ("releases diff CA 2011 2020", "releases diff 2011 2020 --state CA"),
        ("lists diff 2008 2026 OH WY", "lists diff 2008 2026 --state OH --state WY"),
        ("cost DE,WY --format csv", "cost --state WY DE --format csv"),
        ("curve DE --g-max 3 --format csv", "curve --g-max 3 --state DE --format csv"),
    ],
)
def test_a_state_is_taken_with_and_without_the_name_of_its_option(one, other):
    first, second = (run(*line.split()).stdout.splitlines() for line in (one, other))
    assert sorted(first) == sorted(second)


def test_every_command_about_states_takes_them_both_ways():
    """A command with ``--state`` has the argument too, but where its arguments are several files."""
    for path, command in ALL:
        if path in (("table", "check"), ("table", "enter"), ("table", "protect")):
            continue
        names = {name for parameter in command.params for name in parameter.opts}
        assert ("--state" in names) == ("more_states" in names), path


def test_an_unknown_command_is_told_the_near_one():
    done = run("compair", code=2)
    assert "Did you mean 'compare'?" in done.output
    assert "Traceback" not in done.output


@pytest.mark.parametrize("arguments", [["compare", "--g", "0"], ["compare", "--nope"], ["--nope"], ["lists", "shw"]])
def test_a_wrong_option_is_one_line_too(arguments):
    done = run(*arguments, code=2)
    assert done.stderr.count("\n") == 1
    assert "--help'." in done.stderr


FULL = Path("/dev/full")


@pytest.mark.slow
@pytest.mark.skipif(not FULL.is_char_device(), reason="needs the device /dev/full of Linux")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("room", [0, 10])
@pytest.mark.parametrize(
    "line",
    [
        *("population list", "population list --format csv", "population list --format parquet"),
        *("compare --help", "policy check safe-harbor"),
    ],
)
def test_no_room_for_standard_output_is_one_line(tmp_path, line, room, unbuffered):
    """A full disk, or room for the first bytes only: an unbuffered stream takes them and reports no error."""
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}))\n" if room else ""
    with (tmp_path / "rows" if room else FULL).open("wb") as out:
        done = subprocess.run(
            [sys.executable, "-c", f"{limit}from policy_sim.cli.main import main; main()", *line.split()],
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "The output is incomplete" in done.stderr


def test_version():
    assert run("--version").output.startswith("policy-sim, version ")


# The package runs as a module, as the script does.


def test_the_package_runs_as_the_script_does():
    done = subprocess.run(
        [sys.executable, "-m", "policy_sim", "compare", "--help"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Usage: policy-sim compare ")


def test_a_mistake_has_the_status_of_the_script():
    done = subprocess.run([sys.executable, "-m", "policy_sim", "compar"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
