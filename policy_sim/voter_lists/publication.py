"""The published lists: tables whose columns are those of the schema, their codebook and pages, and the whole folder."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd

from policy_sim.files.evidence import CONFIDENCES, Source
from policy_sim.files.paths import data_dir
from policy_sim.files.toml import shipped_table
from policy_sim.files.writing import replace_folder, sha256_of
from policy_sim.voter_lists.changes import CAUSES
from policy_sim.voter_lists.coding import agreement_frame, fact_keys, read_coding, read_decisions, shipped_coding
from policy_sim.voter_lists.exchange import COLUMN_KINDS, as_json, column_fields, to_row
from policy_sim.voter_lists.facts import diff_frame, facts_of
from policy_sim.voter_lists.files import load_list_changes
from policy_sim.voter_lists.list_field import LIST_ITEMS
from policy_sim.voter_lists.registration import load_registration
from policy_sim.voter_lists.voter_list import VoterList
from policy_sim.words.errors import InputError
from policy_sim.words.text import csv_text

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
        names = [column.name for column in self.columns]
        return csv_text(names, ([row.get(name, "") for name in names] for row in self.rows)).encode()


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
    rows = (
        (
            *(f"{table.name}.csv", column.name, column.type, "yes" if column.required else "no"),
            *(" | ".join(column.words), column.description),
        )
        for table in tables
        for column in table.columns
    )
    return csv_text(["file", "column", "type", "required", "values", "description"], rows).encode()


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


# ``method.md``, ``CHANGES.md`` and ``CITATION.cff``.


def method_page(tables: Sequence[PublishedTable], agreement: pd.DataFrame, version: str, facts_in_all: int) -> bytes:
    """Return the page on how the data set was made and how well two codings agree, of all facts that could be coded."""
    rows = {table.name: table.rows for table in tables}
    lines = [_agreement_line(row) for row in agreement.to_dict("records")]
    basis = Counter(row["basis"] for row in rows["coding"])
    decided = Counter(row["decision"] for row in rows["coding"] if row["decision"])
    return (
        _text("method")
        .format(
            title=published()["package"]["title"],
            lists=len(rows["lists"]),
            facts=len(rows["facts"]),
            sources=len(rows["sources"]),
            version=version,
            coded=len(rows["coding"]),
            share=len(rows["coding"]) / facts_in_all,
            by_rule=basis["table"],
            by_reading=basis["note"] + basis["finding"],
            nothing=basis["nothing"],
            agreement="\n".join(lines),
            decided=", ".join(f"{many} {word}" for word, many in sorted(decided.items())) or "none differ",
        )
        .encode()
    )


def _agreement_line(row: Mapping[Hashable, Any]) -> str:
    kappa = "not defined" if pd.isna(row["kappa"]) else f"{row['kappa']:.3f}"
    return f"| {row['item']} | {row['facts']} | {row['agree_share']:.1%} | {row['by_chance']:.1%} | {kappa} |"


def changes_page(changes: PublishedTable) -> bytes:
    """Return what changed between vintages, counted by item; changes.csv has every change."""
    counts = Counter((row["from"], row["to"], row["item"], row["change"]) for row in changes.rows)
    kinds = ("changed", "became known", "became unknown")
    parts = ["# Changes between vintages\n", "`changes.csv` has every change with both values.\n"]
    for before, after in dict.fromkeys((row["from"], row["to"]) for row in changes.rows):
        items = sorted({item for first, last, item, _ in counts if (first, last) == (before, after)})
        lines = ["| item | changed | became known | became unknown |", "|---|---:|---:|---:|"]
        lines += [
            f"| {item} | " + " | ".join(str(counts[before, after, item, kind]) for kind in kinds) + " |"
            for item in items
        ]
        parts += [f"## {before} to {after}\n", "\n".join(lines) + "\n"]
    return "\n".join(parts).encode()


def citation(version: str) -> bytes:
    """Return how to cite the data set, in the Citation File Format."""
    about = published()["package"]
    return _text("citation").format(title=about["title"], name=about["name"], version=version).encode()


def _text(name: str) -> str:
    return (data_dir() / "list_coding" / f"{name}.txt").read_text(encoding="utf-8")


# Sources as BibTeX.


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
_TO_ESCAPE = re.compile("|".join(map(re.escape, _SPECIAL)))
_UNDATED = "undated"


def bibtex(sources: Iterable[Source]) -> str:
    r"""Return one entry per source, in the order given; their short names are the keys, each once.

    >>> print(bibtex([Source("law-1", "Law & order", "https://example.org/a_b", "2026-05")]))
    @misc{law-1,
      title = {{Law \& order}},
      year = {2026},
      month = may,
      url = {https://example.org/a_b}
    }
    <BLANKLINE>
    """
    by_key = {source.id: source for source in sources}
    return "\n".join(_entry(source) for source in by_key.values())


def _entry(source: Source) -> str:
    facts = [f"title = {{{{{_escaped(source.title)}}}}}", *_date(source.date)]
    if source.url:
        facts.append(f"url = {{{_address(source.url)}}}")
    notes = [source.note, *(f"Also at {url}" for url in source.also)]
    if note := ". ".join(text.rstrip(".") for text in notes if text):
        facts.append(f"note = {{{_escaped(note)}}}")
    return f"@misc{{{source.id},\n  " + ",\n  ".join(facts) + "\n}\n"


def _date(date: str) -> list[str]:
    """Return year, month and day as far as they are known."""
    if date == _UNDATED or not date:
        return ["year = {n.d.}"]
    year, *rest = date.split("-")
    parts = [f"year = {{{year}}}"]
    if rest:
        parts.append(f"month = {_MONTHS[int(rest[0]) - 1]}")
    return parts + ([f"day = {{{int(rest[1])}}}"] if len(rest) > 1 else [])


def _escaped(text: str) -> str:
    return _TO_ESCAPE.sub(lambda match: _SPECIAL[match[0]], " ".join(text.split()))


def _address(url: str) -> str:
    """Return an address without what would end the entry; BibTeX takes the rest as it is."""
    return url.replace("{", "%7B").replace("}", "%7D").replace("\\", "%5C")


# The data set as a folder: every file made in memory, then written whole or not at all.


CHECKSUMS = "SHA256SUMS"
_PACKAGE = "datapackage.json"


def publication(lists: Sequence[VoterList], others: Sequence[PublishedTable] = ()) -> dict[str, bytes]:
    """Return every file of the data set of :func:`~policy_sim.voter_lists.files.described_lists`, by name.

    ``others`` are tables that are published with them. The same lists and tables give the same bytes.
    """
    tables, sources = (*published_tables(lists), *others), published_sources(lists)
    version = _version(lists, others)
    first = {fact.key: fact.code for fact in read_coding(shipped_coding("first"))}
    agreement = agreement_frame(first, read_coding(shipped_coding("second")))
    contents = {f"{table.name}.csv": table.as_csv() for table in tables}
    contents["codebook.csv"] = codebook_csv(tables)
    contents["codebook.md"] = codebook_page(tables)
    contents["method.md"] = method_page(tables, agreement, version, len(fact_keys(lists)))
    contents["CHANGES.md"] = changes_page(next(table for table in tables if table.name == "changes"))
    contents["CITATION.cff"] = citation(version)
    contents["references.bib"] = bibtex(sources).encode()
    contents[_PACKAGE] = data_package(tables, contents, sources, version)
    sums = "".join(f"{sha256_of(contents[name])}  {name}\n" for name in sorted(contents))
    return {**contents, CHECKSUMS: sums.encode()}


def publish(lists: Sequence[VoterList], folder: Path, others: Sequence[PublishedTable] = ()) -> list[str]:
    """Write the data set into a new or empty folder, or in place of an earlier one; return the names of its files."""
    contents = publication(lists, others)
    try:
        existing = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error.strerror or error}).") from error
    if existing and (CHECKSUMS not in existing or set(existing) - set(contents)):
        other = next((name for name in existing if name not in contents), existing[0])
        raise InputError(
            f"{folder} contains {other}, which is not part of a publication. Choose a new or an empty folder."
        )
    replace_folder(folder, contents)
    return sorted(contents)


def _version(lists: Sequence[VoterList], others: Sequence[PublishedTable]) -> str:
    """Return the newest vintage and the beginning of a checksum over all lists and what is published with them."""
    newest = max((listed.vintage for listed in lists if listed.vintage.isdigit()), default="0")
    content = b"".join([as_json(lists).encode(), *(table.as_csv() for table in others)])
    return f"{newest}.{sha256_of(content)[:12]}"
