"""Planted passwords and keys are searched for in every output, log, error and file of a range of commands."""

import gc
import itertools
import logging
import os
import subprocess
import sys
import traceback
from functools import partial
from urllib.parse import quote, quote_plus

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pinned import pinned
from small_people import run

from policy_sim.cli.main import cli
from policy_sim.people.census import client

PASSWORD, KEY = "Tr0ub4dor&3", "c0ffee5ecre7/9876+fedcba"
SECRETS = {form for text in (PASSWORD, KEY) for form in (text, quote(text, safe=""), quote(text), quote_plus(text))}


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("POLICY_SIM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CENSUS_API_KEY", KEY)
    monkeypatch.delenv("POLICY_SIM_DATABASE", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _nothing_in(*texts):
    for text in texts:
        assert not [secret for secret in SECRETS if secret in text], text


@pytest.mark.slow
@pytest.mark.parametrize("url", ["http://127.0.0.1:9/data", "https://api.census.gov/{k}/data", "http://x/data?key={k}"])
def test_no_command_repeats_the_census_key(url, home, caplog, monkeypatch):
    monkeypatch.setattr(client, "Patience", partial(client.Patience, backoff=0.0))  # five tries, without the waits
    caplog.set_level(logging.DEBUG)
    done = run("dev", "census", "fetch", "sf1-2010", "--state", "DE", "--url", url.format(k=KEY), code=2)
    trace = "".join(traceback.format_exception(done.exception))
    files = [path.read_bytes().decode(errors="replace") for path in home.rglob("*") if path.is_file()]
    _nothing_in(done.output, done.stderr, trace, caplog.text, *files)


@pytest.mark.slow
def test_the_environments_address_is_as_secret(home):
    pytest.importorskip("psycopg")
    address = f"postgres://me:{quote(PASSWORD, safe='')}@127.0.0.1:1/clinic"
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-c", "from policy_sim.cli.main import main; main()", "lists", "list"],
        env=os.environ | {"POLICY_SIM_DATABASE": address},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "postgresql+psycopg://…@127.0.0.1:1/clinic" in done.stderr
    _nothing_in(done.stdout, done.stderr)


# Addresses of every form that somebody may write, with S for what is secret.
FORMS = [
    "postgresql://me:S@127.0.0.1:1/clinic",
    "postgresql+psycopg://me:S@[::1]:1/clinic",
    "postgresql://me:S@[::1/clinic",
    "postgresql://me:S@127.0.0.1:port/clinic",
    "postgresql://127.0.0.1:1/clinic?password=S",
    "postgresql:me:S@127.0.0.1:1/clinic",
    "postgres:/me:S@127.0.0.1:1/clinic",
    "mysql://me:S@127.0.0.1:1/clinic",
    "mssql+pyodbc://me:S@127.0.0.1:1/clinic",
    "oracle://me:S@127.0.0.1:1/clinic",
    "sqlite://me:S@host/clinic.db",
    "sqlite:///clinic.db?password=S",
    "s3://me:S@bucket/visits.csv",
    "sc://127.0.0.1:1/;token=S",
    "https://me:S@127.0.0.1:1/visits.parquet",
    "me:S@127.0.0.1:5432/clinic",
    "me:S@127.0.0.1:5432/visits.csv",
    "//me:S@127.0.0.1/clinic",
    "//me:S@127.0.0.1/people.parquet",
    ":S@127.0.0.1",
    "127.0.0.1:5432/clinic?password=S",
    "folder/me:S@127.0.0.1/people.csv",
]
DOORS = [
    ["dataset", "profile", "{a}", "--fields", "age", "--table", "visits", "--out", "out"],
    ["dataset", "profile", "{a}", "--fields", "age"],
    ["dataset", "profile", "visits.csv", "--fields", "age", "--engine", "{a}"],
    ["dataset", "check", "{a}", "--table", "visits", "--write-mapping", "mapping.toml"],
    ["dataset", "check", "{a}"],
    ["dataset", "score", "visits.csv", "--fields", "age", "--against", "{a}"],
    ["dataset", "score", "{a}", "--fields", "age", "--table", "visits", "--population", "us-2010", "--state", "DE"],
    ["dataset", "estimate", "{a}", "--fields", "age", "--table", "visits", "--fraction", "0.1"],
    ["release", "new", "{a}", "release.toml"],
    ["compare", "--population", "{a}", "--state", "DE"],
    ["compare", "--population", "people.parquet", "--engine", "{a}"],
    ["lists", "list", "--database", "{a}"],
    ["release", "new", "visits.csv", "{a}"],  # where a file or folder is written, its name must not be an address
    ["release", "status", "{a}"],
    ["dataset", "check", "visits.csv", "--write-mapping", "{a}"],
    ["policy", "new", "{a}", "--from", "safe-harbor"],
    ["dev", "lists", "publish", "{a}"],
    ["dev", "lists", "export", "--out", "{a}"],
    ["model", "trust", "--population", "us-2010", "--state", "DE", "--out", "{a}"],
]
# Addresses of databases, where one is asked for; those that are nothing else anywhere.
DATABASES = [
    "postgres://me:S@127.0.0.1:1/clinic",
    "postgresql+psycopg://me:S@127.0.0.1:1/clinic?sslmode=disable",
    "postgresql://127.0.0.1:1/clinic?user=me&password=S",
    "postgresql://me@127.0.0.1:1/clinic?sslpassword=S",
    "postgresql://me@127.0.0.1:1/clinic?nosuchoption=S",
    "postgresql://127.0.0.1:port/clinic?password=S",
    "postgresql://me/x:S@127.0.0.1:1/clinic",
    "postgres://S@127.0.0.1:1/clinic",
    "postgres:/me:S@127.0.0.1/clinic",
    "mysql+pymysql://me:S@127.0.0.1/clinic",
    "foo9://me:S@host/clinic",
    "foo9://S@host",
    "sqlite://me:S@host/lists.sqlite",
    "host=127.0.0.1 port=1 dbname=x password=S",
    "me:S@127.0.0.1",
]
OF_A_DATABASE = [
    ["lists", "list", "--database", "{a}"],
    ["lists", "show", "OH", "--database", "{a}"],
    ["dev", "lists", "sql", "SELECT 1", "--database", "{a}"],
    ["dev", "lists", "build", "--database", "{a}"],
    ["dev", "lists", "export", "--database", "{a}"],
]
ANYWHERE = [
    ["dev", "lists", "import", "{a}"],
    ["lists", "check", "{a}"],
    ["policy", "show", "{a}"],
    ["policy", "check", "{a}.toml"],
    ["compare", "--database", "{a}", "--state", "DE", "--population", "us-2010"],
    ["compare", "--policy", "{a}"],
    ["compare", "--adversary", "{a}"],
    ["dev", "census", "load", "{a}", "--as", "sf1-2000"],
    ["dev", "census", "show", "{a}"],
    ["dev", "census", "check", "{a}"],
    ["dev", "census", "remove", "{a}"],
    ["dev", "census", "fetch", "sf1-2010", "--state", "DE", "--url", "{a}"],
]
CASES = [
    *itertools.product(FORMS, DOORS),
    *itertools.product(DATABASES, OF_A_DATABASE),
    *itertools.product([form for form in DATABASES if form.startswith(("foo9:", "mysql+"))], ANYWHERE),
]
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


@pytest.mark.slow
@settings(max_examples=pinned(12, 120), suppress_health_check=list(HealthCheck))
@given(case=st.sampled_from(CASES), middle=st.text(_LETTERS + "!$*+,-._~:/@%", max_size=8))
def test_a_secret_of_an_address_of_any_form_stands_in_no_output_file_or_exception(case, middle, home, caplog):
    """The ends of the secret are searched for, so that no part of it comes through either."""
    pytest.importorskip("psycopg")
    caplog.set_level(logging.DEBUG)
    (form, door), first, last = case, "Qv7wX2", "kZ9jB4"
    (home / "visits.csv").write_text("age,sex\n" + "30,F\n41,M\n" * 5)
    (home / "people.parquet").write_bytes(b"PAR1")
    address = form.replace("S", f"{first}{middle}{last}")
    done = CliRunner().invoke(cli, [word.replace("{a}", address) for word in door])
    trace = "".join(traceback.format_exception(done.exception)) if done.exception else ""
    gc.collect()  # a driver reports now a connection that it did not close
    assert done.exit_code == 2, (address, door, done.output, trace)
    assert len([line for line in done.stderr.splitlines() if line.startswith("Error: ")]) == 1, done.stderr
    files = [f"{path.name} {path.read_bytes()!r}" for path in home.rglob("*") if path.is_file()]
    for text in (done.output, done.stderr, trace, caplog.text, *files):
        assert first not in text, (address, door, text)
        assert last not in text, (address, door, text)
