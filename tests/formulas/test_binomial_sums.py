"""Sums of binomials: against convolutions in exact fractions, on every way by which a county can enter."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import binom

from policy_sim.formulas.binomial_sums import binomial_chances, chances_of_sums

# small odds, odds near the limit of the series, large odds, chance 1
CASES = [
    ([5, 40, 3], [0.01, 0.002, 0.3]),
    ([12, 10], [0.5, 0.499]),
    ([20, 11, 2], [0.5, 0.25, 0.125]),
    ([3, 20], [0.75, 0.01]),
    ([9, 1, 30], [0.99, 1.0, 0.0625]),
    ([2, 3], [1.0, 1.0]),
    ([60, 45], [0.5, 0.875]),
]


def _exactly(people, shares, g):
    total = [Fraction(1)] + [Fraction(0)] * g
    for n, share in zip(people, shares, strict=True):
        x = Fraction(share)
        one = [comb(n, size) * x**size * (1 - x) ** (n - size) if size <= n else Fraction(0) for size in range(g + 1)]
        total = [sum(total[i] * one[size - i] for i in range(size + 1)) for size in range(g + 1)]
    return [float(chance) for chance in total]


@pytest.mark.parametrize("g", [1, 10, 30])
@pytest.mark.parametrize(("people", "shares"), CASES)
def test_exact_fractions(people, shares, g):
    found = chances_of_sums(sparse.csr_array([shares]), np.array(people, dtype=np.float64)[:, None], g)
    expected = _exactly(people, shares, g)
    np.testing.assert_allclose(np.cumsum(found), np.cumsum(expected), rtol=1e-10, atol=1e-18)


@pytest.mark.slow
def test_many_places_and_cells_are_added_up():
    rng = np.random.default_rng(3)
    share = rng.random((30, 12)) * (rng.random((30, 12)) < 0.3)
    share /= np.maximum(share.sum(axis=0), 1)
    people = rng.integers(0, 30, (12, 40)).astype(np.float64)
    found = chances_of_sums(sparse.csr_array(share), people, 10)
    expected = np.zeros(11)
    for row in share:
        for cell in people.T:
            one = np.eye(11)[0]
            for n, x in zip(cell, row, strict=True):
                one = np.convolve(one, binom.pmf(np.arange(11), n, x))[:11]
            expected += one
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_what_is_passed_over_cannot_matter():
    """A mean of 100 makes a sum of 10 at most rarer than 1e-18."""
    found = chances_of_sums(sparse.csr_array([[0.1]]), np.array([[1000.0]]), 10)
    assert found.sum() == 0
    assert binom.cdf(10, 1000, 0.1) < 1e-18 * 1e9


def test_the_ratio_of_neighbors_is_the_binomial():
    n, x = np.array([1.0, 7, 150, 4000]), np.array([0.3, 0.99, 0.25, 0.02])
    np.testing.assert_allclose(binomial_chances(n, x, 12), binom.pmf(np.arange(13)[:, None], n, x), rtol=1e-11)


@pytest.mark.parametrize("missing", [0.05, 1e-6, 2.0**-52])
@pytest.mark.parametrize("people", [1, 2, 45, 50, 51, 60])
def test_trials_that_nearly_always_succeed(people, missing):
    """No success of 45 such trials is a number too small to be held; 45 successes are nearly certain."""
    x = 1 - missing
    fails = 1 - Fraction(x)
    exact = [comb(people, k) * Fraction(x) ** k * fails ** (people - k) if k <= people else 0 for k in range(51)]
    got = chances_of_sums(sparse.csr_array([[x]]), np.array([[float(people)]]), 50)
    np.testing.assert_allclose(got, np.array(exact, dtype=float), rtol=1e-12, atol=1e-300)
