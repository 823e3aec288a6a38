"""What the shape of a column of numbers says that they may be: three digits of ZIP codes, weekdays, days, or ranks.

Nothing here is certain. A measurement with such a shape waits for a person, which costs one answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from policy_sim.records.vocabularies import zip_codes
from policy_sim.words.arrays import FloatArray, IntArray

_SCALE, _ENOUGH, _MANY = 20, 20, 30  # values of a scale; values for a test of shape, and of days
_NEARLY_ALL, _HALF = 0.95, 0.5
_ROUGH = 2.0  # times the scatter that chance gives to neighboring numbers
_HEAPED, _EVEN_NUMBERS = 0.35, 0.65  # shares of records at which people rounded
_WEEK, _WORKING, _MORE = 7, 5, 1.2
_UNEVEN, _OF_CHANCE = 0.1, 1.3  # the largest distance of two distributions; and that by chance, times root n
_CLOSE, _BY_CHANCE = 0.04, 1.0
_FROM_START = 0.05  # of the range
_FOLLOWED = 0.95
_CLEAR, _LEAST = 0.1, 10  # error of a whole number that a function hides; numbers of which that is known
_DIGITS = 5
_SPAN, _DENSE, _FLAT = (60, 110), 0.6, 2.4  # years; the share of them that occurs; the kurtosis (3 where normal)
_INVERSES: tuple[tuple[Callable[[FloatArray], FloatArray], float, float], ...] = (
    (lambda x: x, -np.inf, np.inf),
    (np.exp, -30, 30),
    (lambda x: np.power(10.0, x), -13, 13),
    (np.exp2, -43, 43),
    (np.square, 0, 1e8),
    (np.sqrt, 0, np.inf),
    (np.reciprocal, 1e-15, np.inf),
)
"""Each function that undoes another, with the least and the largest number that it is tried on."""


def are_zip3(texts: Sequence[str], numbers: FloatArray, records: IntArray) -> bool:
    """Tell whether numbers of three digits are too few, or too rough beside each other, for a measurement."""
    prefixes = {code[:3] for code in zip_codes()}
    if not all(re.fullmatch(r"\d{3}(\.0+)?", text, re.ASCII) for text in texts):
        return False
    if np.mean([text[:3] in prefixes for text in texts]) < _NEARLY_ALL or np.mean(numbers % 10 == 0) >= _HALF:
        return False
    if len(numbers) <= _SCALE:
        return True
    by_record = records / records.sum()
    if by_record[numbers % 5 == 0].sum() >= _HEAPED or by_record[numbers % 2 == 0].sum() >= _EVEN_NUMBERS:
        return False
    least = int(numbers.min())
    held = np.zeros(int(numbers.max()) - least + 3)
    held[numbers.astype(int) - least + 1] = records
    middle, beside = held[1:-1], (held[:-2] + held[2:]) / 2
    return bool(np.square(middle - beside).sum() > _ROUGH * 1.5 * middle.sum())


def are_weekdays(numbers: FloatArray, records: IntArray) -> bool:
    """Tell whether numbers are 0 to 6 or 1 to 7, five in a row about as frequent, and two at most as frequent."""
    order = np.argsort(numbers)
    if len(numbers) != _WEEK or numbers[order].tolist() not in ([*range(_WEEK)], [*range(1, _WEEK + 1)]):
        return False
    for first in range(_WEEK):
        rows = np.roll(records[order], -first)
        working, free = rows[:_WORKING], rows[_WORKING:]
        if working.min() >= _HALF * working.max() and free.max() <= _MORE * working.max():
            return True
    return False


def are_days_from_a_start(numbers: FloatArray, records: IntArray) -> bool:
    """Tell whether records lie evenly over many numbers from about 0, as days since the start of a study do."""
    low, high = float(numbers.min()), float(numbers.max())
    if len(numbers) < _MANY or (numbers % 1 != 0).any() or low > _FROM_START * (high - low):
        return False
    filled = int(records.sum())
    return bool(_distance_to_even(numbers, records) <= max(_UNEVEN, _OF_CHANCE / filled**0.5))


def may_be_shifted_ages(numbers: FloatArray, records: IntArray) -> bool:
    """Tell whether whole numbers fill a span as long as a life, flatter than measurements, which have a middle."""
    low, high = float(numbers.min()), float(numbers.max())
    if (numbers % 1 != 0).any() or not _SPAN[0] <= high - low <= _SPAN[1] or len(numbers) < _DENSE * (high - low):
        return False
    weights = records / records.sum()
    off = np.square(numbers - numbers @ weights)
    return bool(np.square(off) @ weights < _FLAT * (off @ weights) ** 2)


def _distance_to_even(numbers: FloatArray, records: IntArray) -> float:
    """Return the largest distance of a distribution to the even one over its range, as Kolmogorov measures it."""
    order = np.argsort(numbers)
    below = np.cumsum(records[order]) / records.sum()
    even = (numbers[order] - numbers.min()) / max(float(np.ptp(numbers)), 1e-300)
    return float(np.abs(below - even).max())


def is_function_of_a_number(numbers: FloatArray, texts: Sequence[str]) -> bool:
    """Tell whether fine numbers are a simple function of evenly spread or whole ones, as of numbers of people.

    The logarithm, the root, the square or the reciprocal of a record number is different for each person as it is.
    """
    digits = [len(re.sub(r"\D", "", text.split("e")[0].split("E")[0]).lstrip("0")) for text in texts]
    if len(numbers) < _ENOUGH or np.median(digits) < _DIGITS:
        return False
    numbers = -numbers if numbers.max() <= 0 else numbers
    error = 0.5 * 10.0 ** -np.array([len(text.partition(".")[2]) for text in texts], dtype=float)
    once = np.ones(len(numbers), dtype=np.int64)
    for inverse, low, high in _INVERSES:
        if numbers.min() < low or numbers.max() > high:
            continue
        undone = inverse(numbers)
        if _distance_to_even(undone, once) <= max(_CLOSE, _BY_CHANCE / len(numbers) ** 0.5):
            return True
        if inverse is not _INVERSES[0][0] and _are_whole(undone, np.abs(inverse(numbers + error) - undone)):
            return True
    return False


def _are_whole(numbers: FloatArray, errors: FloatArray) -> bool:
    """Tell whether large numbers are whole within their errors, as far as these are small enough to tell."""
    clear = (errors <= _CLEAR) & (np.abs(numbers) >= 100)
    if clear.sum() < _LEAST:
        return False
    off = np.abs(numbers - np.round(numbers))[clear]
    return bool(np.mean(off <= 2 * errors[clear] + 1e-6) >= _NEARLY_ALL)


def follows(one: FloatArray, two: FloatArray) -> bool:
    """Tell whether two columns are in nearly the same order, or the reverse, in the rows that have both.

    NaN stands for a row without a number. Shapes (rows,).
    """
    both = ~np.isnan(one) & ~np.isnan(two)
    first, second = _ranks(one[both]), _ranks(two[both])
    if both.sum() < _ENOUGH or min(len(np.unique(first)), len(np.unique(second))) < _LEAST:
        return False
    return bool(abs(np.corrcoef(first, second)[0, 1]) >= _FOLLOWED)


def _ranks(values: FloatArray) -> FloatArray:
    """Return the mean rank of each value."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[place]
