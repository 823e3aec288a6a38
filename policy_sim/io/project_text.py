"""A project file changed in one table, with everything else, comments too, as its author wrote it."""

from __future__ import annotations

import datetime as dt
import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import tomli_w

from policy_sim.deidentify.ladders import open_class
from policy_sim.deidentify.treatments import UNDECIDED
from policy_sim.records.census_values import known_field
from policy_sim.records.column_kinds import ColumnKind, ColumnValues, column_kind
from policy_sim.records.column_mapping import ColumnMapping, FieldColumn
from policy_sim.records.dates import ISO
from policy_sim.records.identifiers import RARE_NAMES

__all__ = ["new_project_text", "with_tables", "without_table"]

_BARE = re.compile(r"[A-Za-z0-9_-]+")
# What `dataset check` calls a column, as a kind of variable to start from.
_KINDS = {
    "direct identifier": "category",
    "clinical code": "clinical",
    "date": "date",
    "year": "year",
    "place": "place",
    "free text": "text",
    "number": "number",
    "code": "code",
    "constant": "category",
    "empty": "category",
}
_FIELD_KINDS = {"birth_date": "birth_date", "birth_year": "year", "age": "age", "sex": "sex", "race": "race"}
_FIELD_KINDS |= {"zip5": "zip", "zip3": "zip3", "county": "county", "state": "state", "tract": "place"}
_FIELD_KINDS |= {"birth_month": "text"}  # a policy drops it: no policy of ours shows a month apart from the year
_FIELD_KINDS |= {field: field for field in ("ethnicity", "age_months", "age_days", "town")}

_THRESHOLD = """\
aim = "threshold"     # threshold (steps 3 and 5), policy (with policy = "safe-harbor"), or risk
                      # (with measure, threshold, cutoff, and sizes = "file" or "population")
"""
_POLICY = """\
aim = "policy"        # the released file conforms to this policy; docs/release.md has the other aims
policy = {policy}
"""

_HEAD = """# A release project. Answer the steps here by hand, or with 'policy-sim release step {name}'.
# 'policy-sim release status {name}' says what is missing; docs/release.md explains every key.
title = {title}
edition = {edition}

[file]
location = {location}
missing = []          # codes for a missing value, such as ["?"]
# person = "mrn"      # the column that identifies the person, if a person has several rows
# day = 2026-06-30    # the date on which ages are computed

[target]
{target}
[population]
source = "none"       # none, census (with name = "us-2020" and states = ["OH"]), or file (with name = "people.csv")

[settings]
limit = 0.05          # share of the records that may be suppressed
local = false         # suppress single cells if that is enough
# sample = 0.5        # release a sample of the people, drawn with seed = 0
# key_file = "release.key"   # a secret key for pseudonyms and shifted dates; created if missing

# Answers stand in tables such as [answers.purpose], with value, by, on and evidence. The questions:
{questions}

# A column leaves only with a role and a reason: direct (a name, a number; dropped), key (may be known to someone who
# looks for a person), sensitive, or other. Columns that stay undecided are left out of the release. "guess" is a role
# that can be accepted, because the values show it; where there is none, look at the values and decide.
"""


def new_project_text(
    name: str,
    title: str,
    edition: str,
    location: str,
    columns: Mapping[str, ColumnValues],
    questions: Sequence[str],
    mapping: ColumnMapping | None = None,
    *,
    policy: str = "",
    day: dt.date | None = None,
    person: str = "",
    sheet: str = "",
) -> str:
    """Return the text of a new project, with every column undecided and what each looks like.

    Parameters
    ----------
    name : The name of the project file, for its first lines.
    title, edition, location : What it is about.
    columns : Every column of the file, with its values.
    questions : The questions of the edition, named in a comment.
    mapping : What is known of the file's columns and codes.
    policy : The policy that the release is to conform to; with none it aims at a threshold.
    day : The date on which ages are computed, where it is known.
    person : The column that identifies a person with several rows.
    sheet : The sheet of a workbook with several.
    """
    mapping = mapping or ColumnMapping()
    target = _POLICY.format(policy=_text(policy)) if policy else _THRESHOLD
    head = _HEAD.format(
        name=name,
        title=_text(title),
        edition=_text(edition),
        location=_text(location),
        target=target,
        questions=textwrap.fill(", ".join(questions), 118, initial_indent="# ", subsequent_indent="# "),
    )
    missing = ", ".join(_text(text) for text in mapping.missing if text)
    parts = [head.replace("missing = []", f"missing = [{missing}]")]
    if day is not None:
        parts[0] = parts[0].replace("# day = 2026-06-30    #", f"day = {day.isoformat()}      #", 1)
    if person:
        parts[0] = parts[0].replace('# person = "mrn"      #', f"{_line('person', person).strip()}   #", 1)
    if sheet:
        parts[0] = parts[0].replace("\nmissing =", f"\nsheet = {_text(sheet)}\nmissing =", 1)
    if mapping.separator:
        parts[0] = parts[0].replace("\nmissing =", f"\nseparator = {_text(mapping.separator)}\nmissing =", 1)
    mapped_columns = {entry.column: (field, entry) for field, entry in mapping.fields.items()}
    for column, values in columns.items():
        field, entry = mapped_columns.get(column, ("", None))
        parts.append(_column_text(values, known_field(field) if field else "", entry))
    return "\n".join(parts)


def _column_text(values: ColumnValues, field: str, entry: FieldColumn | None) -> str:
    """Return the table of a column: undecided, with what it looks like, and what may be accepted as a guess."""
    codes = dict(entry.codes) if entry is not None else {}
    seems = column_kind(values, field, codes)
    kind = _FIELD_KINDS.get(seems.field) or _KINDS.get(seems.kind, "category")
    if seems.kind == "place" and any(hit.called.startswith("towns") for hit in seems.hits):
        kind = "town"
    facts: dict[str, Any] = {"role": UNDECIDED}
    if guess := _guessed_role(seems):
        facts["guess"] = guess
    facts |= {"kind": kind, "looks": _looks(values, seems), "reason": ""}
    if may_be := [hit.called for hit in seems.hits if not hit.certain and hit.called != RARE_NAMES]:
        facts["may_be"] = may_be
    if kind == "age":
        cuts = [open_from for text in values.looked_at if (open_from := open_class(text)) is not None]
        cuts += [entry.top] if entry is not None and entry.top is not None else []
        facts |= {"top": min(cuts)} if cuts else {}
    if kind in ("birth_date", "date") and entry is not None and entry.format != ISO:
        facts["format"] = entry.format
    return f"[variables.{_key(values.name)}]\n" + tomli_w.dumps(facts) + (_line("codes", codes) if codes else "")


def _guessed_role(seems: ColumnKind) -> str:
    """Return a role that may be accepted: the values show it, or it only leaves something out."""
    if seems.kind in ("direct identifier", "free text"):
        return "direct"
    if not seems.accepted:
        return ""
    return "other" if seems.kind == "clinical code" else "key"


def _looks(values: ColumnValues, seems: ColumnKind) -> str:
    """Say what a column looks like, with shapes in place of values."""
    field = f" ({seems.field.replace('_', ' ')})" if seems.field else ""
    such = f"; values look like {', '.join(values.shapes)}" if values.shapes else ""
    may_be = [hit.called for hit in seems.hits if hit.called not in seems.reason]
    perhaps = f"; may be {', '.join(may_be)}" if may_be and not seems.accepted else ""
    return _comment(f"{seems.kind}{field}: {seems.reason}{perhaps}{such}")


def with_tables(text: str, changes: Mapping[tuple[str, ...], Mapping[str, Any]]) -> str:
    r"""Return the text with some tables set; every comment stays, and so does everything else as its author wrote it.

    Parameters
    ----------
    text : A TOML document.
    changes : The path of each table, and its values; keys that are not among them are removed.

    Examples
    --------
    >>> print(with_tables('a = 1  # mine\n\n[b]  # yours\nc = 2\n[d]\n', {("b",): {"c": 3}}))
    a = 1  # mine
    <BLANKLINE>
    [b]  # yours
    c = 3
    [d]
    <BLANKLINE>
    """
    import tomlkit

    document = tomlkit.parse(text)
    for keys, values in changes.items():
        table: Any = document
        for key in keys:
            if key not in table:
                table[key] = tomlkit.table(is_super_table=key != keys[-1])
            table = table[key]
        for key in [key for key in table if key not in values]:
            table.remove(key)
        for key, value in values.items():
            if key not in table or table[key] != value:
                table[key] = value
    return tomlkit.dumps(document)


def without_table(text: str, key: str) -> str:
    r"""Return the text without one table, if it is there.

    Examples
    --------
    >>> without_table("a = 1\n\n[b]\nc = 2\n\n[d]\n", "b")
    'a = 1\n\n[d]\n'
    """
    import tomlkit

    document = tomlkit.parse(text)
    document.pop(key, None)
    return tomlkit.dumps(document)


def _line(key: str, value: Any) -> str:
    """Return one key of a table; a table inside it is on its own line."""
    if isinstance(value, Mapping):
        inner = ", ".join(_line(name, item).strip() for name, item in value.items())
        return f"{_key(key)} = {{ {inner} }}\n"
    return tomli_w.dumps({key: value})


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _text(value: str) -> str:
    return tomli_w.dumps({"x": value}).split(" = ", 1)[1].strip()


def _comment(text: str) -> str:
    return re.sub(r"[\x00-\x1f\x7f]", " ", text)
