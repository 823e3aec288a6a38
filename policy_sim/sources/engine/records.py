"""Where records are: a CSV file, Parquet, or a table of a database; and which column is which field.

Nothing is read here but the header: the records stay with the engine. Values are text from the first
read on ("07" is not "7"), and messages name files, columns and line numbers, never a value.
"""

from __future__ import annotations

import csv
import datetime as dt
import glob
import gzip
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from policy_sim.errors import InputError, SchemaError, SourceError, UnknownNameError
from policy_sim.microdata.mapping import ColumnMapping, FieldColumn

__all__ = ["ROW", "Records", "load_mapping", "open_records"]

# The column of row numbers that an engine adds; not a name that a file of records has.
ROW = "policy_sim_row"

_SEPARATORS = ",;\t|"
_KEYS = ("separator", "missing", "reference_date", "fields")
_FIELD_KEYS: Mapping[str, type] = {
    "column": str,
    "codes": dict,
    "format": str,
    "width": int,
    "top": int,
}


@dataclass(frozen=True)
class Records:
    """A file or table of records, its key fields and how it is to be read."""

    location: str
    kind: str
    fields: tuple[str, ...]
    mapping: ColumnMapping = field(default_factory=ColumnMapping)
    table: str | None = None
    header: tuple[str, ...] = ()
    separator: str = ","

    @property
    def name(self) -> str:
        """What messages call the file; never with the password of a database."""
        if self.kind != "sql":
            return self.location
        return f"{self.location.partition('://')[0]}://… table {self.table}"

    @property
    def short_name(self) -> str:
        """The name without its folders, for outputs that must not tell of this machine."""
        return self.name if "://" in self.location else Path(self.location).name

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the key fields, in their order."""
        return tuple(self.mapping.column(name).column for name in self.fields)

    def check_columns(self, held: Sequence[str]) -> None:
        """Refuse key fields whose column the file does not have.

        Raises
        ------
        InputError : no fields, or a field given twice.
        UnknownNameError : a column is not there; names those that are.
        """
        if not self.fields:
            raise InputError(f"{self.name}: no key fields; name at least one in --fields.")
        twice = sorted({name for name in self.fields if self.fields.count(name) > 1})
        if twice:
            raise InputError(f"--fields names {twice[0]!r} twice: name each field once.")
        for column in self.columns:
            if column not in held:
                raise UnknownNameError(f"{self.name}: column", column, held)


def open_records(
    location: str, fields: Sequence[str], mapping: ColumnMapping | None = None, table: str | None = None
) -> Records:
    """Find a file of records and read its header.

    Parameters
    ----------
    location : A CSV file (may be gzipped), a Parquet file, a folder or pattern of either, or the URL of a
        database as SQLAlchemy writes it.
    fields : Key fields.
    mapping : Which column is which field; columns of the fields' own names by default.
    table : Table of the database.

    Raises
    ------
    SourceError, InputError : the file is not there, has no header, or does not hold the fields.
    """
    records = Records(location, _kind(location), tuple(fields), mapping or ColumnMapping(), table)
    if records.kind == "sql":
        if not table:
            raise InputError(f"{location.partition('://')[0]}://…: name the table with --table.")
        return records
    if table:
        raise InputError(f"{location}: --table is for databases; leave it out.")
    first = _first_file(location)
    if records.kind == "csv":
        records = replace(records, **_read_header(first, records.mapping.separator) if first else _remote(records))
        if records.header:
            records.check_columns(records.header)
    return records


def _remote(records: Records) -> dict[str, Any]:
    return {"separator": records.mapping.separator or ","}


def _kind(location: str) -> str:
    stem = location.removesuffix(".gz")
    if re.match(r"(sqlite|postgresql|mysql|mariadb|oracle|mssql)(\+\w+)?:", location):
        return "sql"
    if stem.endswith((".csv", ".tsv", ".txt")):
        return "csv"
    if stem.endswith((".parquet", ".pq")):
        return "parquet"
    if Path(location).is_dir():
        return "parquet" if list(Path(location).glob("*.parquet")) else "csv"
    raise InputError(
        f"{location}: not a file of records: give .csv (or .csv.gz), .parquet, a folder of either, or the URL of "
        f"a database."
    )


def _first_file(location: str) -> Path | None:
    """Return the first file meant, or None where it lies on another machine."""
    if "://" in location:
        return None
    path = Path(location)
    if path.is_dir():
        found = sorted(p for p in path.iterdir() if p.name.endswith((".csv", ".csv.gz", ".parquet")))
    else:
        found = [path] if path.exists() else sorted(Path(p) for p in glob.glob(location))  # noqa: PTH207
    if not found:
        raise SourceError(f"{location}: there is no such file.")
    return found[0]


def _read_header(path: Path, separator: str | None) -> dict[str, Any]:
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
            line = stream.readline().decode("utf-8-sig")
    except (OSError, EOFError) as error:
        raise SourceError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or 'damaged'}.") from error
    except UnicodeDecodeError:
        raise SourceError(f"{path}: the header is not UTF-8 text: convert the file.") from None
    if not line.strip():
        raise InputError(f"{path}: the file is empty; its first line must name the columns.")
    separator = separator or max(_SEPARATORS, key=lambda mark: _unquoted(line).count(mark))
    header = next(csv.reader([line.rstrip("\r\n")], delimiter=separator))
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise InputError(f"{path}: column {twice[0]!r} stands twice in the header: rename one.")
    return {"separator": separator, "header": tuple(header)}


def _unquoted(line: str) -> str:
    return re.sub(r'"[^"]*"', "", line)


def load_mapping(path: Path) -> ColumnMapping:
    """Read a column mapping.

    Raises
    ------
    SchemaError : not a mapping; every problem at once.
    """
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SchemaError(str(path), [f"cannot be read as TOML: {error}."]) from error
    problems = _problems(given)
    if problems:
        raise SchemaError(str(path), problems)
    fields = {name: FieldColumn(**{"column": name, **entry}) for name, entry in given.get("fields", {}).items()}
    missing = tuple(dict.fromkeys(("", *given.get("missing", ()))))
    return ColumnMapping(fields, missing, given.get("separator"), given.get("reference_date"))


def _problems(given: Mapping[str, Any]) -> list[str]:
    problems = [f"{key} is not a key of a mapping; known: {', '.join(_KEYS)}." for key in set(given) - set(_KEYS)]
    if not _all_text(given.get("missing", [])):
        problems.append('missing must be a list of texts, such as missing = ["", "NA"].')
    if len(given.get("separator", ",")) != 1:
        problems.append("separator must be one character.")
    if type(given.get("reference_date", dt.date.min)) is not dt.date:
        problems.append("reference_date must be a date without quotes, such as 2020-04-01.")
    fields = given.get("fields", {})
    if not isinstance(fields, dict) or not all(isinstance(entry, dict) for entry in fields.values()):
        return [*problems, "fields must be tables, such as [fields.age] with column = ..."]
    for name, entry in fields.items():
        problems += _field_problems(name, entry)
    return problems


def _field_problems(name: str, entry: Mapping[str, Any]) -> list[str]:
    problems = []
    for key, value in entry.items():
        if key not in _FIELD_KEYS:
            problems.append(f"fields.{name}.{key} is not known; known: {', '.join(_FIELD_KEYS)}.")
        elif type(value) is not _FIELD_KEYS[key]:
            problems.append(f"fields.{name}.{key} must be {_FIELD_KEYS[key].__name__}.")
    codes = entry.get("codes", {})
    if isinstance(codes, dict) and not _all_text(list(codes.values())):
        problems.append(f'fields.{name}.codes must give texts, such as "1" = "M".')
    if entry.get("width", 1) not in (1, 5, 10):
        problems.append(f"fields.{name}.width must be 1, 5 or 10 years.")
    return problems


def _all_text(values: object) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)
