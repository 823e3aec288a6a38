"""The tables of the published lists: columns with their meaning, derived from the schema, and rows."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from policy_sim.io.list_coding_files import read_coding, read_decisions, shipped_coding
from policy_sim.io.voter_lists.spreadsheet_rows import COLUMN_KINDS, column_fields, to_row
from policy_sim.spreadsheet import safe_text
from policy_sim.voter_lists.coding import CODED_ITEMS
from policy_sim.voter_lists.evidence import CONFIDENCES, Source
from policy_sim.voter_lists.facts import facts_of
from policy_sim.voter_lists.list_tables import diff_frame
from policy_sim.voter_lists.voter_list import VoterList

__all__ = ["PublishedColumn", "PublishedTable", "published_sources", "published_tables"]

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
    """

    name: str
    title: str
    columns: tuple[PublishedColumn, ...]
    rows: tuple[Mapping[str, str], ...]
    key: tuple[str, ...] = ()
    refers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def as_csv(self) -> bytes:
        """Return the table as CSV in UTF-8, the same bytes each time; no cell is a formula."""
        text = io.StringIO()
        writer = csv.DictWriter(text, [column.name for column in self.columns], lineterminator="\n", restval="")
        writer.writeheader()
        writer.writerows({name: safe_text(cell) for name, cell in row.items()} for row in self.rows)
        return text.getvalue().encode()


def published_tables(lists: Sequence[VoterList]) -> tuple[PublishedTable, ...]:
    """Return the tables of the data set: lists, facts, sources, changes between vintages, and the second coding.

    Parameters
    ----------
    lists : Lists that describe a year, by state and vintage.
    """
    return (_lists(lists), _facts(lists), _sources(lists), _changes(lists), _coding())


def published_sources(lists: Iterable[VoterList]) -> list[Source]:
    """Return every source that a list cites, each once, by its short name."""
    by_name = {name: source for listed in lists for name, source in listed.sources.items()}
    return [by_name[name] for name in sorted(by_name)]


_STATE = PublishedColumn("state", "string", "postal code", required=True)
_VINTAGE = PublishedColumn(
    "vintage", "string", "year of the list; a year with -county is the list that counties or towns sell", required=True
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
    items = (*CODED_ITEMS, "preempted", "mirror")
    columns = (
        PublishedColumn("fact", "string", "state, vintage and item, with a number if there are several", required=True),
        _STATE,
        _VINTAGE,
        PublishedColumn("item", "string", "the item that the fact describes", items, required=True),
        PublishedColumn("value", "string", "the fact in words; unknown if no source says", required=True),
        PublishedColumn("date", "string", "newest date of its sources; undated; empty without sources"),
        PublishedColumn("confidence", "string", _MEANINGS["confidence"], CONFIDENCES),
        PublishedColumn("sources", "string", _MEANINGS["sources"]),
        PublishedColumn("note", "string", _MEANINGS["note"]),
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
        PublishedColumn("id", "string", "short name, by which facts cite the source", required=True),
        PublishedColumn("title", "string", "title", required=True),
        PublishedColumn("date", "string", "newest date that it covers: a year, month or day; or undated"),
        PublishedColumn("url", "string", "address"),
        PublishedColumn("also", "string", "other addresses, separated by spaces"),
        PublishedColumn("note", "string", "how it was read, or how reliable it is"),
        PublishedColumn("facts", "integer", "facts that cite it", required=True),
    )
    cited = [name for listed in lists for fact in facts_of(listed) for name in fact.sources]
    rows = tuple(
        {
            "id": source.id,
            "title": source.title,
            "date": source.date,
            "url": source.url,
            "also": " ".join(source.also),
            "note": source.note,
            "facts": str(cited.count(source.id)),
        }
        for source in published_sources(lists)
    )
    return PublishedTable("sources", "one document", columns, rows, ("id",))


def _changes(lists: Sequence[VoterList]) -> PublishedTable:
    columns = (
        PublishedColumn("from", "string", "the earlier vintage", required=True),
        PublishedColumn("to", "string", "the later vintage", required=True),
        _STATE,
        PublishedColumn("item", "string", "what changed", required=True),
        PublishedColumn("before", "string", "the fact of the earlier list", required=True),
        PublishedColumn("after", "string", "the fact of the later list", required=True),
        PublishedColumn(
            "change",
            "string",
            "whether the list changed, or only what is known about it",
            ("changed", "became known", "became unknown"),
            required=True,
        ),
    )
    years = sorted({listed.vintage for listed in lists if listed.vintage.isdigit()})
    rows: list[Mapping[str, str]] = []
    for before, after in pairwise(years):
        old, new = ({entry.state: entry for entry in lists if entry.vintage == year} for year in (before, after))
        differences = diff_frame(old, new).to_dict("records")
        rows += [
            {"from": before, "to": after, **{str(key): str(cell) for key, cell in row.items()}} for row in differences
        ]
    key = ("from", "to", "state", "item")
    return PublishedTable("changes", "one difference between two vintages of a state's list", columns, tuple(rows), key)


def _coding() -> PublishedTable:
    columns = (
        _STATE,
        _VINTAGE,
        PublishedColumn("item", "string", "the item that the fact describes", CODED_ITEMS, required=True),
        PublishedColumn("first", "string", "code of the first coding when the two were compared", required=True),
        PublishedColumn("second", "string", "code of the second coding", required=True),
        PublishedColumn("basis", "string", "the basis of the second code", ("table", "finding", "note", "nothing")),
        PublishedColumn("note", "string", _MEANINGS["note"]),
        PublishedColumn("decision", "string", "the decision if the two differ", ("mended", "kept")),
        PublishedColumn("reason", "string", "why"),
    )
    first = {fact.key: fact.code for fact in read_coding(shipped_coding("first"))}
    decided = read_decisions()
    rows = []
    for fact in read_coding(shipped_coding("second")):
        decision, reason = decided.get(fact.key, ("", ""))
        details = {"basis": fact.basis, "note": fact.note, "decision": decision, "reason": reason}
        rows.append(
            {
                "state": fact.state,
                "vintage": fact.vintage,
                "item": fact.item,
                "first": first[fact.key],
                "second": fact.code,
                **details,
            }
        )
    key, refers = ("state", "vintage", "item"), {"lists": ("state", "vintage")}
    return PublishedTable("coding", "one fact that was coded twice", columns, tuple(rows), key, refers)
