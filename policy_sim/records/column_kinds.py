"""What a column of a file seems to be, judged by its name and by all of its values.

A kind is a guess, with its reason. ``accepted`` says whether the values alone decide it, or the name and the values
agree: only such a guess may stand where nobody has looked. No value leaves this module.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from policy_sim.records.census_values import RACE_FIELDS, race_column, tells_origin
from policy_sim.records.covered_values import CLEARLY_RACE, FLAGS, SEX_PAIRS, reads
from policy_sim.records.identifiers import (
    MERELY_POSSIBLE,
    Hit,
    are_amounts,
    identifiers_by_name,
    identifiers_in,
    shape,
    shapes,
    towns_in,
)
from policy_sim.records.state_codes import ASK, FIPS, QUESTION, SSA, state_numbers
from policy_sim.records.vocabularies import (
    is_mark,
    is_ordinary,
    is_town,
    known_zip,
    name_words,
    plain,
    words,
    zip_codes,
)
from policy_sim.words.errors import InputError

KINDS = (
    *("direct identifier", "key field", "clinical code", "date", "year", "place"),
    *("free text", "number", "code", "constant", "empty"),
)
_DIAGNOSES = "ICD-10-CM"
FLAG = "yes or no"
"""Reason of a column whose values all say yes or no."""
CODES = (_DIAGNOSES, "CPT", "LOINC", "DRG")
"""Clinical codes that are recognized by their values; the field of a column of kind ``clinical code``."""

_CENSUS_PLACES = ("zip5", "zip3", "state", "county", "tract")
_FIELDS = ("sex", *RACE_FIELDS, "age", "birth_date", "birth_year", "year", *_CENSUS_PLACES)
_DIAGNOSIS_NAME = re.compile(r"\b((dx|diags?|cause)\d*|(diagn|icd|morbid)\w*)\b")
# Words of a name without which values are not codes of a system; every other word has to mean nothing else.
_CODE_WORDS: Mapping[str, frozenset[str]] = {
    "CPT": frozenset({"cpt", "cpts", "cpt4", "hcpcs"}),
    "LOINC": frozenset({"loinc", "lnc"}),
    "DRG": frozenset({"drg", "drgs", "msdrg"}),
}
_NOTES = re.compile(
    r"(^| )(notes?|comments?|remarks?|narrative|free ?text|describe|specify|description|reason|complaint|text)( |$)"
)
# Hours per week are no date.
_DATE_WORDS = re.compile(
    r"(?<! per)(^| )(date|dt|dte|datetime|timestamp|fecha|datum|data|week|wk|month|mon|weekday|dow|day|quarter|qtr)"
    r"( |$)"
)
_TWO_DIGITS = re.compile(r"\d\d")
_CHECKBOX = re.compile(r"___\w+$")  # of REDCap: a column for each box of one question
_TOWN_WORDS = {"city", "town", "hometown", "township", "village", "municipality", "ciudad"}
_ACCESS_GROUP = re.compile(r"\bdata access group\b")  # of REDCap
_WEEKS = re.compile(r"(^| )(weeks?|wks?)( |$)")
_PLACES = re.compile(
    r"\b(city|ciudad|ville|stadt|citta|cidade|(home)?town|township|village|municipality|precinct|neighbou?rhood|"
    r"lat(itude)?|lon(g|gitude)?|lng|block|borough|ward|district|geohash|geocode|geoid|coordinates?|"
    r"x ?coord|y ?coord|address|residence)\b"
)
_COORDINATES = re.compile(r"(^| )(lat|latitude|lon|long|lng|longitude|latitud|longitud|x ?coord|y ?coord)( |$)")
_THREE_DIGITS = re.compile(r"\s*\d{3}\s*")
_IN_STATE = re.compile(r"\s*\d{1,3}(?:\.0+)?\s*")
_DECIMAL = re.compile(r"\s*[-+]?\d{1,3}[.,]\d{2,}\s*")
_TWO_DIGIT_YEAR = re.compile(r"\d{1,2}[-/.]\d{1,2}[-/.]\d{2}(?!\d)|\d{1,2}[- ]?[A-Za-z]{3}[- ]?\d{2}(?!\d)")
_WEEKS_OF_YEAR, _HALF_OF_RECORDS = 53, 0.5
_MOST = 0.9  # a column has a kind if this share of its records shows it
NEARLY_ALL = 0.95
_FEW_RECORDS = 10
_FEW_OF_FLAG, _LONG_WORD = 3, 4  # records of the rarer answer; letters of a word that may be a town
_MOST_CODES = 12  # that are none of the values of a column and yet repeat in it
_LONG, _SOME_VALUES = 30, 20
_NUMBER = re.compile(r"[-+]?\d+([.,]\d+)?([eE][-+]?\d+)?")


@dataclass(frozen=True, eq=False)
class ColumnValues:
    """The distinct values of a column (None if too many to look at), the records with each, and those without one."""

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
        return float(self.records[: len(holds)] @ np.array(holds, dtype=bool)) / max(self.filled, 1)

    @property
    def looked_at(self) -> Sequence[str]:
        """The values: all of them, or none where there are too many."""
        return self.texts or ()

    @cached_property
    def is_filled(self) -> NDArray[np.bool_]:
        """Which values are not a mark of a missing one."""
        return np.array([not is_mark(text) for text in self.looked_at], dtype=np.bool_)

    @cached_property
    def sample(self) -> list[int]:
        """The places of some values: the commonest ones, and others from all over the column."""
        common = np.argsort(-self.records[: len(self.looked_at)], kind="stable")[:100].tolist()
        return sorted({*common, *range(0, len(self.looked_at), max(len(self.looked_at) // 200, 1))})

    @property
    def shapes(self) -> tuple[str, ...]:
        """Three kinds of values, as shapes from which no value can be read."""
        return shapes(self.looked_at, self.records) if self.texts else ()


@dataclass(frozen=True)
class ColumnKind:
    """What a column seems to be: one of :data:`KINDS`, and why; ``hits`` are identifiers that its values may be.

    ``field`` is the census field of a key field, or the system of a clinical code. A guess is ``accepted`` where the
    values decide, or agree with the name.
    """

    kind: str
    reason: str
    field: str = ""
    accepted: bool = False
    hits: tuple[Hit, ...] = ()


def column_kind(
    values: ColumnValues,
    field: str = "",
    codes: Mapping[str, str] | None = None,
    *,
    beside: Sequence[str] = (),
    form: str = "",
) -> ColumnKind:
    """Return the kind that a column seems to be, and the reason.

    ``codes`` and ``form`` are what a mapping says of its codes and their form; ``beside`` are the names of all columns.
    """
    if not values.filled:
        return ColumnKind("empty", "no record has a value")
    if values.texts is None:
        if values.distinct >= NEARLY_ALL * values.filled:
            return ColumnKind("direct identifier", "a different value in nearly every record")
        return ColumnKind("code", "too many values to look at")
    name = name_words(values.name)
    field = field or field_by_name(name)
    is_box = _CHECKBOX.search(values.name) is not None
    if _is_flag(values) and (is_box or field not in ("sex", *RACE_FIELDS, "age") or _TWO_DIGITS.search(name)):
        return ColumnKind("code", FLAG, accepted=_is_plain_flag(values, name))
    recognized = _known(values, name, field, codes or {}) or _county_of_state(values, field, beside)
    if recognized is not None and recognized.field == "state":
        return _numbered_states(recognized, values, codes or {}, beside, form)
    if recognized is not None:
        return recognized
    hits = (*identifiers_in(values.texts, values.records), *towns_in(values.texts, values.records), *_zips_in(values))
    if _COORDINATES.search(name) and _mostly(values, lambda text: _DECIMAL.fullmatch(text) is not None):
        hits = (Hit("coordinates", "B", values.distinct, values.filled, certain=True), *hits)
    return replace(_guess(values, name, field, hits), hits=hits)


def _zips_in(values: ColumnValues) -> list[Hit]:
    """Return whether all values are ZIP codes that the census knows, under whatever name; other numbers are too."""
    texts = [text for text, is_filled in zip(values.looked_at, values.is_filled, strict=True) if is_filled]
    is_all = len(texts) >= _FEW_ZIPS and all(_ZIP.fullmatch(text.strip()) and known_zip(text) for text in texts)
    return [Hit("ZIP codes", "B", len(texts), values.filled, certain=False)] if is_all else []


_ZIP = re.compile(r"\d{5}(-?\d{4})?")
_FEW_ZIPS = 5  # different ones
_CATEGORY = 3  # characters of a category of ICD-10-CM; its codes have more
_FEW_SUBCATEGORIES = 0.1  # of the records
_YEAR_WORDS = {"year", "yr", "jahr", "ano", "annee", "anno"}
_SHORT_BIRTHS = {"d o b", "fecha nac", "f nac", "date naiss", "geb", "geb datum", "geb dat", "d nasc", "dt nasc"}
_UNITS = {
    "age_months": {"months", "month", "mos", "meses", "monate", "mois", "mesi"},
    "age_days": {"days", "day", "tage", "dias", "jours", "giorni"},
}


def field_by_name(name: str) -> str:
    """Return the field that a name says by all of its words; empty where a word means something else."""
    tokens = {token for token in name.split() if token in ("3", "5") or not token.isdigit()}
    birth = words("names", "birth_date")
    if tokens >= {"zip", "3"} or "zip3" in tokens:
        tokens = (tokens - {"zip", "3"}) | {"zip3"}
    if tokens & birth and tokens & _YEAR_WORDS:
        tokens = (tokens - birth - _YEAR_WORDS) | {"birthyear"}
    if tokens & birth and tokens & _UNITS["age_months"] | tokens & birth & {"birthmonth"}:
        return "birth_month"
    if tokens & words("names", "race") and tokens & words("names", "ethnicity"):
        tokens = (tokens - words("names", "race") - words("names", "ethnicity")) | {"raceethnicity"}
    if name in _SHORT_BIRTHS:
        return "birth_date"
    for field, units in _UNITS.items():
        if tokens & units and tokens & words("names", "age"):
            return field
    for field in _FIELDS:
        own = words("names", field)
        if tokens & own and tokens <= own | words("harmless", "everywhere") | words("harmless", field):
            return field
    return ""


def is_case_time(name: str) -> bool:
    """Whether a name says when a case began, was tested or was reported: ``onset_date``, ``MMWR week``.

    >>> [is_case_time(name) for name in ("symptom onset date", "mmwr week", "birth date", "date", "week of pregnancy")]
    [True, True, False, False, False]
    """
    tokens, when = set(name.split()), words("events", "case_time")
    rest = tokens - when
    return bool(tokens & when and rest & words("events", "case")) and rest <= words("events", "case") | {"of"}


def _is_flag(values: ColumnValues) -> bool:
    """Tell whether every value says yes or no, so that ``native_born`` is no date and ``has_phone`` no number."""
    return all(text.strip().casefold() in FLAGS for text in values.looked_at)


def _is_plain_flag(values: ColumnValues, name: str) -> bool:
    """Tell whether a flag may leave without a question: both answers of several records, under a harmless name.

    A flag called like a place, an age, a part of a date or a person tells by its name what a rule hides.
    """
    if tells_by_name(name) or _TWO_DIGITS.search(name) or identifiers_by_name(name) is not None:
        return False
    return values.distinct <= 2 and int(values.records.min()) >= _FEW_OF_FLAG


def tells_by_name(name: str) -> bool:
    """Tell whether the words of a name speak of a place, an age or a part of a date, as columns of yes and no may."""
    tokens = set(name.split())
    told = {token for field in (*_CENSUS_PLACES, "age", "birth_date", "birth_year") for token in words("names", field)}
    told |= words("values", "day_or_month") | words("groups", "places")
    if tokens & told or any(form.search(name) for form in (_PLACES, _DATE_WORDS, _NOTES, _COORDINATES)):
        return True
    return any(is_town(word) and not is_ordinary(word) for word in (name, *tokens) if len(word) >= _LONG_WORD)


def are_towns(values: ColumnValues) -> bool:
    """Tell whether a column is called one of towns, and nearly all of its values are towns or counties."""
    if values.texts is None or not set(name_words(values.name).split()) & _TOWN_WORDS:
        return False
    return _agree(values, "town")


def _known(values: ColumnValues, name: str, field: str, codes: Mapping[str, str]) -> ColumnKind | None:
    """Return a kind that the values decide, or in which they agree with the name; None where there is none."""
    texts, agreed = values.looked_at, "its name and its values agree"
    said = [text for text, is_filled in zip(texts, values.is_filled, strict=True) if is_filled and text not in codes]
    if field in ("sex", *RACE_FIELDS) and said and all(map(_NUMBER.fullmatch, said)):
        agreed = "its name says it, and its numbers may be codes of it"  # 1 is a man in one file, a woman in another
    kind = {"zip5": "zip", "birth_year": "year"}.get(field, field)
    three_digits = field == "zip5" and _mostly(values, lambda text: _THREE_DIGITS.fullmatch(text) is not None)
    if field and (_agree(values, kind, codes) or _few_codes(values, kind, codes)) and _fits(values, field):
        if field == "year":
            return ColumnKind("year", agreed, accepted=True)
        return ColumnKind("key field", agreed, "zip3" if three_digits else _race_field(values, field), accepted=True)
    if field == "birth_date" and _agree(values, "year"):
        return ColumnKind("key field", agreed, "birth_year", accepted=True)
    if _DATE_WORDS.search(name) and _agree(values, "year"):
        return ColumnKind("year", agreed, accepted=True)
    if three_digits and (_agree(values, "zip3") or _few_codes(values, "zip3", codes)) and _fits(values, "zip3"):
        return ColumnKind("key field", agreed, "zip3", accepted=True)
    folded = {plain(text) for text in texts} if values.distinct <= 4 * _SOME_VALUES else set()
    sexes, races = any({*pair} <= folded for pair in SEX_PAIRS), len(folded & CLEARLY_RACE) > 1
    for clear, own in ((sexes, "sex"), (races, "race"), (tells_origin(folded), "ethnicity")):
        if clear and _agree(values, own):
            own = _race_field(values, own)
            return ColumnKind("key field", f"its values are those of {own}", own, accepted=True)
    for system in CODES:
        is_told = _is_coded(name, system) and _repeats(values, system)
        is_possible = is_told or system == _DIAGNOSES
        if is_possible and _agree(values, system) and (is_told or _is_beyond_numbering(values, name)):
            return ColumnKind("clinical code", f"its values are codes of {system}", system, accepted=True)
    if _agree(values, "date"):
        if field == "birth_date":
            return ColumnKind("key field", agreed, "birth_date", accepted=True)
        return ColumnKind("date", "its values are dates", accepted=True)
    return None


def _is_coded(name: str, system: str) -> bool:
    """Tell whether a name says that its values are codes of a system, and nothing else."""
    if system == _DIAGNOSES:
        return _DIAGNOSIS_NAME.search(name) is not None and identifiers_by_name(name) is None
    tokens = {token for token in name.split() if not token.isdigit()}
    return bool(tokens & _CODE_WORDS[system]) and tokens <= _CODE_WORDS[system] | words("harmless", "clinical")


def _repeats(values: ColumnValues, system: str) -> bool:
    """Tell whether codes come again, as those of a system do and numbers of people do not."""
    if system == _DIAGNOSES:
        numbers = [int(text.strip()[1:]) for text in values.looked_at if re.fullmatch(r"[A-Za-z]\d+", text.strip())]
        if len(numbers) < values.distinct or max(numbers) - min(numbers) >= 2 * len(numbers):
            return True
    few = values.filled < 2 * _FEW_RECORDS
    again = float(values.records[values.records > 1].sum())
    return few or (values.distinct <= values.filled / 2 and again >= NEARLY_ALL * values.filled)


def _is_beyond_numbering(values: ColumnValues, name: str) -> bool:
    """Tell whether diagnoses may be read where no name says so: subjects numbered S01 to S40 are categories, too."""
    if identifiers_by_name(name) is not None:
        return False
    texts = [text.strip() for text in values.looked_at]
    numbers = [int(text[1:]) for text in texts if re.fullmatch(r"[A-Za-z]\d+", text)]
    is_run = len(numbers) == len(texts) and max(numbers) - min(numbers) < 2 * len(numbers)
    return not is_run and values.share([len(text) > _CATEGORY for text in texts]) >= _FEW_SUBCATEGORIES


def _county_of_state(values: ColumnValues, field: str, beside: Sequence[str]) -> ColumnKind | None:
    """Return a county by its code of three digits, where another column has the state; None for anything else."""
    has_state = any(field_by_name(name_words(other)) == "state" for other in beside)
    if field != "county" or not has_state or not _mostly(values, lambda text: _IN_STATE.fullmatch(text) is not None):
        return None
    return ColumnKind("key field", "its name and its values agree, with the column of states", "county", accepted=True)


def _numbered_states(
    kind: ColumnKind, values: ColumnValues, codes: Mapping[str, str], beside: Sequence[str], form: str
) -> ColumnKind:
    """Return a column of states with what its numbers are; not accepted where a person has to say it."""
    texts = [text for text in values.looked_at if text not in codes]
    numbers = form if form in (SSA, FIPS) else state_numbers(values.name, texts, beside)
    if numbers == ASK:
        return replace(kind, reason=QUESTION, accepted=False)
    return replace(kind, reason=f"{kind.reason}, as {numbers.upper()} codes") if numbers else kind


def _race_field(values: ColumnValues, field: str) -> str:
    """Return which field a column of races is: ``race_ethnicity`` where Hispanic is among them."""
    if field not in RACE_FIELDS:
        return field
    with suppress(InputError):  # its values leave it open: it stays what its name says
        return race_column(values.name, field, values.looked_at).field
    return field


def _agree(values: ColumnValues, kind: str, codes: Collection[str] = ()) -> bool:
    """Tell whether nearly all values that are there are values of a kind, or codes that a mapping explains."""
    is_filled, texts = values.is_filled, values.looked_at
    if not is_filled.any() or kind in ("", "tract", "birth_month"):
        return False
    sample = [at for at in values.sample if is_filled[at]]  # no column of numbers is read as dates to its end
    if sum(_read(kind, [texts[at] for at in sample], codes)) < len(sample) / 2:
        return False
    recognized = np.array(_read(kind, texts, codes))
    return float(values.records[is_filled & recognized].sum()) >= NEARLY_ALL * float(values.records[is_filled].sum())


def _few_codes(values: ColumnValues, kind: str, codes: Collection[str]) -> bool:
    """Tell whether most values are of a closed kind, and the others are a few codes that repeat, such as OOS.

    A release leaves such codes blank and counts them.
    """
    if kind not in ("sex", *RACE_FIELDS, "state", "zip", "zip3", "age") or not values.is_filled.any():
        return False
    recognized = np.array(_read(kind, values.looked_at, codes))
    others = values.records[values.is_filled & ~recognized]
    understood = int(values.records[values.is_filled & recognized].sum())
    return understood >= others.sum() and len(others) <= _MOST_CODES and bool((others > 1).all())


def _mostly(values: ColumnValues, test: Callable[[str], bool]) -> bool:
    """Tell whether most records pass a test; a column of which few values do is not read to its end."""
    sample = [test(values.looked_at[at]) for at in values.sample]
    if sum(sample) < len(sample) / 3:
        return False
    return values.share([test(text) for text in values.looked_at]) >= _MOST


def _read(kind: str, texts: Sequence[str], codes: Collection[str]) -> list[bool]:
    recognized = reads(kind, texts)
    return [text in codes or is_known for text, is_known in zip(texts, recognized, strict=True)]


_READ_AS = {"zip5": "zip", "birth_year": "year"}


def _fits(values: ColumnValues, field: str) -> bool:
    """Tell what the form of a value does not: four digits may be a ZIP code without its zero, or its last four."""
    texts = [text.strip() for text in values.looked_at if not is_mark(text)]
    texts = [text for text, is_read in zip(texts, reads(_READ_AS.get(field, field), texts), strict=True) if is_read]
    if field == "zip5":
        short = [text for text in texts if len(text.split(".")[0].split("-")[0]) < 5]
        return not short or sum(map(known_zip, short)) >= _MOST * len(short)
    if field == "zip3":
        prefixes = {code[:3] for code in zip_codes()}
        return sum(text.split(".")[0].zfill(3) in prefixes for text in texts) >= _MOST * len(texts)
    return True


def _guess(values: ColumnValues, name: str, field: str, hits: Sequence[Hit]) -> ColumnKind:
    """Return what a column that the values do not decide may be."""
    certain = [hit for hit in hits if hit.certain]
    texts, many = values.looked_at, values.distinct > _SOME_VALUES
    long = values.share([len(text) > _LONG and " " in text for text in texts])
    if long >= 1 - _MOST and many and not (certain and certain[0].records >= _MOST * values.filled):
        return ColumnKind("free text", "many long texts of several words")
    if certain:
        return ColumnKind("direct identifier", f"its values hold {certain[0]}")
    named = identifiers_by_name(name)
    if named is not None and named.letter == "R" and _are_answers(values):
        return ColumnKind("code", f"its name suggests {named.called}, but it has few values")
    if named is not None:
        return ColumnKind("direct identifier", f"its name suggests {named.called}")
    if field in ("age_months", "age_days"):
        return ColumnKind("number", "its name says age, and its values are no such ages")
    if field and field != "year":
        return ColumnKind("key field", "its name, but its values are not all understood", field)
    if _NOTES.search(name):
        return ColumnKind("free text", "its name")
    if _PLACES.search(name):
        return ColumnKind("place", "its name")
    if _mostly(values, lambda text: _TWO_DIGIT_YEAR.match(text.strip()) is not None):
        return ColumnKind("date", "dates with years of two digits: the century is not known")
    days_and_months = words("values", "day_or_month")
    if _mostly(values, lambda text: plain(text) in days_and_months):
        return ColumnKind("date", "its values are months or days of the week")
    if _DATE_WORDS.search(name) and not _ACCESS_GROUP.search(name) and not _are_durations(values, name):
        return ColumnKind("date", "its name")
    if hits and hits[0].called not in MERELY_POSSIBLE:
        return ColumnKind("direct identifier", f"its values may be {hits[0].called}")
    return _plain_kind(values, hits)


def _are_uneven(values: ColumnValues) -> bool:
    """Tell whether different numbers are of several lengths and no run, as amounts are and record numbers are not."""
    texts = [text.strip() for text in values.looked_at if not is_mark(text)]
    if any("." in text or "," in text for text in texts):
        return True
    numbers = [int(text) for text in texts if text.lstrip("+-").isdecimal() and text.isascii()]
    lengths = [len(str(abs(number))) for number in numbers]
    if len(numbers) < len(texts) or max(map(lengths.count, set(lengths))) >= _MOST * len(lengths):
        return False
    return max(numbers) - min(numbers) >= 2 * len(numbers)


def _are_answers(values: ColumnValues) -> bool:
    """Tell whether a column has a few values of many records each, which are no numbers of people."""
    return values.distinct <= _MOST_CODES and int(values.records.min()) >= _FEW_RECORDS


def _are_durations(values: ColumnValues, name: str) -> bool:
    """Tell whether numbers under the name ``week`` count weeks from a start, and are no weeks of a year."""
    texts = [text.strip() for text in values.looked_at if not is_mark(text)]
    if not _WEEKS.search(name) or not all(_NUMBER.fullmatch(text) for text in texts):
        return False
    numbers = [float(text.replace(",", ".")) for text in texts]
    is_beyond = min(numbers) < 1 or max(numbers) > _WEEKS_OF_YEAR or any(number % 1 for number in numbers)
    return is_beyond or float(values.records.max()) > _HALF_OF_RECORDS * values.filled


def _plain_kind(values: ColumnValues, hits: Sequence[Hit]) -> ColumnKind:
    texts = values.looked_at
    may_be = f"; they may be {hits[0].called}" if hits else ""
    if values.distinct == 1:
        return ColumnKind("constant", "one value in every record that has one" + may_be)
    is_money = are_amounts(texts)
    are_numbers = is_money or _mostly(values, lambda text: _NUMBER.fullmatch(text.strip()) is not None)
    nearly_all = values.filled >= _FEW_RECORDS and values.distinct >= NEARLY_ALL * values.filled
    if nearly_all and not is_money and not (are_numbers and _are_uneven(values)):
        return ColumnKind("direct identifier", "a different value in nearly every record")
    if are_numbers and values.distinct > _SOME_VALUES:
        return ColumnKind("number", "its values are numbers" + may_be)
    if len({shape(text) for text in texts[:1000]}) > 1 and values.share([" " in text.strip() for text in texts]) > 0.5:
        return ColumnKind("code", f"{values.distinct:,} different values, some of several words{may_be}")
    return ColumnKind("code", f"{values.distinct:,} different values{may_be}")
