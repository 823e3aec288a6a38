"""Numbers for combinations of codes: the step before cells that share a key are added up."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from policy_sim.arrays import IntArray

__all__ = ["number_combinations"]

# Above this many possible combinations, only those that occur are numbered; above the second, by sorting.
_DENSE = 8_000_000
_SPARSE = 100_000_000


def number_combinations(codes: Sequence[IntArray]) -> IntArray:
    """Return one number per row, the same for two rows exactly when all of their codes are the same.

    Parameters
    ----------
    codes : One or more arrays of codes, each >= 0 and of the same length.

    Returns
    -------
    Numbers from 0 on, in the order of the codes (the first one decides first), with so few gaps that an array
    with a place for each number stays small: at most 8 million places, or as many as there are rows.

    Examples
    --------
    >>> number_combinations([np.array([0, 1, 1]), np.array([2, 0, 2])]).tolist()
    [2, 3, 5]
    """
    number = np.zeros(len(codes[0]), dtype=np.int64)
    possible = 1
    for code in codes:
        values = int(code.max(initial=0)) + 1
        if possible * values > _DENSE:  # most combinations never occur: a county lies in one state
            number, possible = _without_gaps(number, possible)
        number, possible = number * values + code, possible * values
    return _without_gaps(number, possible)[0] if possible > _DENSE else number


def _without_gaps(number: IntArray, possible: int) -> tuple[IntArray, int]:
    """Return the numbers again from 0 without gaps, and how many there are."""
    if possible > _SPARSE:
        occurring, again = np.unique(number, return_inverse=True)
        return again, len(occurring)
    used = np.zeros(possible, dtype=bool)
    used[number] = True
    occurring = np.flatnonzero(used)
    again = np.empty(possible, dtype=np.int32)  # only what occurs is ever written or read
    again[occurring] = np.arange(len(occurring))
    return again[number].astype(np.int64), len(occurring)
