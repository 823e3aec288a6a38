"""The commands on disclosure rules and on cases."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from small_people import rows, run


def test_the_list_has_every_rule_and_a_level_some():
    assert len(rows("table", "rules", "list")) == 76
    states = rows("table", "rules", "list", "--level", "state")
    assert {row["level"] for row in states} == {"state"}
    assert [row["largest"] for row in states if row["rule"] == "wa-doh-10"] == [9]


def test_a_rule_is_shown_with_its_words_and_how_sure_it_is():
    text = run("table", "rules", "show", "cms").stdout
    assert "less than 11 may be displayed" in text
    assert "high: the text itself was read" in text
    assert "Look it up" in run("table", "rules", "show", "mmwr-week").stdout


def test_rules_are_compared_item_by_item():
    (largest,) = (
        row for row in rows("table", "rules", "compare", "cms", "wa-doh") if row["item"] == "largest hidden count"
    )
    assert (largest["cms-11"], largest["wa-doh-10"]) == ("10", "9")


@pytest.mark.slow
def test_a_plan_has_each_county_and_how_many_cases_it_needs():
    outcome = run("cases", "plan", "DE", "--fields", "age5,sex", "--format", "json")
    found = json.loads(outcome.stdout)
    wanted = {"10001": 2700, "10003": 2582, "10005": 2332}
    assert {row["county"]: row["cases_by_percentile"] for row in found} == wanted
    assert all(row["cases_by_mean"] < row["cases_by_percentile"] for row in found)
    assert "us-2020" in outcome.stderr


@pytest.mark.slow
def test_every_way_of_a_week_is_a_table_with_the_finest_and_a_map(tmp_path):
    counts, out = tmp_path / "week.csv", tmp_path / "week"
    counts.write_text("county,cases\n10001,300\n10003,2582\n10005,\n", encoding="utf-8")
    run("cases", "plan", "US", "--fields", "every", "--counts", counts, "--out", out)
    assert {path.name for path in out.iterdir()} == {
        *("allowed.csv", "finest.csv", "manifest.json"),
        *("map-allowed.png", "map-allowed.svg"),
    }
    finest = pd.read_csv(out / "finest.csv", dtype={"county": str}).set_index("county")
    allowed = pd.read_csv(out / "allowed.csv", dtype={"county": str})
    ways = allowed[allowed["allowed"]].groupby("county")["fields"].agg(set)
    assert finest["ways"].to_dict() == {county: len(of) for county, of in ways.items()}
    assert "age5,sex" in finest.loc["10003", "finest"].split("; ")
    assert all(set(row.finest.split("; ")) <= ways[county] for county, row in finest.iterrows())


def _records(path, people):
    """As many records as each line says, of Delaware's New Castle County."""
    header = "case_month,res_county,county_fips_code,age_group,sex,race,ethnicity,death_yn\n"
    lines = [f"2021-01,NEW CASTLE,10003,18 to 49 years,{person},No\n" * number for person, number in people]
    path.write_text(header + "".join(lines), encoding="utf-8-sig")
    return str(path)


def test_a_file_of_cases_is_checked_and_its_values_go_to_a_file_of_their_own(tmp_path):
    people = [("Female,White,Non-Hispanic/Latino", 1000), ("Male,Black,Unknown", 10)]
    file, values = _records(tmp_path / "cases.csv", people), tmp_path / "values.csv"
    outcome = run("cases", "check", file, "DE", "--combinations", values, "--format", "json", code=1)
    assert "FAILS: rules of CDC's ten: fails 6" in outcome.stderr
    found = {(row["rule"], row["reading"]): row for row in json.loads(outcome.stdout)}
    assert (found[6, "both"]["records"], found[6, "both"]["status"]) == (10, "fails")
    assert "black" not in outcome.stdout
    assert "black" in values.read_text()
    assert values.stat().st_mode & 0o077 == 0
    run("cases", "check", file, "--combinations", values, code=2)  # never written over


def test_a_file_of_cases_that_cannot_be_tested_whole_says_so(tmp_path):
    file = _records(tmp_path / "cases.csv", [("Female,White,Non-Hispanic/Latino", 1000)])
    assert "PASSES" in run("cases", "check", file, "DE").stdout
    text = (tmp_path / "cases.csv").read_text("utf-8-sig").replace("death_yn", "result")
    (tmp_path / "other.csv").write_text(text, encoding="utf-8")
    said = run("cases", "check", tmp_path / "other.csv", "DE").stdout
    assert "NOT ALL TESTED" in said
    assert "PASSES" not in said


def test_columns_are_found_in_any_case(tmp_path):
    (tmp_path / "week.csv").write_text("County,Cases\n10001,400\n10003,4000\n10005,20\n", encoding="utf-8")
    found = rows("cases", "plan", "DE", "--fields", "every", "--counts", tmp_path / "week.csv")
    assert {row["cases"] for row in found} == {400, 4000, 20}
    ages = ["0", "1-4", "5-14", "15-24", "25-34", "35-44", "45-54", "55-64", "65-74", "75-84", "85+"]
    lines = "".join(f"Adams,{age},4,1000\n" for age in ages)
    (tmp_path / "deaths.csv").write_text(f"County,Age,Count,Population\n{lines}", encoding="utf-8")
    run("table", "rates", tmp_path / "deaths.csv", "--by", "county")
