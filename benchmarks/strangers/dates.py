"""Every way in which a day, or a part of one, is written down; none of them shows only a year."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date, timedelta

Writer = Callable[[date, random.Random], str]

MONTHS = {
    "en": "January February March April May June July August September October November December".split(),
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split(),
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split(),
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split(),
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre".split(),
}
WEEKDAYS = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(),
    "es": "lunes martes miércoles jueves viernes sábado domingo".split(),
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche".split(),
    "de": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag".split(),
    "it": "lunedì martedì mercoledì giovedì venerdì sabato domenica".split(),
}


def _strf(pattern: str) -> Writer:
    return lambda day, _: day.strftime(pattern)


def _upper(pattern: str) -> Writer:
    return lambda day, _: day.strftime(pattern).upper()


def _since(origin: date, factor: int = 1, jitter: int = 0) -> Writer:
    """Days (or seconds, with a ``factor``) since an origin, with up to ``jitter`` added."""
    return lambda day, rng: str((day - origin).days * factor + (rng.randint(0, jitter) if jitter else 0))


def _clock(rng: random.Random) -> str:
    return f"{rng.randint(0, 23):02d}:{rng.randint(0, 59):02d}"


def _mixed(day: date, rng: random.Random) -> str:
    return day.strftime(rng.choice(("%m/%d/%Y", "%Y-%m-%d", "%d-%b-%y", "%b %d, %Y")))


def _in(language: str, pattern: str) -> Writer:
    def write(day: date, _: random.Random) -> str:
        return pattern.format(d=day.day, month=MONTHS[language][day.month - 1], y=day.year)

    return write


WHOLE: dict[str, Writer] = {
    "ISO": _strf("%Y-%m-%d"),
    "ISO with a time": lambda d, r: f"{d.isoformat()}T{_clock(r)}:00",
    "US": _strf("%m/%d/%Y"),
    "US, year of two digits": _strf("%m/%d/%y"),
    "US without zeros": lambda d, _: f"{d.month}/{d.day}/{d.year}",
    "US with a time": lambda d, r: f"{d.month}/{d.day}/{d.year} {_clock(r)}",
    "day first, dots": _strf("%d.%m.%Y"),
    "day first, slashes": _strf("%d/%m/%Y"),
    "slashes, year first": _strf("%Y/%m/%d"),
    "Oracle": _upper("%d-%b-%y"),
    "SAS DATE9": _upper("%d%b%Y"),
    "SAS DATE7": _upper("%d%b%y"),
    "SAS DATETIME": lambda d, r: f"{d.strftime('%d%b%Y').upper()}:{_clock(r)}:00",
    "YYYYMMDD": _strf("%Y%m%d"),
    "YYYYMMDD.0": _strf("%Y%m%d.0"),
    "MMDDYYYY": _strf("%m%d%Y"),
    "HL7": lambda d, r: f"{d:%Y%m%d}{_clock(r).replace(':', '')}00-0500",
    "SAS number": _since(date(1960, 1, 1)),
    "SAS seconds": _since(date(1960, 1, 1), 86400, 86399),
    "Excel number": _since(date(1899, 12, 30)),
    "Excel number with a time": lambda d, r: f"{(d - date(1899, 12, 30)).days}.{r.randint(1, 9999):04d}",
    "Stata number": _since(date(1960, 1, 1)),
    "Stata milliseconds": _since(date(1960, 1, 1), 86_400_000, 86_399_000),
    "Unix seconds": _since(date(1970, 1, 1), 86400, 86399),
    "Unix milliseconds": _since(date(1970, 1, 1), 86_400_000, 86_399_000),
    "day of the year": _strf("%Y%j"),
    "words": lambda d, _: f"{d:%B} {d.day}, {d.year}",
    "words with a weekday": lambda d, _: f"{d:%a}, {d:%b} {d.day} {d.year}",
    "French words": _in("fr", "{d} {month} {y}"),
    "German words": _in("de", "{d}. {month} {y}"),
    "Spanish words": _in("es", "{d} de {month} de {y}"),
    "Italian words": _in("it", "{d} {month} {y}"),
    "a range": lambda d, r: f"{d:%m/%d/%Y} - {d + timedelta(days=r.randint(1, 9)):%m/%d/%Y}",
    "mixed": _mixed,
}
PARTS: dict[str, Writer] = {
    "ISO week": lambda d, _: "{}-W{:02d}".format(*d.isocalendar()),
    "week with a year": lambda d, _: f"wk {d.isocalendar()[1]} {d.year}",
    "quarter": lambda d, _: f"{d.year}Q{(d.month + 2) // 3}",
    "quarter first": lambda d, _: f"Q{(d.month + 2) // 3} {d.year}",
    "year and month": _strf("%Y-%m"),
    "YYYYMM": _strf("%Y%m"),
    "month and year": _strf("%b %Y"),
    "month and year, numbers": _strf("%m/%Y"),
    "month and day": lambda d, _: f"{d.month}/{d.day}",
    "day and month": lambda d, _: f"{d:%d-%b}",
    "month": lambda d, _: f"{d:%B}",
    "month, short": _upper("%b"),
    "month number": lambda d, _: str(d.month),
    "day of the month": lambda d, _: str(d.day),
    "weekday": lambda d, _: f"{d:%A}",
    "weekday, short": lambda d, _: f"{d:%a}",
    "French month": _in("fr", "{month}"),
    "German month": _in("de", "{month}"),
    "Spanish weekday": lambda d, _: WEEKDAYS["es"][d.weekday()],
    "German weekday": lambda d, _: WEEKDAYS["de"][d.weekday()],
}
