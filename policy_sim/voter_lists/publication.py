"""The tables of the published lists: columns with their meaning, derived from the schema, and rows."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any

import pandas as pd

from policy_sim.files.evidence import CONFIDENCES, Source
from policy_sim.files.paths import data_dir
from policy_sim.files.toml import shipped_table
from policy_sim.files.writing import sha256_of
from policy_sim.voter_lists.changes import CAUSES
from policy_sim.voter_lists.coding import read_coding, read_decisions, shipped_coding
from policy_sim.voter_lists.exchange import COLUMN_KINDS, column_fields, to_row
from policy_sim.voter_lists.facts import diff_frame, facts_of
from policy_sim.voter_lists.files import load_list_changes
from policy_sim.voter_lists.list_field import LIST_ITEMS
from policy_sim.voter_lists.registration import load_registration
from policy_sim.voter_lists.voter_list import VoterList
from policy_sim.words.text import safe_text

_TYPES = {"text": "string", "words": "string", "day": "date", "number": "number", "json": "array"}
_ARRAYS_OF_NAMES = ("price.usd_by_buyer",)


@dataclass(frozen=True)
class PublishedColumn:
    """A column: its name, type (of Frictionless Table Schema), meaning, and allowed words where they are closed."""

    name: str
    type: str
    description: str
    words: tuple[str, ...] = ()
    required: bool = False


@dataclass(frozen=True)
class PublishedTable:
    """A table of the data set, the file ``name.csv``; its title says what a row is.

    No two rows share their ``key``; ``refers`` names other tables, with the columns that name a row of each. ``notes``
    say how the rows were made, one sentence or two each, and ``sources`` of what, where no row names its own.
    """

    name: str
    title: str
    columns: tuple[PublishedColumn, ...]
    rows: tuple[Mapping[str, str], ...]
    key: tuple[str, ...] = ()
    refers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()

    def as_csv(self) -> bytes:
        """Return the table as CSV in UTF-8, the same bytes each time; no cell is a formula."""
        text = io.StringIO()
        writer = csv.DictWriter(text, [column.name for column in self.columns], lineterminator="\n", restval="")
        writer.writeheader()
        writer.writerows({name: safe_text(cell) for name, cell in row.items()} for row in self.rows)
        return text.getvalue().encode()


def published_tables(lists: Sequence[VoterList]) -> tuple[PublishedTable, ...]:
    """Return the tables: lists, facts, sources, changes between vintages, the second coding, and counts of records."""
    return (_lists(lists), _facts(lists), _sources(lists), _changes(lists), _coding(), _records())


def published_sources(lists: Iterable[VoterList]) -> list[Source]:
    """Return every source that a list cites, each once, by its short name."""
    by_name = {name: source for listed in lists for name, source in listed.sources.items()}
    return [by_name[name] for name in sorted(by_name)]


@cache
def published() -> Mapping[str, Any]:
    """Return what ``published.toml`` says of the data set, of each table, and of the keys of a list's file."""
    return shipped_table("list_coding/published.toml")


# The closed words of columns that the program knows.
_KNOWN_WORDS: Mapping[tuple[str, str], Sequence[str]] = {
    ("facts", "item"): (*LIST_ITEMS, "preempted", "mirror"),
    ("facts", "confidence"): CONFIDENCES,
    ("changes", "cause"): CAUSES,
    ("coding", "item"): LIST_ITEMS,
}


def _columns(table: str) -> tuple[PublishedColumn, ...]:
    return tuple(
        PublishedColumn(
            entry["name"],
            entry.get("type", "string"),
            entry["description"],
            tuple(_KNOWN_WORDS.get((table, entry["name"]), entry.get("words", ()))),
            entry.get("required", False),
        )
        for entry in published()[table]["columns"]
    )


def _table(
    name: str,
    rows: Iterable[Mapping[str, str]],
    more: Sequence[PublishedColumn] = (),
    sources: tuple[str, ...] = (),
) -> PublishedTable:
    """Return a table with the cells of its columns, in their order, of each row; ``more`` columns follow its own."""
    about, columns = published()[name], (*_columns(name), *more)
    refers = {other: tuple(key) for other, key in about.get("refers", {}).items()}
    names = [column.name for column in columns]
    cells = tuple({column: row[column] for column in names if column in row} for row in rows)
    return PublishedTable(name, about["title"], columns, cells, tuple(about["key"]), refers, sources=sources)


def _lists(lists: Sequence[VoterList]) -> PublishedTable:
    keys, meanings = [], published()["meanings"]
    for path, info in column_fields():
        extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
        words = tuple(map(str, extra.get("words", ())))  # type: ignore[arg-type]
        kind = "object" if path in _ARRAYS_OF_NAMES else _TYPES[COLUMN_KINDS[path]]
        meaning = meanings.get(path.rsplit(".", 1)[-1], info.description or "")
        keys.append(PublishedColumn(path, kind, meaning, words, required=path in ("valid_from", "status")))
    unknown = {column.name: "unknown" for column in keys if column.name.endswith(".availability")}
    return _table("lists", [unknown | to_row(listed) for listed in lists], keys)


def _facts(lists: Sequence[VoterList]) -> PublishedTable:
    rows: list[Mapping[str, str]] = []
    taken: dict[str, int] = {}
    for fact in (fact for listed in lists for fact in facts_of(listed)):
        name = f"{fact.state}-{fact.vintage}-{fact.item}"
        taken[name] = taken.get(name, 0) + 1
        number = f"-{taken[name]}" if taken[name] > 1 else ""
        rows.append({**asdict(fact), "fact": name + number, "sources": " ".join(fact.sources)})
    return _table("facts", rows)


def _sources(lists: Sequence[VoterList]) -> PublishedTable:
    cited = [name for listed in lists for fact in facts_of(listed) for name in fact.sources]
    rows = (
        {**asdict(source), "also": " ".join(source.also), "facts": str(cited.count(source.id))}
        for source in published_sources(lists)
    )
    return _table("sources", rows)


def _changes(lists: Sequence[VoterList]) -> PublishedTable:
    recorded = load_list_changes()
    years = sorted({listed.vintage for listed in lists if listed.vintage.isdigit()})
    rows: list[Mapping[str, str]] = []
    for before, after in pairwise(years):
        old, new = ({entry.state: entry for entry in lists if entry.vintage == year} for year in (before, after))
        differences = diff_frame(old, new, recorded).to_dict("records")
        rows += [
            {"from": before, "to": after, **{str(key): str(cell) for key, cell in row.items()}} for row in differences
        ]
    return _table("changes", rows)


def _coding() -> PublishedTable:
    first = {fact.key: fact.code for fact in read_coding(shipped_coding("first"))}
    decided = read_decisions()
    rows = []
    for fact in read_coding(shipped_coding("second")):
        decision, reason = decided.get(fact.key, ("", ""))
        codes = {"first": first[fact.key], "second": fact.code, "decision": decision, "reason": reason}
        rows.append(asdict(fact) | codes)
    return _table("coding", rows)


def _records() -> PublishedTable:
    counts, rows = load_registration(), []
    for year in counts.years:
        for state, row in counts.by_state(year).iterrows():
            numbers = {"year": year, **row}
            rows.append({"state": str(state)} | {name: "" if pd.isna(n) else str(n) for name, n in numbers.items()})
    return _table("records", rows, sources=tuple(counts.sources.values()))


# ``datapackage.json`` and the codebook: the description of the published tables, made from their columns.
#
# References
# ----------
# Frictionless Data Package and Table Schema, version 1, https://specs.frictionlessdata.io


def data_package(
    tables: Sequence[PublishedTable], contents: Mapping[str, bytes], sources: Sequence[Source], version: str
) -> bytes:
    """Return the description of the package: one resource per table, with its schema, size and sha256."""
    package = published()["package"] | {
        "version": version,
        "sources": [{"title": source.title} | ({"path": source.url} if source.url else {}) for source in sources],
        "resources": [_resource(table, contents[f"{table.name}.csv"]) for table in tables],
    }
    return (json.dumps(package, indent=2, ensure_ascii=False) + "\n").encode()


def codebook_csv(tables: Sequence[PublishedTable]) -> bytes:
    """Return one row per column of every table."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["file", "column", "type", "required", "values", "description"])
    for table in tables:
        for column in table.columns:
            required = "yes" if column.required else "no"
            words = " | ".join(column.words)
            writer.writerow([f"{table.name}.csv", column.name, column.type, required, words, column.description])
    return text.getvalue().encode()


def codebook_page(tables: Sequence[PublishedTable]) -> bytes:
    """Return the codebook as a page: one table per file."""
    parts = ["# Codebook\n", "An empty cell means that no source gives a value. `unknown` is a value.\n"]
    for table in tables:
        key = f" Key: {', '.join(table.key)}." if table.key else ""
        parts += [f"## {table.name}.csv\n", f"A row is {table.title}; {len(table.rows):,} rows.{key}\n"]
        lines = ["| column | type | values | meaning |", "|---|---|---|---|"]
        lines += [_line(column) for column in table.columns]
        parts.append("\n".join(lines) + "\n")
        for head, words in (("How the rows were made", table.notes), ("Sources", table.sources)):
            if words:
                parts.append("\n".join([f"{head}:\n", *(f"* {line}" for line in words)]) + "\n")
    return "\n".join(parts).encode()


def _line(column: PublishedColumn) -> str:
    return f"| `{column.name}` | {column.type} | {', '.join(column.words)} | {column.description} |"


def _resource(table: PublishedTable, content: bytes) -> dict[str, Any]:
    described: dict[str, Any] = {"description": " ".join(f"{note}." for note in table.notes)} if table.notes else {}
    if table.sources:
        described["sources"] = [{"title": title} for title in table.sources]
    return {
        "profile": "tabular-data-resource",
        "name": table.name,
        "title": f"{table.name}: a row is {table.title}",
        "path": f"{table.name}.csv",
        "scheme": "file",
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "bytes": len(content),
        "hash": f"sha256:{sha256_of(content)}",
        "schema": _schema(table),
        **described,
    }


def _schema(table: PublishedTable) -> dict[str, Any]:
    schema: dict[str, Any] = {"fields": [_field(column) for column in table.columns], "missingValues": [""]}
    if table.key:
        schema["primaryKey"] = list(table.key)
    if table.refers:
        schema["foreignKeys"] = [
            {"fields": list(columns), "reference": {"resource": name, "fields": list(columns)}}
            for name, columns in table.refers.items()
        ]
    return schema


def _field(column: PublishedColumn) -> dict[str, Any]:
    constraints: dict[str, Any] = {"required": True} if column.required else {}
    if column.words:
        constraints["enum"] = list(column.words)
    descriptor = {"name": column.name, "type": column.type, "description": column.description}
    return descriptor | ({"constraints": constraints} if constraints else {})


def model_entries(version: str) -> str:
    """Return, as BibTeX, the program and the two papers whose model it computes: what every answer rests on."""
    return (data_dir() / "policy_sim.bib").read_text(encoding="utf-8").replace("VERSION", version)
