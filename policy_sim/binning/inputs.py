"""What the formulas accept: arguments are checked once, and an error is one clear line."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from policy_sim.arrays import BoolArray, FloatArray
from policy_sim.errors import InputError

__all__ = [
    "checked_bins",
    "checked_coverage",
    "checked_numbers",
    "checked_whole",
    "together",
]


def checked_numbers(name: str, values: ArrayLike) -> FloatArray:
    """Return the values as float64, or raise InputError."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as why:
        raise InputError(f"{name} must be numbers: {why}.") from why
    return numbers


def _refuse(name: str, values: FloatArray, wrong: BoolArray, allowed: str) -> None:
    if wrong.any():
        place = int(np.argmax(wrong.ravel()))
        where = f" (value {place + 1} of {values.size})" if values.size > 1 else ""
        raise InputError(f"{name} = {values.ravel()[place]:.17g}{where} must be {allowed}.")


def checked_whole(name: str, values: ArrayLike, least: int) -> FloatArray:
    """Return whole numbers of ``least`` or more, as float64 (exact up to 2**53), or raise InputError."""
    numbers = checked_numbers(name, values)
    # negated comparisons, so that NaN is an error too
    wrong = ~((numbers >= least) & (numbers <= 2.0**53)) | (np.trunc(numbers) != numbers)
    _refuse(name, numbers, wrong, f"a whole number of {least} or more")
    return numbers


def checked_bins(values: ArrayLike) -> FloatArray:
    """Return numbers of bins, 1 or more and finite, fractions allowed, or raise InputError."""
    numbers = checked_numbers("bins", values)
    _refuse("bins", numbers, ~((numbers >= 1) & np.isfinite(numbers)), "a number of 1 or more")
    return numbers


def checked_coverage(values: ArrayLike) -> FloatArray:
    """Return shares of people that a resource lists, 0 to 1, or raise InputError."""
    numbers = checked_numbers("coverage", values)
    _refuse("coverage", numbers, ~((numbers >= 0) & (numbers <= 1)), "a share from 0 to 1")
    return numbers


def together(*arrays: FloatArray) -> tuple[tuple[int, ...], list[FloatArray]]:
    """Return the common shape of the arrays, and each array broadcast to it and flattened."""
    try:
        spread = np.broadcast_arrays(*arrays)
    except ValueError as why:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise InputError(f"arrays of shapes {shapes} do not go together: give one value or one each.") from why
    return spread[0].shape, [array.ravel() for array in spread]
