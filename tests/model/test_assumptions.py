"""What the shipped facts say of the assumptions: each has a source, and none is the study's own."""

import pytest
from small_people import small

from policy_sim import Study
from policy_sim.attackers.county_coverage import ASSUMED
from policy_sim.model.sensitivity import load_assumptions
from policy_sim.people.by_name import load_population


@pytest.fixture(scope="module")
def voter():
    return Study(small(), 2026).voter


def test_birthdays_are_shares_of_a_year(voter):
    assumptions = load_assumptions(small(), [voter])
    assert assumptions.day_shares.sum() == pytest.approx(1)
    assert assumptions.month_shares.sum() == pytest.approx(1)
    assert len(assumptions.month_shares) == 12
    assert 0.2 < assumptions.early < 0.3  # a quarter of the year has passed on April 1


@pytest.mark.slow
def test_other_censuses_are_those_that_the_study_does_not_use(voter):
    assert set(load_assumptions(small(), [voter]).populations) == {"us-2000", "us-2010", "us-2020"}
    assert set(load_assumptions(load_population("us-2010"), [voter]).populations) == {"us-2000", "us-2020"}


def test_lists_can_hold_others_than_they_do(voter):
    listed = load_assumptions(small(), [voter]).listed["voter"]
    assert voter.coverage.name == "registered"
    others = {f"registered-{name}" for name in (*ASSUMED, 2022)}
    assert {attacker.coverage and attacker.coverage.name for attacker in listed} == {"adults", "survey", None} | others


def test_an_attacker_without_voter_lists_has_none_to_change(voter):
    from policy_sim.attackers import GENERAL

    assert load_assumptions(small(), [GENERAL]).listed == {}


@pytest.mark.slow
def test_errors_are_of_the_population_and_noise_of_the_census_of_2020(voter):
    measured = {error.name for error in load_assumptions(load_population("us-2020"), [voter]).errors}
    assert "noise" in measured
    for error in load_assumptions(load_population("us-2020"), [voter]).errors:
        low, high = error.low, error.high
        assert low == -high <= 0
    of_2010 = {error.name for error in load_assumptions(load_population("us-2010"), [voter]).errors}
    assert "noise" not in of_2010
