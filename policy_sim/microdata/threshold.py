"""Risk thresholds, compared on the class size that they stand for.

Guidelines print 0.09 for one in 11 and 0.33 for one in 3. Compared as decimals, a class of 3 would
fail a threshold that means "classes of 3 or more": 1/3 > 0.33. A threshold therefore keeps its
smallest class, and a class passes when it is not smaller. (Information and Privacy Commissioner of
Ontario 2016, step 4; El Emam and Arbuckle 2013, chapter 2.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from policy_sim.errors import InputError

__all__ = ["Threshold"]

_HELP = "write a risk such as 0.09 or 1/11, or the smallest class, such as k=11"


@dataclass(frozen=True)
class Threshold:
    """A largest acceptable risk, and the smallest class that meets it.

    ``risk`` (0..1) is for averages, which are compared as decimals; ``k`` is for the risk of a record.
    """

    text: str
    risk: float
    k: int

    @classmethod
    def parse(cls, text: str) -> Threshold:
        """Read a decimal, a fraction, or ``k=``.

        A decimal of two or more digits that is 1/k rounded means k, as the sources use it.

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
