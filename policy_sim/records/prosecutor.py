"""Prosecutor risk: the attacker knows that the person is in the file.

The attacker picks the right record in a class of f with probability 1/f. Averages are over *records*: in a mean over
classes, one large safe class would count as much as one unique record.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from policy_sim.errors import InputError
from policy_sim.records.missing import RecordSizes

__all__ = ["ProsecutorRisk", "Threshold", "prosecutor_risk"]

_HELP = "write a risk such as 0.09 or 1/11, or the smallest class, such as k=11"


@dataclass(frozen=True)
class Threshold:
    """The largest acceptable risk, and the smallest class that meets it.

    ``risk`` (0..1) is the limit for averages; ``k`` is the limit for the class of a record.
    """

    text: str
    risk: float
    k: int

    @classmethod
    def parse(cls, text: str) -> Threshold:
        """Read a decimal, a fraction, or ``k=``.

        A decimal of two or more digits that equals 1/k after rounding means k, as in the sources.

        Examples
        --------
        >>> [Threshold.parse(text).k for text in ("0.09", "0.33", "0.05", "0.075", "1/11", "k=5")]
        [11, 3, 20, 14, 11, 5]

        Raises
        ------
        InputError : not a risk above 0 and up to 1.
        """
        text = text.strip()
        try:
            if text.startswith("k="):
                k = int(text[2:])
                risk = Fraction(1, k)
            else:
                risk = Fraction(text)
                k = _smallest_class(text, risk)
        except (ValueError, ZeroDivisionError):
            raise InputError(f"threshold {text!r} is not a risk: {_HELP}.") from None
        if not 0 < risk <= 1:
            raise InputError(f"threshold {text!r} is not above 0 and at most 1: {_HELP}.")
        return cls(text, float(risk), k)


def _smallest_class(text: str, risk: Fraction) -> int:
    if risk <= 0:
        return 0
    nearest = round(1 / risk)
    digits = len(text.partition(".")[2])
    if digits >= 2 and round(Fraction(1, max(nearest, 1)), digits) == risk:
        return nearest
    return math.ceil(1 / risk)


@dataclass(frozen=True)
class ProsecutorRisk:
    """The risks of a file if the attacker knows who is in it; None if there are no records.

    Parameters
    ----------
    records : Number of records in the figures.
    smallest : Size of the smallest class.
    maximum : Largest risk of a record, ``1 / smallest``.
    average : Mean of ``1/f`` over records, which is classes divided by records.
    strict_average : ``maximum`` if it is above the cut-off, else ``average``.
    uniques : Records that are alone in their class.
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
    sizes : Class size of each record.
    threshold : A record with more risk counts as at risk.
    cutoff : Largest risk that an average may hide (0.5 or 0.33 in the sources).

    Examples
    --------
    Three classes of 1, 2 and 3 records have six records.

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
