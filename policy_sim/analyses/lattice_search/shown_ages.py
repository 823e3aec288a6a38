"""A class of ages, and how classes are written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["AgeClass", "written"]


@dataclass(frozen=True)
class AgeClass:
    """A run of ages shown as one value, or one age shown more finely.

    Attributes
    ----------
    first, end : Places of its first age, and of the first one after it.
    granularity : ``class``; for an age of several years also ``year``; for one age also :data:`WITHIN_A_YEAR`.
    """

    first: int
    end: int
    granularity: str = "class"

    def text(self, lower: Sequence[int], width: Sequence[int]) -> str:
        """Write the class, given the lower bound and the years of each age.

        Examples
        --------
        >>> AgeClass(1, 3).text([0, 1, 2, 3], [1, 1, 1, 1]), AgeClass(1, 4).text([0, 1, 2, 3], [1, 1, 1, 1])
        ('1-2', '1+')
        >>> AgeClass(0, 1, "month").text([0, 1], [1, 1])
        '0 by month'
        """
        low, high = lower[self.first], lower[self.end - 1] + width[self.end - 1] - 1
        ages = f"{low}+" if self.end == len(lower) else str(low) if low == high else f"{low}-{high}"
        return ages if self.granularity == "class" else f"{ages} by {self.granularity}"


def written(classes: Sequence[AgeClass], lower: Sequence[int], width: Sequence[int]) -> str:
    """Write classes of ages; single ages that are shown alike and follow each other are put together.

    Examples
    --------
    >>> ages = [AgeClass(0, 1), AgeClass(1, 2), AgeClass(2, 3, "month"), AgeClass(3, 4, "month"), AgeClass(4, 7)]
    >>> written(ages, range(7), [1] * 7)
    '0 to 1 by year, 2 to 3 by month, 4+'
    """
    words: list[str] = []
    place = 0
    while place < len(classes):
        last = place
        while last < len(classes) and _single(classes[last], classes[place].granularity, lower, width):
            last += 1
        age_class = classes[place]
        if last - place > 1:
            word = "year" if age_class.granularity == "class" else age_class.granularity
            words.append(f"{lower[age_class.first]} to {lower[classes[last - 1].first]} by {word}")
        else:
            words.append(age_class.text(lower, width))
        place = max(last, place + 1)
    return ", ".join(words)


def _single(age_class: AgeClass, word: str, lower: Sequence[int], width: Sequence[int]) -> bool:
    """Whether it is one age of one year below the last, shown in this way."""
    alone = age_class.end - age_class.first == 1 and width[age_class.first] == 1 and age_class.end < len(lower)
    return alone and age_class.granularity == word
