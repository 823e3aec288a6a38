"""TOML files read whole: those of a user, and those that come with the program.

A user's file that is not TOML breaks its schema; one of the program's that cannot be read is a damaged
installation. What a table may hold is for its reader to say (:mod:`policy_sim.io.toml_table`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from policy_sim.errors import SchemaError, SourceError
from policy_sim.files.paths import data_dir
from policy_sim.io.toml_table import not_toml, toml_table

__all__ = ["damaged_if_wrong", "read_toml_file", "shipped_files", "shipped_table"]


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
