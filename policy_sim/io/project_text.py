"""A project file changed in one table, with everything else, comments too, as its author wrote it."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from typing import Any

import tomli_w

from policy_sim.records.census_values import known_field
from policy_sim.records.column_kinds import ColumnKind
from policy_sim.records.column_mapping import ColumnMapping, FieldColumn

__all__ = ["head_comment", "new_project_text", "with_table", "without_table"]

_BARE = re.compile(r"[A-Za-z0-9_-]+")
# What `dataset check` calls a column, as a role and a kind to start from.
_PROPOSED = {
    "direct identifier": ("direct", "category"),
    "date": ("key", "date"),
    "place": ("key", "place"),
    "free text": ("direct", "text"),
    "number": ("other", "number"),
    "code": ("other", "code"),
    "constant": ("other", "category"),
    "empty": ("other", "category"),
}
_FIELD_KINDS = {"birth_date": "birth_date", "birth_year": "year", "age": "age", "sex": "sex", "race": "race"}
_FIELD_KINDS |= {"zip5": "zip", "zip3": "zip3", "county": "county", "state": "state", "tract": "place"}
_FIELD_KINDS |= {"birth_month": "text"}  # a policy drops it: no policy of ours shows a month apart from the year

_THRESHOLD = """\
aim = "threshold"     # threshold (steps 3 and 5), policy (with policy = "safe-harbor-regulation"), or risk
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

# Every column needs a role and a reason: direct (a name, a number), key (may be known to someone who looks for a
# person), sensitive, or other. What a column looks like is only a guess.
"""


def new_project_text(
    name: str,
    title: str,
    edition: str,
    location: str,
    columns: Mapping[str, ColumnKind],
    questions: Sequence[str],
    mapping: ColumnMapping | None = None,
    *,
    policy: str = "",
    day: dt.date | None = None,
    person: str = "",
    tops: Mapping[str, int] | None = None,
) -> str:
    """Return the text of a new project, with every column undecided and what each looks like.

    Parameters
    ----------
    name : The name of the project file, for its first lines.
    title, edition, location : What it is about.
    columns : Every column of the file, and what it seems to be.
    questions : The questions of the edition, named in a comment.
    mapping : What is known of the file's columns and codes.
    policy : The policy that the release is to conform to; with none it aims at a threshold.
    day : The date on which ages are computed, where it is known.
    person : The column that identifies a person with several rows.
    tops : Columns of ages with an open class such as ``90+``, and the lowest age at which one begins.
    """
    mapping, tops = mapping or ColumnMapping(), tops or {}
    target = _POLICY.format(policy=_text(policy)) if policy else _THRESHOLD
    head = _HEAD.format(name=name, title=_text(title), edition=_text(edition), location=_text(location), target=target)
    missing = ", ".join(_text(text) for text in mapping.missing if text)
    parts = [head.replace("missing = []", f"missing = [{missing}]")]
    if day is not None:
        parts[0] = parts[0].replace("# day = 2026-06-30    #", f"day = {day.isoformat()}      #", 1)
    if person:
        parts[0] = parts[0].replace('# person = "mrn"      #', f"{_line('person', person).strip()}   #", 1)
    if mapping.separator:
        parts[0] = parts[0].replace("\nmissing =", f"\nseparator = {_text(mapping.separator)}\nmissing =", 1)
    mapped_columns = {entry.column: (field, entry) for field, entry in mapping.fields.items()}
    for column, seems in columns.items():
        if column in mapped_columns:
            parts.append(_mapped(column, *mapped_columns[column], tops.get(column)))
            continue
        role, kind = _PROPOSED.get(seems.kind, ("key", _FIELD_KINDS.get(seems.field, "category")))
        parts.append(
            f"[variables.{_key(column)}]    # looks like: {seems.kind} ({_comment(seems.reason)}); perhaps {role}\n"
            f'role = "undecided"\nkind = "{kind}"\nreason = ""\n' + (_top(tops[column]) if column in tops else "")
        )
    parts.append(f"# Answers, as [answers.NAME] with value, by, on and evidence. Questions: {', '.join(questions)}.\n")
    return "\n".join(parts)


def _top(age: int) -> str:
    return f"top = {age}    # the file has an open class of this age and older\n"


def _mapped(column: str, field: str, entry: FieldColumn, open_from: int | None) -> str:
    """Return the table of a column of which a mapping says what it is."""
    canonical = known_field(field)
    values = {"role": "undecided", "kind": _FIELD_KINDS.get(canonical, "category"), "reason": ""}
    if canonical == "birth_date":
        values["format"] = entry.format
    text = tomli_w.dumps(values)
    if values["kind"] == "age" and (open_from is not None or entry.top is not None):
        cuts = [cut for cut in (open_from, entry.top) if cut is not None]
        text += _top(min(cuts)) if min(cuts) == open_from else f"top = {min(cuts)}\n"
    if entry.codes:
        text += _line("codes", dict(entry.codes))
    return f"[variables.{_key(column)}]    # {_comment(field)}, by the mapping; perhaps key\n{text}"


def with_table(text: str, keys: Sequence[str], values: Mapping[str, Any]) -> str:
    r"""Return the text with one table set; where the table is there, its lines are replaced.

    Parameters
    ----------
    text : A TOML document.
    keys : The path of the table.
    values : Its values.

    Examples
    --------
    >>> print(with_table('a = 1  # mine\n\n[b]\nc = 2\n[d]\n', ["b"], {"c": 3}))
    a = 1  # mine
    <BLANKLINE>
    [b]
    c = 3
    [d]
    <BLANKLINE>
    """
    body, place = "".join(_line(key, value) for key, value in values.items()), _place(text, keys)
    if place is None:
        return f"{text.rstrip()}\n\n[{'.'.join(map(_key, keys))}]\n{body}"
    _, inner, end = place
    gap = "\n" if text[inner:end].endswith("\n\n") else ""
    return f"{text[:inner]}{body}{gap}{text[end:]}"


def without_table(text: str, keys: Sequence[str]) -> str:
    r"""Return the text without one table, if it is there.

    Examples
    --------
    >>> without_table("a = 1\n\n[b]\nc = 2\n\n[d]\n", ["b"])
    'a = 1\n\n[d]\n'
    """
    place = _place(text, keys)
    return text if place is None else text[: place[0]] + text[place[2] :]


def head_comment(text: str, keys: Sequence[str]) -> str:
    r"""Return the comment in the line of a table's head.

    Examples
    --------
    >>> head_comment('[variables.sex]    # looks like: key field\nrole = "key"\n', ["variables", "sex"])
    'looks like: key field'
    """
    place = _place(text, keys)
    line = "" if place is None else text[place[0] : place[1]]
    return line.split("]", 1)[-1].partition("#")[2].strip()


def _place(text: str, keys: Sequence[str]) -> tuple[int, int, int] | None:
    """Return where a table's head begins, where its values begin, and where the next table or its comment begins."""
    header = re.escape(".".join(_key(key) for key in keys))
    head = re.compile(rf"^\[{header}\][^\n]*(\n|\Z)", re.MULTILINE).search(text)
    if head is None:
        return None
    following = re.compile(r"^(#[^\n]*\n)*\[", re.MULTILINE).search(text, head.end())
    return head.start(), head.end(), following.start() if following else len(text)


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
