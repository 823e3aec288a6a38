"""``policy-sim budget``."""

import json

import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli


def run(*words):
    return CliRunner().invoke(cli, ["budget", *words], prog_name="policy-sim")


@pytest.mark.slow
def test_a_budget_names_what_it_leaves_out(tmp_path):
    states = [word for state in ("DE", "VA", "WI") for word in ("--state", state)]
    done = run("--usd", "100", *states, "--out", str(tmp_path / "out"))
    assert done.exit_code == 0, done.stderr
    assert "together: 1 list for $25" in done.stdout
    assert "VA: only for candidate, party" in done.stdout
    assert (tmp_path / "out" / "budget.csv").exists()


@pytest.mark.slow
def test_an_adversary_buys_what_it_may_have():
    rows = json.loads(run("--usd", "100", "--state", "VA", "--adversary", "party", "--format", "json").stdout)
    assert [(row["list"], row["bought"]) for row in rows] == [("VA", True)]


@pytest.mark.slow
def test_a_target_is_reached_or_refused_in_one_line():
    assert run("--target", "2", "--state", "DE").exit_code == 0
    done = run("--target", "1e9", "--state", "DE")
    assert done.exit_code == 2
    assert len(done.stderr.splitlines()) == 1


def test_neither_or_both():
    assert run().exit_code == 2
    assert run("--usd", "5", "--target", "5").exit_code == 2
