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

__all__ = ["AGES", "READERS", "age_bounds", "plain", "reads", "vocabulary"]

_UNKNOWN = """unknown|unk|u|ni|na|n a|asku|other|oth|o|not reported|not specified|unspecified|unavailable|not available
not recorded|not stated|missing|declined|declined to answer|declined to specify|refused|patient refused|patient declined
asked but unknown|choose not to disclose|prefer not to say|prefer not to answer|undetermined|9|99|7|77|8|88"""
_SEX = """m|f|male|female|man|woman|men|women|boy|girl|x|intersex|nonbinary|non binary|transgender|trans man|trans woman
transgender male|transgender female|genderqueer|ambiguous|0|1|2|3|01|02|03|mann|frau|maennlich|mannlich|weiblich|w|d
divers|homme|femme|h|masculin|feminin|masculino|femenino|feminino|hombre|mujer|homem|mulher|maschio|femmina|maschile
femminile|uomo|donna|mujeres|hombres|varon|hembra|desconocido|inconnu|unbekannt|desconhecido|sconosciuto"""
_SEX_PAIRS = (("m", "f"), ("male", "female"), ("man", "woman"), ("boy", "girl"), ("mannlich", "weiblich"))
_SEX_PAIRS += (("homme", "femme"), ("hombre", "mujer"), ("masculino", "femenino"), ("masculino", "feminino"))
_SEX_PAIRS += (("masculin", "feminin"), ("mann", "frau"), ("maschio", "femmina"), ("homem", "mulher"))
_RACE = """white|caucasian|white or caucasian|white caucasian|black|african american|black african american|afro american
black or african american|asian|asian american|american indian|alaska native|native american|native alaskan|aian
american indian alaska native|american indian or alaska native|american indian and alaska native|indigenous
native hawaiian|hawaiian|pacific islander|other pacific islander|asian pacific islander|asian or pacific islander|nhpi
native hawaiian or other pacific islander|native hawaiian and other pacific islander|native hawaiian pacific islander
native hawaiian other pacific islander|native hawaiian or pacific islander|other race|some other race|others|multiple
multiracial|multi racial|multirace|multi race|biracial|mixed|mixed race|two or more|two or more races|2 or more races
more than one race|more than one|hispanic|latino|latina|latinx|latine|hispanic latino|hispanic or latino|spanish
hispanic latino or spanish|hispanic or latino or spanish origin|hispanic or latinx|not hispanic|nonhispanic|non hispanic
not hispanic or latino|not hispanic latino|non hispanic or latino|not of hispanic origin|of hispanic origin
non hispanic white|white non hispanic|non hispanic black|black non hispanic|non hispanic asian|asian non hispanic
non hispanic other|other non hispanic|white hispanic|hispanic white|black hispanic|hispanic black|middle eastern
middle eastern or north african|north african|mena|mexican|mexican american|puerto rican|cuban|central american
south american|other hispanic|dominican|salvadoran|guatemalan|chinese|filipino|asian indian|vietnamese|korean|japanese
other asian|samoan|guamanian|chamorro|guamanian or chamorro|tongan|fijian|hmong|laotian|cambodian|thai|pakistani
white alone|black alone|asian alone|negro|colored|yes|no|y|n|w|b|a|i|h|p|m|c|l|wh|bl|as|hi|ai|an|pi|nh|hp|wht|blk|asn
hisp|his|nonhisp|non hisp|nhw|nhb|nha|aa|aian|api|ea|ot|mr|1|2|3|4|5|6|0|00|01|02|03|04|05|06|07|08|09|10
2106 3|2054 5|2028 9|1002 5|2076 8|2131 1|2135 2|2186 5|2118 8|blanco|blanca|negro|negra|asiatico|asiatica|indigena
hispano|hispana|mestizo|blanc|noir|asiatique|weiss|schwarz|asiatisch|branco|branca|preto|parda|pardo|bianco|nero"""
# Race without a header needs words that mean nothing else beside each other.
_CLEARLY_RACE = {"black", "african american", "black or african american", "asian", "hispanic", "caucasian"}
_MARKS = {"", "?", "-", "."}
OLDEST = 125
_YEARS = (1850, 2100)

_AGE = re.compile(r"(\d{1,3})(?:[.,]\d+)?\s*(?:(?:years?|yrs?|y|yo|y/?o|a|jahre?|ans?|anos|años|anni)(?:\s+old)?\.?)?")
_YOUNG = re.compile(r"\d{1,3}(?:[.,]\d+)?\s*(?:months?|mos?|m|weeks?|wks?|w|days?|d|hours?|hrs?|mois|meses|monate?|tage?)")
_SPAN = re.compile(r"(\d{1,3})\s*(?:-|–|—|to|a|bis|through)\s*(\d{1,3})(?:\s*(?:years?|yrs?|y))?")
_OPEN = re.compile(r"(?:>=?|≥)?\s*(\d{1,3})\s*(?:years?|yrs?)?\s*(?:\+|plus|(?:and|or|&)\s+(?:over|older|above|more|up))")
_ABOVE = re.compile(r"(?:>=?|≥|over|older than|above)\s*(\d{1,3})(?:\s*(?:years?|yrs?))?")
_BELOW = re.compile(r"(?:<=?|≤|under|younger than|below|less than)\s*(\d{1,3})(?:\s*(?:years?|yrs?))?")
_WHOLE = re.compile(r"(\d+)(?:[.,]0+)?")


def plain(text: str) -> str:
    """Return a text without case, accents, punctuation and repeated blanks, as vocabularies hold it."""
    folded = unicodedata.normalize("NFKD", text).casefold()
    return " ".join(re.sub(r"[^\w]+|_", " ", re.sub(r"[\u0300-\u036f]", "", folded)).split())


@cache
def vocabulary(name: str) -> frozenset[str]:
    """Return a shipped list of texts in lower case: ``first_names``, ``last_names``, ``icd_10_cm`` or ``towns``."""
    import gzip

    from policy_sim.files.paths import data_dir

    packed = (data_dir() / "vocabularies" / f"{name}.txt.gz").read_bytes()
    return frozenset(gzip.decompress(packed).decode().splitlines())


def _words(table: str) -> frozenset[str]:
    return frozenset(word.strip() for line in table.splitlines() for word in line.split("|"))


_SEX_WORDS = _words(_SEX) | _words(_UNKNOWN)
_RACE_WORDS = _words(_RACE) | _words(_UNKNOWN)
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
    elif _YOUNG.fullmatch(text):
        low = high = 0 if int(re.split(r"[^\d]", text)[0]) < 12 or not re.search(r"mo|m$|mois|mes", text) else -1
        low = high = max(int(re.split(r"[^\d]", text)[0]) // 12, 0) if low < 0 else 0
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


def _one_of(words: frozenset[str]) -> Callable[[Sequence[str]], list[bool]]:
    return lambda texts: [plain(_without_zero(text)) in words for text in texts]


def _without_zero(text: str) -> str:
    """Return a number without the ``.0`` that programs write in a column with gaps."""
    match = _WHOLE.fullmatch(text.strip())
    return match[1] if match else text


def _races(texts: Sequence[str]) -> list[bool]:
    """Tell which texts are races, or several of them: ``White; Asian``."""
    return [_race(text) for text in texts]


def _race(text: str) -> bool:
    if plain(_without_zero(text)) in _RACE_WORDS:
        return True
    parts = [plain(part) for part in re.split(r"[,;/|&+()]|\band\b", text)]
    return any(parts) and all(part in _RACE_WORDS and len(part) > 1 for part in parts if part)


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
    return [re.fullmatch(r"\s*(?:\d{4}[\dFTUM]|[A-V]\d{4})(?:-\w\w)*\s*", text, re.IGNORECASE) is not None for text in texts]


def _drg(texts: Sequence[str]) -> list[bool]:
    matches = [_WHOLE.fullmatch(text.strip()) for text in texts]
    return [match is not None and 1 <= int(match[1]) <= 999 and len(match[1]) <= 3 for match in matches]


def _dates(texts: Sequence[str]) -> list[bool]:
    return [year is not None for year in read_years(texts)]


def _towns(texts: Sequence[str]) -> list[bool]:
    """Tell which texts are towns or counties of the United States, with or without their state."""
    known = vocabulary("towns")
    return [_town(text, known) for text in texts]


def _town(text: str, known: frozenset[str]) -> bool:
    name, _, state = text.partition(",")
    name = re.sub(r"\s+(county|parish|borough|city|twp\.?|township|cnty|co\.?)$", "", name.strip().casefold())
    return (name in known or name.replace("saint ", "st ") in known) and (not state or plain(state) in _STATE_WORDS)


READERS: Mapping[str, Callable[[Sequence[str]], list[bool]]] = {
    "sex": _one_of(_SEX_WORDS),
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
    "county": _digits(4, 5),
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
    >>> reads("sex", ["F", "male", "Smith"]), reads("ICD-10-CM", ["E11.9", "S001X"]), reads("LOINC", ["2345-7", "2345-8"])
    ([True, True, False], [True, False], [True, False])
    """
    reader = READERS.get(kind)
    return [True] * len(texts) if reader is None else reader(texts)
