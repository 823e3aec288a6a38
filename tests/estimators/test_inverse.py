"""Expected 1/F against 40-digit arithmetic and against the sums that define it."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from scipy import stats

from policy_sim.estimators.base import (
    constant_rate_inverse,
    gamma_rate_inverse,
    poisson_inverse,
    poisson_inverse_slopes,
)

SIZES = np.array([1, 2, 3, 7, 20, 39, 40, 41, 150, 3000])


@pytest.mark.parametrize("shape", [0, 0.05, 1.0, 1.7, 7.0000000000001, 250.0])
@pytest.mark.parametrize("p", [1e-6, 1e-3, 0.1, 0.5, 0.500001, 0.95, 0.9999, 1.0])
def test_gamma_rate_against_many_digits(shape, p):
    """Without a shape it is the constant rate; where all are sampled, it is 1 over the class."""
    with mpmath.workdps(40):
        left = 1 - mpmath.mpf(p)
        chances = [mpmath.hyp2f1(1 - mpmath.mpf(shape), 1, int(f) + 1, left) for f in SIZES]
        exact = [float(mpmath.mpf(p) / int(f) * chance) for f, chance in zip(SIZES, chances, strict=True)]
    np.testing.assert_allclose(gamma_rate_inverse(SIZES, p, shape), exact, rtol=1e-9)
    if not shape:
        np.testing.assert_allclose(constant_rate_inverse(SIZES, p), exact, rtol=1e-11)


@pytest.mark.parametrize(("f", "p", "shape"), [(1, 0.3, 0), (2, 0.3, 0), (5, 0.05, 0), (12, 0.7, 0), (3, 0.2, 1.4)])
def test_gamma_rate_by_its_sum(f, p, shape):
    """F - f is the number of failures before f + shape successes."""
    more = np.arange(6000)
    by_sum = np.sum(stats.nbinom.pmf(more, f + shape, p) / (f + more))
    assert gamma_rate_inverse(np.array([f]), p, shape)[0] == pytest.approx(by_sum, rel=1e-9)


def test_poisson_by_its_sum():
    more = np.arange(2000)
    for f, mean in ((1, 0.0), (1, 2.5), (4, 30.0), (60, 400.0)):
        by_sum = np.sum(stats.poisson.pmf(more, mean) / (f + more))
        assert poisson_inverse(np.array([f]), np.array([mean]))[0] == pytest.approx(by_sum, rel=1e-9)


@pytest.mark.parametrize("size", [1, 2, 9, 80])
def test_poisson_slopes_against_differences(size):
    mean, step = np.array([0.5, 3.0, 40.0]), 1e-3
    first, second = poisson_inverse_slopes(size, mean)

    def value(at):
        return poisson_inverse(np.full(3, size), at)

    # central differences are off by the order of step**2, about 1e-6 of the value
    np.testing.assert_allclose(first, (value(mean + step) - value(mean - step)) / (2 * step), rtol=1e-5)
    rise = value(mean + step) - 2 * value(mean) + value(mean - step)
    np.testing.assert_allclose(second, rise / step**2, rtol=1e-3)
