"""Files that are there whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from policy_sim.errors import OutputError

__all__ = ["replace_file", "replace_files"]


def replace_files(contents: Mapping[Path, bytes]) -> None:
    """Write every file beside its place; when all are complete, put them there: never half a file.

    Raises
    ------
    OutputError : a folder cannot be made or written; the old files are kept.
    """
    beside = {path: path.with_name(f".{path.name}.part") for path in contents}
    now = next(iter(contents), Path())
    try:
        for now, content in contents.items():
            now.parent.mkdir(parents=True, exist_ok=True)
            beside[now].write_bytes(content)
        for now, part in beside.items():
            part.replace(now)
    except OSError as error:
        for part in beside.values():
            with suppress(OSError):
                part.unlink(missing_ok=True)
        raise OutputError(f"{now}: cannot be written ({error.strerror or error}).") from error


def replace_file(path: Path, content: bytes) -> None:
    """Write one file as :func:`replace_files` does."""
    replace_files({path: content})
