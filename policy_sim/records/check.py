"""What to know of a column before relying on any figure: what to mend, and what Safe Harbor requires; never a value.

45 CFR 164.514(b)(2)(i) names eighteen kinds of identifiers. The answer depends on what the column seems to be, so it
is a first guess. A column that is not recognized gets no clean verdict: somebody has to look at it. And (b)(2)(ii) also
requires that whoever releases the file does not know that the rest of it identifies a person.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from policy_sim.files.toml import shipped_table
from policy_sim.people.names import county_in_text
from policy_sim.records.census_values import BIRTH_FIELDS, KNOWN_FIELDS, RACE_FIELDS, FieldColumn, read_field
from policy_sim.records.column_kinds import ColumnKind, ColumnValues
from policy_sim.records.covered_values import OLDEST, as_number
from policy_sim.records.dates import date_parts, read_dates, read_years
from policy_sim.records.state_codes import QUESTION, REMEDY
from policy_sim.records.vocabularies import name_words
from policy_sim.words.errors import InputError

_SENTINELS = {-1, -7, -8, -9, -99, -999, 888, 999, 9999}
_PLACEHOLDERS = {(1900, 1, 1), (1800, 1, 1), (1901, 1, 1), (9999, 12, 31), (1753, 1, 1), (1601, 1, 1), (1111, 11, 11)}
_FEW_DAYS = 10  # different days, below which one may well be much more frequent
_FEW_AT_99 = 5  # from this many records of age 99, it may be a code
_PERSON = re.compile(
    r"patient|person|\bpt? ?id\b|subject|member|client|resident|mrn|medical record|\bmed ?rec\b|\bmr (no|num)|ssn"
)
_DIGITS = {"county": 5, "tract": 11, "zip5": 5, "zip3": 3}
_FEW_IMPOSSIBLE = 10
_MOST_SPELLINGS = 20_000


@dataclass(frozen=True)
class Finding:
    """Something to check in one column: what is wrong with how many of its values and records, and what to do."""

    column: str
    problem: str
    values: int
    records: int
    remedy: str


@dataclass(frozen=True, eq=False)
class CheckedColumn:
    """One column: what it holds, what it seems to be, and what to look at."""

    held: ColumnValues
    kind: ColumnKind
    findings: tuple[Finding, ...]


def column_findings(values: ColumnValues, kind: ColumnKind) -> tuple[Finding, ...]:
    """Return what to check in a column, in the order in which to correct it."""
    looks = (_missing_marks, _heaps, _alike, _lost_zeros, _unread, _rows_per_person)
    return tuple(finding for look in looks for finding in look(values, kind))


def _counted(values: ColumnValues, shows: list[bool], problem: str, remedy: str) -> Iterator[Finding]:
    chosen = np.flatnonzero(shows)
    if len(chosen):
        yield Finding(values.name, problem, len(chosen), int(values.records[chosen].sum()), remedy)


def _missing_marks(values: ColumnValues, kind: ColumnKind) -> Iterator[Finding]:
    remedy = "if they mean a missing value, add them to missing in the mapping"
    yield from _counted(values, (~values.is_filled).tolist(), "texts that look like a missing value", remedy)
    numbers = "numbers such as -9 or 999 that often mean a missing value"
    yield from _counted(values, _sentinels(values, kind), numbers, remedy)


def placeholder_days(values: ColumnValues, kind: ColumnKind) -> list[int]:
    """Return the places of days that programs write for a missing date, and that more records have than other days."""
    if kind.kind != "date" and kind.field != "birth_date":
        return []
    days = {at: date_parts(text) for at, text in enumerate(values.looked_at)}
    usual = float(np.median(values.records[: len(days)])) if days else 0.0
    return [
        at
        for at, day in days.items()
        if day in _PLACEHOLDERS and (day[0] not in range(1850, 2101) or values.records[at] >= max(2, 2 * usual))
    ]


def _heaps(values: ColumnValues, kind: ColumnKind) -> Iterator[Finding]:
    """Find days that many more records have than others: codes for a missing date, or for a day that nobody knows."""
    if kind.kind != "date" and kind.field != "birth_date":
        return
    placeholders = placeholder_days(values, kind)
    remedy = "if they mean a missing value, add them to missing in the mapping"
    shows = [at in placeholders for at in range(len(values.looked_at))]
    yield from _counted(values, shows, "a day such as 1900-01-01 that often means a missing value", remedy)
    others = [at for at in range(len(values.looked_at)) if at not in placeholders]
    first = sorted(others, key=lambda at: -int(values.records[at]))[:2]
    if len(others) >= _FEW_DAYS and values.records[first[0]] >= max(_FEW_AT_99, 4 * values.records[first[1]]):
        shows = [at == first[0] for at in range(len(values.looked_at))]
        yield from _counted(values, shows, "one day that many more records have than any other", remedy)
    january = [at in others and (date_parts(values.looked_at[at]) or ())[1:] == (1, 1) for at in range(len(shows))]
    january = [is_first and _is_whole(values.looked_at[at]) for at, is_first in enumerate(january)]
    if values.records[: len(january)][np.array(january, dtype=bool)].sum() > max(_FEW_AT_99, values.filled / 50):
        problem = "January 1, which many more records have than other days: perhaps only the year is known"
        yield from _counted(values, january, problem, "if so, use the year: the field birth_year")


def _is_whole(text: str) -> bool:
    """Tell whether a text names a day, not only a month or a year."""
    return len(re.findall(r"\d+|[^\W\d]{3,}", text)) >= 3 or re.fullmatch(r"\s*\d{8}\s*", text) is not None


def _sentinels(values: ColumnValues, kind: ColumnKind) -> list[bool]:
    """Return which numbers cannot be an age, or are ones that programs write for a missing value."""
    if kind.field != "age" and kind.kind != "number":
        return [False] * len(values.looked_at)
    numbers = [as_number(text) for text in values.looked_at]
    impossible = sum(number is not None and not 0 <= number <= OLDEST for number in numbers)
    if kind.field == "age" and impossible > _FEW_IMPOSSIBLE:  # ages in months or days, or no ages
        return [False] * len(numbers)
    codes = {*_SENTINELS, *(_too_many_at_99(numbers, values.records) if kind.field == "age" else ())}
    return [
        number is not None and (number in codes or (kind.field == "age" and not 0 <= number <= OLDEST))
        for number in numbers
    ]


def _too_many_at_99(ages: Sequence[float | None], records: NDArray[np.int64]) -> set[int]:
    """Return 99 if it stands for a missing age: it has more than three times the records of any age from 90 to 98."""
    of_age = {age: int(number) for age, number in zip(ages, records.tolist(), strict=False) if age is not None}
    most = max((of_age.get(age, 0) for age in range(90, 99)), default=0)
    return {99} if of_age.get(99, 0) >= max(_FEW_AT_99, 3 * most + 1) else set()


def _alike(values: ColumnValues, kind: ColumnKind) -> Iterator[Finding]:
    """Find values that a person would read as the same."""
    if kind.kind not in ("key field", "code", "place") or values.distinct > _MOST_SPELLINGS:
        return
    groups: dict[str, list[int]] = defaultdict(list)
    for at, text in enumerate(values.looked_at):
        groups[_plain(text)].append(at)
    twins = {at for group in groups.values() if len(group) > 1 for at in group}
    problem = "spellings that differ only in case, blanks, accents or punctuation"
    remedy = "give them the same code in codes of the mapping"
    if kind.kind == "key field":
        remedy = "name the column in a mapping, which reads the spellings it knows as one value; give the others a code"
    yield from _counted(values, [at in twins for at in range(len(values.looked_at))], problem, remedy)


def _lost_zeros(values: ColumnValues, kind: ColumnKind) -> Iterator[Finding]:
    digits = _DIGITS.get(kind.field)
    if digits is not None:
        numbers = [re.fullmatch(r"(\d+)(\.0+)?", text.strip()) for text in values.looked_at]
        fewest = 4 if kind.field == "county" else 1  # three digits are a county without its state
        short = [number is not None and fewest <= len(number[1]) < digits for number in numbers]
        problem = f"codes with fewer than {digits} digits: leading zeros are lost"
        remedy = "nothing to do: they are put back when the column is read as this field"
        yield from _counted(values, short, problem, remedy)


# Values of a field that are read once more is known: what they look like, what they are, and what is to be given.
_READ_WITH_MORE = (
    (
        "age",
        r"\s*\d+\s*(-|–|to|\+|and|or)",
        "age classes such as 20-24 or 90+",
        "give their width, and the age from which everyone is in one class (top)",
    ),
    (
        "county",
        r"\s*\d{1,3}(\.0+)?\s*$",
        "codes of counties without their state's",
        "they are read with the column of states, or with the state that you name when you measure",
    ),
    (
        "county",
        r"\s*[^\W\d]",
        "names of counties, which do not say the state",
        "they are read with the column of states, or with the state that you name when you measure; for a name that "
        "is not found, write its code under codes in the mapping",
    ),
)


def _unread(values: ColumnValues, kind: ColumnKind) -> Iterator[Finding]:
    """Find values of a key field or a date column that the program does not understand."""
    if kind.reason == QUESTION:
        yield from _counted(values, values.is_filled.tolist(), QUESTION, REMEDY)
        return
    marks = [mark or odd for mark, odd in zip(~values.is_filled, _sentinels(values, kind), strict=True)]
    texts = values.looked_at
    try:
        if kind.kind == "key field" and kind.field in KNOWN_FIELDS:
            reading = read_field(kind.field, FieldColumn(values.name), texts)
            meanings: Sequence[object] = reading.meanings
            if kind.field == "county":  # a name that says its state, such as Monroe, MI
                meanings = [meaning or county_in_text(text) for meaning, text in zip(meanings, texts, strict=True)]
            marks = [mark or unknown for mark, unknown in zip(marks, reading.unknown, strict=True)]
        elif kind.kind == "date":
            whole = [re.match(r"\s*(\d{4}\D\d{1,2}\D\d|\d{1,2}\D\d{1,2}\D\d{4})", text) for text in texts]
            read = zip(read_dates(values.name, texts)[0], read_years(texts), whole, strict=True)
            meanings = [date or (year if not is_whole else None) for date, year, is_whole in read]
        else:
            return
    except InputError as error:
        if kind.field in RACE_FIELDS:
            remedy = str(error).partition(": ")[2].removesuffix(".")
            problem = "values that do not show what the field is"
            yield Finding(values.name, problem, values.distinct, values.filled, remedy)
            return
        every = [bool(re.match(r"\s*\d{1,2}([-/.])\d{1,2}\1\d{4}", text)) for text in texts]
        problem = "dates in which the day and the month are ambiguous"
        yield from _counted(values, every, problem, 'give their form, such as format = "%m/%d/%Y"')
        return
    unread = [meaning is None and not mark for meaning, mark in zip(meanings, marks, strict=True)]
    for field, pattern, problem, remedy in _READ_WITH_MORE:
        if kind.field != field:
            continue
        readable = [lost and bool(re.match(pattern, text)) for lost, text in zip(unread, values.looked_at, strict=True)]
        yield from _counted(values, readable, problem, remedy)
        unread = [lost and not read for lost, read in zip(unread, readable, strict=True)]
    called, remedy = f"values of {kind.field}", "give each its meaning in codes of the mapping"
    if kind.kind == "date" or (kind.field in BIRTH_FIELDS and kind.field != "age"):
        called, remedy = "dates", "give the form of the dates in format"
    yield from _counted(values, unread, f"{called} that are not understood", remedy)


def names_person(name: str, kind: ColumnKind) -> bool:
    """Return whether a column seems to contain the number or the name of a person."""
    return kind.kind == "direct identifier" and sounds_like_person(name)


def sounds_like_person(name: str) -> bool:
    """Return whether the name of a column speaks of a person."""
    return _PERSON.search(name_words(name)) is not None


def are_names(kind: ColumnKind) -> bool:
    """Return whether a column that identifies people does so by their names, which two of them may share."""
    return kind.reason.endswith("a name") or any(hit.letter == "A" for hit in kind.hits)


def _rows_per_person(values: ColumnValues, kind: ColumnKind) -> Iterator[Finding]:
    """Find several records of one person: figures then count visits, not people."""
    if names_person(values.name, kind) and values.distinct < values.filled:
        problem = f"several records of one person, at most {int(values.records.max()):,}"
        remedy = (
            "several records of one person make risk look lower than it is: name the column as person in a mapping, "
            "and each person counts once"
        )
        yield from _counted(values, (values.records > 1).tolist(), problem, remedy)


def _plain(text: str) -> str:
    """Return a text without case, accents, punctuation and repeated blanks."""
    folded = re.sub(r"[\u0300-\u036f]", "", unicodedata.normalize("NFKD", text).casefold())
    return " ".join(re.sub(r"[\s.,;:'\"_/()\[\]-]+", " ", folded).split()) or text.strip()


# What Safe Harbor requires.


_YEAR, _THREE_DIGITS = re.compile(r"\s*\d{4}(?:[.]0+)?\s*"), re.compile(r"\s*\d{3}\s*")
_AGE_TEXT = re.compile(r"\s*(\d{1,3})(?:[.,]0+)?\s*(?:(?:-|–|to)\s*(\d{1,3})\s*)?(\+|plus|(?:and|or)\b.*)?\s*")
_OLDEST_SHOWN = 89


_safe_harbor = cache(partial(shipped_table, "vocabularies/safe_harbor.toml"))


def safe_harbor_ask(values: ColumnValues, kind: ColumnKind) -> str:
    """Return what Safe Harbor requires of a column: a few words, or empty if it requires nothing.

    A column with years, three digits or no age over 89 needs less.
    """
    tables: dict[str, dict[str, str]] = _safe_harbor()
    asks, is_field = tables["asks"], kind.kind == "key field"
    ask = tables["fields"].get(kind.field, "") if is_field else tables["kinds"].get(kind.kind, "")
    if is_field and not kind.accepted and kind.field != "birth_month":
        return "; ".join(asks[name] for name in (ask, "not_understood") if name)
    if kind.kind == "date" and not kind.accepted:
        return asks["part_of_date"]
    texts = values.looked_at
    if texts and ask in ("date", "birth") and all(map(_YEAR.fullmatch, texts)):
        ask = "birth_year" if ask == "birth" else ""
    elif texts and ask == "zip" and all(map(_THREE_DIGITS.fullmatch, texts)):
        ask = "zip3"
    elif texts and ask == "age" and all(map(_shows_no_old_age, texts)):
        ask = ""
    return asks[ask] if ask else ""


def not_recognized() -> str:
    """Return what is asked of a column that is not recognized."""
    return str(_safe_harbor()["asks"]["look"])


def _shows_no_old_age(text: str) -> bool:
    """Return whether a text is an age of at most 89, or an open class from 90 or less."""
    match = _AGE_TEXT.fullmatch(text)
    if match is None:
        return not any(character.isdigit() for character in text)  # a word for a missing age
    if match[3]:
        return int(match[1]) <= _OLDEST_SHOWN + 1
    return int(match[2] or match[1]) <= _OLDEST_SHOWN


# The tables of a check of a file: one row per column, and one row per finding.


def column_frame(columns: Sequence[CheckedColumn]) -> pd.DataFrame:
    """Return one row per column: its kind and the reason, its field, counts, and what Safe Harbor requires of it."""
    rows = [
        {
            "column": column.held.name,
            "kind": column.kind.kind,
            "field": column.kind.field or None,
            "records": column.held.filled,
            "missing": column.held.missing,
            "values": column.held.distinct,
            "reason": column.kind.reason,
            "looks_like": ", ".join(column.held.shapes) or None,
            "safe_harbor": safe_harbor_ask(column.held, column.kind) or None,
        }
        for column in columns
    ]
    return _frame(rows, ["column", "kind", "field", *_NUMBERS, "reason", "looks_like", "safe_harbor"])


def finding_frame(columns: Sequence[CheckedColumn]) -> pd.DataFrame:
    """Return one row per finding: the column, the problem, its values and records, and the remedy."""
    rows = [vars(finding) for column in columns for finding in column.findings]
    return _frame(rows, ["column", "problem", "values", "records", "remedy"])


_NUMBERS = ("records", "missing", "values")


def _frame(rows: Sequence[Mapping[str, object]], names: list[str]) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=names)
    return table.astype({name: "int64" if name in _NUMBERS else "string" for name in names})


def mapping_text(columns: Sequence[CheckedColumn], sheet: str = "") -> str:
    """Write a column mapping to edit, as TOML: the key fields and what their columns need.

    Comments list what someone who knows the file must decide; the words for a missing value among them are fixed, so
    they reveal nothing about a record. ``sheet`` is that of a workbook.
    """
    head = [
        "# Which column is which field, and what its codes mean. Edit it, then give it to every command on this file.",
        'missing = [""]  # codes for a missing value, such as "NA" or "-9"',
    ]
    held = [column.held for column in columns]
    marks = {column.held.looked_at[at] for column in columns for at in placeholder_days(column.held, column.kind)}
    marks |= {
        text for column in held for text, filled in zip(column.looked_at, column.is_filled, strict=True) if not filled
    }
    if marks:
        texts = ", ".join(map(_quoted, ["", *sorted(marks)]))
        head.append(f"# The file has texts that often mean a missing value. If these do: missing = [{texts}]")
    whole = [f"sheet = {_quoted(sheet)}"] if sheet else []
    persons = (
        column.held for column in columns if names_person(column.held.name, column.kind) and column.held.distinct
    )
    by_kind = {column.held.name: column.kind for column in columns}
    repeated = [values.name for values in persons if values.records.max() > 1]
    numbers = [name for name in repeated if not are_names(by_kind[name])]
    person = next(iter([*numbers, *repeated]), None)
    if person is not None:
        whole.append(f"# person = {_quoted(person)}  # remove the first # to count each person once")
    fields = _fields_text(columns)
    others = [
        f"#   {column.held.name.encode('unicode_escape').decode()}: {column.kind.kind} ({column.kind.reason})"
        for column in columns
        if column.kind.field not in KNOWN_FIELDS
    ]
    if others:
        others = ["", "# Columns that are not key fields:", *others]
    return "\n".join([*head, *whole, *fields, *others] if fields else [*head, *others, *whole]) + "\n"


def _fields_text(columns: Sequence[CheckedColumn]) -> list[str]:
    """Return a table for each key field; a second column of it stands in comments."""
    lines: list[str] = []
    seen: set[str] = set()
    hints = shipped_table("vocabularies/mapping_hints.toml")
    for column in columns:
        field = column.kind.field
        if field not in KNOWN_FIELDS:
            continue
        head = [f"[fields.{field}]", f"column = {_quoted(column.held.name)}"]
        if field in seen:
            head = ["# A second column of this field; keep one of them.", *(f"# {line}" for line in head)]
        seen.add(field)
        lines += ["", *head]
        lines += [
            f"# In {finding.records:,} of the records: {finding.problem}: {finding.remedy}."
            for finding in column.findings
        ]
        lines += [f"# {line}" for line in hints.get(field, ())]
    return lines


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
