"""Attack one column: its name, then every value by every detector, whatever the release says that it is."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

import numpy as np

from policy_sim.records.dates import read_years
from policy_sim.records.identifiers import (
    MERELY_POSSIBLE,
    RARE_NAMES,
    Hit,
    identifiers_by_name,
    identifiers_in,
    passes,
    towns_in,
)
from policy_sim.records.vocabularies import name_words, vocabulary, words
from policy_sim.release.attack.closed_lists import (
    BIRTH_WORDS,
    NO_NAMES,
    age_span,
    are_zips,
    event_of,
    filled_texts,
    mentions,
    recognized,
    tokens_of,
    whole,
    year_span,
)
from policy_sim.release.attack.report import Claim, Finding, Word
from policy_sim.release.attack.written import WrittenColumn
from policy_sim.words.asking import ask

_STREETS = ("street addresses", "coordinates")  # of paragraph B, which the limited data set does not let show either
_LIMITED_PLACES = ("zip5", "county", "town")
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
    rf"\d{{1,2}}[- ]{_MONTH}\.?|{_MONTH}\.? \d{{1,2}}|--\d\d-?\d\d|(?:0\d|1[0-2])/(?:[0-2]\d|3[01])", re.ASCII | re.I
)
_CHECKED = re.compile(r"\d{1,5}[-/.]\d", re.ASCII)  # a code and its check digit
_DAYS = 31
_DECIMAL = re.compile(r"[-+]?\d+[.,]\d+", re.ASCII)
_PARTS_OF_DATES = {"month": 12, "mon": 12, "mth": 12, "mes": 12, "weekday": 7, "dow": 7, "quarter": 4, "qtr": 4}
_AGE_CLASSES = words("events", "classes")
_MOST_CLASSES = 25
_TITLED = re.compile(r"\b(?:Dr|Mr|Mrs|Ms|Miss|Prof|Sr|Nurse)\.? +[A-Z][a-z]+")
_VIN = re.compile(r"[A-HJ-NPR-Z0-9]{17}", re.ASCII)
_SPOKEN_AGE = re.compile(r"\bage[ds]? *:? *(\d{2,3})\b|\b(\d{2,3}) *(?:yo|y/o|yrs? old|years? old)\b", re.ASCII | re.I)
LONG_AMONG_SHORT, UNIX_TIMES = "long numbers among short values", "seconds since 1970"
_ID_LIKE, _EPOCH = re.compile(r"\d{7,13}(?:\.0+)?", re.ASCII), re.compile(r"\d{9,13}", re.ASCII)
_EPOCHS = ((3 * 10**8, 22 * 10**8), (3 * 10**11, 22 * 10**11))  # 1979 to 2039, in seconds and in milliseconds
_FEW_ODD, _FEW_EPOCHS, _SHORT = 3, 5, 5
LEAVE_OUT = "Leave the column out (role direct)"


def attack_column(column: WrittenColumn, claim: Claim) -> tuple[str, list[Finding]]:
    """Return what a column was recognized as, and what was found in its name and in its values."""
    kind = recognized(column, claim)
    if not kind:
        spoken = list(_spoken_findings(column, claim))
        if spoken:
            return kind, spoken
    findings = [*_name_findings(column, claim), *_hidden_characters(column)]
    findings += _identifier_findings(column, kind, claim)
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
    held = identifiers_in([column.name], np.ones(1, dtype=np.int64))
    for hit in held:
        is_name = hit.called == "names of people" and "," in column.name
        if (hit.certain or is_name) and _is_barred(hit, claim):
            yield _finding(column, f"its name holds {hit.called}", rename)
            return
    if _is_first_name(column.name):
        yield _finding(column, "its name is a name of people", rename)
    elif _LONG_NUMBER.search(column.name):
        yield _finding(column, "its name holds a long number", rename)
    elif claim.dates != "day" and dates_in_name(column.name):
        yield _finding(column, "its name holds a date", rename)


def _is_first_name(name: str) -> bool:
    """Tell whether a name of a column is a first name, and no word that columns are called by."""
    word = name.strip().casefold()
    return len(word) > 3 and word in vocabulary("first_names") and word not in words("people", "columns")


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


def _is_barred(hit: Hit, claim: Claim) -> bool:
    if hit.letter in claim.letters:
        return True
    return hit.called in _STREETS and claim.letters != ""


def _identifier_findings(column: WrittenColumn, kind: str, claim: Claim) -> list[Finding]:
    """Find what the values are, or may be: the latter counts unless the person who decided saw it."""
    seen = column.without(frozenset(claim.coined.get(column.name, ())))
    if not seen.texts or kind == "empty":
        return []
    hits = [*identifiers_in(seen.texts, seen.records), *towns_in(seen.texts, seen.records), *_odd_numbers(seen)]
    word = claim.words.get(column.name)
    for hit in hits:
        if not _is_barred(hit, claim) or (kind in NO_NAMES and (not hit.certain or "names" in hit.called)):
            continue
        if column.name in claim.pseudonyms and "hash" in hit.called:
            continue
        if hit.certain:
            return [_finding(column, f"holds {hit}", f"{LEAVE_OUT}, or remove them from the file")]
        if kind or (word and hit.called in word.may_be):
            continue
        if hit.called not in MERELY_POSSIBLE or hit.called in (RARE_NAMES, LONG_AMONG_SHORT, UNIX_TIMES):
            settle = f'write may_be = ["{hit.called}"] beside the reason why these are none'
            return [
                _finding(column, f"may hold {hit}, and nobody has said that it does not", f"{LEAVE_OUT}, or {settle}")
            ]
    return []


def doubts_of(column: WrittenColumn, word: Word) -> str:
    """Return what the values may be although somebody said that they are not; empty where nothing identifies."""
    hits = [*identifiers_in(column.texts, column.records), *_odd_numbers(column)]
    grave = [hit for hit in hits if hit.called in word.may_be and hit.called not in MERELY_POSSIBLE]
    return str(grave[0]) if grave else ""


def _spoken_findings(column: WrittenColumn, claim: Claim) -> Iterator[Finding]:
    """Find in texts what no word can cover: people by title, vehicle numbers, days without a year, high ages."""
    texts = filled_texts(column)
    titled = sum(bool(_TITLED.search(text)) for text in texts)
    vehicles = sum(bool(_VIN.fullmatch(text)) and passes("vin", text) for text in texts)
    for number, what, letter in ((titled, "names of people, by their titles", "A"), (vehicles, "vehicle numbers", "L")):
        if number and letter in claim.letters:
            yield _finding(column, f"holds {what} ({_values(number)})")
            return
    if claim.rule and claim.dates != "day" and any(map(_DAY_AND_MONTH.fullmatch, texts)):
        yield _finding(column, "holds dates or parts of dates")
    elif claim.oldest is not None:
        spans = [int(match[1] or match[2]) for text in texts if (match := _SPOKEN_AGE.search(text))]
        if any(age >= claim.oldest for age in spans):
            yield _finding(column, f"holds ages of {claim.oldest} and over")


def _odd_numbers(column: WrittenColumn) -> Iterator[Hit]:
    """Find long numbers among short values, each in one record, and numbers that may be seconds since 1970."""
    texts = filled_texts(column)
    at = [place for place, text in enumerate(column.texts) if _ID_LIKE.fullmatch(text.strip())]
    if len(at) >= _FEW_ODD and len(at) < _MOST * len(texts):
        short = [len(text) for text in texts if not _ID_LIKE.fullmatch(text)]
        if np.median(short) <= _SHORT and float((column.records[at] == 1).mean()) >= _HALF:
            yield Hit(LONG_AMONG_SHORT, "R", len(at), int(column.records[at].sum()), certain=False)
    numbers = [int(text) for text in texts if _EPOCH.fullmatch(text)]
    times = sum(any(low <= number < high for low, high in _EPOCHS) for number in numbers)
    if len(texts) >= _FEW_EPOCHS and times >= _MOST * len(texts):
        yield Hit(UNIX_TIMES, "C", times, column.filled, certain=False)


# What a rule allows.


def _rule_findings(column: WrittenColumn, kind: str, claim: Claim) -> list[Finding]:
    """Find what the rule does not let show; of what nothing explains, a person has to have decided."""
    texts = filled_texts(column)
    word = claim.words.get(column.name)
    findings = [*_place_findings(column, texts, kind, claim), *_date_findings(column, texts, kind, claim)]
    findings += [*_age_findings(column, texts, kind, claim), *_year_findings(column, texts, kind, claim)]
    if not findings and not kind and word is None and column.name not in claim.pseudonyms:
        named = identifiers_by_name(name_words(column.name))
        why = f"its name suggests {named.called}" if named else "no closed list has its values"
        findings.append(
            _finding(column, f"{why}, and nobody has decided on it", f"{LEAVE_OUT}, or give it a role and a reason")
        )
    return findings


def _place_findings(column: WrittenColumn, texts: Sequence[str], kind: str, claim: Claim) -> Iterator[Finding]:
    if kind == "zip3" and (few := sum(text in claim.small for text in texts)):
        yield _finding(column, f"{_values(few)} of a small ZIP code area", "They must show as 000")
    if claim.places is None or kind:
        return
    five = sum(bool(re.fullmatch(r"\d{5}(-\d{4})?", text, re.ASCII)) for text in texts)
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
    compact = sum(text.isdigit() for text in dates)
    if len(dates) > compact or (compact and compact >= _MOST * len(texts)):
        remedy = "Give it the kind date, so that only the year is released, or leave the column out (role direct)"
        yield _finding(column, f"holds dates ({_values(len(dates))})", remedy)
        return
    short = sum(bool(_TWO_DIGIT_YEAR.fullmatch(text) or _DAY_AND_MONTH.fullmatch(text)) for text in texts)
    named = sum(text.casefold().strip(".") in words("values", "day_or_month") for text in texts)
    last = min((_PARTS_OF_DATES[token] for token in tokens_of(column.name) & set(_PARTS_OF_DATES)), default=0)
    numbered = bool(last) and all((number := whole(text)) is not None and number <= last for text in texts)
    born = bool(tokens_of(column.name) & BIRTH_WORDS) and all((n := whole(t)) is not None and n <= _DAYS for t in texts)
    if max(short, named) >= _HALF * len(texts) or numbered or born:
        yield _finding(column, "holds dates or parts of dates")


def _is_date(text: str) -> bool:
    """Tell whether a text is a date finer than the year, and no number with a decimal point."""
    if year_span(text) or _DECIMAL.fullmatch(text) or _CHECKED.fullmatch(text) or len(text) < 6:
        return False
    return read_years([text]) != [None]


def _age_findings(column: WrittenColumn, texts: Sequence[str], kind: str, claim: Claim) -> Iterator[Finding]:
    tokens = tokens_of(column.name)
    if not mentions(column.name, "age") or kind not in ("", "age") or claim.oldest is None:
        return
    numbers = [number for number in map(whole, texts) if number is not None]
    is_coded = bool(tokens & _AGE_CLASSES) and len(numbers) == len(texts) and max(numbers, default=99) <= _MOST_CLASSES
    if is_coded and column.name not in claim.words:
        yield _finding(column, "its numbers may be those of classes of ages, and nobody has said what they mean")
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
