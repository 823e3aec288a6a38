"""Commands about what is released and what attackers have."""

from __future__ import annotations

import io
import json
import re

import pandas as pd
import pytest
from small_people import frame, invoke, run

from policy_sim.attackers.files import list_resources
from policy_sim.policies.files import list_policies

# policy list, show, check and new as a user runs them.


def test_list_has_every_policy():
    rows = frame("policy", "list")
    assert rows["policy"].tolist() == list(list_policies())
    assert rows["citation"].notna().all()
    text = run("policy", "list").stdout
    assert "zip3 of more than 20,000 people" in text
    assert "age < 90" in text


def test_show_gives_each_rule_with_its_paragraph():
    text = run("policy", "show", "safe-harbor").stdout
    for expected in ("164.514(b)(2)(i)(C)", "164.514(b)(2)(i)(B)(2)", "17 prefixes", "18 prefixes", "ages 90 and over"):
        assert expected in text
    assert "safe-harbor-paper (rules: paper)" in run("policy", "show", "safe-harbor").stdout
    rows = json.loads(run("policy", "show", "limited-dataset", "--format", "json").stdout)
    assert all(row["citation"].startswith("45 CFR 164.514(e)") for row in rows)


@pytest.mark.slow
def test_new_then_check_then_measure(tmp_path):
    path = tmp_path / "ours.toml"
    assert str(path) in run("policy", "new", str(path)).stdout
    assert "is a valid policy" in run("policy", "check", str(path)).stdout
    assert "already exists. Choose another name." in run("policy", "new", str(path), code=2).output
    done = run("model", "trust", "--policy", "safe-harbor", "--policy", str(path), "--state", "DE", "--format", "csv")
    assert set(pd.read_csv(io.StringIO(done.stdout))["numerator_policy"]) == {"ours"}


@pytest.mark.slow
def test_check_with_a_population_applies_the_release_checks():
    arguments = ("check", "safe-harbor-without-zip", "--population", "us-2010", "--state", "WY")
    rows = frame("policy", *arguments)
    assert rows["check"].tolist() == ["calhhs-ddg", "cms-cell-size"]
    assert rows["people"].tolist() == [563_626, 563_626]  # Census 2010
    assert (rows["people_withheld"] <= rows["people"]).all()
    assert rows["cells_withheld_share"].between(0, 1).all()
    assert "everyone in the state" in run("policy", *arguments).stdout


# releases list, counts, show, history, diff and check, and compare with releases, as a user runs them.


def test_list_has_one_file_per_state_and_names_the_agreement():
    table = frame("policy", "releases", "list")
    assert len(table) == 36
    assert table["agreement"].str.contains("HCUP data use agreement").all()
    assert table["price_usd"].isna().all()
    assert "HCUP data use agreement" in run("policy", "releases", "list").stdout
    assert len(frame("policy", "releases", "list", "--year", "1998")) == 15


def test_show_in_three_forms():
    assert "2000-2008, 2010-2020" in run("policy", "releases", "show", "NC").stdout
    assert json.loads(run("policy", "releases", "show", "WA", "--format", "json").stdout)[0]["state"] == "WA"
    assert frame("policy", "releases", "show", "us")["counted"].tolist() == [33, 13, 3]


def test_years_of_a_release_are_shown_and_compared():
    """The emergency file ends in 2019, so 2020 has the inpatient file alone."""
    assert frame("policy", "releases", "counts").set_index("element").loc["birth_month+sex+race+zip5", "shown"] == 20
    assert set(frame("policy", "releases", "show", "MA", "--year", "2020")["file"]) == {"inpatient"}
    assert set(frame("policy", "releases", "show", "MA")["file"]) == {"inpatient", "emergency"}
    assert len(frame("policy", "releases", "history", "NC", "--file", "emergency")) == 14
    changed = ["birth_year", "hispanic_origin", "zip5", "zip3"]
    assert frame("policy", "releases", "diff", "CA", "2011", "2020")["element"].tolist() == changed


def test_check_counts_files_and_reports_what_is_wrong(tmp_path):
    assert (
        frame("policy", "releases", "check").set_index("program").loc[["hcup-sid", "hcup-sedd"], "files"].sum() == 1191
    )
    (tmp_path / "nc.toml").write_text('jurisdiction = "SC"\nnot_a_key = 1\n', encoding="utf-8")
    said = run("policy", "releases", "check", str(tmp_path), code=2).output
    assert "the file's name says 'NC'" in said
    assert "not_a_key is not a known key" in said


@pytest.mark.slow
def test_compare_puts_releases_beside_the_textbook_policies(tmp_path):
    done = run(
        *("compare", "--release", "newest", "--release", "NC:2016", "--state", "NC", "--state", "OH", "--g", "1"),
        *("--attacker", "general", "--population", "us-2010", "--hipaa", "paper", "--format", "csv"),
        *("--out", str(tmp_path / "out")),
    )
    frame = pd.read_csv(io.StringIO(done.stdout))
    assert frame["policy"].unique().tolist() == [
        "safe-harbor-paper",
        "limited-dataset-paper",
        "release:newest",
        "release:NC:2016",
    ]
    own = frame[(frame["policy"] == "release:newest") & (frame["measure"] == "total-risk")].set_index("state")
    assert own.loc["NC", "share"] == pytest.approx(0.316, abs=0.0005)
    assert own.loc["OH", "status"] == "unknown"
    assert "HCUP data use agreement" in done.stderr
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert "map-times-safe-harbor-paper-general.png" in names
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert "releases" in manifest["inputs"]


@pytest.mark.slow
def test_explore_shows_what_the_state_itself_hands_out():
    said = run("policy", "explore", "--state", "DE").stdout
    assert "own release: Delaware, inpatient file of 2020" in said
    assert "HCUP data use agreement" in run("policy", "explore", "--state", "DE", "--format", "json").stderr
    assert "own release: no release" in run("policy", "explore", "--state", "WY").stdout
    assert "own release was not measured" in run("policy", "explore", "--state", "DE", "--population", "us-2000").stdout


def test_a_release_is_shown_as_a_policy_with_its_terms():
    said = run("policy", "show", "release:NC:2016").stdout
    assert "birth      month" in said
    assert "HCUP data use agreement" in said


# Another resource in every command, from one TOML file.


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


def rows_of(*words):
    done = run(*words, "--format", "csv")
    return pd.read_csv(io.StringIO(done.stdout)), done.stderr


@pytest.fixture
def births(tmp_path):
    path = tmp_path / "births.toml"
    path.write_text(BIRTHS, encoding="utf-8")
    return path


def test_every_shipped_resource_is_listed():
    table, _ = rows_of("lists", "resources", "list")
    assert sorted(table["name"]) == sorted(list_resources())
    assert "texas-birth-index" in invoke("lists", "resources", "list").stdout


def test_one_resource_as_json_and_a_file_of_ones_own(births):
    facts = {
        row["item"]: row for row in json.loads(invoke("lists", "resources", "show", births, "--format", "json").stdout)
    }
    assert (facts["birth"]["value"], facts["price"]["value"]) == ("included (date)", "100.00 USD")
    assert facts["share"]["value"] == "60% of them"


def test_compare_with_a_file_beside_the_others(births):
    words = ("compare", "--state", "DE", "--attacker", "general", "--attacker", births, "--hipaa", "paper")
    table, notes = rows_of(*words)
    assert list(table["attacker"].unique()) == ["general", "births"]
    risk = table[(table["measure"] == "total-risk") & (table["policy"] == "limited-dataset-paper")].set_index(
        "attacker"
    )
    assert risk.loc["births", "linkage_key"] == "gender+birth=date+geography=county"
    assert 0 < risk.loc["births", "people"] < risk.loc["general", "people"]
    assert re.search(r"births: .* \(DE\); .* from 1940 to 2015, 60% ", notes)


def test_a_folder_names_the_resource_and_its_checksum(births, tmp_path):
    out = tmp_path / "out"
    run("econ", "cost", "--state", "DE", "--attacker", births, "--out", out, "--format", "csv")
    text = (out / "manifest.json").read_text(encoding="utf-8")
    manifest = json.loads(text)
    assert manifest["options"]["attackers"] == ["births"]
    assert "resource births" in manifest["inputs"]
    assert str(tmp_path) not in text


@pytest.mark.slow
@pytest.mark.parametrize("command", ["model trust --state DE", "model curve DE --g-max 20", "model sensitivity DE"])
def test_trust_curve_and_sensitivity_take_a_file(births, command):
    table, _ = rows_of(*command.split(), "--attacker", births, "--hipaa", "paper")
    assert set(table["attacker"]) == {"births"}
