"""The tables of the published lists: columns with their meaning, derived from the schema, and rows."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any

import pandas as pd

from policy_sim.files.evidence import CONFIDENCES, Source
from policy_sim.files.paths import data_dir
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

# What the last part of a column's name means, wherever it stands.
_MEANINGS: Mapping[str, str] = {
    "valid_from": "first day for which the facts hold",
    "valid_until": "first day for which they no longer hold; empty while they do",
    "status": "whether some buyer can get a list",
    "reason": "why there is none",
    "allowed": "who may have the list, or for what: words separated by spaces; nobody; or unknown",
    "confidence": "confidence in the value",
    "sources": "ids in sources.csv, separated by spaces",
    "availability": "whether a buyer gets the field; unknown if no source says",
    "wording": "what the list itself says, where that differs",
    "granularity": "how finely the list shows the field",
    "kind": "what kind of price",
    "usd": "US dollars; the part of a schedule that does not depend on the amount bought",
    "usd_per_record": "US dollars for each record beyond the free ones",
    "free_records": "records without a charge",
    "usd_per_county": "US dollars for each county bought",
    "usd_per_town": "US dollars for each town bought",
    "min_usd": "least total of a schedule, in US dollars",
    "max_usd": "largest total of a schedule, in US dollars",
    "quoted_usd": "the total of the schedule that a source quotes, in US dollars",
    "usd_by_buyer": "another amount for some buyers, by buyer",
    "date": "when the price was seen",
    "note": "remark",
    "quotes": "the prices printed for the list in price tables",
    "notes": "remarks",
    "mirror": "copies on private sites, with the site's own price",
    "preempted": "state rules that a court or another law overrides",
    "conflict": "disagreements between sources: the item, the chosen value, the other value, and why",
}
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
    """A table of the data set.

    Parameters
    ----------
    name : The file is ``name.csv``.
    title : What a row is.
    key : Columns that no two rows share.
    refers : Another table of which these columns name a row, by its name.
    notes : How the rows were made, one sentence or two each.
    sources : Titles of what they were made of, where no row names its own.
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


def _text(name: str, description: str, words: tuple[str, ...] = (), *, required: bool = False) -> PublishedColumn:
    return PublishedColumn(name, "string", description, words, required)


_STATE = _text("state", "postal code", required=True)
_VINTAGE = _text(
    "vintage", "year of the list; a year with -county is the list that counties or towns sell", required=True
)


def _lists(lists: Sequence[VoterList]) -> PublishedTable:
    columns = [_STATE, _VINTAGE]
    for path, info in column_fields():
        extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
        words = tuple(map(str, extra.get("words", ())))  # type: ignore[arg-type]
        kind = "object" if path in _ARRAYS_OF_NAMES else _TYPES[COLUMN_KINDS[path]]
        meaning = _MEANINGS.get(path.rsplit(".", 1)[-1], info.description or "")
        columns.append(PublishedColumn(path, kind, meaning, words, required=path in ("valid_from", "status")))
    rows = []
    for listed in lists:
        row = {name: cell for name, cell in to_row(listed).items() if name != "source"}
        unknown = {column.name: "unknown" for column in columns if column.name.endswith(".availability")}
        rows.append({**unknown, **row})
    return PublishedTable("lists", "one voter list of a state", tuple(columns), tuple(rows), ("state", "vintage"))


def _facts(lists: Sequence[VoterList]) -> PublishedTable:
    items = (*LIST_ITEMS, "preempted", "mirror")
    columns = (
        _text("fact", "state, vintage and item, with a number if there are several", required=True),
        _STATE,
        _VINTAGE,
        _text("item", "the item that the fact describes", items, required=True),
        _text("value", "the fact in words; unknown if no source says", required=True),
        _text("date", "newest date of its sources; undated; empty without sources"),
        _text("confidence", _MEANINGS["confidence"], CONFIDENCES),
        _text("sources", _MEANINGS["sources"]),
        _text("note", _MEANINGS["note"]),
    )
    rows: list[Mapping[str, str]] = []
    taken: dict[str, int] = {}
    for listed in lists:
        for fact in facts_of(listed):
            name = f"{fact.state}-{fact.vintage}-{fact.item}"
            taken[name] = taken.get(name, 0) + 1
            values = {column.name: getattr(fact, column.name) for column in columns[1:] if column.name != "sources"}
            number = f"-{taken[name]}" if taken[name] > 1 else ""
            rows.append({"fact": name + number, **values, "sources": " ".join(fact.sources)})
    refers = {"lists": ("state", "vintage")}
    return PublishedTable("facts", "one fact of one list", columns, tuple(rows), ("fact",), refers)


def _sources(lists: Sequence[VoterList]) -> PublishedTable:
    columns = (
        _text("id", "short name, by which facts cite the source", required=True),
        _text("title", "title", required=True),
        _text("date", "newest date that it covers: a year, month or day; or undated"),
        _text("url", "address"),
        _text("also", "other addresses, separated by spaces"),
        _text("note", "how it was read, or how reliable it is"),
        PublishedColumn("facts", "integer", "facts that cite it", required=True),
    )
    cited = [name for listed in lists for fact in facts_of(listed) for name in fact.sources]
    rows = tuple(
        {**asdict(source), "also": " ".join(source.also), "facts": str(cited.count(source.id))}
        for source in published_sources(lists)
    )
    return PublishedTable("sources", "one document", columns, rows, ("id",))


def _changes(lists: Sequence[VoterList]) -> PublishedTable:
    columns = (
        _text("from", "the earlier vintage", required=True),
        _text("to", "the later vintage", required=True),
        _STATE,
        _text("item", "what changed", required=True),
        _text("before", "the fact of the earlier list", required=True),
        _text("after", "the fact of the later list", required=True),
        _text(
            "change",
            "whether the list changed, or only what is known about it",
            ("changed", "became known", "became unknown"),
            required=True,
        ),
        _text("cause", "law: the state changed it; source: the sources tell more or less of it", CAUSES, required=True),
        _text("why", "what is recorded of the cause, or of sources that disagree about the later fact"),
    )
    recorded = load_list_changes()
    years = sorted({listed.vintage for listed in lists if listed.vintage.isdigit()})
    rows: list[Mapping[str, str]] = []
    for before, after in pairwise(years):
        old, new = ({entry.state: entry for entry in lists if entry.vintage == year} for year in (before, after))
        differences = diff_frame(old, new, recorded).to_dict("records")
        rows += [
            {"from": before, "to": after, **{str(key): str(cell) for key, cell in row.items()}} for row in differences
        ]
    key = ("from", "to", "state", "item")
    return PublishedTable("changes", "one difference between two vintages of a state's list", columns, tuple(rows), key)


def _coding() -> PublishedTable:
    columns = (
        _STATE,
        _VINTAGE,
        _text("item", "the item that the fact describes", LIST_ITEMS, required=True),
        _text("first", "code of the first coding when the two were compared", required=True),
        _text("second", "code of the second coding", required=True),
        _text("basis", "the basis of the second code", ("table", "finding", "note", "nothing")),
        _text("note", _MEANINGS["note"]),
        _text("decision", "the decision if the two differ", ("mended", "kept")),
        _text("reason", "why"),
    )
    first = {fact.key: fact.code for fact in read_coding(shipped_coding("first"))}
    decided = read_decisions()
    rows = []
    for fact in read_coding(shipped_coding("second")):
        decision, reason = decided.get(fact.key, ("", ""))
        row = {**asdict(fact), "first": first[fact.key], "second": fact.code, "decision": decision, "reason": reason}
        rows.append({column.name: row[column.name] for column in columns})
    key, refers = ("state", "vintage", "item"), {"lists": ("state", "vintage")}
    return PublishedTable("coding", "one fact that was coded twice", columns, tuple(rows), key, refers)


def _records() -> PublishedTable:
    meanings = {
        "registered": "records on the lists of the state's counties",
        "active": "active records; empty where no county reported them",
        "inactive": "inactive records; empty where no county reported them",
    }
    columns = (
        _STATE,
        PublishedColumn("year", "integer", "the year of the November election", required=True),
        PublishedColumn("counties", "integer", "counties that reported records; Alaska reports one number"),
        *(PublishedColumn(name, "integer", meaning) for name, meaning in meanings.items()),
    )
    counts, rows = load_registration(), []
    for year in counts.years:
        for state, row in counts.by_state(year).iterrows():
            numbers = {"year": year, **row[["counties", *meanings]]}
            rows.append({"state": str(state)} | {name: "" if pd.isna(n) else str(n) for name, n in numbers.items()})
    title, sources = "the records on a state's lists at one election", tuple(counts.sources.values())
    return PublishedTable("records", title, columns, tuple(rows), ("state", "year"), sources=sources)


# ``datapackage.json`` and the codebook: the description of the published tables, made from their columns.
#
# References
# ----------
# Frictionless Data Package and Table Schema, version 1, https://specs.frictionlessdata.io


NAME = "us-voter-list-policies"
TITLE = "What a buyer of each US state's voter list gets, pays and may do with it"
LICENSE = {
    "name": "Apache-2.0",
    "path": "https://www.apache.org/licenses/LICENSE-2.0",
    "title": "Apache License 2.0",
}


def data_package(
    tables: Sequence[PublishedTable], contents: Mapping[str, bytes], sources: Sequence[Source], version: str
) -> bytes:
    """Return the description of the package: one resource per table, with its schema, size and sha256."""
    package = {
        "profile": "tabular-data-package",
        "name": NAME,
        "title": TITLE,
        "description": "One row per list, and one per fact with its sources, date and confidence. See method.md.",
        "version": version,
        "licenses": [LICENSE],
        "contributors": [{"title": "The policy_sim authors", "role": "author"}],
        "keywords": ["voter registration", "public records", "privacy", "re-identification", "United States"],
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
