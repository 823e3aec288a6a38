"""Files that a command reads: each that is missing, empty or unreadable is refused in the same words."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from policy_sim.words.errors import SourceError
from policy_sim.words.text import mask_credentials

_ENDINGS = (".toml", ".csv", ".parquet", ".json", ".xlsx")  # of a value that is a file, where a name is allowed too


def check_input(called: str, name: str, *, file_okay: bool = True, dir_okay: bool = False) -> None:
    """Refuse a file or folder that is missing, empty, not readable or of the other kind.

    Parameters
    ----------
    called : The option or argument that names it, such as ``--mapping``.
    name : Path of the file or folder.
    """
    path = Path(name)
    if not path.exists():
        why = f"no such {'file' if file_okay else 'folder'}. Check the name and the folder that you are in."
    elif path.is_dir() and not dir_okay:
        why = "is a folder, not a file. Name a file in it."
    elif not path.is_dir() and not file_okay:
        why = "is a file, not a folder. Name a folder."
    elif not os.access(path, os.R_OK):
        why = "you have no permission to read it. Change its permissions, or use a copy."
    elif path.is_file() and not path.stat().st_size:
        why = "the file is empty. Name a file with content."
    else:
        return
    raise SourceError(f"{called} {name}: {why}")


class FilePath(click.Path):
    """The name of a file or folder; not an address, whose password would become the name of a folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse an address; otherwise as click does."""
        text = os.fsdecode(value)
        if "://" in text or mask_credentials(text) != text:
            kind = "file" if self.file_okay else "folder"
            self.fail(f"{text!r} is an address. Give the name of a {kind}.", param, ctx)
        return super().convert(value, param, ctx)


class InputPath(FilePath):
    """A file (with ``dir_okay`` also a folder) that is read, and so has to be there."""

    def __init__(self, *, file_okay: bool = True, dir_okay: bool = False) -> None:
        super().__init__(file_okay=file_okay, dir_okay=dir_okay, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path of a file that can be read."""
        if "://" not in os.fsdecode(value):
            check_input(_called(param), os.fsdecode(value), file_okay=self.file_okay, dir_okay=self.dir_okay)
        return super().convert(value, param, ctx)


class RecordsName(click.ParamType[str]):
    """A file of records, a folder or pattern of such files, or the address of a database."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, _ctx: click.Context | None) -> str:
        """Return the text; a plain name has to be that of a file or folder."""
        text = os.fsdecode(value)
        if Path(text).exists() or not any(sign in text for sign in ("://", "*", "?", "[", ":")):
            check_input(_called(param), text, dir_okay=True)
        return text


class NameOrFile(click.ParamType[str]):
    """A name that the program knows, or a file of one's own."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, _ctx: click.Context | None) -> str:
        """Return the text; where it ends as files do, it has to be a file."""
        text = os.fsdecode(value)
        of_policy = "=area:" in text  # a policy whose areas are a file, which it names when it reads them
        if text.casefold().endswith(_ENDINGS) and "://" not in text and "*" not in text and not of_policy:
            check_input(_called(param), text, dir_okay=True)
        return text


def _called(param: click.Parameter | None) -> str:
    if isinstance(param, click.Option):
        return param.opts[0]
    return "FILE" if param is None else param.human_readable_name


INPUT = InputPath()
INPUT_FOLDER = InputPath(file_okay=False, dir_okay=True)
FILE_OR_FOLDER = InputPath(dir_okay=True)
RECORDS = RecordsName()
NAME_OR_FILE = NameOrFile()
