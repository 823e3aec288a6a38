"""A table of counts is not a file of records: one of its rows is a group of people and not a person.

Measured as records, ``county,week,age,sex,n`` calls nearly every row unique, however many people it counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["HeldColumn", "counting_names", "refusal", "table_of_counts"]


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Words for a number of people or of rows. A name counts if all of its words stand here or in the next set.
_COUNTS = _set(
    "n nn count counts cnt cases freq frequency frequencies deaths patients people persons individuals "
    "residents subjects population pop headcount npatients ncases ndeaths nobs observations"
)
# Words that say nothing alone, or may count what one person has: they count people only where the rows are a grid.
_PERHAPS = _set(
    "total totals number num no visits admissions discharges hospitalizations encounters events births stays "
    "rows records quantity sum"
)
_BESIDE = _set("of the all in unique distinct new confirmed reported observed case death patient person")
# Places, times and ages: a table has one row per value of them, and they may have thousands of values.
_DIMENSIONS = _set(
    "age ages agegroup year years month months week weeks day date quarter period hour yr wk time season "
    "county counties fips geoid geography tract zip zip3 zip5 zipcode zcta city town state region area "
    "district block place hospital facility provider icd icd10 dx diagnosis code drg cpt cause"
)
_PERSONS = _set(
    "mrn ssn email phone seqn pid ptid patientid personid memberid subjectid respondentid surname lastname "
    "firstname dob"
)
_NUMBERED = _set("id ids uuid guid hash record accession account studyid caseid name names key")
_WHOSE = _set("patient person member subject case record visit encounter respondent participant medical")
_SUPPRESSED = re.compile(r"[<≤]\s*=?\s*\d{1,3}|\d{1,2}\s*[-–]\s*\d{1,2}|\*+|s|suppressed|masked|\.", re.IGNORECASE)
_WHOLE = re.compile(r"\d{1,3}(?:,\d{3})+|\d{1,12}(?:\.0+)?")
_DECIMAL = re.compile(r"[+-]?\d*[.,]\d+%?|[+-]?\d+(?:[.,]\d+)?%")
_LIKE_AN_IDENTIFIER = re.compile(r"(?=.*\d)(?=.*[a-z])[a-z0-9-]{5,}|\d{6,}|[0-9a-f]{16,}|\S+@\S+", re.IGNORECASE)
_DATE_LIKE = re.compile(r"(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:[0-3]\d)?|\d{4}-?(?:W\d{1,2}|Q\d)", re.IGNORECASE)
_MOST_COLUMNS = 30
_FEWEST_ROWS = 2
_FEW_VALUES = 20
_GRID = 0.5  # of all combinations


@dataclass(frozen=True)
class HeldColumn:
    """A column of a file: its name, and its distinct values, without those that mean a missing value."""

    name: str
    values: Sequence[str]


def counting_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names that may count people; none in a file of more columns than a table of counts has.

    >>> counting_names(["county", "N", "platelet_count", "numberOfPatients", "total", "country"])
    ('N', 'numberOfPatients', 'total')
    """
    if len(names) > _MOST_COLUMNS:
        return ()
    return tuple(name for name in names if _counts(name))


def table_of_counts(columns: Sequence[HeldColumn], rows: int, distinct: Callable[[Sequence[str]], bool]) -> str:
    """Return the column that counts, if a file is a table of counts; empty where its rows are records.

    It is a table of counts if all of this holds.

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

    Parameters
    ----------
    columns : Every named column of the file.
    rows : Rows of the file.
    distinct : Whether no two rows agree in all of some columns.

    Examples
    --------
    >>> columns = [HeldColumn("county", ["Allen", "Lucas"]), HeldColumn("sex", ["F", "M"]), HeldColumn("n", ["7", "9"])]
    >>> table_of_counts(columns, 4, lambda names: True)
    'n'
    >>> table_of_counts([*columns, HeldColumn("mrn", ["A1", "A2", "A3", "A4"])], 4, lambda names: True)
    ''
    """
    names = counting_names([column.name for column in columns])
    counting = [column for column in columns if column.name in names and _is_count(column.values)]
    if not counting or rows < _FEWEST_ROWS:
        return ""
    others = [column for column in columns if column not in counting]
    if not others or any(_identifies(column, rows) for column in others):
        return ""
    keys = [column for column in others if not _is_measure(column)]
    if not keys or not all(_is_few(column, rows) for column in keys):
        return ""
    sure = [column.name for column in counting if not _words(column.name) & _PERHAPS]  # n, but not n_visits
    combinations = 1
    for column in keys:
        combinations *= max(len(column.values), 1)
    if not sure and rows < _GRID * combinations:
        return ""
    return (sure or [counting[0].name])[0] if distinct([column.name for column in keys]) else ""


def refusal(where: str, column: str) -> str:
    """Say that a file is a table of counts, and what to do."""
    return (
        f"{where}: column {column!r} counts: each row is a group and not a person, so this is a table of counts and "
        "no file of records. Give the records that were counted; if each row is one person, leave out or rename "
        "the column."
    )


def _words(name: str) -> frozenset[str]:
    apart = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)
    return frozenset(re.findall(r"[a-z0-9]+", apart.casefold()))


def _counts(name: str) -> bool:
    words = _words(name)
    return bool(words & (_COUNTS | _PERHAPS)) and words <= _COUNTS | _PERHAPS | _BESIDE


def _is_count(values: Sequence[str]) -> bool:
    numbers = [text.strip() for text in values]
    marks = [text for text in numbers if not _WHOLE.fullmatch(text)]
    if len(marks) > len(numbers) / 2 or not all(_SUPPRESSED.fullmatch(text) for text in marks):
        return False
    return any(float(text.replace(",", "")) > 1 for text in numbers if _WHOLE.fullmatch(text))


def _identifies(column: HeldColumn, rows: int) -> bool:
    words = _words(column.name)
    if words & _PERSONS or (words & _NUMBERED and words & _WHOSE):
        return True
    if words & _NUMBERED and not words & _DIMENSIONS:
        return len(column.values) > rows / 2
    if words & _DIMENSIONS or len(column.values) < rows:
        return False
    texts = [text.strip() for text in column.values]
    if all(_LIKE_AN_IDENTIFIER.fullmatch(text) and not _DATE_LIKE.fullmatch(text) for text in texts):
        return True
    if not all(text.isascii() and text.isdigit() for text in texts) or rows <= _FEW_VALUES:
        return False
    numbers = sorted(map(int, texts))
    return numbers[-1] - numbers[0] == len(numbers) - 1


def _is_measure(column: HeldColumn) -> bool:
    """Tell whether a column holds numbers, some of them with decimals, such as a rate."""
    texts = [text.strip() for text in column.values]
    wholes = [_WHOLE.fullmatch(text) is not None for text in texts]
    return (
        not all(wholes)
        and all(
            whole or _DECIMAL.fullmatch(text) or _SUPPRESSED.fullmatch(text)
            for whole, text in zip(wholes, texts, strict=True)
        )
        and any(_DECIMAL.fullmatch(text) for whole, text in zip(wholes, texts, strict=True) if not whole)
    )


def _is_few(column: HeldColumn, rows: int) -> bool:
    return bool(_words(column.name) & _DIMENSIONS) or len(column.values) <= max(rows / 2, _FEW_VALUES)
