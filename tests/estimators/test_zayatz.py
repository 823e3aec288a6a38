from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import integrate

from policy_sim.estimators import Argus, Zayatz
from policy_sim.estimators.zayatz import chance_of_one_sampled


@pytest.mark.parametrize(("people", "records"), [(6, 1), (6, 3), (7, 5), (7, 7)])
def test_matches_every_sample_counted(people, records):
    sizes = np.arange(1, people + 1)
    samples = list(combinations(range(people), records))
    counted = [sum(sum(i < k for i in s) == 1 for s in samples) / len(samples) for k in sizes]
    np.testing.assert_allclose(chance_of_one_sampled(sizes, records, people), counted, atol=1e-12)


def test_by_hand():
    # h(1) = 2/4; h(2) = 4/6; so P = 1*(1/2) / (1/2 + 2/3 * 1) with one class of each size... n = 3, N = 6:
    # h(1) = 3/6, h(2) = 2 C(4,2)/C(6,3) = 12/20
    fitted = Zayatz().estimate({1: 1, 2: 1}, population_size=6)
    conditional = 0.5 / (0.5 + 0.6)
    assert fitted.parameters["unique_given_sample_unique"] == pytest.approx(conditional)
    assert fitted.uniques == pytest.approx(conditional * 2)


def test_keeps_its_precision_in_a_nation():
    # for a class of 2 in 3e8 people: 2 n (N-n) / (N (N-1))
    n, people = 30_000_000, 300_000_000
    ours = chance_of_one_sampled(np.array([1, 2]), n, people)
    assert ours.tolist() == pytest.approx([0.1, 2 * n * (people - n) / (people * (people - 1))], rel=1e-14)


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
