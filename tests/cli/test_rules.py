"""--rules regulation and --zip3 as a user runs them, on a small population by ZIP code."""

from __future__ import annotations

import io
import json

import pandas as pd
import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli
from policy_sim.people.by_name import load_population
from policy_sim.words.errors import InputError

# 036 is small by the census and by the printed list, 369 by the census only, 063 by the list only.
ROWS = [
    ("CT", "09001", zip5, sex, age, 1, race, people)
    for zip5, people in (("03601", 3), ("36901", 4), ("06301", 5), ("06001", 6))
    for sex in "MF"
    for age in (40, 89, 90, 95)
    for race in ("white", "black")
]
COLUMNS = ["state", "county", "zip5", "sex", "age", "age_width", "race", "people"]


@pytest.fixture(scope="module")
def people(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("people") / "made.csv"
    pd.DataFrame(ROWS, columns=COLUMNS).to_csv(path, index=False)
    return str(path)


def run(*arguments: str, code: int = 0):
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == code, done.output
    assert "Traceback" not in done.output
    return done


def rows(people: str, *more: str) -> pd.DataFrame:
    out = run("compare", "--population", people, "--attacker", "general", "--format", "csv", *more).stdout
    return pd.read_csv(io.StringIO(out)).set_index(["policy", "measure"])["people"]


@pytest.mark.parametrize(
    ("zip3", "places"),
    [("computed", 3), ("hhs2000", 3), ("union", 2)],
)
def test_total_risk_counts_the_classes_that_are_left(people, zip3, places):
    """2 sexes x 2 races x 3 ages (40, 89, 90 and over) x the ZIP3 areas that are told apart.

    Computed hides 036 and 369 (left: 063, 060, 000); the printed list 036 and 063 (369, 060, 000);
    the union all three (060, 000).
    """
    found = rows(people, "--rules", "regulation", "--zip3", zip3)
    assert found["safe-harbor", "total-risk"] == 2 * 2 * 3 * places


def test_the_rules_as_written_are_the_default(people):
    pd.testing.assert_series_equal(rows(people), rows(people, "--rules", "regulation"))
    assert rows(people, "--rules", "paper")["safe-harbor-paper", "total-risk"] == 2 * 2 * 4  # every age, the state only


def test_limited_data_set_as_written_is_by_county_and_zip_code(people):
    found = rows(people, "--rules", "regulation")
    beside = rows(people, "--rules", "paper")
    # four ZIP codes in one county: dates alone leave fewer apart than dates with ZIP codes
    assert found["limited-dataset", "total-risk"] > beside["limited-dataset-paper", "total-risk"]


@pytest.mark.parametrize("command", [("compare",), ("trust",), ("cost",), ("curve", "CT", "--g-max", "3")])
def test_every_study_command_takes_a_form_of_the_rules(people, command):
    text = run(*command, "--population", people, "--rules", "regulation").stdout
    assert "45 CFR 164.514" in text
    assert "000 replaces" in text


def test_the_manifest_says_which_rules_were_used(people, tmp_path):
    run("trust", "--population", people, "--rules", "regulation", "--zip3", "union", "--out", str(tmp_path / "out"))
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["options"]["rules"] == "regulation"
    assert manifest["options"]["zip3"] == "union"
    assert "policy safe-harbor" in manifest["inputs"]


@pytest.mark.slow
def test_a_population_without_zip_codes_is_measured_by_county_and_says_so():
    done = run("compare", "--population", "us-2000", "--state", "DE", "--format", "csv")
    keys = set(pd.read_csv(io.StringIO(done.stdout)).query("attacker == 'general'")["linkage_key"])
    assert keys == {
        "gender+race+birth=year+geography=state (age<90)",
        "gender+race+birth=date+geography=county",
    }
    assert "limited-dataset: measured by county, not by ZIP code" in done.stderr
    assert "safe-harbor: measured by state, not by ZIP code" in done.stderr
    # a policy that names ZIP codes itself is still refused
    assert "has no zip5" in run("compare", "--population", "us-2000", "--policy", "zip5", code=2).output


@pytest.mark.slow
def test_the_form_is_named_everywhere(tmp_path):
    for rules, said in (("regulation", "as 45 CFR 164.514 states them"), ("paper", "The regulation also allows")):
        done = run("trust", "--state", "DE", "--rules", rules, "--format", "csv", "--out", str(tmp_path / rules))
        assert said in done.stderr
        assert json.loads((tmp_path / rules / "manifest.json").read_text())["options"]["rules"] == rules


@pytest.mark.slow
def test_the_preset_of_the_paper_is_the_paper_whole(tmp_path):
    run("trust", "--as", "benitez-malin-2010", "--state", "DE", "--out", str(tmp_path / "out"))
    options = json.loads((tmp_path / "out" / "manifest.json").read_text())["options"]
    assert (options["rules"], options["coverage"], options["population"]) == ("paper", "everyone", ["us-2000"])


@pytest.mark.slow
def test_a_county_population_answers_for_zip_codes_by_the_make_up_of_its_counties():
    asked = ("compare", "--population", "us-2010", "--coverage", "everyone", "--state", "OH")
    rows = run(*asked, "--format", "json").stdout
    shares = {
        (row["policy"], row["attacker"]): row["share"] for row in json.loads(rows) if row["measure"] == "total-risk"
    }
    # one draw of us-2010-zip gives 0.709 for the limited data set and the voter list
    assert round(shares["limited-dataset", "voter"], 3) == 0.709
    assert shares["safe-harbor", "general"] < shares["limited-dataset", "voter"]
    text = " ".join(run("compare", "--population", "us-2010", "--rules", "regulation", "--state", "DE").stdout.split())
    assert "ZIP codes: expected values" in text


def test_another_census_by_zip_code_says_what_is_at_hand():
    with pytest.raises(InputError, match="only for us-2010, us-2020"):
        load_population("us-2000-zip")


@pytest.mark.slow
def test_the_population_by_zip_code_has_every_person_of_its_county_cells():
    base, made = load_population("us-2010"), load_population("us-2010-zip")
    keys = ["county", "sex", "age", "race"]
    small = ["DE", "WY"]
    a, b = (
        p.in_states(small)
        .cells.astype({"people": "int64", "age": "int64"})
        .groupby(keys, observed=True)["people"]
        .sum()
        for p in (base, made)
    )
    pd.testing.assert_series_equal(a.sort_index(), b.sort_index())
    assert made.people == base.people
    assert made.provenance.modeled == 1.0
    assert "modeled" in made.provenance.describe()
