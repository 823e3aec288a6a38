"""compare, trust, cost and curve as a user runs them."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys

import pandas as pd
import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli

COLUMNS = [
    *("state", "state_name", "fips", "policy", "attacker", "measure", "g"),
    *("people", "share", "people_high", "share_high"),
    *("population", "linkage_key", "status", "reason", "lists"),
    *("in_file", "small_file_share", "small_file_share_high"),
]


def run(*arguments: str, code: int = 0):
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == code, done.output
    assert "Traceback" not in done.output
    return done


@pytest.mark.slow
def test_tidy_rows_in_every_format():
    arguments = ("compare", "--state", "DE", "--state", "ohio")
    csv = pd.read_csv(io.StringIO(run(*arguments, "--format", "csv").stdout))
    assert list(csv.columns) == COLUMNS
    assert len(csv) == 2 * 2 * 2 * 8
    assert not csv.isin([float("inf"), float("-inf")]).any().any()
    from_json = pd.DataFrame(json.loads(run(*arguments, "--format", "json").stdout))
    from_parquet = pd.read_parquet(io.BytesIO(run(*arguments, "--format", "parquet").stdout_bytes))
    for other in (from_json, from_parquet):
        pd.testing.assert_series_equal(
            csv["people"], other["people"].astype(float), check_names=False, rtol=1e-12, check_dtype=False
        )


@pytest.mark.slow
def test_every_output_says_which_people_lists_and_options():
    table = run("compare", "--state", "DE").stdout
    notes = run("compare", "--state", "DE", "--format", "csv").stderr
    for text in (table, notes):
        assert "population: us-2020" in text
        assert "modeled" in text
        assert "voter lists: vintage 2026" in text
        assert "365 equally likely birthdays" in text


@pytest.mark.slow
def test_out_holds_everything_and_a_manifest_of_it(tmp_path):
    out = tmp_path / "new" / "out"
    run("compare", "--as", "benitez-malin-2010", "--state", "DE", "--state", "WV", "--out", str(out))
    manifest = json.loads((out / "manifest.json").read_text())
    assert {
        "profiles.csv",
        "trust.csv",
        "cost.csv",
        "map-cost-safe-harbor-paper.png",
        "map-cost-safe-harbor-paper.svg",
    } <= set(manifest["files"])
    assert set(manifest["files"]) | {"manifest.json"} == {path.name for path in out.iterdir()}
    for name, digest in manifest["files"].items():
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == digest
    assert manifest["options"]["lists"] == "2008"
    assert manifest["options"]["population"] == ["us-2000"]
    assert all(len(digest) == 64 for digest in manifest["inputs"].values())
    assert list(tmp_path.joinpath("new").iterdir()) == [out]


@pytest.mark.slow
def test_the_same_run_gives_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        run("compare", "--state", "DE", "--out", str(tmp_path / name))
    assert (tmp_path / "a" / "manifest.json").read_bytes() == (tmp_path / "b" / "manifest.json").read_bytes()


@pytest.mark.slow
def test_a_full_disk_leaves_the_folder_as_it_was(tmp_path):
    """The system refuses files over a size, as it does on a full disk, while the second run writes."""
    out = tmp_path / "out"
    run("cost", "--state", "DE", "--out", str(out))
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (256, 256))\n"
        "from policy_sim.cli.main import main; main()"
    )
    command = [sys.executable, "-c", code, "cost", "--state", "OH", "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "Nothing was written" in done.stderr
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.slow
def test_out_that_cannot_be_a_folder(tmp_path):
    (tmp_path / "file").write_text("mine")
    done = run("cost", "--state", "DE", "--out", str(tmp_path / "file" / "out"), code=2)
    assert "Nothing was written" in done.stderr
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("compare", "--state", "Ohoi"), "state 'Ohoi' is not known. Did you mean"),
        (("compare", "--lists", "1999"), "'1999' is not known"),
        (("compare", "--policy", "safe-habor"), "Did you mean 'safe-harbor'?"),
        (("compare", "--population", "us-1990"), "population 'us-1990' is not known"),
        (("compare", "--as", "nobody-1900"), "benitez-malin-2010"),
        (("compare", "--g", "0"), "0 is not in the range 1<=x<=1000000000"),
        (("compare", "--policy", "no-such.toml"), "no-such.toml"),
        (("compare", "--population", "no-such.csv"), "no-such.csv"),
        (("compare", "--days-per-year", "nan"), "nan is not a number"),
        (("cost", "--attacker", "general"), "its price is not modeled"),
        (("curve", "OH", "--state", "TX"), "Got unexpected extra argument"),
        (("curve", "--g-max", "5", "--state"), "'--state' requires an argument"),
        (("trust", "--numerator", "safe-harbor"), "name two"),
        (("curve", "Ohoi"), "state 'Ohoi' is not known"),
        (("curve", "OH", "--g-max", "1000000000"), "is not in the range 1<=x<=1000000"),
    ],
)
def test_a_wrong_question_is_one_clear_line(arguments, text):
    done = run(*arguments, code=2)
    assert text in done.stderr
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1


def test_a_population_with_faults_names_them_all(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("state,county,age,age_width,people\nOH,39001,30,1,-4\nOH,39001,30,1,5\nOH,39001,30,1,5\n")
    done = run("compare", "--population", str(path), code=2)
    assert "people that is not a whole number of 0 or more" in done.stderr
    assert "appear twice" in done.stderr


def test_a_policy_with_faults_names_them_all(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\ncolor = 1\n[fields]\nbirth = "yaer"\n')
    done = run("compare", "--policy", str(path), code=2)
    for text in ("title", "citation", "color", "yaer"):
        assert text in done.stderr


def test_trust_says_undefined_where_it_divides_by_nothing():
    rows = pd.read_csv(
        io.StringIO(run("trust", "--as", "benitez-malin-2010", "--state", "NH", "--format", "csv").stdout)
    )
    one = rows[(rows["attacker"] == "voter") & (rows["g"] == 1)].iloc[0]
    assert (one["status"], one["denominator"]) == ("undefined", 0)
    assert pd.isna(one["ratio"])


@pytest.mark.slow
def test_four_kinds_of_no_price():
    rows = pd.read_csv(io.StringIO(run("cost", "--as", "benitez-malin-2010", "--format", "csv").stdout))
    status = rows[rows["policy"] == "limited-dataset-paper"].set_index("state")["status"]
    assert status["VA"] == "free"
    assert status["WV"] == "ok"
    assert status["AZ"] == "county_only"
    assert status["DE"] == "unknown"
    priced = rows["usd_per_reidentification"].notna()
    assert set(rows[priced]["status"]) <= {"ok", "free", "interval", "at_least"}


@pytest.mark.slow
def test_curve_writes_its_figures(tmp_path):
    run("curve", "OH", "--g-max", "50", "--out", str(tmp_path / "ohio"))
    assert {"curve.csv", "curve.png", "curve.svg", "trust.csv", "trust.png", "trust.svg", "manifest.json"} == {
        path.name for path in (tmp_path / "ohio").iterdir()
    }


def test_curve_has_both_measures_in_every_row_and_takes_one_population():
    asked = ("curve", "OH", "--g-max", "5", "--rules", "paper", "--coverage", "everyone")
    rows = pd.read_csv(io.StringIO(run(*asked, "--format", "csv").stdout))
    assert len(rows) == 2 * 2 * 5
    above = rows[rows["policy"] == "limited-dataset-paper"].set_index(["attacker", "g"])
    below = rows[rows["policy"] == "safe-harbor-paper"].set_index(["attacker", "g"])
    assert below["ratio"].isna().all()
    # no ratio over less than one person: nobody is alone in Safe Harbor with the voter list
    ratio = (above["share"] / below["share"]).where(below["share"] * 11_799_448 >= 1)
    pd.testing.assert_series_equal(above["ratio"], ratio, check_names=False)
    assert above["ratio"].notna().sum() == 5
    two = ("--population", "us-2000", "--population", "us-2010")
    assert "one population" in run("curve", "OH", *two, code=2).stderr


@pytest.mark.slow
@pytest.mark.parametrize("options", [("--attacker", "voter"), ("--policy", "safe-harbor")])
def test_curve_without_a_ratio_draws_what_there_is(tmp_path, options):
    run("curve", "CT", "--as", "benitez-malin-2010", "--g-max", "5", *options, "--out", str(tmp_path / "ct"))
    assert (tmp_path / "ct" / "curve.png").exists()
    assert not (tmp_path / "ct" / "trust.png").exists()
    header, *rest = (tmp_path / "ct" / "trust.csv").read_text().splitlines()
    assert header.startswith("state,state_name,fips,attacker,g,numerator_policy,denominator_policy,ratio,ratio_high,")
    assert rest == []


@pytest.mark.slow
def test_out_may_be_a_folder_in_one_that_cannot_be_written(tmp_path):
    """A folder that is a disk of its own, as in a container: nothing may be made beside it."""
    out = tmp_path / "shut" / "out"
    out.mkdir(parents=True)
    out.parent.chmod(0o555)
    try:
        run("cost", "--state", "DE", "--out", str(out))
    finally:
        out.parent.chmod(0o755)
    assert {path.name for path in out.iterdir()} == {"cost.csv", "manifest.json"}


def test_the_manifest_names_every_input_also_the_users_own(tmp_path):
    people = tmp_path / "people.csv"
    people.write_text("state,county,sex,race,age,age_width,people\nOH,39001,F,white,30,1,7\nOH,39003,M,white,31,1,9\n")
    policy = tmp_path / "mine.toml"
    policy.write_text('name = "mine"\ntitle = "Mine"\ncitation = "me"\n[fields]\nbirth = "year"\n')
    who = tmp_path / "who.toml"
    who.write_text('title = "who"\nbuyer = ["public"]\npurpose = "scholarly"\n')
    own = ("--population", str(people), "--policy", str(policy), "--adversary", str(who), "--coverage", "registered")
    run("cost", *own, "--out", str(tmp_path / "out"))
    text = (tmp_path / "out" / "manifest.json").read_text()
    assert str(tmp_path) not in text
    inputs = json.loads(text)["inputs"]
    for name, path in (("population people", people), ("policy mine", policy), ("adversary who", who)):
        assert inputs[name] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert len(inputs["registered voters"]) == len(inputs["voter lists"]) == 64


@pytest.mark.slow
def test_one_state_gets_its_counties_its_curve_and_its_place_not_a_map_of_the_nation(tmp_path):
    run("compare", "--state", "DE", "--attacker", "general", "--rules", "paper", "--out", str(tmp_path / "out"))
    names = {path.name for path in (tmp_path / "out").glob("*.svg")}
    counties = {f"map-county-{policy}-general.svg" for policy in ("safe-harbor-paper", "limited-dataset-paper")}
    assert names == counties | {"curve.svg", "place.svg"}
    text = (tmp_path / "out" / "map-county-limited-dataset-paper-general.svg").read_text(encoding="utf-8")
    assert text.count("<title>") == 3
    assert "<title>Kent, Delaware: " in text
    assert "source: U.S. Census Bureau" in text


@pytest.mark.slow
def test_a_list_that_the_public_cannot_have_is_no_free_list(tmp_path):
    """Massachusetts: "for those who may have it; the public can have no statewide list"."""
    states = ("--state", "MA", "--state", "OH", "--rules", "paper")
    run("compare", *states, "--attacker", "voter", "--policy", "safe-harbor", "--out", str(tmp_path / "out"))
    text = (tmp_path / "out" / "map-cost-safe-harbor-paper.svg").read_text(encoding="utf-8")
    assert "<title>Massachusetts: free*</title>" in text
    assert "<title>Ohio: free</title>" in text
    assert "only some buyers may have the list (1)" in text
