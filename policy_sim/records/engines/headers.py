"""The columns of a file of records: names as they are in it, found again by their place.

An engine may not know a column by its name: an empty name, two of them, or ``sex`` next to ``Sex`` are one too many
for it. Messages show the names of columns, but nothing of a first line that looks like a record.
"""

from __future__ import annotations

import csv
import io
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

from policy_sim.records.plain_copies import LOOKED_AT_ROWS, PlainCopy, is_index, open_bytes, plain_copy, title_rows
from policy_sim.words.errors import InputError, SchemaError, SourceError

_SEPARATORS = ",;\t|"
_HEAD_BYTES = 1_000_000
_SHOWN_COLUMNS = 10
_LINES_BELOW = 1000
# More columns take minutes to be read, however few of them are key columns.
_MOST_COLUMNS = 10_000
_NO_NAME = re.compile(
    r"\s*(?:[+-]?[\d.,]*\d[\d.,]*(?:[eE][+-]?\d+)?%?"  # a number: 07, -3,5, 1e3
    r"|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T][\d:.]+Z?)?"  # a date, perhaps with a time
    r"|\d{1,3}\+|\d{1,3}\s*[-–]\s*\d{1,3})\s*"  # an age class: 90+, 20-24
)
_CUT_BYTES = 4  # of a letter at the end of what was read, and of a mark at its beginning


@dataclass(frozen=True)
class FileHeader:
    """A file of records that is here, with the names of its columns in its order; some may be empty.

    ``kinds`` are what the columns of a Parquet file hold; ``copy`` is what an engine reads in place of a file that is
    not UTF-8 text.
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

    @cached_property
    def nameless(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Columns without a name, from 1: those that are an index of the rows, and the others that hold values."""
        places = [at for at, name in enumerate(self.header) if not name]
        if self.kinds or not places:
            return (), ()
        rows = [row for _, row in islice(_rows(_head(self.readable), self.separator), 1, _LINES_BELOW + 1)]
        held = {at: [row[at].strip() if at < len(row) else "" for row in rows] for at in places}
        index = tuple(at + 1 for at in places if is_index(held[at]))
        unsure = [at for at in places if at + 1 not in index and not any(held[at])]
        filled = [at for at in places if at + 1 not in index and any(held[at])]
        return index, tuple(sorted(at + 1 for at in (*filled, *_filled_below(self, unsure))))

    def refuse_nameless(self) -> None:
        """Refuse values in a column without a name."""
        filled = self.nameless[1]
        if filled:
            which = ", ".join(f"{at:,}" for at in filled[:_SHOWN_COLUMNS])
            more = f" and {len(filled) - _SHOWN_COLUMNS:,} more" if len(filled) > _SHOWN_COLUMNS else ""
            hold = "column {} holds values but has" if len(filled) == 1 else "columns {} hold values but have"
            raise InputError(
                f"{self.path}: {hold.format(which + more)} no name in the first line. Name it there, or delete it."
            )


def read_csv_header(path: Path, separator: str | None = None, sheet: str = "") -> FileHeader:
    """Read the names of the columns in the first line of a CSV file, without blanks around them.

    By default the separator is that of ``,`` ``;`` tab ``|`` which is most often in the line. A file that is not UTF-8
    text is written again as such, in a folder of this process.
    """
    copy = plain_copy(path, sheet)
    text = _head(copy.path if copy else path)
    first = re.match(r'(?:[^"\r\n]|"[^"]*")*', text)
    line = first[0] if first else ""
    if len(line) == len(text) >= _HEAD_BYTES - _CUT_BYTES:
        raise InputError(
            f"{path}: the first line is longer than {_HEAD_BYTES:,} bytes, but it must name the columns. Correct the "
            "line ends of the file."
        )
    if text[len(line) : len(line) + 1] == '"':
        raise InputError(f"{path}: a quote in the first line is not closed; the first line must name the columns.")
    if not line.strip():
        raise InputError(f"{path}: the file is empty; its first line must name the columns.")
    separator = separator or _separator(line, text)
    fields = next(csv.reader(io.StringIO(line, newline=""), delimiter=separator))
    names = tuple(re.sub(r"\s*[\r\n]+\s*", " ", name.strip()) for name in fields)
    problem = title_rows(list(islice(_rows(text, separator), LOOKED_AT_ROWS)))
    if problem:
        raise InputError(f"{path}: {problem}")
    _check_width(path, len(names))
    return FileHeader(path, names, separator, copy=copy)


def _separator(line: str, text: str) -> str:
    """Return the sign that is most often in the first line; the comma where it has none, and neither have the next."""
    separator = max(_SEPARATORS, key=lambda mark: re.sub(r'"[^"]*"', "", line).count(mark))
    if separator in line:
        return separator
    for mark in _SEPARATORS:  # a title above a table
        widths = [len(row) for _, row in islice(_rows(text, mark), 1, LOOKED_AT_ROWS)]
        if widths and max(widths) > 2 and 2 * widths.count(max(widths)) >= len(widths):
            return mark
    return separator


def _rows(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that hold a value, with their numbers; as far as they can be read."""
    try:
        for number, row in enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=separator), 1):
            if any(value.strip() for value in row):
                yield number, [value.strip() for value in row]
    except csv.Error:
        return


def _filled_below(file: FileHeader, places: Sequence[int]) -> list[int]:
    """Return the columns that hold a value anywhere in the file; none where the file is damaged."""
    import pyarrow as pa
    import pyarrow.csv as arrow_csv

    if not places:
        return []
    names = [f"c{at}" for at in range(len(file.header))]
    chosen_names = [names[at] for at in places]
    filled: set[int] = set()
    try:
        reader = arrow_csv.open_csv(
            file.readable,
            read_options=arrow_csv.ReadOptions(column_names=names),
            parse_options=arrow_csv.ParseOptions(delimiter=file.separator, newlines_in_values=True),
            convert_options=arrow_csv.ConvertOptions(
                include_columns=chosen_names,
                column_types=dict.fromkeys(chosen_names, pa.string()),
                null_values=[""],
                strings_can_be_null=True,
            ),
        )
        for part in reader:
            filled |= {at for at in places if part.column(names[at]).null_count < part.num_rows}
    except (pa.ArrowException, OSError, UnicodeError):
        pass
    return sorted(filled)


def _check_width(path: Path, columns: int) -> None:
    if columns > _MOST_COLUMNS:
        raise InputError(
            f"{path.name} has {columns:,} columns, more than the limit of {_MOST_COLUMNS:,}. Write the key columns to "
            "a separate file."
        )


def _head(path: Path) -> str:
    try:
        with open_bytes(path) as stream:
            start: bytes = stream.read(_HEAD_BYTES)
    except (OSError, EOFError, zlib.error) as error:
        raise SourceError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or 'damaged'}.") from error
    return start.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="surrogateescape")


def looks_like_a_record(file: FileHeader) -> bool:
    """Tell whether the first line of a CSV file can hardly name columns.

    It cannot if one of its texts is a number, a date or an age class, appears in it twice, or appears again in the same
    column of one of the next 1,000 lines. Empty names say nothing.
    """
    filled = [name for name in file.header if name]
    return len(set(filled)) < len(filled) or holds_values(file)


def holds_values(file: FileHeader) -> bool:
    """Tell whether a text of the first line is a value, as :func:`looks_like_a_record` does, but may appear twice."""
    names = file.header
    if any(_NO_NAME.fullmatch(name) for name in names if name):
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
    """Read the names of the columns of a Parquet file, and what they hold."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        schema = pq.read_schema(path)
    except (pa.ArrowException, OSError) as error:
        raise SourceError(
            f"{path}: cannot be read ({type(error).__name__}). Check that it is complete and of its format."
        ) from None
    _check_width(path, len(schema.names))
    return FileHeader(path, tuple(schema.names), kinds=tuple(map(str, schema.types)))


def check_alike(files: Sequence[FileHeader]) -> None:
    """Refuse files whose columns differ from those of the first; their order may."""
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
