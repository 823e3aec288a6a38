"""What whole numbers of a column may be: numbers of people among short values, and dates as computers count them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from policy_sim.records.identifiers import Hit
from policy_sim.records.vocabularies import is_mark
from policy_sim.release.attack.closed_lists import repeats, without_point
from policy_sim.release.attack.written import WrittenColumn
from policy_sim.words.arrays import FloatArray

_NUMBER = re.compile(r"\$?(-?(?:\d{1,3}(?:,\d{3})+|\d{1,15})(?:\.\d*)?|-?\.\d+)\s*%?([a-z ]*)\.?", re.ASCII)
_IN_YEARS = {"year": 1.0, "month": 1 / 12, "week": 7 / 365.2425, "day": 1 / 365.2425, "hour": 1 / 8_765.82}
_UNIT_WORDS = {"year": "y yr yrs", "month": "m mo mos", "week": "w wk wks", "day": "d", "hour": "h hr hrs"}
UNITS = {
    word: years
    for unit, years in _IN_YEARS.items()
    for word in (unit, f"{unit}s", *_UNIT_WORDS[unit].split())
    if word != "m"
}
"""Years of a unit of time, by its words."""
LONG_AMONG_SHORT, UNIX_TIMES = "long numbers among short values", "seconds since 1970"
DATES_AS_DIGITS, COORDINATES = "dates as digits", "degrees of latitude or longitude"
DAY_NUMBERS, ALL_DIFFERENT = "dates as numbers of days", "identifying numbers: nearly all are different"
_ID_LIKE, _EPOCH = re.compile(r"\d{7,13}(?:\.0+)?", re.ASCII), re.compile(r"\d{9,13}", re.ASCII)
_LONG = re.compile(r"\d{6,}(?:\.0+)?", re.ASCII)
_WHOLE = re.compile(r"(-?\d+)(?:\.0+)?", re.ASCII)
_EPOCHS = ((3 * 10**8, 22 * 10**8), (3 * 10**11, 22 * 10**11))  # 1979 to 2039, in seconds and in milliseconds
_DAYS = (20_000, 60_000)  # of Excel: 1954 to 2064
_DAYS_SINCE = (10_000, 25_000)  # of this century since 1970, as Unix counts, and since 1960, as SAS and Stata do
_BEFORE = -1_000  # days before 1970 or 1960, which births have
_MM, _DD, _DDD = "(?:0[1-9]|1[0-2])", r"(?:0[1-9]|[12]\d|3[01])", r"(?:00[1-9]|0[1-9]\d|[12]\d\d|3[0-5]\d|36[0-6])"
_YYYY = r"(?:19|20)\d\d"
_AS_DIGITS = tuple(  # year and month; year and day of it, with and without the century; day in the way of a mainframe
    re.compile(form, re.ASCII)
    for form in (
        f"{_YYYY}{_MM}",
        f"{_YYYY}{_DDD}",
        rf"[01]\d\d{_MM}{_DD}",
        rf"{_MM}{_DD}\d\d",
        rf"\d\d{_MM}{_DD}",
        rf"\d\d{_DDD}",
    )
)
_DEGREES = re.compile(r"-?\d{2,3}\.\d{4,}", re.ASCII)
_LATITUDES, _LONGITUDES = (18.0, 72.0), (-180.0, -65.0)  # of the United States
_SPREAD = 30.0
_FEW_ODD, _FEW_EPOCHS, _SHORT, _BETWEEN, _FAR = 3, 5, 5, 6, 10
_HALF, _MOST, _SURE, _ENOUGH = 0.5, 0.9, 0.95, 10
_ROUND = 100


def odd_numbers(column: WrittenColumn) -> Iterator[tuple[Hit, bool]]:
    """Yield what whole numbers may be, and whether that is found rather than doubted."""
    texts = [text.strip() for text in column.texts]
    places = [at for at, text in enumerate(texts) if not is_mark(text)]
    yield from _long_among_short(column, texts, places)
    numbers = [int(texts[at]) for at in places if _EPOCH.fullmatch(texts[at])]
    times = sum(any(low <= number < high for low, high in _EPOCHS) for number in numbers)
    if len(places) >= _FEW_EPOCHS and times >= _MOST * len(places):
        yield Hit(UNIX_TIMES, "C", times, column.filled, certain=False), True
    yield from _as_digits(column, texts, places)
    yield from _degrees(column, texts, places)
    yield from _day_numbers(column, texts, places)
    long = [at for at in places if _LONG.fullmatch(texts[at])]
    if len(long) >= max(_FEW_EPOCHS, _MOST * column.filled):
        yield all_different(column, long)


def all_different(column: WrittenColumn, at: Sequence[int]) -> tuple[Hit, bool]:
    """Return the doubt of a column of long numbers or codes of which hardly any comes again."""
    return Hit(ALL_DIFFERENT, "H", len(at), int(column.records[list(at)].sum()), certain=False), False


def _long_among_short(column: WrittenColumn, texts: Sequence[str], places: Sequence[int]) -> Iterator[tuple[Hit, bool]]:
    """Find long numbers, each in one record, among short values or words."""
    at = [place for place in places if _ID_LIKE.fullmatch(texts[place])]
    if len(at) < _FEW_ODD or len(at) >= _MOST * len(places):
        return
    rest = [texts[place] for place in places if not _ID_LIKE.fullmatch(texts[place])]
    if any(len(text) == _BETWEEN and text.isdigit() for text in rest):  # a result over many powers of ten
        return
    if (np.median([len(text) for text in rest]) <= _SHORT or _are_words(rest)) and _are_single(column, at):
        yield Hit(LONG_AMONG_SHORT, "R", len(at), int(column.records[at].sum()), certain=False), True


def _are_words(texts: Sequence[str]) -> bool:
    return sum(any(c.isalpha() for c in text) for text in texts) >= _HALF * len(texts)


def _are_single(column: WrittenColumn, at: Sequence[int]) -> bool:
    return float((column.records[list(at)] == 1).mean()) >= _HALF


def _as_digits(column: WrittenColumn, texts: Sequence[str], places: Sequence[int]) -> Iterator[tuple[Hit, bool]]:
    """Find numbers that nearly all have the months and days of dates, which numbers drawn by chance do not have."""
    bare = [without_point(text) for text in texts]
    most = max((sum(map(bool, map(form.fullmatch, bare))) for form in _AS_DIGITS), default=0)
    if len(places) >= _ENOUGH and most >= _SURE * len(places):
        yield Hit(DATES_AS_DIGITS, "C", most, column.filled, certain=False), True


def _degrees(column: WrittenColumn, texts: Sequence[str], places: Sequence[int]) -> Iterator[tuple[Hit, bool]]:
    """Doubt numbers of four and more places that lie in the United States, each in hardly more than one record."""
    values = [float(texts[at]) for at in places if _DEGREES.fullmatch(texts[at])]
    if len(values) < max(_FEW_EPOCHS, _MOST * len(places)) or max(values) - min(values) > _SPREAD:
        return
    if any(low <= min(values) and max(values) <= high for low, high in (_LATITUDES, _LONGITUDES)):
        yield Hit(COORDINATES, "B", len(values), column.filled, certain=False), False


def _day_numbers(column: WrittenColumn, texts: Sequence[str], places: Sequence[int]) -> Iterator[tuple[Hit, bool]]:
    """Find numbers of days in the whole column or far above its other values; days since 1970 may be a result, too."""
    whole = {at: int(match[1]) for at in places if (match := _WHOLE.fullmatch(texts[at]))}
    at = [place for place, number in whole.items() if _DAYS[0] <= number <= _DAYS[1]]
    if sum(whole[place] % _ROUND == 0 for place in at) >= _HALF * max(len(at), 1):
        at = []
    if len(at) >= _MOST * len(places) and len(at) >= _FEW_EPOCHS:
        yield _days(column, at), not repeats(column)
        return
    rest = [number for place, number in whole.items() if place not in set(at)]
    is_apart = not rest or max(rest) * _FAR <= _DAYS[0]
    if len(at) >= _FEW_ODD and is_apart and _are_single(column, at):
        yield _days(column, at), True
        return
    near = [n for n in whole.values() if _DAYS_SINCE[0] <= n <= _DAYS_SINCE[1]]
    early = [n for n in whole.values() if n <= _BEFORE]
    many = max(len(near), 5 * len(early)) >= _MOST * len(places)
    if many and len(whole) >= _MOST * len(places) and len(places) >= _FEW_EPOCHS and not repeats(column):
        yield _days(column, list(whole)), False


def _days(column: WrittenColumn, at: Sequence[int]) -> Hit:
    return Hit(DAY_NUMBERS, "C", len(at), int(column.records[list(at)].sum()), certain=False)


def written_numbers(texts: Sequence[str]) -> FloatArray:
    """Return the number of each text, NaN without one: with commas, a sign of dollars or percent, or a unit after it.

    Where texts have several units of time, they are in years.

    >>> written_numbers(("1,200", "$3.50", "80.1 kg", "90+")).tolist()
    [1200.0, 3.5, 80.1, nan]
    >>> written_numbers(("2 years", "6 months")).tolist()
    [2.0, 0.5]
    """
    found = [_NUMBER.fullmatch(text.strip().casefold()) for text in texts]
    units = [UNITS.get(match[2].strip().removesuffix(" old"), 0.0) if match else 0.0 for match in found]
    in_years = len({unit for unit in units if unit}) > 1
    numbers = [
        float(match[1].replace(",", "")) * (unit if in_years and unit else 1.0) if match else np.nan
        for match, unit in zip(found, units, strict=True)
    ]
    return np.array(numbers, dtype=np.float64)
