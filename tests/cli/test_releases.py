"""releases list, counts, show, history, diff and check, and compare with releases, as a user runs them."""

from __future__ import annotations

import io
import json

import pandas as pd
import pytest
from click.testing import CliRunner

from policy_sim.cli.main import cli


def run(*arguments: str, code: int = 0):
    done = CliRunner().invoke(cli, list(arguments))
    assert done.exit_code == code, done.output
    assert "Traceback" not in done.output
    return done


def rows(*arguments: str) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(run(*arguments, "--format", "csv").stdout))


def test_list_has_one_file_per_state_and_names_the_agreement():
    frame = rows("releases", "list")
    assert len(frame) == 36
    assert frame["agreement"].str.contains("HCUP data use agreement").all()
    assert frame["price_usd"].isna().all()
    assert "HCUP data use agreement" in run("releases", "list").stdout
    assert len(rows("releases", "list", "--year", "1998")) == 15


def test_counts_are_those_printed():
    frame = rows("releases", "counts").set_index("element")
    assert frame.loc["birth_month+sex+race+zip5", "shown"] == 20
    assert frame.loc["any_county", "shown"] == 34
    assert not {"AK", "CA"} & set(frame.loc["any_county", "states"].split())
    assert rows("releases", "counts", "--year", "1998").set_index("element").loc["zip5", "shown"] == 9
    assert "26 of 36" in run("releases", "counts").stdout


def test_show_in_three_forms():
    assert "2000-2008, 2010-2020" in run("releases", "show", "NC").stdout
    assert json.loads(run("releases", "show", "WA", "--format", "json").stdout)[0]["state"] == "WA"
    assert rows("releases", "show", "us")["counted"].tolist() == [33, 13, 3]


def test_show_of_one_year():
    """The emergency file ends in 2019, so 2020 has the inpatient file alone."""
    frame = rows("releases", "show", "MA", "--year", "2020").set_index("element")
    assert set(frame["file"]) == {"inpatient"}
    assert set(frame["shown"].dropna().astype(int)) == {2020}
    assert {"zip3", "county_from_zip", "discharge_year"} <= set(frame.index)
    assert "hospital_id" not in frame.index  # shown from 1995 to 1997
    assert "years:         1990-2020" in run("releases", "show", "MA", "--year", "2020").stdout
    assert set(rows("releases", "show", "MA")["file"]) == {"inpatient", "emergency"}


def test_history_and_diff():
    assert len(rows("releases", "history", "NC")) == 21
    assert len(rows("releases", "history", "NC", "--file", "emergency")) == 14
    assert rows("releases", "diff", "MA", "2018", "2020").empty  # the county from the ZIP code stays
    assert rows("releases", "diff", "CA", "2011", "2020")["element"].tolist() == [
        "birth_year",
        "hispanic_origin",
        "zip5",
        "zip3",
    ]


def test_check_counts_files_and_reports_what_is_wrong(tmp_path):
    assert rows("releases", "check").set_index("program").loc[["hcup-sid", "hcup-sedd"], "files"].sum() == 1191
    (tmp_path / "nc.toml").write_text('jurisdiction = "SC"\nnot_a_key = 1\n', encoding="utf-8")
    said = run("releases", "check", str(tmp_path), code=2).output
    assert "the file's name says 'NC'" in said
    assert "not_a_key is not a known key" in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("releases", "show", "OH"), "NC"),
        (("releases", "show", "MA", "--year", "2031"), "2020"),
        (("releases", "show", "US", "--year", "2020"), "is a survey of all states"),
        (("releases", "history", "NC", "--file", "night"), "emergency"),
        (("releases", "diff", "CA", "2012", "2020"), "2011"),
        (("compare", "--release", "NC"), "NC:2016"),
        (("simulate", "ME", "--policy", "release:newest"), "differs by state"),
        (("explore", "--than", "release:newest"), "differs by state"),
        (("policy", "show", "release:newest"), "differs by state"),
        (("policy", "new", "never-written.toml", "--from", "release:newest"), "differs by state"),
    ],
)
def test_what_there_is_not_is_one_line(arguments, said):
    done = run(*arguments, code=2)
    assert said in done.output
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_compare_puts_releases_beside_the_textbook_policies(tmp_path):
    done = run(
        *("compare", "--release", "newest", "--release", "NC:2016", "--state", "NC", "--state", "OH", "--g", "1"),
        *("--attacker", "general", "--population", "us-2010", "--rules", "paper", "--format", "csv"),
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
    assert own.loc["NC", "share"] == pytest.approx(0.293, abs=0.0005)
    assert own.loc["OH", "status"] == "unknown"
    assert "HCUP data use agreement" in done.stderr
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert "map-times-safe-harbor-paper-general.png" in names
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert "releases" in manifest["inputs"]


@pytest.mark.slow
def test_explore_shows_what_the_state_itself_hands_out():
    said = run("explore", "--state", "DE").stdout
    assert "own release: Delaware, inpatient file of 2020" in said
    assert "HCUP data use agreement" in said
    assert "own release: no release" in run("explore", "--state", "WY").stdout
    assert "own release was not measured" in run("explore", "--state", "DE", "--population", "us-2000").stdout


def test_a_release_is_shown_as_a_policy_with_its_terms():
    said = run("policy", "show", "release:NC:2016").stdout
    assert "birth      month" in said
    assert "HCUP data use agreement" in said
