"""TOML files: read, checked key by key, and what to say of a broken one."""

from __future__ import annotations

import copy
import datetime as dt
import difflib
import json
import re
import sys
import tomllib
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, ValidationInfo
from pydantic_core import ErrorDetails, PydanticCustomError

from policy_sim.files.evidence import CONFIDENCES
from policy_sim.files.paths import data_dir
from policy_sim.words.errors import SchemaError, SourceError

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
    "TomlTable",
    "Usd",
    "damaged_if_wrong",
    "json_value",
    "lines_error",
    "near_word",
    "not_toml",
    "one_of",
    "read_document",
    "read_toml_file",
    "shipped_files",
    "shipped_table",
    "shortened",
    "shown_value",
    "toml_table",
    "word",
]


# Read a TOML table strictly: the reader names every key and its type, and no key is ignored.
#
# Problems are collected and not raised, so that a user learns everything that is wrong with a file at
# once. Each problem states the place, the fault, what is allowed and what to do.


_LONGEST = 80  # letters of a line that a message shows
_MOST_KEYS = 3  # unknown ones of a table, each with a line of its own


def toml_table(text: str) -> dict[str, Any]:
    """Return the table of a TOML document.

    Raises
    ------
    tomllib.TOMLDecodeError : it is not TOML, is nested too deeply, or has a number of thousands of digits.
    """
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise tomllib.TOMLDecodeError("tables or lists are nested too deeply") from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:
        raise tomllib.TOMLDecodeError("a number has too many digits") from None


def json_value(text: str) -> Any:
    """Return the value of a JSON document.

    Raises
    ------
    ValueError : it is not JSON, is nested too deeply, or has a number of thousands of digits.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("lists or objects are nested too deeply") from None


class TomlTable:
    """One table of a TOML file and the list to which its problems are added.

    Parameters
    ----------
    raw : The table as ``tomllib`` returns it.
    problems : Where to add problems; shared by all tables of a file.
    at : What stands before a key in a problem: ``"[2008] fields.gender."``.

    Call :meth:`done` after the last key: it reports the keys that were not read.
    """

    def __init__(self, raw: dict[str, Any], problems: list[str], at: str = "") -> None:
        self.raw, self.problems, self.at = raw, problems, at
        self._read: dict[str, None] = {}

    def __contains__(self, key: str) -> bool:
        return key in self.raw

    def problem(self, key: str, text: str) -> None:
        """Add a problem with one key."""
        self.problems.append(f"{self.at}{key} {text}")

    def text(self, key: str, *, required: bool = False) -> str:
        """Return a text; empty where the key is absent."""
        return str(self._take(key, str, "a text in quotes", "", required))

    def choice(
        self, key: str, allowed: Collection[str], default: str = "", *, required: bool = False, hint: str = ""
    ) -> str:
        """Return one of the allowed words."""
        value = self._take(key, str, f"one of {', '.join(allowed)}", default, required)
        if key in self.raw and value and value not in allowed:
            self.problem(
                key, f"= {shown_value(value)} is not one of {', '.join(allowed)}.{near_word(value, allowed)}{hint}"
            )
            return default
        return str(value)

    def number(self, key: str, default: float = 0.0) -> float:
        """Return a number of 0 or more."""
        value = self._take(key, (int, float), "a number, written without quotes such as 2500", default, required=False)
        if not 0 <= value <= sys.float_info.max:  # NaN is not
            self.problem(key, f"= {shown_value(value)} is not a number of 0 or more.")
            return default
        return float(value)

    def flag(self, key: str, *, default: bool = False) -> bool:
        """Return true or false."""
        value = self.raw.get(key, default)
        self._read[key] = None
        if not isinstance(value, bool):
            self.problem(key, f"= {shown_value(value)} is not true or false; write it without quotes.")
            return default
        return value

    def date(self, key: str, *, required: bool = False) -> dt.date | None:
        """Return a day, written 2008-09-01 without quotes."""
        value = self._take(key, dt.date, "a date such as 2008-09-01, without quotes", None, required)
        if isinstance(value, dt.datetime):
            self.problem(key, f"= {value} has a time of day. Write only the date, such as 2008-09-01.")
            return None
        return value if isinstance(value, dt.date) else None

    def texts(self, key: str, allowed: Collection[str] | None = None) -> tuple[str, ...]:
        """Return a list of texts, each one of the allowed words if there are any."""
        value = self._take(key, list, 'a list of texts such as ["a", "b"]', [], required=False)
        if not all(isinstance(item, str) for item in value):
            self.problem(key, f"= {shown_value(value)} is not a list of texts.")
            return ()
        for item in value:
            if allowed is not None and item not in allowed:
                self.problem(
                    key, f"holds {shown_value(item)}, not one of {', '.join(allowed)}.{near_word(item, allowed)}"
                )
        return tuple(item for item in value if allowed is None or item in allowed)

    def table(self, key: str, *, required: bool = False) -> TomlTable:
        """Return a table inside this one; where it is absent, an empty one whose keys are not missed one by one."""
        raw = self._take(key, dict, f"a table, [{key}] or {key} = {{ ... }}", None, required)
        return TomlTable(raw or {}, self.problems if raw is not None else [], f"{self.at}{key}.")

    def tables(self, key: str) -> Iterator[TomlTable]:
        """Yield each table of an array of tables."""
        raw = self._take(key, list, f"an array of tables, [[{key}]]", [], required=False)
        for number, item in enumerate(raw, 1):
            if isinstance(item, dict):
                yield TomlTable(item, self.problems, f"{self.at}{key} {number}: ")
            else:
                self.problem(key, f"{number} is not a table.")

    def done(self, also: Sequence[str] = ()) -> None:
        """Report every key that was not read: an unknown key is an error."""
        names = list(dict.fromkeys([*self._read, *also]))
        unknown = [key for key in self.raw if key not in names]
        allowed_keys = f"Known here: {', '.join(names)}."
        if len(unknown) > _MOST_KEYS:
            first = ", ".join(map(shortened, unknown[:_MOST_KEYS]))
            self.problems.append(
                f"{self.at}{first} and {len(unknown) - _MOST_KEYS:,} more are not known keys. {allowed_keys} Remove "
                "them or correct their names."
            )
            return
        for key in unknown:
            near = near_word(key, names)
            self.problems.append(
                f"{self.at}{shortened(key)} is not a known key.{near} {allowed_keys} Remove it or correct its name."
            )

    def _take(self, key: str, kind: type | tuple[type, ...], allowed: str, default: Any, required: bool) -> Any:
        self._read[key] = None
        if key not in self.raw:
            if required:
                self.problems.append(f"{self.at}{key} is missing; give {allowed}.")
            return default
        value = self.raw[key]
        if not isinstance(value, kind) or isinstance(value, bool):
            self.problem(key, f"= {shown_value(value)} is not {allowed}.")
            return default
        return value


def shown_value(value: Any) -> str:
    """Return a value as a message shows it: on one line, and cut off where it is long."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 10**_LONGEST:
        return "a number of more than 80 digits"
    if isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value):
        return "a list of lists or tables"
    return shortened(value.isoformat() if isinstance(value, (dt.date, dt.time)) else repr(value))


def shortened(text: str) -> str:
    """Return a text as a message shows it: the beginning of a long one."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def near_word(word: str, names: Collection[str]) -> str:
    """Return a question with the known word that is closest to a wrong one; empty where none is close."""
    small = {name.casefold(): name for name in names}
    near = difflib.get_close_matches(word.casefold(), list(small), n=1, cutoff=0.6)
    return f" Did you mean {small[near[0]]!r}?" if near else ""


_LIKE_TOML = re.compile(r"""\[|["']?[\w .-]+["']?\s*=""")


def not_toml(error: tomllib.TOMLDecodeError, text: str) -> str:
    """Return why a text is not TOML, with the line at which the parser stops, if that is one of TOML and no record."""
    place = re.search(r"at line (\d+)", str(error))
    lines = text.splitlines()
    number = int(place.group(1)) if place else 0
    line = lines[number - 1].strip() if 0 < number <= len(lines) else ""
    return f"is not TOML: {error}" + (f": {line[:_LONGEST]}" if _LIKE_TOML.match(line) else "")


# TOML files read whole: those of a user, and those that come with the program.
#
# A user's file that is not TOML breaks its schema; one of the program's that cannot be read is a damaged
# installation. What a table may hold is for its reader to say (:mod:`policy_sim.files.toml`).


def read_toml_file(path: Path, where: str = "") -> dict[str, Any]:
    """Return the table of a user's file; a byte order mark in front of it is passed over.

    Parameters
    ----------
    path : The file.
    where : What problems call it; its path by default.

    Raises
    ------
    SchemaError : it cannot be read, or is not TOML in UTF-8.
    """
    where, text = where or str(path), ""
    try:
        text = path.read_text(encoding="utf-8-sig")
        return toml_table(text)
    except tomllib.TOMLDecodeError as error:
        raise SchemaError(where, [f"{not_toml(error, text)}."]) from error
    except UnicodeDecodeError as error:
        raise SchemaError(where, ["is not text in UTF-8. Save it as UTF-8."]) from error
    except (OSError, ValueError) as error:  # a name with a NUL is a ValueError
        raise SchemaError(where, [f"cannot be read: {getattr(error, 'strerror', None) or error}."]) from error


def shipped_files(folder: str) -> dict[str, Path]:
    """Return the TOML files in a folder of ``data/``, by name in the order of the alphabet.

    >>> sorted(shipped_files("presets"))
    ['benitez-malin-2010']
    """
    return {path.stem: path for path in sorted((data_dir() / folder).glob("*.toml"), key=lambda path: path.stem)}


def shipped_table(path: str | Path) -> dict[str, Any]:
    """Return the table of a file in ``data/``.

    Raises
    ------
    SourceError : the file is missing or damaged.

    Examples
    --------
    >>> shipped_table("presets/benitez-malin-2010.toml")["population"]
    'us-2000'
    """
    file = data_dir() / path
    with damaged_if_wrong(file):
        return toml_table(file.read_text(encoding="utf-8"))


@contextmanager
def damaged_if_wrong(path: Path) -> Iterator[None]:
    """Read one of the program's own files in this block: what is wrong with it is a damaged installation.

    Raises
    ------
    SourceError : the file cannot be read, is not what it must be, or lacks a key.
    """
    try:
        yield
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SourceError(f"{path}: cannot be read ({error}). Install policy-sim again.") from error


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

    Parameters
    ----------
    model : The schema.
    raw : The table as a TOML or JSON reader gives it. It is not changed.
    problems : Where to add one line per problem.
    at : What stands before each path, such as ``"[2026] "``.
    context : What validators of the schema look up.

    Returns
    -------
    The document. Values that are wrong are left out of it, so that the rest can be checked further.
    None where too little is left.
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
