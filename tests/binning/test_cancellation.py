from __future__ import annotations

from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy_sim.binning.cancellation import excess_atanh, excess_expm1, excess_log1p, log_hit, log_miss, two_product

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
