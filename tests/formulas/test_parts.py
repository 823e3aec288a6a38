"""Places made of parts of several counties, by counting every case and against one county alone."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import binom

from policy_sim.formulas.binomial import binomial_chances
from policy_sim.formulas.parts import (
    PlacedCells,
    chances_of_sums,
    claimed_wrongly_in_places,
    distinct_in_places,
    occupied_in_places,
)

CASES = [
    ([2, 1], 1, [0.5, 0.3]),
    ([2, 2], 2, [0.5, 1.0]),
    ([3], 2, [0.4]),
    ([1, 1, 1], 1, [1.0, 0.2, 0.7]),
    ([2, 1], 1, [1.0, 0.5]),
    ([1, 2], 1, [1.0, 1.0]),
]


def _counted(people: list[int], bins: int, shares: list[float], coverage: float) -> tuple[float, Counter, float]:
    """Occupied bins, people in bins of each size and claims, over where all live, their bins and the list."""
    lives = [p for n, p in zip(people, shares, strict=True) for _ in range(n)]
    outcomes = [
        [
            (1 - p, None, False),
            *((p / bins * coverage, value, True) for value in range(bins)),
            *((p / bins * (1 - coverage), value, False) for value in range(bins)),
        ]
        for p in lives
    ]
    occupied, by_size, claims = 0.0, Counter(), 0.0
    for outcome in product(*outcomes):
        chance = float(np.prod([part[0] for part in outcome]))
        listed = Counter(value for _, value, is_listed in outcome if is_listed)
        occupied += chance * len(listed)
        for size in listed.values():
            by_size[size] += chance * size
        claims += chance * sum(listed[value] == 1 for _, value, _ in outcome if value is not None)
    return occupied, by_size, claims


def claimed_in_places(places, people, bins, coverage):
    right = distinct_in_places(PlacedCells(places, people, bins, coverage), 1).sum(axis=1)[0]
    return right + claimed_wrongly_in_places(PlacedCells(places, people, bins, coverage)).sum()


def _column(people: list[int]) -> np.ndarray:
    return np.array(people, dtype=np.float64)[:, None]


@pytest.mark.parametrize("coverage", [1.0, 0.65, 0.0])
@pytest.mark.parametrize(("people", "bins", "shares"), CASES)
def test_every_outcome_counted(people, bins, shares, coverage):
    occupied, by_size, claims = _counted(people, bins, shares, coverage)
    places, n = sparse.csr_array([shares]), _column(people)
    assert occupied_in_places(PlacedCells(places, n, bins, coverage)).item() == pytest.approx(occupied, abs=1e-12)
    expected = np.cumsum([by_size[size] for size in (1, 2, 3)])
    upto = distinct_in_places(PlacedCells(places, n, bins, coverage), 3).sum(axis=1)
    assert upto.tolist() == pytest.approx(expected.tolist(), abs=1e-12)
    assert claimed_in_places(places, n, bins, coverage) == pytest.approx(claims, abs=1e-12)


def test_places_and_cells_are_added_up():
    """Every pair of a place and a cell by itself, and all of them at once."""
    shares = np.array([[0.5, 0.0, 0.1], [0.5, 0.25, 0.0], [0.0, 0.75, 0.9]])
    people = np.array([[3.0, 0.0], [1.0, 40.0], [0.0, 2.0]])
    for coverage in (1.0, 0.6):
        alone = [(sparse.csr_array(row[None]), people[:, [cell]]) for row in shares for cell in range(2)]
        whole = sparse.csr_array(shares)
        ours = occupied_in_places(PlacedCells(whole, people, 2.0, coverage)).sum()
        assert ours == pytest.approx(sum(occupied_in_places(PlacedCells(p, n, 2.0, coverage)).item() for p, n in alone))
        each = sum(distinct_in_places(PlacedCells(p, n, 2.0, coverage), 4).sum(axis=1) for p, n in alone)
        np.testing.assert_allclose(
            distinct_in_places(PlacedCells(whole, people, 2.0, coverage), 4).sum(axis=1), each, rtol=1e-12
        )
        ours = claimed_in_places(whole, people, 2.0, coverage)
        assert ours == pytest.approx(sum(claimed_in_places(p, n, 2.0, coverage) for p, n in alone))


def test_a_large_bin_of_two_counties_is_the_sum_of_two_binomials():
    n, p, g = [2000, 1500], [0.5, 0.4], 1620
    one = np.convolve(*(binom.pmf(np.arange(g + 1), size, share) for size, share in zip(n, p, strict=True)))[: g + 1]
    found = distinct_in_places(PlacedCells(sparse.csr_array([p]), _column(n), 1.0), g).sum(axis=1)
    np.testing.assert_allclose(found, np.cumsum(one * np.arange(g + 1))[1:], rtol=1e-9, atol=1e-12)
    assert 0.5 < found[-1] / np.dot(n, p) < 0.9


# Sums of independent binomials.


# small odds, odds near the limit of the series, large odds, chance 1
SUMS = [
    ([5, 40, 3], [0.01, 0.002, 0.3]),
    ([12, 10], [0.5, 0.499]),
    ([20, 11, 2], [0.5, 0.25, 0.125]),
    ([3, 20], [0.75, 0.01]),
    ([9, 1, 30], [0.99, 1.0, 0.0625]),
    ([2, 3], [1.0, 1.0]),
    ([60, 45], [0.5, 0.875]),
]


def _exact_sums(people, shares, g):
    total = [Fraction(1)] + [Fraction(0)] * g
    for n, share in zip(people, shares, strict=True):
        x = Fraction(share)
        one = [comb(n, size) * x**size * (1 - x) ** (n - size) if size <= n else Fraction(0) for size in range(g + 1)]
        total = [sum(total[i] * one[size - i] for i in range(size + 1)) for size in range(g + 1)]
    return [float(chance) for chance in total]


@pytest.mark.parametrize("g", [1, 10, 30])
@pytest.mark.parametrize(("people", "shares"), SUMS)
def test_exact_fractions(people, shares, g):
    found = chances_of_sums(
        PlacedCells(sparse.csr_array([shares]), np.array(people, dtype=np.float64)[:, None], 1.0),
        g,
    ).sum(axis=1)
    expected = _exact_sums(people, shares, g)
    np.testing.assert_allclose(np.cumsum(found), np.cumsum(expected), rtol=1e-10, atol=1e-18)


def test_what_is_passed_over_cannot_matter():
    """A mean of 100 makes a sum of 10 at most rarer than 1e-18."""
    found = chances_of_sums(PlacedCells(sparse.csr_array([[0.1]]), np.array([[1000.0]]), 1.0), 10).sum(axis=1)
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
    got = chances_of_sums(PlacedCells(sparse.csr_array([[x]]), np.array([[float(people)]]), 1.0), 50).sum(axis=1)
    np.testing.assert_allclose(got, np.array(exact, dtype=float), rtol=1e-12, atol=1e-300)
