"""The chance that the attacker matches one record correctly, among the people who have its values."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from policy_sim.arrays import FloatArray
from policy_sim.binning.expectation import occupied_bins
from policy_sim.binning.inputs import checked_bins, checked_coverage, checked_whole, together

__all__ = ["match_chance"]


def match_chance(people: ArrayLike, bins: ArrayLike, coverage: ArrayLike = 1.0, in_file: ArrayLike = 1.0) -> FloatArray:
    """Return the chance (0..1) that a record of a group is matched to its own person.

    The attacker draws one of the listed people who have the record's values and who, as it knows, are in the file.

    Parameters
    ----------
    people : Persons in the group, whole, >= 0.
    bins : Equally likely values that the key distinguishes inside the group, >= 1; may be fractional.
    coverage : Share of the people that the resource lists, at random, 0 to 1.
    in_file : Share of the people who are in the file, at random, 0 to 1, if the attacker knows who they are; 1 if
        everyone is, or if the attacker does not know.

    Returns
    -------
    ``b (1 - (1 - c h/b)^n) / (n h)``, with the coverage ``c`` and the share in the file ``h``; from 0 to ``coverage``.
    The chance is 0 for an empty group, and the limit ``coverage`` for ``in_file`` 0. With ``h = 1`` it is
    ``(b/n) (1 - (1 - c/b)^n)``; with one bin and everyone listed, ``1/n``.

    Raises
    ------
    InputError : an argument outside its range.

    Examples
    --------
    Among 75 people with the same values, a guess is right once in 75 times. If a tenth of them is in the file and the
    attacker knows who, a guess is right about once in seven or eight times.

    >>> match_chance(75, 1).item() == 1 / 75
    True
    >>> match_chance(75, 1, in_file=0.1).round(4).item()
    0.1333

    References
    ----------
    Benitez and Malin (2010), equation 4, per record; docs/model.md.
    """
    n, b = checked_whole("people", people, 0), checked_bins(bins)
    shape, (n, b, c, h) = together(n, b, checked_coverage(coverage), checked_coverage(in_file))
    records = n * h
    correct = occupied_bins(n, b, c * h)
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = np.where(records > 0, np.minimum(correct / records, c), np.where(n > 0, c, 0.0))
    return chance.reshape(shape)
