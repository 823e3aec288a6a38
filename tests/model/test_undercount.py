"""People as the surveys of a census's coverage estimate them: by hand, and sums kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from small_people import population_of

from policy_sim.attackers import GENERAL
from policy_sim.model.cases import Cases
from policy_sim.model.compare import compare
from policy_sim.model.sensitivity import load_assumptions, sensitivity
from policy_sim.model.undercount import as_estimated, census_coverage, coverage_of, rounded_in_order
from policy_sim.people.by_name import load_population
from policy_sim.policies.policy import Policy
from policy_sim.words.fields import Granularities

SAFE = Policy("safe", "t", Granularities(gender="value", race="value", birth="year", geography="state"), "c")


def test_the_printed_figures_of_2020():
    error = census_coverage()["2020"].error
    assert (error["black"], error["asian"], error["white"], error["aian"]) == (-3.30, 2.62, 0.66, -0.91)
    assert "nhpi" not in error  # not different from zero


@pytest.mark.parametrize("seed", range(10))
def test_rounding_keeps_each_next_to_its_number_and_the_sum_of_its_group(seed):
    rng = np.random.default_rng(seed)
    wanted, group = rng.uniform(0, 5, 200), rng.integers(0, 4, 200)
    whole = rounded_in_order(wanted, group)
    assert (np.abs(whole - wanted) < 1).all()
    for each in range(4):
        assert whole[group == each].sum() == np.floor(wanted[group == each].sum() + 0.5)


def test_a_state_has_as_many_people_of_each_race_as_the_survey_says():
    people = load_population("us-2020").in_states(["DE"])
    coverage = coverage_of(people)
    before = people.cells.groupby("race", observed=True)["people"].sum()
    after = as_estimated(people, coverage).cells.groupby("race", observed=True)["people"].sum()
    for race, number in before.items():
        assert after[race] == round(number / (1 + coverage.error.get(race, 0.0) / 100))
    hispanic = as_estimated(people, coverage).with_ethnicity.cells
    assert hispanic["people"].sum() == after.sum()


def test_the_risk_moves_as_the_people_do():
    """One group of Black people and one of others: each is matched once, of more people than were counted."""
    people = population_of([("OH", "39001", "M", 30, 1, "black", 9670), ("OH", "39001", "M", 30, 1, "nhpi", 500)])
    people = replace(people, provenance=replace(people.provenance, date="2020-04-01"))
    coverage = coverage_of(people)
    estimated = as_estimated(people, coverage)
    assert estimated.cells["people"].tolist() == [10_000, 500]
    (profile,) = compare(Cases(estimated, [SAFE], [GENERAL], g=[1]))
    assert profile.share("total-risk").low == pytest.approx(2 / 10_500)


def test_sensitivity_has_a_row_of_it():
    people = load_population("us-2020").in_states(["WY"])
    cases = Cases(people, [SAFE], [GENERAL], g=[1])
    assumptions = replace(load_assumptions(people, [GENERAL]), populations={}, errors=())
    rows = [swing for swing in sensitivity(cases, assumptions) if swing.assumption == "undercount"]
    assert {str(swing.measure) for swing in rows} >= {"total-risk"}
    assert all("Post-Enumeration Survey of 2020" in swing.title for swing in rows)


def test_a_population_without_race_or_census_has_none():
    people = population_of([("OH", "39001", "M", 30, 1, 5)], ["state", "county", "sex", "age", "age_width", "people"])
    assert coverage_of(people) is None
