"""Dates as files write them: several forms in one column, and the order of day and month only where it is certain."""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

from policy_sim.words.errors import InputError

ISO = "%Y-%m-%d"
_TIME = r"(?:[T ]\d.*)?$"
_YEAR_FIRST = re.compile(r"(\d{4})([-/.]?)(\d{1,2})\2(\d{1,2})" + _TIME)
_YEAR_LAST = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})" + _TIME)
_DAY_NAME = re.compile(r"(\d{1,2})[ -]([A-Za-z]{3,9})\.?,?[ -](\d{4})" + _TIME)
_NAME_DAY = re.compile(r"([A-Za-z]{3,9})\.? (\d{1,2}),? (\d{4})" + _TIME)
_ZONE = r"(?:[T: ,]+\d{1,2}[:.h]\d{2}.*)?"  # a time of day, and what follows it
_COMPACT = re.compile(r"(?:(\d{4})(\d{2})(\d{2})|(\d{2})(\d{2})(\d{4}))(?:[T ]?\d{4,6})?(?:[.]0+)?")
_DAY, _WORD, _YEAR = r"(?P<day>\d{1,2})", r"(?P<month>[^\W\d]{3,10})", r"(?P<year>\d{4})"
_WORDED = (
    re.compile(rf"(?:[^\W\d]+,? )?{_DAY}(?:st|nd|rd|th|\.)?[ /-]?(?:de )?{_WORD}\.?,?[ /-]?(?:de )?{_YEAR}{_ZONE}"),
    re.compile(rf"(?:[^\W\d]+,? )?{_WORD}\.? {_DAY}(?:st|nd|rd|th)?,? {_YEAR}{_ZONE}"),
    re.compile(rf"{_YEAR}[ /-]{_WORD}[ /-]{_DAY}{_ZONE}"),
)
_YEAR_MONTH_DAY = re.compile(rf"(\d{{4}})([-/.])(\d{{1,2}})\2(\d{{1,2}}){_ZONE}")
_DAY_MONTH_YEAR = re.compile(rf"(\d{{1,2}})([-/.])(\d{{1,2}})\2(\d{{4}}){_ZONE}")
_PART_OF_YEAR = re.compile(
    r"(\d{4})[-/. ]?(?:[QqTt]([1-4])|[Ww](\d{1,2})(?:-?[1-7])?)|(?:[QqTt]([1-4])|[Ww](\d{1,2}))[-/ ]?(\d{4})"
    r"|(\d{4})[-/.](\d{1,2})|(\d{1,2})[-/.](\d{4})"
)
_WORD_YEAR = re.compile(r"([^\W\d]{3,10})\.?[ ,/-]*(?:de )?(\d{4})|(\d{4})[ ,/-]*([^\W\d]{3,10})")
# Registries write 00 for what nobody knows of a date: its month and day, or its day.
_PARTIAL = re.compile(
    r"(?P<first>\d{4})(?:(?P<mark>[-/.])\d{1,2}(?P=mark)00|\d\d00)|(?:00[-/.]\d\d|\d\d[-/.]00)[-/.](?P<last>\d{4})"
)
BETWEEN_FORMS = "|"  # of several that a mapping declares
_ENOUGH_DATES = 0.1  # share of the texts that are dates where others are years alone
FIRST_YEAR, LAST_YEAR = 1850, 2100  # that a date in a file of records may have
# Names of months by their first letters, in English, Spanish, French, German, Portuguese and Italian.
_STEMS = (
    "jan ene gen",
    "feb fev fév",
    "mar mär mrz",
    "apr abr avr",
    "may mai mag",
    "jun jui giu",
    "jul lug",
    "aug ago aou aoû",
    "sep set",
    "oct out okt ott",
    "nov",
    "dec dic dez déc",
)
# How programs write a day as a number: the day 0, and the units in a day.
EPOCHS = {
    "excel": (dt.date(1899, 12, 30), 1),
    "sas": (dt.date(1960, 1, 1), 1),
    "stata": (dt.date(1960, 1, 1), 1),
    "sas-datetime": (dt.date(1960, 1, 1), 86_400),
    "unix": (dt.date(1970, 1, 1), 86_400),
    "unix-ms": (dt.date(1970, 1, 1), 86_400_000),
}
_FIRST_MONTHS = ("january", "february", "march", "april", "may", "june")
_MONTHS = (*_FIRST_MONTHS, "july", "august", "september", "october", "november", "december")
_MOST_MONTH, _MOST_DAY = 12, 31
_ENOUGH = 0.5  # share of the values that must be dates before a column counts as one of dates


def read_dates(name: str, texts: Sequence[str], form: str = ISO) -> tuple[list[dt.date | None], tuple[str, ...]]:
    """Read dates written as YYYY-MM-DD, as MM/DD/YYYY or DD.MM.YYYY, with the name of the month, or as declared.

    If the year is last, the declared ``form`` (as in ``strptime``) with the same separator gives the order of day and
    month. Otherwise the column shows it: a first number above 12 is a day. A text that is no date is None; notes say in
    which forms the column writes its dates.
    """
    texts = [text.strip() for text in texts]
    first = _orders(name, texts, form)
    ways: Counter[str] = Counter()
    dates: list[dt.date | None] = []
    for text in texts:
        date, way = _declared(text, form) or _read(text, first)
        dates.append(date)
        ways[way] += date is not None
    written = sorted(way for way, number in ways.items() if number)
    if len(written) < 2 and not (set(written) - {"YYYY-MM-DD", f"as {form}"}):
        return dates, ()
    return dates, (f"{name}: dates are written as {', '.join(written)}; all are read",)


def mixed_dates(name: str, texts: Sequence[str]) -> tuple[str, ...]:
    """Name a column that writes its dates in several forms, and say what to do, without a value.

    Where values are compared as text, a day written in two forms counts as two values.
    """
    dates = sum(bool(_possible_forms(text.strip())) for text in texts)
    forms = date_forms(texts)
    if len(forms) < 2 or dates < _ENOUGH * len(texts):
        return ()
    return (
        f"{name}: dates are written in {len(forms)} forms ({'; '.join(forms)}), and one day in two forms counts as two "
        "values. Write all dates in one form. If the column is the date of birth, a column mapping that names it as "
        "birth_date reads every form.",
    )


def date_forms(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the fewest forms that explain how the dates are written.

    ``D`` and ``M`` stand for numbers without a leading zero. 12/14/1980 fits a form with and one without leading
    zeros, and 04/05/1980 may begin with the day or the month: such dates need no form of their own where another fits.
    """
    forms: list[frozenset[str]] = []
    every = {_possible_forms(text.strip()) for text in texts}
    for possible in sorted(every, key=lambda names: (len(names), sorted(names))):  # the certain ones first
        at = next((at for at, form in enumerate(forms) if form & possible), None)
        if at is not None:
            forms[at] &= possible
        elif possible:
            forms.append(possible)
    return tuple(sorted(" or ".join(sorted(form)) for form in forms))


def _possible_forms(text: str) -> frozenset[str]:
    """Return every form that a date can be in; none for a text that is no date."""
    time = " and a time" if ":" in text else ""
    if (match := _YEAR_FIRST.fullmatch(text)) and (match[2] or len(match[3] + match[4]) == 4):
        mark, month, day = match[2], match[3], match[4]
        forms = [f"YYYY{mark}{m}{mark}{d}" for d, m in _widths(day, month)]
    elif match := _YEAR_LAST.fullmatch(text):
        first, mark, second = match[1], match[2], match[3]
        forms = [f"{d}{mark}{m}{mark}YYYY" for d, m in _widths(first, second)]
        forms += [f"{m}{mark}{d}{mark}YYYY" for d, m in _widths(second, first)]
    elif (match := _DAY_NAME.fullmatch(text)) and _month(match[2]):
        forms = [f"{d} and the name of the month" for d, _ in _widths(match[1], "11")]
    elif (match := _NAME_DAY.fullmatch(text)) and _month(match[1]):
        forms = [f"the name of the month and {d}" for d, _ in _widths(match[2], "11")]
    else:
        forms = []
    return frozenset(form + time for form in forms)


def _widths(day: str, month: str) -> list[tuple[str, str]]:
    """Return how a day and a month are written, with leading zeros or without; nothing where they are none."""
    if not (1 <= int(day) <= _MOST_DAY and 1 <= int(month) <= _MOST_MONTH):
        return []
    zeros, short = any(text.startswith("0") for text in (day, month)), min(len(day), len(month)) == 1
    return [*([("DD", "MM")] if zeros or not short else []), *([("D", "M")] if not zeros else [])]


def read_years(texts: Sequence[str], form: str = ISO) -> list[int | None]:
    """Read the year of each date, in any notation that tells it: whole dates, months, quarters and weeks.

    The order of day and month need not be known. A year of two digits is not read unless ``form``, as in ``strptime``
    or one of :data:`EPOCHS`, declares it, and neither is a number of days or seconds, which programs count from
    different days. A year alone is read where at least a tenth of the texts are dates; 1980-00-00 tells its year.

    >>> read_years(["1980", "07/09/1962", "1980-00-00"]), read_years(["1980", "1981"])
    ([1980, 1962, 1980], [None, None])
    """
    years = [_year_of(text.strip(), form) for text in texts]
    with_day = sum(year is not None for year in years)
    alone = "%Y" in form.split(BETWEEN_FORMS) or with_day >= _ENOUGH_DATES * len(texts) > 0
    if alone:
        years = [_year_alone(text.strip()) if year is None else year for year, text in zip(years, texts, strict=True)]
    return years


def _year_alone(text: str) -> int | None:
    number = re.fullmatch(r"(\d{4})(?:[.]0+)?", text)
    return int(number[1]) if number and FIRST_YEAR <= int(number[1]) <= LAST_YEAR else None


def _year_of(text: str, form: str) -> int | None:
    if partial := _PARTIAL.fullmatch(text):
        year = int(partial["first"] or partial["last"])
        return year if FIRST_YEAR <= year <= LAST_YEAR else None
    parts = _parts(text)
    if parts is None:
        declared = _declared(text, form)
        return declared[0].year if declared else None
    year, month, day = parts
    good = FIRST_YEAR <= year <= LAST_YEAR and 1 <= month <= _MOST_MONTH and 1 <= day <= _MOST_DAY
    return year if good else None


def date_parts(text: str) -> tuple[int, int, int] | None:
    """Return year, month and day, 1 where a text does not tell them; None where it is no date.

    Of 04/05/1980 the smaller number is the month.
    """
    return _parts(text.strip())


def _parts(text: str) -> tuple[int, int, int] | None:
    if match := _YEAR_MONTH_DAY.fullmatch(text):
        return int(match[1]), int(match[3]), int(match[4])
    if match := _DAY_MONTH_YEAR.fullmatch(text):
        first, second = sorted((int(match[1]), int(match[3])))
        return int(match[4]), first, second
    if match := _COMPACT.fullmatch(text):
        if match[1] and FIRST_YEAR <= int(match[1]) <= LAST_YEAR and int(match[2]) <= _MOST_MONTH:
            return int(match[1]), int(match[2]), int(match[3])
        whole = text[:8]
        first, second = sorted((int(whole[:2]), int(whole[2:4])))
        return int(whole[4:8]), first, second
    for pattern in _WORDED:
        if match := pattern.fullmatch(text):
            return int(match["year"]), _stem(match["month"]), int(match["day"])
    if match := _PART_OF_YEAR.fullmatch(text):
        month = int(match[8] or match[9] or 1)
        week = int(match[3] or match[5] or 1)
        return int(match[1] or match[6] or match[7] or match[10]), month, 1 if 1 <= week <= 53 else 0
    if match := _WORD_YEAR.fullmatch(text):
        return int(match[2] or match[3]), _stem(match[1] or match[4]), 1
    return None


def _stem(word: str) -> int:
    """Return the number of a month by its first letters; 0 if no month begins like it."""
    folded = word.casefold()
    return next((at for at, stems in enumerate(_STEMS, 1) if folded.startswith(tuple(stems.split()))), 0)


def _declared(text: str, form: str) -> tuple[dt.date, str] | None:
    """Return the date by the first declared form that fits; a form of a year alone tells no date."""
    for form_text in form.split(BETWEEN_FORMS):
        if form_text in EPOCHS:
            start, units = EPOCHS[form_text]
            with suppress(ValueError, OverflowError):
                return start + dt.timedelta(days=float(text) / units), f"as {form_text}"
        elif form_text not in (ISO, "%Y"):
            with suppress(ValueError):
                return dt.datetime.strptime(text, form_text).date(), f"as {form_text}"
    return None


def _orders(name: str, texts: Sequence[str], form: str) -> dict[str, str]:
    """Return for each separator whether the day or the month is first."""
    seen: dict[str, set[str]] = {}
    for text in texts:
        match = _YEAR_LAST.match(text)
        if match and _declared(text, form) is None:
            first_number, mark, second_number = int(match[1]), match[2], int(match[3])
            tells = seen.setdefault(mark, set())
            if second_number <= _MOST_MONTH < first_number:
                tells.add("day")
            elif first_number <= _MOST_MONTH < second_number:
                tells.add("month")
    for mark, tells in seen.items():
        if len(tells) != 1:
            why = "in some the day is first and in others the month" if tells else "no value shows which is first"
            raise InputError(
                f"{name}: the order of day and month in dates with {mark!r} is not certain: {why}. Give the "
                f'form, such as format = "%m{mark}%d{mark}%Y", to the column in its mapping or in the release project'
                + (", and correct the others." if tells else ".")
            )
    return {mark: tells.pop() for mark, tells in seen.items()}


def _read(text: str, first: dict[str, str]) -> tuple[dt.date | None, str]:
    with suppress(ValueError):
        if match := _YEAR_FIRST.match(text):
            if match[2] or len(match[3] + match[4]) == 4:
                mark = match[2]
                return dt.date(int(match[1]), int(match[3]), int(match[4])), f"YYYY{mark}MM{mark}DD"
        elif match := _YEAR_LAST.match(text):
            first_number, mark, second_number, year = int(match[1]), match[2], int(match[3]), int(match[4])
            day, month = (first_number, second_number) if first[mark] == "day" else (second_number, first_number)
            way = f"DD{mark}MM{mark}YYYY" if first[mark] == "day" else f"MM{mark}DD{mark}YYYY"
            return dt.date(year, month, day), way
        elif match := _DAY_NAME.match(text):
            return dt.date(int(match[3]), _month(match[2]), int(match[1])), "day, name of the month, year"
        elif match := _NAME_DAY.match(text):
            return dt.date(int(match[3]), _month(match[1]), int(match[2])), "name of the month, day, year"
    return None, ""


def _month(text: str) -> int:
    """Return the number of a month; 0 if the name is not that of a month."""
    short = text.casefold()
    return next((at for at, month in enumerate(_MONTHS, 1) if short in (month, month[:3], month[:4])), 0)
