"""What a column is by its texts alone, where a closed list or a form decides: sex, race, ages, years, places, codes.

Nothing is taken for such because of its name alone. Where values of several kinds look alike (1 and 2, three digits),
every word of the name has to agree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import pairwise

from policy_sim.records.dates import read_years
from policy_sim.records.identifiers import identifiers_by_name
from policy_sim.records.vocabularies import (
    STATE_WORDS,
    is_mark,
    is_town,
    known_zip,
    ms_drg_numbers,
    name_words,
    phrases,
    plain,
    vocabulary,
    words,
)
from policy_sim.release.attack.report import DATES, Claim
from policy_sim.release.attack.written import WrittenColumn
from policy_sim.words.states import POSTAL_OF_FIPS

RACES = ("race", "ethnicity", "race_ethnicity")
BIRTH_WORDS = words("names", "birth_date") | words("names", "birth_year") | {"birthmonth", "yob"}
_TIME_WORDS = words("names", "year") | words("events", "time")
_CARE_WORDS, _CODE_WORDS = words("events", "care"), words("harmless", "clinical")
_PAIRS = (
    *({"m", "f"}, {"male", "female"}, {"man", "woman"}, {"men", "women"}, {"boy", "girl"}, {"hombre", "mujer"}),
    *({"homme", "femme"}, {"mann", "frau"}, {"mannlich", "weiblich"}, {"masculino", "femenino"}, {"h", "m"}),
    *({"masculino", "feminino"}, {"masculin", "feminin"}, {"maschio", "femmina"}, {"homem", "mulher"}, {"m", "w"}),
)
_FEW_ROWS = 20  # below, values need not repeat
_FEW_ZIPS = 5
_FEW_HEADS, _MOST_LONE = 3, 0.8
_YEAR = re.compile(r"(\d{4})(?: ?- ?(\d{4}))?(?: (?:or|and) (?:before|less|earlier))?", re.ASCII)
_YEAR_OPEN = re.compile(r"\d{4} (?:or|and) (?:before|less|earlier)", re.ASCII)
_UNIT = r"(?:years?|yrs?|yo|y/?o?|a|ans?|anos|años|jahre?|anni)(?: old)?\.?"
_AGE = re.compile(
    rf"(?:[<>≤≥=]{{1,2}} ?|under |over |below |above )?(\d{{1,3}})(?:\.\d+)?(?: ?(?:-|–|to) ?(\d{{1,3}}))?"
    rf" ?(?:{_UNIT})? ?(\+|plus|(?:and|or|&) (?:over|older|above|more|up))?",
    re.ASCII | re.IGNORECASE,
)
_YOUNG = re.compile(
    r"\d{1,4}(?:\.\d+)? ?(?:months?|mos?|m|weeks?|wks?|w|days?|d|hours?|hrs?|h)\.?", re.ASCII | re.IGNORECASE
)
_ZIP3, _ZIP5 = re.compile(r"\d{3}", re.ASCII), re.compile(r"\d{5}(-?\d{4})?", re.ASCII)
_CPT = re.compile(r"(?:\d{4}[\dFTUMA]|[A-V]\d{4})(?:-(?:\d\d|[A-Z]\w)){0,2}", re.ASCII | re.IGNORECASE)
_LOINC = re.compile(r"(\d{1,5})-(\d)", re.ASCII)
_WHOLE = re.compile(r"(\d+)(?:\.0+)?", re.ASCII)
_FIPS = re.compile(r"\d{4,5}", re.ASCII)


def filled_texts(column: WrittenColumn) -> list[str]:
    """Return the texts of a column that are no mark of a missing or suppressed value."""
    return [text.strip() for text in column.texts if not is_mark(text)]


@cache
def tokens_of(name: str) -> frozenset[str]:
    """Return the words of a column's name, without numbers that only count columns."""
    return frozenset(
        token for token in name_words(name).split() if not token.isdigit() or token in ("3", "5", "9", "10")
    )


def says(name: str, field: str) -> bool:
    """Tell whether every word of a name speaks of a field, or changes nothing."""
    tokens, own = tokens_of(name), words("names", field)
    return bool(tokens & own) and tokens <= own | words("harmless", "everywhere") | words("harmless", field)


def mentions(name: str, field: str) -> bool:
    """Tell whether a name has one of a field's words."""
    return bool(tokens_of(name) & words("names", field))


def says_zip3(name: str) -> bool:
    """Tell whether a name speaks of three digits of a ZIP code, or of a ZIP code."""
    tokens = tokens_of(name)
    own = words("names", "zip3") | words("names", "zip5")
    harmless = words("harmless", "everywhere") | words("harmless", "zip3") | words("harmless", "zip5") | {"3", "5"}
    return bool(tokens & own) and tokens <= own | harmless


def event_of(name: str) -> str:
    """Return when in life the event of a column of years happens: ``birth``, ``care``; ``time`` or nothing if unsaid.

    >>> event_of("year_of_birth"), event_of("admit_date"), event_of("fiscal_year"), event_of("data_id")
    ('birth', 'care', 'care', '')
    """
    tokens = tokens_of(name)
    harmless = words("harmless", "everywhere") | words("harmless", "year") | words("harmless", "birth_date")
    own = _TIME_WORDS | _CARE_WORDS | BIRTH_WORDS
    if not tokens & own or not tokens <= own | harmless:
        return ""
    if tokens & BIRTH_WORDS:
        return "birth"
    return "care" if tokens & _CARE_WORDS else "time"


def whole(text: str) -> int | None:
    """Return a whole number, also as programs write it in a column with gaps; None for another text."""
    match = _WHOLE.fullmatch(text)
    return int(match[1]) if match else None


def without_point(text: str) -> str:
    """Return a whole number without the point and zeros that programs write in a column with gaps.

    >>> without_point("20240305.0"), without_point("036.00"), without_point("2.5")
    ('20240305', '036', '2.5')
    """
    return text.partition(".")[0] if _WHOLE.fullmatch(text) else text


def year_span(text: str) -> tuple[int, int, bool] | None:
    """Return the first and last year of a text, and whether it is open below; None where it is no year or class."""
    match = _YEAR.fullmatch(text)
    if match is None or not 1850 <= int(match[1]) <= 2100:
        return None
    return int(match[1]), int(match[2] or match[1]), _YEAR_OPEN.fullmatch(text) is not None


def age_span(text: str) -> tuple[int, bool] | None:
    """Return the highest age that a text names, and whether it is open above; None where it is no age."""
    if match := _AGE.fullmatch(text):
        is_open = bool(match[3]) or text[:1] in ">≥" or text.casefold().startswith(("over", "above"))
        return max(int(match[1]), int(match[2] or 0)), is_open
    return (0, False) if _YOUNG.fullmatch(text) else None


def repeats(column: WrittenColumn) -> bool:
    """Tell whether values come again and again, as codes and years do, and not one per record."""
    if column.filled < _FEW_ROWS:
        return True
    again = int(column.records[column.records > 1].sum())
    return len(column.texts) <= column.filled / 2 and again >= 0.9 * column.filled


def repeat_all(column: WrittenColumn) -> bool:
    """Tell whether each value is in several records: a system without a list here has nothing else to know it by."""
    return repeats(column) and (column.filled < _FEW_ROWS or bool((column.records > 1).all()))


def is_run(column: WrittenColumn) -> bool:
    """Tell whether the values are numbers that follow each other, one per record."""
    numbers = [whole(text) for text in filled_texts(column)]
    whole_numbers = [number for number in numbers if number is not None]
    if column.filled < _FEW_ROWS or len(whole_numbers) < len(numbers) or len(whole_numbers) < 0.9 * column.filled:
        return False
    return max(whole_numbers) - min(whole_numbers) < 1.5 * len(whole_numbers)


def are_zips(texts: Sequence[str]) -> bool:
    """Tell whether all texts are ZIP codes of five digits that the census knows, several of them."""
    return len(texts) >= _FEW_ZIPS and all(_ZIP5.fullmatch(text) and known_zip(text) for text in texts)


# What a column is. Each reader looks at all texts, and at the name only where they leave it open.


def _sex(column: WrittenColumn, texts: Sequence[str]) -> bool:
    folded = {plain(text) for text in texts}
    listed = words("values", "sex") | words("values", "unknown")
    return folded <= listed and (says(column.name, "sex") or any(pair <= folded for pair in _PAIRS))


@cache
def _race_words() -> tuple[frozenset[str], frozenset[str]]:
    listed = phrases("census") | words("values", "race") | words("values", "unknown")
    return listed, frozenset(word for phrase in listed for word in phrase.split()) | {"any"}


def _race(column: WrittenColumn, texts: Sequence[str]) -> bool:
    listed, of_phrases = _race_words()
    folded = {plain(text) for text in texts}
    if not all(phrase in listed or set(phrase.split()) <= of_phrases for phrase in folded):
        return False
    named = any(says(column.name, field) for field in RACES)
    tokens = tokens_of(column.name)
    both = bool(tokens & words("names", "race")) and bool(tokens & words("names", "ethnicity"))
    clear = {"white", "black", "asian", "hispanic", "black or african american", "not hispanic or latino"} & folded
    return named or both or (bool(clear) and all(len(phrase) > 2 and not phrase.isdigit() for phrase in folded))


def _state(column: WrittenColumn, texts: Sequence[str]) -> bool:
    if all(plain(text) in STATE_WORDS for text in texts):
        return True
    return says(column.name, "state") and all(
        (text[:2] if text.isdigit() else "").zfill(2) in POSTAL_OF_FIPS for text in texts
    )


def _ages(column: WrittenColumn, texts: Sequence[str]) -> bool:
    return says(column.name, "age") and all(age_span(text) is not None for text in texts)


def _years(column: WrittenColumn, texts: Sequence[str]) -> bool:
    if not all(year_span(text) for text in texts) or is_run(column):
        return False
    event = event_of(column.name)
    return event == "birth" or repeats(column)


def _three_digits(column: WrittenColumn, texts: Sequence[str]) -> bool:
    return says_zip3(column.name) and all(_ZIP3.fullmatch(text) for text in texts)


def _icd_10_cm(column: WrittenColumn, texts: Sequence[str]) -> bool:
    codes = vocabulary("icd_10_cm")
    parts = [part.casefold() for text in texts for part in re.split(r"[\s;,|]+", text)]
    if not all(part.replace(".", "", 1) in codes and part.find(".") in (-1, 3) for part in parts):
        return False
    if identifiers_by_name(name_words(column.name)) is not None:
        return False
    numbers = [int(part[1:]) for part in parts if part[1:].isdigit()]
    is_numbered = len(numbers) == len(parts) and max(numbers) - min(numbers) < 2 * len(numbers)
    if re.search(r"\b((dx|diags?|cause)\d*|(diagn|icd|morbid)\w*)\b", name_words(column.name)):
        return not is_numbered or repeats(column)
    longer = int(column.records[[len(text.strip()) > 3 for text in column.texts]].sum())
    return not is_numbered and longer >= 0.1 * column.filled


@cache
def _heads() -> frozenset[str]:
    """Return the categories of ICD-10-CM that only head codes, such as ``k81`` over ``k81.0``."""
    codes = sorted(vocabulary("icd_10_cm"))
    return frozenset(code for code, after in pairwise(codes) if after.startswith(code))


def lone_categories(column: WrittenColumn) -> int:
    """Count the values that are categories with codes below them, if nearly each is in one record; else return 0.

    Most of the column must be full codes. Record numbers of a letter and two digits look like this when some of them
    happen to be categories; a column that holds categories alone is not counted.
    """
    codes = [text.strip().casefold().replace(".", "") for text in column.texts]
    at = [place for place, code in enumerate(codes) if code in _heads()]
    records = column.records[at]
    if len(at) < _FEW_HEADS or int(records.sum()) > 0.5 * column.filled or float((records == 1).mean()) < _MOST_LONE:
        return 0
    return len(at)


def _coded_name(name: str, own: set[str]) -> bool:
    tokens = tokens_of(name)
    return bool(tokens & own) and tokens <= own | _CODE_WORDS


def _ms_drg(column: WrittenColumn, texts: Sequence[str]) -> bool:
    named = _coded_name(column.name, {"drg", "msdrg", "drgs"})
    return named and all(whole(text) in ms_drg_numbers() for text in texts) and repeats(column)


def _cpt(column: WrittenColumn, texts: Sequence[str]) -> bool:
    named = _coded_name(column.name, {"cpt", "cpt4", "hcpcs", "cpts"})
    return named and all(map(_CPT.fullmatch, texts)) and repeat_all(column) and not are_zips(texts)


def _is_loinc(text: str) -> bool:
    from stdnum import luhn

    match = _LOINC.fullmatch(text)
    return match is not None and bool(luhn.is_valid(match[1] + match[2]))


def _loinc(column: WrittenColumn, texts: Sequence[str]) -> bool:
    return _coded_name(column.name, {"loinc", "lnc"}) and all(map(_is_loinc, texts)) and repeat_all(column)


def _dates(column: WrittenColumn, texts: Sequence[str]) -> bool:
    if None in read_years(texts):
        return False
    return not all(text.isdigit() for text in texts) or bool(event_of(column.name)) or repeats(column)


def _flags(_: WrittenColumn, texts: Sequence[str]) -> bool:
    return {text.casefold() for text in texts} <= _FLAGS


def _five_digits(column: WrittenColumn, texts: Sequence[str]) -> bool:
    are_zip_codes = sum(map(known_zip, texts)) >= 0.9 * len(texts)
    return are_zip_codes and all(map(_ZIP5.fullmatch, texts)) and (mentions(column.name, "zip5") or are_zips(texts))


def _county(column: WrittenColumn, texts: Sequence[str]) -> bool:
    codes = all(_FIPS.fullmatch(text) and text.zfill(5)[:2] in POSTAL_OF_FIPS for text in texts)
    return (codes and mentions(column.name, "county")) or all(map(is_town, texts))


_READERS: Mapping[str, Callable[[WrittenColumn, Sequence[str]], bool]] = {
    "sex": _sex,
    "race or ethnicity": _race,
    "state": _state,
    "age": _ages,
    "zip3": _three_digits,
    "zip5": _five_digits,
    "county": _county,
    "year": _years,
    "ICD-10-CM": _icd_10_cm,
    "MS-DRG": _ms_drg,
    "CPT or HCPCS": _cpt,
    "LOINC": _loinc,
    "date": _dates,
    "yes or no": _flags,
}
FLAG = "yes or no"
_FLAGS = {"yes", "no", "y", "n", "true", "false", "0", "1", "0.0", "1.0", "t", "f", "si", "oui", "non", "ja", "nein"}
CODES = ("ICD-10-CM", "MS-DRG", "CPT or HCPCS", "LOINC")
AREA = "area"
NO_NAMES = ("sex", "race or ethnicity", "state", AREA, FLAG, *CODES)
"""Kinds whose lists are closed: whatever a detector takes a value for, it is a value of the list."""


def _finer(part: str, than: str) -> bool:
    return DATES.index(part) > DATES.index(than)


def recognized(column: WrittenColumn, claim: Claim) -> str:
    """Return what a column is and the claim lets it show; empty where no closed list or form decides."""
    texts = filled_texts(column)
    if not texts:
        return "empty"
    if claim.areas and set(texts) <= set(claim.areas):
        return AREA
    allowed = (
        set(_READERS) - ({"date"} if claim.dates != "day" else set()) - ({"year"} if claim.dates == "none" else set())
    )
    if claim.places is not None:
        allowed -= {"state", "zip3", "zip5", "county"} - set(claim.places)
    return next((kind for kind, reads in _READERS.items() if kind in allowed and reads(column, texts)), "")
