"""TOML files: read, checked key by key, and what to say of a broken one."""

from __future__ import annotations

import datetime as dt
import difflib
import json
import re
import sys
import tomllib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from policy_sim.files.paths import data_dir
from policy_sim.words.errors import SchemaError, SourceError

__all__ = [
    "TomlTable",
    "damaged_if_wrong",
    "json_value",
    "near_word",
    "not_toml",
    "read_toml_file",
    "shipped_files",
    "shipped_table",
    "shortened",
    "shown_value",
    "toml_table",
]


# Read a TOML table strictly: the reader names every key and its type, and no key is ignored.
#
# Problems are collected and not raised, so that a user learns everything that is wrong with a file at
# once. Each problem states the place, the fault, what is allowed and what to do.


_LONGEST = 80  # letters of a line that a message shows
_MOST_KEYS = 3  # unknown ones of a table, each with a line of its own


def toml_table(text: str) -> dict[str, Any]:
    """Return the table of a TOML document."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise tomllib.TOMLDecodeError("tables or lists are nested too deeply") from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:
        raise tomllib.TOMLDecodeError("a number has too many digits") from None


def json_value(text: str) -> Any:
    """Return the value of a JSON document."""
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

    ``where``: what problems call it; its path by default.
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
    """Return the table of a file in ``data/``."""
    file = data_dir() / path
    with damaged_if_wrong(file):
        return toml_table(file.read_text(encoding="utf-8"))


@contextmanager
def damaged_if_wrong(path: Path) -> Iterator[None]:
    """Read one of the program's own files in this block: what is wrong with it is a damaged installation."""
    try:
        yield
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SourceError(f"{path}: cannot be read ({error}). Install policy-sim again.") from error
