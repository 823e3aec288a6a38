"""Differences of nearly equal numbers, and logarithms of chances near 0 and 1, without cancellation."""

from __future__ import annotations

import numpy as np

from policy_sim.arrays import FloatArray

__all__ = ["excess_atanh", "excess_expm1", "excess_log1p", "log_hit", "log_miss", "two_product"]

_SPLIT = 134217729.0  # 2**27 + 1 cuts a float64 into halves whose products are exact
_TERMS = 24  # terms of each series below: the first omitted term is under 1e-17 of the sum


def two_product(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the rounded product and its rounding error, so that the pair adds up exactly (Dekker 1971)."""
    product = a * b
    a_high = _SPLIT * a - (_SPLIT * a - a)
    b_high = _SPLIT * b - (_SPLIT * b - b)
    a_low, b_low = a - a_high, b - b_high
    error = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)
    return product, error


def _polynomial(x: FloatArray, coefficients: list[float]) -> FloatArray:
    total = np.zeros_like(x)
    for coefficient in reversed(coefficients):
        total = total * x + coefficient
    return total


def excess_atanh(x: FloatArray) -> FloatArray:
    """Return ``atanh(x) - x`` for ``|x| <= 0.4``."""
    square = x * x
    return x * square * _polynomial(square, [1 / (2 * k + 3) for k in range(_TERMS)])


def excess_expm1(x: FloatArray) -> FloatArray:
    """Return ``exp(x) - 1 - x``, at most ``exp(x)`` in size."""
    near = np.clip(x, -1.0, 1.0)
    coefficients = list(1 / np.cumprod(np.arange(2.0, 2 + _TERMS)))
    return np.where(np.abs(x) <= 1, near * near * _polynomial(near, coefficients), np.expm1(x) - x)


def excess_log1p(x: FloatArray) -> FloatArray:
    """Return ``log(1 + x) - x`` for ``x >= -1``."""
    near = np.clip(x, -0.2, 0.2)
    series = -near * near * _polynomial(-near, [1 / (k + 2) for k in range(_TERMS)])
    return np.where(np.abs(x) <= 0.2, series, np.log1p(x) - x)


def log_miss(bins: FloatArray, coverage: FloatArray) -> FloatArray:
    """Return ``log(1 - coverage/bins)``, the logarithm of the chance that a person is not listed in a given bin."""
    share = coverage / bins
    with np.errstate(divide="ignore"):
        # bins - coverage is exact where the two are within a factor of 2
        return np.where(share > 0.5, np.log((bins - coverage) / bins), np.log1p(-np.minimum(share, 0.5)))


def log_hit(bins: FloatArray, coverage: FloatArray) -> FloatArray:
    """Return ``log(coverage/bins)``, the logarithm of the chance that a person is listed in a given bin."""
    share = coverage / bins
    with np.errstate(divide="ignore"):
        return np.where(share > 0.5, np.log1p(np.maximum((coverage - bins) / bins, -0.5)), np.log(share))
