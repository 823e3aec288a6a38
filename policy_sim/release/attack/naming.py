"""What a name of a column and the words within texts say of people: who they are, where they live, their numbers.

Free words are no identifier by their form. What is rare in a column is found; what comes again and again, as an answer
or a class does, is a doubt that the verdict names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from policy_sim.records.identifiers import Hit, are_amounts
from policy_sim.records.vocabularies import (
    STATE_WORDS,
    county_codes,
    is_mark,
    is_ordinary,
    is_town,
    known_zip,
    name_words,
    plain,
    vocabulary,
)
from policy_sim.release.attack.numbers import all_different
from policy_sim.release.attack.written import WrittenColumn

PEOPLE_WITHIN, PLACES_WITHIN = "names of people in texts", "places in texts"
COUNTIES, INITIALS = "codes of counties", "initials of people"
NUMBERS_WITHIN, FIRST_NAMES = "identifying numbers in texts", "first names among other texts"
NAME_OF_COLUMN = "a name of a person"
NUMBER_OF_COLUMN = "a number of a person"
_SHORTEST = 4  # letters of a name: shorter ones are what units, tests and marks are called by
_PAIR = re.compile(r"\b[^\W\d_a-z][^\W\d_A-Z]+ [^\W\d_a-z][^\W\d_A-Z]+\b")  # two capitalized words
_WORD = re.compile(r"[^\W\d_][^\W\d_'’]+")
_COUNTY = re.compile(r"\b([A-Z][a-z'. -]*?[a-z]) (?:County|Parish|Borough|Township|Twp|Cnty)\b")
_YEAR = r"(?!(?:19|20)\d\d(?!\d))"
_CODED = re.compile(rf"(?<![\w.])(?:[A-Za-z]{{1,4}}-?){{1,2}}{_YEAR}\d{{4,13}}(?:-\d{{1,4}})?(?![\w.]*\w)", re.ASCII)
_SPLIT = re.compile(r"(?<![\w/-])(?:\d{3}[-/]\d{4}|\d{4}[-/]\d{3,4}|#\d{4,})(?![\w/-])", re.ASCII)  # and no 2024-2025
_YEARS = re.compile(r"(?:19|20)\d\d[-/](?:19|20)\d\d", re.ASCII)
_STATE_ZIP = re.compile(r"\b([A-Z]{2}),? (\d{5})\b(?!-?\d{5})", re.ASCII)
_COUNTY_CODE = re.compile(r"(?:US)?(\d{4,5})", re.ASCII)
_COUNTY_WITHIN = re.compile(r"US(\d{5})\b", re.ASCII)
_INITIALS = re.compile(r"[A-Z]\. ?(?:[A-Z]\. ?)?[A-Z]\.?")
_PLAIN_NUMBER = re.compile(r"[-+<>=]* ?(?:\d{1,5}|\d*[.,]\d+|\d+[.,]\d*)(?:e[-+]?\d+)?%?", re.ASCII | re.I)
_LONG = re.compile(r"(?<![\w.,$-])\d{5,13}(?![\w,]|\.\d)", re.ASCII)
_NUMBERED_NAME = re.compile(r"(?<![A-Za-z0-9])(?:[A-Z]{1,3}[- ]?){1,2}" + _YEAR + r"\d{4}(?!\d)", re.ASCII)
_SYSTEMS = {"hcpcs", "cpt", "ndc", "loinc", "icd", "drg"}
_FEW, _RARE, _ENOUGH, _HALF, _MOST = 3, 2, 20, 0.5, 0.9


def names_person(word: str) -> bool:
    """Tell whether a word in lower case is a first or last name, and no word that texts about patients use."""
    is_name = word in vocabulary("first_names") or word in vocabulary("last_names")
    return len(word) >= _SHORTEST and is_name and not is_ordinary(word)


def person_in_name(name: str) -> str:
    """Return ``certain`` where a column is called by a person's names, ``maybe`` where one is among other words.

    >>> [person_in_name(name) for name in ("Okafor", "John Smith bmi", "Smith_bmi", "gleason_score")]
    ['certain', 'certain', 'maybe', '']
    """
    tokens = [token for token in name_words(name).split() if not token.isdigit()]
    named = [names_person(token) for token in tokens]
    pairs = zip(zip(tokens, named, strict=True), zip(tokens[1:], named[1:], strict=True), strict=False)
    both = any(is_name and also and _is_whole(first, last) for (first, is_name), (last, also) in pairs)
    if both or (tokens and all(named)):
        return "certain"
    return "maybe" if any(named) else ""


def _is_whole(one: str, other: str) -> bool:
    first, last = vocabulary("first_names"), vocabulary("last_names")
    return (one in first and other in last) or (one in last and other in first)


def named_alike(names: Sequence[str]) -> list[str]:
    """Return the names of columns that have two capitalized words where others of the same words have a person.

    Lists of names are never whole: of ``sex (Rosa Castellanos)`` and ``sex (Ngozi Obradovic)`` only one is on them.
    """
    pairs = {name: match for name in names if (match := _PAIR.search(name))}
    around = {name: (name[: match.start()], name[match.end() :]) for name, match in pairs.items()}
    persons = {around[name] for name, match in pairs.items() if person_in_name(match[0])}
    return [name for name, words in around.items() if any(words) and words in persons and not person_in_name(name)]


def county_in_name(name: str) -> bool:
    """Tell whether a name of a column has a county and the word for it, such as ``Allen County year``."""
    return any(is_town(match[1]) or is_town(match[1].split()[-1]) for match in _COUNTY.finditer(name))


def number_in_name(name: str) -> bool:
    """Tell whether a name has letters and four digits, as license plates and study numbers do, and no coding system.

    >>> [number_in_name(name) for name in ("dx_GHF 1234", "S-B1234 flag", "hcpcs_G0101", "FY2024 visits", "x1234")]
    [True, True, False, False, False]
    """
    return _NUMBERED_NAME.search(name) is not None and not set(name_words(name).split()) & _SYSTEMS


def name_doubt(column: WrittenColumn) -> str:
    """Return what the name of a column may tell of a person, which its words leave open."""
    return f"{NAME_OF_COLUMN} in its own name" if person_in_name(column.name) else ""


def within(column: WrittenColumn) -> Iterator[tuple[Hit, bool]]:
    """Yield what the words within texts name, and whether that is found rather than doubted."""
    yield from _codes_of_counties(column)
    yield from _counted(column, PLACES_WITHIN, "B", _names_place)
    yield from _counted(column, PEOPLE_WITHIN, "A", _names_people)
    yield from ((hit, False) for hit, _ in _counted(column, FIRST_NAMES, "A", _is_first_name))
    yield from _initials(column)
    yield from _numbers(column)
    yield from _all_different(column)


def _counted(
    column: WrittenColumn, called: str, letter: str, names: Callable[[str], bool]
) -> Iterator[tuple[Hit, bool]]:
    at = [place for place, text in enumerate(column.texts) if not is_mark(text) and names(text.strip())]
    if at:
        records = column.records[at]
        is_rare = float((records <= _RARE).mean()) >= _HALF
        yield Hit(called, letter, len(at), int(records.sum()), certain=False), is_rare


def _names_people(text: str) -> bool:
    """Tell whether a text of several words has a first name, or a last name in capitals' spelling."""
    if plain(text) in STATE_WORDS or text.count(" ") == 0:
        return False
    for word in _WORD.findall(_COUNTY.sub("", text)):
        folded = plain(word)
        is_last = word[:1].isupper() and not is_town(folded)
        if (folded in vocabulary("first_names") or is_last) and names_person(folded):
            return True
    return False


def _is_first_name(text: str) -> bool:
    folded = plain(text)
    return folded in vocabulary("first_names") and folded not in STATE_WORDS and names_person(folded)


def _names_place(text: str) -> bool:
    """Tell whether a text is a town, or has a county, a town, or a state and its ZIP code in it."""
    if any(code[1].casefold() in STATE_WORDS and known_zip(code[2]) for code in _STATE_ZIP.finditer(text)):
        return True
    if any(code[1] in county_codes() for code in _COUNTY_WITHIN.finditer(text)):
        return True
    if county_in_name(text):
        return True
    if plain(text) in STATE_WORDS:
        return False
    found = [word for word in _WORD.findall(text) if word[:1].isupper() and plain(word) not in STATE_WORDS]
    single = any(len(word) > _SHORTEST and is_town(word) and not is_ordinary(plain(word)) for word in found)
    return single or (text[:1].isupper() and is_town(text) and not all(map(is_ordinary, plain(text).split())))


def _codes_of_counties(column: WrittenColumn) -> Iterator[tuple[Hit, bool]]:
    """Find a column of numbers that are nearly all codes of counties, several of them."""
    codes = [match[1].zfill(5) if (match := _COUNTY_CODE.fullmatch(text.strip())) else "" for text in column.texts]
    at = [place for place, code in enumerate(codes) if code in county_codes()]
    if len(at) >= max(_SHORTEST, _MOST * len(codes)):
        yield Hit(COUNTIES, "B", len(at), int(column.records[at].sum()), certain=False), True


def _initials(column: WrittenColumn) -> Iterator[tuple[Hit, bool]]:
    at = [place for place, text in enumerate(column.texts) if _INITIALS.fullmatch(text.strip())]
    if len(at) >= max(_FEW, _HALF * len(column.texts)):
        yield Hit(INITIALS, "R", len(at), int(column.records[at].sum()), certain=False), False


def _all_different(column: WrittenColumn) -> Iterator[tuple[Hit, bool]]:
    """Doubt texts, and numbers with something else in them, of which hardly any comes again."""
    texts = [text.strip() for text in column.texts]
    if are_amounts(texts):
        return
    at = [p for p, text in enumerate(texts) if len(text) >= _SHORTEST and not _PLAIN_NUMBER.fullmatch(text)]
    if column.filled >= _ENOUGH and int((column.records[at] == 1).sum()) >= _MOST * column.filled:
        yield all_different(column, at)


def _numbers(column: WrittenColumn) -> Iterator[tuple[Hit, bool]]:
    """Find numbers of a form that only some texts have, or that stand within words."""
    texts = [text.strip() for text in column.texts]
    in_words = sum(any(c.isalpha() for c in text) for text in texts) >= _HALF * len(texts)
    at = [p for p, text in enumerate(texts) if _has_number(text, in_words=in_words)]
    if not at or _are_measures(texts):
        return
    records = column.records[at]
    hit = Hit(NUMBERS_WITHIN, "H", len(at), int(records.sum()), certain=False)
    if len(at) < _MOST * len(texts) or any(" " in texts[p] for p in at):
        yield hit, len(at) >= _FEW and float((records <= _RARE).mean()) >= _HALF
    elif len(at) >= _MOST * column.filled:
        yield all_different(column, at)


def _has_number(text: str, *, in_words: bool) -> bool:
    if _CODED.search(text) or (in_words and _LONG.search(text)):
        return True
    return _SPLIT.search(text) is not None and not _YEARS.search(text)


def _are_measures(texts: list[str]) -> bool:
    """Tell whether the texts are amounts, each before its unit."""
    stems = {re.sub(r"[\d.,]+", "9", text) for text in texts}
    return len(texts) >= 5 * len(stems) and all(stem[:1] == "9" and len(stem) > 1 for stem in stems)
