"""Writing so that a reader never sees half a file, whatever happens and whoever else writes."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from policy_sim.errors import OutputError

__all__ = ["replaced", "sha256", "write_bytes"]


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """Yield a path beside ``path`` to write to; on success it takes the place of ``path`` at once.

    Raises
    ------
    OutputError : the file cannot be written; what stood there before still stands.
    """
    beside = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        os.close(handle)
        beside = Path(name)
        yield beside
        with beside.open("rb+") as written:  # on disk before the name points at it
            os.fsync(written.fileno())
        beside.replace(path)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror or error}).") from error
    finally:
        if beside is not None:
            beside.unlink(missing_ok=True)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a whole file or nothing."""
    with replaced(path) as beside:
        beside.write_bytes(content)


def sha256(path: Path) -> str:
    """Checksum of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
