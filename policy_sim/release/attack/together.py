"""Attack a file as a whole: its header, columns together, the size of its classes, and the rows of one person."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import numpy as np

from policy_sim.formulas.known_rows import KNOWN
from policy_sim.formulas.known_rows import known_rows as smallest_of
from policy_sim.records.identifiers import identifiers_in, names_in
from policy_sim.records.vocabularies import is_mark, is_ordinary, name_words, vocabulary, words
from policy_sim.release.attack.closed_lists import CODES, age_span, event_of, mentions, whole, year_span
from policy_sim.release.attack.columns import DECIDE, LEAVE_OUT, dates_in_name
from policy_sim.release.attack.derived import joined_of
from policy_sim.release.attack.joined import apart
from policy_sim.release.attack.naming import named_alike
from policy_sim.release.attack.report import Claim, Finding
from policy_sim.release.attack.written import WrittenColumn, WrittenFile
from policy_sim.words.arrays import AnyIntArray, IntArray
from policy_sim.words.telling import each

_FIELDS = ("sex", "race", "ethnicity", "age", "birth_date", "birth_year", "zip5", "zip3", "state", "county")
_TREATED = ("zip3", "zip5", "county", "state", "age", "year", "date")  # kinds that a rule makes coarser
_PLACES = ("zip3", "zip5", "county")
_OF_PEOPLE = ("sex", "race or ethnicity", "age", "year", "zip3")
KNOWN_KINDS = ("sex", "race or ethnicity", "state", "zip3", "zip5", "county", "age", "year", "date")
"""Kinds of values that others may know of a person."""
_MANY_CODES, _ENOUGH = 20, 2
_UNLIKELY = 8.0  # minus the logarithm of a chance of 1 in 2,900
_DIRTY = 0.02  # of the rows may contradict a column that determines another
_BY_CHANCE = 10  # rows that chance alone would contradict, before a column is said to determine another
_NO_MORE = 0.1  # of those
_COUNTED = 4  # pairs of values for each row, up to which all are counted
_FEW_FIELDS, _HALF, _WIDE = 3, 0.5, 3
_DIGITS_ONLY = re.compile(r"[\d.,-]+", re.ASCII)


def attack_header(file: WrittenFile) -> list[Finding]:
    """Find a first row that is a record, one column per person, and fields that run down the file."""
    columns, findings = file.columns, list[Finding]()
    alike = [column for column in columns if _is_value(column)]
    if len(alike) >= _HALF * len(columns):
        what = f"{len(alike):,} of {len(columns):,} names of columns look like values, as in a file without a header"
        findings.append(Finding((), what, "Write a first row with the names of the columns"))
    names = [name.strip() for name in file.names if not all(map(is_ordinary, name_words(name).split()))]
    people = names_in(names, np.ones(len(names), dtype=np.int64))
    if any(hit.values >= max(_WIDE, _HALF * len(columns)) for hit in people):
        what = "the names of the columns are names of people, as in a file with one column per person"
        findings.append(Finding((), what, "Turn the file around, so that each row is a person, without the names"))
    for column in columns:
        spoken = [text for text in column.texts if _is_field(text)]
        if len(column.texts) == column.filled and len(spoken) >= max(_FEW_FIELDS, _HALF * len(column.texts)):
            share = f"{len(spoken):,} of {len(column.texts):,}"
            what = f"its values are names of fields, as in a file that runs down: {share}"
            findings.append(Finding((column.name,), what, "Turn the file around, so that each row is a person"))
    return findings


def attack_names(file: WrittenFile) -> list[Finding]:
    """Find names of columns that are called as others are by a person's first and last name."""
    alike = tuple(named_alike(file.names))
    others = "others with the same words around are called by people's names"
    return [Finding((name,), others, "Give the column another name in the file") for name in alike]


def _is_value(column: WrittenColumn) -> bool:
    """Tell whether the name of a column is rather one of its values."""
    name = column.name.strip()
    if name in column.texts or _DIGITS_ONLY.fullmatch(name) or dates_in_name(name):
        return True
    code = name.casefold().replace(".", "", 1)
    if any(c.isdigit() for c in name) and "." in name and code in vocabulary("icd_10_cm"):
        return True
    return any(hit.certain for hit in identifiers_in([name], np.ones(1, dtype=np.int64)))


def _is_field(text: str) -> bool:
    tokens = set(name_words(text).split())
    return any(tokens & words("names", field) for field in _FIELDS) and len(tokens) <= 3


def attack_aside(file: WrittenFile) -> list[Finding]:
    """Find identifiers in what a file holds besides its cells: notes, other sheets, properties."""
    texts = [text for text in file.aside if text.strip()]
    hits = identifiers_in(texts, np.ones(len(texts), dtype=np.int64)) if texts else ()
    what = [str(hit) for hit in hits if hit.certain]
    return [Finding((), f"outside its cells the file contains {what[0]}", "Write the cells only")] if what else []


# Columns together.


def attack_pairs(file: WrittenFile, kinds: Mapping[str, str], claim: Claim) -> list[Finding]:
    """Find columns that undo what was done to another one, and ages beside years that show the oldest."""
    treated = [c for c in file.columns if (claim.rule and kinds[c.name] in _TREATED) or c.name in claim.keys]
    free = [c for c in file.columns if c not in treated and c.name not in claim.pseudonyms and not kinds[c.name]]
    findings = []
    for fine, coarse in each([*product(free, treated)], "attacking the written file", "pair of columns"):
        if says := undoes(fine, coarse, as_many=kinds[coarse.name] in _PLACES):
            do = f"Leave one of them out (role direct), or make {fine.name} coarser"
            findings.append(Finding((fine.name, coarse.name), says, do))
    findings += [*_numbers_of_people(file, kinds), *_ages_beside_years(file, kinds, claim)]
    return [*findings, *(_numbers_as_ages(file, kinds, claim) if claim.rule else ())]


def _numbers_of_people(file: WrittenFile, kinds: Mapping[str, str]) -> Iterator[Finding]:
    """Find codes of which each goes with one sex and one age: people with several rows have such numbers."""
    about = [column for column in file.columns if kinds[column.name] in _OF_PEOPLE]
    for column in file.columns:
        if kinds[column.name] in (*CODES, "zip3") and (others := tied(column, about)):
            names = " and ".join(others)
            what = f"each of its values goes with one {names}, as the number of a person does"
            yield Finding((column.name,), what, LEAVE_OUT)


def tied(column: WrittenColumn, about: Sequence[WrittenColumn]) -> tuple[str, ...]:
    """Return the columns about people of which each value of a column goes with one; empty where that is too little."""
    others = [c for c in about if c is not column and len(c.texts) > 1]
    if len(column.texts) < _MANY_CODES:
        return ()
    names = tuple(c.name for c in others if undoes(column, c, as_many=True))
    return names[:_ENOUGH] if len(names) >= min(_ENOUGH, len(others)) else ()


def _numbers_as_ages(file: WrittenFile, kinds: Mapping[str, str], claim: Claim) -> Iterator[Finding]:
    """Find numbers called ages that hardly any two people share, where nobody has said what they are."""
    about = [c for c in file.columns if kinds[c.name] in ("sex", "race or ethnicity", "zip3", "state")]
    person = next((column for column in file.columns if column.name == claim.person), None)
    for column in file.columns:
        if column.name in claim.words or not mentions(column.name, "age") or kinds[column.name] not in ("", "age"):
            continue
        texts = [text.strip() for text in column.texts]
        at = [place for place, text in enumerate(texts) if whole(text) is not None]
        if at and len(at) >= _HALF * sum(not is_mark(text) for text in texts):
            people = _people_of(column, person, about)[at]
            if _is_hardly_shared(people, [whole(texts[place]) or 0 for place in at]):
                what = "hardly any two people have the same, like numbers that identify people, unlike ages"
                yield Finding((column.name,), what, DECIDE)


def _people_of(column: WrittenColumn, person: WrittenColumn | None, about: Sequence[WrittenColumn]) -> IntArray:
    """Return how many people have each text: of linked rows, of rows that are alike as those of one person, or of all.

    Shape (texts,).
    """
    if person is not None:
        pairs = np.unique(np.stack([column.codes, person.codes]), axis=1)
        return np.bincount(pairs[0])[1:].astype(np.int64)
    return np.ones_like(column.records) if len(tied(column, about)) == _ENOUGH else column.records


def _is_hardly_shared(people: IntArray, numbers: Sequence[int]) -> bool:
    """Tell whether fewer people have the same number than of drawn ones, with a chance below 1 in 2,900.

    Of n numbers drawn from a range of m, pairs are alike about as a Poisson variable with the mean
    L = n (n - 1) / 2m, whatever else the range holds more often; at most a of them are with a chance of at most
    exp(a - L - a log(a / L)) for a < L (Chernoff).
    """
    n, alike = int(people.sum()), int((people * (people - 1)).sum()) / 2
    mean = n * (n - 1) / 2 / (max(numbers) - min(numbers) + 1)
    if alike >= mean or float((people == 1).mean()) < _HALF:
        return False
    return mean - alike + (alike * math.log(alike / mean) if alike else 0.0) > _UNLIKELY


def undoes(fine: WrittenColumn, coarse: WrittenColumn, *, as_many: bool) -> str:
    """Say how a column tells more than a treated one; empty where it does not.

    ``as_many``: also where it has as many values: a code for each place of a class may be that of a smaller place.
    """
    both = (fine.codes > 0) & (coarse.codes > 0)
    if len(coarse.texts) < 2 or len(fine.texts) + as_many <= len(coarse.texts) or not both.any():
        return ""
    width = len(coarse.texts) + 1
    pairs, rows = np.unique(fine.codes[both].astype(np.int64) * width + coarse.codes[both], return_counts=True)
    if len(np.unique(pairs % width)) > 1 and _contains(fine, coarse, np.stack([pairs // width, pairs % width]), rows):
        return f"{fine.name} contains {coarse.name}, and shows more"
    return f"{fine.name} determines {coarse.name}" if determines(fine.codes[both], coarse.codes[both]) else ""


def _contains(fine: WrittenColumn, coarse: WrittenColumn, pairs: IntArray, rows: IntArray) -> bool:
    """Tell whether texts of one column have those of the other in them, in nearly all rows.

    ``pairs`` are codes that occur together, with the ``rows`` of each. Most columns are told apart by the first pairs.
    """
    most = _DIRTY * int(rows.sum())
    lost, order = 0, np.argsort(-rows, kind="stable")
    for a, b, number in zip(*pairs[:, order].tolist(), rows[order].tolist(), strict=True):
        long, short = fine.texts[a - 1], coarse.texts[b - 1]
        lost += 0 if len(short) > 2 and len(long) > len(short) and short in long else number
        if lost > most:
            return False
    return True


def determines(fine: AnyIntArray, coarse: AnyIntArray, dirty: float = _DIRTY, no_more: float = _NO_MORE) -> bool:
    """Tell whether a value of one column goes with one value of the other, far beyond what chance does.

    ``dirty`` is the share of the rows that may contradict it, ``no_more`` that of the rows that chance contradicts.
    """
    wrong = _exceptions(fine, coarse)
    if wrong > dirty * len(fine):
        return False
    by_chance = _exceptions(fine, np.random.default_rng(0).permutation(coarse))
    return by_chance >= _BY_CHANCE and wrong <= no_more * by_chance


def _exceptions(fine: AnyIntArray, coarse: AnyIntArray) -> int:
    """Return the rows that do not have the commonest value of the other column for theirs."""
    width = int(coarse.max()) + 1
    both = fine.astype(np.int64) * width + coarse
    if (int(fine.max()) + 1) * width <= _COUNTED * len(fine):  # to count them all is quicker than to sort them
        counted = np.bincount(both)
        pairs = np.flatnonzero(counted)
        rows = counted[pairs]
    else:
        pairs, rows = np.unique(both, return_counts=True)
    most = np.zeros(int(fine.max()) + 1, dtype=np.int64)
    np.maximum.at(most, pairs // width, rows)
    return int(len(fine) - most.sum())


def _ages_beside_years(file: WrittenFile, kinds: Mapping[str, str], claim: Claim) -> Iterator[Finding]:
    """Find an age and the year of an event that together show a birth in one of the oldest years.

    Somebody of 73 in 2009 was born in 1935 or 1936, whatever the class of the oldest hides.
    """
    if claim.oldest_year is None or claim.oldest is None:
        return
    ages = [column for column in file.columns if kinds[column.name] == "age"]
    years = [c for c in file.columns if kinds[c.name] in ("year", "date") and event_of(c.name) != "birth"]
    for age, year in product(ages, years):
        spans, dates = list(map(age_span, age.texts)), list(map(year_span, year.texts))
        oldest = np.array([-1, *(span[0] if span and not span[1] else -1 for span in spans)])[age.codes]
        last = np.array([0, *(span[1] if span else 0 for span in dates)])[year.codes]
        telling = (last > claim.oldest_year) & (last - oldest <= claim.oldest_year)  # never with an age below 1
        if telling.any() and not _is_birth(oldest, last):
            what = f"{age.name} together with {year.name} shows births in {claim.oldest_year} or before"
            yield Finding((age.name, year.name), what, "Leave one of them out (role direct)")


def _is_birth(ages: IntArray, years: IntArray) -> bool:
    """Tell whether years are those of birth, because year and age add up to nearly the same in most rows."""
    both = (ages >= 0) & (years > 0)
    sums = (ages + years)[both]
    return len(np.unique(years[both])) > 3 and float((np.abs(sums - np.median(sums)) <= 1).mean()) >= 0.8


# Classes, and the rows of one person.


def joined_rows(file: WrittenFile, claim: Claim) -> tuple[str, str]:
    """Say which columns join the rows of people of whom a claim takes fewer to be known; or else that none was found.

    One of the two texts is empty, and both are where a claim takes all rows to be known, or nobody has several.
    """
    named = file.named(claim.person)
    if named is None or claim.known_rows == "all":
        return "", ""
    together = joined_of(file.columns, apart(named), in_order=True)
    counted = f"counted by {KNOWN[claim.known_rows]}"
    if together.counts:
        return f"{counted}, but {together}", ""
    if claim.k is None or not together.several:
        return "", ""
    most = f"{together.people:,} of the {together.several:,} people who have several"
    ways = "columns, sums and quotients of two, parts of numbers, chains of columns and the order of the rows"
    return "", f"{counted}: {ways} join the rows of {most}; no other way to join rows was tried"


def attack_rows_of_nobody(file: WrittenFile, claim: Claim) -> list[Finding]:
    """Find that classes are large enough only with rows that name no person: these may be rows of those counted."""
    named, keys = file.named(claim.person), [column for column in file.columns if column.name in claim.keys]
    rows = 0 if named is None else int((named == 0).sum())
    if not rows or named is None or claim.k is None or not keys:
        return []
    number, whose = _class_of_rows(keys), named.astype(np.int64)
    has_name = whose > 0
    least = 0
    if set(number.tolist()) <= set(number[has_name].tolist()):  # nobody is alike to a row that is in no such class
        least = int(_people_by_rows(number[has_name], whose[has_name], claim.known_rows).min())
    if least >= claim.k:
        return []
    where = "1 row, which" if rows == 1 else f"{rows:,} rows, which"
    what = (
        f"{claim.person} is empty in {where} may belong to people who are already counted: without that, the smallest "
    )
    what += f"class has {least:,} of at least {claim.k:,} people"
    return [Finding((), what, "Delete such rows, or give each a separate number if it belongs to another person")]


def attack_classes(file: WrittenFile, claim: Claim) -> list[Finding]:
    """Count the classes of the key columns by their texts, and people where their rows can be linked."""
    if claim.k is None:
        return []
    keys = [column for column in file.columns if column.name in claim.keys]
    least = _smallest_class(file, keys, claim)
    if least is None or least >= claim.k:
        return []
    whom = "by one row" if file.named(claim.person) is None else f"by {KNOWN[claim.known_rows]}"
    what = f"the smallest class has {least:,} of at least {claim.k:,}, {whom}"
    return [Finding(tuple(column.name for column in keys), what, "Run the release again")]


def classes_with(file: WrittenFile, names: Sequence[str], claim: Claim) -> str:
    """Say what the smallest class of a file is, with some columns as key fields besides those of the claim."""
    keys = [column for column in file.columns if column.name in (*claim.keys, *names)]
    least = _smallest_class(file, keys, claim)
    if least is None:
        return ""
    asked = f" of at least {claim.k:,}" if claim.k is not None and claim.k > 1 else ""
    too = "a key field too" if len(names) == 1 else "key fields too"
    return f"with {' and '.join(names)} as {too}, the smallest class has {least:,}{asked}"


def _smallest_class(file: WrittenFile, keys: Sequence[WrittenColumn], claim: Claim) -> int | None:
    """Return the fewest people who are alike by columns; None without a column or row."""
    rows = len(file.columns[0].codes)
    if not rows or not keys:
        return None
    named = file.named(claim.person)
    whose = np.arange(rows) if named is None else apart(named)
    return int(_people_by_rows(_class_of_rows(keys), whose, claim.known_rows).min())


def _class_of_rows(keys: Sequence[WrittenColumn]) -> IntArray:
    """Return the class of each row by some columns."""
    number = np.unique(np.stack([column.codes for column in keys]), axis=1, return_inverse=True)[1]
    return number.reshape(-1).astype(np.int64)


def _people_by_rows(number: IntArray, whose: IntArray, known_rows: str) -> IntArray:
    """Return for each row, each two rows or each person by all of their rows, how many people are alike."""
    pairs = np.unique(np.stack([number, whose]), axis=1)
    people = np.bincount(pairs[0])
    if known_rows == "1":
        return np.asarray(people[people > 0])
    if known_rows == "2":
        return smallest_of(number, np.unique(whose, return_inverse=True)[1].astype(np.int64), "2").least()
    order = np.lexsort([number, whose])
    cuts = np.flatnonzero(np.diff(whose[order])) + 1
    every: dict[bytes, int] = {}
    for rows in np.split(number[order], cuts):
        every[rows.tobytes()] = every.get(rows.tobytes(), 0) + 1
    return np.array([*every.values(), *people[people > 0].tolist()], dtype=np.int64)
