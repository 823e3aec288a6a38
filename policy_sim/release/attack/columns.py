"""Attack one column: its name, then every value by every detector, whatever the release says that it is."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

import numpy as np

from policy_sim.records.dates import read_years
from policy_sim.records.identifiers import (
    LONE_NAMES,
    MERELY_POSSIBLE,
    RARE_NAMES,
    Hit,
    identifiers_by_name,
    identifiers_in,
    passes,
    towns_in,
)
from policy_sim.records.vocabularies import name_words, words
from policy_sim.release.attack.closed_lists import (
    BIRTH_WORDS,
    NO_NAMES,
    age_span,
    are_zips,
    event_of,
    filled_texts,
    lone_categories,
    mentions,
    recognized,
    tokens_of,
    whole,
    without_point,
    year_span,
)
from policy_sim.release.attack.naming import (
    NAME_OF_COLUMN,
    NUMBER_OF_COLUMN,
    county_in_name,
    name_doubt,
    number_in_name,
    person_in_name,
    within,
)
from policy_sim.release.attack.numbers import COORDINATES, odd_numbers
from policy_sim.release.attack.report import Claim, Finding, Word
from policy_sim.release.attack.written import WrittenColumn
from policy_sim.words.asking import ask

_STREETS = (
    "street addresses",
    "coordinates",
    COORDINATES,
)  # of paragraph B, which the limited data set does not let show either
_MOST, _HALF = 0.9, 0.5
RECENT = 21
"""Years before the release in which an event shows no age of 90 and more, unless it never happens before 69."""
_CARE_YEARS = 30  # a file of care reaches so far back; an older date of care is asked about
_LONG_NUMBER = re.compile(r"\d{5,}", re.ASCII)
_TWO_DIGIT_YEAR = re.compile(r"\d{1,2}[-/.]\d{1,2}[-/.]\d{2}|\d{1,2}[- ]?[A-Za-z]{3}[- ]?\d{2}", re.ASCII)
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)"
)
_GLUED_DATE = re.compile(rf"\d{{1,2}}{_MONTH}\d{{2,4}}|(?<![a-z]){_MONTH}[ _-]?\d{{1,4}}(?!\d)", re.ASCII | re.I)
_DAY_AND_MONTH = re.compile(
    rf"\d{{1,2}}[- ]{_MONTH}\.?|{_MONTH}\.?[-/ '’]+\d{{1,4}}|--\d\d-?\d\d|(?:0\d|1[0-2])/(?:[0-2]\d|3[01])"
    r"|\d{1,2}[-. /](?:X?I{1,3}|I?[VX]|VI{1,3})[-. /]\d{2,4}",
    re.ASCII | re.I,
)
_YEAR_WITHIN = r"(?:19|20)\d\d"
_WITHIN = re.compile(
    rf"(?<![\d/.-])(?:{_YEAR_WITHIN}-[01]\d-[0-3]\d|[01]?\d/[0-3]?\d/(?:\d{{4}}|\d\d)"
    rf"|[0-3]?\d[- ]?{_MONTH}[- ,]*(?:{_YEAR_WITHIN}|\d\d)|{_MONTH}\.? [0-3]?\d(?:,? {_YEAR_WITHIN})?)(?![\d/]|\.\d)"
    rf"|\b(?:in|on|since|until|by|early|late|mid) {_MONTH}\b|\b(?:spring|summer|fall|autumn|winter),? {_YEAR_WITHIN}\b",
    re.ASCII | re.I,
)
_CHECKED = re.compile(r"\d{1,5}[-/.]\d", re.ASCII)  # a code and its check digit
_DAYS = 31
_PSEUDONYM = re.compile(r"[0-9a-f]{32}", re.ASCII)
_DECIMAL = re.compile(r"[-+]?\d+[.,]\d+", re.ASCII)
_PARTS_OF_DATES = {"month": 12, "mon": 12, "mth": 12, "mes": 12, "weekday": 7, "dow": 7, "quarter": 4, "qtr": 4}
_AGE_CLASSES = words("events", "classes")
_MOST_CLASSES = 25
_TITLED = re.compile(r"\b(?:Dr|Mr|Mrs|Ms|Miss|Prof|Sr|Nurse)\.? +[A-Z][a-z]+")
_VIN = re.compile(r"[A-HJ-NPR-Z0-9]{17}", re.ASCII)
_SPOKEN_AGE = re.compile(
    r"\bage[ds]? *:? *(\d{2,3})\b|\b(\d{2,3}) *(?:yo|y/o|y\.o\.|yrs?|years?)\b|\bP(\d{2,3})Y|\b0?(\d{2,3})Y\b",
    re.ASCII | re.I,
)
_SPOKEN_BIRTH = re.compile(r"\b(?:b\.|born|birth|yob)\D{0,8}((?:18|19|20)\d\d)\b", re.ASCII | re.I)
_MOST_YEARS = 130
_OLD_IN = (365 * 90, 12 * 90, 12 * 120)  # the days of 90 years; the months of 90 to 120
LEAVE_OUT = "Leave the column out (role direct)"
DECIDE = f"{LEAVE_OUT}, or give it a role and a reason"


def attack_column(column: WrittenColumn, claim: Claim) -> tuple[str, list[Finding]]:
    """Return what a column was recognized as, and what was found in its name and in its values."""
    kind = recognized(column, claim)
    if not kind:
        spoken = list(_spoken_findings(column, claim))
        if spoken:
            return kind, spoken
    findings = [*_name_findings(column, claim), *_hidden_characters(column), *_no_pseudonyms(column, claim)]
    findings += _identifier_findings(column, kind, claim)
    if kind == "ICD-10-CM" and column.name not in claim.words and (few := lone_categories(column)):
        why = "that are only categories above other codes, nearly each in one record, like numbers that identify people"
        findings.append(_finding(column, f"{_values(few)} {why}", DECIDE))
    if claim.rule:
        findings += _rule_findings(column, kind, claim)
    return kind, findings


def _values(number: int) -> str:
    return f"{number:,} value{'s' if number != 1 else ''}"


def _finding(column: WrittenColumn, what: str, do: str = LEAVE_OUT) -> Finding:
    return Finding((column.name,), what, do)


# The name of a column.


def _name_findings(column: WrittenColumn, claim: Claim) -> Iterator[Finding]:
    """Find identifiers in the name itself, which leaves as it is."""
    rename = "Give the column another name in the file"
    spaced = column.name.replace("_", " ")  # to a form, the letters and digits around a value are part of it
    held = identifiers_in([column.name, spaced], np.ones(2, dtype=np.int64))
    for hit in held:
        is_name = hit.called == "names of people" and "," in column.name
        if (hit.certain or is_name) and (_is_barred(hit, claim) or (claim.rule and hit.letter not in "BC")):
            yield _finding(column, f"its name contains {hit.called}", rename)
            return
    person = person_in_name(column.name)
    is_told = person == "certain" or (person and column.name not in claim.words)  # on a guess nobody answers for it
    if is_told and not _is_settled(column, NAME_OF_COLUMN, claim):
        yield _finding(column, "its name is a name of people", f"{rename}, or {_is_not(column, NAME_OF_COLUMN)}")
    elif number_in_name(column.name) and not _is_settled(column, NUMBER_OF_COLUMN, claim):
        yield _finding(
            column, f"its name may contain {NUMBER_OF_COLUMN}", f"{rename}, or {_is_not(column, NUMBER_OF_COLUMN)}"
        )
    elif "B" in claim.letters and county_in_name(spaced):
        yield _finding(column, "its name contains a county", rename)
    elif column.name in column.texts and len(column.texts) > 1:
        yield _finding(column, "its name is one of its values, as where the first row is a record", rename)
    elif _LONG_NUMBER.search(column.name):
        yield _finding(column, "its name contains a long number", rename)
    elif (claim.dates != "day" or not claim.rule) and dates_in_name(column.name):
        yield _finding(column, "its name contains a date", rename)


def _is_not(column: WrittenColumn, what: str) -> str:
    return f"say what it is with {ask('is_not', f'{column.name}={what}')}"


def _is_settled(column: WrittenColumn, what: str, claim: Claim) -> bool:
    """Tell whether a person answered for what a column may be: a role with a reason does so for single names."""
    word = claim.words.get(column.name)
    return word is not None and (what == LONE_NAMES or what in word.may_be)


def dates_in_name(name: str) -> bool:
    """Tell whether some words of a name are a date finer than the year.

    >>> dates_in_name("dx 2025-03-04"), dates_in_name("dx 7MAR2025"), dates_in_name("visits_2024")
    (True, True, False)
    """
    parts = re.split(r"[\s_]+", name.strip())
    tries = {" ".join(parts[at : at + size]) for size in (1, 2, 3) for at in range(len(parts))}
    tries |= {"-".join(parts[at : at + 3]) for at in range(len(parts))}
    return any(_is_date(part.strip("(),:;")) for part in tries) or _GLUED_DATE.search(name) is not None


# The values of a column.


def _hidden_characters(column: WrittenColumn) -> Iterator[Finding]:
    """Find characters that no reader sees, by which a cell can carry anything."""
    odd = [t for t in column.texts if not t.isascii() or not t.isprintable()]
    seen = sum(any(unicodedata.category(c) in ("Cf", "Cc", "Co", "Cn") for c in text) for text in odd)
    if seen:
        yield _finding(column, f"{_values(seen)} with characters that nobody sees", "Write the values without them")


def _no_pseudonyms(column: WrittenColumn, claim: Claim) -> Iterator[Finding]:
    """Find values that are not keyed pseudonyms where the release says that all are."""
    if column.name in claim.pseudonyms and (
        odd := sum(not _PSEUDONYM.fullmatch(text) for text in filled_texts(column))
    ):
        yield _finding(column, f"{_values(odd)} that are not keyed pseudonyms", "Run the release again")


def _is_barred(hit: Hit, claim: Claim) -> bool:
    if hit.letter in claim.letters:
        return True
    return hit.called in _STREETS and claim.letters != ""


def _identifier_findings(column: WrittenColumn, kind: str, claim: Claim) -> list[Finding]:
    """Find what the values are, or may be: the latter counts unless the person who decided saw it."""
    seen = column.without(frozenset(claim.coined.get(column.name, ())))
    if not seen.texts or kind == "empty":
        return []
    hits = [*identifiers_in(seen.texts, seen.records), *towns_in(seen.texts, seen.records)]
    hits += [hit for hit, is_found in _looked_at(seen, kind, claim) if is_found]
    for hit in hits:
        if not _is_barred(hit, claim) or (kind in NO_NAMES and (not hit.certain or "names" in hit.called)):
            continue
        if column.name in claim.pseudonyms and "hash" in hit.called:
            continue
        if hit.certain:
            return [_finding(column, f"holds {hit}", f"{LEAVE_OUT}, or remove them from the file")]
        if kind or _is_settled(column, hit.called, claim):
            continue
        if hit.called not in MERELY_POSSIBLE or hit.called == RARE_NAMES:
            do = f"{LEAVE_OUT}, or {_is_not(column, hit.called)}"
            return [_finding(column, f"may contain {hit}, and nobody has said that it does not", do)]
    return []


def _looked_at(column: WrittenColumn, kind: str, claim: Claim) -> list[tuple[Hit, bool]]:
    """Return what numbers and free words may be, and whether that is found; of words, only on somebody's word."""
    hits = [] if kind else [*odd_numbers(column)]
    if not kind and column.name in claim.words and column.name not in claim.keys:
        hits += within(column)
    return [(hit, is_found) for hit, is_found in hits if _is_barred(hit, claim)]


def doubts_of(column: WrittenColumn, kind: str, claim: Claim) -> str:
    """Return what a column may hold although somebody said that it does not; empty where nothing identifies."""
    said = claim.words[column.name].may_be if column.name in claim.words else ()
    if not kind and column.name in claim.words:
        hits = [*identifiers_in(column.texts, column.records)]
        grave = [hit for hit in hits if hit.called in (*said, LONE_NAMES) and hit.called not in MERELY_POSSIBLE]
        grave += [hit for hit, _ in _looked_at(column, kind, claim)]
        if grave:
            return str(grave[0])
    return "" if NAME_OF_COLUMN in said else name_doubt(column)


def _spoken_findings(column: WrittenColumn, claim: Claim) -> Iterator[Finding]:
    """Find in texts what no word can cover: people by title, vehicle numbers, days without a year, high ages."""
    texts = filled_texts(column)
    titled = sum(bool(_TITLED.search(text)) for text in texts)
    vehicles = sum(bool(_VIN.fullmatch(text)) and passes("vin", text) for text in texts)
    for number, what, letter in ((titled, "names of people, by their titles", "A"), (vehicles, "vehicle numbers", "L")):
        if number and letter in claim.letters:
            yield _finding(column, f"contains {what} ({_values(number)})")
            return
    within = [text for text in texts if " " in text and _WITHIN.search(text)]
    if claim.rule and claim.dates != "day" and (within or any(map(_DAY_AND_MONTH.fullmatch, texts))):
        yield _finding(column, "contains dates or parts of dates")
    elif claim.oldest is not None:
        spans = [int(next(filter(None, match.groups()))) for text in texts for match in _SPOKEN_AGE.finditer(text)]
        births = [int(match[1]) for text in texts for match in _SPOKEN_BIRTH.finditer(text)]
        old = claim.oldest_year is not None and any(year <= claim.oldest_year for year in births)
        if old or any(claim.oldest <= age < _MOST_YEARS for age in spans):
            yield _finding(column, f"contains ages of {claim.oldest} and over")


# What a rule allows.


def _rule_findings(column: WrittenColumn, kind: str, claim: Claim) -> list[Finding]:
    """Find what the rule does not let show; of what nothing explains, a person has to have decided."""
    texts = filled_texts(column)
    word = claim.words.get(column.name)
    findings = [*_place_findings(column, texts, kind, claim), *_date_findings(column, texts, kind, claim)]
    findings += [*_age_findings(column, texts, kind, claim), *_year_findings(column, texts, kind, claim)]
    if not findings and not kind and word is None and column.name not in claim.pseudonyms:
        named = identifiers_by_name(name_words(column.name))
        why = f"its name suggests {named.called}" if named else _unknown(texts)
        findings.append(_finding(column, f"{why}, and nobody has decided on it", DECIDE))
    return findings


def _unknown(texts: Sequence[str]) -> str:
    if all(map(year_span, texts)):
        return "its values are years, most of them in few rows"
    return "no closed list has its values"


def _place_findings(column: WrittenColumn, texts: Sequence[str], kind: str, claim: Claim) -> Iterator[Finding]:
    if kind == "zip3" and (few := sum(text in claim.small for text in texts)):
        yield _finding(column, f"{_values(few)} of a small ZIP code area", "They must show as 000")
    if claim.places is None or kind:
        return
    five = sum(bool(re.fullmatch(r"\d{5}(-?\d{4})?", text, re.ASCII)) for text in texts)
    if "zip5" not in claim.places and five and (mentions(column.name, "zip5") or mentions(column.name, "zip3")):
        remedy = "Give it the kind zip, so that the rule is applied, or leave the column out (role direct)"
        yield _finding(column, f"its name says ZIP code, and it has {_values(five)} of five digits", remedy)
    elif "zip5" not in claim.places and column.name not in claim.words and are_zips(texts):
        yield _finding(column, "its values may be ZIP codes, and nobody has said that they are none")
    elif "county" not in claim.places and mentions(column.name, "county") and five >= _HALF * len(texts):
        yield _finding(column, "its name says county, and its values may be county codes")


def _date_findings(column: WrittenColumn, texts: Sequence[str], kind: str, claim: Claim) -> Iterator[Finding]:
    if claim.dates == "day" or kind:
        return
    dates = [text for text in texts if _is_date(text)]
    compact = sum(without_point(text).isdigit() for text in dates)
    if len(dates) > compact or (compact and compact >= _MOST * len(texts)):
        remedy = "Give it the kind date, so that only the year is released, or leave the column out (role direct)"
        yield _finding(column, f"contains dates ({_values(len(dates))})", remedy)
        return
    short = sum(bool(_TWO_DIGIT_YEAR.fullmatch(text) or _DAY_AND_MONTH.fullmatch(text)) for text in texts)
    named = sum(text.casefold().strip(".") in words("values", "day_or_month") for text in texts)
    last = min((_PARTS_OF_DATES[token] for token in tokens_of(column.name) & set(_PARTS_OF_DATES)), default=0)
    numbered = bool(last) and all((number := whole(text)) is not None and number <= last for text in texts)
    born = bool(tokens_of(column.name) & BIRTH_WORDS) and all((n := whole(t)) is not None and n <= _DAYS for t in texts)
    if max(short, named) >= _HALF * len(texts) or numbered or born:
        yield _finding(column, "contains dates or parts of dates")


def _is_date(text: str) -> bool:
    """Tell whether a text is a date finer than the year, and no number with a decimal point."""
    text = without_point(text)
    if year_span(text) or _DECIMAL.fullmatch(text) or _CHECKED.fullmatch(text) or len(text) < 6:
        return False
    return read_years([text]) != [None]


def _age_findings(column: WrittenColumn, texts: Sequence[str], kind: str, claim: Claim) -> Iterator[Finding]:
    tokens = tokens_of(column.name)
    if not mentions(column.name, "age") or kind not in ("", "age"):
        return
    numbers = [number for number in map(whole, texts) if number is not None]
    if claim.oldest is None:
        return
    is_coded = bool(tokens & _AGE_CLASSES) and len(numbers) == len(texts) and max(numbers, default=99) <= _MOST_CLASSES
    if is_coded and column.name not in claim.words:
        yield _finding(column, "its numbers may be those of classes of ages, and nobody has said what they mean")
        return
    days, months, most = _OLD_IN
    if len(numbers) == len(texts) and kind == "" and any(n >= days or months <= n <= most for n in numbers):
        yield _finding(column, f"its numbers may be ages of {claim.oldest} years and over, in months or days")
        return
    spans = [age_span(text) for text in texts]
    old = sum(span is not None and span[0] >= claim.oldest and not span[1] for span in spans)
    finer = sum(span is not None and span[1] and span[0] > claim.oldest for span in spans)
    if old + finer:
        do = f"Give it the kind age, so that {claim.oldest} and over are one class. Or {LEAVE_OUT.casefold()}"
        yield _finding(column, f"{_values(old + finer)} of {claim.oldest} years of age and over", do)


def _year_findings(column: WrittenColumn, texts: Sequence[str], kind: str, claim: Claim) -> Iterator[Finding]:
    """Find years that show an age of the oldest class, by when in life their event happens."""
    word = claim.words.get(column.name)
    if claim.oldest_year is None or claim.day is None or kind not in ("", "year"):
        return
    if not kind and (not event_of(column.name) or not all(map(year_span, texts))):
        return
    limit, why = _last_hidden_year(column.name, word, claim)
    spans = [span for text in texts if (span := year_span(text))]
    old = sum(span[1] <= limit and not span[2] for span in spans)
    if not old:
        return
    if why:
        state = ask("youngest", f"{column.name}=AGE")
        do = f"Say with {state} how old people are at it at least, or leave the column out (role direct)"
        yield _finding(column, f"{_values(old)} of the year {limit} or before, and {why}", do)
    else:
        yield _finding(
            column, f"{_values(old)} of the year {limit} or before, which show an age of {claim.oldest} and over"
        )


def _last_hidden_year(name: str, word: Word | None, claim: Claim) -> tuple[int, str]:
    """Return the last year that must not show by itself, and what is not known about the event if it is not known."""
    assert claim.oldest_year is not None, "the caller looked"
    assert claim.day is not None, "the caller looked"
    if word is not None and word.youngest is not None:
        return claim.oldest_year + word.youngest, ""
    event = event_of(name)
    if event == "birth":
        return claim.oldest_year, ""
    if event == "care":
        return claim.day.year - _CARE_YEARS, "care so long ago is not of this file's period"
    return claim.day.year - RECENT, "nobody has said when in life the event happens"
