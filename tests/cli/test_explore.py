"""explore as a user runs it."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from small_people import frame, one_line, population_of, rows, run

from policy_sim.model.explore.search import measured_alone
from policy_sim.people.by_name import load_population
from policy_sim.policies.files import load_policy
from policy_sim.study.study import Study


@pytest.mark.slow
def test_by_default_the_policy_to_do_better_than_is_the_rule_as_written():
    """Its ZIP codes are answered by the make-up of the counties, as in a comparison; the search shows counties."""
    answer = Study("us-2010").explore("DE", g=[1, 5])
    baseline = answer.baseline.iloc[0]
    safe = Study("us-2010").compare("safe-harbor", "general", "DE", [1, 5]).profiles[0]
    for column, measure in (("total_risk", "total-risk"), ("distinct_1", "1-distinct"), ("distinct_5", "5-distinct")):
        assert baseline[column] == pytest.approx(safe.people(measure).low, rel=1e-9)
    found = answer.to_frame()
    assert found["better"].any()
    assert (found.loc[found["better"], "total_risk"] <= baseline["total_risk"]).all()
    assert not found["policy"].str.contains("zip").any()


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["paper", "regulation"])
def test_the_limited_data_set_is_drawn_in_the_form_that_was_asked_for(rules):
    """By ZIP code and county as the regulation has it, and not by county alone as the paper has it."""
    people = [
        ("CT", "09001", zip5, sex, age, 1, race, 30)
        for zip5 in ("06001", "06301", "36901")
        for sex in "MF"
        for age in (40, 95)
        for race in ("white", "black")
    ]
    columns = ["state", "county", "zip5", "sex", "age", "age_width", "race", "people"]
    study = Study(population_of(people, columns))
    marks = study.explore("CT", rules=rules).marks.set_index("policy")
    compared = study.compare("limited-dataset", "general", "CT", 1, rules=rules).profiles[0]
    assert marks.index[1] == compared.policy
    assert marks["total_risk"].iloc[1] == pytest.approx(compared.people("total-risk").low, rel=1e-11)


@pytest.mark.slow
def test_rows_of_the_frontier_by_another_measure():
    found = rows("explore", "--state", "DE", "--population", "us-2010", "--g", "5", "--rows", "frontier")
    utilities = [row["utility"] for row in sorted(found, key=lambda row: row["distinct_5"])]
    assert utilities
    assert utilities == sorted(utilities)


@pytest.mark.slow
def test_tables_say_what_was_searched_and_files_are_written_whole(tmp_path):
    text = run("explore", "--state", "DE", "--population", "us-2010").stdout
    for expected in ("Safe Harbor", "policies that do better", "2,520 policies", "utility: entropy"):
        assert expected in text
    out = tmp_path / "out"
    both = run("explore", "--state", "DE", "--state", "WY", "--population", "us-2010", "--out", str(out)).stdout
    assert "best of them" in both
    names = {path.name for path in out.iterdir()}
    assert {
        "policies.csv",
        "best.csv",
        "frontier-DE.png",
        "frontier-WY.svg",
        "best-policy.png",
        "manifest.json",
    } <= names
    best = pd.read_csv(out / "best.csv")
    assert best["state"].tolist() == ["DE", "WY"]
    assert (best["total_risk"] <= best["than_total_risk"]).all()
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["options"]["than"] == "safe-harbor"


@pytest.mark.slow
def test_a_state_without_a_better_policy_says_so():
    """Nothing keeps more than the finest policy of all."""
    arguments = ("--state", "DE", "--state", "WY", "--population", "us-2010", "--than", "limited-dataset")
    text = run("explore", *arguments).stdout
    assert "none" in text
    assert "nothing better: keep fewer fields" in text
    assert "nothing better" not in run("explore", *arguments, "--rows", "frontier").stdout


@pytest.mark.slow
def test_a_range_of_risk_is_one_line_or_all_that_is_shown():
    asked = ("explore", "--state", "DE", "--population", "us-2010", "--risk-between")
    found = frame(*asked, "0.001", "0.01")
    assert len(found) > 10
    assert found["total_risk_share"].between(0.001, 0.01).all()
    assert "LOW <= HIGH" in one_line(*asked, "1", "0")


@pytest.mark.slow
def test_better_than_safe_harbor_with_sex_and_race_in_full():
    options = ("--keep", "sex", "--keep", "race", "--age-classes", "--rules", "paper")
    best = max(rows("explore", "--state", "WA", *options, "--rows", "better"), key=lambda row: row["utility_bits"])
    alone = measured_alone(load_population("us-2020"), load_policy("safe-harbor-paper"), ["WA"]).iloc[0]
    assert (best["gender"], best["race"], best["birth"]) == ("value", "value", "age_classes")
    assert best["total_risk"] <= alone["total_risk"]
    assert (round(best["utility_bits"], 2), round(alone["utility_bits"], 2)) == (9.19, 9.03)


@pytest.mark.slow
def test_age_classes_are_written_below_the_table():
    options = ("--population", "us-2010", "--keep", "sex", "--age-classes", "--rules", "paper")
    asked = ("explore", "--state", "DE", *options)
    assert "ages, sex+" in run(*asked).stdout
    assert "kept: policies that release at least sex" in run(*asked, "--format", "json").stderr


@pytest.mark.slow
def test_weights_from_a_file(tmp_path):
    file = tmp_path / "weights.toml"
    file.write_text("race = 3\nbirth = 0.1\n", encoding="utf-8")
    options = ("--population", "us-2010", "--rules", "paper", "--weights", str(file), "--out", str(tmp_path / "out"))
    text = run("explore", "--state", "DE", *options).stdout
    assert "(sex 1, race 3, ethnicity 1, birth 0.1, geography 1)" in text
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["options"]["weights"] == "sex 1, race 3, ethnicity 1, birth 0.1, geography 1"
    file.write_text("races = 3\n", encoding="utf-8")
    assert "races is not a field" in run("explore", "--state", "DE", *options, code=2).output
    assert "How finely do you need" in run("explore", "--state", "DE", "--keep", "birth", code=2).output
