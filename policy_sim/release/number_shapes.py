"""What the shape of a column of numbers says that they may be: three digits of ZIP codes, weekdays, days, or ranks.

Nothing here is certain. A measurement with such a shape waits for a person, which costs one answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from policy_sim.records.vocabularies import known_zip, zip_codes
from policy_sim.words.arrays import FloatArray, IntArray

_SCALE, _ENOUGH, _MANY = 20, 20, 25  # values of a scale; values for a test of shape, and of days
_NEARLY_ALL, _MOST, _HALF = 0.95, 0.9, 0.5
_FEW, _FINE = 10, 3  # numbers; decimal places
_LEAST_ZIP, _DEGREES = 501, 30
_YEARS_IN_DAYS = (365.25, 365.0, 365.2425)
_CALENDARS = ((12, 12), (31, 31), (52, 53), (360, 366))
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


@cache
def _prefixes() -> frozenset[str]:
    return frozenset(code[:3] for code in zip_codes())


def are_zip3(texts: Sequence[str], numbers: FloatArray, records: IntArray) -> bool:
    """Tell whether numbers of three digits are too few, or too rough beside each other, for a measurement."""
    prefixes = _prefixes()
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


def lie_evenly(numbers: FloatArray, records: IntArray) -> bool:
    """Tell whether records lie evenly over many numbers, as days since a start and times do, and numbers drawn by lot.

    Hardly any measurement does. From about 0, where days begin, a larger distance counts.
    """
    low, high = float(numbers.min()), float(numbers.max())
    if len(numbers) < _MANY:
        return False
    from_start = low <= _FROM_START * (high - low) and bool((numbers % 1 == 0).all())
    uneven = _UNEVEN if from_start else _UNEVEN / 2
    return bool(_distance_to_even(numbers, records) <= max(uneven, _OF_CHANCE / int(records.sum()) ** 0.5))


def steps_of(numbers: FloatArray, places: int) -> FloatArray | None:
    """Return numbers as multiples of the largest step of which all are; None with many decimal places.

    >>> steps_of(np.array([36.0, 58.0, 90.0]), 0).tolist(), steps_of(np.array([0.36, 0.58]), 2).tolist()
    ([18.0, 29.0, 45.0], [18.0, 29.0])
    """
    if places > _FINE:
        return None
    whole = np.round(numbers * 10**places).astype(np.int64)
    step = int(np.gcd.reduce(np.abs(whole)))
    return whole / step if step else None


def may_be_shifted_ages(numbers: FloatArray, records: IntArray, *, only_flat: bool) -> bool:
    """Tell whether whole numbers fill a span as long as a life; ``only_flat`` where measurements have a middle."""
    low, high = float(numbers.min()), float(numbers.max())
    is_life = _SPAN[0] <= high - low <= _SPAN[1] and len(numbers) >= _DENSE * (high - low)
    if not is_life or (numbers % 1 != 0).any():
        return False
    weights = records / records.sum()
    off = np.square(numbers - numbers @ weights)
    return not only_flat or bool(np.square(off) @ weights < _FLAT * (off @ weights) ** 2)


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
    if (numbers % 1 == 0).all():
        return False
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


def share_of(holds: np.ndarray) -> float:
    """Return the share of the values that are true; 0 of none."""
    return float(np.mean(holds)) if len(holds) else 0.0


def are_days(texts: Sequence[str], numbers: FloatArray) -> bool:
    """Tell whether numbers with four or more places are whole days in parts of a year, as computed ages are."""
    fine = np.array([len(text.partition(".")[2]) >= 4 for text in texts])
    if (numbers % 1 == 0).all() or fine.sum() < max(_FEW, _HALF * len(texts)):
        return False
    places = np.array([len(text.partition(".")[2]) for text in texts])[fine]
    for days in _YEARS_IN_DAYS:
        counted = numbers[fine] * days
        close = np.abs(counted - np.round(counted)) <= np.maximum(days * 10.0**-places, 1e-6)
        if share_of(close) >= _NEARLY_ALL and days * 10.0 ** -float(np.median(places)) <= 0.1:
            return True
    return False


def are_labels(texts: Sequence[str]) -> bool:
    """Tell whether whole numbers are filled up with zeros to one length, as labels are."""
    is_padded = any(text[:1] == "0" and text.isdecimal() and len(text) > 1 for text in texts)
    return is_padded and len({len(text) for text in texts}) == 1 and len(texts[0]) > 2


def are_zip_codes(numbers: FloatArray) -> bool:
    """Tell whether nearly all whole numbers are ZIP codes that the census knows."""
    if (numbers % 1 != 0).any() or numbers.min() < _LEAST_ZIP or numbers.max() >= 10**5:
        return False
    return share_of(np.array([known_zip(f"{int(number):05}") for number in numbers])) >= _MOST


def are_parts_of_dates(numbers: FloatArray) -> bool:
    """Tell whether all of many whole numbers are a month and a day of it, in either order, or a year and its month."""
    if len(numbers) < _SCALE or (numbers % 1 != 0).any() or numbers.min() < 100 or numbers.max() > 9_999:
        return False
    first, last = numbers // 100, numbers % 100
    are_months, are_days = [[(part >= 1) & (part <= most) for part in (first, last)] for most in (12, 31)]
    return bool((are_months[0] & are_days[1]).all() or (are_days[0] & are_months[1]).all() or are_months[1].all())


def is_calendar(numbers: FloatArray, records: IntArray) -> bool:
    """Tell whether records lie evenly over the months of a year, its weeks, its days or the days of a month."""
    for least, last in _CALENDARS:
        if numbers.min() < 1 or not least <= numbers.max() <= last or (numbers % 1 != 0).any():
            continue
        order = np.argsort(numbers)
        below = np.cumsum(records[order]) / records.sum()
        is_even = np.abs(below - numbers[order] / numbers.max()).max() <= _UNEVEN
        if is_even and len(numbers) >= min(least, _MOST * last, _HALF * float(records.sum())):
            return True
    return False


def are_degrees(numbers: FloatArray, places: int) -> bool:
    """Tell whether numbers with decimals lie closely together where degrees of the United States do."""
    low, high = float(numbers.min()), float(numbers.max())
    is_west = low >= -180 and high <= -65 and high - low <= _DEGREES and places > 0
    return is_west or (low >= 18 and high <= 72 and high - low <= 3 and places >= _FINE and len(numbers) > _SCALE)


def has_check_digit(numbers: FloatArray) -> bool:
    """Tell whether nearly all numbers of four and more digits end in the check digit that the others give."""
    from stdnum import damm, luhn, verhoeff

    texts = [str(int(number)) for number in numbers if number >= 1_000]
    if len(texts) < max(_FEW, _MOST * len(numbers)):
        return False
    texts = texts[:2_000]
    tests: tuple[Callable[[str], Any], ...] = (
        luhn.is_valid,
        damm.is_valid,
        verhoeff.is_valid,
        *map(_divides, (7, 11, 97)),
        _mod_11,
    )
    return any(share_of(np.array([bool(test(text)) for text in texts])) >= _NEARLY_ALL for test in tests)


def _divides(by: int) -> Callable[[str], bool]:
    return lambda text: int(text) % by == 0


def _mod_11(text: str) -> bool:
    return sum(weight * int(digit) for weight, digit in enumerate(reversed(text), 1)) % 11 == 0
