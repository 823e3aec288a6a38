"""Sizes of crowded bins, beside sums of binomials put together one by one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, hypergeom, poisson

from policy_sim.binning.placed_sweep import crowded_mean, sizes_of_crowded

ALONE = np.zeros(3), np.zeros((3, 2))


def _by_convolution(chance, people, weight, most):
    persons = np.zeros(most + 2)
    for cell, counted in enumerate(weight):
        chances = np.ones(1)
        for x, n in zip(chance, people[:, cell].astype(int), strict=True):
            chances = np.convolve(chances, binom.pmf(np.arange(n + 1), n, x))
        size = np.arange(len(chances))
        np.add.at(persons, np.minimum(size, most + 1), counted * chances * size)
    return persons


@pytest.mark.parametrize("most", [20, 150, 5000])
@pytest.mark.parametrize("chance", [(0.3, 0.9, 1.0), (0.001, 0.5, 0.02), (1.0, 1.0, 1.0)])
def test_sums_of_three_counties(chance, most):
    people, weight = np.array([[100, 7], [50, 3], [4, 3000]]), np.array([2.0, 3.0])
    found = sizes_of_crowded(np.array(chance), people.astype(float), weight, most, *ALONE)
    np.testing.assert_allclose(found, _by_convolution(chance, people, weight, most), rtol=1e-9, atol=1e-8)
    np.testing.assert_allclose(found.sum(), (np.array(chance) @ people) @ weight, rtol=1e-11)


def test_a_county_whose_places_hold_as_many_as_were_counted():
    """50 of 1,000 people in a place of 400: nearer to the hypergeometric than the binomial is, tenfold."""
    x, n, residents = np.array([0.4]), np.array([[50.0]]), 1000
    rarer = x * (1 - x) / (2 * residents)
    size = np.arange(51)
    exact = np.append(hypergeom.pmf(size, residents, 400, 50) * size, 0.0)
    fixed, free = (sizes_of_crowded(x, n, np.ones(1), 50, k, n * (n - 1)) for k in (rarer, 0 * rarer))
    assert np.abs(fixed - exact).sum() < np.abs(free - exact).sum() / 10


@pytest.mark.parametrize("size", [1, 10, 32])
def test_below_the_crowded_mean_nothing_is_crowded(size):
    """The Poisson variable of that mean, which a sum of binomials exceeds less often."""
    mean = crowded_mean(size)
    assert 0 < mean < size
    assert poisson.sf(size, mean) < 1.1e-20
    assert poisson.sf(size, mean * 1.01) > 1e-20
