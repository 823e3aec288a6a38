"""Synthetic people and the simulated attack, on people counted by hand."""

import datetime as dt
from dataclasses import replace

import pytest
from small_people import BY_COUNTY, BY_YEAR, PEOPLE, small

from policy_sim import Population, Study
from policy_sim.errors import InputError


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


@pytest.mark.parametrize("wrong", [{"runs": 1}, {"release": 0}, {"release": 1.1}, {"seed": -1}, {"runs": 2.5}])
def test_numbers_out_of_range_are_refused(study, wrong):
    with pytest.raises(InputError):
        study.simulate("OH", BY_YEAR, "general", **wrong)


def test_nobody_is_made_without_a_day_or_beyond_the_people(study):
    undated = Study(Population(small().cells, replace(small().provenance, date="2020")), 2026)
    with pytest.raises(InputError, match="2020-04-01"):
        undated.synthesize("OH")
    assert len(undated.synthesize("OH", census_day="2020-04-01")) == 96
    for many in (0, 97):
        with pytest.raises(InputError):
            study.synthesize("OH", people=many)
