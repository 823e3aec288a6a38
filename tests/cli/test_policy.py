"""policy list, show, check and new as a user runs them."""

from __future__ import annotations

import io
import json

import pandas as pd
import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli
from policy_sim.policies.files import list_policies


def run(*arguments: str, code: int = 0):
    done = CliRunner().invoke(cli, ["policy", *arguments])
    assert done.exit_code == code, done.output
    assert "Traceback" not in done.output
    return done


def test_list_has_every_policy():
    rows = pd.read_csv(io.StringIO(run("list", "--format", "csv").stdout))
    assert rows["policy"].tolist() == list(list_policies())
    assert rows["citation"].notna().all()
    text = run("list").stdout
    assert "age < 90, zip3 of more than 20,000 people" in text


def test_show_gives_each_rule_with_its_paragraph():
    text = run("show", "safe-harbor").stdout
    for expected in (
        "164.514(b)(2)(i)(C)",
        "164.514(b)(2)(i)(B)(2)",
        "17 prefixes",
        "18 prefixes",
        "ages 90 and over",
    ):
        assert expected in text
    assert "safe-harbor-paper (rules: paper)" in run("show", "safe-harbor").stdout
    rows = json.loads(run("show", "limited-dataset", "--format", "json").stdout)
    assert all(row["citation"].startswith("45 CFR 164.514(e)") for row in rows)


@pytest.mark.slow
def test_new_then_check_then_measure(tmp_path):
    path = tmp_path / "ours.toml"
    assert str(path) in run("new", str(path)).stdout
    assert "is a valid policy" in run("check", str(path)).stdout
    assert "already exists. Choose another name." in run("new", str(path), code=2).output
    done = CliRunner().invoke(
        cli, ["trust", "--policy", "safe-harbor", "--policy", str(path), "--state", "DE", "--format", "csv"]
    )
    assert done.exit_code == 0, done.output
    assert set(pd.read_csv(io.StringIO(done.stdout))["numerator_policy"]) == {"ours"}


def test_check_says_everything_at_once(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text('name = "bad"\n[fields]\nbirth = "yaer"\ngeography = "country"\n', encoding="utf-8")
    text = run("check", str(path), code=2).output
    for expected in ("title is missing", "citation is missing", "Did you mean 'year'?", "'country' is not one of"):
        assert expected in text
    assert "No such file" in run("check", str(tmp_path / "none.toml"), code=2).output


@pytest.mark.slow
def test_check_with_a_population_applies_the_release_checks():
    arguments = ("check", "safe-harbor-without-zip", "--population", "us-2010", "--state", "WY")
    rows = pd.read_csv(io.StringIO(run(*arguments, "--format", "csv").stdout))
    assert rows["check"].tolist() == ["calhhs-ddg", "cms-cell-size"]
    assert rows["people"].tolist() == [563_626, 563_626]  # Census 2010
    assert (rows["people_withheld"] <= rows["people"]).all()
    assert rows["cells_withheld_share"].between(0, 1).all()
    assert "everyone in the state" in run(*arguments).stdout


@pytest.mark.parametrize("command", ["show", "check"])
def test_an_unknown_policy_is_told_the_near_one(command):
    assert "Did you mean 'safe-harbor'?" in run(command, "safe-harbour", code=2).output
