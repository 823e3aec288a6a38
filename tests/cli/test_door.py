"""The last door of the command line: every kind of failure leaves as one line, without values and secrets."""

from __future__ import annotations

import csv
import re

import click
import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from policy_sim.cli import main as front
from policy_sim.cli.main import cli, reason_of

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
        monkeypatch.setattr(front._Commands, "get_command", lambda *_: command)

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
    assert re.match(
        r"Error: 'policy-sim compare' of policy-sim \d+\.\d+\S* failed: KeyError in \S+, line \d+\. ", done.stderr
    )
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
