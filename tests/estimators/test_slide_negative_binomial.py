from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import stats

from policy_sim.estimators import SlideNegativeBinomial
from policy_sim.estimators.slide_negative_binomial import expected_uniques_and_pairs, slide_negative_binomial
from policy_sim.groups.size_histogram import SizeHistogram


@pytest.mark.parametrize(("alpha", "beta", "fraction"), [(0.3, 0.2, 0.4), (2.0, 0.5, 0.1), (0.8, 0.9, 0.9)])
def test_expectations_by_summing_over_population_sizes(alpha, beta, fraction):
    size = np.arange(1, 3000)
    law = stats.nbinom.pmf(size - 1, alpha, beta)
    counted = [1000 * np.sum(law * stats.binom.pmf(k, size, fraction)) for k in (1, 2)]
    assert expected_uniques_and_pairs(alpha, beta, 1000, fraction) == pytest.approx(counted, rel=1e-9)


def test_finds_the_model_it_was_made_from():
    # counts large enough that rounding them to whole classes moves the answer by less than 1e-4
    alpha, beta, classes, fraction = 0.4, 0.3, 10**8, 0.25
    ones, twos = expected_uniques_and_pairs(alpha, beta, classes, fraction)
    rest = 400_000_000 - round(ones) - 2 * round(twos)
    sample = SizeHistogram.of({1: round(ones), 2: round(twos), 4: rest // 4})
    people = round(sample.records / fraction)
    [(a, b, uniques)] = slide_negative_binomial(sample, people, classes)
    assert (a, b) == pytest.approx((alpha, beta), rel=1e-4)
    assert uniques == pytest.approx(classes * beta**alpha, rel=1e-4)


def test_solutions_meet_both_equations():
    sample = SizeHistogram.of({1: 865, 2: 295, 3: 165, 20: 50})
    [(alpha, beta, _)] = slide_negative_binomial(sample, 12000, 3100)
    fraction = sample.records / 12000
    assert expected_uniques_and_pairs(alpha, beta, 3100, fraction) == pytest.approx((865, 295), rel=1e-9)


@pytest.mark.parametrize(
    ("sample", "reason"), [({2: 5}, "1 record$"), ({1: 5}, "2 records$"), ({1: 5, 3: 2}, "2 records")]
)
def test_says_what_is_missing(sample, reason):
    fitted = SlideNegativeBinomial().estimate(sample, population_size=100)
    assert fitted.uniques is None
    assert re.search(reason, fitted.status)


def test_too_few_classes_have_no_solution():
    sample = SizeHistogram.of({1: 865, 2: 295, 3: 165, 20: 50})
    assert slide_negative_binomial(sample, 120_000, 1500) == []
