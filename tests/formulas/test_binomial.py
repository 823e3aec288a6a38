"""What formulas refuse, and the one line that says so."""

from __future__ import annotations

from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

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
