"""Options that commands share: the same name, the same kinds of values, the same words."""

import click
import pytest
from click.testing import CliRunner

from policy_sim.cli.options import (
    as_of_option,
    attackers_option,
    engine_option,
    format_option,
    g_option,
    in_file_option,
    interval_option,
    many_states_option,
    out_option,
    study_options,
)


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
    assert given(options=[format_option, g_option]) == {"form": "table", "g": ()}
    assert given("--format", "csv", "--g", 3, "--g", 7, options=[format_option, g_option])["g"] == (3, 7)
    assert "xml" in given("--format", "xml", options=[format_option])
    for size in (0, -1, 10**9 + 1, "many"):
        assert "Invalid value for '--g'" in given("--g", size, options=[g_option])


@pytest.mark.parametrize("days", ["nan", "0", "inf", "1e9", "x"])
def test_days_are_a_number_of_a_year(days):
    assert "Invalid value for '--days-per-year'" in given("--days-per-year", days, options=[study_options()])


def test_a_day_becomes_a_date_and_nothing_stays_nothing():
    assert given(options=[as_of_option]) == {"as_of": None}
    assert str(given("--as-of", "2015-06-01", options=[as_of_option])["as_of"]) == "2015-06-01"
    assert "Invalid value" in given("--as-of", "June", options=[as_of_option])


def test_a_file_is_a_share_or_a_number_above_nothing():
    assert given("--in-file", "0.01", options=[in_file_option])["in_file"] == 0.01
    for wrong in ("0", "-1", "some"):
        assert "Invalid value" in given("--in-file", wrong, options=[in_file_option])


def test_repeatable_options_keep_their_order():
    taken = given(
        *("--state", "OH", "--state", "texas", "--attacker", "voter", "--attacker", "general"),
        options=[many_states_option, attackers_option],
    )
    assert taken == {"states": ("OH", "texas"), "attackers": ("voter", "general")}


def test_a_command_leaves_out_the_option_that_it_decides_itself():
    every = set(given(options=[study_options()]))
    assert every - set(given(options=[study_options("states")])) == {"states"}
    assert "No such option" in given("--state", "OH", options=[study_options("states")])


def test_an_interval_is_off_and_an_engine_none_unless_asked_for():
    assert given(options=[interval_option, engine_option]) == {"spread": False, "engine": None}
    assert given("--interval", "--engine", "local", options=[interval_option, engine_option])["engine"] == "local"


def test_a_folder_for_files_is_no_file(tmp_path):
    (tmp_path / "file").write_text("x")
    assert "is a file" in given("--out", tmp_path / "file", options=[out_option("Write here.")])
