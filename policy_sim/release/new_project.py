"""The first file of a release project: every column undecided, with what it looks like."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from policy_sim.deidentify.coded_columns import CodedTable, column_values
from policy_sim.errors import OutputError, UnknownNameError
from policy_sim.io.coded_files import read_coded, refuse_counts
from policy_sim.io.column_mapping_files import load_mapping
from policy_sim.io.files import replace_file
from policy_sim.io.policy_files import load_policy
from policy_sim.io.project_text import new_project_text
from policy_sim.io.release_editions import load_edition
from policy_sim.io.release_project_files import parse_project
from policy_sim.records.column_findings import names_person, sounds_like_person
from policy_sim.records.column_kinds import ColumnValues, column_kind
from policy_sim.records.column_mapping import ColumnMapping, column_place

__all__ = ["write_new_project"]


def write_new_project(
    file: Path,
    path: Path,
    title: str,
    edition: str,
    mapping: Path | None,
    policy: str = "",
    day: dt.date | None = None,
    sheet: str = "",
) -> None:
    """Write the first file of a project.

    Parameters
    ----------
    file : The file of records.
    path : The project file to write; it must not exist.
    title : What the release is called; the file's name where empty.
    edition : A name of an edition, such as ``ipc-2016``.
    mapping : What the file's columns and codes mean.
    policy : The policy that the release is to conform to, as the regulation states it; none where empty.
    day : The date on which ages are computed; for a policy, today where it is left out.
    sheet : The sheet of a workbook with several.

    Raises
    ------
    UnknownNameError : no such policy.
    OutputError : the project file exists, or cannot be written.
    SourceError, InputError : the file or its mapping cannot be read.
    """
    column_mapping = None if mapping is None else load_mapping(mapping)
    if path.exists():
        raise OutputError(f"{path} already exists. Choose another name.")
    questions = [question.id for question in load_edition(edition).questions]
    missing, separator = (column_mapping.missing, column_mapping.separator or "") if column_mapping else (("",), "")
    if policy:
        load_policy(policy)  # an unknown name is an error here, not at the first run
        day = day or dt.date.today()
    sheet = sheet or (column_mapping.sheet if column_mapping else "")
    table = read_coded(file, missing, separator, sheet)
    refuse_counts(file.name, table)
    if column_mapping:
        column_mapping = _named_as_in(table, column_mapping, file.name)
    columns = {name: column_values(name, table[name]) for name in table.names}
    location = _relative(file, path.parent)
    written = new_project_text(
        path.name,
        title or file.stem,
        edition,
        location,
        columns,
        questions,
        column_mapping,
        policy=policy,
        day=day,
        person=(column_mapping.person if column_mapping else "") or _person(columns),
        sheet=sheet,
    )
    parse_project(written, str(path), path.parent)
    replace_file(path, written.encode())


def _person(columns: Mapping[str, ColumnValues]) -> str:
    """Return the column that identifies a person with several rows; empty where none seems to."""
    kinds = {name: column_kind(values) for name, values in columns.items() if sounds_like_person(name)}
    for name, kind in sorted(kinds.items(), key=lambda item: item[1].reason.endswith("a name")):  # numbers before names
        if names_person(name, kind) and columns[name].records.max(initial=0) > 1:
            return name
    return ""


def _named_as_in(table: CodedTable, mapping: ColumnMapping, file: str) -> ColumnMapping:
    """Return a mapping whose columns are written as in the file; one that the file lacks stays as it is.

    Raises
    ------
    UnknownNameError, InputError : the column of the person is not there, or may be two.
    """

    def own(name: str) -> str:
        with suppress(UnknownNameError):
            return table.names[column_place(file, name, table.names)]
        return name

    person = table.names[column_place(file, mapping.person, table.names)] if mapping.person else ""
    fields = {name: replace(entry, column=own(entry.column)) for name, entry in mapping.fields.items()}
    return replace(mapping, fields=fields, person=person)


def _relative(file: Path, folder: Path) -> str:
    """Return a file's place as seen from a folder where it lies inside it, and its whole place elsewhere."""
    with suppress(ValueError):
        return file.resolve().relative_to(folder.resolve()).as_posix()
    return file.resolve().as_posix()
