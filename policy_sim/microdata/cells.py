"""A file's values in the words of the census: sex, race, years of age and places.

Fields are known by name: ``sex`` (or ``gender``), ``race``, one of ``age``, ``birth_year``,
``birth_month``, ``birth_date``, and places ``state``, ``county``, ``tract``, ``zip3``, ``zip5``. A value that
cannot be read is not guessed: its records are counted as outside the population.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from policy_sim.errors import InputError, PolicySimError
from policy_sim.fields import Field, Granularities
from policy_sim.microdata.mapping import FieldColumn
from policy_sim.population.cells import RACES, SEXES
from policy_sim.states import find_state

__all__ = ["ALIASES", "BIRTH_FIELDS", "PLACE_FIELDS", "Reader", "file_granularities", "reader"]

Reader = Callable[[str], "str | int | None"]

BIRTH_FIELDS: Mapping[str, str] = {
    "age": "year",
    "birth_year": "year",
    "birth_month": "month",
    "birth_date": "date",
}
PLACE_FIELDS = ("tract", "county", "zip5", "zip3", "state")
ALIASES = {"gender": "sex"}
_WIDTHS = {1: "year", 5: "five_years", 10: "decade"}
_OLDEST = 125

_SEXES = {"m": "M", "male": "M", "f": "F", "female": "F"}
_RACES = {
    "white": "white",
    "black": "black",
    "black or african american": "black",
    "african american": "black",
    "american indian and alaska native": "aian",
    "american indian or alaska native": "aian",
    "asian": "asian",
    "native hawaiian and other pacific islander": "nhpi",
    "native hawaiian or other pacific islander": "nhpi",
    "other": "other",
    "some other race": "other",
    "two or more races": "multiple",
    "multiple": "multiple",
} | {name: name for name in RACES}
_PLACE_DIGITS = {"county": 5, "tract": 11, "zip5": 5, "zip3": 3}


def file_granularities(fields: Sequence[str], mapping: Mapping[str, FieldColumn], has_state: bool) -> Granularities:
    """Return how finely a file shows each field: the policy that it follows.

    Parameters
    ----------
    fields : The file's key fields.
    mapping : The column of each.
    has_state : Whether all records are known to lie in given states.

    Raises
    ------
    InputError : a field the census does not know, two that say the same, or no state.
    """
    seen: dict[str, str] = {}
    for name in fields:
        field, granularity = _granularity(name, mapping)
        if field in seen and name != "state" and seen[field] != "state":
            raise InputError(f"--fields names {field} twice: keep the finer of the two.")
        if seen.get(field, "state") == "state":
            seen[field] = granularity
    if "geography" not in seen:
        if not has_state:
            raise InputError("no field tells the state: add a place to --fields, or name the state with --state.")
        seen["geography"] = "state"
    return Granularities(seen)


def _granularity(name: str, mapping: Mapping[str, FieldColumn]) -> tuple[str, str]:
    name = ALIASES.get(name, name)
    if name in ("sex", "race"):
        return {"sex": Field.GENDER, "race": Field.RACE}[name].value, "value"
    if name in BIRTH_FIELDS:
        column = mapping.get(name, FieldColumn(name))
        return Field.BIRTH.value, BIRTH_FIELDS[name] if column.width == 1 else _WIDTHS[column.width]
    if name in PLACE_FIELDS:
        return Field.GEOGRAPHY.value, name
    known = ("sex", "race", *BIRTH_FIELDS, *PLACE_FIELDS)
    raise InputError(
        f"field {name!r} is not in any census: score on {', '.join(known)}, naming the columns in a mapping."
    )


@dataclass(frozen=True)
class _Codes:
    """Reads a file's own codes first, then the words that everybody uses."""

    own: Mapping[str, str]
    common: Reader

    def __call__(self, text: str) -> str | int | None:
        return self.common(self.own.get(text, text))


def reader(name: str, column: FieldColumn, date: dt.date) -> Reader:
    """Return what reads one text of a field; it answers None where it cannot.

    Parameters
    ----------
    date : The day on which ages are taken.

    Examples
    --------
    >>> read = reader("birth_date", FieldColumn("born"), dt.date(2020, 4, 1))
    >>> read("1980-04-01"), read("1980-04-02"), read("2021-01-01"), read("April")
    (40, 39, None, None)
    """
    name = ALIASES.get(name, name)
    if name == "sex":
        return _Codes(column.codes, lambda text: _known(_SEXES.get(text.strip().casefold()), SEXES))
    if name == "race":
        return _Codes(column.codes, lambda text: _known(_RACES.get(text.strip().casefold()), RACES))
    if name == "state":
        return _Codes(column.codes, _state)
    if name in _PLACE_DIGITS:
        digits = _PLACE_DIGITS[name]
        return _Codes(column.codes, lambda text: text if re.fullmatch(rf"\d{{{digits}}}", text) else None)
    return _Codes(column.codes, _years(name, column, date))


def _known(code: str | None, known: Sequence[str]) -> str | None:
    return code if code in known else None


def _state(text: str) -> str | None:
    try:
        return find_state(text).postal
    except PolicySimError:
        return None


def _years(name: str, column: FieldColumn, date: dt.date) -> Reader:
    if name == "age":
        return lambda text: _age(text, column)
    if name == "birth_year":
        # half of a year's children are born by 1 July
        later = 1 if (date.month, date.day) < (7, 1) else 0
        return lambda text: _in_range(date.year - int(text) - later) if re.fullmatch(r"\d{4}", text) else None
    form = column.format if name == "birth_date" else column.format.replace("-%d", "")

    def from_date(text: str) -> int | None:
        try:
            born = dt.datetime.strptime(text[:10] if column.format == "%Y-%m-%d" else text, form).date()
        except ValueError:
            return None
        return _in_range(date.year - born.year - ((date.month, date.day) < (born.month, born.day)))

    return from_date


def _age(text: str, column: FieldColumn) -> int | None:
    """Read an age, or the lower bound of an age class such as 20-24 or 90+."""
    found = re.match(r"\s*(\d{1,3})(?:\.0+)?(\s*(?:-|–|to|\+).*)?$", text)
    if not found or (found[2] and column.width == 1 and column.top is None):
        return None
    age = int(found[1])
    if age % column.width and age != column.top:
        return None
    return _in_range(age)


def _in_range(age: int) -> int | None:
    return age if 0 <= age <= _OLDEST else None
