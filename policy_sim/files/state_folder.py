"""A folder with one TOML file per state: its files, their names, and what is wrong with each.

Problems are collected by file, so that a user learns at once everything that is wrong with all of them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from policy_sim.files.toml import not_toml, toml_table
from policy_sim.files.writing import sha256_of
from policy_sim.words.errors import SourceError
from policy_sim.words.states import STATES

__all__ = ["folder_digest", "folder_files", "folder_state", "read_state_file", "shown_path", "state_of_file"]


def folder_files(folder: Path, kind: str) -> list[Path]:
    """Return the TOML files of a folder, sorted by name.

    ``folder``: where they are. ``kind``: what the files are, for the error: ``voter-list``.
    """
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

    ``problems``: where the problem is added. ``also``: codes besides those of the states, such as that of a fictional
    one.
    """
    state = path.stem.upper()
    if path.stem == path.stem.lower() and (state in STATES or state in also):
        return state
    problems.append("the file's name must be a state's postal code in lower case, such as oh.toml.")
    return ""


def read_state_file(path: Path, problems: list[str], compare: str) -> dict[str, Any] | None:
    """Return the table of a file; None, and a problem, where it is not TOML.

    ``problems``: where the problem is added.
    """
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
