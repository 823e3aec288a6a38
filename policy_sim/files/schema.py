"""The kinds of values that files of facts hold, and what is wrong with a document as lines for a reader."""

from __future__ import annotations

import copy
import datetime as dt
import operator
import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, is_dataclass
from dataclasses import fields as dataclass_fields
from functools import cache, partial, reduce
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    RootModel,
    ValidationError,
    ValidationInfo,
    create_model,
)
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, PydanticCustomError

from policy_sim.files.evidence import CONFIDENCES, Evidence, Source
from policy_sim.files.toml import near_word, shortened, shown_value
from policy_sim.words.errors import PolicySimError, SchemaError

# What pydantic finds wrong with a document, as lines for a reader: where, what, and what was allowed.


_Model = TypeVar("_Model", bound=BaseModel)
_Noun = TypeVar("_Noun")
_MAX_ROUNDS = 8
_MOST = 1000  # problems of one document with a line each
_MOST_KEYS = 3  # unknown ones of a table, each with a line of its own, where they are not all listed
_WORD, _LINES = "word", "lines"


def one_of(words: Collection[str], hint: str = "") -> Callable[[str], str]:
    """Return a validator that takes one of the words; ``hint`` ends the line that refuses another."""

    def check(value: str) -> str:
        if value not in words:
            raise PydanticCustomError(_WORD, "not a word", {"words": list(words), "hint": hint})
        return value

    return check


def lines_error(lines: Sequence[str], after: str = ".") -> PydanticCustomError:
    """Return an error of a table whose values do not go together: one line per problem, key first.

    ``after``: what stands between the table's path and each line.
    """
    return PydanticCustomError(_LINES, "do not go together", {"lines": list(lines), "after": after})


def made_by(make: Callable[[Any], Any]) -> AfterValidator:
    """Return a validator that makes a noun of a checked table; what the noun refuses is a problem of the table."""

    def read(table: Any) -> Any:
        try:
            return make(table)
        except PolicySimError as error:
            raise lines_error([str(error)], ": ") from error

    return AfterValidator(read)


def checked(model: type[_Model], raw: Any, where: str) -> _Model:
    """Return the document of a TOML table, or raise a SchemaError that names every problem of ``where`` at once."""
    problems: list[str] = []
    document = read_document(model, raw, problems, every_key=False)
    if problems or document is None:
        raise SchemaError(where, problems)
    return document


def read_document(
    model: type[_Model],
    raw: Any,
    problems: list[str],
    at: str = "",
    context: dict[str, Any] | None = None,
    *,
    every_key: bool = True,
) -> _Model | None:
    """Return the document of a table and add one line per problem to ``problems``; :func:`checked` raises instead.

    What is wrong is left out of the document, so that the rest can be checked further; there is none where too little
    is left. ``at`` stands before each path, such as ``"[2026] "``. Without ``every_key``, many unknown keys of a table
    are one line.
    """
    with suppress(ValidationError):
        return model.model_validate(raw, context=context)
    rest = copy.deepcopy(raw)  # what is wrong is taken out of it
    for attempt in range(_MAX_ROUNDS):
        try:
            return model.model_validate(rest, context=context)
        except ValidationError as error:
            errors = error.errors(include_url=False)
            if not attempt:
                details = errors if every_key else _fewer_keys(errors)
                for detail in details[:_MOST]:
                    problems += [at + line for line in _lines(model, detail)]
                if len(details) > _MOST:
                    problems.append(f"{at}{len(details) - _MOST:,} more problems are not listed. Correct these first.")
            if not _prune(model, rest, errors):
                return None
    return None


def _fewer_keys(errors: list[ErrorDetails]) -> list[ErrorDetails]:
    """Return the errors with one, of all its unknown keys, for each table that has many of them."""
    unknown: dict[tuple[int | str, ...], list[str]] = {}
    for error in errors:
        if error["type"] == "extra_forbidden":
            unknown.setdefault(error["loc"][:-1], []).append(str(error["loc"][-1]))
    fewer: list[ErrorDetails] = []
    for error in errors:
        keys = unknown.get(error["loc"][:-1], []) if error["type"] == "extra_forbidden" else []
        if len(keys) <= _MOST_KEYS:
            fewer.append(error)
        elif error["loc"][-1] == keys[0]:
            fewer.append({**error, "ctx": {"keys": keys}})
    return fewer


def _lines(model: type[BaseModel], error: ErrorDetails) -> list[str]:
    """Return the lines of one error."""
    place = [part for part in error["loc"] if part != "[key]"]
    value, kind, extra = error["input"], error["type"], error.get("ctx", {})
    path = _path(place)
    if kind == _LINES:
        return [path + extra["after"] + line if path else line for line in extra["lines"]]
    if kind == "missing":
        return [f"{path} is missing; give {_allowed(model, place)}.{_extra(model, place, 'hint') or ''}"]
    if kind == "extra_forbidden" or "[key]" in error["loc"]:
        words = extra.get("words") or _known_keys(model, place[:-1])
        if keys := extra.get("keys"):
            path = _path([*place[:-1], ", ".join(map(shortened, keys[:_MOST_KEYS]))])
            return [
                f"{path} and {len(keys) - _MOST_KEYS:,} more are not known keys. Known here: {', '.join(words)}. "
                "Remove them or correct their names."
            ]
        return unknown_keys([str(place[-1])], words, _path([*place[:-1], ""]))
    if kind == _WORD:
        text = f"one of {', '.join(extra['words'])}.{near_word(str(value), extra['words'])}{extra['hint']}"
        if isinstance(place[-1], int):
            return [f"{_path(place[:-1])} holds {shown_value(value)}, not {text}"]
        return [f"{path} = {shown_value(value)} is not {text}"]
    if kind == "value_error":
        return [f"{path} {extra['error']}"]
    path = f"{path} = {shown_value(value)}" if path else f"the document contains {shown_value(value)}, which"
    return [f"{path} is not {_allowed(model, place)}.{_extra(model, place, 'hint') or ''}"]


def unknown_keys(keys: Iterable[str], names: Collection[str], at: str = "") -> list[str]:
    """Return a line for each key that is not among the names that there are."""
    return [
        f"{at}{shortened(key)} is not a known key.{near_word(key, names)} Known here: {', '.join(names)}. "
        "Remove it or correct its name."
        for key in keys
        if key not in names
    ]


def _path(place: Sequence[int | str]) -> str:
    """Return ``fields.birth.sources`` for keys and ``conflict 1: about`` for a place in an array."""
    text = ""
    for part in place:
        if isinstance(part, int):
            text += f" {part + 1}:"
        elif text.endswith(":"):
            text += f" {part}"
        else:
            text += f".{part}" if text else str(part)
    return text.removesuffix(":")


def _field(model: type[BaseModel], place: Sequence[int | str]) -> FieldInfo | None:
    """Return pydantic's description of the field at a place; None where the schema has none."""
    info: FieldInfo | None = None
    owner: Any = model
    if issubclass(model, RootModel):
        owner = model.model_fields["root"].annotation
    for part in place:
        if isinstance(part, int):
            continue
        if get_origin(owner) is dict:
            info = FieldInfo.from_annotation(get_args(owner)[1])
        else:
            table = _inner_model(owner)
            by_key = {field.alias or name: field for name, field in table.model_fields.items()} if table else {}
            if part not in by_key:
                return None
            info = by_key[part]
        owner = info.annotation
    return info


def _inner_model(annotation: Any) -> type[BaseModel] | None:
    """Return the table that an annotation such as ``list[Table]`` holds."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((inner for part in get_args(annotation) if (inner := _inner_model(part))), None)


def _allowed(model: type[BaseModel], place: Sequence[int | str]) -> str:
    info = _field(model, place)
    if info is not None and info.description:
        return str(info.description)
    if not place or isinstance(place[-1], int):
        return "a table"
    return f"a table, [{place[-1]}] or {place[-1]} = {{ ... }}"


def _extra(model: type[BaseModel], place: Sequence[int | str], key: str) -> Any:
    """Return what the schema says besides of the field at a place: its ``hint``, or a ``blank`` in its absence."""
    info = _field(model, place)
    extra = info.json_schema_extra if info is not None else None
    return extra.get(key) if isinstance(extra, dict) else None


def _known_keys(model: type[BaseModel], place: Sequence[int | str]) -> list[str]:
    info = _field(model, place)
    owner = _inner_model(info.annotation) if info is not None else model
    return [field.alias or name for name, field in owner.model_fields.items()] if owner else []


def _prune(model: type[BaseModel], raw: Any, errors: Sequence[ErrorDetails]) -> bool:
    """Take what is wrong out of a document; false where nothing can be taken out."""
    taken = False
    for error in sorted(errors, key=lambda problem: [str(part).zfill(9) for part in problem["loc"]], reverse=True):
        place = [part for part in error["loc"] if part != "[key]"]
        blank = _extra(model, place, "blank") if error["type"] == "missing" else None
        if blank is None:
            taken |= _take_out(raw, place[:-1] if error["type"] == "missing" else place)
        elif isinstance(error["input"], dict):
            error["input"][place[-1]] = copy.copy(blank)
            taken = True
    return taken


def _take_out(raw: Any, place: Sequence[int | str]) -> bool:
    try:
        del reduce(operator.getitem, place[:-1], raw)[place[-1]]
    except (KeyError, IndexError, TypeError):
        return False
    return True


# The kinds of values that files of facts hold, and tables that know their keys.
#
# The schemas of voter lists, of other identified files and of states' releases are written with these. What a
# kind allows is its description: a problem of a file quotes it.


_DATE = re.compile(r"\d{4}(-\d\d(-\d\d)?)?|undated")
_A_LIST = Field(description='a list of texts such as ["a", "b"]')
_NUMBER = "a number, written without quotes such as 2500"
_USD = "a number of 0 or more, written without quotes such as 2500"


def word(words: Collection[str], hint: str = "") -> Any:
    """Return the kind of a text that is one of the words; ``hint`` ends the problem of another."""
    names = tuple(words)
    return Annotated[
        str,
        AfterValidator(one_of(names, hint)),
        Field(description=f"one of {', '.join(names)}", json_schema_extra={"hint": hint, "words": [*names]}),
    ]


def _cited(name: str, info: ValidationInfo) -> str:
    """Refuse a source that is not defined; the context may name the file that states share (``shared``)."""
    if info.context is not None and name not in info.context["sources"]:
        shared = info.context.get("shared")
        places, where = ("this file", "it") if not shared else (f"this file or of {shared}", "it there")
        raise ValueError(
            f"cites {shortened(name)!r}, which no [[source]] of {places} defines. Add {where} or correct the id."
        )
    return name


def _dated(text: str) -> str:
    if not _DATE.fullmatch(text):
        raise PydanticCustomError("date_text", "not a date")
    return text


def _number(value: Any) -> Any:
    """Refuse what Python takes for a number and a file does not: true and integers of hundreds of digits."""
    if isinstance(value, bool) or (isinstance(value, int) and abs(value) > 10**300):
        raise PydanticCustomError("number", "not a number")
    return value


def _positive(value: Any) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        if not 0 <= value <= sys.float_info.max:  # NaN is not
            raise ValueError(f"= {shown_value(value)} is not a number of 0 or more.")
        return float(value)
    return value


def _day(value: Any) -> Any:
    if isinstance(value, dt.datetime):
        raise ValueError(f"= {value} has a time of day. Write only the date, such as 2008-09-01.")  # noqa: TRY004  pydantic takes ValueError alone
    return value


def _words(value: Any) -> Any:
    if isinstance(value, list):
        if not all(isinstance(item, str) for item in value):
            raise ValueError(f"= {shown_value(value)} is not a list of texts.")
        return tuple(value)
    return value


def words_of(words: Collection[str]) -> Any:
    """Return the kind of a list of words."""
    return Annotated[tuple[Annotated[str, AfterValidator(one_of(words))], ...], BeforeValidator(_words), _A_LIST]


def tables_of(table: Any, key: str) -> Any:
    """Return the kind of an array of tables under a key."""

    def read(value: Any) -> Any:
        if not isinstance(value, dict):
            raise ValueError("is not a table.")  # noqa: TRY004
        return value

    item = Annotated[table, BeforeValidator(read)]
    return Annotated[list[item], Field(description=f"an array of tables, [[{key}]]")]


Text = Annotated[str, Field(description="a text in quotes")]
NeededText = Annotated[str, Field(description="a text in quotes", json_schema_extra={"blank": ""})]
Texts = Annotated[list[str], _A_LIST]
Words = Annotated[tuple[str, ...], BeforeValidator(_words), _A_LIST]
Number = Annotated[float, BeforeValidator(_positive), Field(description=_NUMBER)]
MaybeNumber = Annotated[float | None, BeforeValidator(_positive), Field(description=_NUMBER)]
MaybeDay = Annotated[
    dt.date | None, BeforeValidator(_day), Field(description="a date such as 2008-09-01, without quotes")
]
Whole = Annotated[int, Field(description="a whole number, without quotes")]
Flag = Annotated[bool, Field(description="true or false; write it without quotes")]
DateText = Annotated[str, AfterValidator(_dated), Field(description='"2026", "2026-05", "2026-05-19" or "undated"')]
Usd = Annotated[float, BeforeValidator(_number), Field(ge=0, allow_inf_nan=False, description=_USD)]
MaybeUsd = Annotated[
    Annotated[float, Field(ge=0, allow_inf_nan=False)] | None, BeforeValidator(_number), Field(description=_USD)
]
Citations = Annotated[list[Annotated[str, AfterValidator(_cited)]], _A_LIST]
Confidence: Any = word(CONFIDENCES)


class StrictTable(BaseModel):
    """A table that knows its keys: any other key is a problem, and no value changes its type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class CitingTable(StrictTable):
    """A table whose values rest on sources."""

    confidence: Confidence = ""
    sources: Citations = []


class SourceTable(StrictTable):
    """``[[source]]``: a document."""

    id: Text
    title: Text
    date: DateText = "undated"
    url: Text = ""
    also: Texts = []
    note: Text = ""


# From the checked tables of a file to nouns: evidence, and whatever has equal names.


def noun_of(kind: type[_Noun], table: BaseModel, /, **more: Any) -> _Noun:
    """Return a noun made of a table: equal names go over, tables inside become nouns, citations become evidence."""
    values = dict(more)
    for name, hint in _hints(kind).items():  # type: ignore[arg-type]
        if name == "evidence" and isinstance(table, CitingTable) and name not in more:
            values["evidence"] = evidence_of(table)
        elif name not in values and name in type(table).model_fields:
            values[name] = _made(hint, getattr(table, name))
    return kind(**values)


@cache
def _hints(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclass_fields(kind)}


def _made(hint: Any, value: Any) -> Any:
    if isinstance(value, BaseModel):
        return noun_of(_dataclass_in(hint), value)
    return tuple(_made(hint, item) for item in value) if isinstance(value, list | tuple) else value


def table_of(noun: Any, without: Collection[str] = (), types: Mapping[Any, Any] | None = None, **kinds: Any) -> Any:
    """Return the table whose keys are the fields of a noun; an empty text stands for the noun's own.

    ``kinds`` are those of values that the types of the noun do not tell, and, each with its value in the absence, of
    further keys. ``types``: other kinds by type, such as :data:`FACTS`. Citations stand in place of evidence.
    """
    keys: dict[str, Any] = {name: kind for name, kind in kinds.items() if isinstance(kind, tuple)}
    hints = _hints(noun)
    cites = hints.get("evidence") is Evidence
    for own in dataclass_fields(noun):
        if own.name in without or own.name in keys or (cites and own.name == "evidence"):
            continue
        is_needed = own.default is MISSING and own.default_factory is MISSING
        kind = kinds.get(own.name, (types or _KINDS).get(hints[own.name]))
        if kind is Text and own.default:
            kind = NeededText if is_needed else Annotated[Text, AfterValidator(partial(_or, own.default))]
        default = own.default if own.default_factory is MISSING else Field(default_factory=own.default_factory)
        keys[own.name] = (kind, ... if is_needed else default)
    return create_model(f"{noun.__name__}Table", __base__=CitingTable if cites else StrictTable, **keys)


_KINDS: Mapping[Any, Any] = {str: Text, bool: Flag, float: Number, tuple[str, ...]: Words, dt.date | None: MaybeDay}
# The kinds of facts that cite sources: an empty text is one, and amounts are dollars.
FACTS: Mapping[Any, Any] = {
    str: Annotated[str, Field(description="a text in quotes")],
    bool: Flag,
    bool | None: Flag | None,
    int: Whole,
    int | None: Whole | None,
    float: Usd,
    float | None: MaybeUsd,
    tuple[str, ...]: Texts,
}


def _or(usual: Any, text: str) -> Any:
    return text or usual


def _dataclass_in(hint: Any) -> Any:
    """Return the noun of a hint such as ``tuple[Quote, ...]``."""
    return (
        hint if is_dataclass(hint) else next((kind for part in get_args(hint) if (kind := _dataclass_in(part))), None)
    )


def evidence_of(table: Any) -> Evidence:
    """Return what a table rests on."""
    return Evidence(table.confidence, tuple(table.sources))


def read_tables(
    model: type[_Model], raw: Mapping[str, Any], key: str, problems: list[str], context: dict[str, Any] | None = None
) -> list[tuple[_Model, str]]:
    """Return the tables of an array that could be read, each with what stands before its keys in a problem."""
    tables = raw.get(key, [])
    if not isinstance(tables, list):
        problems.append(f"{key} is not an array of tables, [[{key}]].")
        return []
    documents = []
    for number, table in enumerate(tables, 1):
        at = f"{key} {number}: "
        if not isinstance(table, dict):
            problems.append(f"{key} {number} is not a table.")
        elif (document := read_document(model, table, problems, at, context)) is not None:
            documents.append((document, at))
    return documents


def read_sources(raw: Mapping[str, Any], problems: list[str]) -> dict[str, Source]:
    """Return the sources that a document defines, by their short names."""
    sources: dict[str, Source] = {}
    for table, _ in read_tables(SourceTable, raw, "source", problems):
        if table.id in sources:
            problems.append(f"source {shortened(table.id)!r} is defined twice; give each its own id.")
        sources[table.id] = noun_of(Source, table)
    return sources
