"""Commands that check the model."""

from __future__ import annotations

import datetime as dt
import io
import json
import re

import pandas as pd
import pytest
from click.testing import CliRunner
from small_people import invoke, one_line, run

from policy_sim.cli.main import cli

# explain as a user runs it.


ASKED = ("OH", "--population", "us-2010", "--rules", "paper", "--date", "2026-11-22")


@pytest.mark.slow
def test_text_html_and_json(tmp_path):
    assert "One group, step by step" in run("explain", *ASKED).stdout
    page = tmp_path / "ohio.html"
    run("explain", *ASKED, "--policy", "limited-dataset", "--attacker", "voter", "--format", "html", "--out", str(page))
    html = page.read_text(encoding="utf-8")
    assert html.lstrip().startswith("<!DOCTYPE html>") or html.lstrip().lower().startswith("<!doctype html>")
    assert "http" not in html.split("<body", 1)[0]
    facts = json.loads(run("explain", *ASKED, "--format", "json").stdout)
    assert (facts["state"], facts["policy"], facts["attacker"]) == ("OH", "limited-dataset-paper", "voter")
    assert facts["worked"]["correct"] > 0


def test_one_policy_and_one_attacker():
    text = run("explain", *ASKED, "--policy", "safe-harbor", "--policy", "limited-dataset", code=2).output
    assert "explain takes one policy, not 2" in text
    text = run("explain", *ASKED, "--attacker", "general", "--attacker", "voter", code=2).output
    assert "explain takes one attacker, not 2" in text


def test_a_state_that_is_not_known():
    assert "Did you mean" in run("explain", "Ohi", code=2).output


@pytest.fixture(scope="module")
def wyoming(tmp_path_factory):
    out = tmp_path_factory.mktemp("sensitivity") / "wy"
    done = run("sensitivity", "WY", "--as", "benitez-malin-2010", "--g", "1", "--out", str(out))
    return out, done.stdout


@pytest.mark.slow
def test_the_table_ranks_and_says_what_is_not_known(wyoming):
    _, text = wyoming
    assert "total risk, Limited data set (paper) × GENERAL" in text
    assert "error of the modeled population" in text
    assert "for other keys they are unknown" in text
    assert "VOTER" not in text  # no source tells of Wyoming's list of 2008


@pytest.mark.slow
def test_the_folder_is_complete(wyoming):
    out, _ = wyoming
    assert {path.name for path in out.iterdir()} == {"sensitivity.csv", "tornado.png", "tornado.svg", "manifest.json"}
    rows = pd.read_csv(out / "sensitivity.csv")
    assert {"birthdays", "leap-days", "oldest", "chance", "fit", "census-us-2020"} <= set(rows["assumption"])
    assert "chance of birthdays" in (out / "tornado.svg").read_text(encoding="utf-8")


@pytest.mark.slow
def test_by_rows_and_intervals_from_the_command_line():
    done = invoke("compare", "--by", "sex", "--state", "DE", "--g", "1", "--format", "csv")
    rows = pd.read_csv(io.StringIO(done.stdout))
    assert set(rows["value"]) == {"M", "F"}
    total = rows[rows["measure"] == "total-risk"].groupby(["policy", "attacker"])["of_total"].sum()
    assert total.to_numpy() == pytest.approx(1, rel=1e-9)
    done = invoke("trust", "--state", "DE", "--g", "1", "--interval", "--format", "csv")
    rows = pd.read_csv(io.StringIO(done.stdout))
    known = rows[rows["ratio_from"].notna()]
    assert len(known)
    assert ((known["ratio_from"] < known["ratio"]) & (known["ratio"] < known["ratio_to"])).all()
    done = invoke("cost", "--state", "DE", "--interval", "--format", "csv")
    rows = pd.read_csv(io.StringIO(done.stdout))
    assert (rows["usd_from"] <= rows["usd_per_reidentification"]).all()
    done = invoke("compare", "--state", "DE", "--interval")
    assert "interval" in done.stdout


def test_by_and_interval_together_are_refused():
    done = run("compare", "--by", "sex", "--state", "DE", "--interval", code=2)
    assert "--by and --interval do not work together" in done.output


# simulate and synth as a user runs them.


@pytest.mark.slow
def test_everyone_in_delaware_under_both_policies_and_attackers():
    """Eight attacks on all 783,600 people; 99 % intervals, so the seed is part of the statement."""
    done = run("simulate", "DE", "--as", "benitez-malin-2010", "--seed", "1", "--runs", "8", "--format", "csv")
    rows = pd.read_csv(io.StringIO(done.stdout))
    assert len(rows) == 2 * 2 * 2
    assert rows["agrees"].all()
    assert (rows["runs"] == 8).all()
    limited = rows[(rows["policy"] == "limited-dataset-paper") & (rows["measure"] == "total-risk")]
    assert ((limited["high_99"] - limited["low_99"]) / limited["mean"] < 0.005).all()


def test_synthetic_people_have_their_census_age_on_census_day_and_say_what_they_are(tmp_path):
    path = tmp_path / "people.parquet"
    run("synth", "WY", "--population", "us-2010", "--people", "3000", "--seed", "5", "--out", str(path))
    people = pd.read_parquet(path)
    assert len(people) == 3000
    assert people["synthetic"].all()
    day = dt.date(2010, 4, 1)
    born = people["birth_date"].dt.date
    ages = [day.year - b.year - ((day.month, day.day) < (b.month, b.day)) for b in born]
    assert ages == people["age"].tolist()
    assert set(people["state"]) == {"WY"}


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("simulate",), "Missing argument 'STATE'"),
        (("simulate", "DE", "--days-per-year", "365.25"), "must be a whole number"),
        (("synth", "DE", "--out", "people.xls"), "not one of .csv, .parquet"),
        (("synth", "XX", "--out", "people.csv"), "state 'XX' is not known"),
        (("synth", "DE", "--census-day", "0001-01-01", "--out", "people.csv"), "born before the year 1"),
        (("simulate", "DE", "--seed", "-1"), "--seed"),
        (("synth", "DE", "--seed", "-1", "--out", "x.csv"), "--seed"),
        (("simulate", "DE", "--days-per-year", "1e300"), "--days-per-year"),
        (("explore", "--state", "DE", "--days-per-year", "nan"), "--days-per-year"),
        (("explore", "--state", "DE", "--days-per-year", "inf"), "--days-per-year"),
        (("reproduce",), "benitez-malin-2010, golle-2006"),
    ],
)
def test_what_cannot_be_asked_is_one_line(arguments, text):
    assert text in one_line(*arguments)


def test_a_state_without_a_list_is_one_line_and_not_a_traceback():
    who = ("AZ", "--population", "us-2000", "--lists", "2008", "--policy", "safe-harbor", "--runs", "2")
    done = CliRunner().invoke(cli, ["simulate", *who, "--attacker", "voter"])
    assert (done.exit_code, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert "nothing to simulate: voter has no list to link with in AZ (county_only:" in done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("reproduced") / "bm"
    done = run("reproduce", "benitez-malin-2010", "--out", str(out))
    return out, done.stdout


@pytest.mark.slow
def test_the_table_has_every_figure_verdict_and_reason(folder):
    _, text = folder
    assert "Table 1, General" in text
    assert "135 figures:" in text
    assert "is New York" in text
    assert max(map(len, text.split("Why:")[0].splitlines())) <= 100


@pytest.mark.slow
def test_the_folder_holds_rows_figures_and_a_page_that_stands_alone(folder):
    out, _ = folder
    names = {path.name for path in out.iterdir()}
    assert {"index.html", "reproduction.csv", "reproduction.json", "manifest.json"} <= names
    assert {f"figure-{number}.{form}" for number in range(3, 8) for form in ("png", "svg")} <= names
    rows = pd.read_csv(out / "reproduction.csv")
    assert len(rows) == len(json.loads((out / "reproduction.json").read_text())) == 135
    assert rows["reason"].notna().all()
    page = (out / "index.html").read_text(encoding="utf-8")
    # nothing is fetched: no address, no script, every picture inside
    assert not re.search(r"https?://|<script|<link", page)
    assert page.count("data:image/png;base64,") == page.count("<img") == 6
    for verdict in ("agrees", "within tolerance", "differs", "the paper contradicts itself"):
        assert verdict in page
    assert "t2-safe-wi-risk" not in page  # names of ours are no use to a reader
    assert "North Dakota registers no voters" in page


@pytest.mark.slow
def test_csv_is_pure():
    done = run("reproduce", "dankar-2012", "--format", "csv")
    rows = pd.read_csv(io.StringIO(done.stdout))
    assert set(rows["paper"]) == {"dankar-2012"}
    assert rows.loc[rows["id"] == "lambda-1", "verdict"].item() == "agrees"


def test_a_file_for_a_paper_that_takes_none_is_refused(tmp_path):
    done = run("reproduce", "golle-2006", "--data", str(tmp_path), code=2)
    assert "--data is for dankar-2010" in done.output
    done = run("reproduce", "dankar-2010", "--data", str(tmp_path), code=2)
    assert "this folder has no adult.csv" in done.output
