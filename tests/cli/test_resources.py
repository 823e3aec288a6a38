"""Another resource in every command, from one TOML file."""

import io
import json

import pandas as pd
import pytest
from click.testing import CliRunner

from policy_sim.attackers.resource_files import list_resources
from policy_sim.cli.main import cli

BIRTHS = """
name = "births"
title = "births of Delaware"
kind = "birth index"
states = ["DE"]

[fields]
gender = "included"
race = "withheld"
birth = "date"
geography = "county"
zip = "withheld"

[people]
title = "people born here from 1940 to 2015"
born = [1940, 2015]
share = 0.6

[price]
kind = "flat"
usd = 100
"""


def run(*words):
    return CliRunner().invoke(cli, [str(word) for word in words], prog_name="policy-sim")


def rows_of(*words):
    done = run(*words, "--format", "csv")
    assert done.exit_code == 0, done.stderr
    return pd.read_csv(io.StringIO(done.stdout)), done.stderr


@pytest.fixture
def births(tmp_path):
    path = tmp_path / "births.toml"
    path.write_text(BIRTHS, encoding="utf-8")
    return path


def test_every_shipped_resource_is_listed():
    table, _ = rows_of("resources", "list")
    assert sorted(table["name"]) == sorted(list_resources())
    assert "texas-birth-index" in run("resources", "list").stdout


def test_one_resource_as_json_and_a_file_of_ones_own(births):
    facts = {row["item"]: row for row in json.loads(run("resources", "show", births, "--format", "json").stdout)}
    assert (facts["birth"]["value"], facts["price"]["value"]) == ("included (date)", "100.00 USD")
    assert facts["share"]["value"] == "60% of them"


def test_the_template_can_be_shown(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(run("resources", "template").stdout, encoding="utf-8")
    assert run("resources", "show", path).exit_code == 0


def test_a_wrong_file_is_one_line_per_problem(tmp_path):
    path = tmp_path / "wrong.toml"
    path.write_text(BIRTHS.replace('"date"', '"fortnight"').replace("0.6", "6"), encoding="utf-8")
    done = run("compare", "--state", "DE", "--attacker", path)
    assert done.exit_code == 2
    assert len(done.stderr.splitlines()) == 2
    assert "Traceback" not in done.stderr


def test_compare_with_a_file_beside_the_others(births):
    words = ("compare", "--state", "DE", "--attacker", "general", "--attacker", births, "--rules", "paper")
    table, notes = rows_of(*words)
    assert list(table["attacker"].unique()) == ["general", "births"]
    risk = table[(table["measure"] == "total-risk") & (table["policy"] == "limited-dataset-paper")].set_index(
        "attacker"
    )
    assert risk.loc["births", "linkage_key"] == "gender+birth=date+geography=county"
    assert 0 < risk.loc["births", "people"] < risk.loc["general", "people"]
    assert "births: births of Delaware (DE); holds people born here from 1940 to 2015, 60% of them" in notes


def test_a_folder_names_the_resource_and_its_checksum(births, tmp_path):
    out = tmp_path / "out"
    done = run("cost", "--state", "DE", "--attacker", births, "--out", out, "--format", "csv")
    assert done.exit_code == 0, done.stderr
    text = (out / "manifest.json").read_text(encoding="utf-8")
    manifest = json.loads(text)
    assert manifest["options"]["attackers"] == ["births"]
    assert "resource births" in manifest["inputs"]
    assert str(tmp_path) not in text


def test_cost_is_the_price_over_the_risk(births):
    table, _ = rows_of("cost", "--state", "DE", "--state", "OH", "--attacker", births, "--rules", "paper")
    delaware, ohio = (table[table["state"] == state] for state in ("DE", "OH"))
    assert (delaware["usd_per_reidentification"] * delaware["total_risk"]).round(9).eq(100).all()
    assert ohio["status"].eq("not_covered").all()
    assert ohio["usd_per_reidentification"].isna().all()


def test_a_price_that_nobody_knows_is_unknown_and_not_free():
    words = ("cost", "--state", "TX", "--state", "CA", "--attacker", "california-birth-index", "--rules", "paper")
    table, _ = rows_of(*words)
    assert table.groupby("state")["status"].unique().map(list).to_dict() == {"CA": ["unknown"], "TX": ["not_covered"]}
    assert table.loc[table["state"] == "CA", "price_usd"].isna().all()


def test_an_attacker_without_a_file_pays_nothing():
    done = run("cost", "--attacker", "general")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)


def test_an_unknown_attacker_names_the_known_ones():
    done = run("compare", "--attacker", "texas-birth-indx")
    assert "Did you mean 'texas-birth-index'?" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("command", ["trust --state DE", "curve DE --g-max 20", "sensitivity DE"])
def test_trust_curve_and_sensitivity_take_a_file(births, command):
    table, _ = rows_of(*command.split(), "--attacker", births, "--rules", "paper")
    assert set(table["attacker"]) == {"births"}


def test_an_adversary_can_be_kept_from_a_file(births):
    births.write_text(births.read_text(encoding="utf-8") + '\n[buyers]\nallowed = ["party"]\n', encoding="utf-8")
    words = ("compare", "--state", "DE", "--attacker", births, "--adversary", "academic", "--rules", "paper")
    table, _ = rows_of(*words)
    assert set(table["status"]) == {"not_to_this_buyer"}


def test_what_if_takes_a_file_and_its_share(births):
    words = ("--attacker", births, "--set", "share=0.3", "--set", "birth=year", "--policy", "limited-dataset")
    table, notes = rows_of("lists", "what-if", "DE", *words)
    risk = table[table["measure"] == "total-risk"].iloc[0]
    assert risk["before"] > risk["after"] > 0
    assert "births: births of Delaware (DE)" in notes
    assert "voter lists" not in notes


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("DE", "--attacker", "general", "--set", "birth=year"),
            "everyone, as precisely as the policy shows them cannot be",
        ),
        (("--all-states", "--attacker", "texas-birth-index"), "leave out --attacker"),
    ],
)
def test_what_cannot_be_changed_is_said_in_one_line(words, said):
    done = run("lists", "what-if", *words)
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert said in done.stderr


@pytest.mark.slow
def test_the_records_of_a_file_are_scored_against_a_resource(births, tmp_path):
    visits = tmp_path / "visits.csv"
    visits.write_text("birth_date,sex,county\n1980-05-06,F,10001\n2019-01-02,F,10005\n", encoding="utf-8")
    words = ("dataset", "score", visits, "--fields", "birth_date,sex,county", "--state", "DE")
    table, notes = rows_of(*words, "--attacker", "general", "--attacker", births)
    scores = table.set_index("attacker")
    assert scores["records"].tolist() == [2, 2]
    assert scores.loc["births", "linkage_key"] == "gender+birth=date+geography=county"
    assert 0 < scores.loc["births", "largest_chance"] <= 0.6, "at most the share of the people who are listed"
    assert scores.loc["births", "total_risk"] == scores.loc["births", "largest_chance"], "nobody of 2019 is in it"
    assert "births: births of Delaware (DE)" in notes
    out = tmp_path / "out"
    assert run(*words, "--attacker", births, "--out", out).exit_code == 0
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["options"]["attackers"] == ["births"]
    assert "resource births" in manifest["inputs"]
