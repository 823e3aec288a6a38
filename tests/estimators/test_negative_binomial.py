from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import stats

from policy_sim.estimators import SlideNegativeBinomial
from policy_sim.estimators.negative_binomial import (
    gamma_moments,
    negative_binomial,
    slide_negative_binomial,
)
from policy_sim.formulas.histogram import SizeHistogram
from policy_sim.words.errors import NotEstimableError


def expected_uniques_and_pairs(alpha, beta, classes, fraction):
    """Return the expected numbers of classes of one and of two records in the sample, s1 and s2 of the module."""
    d = (1 - fraction) * (1 - beta)
    r = 1 - d
    ones = classes * fraction * (beta / r) ** alpha * (1 + alpha * d / r)
    twos = classes * alpha * beta**alpha * fraction**2 * (1 - beta) * (2 - (1 - alpha) * d)
    return ones, twos / (2 * r ** (alpha + 2))


@pytest.mark.parametrize(("alpha", "beta", "fraction"), [(0.3, 0.2, 0.4), (2.0, 0.5, 0.1), (0.8, 0.9, 0.9)])
def test_expectations_by_summing_over_population_sizes(alpha, beta, fraction):
    size = np.arange(1, 3000)
    law = stats.nbinom.pmf(size - 1, alpha, beta)
    counted = [1000 * np.sum(law * stats.binom.pmf(k, size, fraction)) for k in (1, 2)]
    assert expected_uniques_and_pairs(alpha, beta, 1000, fraction) == pytest.approx(counted, rel=1e-9)


def test_solutions_meet_both_equations():
    sample = SizeHistogram.of({1: 865, 2: 295, 3: 165, 20: 50})
    [(alpha, beta, uniques)] = slide_negative_binomial(sample, 12000, 3100)
    fraction = sample.records / 12000
    assert expected_uniques_and_pairs(alpha, beta, 3100, fraction) == pytest.approx((865, 295), rel=1e-9)
    assert uniques == pytest.approx(3100 * beta**alpha, rel=1e-9)


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


SAMPLE = SizeHistogram.of({1: 40, 2: 20, 5: 10, 12: 3})  # 166 records in 73 classes


def test_moments_by_hand():
    # 3 records in classes of 1 and 2 over 3 cells: mean 1, variance 5/3 - 1 = 2/3 < 1; over 10: 0.3 and 0.41
    sample = SizeHistogram.of({1: 1, 2: 1})
    with pytest.raises(NotEstimableError, match="vary no more than chance"):
        gamma_moments(sample, 3)
    shape, scale = gamma_moments(sample, 10)
    assert shape == pytest.approx(0.09 / 0.11)
    assert scale == pytest.approx(0.11 / 0.9)


def test_negative_binomial_uniques_by_their_law():
    sample, people, cells = SizeHistogram.of({1: 865, 2: 295, 3: 165, 4: 120, 10: 60, 40: 20}), 20_000, 4000.0
    answer = negative_binomial(sample, people, cells)
    shape, scale = answer.parameters["shape"], answer.parameters["scale"]
    alone = stats.nbinom.pmf(1, shape, 1 / (1 + people * scale))
    assert answer.uniques == pytest.approx(cells * alone, rel=1e-9)
