"""Prosecutor risk: the attacker knows that the person is in the file.

A record in a class of f is picked with probability 1/f. Averages are over *records*: a mean over
classes would let one large safe class count as little as one unique record.
"""

from __future__ import annotations

from dataclasses import dataclass

from policy_sim.microdata.missing import RecordSizes
from policy_sim.microdata.threshold import Threshold

__all__ = ["ProsecutorRisk", "prosecutor_risk"]


@dataclass(frozen=True)
class ProsecutorRisk:
    """The risks of a file whose people the attacker knows to be in it; None where there are no records.

    Parameters
    ----------
    records : Records judged.
    smallest : Smallest class.
    maximum : Largest risk of a record, ``1 / smallest``.
    average : Mean over records of ``1/f``: classes over records.
    strict_average : ``maximum`` if it is above the cut-off, else ``average``.
    uniques : Records alone in their class.
    at_risk : Records whose risk is above the threshold.
    """

    records: int
    smallest: int | None
    maximum: float | None
    average: float | None
    strict_average: float | None
    uniques: int
    unique_share: float | None
    at_risk: int
    at_risk_share: float | None


def prosecutor_risk(sizes: RecordSizes, threshold: Threshold, cutoff: Threshold) -> ProsecutorRisk:
    """Return maximum, average and strict average risk.

    Parameters
    ----------
    sizes : Among how many records each record hides.
    threshold : Above which a record counts as at risk.
    cutoff : Largest risk that an average may hide (0.5 or 0.33 in the sources).

    Examples
    --------
    Classes of 1, 2 and 3 records: three classes, six records.

    >>> import numpy as np
    >>> sizes = RecordSizes.of(np.array([1, 2, 3]), np.array([1, 2, 3]))
    >>> risk = prosecutor_risk(sizes, Threshold.parse("0.33"), Threshold.parse("0.5"))
    >>> risk.maximum, risk.average, risk.strict_average, risk.at_risk
    (1.0, 0.5, 1.0, 3)

    References
    ----------
    El Emam and Arbuckle (2013), chapter 2, where the maximum is printed as max(k) for max(1/k);
    Information and Privacy Commissioner of Ontario (2016), step 4.
    """
    n = sizes.number
    uniques = int(sizes.records[sizes.size == 1].sum())
    at_risk = int(sizes.records[sizes.size < threshold.k].sum())
    if not n:
        return ProsecutorRisk(0, None, None, None, None, 0, None, 0, None)
    smallest = int(sizes.size[0])
    maximum, average = 1 / smallest, float((sizes.records / sizes.size).sum()) / n
    strict = maximum if smallest < cutoff.k else average
    return ProsecutorRisk(n, smallest, maximum, average, strict, uniques, uniques / n, at_risk, at_risk / n)
