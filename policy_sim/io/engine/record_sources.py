"""Where records are: CSV files, Parquet, or a table of a database; and which column is which field.

Nothing is read here but the headers: the records stay with the engine. Values are text from the first
read on ("07" is not "7"), and messages name files, columns and line numbers, never a value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path

from policy_sim.errors import InputError, UnknownNameError
from policy_sim.io.engine.database_rows import database_columns
from policy_sim.io.engine.headers import (
    FileHeader,
    check_alike,
    holds_values,
    looks_like_a_record,
    read_csv_header,
    read_parquet_header,
)
from policy_sim.io.engine.record_files import is_database, meant_files, scheme_of
from policy_sim.masking import mask_credentials
from policy_sim.records.column_mapping import ColumnMapping, column_place

__all__ = ["ROW", "Records", "open_records"]

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
        """Return the place of each key field's column among the columns of a file.

        Raises
        ------
        InputError : no fields, a field given twice, a column that stands twice, or no header at all.
        UnknownNameError : a column is not there; names those that are.
        """
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

    def check_columns(self, held: Sequence[str]) -> None:
        """Refuse key fields whose column the file does not have, as :meth:`places` does."""
        self.places(held)
        if self.mapping.person:
            self._place(self.mapping.person, held)

    def _check_first_line(self) -> None:
        if looks_like_a_record(self.files[0]):
            raise InputError(
                f"{self.files[0].path}: the first line looks like a record, but it must name the columns. Add a line "
                f"of names, including {', '.join(self.columns)}."
            )


def open_records(
    location: str, fields: Sequence[str], mapping: ColumnMapping | None = None, table: str | None = None
) -> Records:
    """Find the files of records and read the header of each.

    Parameters
    ----------
    location : A CSV file (may be gzipped), a Parquet file, a folder or pattern of either, or the URL of a
        database as SQLAlchemy writes it.
    fields : Key fields.
    mapping : Which column is which field; columns of the fields' own names by default.
    table : Table of the database.

    Raises
    ------
    SourceError, InputError : a file is not there, has no header, or does not hold the fields.
    SchemaError : the files of a folder or pattern have different columns; names them.
    """
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
    records.check_columns(records.header)
    check_alike(read)
    return records
