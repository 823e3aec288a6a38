"""Ages: the classes of the census tables and the ages of a shipped population."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["AGES", "AGE_WIDTHS", "CLASS_AGES", "CLASS_STARTS", "OPEN_AGE", "OPEN_ENDED_WIDTH", "class_of_age"]

# The 23 age classes of tables P12 and P12A to P12I (Census 2000 and 2010): first age of each.
CLASS_STARTS = np.array([0, 5, 10, 15, 18, 20, 21, 22, 25, 30, 35, 40, 45, 50, 55, 60, 62, 65, 67, 70, 75, 80, 85])
# The last class, 85 and over, is open.
OPEN_AGE = 85
# Years that an open class is taken to hold, its people equally likely in each: 85 to 99. PCT12 separates 26 years,
# but few people are older than 99. In Texas (tables PCT12 of 2000, 2010 and 2020, the class folded into one), 15 years
# put total risk by county and birth year 0.1% to 1.8% too high and 26 years 3.7% to 6.4% (docs/populations.md).
OPEN_ENDED_WIDTH = 15
# The 103 ages of tables PCT12A to PCT12G: 0 to 99, 100-104, 105-109, 110 and over.
AGES = np.array([*range(100), 100, 105, 110])
AGE_WIDTHS = np.array([1] * 100 + [5, 5, 1])


def class_of_age(ages: NDArray[np.integer], starts: NDArray[np.integer] = CLASS_STARTS) -> NDArray[np.intp]:
    """Return the number of the class (counted from 0) that each age falls in."""
    return np.searchsorted(starts, ages, side="right") - 1


# Positions in AGES of the ages of each class.
CLASS_AGES = tuple(np.flatnonzero(class_of_age(AGES) == number) for number in range(len(CLASS_STARTS)))
