"""Look at a file before any question: what each column seems to be, and what to fix first."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from policy_sim.arguments import name_of
from policy_sim.deidentify.coded_columns import CodedTable, column_values
from policy_sim.errors import InputError
from policy_sim.io.county_names import states_of_zips, states_with
from policy_sim.io.engine.database_rows import database_columns
from policy_sim.io.engine.read_classes import no_record
from policy_sim.io.engine.readable_file import ReadableFile, read_otherwise, skipped_index
from policy_sim.records.column_findings import Finding, column_findings, names_person
from policy_sim.records.column_kinds import ColumnKind, ColumnValues, column_kind
from policy_sim.records.column_mapping import ColumnMapping
from policy_sim.records.file_result import FileResult

if TYPE_CHECKING:
    from policy_sim.io.engine.engine import Engine
    from policy_sim.io.engine.record_sources import Records

__all__ = ["CheckedColumn", "ScoredPlace", "checked", "scored_place", "with_head"]

_MOST_VALUES = 2_000_000
_MANY_COLUMNS, _MOST_BYTES = 30, 300_000_000  # of a file that is read once and not column by column
_COUNTY_CODE = re.compile(r"\d{4,5}(?:\.0+)?")
_WITH_ZIP_CODES = "us-2020-zip"


@dataclass(frozen=True, eq=False)
class CheckedColumn:
    """One column: what it holds, what it seems to be, and what to look at."""

    held: ColumnValues
    kind: ColumnKind
    findings: tuple[Finding, ...]


def checked(
    location: str | Path,
    *,
    table: str | None = None,
    missing_codes: Sequence[str] | str = (),
    engine: str = "duckdb",
    memory: str = "2GB",
    sheet: str = "",
    progress: Callable[[str], object] = lambda _: None,
) -> FileResult[tuple[CheckedColumn, ...]]:
    """Answer :meth:`policy_sim.record_file.RecordFile.check`."""
    from policy_sim.records.check_tables import column_frame, finding_frame

    location = name_of("location", location, "'visits.csv', or the URL of a database")
    if not callable(progress):
        raise InputError("progress must be a function that takes one text.")
    mapping = ColumnMapping(sheet=sheet)
    names, twice = _columns(location, table, sheet)
    columns = []
    first = ReadableFile(location, names[:1], mapping, "own", missing_codes, table, engine, memory, None, progress)
    for file in first.records.files[:1]:
        file.refuse_nameless()
    with first.opened() as opened:
        at_once = _read_at_once(first, names, engine, sheet, progress)
        for at, name in enumerate(names, 1):
            progress(f"looking at column {at} of {len(names)}")
            if at_once is not None:
                values = column_values(name, at_once[name])
            else:
                values = _values(opened, replace(first.records, fields=(name,)), name)
            kind = column_kind(values)
            columns.append(CheckedColumn(values, kind, column_findings(values, kind)))
    number = columns[0].held.filled + columns[0].held.missing
    if not number:
        raise InputError(no_record(first.records.name))
    notes = (
        f"file: {first.records.short_name}: {number:,} records, {len(names)} columns",
        *read_otherwise(first.records),
        *skipped_index(first.records),
        "kinds are guesses from the names and the values of the columns",
        *(f"column {name!r} appears twice in the header and was skipped: rename one" for name in twice),
    )
    tables = {"columns": column_frame(columns), "findings": finding_frame(columns)}
    return first.result("check", tuple(columns), tables, notes, {"fields": names})


def _read_at_once(
    file: ReadableFile,
    names: Sequence[str],
    engine: str,
    sheet: str,
    progress: Callable[[str], object],
) -> CodedTable | None:
    """Return every column of a wide CSV file at once, as a release reads it; None where columns are read one by one."""
    from policy_sim.io.coded_files import read_coded

    files, codes = file.records.files, file.records.mapping.missing
    if (
        engine != "duckdb"
        or len(codes) > 1
        or len(names) < _MANY_COLUMNS
        or len(files) != 1
        or file.records.kind != "csv"
    ):
        return None
    path = files[0].path
    if len(names) < sum(bool(name.strip()) for name in files[0].header):  # a name twice
        return None
    if path.suffix == ".gz" or path.stat().st_size > _MOST_BYTES:
        return None
    progress("reading the file")
    return read_coded(path, sheet=sheet)


def _columns(location: str | Path, table: str | None, sheet: str) -> tuple[list[str], list[str]]:
    """Return the columns that are named once, and those that are named twice."""
    header = _header(location, table, sheet)
    named = [name for name in header if name.strip()]
    twice = sorted({name for name in named if named.count(name) > 1})
    once = [name for name in named if name not in twice]
    if not once:
        raise InputError(f"{Path(str(location)).name}: no column has a unique name.")
    return once, twice


def _header(location: str | Path, table: str | None, sheet: str) -> Sequence[str]:
    """Return the names of the columns; the reader of key fields names them when one is not there."""
    from policy_sim.io.engine.headers import read_csv_header, read_parquet_header
    from policy_sim.io.engine.record_files import is_database, meant_files

    if is_database(str(location)):
        if not table:
            raise InputError(f"{str(location).partition('://')[0]}://…: name the table too.")
        return database_columns(str(location), table)
    kind, files = meant_files(str(location))
    if not files:
        raise InputError(f"{location}: only Spark can read this file. Check a part of it on this machine.")
    return (read_csv_header(files[0], None, sheet) if kind == "csv" else read_parquet_header(files[0])).header


def _values(engine: Engine, records: Records, name: str) -> ColumnValues:
    grouped = engine.group(records)
    classes = grouped.classes(max(grouped.number(), 1))
    missing = classes.missing[0] if classes.number else 0
    code = classes.codes[:, 0]
    sizes = np.zeros(grouped.values[0], dtype=np.int64)
    sizes[code[code > 0] - 1] = classes.sizes[code > 0]
    texts = grouped.values_of(name) if grouped.values[0] <= _MOST_VALUES else None
    return ColumnValues(name, texts, sizes, missing)


@dataclass(frozen=True)
class ScoredPlace:
    """The fields by which a score places the records, and what else it needs to be told."""

    fields: tuple[str, ...]
    options: Mapping[str, str]


def scored_place(columns: Sequence[CheckedColumn]) -> ScoredPlace | None:
    """Return how a census can place the records of a checked file; None where its columns do not tell the state."""
    texts: dict[str, Sequence[str]] = {}
    for column in columns:
        if column.kind.kind == "key field":
            texts.setdefault(column.kind.field, column.held.texts or ())
    by_column = ("state",) if "state" in texts else ()
    if "county" in texts:
        names = [text for text in texts["county"] if not _COUNTY_CODE.fullmatch(text.strip())]
        if not names or by_column:
            return ScoredPlace(("county", *(by_column if names else ())), {})
        states = states_with(names)
        if len(states) == 1:
            return ScoredPlace(("county",), {"state": states[0]})
    if "zip5" in texts:
        states = () if by_column else states_of_zips(texts["zip5"])
        if by_column or states:
            return ScoredPlace(
                ("zip5", *by_column), {"population": _WITH_ZIP_CODES, **({"state": states[0]} if states else {})}
            )
    return ScoredPlace(by_column, {}) if by_column else None


def with_head(mapping: str, columns: Sequence[CheckedColumn], sheet: str) -> str:
    """Return the text of a mapping with the sheet of a workbook, and the column of the person to be decided on."""
    lines = [f"sheet = {json.dumps(sheet, ensure_ascii=False)}"] if sheet else []
    for column in columns:
        if names_person(column.held.name, column.kind) and column.held.distinct and column.held.records.max() > 1:
            name = json.dumps(column.held.name, ensure_ascii=False)
            lines.append(f"# person = {name}  # without the first sign: count people, each once, and not rows")
            break
    head, below, tables = mapping.partition("\n\n[")
    return "\n".join([head.rstrip("\n"), *lines]) + ("\n" if not below else "") + below + tables
