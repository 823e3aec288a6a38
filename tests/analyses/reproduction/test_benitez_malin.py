"""The questions of the paper, answered from people whose figures are counted by hand."""

import pytest
from small_people import small

from policy_sim import Study
from policy_sim.analyses.reproduction.benitez_malin import BenitezMalin


@pytest.fixture(scope="module")
def answers():
    study = Study(small(), "2008", coverage="everyone")
    compared = study.compare(rules="paper", g=[1, 10])
    return BenitezMalin(compared, study.cost_of(compared), study.curves("OH", rules="paper", g_max=40), 3)


def risk(**ask):
    return {"policy": "safe-harbor-paper", "attacker": "general", "measure": "total-risk", **ask}


def test_sixteen_groups_of_each_state(answers):
    """Sex, race and year: 2 x 2 x 4 groups, each of whom one is named; Ohio has 96 people, Wyoming 48."""
    assert answers.answer(risk(kind="profile", state="OH")).value == pytest.approx(16 / 96)
    assert answers.answer(risk(kind="profile", state="OH", count=True)).value == pytest.approx(16)


def test_a_range_over_two_states_is_not_that_of_fifty(answers):
    for take, shown in (("min", "0.167"), ("max", "0.333"), ("median", "0.25")):
        answer = answers.answer(risk(kind="states", take=take))
        assert answer.value is None
        assert f"2 are known, which give {shown}" in answer.reason


def test_counties_are_those_of_the_population(answers):
    assert answers.answer({"kind": "counties"}).value == 3


def test_a_curve_is_read_at_one_g_or_above_it(answers):
    """Of each sex and race in Ohio 4, 6, 6 and 8 people share a year: at g = 6 all but the eight."""
    ask = {"kind": "curve", "policy": "safe-harbor-paper", "attacker": "general"}
    assert answers.answer({**ask, "g": 6}).value == pytest.approx(64 / 96)
    assert answers.answer({**ask, "g": 3}).value == 0


def test_the_formula_is_the_binomial_one(answers):
    """Of 200 people over 365 days each is alone with chance (364/365)^199."""
    ask = {"kind": "formula", "name": "people", "people": 200, "bins": 365, "g": 1}
    assert answers.answer(ask).value == pytest.approx(200 * (364 / 365) ** 199)
    assert answers.answer({**ask, "name": "share"}).value == pytest.approx((364 / 365) ** 199)
