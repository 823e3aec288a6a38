"""Read the values of the fields that a release policy covers, each against a closed set: what is not in it is not read.

A policy says what to do with sex, race, ages, dates, places and clinical codes. It can be followed only for values
that are known to be such: a column that is called ``sex`` may hold anything. Each reader returns one answer per text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from policy_sim.records.dates import read_years
from policy_sim.states import POSTAL_OF_FIPS, STATES

__all__ = [
    "AGES",
    "CLEARLY_RACE",
    "OLDEST",
    "READERS",
    "SEX_PAIRS",
    "age_bounds",
    "plain",
    "reads",
    "vocabulary",
    "words",
]

SEX_PAIRS: tuple[tuple[str, str], ...] = (("m", "f"), ("male", "female"), ("man", "woman"), ("boy", "girl"))
SEX_PAIRS += (("mannlich", "weiblich"),)
SEX_PAIRS += (("homme", "femme"), ("hombre", "mujer"), ("masculino", "femenino"), ("masculino", "feminino"))
SEX_PAIRS += (("masculin", "feminin"), ("mann", "frau"), ("maschio", "femmina"), ("homem", "mulher"))
# Race without a header needs words that mean nothing else beside each other.
CLEARLY_RACE = {"black", "african american", "black or african american", "asian", "hispanic", "caucasian"}
OLDEST = 125
_YEARS = (1850, 2100)

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


_BETWEEN_WORDS = re.compile(r"[\W_]+")


def plain(text: str) -> str:
    """Return a text without case, accents, punctuation and repeated blanks, as vocabularies hold it."""
    folded = text.lower()
    if not text.isascii():
        folded = re.sub(r"[\u0300-\u036f]", "", unicodedata.normalize("NFKD", text).casefold())
    return " ".join(_BETWEEN_WORDS.sub(" ", folded).split())


@cache
def vocabulary(name: str) -> frozenset[str]:
    """Return a shipped list of texts in lower case: ``first_names``, ``last_names``, ``icd_10_cm`` or ``towns``."""
    import gzip

    from policy_sim.files.paths import data_dir

    packed = (data_dir() / "vocabularies" / f"{name}.txt.gz").read_bytes()
    return frozenset(gzip.decompress(packed).decode().splitlines())


@cache
def _tables() -> dict[str, dict[str, str]]:
    import tomllib

    from policy_sim.files.paths import data_dir

    return tomllib.loads((data_dir() / "vocabularies" / "words.toml").read_text(encoding="utf-8"))


@cache
def words(table: str, name: str) -> frozenset[str]:
    """Return words of ``data/vocabularies/words.toml``: of the tables ``names``, ``harmless`` and ``values``.

    >>> "gender" in words("names", "sex"), "african american" in words("values", "race")
    (True, True)
    """
    text = _tables()[table].get(name, "")
    parts = text.replace("\n", "|").split("|") if table == "values" else text.split()
    return frozenset(part.strip() for part in parts if part.strip())


_STATE_WORDS = frozenset(
    {state.postal.casefold() for state in STATES.values()}
    | {plain(state.name) for state in STATES.values()}
    | {"gu", "vi", "as", "mp", "guam", "virgin islands", "us virgin islands", "american samoa"}
    | {"washington dc", "unknown", "unk", "xx", "zz", "foreign", "fc", "other"}
)


def age_bounds(text: str) -> tuple[int, int] | None:
    """Return the lowest and the highest age that a text may mean; None for a text that is no age or class of ages.

    Examples
    --------
    >>> [age_bounds(text) for text in ("34", "34.0", "20-24", "90+", "< 5", "6 months", "999", "soon")]
    [(34, 34), (34, 34), (20, 24), (90, 125), (0, 4), (0, 0), None, None]
    """
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


def _ages(texts: Sequence[str]) -> list[bool]:
    return [age_bounds(text) is not None for text in texts]


def _units(per_year: float) -> Callable[[Sequence[str]], list[bool]]:
    def read(texts: Sequence[str]) -> list[bool]:
        matches = [_WHOLE.fullmatch(text.strip()) for text in texts]
        return [match is not None and int(match[1]) / per_year <= OLDEST for match in matches]

    return read


def _years(texts: Sequence[str]) -> list[bool]:
    matches = [_WHOLE.fullmatch(text.strip()) for text in texts]
    return [match is not None and len(match[1]) == 4 and _YEARS[0] <= int(match[1]) <= _YEARS[1] for match in matches]


def _sexes(texts: Sequence[str]) -> list[bool]:
    vocabulary_words = words("values", "sex") | words("values", "unknown")
    return [plain(_without_zero(text)) in vocabulary_words for text in texts]


def _without_zero(text: str) -> str:
    """Return a number without the ``.0`` that programs write in a column with gaps."""
    match = _WHOLE.fullmatch(text.strip())
    return match[1] if match else text


def _races(texts: Sequence[str]) -> list[bool]:
    """Tell which texts are races, or several of them: ``White; Asian``."""
    vocabulary_words = words("values", "race") | words("values", "unknown")
    return [_race(text, vocabulary_words) for text in texts]


def _race(text: str, vocabulary_words: frozenset[str]) -> bool:
    if plain(_without_zero(text)) in vocabulary_words:
        return True
    parts = [plain(part) for part in re.split(r"[,;/|&+()]|\band\b", text)]
    return any(parts) and all(part in vocabulary_words and len(part) > 1 for part in parts if part)


def _states(texts: Sequence[str]) -> list[bool]:
    return [plain(text) in _STATE_WORDS or _without_zero(text).strip().zfill(2) in POSTAL_OF_FIPS for text in texts]


def _digits(fewest: int, most: int, tail: str = "") -> Callable[[Sequence[str]], list[bool]]:
    pattern = re.compile(rf"\s*\d{{{fewest},{most}}}(?:[.]0+)?{tail}\s*")
    return lambda texts: [pattern.fullmatch(text) is not None for text in texts]


def _icd_10_cm(texts: Sequence[str]) -> list[bool]:
    codes = vocabulary("icd_10_cm")
    return [
        bool(parts := re.split(r"[\s;,|]+", text.strip().casefold()))
        and all(part.replace(".", "", 1) in codes and _dot(part) for part in parts)
        for text in texts
    ]


def _dot(code: str) -> bool:
    return "." not in code or code.index(".") == 3


def _loinc(texts: Sequence[str]) -> list[bool]:
    """Tell which texts are LOINC codes: up to five digits, a hyphen, and the check digit that they give."""
    matches = [re.fullmatch(r"\s*(\d{1,5})-(\d)\s*", text) for text in texts]
    return [match is not None and _check_digit(match[1]) == int(match[2]) for match in matches]


def _check_digit(number: str) -> int:
    doubled = "".join(str(2 * int(digit)) if at % 2 == 0 else digit for at, digit in enumerate(reversed(number)))
    return -sum(map(int, doubled)) % 10


def _cpt(texts: Sequence[str]) -> list[bool]:
    """Tell which texts are CPT or HCPCS codes, with modifiers."""
    code = re.compile(r"\s*(?:\d{4}[\dFTUM]|[A-V]\d{4})(?:-\w\w)*\s*", re.IGNORECASE)
    return [code.fullmatch(text) is not None for text in texts]


def _drg(texts: Sequence[str]) -> list[bool]:
    matches = [_WHOLE.fullmatch(text.strip()) for text in texts]
    return [match is not None and 1 <= int(match[1]) <= 999 and len(match[1]) <= 3 for match in matches]


def _dates(texts: Sequence[str]) -> list[bool]:
    return [year is not None for year in read_years(texts)]


def _towns(texts: Sequence[str]) -> list[bool]:
    """Tell which texts are towns or counties of the United States, with or without their state."""
    vocabulary_words = vocabulary("towns")
    return [_town(text, vocabulary_words) for text in texts]


def _counties(texts: Sequence[str]) -> list[bool]:
    """Tell which texts are FIPS codes of counties, or their names."""
    return [code or name for code, name in zip(_digits(4, 5)(texts), _towns(texts), strict=True)]


def _town(text: str, vocabulary_words: frozenset[str]) -> bool:
    name, _, state = text.partition(",")
    name = re.sub(r"\s+(county|parish|borough|city|twp\.?|township|cnty|co\.?)$", "", name.strip().casefold())
    return (name in vocabulary_words or name.replace("saint ", "st ") in vocabulary_words) and (
        not state or plain(state) in _STATE_WORDS
    )


READERS: Mapping[str, Callable[[Sequence[str]], list[bool]]] = {
    "sex": _sexes,
    "race": _races,
    "ethnicity": _races,
    "state": _states,
    "age": _ages,
    "age_months": _units(12),
    "age_days": _units(365.25),
    "year": _years,
    "birth_date": _dates,
    "date": _dates,
    "zip": _digits(4, 5, r"(?:-\d{4})?"),
    "zip3": _digits(1, 3),
    "county": _counties,
    "town": _towns,
    "ICD-10-CM": _icd_10_cm,
    "LOINC": _loinc,
    "CPT": _cpt,
    "DRG": _drg,
}
"""For each kind of value that a policy covers: which texts are such values."""


def reads(kind: str, texts: Sequence[str]) -> list[bool]:
    """Tell which texts are values of a kind; of a kind without a closed set, all are.

    Examples
    --------
    >>> reads("sex", ["F", "male", "Smith"]), reads("ICD-10-CM", ["E11.9", "S001X"])
    ([True, True, False], [True, False])
    >>> reads("LOINC", ["2345-7", "2345-8"])
    [True, False]
    """
    reader = READERS.get(kind)
    return [True] * len(texts) if reader is None else reader(texts)
