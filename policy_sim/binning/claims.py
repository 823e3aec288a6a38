"""Claims: the matches of an attacker that links only records with exactly one candidate. Some are wrong.

An attacker *claims* a released record if exactly one listed person has its values. If the list misses people, that
person may be somebody else.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from policy_sim.arrays import FloatArray
from policy_sim.binning.cancellation import log_miss
from policy_sim.binning.inputs import checked_bins, checked_coverage, checked_whole, together

__all__ = ["claimed_records"]


def claimed_records(
    people: ArrayLike, bins: ArrayLike, coverage: ArrayLike = 1.0, share: ArrayLike = 1.0
) -> FloatArray:
    """Return the expected number of records that an attacker claims if everyone is released.

    Parameters
    ----------
    people : Persons in the group, whole, >= 0.
    bins : Equally likely values that the key distinguishes inside the group, >= 1; may be fractional.
    coverage : Share of the people that the resource lists, at random, 0 to 1.
    share : Share of the people who live in the place, at random, 0 to 1: a ZIP code area holds a part of its county's
        people.

    Returns
    -------
    Records, ``n [x (1 - x/b)^(n-1) + (p - x)(n - 1)(x/b)(1 - x/b)^(n-2)]`` with the share ``p`` and
    ``x = c p``, from 0 to ``people``; for the whole place ``x = c``. The first term counts the correct claims: the
    listed people who are unique on the list (:func:`~policy_sim.binning.people_g_distinct` with g = 1). The second
    counts the wrong claims. If everyone is listed, no claim is wrong.

    Raises
    ------
    InputError : an argument outside its range.

    Examples
    --------
    Two people have the same values, and each is listed with chance 1/2. With chance 1/2 exactly one is listed, and the
    attacker claims both records for that person. So there is one claim on average, and half of the claims are right.

    >>> claimed_records(2, 1, 0.5).item()
    1.0

    References
    ----------
    Golle (2006) and Benitez and Malin (2010) for the bins; counting the listed people in a bin gives the claims
    (docs/model.md).
    """
    n, b = checked_whole("people", people, 0), checked_bins(bins)
    shape, (n, b, c, p) = together(n, b, checked_coverage(coverage), checked_coverage(share))
    listed = c * p
    miss = log_miss(b, listed)
    with np.errstate(invalid="ignore"):  # 0 * -inf: a certain hit in a group of one person
        alone = np.where(n > 1, np.exp((n - 1) * miss), 1.0)
        others = np.where(n > 2, np.exp((n - 2) * miss), 1.0)
    correct = n * listed * alone
    wrong = n * p * (1 - c) * np.maximum(n - 1, 0) * (listed / b) * others
    return (correct + wrong).reshape(shape)
