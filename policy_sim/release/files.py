"""The file of a release project, first written, edited in place and read strictly; agreements with a recipient."""

from __future__ import annotations

import datetime as dt
import re
import textwrap
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Any

import tomli_w

from policy_sim.files.paths import DEFAULT_POPULATION, data_dir
from policy_sim.files.toml import TomlTable, damaged_if_wrong, not_toml, shipped_table, toml_table
from policy_sim.records.census_values import ColumnMapping, FieldColumn, known_field
from policy_sim.records.column_kinds import ColumnKind, ColumnValues, column_kind
from policy_sim.records.dates import ISO
from policy_sim.records.identifiers import RARE_NAMES
from policy_sim.records.mapping import read_hierarchy
from policy_sim.release.generalization import STATISTICS, UserAnalysis
from policy_sim.release.ladders import open_class
from policy_sim.release.project import (
    AIMS,
    SOURCES,
    FileSettings,
    Look,
    PopulationSettings,
    Project,
    ReleaseSettings,
    TargetSettings,
)
from policy_sim.release.questionnaire import Answer, Edition, list_editions, load_edition
from policy_sim.release.search import LOSSES
from policy_sim.release.treatments import ROLES, UNDECIDED, Variable
from policy_sim.words.errors import PolicySimError, SchemaError, SourceError

__all__ = [
    "Agreement",
    "load_agreements",
    "load_project",
    "new_project_text",
    "parse_project",
    "read_text",
    "with_tables",
    "without_table",
]


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

    The ``mapping`` is what is known of the file's columns and codes. Without a policy the release aims at a threshold.
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
    head = head.replace("missing = []", f"missing = [{missing}]")
    if day is not None:
        head = head.replace("# day = 2026-06-30    #", f"day = {day.isoformat()}      #", 1)
    if person:
        head = head.replace('# person = "mrn"      #', f"{_line('person', person).strip()}   #", 1)
    for key, value in (("sheet", sheet), ("separator", mapping.separator)):
        if value:
            head = head.replace("\nmissing =", f"\n{key} = {_text(value)}\nmissing =", 1)
    parts = [head]
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
    r"""Return TOML with some tables set, by their path: their other keys go, and everything else stays as it was.

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


def load_project(path: Path) -> Project:
    """Read a project file."""
    return parse_project(read_text(path), str(path), path.parent)


def read_text(path: Path) -> str:
    """Return the text of a file in UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or 'not UTF-8'}).") from error


def parse_project(text: str, where: str, folder: Path) -> Project:
    """Read a project from its text, with every problem of it at once; files that it names lie in ``folder``."""
    try:
        raw = toml_table(text)
    except tomllib.TOMLDecodeError as error:
        raise SchemaError(where, [not_toml(error, text)]) from error
    problems: list[str] = []
    table = TomlTable(raw, problems)
    title = table.text("title", required=True)
    edition = load_edition(table.choice("edition", list(list_editions()), "ipc-2016"))
    file = _file(table.table("file", required=True))
    columns = _variables(table.table("variables"), folder, problems)
    project = Project(
        title,
        edition,
        file,
        **columns,
        answers=_answers(table.table("answers"), edition, problems),
        settings=_settings(table.table("settings")),
        target=_target(table.table("target"), problems),
        population=_population(table.table("population")),
        analyses=_analyses(table, problems),
        results=table.table("results").raw,
    )
    table.done()
    if problems:
        raise SchemaError(where, problems)
    return project


def _file(table: TomlTable) -> FileSettings:
    settings = FileSettings(
        table.text("location", required=True),
        tuple(dict.fromkeys(["", *table.texts("missing")])),
        table.text("separator"),
        table.text("person"),
        table.date("day"),
        table.text("sheet"),
    )
    table.done()
    return settings


def _variables(tables: TomlTable, folder: Path, problems: list[str]) -> dict[str, Any]:
    """Return what a project holds of its columns, by the names of its fields."""
    variables, undecided, classified, looks = [], [], {}, {}
    for name in tables.raw:
        table = tables.table(name)
        role = table.choice("role", [UNDECIDED, *ROLES], UNDECIDED)
        by, on = table.text("by"), table.date("on")
        if by or on:
            classified[name] = ", ".join(str(part) for part in (by, on) if part)
        settings: dict[str, Any] = {
            "kind": table.text("kind") or "category",
            "treatment": table.text("treatment"),
            "levels": table.texts("levels"),
            "widths": _whole_numbers(table, "widths"),
            "lengths": _whole_numbers(table, "lengths"),
            "top": _whole_number(table, "top"),
            "bottom": _whole_number(table, "bottom"),
            "purpose": table.text("purpose"),
            "codes": _codes(table.table("codes")),
            "accepted": table.flag("accepted"),
            "may_be": table.texts("may_be"),
        }
        looks[name] = Look(table.text("looks"), table.choice("guess", ["", *ROLES], ""))
        if form := table.text("format"):
            settings["format"] = form
        reason, hierarchy = table.text("reason"), table.text("hierarchy")
        table.done(["top", "bottom", "widths", "lengths"])
        if role == UNDECIDED:
            undecided.append(name)
            continue
        try:
            if hierarchy:
                settings |= {"rows": read_hierarchy(folder / hierarchy), "kind": "table"}
            variables.append(Variable(name, role, reason, **settings))
        except PolicySimError as error:
            problems.append(f"variables.{name}: {error}")
    return {
        "variables": tuple(variables),
        "undecided": tuple(undecided),
        "classified": classified,
        "looks": looks,
    }


def _answers(tables: TomlTable, edition: Edition, problems: list[str]) -> dict[str, Answer]:
    answers: dict[str, Answer] = {}
    for name in tables.raw:
        table = tables.table(name)
        value = table.raw.get("value", "")
        text = value.isoformat() if isinstance(value, dt.date) else str(value)
        answer = Answer(text, table.text("by"), table.date("on"), table.text("evidence"))
        table.done(["value"])
        try:
            edition.question(name).check(text)
        except PolicySimError as error:
            problems.append(f"answers.{name}: {error}")
            continue
        answers[name] = answer
    return answers


def _settings(table: TomlTable) -> ReleaseSettings:
    usual = ReleaseSettings()
    settings = ReleaseSettings(
        limit=table.number("limit", usual.limit),
        loss=table.choice("loss", list(LOSSES), usual.loss),
        local=table.flag("local"),
        shift_days=int(table.number("shift_days", usual.shift_days)),
        sample=table.number("sample", usual.sample),
        seed=int(table.number("seed", usual.seed)),
        key_file=table.text("key_file"),
    )
    if PurePath(settings.key_file).is_absolute() or ".." in PurePath(settings.key_file).parts:
        table.problem("key_file", "leaves the folder of the project. Name a file in that folder, such as release.key.")
    table.done()
    return settings


def _target(table: TomlTable, problems: list[str]) -> TargetSettings:
    aim = table.choice("aim", list(AIMS), "threshold")
    texts = {name: table.text(name) for name in ("policy", "measure", "threshold", "cutoff", "sizes")}
    table.done()
    try:
        return TargetSettings(aim, **{name: text for name, text in texts.items() if text})
    except PolicySimError as error:
        problems.append(f"target: {error}")
        return TargetSettings()


def _population(table: TomlTable) -> PopulationSettings:
    source = table.choice("source", list(SOURCES), "none")
    settings = PopulationSettings(source, table.text("name") or DEFAULT_POPULATION, table.texts("states"))
    table.done()
    return settings


def _analyses(table: TomlTable, problems: list[str]) -> tuple[UserAnalysis, ...]:
    analyses = []
    for analysis in table.tables("analyses"):
        name = analysis.text("name", required=True)
        statistic = analysis.choice("statistic", list(STATISTICS), "count", required=True)
        of, by, value = analysis.text("of"), analysis.texts("by"), analysis.text("value")
        analysis.done()
        try:
            analyses.append(UserAnalysis(name, statistic, of, by, value))
        except PolicySimError as error:
            problems.append(str(error))
    return tuple(analyses)


def _codes(table: TomlTable) -> tuple[tuple[str, str], ...]:
    return tuple((code, table.text(code)) for code in table.raw)


def _whole_numbers(table: TomlTable, key: str) -> tuple[int, ...]:
    value = table.raw.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, int) and not isinstance(item, bool) for item in value):
        table.problem(key, "is not a list of whole numbers such as [5, 10].")
        return ()
    return tuple(value)


def _whole_number(table: TomlTable, key: str) -> int | None:
    value = table.raw.get(key)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool):
        table.problem(key, "is not a whole number, such as 90.")
        return None
    return value


@dataclass(frozen=True)
class Agreement:
    """What an agreement with a recipient has to hold: one list of clauses, in our words, and its source."""

    title: str
    citation: str
    items: tuple[str, ...]


@cache
def load_agreements() -> Mapping[str, Agreement]:
    """Return the lists: ``clauses``, ``terms_of_use``, ``data_use_agreement``, ``expert_determination``."""
    path = data_dir() / "agreements.toml"
    with damaged_if_wrong(path):
        return MappingProxyType(
            {
                name: Agreement(table["title"], table["citation"], tuple(table["items"]))
                for name, table in shipped_table(path).items()
            }
        )
