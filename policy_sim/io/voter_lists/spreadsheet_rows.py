"""Voter lists as rows of a spreadsheet: one row per list, one column per key of the schema.

A column is the path of a key, such as ``fields.birth.granularity``. Arrays of tables are JSON in one
cell. Scenarios are rules over years and stay out.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from policy_sim.io.toml_table import json_value, shortened
from policy_sim.io.voter_lists.document import list_table, state_document, with_days
from policy_sim.io.voter_lists.schema import ListTable
from policy_sim.voter_lists.voter_list import VoterList

__all__ = ["COLUMNS", "COLUMN_KINDS", "column_fields", "from_row", "to_row"]

_NOBODY = "nobody"  # an empty list of those allowed; an empty cell says nothing


def column_fields(model: type[BaseModel] = ListTable, at: str = "") -> Iterator[tuple[str, FieldInfo]]:
    """Yield each column of a table of the schema, with the field of the schema that it is."""
    fields = sorted(model.model_fields.items(), key=lambda item: item[0] in ("confidence", "sources"))
    for name, info in fields:
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
            problems.append(f"{path} = {shortened(cell)!r} cannot be read; compare with a row of 'lists export'.")
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
        return with_days(json_value(cell))
    if kind == "day":
        return dt.date.fromisoformat(cell)
    if kind == "number":
        return float(cell)
    if kind == "words" and cell != "unknown":
        return [] if cell == _NOBODY else cell.split()
    return cell
