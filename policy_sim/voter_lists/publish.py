"""``method.md``, ``CHANGES.md`` and ``CITATION.cff`` of the published lists."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from policy_sim.files.evidence import Source
from policy_sim.files.paths import data_dir
from policy_sim.files.writing import replace_folder, sha256_of
from policy_sim.voter_lists.coding import agreement_frame, fact_keys, read_coding, shipped_coding
from policy_sim.voter_lists.exchange import as_json
from policy_sim.voter_lists.publication import (
    PublishedTable,
    codebook_csv,
    codebook_page,
    data_package,
    published,
    published_sources,
    published_tables,
)
from policy_sim.voter_lists.voter_list import VoterList
from policy_sim.words.errors import InputError


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
