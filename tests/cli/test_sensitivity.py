from __future__ import annotations

import io

import pandas as pd
import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli


def run(*arguments: str):
    return CliRunner().invoke(cli, list(arguments))


@pytest.fixture(scope="module")
def wyoming(tmp_path_factory):
    out = tmp_path_factory.mktemp("sensitivity") / "wy"
    done = run("sensitivity", "WY", "--as", "benitez-malin-2010", "--g", "1", "--out", str(out))
    assert done.exit_code == 0, done.output
    return out, done.stdout


@pytest.mark.slow
def test_the_table_ranks_and_says_what_is_not_known(wyoming):
    _, text = wyoming
    assert "total risk, Limited Dataset (paper) × GENERAL" in text
    assert "error of the modeled population" in text
    assert "for other keys they are unknown" in text
    assert "VOTER" not in text  # no source tells of Wyoming's list of 2008


def test_the_folder_is_complete(wyoming):
    out, _ = wyoming
    assert {path.name for path in out.iterdir()} == {"sensitivity.csv", "tornado.png", "tornado.svg", "manifest.json"}
    rows = pd.read_csv(out / "sensitivity.csv")
    assert {"birthdays", "leap-days", "oldest", "chance", "fit", "census-us-2020"} <= set(rows["assumption"])
    assert "chance of birthdays" in (out / "tornado.svg").read_text(encoding="utf-8")


@pytest.mark.slow
def test_by_rows_and_intervals_from_the_command_line():
    done = run("compare", "--by", "sex", "--state", "DE", "--g", "1", "--format", "csv")
    rows = pd.read_csv(io.StringIO(done.stdout))
    assert set(rows["value"]) == {"M", "F"}
    total = rows[rows["measure"] == "total-risk"].groupby(["policy", "attacker"])["of_total"].sum()
    assert total.to_numpy() == pytest.approx(1, rel=1e-9)
    done = run("trust", "--state", "DE", "--g", "1", "--interval", "--format", "csv")
    rows = pd.read_csv(io.StringIO(done.stdout))
    known = rows[rows["ratio_from"].notna()]
    assert len(known)
    assert ((known["ratio_from"] < known["ratio"]) & (known["ratio"] < known["ratio_to"])).all()
    done = run("cost", "--state", "DE", "--interval", "--format", "csv")
    rows = pd.read_csv(io.StringIO(done.stdout))
    assert (rows["usd_from"] <= rows["usd_per_reidentification"]).all()
    done = run("compare", "--state", "DE", "--interval")
    assert "interval" in done.stdout


def test_by_and_interval_together_are_refused():
    done = run("compare", "--by", "sex", "--state", "DE", "--interval")
    assert done.exit_code == 2
    assert "--by and --interval do not work together" in done.output
