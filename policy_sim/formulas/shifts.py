"""Dates moved by a secret number of days, the same for all dates of a person: what is left of them, and of the secret.

The shift is any whole number from ``-shift`` to ``shift``, all equally likely, and dates are equally likely days of a
period of ``days`` days. MODEL.md section 25.
"""

from __future__ import annotations

import numpy as np


def window(shift: int) -> int:
    """Return in how many days the true date may be, for who knows the released one.

    >>> window(30)
    61
    """
    return 2 * shift + 1


def bits_kept(days: int, shift: int) -> float:
    """Return how many bits of ``log2(days)`` a shifted date says of the true one.

    The mutual information of the two: the entropy of the released date less that of the shift. Released dates reach
    ``shift`` days over each end of the period, where fewer shifts are possible; to cut these ends off costs the dates
    there, and no bits of the others.

    >>> round(bits_kept(365, 0), 3), round(bits_kept(365, 30), 3)
    (8.512, 2.701)
    """
    wide, width = float(days), window(shift)
    released = np.arange(1 - shift, days + shift + 1)
    ways = np.minimum(days, released + shift) - np.maximum(1, released - shift) + 1
    chance = ways / (wide * width)
    return float(-(chance * np.log2(chance)).sum() - np.log2(width))


def shifts_left(days: int, shift: int, dates: int) -> float:
    """Return how many shifts a person's released dates leave possible, on average, for who knows none of their dates.

    All true dates are in the period, so released dates near its ends, or far apart, exclude some of the shifts. Of two
    shifts that are ``j`` days apart the second is possible if all ``dates`` stay in the period, which is so with the
    chance ``((days - j) / days) ** dates``. Where released dates less than ``shift`` days from an end are cut off,
    every shift stays possible, whatever the number of dates.

    >>> shifts_left(365, 30, 0), round(shifts_left(365, 30, 1), 1), round(shifts_left(365, 30, 20), 1)
    (61.0, 57.6, 25.5)
    """
    apart = np.abs(np.subtract.outer(np.arange(window(shift)), np.arange(window(shift))))
    stay = np.clip((days - apart) / days, 0.0, 1.0) ** dates
    return float(stay.sum() / window(shift))


def chance_alike(days: int, shift: int, known: int) -> float:
    """Return the chance that another person's dates fit what an attacker knows: ``known`` true dates of a person.

    The days between dates stay as they are, so that only one shift in common has to fit: ``(2 shift + 1) /
    days**known``. Shifting helps by the same factor whether one date is known or five.

    >>> round(chance_alike(365, 30, 1), 4), chance_alike(365, 0, 2) == 1 / 365**2
    (0.1671, True)
    """
    return min(window(shift) / days**known, 1.0) if known else 1.0


def named(people: int, days: int, shift: int, known: int) -> float:
    """Return the chance (0..1) to name the right one of ``people`` by ``known`` true dates, lucky picks included.

    The mean of 1 over the people who fit, of whom one is right: ``(1 - (1 - q)^people) / (people q)`` with ``q`` of
    :func:`chance_alike`. Of people in the same cell of whatever else is known.

    >>> [round(named(1000, 365, 30, known), 3) for known in (1, 2, 5)]
    [0.006, 0.802, 1.0]
    """
    alike = chance_alike(days, shift, known)
    return float(-np.expm1(people * np.log1p(-alike)) / (people * alike)) if alike < 1 else 1 / people
