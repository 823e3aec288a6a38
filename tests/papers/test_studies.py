"""The questions of the paper, answered from people whose figures are counted by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from small_people import small

from policy_sim import Study
from policy_sim.formulas.histogram import SizeHistogram
from policy_sim.papers.studies import BenitezMalin, Dankar2010, Dankar2012, Golle, median_errors
from policy_sim.people.population import Population, Provenance, check_cells
from policy_sim.records.classes import Classes
from policy_sim.voter_lists.price import Amount


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


# Marketer risk by hand: a class matched at random, and a file of four records.


@pytest.mark.parametrize("people", [1, 2, 3, 5])
def test_a_random_matching_has_one_correct_pair_on_average(people):
    orders = list(itertools.permutations(range(people)))
    counted = sum(sum(at == who for at, who in enumerate(order)) for order in orders) / len(orders)
    assert Dankar2010().answer({"kind": "one-to-one", "people": people}).value == pytest.approx(counted) == 1


def test_marketer_over_journalist_risk():
    """Classes of 1 and 3 in the release, 2 and 6 among the people: (1/2 + 3/6) / 4 = 1/4, over 1/2."""
    answer = Dankar2010().answer({"kind": "example", "people": [2, 6], "released": [1, 3]})
    assert answer.value == pytest.approx(1 / 4 / (1 / 2))


def test_a_file_is_counted_and_without_it_there_is_a_reason():
    adult = Classes(
        ("age", "education", "race", "sex"),
        np.array([[1, 1, 1, 1], [2, 1, 1, 2], [3, 2, 2, 2]], dtype=np.int32),
        np.array([2, 1, 1]),
        (3, 2, 2, 2),
    )
    ask = {"kind": "file", "file": "adult"}
    given, missing = Dankar2010(adult), Dankar2010()
    assert given.answer({**ask, "take": "records"}).value == 4
    assert given.answer({**ask, "take": "values", "field": "age"}).value == 3
    assert given.answer({**ask, "take": "marketer"}).value == pytest.approx(3 / 4)
    assert missing.answer({**ask, "take": "records"}).value is None
    assert "adult.csv" in missing.answer({**ask, "take": "records"}).reason
    assert given.answer({**ask, "file": "secret", "take": "records"}).value is None


# Worked examples, prices, and which estimator is closest, on tables made by hand.


def paper(errors=None):
    prices = {"OH": Amount(0.0, "free"), "TX": Amount(None, "unknown", "no source")}
    return Dankar2012(prices, 0.1, errors or {})


def errors():
    """Pitman is closest at 0.05, SNB at 0.5; the rule takes Pitman at both."""
    table = {
        "decision_rule": [0.1, -0.3],
        "pitman": [0.1, -0.3],
        "slide_negative_binomial": [-0.2, 0.2],
        "zayatz": [0.9, 0.9],
    }
    return {"public": pd.DataFrame(table, index=pd.Index([0.05, 0.5], name="fraction"))}


def test_shares_are_divisions():
    ask = {"kind": "example", "sample": 10, "sample_uniques": 4, "both": 2, "population": 50, "population_uniques": 5}
    taken = {"sample-uniqueness": 0.4, "lambda1": 0.5, "lambda2": 0.2, "lambda3": 0.1}
    assert {take: paper().answer({**ask, "take": take}).value for take in taken} == pytest.approx(taken)
    assert paper().answer({**ask, "take": "share", "of": 3}).value == pytest.approx(0.3)
    assert paper().answer({"kind": "relative-bias", "bias": 1, "at": 4}).value == 0.25
    assert paper().answer({"kind": "product", "of": [0.5, 0.5, 4]}).value == 1
    assert paper().answer({"kind": "rule"}).value == 0.1


def test_a_price_that_nobody_knows_is_a_reason_and_no_number():
    assert paper().answer({"kind": "price", "state": "OH"}).value == 0
    unknown = paper().answer({"kind": "price", "state": "TX"})
    assert (unknown.value, unknown.reason) == (None, "no source")


def test_at_how_many_fractions_a_model_is_closest():
    ask = {"kind": "simulated", "file": "public", "at": "all"}
    closest = {model: paper(errors()).answer({**ask, "model": model}).value for model in errors()["public"]}
    assert closest == {"decision_rule": 1, "pitman": 1, "slide_negative_binomial": 1, "zayatz": 0}
    assert paper(errors()).answer({**ask, "at": "low", "model": "slide_negative_binomial"}).value == 0
    assert paper(errors()).answer({**ask, "file": "other", "model": "pitman"}).value is None


def test_a_confidential_file_has_no_figure_but_a_public_one_beside_it():
    answer = paper(errors()).answer({"kind": "tree", "at": "low"})
    assert answer.value is None
    assert "public +0.100" in answer.reason
    for kind in ({"kind": "file", "file": "x"}, {"kind": "adult"}, {"kind": "tree", "at": "high"}):
        assert paper().answer(kind).value is None


def test_median_errors_have_one_row_per_fraction_and_one_column_per_model():
    sizes = SizeHistogram.from_classes([1] * 30 + [2] * 20 + [5] * 4)
    table = median_errors({"made": sizes})["made"]
    assert table.index.tolist() == pytest.approx([0.01, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9])
    assert {"decision_rule", "pitman", "zayatz"} <= set(table)


# Unique people by sex, place and birth, on people counted by hand.


def population(name="made", **columns):
    rows = [("OH", "39001", "M", 30, 1, 1), ("OH", "39001", "F", 30, 1, 2), ("OH", "39003", "M", 30, 1, 1)]
    cells = pd.DataFrame(rows, columns=["state", "county", "sex", "age", "age_width", "people"]).assign(**columns)
    return Population(check_cells(cells, "made"), Provenance(name, name, "", "2000-04-01", "", 1, 0, 0))


def test_by_county_and_year_two_of_four_are_alone():
    assert Golle(population()).answer({"birth": "year", "place": "county"}).value == pytest.approx(2 / 4)


def test_by_state_and_year_nobody_is_alone():
    assert Golle(population()).answer({"birth": "year", "place": "state"}).value == 0


def test_what_the_census_lacks_is_told_of_another_but_not_judged():
    other = population("other", zip5="43001")
    answer = Golle(population(), [population("neither"), other]).answer({"birth": "year", "place": "zip5"})
    assert answer.value is None
    assert "other gives 0.00%" in answer.reason
    assert "neither" not in answer.reason
