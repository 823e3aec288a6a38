"""Files that are there whole or not at all, and their checksums: the one home of both."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from policy_sim.errors import OutputError
from policy_sim.io.scratch import gone_with_this_process

__all__ = ["replace_file", "replace_files", "replace_folder", "replaced", "sha256_of"]

_LONGEST = 40  # letters of a file's name that its draft repeats: a long name leaves no room for more
_BLOCK = 1 << 20


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """Yield a draft next to ``path`` to write to; when the block succeeds, the draft takes the place of ``path``.

    A reader never sees half a file, whatever happens and whoever else writes: every draft has a name of its own.
    The folder must exist; :func:`replace_file` makes it.

    Raises
    ------
    OutputError : the file cannot be written; what stood there before still stands.
    """
    draft = path.with_name(f".{path.name[:_LONGEST]}-{secrets.token_hex(4)}.part")
    gone_with_this_process(draft)
    try:
        yield draft
        with draft.open("rb+") as written:  # on disk before the name points at it
            os.fsync(written.fileno())
        draft.replace(path)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror or error}).") from error
    finally:
        with suppress(OSError):  # on a disk that is read-only, or under a name too long, there is nothing
            draft.unlink(missing_ok=True)


def replace_files(contents: Mapping[Path, bytes]) -> None:
    """Write all drafts first, in folders made where needed; when all are complete, put them in their places.

    Raises
    ------
    OutputError : a folder cannot be made or written; the old files are kept.
    """
    with ExitStack() as drafts:
        for path, content in reversed([*contents.items()]):  # the drafts take their places in the order given
            draft = drafts.enter_context(replaced(path))
            draft.parent.mkdir(parents=True, exist_ok=True)
            draft.write_bytes(content)


def replace_file(path: Path, content: bytes) -> None:
    """Write a whole file or nothing.

    Raises
    ------
    OutputError : the file cannot be written; what stood there before still stands.
    """
    replace_files({path: content})


def replace_folder(path: Path, contents: Mapping[str, bytes]) -> None:
    """Write a whole folder of files or nothing; a folder of that name gives way when the new one is complete.

    Parameters
    ----------
    path : The folder; those above it are made where needed.
    contents : File name to bytes.

    Raises
    ------
    OutputError : it cannot be written; what stood there before still stands.
    """
    mark = secrets.token_hex(4)
    draft, before = (path.with_name(f".{path.name[:_LONGEST]}-{mark}.{end}") for end in ("part", "before"))
    gone_with_this_process(draft)
    try:
        draft.mkdir(parents=True)
        for name, content in contents.items():
            with (draft / name).open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        if path.is_dir():
            path.replace(before)
        draft.replace(path)
    except OSError as error:
        if before.is_dir() and not path.exists():
            before.replace(path)
        raise OutputError(f"{path}: cannot be written ({error.strerror or error}).") from error
    finally:
        for rest in (draft, before):
            shutil.rmtree(rest, ignore_errors=True)


def sha256_of(*parts: Path | bytes) -> str:
    """Return the sha256 of these bytes and of the content of these files, one after the other, in hexadecimal.

    >>> sha256_of(b"a", b"bc") == sha256_of(b"abc")
    True

    Raises
    ------
    OSError : a file cannot be read.
    """
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, Path):
            with part.open("rb") as file:
                while block := file.read(_BLOCK):
                    digest.update(block)
        else:
            digest.update(part)
    return digest.hexdigest()
