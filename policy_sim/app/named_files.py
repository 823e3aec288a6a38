"""Files and folders of this machine, by their paths as somebody types or pastes them."""

from __future__ import annotations

import os
from pathlib import Path

from policy_sim.words.errors import InputError, SourceError


def path_of(text: str) -> Path:
    """Return the path of a file or folder on this machine, as somebody types or pastes it."""
    if "\0" in text or len(text) > 4096:
        raise InputError("That is no name of a file.")
    try:
        path = Path(text.strip().strip("'\"").removeprefix("file://")).expanduser()
        os.fsencode(path)
    except (RuntimeError, UnicodeError):  # nobody of that name has a folder; letters that no name has
        raise InputError("That is no name of a file.") from None
    if not path.is_absolute():
        path = Path.home() / path
    return path


def file_of(text: str) -> Path:
    """Return the path of a file that is there."""
    path = path_of(text)
    try:
        if path.is_file():
            return path
    except OSError:
        pass
    raise SourceError("There is no such file. Give its whole path, as your file manager shows it.")
