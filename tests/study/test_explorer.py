from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace

import pytest
from small_people import BY_COUNTY, BY_YEAR, PEOPLE, small

from policy_sim.people.population import Population
from policy_sim.study.study import Study, explorer_policies
from policy_sim.words.errors import InputError
from policy_sim.words.fields import Field


@pytest.fixture(scope="module")
def small_page():
    people = Study("us-2020").people.in_states(["DE", "RI"])
    return Study(people).explorer()


@pytest.mark.slow
def test_a_page_is_whole_and_asks_nobody(small_page):
    assert small_page.startswith("<!doctype html>")
    assert small_page.rstrip().endswith("</html>")
    assert "{{" not in re.sub(r"<script.*?</script>", "", small_page, flags=re.DOTALL)
    outside = re.findall(r"<(?:script|link|img|iframe)[^>]*(?:src|href)=", small_page)
    assert outside == []
    assert "default-src 'none'" in small_page
    assert len(small_page.encode()) < 1_000_000


@pytest.mark.slow
def test_the_same_study_gives_the_same_page(small_page):
    people = Study("us-2020").people.in_states(["DE", "RI"])
    assert Study(people).explorer() == small_page


def test_people_without_counties_are_refused():
    people = Study("us-2020").people.in_states(["DE"])
    merged = people.cells.drop(columns="county").groupby(["state", "age", "age_width", "sex", "race"], observed=True)
    cells = merged["people"].sum().reset_index()
    with pytest.raises(InputError, match="county"):
        Study(Population(cells, people.provenance)).explorer()


def test_the_policies_that_most_choose_come_first():
    names = [policy.name for policy in explorer_policies()]
    assert names[:4] == ["limited-dataset", "safe-harbor", "limited-dataset-paper", "safe-harbor-paper"]
    assert len(set(names)) == len(names)
    assert all(policy.releases[Field.GEOGRAPHY] in ("state", "county") for policy in explorer_policies(by_zip=False))


# Synthetic people and the simulated attack, on people counted by hand.


@pytest.fixture(scope="module")
def study():
    return Study(small(), 2026)


def test_everyone_has_their_census_age_on_the_day(study):
    """Of 96 people of Ohio, 24 are 10, 16 are 30, 24 are 31 and 32 are 95 years old."""
    people = study.synthesize("OH", census_day="2020-04-01")
    day = dt.date(2020, 4, 1)
    born = [dt.date.fromisoformat(str(text)[:10]) for text in people["birth_date"]]
    ages = [day.year - at.year - ((at.month, at.day) > (day.month, day.day)) for at in born]
    assert {age: ages.count(age) for age in set(ages)} == {age: 8 * many for age, many in PEOPLE.items()}


def test_a_seed_makes_the_same_people_and_another_makes_others(study):
    first, again, other = (study.synthesize("OH", people=10, seed=seed) for seed in (1, 1, 2))
    assert first.equals(again)
    assert not first.equals(other)


def test_a_simulated_attack_agrees_with_the_formula_where_nothing_is_left_to_chance(study):
    """By year and state, groups are those of the census: 4 expected matches, whoever is born when."""
    rows = study.simulate("OH", [BY_YEAR, BY_COUNTY], "general", runs=20, seed=3).to_frame()
    risk = rows[rows["measure"] == "total-risk"].set_index("policy")
    assert risk.loc[BY_YEAR, "formula"] == pytest.approx(4)
    assert risk.loc[BY_COUNTY, "formula"] == pytest.approx(8)


def test_each_run_is_told(study):
    runs = []
    study.simulate("OH", BY_YEAR, "general", runs=3, tell=runs.append)
    assert len(runs) == 3


def test_nobody_is_made_without_a_day():
    undated = Study(Population(small().cells, replace(small().provenance, date="2020")), 2026)
    with pytest.raises(InputError, match="2020-04-01"):
        undated.synthesize("OH")
    assert len(undated.synthesize("OH", census_day="2020-04-01")) == 96


# Every group size at once: the same people as a comparison has, for the same form and file.


@pytest.mark.parametrize("in_file", [None, 0.01])
@pytest.mark.parametrize("rules", ["paper", "regulation"])
def test_a_curve_goes_through_the_figures_of_a_comparison(in_file, rules):
    study = Study("us-2010", 2026)
    asked = {"rules": rules, "in_file": in_file}
    curves = study.curves("DE", "limited-dataset", ["general", "voter"], 5, **asked)
    compared = study.compare("limited-dataset", ["general", "voter"], "DE", [1, 5], **asked)
    for curve in curves:
        profile = compared.profile("DE", curve.policy, curve.attacker)
        assert curve.linkage_key == profile.linkage_key
        for g in (1, 5):
            assert curve.low[g - 1] == pytest.approx(profile.share(f"{g}-distinct").low, rel=1e-9)


@pytest.mark.slow
def test_a_form_with_zip_codes_is_swept_by_zip_code():
    answer = Study("us-2020", 2026).curves("DE", g_max=3)
    assert {curve.linkage_key.split("geography=")[-1] for curve in answer if curve.attacker == "general"} == {
        "zip3 (age<90+zip3>20000)",
        "county_zip5",
    }
    assert not any("not by ZIP code" in note for note in answer.provenance.notes)
