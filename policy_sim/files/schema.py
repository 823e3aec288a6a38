"""The kinds of values that files of facts hold, and what is wrong with a document as lines for a reader."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Collection, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, ValidationInfo
from pydantic_core import ErrorDetails, PydanticCustomError

from policy_sim.files.evidence import CONFIDENCES
from policy_sim.files.toml import near_word, shortened, shown_value

__all__ = [
    "Citations",
    "CitingTable",
    "Confidence",
    "DateText",
    "Flag",
    "MaybeUsd",
    "SourceTable",
    "StrictTable",
    "Text",
    "Texts",
    "Usd",
    "lines_error",
    "one_of",
    "read_document",
    "word",
]


# What pydantic finds wrong with a document, as lines for a reader: where, what, and what was allowed.


_Model = TypeVar("_Model", bound=BaseModel)
_MAX_ROUNDS = 8
_MOST = 1000  # problems of one document with a line each
_WORD, _LINES = "word", "lines"


def one_of(words: Collection[str], hint: str = "") -> Callable[[str], str]:
    """Return a validator that takes one of the words; ``hint`` ends the line that refuses another."""

    def check(value: str) -> str:
        if value not in words:
            raise PydanticCustomError(_WORD, "not a word", {"words": list(words), "hint": hint})
        return value

    return check


def lines_error(lines: Sequence[str]) -> PydanticCustomError:
    """Return an error of a table whose values do not go together: one line per problem, key first."""
    return PydanticCustomError(_LINES, "do not go together", {"lines": list(lines)})


def read_document(
    model: type[_Model], raw: Any, problems: list[str], at: str = "", context: dict[str, Any] | None = None
) -> _Model | None:
    """Return the document of a table; every problem is added to ``problems``.

    ``problems``: where to add one line per problem. ``at``: what stands before each path, such as ``"[2026] "``.
    Returned: the document. Values that are wrong are left out of it, so that the rest can be checked further. None
    where too little is left.
    """
    rest = copy.deepcopy(raw)
    for attempt in range(_MAX_ROUNDS):
        try:
            return model.model_validate(rest, context=context)
        except ValidationError as error:
            errors = error.errors(include_url=False)
            if not attempt:
                for detail in errors[:_MOST]:
                    problems += [at + line for line in _lines(model, detail)]
                if len(errors) > _MOST:
                    problems.append(f"{at}{len(errors) - _MOST:,} more problems are not listed. Correct these first.")
            if not _prune(rest, errors):
                return None
    return None


def _lines(model: type[BaseModel], error: ErrorDetails) -> list[str]:
    """Return the lines of one error."""
    place = [part for part in error["loc"] if part != "[key]"]
    value, kind, extra = error["input"], error["type"], error.get("ctx", {})
    path = _path(place)
    if kind == _LINES:
        return [f"{path}.{line}" if path else line for line in extra["lines"]]
    if kind == "missing":
        return [f"{path} is missing; give {_allowed(model, place)}.{_hint(model, place)}"]
    if kind == "extra_forbidden" or "[key]" in error["loc"]:
        words = extra.get("words") or _known_keys(model, place[:-1])
        return [
            f"{_path([*place[:-1], shortened(str(place[-1]))])} is not a known key.{near_word(str(place[-1]), words)} "
            f"Known here: {', '.join(words)}. Remove it or correct its name."
        ]
    if kind == _WORD:
        text = f"one of {', '.join(extra['words'])}.{near_word(str(value), extra['words'])}{extra['hint']}"
        if isinstance(place[-1], int):
            return [f"{_path(place[:-1])} holds {shown_value(value)}, not {text}"]
        return [f"{path} = {shown_value(value)} is not {text}"]
    if kind == "value_error":
        return [f"{path} {extra['error']}"]
    path = f"{path} = {shown_value(value)}" if path else f"the document contains {shown_value(value)}, which"
    return [f"{path} is not {_allowed(model, place)}.{_hint(model, place)}"]


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


def _field(model: type[BaseModel], place: Sequence[int | str]) -> Any:
    """Return pydantic's description of the field at a place; None where the schema has none."""
    match, owner = None, model
    for part in place:
        if isinstance(part, int):
            continue
        by_key = {info.alias or name: info for name, info in owner.model_fields.items()} if owner else {}
        match = by_key.get(part)
        if match is None:
            return None
        owner = _inner_model(match.annotation)  # type: ignore[assignment]
    return match


def _inner_model(annotation: Any) -> type[BaseModel] | None:
    """Return the table that an annotation such as ``list[Table]`` holds."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((inner for part in getattr(annotation, "__args__", ()) if (inner := _inner_model(part))), None)


def _allowed(model: type[BaseModel], place: Sequence[int | str]) -> str:
    info = _field(model, place)
    if info is not None and info.description:
        return str(info.description)
    if not place or isinstance(place[-1], int):
        return "a table"
    return f"a table, [{place[-1]}] or {place[-1]} = {{ ... }}"


def _hint(model: type[BaseModel], place: Sequence[int | str]) -> str:
    info = _field(model, place)
    extra = info.json_schema_extra if info is not None else None
    return str(extra.get("hint", "")) if isinstance(extra, dict) else ""


def _known_keys(model: type[BaseModel], place: Sequence[int | str]) -> list[str]:
    info = _field(model, place)
    owner = _inner_model(info.annotation) if info is not None else model
    return [field.alias or name for name, field in owner.model_fields.items()] if owner else []


def _prune(raw: Any, errors: Sequence[ErrorDetails]) -> bool:
    """Take what is wrong out of a document; false where nothing can be taken out."""
    taken = False
    for error in sorted(errors, key=lambda problem: [str(part).zfill(9) for part in problem["loc"]], reverse=True):
        place = [part for part in error["loc"] if part != "[key]"]
        if error["type"] == "missing":
            place = place[:-1]
        taken |= _take_out(raw, place)
    return taken


def _take_out(raw: Any, place: Sequence[int | str]) -> bool:
    if not place:
        return False
    holder = raw
    for part in place[:-1]:
        if not isinstance(holder, (dict, list)):
            return False
        try:
            holder = holder[part]  # type: ignore[index]
        except (KeyError, IndexError, TypeError):
            return False
    try:
        del holder[place[-1]]
    except (KeyError, IndexError, TypeError):
        return False
    return True


# The kinds of values that files of facts hold, and tables that know their keys.
#
# The schemas of voter lists, of other identified files and of states' releases are written with these. What a
# kind allows is its description: a problem of a file quotes it.


_DATE = re.compile(r"\d{4}(-\d\d(-\d\d)?)?|undated")
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


Text = Annotated[str, Field(description="a text in quotes")]
Texts = Annotated[list[str], Field(description='a list of texts such as ["a", "b"]')]
Flag = Annotated[bool, Field(description="true or false; write it without quotes")]
DateText = Annotated[str, AfterValidator(_dated), Field(description='"2026", "2026-05", "2026-05-19" or "undated"')]
Usd = Annotated[float, BeforeValidator(_number), Field(ge=0, allow_inf_nan=False, description=_USD)]
MaybeUsd = Annotated[
    Annotated[float, Field(ge=0, allow_inf_nan=False)] | None, BeforeValidator(_number), Field(description=_USD)
]
Citations = Annotated[
    list[Annotated[str, AfterValidator(_cited)]], Field(description='a list of texts such as ["a", "b"]')
]
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
