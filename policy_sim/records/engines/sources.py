"""Where records come from: files of many kinds, folders of them, and databases."""

from __future__ import annotations

import glob
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from policy_sim.records.census_values import ColumnMapping, column_place
from policy_sim.records.engines.headers import (
    FileHeader,
    check_alike,
    holds_values,
    looks_like_a_record,
    read_csv_header,
    read_parquet_header,
)
from policy_sim.records.plain_copies import EXCEL, STATISTICS
from policy_sim.words.errors import InputError, SourceError, UnknownNameError
from policy_sim.words.text import mask_credentials

if TYPE_CHECKING:
    import pyarrow as pa
    import sqlalchemy as sa

    from policy_sim.records.engines.expressions import Progress


# Which files a location means: one file, the files of a folder, or those that a pattern matches.


# What is read in a folder: editors and copies leave other endings there, such as v.csv.bak.
IN_FOLDERS = (".csv", ".csv.gz", ".parquet")
_CSV = (*(ending + packed for ending in (".csv", ".tsv", ".txt") for packed in ("", ".gz")), *EXCEL, *STATISTICS)
_PARQUET = (".parquet", ".pq")
_DATABASE = re.compile(r"(sqlite|postgres|postgresql|mysql|mariadb|oracle|mssql)(\+\w+)?:")


def is_database(location: str) -> bool:
    """Tell whether a location is the URL of a database."""
    return _DATABASE.match(location) is not None and not Path(location).exists()


def scheme_of(location: str) -> str:
    """Return what messages may show of a database's address: its kind.

    >>> scheme_of("postgresql://me:hush@host/clinic")
    'postgresql://…'
    """
    return f"{location.partition(':')[0]}://…"


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


# Rows of a database's table as text, and what the database's errors mean.


_BATCH = 100_000


def batches(result: Any, kinds: pa.Schema, progress: Progress) -> Iterator[pa.RecordBatch]:
    """Give the rows of a query as batches of text, telling how many there are so far."""
    import pyarrow as pa

    read_rows = 0
    for rows in result.partitions(_BATCH):
        columns = ([_text(value) for value in column] for column in zip(*rows, strict=True))
        yield pa.RecordBatch.from_arrays([pa.array(column, pa.string()) for column in columns], schema=kinds)
        read_rows += len(rows)
        progress(f"read {read_rows:,} rows of the table")


def _text(value: Any) -> str | None:
    """Return a database's value as text; null and not a number are missing."""
    # only what is not a number differs from itself; a signaling one cannot even be compared
    lost = (
        value is None
        or (isinstance(value, Decimal) and value.is_nan())
        or (isinstance(value, float) and value != value)
    )
    return None if lost else str(value)


def database_url(location: str) -> sa.URL:
    """Return the URL with the driver that is installed with this program, where it names none."""
    import sqlalchemy as sa

    url = sa.make_url(location)
    return url.set(drivername="postgresql+psycopg") if url.drivername in ("postgres", "postgresql") else url


@contextmanager
def opened_database(location: str, name: str) -> Iterator[sa.Engine]:
    """Give a database; whatever its address, its driver or the database itself refuses is one line about ``name``."""
    import sqlalchemy as sa

    source = None
    try:
        url = database_url(location)
        file = url.database if url.get_backend_name() == "sqlite" and "uri" not in url.query else None
        if file and file != ":memory:" and not Path(file).exists():  # which SQLite would make
            raise SourceError(f"{name}: there is no such file.")
        with warnings.catch_warnings():
            warnings.simplefilter("error", sa.exc.SAWarning)  # an option that the driver does not take
            source = sa.create_engine(url)
        yield source
    except sa.exc.SAWarning:
        raise SourceError(f"{name}: the address has options that this kind of database does not take.") from None
    except (sa.exc.SQLAlchemyError, ImportError, ValueError, TypeError, OSError) as error:
        raise SourceError(f"{name}: {database_reason(error)}.") from None
    finally:
        if source is not None:
            source.dispose()


def database_reason(error: Exception) -> str:
    """Name the failure without the query, its rows or the password."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if "ImportError" in kinds:
        return f"the database needs the package {getattr(error, 'name', None) or 'of its driver'}: install it"
    if "NoSuchTableError" in kinds:
        return "there is no such table"
    if kinds & {"ArgumentError", "ValueError", "TypeError"}:
        return "not the URL of a database, such as postgresql+psycopg://user@host/name"
    return f"the database failed ({type(error).__name__}): check that you can reach it and may read the table"


def database_columns(location: str, table: str) -> tuple[str, ...]:
    """Return the names of a table's columns."""
    import sqlalchemy as sa

    schema, _, bare = table.rpartition(".")
    with opened_database(location, f"{scheme_of(location)} table {table}") as database:
        inspected = sa.inspect(database)
        try:
            return tuple(column["name"] for column in inspected.get_columns(bare, schema=schema or None))
        except sa.exc.NoSuchTableError:
            raise UnknownNameError("table", table, inspected.get_table_names()) from None


# Where records are: CSV files, Parquet, or a table of a database; and which column is which field.
#
# Nothing is read here but the headers: the records stay with the engine. Values are text from the first
# read on ("07" is not "7"), and messages name files, columns and line numbers, never a value.


# The column of row numbers that an engine adds to the key fields f0, f1, ...
ROW = "row"


@dataclass(frozen=True)
class Records:
    """A file or table of records, its key fields and how it is to be read.

    ``files`` are those meant, with their headers; none where they lie on another machine.
    """

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

    def column_names(self) -> tuple[str, ...]:
        """Return every column, of a database's table too; none where only a Spark engine reaches the file."""
        return database_columns(self.location, self.table or "") if self.kind == "sql" else self.header

    def read_alike(self) -> list[list[FileHeader]]:
        """Return the files in their order, those together that follow each other and are read in one way."""
        return [list(files) for _, files in groupby(self.files, lambda file: file.read_alike)]

    def places(self, held: Sequence[str]) -> list[int]:
        """Return the place of each key field's column among the columns of a file."""
        if not self.fields:
            raise InputError(f"{self.name}: name at least one key field.")
        twice = sorted({name for name in self.fields if self.fields.count(name) > 1})
        if twice:
            raise InputError(f"field {twice[0]!r} appears twice. Name each field once.")
        folded = {name.casefold() for name in held}
        if self.kind == "csv" and self.files and not folded & {column.casefold() for column in self.columns}:
            self._check_first_line()
        return [self._place(column, held) for column in self.columns]

    def _place(self, column: str, held: Sequence[str]) -> int:
        try:
            return column_place(self.name, column, held)
        except UnknownNameError:
            if self.kind == "csv" and self.files and holds_values(self.files[0]):  # then the names may be a record's
                return column_place(self.name, column, held, names_shown=False)
            raise

    def _check_first_line(self) -> None:
        if looks_like_a_record(self.files[0]):
            raise InputError(
                f"{self.files[0].path}: the first line looks like a record, but it must name the columns. Add a line "
                f"of names, including {', '.join(self.columns)}."
            )


def open_records(
    location: str, fields: Sequence[str], mapping: ColumnMapping | None = None, table: str | None = None
) -> Records:
    """Find the files of records and read the header of each; without a mapping, fields are columns of their names."""
    if is_database(location):
        records = Records(location, "sql", tuple(fields), mapping or ColumnMapping(), table)
        if not table:
            raise InputError(f"{scheme_of(location)}: name the table too.")
        return records
    kind, files = meant_files(location)
    records = Records(location, kind, tuple(fields), mapping or ColumnMapping())
    if table:
        raise InputError(f"{records.name}: only a database has a table name. Leave it out.")
    if not files:
        return records
    separator, sheet = records.mapping.separator, records.mapping.sheet
    if sheet and kind != "csv":
        raise InputError(f"{records.name}: only a workbook has sheets. Leave the sheet out.")
    read = [read_csv_header(path, separator, sheet) if kind == "csv" else read_parquet_header(path) for path in files]
    records = replace(records, files=tuple(read))
    records.places(records.header)  # a column that is not there is refused
    if records.mapping.person:
        records._place(records.mapping.person, records.header)
    check_alike(read)
    return records
