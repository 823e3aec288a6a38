"""``method.md``, ``CHANGES.md`` and ``CITATION.cff`` of the published lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import pandas as pd

from policy_sim.io.publication.data_package import NAME, TITLE
from policy_sim.io.publication.published_tables import PublishedTable

__all__ = ["changes_page", "citation", "method_page"]

_METHOD = """# Method

{title}. {lists:,} lists, {facts:,} facts, {sources:,} sources; version {version}.

## What a fact is

A list is what one state sold or gave away in one year (its vintage). A fact is one item of a list: whether there is a
list, whether a buyer gets a field and how finely, the price, who may buy, and for what. Each fact has its sources, the
newest date of these sources, and a confidence:

* **high**: a direct statement, a statute of the right year, or two file layouts;
* **medium**: one source, or a deduction that only approximate numbers support;
* **low**: carried over, contradicted, or from memory.

`unknown` is a value: no source gives the fact. It never means "withheld". Where sources disagree, the column `conflict`
of lists.csv has the value used, the other value and the reason. A list that counties or towns sell in addition to the
state's list is a separate list. A copy on a private site has its own price, which is not the state's price. A rule that
a court or another law overrides keeps its wording and has the date from which it no longer applies. Scenarios, which
are rules about years and not descriptions, are left out.

## How the facts were collected

Facts are in our own words, from statutes and rules, order forms, file layouts, programs that read a state's file, press
and two compilations of prices (EAC 2020, Ballotpedia 2026), some of them read in transcriptions. sources.csv says how
each was read. The facts of 2008 rest in part on what Benitez & Malin (2010) print. Nobody contacted the states'
offices.

## Second coding

{coded:,} facts ({share:.1%}) were coded a second time: at least a fifth of the facts of every item and vintage, drawn
at random. The second coder saw neither the files of the lists nor the values in them, and wrote all codes down before
they were compared. The second coder worked from the research notes from which the lists had been entered (tables of
values with their sources, remarks, and 64 findings of November 2026), not from the states' offices or the documents
themselves. The findings name what the lists held before they were corrected. The second coder had also read a summary
of those corrections, and a table of risks and costs by state that is computed from the lists. {by_rule} codes follow
from a cell of the tables by a fixed rule, {by_reading} from reading remarks and findings; for {nothing} facts the
notes have nothing. The comparison therefore measures how faithfully notes became facts. It does not measure whether
the notes are right about the states.

| item | facts | agree | by chance | Cohen's kappa |
|---|---:|---:|---:|---:|
{agreement}

In the row `all`, chance is taken within each item. `all but unknown` leaves out what both codings call unknown.
coding.csv has both codes of every fact, and what was decided where they differ: {decided}.

## Limits

The lists describe what buyers are reported to get. Offices change fields, prices and rules without notice. A value
without a recent date is a value of that date. Nothing here is legal advice.
"""


def method_page(tables: Sequence[PublishedTable], agreement: pd.DataFrame, version: str, facts_in_all: int) -> bytes:
    """Return the page on how the data set was made and how well two codings agree.

    Parameters
    ----------
    tables : The published tables.
    agreement : Rows of :func:`~policy_sim.voter_lists.agreement.agreement_frame`.
    version : Version of the data set.
    facts_in_all : Facts that could have been coded twice.
    """
    rows = {table.name: table.rows for table in tables}
    lines = [_agreement_line(row) for row in agreement.to_dict("records")]
    basis = Counter(row["basis"] for row in rows["coding"])
    decided = Counter(row["decision"] for row in rows["coding"] if row["decision"])
    return _METHOD.format(
        title=TITLE,
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
    ).encode()


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
    lines = [
        "cff-version: 1.2.0",
        "message: If you use these data, cite them as below, and the sources of the facts (references.bib).",
        f'title: "{TITLE}"',
        "type: dataset",
        "authors:",
        "  - name: The policy_sim authors",
        f'version: "{version}"',
        "license: Apache-2.0",
        f'abstract: "Facts with sources, dates and confidence about the voter lists of the 50 states and DC ({NAME})."',
        "keywords:",
        "  - voter registration",
        "  - public records",
        "  - privacy",
        "  - re-identification",
    ]
    return ("\n".join(lines) + "\n").encode()
