from __future__ import annotations

import pytest
from scipy import integrate

from policy_sim.estimators import Argus


def test_risk_is_the_mean_of_the_integral_over_the_records():
    """1/F of a class with f of its members in the sample is the integral of p u**(f-1) / (p + q u) over 0 to 1."""
    sizes, people = {1: 5, 3: 4, 7: 2}, 200
    records = sum(size * number for size, number in sizes.items())
    p = records / people
    inverse = {f: integrate.quad(lambda u, f=f: p * u ** (f - 1) / (p + (1 - p) * u), 0, 1)[0] for f in sizes}
    expected = sum(size * number * inverse[size] for size, number in sizes.items()) / records
    assert Argus().estimate(sizes, people).marketer_risk == pytest.approx(expected, rel=1e-8)


def test_more_people_for_the_same_sample_are_less_risk():
    risks = [Argus().estimate({1: 9, 2: 4}, people).marketer_risk for people in (17, 18, 40, 1000, 10**6)]
    assert risks[0] == pytest.approx(13 / 17)  # the whole population: classes over people
    assert risks == sorted(risks, reverse=True)


def test_answer_names_the_sampling_fraction_and_no_uniques():
    answer = Argus().estimate({2: 10}, 80)
    assert answer.parameters == {"probability": 0.25}
    assert answer.uniqueness is None
    assert answer.lambda1 is None
