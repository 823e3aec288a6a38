"""The files of a delivery: in a folder, a zip, zips in a folder, or one file."""

from __future__ import annotations

import gzip
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, cast

from policy_sim.errors import SourceError

__all__ = ["Member", "members"]

_DAMAGE = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)


@dataclass(frozen=True)
class Member:
    """One file of a delivery: on its own, or ``inner`` in a zip."""

    path: Path
    inner: str = ""

    @property
    def name(self) -> str:
        """Bare name in lower case, without ``.gz``."""
        return PurePosixPath(self.inner or self.path.name).name.lower().removesuffix(".gz")

    @property
    def where(self) -> str:
        """The file, for messages."""
        return f"{self.path}: {self.inner}" if self.inner else str(self.path)

    @contextmanager
    def stream(self) -> Iterator[IO[bytes]]:
        """Open the file for reading bytes, a little at a time.

        Raises
        ------
        SourceError : the file is damaged.
        """
        with ExitStack() as stack:
            try:
                if self.inner:
                    file = stack.enter_context(_opened(stack.enter_context(zipfile.ZipFile(self.path)), self.inner))
                elif self.path.suffix.lower() == ".gz":
                    file = cast("IO[bytes]", stack.enter_context(gzip.open(self.path, "rb")))
                else:
                    file = stack.enter_context(self.path.open("rb"))
                yield file
            except _DAMAGE as error:
                raise SourceError(f"{self.where}: cannot be read completely ({error}).") from error


def _opened(archive: zipfile.ZipFile, inner: str) -> IO[bytes]:
    try:
        return archive.open(inner)
    except (RuntimeError, NotImplementedError) as error:  # a password, or a compression that Python lacks
        raise zipfile.BadZipFile(str(error)) from error


def members(path: Path) -> Iterator[Member]:
    """Yield every file of a delivery, in the order of their names.

    Raises
    ------
    SourceError : nothing is at the path, or a zip is damaged.
    """
    if not path.exists():
        raise SourceError(f"{path}: no such file or folder.")
    files = sorted(entry for entry in path.rglob("*") if entry.is_file()) if path.is_dir() else [path]
    for file in files:
        if file.suffix.lower() == ".zip":
            yield from (Member(file, name) for name in _names(file))
        else:
            yield Member(file)


def _names(path: Path) -> list[str]:
    try:
        with zipfile.ZipFile(path) as archive:
            return sorted(info.filename for info in archive.infolist() if not info.is_dir())
    except _DAMAGE as error:
        raise SourceError(f"{path} is not a complete zip file ({error}).") from error
