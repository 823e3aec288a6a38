"""What formulas refuse, and the one line that says so."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse, stats
from scipy.stats import binom

from policy_sim.formulas.binomial import (
    Trials,
    checked_bins,
    checked_coverage,
    checked_numbers,
    checked_whole,
    excess_atanh,
    excess_expm1,
    excess_log1p,
    log_hit,
    log_miss,
    mass,
    mode,
    tail,
    together,
    two_product,
    walk,
)
from policy_sim.formulas.binomial_sums import binomial_chances, chances_of_sums
from policy_sim.words.errors import InputError


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda: checked_numbers("people", ["many"]), "people must be numbers: could not convert string to float"),
        (lambda: checked_whole("people", [3, 2.5], 0), r"people = 2\.5 \(value 2 of 2\) must be a whole number of 0"),
        (lambda: checked_whole("people", -1, 0), "people = -1 must be a whole number of 0 or more"),
        (lambda: checked_whole("people", np.nan, 0), "people = nan must be a whole number"),
        (lambda: checked_whole("people", 2.0**53 + 2, 0), "people = 9007199254740994 must be a whole number"),
        (lambda: checked_bins(0.5), r"bins = 0\.5 must be a number of 1 or more"),
        (lambda: checked_bins(np.inf), "bins = inf must be a number of 1 or more"),
        (lambda: checked_coverage([0.5, 1.5]), r"coverage = 1\.5 \(value 2 of 2\) must be a share from 0 to 1"),
        (lambda: checked_coverage(np.nan), "coverage = nan must be a share from 0 to 1"),
        (lambda: together(np.zeros(2), np.zeros(3)), r"arrays of shapes \(2,\), \(3,\) do not go together"),
    ],
)
def test_bad_input_is_one_line(call, line):
    with pytest.raises(InputError, match=f"^{line}"):
        call()


def test_ends_of_the_ranges_are_allowed():
    assert checked_whole("people", [0, 2.0**53], 0).tolist() == [0, 2.0**53]
    assert checked_bins([1, 365.25]).tolist() == [1, 365.25]
    assert checked_coverage([0, 1]).tolist() == [0, 1]


def test_arrays_are_brought_to_one_shape():
    shape, (rows, columns) = together(np.array([[1.0], [2.0]]), np.array([10.0, 20.0]))
    assert shape == (2, 2)
    assert rows.tolist() == [1, 1, 2, 2]
    assert columns.tolist() == [10, 20, 10, 20]


# A few roundings: 1e-15 is about nine half units in the last place.
LIMIT = 1e-15


@pytest.mark.parametrize(
    ("ours", "reference", "points"),
    [
        (excess_atanh, lambda x: mp.atanh(x) - x, [-0.4, -0.1, -1e-9, 1e-12, 0.03, 0.25, 0.4]),
        (excess_expm1, lambda x: mp.expm1(x) - x, [-30, -1.0, -0.9, -1e-8, 1e-11, 0.5, 1.0, 1.01, 20]),
        (excess_log1p, lambda x: mp.log1p(x) - x, [-0.999, -0.21, -0.2, -1e-9, 1e-12, 0.1, 0.2, 0.201, 3, 1e6]),
    ],
)
def test_small_differences_keep_their_digits(ours, reference, points):
    with mp.workdps(60):
        for x, value in zip(points, ours(np.array(points, dtype=float)), strict=True):
            assert abs(value / reference(mp.mpf(x)) - 1) < LIMIT


@pytest.mark.parametrize("bins", [1.0, 1.0000001, 1.7, 2.0, 2.1, 365.25, 1e7])
@pytest.mark.parametrize("coverage", [1.0, 0.9999999, 0.5, 0.3, 1e-6])
def test_logarithms_of_chances_keep_their_digits(bins, coverage):
    with mp.workdps(60):
        chance = mp.mpf(coverage) / mp.mpf(bins)
        b, c = np.array(bins), np.array(coverage)
        if bins == coverage:
            assert log_miss(b, c) == -np.inf
            assert log_hit(b, c) == 0
        else:
            assert abs(log_miss(b, c) / mp.log1p(-chance) - 1) < LIMIT
            assert abs(log_hit(b, c) / mp.log(chance) - 1) < LIMIT


@given(st.floats(1e-9, 1e9), st.floats(1e-9, 1e9))
def test_product_and_its_error_are_exact_together(a, b):
    product, error = two_product(np.array(a), np.array(b))
    assert Fraction(float(product)) + Fraction(float(error)) == Fraction(a) * Fraction(b)


def trials(count, bins, coverage=1.0):
    return Trials(*(np.atleast_1d(np.asarray(x, dtype=float)) for x in (count, bins, coverage)))


CASES = [(1, 2, 1), (7, 3, 1), (40, 9, 2.5), (500, 365.25, 1), (20_000, 365.25, 1), (900, 1.25, 1)]


@pytest.mark.parametrize(("count", "bins", "coverage"), CASES)
def test_mass_is_the_binomial_law(count, bins, coverage):
    sizes = np.arange(min(count, 300) + 1, dtype=float)
    many = trials(*(np.full(len(sizes), float(x)) for x in (count, bins, coverage)))
    # scipy rounds the chance to one number: a loss of 1e-16 times the count
    expected = stats.binom.pmf(sizes, count, coverage / bins)
    np.testing.assert_allclose(mass(many, sizes, np.full(len(sizes), 3.0)), 3 * expected, rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize(("count", "bins", "coverage"), CASES)
def test_tail_is_the_smaller_of_two_sums(count, bins, coverage):
    for size in (0, 1, count // 3, count // 2, count - 1):
        below, value = tail(trials(count, bins, coverage), np.array([float(size)]), np.ones(1))
        law = stats.binom(count, coverage / bins)
        assert bool(below[0]) == (size < count * coverage / bins)
        assert value[0] == pytest.approx(law.cdf(size) if below[0] else law.sf(size), rel=1e-8, abs=1e-290)


def test_no_size_is_likelier_than_the_mode():
    for count, bins, coverage in CASES[:4]:
        at = mode(trials(count, bins, coverage))[0]
        chances = stats.binom.pmf(np.arange(count + 1), count, coverage / bins)
        assert chances[int(at)] == pytest.approx(chances.max(), rel=1e-12)


def test_a_sure_and_an_impossible_success():
    sizes = np.array([4.0, 3.0, 0.0, 1.0])
    sure = trials([4, 4, 4, 4], [5, 5, 5, 5], [5, 5, 0, 0])
    assert mass(sure, sizes, np.full(4, 2.0)).tolist() == [2.0, 0.0, 2.0, 0.0]


@pytest.mark.parametrize("step", [1, -1])
def test_a_walk_meets_every_mass_on_its_way(step):
    one, start = trials(60, 4), np.array([15.0])
    first = mass(one, start, np.ones(1))
    for _, sizes, values in walk(one, start, first, step, np.array([1e-12])):
        np.testing.assert_allclose(values[0], stats.binom.pmf(sizes[0], 60, 0.25), rtol=1e-12, atol=1e-300)


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


def _exactly(people, shares, g):
    total = [Fraction(1)] + [Fraction(0)] * g
    for n, share in zip(people, shares, strict=True):
        x = Fraction(share)
        one = [comb(n, size) * x**size * (1 - x) ** (n - size) if size <= n else Fraction(0) for size in range(g + 1)]
        total = [sum(total[i] * one[size - i] for i in range(size + 1)) for size in range(g + 1)]
    return [float(chance) for chance in total]


@pytest.mark.parametrize("g", [1, 10, 30])
@pytest.mark.parametrize(("people", "shares"), SUMS)
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
