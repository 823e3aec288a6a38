"""Where rows come from: the header of a delimited file, and the formats an engine can read."""

from __future__ import annotations

import csv
import glob
import io
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING

from policy_sim.records.blank_rows import blank_rows_text, parquet_without_blank_rows, text_without_blank_rows
from policy_sim.records.census_values import ColumnMapping, column_advice, column_place
from policy_sim.records.delimited import separator_of, text_rows
from policy_sim.records.engines.databases import database_columns, is_database, scheme_of
from policy_sim.records.plain_copies import (
    LOOKED_AT_ROWS,
    STATISTICS,
    PlainCopy,
    copy_below_titles,
    described_columns,
    first_line_is_a_record,
    number_rows,
    open_bytes,
    plain_copy,
    runs_in_order,
)
from policy_sim.records.workbooks import EXCEL
from policy_sim.words.asking import ask
from policy_sim.words.errors import InputError, SchemaError, SourceError, UnknownNameError
from policy_sim.words.text import mask_credentials

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.csv as arrow_csv


_HEAD_BYTES = 1_000_000
_SHOWN_COLUMNS, _LINES_BELOW = 10, 1000
# More columns take minutes to be read, however few of them are key columns.
_MOST_COLUMNS = 10_000
_NO_NAME = re.compile(
    r"\s*(?:[+-]?[\d.,]*\d[\d.,]*(?:[eE][+-]?\d+)?%?"  # a number: 07, -3,5, 1e3
    r"|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T][\d:.]+Z?)?"  # a date, perhaps with a time
    r"|\d{1,3}\+|\d{1,3}\s*[-–]\s*\d{1,3})\s*"  # an age class: 90+, 20-24
)
_YEAR_NAME = re.compile(r"(?:19|20)\d\d")
BLOCK_BYTES = 4_000_000  # read at a time; a line of two blocks is an error
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
    def blank(self) -> tuple[int, ...]:
        """The numbers of the rows that are left out because they are blank in every cell."""
        return self.copy.blank if self.copy else ()

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
        index = tuple(at + 1 for at in places if number_rows(held[at], is_first=at == 0))
        unsure = [at for at in places if at + 1 not in index and not any(held[at])]
        filled = [at for at in places if at + 1 not in index and any(held[at])]
        return index, tuple(sorted(at + 1 for at in (*filled, *_filled_below(self, unsure))))

    def numbering(self, names: Sequence[str]) -> frozenset[str]:
        """Return the columns whose first values number the rows: whole numbers that follow each other."""
        places = {name: at for at, name in enumerate(self.header) if name in names}
        if self.kinds:
            return frozenset()
        rows = [row for _, row in islice(_rows(_head(self.readable), self.separator), 1, _LINES_BELOW + 1)]
        columns = {name: [row[at] if at < len(row) else "" for row in rows] for name, at in places.items()}
        return frozenset(name for name, texts in columns.items() if runs_in_order(texts))

    def refuse_no_header(self) -> None:
        """Refuse a first line that is a record, and values in a column without a name."""
        if lacks_header(self):
            raise InputError(first_line_is_a_record(self.path))
        self.refuse_nameless()

    def refuse_nameless(self) -> None:
        """Refuse values in a column without a name."""
        filled = self.nameless[1]
        if filled and holds_values(self):
            raise InputError(first_line_is_a_record(self.path))
        if filled:
            which = ", ".join(f"{at:,}" for at in filled[:_SHOWN_COLUMNS])
            more = f" and {len(filled) - _SHOWN_COLUMNS:,} more" if len(filled) > _SHOWN_COLUMNS else ""
            hold = "column {} contains values but has" if len(filled) == 1 else "columns {} contain values but have"
            raise InputError(
                f"{self.path}: {hold.format(which + more)} no name in the first line. Name it there, or delete it."
            )


def read_csv_header(
    path: Path, separator: str | None = None, sheet: str = "", *, every_row: bool = False
) -> FileHeader:
    """Read the names of the columns in the first line of a CSV file, without blanks around them.

    A file that is not UTF-8 text, or has blank rows and not ``every_row`` is wanted, is written again without them, in
    a folder of this process.
    """
    copy = plain_copy(path, sheet)
    text = _head(copy.path if copy else path)
    line = first[0] if (first := re.match(r'(?:[^"\r\n]|"[^"]*")*', text)) else ""
    if len(line) == len(text) >= _HEAD_BYTES - _CUT_BYTES:
        raise InputError(
            f"{path}: the first line is longer than {_HEAD_BYTES:,} bytes, but it must name the columns. Correct the "
            "line ends of the file."
        )
    if text[len(line) : len(line) + 1] == '"':
        raise InputError(f"{path}: a quote in the first line is not closed; the first line must name the columns.")
    if not line.strip():
        raise InputError(f"{path}: the file is empty; its first line must name the columns.")
    separator = separator or separator_of(text)
    fields = next(csv.reader(io.StringIO(line, newline=""), delimiter=separator))
    names = tuple(re.sub(r"\s*[\r\n]+\s*", " ", name.strip()) for name in fields)
    first_rows = list(islice(_rows(text, separator), LOOKED_AT_ROWS))
    if below := copy_below_titles(path, copy, text, separator, first_rows):
        inner = read_csv_header(below.path, separator, every_row=every_row)
        return replace(inner, path=path, copy=inner.copy._replace(read_as=below.read_as) if inner.copy else below)
    if problem := described_columns(first_rows):
        raise InputError(f"{path}: {problem}")
    _check_width(path, len(names))
    if not every_row:
        copy = text_without_blank_rows(path, copy, separator, len(names))
    return FileHeader(path, names, separator, copy=copy)


def _rows(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that hold a value, with their numbers; as far as they can be read."""
    try:
        for number, row in enumerate(text_rows(text, separator), 1):
            if any(row):
                yield number, row
    except csv.Error:
        return


def arrow_reader(
    file: FileHeader, places: Sequence[int], kind: pa.DataType, missing: Sequence[str] = ("",)
) -> arrow_csv.CSVStreamingReader:
    """Open some columns of a CSV file, called c0, c1, ... by their places; an empty text is missing."""
    import pyarrow.csv as arrow_csv

    names = [f"c{at}" for at in range(len(file.header))]
    return arrow_csv.open_csv(
        file.readable,
        read_options=arrow_csv.ReadOptions(column_names=names, skip_rows_after_names=1, block_size=BLOCK_BYTES),
        parse_options=arrow_csv.ParseOptions(delimiter=file.separator, newlines_in_values=True),
        convert_options=arrow_csv.ConvertOptions(
            include_columns=[names[at] for at in places],
            column_types=dict.fromkeys(names, kind),
            null_values=list(dict.fromkeys(["", *missing])),
            strings_can_be_null=True,
        ),
    )


def _filled_below(file: FileHeader, places: Sequence[int]) -> set[int]:
    """Return the columns that hold a value anywhere in the file; none where the file is damaged."""
    import pyarrow as pa

    filled: set[int] = set()
    with suppress(pa.ArrowException, OSError, UnicodeError):
        for part in arrow_reader(file, places, pa.string()) if places else ():
            filled |= {at for at in places if part.column(f"c{at}").null_count < part.num_rows}
    return filled


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
    below = islice(_rows(_head(file.readable), file.separator), 1, _LINES_BELOW + 1)
    return any(name and value == name for _, row in below for name, value in zip(names, row, strict=False))


def lacks_header(file: FileHeader) -> bool:
    """Tell whether the first line of a CSV file is a record: most of its texts are values, or several signs agree.

    A text is a value if it is a number but no year, a date or an age class, or appears below in its column among
    others. A line
    that repeats the whole header, as joined files have it, says nothing, and neither does a column that has its own
    name for yes.
    """
    names = [name for name in file.header if name]
    if file.kinds or not names:
        return False
    below = [row for _, row in islice(_rows(_head(file.readable), file.separator), 1, _LINES_BELOW + 1)]
    others = [row for row in below if tuple(row) != file.header]
    repeated = 0
    for at, name in enumerate(file.header):
        texts = {row[at] for row in others if at < len(row) and row[at]}
        repeated += bool(name) and name in texts and len(texts) > 1
    like_values = sum(_NO_NAME.fullmatch(name) is not None and not _YEAR_NAME.fullmatch(name) for name in names)
    return 2 * (repeated + like_values) > len(names) or repeated > 1 or (repeated > 0 and like_values > 0)


def unreadable(name: str, kind: str) -> SourceError:
    """Say that what a name means cannot be read, and the kind of the error, but not its text."""
    return SourceError(f"{name}: cannot be read ({kind}). Check that it is complete and of its format.")


def read_header(path: Path, separator: str | None = None, sheet: str = "", *, every_row: bool = False) -> FileHeader:
    """Read the names of the columns of a file; of Parquet, also what they hold."""
    if kind_of(path.name) != "parquet":
        return read_csv_header(path, separator, sheet, every_row=every_row)
    if sheet:
        raise InputError(f"{path}: only a workbook has sheets. Leave {ask('sheet')} out.")
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        schema = pq.read_schema(path)
        _check_width(path, len(schema.names))
        copy = None if every_row else parquet_without_blank_rows(path)
    except (pa.ArrowException, OSError) as error:
        raise unreadable(str(path), type(error).__name__) from None
    return FileHeader(path, tuple(schema.names), kinds=tuple(map(str, schema.types)), copy=copy)


def _difference(first: FileHeader, file: FileHeader) -> str | None:
    """Say how the columns of a file differ from those of the first; their order may."""
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


# Which files a location means: one file, the files of a folder, or those that a pattern matches.


# What is read in a folder: editors and copies leave other endings there, such as v.csv.bak.
IN_FOLDERS = (".csv", ".csv.gz", ".parquet")
_CSV = (*(ending + packed for ending in (".csv", ".tsv", ".txt") for packed in ("", ".gz")), *EXCEL, *STATISTICS)
_PARQUET = (".parquet", ".pq")


def kind_of(name: str) -> str | None:
    """Return ``csv`` or ``parquet`` by the ending of a name, None for any other.

    Excel, Stata, SPSS and SAS are read as CSV.
    """
    name = name.casefold()
    return "csv" if name.endswith(_CSV) else "parquet" if name.endswith(_PARQUET) else None


def meant_files(location: str) -> tuple[str, tuple[Path, ...]]:
    """Return the kind of the files, ``csv`` or ``parquet``, and the files in the order of their names.

    A name that exists is that file or folder, whatever signs are in it; only another is a pattern. Of a folder the
    files with an ending of :data:`IN_FOLDERS` are meant, but no hidden ones. No files: they lie on another machine.
    """
    shown_location = mask_credentials(location)
    path = Path(location)
    if "://" in location and not path.exists():
        return _one_kind(shown_location, [location]), ()
    if path.is_dir():
        files = [p for p in path.iterdir() if p.name.casefold().endswith(IN_FOLDERS) and not p.name.startswith(".")]
        if not files:
            raise SourceError(f"{shown_location}: the folder has no {', '.join(IN_FOLDERS)} file.")
    elif path.exists():
        files = [path]
    else:
        files = [Path(match) for match in glob.glob(location)]  # noqa: PTH207
        if not files:
            _one_kind(shown_location, [location])
            raise SourceError(f"{shown_location}: no such file.")
    return _one_kind(shown_location, [str(p) for p in files]), tuple(sorted(files, key=str))  # as text: so does Spark


def _one_kind(location: str, names: list[str]) -> str:
    for name in names:
        if kind_of(name) is None:
            what = location if len(names) == 1 else f"{location}: {Path(name).name}"
            raise InputError(
                f"{what}: not a file of records: give .csv (or .csv.gz), .xlsx, .parquet, .dta, .sav, .sas7bdat, "
                f".xpt, a folder of CSV or Parquet, or the URL of a database."
            )
    kinds = {kind_of(name) or "" for name in names}
    if len(kinds) > 1:
        raise InputError(
            f"{location} has both CSV and Parquet files. Choose one kind, such as {Path(location).name}/*.csv."
        )
    return kinds.pop()


def without_folders(files: tuple[Path, ...]) -> dict[str, Path]:
    """Return the files by their names below the folder that they share."""
    folders = [path.parts[:-1] for path in files]
    shared = next((n for n in range(min(map(len, folders), default=0), 0, -1) if len({f[:n] for f in folders}) == 1), 0)
    return {Path(*path.parts[shared:]).as_posix(): path for path in files}


# Where records are: CSV files, Parquet, or a table of a database; and which column is which field.
#
# Nothing is read here but the headers: the records stay with the engine. Values are text from the first
# read on ("07" is not "7"), and messages name files, columns and line numbers, never a value.


# The column of row numbers that an engine adds to the key fields f0, f1, ...
ROW = "row"


@dataclass(frozen=True)
class Records:
    """A file or table of records, its key fields and how to read it; ``files``: with headers, none on a server."""

    location: str
    kind: str
    fields: tuple[str, ...]
    mapping: ColumnMapping = field(default_factory=ColumnMapping)
    table: str | None = None
    files: tuple[FileHeader, ...] = ()

    @property
    def header(self) -> tuple[str, ...]:
        """Names of the columns; none where they are not known before the engine reads them."""
        return self.files[0].header if self.files else ()

    @property
    def separator(self) -> str:
        """What stands between two values of the first file."""
        return self.files[0].separator if self.files else self.mapping.separator or ","

    @property
    def name(self) -> str:
        """What messages call the file; never with a password."""
        if self.kind != "sql":
            return mask_credentials(self.location)
        return f"{scheme_of(self.location)} table {self.table}"

    @property
    def short_name(self) -> str:
        """The name without its folders, for outputs that must not tell of this machine."""
        return self.name if self.kind == "sql" or "://" in self.location else mask_credentials(Path(self.location).name)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the key fields, in their order, as the mapping names them."""
        return tuple(self.mapping.column(name).column for name in self.fields)

    @property
    def blank_rows(self) -> tuple[str, ...]:
        """Say how many rows are left out because they are blank in every cell; nothing where none is."""
        rows = sum(len(file.blank) for file in self.files)
        return (f"{self.short_name}: {blank_rows_text(rows)}",) if rows else ()

    def column_names(self) -> tuple[str, ...]:
        """Return every column, of a database's table too; none where only a Spark engine reaches the file."""
        return database_columns(self.location, self.table or "") if self.kind == "sql" else self.header

    def read_alike(self) -> list[list[FileHeader]]:
        """Return the files in their order, those together that follow each other and are read in one way."""
        return [list(files) for _, files in groupby(self.files, lambda file: file.read_alike)]

    def places(self, held: Sequence[str]) -> list[int]:
        """Return the place of each key field's column among the columns of a file."""
        twice = sorted({name for name in self.fields if self.fields.count(name) > 1})
        if twice:
            raise InputError(f"field {twice[0]!r} appears twice. Name each field once.")
        folded = {name.casefold() for name in held}
        nowhere = self.kind == "csv" and self.files and not folded & {column.casefold() for column in self.columns}
        if self.fields and nowhere and looks_like_a_record(self.files[0]):
            raise InputError(
                f"{self.files[0].path}: the first line looks like a record, but it must name the columns. Add a line "
                f"of names, including {', '.join(self.columns)}."
            )
        return [self._place(column, held, name) for name, column in zip(self.fields, self.columns, strict=True)]

    def _place(self, column: str, held: Sequence[str], field: str = "") -> int:
        try:
            return column_place(self.name, column, held)
        except UnknownNameError:
            if self.kind == "csv" and self.files and holds_values(self.files[0]):  # the names may be a record's
                return column_place(self.name, column, held, names_shown=False)
            place = "" if self.kind == "sql" else self.location
            advice = column_advice(field, self.fields, self.mapping, held, place)
            raise UnknownNameError(f"{self.name}: column", column, filter(None, held), advice=advice) from None


def open_records(
    location: str, fields: Sequence[str], mapping: ColumnMapping | None = None, table: str | None = None
) -> Records:
    """Find the files of records and read the header of each; without a mapping, fields are columns of their names.

    Without fields, the columns can be asked for and no record.
    """
    if is_database(location):
        records = Records(location, "sql", tuple(fields), mapping or ColumnMapping(), table)
        if not table:
            raise InputError(f"{scheme_of(location)}: add {ask('table', 'NAME')}.")
        return records
    kind, files = meant_files(location)
    records = Records(location, kind, tuple(fields), mapping or ColumnMapping())
    if table:
        raise InputError(f"{records.name}: only a database has a table name. Leave {ask('table')} out.")
    if not files:
        return records
    read = [read_header(path, records.mapping.separator, records.mapping.sheet) for path in files]
    records = replace(records, files=tuple(read))
    records.places(records.header)  # a column that is not there is refused
    if records.mapping.person:
        records._place(records.mapping.person, records.header)
    problems = {str(file.path): [why] for file in read[1:] if (why := _difference(read[0], file))}
    if problems:
        raise SchemaError.together(problems)
    return records
