"""Look at a file before any question: what each column seems to be, and what to fix first."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from policy_sim.people.names import states_of_zips, states_with
from policy_sim.records.census_values import ColumnMapping
from policy_sim.records.check import CheckedColumn, column_findings, column_frame, finding_frame
from policy_sim.records.column_kinds import ColumnValues, column_kind
from policy_sim.records.engines import arguments as check
from policy_sim.records.engines.readable_file import (
    ReadableFile,
    joint_sizes,
    mixed_date_notes,
    no_record,
    read_otherwise,
    skipped_index,
)
from policy_sim.records.engines.sources import database_columns
from policy_sim.records.formats import CodedTable, column_values
from policy_sim.records.tables import FileResult
from policy_sim.words.arguments import name_of
from policy_sim.words.errors import InputError

if TYPE_CHECKING:
    from policy_sim.estimators import Bootstrap, ClassTable, Estimate
    from policy_sim.records.classes import Classes, LinkedRisk
    from policy_sim.records.engines.engine import Engine
    from policy_sim.records.engines.sources import Records
    from policy_sim.records.sampling_study import Simulation


_MOST_VALUES = 2_000_000
_MANY_COLUMNS, _MOST_BYTES = 30, 300_000_000  # of a file that is read once and not column by column
_COUNTY_CODE = re.compile(r"\d{4,5}(?:\.0+)?")
_WITH_ZIP_CODES = "us-2020-zip"


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
    """Answer :meth:`policy_sim.study.record_file.RecordFile.check`."""
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
    from policy_sim.records.formats import read_coded

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
    from policy_sim.records.engines.sources import is_database, meant_files, read_csv_header, read_parquet_header

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


# Questions about a file of records that need neither a population nor a voter list.


_MOST_PEOPLE = 10**15
_MOST_RUNS = 10_000_000
_MOST_WORKERS = 1_000


def linked(file: ReadableFile, second: ReadableFile) -> FileResult[LinkedRisk]:
    """Answer :meth:`policy_sim.study.record_file.RecordFile.against`."""
    from policy_sim.records.classes import linked_risk
    from policy_sim.records.tables import linked_frame

    if second.records.fields != file.records.fields:
        raise InputError(f"{second.records.short_name}: both files must have the same key fields, in one order.")
    with file.opened() as engine:
        sizes, read = joint_sizes(engine, file.records, second.records, file.most_classes, complete=file.complete)
        remarks = tuple(engine.remarks)
    risk = linked_risk(sizes)
    notes = (*file.reading_notes(remarks), f"identified file: {second.records.short_name}", *read)
    options = {"against": second.records.short_name}
    return file.result("score", risk, {"scores": linked_frame(risk)}, notes, options, second)


def estimated(
    file: ReadableFile, population_size: int, models: Sequence[str] | None, bootstrap: Bootstrap | None
) -> FileResult[tuple[Estimate, ...]]:
    """Answer :meth:`policy_sim.study.record_file.RecordFile.estimate`."""
    from policy_sim.estimators import Bootstrap, estimate_all, estimator_names, first_estimate
    from policy_sim.estimators.registry import ESTIMATORS, known_estimators
    from policy_sim.records.tables import estimate_frame

    check.check_count("population_size", population_size, most=_MOST_PEOPLE)
    if bootstrap is not None and not isinstance(bootstrap, Bootstrap):
        raise InputError("bootstrap must be a Bootstrap, such as Bootstrap(replicates=200).")
    names = known_estimators(estimator_names() if models is None else models)
    needs = [name for name in names if ESTIMATORS[name].needs_classes]
    with file.opened() as engine:
        grouped = engine.group(file.records)
        read, why = file.read_if_few(grouped, complete=file.complete)
        sizes = grouped.sizes(complete=file.complete).histogram if read is None else read.classes.histogram
        remarks, dates = tuple(engine.remarks), mixed_date_notes(grouped)
    sample = _class_table(read.classes) if needs and read is not None else sizes
    estimates = estimate_all(sample, population_size, models=names, bootstrap=bootstrap, tell=file.progress)
    rows = (first_estimate(sample, population_size, estimates), *estimates)
    drawn = f"{sizes.records:,} records drawn from {population_size:,} people"
    without = tuple(f"no estimate by {name}: {why}" for name in needs) if read is None else read.notes
    options = {
        "population_size": population_size,
        "models": list(names),
        "intervals": bootstrap is not None,
        "seed": bootstrap.seed if bootstrap else None,
    }
    notes = (*file.reading_notes(remarks), drawn, *without, *dates)
    return file.result("estimate", rows, {"estimates": estimate_frame(rows)}, notes, options)


def simulated(
    file: ReadableFile,
    fractions: Sequence[float],
    runs: int,
    seed: int,
    models: Sequence[str] | None,
    slow_runs: int | None,
    workers: int,
) -> FileResult[Simulation]:
    """Answer :meth:`policy_sim.study.record_file.RecordFile.sampling_study`."""
    from policy_sim.estimators.registry import known_estimators
    from policy_sim.records.sampling_study import simulate
    from policy_sim.records.tables import simulation_tables

    shares = check.shares_of("fractions", fractions)
    check.check_count("runs", runs, most=_MOST_RUNS)
    check.check_count("seed", seed, 0)
    check.check_count("workers", workers, most=_MOST_WORKERS)
    if slow_runs is not None:
        check.check_count("slow_runs", slow_runs)
    names = None if models is None else known_estimators(models)
    read, remarks = file.read()
    study = simulate(
        _class_table(read.classes),
        shares,
        runs,
        seed=seed,
        models=names,
        slow_runs=slow_runs,
        workers=workers,
        progress=lambda runs_done, whole: file.progress(f"{runs_done:,} of {whole:,} runs"),
    )
    drawn = f"{runs:,} samples per fraction of {study.population_size:,} records, seed {seed}"
    notes = (*file.reading_notes(remarks), *read.notes, drawn)
    options = {
        "fractions": shares,
        "runs": runs,
        "seed": seed,
        "models": None if names is None else list(names),
        "slow_runs": slow_runs,
    }
    return file.result("simulate", study, simulation_tables(study), notes, options)


def _class_table(classes: Classes) -> ClassTable:
    from policy_sim.estimators import ClassTable

    return ClassTable(classes.codes.astype("int64"), classes.sizes, classes.fields)
