"""The one spelling of each value that was read: a release writes it in place of the cell.

A cell may carry more than its value: zero-width characters, fullwidth digits or one of many spellings of White can hide
a record number. So a value of a closed vocabulary has one spelling, and any other text loses what nobody can see.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import cache

from policy_sim.records.race_texts import race_text
from policy_sim.records.state_codes import state_of
from policy_sim.records.vocabularies import is_mark, plain, words

# Characters that show nothing although they are no control or format characters: fillers, joiners, variation selectors.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_NUMBER = re.compile(r"[-+]?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d{1,2})?")
_SMALL_WORDS = ("or", "and", "of", "the")
_LONGEST_CODE = 2  # letters: "wh" is a code, "white" a word
_BETWEEN_CODES = re.compile(r"[\s;,|]+")
_ICD_10_CM = re.compile(r"^([A-Z]\d[0-9A-Z])(\.?)([0-9A-Z]{1,4})$")
# Places that the list of states does not have, and what files write where there is no state.
_NO_STATES = {"gu": "GU", "guam": "GU", "vi": "VI", "virgin islands": "VI", "us virgin islands": "VI", "as": "AS"}
_NO_STATES |= {"american samoa": "AS", "mp": "MP", "washington dc": "DC", "foreign": "Foreign", "fc": "Foreign"}
_NO_STATES |= {"xx": "Unknown", "zz": "Unknown"}
_SEX_WORDS = {
    "M": "m male man men boy masculin masculino hombre hombres homem maschio maschile uomo varon mann maennlich "
    "mannlich homme",
    "F": "f female woman women girl frau weiblich femme feminin femenino feminino mujer mujeres mulher femmina "
    "femminile donna hembra",
}
_SEXES = {word: sex for sex, spelled in _SEX_WORDS.items() for word in spelled.split()}


@cache
def visible(text: str) -> str:
    """Return a text as a reader sees it: no invisible characters, usual widths of letters, single blanks.

    >>> visible("F\u200b\u200d"), visible("\uff10\uff13\uff16"), visible("  St.\u00a0 Louis ")
    ('F', '036', 'St. Louis')
    """
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    usual = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text))
    seen = "".join(
        " " if sign in "\t\r\n" else sign for sign in usual if sign in "\t\r\n" or unicodedata.category(sign)[0] != "C"
    )
    return " ".join(_INVISIBLE.sub("", seen).split())


def spelled(kind: str, texts: Sequence[str], codes: Mapping[str, str] | None = None, form: str = "") -> list[str]:
    """Return the one spelling of each text as a value of a kind.

    ``codes`` are what the codes of the file mean, and ``form`` which numbers of states they are. A text that is not
    understood stays as it is seen.

    >>> spelled("sex", ["F", "female ", "Female", "1"], {"1": "male"})
    ['F', 'F', 'F', 'M']
    >>> spelled("race", ["NH Black", "W-----", "korean"]), spelled("state", ["Ohio", "39", "oh"])
    (['Non-Hispanic Black or African American', 'W', 'Korean'], ['OH', 'OH', 'OH'])
    >>> spelled("number", ["3.0", "03"]), spelled("number", ["3.0", "+3", "2.50"])
    (['3.0', '03'], ['3', '3', '2.5'])
    """
    seen = [visible(text) for text in texts]
    meanings = [visible((codes or {}).get(text, text)) for text in seen]
    if kind == "state":
        return [_state(text, form) for text in meanings]
    if kind in _SPELLERS:
        return [_SPELLERS[kind](text) for text in meanings]
    if kind == "clinical":
        return _clinical(seen)
    return _numbers(seen)


def _numbers(texts: Sequence[str]) -> list[str]:
    """Return numbers without a sign, zeros or an exponent that they do not need, where all texts are numbers."""
    is_number = [_NUMBER.fullmatch(text) is not None for text in texts]
    if not all(number or is_mark(text) for number, text in zip(is_number, texts, strict=True)):
        return list(texts)
    return [_shortest(text) if number else text for number, text in zip(is_number, texts, strict=True)]


def _shortest(text: str) -> str:
    number = Decimal(text)
    return format(number.normalize(), "f") if number else "0"


def _whole(text: str) -> str:
    """Return a whole number as people write it; empty for any other text."""
    match = re.fullmatch(r"(\d+)(?:[.,]0+)?", text)
    return str(int(match[1])) if match else ""


def _unknown(phrase: str) -> str:
    """Return the spelling of an answer that says nobody knows, or something else; empty for any other."""
    if phrase in ("other", "oth", "o", "others", "ot"):
        return "Other"
    return "Unknown" if phrase in words("values", "unknown") | words("census", "unknown") else ""


def _sex(text: str) -> str:
    phrase = plain(text)
    if number := _whole(text):
        return number
    return _SEXES.get(phrase) or _unknown(phrase) or (_phrase(phrase) if phrase in words("values", "sex") else text)


def _race(text: str) -> str:
    if number := _whole(text):
        return number
    says, phrase = race_text(text), plain(text)
    if says is not None:
        return says.label
    if answer := _unknown(phrase):
        return answer
    if phrase in words("values", "race"):
        return _phrase(phrase)
    parts = [part for part in map(visible, re.split(r"[,;/|&+()]|\band\b", text)) if part]
    if len(parts) < 2 or not all(race_text(part) or plain(part) in words("values", "race") for part in parts):
        return text
    return "; ".join(sorted({_race(part) for part in parts}))


def _ethnicity(text: str) -> str:
    return {"y": "Yes", "yes": "Yes", "n": "No", "no": "No"}.get(plain(text)) or _race(text)


def _state(text: str, form: str = "") -> str:
    phrase = plain(text)
    return state_of(text, form) or _NO_STATES.get(phrase) or _unknown(phrase) or text


def _place(text: str) -> str:
    """Return a name of a place or county as signs write it; codes get the zeros that they lost."""
    number = re.fullmatch(r"(\d{4,5})(?:\.0+)?", text)
    if number:
        return number[1].zfill(5)
    name, _, state = text.partition(",")
    titled = " ".join(word if word in _SMALL_WORDS else word.capitalize() for word in name.casefold().split())
    titled = re.sub(r"(\bMc|['-])([a-z])(?=[a-z])", lambda at: at[1] + at[2].upper(), titled)
    return f"{titled}, {_state(visible(state))}" if state else titled


def _phrase(phrase: str) -> str:
    if len(phrase) <= _LONGEST_CODE:
        return phrase.upper()
    return " ".join(word if word in _SMALL_WORDS else word.capitalize() for word in phrase.split())


def _clinical(texts: Sequence[str]) -> list[str]:
    """Return codes in upper case; those of ICD-10-CM with their dot where most codes of the column have it."""
    rows = [[code for code in _BETWEEN_CODES.split(text.upper()) if code] for text in texts]
    matches = [match for row in rows for code in row if (match := _ICD_10_CM.fullmatch(code))]
    dot = "." if 2 * sum(bool(match[2]) for match in matches) >= len(matches) else ""
    return ["; ".join(_ICD_10_CM.sub(rf"\g<1>{dot}\g<3>", code) for code in row) for row in rows]


_SPELLERS: Mapping[str, Callable[[str], str]] = {
    "sex": _sex,
    "race": _race,
    "race_ethnicity": _race,
    "ethnicity": _ethnicity,
    "county": _place,
    "town": _place,
}
