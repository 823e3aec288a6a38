"""The columns of a file of records: names as they are in it, found again by their place.

An engine may not know a column by its name: an empty name, two of them, or ``sex`` next to ``Sex`` are one too many
for it. Messages show the names of columns, but nothing of a first line that looks like a record.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from policy_sim.errors import InputError, SchemaError, SourceError
from policy_sim.io.plain_copies import PlainCopy, plain_copy

__all__ = ["FileHeader", "check_alike", "looks_like_a_record", "read_csv_header", "read_parquet_header"]

_SEPARATORS = ",;\t|"
_HEAD_BYTES = 1_000_000
_LINES_BELOW = 1000
_NO_NAME = re.compile(
    r"\s*(?:[+-]?[\d.,]*\d[\d.,]*(?:[eE][+-]?\d+)?%?"  # a number: 07, -3,5, 1e3
    r"|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T][\d:.]+Z?)?"  # a date, perhaps with a time
    r"|\d{1,3}\+|\d{1,3}\s*[-–]\s*\d{1,3})\s*"  # an age class: 90+, 20-24
)


@dataclass(frozen=True)
class FileHeader:
    """A file of records that is here.

    Parameters
    ----------
    path : The file.
    header : Names of its columns, in its order; some may be empty.
    separator : What stands between two values of a CSV file.
    kinds : What each column of a Parquet file holds.
    copy : What an engine reads in place of a file that is not UTF-8 text.
    """

    path: Path
    header: tuple[str, ...]
    separator: str = ","
    kinds: tuple[str, ...] = ()
    copy: PlainCopy | None = None

    @property
    def readable(self) -> Path:
        """What an engine reads."""
        return self.copy.path if self.copy else self.path

    @property
    def packed(self) -> bool:
        """Whether what an engine reads is gzipped."""
        return self.readable.suffix.casefold() == ".gz"

    @property
    def read_alike(self) -> tuple[object, ...]:
        """What two files have in common that can be read together."""
        return self.header, self.separator, self.kinds, self.packed


def read_csv_header(path: Path, separator: str | None = None) -> FileHeader:
    """Read the names of the columns in the first line of a CSV file, without blanks around them.

    A file that is not UTF-8 text is written again as such, in a folder of this process.

    Parameters
    ----------
    separator : The sign between two columns; by default that of ``,`` ``;`` tab ``|`` which is most often in the line.

    Raises
    ------
    SourceError : the file cannot be read.
    InputError : it is empty, or a quote in its first line is not closed.
    """
    copy = plain_copy(path)
    text = _head(copy.path if copy else path)
    first = re.match(r'(?:[^"\r\n]|"[^"]*")*', text)
    line = first[0] if first else ""
    if text[len(line) : len(line) + 1] == '"':
        raise InputError(f"{path}: a quote in the first line is not closed; the first line must name the columns.")
    if not line.strip():
        raise InputError(f"{path}: the file is empty; its first line must name the columns.")
    separator = separator or max(_SEPARATORS, key=lambda mark: re.sub(r'"[^"]*"', "", line).count(mark))
    names = tuple(name.strip() for name in next(csv.reader([line], delimiter=separator)))
    return FileHeader(path, names, separator, copy=copy)


def _head(path: Path) -> str:
    try:
        with gzip.open(path) if path.suffix.casefold() == ".gz" else path.open("rb") as stream:
            start = stream.read(_HEAD_BYTES)
    except (OSError, EOFError, zlib.error) as error:
        raise SourceError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or 'damaged'}.") from error
    return start.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="surrogateescape")


def looks_like_a_record(file: FileHeader) -> bool:
    """Tell whether the first line of a CSV file can hardly name columns.

    It cannot if one of its texts is a number, a date or an age class, appears in it twice, or appears again in the same
    column of one of the next 1,000 lines. Empty names say nothing.
    """
    names = [name.strip() for name in file.header]
    filled = [name for name in names if name]
    if any(_NO_NAME.fullmatch(name) for name in filled) or len(set(filled)) < len(filled):
        return True
    try:
        rows = csv.reader(io.StringIO(_head(file.readable), newline=""), delimiter=file.separator)
        return any(
            name and value.strip() == name
            for row in islice(rows, 1, _LINES_BELOW + 1)
            for name, value in zip(names, row, strict=False)
        )
    except csv.Error:
        return False


def read_parquet_header(path: Path) -> FileHeader:
    """Read the names of the columns of a Parquet file, and what they hold.

    Raises
    ------
    SourceError : the file cannot be read.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        schema = pq.read_schema(path)
    except (pa.ArrowException, OSError) as error:
        raise SourceError(
            f"{path}: cannot be read ({type(error).__name__}). Check that it is complete and of its format."
        ) from None
    return FileHeader(path, tuple(schema.names), kinds=tuple(map(str, schema.types)))


def check_alike(files: Sequence[FileHeader]) -> None:
    """Refuse files whose columns differ from those of the first; their order may.

    Raises
    ------
    SchemaError : names each file that differs.
    """
    first = files[0]
    problems = {str(file.path): [why] for file in files[1:] if (why := _difference(first, file))}
    if problems:
        raise SchemaError.together(problems)


def _difference(first: FileHeader, file: FileHeader) -> str | None:
    mend = "correct its header, or leave the file out."
    expected, actual = (Counter(name for name in header_of_file.header if name) for header_of_file in (first, file))
    if expected == actual:
        ours, theirs = (
            dict(zip(header_of_file.header, header_of_file.kinds, strict=False)) for header_of_file in (first, file)
        )
        other = next((name for name in ours if ours[name] != theirs[name]), None)
        if other is None:
            return None
        return f"column {other!r} has {theirs[other]}, but {ours[other]} in {first.path.name}. Use one kind."
    if not file.kinds and looks_like_a_record(file):
        return f"its first line looks like a record and must name the columns as in {first.path.name}: {mend}"
    if not first.kinds and looks_like_a_record(first):
        return f"its columns are not those of {first.path.name}, whose first line looks like a record: {mend}"
    lacking = [name for name in first.header if name and not actual[name]]
    more = sum((actual - expected).values())
    lacks = f"lacks {', '.join(map(repr, lacking[:5]))}{', ...' if len(lacking) > 5 else ''}" if lacking else ""
    has = f"has {more} of other names" if more else ""
    return f"its columns are not those of {first.path.name}: it {' and '.join(filter(None, (lacks, has)))}: {mend}"
