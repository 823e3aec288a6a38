"""TOML files, read whole: a user's that is none breaks its schema, one of the program's is a damaged installation.

What a table may hold, its reader says by a model of :mod:`policy_sim.files.schema`.
"""

from __future__ import annotations

import datetime as dt
import difflib
import json
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, TypeVar

from policy_sim.files.paths import data_dir
from policy_sim.files.writing import sha256_of
from policy_sim.words.errors import SchemaError, SourceError
from policy_sim.words.states import STATES

_File = TypeVar("_File")
_Shared = TypeVar("_Shared")
_LONGEST = 80  # letters of a line that a message shows


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


def json_value(text: str, object_hook: Callable[[dict[str, Any]], Any] | None = None) -> Any:
    """Return the value of a JSON document; what ``object_hook`` makes of it stands for each of its objects."""
    try:
        return json.loads(text, object_hook=object_hook)
    except RecursionError:
        raise ValueError("lists or objects are nested too deeply") from None


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


def read_toml_file(path: Path, where: str = "") -> dict[str, Any]:
    """Return the table of a user's file, which problems call ``where``; a byte order mark in front is passed over."""
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
    """Return the TOML files in a folder of ``data/``, by name in the order of the alphabet."""
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


# A folder with one TOML file per state: what is wrong with each is collected, so that a user learns all of it at once.


def folder_files(folder: Path, kind: str) -> list[Path]:
    """Return the TOML files of a folder, by name; an error calls them files of a kind such as ``voter-list``."""
    if not folder.is_dir():
        raise SourceError(f"{folder}: there is no such folder of {kind} files.")
    return sorted(folder.glob("*.toml"))


def folder_state(paths: Iterable[Path]) -> tuple[tuple[str, int], ...]:
    """Return names and times of change: what is read from a folder holds until one of them is another."""
    return tuple((path.name, path.stat().st_mtime_ns) for path in paths)


def folder_digest(paths: Iterable[Path]) -> str:
    """Return a sha256 over the names and bytes of files."""
    parts: list[bytes] = []
    for path in paths:
        content = path.read_bytes()
        parts += [f"{path.name} {len(content)} ".encode(), content]
    return sha256_of(*parts)


def shown_path(path: Path) -> str:
    """Return a file's folder and name, as problems name it.

    >>> shown_path(Path("/home/me/voter_policies/oh.toml")), shown_path(Path("oh.toml"))
    ('voter_policies/oh.toml', 'oh.toml')
    """
    return f"{path.parent.name}/{path.name}" if path.parent.name else path.name


def state_of_file(path: Path, problems: list[str], also: Collection[str] = ()) -> str:
    """Return the postal code that a file's name is; an empty text, and a problem, where it is none.

    ``also``: codes besides those of the states, such as that of a fictional one.
    """
    state = path.stem.upper()
    if path.stem == path.stem.lower() and (state in STATES or state in also):
        return state
    problems.append("the file's name must be a state's postal code in lower case, such as oh.toml.")
    return ""


def read_state_file(path: Path, problems: list[str], compare: str) -> dict[str, Any] | None:
    """Return the table of a file; None, and a problem, where it is not TOML."""
    text = ""
    try:
        text = path.read_text(encoding="utf-8")
        return toml_table(text)
    except UnicodeDecodeError as error:
        problems.append(f"is not text in UTF-8: {error}. Save it as UTF-8.")
    except tomllib.TOMLDecodeError as error:
        problems.append(f"{not_toml(error, text)}. Compare with {compare}.")
    except OSError as error:
        raise SourceError(f"{path}: cannot be read ({error.strerror}).") from error
    return None


@dataclass(frozen=True)
class StateFolder(Generic[_File, _Shared]):
    """Folders with one file of a kind per state, and one, ``shared``, of what several of them cite.

    A folder that lacks the shared file has that of the folder which ships. ``parse_shared`` and ``parse`` (a table, its
    state, what is shared) add what is wrong to a list. ``compare``: the file that shows how one is written. ``also``: a
    code besides those of the states.
    """

    kind: str
    shipped: Callable[[], Path]
    shared: str
    compare: str
    also: str
    parse_shared: Callable[[dict[str, Any], list[str]], _Shared]
    parse: Callable[[dict[str, Any], str, _Shared, list[str]], _File]

    def paths(self, directory: Path | None = None) -> list[Path]:
        """Return the TOML files of a folder."""
        return folder_files(directory or self.shipped(), self.kind)

    def read(self, directory: Path | None = None) -> dict[str, _File]:
        """Return what every file says, by postal code; asked again, from memory until a file changes."""
        files: dict[str, _File] = _read_once(self, directory or self.shipped(), folder_state(self.paths(directory)))
        return files

    def scan(
        self, directory: Path | None = None, only: Collection[Path] = ()
    ) -> tuple[dict[str, _File], dict[str, list[str]]]:
        """Return every file, or those of ``only``, that could be read, and the problems by file."""
        folder, problems, files = directory or self.shipped(), dict[str, list[str]](), dict[str, _File]()
        shared = self.read_shared(folder, problems)
        paths = sorted(only) or [path for path in self.paths(folder) if not path.name.startswith("_")]
        for path in paths:
            lines = problems.setdefault(shown_path(path), [])
            state = state_of_file(path, lines, also=(self.also,))
            raw = read_state_file(path, lines, self.compare) if state else None
            if raw is not None:
                files[state] = self.parse(raw, state, shared, lines)
        if not paths:
            problems[shown_path(folder)] = ["this folder has no state files. Name a state's file by its postal code."]
        return files, {where: lines for where, lines in problems.items() if lines}

    def read_shared(self, folder: Path, problems: dict[str, list[str]]) -> _Shared:
        """Return what the files of a folder may cite; what is wrong with it is added to the problems by file."""
        own = folder / self.shared
        path = own if own.is_file() else self.shipped() / self.shared
        lines = problems.setdefault(shown_path(path), [])
        return self.parse_shared(read_state_file(path, lines, self.compare) or {}, lines)

    def digest(self, directory: Path | None = None) -> str:
        """Return a sha256 over the names and bytes of the files."""
        return folder_digest(self.paths(directory))


@lru_cache(maxsize=8)
def _read_once(files: StateFolder[Any, Any], folder: Path, _state: tuple[tuple[str, int], ...]) -> Any:
    by_state, problems = files.scan(folder)
    if problems:
        raise SchemaError.together(problems)
    return by_state
