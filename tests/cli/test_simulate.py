"""simulate and synth as a user runs them."""

from __future__ import annotations

import datetime as dt
import io

import pandas as pd
import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli


def run(*arguments: str, code: int = 0):
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == code, done.output
    return done


@pytest.mark.slow
def test_everyone_in_delaware_under_both_policies_and_attackers():
    """Twenty attacks on all 783,600 people; 99 % intervals, so the seed is part of the statement."""
    done = run("simulate", "DE", "--as", "benitez-malin-2010", "--seed", "1", "--format", "csv")
    rows = pd.read_csv(io.StringIO(done.stdout))
    assert len(rows) == 2 * 2 * 2
    assert rows["agrees"].all()
    assert (rows["runs"] == 20).all()
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


@pytest.mark.slow
def test_the_same_seed_makes_the_same_people(tmp_path):
    paths = [tmp_path / name for name in ("a.csv", "b.csv", "c.csv")]
    for path, seed in zip(paths, ("1", "1", "2"), strict=True):
        run("synth", "WY", "--people", "50", "--seed", seed, "--out", str(path))
    assert paths[0].read_bytes() == paths[1].read_bytes() != paths[2].read_bytes()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("simulate",), "Missing argument 'STATE'"),
        (("simulate", "DE", "--days-per-year", "365.25"), "must be a whole number"),
        (("synth", "DE", "--out", "people.xls"), "not one of .csv, .parquet"),
        (("synth", "XX", "--out", "people.csv"), "state 'XX' is not known"),
        (("synth", "DE", "--census-day", "0001-01-01", "--out", "people.csv"), "born before the year 1"),
    ],
)
def test_wrong_questions(arguments, text):
    done = run(*arguments, code=2)
    assert text in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 3


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("simulate", "DE", "--seed", "-1"), "--seed"),
        (("synth", "DE", "--seed", "-1", "--out", "x.csv"), "--seed"),
        (("simulate", "DE", "--days-per-year", "1e300"), "--days-per-year"),
        (("explore", "--state", "DE", "--days-per-year", "nan"), "--days-per-year"),
        (("explore", "--state", "DE", "--days-per-year", "inf"), "--days-per-year"),
        (("reproduce",), "benitez-malin-2010, golle-2006"),
    ],
)
def test_what_cannot_be_asked_is_one_line(arguments, says):
    done = CliRunner().invoke(cli, arguments)
    assert (done.exit_code, done.output.count("\n")) == (2, 1)
    assert says in done.output


def test_a_state_without_a_list_is_one_line_and_not_a_traceback():
    who = ("AZ", "--population", "us-2000", "--lists", "2008", "--policy", "safe-harbor", "--runs", "2")
    run = CliRunner().invoke(cli, ["simulate", *who, "--attacker", "voter"])
    assert (run.exit_code, run.stdout, len(run.stderr.splitlines())) == (2, "", 1)
    assert "nothing to simulate: voter has no list to link with in AZ (county_only:" in run.stderr
