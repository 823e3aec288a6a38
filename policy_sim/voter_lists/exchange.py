"""Voter lists as rows of a spreadsheet: one row per list, one column per key of the schema.

A column is the path of a key, such as ``fields.birth.granularity``. Arrays of tables are JSON in one
cell. Scenarios are rules over years and stay out.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from policy_sim.files.evidence import Source
from policy_sim.files.toml import json_value, not_toml, shortened, toml_table
from policy_sim.voter_lists.facts import conflicts_frame, facts_frame, lists_frame, sources_frame
from policy_sim.voter_lists.files import overlaps, shared_sources
from policy_sim.voter_lists.schema import (
    ListTable,
    evidence_last,
    list_table,
    parse_voter_lists,
    state_document,
    with_days,
)
from policy_sim.voter_lists.voter_list import VINTAGE, VoterList
from policy_sim.words.errors import InputError, SchemaError
from policy_sim.words.states import STATES
from policy_sim.words.text import csv_text, original_text

_NOBODY = "nobody"  # an empty list of those allowed; an empty cell says nothing


def column_fields(model: type[BaseModel] = ListTable, at: str = "") -> Iterator[tuple[str, FieldInfo]]:
    """Yield each column of a table of the schema, with the field of the schema that it is."""
    for name, info in evidence_last(model):
        path = f"{at}{info.alias or name}"
        if isinstance(info.annotation, type) and issubclass(info.annotation, BaseModel):
            yield from column_fields(info.annotation, f"{path}.")
        else:
            yield path, info


def _kind(annotation: str, path: str) -> str:
    if "Table" in annotation or annotation.startswith("dict") or path == "notes":
        return "json"
    if "list[" in annotation:
        return "words"
    return "day" if "date" in annotation else "number" if "float" in annotation else "text"


# How the cells of each column are written: json, words, day, number or text.
COLUMN_KINDS: Mapping[str, str] = {
    "state": "text",
    "vintage": "text",
    **{path: _kind(str(info.annotation), path) for path, info in column_fields()},
    "source": "json",
}

# Every column that a spreadsheet of lists may have, in order.
COLUMNS = tuple(COLUMN_KINDS)


def to_row(listed: VoterList) -> dict[str, str]:
    """Return one list as the cells of a row, by column; what is not known has no cell."""
    sources = state_document([listed])["source"]
    row = {"state": listed.state, "vintage": listed.vintage}
    for path, value in _flat({**list_table(listed), "source": sources}):
        row[path] = _cell(path, value)
    return row


def from_row(row: Mapping[str, str], problems: list[str]) -> dict[str, Any]:
    """Return the document of a row; cells that cannot be read are added to ``problems``."""
    document: dict[str, Any] = {"buyers": {"allowed": "unknown"}, "uses": {"allowed": "unknown"}}
    for path, cell in row.items():
        if not cell or path in ("state", "vintage"):
            continue
        try:
            value = _value(path, cell.strip())
        except ValueError:
            problems.append(f"{path} = {shortened(cell)!r} cannot be read; compare with a row of 'dev lists export'.")
            continue
        *parents, key = path.split(".")
        place = document
        for parent in parents:
            place = place.setdefault(parent, {})
        place[key] = value
    return {
        "state": row.get("state", ""),
        row.get("vintage", ""): {key: value for key, value in document.items() if key != "source"},
        "source": document.get("source", []),
    }


def _flat(document: Mapping[str, Any], at: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in document.items():
        path = f"{at}{key}"
        if isinstance(value, Mapping) and path not in COLUMN_KINDS:
            yield from _flat(value, f"{path}.")
        else:
            yield path, value


def _cell(path: str, value: Any) -> str:
    if COLUMN_KINDS[path] == "json":
        return json.dumps(value, ensure_ascii=False, default=str)
    if isinstance(value, list):
        return " ".join(value) or _NOBODY
    return repr(value) if isinstance(value, float) else str(value)


def _value(path: str, cell: str) -> Any:
    kind = COLUMN_KINDS[path]
    if kind == "json":
        return json_value(cell, with_days)
    if kind == "day":
        return dt.date.fromisoformat(cell)
    if kind == "number":
        return float(cell)
    if kind == "words" and cell != "unknown":
        return [] if cell == _NOBODY else cell.split()
    return cell


# Voter lists in and out: CSV, JSON and spreadsheets out; TOML, CSV and JSON in.


def as_csv(lists: Iterable[VoterList]) -> str:
    """Return the lists as CSV that :func:`read_lists` takes back without loss; one row per list.

    A text that a spreadsheet would run as a formula has an apostrophe in front, which reading takes off.
    """
    rows = (to_row(listed) for listed in lists if not listed.is_scenario)
    return csv_text(COLUMNS, ([row.get(name, "") for name in COLUMNS] for row in rows))


def as_json(lists: Sequence[VoterList]) -> str:
    """Return the lists as JSON that :func:`read_lists` takes back: for each state the tables of its file."""
    states = dict.fromkeys(listed.state for listed in lists)
    documents = [state_document([entry for entry in lists if entry.state == state]) for state in states]
    return json.dumps(documents, ensure_ascii=False, indent=1, default=str) + "\n"


def write_workbook(lists: Sequence[VoterList], path: Path) -> None:
    """Write a workbook: one sheet each for lists, facts, conflicts and sources."""
    import xlsxwriter

    frames = {
        "lists": lists_frame(lists),
        "facts": facts_frame(lists),
        "conflicts": conflicts_frame(lists),
        "sources": sources_frame(lists),
    }
    content = io.BytesIO()  # whole in memory first: a full disk then fails in one place, which we report
    options = {"in_memory": True, "strings_to_urls": False, "strings_to_formulas": False}
    with xlsxwriter.Workbook(content, options) as book:
        book.set_properties({"created": dt.datetime(2000, 1, 1, tzinfo=dt.UTC).replace(tzinfo=None)})
        head = book.add_format({"bold": True})
        for name, frame in frames.items():
            sheet = book.add_worksheet(name)
            sheet.freeze_panes(1, 2)
            sheet.write_row(0, 0, list(frame.columns), head)
            for number, row in enumerate(frame.itertuples(index=False), 1):
                sheet.write_row(number, 0, list(row))
            sheet.autofilter(0, 0, len(frame), len(frame.columns) - 1)
            sheet.autofit(400)
    path.write_bytes(content.getvalue())


def read_lists(path: Path) -> list[VoterList]:
    """Return the lists of a state's TOML file, or of the CSV or JSON that an export wrote."""
    reader = _READERS.get(path.suffix)
    if reader is None:
        raise InputError(f"{path}: an import is a state's .toml file, or the .csv or .json of 'dev lists export'.")
    problems: list[str] = []
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read as text ({getattr(error, 'strerror', '') or error}).") from error
    lists = reader(text, shared_sources(path.parent), problems)
    for state in dict.fromkeys(listed.state for listed in lists):
        years = {entry.vintage: entry for entry in lists if entry.state == state and entry.vintage.isdigit()}
        problems += [f"{state} {text}" for text in overlaps(years.values())]
    if problems:
        raise SchemaError(str(path), problems)
    return lists


def _from_toml(text: str, shared: Mapping[str, Source], problems: list[str]) -> list[VoterList]:
    try:
        raw = toml_table(text)
    except tomllib.TOMLDecodeError as error:
        problems.append(f"{not_toml(error, text)}. Compare with _template.toml.")
        return []
    return _parse(raw, shared, problems)


def _from_json(text: str, shared: Mapping[str, Source], problems: list[str]) -> list[VoterList]:
    try:
        documents = json_value(text, with_days)
    except ValueError as error:
        problems.append(f"is not JSON: {error}.")
        return []
    if not isinstance(documents, list) or not all(isinstance(item, dict) for item in documents) or not documents:
        problems.append("has no lists. Use an array of states, as policy-sim dev lists export writes it in JSON.")
        return []
    lists: list[VoterList] = []
    for document in documents:
        messages: list[str] = []
        lists += _parse(document, shared, messages)
        problems += [f"{shortened(str(document.get('state', '')))} {problem}" for problem in messages]
    return lists


def _from_csv(text: str, shared: Mapping[str, Source], problems: list[str]) -> list[VoterList]:
    reader = csv.DictReader(io.StringIO(text))
    try:
        names = list(reader.fieldnames or ())
        rows = list(reader)
    except csv.Error as error:
        problems.append(f"is not CSV: {error}, line {reader.line_num}.")
        return []
    if not rows or "state" not in names or "vintage" not in names:
        problems.append(
            "has no lists. The first line must name the columns, separated by commas, including state and vintage."
        )
        return []
    problems += [
        f"column {shortened(name)!r} is not one of 'dev lists export'; remove it."
        for name in names
        if name not in COLUMNS
    ]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    problems += [f"column {name!r} appears twice. Keep one." for name in twice]
    lists: list[VoterList] = []
    seen: set[tuple[str, str]] = set()
    for number, row in enumerate(rows, 2):
        messages: list[str] = []
        if None in row:
            messages.append("has more cells than the first line has columns.")
        key = (row["state"] or "", row["vintage"] or "")
        if key in seen:
            messages.append("appears twice. Use one row per state and vintage.")
        seen.add(key)
        lists += _from_cells(
            {name: original_text(row[name] or "") for name in COLUMNS if name in row}, shared, messages
        )
        problems += [f"line {number} ({shortened(' '.join(key))}): {problem}" for problem in messages]
    return lists


def _from_cells(cells: Mapping[str, str], shared: Mapping[str, Source], problems: list[str]) -> list[VoterList]:
    if not VINTAGE.fullmatch(cells["vintage"]):
        problems.append(f"vintage = {shortened(cells['vintage'])!r} is not a year of four digits, such as 2026.")
        return []
    return _parse(from_row(cells, problems), shared, problems)


def _parse(raw: dict[str, Any], shared: Mapping[str, Source], problems: list[str]) -> list[VoterList]:
    state = str(raw.get("state", ""))
    if state not in STATES or state == "PR":
        problems.append(f"state = {shortened(state)!r} is not a state's postal code in capitals, such as OH.")
        return []
    return list(parse_voter_lists(raw, state, shared, problems).values())


_READERS: Mapping[str, Callable[[str, Mapping[str, Source], list[str]], list[VoterList]]] = {
    ".toml": _from_toml,
    ".csv": _from_csv,
    ".json": _from_json,
}
