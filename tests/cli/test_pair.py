"""``policy-sim pair``."""

import json

import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli

FILES = ["--first", "county", "--second", "month-of-birth"]
SHARES = ["--in-first", "0.001", "--in-second", "0.001", "--in-both", "0.0005"]


def run(*words):
    return CliRunner().invoke(cli, ["pair", "DE", *words], prog_name="policy-sim")


def test_the_pair_names_more_than_either_file(tmp_path):
    done = run(*FILES, *SHARES, "--attacker", "general", "--format", "json", "--out", str(tmp_path / "out"))
    assert done.exit_code == 0, done.stderr
    people = {row["figure"]: row["people"] for row in json.loads(done.stdout)}
    assert people["named"] > max(people["alone_first"], people["alone_second"])
    assert (tmp_path / "out" / "pair.csv").exists()
    assert "shared fields: gender+race+birth=year+geography=state" in done.stderr


def test_shares_that_cannot_hold_together_are_one_line():
    done = run(*FILES, "--in-first", "0.1", "--in-second", "0.1", "--in-both", "0.2")
    assert done.exit_code == 2
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
def test_rules_as_written_are_paired_by_zip_code():
    """The limited data set as written names most people of a small file; by county alone it names fewer than half."""
    named = {}
    for rules in ("regulation", "paper"):
        asked = ("--first", "limited-dataset", "--second", "safe-harbor", *SHARES, "--attacker", "general")
        done = run(*asked, "--rules", rules, "--format", "json")
        assert done.exit_code == 0, done.stderr
        named[rules] = {row["figure"]: row["people"] for row in json.loads(done.stdout)}["alone_first"]
        assert ("geography=zip3" in done.stderr) == (rules == "regulation")
    assert named["regulation"] > 2 * named["paper"]
