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


@pytest.mark.parametrize("p", [1e-6, 1e-3, 0.1, 0.5, 0.500001, 0.9, 0.9999])
def test_constant_rate_against_many_digits(p):
    with mpmath.workdps(40):
        exact = [float(mpmath.mpf(p) / int(f) * mpmath.hyp2f1(1, 1, int(f) + 1, 1 - mpmath.mpf(p))) for f in SIZES]
    np.testing.assert_allclose(constant_rate_inverse(SIZES, p), exact, rtol=1e-11)


def test_constant_rate_by_its_sum():
    # F - f is the number of failures before f successes
    more = np.arange(4000)
    for f, p in ((1, 0.3), (2, 0.3), (5, 0.05), (12, 0.7)):
        by_sum = np.sum(stats.nbinom.pmf(more, f, p) / (f + more))
        assert constant_rate_inverse(np.array([f]), p)[0] == pytest.approx(by_sum, rel=1e-9)


def test_constant_rate_of_a_huge_class():
    # (p/f) (1 + q/(f+1) + 2 q^2/((f+1)(f+2)) + ...): the third term is 1e-12 of the first
    f, p = 2_000_000, 0.1
    assert constant_rate_inverse(np.array([f]), p)[0] == pytest.approx(p / f * (1 + 0.9 / (f + 1)), rel=1e-11)


def test_all_sampled_is_one_over_f():
    np.testing.assert_array_equal(constant_rate_inverse(np.array([1, 4]), 1.0), [1, 0.25])


@pytest.mark.parametrize("shape", [0.05, 1.0, 1.7, 7.0000000000001, 250.0])
@pytest.mark.parametrize("p", [1e-4, 0.3, 0.95])
def test_gamma_rate_against_many_digits(shape, p):
    with mpmath.workdps(40):
        exact = [
            float(mpmath.mpf(p) / int(f) * mpmath.hyp2f1(1 - mpmath.mpf(shape), 1, int(f) + 1, 1 - mpmath.mpf(p)))
            for f in SIZES
        ]
    np.testing.assert_allclose(gamma_rate_inverse(SIZES, p, shape), exact, rtol=1e-9)


def test_gamma_rate_by_its_sum_and_without_spread():
    more, f, p, shape = np.arange(6000), 3, 0.2, 1.4
    by_sum = np.sum(stats.nbinom.pmf(more, f + shape, p) / (f + more))
    assert gamma_rate_inverse(np.array([f]), p, shape)[0] == pytest.approx(by_sum, rel=1e-9)
    np.testing.assert_array_equal(gamma_rate_inverse(SIZES, p, 0), constant_rate_inverse(SIZES, p))


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
