from __future__ import annotations

import numpy as np
import pytest

from policy_sim.errors import NotEstimableError, UnknownNameError
from policy_sim.estimators import NegativeBinomial
from policy_sim.estimators.inverse import gamma_rate_inverse
from policy_sim.estimators.negative_binomial import gamma_moments, negative_binomial
from policy_sim.groups.size_histogram import SizeHistogram

SAMPLE = SizeHistogram.of({1: 40, 2: 20, 5: 10, 12: 3})  # 166 records in 73 classes


def test_moments_by_hand():
    # 3 records in classes of 1 and 2 over 3 cells: mean 1, variance 5/3 - 1 = 2/3 < 1; over 10: 0.3 and 0.41
    sample = SizeHistogram.of({1: 1, 2: 1})
    with pytest.raises(NotEstimableError, match="vary no more than chance"):
        gamma_moments(sample, 3)
    shape, scale = gamma_moments(sample, 10)
    assert shape == pytest.approx(0.09 / 0.11)
    assert scale == pytest.approx(0.11 / 0.9)


def test_sampled_and_unsampled_classes_hold_the_population_together():
    """Draw the population by the fitted law, sample it, and compare both figures with the truth."""
    people, cells = 1_000, 200.0
    answer = negative_binomial(SAMPLE, people, cells)
    shape, scale = answer.parameters["shape"], answer.parameters["scale"]
    rng = np.random.default_rng(4)
    whole = rng.poisson(rng.gamma(shape, scale * people, (4_000, 200)))
    assert answer.uniques == pytest.approx((whole == 1).sum(axis=1).mean(), rel=0.02)
    seen = rng.binomial(whole, SAMPLE.records / people)
    for f in (1, 2, 5):
        known = gamma_rate_inverse(np.array([f]), answer.parameters["probability"], shape)[0]
        assert known == pytest.approx((1 / whole[seen == f]).mean(), rel=0.03)


def test_an_unknown_number_of_classes_is_refused():
    with pytest.raises(UnknownNameError, match="sh9"):
        NegativeBinomial("sh9")
