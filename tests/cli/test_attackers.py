"""--adversary and --coverage as a user gives them."""

import csv
import io

import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli

STUDY = ("--as", "benitez-malin-2010", "--format", "csv")


def _rows(command, *arguments):
    run = CliRunner().invoke(cli, [command, *STUDY, *arguments])
    assert run.exit_code == 0, run.output
    return list(csv.DictReader(io.StringIO(run.stdout)))


def test_a_list_out_of_reach_is_a_status_with_a_reason():
    states = [option for state in ("CA", "VA", "WI", "OH") for option in ("--state", state)]
    rows = {
        row["state"]: row
        for row in _rows("cost", *states, "--adversary", "academic")
        if row["policy"] == "limited-dataset"
    }
    assert {state: row["status"] for state, row in rows.items()} == {
        "CA": "unknown",  # within reach, at a price that no source gives
        "VA": "not_to_this_buyer",
        "WI": "out_of_reach",
        "OH": "free",
    }
    assert "sold to candidate, party only" in rows["VA"]["reason"]
    assert "12,500.00 USD, more than the 1,000.00 USD" in rows["WI"]["reason"]
    assert rows["VA"]["total_risk"] == ""


def test_nothing_holds_back_the_unconstrained():
    plain = _rows("compare", "--state", "VA", "--attacker", "voter")
    bold = _rows("compare", "--state", "VA", "--attacker", "voter", "--adversary", "unconstrained")
    assert [row["people"] for row in bold] == [row["people"] for row in plain]


def test_coverage_stands_beside_the_figure_for_everyone():
    rows = _rows("compare", "--state", "VA", "--coverage", "registered", "--policy", "limited-dataset")
    total = {row["attacker"]: float(row["people"]) for row in rows if row["measure"] == "total-risk"}
    assert set(total) == {"general", "voter", "voter-registered"}
    assert total["voter-registered"] < total["voter"] < total["general"]


def test_a_state_without_a_count_of_voters_is_unknown():
    rows = _rows("compare", "--state", "ND", "--coverage", "registered", "--attacker", "voter")
    status = {row["attacker"]: row["status"] for row in rows}
    assert status == {"voter": "interval", "voter-registered": "unknown"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--adversary", "acadmic"), "Did you mean 'academic'?"),
        (("--adversary", "none.toml"), "cannot be read as TOML"),
    ],
)
def test_an_adversary_that_is_not_there_is_one_line(arguments, said):
    run = CliRunner().invoke(cli, ["compare", "--state", "OH", *arguments])
    assert run.exit_code == 2
    assert said in run.stderr
    assert len(run.stderr.strip().splitlines()) == 1
