"""``policy-sim attack``, ``break-even`` and ``economics``."""

import csv
import io
import json

import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli


def run(*words):
    return CliRunner().invoke(cli, list(words), prog_name="policy-sim")


@pytest.mark.slow
def test_a_table_with_sources_below_it():
    done = run("attack", "DE", "--policy", "safe-harbor", "--in-file", "0.01")
    assert done.exit_code == 0, done.stderr
    assert "an attack pays in this state." in done.stdout
    assert "gain per correct match: wan-2015" in done.stdout


@pytest.mark.slow
def test_files(tmp_path):
    out = tmp_path / "out"
    done = run("attack", "DE", "--against", "WI", "--policy", "limited-dataset", "--format", "csv", "--out", str(out))
    assert done.exit_code == 0, done.stderr
    assert {row["state"] for row in csv.DictReader(io.StringIO(done.stdout))} == {"DE", "WI"}
    names = {path.name for path in out.iterdir()}
    assert names == {"attack.csv", "attack-curve.csv", "attack.png", "attack.svg", "manifest.json"}


def test_a_wrong_amount_is_one_line():
    done = run("attack", "DE", "--gain", "gold")
    assert done.exit_code == 2
    assert done.stderr.startswith("Error: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
def test_a_full_release_without_costs_is_what_cost_prints():
    """To the last digit."""
    words = ("--policy", "limited-dataset", "--format", "json")
    attack = json.loads(run("attack", "DE", "--cost-per-attempt", "0", *words).stdout)
    cost = json.loads(run("cost", "--state", "DE", *words).stdout)
    assert attack[0]["usd_per_match_if_all"] == cost[0]["usd_per_reidentification"]


@pytest.mark.slow
def test_break_even(tmp_path):
    done = run("break-even", "--state", "DE", "--policy", "safe-harbor", "--no-sizes", "--out", str(tmp_path / "out"))
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "out" / "break-even.csv").exists()
    assert "an attack pays in this state." in done.stdout


def test_economics_lists_every_amount_with_its_source():
    done = run("economics")
    assert done.exit_code == 0, done.stderr
    assert "broker-2023: $0.12 to $0.32 per correct match (2023-11-06" in " ".join(done.stdout.split())
    rows = json.loads(run("economics", "--format", "json").stdout)
    assert all(row["date"] and row["source"] for row in rows)
    assert [row["usd_low"] for row in rows if row["name"] == "contract-ca-ab-713"] == [None]
