"""The file of a release project, first written, edited in place and read strictly; agreements with a recipient."""

from __future__ import annotations

import datetime as dt
import re
import shlex
import textwrap
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Annotated, Any, TypeVar

import tomli_w
from pydantic import AfterValidator, BeforeValidator, Field

from policy_sim.files.area_tables import area_table, located
from policy_sim.files.paths import data_dir
from policy_sim.files.schema import (
    MaybeDay,
    NeededText,
    Number,
    StrictTable,
    Text,
    Words,
    made_by,
    noun_of,
    read_document,
    table_of,
    tables_of,
    word,
)
from policy_sim.files.toml import damaged_if_wrong, not_toml, shipped_table, toml_table
from policy_sim.formulas.known_rows import KNOWN
from policy_sim.policies.files import load_policy
from policy_sim.records.census_values import ColumnMapping, FieldColumn, column_place, known_field, name_in_file
from policy_sim.records.column_kinds import FLAG, ColumnKind, ColumnValues, are_towns, column_kind
from policy_sim.records.covered_values import reads
from policy_sim.records.dates import ISO
from policy_sim.records.formats import WRITTEN_AS, CodedTable
from policy_sim.records.identifiers import RARE_NAMES
from policy_sim.records.mapping import read_hierarchy
from policy_sim.release.column_groups import GROUPS, Tried, tried_columns
from policy_sim.release.conditions import DISTANCES, MEASURES_OF_CLASSES, ClassCondition
from policy_sim.release.conformity import shows_towns
from policy_sim.release.ladders import open_class
from policy_sim.release.project import (
    AIMS,
    SHIFT_ENDS,
    SOURCES,
    AboutSettings,
    Answer,
    Edition,
    FileSettings,
    Look,
    PopulationSettings,
    Project,
    ReleaseSettings,
    TargetSettings,
    list_editions,
    load_edition,
    with_raised,
)
from policy_sim.release.schemes import proposed_ladder
from policy_sim.release.search import KEPT, RECODINGS, is_weight
from policy_sim.release.treatments import AGE_KINDS, KINDS, ROLES, UNDECIDED, Variable
from policy_sim.release.use import STATISTICS, UserAnalysis
from policy_sim.words.arguments import short, text
from policy_sim.words.errors import InputError, PolicySimError, SchemaError, SourceError
from policy_sim.words.telling import each

_Noun = TypeVar("_Noun")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_NO_DATE = re.compile(r"-?\d{1,3}(\.0+)?|", re.ASCII)
# What `dataset check` calls a column, as a kind of variable to start from; others have the same name or none.
_KINDS = {"direct identifier": "identifier", "clinical code": "clinical", "free text": "text"}
_FIELD_KINDS = {"birth_date": "birth_date", "birth_year": "year", "age": "age", "sex": "sex", "race": "race"}
_FIELD_KINDS |= {"zip5": "zip", "zip3": "zip3", "county": "county", "state": "state", "tract": "place"}
_FIELD_KINDS |= {"birth_month": "text"}  # a policy drops it: no policy of ours shows a month apart from the year
_FIELD_KINDS |= {field: field for field in ("ethnicity", "race_ethnicity", "age_months", "age_days", "town")}

_THRESHOLD = """\
aim = "threshold"     # threshold (steps 3 and 5), policy (with policy = "safe-harbor"), or risk
                      # (with measure, threshold, cutoff, and sizes = "file" or "population")
"""
_POLICY = """\
aim = "policy"        # the file has to conform to this policy; docs/release.md has the other aims
policy = {policy}
"""


def new_project_text(
    name: str,
    title: str,
    edition: str,
    location: str,
    columns: Mapping[str, ColumnValues],
    mapping: ColumnMapping,
    policy: str,
    day: dt.date,
    table: CodedTable | None = None,
) -> str:
    """Return the text of a new project, with every column undecided and what each looks like.

    The ``mapping`` is what is known of the file's columns and codes. Without a policy the release aims at a threshold.
    With the ``table`` itself, columns that no rule covers are tried, and asked about in groups.
    """
    questions = ", ".join(question.id for question in load_edition(edition).questions)
    template = (data_dir() / "release" / "project.txt").read_text(encoding="utf-8")
    read_as = (("sheet", mapping.sheet), ("separator", mapping.separator))
    head = template.format(
        name=name,
        title=_text(title),
        edition=_text(edition),
        location=_text(location),
        read_as="".join(_line(key, value) for key, value in read_as if value),
        missing=", ".join(_text(text) for text in mapping.missing if text),
        person=f"{_line('person', mapping.person).strip()}   " if mapping.person else '# person = "mrn"      ',
        day=day,
        target=_POLICY.format(policy=_text(policy)) if policy else _THRESHOLD,
        questions=textwrap.fill(questions, 118, initial_indent="# ", subsequent_indent="# "),
    )
    parts = [head]
    mapped_columns = {entry.column: (field, entry) for field, entry in mapping.fields.items()}
    entries = {column: mapped_columns.get(column, ("", None)) for column in columns}
    kinds = {
        column: _kind_of(values, entries[column][0], entries[column][1], [*columns], policy)
        for column, values in each(columns.items(), "asking what each is")
    }
    tried = tried_columns(table, kinds) if table is not None else {}
    for column, values in each(columns.items(), "writing the project"):
        parts.append(_column_text(values, kinds[column], entries[column][1], tried.get(column, Tried())))
    return "\n".join(parts)


def _kind_of(
    values: ColumnValues, field: str, entry: FieldColumn | None, names: Sequence[str], policy: str
) -> ColumnKind:
    codes = dict(entry.codes) if entry is not None else {}
    form = entry.format if entry is not None else ISO
    seems = column_kind(values, known_field(field) if field else "", codes, beside=names, form=form)
    if seems.accepted or not policy or not shows_towns(load_policy(policy)) or not are_towns(values):
        return seems
    return replace(seems, kind="key field", reason="its name and its values agree", field="town", accepted=True)


def _column_text(values: ColumnValues, seems: ColumnKind, entry: FieldColumn | None, tried: Tried) -> str:
    """Return the table of a column: undecided, with what it looks like, and what may be accepted as a guess."""
    codes = dict(entry.codes) if entry is not None else {}
    form = entry.format if entry is not None else ISO
    if seems.reason == FLAG and tried != Tried():
        seems = replace(seems, accepted=False)
    alike = seems.kind if seems.kind in KINDS else "category"
    kind = _FIELD_KINDS.get(seems.field) or _KINDS.get(seems.kind, alike)
    if seems.kind == "place" and any(hit.called.startswith("towns") for hit in seems.hits):
        kind = "town"
    if seems.reason == FLAG and seems.accepted:
        kind = "flag"
    if kind == "date" and values.looked_at and all(_NO_DATE.fullmatch(text) for text in values.looked_at):
        kind = "category"  # its name says a date, and its values are small numbers
    facts: dict[str, Any] = {"role": UNDECIDED}
    if guess := _guessed_role(seems):
        facts["guess"] = guess
    facts |= {key: text for key, text in (("group", tried.group), ("doubt", tried.doubt)) if text}
    facts |= {"kind": kind, "looks": _looks(values, seems), "reason": ""}
    if may_be := [hit.called for hit in seems.hits if not hit.certain and hit.called != RARE_NAMES]:
        facts["may_be"] = may_be
    if kind == "age":
        cuts = [open_from for text in values.looked_at if (open_from := open_class(text)) is not None]
        cuts += [entry.top] if entry is not None and entry.top is not None else []
        facts |= {"top": min(cuts)} if cuts else {}
    if kind in ("birth_date", "date", "state") and form != ISO:
        facts["format"] = form
    if kind in AGE_KINDS and seems.accepted and not all(reads(kind, values.looked_at)):
        facts["unread"] = "blank"  # nearly all are ages; the run says how many are not
    facts |= proposed_ladder(values, kind)
    return f"[variables.{_key(values.name)}]\n" + tomli_w.dumps(facts) + (_line("codes", codes) if codes else "")


def _guessed_role(seems: ColumnKind) -> str:
    """Return a role that may be accepted: the values show it, or it only leaves something out."""
    if seems.kind in ("direct identifier", "free text"):
        return "direct"
    if not seems.accepted:
        return ""
    return "other" if seems.kind == "clinical code" or seems.reason == FLAG else "key"


def _looks(values: ColumnValues, seems: ColumnKind) -> str:
    """Say what a column looks like, with shapes in place of values."""
    field = f" ({seems.field.replace('_', ' ')})" if seems.field else ""
    such = f"; values look like {', '.join(values.shapes)}" if values.shapes else ""
    may_be = [hit.called for hit in seems.hits if hit.called not in seems.reason]
    perhaps = f"; may be {', '.join(may_be)}" if may_be and not seems.accepted else ""
    return re.sub(r"[\x00-\x1f\x7f]", " ", f"{seems.kind}{field}: {seems.reason}{perhaps}{such}")


def with_keys(text: str, changes: Mapping[tuple[str, ...], Mapping[str, Any]]) -> str:
    r"""Return TOML with some keys of tables set, by the path of each table, or removed where they are None.

    >>> print(with_keys('a = 1  # mine\n\n[b]  # yours\nc = 2\nd = 4\n', {("b",): {"c": 3, "d": None}}))
    a = 1  # mine
    <BLANKLINE>
    [b]  # yours
    c = 3
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
        for key, value in values.items():
            if value is None:
                table.pop(key, None)
            elif key not in table or table[key] != value:
                table[key] = value
    return tomlkit.dumps(document)


def values_for_toml(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values as a project file can hold them; an empty text removes a key."""
    return {
        key: None if isinstance(value, str) and not value else _toml_value(key, value) for key, value in values.items()
    }


def _toml_value(key: str, value: Any) -> Any:
    """Return a value that a project file can hold."""
    if value is None or isinstance(value, str | bool | int | float | dt.date):
        return value
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, dict):
        return {text("a key", name): _toml_value(key, item) for name, item in value.items() if item is not None}
    if not isinstance(value, list | tuple) or any(item is None for item in value):
        raise InputError(f"{key} = {short(value)}: give a text, a number, a day, or a list of them.")
    return [_toml_value(key, item) for item in value]


def named_as_in(table: CodedTable, mapping: ColumnMapping, file: str) -> ColumnMapping:
    """Return a mapping whose columns are written as in the file; one that the file lacks stays as it is."""
    person = table.names[column_place(file, mapping.person, table.names)] if mapping.person else ""
    fields = {
        name: replace(entry, column=name_in_file(file, entry.column, table.names))
        for name, entry in mapping.fields.items()
    }
    return replace(mapping, fields=fields, person=person)


def without_table(text: str, key: str) -> str:
    r"""Return the text without one table, if it is there.

    >>> without_table("a = 1\n\n[b]\nc = 2\n\n[d]\n", "b")
    'a = 1\n\n[d]\n'
    """
    import tomlkit

    if key not in text:  # to parse it takes long
        return text
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


def load_project(path: Path) -> Project:
    """Read a project file."""
    if path.suffix.casefold() != ".toml" and path.is_file() and not _is_toml(path):
        raise InputError(
            f"{path}: is not a release project. If it is your file of records, make one first: policy-sim release new "
            f"{shlex.quote(str(path))} release.toml"
        )
    return parse_project(read_text(path), str(path), path.parent)


def _is_toml(path: Path) -> bool:
    try:
        toml_table(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return False
    return True


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
    table = read_document(_ProjectTable, raw, problems, every_key=False)
    if table is None:
        raise SchemaError(where, problems)
    edition = load_edition(table.edition)
    variables = _variables(table.variables, folder, problems)
    answers = _answers(table.answers, edition, problems)
    analyses = _nouns(UserAnalysis, table.analyses, problems)
    conditions = _nouns(ClassCondition, table.conditions, problems)
    if problems:
        raise SchemaError(where, problems)
    classified = {name: ", ".join(str(part) for part in (x.by, x.on) if part) for name, x in table.variables.items()}
    return noun_of(
        Project,
        table,
        edition=edition,
        variables=variables,
        undecided=tuple(name for name, column in table.variables.items() if column.role == UNDECIDED),
        answers=answers,
        analyses=analyses,
        conditions=conditions,
        classified={name: text for name, text in classified.items() if text},
        looks={
            name: Look(
                *(column.looks, column.guess, column.group, column.doubt, column.kind, column.format),
                tuple(column.codes.items()),
            )
            for name, column in table.variables.items()
        },
        folder=folder,
    )


def _nouns(noun: type[_Noun], tables: Sequence[StrictTable], problems: list[str]) -> tuple[_Noun, ...]:
    nouns = []
    for table in tables:
        try:
            nouns.append(noun_of(noun, table))
        except PolicySimError as error:
            problems.append(str(error))
    return tuple(nouns)


def _variables(tables: Mapping[str, Any], folder: Path, problems: list[str]) -> tuple[Variable, ...]:
    variables = []
    for name, table in tables.items():
        if table.role == UNDECIDED:
            continue
        more: dict[str, Any] = {"codes": tuple(table.codes.items())}
        try:
            if table.areas:
                more |= {"areas": located(table.areas, folder)}
                area_table(f"area:{more['areas']}")
            if table.hierarchy:
                more |= {"rows": read_hierarchy(folder / table.hierarchy), "kind": "table"}
            variables.append(noun_of(Variable, table, name=name, **more))
        except PolicySimError as error:
            problems.append(f"variables.{name}: {error}")
    return tuple(variables)


def _answers(tables: Mapping[str, Any], edition: Edition, problems: list[str]) -> dict[str, Answer]:
    answers: dict[str, Answer] = {}
    for name, table in tables.items():
        text = table.value.isoformat() if isinstance(table.value, dt.date) else str(table.value)
        try:
            edition.question(name).check(text)
        except PolicySimError as error:
            problems.append(f"answers.{name}: {error}")
            continue
        answers[name] = noun_of(Answer, table, value=text)
    return with_raised(edition, answers)


def _inside(name: str) -> str:
    if PurePath(name).is_absolute() or ".." in PurePath(name).parts:
        raise ValueError("is outside the folder of the project. Name a file in that folder, such as release.key.")
    return name


def _wholes(value: Any) -> Any:
    if not isinstance(value, list) or any(type(item) is not int for item in value):
        raise ValueError("is not a list of whole numbers such as [5, 10].")
    return tuple(value)


_Whole = Annotated[int | None, Field(description="a whole number, such as 90")]
_Seed = Annotated[Annotated[int, Field(ge=0)] | None, Field(description="a whole number of 0 or more, such as 7")]
_People = Annotated[int, Field(ge=1, description="a whole number of people, such as 20000")]
_Wholes = Annotated[tuple[int, ...], BeforeValidator(_wholes)]


def _limits(value: Any) -> Any:
    lists = value if isinstance(value, list) else [value]
    numbers = [number for part in lists for number in (part if isinstance(part, list) else [None])]
    if any(isinstance(number, bool) or not isinstance(number, int | float) for number in numbers):
        raise ValueError("is not a list of lists of numbers such as [[10, 20, 50], [20]].")
    return tuple(tuple(map(float, part)) for part in lists if part)


def _weights(value: Any) -> Any:
    """Read weights by field; fields in a list count :data:`KEPT` times."""
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        value = dict.fromkeys(value, KEPT)
    if not isinstance(value, dict) or not all(map(is_weight, value.values())):
        raise ValueError('is neither fields with weights above 0, such as {age = 3}, nor a list such as ["age"].')
    return {name: float(weight) for name, weight in value.items()}


def _weight(value: Any) -> Any:
    if not is_weight(value):
        raise ValueError("is no number above 0, such as 3.")
    return float(value)


_Weights = Annotated[dict[str, float], BeforeValidator(_weights)]
_Weight = Annotated[float, BeforeValidator(_weight)]
_Limits = Annotated[tuple[tuple[float, ...], ...], BeforeValidator(_limits)]
_Role: Any = word([UNDECIDED, *ROLES])
_Truncated = Annotated[Number, AfterValidator(int)]


_Known: Any = Annotated[word(["", *KNOWN]), BeforeValidator(lambda value: str(value) if type(value) is int else value)]
_FileTable: Any = table_of(
    FileSettings,
    missing=Annotated[Words, AfterValidator(lambda words: tuple(dict.fromkeys(["", *words])))],
)
_VariableTable: Any = table_of(
    Variable,
    ("name", "rows"),
    role=(_Role, UNDECIDED),
    reason=(Text, ""),
    codes=(dict[str, Text], {}),
    top=_Whole,
    bottom=_Whole,
    youngest=_Whole,
    widths=_Wholes,
    lengths=_Wholes,
    limits=_Limits,
    by=(Text, ""),
    on=(MaybeDay, None),
    looks=(Text, ""),
    guess=(word(["", *ROLES]), ""),
    group=(word(["", *GROUPS]), ""),
    doubt=(Text, ""),
    hierarchy=(Text, ""),
)
_AnswerTable: Any = table_of(Answer, value=(Any, ""))
_AboutTable: Any = table_of(AboutSettings)
_TargetTable: Any = table_of(TargetSettings, aim=word(AIMS), known=_Known)
_PopulationTable: Any = table_of(PopulationSettings, source=word(SOURCES))
_SettingsTable: Any = table_of(
    ReleaseSettings,
    keep=_Weights,
    loss=(Text, "geometric"),
    recoding=word(["", *RECODINGS]),
    format=word(["", *WRITTEN_AS]),
    shift_days=_Truncated,
    shift_ends=word(SHIFT_ENDS),
    seed=(_Seed, None),
    least_people=(_People, 20_000),
    key_file=Annotated[Text, AfterValidator(_inside)],
)
_AnalysisTable: Any = table_of(UserAnalysis, statistic=word(STATISTICS), keep=_Weight)
_ConditionTable: Any = table_of(ClassCondition, measure=word(MEASURES_OF_CLASSES), distance=word(DISTANCES))


class _ProjectTable(StrictTable):
    title: NeededText
    edition: word(list_editions()) = "ipc-2016"  # type: ignore[valid-type]
    file: _FileTable = Field(json_schema_extra={"blank": {}})
    about: _AboutTable = _AboutTable()
    variables: dict[str, _VariableTable] = Field(default_factory=dict)
    answers: dict[str, _AnswerTable] = Field(default_factory=dict)
    settings: _SettingsTable = _SettingsTable()
    target: Annotated[_TargetTable, made_by(partial(noun_of, TargetSettings))] = TargetSettings()
    population: _PopulationTable = _PopulationTable()
    analyses: tables_of(_AnalysisTable, "analyses") = ()  # type: ignore[valid-type]
    conditions: tables_of(_ConditionTable, "conditions") = ()  # type: ignore[valid-type]
    results: dict[str, Any] = Field(default_factory=dict)


@cache
def load_agreements() -> Mapping[str, Any]:
    """Return what an agreement holds, in our words: lists of ``items``, each with a ``title`` and a ``citation``."""
    path = data_dir() / "agreements.toml"
    with damaged_if_wrong(path):
        return MappingProxyType(shipped_table(path))
