"""Read a column mapping: which column of a file is which field, and what its codes mean."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from policy_sim.errors import SchemaError
from policy_sim.io.toml_files import read_toml_file
from policy_sim.population.visible_ages import YEARS_IN_A_CLASS
from policy_sim.records.column_mapping import ColumnMapping, FieldColumn

__all__ = ["MOST_PROBLEMS", "load_mapping"]

MOST_PROBLEMS = 20
_LONGEST = 60  # letters of a key in a message
_OLDEST = 125
_KEYS = ("separator", "missing", "reference_date", "sheet", "person", "fields")
_FIELD_KEYS: Mapping[str, tuple[type, str]] = {
    "column": (str, "a text in quotes"),
    "codes": (dict, ""),
    "format": (str, "a text in quotes"),
    "width": (int, "a whole number"),
    "top": (int, "a whole number"),
}


def load_mapping(path: Path) -> ColumnMapping:
    """Read a column mapping.

    Raises
    ------
    SchemaError : the file is not a mapping; lists the first problems and counts the others.
    """
    document = read_toml_file(path)
    problems = _problems(document)
    if len(problems) > MOST_PROBLEMS:
        problems = [*problems[:MOST_PROBLEMS], f"and {len(problems) - MOST_PROBLEMS:,} more problems."]
    if problems:
        raise SchemaError(str(path), problems)
    fields = {name: FieldColumn(**{"column": name, **entry}) for name, entry in document.get("fields", {}).items()}
    missing = tuple(dict.fromkeys(("", *document.get("missing", ()))))
    return ColumnMapping(
        fields,
        missing,
        document.get("separator"),
        document.get("reference_date"),
        document.get("sheet", ""),
        document.get("person", ""),
    )


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
        elif type(value) is not _FIELD_KEYS[key][0]:
            problems.append(f"{at}.{key} must be {_FIELD_KEYS[key][1]}.")
    width, top = entry.get("width", 1), entry.get("top", 0)
    widths = sorted(YEARS_IN_A_CLASS.values())
    if type(width) is int and width not in widths:
        problems.append(f"{at}.width must be {', '.join(map(str, widths[:-1]))} or {widths[-1]} years.")
    if type(top) is int and not 0 <= top <= _OLDEST:
        problems.append(f"{at}.top must be an age from 0 to {_OLDEST}.")
    return problems


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..."


def _all_text(values: object) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)
