from __future__ import annotations

import numpy as np
import pytest

from policy_sim.estimators.log_linear_fit import fit_log_linear, margins_of
from policy_sim.estimators.log_linear_search import LogLinearSearch
from policy_sim.estimators.underfit import underfit

# The first two fields mostly repeat each other, and the third knows of neither.
MEANS = (np.full((6, 6), 0.3) + 4 * np.eye(6))[:, :, None] * np.array([0.5, 0.3, 0.2])
COUNTS = np.random.default_rng(1).poisson(MEANS).astype(float)


def search(critical=1.645):
    return LogLinearSearch(COUNTS, 0.2, critical)


def test_a_fit_is_made_once_and_is_that_of_its_margins():
    one = search()
    model = ((0, 1),)
    assert one.fit(model) is one.fit(model)
    np.testing.assert_array_equal(one.fit(model).mean, fit_log_linear(COUNTS, margins_of(3, model), limit=500).mean)


def test_statistic_is_the_bias_in_deviations_over_cells_that_can_hold_someone():
    one = search()
    mean = one.fit(()).mean
    bias, deviation = underfit(COUNTS[mean > 0], mean[mean > 0], 1, 0.2)
    assert one.statistic((), 1) == pytest.approx(bias / deviation)


def test_a_search_ends_at_the_best_first_step_by_force():
    one = search()
    model, end = one.choose(1)
    assert one.statistic((), 1) > 1.645
    scores = {pair: one.statistic((pair,), 1) for pair in ((0, 1), (0, 2), (1, 2))}
    allowed = {pair: score for pair, score in scores.items() if -1.645 <= score < one.statistic((), 1)}
    assert min(allowed, key=lambda pair: abs(allowed[pair])) in model
    assert end == one.statistic(model, 1)
    assert end < one.statistic((), 1)


def test_nothing_is_added_where_nothing_is_significant():
    one = search(critical=1e9)
    assert one.choose(1) == ((), one.statistic((), 1))
