"""The command set as a whole."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
import sqlalchemy as sa
from click.testing import CliRunner
from pinned import pinned
from small_people import commands, run

from policy_sim.cli import main as front
from policy_sim.cli.main import cli, reason_of

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
    for name in ("compare", "policy"):
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
        ("policy releases diff CA 2011 2020", "policy releases diff 2011 2020 --state CA"),
        ("lists diff 2008 2026 OH WY", "lists diff 2008 2026 --state OH --state WY"),
        ("econ cost DE,WY --format csv", "econ cost --state WY DE --format csv"),
        ("model curve DE --g-max 3 --format csv", "model curve --g-max 3 --state DE --format csv"),
    ],
)
def test_a_state_is_taken_with_and_without_the_name_of_its_option(one, other):
    first, second = (run(*line.split()).stdout.splitlines() for line in (one, other))
    assert sorted(first) == sorted(second)


def test_every_command_about_states_takes_them_both_ways():
    """A command with ``--state`` has the argument too, but where its arguments are files, with one state for all."""
    for path, command in ALL:
        if path in (("table", "check"), ("table", "enter"), ("table", "protect"), ("lists", "measure")):
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
@pytest.mark.parametrize(("room", "unbuffered"), pinned([(0, ""), (10, "1")], [(0, ""), (0, "1"), (10, ""), (10, "1")]))
@pytest.mark.parametrize(
    "line",
    [
        *("model population list", "model population list --format csv", "model population list --format parquet"),
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


# Every kind of failure leaves as one line, without values and secrets.


SECRET = "hunter2-of-the-record"


def duckdb_error(name: str) -> Exception:
    duckdb = pytest.importorskip("duckdb")
    error: Exception = getattr(duckdb, name)(f"cannot convert '{SECRET}'")
    return error


def nested() -> None:
    nested()


def unique_broken() -> None:
    engine = sa.create_engine("sqlite://")
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE t (a TEXT PRIMARY KEY)"))
        for _ in range(2):
            connection.execute(sa.text("INSERT INTO t VALUES (:a)"), {"a": SECRET})


def long_field() -> None:
    list(csv.reader(["x" * (csv.field_size_limit() + 1)]))


def raising(error: BaseException):
    def fail() -> None:
        raise error

    return fail


# The kinds that a user can mend; what each line has to say.
MENDED = {
    "memory": (raising(MemoryError(SECRET)), "Not enough memory"),
    "array": (lambda: __import__("numpy").zeros(1 << 50), "Not enough memory"),
    "duckdb memory": (lambda: raising(duckdb_error("OutOfMemoryException"))(), "DuckDB ran out of memory"),
    "duckdb": (lambda: raising(duckdb_error("ConversionException"))(), "ConversionException"),
    "recursion": (nested, "nested too deeply"),
    "name too long": (lambda: open("x" * 300), "File name too long"),  # noqa: PTH123, SIM115
    "no such file": (raising(FileNotFoundError(2, "No such file or directory", "a.csv")), "a.csv: No such file"),
    "read-only": (raising(OSError(30, "Read-only file system", "out/x.csv")), "out/x.csv: Read-only file system"),
    "bare": (raising(OSError(SECRET)), "OSError"),
    "database": (unique_broken, "The database refused (IntegrityError)"),
    "address": (lambda: sa.create_engine(f"{SECRET}"), "The database address is not valid"),
    "kind": (lambda: sa.create_engine("nosuch://host/name"), "an unknown kind of database"),
    "csv": (long_field, "A CSV file cannot be read"),
    "text": (lambda: b"\xff".decode(), "not in UTF-8"),
    "short": (raising(EOFError(SECRET)), "is cut short"),
}


@pytest.fixture
def failing(monkeypatch):
    """Make `compare` do something else; the way there and back is the real one."""

    def plant(fail):
        command = click.Command("compare", callback=lambda: fail())
        monkeypatch.setattr(front._Root, "get_command", lambda *_: command)

    return plant


@pytest.mark.parametrize("kind", MENDED)
def test_what_the_user_can_mend_is_one_line_and_status_2(failing, kind):
    fail, says = MENDED[kind]
    failing(fail)
    done = CliRunner().invoke(cli, ["compare"])
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert says in done.stderr
    assert SECRET not in done.output


def test_a_fault_of_ours_says_where_and_how_to_report_it(failing):
    failing(raising(KeyError(SECRET)))
    done = CliRunner().invoke(cli, ["compare"])
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
    assert re.match(r"Error: .* of policy-sim \d+\.\d+.* KeyError in \S+, line \d+\. ", done.stderr)
    assert "please report this line" in done.stderr
    assert "policy-sim --debug compare" in done.stderr
    assert SECRET not in done.output
    assert re.search(r" in (\S+), line", done.stderr)[1].startswith("policy_sim/")  # no folder of this machine


def test_debug_prints_the_traceback_of_a_fault_and_masks_addresses(failing):
    failing(raising(KeyError("postgresql://me:hush@host/clinic")))
    done = CliRunner().invoke(cli, ["--debug", "compare"])
    assert done.exit_code == 1
    assert "Traceback" in done.stderr
    assert "KeyError" in done.stderr
    assert "hush" not in done.output


@pytest.mark.slow
def test_secrets_and_control_characters_do_not_reach_the_terminal():
    done = CliRunner().invoke(cli, ["postgresql://me:hush@nowhere.invalid/clinic"])
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "hush" not in done.output
    for text in ("O\nH", "O\x1b[31mH", "O\rH", "\u202eHO", "\udc80"):
        for option in ("--state", "--policy", "--population", "--lists", text):
            done = CliRunner().invoke(cli, ["compare", option, text])
            assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
            assert not set(text) & set("\n\x1b\r\u202e\udc80") & set(done.stderr[:-1])


def test_a_stop_from_the_keyboard_is_clean(failing):
    failing(raising(KeyboardInterrupt()))
    done = CliRunner().invoke(cli, ["compare"])
    assert (done.exit_code, done.stderr.strip()) == (1, "Aborted!")


def test_other_projects_errors_are_known_by_name():
    assert reason_of(ValueError(SECRET)) is None
    pandas_errors = pytest.importorskip("pandas.errors")
    pyarrow = pytest.importorskip("pyarrow")
    requests = pytest.importorskip("requests")
    for error in (
        pandas_errors.ParserError(SECRET),
        pandas_errors.EmptyDataError(SECRET),
        pyarrow.ArrowInvalid(SECRET),
        requests.ConnectionError(SECRET),
    ):
        assert SECRET not in str(reason_of(error))
