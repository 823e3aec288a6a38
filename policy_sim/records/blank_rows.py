"""Rows that are blank in every cell are no people: a file with any is read from a copy without them.

A text keeps its line ends, so that messages count the lines of the file itself. In a file of a single column, a blank
row is a record whose value is missing.
"""

from __future__ import annotations

import csv
import io
import re
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from policy_sim.records.plain_copies import PlainCopy, new_copy, open_bytes
from policy_sim.words.arrays import IntArray
from policy_sim.words.errors import OutputError

_CHUNK = 8_000_000
_LONGEST = 2_000_000  # characters of a value, as the engines read it
# What a line of blank cells has besides its separators: spaces, quotes and bytes of wider spaces.
_BLANK = rb' \t\x0b\x0c"\x80-\xbf\xc2\xe1\xe2\xe3'
_LINE_END = re.compile(r"\r\n|\r|\n")
_found: dict[tuple[object, ...], PlainCopy | None] = {}


def blank_rows_text(rows: int) -> str:
    """Say how many rows are left out.

    >>> blank_rows_text(1), blank_rows_text(1200)
    ('1 row is blank in every cell and was left out', '1,200 rows are blank in every cell and were left out')
    """
    are, were = ("row is", "was") if rows == 1 else ("rows are", "were")
    return f"{rows:,} {are} blank in every cell and {were} left out"


def own_numbers(blank: Sequence[int], rows: int) -> IntArray:
    """Return the number in its file of each row that is read, where these ``blank`` ones are left out; from 1.

    >>> own_numbers([1, 4], 4).tolist()
    [2, 3, 5, 6]
    """
    read = np.arange(1, rows + 1, dtype=np.int64)
    before = np.asarray(blank, dtype=np.int64) - np.arange(len(blank))
    return read + np.searchsorted(before, read, side="right")


def text_without_blank_rows(path: Path, copy: PlainCopy | None, separator: str, columns: int) -> PlainCopy | None:
    """Return a copy of a text of so many columns without its blank rows; where it has none, the ``copy`` as it was."""
    if columns < 2:
        return copy
    source = copy.path if copy else path
    key = (*_state(source), separator)
    if key not in _found or not _still_there(_found[key]):
        _found[key] = _cleaned(path, source, separator)
    found = _found[key]
    if found is None:
        return copy
    return found._replace(read_as=copy.read_as if copy else "", blank=(*(copy.blank if copy else ()), *found.blank))


def _state(source: Path) -> tuple[object, ...]:
    state = source.stat()
    return str(source.resolve()), state.st_mtime_ns, state.st_size


def _still_there(copy: PlainCopy | None) -> bool:
    return copy is None or copy.path.exists()


def _cleaned(path: Path, source: Path, separator: str) -> PlainCopy | None:
    try:
        if not _may_have_blank_rows(source, separator):
            return None
        target = new_copy(path.name.removesuffix(".gz"))
        blank = _write_others(source, target, separator)
    except csv.Error:  # the engine says which line it is
        return None
    except (OSError, EOFError, zlib.error) as error:
        raise OutputError(f"{path}: cannot be copied to be read ({getattr(error, 'strerror', None)}).") from error
    return PlainCopy(target, "", tuple(blank)) if blank else None


def _may_have_blank_rows(source: Path, separator: str) -> bool:
    """Tell whether a line below the first has no signs but spaces, quotes and separators."""
    with open_bytes(source) as stream:
        held: bytes = stream.readline(_LONGEST)
        end = b"\n" if held.endswith(b"\n") else b"\r"  # as programs of old wrote
        sought = _blank_line(end, separator)
        while True:
            part = stream.read(_CHUNK)
            held += part
            whole = held.rfind(end) if part else len(held)
            if any(_is_blank(match[0], separator) for match in sought.finditer(held, 0, max(whole, 0) + 1)):
                return True
            if not part:
                return False
            held = held[max(whole, 0) :]


def _blank_line(end: bytes, separator: str) -> re.Pattern[bytes]:
    signs = b"[" + _BLANK + re.escape(separator.encode()) + b"]"
    return re.compile(end + signs + rb"++\r?(?=[\r\n]|\Z)")  # an empty line is no row


def _is_blank(line: bytes, separator: str) -> bool:
    text = line.decode("utf-8", "replace").strip("\r\n")
    if '"' not in text:
        return not text.replace(separator, "").strip()
    try:
        return all(not any(map(str.strip, row)) for row in csv.reader([text], delimiter=separator))
    except csv.Error:
        return False


def _write_others(source: Path, target: Path, separator: str) -> list[int]:
    """Write the rows that are not blank, and the line ends of those that are; return the numbers of the latter."""
    blank, lines = list[int](), list[str]()

    def taken(stream: Any) -> Iterator[str]:
        for line in stream:
            lines.append(line)
            yield line

    before = csv.field_size_limit(_LONGEST)
    try:
        with (
            io.TextIOWrapper(open_bytes(source), "utf-8", "surrogateescape", "") as stream,
            target.open("w", encoding="utf-8", errors="surrogateescape", newline="") as out,
        ):
            number = 0
            for row in csv.reader(taken(stream), delimiter=separator):
                if number and row and not any(map(str.strip, row)):
                    blank.append(number)
                    out.writelines(end for line in lines for end in _LINE_END.findall(line))
                else:
                    out.writelines(lines)
                lines.clear()
                number += bool(row)  # an empty line is none
    finally:
        csv.field_size_limit(before)
    return blank


def parquet_without_blank_rows(path: Path) -> PlainCopy | None:
    """Return a copy of a Parquet file without the rows whose values are all null or blank; None where it has none."""
    key = (*_state(path), "parquet")
    if key not in _found or not _still_there(_found[key]):
        _found[key] = _cleaned_parquet(path)
    return _found[key]


def _cleaned_parquet(path: Path) -> PlainCopy | None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as stored:
        if stored.metadata.num_columns < 2 or _has_full_column(stored.metadata):
            return None
        blank = [np.flatnonzero(_blank_in_group(stored, group)) for group in range(stored.num_row_groups)]
        if not any(map(len, blank)):
            return None
        target, numbers, before = new_copy(path.name), list[int](), 1
        with pq.ParquetWriter(target, stored.schema_arrow) as writer:
            for group, rows in enumerate(blank):
                table = stored.read_row_group(group)
                keep = np.ones(table.num_rows, dtype=bool)
                keep[rows] = False
                writer.write_table(table.filter(pa.array(keep)))
                numbers += (rows + before).tolist()
                before += table.num_rows
    return PlainCopy(target, "", tuple(numbers))


def _has_full_column(about: Any) -> bool:
    """Tell from the statistics of a Parquet file whether a column has a value in every row."""
    groups = range(about.num_row_groups)
    return any(all(_is_full(about.row_group(g).column(at)) for g in groups) for at in range(about.num_columns))


def _is_full(part: Any) -> bool:
    held: Any = part.statistics
    if held is None or not held.has_null_count or held.null_count or "." in part.path_in_schema:
        return False
    if part.physical_type not in ("BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"):
        return part.physical_type not in ("FLOAT", "DOUBLE")  # of which one may be no number
    least: Any = held.min if held.has_min_max else ""
    return bool(least[:1] > (" " if isinstance(least, str) else b" "))  # all blanks of ASCII come before others


def _blank_in_group(stored: Any, group: int) -> np.ndarray:
    """Tell of each row of a group whether it has no value: column by column, as long as any may have none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    blank = np.ones(stored.metadata.row_group(group).num_rows, dtype=bool)
    for name in stored.schema_arrow.names:
        if not blank.any():
            break
        column = stored.read_row_group(group, columns=[name]).column(0)
        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            empty = pc.equal(pc.utf8_trim_whitespace(column.cast(pa.large_string())), "").fill_null(True)
        else:
            empty = pc.is_null(column, nan_is_null=pa.types.is_floating(kind))
        blank &= empty.to_numpy(zero_copy_only=False)
    return blank
