from __future__ import annotations

import math

import numpy as np
import pytest

from policy_sim.estimators import FiniteClasses
from policy_sim.estimators.number_of_classes import (
    CLASS_COUNTS,
    fit_finite_classes,
    number_of_classes,
    sh3,
    squared_variation,
    uj1,
    uj2,
)
from policy_sim.formulas.histogram import SizeHistogram

SMALL = SizeHistogram.of({1: 4, 2: 2, 3: 1})  # n = 11, u = 7


def test_first_jackknife_by_hand():
    assert uj1(SMALL, 44) == pytest.approx(7 / (1 - 0.75 * 4 / 11))


def test_third_modified_shlosser_by_its_printed_sums():
    q = 0.25
    s = SMALL.to_dict()
    a = sum((1 - q) ** k * s[k] for k in s)
    b = sum(k * q * (1 - q) ** (k - 1) * s[k] for k in s)
    top = sum(k * q**2 * (1 - q**2) ** (k - 1) * s[k] for k in s)
    below = sum((1 - q) ** k * ((1 + q) ** k - 1) * s[k] for k in s)
    assert sh3(SMALL, 44) == pytest.approx(7 + 4 * top / below * (a / b) ** 2, rel=1e-13)


@pytest.mark.parametrize("method", CLASS_COUNTS)
def test_within_what_can_be(method):
    for sizes, people in (({1: 4, 2: 2, 3: 1}, 44), ({1: 3}, 100), ({1: 5, 900_000: 3}, 10**8), ({7: 3}, 22)):
        sample = SizeHistogram.of(sizes)
        count = number_of_classes(sample, people, method)
        assert math.isfinite(count)
        assert sample.number <= count <= people


@pytest.mark.parametrize("method", CLASS_COUNTS)
def test_a_full_sample_has_every_class(method):
    assert number_of_classes(SMALL, 11, method) == 7


def test_no_uniques_means_no_unseen_class_to_shlosser():
    for method in ("shlosser", "sh2", "sh3"):
        assert number_of_classes(SizeHistogram.of({2: 5}), 100, method) == 5


def test_second_jackknife_by_hand():
    """q = 1/4, D_uj1 = 7 / (8/11) = 9.625, pairs 2 x 2 + 6 = 10, so gamma^2 = 9.625 x 10/121 + 9.625/44 - 1."""
    assert squared_variation(9.625, SMALL, 44) == pytest.approx(max(9.625 * 10 / 121 + 9.625 / 44 - 1, 0))
    assert squared_variation(40.0, SMALL, 44) == pytest.approx(40 * 10 / 121 + 40 / 44 - 1)
    skewed = SizeHistogram.of({1: 4, 16: 1})  # n = 20, u = 5; 16 x 15 = 240 pairs
    first = 5 / (1 - 0.75 * 4 / 20)
    variation = first * 240 / 400 + first / 80 - 1
    assert squared_variation(first, skewed, 80) == pytest.approx(variation)
    # D_uj2 = [u - s1 (1-q) ln(1-q) gamma^2 / q] / (1 - (1-q) s1/n); ln(1-q) < 0, so it exceeds D_uj1
    second = (5 - 4 * 0.75 * math.log(0.75) * variation / 0.25) / (1 - 0.75 * 4 / 20)
    assert uj2(skewed, 80) == pytest.approx(second)
    assert uj2(skewed, 80) > uj1(skewed, 80)


SIZES = {1: 5, 2: 8, 3: 9, 4: 8, 5: 7}


@pytest.mark.parametrize("sizes", [{1: 9}, {9: 1}])
def test_a_sample_without_a_pair_or_with_one_class_has_no_answer(sizes):
    fitted = FiniteClasses().estimate(sizes, 100)
    assert (fitted.uniques, fitted.marketer_risk) == (None, None)
    assert "more than one class" in fitted.status


def test_a_sample_of_equal_classes_gives_their_number_back():
    """The fit finds 500 equally likely classes from 2,000 draws, which miss about nine of them."""
    drawn = np.random.default_rng(2).multinomial(2_000, np.full(500, 1 / 500))
    fit = fit_finite_classes(SizeHistogram.from_classes(drawn))
    assert fit.classes == pytest.approx(500, rel=0.03)
    assert fit.kappa > 10


def test_nearly_the_whole_population_is_nearly_counted():
    fitted = FiniteClasses().estimate(SIZES, 116)
    assert fitted.marketer_risk == pytest.approx(37 / 116, abs=1 / 116)
