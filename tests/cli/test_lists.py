"""Commands about voter lists."""

from __future__ import annotations

import csv
import io
import json
import shutil

import pandas as pd
import pytest
from small_people import BY_COUNTY, BY_YEAR, frame, invoke, rows, run, written

from policy_sim.files.paths import voter_policies_dir

PAPER = ("--hipaa", "paper", "--coverage", "everyone")


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@pytest.fixture(autouse=True)
def _own_home(home, monkeypatch):
    monkeypatch.setenv("POLICY_SIM_HOME", str(home))
    monkeypatch.delenv("POLICY_SIM_DATABASE", raising=False)


def _rows(*args):
    done = run("lists", *args, "--format", "csv")
    return list(csv.DictReader(io.StringIO(done.stdout)))


def test_show_as_json_has_every_fact_with_source_and_date():
    done = run("lists", "show", "39", "--lists", "2008", "--format", "json")
    facts = {row["item"]: row for row in json.loads(done.stdout)}
    assert facts["birth"]["value"] == "included (year)"
    assert facts["geography"]["value"] == "included (county)"
    assert facts["gender"]["value"] == "withheld"
    assert "10.1136/jamia.2009.000026" in facts["birth"]["sources"]
    assert facts["birth"]["date"] == "2008"
    assert facts["price"]["value"] == "free"
    assert facts["uses"]["value"] == "unknown"


def test_show_for_the_eye_tells_conflicts_notes_and_sources():
    done = run("lists", "show", "WI", "--lists", "2008")
    for text in ("Wisconsin: voter list, vintage 2008", "Sources disagree", "72 re-identifications", "bm-deduced: "):
        assert text in done.stdout


def test_the_newest_list_is_the_default_and_a_day_chooses_another():
    assert "vintage 2026" in invoke("lists", "show", "OH").stdout
    assert "vintage 2008" in invoke("lists", "show", "OH", "--as-of", "2015-06-01").stdout


def test_list_has_a_row_a_state():
    rows = _rows("list", "--lists", "2008")
    assert len(rows) == 51
    assert {row["state"]: row["price"] for row in rows}["AZ"] == "not sold"
    assert {row["state"]: row["price"] for row in rows}["AL"] == "at least 28,000.00 USD"


def test_history_is_in_order_and_without_scenarios():
    assert [row["vintage"] for row in _rows("history", "PA")] == ["2002", "2008", "2020", "2026"]


def test_diff_takes_the_state_before_or_after_the_years():
    first = _rows("diff", "OH", 2008, 2026)
    assert first == _rows("diff", 2008, 2026, "OH") == _rows("diff", 2008, 2026, "--state", "ohio")
    assert {row["state"] for row in _rows("diff", "KY,LA", 2020, 2026)} == {"KY", "LA"}
    text = run("lists", "diff", "KY", 2020, 2026).stdout
    assert "KY birth: The text of 2015" in text
    assert "law: both values are known" in text
    assert "Nothing differs between 2020 and 2020." in run("lists", "diff", "OH", 2020, 2020).stdout


def test_check_gives_a_status_by_what_it_finds(tmp_path):
    shutil.copy(voter_policies_dir() / "xx.toml", tmp_path)
    good = invoke("lists", "check", tmp_path, "--today", "2026-06-01", "--strict")
    assert (good.exit_code, good.stdout) == (0, "0 findings\n")
    path = tmp_path / "xx.toml"
    path.write_text(path.read_text().replace("resolved = true", "resolved = false"))
    assert invoke("lists", "check", path, "--today", "2026-06-01").exit_code == 0
    weak = run("lists", "check", path, "--today", "2026-06-01", "--strict", code=1)
    assert weak.stdout.splitlines()[-1] == "2 findings: 1 conflict, 1 contradicted"
    path.write_text(path.read_text().replace('status = "available"', 'status = "open"'))
    broken = run("lists", "check", tmp_path, "--today", "2026-06-01", code=2)
    assert f"{tmp_path.name}/xx.toml: [2026] status = 'open'" in broken.stdout


@pytest.mark.slow
def test_check_ranks_what_to_look_up_next_by_people():
    lines = invoke("lists", "check", "IN", "LA", "--today", "2026-11-22", "--next", "3").stdout.splitlines()
    start = next(
        i for i, line in enumerate(lines) if line.startswith("What to look up next, by number of people affected (3 of")
    )
    people = [int(line.split()[-1].replace(",", "")) for line in lines[start + 3 :]]
    assert len(people) == 3
    assert people == sorted(people, reverse=True)
    assert "What to look up" not in invoke("lists", "check", "IN", "--next", "0").stdout


@pytest.mark.parametrize("when", [("--months", 10**9), ("--today", "0001-01-01")])
def test_check_judges_age_over_any_time(when):
    done = invoke("lists", "check", "OH", *when)
    assert (done.exit_code, "(old)" in done.stdout) == (0, False)


@pytest.mark.slow
def test_an_import_changes_what_is_shown(tmp_path):
    url = f"sqlite:///{tmp_path / 'own.sqlite'}"
    text = (voter_policies_dir() / "oh.toml").read_text(encoding="utf-8")
    head, tail = text.split("[2026.price]", 1)
    path = tmp_path / "oh.toml"
    path.write_text(
        head + "[2026.price]" + tail.replace('kind = "free"', 'kind = "flat"\nusd = 75', 1), encoding="utf-8"
    )
    assert invoke("dev", "lists", "import", path, "--database", url).exit_code == 0
    rows = {row["item"]: row["value"] for row in _rows("show", "OH", "--database", url)}
    assert rows["price"] == "75.00 USD"
    assert invoke("dev", "lists", "build", "--database", url).exit_code == 0
    assert {row["item"]: row["value"] for row in _rows("show", "OH", "--database", url)}["price"] == "75.00 USD"
    assert invoke("dev", "lists", "build", "--forget-imports", "--database", url).exit_code == 0
    assert _rows("export", "--database", url) == _rows("export")


@pytest.mark.slow
def test_lists_go_out_whole_or_not_at_all(tmp_path):
    assert len(json.loads(invoke("dev", "lists", "export", "--format", "json").stdout)) == 51
    unwritable = invoke("dev", "lists", "export", "--out", tmp_path / "no" / "lists.csv")
    assert (unwritable.exit_code, "Nothing was written" in unwritable.stderr) == (2, True)


# lists agreement and coding-sheet as a user runs them.


def test_agreement_is_what_the_page_prints(root):
    """The page on the data set has the same counts and the same kappa, to three places."""
    table = frame("dev", "lists", "agreement").set_index("item")
    page = (root / "docs" / "lists-as-data.md").read_text(encoding="utf-8")
    for item, row in table.iterrows():
        name = "all but facts that both call unknown" if item == "all but unknown" else item
        kappa = f"{row['kappa']:.3f}" if row["kappa"] < 1 else "1"
        assert f"| {name} | {row['facts']:.0f} | {row['agree']:.0f} | {kappa} |" in page


def test_a_sheet_that_is_filled_in_is_compared_with_the_lists_of_today(tmp_path):
    sheet = tmp_path / "sheet.csv"
    run("dev", "lists", "coding-sheet", "--share", "0.01", "--out", sheet)
    blank = pd.read_csv(sheet, dtype=str)
    assert blank["code"].isna().all()
    blank.assign(code="unknown")[blank["item"] != "status"].to_csv(sheet, index=False)
    assert frame("dev", "lists", "agreement", "--coding", sheet).set_index("item").loc["all", "facts"] > 10


def test_a_sheet_of_the_version_before_is_read(tmp_path):
    (tmp_path / "sheet.csv").write_text(
        "state,vintage,item,codes,sources,code,basis,note\n"
        "AK,2026,zip,included withheld unknown,,included,,\n"
        "AL,2026,zip,included withheld unknown,,withheld,,\n"
    )
    assert (
        frame("dev", "lists", "agreement", "--coding", tmp_path / "sheet.csv").set_index("item").loc["zip", "facts"]
        == 2
    )


# ``policy-sim lists what-if``: a change of law on people counted by hand.


@pytest.fixture
def people(tmp_path):
    return ("--population", written(tmp_path), "--coverage", "everyone")


def total_risk(*words):
    return {row["policy"]: row for row in rows("lists", "what-if", *words) if row["measure"] == "total-risk"}


def test_changes_of_a_file_and_of_options_go_together_and_options_win(people, tmp_path):
    law = tmp_path / "law.toml"
    law.write_text('birth = "withheld"\ngeography = "withheld"\n')
    words = ("OH", *people, "--policy", BY_COUNTY, "--changes", law)
    assert total_risk(*words)[BY_COUNTY]["after"] == 1
    assert total_risk(*words, "--set", "geography=county")[BY_COUNTY]["after"] == 2


def test_a_change_of_buyers_has_no_effect_unless_someone_is_held_back(people):
    done = run("lists", "what-if", "OH", *people, "--policy", BY_YEAR, "--set", "buyers=party")
    assert "no effect without --adversary" in done.output


# ``policy-sim lists coverage``: who is on the lists.


def test_coverage_by_age_is_the_default_of_one_state():
    ages = rows("lists", "coverage", "DE")
    assert [row["age"] for row in ages] == list(range(18, 120))
    assert sum(row["records"] for row in ages) == 788_441, "every record that was reported"


def test_coverage_by_county_with_what_was_reported():
    counties = rows("lists", "coverage", "DE", "--by", "county")
    assert [row["registered"] for row in counties] == [143_562, 437_544, 207_335]
    assert counties[2]["flag"] == "capped"
    assert [row["county"] for row in rows("lists", "coverage", "DE", "--flagged")] == ["10005"]


def test_coverage_writes_its_figure(tmp_path):
    run("lists", "coverage", "DE", "--out", tmp_path / "out")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"coverage.csv", "listed-by-age.png", "listed-by-age.svg", "manifest.json"}
