"""How many records of a file are matched correctly, as a distribution: one to one, at random within each class."""

from __future__ import annotations

import math

import numpy as np

from policy_sim.words.arrays import FloatArray, IntArray

MOST_EXACT = 20_000  # records: above, the sum of the classes is taken as normal
_NORMAL = 1.959963984540054  # of the middle 95%


def exactly(records: int, people: int) -> FloatArray:
    """Return the chance that 0, 1, ..., ``records`` of a class are matched correctly; shape (records + 1,).

    Each of the ``records`` of the class is matched with another of its ``people``, at random.

    Parameters
    ----------
    records : f, 0 or more, at most ``people``.
    people : F, those in the identified file with the values of the class.

    Returns
    -------
    ``P(R) = sum over v of (-1)^v f! (F - R - v)! / (R! v! (f - R - v)! F!)``. Its mean is f / F; for f = F it is
    ``sum over v of (-1)^v / (R! v!)``.

    Examples
    --------
    Of the six ways to match three records with their three people one is right, three are right once, two never.

    >>> exactly(3, 3).round(4).tolist()
    [0.3333, 0.5, 0.0, 0.1667]
    >>> exactly(1, 4).round(4).tolist()
    [0.75, 0.25]

    References
    ----------
    Dankar and El Emam (2010), section 2.3, for f = F.
    """
    chance = np.zeros(records + 1)
    for right in range(records + 1):
        # at least so many given ones are right; then, with alternating signs, exactly so many
        ways = [
            (-1) ** v
            * math.exp(
                math.lgamma(records + 1)
                + math.lgamma(people - right - v + 1)
                - math.lgamma(right + 1)
                - math.lgamma(v + 1)
                - math.lgamma(records - right - v + 1)
                - math.lgamma(people + 1)
            )
            for v in range(records - right + 1)
        ]
        chance[right] = max(math.fsum(ways), 0.0)
    return chance


def matches_variance(records: IntArray, people: IntArray) -> FloatArray:
    """Return the variance of the correct matches in classes of ``records`` f among ``people`` F >= f.

    Each record is right with chance 1/F, and two of them with 1/(F (F - 1)).

    >>> matches_variance(np.array([3, 1]), np.array([3, 4])).tolist()
    [1.0, 0.1875]
    """
    f, big = records.astype(np.float64), people.astype(np.float64)
    both = np.where(big > 1, 1 / np.maximum(big * (big - 1), 1), 0.0)
    return np.asarray(f / big * (1 - 1 / big) + f * (f - 1) * (both - 1 / big**2), dtype=np.float64)


def matches_interval(records: IntArray, people: IntArray, classes: IntArray, share: float = 0.95) -> tuple[int, int]:
    """Return between which numbers the correct matches of a file are, with at least the chance ``share``.

    Classes with more records than people have as many records as people. Up to :data:`MOST_EXACT` records the
    distribution is the exact one; of more, and with a class of over 150 records, it is taken as normal.

    Parameters
    ----------
    records, people, classes : f and F of classes that are alike, and how many there are; aligned, F >= 1.

    Examples
    --------
    Four records, each with one other person: four tosses of a coin.

    >>> matches_interval(np.array([1]), np.array([2]), np.array([4]))
    (0, 4)
    >>> matches_interval(np.array([1]), np.array([1]), np.array([4]))
    (4, 4)
    """
    f = np.minimum(records, people)
    if int(f @ classes) > MOST_EXACT or (f > _LARGE_CLASS).any():
        mean, deviation = float((f / people) @ classes), math.sqrt(float(matches_variance(f, people) @ classes))
        low, high = mean - _NORMAL * deviation, mean + _NORMAL * deviation
        return max(math.floor(low), 0), min(math.ceil(high), int(f @ classes))
    total = np.ones(1)
    for some, of, times in zip(f.tolist(), people.tolist(), classes.tolist(), strict=True):
        total = np.convolve(total, _power(exactly(some, of), times))
    cumulated, tail = np.cumsum(total), (1 - share) / 2
    low = int(np.searchsorted(cumulated, tail, side="right"))
    return low, min(int(np.searchsorted(cumulated, 1 - tail)), len(total) - 1)


_LARGE_CLASS = 150  # records: the sums of a larger class take long


def _power(chance: FloatArray, times: int) -> FloatArray:
    """Return the distribution of the sum of so many draws."""
    total, square = np.ones(1), chance
    while times:
        if times & 1:
            total = np.convolve(total, square)
        times >>= 1
        if times:
            square = np.convolve(square, square)
    return total
