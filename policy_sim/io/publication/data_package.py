"""``datapackage.json`` and the codebook: the description of the published tables, made from their columns.

References
----------
Frictionless Data Package and Table Schema, version 1, https://specs.frictionlessdata.io
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from policy_sim.io.files import sha256_of
from policy_sim.io.publication.published_tables import PublishedColumn, PublishedTable
from policy_sim.voter_lists.evidence import Source

__all__ = ["LICENSE", "NAME", "TITLE", "codebook_csv", "codebook_page", "data_package"]

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
    """Return the description of the package: one resource per table, with its schema, size and sha256.

    Parameters
    ----------
    tables : The tables.
    contents : The bytes of each file, by name.
    sources : What the facts rest on.
    version : Version of the data set.
    """
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
    return "\n".join(parts).encode()


def _line(column: PublishedColumn) -> str:
    return f"| `{column.name}` | {column.type} | {', '.join(column.words)} | {column.description} |"


def _resource(table: PublishedTable, content: bytes) -> dict[str, Any]:
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
