"""A column mapping, read from its file and applied to a file's classes; and files of hierarchies and of weights.

The mapping applies to every command. It reads a census field as the census does (``1``, ``M`` and ``male`` are one
sex, ``9003`` and ``09003`` one county), and any other field by its codes. A value that it does not understand stays
as it is.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from policy_sim.files.toml import read_toml_file, shortened, shown_value
from policy_sim.records.census_values import (
    KNOWN_FIELDS,
    ColumnMapping,
    FieldColumn,
    Reading,
    known_field,
    read_field,
)
from policy_sim.records.classes import Classes
from policy_sim.records.covered_values import OLDEST
from policy_sim.records.dates import BETWEEN_FORMS
from policy_sim.records.delimited import separator_of
from policy_sim.records.vocabularies import MARKS
from policy_sim.words.arrays import IntArray
from policy_sim.words.errors import InputError, SchemaError, SourceError
from policy_sim.words.fields import YEARS_IN_A_CLASS, Field, field_word

if TYPE_CHECKING:
    from policy_sim.model.explore.axes import FieldWeights


MOST_PROBLEMS = 20
_LONGEST = 60  # letters of a key in a message
_KEYS = ("separator", "missing", "reference_date", "sheet", "person", "fields")
_FIELD_KEYS: Mapping[str, tuple[type, str]] = {
    "column": (str, "a text in quotes"),
    "codes": (dict, ""),
    "format": (str, "a text in quotes"),
    "width": (int, "a whole number"),
    "top": (int, "a whole number"),
}


def load_mapping(path: Path) -> ColumnMapping:
    """Read a column mapping."""
    document = read_toml_file(path)
    problems = _problems(document)
    if len(problems) > MOST_PROBLEMS:
        problems = [*problems[:MOST_PROBLEMS], f"and {len(problems) - MOST_PROBLEMS:,} more problems."]
    if problems:
        raise SchemaError(str(path), problems)
    fields = {
        name: FieldColumn(**{"column": name, **entry, **_forms(entry)})
        for name, entry in document.get("fields", {}).items()
    }
    missing = tuple(dict.fromkeys(("", *document.get("missing", ()))))
    return ColumnMapping(
        fields,
        missing,
        document.get("separator"),
        document.get("reference_date"),
        document.get("sheet", ""),
        document.get("person", ""),
    )


def _forms(entry: Mapping[str, Any]) -> dict[str, str]:
    """Return the form of a field's dates, several as one text."""
    form = entry.get("format")
    return {"format": BETWEEN_FORMS.join(form)} if isinstance(form, list) else {}


def _problems(document: Mapping[str, Any]) -> list[str]:
    problems = [f"{_short(key)} is not a key of a mapping: {', '.join(_KEYS)}." for key in document if key not in _KEYS]
    if not _all_text(document.get("missing", [])):
        problems.append('missing must be a list of texts, such as missing = ["", "NA"].')
    separator = document.get("separator", ",")
    if not isinstance(separator, str) or len(separator) != 1:
        problems.append('separator must be one character in quotes, such as ";".')
    if type(document.get("reference_date", dt.date.min)) is not dt.date:
        problems.append("reference_date must be a date without quotes, such as 2020-04-01.")
    for key, example in (("sheet", "Visits"), ("person", "mrn")):
        if not isinstance(document.get(key, ""), str):
            problems.append(f'{key} must be a text in quotes, such as {key} = "{example}".')
    fields = document.get("fields", {})
    if not isinstance(fields, dict) or not all(isinstance(entry, dict) for entry in fields.values()):
        return [*problems, "fields must be tables, such as [fields.age] with column = ..."]
    for name, entry in fields.items():
        problems += _field_problems(f"fields.{_short(name)}", entry)
    return problems


def _field_problems(at: str, entry: Mapping[str, Any]) -> list[str]:
    problems = []
    for key, value in entry.items():
        if key not in _FIELD_KEYS:
            problems.append(f"{at}.{_short(key)} is not known; known: {', '.join(_FIELD_KEYS)}.")
        elif key == "codes":
            if not isinstance(value, dict) or not _all_text(list(value.values())):
                problems.append(f'{at}.codes must give texts, such as codes = {{ "1" = "M" }}.')
        elif key == "format" and isinstance(value, list):
            if not value or not _all_text(value):
                problems.append(f'{at}.format must be a text or a list of texts, such as ["%m/%d/%Y", "%Y"].')
        elif type(value) is not _FIELD_KEYS[key][0]:
            problems.append(f"{at}.{key} must be {_FIELD_KEYS[key][1]}.")
    width, top = entry.get("width", 1), entry.get("top", 0)
    widths = sorted(YEARS_IN_A_CLASS.values())
    if type(width) is int and width not in widths:
        problems.append(f"{at}.width must be {', '.join(map(str, widths[:-1]))} or {widths[-1]} years.")
    if type(top) is int and not 0 <= top <= OLDEST:
        problems.append(f"{at}.top must be an age from 0 to {OLDEST}.")
    return problems


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..."


def _all_text(values: object) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


# A file's classes as its mapping reads them: values with the same meaning are one value.


def mapped_fields(fields: Sequence[str], mapping: ColumnMapping) -> tuple[str, ...]:
    """Return the fields whose values the mapping may rename."""
    entries = {name: mapping.entry(name) for name in fields}
    return tuple(
        name for name, entry in entries.items() if entry and (entry.codes or known_field(name) in KNOWN_FIELDS)
    )


def field_meanings(name: str, values: Sequence[str], mapping: ColumnMapping) -> Reading:
    """Return the name that a mapping gives each value of a field, as its meaning; None is a missing value."""
    column = mapping.column(name)
    coded = [column.codes.get(text, text) for text in values]
    lost = [text in mapping.missing for text in coded]
    if known_field(name) not in KNOWN_FIELDS:
        texts = tuple(None if is_missing else text for text, is_missing in zip(coded, lost, strict=True))
        return Reading(name, texts)
    held = [text for text, is_missing in zip(values, lost, strict=True) if not is_missing]
    reading = read_field(name, column, held)
    read = (
        None if unknown else text if meaning is None else str(meaning)
        for meaning, unknown, text in zip(reading.meanings, reading.unknown, held, strict=True)
    )
    texts = tuple(None if is_missing else next(read) for is_missing in lost)
    unread = (f"{name}: values that are not understood and stay as they are written: {reading.unread:,}",)
    return Reading(reading.field, texts, notes=(*reading.notes, *(unread if reading.unread else ())))


def mapped_groups(
    classes: Classes, meanings: Mapping[str, Reading], also: Mapping[str, Reading] | None = None
) -> tuple[Classes, IntArray]:
    """Merge the classes that have the same values in a mapping; return also the merged class of each class.

    ``also`` has the names of a second file's values, so that both files get the same codes.
    """
    codes, values = classes.codes.copy(), list(classes.values)
    for at, name in enumerate(classes.fields):
        if name not in meanings:
            continue
        texts = meanings[name].meanings
        labels = sorted({str(text) for text in (*texts, *(also[name].meanings if also else ())) if text is not None})
        place: dict[Any, int] = {text: code for code, text in enumerate(labels, 1)} | {None: 0}
        codes[:, at] = np.array([0, *(place[text] for text in texts)], dtype=np.int32)[classes.codes[:, at]]
        values[at] = len(labels)
    return Classes(classes.fields, codes, classes.sizes, tuple(values)).merged(range(len(values)))


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


# Generalization hierarchies from CSV files, as ARX keeps them: a value, then its label at each level.


def read_hierarchy(path: Path) -> tuple[tuple[str, ...], ...]:
    """Return the rows of a hierarchy."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        rows = csv.reader(io.StringIO(text), delimiter=separator_of(text), strict=True)
        return tuple(tuple(row) for row in rows if row)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise SourceError(f"{path}: the hierarchy cannot be read ({reason}).") from error


# Read what a bit of each field is worth to a study, from a TOML file.


_FIELDS = {"sex": Field.GENDER, "gender": Field.GENDER, **{field.value: field for field in Field}}


def load_field_weights(path: Path) -> FieldWeights:
    """Read weights such as ``race = 2``; a field that the file does not name has the weight 1."""
    from policy_sim.model.explore.axes import FieldWeights

    document = read_toml_file(path)
    names = ", ".join(map(field_word, Field))
    problems = [f"{shortened(name)} is not a field. Use one of {names}." for name in document if name not in _FIELDS]
    worth: dict[Field, float] = {}
    for name, value in document.items():
        if name in _FIELDS and (
            isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > sys.float_info.max
        ):
            problems.append(f"{name} = {shown_value(value)} is not a number. Write a weight such as 1 or 0.5.")
        elif name in _FIELDS and _FIELDS[name] in worth:
            problems.append(f"{name} appears twice: sex and gender are the same field.")
        elif name in _FIELDS:
            worth[_FIELDS[name]] = float(value)
    if problems:
        raise SchemaError(str(path), problems)
    try:
        return FieldWeights(worth)
    except InputError as error:
        raise SchemaError(str(path), [str(error)]) from None
