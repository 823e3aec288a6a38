"""What an attacker who claims only sure-looking matches gets: claims, of which some are wrong.

An attacker *claims* a released record where exactly one listed person has its values. Where the list
misses people, that one person may be somebody else.
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
    """Return the expected number of records that an attacker claims, of a release of everyone.

    Parameters
    ----------
    people : Persons in the group, whole, >= 0.
    bins : Equally likely values that the key distinguishes inside the group, >= 1; may be fractional.
    coverage : Share of the people that the resource lists, at random, 0 to 1.
    share : Share of the people who live in the place that is meant, at random, 0 to 1: a ZIP code area takes a
        part of its county's people.

    Returns
    -------
    Records, ``n [x (1 - x/b)^(n-1) + (p - x)(n - 1)(x/b)(1 - x/b)^(n-2)]`` with the share ``p`` and
    ``x = c p``, from 0 to ``people``; for the whole place ``x = c``. The
    first term is the correct claims, which are the listed people who are unique among those listed
    (:func:`~policy_sim.binning.people_g_distinct` with g = 1); the second is the wrong ones. With a list of
    everyone no claim is wrong.

    Raises
    ------
    InputError : an argument outside its range.

    Examples
    --------
    Two people with the same values, each listed with chance 1/2: with chance 1/2 exactly one is listed, and
    both records are claimed for that person. One claim on average, half of them right.

    >>> claimed_records(2, 1, 0.5).item()
    1.0

    References
    ----------
    Golle (2006) and Benitez and Malin (2010) for the bins; the claims follow from them by counting the
    listed people in a bin (docs/model.md).
    """
    n, b = checked_whole("people", people, 0), checked_bins(bins)
    shape, (n, b, c, p) = together(n, b, checked_coverage(coverage), checked_coverage(share))
    listed = c * p
    miss = log_miss(b, listed)
    with np.errstate(invalid="ignore"):  # 0 times -inf: a certain hit and nobody else in the group
        alone = np.where(n > 1, np.exp((n - 1) * miss), 1.0)
        others = np.where(n > 2, np.exp((n - 2) * miss), 1.0)
    correct = n * listed * alone
    wrong = n * p * (1 - c) * np.maximum(n - 1, 0) * (listed / b) * others
    return (correct + wrong).reshape(shape)
