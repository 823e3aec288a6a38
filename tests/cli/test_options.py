"""Options that commands share: the same name, the same kinds of values, the same words."""

from __future__ import annotations

import json

import click
import pytest
from click.testing import CliRunner
from small_people import one_line, rows, run

from policy_sim.cli.options import (
    as_of_option,
    ask,
    format_option,
    g_option,
    in_file_option,
    study_options,
    with_releases,
)

# Options that commands share: the same name, the same kinds of values, the same words.


def given(*words, options):
    """What a command gets for these words, or the last line of what it says."""
    taken = {}

    def command(**values):
        taken.update(values)

    wrapped = command
    for option in options:
        wrapped = option(wrapped)
    done = CliRunner().invoke(click.command()(wrapped), [str(word) for word in words])
    return taken if done.exit_code == 0 else done.output.splitlines()[-1]


def test_formats_and_group_sizes():
    assert given(options=[format_option, g_option]) == {"form": "text", "g": ()}
    assert given("--format", "csv", "--g", 3, "--g", 7, options=[format_option, g_option])["g"] == (3, 7)
    assert "xml" in given("--format", "xml", options=[format_option])
    for size in (0, -1, 10**9 + 1, "many"):
        assert "Invalid value for '--g'" in given("--g", size, options=[g_option])


def test_old_names_are_taken_with_one_line_that_names_the_new_one():
    old, new = run("compare", "DE", "--rules", "paper", "--format", "table"), run("compare", "DE", "--hipaa", "paper")
    assert (old.stdout, old.stderr.splitlines()[:2]) == (new.stdout, ["now: --format text", "now: --hipaa paper"])
    assert "--rules" not in run("compare", "--help").stdout
    assert "--rules is the old name of --hipaa" in one_line("compare", "DE", "--rules", "paper", "--hipaa", "paper")


@pytest.mark.parametrize("days", ["nan", "0", "inf", "1e9", "x"])
def test_days_are_a_number_of_a_year(days):
    assert "Invalid value for '--days-per-year'" in given("--days-per-year", days, options=[study_options()])


def test_a_day_becomes_a_date_and_nothing_stays_nothing():
    assert given(options=[as_of_option]) == {"as_of": None}
    assert str(given("--as-of", "2015-06-01", options=[as_of_option])["as_of"]) == "2015-06-01"
    assert "Invalid value" in given("--as-of", "June", options=[as_of_option])


def test_a_file_is_a_share_or_a_number_as_people_write_them():
    meant = {"0.01": 0.01, "1%": 0.01, "100%": 1, "1": 1, "11,000": 11_000, "1,234,567": 1_234_567, "1e4": 10_000}
    assert {text: given("--in-file", text, options=[in_file_option])["in_file"] for text in meant} == meant
    for wrong in ("0", "-1", "some", "1.5", "200%", "nan", "-inf", "", "1,5", "11,00"):
        assert "above 0 and up to 1" in given("--in-file", wrong, options=[in_file_option])


def test_records_are_people_times_the_records_of_each_and_places_come_with_them():
    shared = {"options": [in_file_option]}
    file = given("--records", "25000", "--per-person", "1.25", "--from", "Allen,Lucas=40%", **shared)["in_file"]
    assert (file.people, file.counting) == (20_000, "25,000 records at 1.25 per person")
    assert file.catchment.places == (("Allen", None), ("Lucas", 0.4))
    one_each = given("--records", "18000", **shared)["in_file"]
    assert one_each.people == 18_000
    assert "counted as one per person" in one_each.counting


def test_a_command_leaves_out_the_option_that_it_decides_itself():
    every = set(given(options=[study_options()]))
    assert every - set(given(options=[study_options("states")])) == {"states"}
    assert "No such option" in given("--state", "OH", options=[study_options("states")])


# From options to studies: what is given, what a preset fills, and what excludes each other.


def test_nothing_given_is_the_default_question():
    asked = ask()
    assert len(asked.studies) == 1
    assert asked.study.days_per_year == 365
    assert (asked.study.coverage, asked.question.rules, asked.question.states) == ("registered", "regulation", None)


def test_a_preset_fills_what_is_not_given():
    asked = ask(preset="benitez-malin-2010", states=("ohio",))
    assert (asked.study.population, asked.study.coverage, asked.question.rules) == ("us-2000", "everyone", "paper")
    assert asked.question.states == ("OH",)
    given = ask(
        populations=("us-2010",), preset="benitez-malin-2010", coverage="adults", rules="regulation", days_per_year=366
    )
    assert (given.study.population, given.study.coverage, given.question.rules) == ("us-2010", "adults", "regulation")
    assert given.study.days_per_year == 366


def test_releases_stand_beside_the_policies_or_beside_the_textbook():
    assert with_releases(("county",), ()) == ("county",)
    assert with_releases(None, ()) is None
    assert with_releases(("county",), ("newest", "release:NC:2016")) == ("county", "release:newest", "release:NC:2016")
    assert with_releases(None, ("newest",))[:2] == ("safe-harbor", "limited-dataset")


# --adversary and --coverage as a user gives them.


STUDY = ("--as", "benitez-malin-2010")


def test_a_list_out_of_reach_is_a_status_with_a_reason():
    states = [option for state in ("CA", "VA", "WI", "OH") for option in ("--state", state)]
    asked = ("cost", *STUDY, *states, "--adversary", "academic", "--policy", "limited-dataset")
    found = {row["state"]: row for row in rows(*asked)}
    assert {state: row["status"] for state, row in found.items()} == {
        "CA": "unknown",  # within reach, at a price that no source gives
        "VA": "not_to_this_buyer",
        "WI": "out_of_reach",
        "OH": "free",
    }
    assert "sold only to candidate, party" in found["VA"]["reason"]
    assert "$12,500.00, more than the $1,000.00" in found["WI"]["reason"]
    assert found["VA"]["total_risk"] is None
    assert found["VA"]["price_usd"] is None, "what others pay is no price for one who is kept out"
    assert found["VA"]["reason"].count("sold only to candidate") == 1


@pytest.mark.parametrize(
    "command", ["compare", "model trust", "econ cost", "model curve", "model simulate", "model sensitivity"]
)
def test_a_vintage_and_a_day_are_refused_in_one_line(command):
    state = ("OH",) if command in ("model curve", "model sensitivity", "model simulate") else ("--state", "OH")
    said = one_line(*command.split(), *state, "--lists", "2008", "--as-of", "2015-06-01")
    assert "the year of the lists and the date (as of)" in said


def test_a_day_overrides_the_vintage_of_a_preset():
    assert {row["lists"] for row in rows("econ", "cost", *STUDY, "--state", "OH", "--as-of", "2021-01-01")} == {"2020"}


@pytest.mark.slow
def test_states_without_a_list_are_said_below_the_ranking():
    asked = ("--lists", "2008", "--population", "us-2000", "--coverage", "survey", "--format", "json")
    done = run("lists", "what-if", "--all-states", *asked)
    assert "the list is county only: AZ" in done.stderr
    found = json.loads(done.stdout)
    assert len({row["state"] for row in found}) == 31
    assert {(row["field"], row["becomes"]) for row in found if row["state"] == "OH"} == {
        ("gender", "value"), ("race", "value"), ("birth", "withheld"), ("birth", "date"), ("geography", "withheld"),
    }  # fmt: skip
    assert {row["state"] for row in found if row["change"] is None} == {"ND"}  # it registers nobody
