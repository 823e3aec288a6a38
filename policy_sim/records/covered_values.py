"""Read the values of the fields that a release policy covers, each against a closed set: what is not in it is not read.

A policy says what to do with sex, race, ages, dates, places and clinical codes. It can be followed only for values
that are known to be such: a column that is called ``sex`` may hold anything. Each reader returns one answer per text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence

from policy_sim.records.dates import FIRST_YEAR, LAST_YEAR, read_years
from policy_sim.records.vocabularies import STATE_WORDS, is_town, known_zip, ms_drg_numbers, plain, vocabulary, words
from policy_sim.words.errors import InputError
from policy_sim.words.states import POSTAL_OF_FIPS, POSTAL_OF_SSA

_PAIRS = (
    "m f|male female|man woman|boy girl|mannlich weiblich|homme femme|hombre mujer|masculino femenino|"
    "masculino feminino|masculin feminin|mann frau|maschio femmina|homem mulher"
)
SEX_PAIRS = tuple(tuple(pair.split()) for pair in _PAIRS.split("|"))
# Race without a header needs words that mean nothing else beside each other.
CLEARLY_RACE = {"black", "african american", "black or african american", "asian", "hispanic", "caucasian"}
OLDEST = 125
FLAGS = {"yes", "no", "y", "n", "true", "false", "0", "1", "0.0", "1.0", "t", "f", "si", "oui", "non", "ja", "nein"}
"""Values that answer yes or no, in lower case."""

_UNIT = r"(?:years?|yrs?|y|yo|y/?o|a|jahre?|ans?|anos|años|anni)(?:\s+old)?\.?"
_AGE = re.compile(rf"(\d{{1,3}})(?:[.,]\d+)?\s*(?:{_UNIT})?")
_YOUNG = re.compile(
    r"(\d{1,4})(?:[.,]\d+)?\s*(mo?(?:nths?|s)?|mois|meses|monate?|we?e?ks?|w|da?y?s?|tage?|ho?u?rs?)\.?"
)
_UNITS = {"m": 12, "w": 52, "d": 365, "t": 365, "h": 8766}  # in a year
_SPAN = re.compile(rf"(\d{{1,3}})\s*(?:-|–|—|to|a|bis|through)\s*(\d{{1,3}})\s*(?:{_UNIT})?")
_MORE = r"(?:\+|plus|(?:and|or|&)\s+(?:over|older|above|more|up))"
_OPEN = re.compile(rf"(?:>=?|≥)?\s*(\d{{1,3}})\s*(?:years?|yrs?)?\s*{_MORE}")
_ABOVE = re.compile(rf"(?:>=?|≥|over|older than|above)\s*(\d{{1,3}})\s*(?:{_UNIT})?")
_BELOW = re.compile(rf"(?:<=?|≤|under|younger than|below|less than)\s*(\d{{1,3}})\s*(?:{_UNIT})?")
_WHOLE = re.compile(r"(\d+)(?:[.,]0+)?")
_NEVER = 10**9  # no age in months or days


def as_number(text: str) -> float | None:
    """Return the number that a text is; None where it is none."""
    try:
        return float(text)
    except ValueError:
        return None


def age_bounds(text: str) -> tuple[int, int] | None:
    """Return the lowest and the highest age that a text may mean; None for a text that is no age or class of ages."""
    text = text.strip().casefold()
    if match := _AGE.fullmatch(text):
        low = high = int(match[1])
    elif match := _SPAN.fullmatch(text):
        low, high = int(match[1]), int(match[2])
    elif match := _OPEN.fullmatch(text) or _ABOVE.fullmatch(text):
        low, high = int(match[1]), OLDEST
    elif match := _BELOW.fullmatch(text):
        low, high = 0, int(match[1]) - (not text.startswith(("<=", "≤")))
    elif match := _YOUNG.fullmatch(text):
        low = high = int(match[1]) // _UNITS[match[2][0]]
    else:
        return None
    return (low, high) if 0 <= low <= high <= OLDEST else None


AGES = {"age": 1, "age_months": 12, "age_days": 365.25}
"""Units of age by kind of variable: how many of them are a year."""


def _whole(text: str) -> str:
    """Return the digits of a whole number, also as programs write it in a column with gaps (``3.0``); else nothing."""
    match = _WHOLE.fullmatch(text.strip())
    return match[1] if match else ""


def _is_sex(text: str) -> bool:
    return plain(_whole(text) or text) in words("values", "sex") | words("values", "unknown")


def _is_race(text: str) -> bool:
    from policy_sim.records.race_texts import race_text  # reads its phrases here

    phrase = plain(_whole(text) or text)
    return phrase in words("values", "race") or phrase in words("values", "unknown") or race_text(text) is not None


def _is_races(text: str) -> bool:
    """Tell whether a text is a race or a Hispanic origin, or several of them: ``White; Asian``, ``NH Black/White``."""
    if _is_race(text):
        return True
    parts = [part for part in map(plain, re.split(r"[,;/|&+()]|\band\b", text)) if part]
    return bool(parts) and all(len(part) > 1 and _is_race(part) for part in parts)


_STATE_NUMBERS = POSTAL_OF_FIPS.keys() | POSTAL_OF_SSA.keys()


def _is_state(text: str) -> bool:
    return plain(text) in STATE_WORDS or _whole(text).zfill(2) in _STATE_NUMBERS


def _is_icd_10_cm(text: str) -> bool:
    codes = vocabulary("icd_10_cm")
    parts = re.split(r"[\s;,|]+", text.strip().casefold())
    return all(part.replace(".", "", 1) in codes and part.find(".") in (-1, 3) for part in parts)


def _is_loinc(text: str) -> bool:
    """Tell whether a text is a LOINC code: up to five digits, a hyphen, and the check digit that they give."""
    from stdnum import luhn

    match = re.fullmatch(r"\s*(\d{1,5})-(\d)\s*", text)
    return match is not None and luhn.is_valid(match[1] + match[2])


def _matches(pattern: str) -> Callable[[str], bool]:
    form = re.compile(rf"\s*{pattern}\s*", re.IGNORECASE)
    return lambda text: form.fullmatch(text) is not None


_is_county_code = _matches(r"(?:\d{4,5}(?:[.]0+)?|[A-Z]{2}[- ]?\d{3}|\d{2}-\d{3})")
_is_zip = _matches(r"\d{4,5}(?:[.]0+)?(?:-\d{4})?")
_is_long_zip = _matches(r"\d{8,9}(?:[.]0+)?")  # ZIP+4 without its hyphen; a Social Security number has nine digits too
READERS: Mapping[str, Callable[[str], bool]] = {
    "sex": _is_sex,
    "race": _is_races,
    "ethnicity": _is_races,
    "race_ethnicity": _is_races,
    "state": _is_state,
    "age": lambda text: age_bounds(text) is not None,
    "age_months": lambda text: int(_whole(text) or _NEVER) / 12 <= OLDEST,
    "age_days": lambda text: int(_whole(text) or _NEVER) / 365.25 <= OLDEST,
    "year": lambda text: len(_whole(text)) == 4 and FIRST_YEAR <= int(_whole(text)) <= LAST_YEAR,
    "birth_date": lambda text: read_years([text]) != [None],
    "date": lambda text: read_years([text]) != [None],
    "zip": lambda text: _is_zip(text) or (_is_long_zip(text) and known_zip(text)),
    "zip3": _matches(r"\d{1,3}(?:[.]0+)?"),
    "county": lambda text: _is_county_code(text) or is_town(text),
    "town": is_town,
    "ICD-10-CM": _is_icd_10_cm,
    "LOINC": _is_loinc,
    "CPT": _matches(r"(?:\d{4}[\dFTUMA]|[A-V]\d{4})(?:-\w\w){0,2}"),  # or HCPCS, with modifiers
    "flag": lambda text: text.strip().casefold() in FLAGS,
    "DRG": lambda text: int(_whole(text) or 0) in ms_drg_numbers(),
}
"""For each kind of value that a policy covers: whether a text is such a value."""


def reads(kind: str, texts: Sequence[str]) -> list[bool]:
    """Tell which texts are values of a kind; of a kind without a closed set, all are."""
    if kind in ("birth_date", "date"):  # a year alone is one beside dates
        return [year is not None for year in read_years(texts)]
    reader = READERS.get(kind)
    return [True] * len(texts) if reader is None else [reader(text) for text in texts]


# A table of counts is not a file of records: one of its rows is a group of people and not a person.
#
# Measured as records, ``county,week,age,sex,n`` calls nearly every row unique, however many people it counts.


_SUPPRESSED = re.compile(r"[<≤]\s*=?\s*\d{1,3}|\d{1,2}\s*[-–]\s*\d{1,2}|\*+|s|suppressed|masked|\.", re.IGNORECASE)
_COUNT_TABLES_WHOLE = re.compile(r"\d{1,3}(?:,\d{3})+|\d{1,12}(?:\.0+)?")
_DECIMAL = re.compile(r"[+-]?\d*[.,]\d+%?|[+-]?\d+(?:[.,]\d+)?%")
_LIKE_AN_IDENTIFIER = re.compile(r"(?=.*\d)(?=.*[a-z])[a-z0-9-]{5,}|\d{6,}|[0-9a-f]{16,}|\S+@\S+", re.IGNORECASE)
_DATE_LIKE = re.compile(r"(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:[0-3]\d)?|\d{4}-?(?:W\d{1,2}|Q\d)", re.IGNORECASE)
_MOST_COLUMNS = 30
_FEWEST_ROWS = 2
_FEW_VALUES = 20
_GRID = 0.5  # of all combinations


def counting_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names that may count people; none in a file of more columns than a table of counts has.

    >>> counting_names(["county", "N", "platelet_count", "numberOfPatients", "total", "country"])
    ('N', 'numberOfPatients', 'total')
    """
    if len(names) > _MOST_COLUMNS:
        return ()
    return tuple(name for name in names if _counts(name))


def table_of_counts(columns: Mapping[str, Sequence[str]], rows: int, distinct: Callable[[Sequence[str]], bool]) -> str:
    """Return the column that counts, if a file is a table of counts; empty where its rows are records.

    ``columns``: the distinct values of each, without those that mean a missing value. It is a table of counts if all of
    this holds.

    * A column counts by its name (:func:`counting_names`), and holds whole numbers from 0, some of them 2 or more; up
      to half of its values may be marks of suppression such as ``<11`` or ``*``. A column of 0 and 1 flags records.
    * No column identifies: none is named as an identifier of a person (``mrn``, ``patient_id``) or, with more values
      than half of the rows, of anything but a place (``id``, ``name``); and none has a value of its own in every row
      that looks like an identifier (letters with digits, six digits or more, or more than 20 numbers that follow each
      other) without being named as a place, a time, an age or a code.
    * The other columns, without further counts and without decimals such as rates, have few values: at most half as
      many as there are rows, or 20, unless they are named as a place, a time, an age or a code. No two rows agree in
      all of them.
    * If the name only may count people (``total``, ``visits``), the rows are also at least half of all combinations of
      the values of the others.
    """
    counting = [name for name in counting_names(list(columns)) if _is_count(columns[name])]
    if not counting or rows < _FEWEST_ROWS:
        return ""
    others = {name: values for name, values in columns.items() if name not in counting}
    if not others or any(_identifies(name, values, rows) for name, values in others.items()):
        return ""
    keys = {name: values for name, values in others.items() if not _is_measure(values)}
    if not keys or not all(_is_few(name, values, rows) for name, values in keys.items()):
        return ""
    sure = [name for name in counting if _counts_people(_words(name))]
    combinations = math.prod(max(len(values), 1) for values in keys.values())
    if not sure and rows < _GRID * combinations:
        return ""
    return (sure or counting)[0] if distinct(list(keys)) else ""


def refuse_table_of_counts(
    where: str, values: Mapping[str, Sequence[str]], rows: int, distinct: Callable[[Sequence[str]], bool]
) -> None:
    """Refuse a file that is a table of counts, by the distinct values of its columns."""
    column = table_of_counts(values, rows, distinct)
    if column:
        raise InputError(
            f"{where}: column {column!r} counts: each row is a group and not a person, so this is a table of counts "
            "and no file of records. Give the records that were counted; if each row is one person, leave out or "
            "rename the column."
        )


def _words(name: str) -> frozenset[str]:
    apart = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)
    return frozenset(re.findall(r"[a-z0-9]+", apart.casefold()))


def _counts(name: str) -> bool:
    own_words, counts = _words(name), words("counts", "people") | words("counts", "perhaps")
    return bool(own_words & counts) and own_words <= counts | words("counts", "beside")


def _counts_people(own_words: frozenset[str]) -> bool:
    """Tell whether a name that counts can only mean people: n and number_of_patients, but not n_visits, patients_no."""
    of_people = "of" in own_words and own_words & words("counts", "people")
    return not (own_words - {"number"} if of_people else own_words) & words("counts", "perhaps")


def _is_count(values: Sequence[str]) -> bool:
    numbers = [text.strip() for text in values]
    marks = [text for text in numbers if not _COUNT_TABLES_WHOLE.fullmatch(text)]
    if len(marks) > len(numbers) / 2 or not all(_SUPPRESSED.fullmatch(text) for text in marks):
        return False
    return any(float(text.replace(",", "")) > 1 for text in numbers if _COUNT_TABLES_WHOLE.fullmatch(text))


def _identifies(name: str, values: Sequence[str], rows: int) -> bool:
    own_words = _words(name)
    numbered, is_dimension = own_words & words("counts", "numbered"), own_words & words("counts", "dimensions")
    if own_words & words("counts", "persons") or (numbered and own_words & words("counts", "whose")):
        return True
    if numbered and not is_dimension:
        return len(values) > rows / 2
    if is_dimension or len(values) < rows:
        return False
    texts = [text.strip() for text in values]
    if all(_LIKE_AN_IDENTIFIER.fullmatch(text) and not _DATE_LIKE.fullmatch(text) for text in texts):
        return True
    if not all(text.isascii() and text.isdigit() for text in texts) or rows <= _FEW_VALUES:
        return False
    numbers = sorted(map(int, texts))
    return numbers[-1] - numbers[0] == len(numbers) - 1


def _is_measure(values: Sequence[str]) -> bool:
    """Tell whether a column holds numbers, some of them with decimals, such as a rate."""
    others = {text for text in map(str.strip, values) if not _COUNT_TABLES_WHOLE.fullmatch(text)}
    decimals = {text for text in others if _DECIMAL.fullmatch(text)}
    return bool(decimals) and all(map(_SUPPRESSED.fullmatch, others - decimals))


def _is_few(name: str, values: Sequence[str], rows: int) -> bool:
    return bool(_words(name) & words("counts", "dimensions")) or len(values) <= max(rows / 2, _FEW_VALUES)
