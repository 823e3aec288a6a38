"""Where a figure comes from: its parts, its numbers, and the reason if there is none."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import replace

import pytest
from small_people import BY_COUNTY, BY_YEAR, PEOPLE, small

from policy_sim import Study
from policy_sim.people.population import Population
from policy_sim.study.explain import _age
from policy_sim.words.errors import InputError

ON = dt.date(2026, 11, 22)


@pytest.fixture(scope="module")
def study():
    return Study("us-2010", lists=2026)


@pytest.fixture(scope="module")
def ohio(study):
    return study.explain("Ohio", "limited-dataset", "voter", rules="paper", on=ON)


@pytest.mark.slow
def test_the_figure_is_that_of_the_comparison(study, ohio):
    compared = study.compare("limited-dataset", "voter", "OH", rules="paper").profiles[0]
    assert {name: figure.people for name, figure in ohio.profile.figures.items()} == {
        name: figure.people for name, figure in compared.figures.items()
    }
    facts = ohio.to_dict()
    risk = compared.people("total-risk")
    assert facts["figures"]["total-risk"]["people"] == [risk.low, risk.high]
    assert facts["linkage_key"] == "birth=date+geography=county"


def test_each_field_is_the_coarser_of_both(ohio):
    rows = {row["field"]: (row["released"], row["held"], row["linked"]) for row in ohio.linked}
    assert rows["gender"] == ("value", "none", "none")
    assert rows["birth"] == ("date", "date", "date")
    assert rows["geography"] == ("county", "county_zip5", "county")


def test_every_input_has_its_source_and_age(ohio):
    rows = ohio.to_frame().set_index("item")
    assert {"people", "policy", "list: birth", "list: price", "list: buyers"} <= set(rows.index)
    assert rows.loc["people", "date"] == "2010-04-01"
    assert rows.loc["people", "age_years"] == pytest.approx(16.6)
    assert rows.loc["list: birth", "source"]


def test_what_would_change_it_comes_largest_first(study, ohio):
    reach = [max(abs(row["low"] - row["share"]), abs(row["high"] - row["share"])) for row in ohio.changes]
    assert reach == sorted(reach, reverse=True)
    assert len(ohio.changes) == 5


def test_texts_of_every_form(ohio):
    text, html = ohio.text(), ohio.html()
    for word in (
        "Linkage key: birth=date+geography=county",
        "One group, step by step",
        "equation 4",
        "What would change",
    ):
        assert word in text
        assert word in html
    assert json.loads(json.dumps(ohio.to_dict()))["worked"]["values"] == 365
    assert "NaN" not in json.dumps(ohio.to_dict())


def test_a_state_without_a_list_says_why(study):
    found = study.explain("HI", "limited-dataset", "voter", rules="paper", on=ON)
    assert (found.worked, found.counts, found.changes) == (None, None, ())
    assert "There is no figure" in found.text()
    assert found.no_changes == "there is no figure to change"


@pytest.mark.slow
def test_everyone_and_a_file(study):
    found = study.explain("WY", "safe-harbor", "general", rules="paper", in_file=0.01, on=ON)
    assert {row["held"] for row in found.linked} == {"everything released"}
    assert found.worked.linked == pytest.approx(0.01)
    assert "people of the file" in found.text()


@pytest.mark.slow
def test_by_zip_code_it_says_what_is_not_computed(study):
    found = study.explain("DE", "limited-dataset", "general", rules="regulation", on=ON)
    assert found.worked.values["place"].startswith("19")
    assert found.changes or found.no_changes


@pytest.mark.parametrize(
    ("date", "age"),
    [("2026-11-22", 0.0), ("2016", 10.4), ("2025-11", 1.1), ("undated", None), ("", None), ("2026-13-01", None)],
)
def test_ages_of_dates(date, age):
    assert _age(date, ON) == age


# Synthetic people and the simulated attack, on people counted by hand.


@pytest.fixture(scope="module")
def of_small():
    return Study(small(), 2026)


def test_everyone_has_their_census_age_on_the_day(of_small):
    """Of 96 people of Ohio, 24 are 10, 16 are 30, 24 are 31 and 32 are 95 years old."""
    people = of_small.synthesize("OH", census_day="2020-04-01")
    day = dt.date(2020, 4, 1)
    born = [dt.date.fromisoformat(str(text)[:10]) for text in people["birth_date"]]
    ages = [day.year - at.year - ((at.month, at.day) > (day.month, day.day)) for at in born]
    assert {age: ages.count(age) for age in set(ages)} == {age: 8 * many for age, many in PEOPLE.items()}


def test_a_seed_makes_the_same_people_and_another_makes_others(of_small):
    first, again, other = (of_small.synthesize("OH", people=10, seed=seed) for seed in (1, 1, 2))
    assert first.equals(again)
    assert not first.equals(other)


def test_a_simulated_attack_agrees_with_the_formula_where_nothing_is_left_to_chance(of_small):
    """By year and state, groups are those of the census: 4 expected matches, whoever is born when."""
    rows = of_small.simulate("OH", [BY_YEAR, BY_COUNTY], "general", runs=20, seed=3).to_frame()
    risk = rows[rows["measure"] == "total-risk"].set_index("policy")
    assert risk.loc[BY_YEAR, "formula"] == pytest.approx(4)
    assert risk.loc[BY_COUNTY, "formula"] == pytest.approx(8)


def test_each_run_is_told(of_small):
    runs = []
    of_small.simulate("OH", BY_YEAR, "general", runs=3, tell=runs.append)
    assert len(runs) == 3


def test_nobody_is_made_without_a_day():
    undated = Study(Population(small().cells, replace(small().provenance, date="2020")), 2026)
    with pytest.raises(InputError, match="2020-04-01"):
        undated.synthesize("OH")
    assert len(undated.synthesize("OH", census_day="2020-04-01")) == 96
