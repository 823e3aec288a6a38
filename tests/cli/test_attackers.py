"""--adversary and --coverage as a user gives them."""

import csv
import io
import json

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
        if row["policy"] == "limited-dataset-paper"
    }
    assert {state: row["status"] for state, row in rows.items()} == {
        "CA": "unknown",  # within reach, at a price that no source gives
        "VA": "not_to_this_buyer",
        "WI": "out_of_reach",
        "OH": "free",
    }
    assert "sold only to candidate, party" in rows["VA"]["reason"]
    assert "$12,500.00, more than the $1,000.00" in rows["WI"]["reason"]
    assert rows["VA"]["total_risk"] == ""
    assert rows["VA"]["price_usd"] == "", "what others pay is no price for one who is kept out"
    assert rows["VA"]["reason"].count("sold only to candidate") == 1


@pytest.mark.slow
def test_nothing_holds_back_the_unconstrained():
    plain = _rows("compare", "--state", "VA", "--attacker", "voter")
    bold = _rows("compare", "--state", "VA", "--attacker", "voter", "--adversary", "unconstrained")
    assert [row["people"] for row in bold] == [row["people"] for row in plain]


@pytest.mark.slow
def test_fewer_on_the_list_are_fewer_at_risk_and_the_registered_are_the_default():
    def risk(*more: str) -> float:
        asked = ["compare", "--population", "us-2000", "--lists", "2008", "--rules", "paper", "--format", "csv"]
        asked += ["--state", "VA", "--attacker", "voter", "--policy", "limited-dataset", *more]
        rows = csv.DictReader(io.StringIO(CliRunner().invoke(cli, asked).stdout))
        return float(next(row["people"] for row in rows if row["measure"] == "total-risk"))

    assert risk() == risk("--coverage", "registered")
    assert risk() < risk("--coverage", "adults") < risk("--coverage", "everyone")


def test_a_state_without_a_count_of_voters_is_unknown():
    rows = _rows("compare", "--state", "ND", "--coverage", "registered", "--attacker", "voter")
    assert {(row["attacker"], row["status"]) for row in rows} == {("voter", "unknown")}
    assert "the number of registered voters (Election Administration" in rows[0]["reason"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--adversary", "acadmic"), "Did you mean 'academic'?"),
        (("--adversary", "none.toml"), "cannot be read: "),
    ],
)
def test_an_adversary_that_is_not_there_is_one_line(arguments, said):
    run = CliRunner().invoke(cli, ["compare", "--state", "OH", *arguments])
    assert run.exit_code == 2
    assert said in run.stderr
    assert len(run.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(("day", "vintage", "key"), [("2015-06-01", "2008", "year"), ("2021-01-01", "2020", "date")])
def test_a_day_chooses_the_lists_of_every_study_command(day, vintage, key):
    """Ohio's list had the year of birth in 2008 and the date in 2020."""
    asked = ("--population", "us-2000", "--as-of", day, "--policy", "limited-dataset", "--format", "csv")
    for command in (("compare", "--state", "OH"), ("cost", "--state", "OH")):
        run = CliRunner().invoke(cli, [*command, *asked])
        rows = [row for row in csv.DictReader(io.StringIO(run.stdout)) if row["attacker"] == "voter"]
        assert {(row["lists"], row["linkage_key"]) for row in rows} == {(vintage, f"birth={key}+geography=county")}
        assert f"voter lists: as of {day}: vintage {vintage} for all states" in run.stderr


@pytest.mark.parametrize("command", ["compare", "trust", "cost", "curve", "simulate", "sensitivity"])
def test_a_vintage_and_a_day_are_refused_in_one_line(command):
    state = ("OH",) if command in ("curve", "sensitivity", "simulate") else ("--state", "OH")
    run = CliRunner().invoke(cli, [command, *state, "--lists", "2008", "--as-of", "2015-06-01"])
    assert (run.exit_code, run.stdout) == (2, "")
    assert run.stderr == "Error: the year of the lists and the date (as of) both choose a time: use one of them.\n"


def test_a_day_overrides_the_vintage_of_a_preset():
    run = CliRunner().invoke(cli, ["cost", *STUDY, "--state", "OH", "--as-of", "2021-01-01"])
    assert {row["lists"] for row in csv.DictReader(io.StringIO(run.stdout))} == {"2020"}


@pytest.mark.slow
def test_the_manifest_has_the_digest_of_the_lists_also_from_a_database(tmp_path, monkeypatch):
    monkeypatch.setenv("POLICY_SIM_HOME", str(tmp_path / "home"))
    digests = []
    for number, option in enumerate(([], ["--database", "own"], ["--lists", "2020"])):
        out = tmp_path / str(number)
        assert CliRunner().invoke(cli, ["cost", "--state", "OH", "--out", str(out), *option]).exit_code == 0
        digests.append(json.loads((out / "manifest.json").read_text())["inputs"]["voter lists"])
    assert digests[0] == digests[1] != digests[2]
    assert all(len(digest) == 64 for digest in digests)


def test_a_change_of_law_lets_an_adversary_in():
    change = ("--set", "buyers=public", "--set", "uses=any", "--population", "us-2000", "--policy", "limited-dataset")
    asked = ("lists", "what-if", "CA", *change, "--g", "1", "--format", "csv")
    run = CliRunner().invoke(cli, [*asked, "--adversary", "marketer"])
    rows = {row["measure"]: row for row in csv.DictReader(io.StringIO(run.stdout))}
    assert (rows["total-risk"]["status_before"], rows["total-risk"]["status_after"]) == ("not_to_this_buyer", "ok")
    assert (rows["price"]["before"], float(rows["price"]["after"])) == ("", 100)
    plain = CliRunner().invoke(cli, asked)
    assert "buyers and uses: no effect without --adversary" in plain.stderr


@pytest.mark.slow
def test_states_without_a_list_are_said_below_the_ranking():
    run = CliRunner().invoke(
        cli, ["lists", "what-if", "--all-states", "--lists", "2008", "--population", "us-2000", "--format", "csv"]
    )
    assert "no rows, because the list is county only: AZ" in run.stderr
    rows = list(csv.DictReader(io.StringIO(run.stdout)))
    assert len({row["state"] for row in rows}) == 31
    assert {(row["field"], row["becomes"]) for row in rows if row["state"] == "OH"} == {
        ("gender", "value"), ("race", "value"), ("birth", "withheld"), ("birth", "date"), ("geography", "withheld"),
    }  # fmt: skip
    effects = [abs(float(row["change"])) for row in rows if row["change"]]  # North Dakota registers nobody
    assert {row["state"] for row in rows if not row["change"]} == {"ND"}
    assert effects == sorted(effects, reverse=True)
