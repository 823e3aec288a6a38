"""A file's classes as its mapping reads them: values with the same meaning are one value.

The mapping applies to every command. It reads a census field as the census does (``1``, ``M`` and ``male`` are one
sex, ``9003`` and ``09003`` one county), and any other field by its codes. A value that it does not understand stays
as it is.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from policy_sim.records.census_values import KNOWN_FIELDS, ColumnMapping, known_field, read_field
from policy_sim.records.classes import Classes, number_groups
from policy_sim.words.arrays import IntArray

__all__ = [
    "MARKS",
    "FieldMeanings",
    "field_meanings",
    "looks_missing",
    "mapped_classes",
    "mapped_fields",
    "mapped_groups",
]


# What programs write for a missing value; none is a value of a field that a census knows.
MARKS = ("?", "NA", "N/A", "#N/A", ".", "*", "-", "--", "NULL", "null", "None", "none", "NaN", "nan", "<NA>")


@dataclass(frozen=True)
class FieldMeanings:
    """The name of each value of a field; None is a missing value. ``notes`` say how it was read."""

    texts: tuple[str | None, ...]
    notes: tuple[str, ...] = ()


def mapped_fields(fields: Sequence[str], mapping: ColumnMapping) -> tuple[str, ...]:
    """Return the fields whose values the mapping may rename."""
    entries = {name: mapping.entry(name) for name in fields}
    return tuple(
        name for name, entry in entries.items() if entry and (entry.codes or known_field(name) in KNOWN_FIELDS)
    )


def field_meanings(name: str, values: Sequence[str], mapping: ColumnMapping) -> FieldMeanings:
    """Return the name that a mapping gives each value of a field."""
    column = mapping.column(name)
    coded = [column.codes.get(text, text) for text in values]
    lost = [text in mapping.missing for text in coded]
    if known_field(name) not in KNOWN_FIELDS:
        return FieldMeanings(tuple(None if is_missing else text for text, is_missing in zip(coded, lost, strict=True)))
    held = [text for text, is_missing in zip(values, lost, strict=True) if not is_missing]
    reading = read_field(name, column, held)
    read = iter(zip(reading.meanings, held, strict=True))
    texts = tuple(None if is_missing else _written(*next(read)) for is_missing in lost)
    unread = (f"{name}: values that are not understood and stay as they are written: {reading.unread:,}",)
    return FieldMeanings(texts, (*reading.notes, *(unread if reading.unread else ())))


def _written(meaning: str | int | dt.date | None, text: str) -> str:
    return text if meaning is None else str(meaning)


def mapped_classes(
    classes: Classes, meanings: Mapping[str, FieldMeanings], also: Mapping[str, FieldMeanings] | None = None
) -> Classes:
    """Merge the classes that have the same values in a mapping.

    ``also``: the names of the values of a second file, so that both files have the same codes.
    """
    return mapped_groups(classes, meanings, also)[0]


def mapped_groups(
    classes: Classes, meanings: Mapping[str, FieldMeanings], also: Mapping[str, FieldMeanings] | None = None
) -> tuple[Classes, IntArray]:
    """Merge classes as :func:`mapped_classes` does; also return the index of the merged class of each class."""
    codes, values = classes.codes.copy(), list(classes.values)
    for at, name in enumerate(classes.fields):
        if name not in meanings:
            continue
        texts = meanings[name].texts
        labels = sorted({text for text in (*texts, *(also[name].texts if also else ())) if text is not None})
        place = {text: code for code, text in enumerate(labels, 1)} | {None: 0}
        codes[:, at] = np.array([0, *(place[text] for text in texts)], dtype=np.int32)[classes.codes[:, at]]
        values[at] = len(labels)
    group, number = number_groups([codes[:, i] for i in range(len(values))], values, classes.number)
    sizes = np.bincount(group, weights=classes.sizes, minlength=number).astype(np.int64)
    row = np.zeros(number, dtype=np.int64)
    row[group] = np.arange(classes.number)
    return Classes(classes.fields, codes[row], sizes, tuple(values)), group


def looks_missing(classes: Classes, values: Mapping[str, Sequence[str]], mapping: ColumnMapping) -> tuple[str, ...]:
    """Name the fields with texts that programs write for a missing value, and count the records.

    >>> classes = Classes.of_rows([("F",), ("NA",), ("NA",)], ("sex",))
    >>> looks_missing(classes, {"sex": ["F", "NA"]}, ColumnMapping())
    ("sex: 'NA' in 2 records looks like a missing value: if it is one, name it as a missing code.",)
    """
    hints = []
    for at, name in enumerate(classes.fields):
        for code, text in enumerate(values.get(name, ()), 1):
            if text.strip() in MARKS and text not in mapping.column(name).codes:
                records = int(classes.sizes[classes.codes[:, at] == code].sum())
                hints.append(
                    f"{name}: {text.strip()!r} in {records:,} records looks like a missing value: if it is one, name "
                    "it as a missing code."
                )
    return tuple(hints)
