from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize

from policy_sim.estimators.log_linear_fit import fit_log_linear, margins_of

COUNTS = np.random.default_rng(3).poisson(4.0, (3, 4, 2)).astype(float)


def test_the_saturated_model_is_the_table():
    fit = fit_log_linear(COUNTS, ((0, 1, 2),))
    np.testing.assert_allclose(fit.mean, COUNTS)
    assert fit.converged


def test_every_fit_keeps_the_records():
    for pairs in ([], [(0, 1)], [(0, 1), (1, 2)], [(0, 1), (0, 2), (1, 2)]):
        assert fit_log_linear(COUNTS, margins_of(3, pairs)).mean.sum() == pytest.approx(COUNTS.sum(), rel=1e-7)


def test_one_pair_leaves_the_third_field_independent():
    fit = fit_log_linear(COUNTS, margins_of(3, [(0, 1)]))
    expected = COUNTS.sum(axis=2)[:, :, None] * COUNTS.sum(axis=(0, 1)) / COUNTS.sum()
    np.testing.assert_allclose(fit.mean, expected, rtol=1e-7)


def test_no_table_without_a_three_way_term_is_likelier():
    """A 2 x 2 x 2 table: the fit without the three-way term is on the curve that has its two-way margins."""
    counts = np.array([[[9.0, 4], [3, 7]], [[2, 8], [6, 5]]])
    sign = np.array([[[1.0, -1], [-1, 1]], [[-1, 1], [1, -1]]])  # what moves no two-way margin

    def odds(step):
        table = counts + step * sign
        return float(np.sum(sign * np.log(table)))

    step = optimize.brentq(odds, -5.99, 1.99)
    fit = fit_log_linear(counts, margins_of(3, [(0, 1), (0, 2), (1, 2)]), tolerance=1e-12)
    np.testing.assert_allclose(fit.mean, counts + step * sign, rtol=1e-6)


def test_a_fit_that_is_stopped_says_so():
    fit = fit_log_linear(COUNTS, margins_of(3, [(0, 1), (0, 2), (1, 2)]), limit=1)
    assert (fit.converged, fit.cycles) == (False, 1)
