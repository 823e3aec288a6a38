"""What a column of a file seems to be, judged by its name and its values.

The kind is a first guess, with its reason. It never decides what a release contains. No value leaves this module.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from policy_sim.errors import InputError
from policy_sim.records.census_values import read_field
from policy_sim.records.column_mapping import FieldColumn
from policy_sim.records.dates import read_dates

__all__ = ["KINDS", "ColumnKind", "ColumnValues", "column_kind", "name_words"]

KINDS: Mapping[str, str] = {
    "direct identifier": "names one person or leads to one: 45 CFR 164.514(b)(2)(i) removes it",
    "key field": "a census field that an attacker may know about a person",
    "date": "dates about a person: Safe Harbor allows only the year",
    "place": "a place smaller than a state that is not in the census tables",
    "free text": "long texts that may contain names",
    "number": "numbers",
    "code": "few values",
    "constant": "one value in every record",
    "empty": "no value at all",
}

# Patterns of column names, each with its census field; the first match counts. They end at the ends of words where
# another word of hospital files goes on: newborn, trace, ethnicity, platelets, beta blocker, cell count.
_FIELDS: tuple[tuple[str, str], ...] = (
    (r"(birth|dob|born).*(year|yr)|(year|yr).*(birth|born)|yob", "birth_year"),
    (r"(birth|born).*month|month.*(birth|born)", "birth_month"),
    (r"birth ?(date|day|dt|dte)|date ?of ?birth|(dt|dte|date) ?birth|dob|\bborn|birthdate|birthday", "birth_date"),
    (r"(^| )age( |$)|age ?(group|class|years|yrs|cat\w*)|agegrp", "age"),
    (r"sex|gender", "sex"),
    (r"\brac(e|ial)", "race"),
    (r"zip ?3|zip3|(3|three) ?digit ?zip", "zip3"),
    (r"zip|zcta|postal|post ?code", "zip5"),
    (r"census ?tract|^tract|tract ?(fips|id|code|ce|geoid)$", "tract"),
    (r"county|^fips|(?<!state )fips(?! state)", "county"),
    (r"(^| )(state|st)( |$)", "state"),
)
# The identifiers of Safe Harbor that the name of a column shows.
_IDENTIFIERS: tuple[tuple[str, str], ...] = (
    (r"ssn|social security", "a Social Security number"),
    (r"mrn|medical record|chart (no|num\w*|id)", "a medical record number"),
    (r"e ?mail", "an e-mail address"),
    (r"phone|\bmobile|\bcell$|\bfax", "a telephone or fax number"),
    (r"(first|last|middle|sur|given|family|full|patient|person|member|maiden) ?name|^name$|surname", "a name"),
    (r"street|address|addr\b", "a street address"),
    (r"account|acct|policy (no|num\w*)|beneficiary|member ?(id|no|num\w*)|subscriber", "an account or plan number"),
    (r"licen[cs]e|certificate|passport|\bvin$|\bplate( |$)", "a license, certificate or vehicle number"),
    (r"device|\bserial|implant", "a device number"),
    (r"^ip$|ip addr\w*|^url$|web ?(page|site)", "an Internet address"),
    (r"finger ?print|biometric|\bphotos?\b|photograph|^face\b|facial", "a biometric identifier or picture"),
    (
        r"(patient|person|subject|client|resident|case|record|encounter|visit|claim) ?(id|no|num\w*|key)$|^id$",
        "a number of a person or record",
    ),
)
_PLACES = re.compile(
    r"\b(city|(home)?town|township|village|municipality|precinct|neighbou?rhood|latitude|longitude|block|borough)\b"
)
_PATTERNS: Mapping[str, re.Pattern[str]] = {
    "e-mail addresses": re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+"),
    "Social Security numbers": re.compile(r"\d{3}-\d{2}-\d{4}"),
    "telephone numbers": re.compile(r"(\+?1[ .-]?)?(\(\d{3}\) ?|\d{3}[.-])\d{3}[.-]\d{4}"),
    "Internet addresses": re.compile(r"https?://\S+|\d{1,3}(\.\d{1,3}){3}"),
}
_FLAGS = {"yes", "no", "y", "n", "true", "false", "0", "1", "0.0", "1.0"}
_MAY_BE_FLAGS = r"sex|gender|race|racial|(^| )age( |$)|month"  # codes of these may be 0 and 1 too
_MOST = 0.9  # a column has a kind if this share of its records shows it
_NEARLY_ALL = 0.95
_FEW_RECORDS = 10
_LONG, _SOME_VALUES = 30, 20
_MOST_LOOKED_AT = 20_000
_NUMBER = re.compile(r"[-+]?\d+([.,]\d+)?([eE][-+]?\d+)?")


@dataclass(frozen=True, eq=False)
class ColumnValues:
    """The values of a column.

    Parameters
    ----------
    name : The column.
    texts : Its distinct values; None if there are too many to look at.
    records : Records with each value; shape (values,).
    missing : Records without a value.
    """

    name: str
    texts: Sequence[str] | None
    records: NDArray[np.int64]
    missing: int

    @property
    def filled(self) -> int:
        """Records with a value."""
        return int(self.records.sum())

    @property
    def distinct(self) -> int:
        """Number of different values."""
        return len(self.records)

    def share(self, holds: Sequence[bool]) -> float:
        """Return the share (0..1) of records whose value has a property."""
        return float(self.records[: len(holds)] @ np.array(holds, dtype=bool)) / max(self.looked_at_records, 1)

    @property
    def looked_at(self) -> Sequence[str]:
        """The values that the check looks at: the first ones, if there are very many."""
        return (self.texts or ())[:_MOST_LOOKED_AT]

    @property
    def looked_at_records(self) -> int:
        """Records with these values."""
        return int(self.records[: len(self.looked_at)].sum())


@dataclass(frozen=True)
class ColumnKind:
    """What a column seems to be.

    Parameters
    ----------
    kind : One of :data:`KINDS`.
    reason : Why it seems to be that kind.
    field : The census field of a key field; empty for other kinds.
    """

    kind: str
    reason: str
    field: str = ""


def column_kind(values: ColumnValues) -> ColumnKind:
    """Return the kind that a column seems to be, and the reason.

    Examples
    --------
    >>> sexes = ColumnValues("Gender_CD", ["1", "2"], np.array([40, 60]), 0)
    >>> column_kind(sexes)
    ColumnKind(kind='key field', reason='its name', field='sex')
    """
    if not values.filled:
        return ColumnKind("empty", "no record has a value")
    words = name_words(values.name)
    if _is_flag(values) and not re.search(_MAY_BE_FLAGS, words):
        return _other(words, values)
    return _by_pattern(values) or _identifier_by_name(words) or _key_field(words, values) or _other(words, values)


def name_words(name: str) -> str:
    """Return the words of a column's name in lower case: ``PatientDOB_1`` is ``patient dob 1``."""
    parted = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    return re.sub(r"[^a-z0-9]+", " ", parted.casefold()).strip()


def _is_flag(values: ColumnValues) -> bool:
    """Tell whether every value says yes or no, so that ``native_born`` is no date and ``has_phone`` no number."""
    return values.texts is not None and all(text.strip().casefold() in _FLAGS for text in values.looked_at)


def _by_pattern(values: ColumnValues) -> ColumnKind | None:
    for called, pattern in _PATTERNS.items():
        if values.share([bool(pattern.fullmatch(text.strip())) for text in values.looked_at]) >= _MOST:
            return ColumnKind("direct identifier", f"its values look like {called}")
    return None


def _identifier_by_name(words: str) -> ColumnKind | None:
    for pattern, called in _IDENTIFIERS:
        if re.search(pattern, words):
            return ColumnKind("direct identifier", f"its name suggests {called}")
    return None


def _key_field(words: str, values: ColumnValues) -> ColumnKind | None:
    for pattern, field in _FIELDS:
        if re.search(pattern, words) and not re.search(
            r"provider|hospital|facility|payer|plan|page|stage|usage", words
        ):
            return ColumnKind("key field", "its name", field)
    if values.distinct > 1 and _reads_as(values, "sex") >= _MOST:
        return ColumnKind("key field", "its values are those of sex", "sex")
    return None


def _reads_as(values: ColumnValues, field: str) -> float:
    reading = read_field(field, FieldColumn(values.name), values.looked_at)
    return values.share([meaning is not None for meaning in reading.meanings])


def _other(words: str, values: ColumnValues) -> ColumnKind:
    if re.search(r"(^| )(notes?|comments?|remarks?|narrative|free ?text)( |$)", words):
        return ColumnKind("free text", "its name")
    if _PLACES.search(words):
        return ColumnKind("place", "its name")
    if re.search(r"(^| )(date|dt|dte|datetime)( |$)", words):
        return ColumnKind("date", "its name")
    if _dates(values):
        return ColumnKind("date", "its values are dates")
    if values.distinct == 1:
        return ColumnKind("constant", "one value in every record that has one")
    long = values.share([len(text) > _LONG and " " in text.strip() for text in values.looked_at])
    if long >= 1 - _MOST and values.distinct > _SOME_VALUES:
        return ColumnKind("free text", "many long texts of several words")
    numbers = values.share([bool(_NUMBER.fullmatch(text.strip())) for text in values.looked_at])
    nearly_all = values.filled >= _FEW_RECORDS and values.distinct >= _NEARLY_ALL * values.filled
    if nearly_all and not (numbers >= _MOST and any("." in text for text in values.looked_at)):
        return ColumnKind("direct identifier", "a different value in nearly every record")
    if numbers >= _MOST and values.distinct > _SOME_VALUES:
        return ColumnKind("number", "its values are numbers")
    return ColumnKind("code", f"{values.distinct:,} different values")


def _dates(values: ColumnValues) -> bool:
    """Return whether most values are dates, even if the order of day and month is ambiguous."""
    try:
        dates, _ = read_dates(values.name, values.looked_at)
    except InputError:
        return True  # only values that look like dates raise it
    certain = [
        date is not None and not text.strip().isdigit() for date, text in zip(dates, values.looked_at, strict=True)
    ]
    return values.share(certain) >= _MOST
